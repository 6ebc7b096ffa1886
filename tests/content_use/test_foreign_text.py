"""Text that is no text, and white space that is none in HTTP: nothing raises or permits."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest

import goodbot
from goodbot.content_use import read_license, read_tdm_policy, read_tdmrep

if TYPE_CHECKING:
    from collections.abc import Callable

URL = "https://example.com/a"
HALF = chr(0xD800)
"""Half of a surrogate pair."""
ROBOTS = (
    "License: https://example.com/l\nUser-agent: *\nContent-Usage: /a train-ai=n\n"
    "Content-Signal: /a ai-train=no\nAllow: /\n"
)
LICENSE = (
    '<rsl xmlns="https://rslstandard.org/rsl"><content url="/"><license>'
    '<permits type="usage">search</permits></license></content></rsl>'
)
OTHER_SPACE = ["\x1f", "\x0b", "\x0c", "\x85", "\xa0", "\u3000", "\u2028"]
"""What Python takes for white space, and HTTP does not."""


@pytest.mark.parametrize("read", [read_tdmrep, read_license, read_tdm_policy])
@pytest.mark.parametrize("content", [HALF, f'[{{"location": "/{HALF}"}}]', f"<rsl>{HALF}</rsl>"])
def test_half_of_a_pair_is_read_as_faulty_bytes_are(
    read: Callable[[bytes | str], object], content: str
) -> None:
    """It never raises, and has the answer of the file that has these bytes."""
    assert read(content) == read(content.encode("utf-8", "surrogatepass"))


def test_a_licence_with_half_of_a_pair_grants_nothing() -> None:
    """It was not read: what it may say restricts."""
    robots = goodbot.RobotsTxt("License: https://example.com/l\nUser-agent: *\nAllow: /\n")
    given = {"https://example.com/l": LICENSE.replace("search", f"search {HALF}")}
    answer = goodbot.uses(URL, robots_txt=robots, licenses=given)
    assert "allowed" not in {one.status for one in answer.verdicts.values()}


@pytest.mark.parametrize("start", ["https://example.com/a", "https://example.com/", HALF])
def test_a_url_with_half_of_a_pair_is_one_like_others(start: str) -> None:
    """It is read with U+FFFD instead, as where its fetch is judged."""
    arguments: dict[str, Any] = {
        "robots_txt": goodbot.RobotsTxt(ROBOTS),
        "tdmrep": json.dumps([{"location": "/a*", "tdm-reservation": 1}]),
        "licenses": {"https://example.com/l": LICENSE},
    }
    answer = goodbot.uses(start + HALF, **arguments)
    expected = goodbot.uses((start + HALF).replace(HALF, "\ufffd"), **arguments)
    assert answer.as_dict() == expected.as_dict()


@pytest.mark.parametrize("space", OTHER_SPACE)
@pytest.mark.parametrize("form", ["0{}", "{}0", "0{} "])
def test_a_reservation_has_white_space_of_http_only(space: str, form: str) -> None:
    """`0` with any other character is a protocol error, which permits nothing."""
    value = form.format(space)
    header = goodbot.Page(URL, "", headers={"tdm-reservation": value})
    document = goodbot.Page(URL, f'<meta name="tdm-reservation" content="{value}">')
    for page in (header, document):
        assert page.usage.tdm_reservation is None
        answer = goodbot.uses(URL, page)
        assert answer.train.status == "unknown"
        assert [one.code for one in answer.findings] == ["malformed-reservation"]


@pytest.mark.parametrize("value", [" 0", "\t0 ", "0\r\n"])
def test_white_space_of_http_around_a_reservation_is_none_of_it(value: str) -> None:
    """Spaces and tabs, and what is left of the end of a line."""
    for page in (
        goodbot.Page(URL, "", headers={"tdm-reservation": value}),
        goodbot.Page(URL, f'<meta name="tdm-reservation" content="{value}">'),
    ):
        assert goodbot.uses(URL, page).train.status == "allowed"


@pytest.mark.parametrize("value", ["\u0665", "\uff15", "5\xa0", "\u30005", "5\x1f"])
@pytest.mark.parametrize("name", ["max-snippet", "max-video-preview"])
def test_numbers_are_written_in_digits_of_ascii(name: str, value: str) -> None:
    """A finding says that another one is not read."""
    for page in (
        goodbot.Page(URL, "<p>Sea", headers={"X-Robots-Tag": f"{name}: {value}"}),
        goodbot.Page(URL, f'<meta name="robots" content="{name}: {value}"><p>Sea'),
    ):
        assert page.limits.max_snippet is None
        assert page.limits.max_video_preview is None
        assert len(page.findings) == 1


def test_a_restriction_keeps_its_force_with_other_white_space() -> None:
    """What forbids is not lost for a space of another alphabet."""
    header = {"X-Robots-Tag": "noindex\xa0", "Content-Usage": "train-ai=n\u3000"}
    page = goodbot.Page(URL, "", headers=header)
    assert not page.index
    assert page.usage.content_usage["train-ai"] == "disallow"


PLACES = [(), ("",), ("https://example.com/1",), ("", "https://example.com/2", "/3")]
"""The TDM policies of a header or a document."""


@pytest.mark.parametrize(
    ("reserved", "of_header", "of_document"),
    list(itertools.product(itertools.product([None, "0", "1"], repeat=2), PLACES, PLACES[::-1])),
)
def test_every_door_names_the_same_policy(
    reserved: tuple[str | None, str | None],
    of_header: tuple[str, ...],
    of_document: tuple[str, ...],
) -> None:
    """The first that is not empty, of the place whose reservation counts; the document first."""
    header = [("tdm-policy", one) for one in of_header]
    body = "".join(f'<meta name="tdm-policy" content="{one}">' for one in of_document)
    if reserved[0]:
        header.append(("tdm-reservation", reserved[0]))
    if reserved[1]:
        body += f'<meta name="tdm-reservation" content="{reserved[1]}">'
    page = goodbot.Page(URL, body, headers=header)
    answer = goodbot.uses(URL, page).train
    if answer.status != "reserved":
        return
    named = None if answer.terms is None else answer.terms.url
    assert named == page.usage.tdm_policy
    counting = of_document if reserved[1] else of_header
    both = (*of_document, *of_header) if reserved == ("1", "1") else counting
    first = next((one for one in both if one), None)
    assert named == (first and first.replace("/3", "https://example.com/3"))
