"""What a document says to all robots, kept and read for any of them: as if it were read itself."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot.content_use import uses
from goodbot.page.readers.said import MOST_BYTES
from goodbot.page.said_reading import read_said
from goodbot.page.said_to_all import SaidToAll
from tests.support.examples import examples

URL = "https://example.com/a"
ROBOTS = ("*", "Googlebot", "bingbot", "GPTBot", "ExampleBot", "Slurp")
NAMES = ("robots", "googlebot", "bingbot", "gptbot", "examplebot", "description", "og:title",
         "tdm-reservation", "tdm-policy", "url", "googlebot-news", "spider by")  # fmt: skip
CONTENTS = ("noindex", "none", "nofollow, noarchive", "all", "noai", "noimageai", "max-snippet:0",
            "1", "0", "nosnippet index", "noindex\nnofollow", 'a "quoted" <b>', "",
            "fish & noindex",
            "https://example.com/b", "unavailable_after: 2020-01-01")  # fmt: skip
FIELDS = (("X-Robots-Tag", "noindex"), ("X-Robots-Tag", "googlebot: nosnippet"),
          ("X-Robots-Tag", "GPTBot: noai, noindex"), ("TDM-Reservation", "1"),
          ("Content-Usage", "train-ai=n"), ("Robots-Tag", "noai"), ("Server", "a"),
          ("Link", '</l>; rel="license"; type="application/rsl+xml"'))  # fmt: skip
METAS = st.builds(
    lambda name, content, key, lines, head: (name, content, key, lines, head),
    st.sampled_from(NAMES), st.sampled_from(CONTENTS),
    st.sampled_from(["name", "name", "name", "http-equiv"]), st.integers(0, 3), st.booleans(),
)  # fmt: skip


def document(metas: list[Any]) -> str:
    """Return a document with META elements, those of the HEAD first."""
    from html import escape  # noqa: PLC0415  of this helper alone

    parts = {True: "", False: ""}
    for name, content, key, lines, head in metas:
        parts[head] += "\n" * lines + f'<meta {key}="{name}" content="{escape(content)}">'
    return f"<head><title>Sea</title>{parts[True]}</head><body>\n{parts[False]}<p>Fish</p>"


@examples(300)
@given(
    st.lists(METAS, max_size=5),
    st.lists(st.sampled_from(FIELDS), max_size=3),
    st.sampled_from(ROBOTS),
    st.sampled_from(["google", "bing", "meta1996", "yandex"]),
    st.sampled_from([200, 404]),
)
def test_what_is_kept_is_read_as_the_document_is(
    metas: list[Any], fields: list[tuple[str, str]], robot: str, dialect: str, status: int
) -> None:
    """Twin: each verdict with its source, limits and uses are those of the whole document."""
    body = document(metas)
    crawled = goodbot.Page(URL, body, headers=fields, robot="CrawlBot", status=status)
    said = crawled.said_to_all
    assert said is not None
    kept = SaidToAll.unpack(said.pack())
    assert kept == said
    whole = goodbot.Page(URL, body, headers=fields, robot=robot, dialect=dialect, status=status)
    again = read_said(kept, URL, robot, dialect, status=status)
    expected = {act: (one.allowed, one.reason, one.source) for act, one in whole.verdicts.items()}
    assert {act: (one.allowed, one.reason, one.source) for act, one in again.verdicts.items()} == (
        expected
    )
    assert again.limits == whole.limits
    found, wanted = uses(URL, again), uses(URL, whole)
    assert (found.train.status, found.not_consulted) == (wanted.train.status, wanted.not_consulted)
    assert str(found.train.said) == str(wanted.train.said)


def test_a_document_that_says_nothing_needs_no_byte() -> None:
    """Its description and its words are not kept."""
    page = goodbot.Page(URL, "<meta name=description content='Fish'><p>Sharks</p>")
    assert page.said_to_all == SaidToAll()
    assert page.said_to_all.pack() == ""
    assert SaidToAll.unpack("") == SaidToAll()


def test_what_is_not_kept_is_none_and_not_nothing() -> None:
    """XML, licences within a document, and documents that say very much."""
    many = "<meta name=robots content='noindex, nofollow'>" * MOST_BYTES
    licence = "<script type=application/rsl+xml><rsl></rsl></script>"
    xml = goodbot.Page(URL, "<?robots index='no'?><a/>", content_type="application/xml")
    assert [
        page.said_to_all for page in (goodbot.Page(URL, many), goodbot.Page(URL, licence), xml)
    ] == ([None] * 3)
    plain = goodbot.Page(URL, "<a/>", content_type="application/xml")
    assert plain.said_to_all == SaidToAll()
    text = goodbot.Page(URL, "a", content_type="text/plain", headers=[("X-Robots-Tag", "noindex")])
    assert text.said_to_all is not None
    assert text.said_to_all.header == (("x-robots-tag", "noindex"),)


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"m":[[1]]}', '{"h":7}', '{"l":[["a"]]}', "7", "null"]
)
def test_damage_is_reported(text: str) -> None:
    """As a `ValueError`, whatever the text is."""
    with pytest.raises(ValueError):  # noqa: PT011  json's own, or ours
        SaidToAll.unpack(text)
