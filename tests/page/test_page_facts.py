"""What a page says for an inventory: heading, language, words, resources, other languages."""

from typing import Any

import pytest

import goodbot
from goodbot._core import count_words, near_duplicates
from goodbot.page import PageFacts

URL = "https://a.example/dir/page"


def facts(body: str | bytes, **options: Any) -> PageFacts:  # noqa: ANN401  as `Page` has them
    """Return the facts of a page."""
    return goodbot.Page(URL, body, **options).facts


@pytest.mark.parametrize(
    ("body", "h1", "count"),
    [
        ("<h1>Brass <b>lamps</b></h1><h1>More</h1>", "Brass lamps", 2),
        ("<h1><a href=/><img alt='The shop' src=x.png></a></h1>", "The shop", 1),
        ("<h1>Lamps <img alt='of brass' src=x.png></h1>", "Lamps", 1),
        ("<h1> </h1><p>text", None, 1),
        ("<p>text", None, 0),
        ("<h1>Lamps<p>of brass</h1>text", "Lamps of brass", 1),
        ("<table><h1>Moved</h1><tr><td>cell</table>", "Moved", 1),
    ],
)
def test_the_first_h1(body: str, h1: str | None, count: int) -> None:
    """Its text, or that of its images if it has none; and how many there are."""
    found = facts(body)
    assert (found.h1, found.h1_count) == (h1, count)


def test_marks_withhold_parts() -> None:
    """Words that must not be indexed are not counted; a heading loses what must not be shown."""
    profile = "<head profile='http://example.org/xmdp/robots-profile#'>"
    found = facts(f"{profile}<h1>One <span class=robots-noindex>two</span></h1><p>three")
    assert (found.h1, found.words, found.withheld) == ("One", 2, "h1: a mark in it")
    found = facts(f"{profile}<h1><img class=robots-noindex alt=secret src=x.png></h1>")
    assert found.h1 is None


@pytest.mark.parametrize(
    ("body", "headers", "language"),
    [
        ("<html lang=de>", {}, "de"),
        ("<html lang=' en-GB '>", {"Content-Language": "fr"}, "en-GB"),
        ("<html lang=en_GB>", {}, "en_GB"),
        ("<p lang=fr>", {"Content-Language": "de"}, "de"),
        ("<p>", {"Content-Language": "de, en"}, None),
        ("<html lang='with words'>", {}, None),
        ("<html lang=''>", {}, None),
    ],
)
def test_the_language(body: str, headers: dict[str, str], language: str | None) -> None:
    """Of the root element, or of the header if that names one."""
    assert facts(body, headers=headers).language == language


def test_resources_are_resolved_and_listed_once() -> None:
    """Of every kind, also where text is hidden; not those that are within the page."""
    body = (
        "<base href=/base/><link rel=stylesheet href=a.css><link rel='shortcut icon' href=i.ico>"
        "<link rel='alternate stylesheet' href=other.css><link rel=preload href=p.woff>"
        "<script src=//cdn.example/s.js></script><script>inline()</script>"
        "<img src=1.png><img src=1.png><img srcset='2.png 1x, 3.png 2x'><img src=data:image/png;,>"
        "<iframe src=/frame></iframe><video src=v.mp4 poster=p.jpg><track src=t.vtt></video>"
        "<picture><source srcset=4.webp></picture><object data=o.svg></object><embed src=e>"
        "<input type=IMAGE src=in.png><input src=no.png><img src='http://['><img src=ftp://x/y>"
    )
    base = "https://a.example/base/"
    assert facts(body).resources == (
        ("style", f"{base}a.css"),
        ("image", f"{base}i.ico"),
        ("script", "https://cdn.example/s.js"),
        ("image", f"{base}1.png"),
        ("image", f"{base}2.png"),
        ("frame", "https://a.example/frame"),
        ("media", f"{base}v.mp4"),
        ("image", f"{base}p.jpg"),
        ("media", f"{base}t.vtt"),
        ("image", f"{base}4.webp"),
        ("object", f"{base}o.svg"),
        ("object", f"{base}e"),
        ("image", f"{base}in.png"),
    )


def test_resources_are_bounded() -> None:
    """In number and in bytes; how many are left is counted."""
    found = facts("".join(f"<img src=/{number}>" for number in range(1_000)))
    assert (len(found.resources), found.more) == (200, 800)
    found = facts("".join(f"<img src=/{number}/{'a' * 2_000}>" for number in range(20)))
    assert (len(found.resources), found.more) == (8, 12)


def test_other_languages() -> None:
    """Of the HEAD and of the header; a link without a language or relation is none."""
    body = (
        "<link rel=alternate hreflang=de href=/de><link rel='x ALTERNATE' hreflang=en_GB href=e>"
        "<link rel=alternate href=/feed><link rel=canonical hreflang=fr href=/fr>"
        "<link rel=alternate hreflang='no tag' href=/x>"
        "<body><link rel=alternate hreflang=it href=/>"
    )
    link = '</es>; rel="alternate"; hreflang="es", </pt>; rel=alternate, <x:y>; hreflang=pt'
    assert facts(body, headers={"Link": link}).alternates == (
        ("es", "https://a.example/es"),
        ("de", "https://a.example/de"),
        ("en_GB", "https://a.example/dir/e"),
    )


def test_documents_without_markup() -> None:
    """Their words are counted; there is nothing else."""
    found = facts("Brass lamps.\n\nAnd chairs.", content_type="text/plain")
    assert (found.words, found.title, found.h1_count, found.resources) == (4, None, 0, ())
    assert found.simhash == count_words(["brass lamps and chairs"])[1]


def test_xhtml_has_the_same_facts() -> None:
    """As XML."""
    body = (
        '<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="de"><head><title>T</title>'
        '<link rel="stylesheet" href="/a.css"/></head><body><h1>Lampen</h1><img src="/1.png"/>'
        "</body></html>"
    )
    found = facts(body, content_type="application/xhtml+xml")
    assert (found.h1, found.h1_count, found.title) == ("Lampen", 1, "T")
    assert found.resources == (
        ("style", "https://a.example/a.css"),
        ("image", "https://a.example/1.png"),
    )
    assert found.language == "de"


def test_near_duplicates_belong_to_the_first_of_their_group() -> None:
    """Hashes that differ in at most 3 bits."""
    assert near_duplicates([]) == []
    assert near_duplicates([0, 0b111, 0b1111, 2**64 - 1, 0]) == [0, 0, 2, 3, 0]
