"""The links of a crawl are stored with every page, replaced with it, and their words go with it."""

import json
import re
from collections.abc import Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot._core import LinkCandidates, LinkTable, inlink_changes
from goodbot.crawl import Database
from goodbot.crawl.folder.orders import Order
from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.frontier.candidates import origins_of, url_lines
from goodbot.crawl.frontier.known_urls import KnownUrls
from goodbot.crawl.frontier.outlinks import outlinks_of
from goodbot.crawl.frontier.reading import entry_of, urls_of
from goodbot.crawl.links import compact_rows
from goodbot.crawl.links.compact_rows import packed, packed_ids, unpacked_ids
from goodbot.crawl.links.page_links import (
    EXTERNAL,
    LISTED,
    MAX_TEXT,
    NO_LINKS,
    NOFOLLOW,
    PageLinks,
    PageRow,
    StoredLink,
    page_links,
    stored_links,
)
from goodbot.crawl.links.reading import LinkReader, inlink_counts, pages_to
from goodbot.crawl.links.sqlite import SQLiteLinks
from goodbot.crawl.run.ordering import carry_out
from goodbot.errors import NotAStoreError
from goodbot.page import Page
from goodbot.page.marks import PROFILE_URIS
from goodbot.page.words import joined
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.crawls.memory_crawls import OTHER, SITE, crawl, html, moved, site_of
from tests.support.examples import some_of, thorough
from tests.support.references import links_reference as reference

NOW = FakeClock().now()
DAYS = 31
HOME = f"{SITE}/"

PAGE = f"""<!DOCTYPE html><title>Lamps</title>
<p><a href=/b>Brass lamps</a>
<a href=/b rel="nofollow ugc">A comment</a> <a href=/c class=robots-nofollow>c</a>
<a href={OTHER}/d>elsewhere</a> <a href="mailto:bot@example.com">mail</a> <a href=#top>top</a>
<a href=/till>Till</a>"""


def number_of(database: Database, url: str) -> int:
    """Return the number of a URL."""
    entry = entry_of(database, url)
    assert entry is not None, url
    return entry.url_id


def links_of(
    folder: Path, url: str = HOME, now: datetime = NOW
) -> list[tuple[str, str | None, str]]:
    """Return the links of a page as far as most tests look at them: target, text, reason."""
    with Database(folder) as database:
        found = list(LinkReader(database, now).of_page(number_of(database, url)))
        urls = urls_of(database, [one.target for one in found])
        return [(urls[one.target].removeprefix(SITE), one.text, one.withheld) for one in found]


def to(folder: Path, url: str) -> list[StoredLink]:
    """Return the links to a URL."""
    with Database(folder) as database:
        return list(LinkReader(database, NOW).to(number_of(database, url)))


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Crawl a site with links of every kind; tests only read it."""
    folder = tmp_path_factory.mktemp("shop")
    listed = f"<urlset><url><loc>{SITE}/b</loc></url><url><loc>{SITE}/lone</loc></url></urlset>"
    pages: dict[str, str | Answer] = {
        "/robots.txt": f"User-agent: *\nDisallow: /till\nSitemap: {SITE}/sitemap.xml",
        "/": PAGE,
        "/b": html("bell", "/", "/gone"),
        "/lone": html("alone"),
        "/sitemap.xml": Answer(body=listed.encode(), headers=[("Content-Type", "text/xml")]),
    }
    site = FakeSite(dict(pages), clock=FakeClock())
    crawl(folder, site)
    return folder


def test_every_link_of_a_page_is_kept(shop: Path) -> None:
    """With its text, its line, its relations, and what forbids to follow it; mail is no link."""
    with Database(shop) as database:
        found = list(LinkReader(database, NOW).of_page(number_of(database, HOME)))
        urls = urls_of(database, [one.target for one in found])
    rows = [(urls[one.target], one.text, one.rel, one.line, one.nofollow) for one in found]
    assert rows == [
        (f"{SITE}/b", "Brass lamps", "", 2, ""),
        (f"{SITE}/b", "A comment", "nofollow ugc", 3, "nofollow, line 3"),
        (f"{SITE}/c", "c", "", 3, ""),
        (f"{OTHER}/d", "elsewhere", "", 4, ""),
        (HOME, "top", "", 4, ""),
        (f"{SITE}/till", "Till", "", 5, ""),
    ]
    assert [one.is_external for one in found] == [False, False, False, True, False, False]
    assert {one.kind for one in found} == {"link"}


def test_links_are_found_from_their_targets(shop: Path) -> None:
    """Also of URLs that were not fetched; a sitemap differs from a page."""
    with Database(shop) as database:
        names = {
            number_of(database, url): url for url in (HOME, f"{SITE}/b", f"{SITE}/sitemap.xml")
        }
    pages = [(names[one.page], one.kind, one.line) for one in to(shop, f"{SITE}/b")]
    assert pages == [(HOME, "link", 2), (HOME, "link", 3), (f"{SITE}/sitemap.xml", "sitemap", 0)]
    assert [one.text for one in to(shop, f"{SITE}/gone")] == ["to /gone"]
    assert [one.kind for one in to(shop, f"{SITE}/lone")] == ["sitemap"]
    with Database(shop) as database:
        lone, b = (number_of(database, f"{SITE}/{name}") for name in ("lone", "b"))
        assert inlink_counts(database, [lone, b]) == {b: 1}
        assert inlink_counts(database, [lone, b], LISTED) == {b: 1, lone: 1}
        assert inlink_counts(database).keys() >= {b}
        assert pages_to(database, b, most=1) == [number_of(database, HOME)]


def test_links_of_a_kind_are_found_without_reading_all(shop: Path) -> None:
    """Those to other sites, and those that must not be followed."""
    with Database(shop) as database:
        reader = LinkReader(database, NOW)
        assert [one.text for one in reader.of_kind(NOFOLLOW)] == ["A comment"]
        assert [one.text for one in reader.of_kind(EXTERNAL)] == ["elsewhere"]
        plan = database.connection.execute(
            "EXPLAIN QUERY PLAN SELECT DISTINCT page FROM inlinks WHERE kind > 1 AND kind & 2"
        ).fetchall()
        assert "odd_links" in plan[0][-1]
        everything = list(reader.everything())
        assert len(everything) == 10
        assert {one.target for one in everything} == {
            one.target for row in everything for one in reader.to(row.target)
        }


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ("<meta name=robots content=noindex>", "META robots, line 1: noindex"),
        ("<link rel=index-instead><meta name=URL content=/b>", "META URL, line 1: /b"),
        (
            "<meta name=robots content='unavailable_after: 2001-01-01'>",
            "META robots, line 1: unavailable_after: 2001-01-01",
        ),
    ],
)
def test_words_of_a_page_that_must_not_be_indexed_are_not_kept(
    head: str, why: str, tmp_path: Path
) -> None:
    """The links are, with the reason in place of each text; no file has the words."""
    link = "<a href=/b rel='ugc secret'>secret words</a>"
    crawl(tmp_path, site_of(home=html("", head=head) + link, b=html("bell")))
    assert links_of(tmp_path) == [("/b", None, why)]
    assert [one.rel for one in to(tmp_path, f"{SITE}/b")] == ["ugc"]
    with Database(tmp_path) as database:
        details = database.connection.execute("SELECT details FROM outlinks").fetchall()
    assert details
    assert all(b"secret" not in _inflated(one) for (one,) in details)


def _inflated(details: bytes) -> bytes:
    return "".join(str(one) for one in unpacked(details)).encode()


def test_a_text_that_its_own_mark_keeps_out_is_not_kept(tmp_path: Path) -> None:
    """The other links of the page keep theirs."""
    head = "<head profile='http://example.org/xmdp/robots-profile#'>"
    body = "<a href=/b class=robots-noanchortext rel=secret>secret</a> <a href=/c>open</a>"
    crawl(tmp_path, site_of(home=head + body, b=html(), c=html()))
    (barred, other) = links_of(tmp_path)
    assert barred[:2] == ("/b", None)
    assert "robots-noanchortext" in barred[2]
    assert [one.rel for one in to(tmp_path, f"{SITE}/b")] == [""]
    assert other == ("/c", "open", "")


def test_words_that_a_part_of_the_page_keeps_out_are_not_kept(tmp_path: Path) -> None:
    """A link within a part that must not be indexed is stored without them."""
    head = "<head profile='http://example.org/xmdp/robots-profile#'>"
    hidden = "<p class=robots-noindex><a href=/b>secret</a></p>"
    body = f"{hidden}<a href=/c>op<i class=robots-noindex>x</i>en</a>"
    crawl(tmp_path, site_of(home=head + body, b=html(), c=html()))
    assert links_of(tmp_path) == [("/b", "", ""), ("/c", "op en", "")]


def test_texts_are_shown_no_longer_than_their_page(tmp_path: Path) -> None:
    """After unavailable_after they are stored until the next visit, and not shown."""
    head = "<meta name=robots content='unavailable_after: 2100-01-01'>"
    page = html("", "/b", head=head).replace("<a ", "<a rel='tag lamps' ")
    crawl(tmp_path, site_of(home=page, b=html()))
    assert links_of(tmp_path)[0][1] == "to /b"
    late = datetime.fromisoformat("2100-01-02T00:00:00+00:00")
    assert links_of(tmp_path, now=late) == [("/b", None, "unavailable_after")]
    with Database(tmp_path) as database:
        found = [next(LinkReader(database, now).of_page(1)).rel for now in (NOW, late)]
    assert found == ["tag lamps", "tag"]


def changing(*answers: object) -> FakeSite:
    """Return a site whose first page is another at each visit."""
    left = list(answers)
    return site_of(home=lambda _visit: left.pop(0) if len(left) > 1 else left[0], b=html("bell"))


def again(folder: Path, site: FakeSite) -> list[tuple[str, str | None, str]]:
    """Crawl when the pages are due; return the links of the first one."""
    site.clock.advance(DAYS * 86_400)
    crawl(folder, site, again=True)
    return links_of(folder)


def of(text: str, *links: str, head: str = "") -> Answer:
    """Return a page."""
    return Answer(body=html(text, *links, head=head).encode())


@pytest.mark.parametrize(
    ("later", "left"),
    [
        (of("lamp", "/c"), [("/c", "to /c", "")]),
        (of("lamp", head="<meta name=robots content=noindex>"), []),
        (
            of("lamp", "/b", head="<meta name=robots content=noindex>"),
            [("/b", None, "META robots, line 1: noindex")],
        ),
        (Answer(status=410), []),
        (Answer(status=404, body=html("", "/b").encode()), []),
        (moved("/b"), []),
        (Answer(body=b"\x89PNG", headers=[("Content-Type", "image/png")]), []),
        (Answer(status=503), [("/b", "to /b", "")]),
    ],
)
def test_the_links_of_a_revisit_replace_those_before(
    later: Answer, left: Sequence[tuple[str, str | None, str]], tmp_path: Path
) -> None:
    """A page without links has none; an answer that says nothing about the page changes nothing."""
    site = changing(of("lamp", "/b"), later)
    crawl(tmp_path, site)
    assert links_of(tmp_path) == [("/b", "to /b", "")]
    assert again(tmp_path, site) == left
    leads_to_b = any(one[0] == "/b" for one in left)
    assert [one.kind for one in to(tmp_path, f"{SITE}/b")] == ["link"] * leads_to_b


def test_a_page_that_is_as_before_keeps_its_links(tmp_path: Path) -> None:
    """After a 304 they are the same, and the header of the 304 may take their texts away."""
    tag = ("ETag", '"1"')
    first = Answer(body=html("lamp", "/b").encode(), headers=[tag])
    shy = Answer(status=304, headers=[tag, ("X-Robots-Tag", "noindex")])
    site = changing(first, Answer(status=304, headers=[tag]), shy)
    crawl(tmp_path, site)
    assert again(tmp_path, site) == [("/b", "to /b", "")]
    assert again(tmp_path, site) == [("/b", None, "X-Robots-Tag: noindex")]


def test_what_becomes_disallowed_or_is_taken_down_loses_its_links(tmp_path: Path) -> None:
    """By robots.txt, by `forget`, by a block, and by --remove."""
    later = iter(["", "User-agent: *\nDisallow: /b"])
    site = site_of(
        lambda _visit: next(later, "User-agent: *\nDisallow: /b"),
        home=html("", "/b", "/c", "/d"),
        b=html("", "/x"),
        c=html("", "/x"),
        d=html("", "/x"),
    )
    crawl(tmp_path, site)
    assert len(to(tmp_path, f"{SITE}/x")) == 3
    assert carry_out(str(tmp_path), Order("forget", f"{SITE}/c", site.clock.now())) == 1
    assert len(to(tmp_path, f"{SITE}/x")) == 2
    site.clock.advance(DAYS * 86_400)
    crawl(tmp_path, site, again=True)
    assert len(to(tmp_path, f"{SITE}/x")) == 2, "/b is disallowed now, and /c was fetched again"
    crawl(tmp_path, site, remove=True, bounds={"exclude": ["/d"]})
    assert [one.kind for one in to(tmp_path, f"{SITE}/x")] == ["link"]
    carry_out(str(tmp_path), Order("block", SITE, site.clock.now(), "asked by mail"))
    assert to(tmp_path, f"{SITE}/x") == []


# Packing.


def test_long_texts_and_many_links_are_cut() -> None:
    """A page cannot fill the disk with its links; the others are counted."""
    body = f"<a href=/a>{'x' * 1_000}</a>" + "<a href=/b>" * 10_005
    links, _ = packed_page(body)
    assert links.details is not None
    found = unpacked(links.details)
    assert found[0].text == "x" * MAX_TEXT
    assert (len(found), links.omitted) == (10_000, 6)


def unpacked(details: bytes) -> list[StoredLink]:
    """Return the links of a page, from their packed form."""
    return list(stored_links(PageRow(1, range(1, 10_001), bytes(10_000), details, "")))


def packed_page(body: str, most: int = compact_rows.MOST_BYTES) -> tuple[PageLinks, int]:
    """Return the packed links of a page, and how many links it has."""
    page = Page(HOME, body.encode())
    return page_links(LinkTable(page.links), SITE, "", None, most), len(page.links)


@thorough
@pytest.mark.parametrize(
    "character", some_of(["x", "\N{GRINNING FACE}", "\x01", '"'], one_of=4), ids=ascii
)
def test_the_greatest_page_can_be_read_again(character: str) -> None:
    """Whatever its texts are made of, every link that is stored is unpacked."""
    links, _ = packed_page(f"<a href=/b rel='{'r' * 60}'>{character * MAX_TEXT}</a>" * 10_000)
    assert links.details is not None
    found = [one.text for one in unpacked(links.details)]
    assert found == [character * MAX_TEXT] * (10_000 - links.omitted)
    assert not links.omitted


@given(texts=st.lists(st.tuples(st.text(max_size=80), st.text(max_size=80)), max_size=30))
def test_what_is_packed_can_be_unpacked(texts: list[tuple[str, str]]) -> None:
    """For any words of a page, and also where the room for them ends."""
    words = [(clean(rel), clean(text)) for rel, text in texts]
    body = "".join(
        f'<a href="/{at}" rel="{rel}">{text}</a>' for at, (rel, text) in enumerate(words)
    )
    with patch.object(compact_rows, "MOST_BYTES", 2_000):
        links, count = packed_page(body, 2_000)
        found = [] if links.details is None else unpacked(links.details)
    assert len(found) + links.omitted == count


REL = st.sampled_from(
    ["", "nofollow", "ugc Sponsored", "brass-lamps next", "a\x1cnext\u2003up", "x" * 70]
)
CLASS = st.sampled_from([
    "", "robots-nofollow", "robots-noanchortext", "robots-anchortext", "robots-noindex"
])  # fmt: skip
URL = st.sampled_from([
    "/a", "/a#b", "/%7ea", "/~a", "/b", f"{OTHER}/c", "mailto:bot@a.example", "ftp://a/", "http://["
])  # fmt: skip
WORDS = st.sampled_from(["", " ", "brass lamps", '"\\\x1f\t', "\x1da\u2003 b", "é" * 300])
HEAD = st.sampled_from(
    [
        "",
        "<meta name=robots content=nofollow>",
        "<meta name=robots content=none>",
        f"<head profile='{PROFILE_URIS[0]}'>",
        f"<head profile='{PROFILE_URIS[0]}'><meta name=robots content=nofollow>",
    ]
)
REFRESH = st.sampled_from([(), (("Refresh", "3; url=/r"),)])
"""With a link in the header, the table is made from `Page.links`, and else without them."""


@given(
    head=HEAD,
    header=REFRESH,
    links=st.lists(st.tuples(URL, REL, CLASS, WORDS), max_size=12),
    withheld=st.sampled_from(["", "noindex"]),
    most=st.sampled_from([300, 2_000, compact_rows.MOST_BYTES]),
    refused=st.sampled_from(["", "/b", OTHER]),
)
def test_links_are_as_the_reference_reads_them(
    head: str,
    header: tuple[tuple[str, str], ...],
    links: list[tuple[str, str, str, str]],
    withheld: str,
    most: int,
    refused: str,
) -> None:
    """Targets, rows and texts are those that one gets link by link."""
    body = head + "".join(
        f"<p><a href='{url}' rel='{rel}' class='{name}'>{escape(text)}</a>"
        for url, rel, name, text in links
    )
    page = Page(HOME, body.encode(), headers=header)
    taken = QueuedUrl(1, HOME, SITE, 0, 0, 0, "link")

    def refuses(url: str, _origin: str, _depth: int) -> str | None:
        return "exclude" if refused and refused in url else None

    found = outlinks_of(page, taken, refuses)
    candidates = reference.candidates_of(page, taken, refuses)
    assert list(found.links) == candidates
    assert origins_of(found.links) == origins_of(candidates)
    assert url_lines(found.links) == url_lines(candidates)
    assert all(one in found.links for one in candidates)
    if isinstance(found.links, LinkCandidates):
        assert [found.links[place] for place in range(len(found.links))] == candidates
        numbers = {entry.url: number for number, (_, entry) in enumerate(candidates) if number % 2}
        known = KnownUrls()
        for url, number in numbers.items():
            known[url] = number
        assert found.links.found_in(known) == [numbers.get(entry.url) for _, entry in candidates]
        with pytest.raises(IndexError):
            found.links[len(candidates)]
    stored = page_links(found.table, SITE, withheld, None, most)
    kinds, links_of_page, omitted = reference.links_of(page, SITE, withheld, most)
    assert (stored.kinds, stored.omitted) == (kinds, omitted)
    row = PageRow(1, range(1, len(kinds) + 1), stored.kinds, stored.details, withheld)
    if stored.details is not None:
        assert list(stored_links(row)) == links_of_page
    urls = [entry.url for _, entry in found.links]
    texts = [(urls[at], text) for at, text in found.table.anchors if at is not None]
    assert texts == reference.texts_of(page)
    if page.index.allowed and page.is_uniform:
        assert page.text() == joined(page.runs)


def clean(text: str) -> str:
    """Return a text without what ends an attribute or an element, and what no file has."""
    return re.sub('[<>"&\ud800-\udfff]', "", text)


@pytest.mark.parametrize(
    "details",
    [b"", b"x", packed_ids([1]), packed([2, [[1, 1], [2, 2]], []]), packed([0, [], []])[:9]],
)
def test_damaged_rows_are_refused(details: bytes, tmp_path: Path) -> None:
    """They raise one error, whatever was damaged."""
    with pytest.raises(NotAStoreError):
        unpacked(details)
    with Database(tmp_path, create=True) as database:
        links = SQLiteLinks(database)
        links.record(1, PageLinks(b"\1", details), [2])
        with pytest.raises(NotAStoreError):
            list(LinkReader(database, NOW).of_page(1))
        with database.changing() as connection:
            connection.execute("UPDATE outlinks SET targets = ?", (details[:-1] + b"?",))
        with pytest.raises(NotAStoreError):
            links.remove(1)


def test_numbers_survive_packing() -> None:
    """In any order, and if there are none."""
    for numbers in ([], [0], [5, 1, 5, 2**40, 0, 3]):
        assert unpacked_ids(packed_ids(numbers)) == numbers
    assert NO_LINKS.kinds == b""


TARGETS = st.lists(st.tuples(st.integers(-1, 9), st.sampled_from([1, 2, 3, 17, 255])), max_size=9)


@given(TARGETS, TARGETS)
def test_only_changed_links_are_written(
    before: list[tuple[int, int]], after: list[tuple[int, int]]
) -> None:
    """A link is dropped if it is gone or of another kind, and added if it is new or of another."""
    sides = [
        ([target for target, _ in one], bytes(kind for _, kind in one)) for one in (before, after)
    ]
    had, has = ({target: kind for target, kind in one if target} for one in (before, after))
    gone, rows = inlink_changes(5, sides[0], sides[1])
    assert gone == sorted(target for target, _ in had.items() - has.items())
    added = {target: kind for _, kind, targets in rows for target in json.loads(targets)}
    assert added == dict(has.items() - had.items())
    assert [(page, kind) for page, kind, _ in rows] == [
        (5, kind) for kind in sorted({*added.values()})
    ]


def test_each_target_has_a_kind() -> None:
    """Lists of different lengths are refused, as a mistake of the caller."""
    with pytest.raises(ValueError, match="each target of a page has one kind"):
        inlink_changes(5, ([], b""), ([1, 2], b"1"))
