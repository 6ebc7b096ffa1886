"""Read pages: goodbot's whole job compared with its peers' small job, on the same pages and run.

The small job is what a crawler would do itself: META robots, links with rel and text, visible text.
goodbot does the whole job: verdicts, links and runs with their verdicts, findings. Real pages are
those in the folder `pages` of the corpus, or in the folder that GOODBOT_PAGES names; they are not
part of the project. Without them, pages are generated that resemble them.
"""

import importlib.metadata
import os
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import clock
import goodbot
from goodbot.page import Copy

VARIABLE = "GOODBOT_PAGES"
COUNT = 200
URL = "https://example.com/a/b"
ABSENT_TEXT = {"script", "style", "noscript", "template"}

Found = tuple[list[str], list[str]]
"""The META robots of a page and the URLs of its links, by which answers are compared."""


@dataclass
class PageRow:
    """The results of one library. Times are CPU seconds for all pages, one for each round."""

    name: str
    job: str
    times: list[float] = field(default_factory=list)
    equal: int = 0
    """The number of pages on which META robots and the number of links equal goodbot's."""


@dataclass
class Pages:
    """The results of all libraries, goodbot first."""

    rows: list[PageRow]
    copies: PageRow
    """goodbot's copies of the pages, each with a part that must not be kept."""
    html: PageRow
    """goodbot on well-formed pages, read as HTML."""
    xhtml: PageRow
    """goodbot on the same pages, read as XHTML."""
    pages: int
    size: int
    origin: str
    wrong: list[str]

    def rate(self, row: PageRow) -> float:
        """Return the pages per second."""
        return self.pages / clock.median(row.times)

    def row(self, name: str) -> PageRow | None:
        """Find the row of a library, if it was measured."""
        return next((row for row in self.rows if row.name == name), None)


def by_goodbot(body: bytes) -> Found:
    """Do the whole job."""
    page = goodbot.Page(URL, body)
    said = [one.source.text for one in page.statements if one.source.kind == "meta"]
    return said, [link.url for link in page.links]


def by_goodbot_as_xhtml(body: bytes) -> Found:
    """Do the whole job on XHTML."""
    page = goodbot.Page(URL, body, content_type="application/xhtml+xml")
    said = [one.source.text for one in page.statements if one.source.kind == "meta"]
    return said, [link.url for link in page.links]


def by_parsel(body: bytes) -> Found:
    """Do the small job as the documentation of the library shows."""
    from parsel import Selector  # noqa: PLC0415  a peer that may be absent

    root = Selector(text=body.decode("utf-8", "replace"))
    said = root.xpath('//meta[translate(@name, "ROBTS", "robts")="robots"]/@content').getall()
    anchors = root.xpath("//a[@href]")
    links = [(a.attrib["href"], a.attrib.get("rel"), a.xpath("string(.)").get()) for a in anchors]
    hidden = " or ".join(f"ancestor::{name}" for name in sorted(ABSENT_TEXT))
    "".join(root.xpath(f"//body//text()[not({hidden})]").getall())
    return said, [href for href, *_ in links]


def by_parsel_tuned(body: bytes) -> Found:
    """Do the small job with as little of parsel as possible: its lxml tree."""
    from parsel import Selector  # noqa: PLC0415  a peer that may be absent

    return of_lxml(Selector(body=body, encoding="utf-8", huge_tree=True).root)


def by_lxml(body: bytes) -> Found:
    """Do the small job with lxml."""
    import lxml.html  # noqa: PLC0415  a peer that may be absent

    parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
    return of_lxml(lxml.html.document_fromstring(body, parser=parser))


def of_lxml(root: Any) -> Found:  # noqa: ANN401  a peer that may be absent
    """Walk through a tree of lxml."""
    metas = list(root.iter("meta"))
    said = [meta.get("content") for meta in metas if (meta.get("name") or "").lower() == "robots"]
    anchors = [a for a in root.iter("a") if a.get("href") is not None]
    links = [(a.get("href"), a.get("rel"), "".join(a.itertext())) for a in anchors]
    hidden = " or ".join(f"parent::{name}" for name in sorted(ABSENT_TEXT))
    "".join(root.xpath(f"//body//text()[not({hidden})]", smart_strings=False))
    return said, [href for href, *_ in links]


def by_selectolax(body: bytes) -> Found:
    """Do the small job with Lexbor, a parser in C that follows the standard."""
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415  a peer that may be absent

    tree = LexborHTMLParser(body)
    said = [meta.attributes.get("content") or "" for meta in tree.css("meta[name=robots i]")]
    links = []
    for anchor in tree.css("a[href], area[href]"):
        attributes = anchor.attributes
        links.append((attributes["href"] or "", attributes.get("rel"), anchor.text()))
    tree.strip_tags(sorted(ABSENT_TEXT))
    if tree.body is not None:
        tree.body.text()
    return said, [href for href, *_ in links]


def by_beautiful_soup(body: bytes) -> Found:
    """Do the small job with BeautifulSoup over lxml."""
    from bs4 import BeautifulSoup  # noqa: PLC0415  a peer that may be absent

    soup = BeautifulSoup(body, "lxml", from_encoding="utf-8")
    metas = soup.find_all("meta")
    said = [meta.get("content") for meta in metas if str(meta.get("name")).lower() == "robots"]
    links = [(a["href"], a.get("rel"), a.get_text()) for a in soup.find_all("a", href=True)]
    for element in soup.find_all(ABSENT_TEXT):
        element.extract()
    if soup.body is not None:
        soup.body.get_text()
    return said, [href for href, *_ in links]


Job = tuple[PageRow, Callable[[bytes], Any], list[bytes]]

PEERS: tuple[tuple[str, str, Callable[[bytes], Found]], ...] = (
    ("parsel", "parsel", by_parsel),
    ("parsel, tuned", "parsel", by_parsel_tuned),
    ("lxml", "lxml", by_lxml),
    ("selectolax (Lexbor)", "selectolax", by_selectolax),
    ("BeautifulSoup", "beautifulsoup4", by_beautiful_soup),
)


def measure(repeats: int, count: int = COUNT) -> Pages:
    """Do every job, in turns."""
    pages, origin = load(count)
    marked = [with_part(page) for page in pages]
    jobs: list[Job] = [(PageRow(f"goodbot {goodbot.__version__}", "whole"), by_goodbot, pages)]
    for name, package, work in PEERS:
        if version := version_of(package):
            jobs.append((PageRow(f"{name} {version}", "small"), work, pages))
    copies = PageRow("goodbot, copies", "Page and archive_copy()")
    strict = [well_formed(number) for number in range(count)]
    html, xhtml = PageRow("goodbot, HTML", "whole"), PageRow("goodbot, XHTML", "whole")
    apart: list[Job] = [
        (copies, copied, marked),
        (html, by_goodbot, strict),
        (xhtml, by_goodbot_as_xhtml, strict),
    ]
    for _ in range(repeats):
        for row, work, bodies in jobs + apart:
            row.times.append(clock.cpu_time(lambda: [work(body) for body in bodies]))  # noqa: B023
    rows = [row for row, *_ in jobs]
    wrong = compared(jobs, pages) + uncut(marked) + unlike(strict)
    size = sum(map(len, pages))
    return Pages(rows, copies, html, xhtml, len(pages), size, origin, wrong)


def version_of(package: str) -> str:
    """Return the version of a package; empty if it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def compared(jobs: Sequence[Job], pages: Sequence[bytes]) -> list[str]:
    """Count equal answers; a parser of the same standard must find the same links."""
    wrong = []
    for number, page in enumerate(pages):
        ours = by_goodbot(page)
        for row, work, _ in jobs:
            theirs = work(page)
            same = bool(ours[0]) == bool(theirs[0]) and len(ours[1]) == len(theirs[1])
            row.equal += same
            if row.name.startswith("selectolax") and not same:
                wrong.append(f"page {number}: {len(ours[1])} links, {row.name} {len(theirs[1])}")
    return wrong


SECRET = b"a part that may not be kept"
PROFILE = b'<head profile="http://example.org/xmdp/robots-profile#">'


def with_part(page: bytes) -> bytes:
    """Add a part that must not be kept to a page."""
    return PROFILE + b"<body><p class=robots-noarchive>" + SECRET + b"</p>" + page


def copied(page: bytes) -> Copy:
    """Read a page and make the copy that may be kept."""
    return goodbot.Page(URL, page).archive_copy()


def uncut(pages: Sequence[bytes]) -> list[str]:
    """Find pages whose copy has a forbidden part, or lacks a cut."""
    wrong = []
    for number, page in enumerate(pages):
        copy = copied(page)
        is_kept_out = not copy.verdict
        if (
            is_kept_out != (copy.html is None)
            or bool(copy.cuts) == is_kept_out
            or SECRET.decode() in (copy.html or "")
        ):
            wrong.append(f"page {number}: the copy holds what may not be kept")
    return wrong


def unlike(pages: Sequence[bytes]) -> list[str]:
    """Find well-formed pages that have different results as XHTML and as HTML."""
    differing = [
        number for number, page in enumerate(pages) if by_goodbot(page) != by_goodbot_as_xhtml(page)
    ]
    return [f"page {number}: XHTML and HTML have other links" for number in differing]


def load(count: int) -> tuple[list[bytes], str]:
    """Return the pages, and a description of their origin."""
    named = os.environ.get(VARIABLE)
    found = sorted(Path(named).glob("*.html")) if named else []
    if found:
        return [path.read_bytes() for path in found[:count]], "real pages"
    return [made(number) for number in range(count)], "made pages"


def well_formed(number: int) -> bytes:
    """Make a page of 20 to 200 KB that is both HTML and XHTML."""
    numbers = random.Random(f"XHTML {number}")  # noqa: S311  no secret
    parts = [
        '<html xmlns="http://www.w3.org/1999/xhtml"><head>',
        f"<title>Page {number}</title>",
        '<meta name="robots" content="max-snippet:50"/></head><body>',
    ]
    size, length = numbers.randint(20_000, 200_000), 0
    while length < size:
        text = " ".join(numbers.choices(WORDS, k=numbers.randint(5, 60)))
        link = f'<a href="/{numbers.choice(WORDS)}/{length}" rel="nofollow">{text[:20]}</a>'
        parts.append(f'<div class="text body"><p>{text} {link} &amp; {text[:40]}</p></div>\n')
        length += len(parts[-1])
    return "".join([*parts, "</body></html>"]).encode()


WORDS = ["the", "of", "a", "fish", "shark", "sea", "boat", "net", "and", "line", "hook", "storm"]


def made(number: int) -> bytes:
    """Make a page of 20 to 200 KB, with as many links and blocks as real ones have."""
    numbers = random.Random(f"page {number}")  # noqa: S311  no secret
    parts = [
        "<!DOCTYPE html><html><head><meta charset=utf-8>",
        f"<title>Page {number}</title>",
        "<meta name=robots content='max-snippet:50, nofollow'>" if number % 8 == 0 else "",
        "<script>" + "var a = '<p>';\n" * numbers.randint(50, 600) + "</script></head><body>",
    ]
    size = numbers.randint(20_000, 200_000)
    length = sum(map(len, parts))
    while length < size:
        parts.append(block(numbers, length))
        length += len(parts[-1])
    return "".join([*parts, "</body></html>"]).encode()


def block(numbers: random.Random, length: int) -> str:
    """Make a block: a paragraph, an item, a cell or a picture, with links in it."""
    text = " ".join(numbers.choices(WORDS, k=numbers.randint(5, 60)))
    rel = numbers.choice(["", "", "", ' rel="nofollow"', ' rel="noopener ugc"'])
    link = f'<a href="/{numbers.choice(WORDS)}/{numbers.randint(1, 999)}"{rel}>{text[:20]}</a>'
    return numbers.choice(
        [
            f'<p class="text body">{text} {link} &amp; {text[:40]}</p>\n',
            f'<ul class="menu"><li id="a{numbers.randint(1, 999)}">{link}<li>{link}</ul>\n',
            f"<table><tr><td>{link}<td>{text}</table>\n",
            f'<div data-id="{length}"><img src="/i.png" alt="{text[:9]}">{link}</div>\n',
        ]
    )
