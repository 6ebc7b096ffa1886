"""Traps: the cases, the slow reference, and the limits of the memory."""

from datetime import datetime, timezone
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from goodbot.crawl import TRAPS, Database
from goodbot.crawl.folder.records import Discovery
from goodbot.crawl.frontier import sqlite_traps, trap_memory
from goodbot.crawl.frontier.contents import PageContent, content_of, fingerprint_of
from goodbot.crawl.frontier.protocol import Candidate, QueueEntry
from goodbot.crawl.frontier.sqlite import SQLiteFrontier
from goodbot.crawl.frontier.sqlite_traps import SQLiteTrapMemory
from goodbot.crawl.frontier.trap_memory import PlainTrapMemory, TrapMemory
from goodbot.crawl.frontier.trap_urls import calendar_month, session_free, urls_above
from goodbot.crawl.frontier.traps import DEFAULT_TRAPS, TrapWatch, trap_names
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.address import address_of
from goodbot.page import Page
from tests.support import conformance_cases as data
from tests.support.references.traps_reference import Fetched, recognised

NOW = datetime(2025, 1, 1, tzinfo=timezone.utc)
CASES = [case for case in data.cases("crawl") if case["id"].startswith("trap-")]


def candidate(url: str, how: str = "link", skip_reason: str = "") -> Candidate:
    """Return a link."""
    origin, url = address_of(url)
    return Discovery(url, how), QueueEntry(url, origin, 1, skip_reason=skip_reason)  # type: ignore[arg-type]


def read(watch: TrapWatch, url: str, body: str, links: list[str]) -> dict[str, tuple[str, str]]:
    """Pass a page to the watch; return the links that are skipped, with trap and evidence."""
    encoded = body.encode()
    content = content_of(url, encoded, Page(url, encoded))
    found = watch.read(url, address_of(url)[0], content, [candidate(one) for one in links], NOW)
    assert [entry.url for _, entry in found] == [address_of(one)[1] for one in links]
    return {one.url: (one.skip_reason, one.source) for _, one in found if one.skip_reason}


class InFolder:
    """A memory in a folder, with its pages in a queue as in a crawl."""

    def __init__(self, database: Database) -> None:
        """Start with what the folder has."""
        self.frontier = SQLiteFrontier(database, NOW)
        self.memory = SQLiteTrapMemory(database)

    def know(self, url: str) -> None:
        """Queue a URL."""
        self.frontier.add([candidate(url)], NOW)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
@pytest.mark.parametrize("where", ["memory", "folder"])
def test_links_into_a_trap_are_left_out(case: data.Case, where: str, tmp_path: Path) -> None:
    """The links named in the case are skipped for the trap named there, and counted."""
    with Database(tmp_path, create=True) as database:
        folder = InFolder(database)
        memory: TrapMemory = folder.memory if where == "folder" else PlainTrapMemory()
        watch = TrapWatch(memory, case.get("traps", DEFAULT_TRAPS))
        for url, body in case["pages"]:
            folder.know(url)
            read(watch, url, body, [])
        url, body = case["page"]
        folder.know(url)
        left_out = read(watch, url, body, case["links"])
        assert {one: trap for one, (trap, _) in left_out.items()} == case["skipped"], case["why"]
        assert all(why for _, why in left_out.values())
        met: dict[str, int] = {}
        for one in memory.met():
            met[one.trap] = met.get(one.trap, 0) + one.links
        assert met == case["met"]


def test_every_trap_has_a_case() -> None:
    """Each trap skips a link in some case, and only one trap does so by default."""
    assert {trap for case in CASES for trap in case["skipped"].values()} == set(TRAPS)
    assert {"repeated-path"} == DEFAULT_TRAPS


def test_what_others_name_is_in_no_trap() -> None:
    """URLs from sitemaps are never skipped; links skipped already keep their reason."""
    watch = TrapWatch(PlainTrapMemory(), TRAPS)
    listed = [candidate("https://a.example/2031/05/", "sitemap")]
    skipped = [candidate("https://a.example/2031/06/", skip_reason="nofollow")]
    content = PageContent(b"x")
    found = watch.read("https://a.example/", "https://a.example", content, listed + skipped, NOW)
    assert [entry.skip_reason for _, entry in found] == ["", "nofollow"]


def test_a_url_that_waits_is_left_out_by_what_was_learned_since(tmp_path: Path) -> None:
    """Fetched URLs are not skipped, nor are any if the crawl does not skip the trap."""
    origin, free = "https://a.example", "https://a.example/x?v=7"
    with Database(tmp_path, create=True) as database:
        folder = InFolder(database)
        watch = TrapWatch(folder.memory, ["idle-parameter"])
        for number in range(6):
            assert watch.left_out(free, origin, NOW) is None
            url = f"{origin}/x?v={number}"
            folder.know(url)
            read(watch, url, "same", [])
        found = watch.left_out(free, origin, NOW)
        assert found is not None
        assert found[:2] == (
            "idle-parameter",
            "the parameter v changed nothing on 5 pages; see https://a.example/x?v=0",
        )
        assert watch.left_out(f"{origin}/x?v=3", origin, NOW) is None
        assert TrapWatch(folder.memory).left_out(free, origin, NOW) is None
        again = TrapWatch(SQLiteTrapMemory(database), ["idle-parameter"])
        assert again.left_out(free, origin, NOW) == found
        read(watch, f"{origin}/x?v=3", "now another", [])
        assert watch.left_out(free, origin, NOW) is None


def test_what_is_learned_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A site with endless parameters fills neither disk nor memory."""
    monkeypatch.setattr(trap_memory, "MOST_LEARNED", 10)
    monkeypatch.setattr(sqlite_traps, "MOST_LEARNED", 10)
    with Database(tmp_path, create=True) as database:
        folder = InFolder(database)
        for memory in (folder.memory, PlainTrapMemory()):
            watch = TrapWatch(memory, TRAPS)
            for number in range(30):
                url = f"https://a.example/{number}?a{number}={'b' * 1000}"
                folder.know(url)
                read(watch, url, f"{number}", [f"https://a.example/x{number}?sid=1"])
            known = [memory.alike(f"session https://a.example/x{n}")[0] for n in range(30)]
            assert 0 < sum(map(bool, known)) <= 10
        counts = "SELECT (SELECT count(*) FROM alike), (SELECT max(length(url)) FROM alike)"
        rows, longest = database.connection.execute(counts).fetchone()
        assert rows == 10
        assert longest < 400


@pytest.mark.parametrize("names", ["calendar", [1], ["no-such-trap"], 5])
def test_traps_have_names(names: object) -> None:
    """Invalid names are refused, and the message lists the valid ones."""
    with pytest.raises((WrongTypeError, WrongValueError), match="trap"):
        trap_names(names)  # type: ignore[arg-type]


NAMES = st.sampled_from(["a", "b", "c", "2031/05", "2025/05"])
PATHS = st.lists(NAMES, max_size=5).map(lambda names: "/" + "".join(f"{one}/" for one in names))
QUERIES = st.sampled_from(["", "", "", "?v=1", "?v=2", "?v=3", "?v=4", "?v=5", "?v=6", "?v=7"])
SIDS = st.sampled_from(["", "", "?sid=1", "?sid=2", "?v=1&sid=3", ";sid=1"])
HOSTS = st.sampled_from(["https://a.example", "https://a.example", "https://www.a.example"])
URLS = st.builds("{}{}{}".format, HOSTS, PATHS, st.one_of(QUERIES, SIDS))
PAGES = st.lists(
    st.tuples(URLS, st.sampled_from([b"x", b"x", b"y"]), st.booleans()),
    min_size=1,
    max_size=14,
    unique_by=lambda one: str(one[0]),
)
IDLE = [(f"https://a.example/?v={number}", b"x", False) for number in range(1, 7)]
TREE = [(f"https://a.example/{'a/' * depth}", b"x", False) for depth in range(4)]


@example([*IDLE, ("https://a.example/b/", b"y", False)], ["https://a.example/?v=7"])
@example(TREE, ["https://a.example/a/a/a/a/", "https://a.example/a/a/a/b/"])
@given(PAGES, st.lists(URLS, max_size=8, unique=True))
def test_the_reference_recognises_the_same(
    pages: list[tuple[str, bytes, bool]], links: list[str]
) -> None:
    """On random sites, both recognise the same traps for each link."""
    fetched = [Fetched(*one) for one in pages]
    expected = recognised(fetched, links, NOW)
    for trap in TRAPS:
        watch = TrapWatch(PlainTrapMemory(), [trap])
        for page in fetched:
            content = PageContent(page.content, "not found" if page.not_found else "")
            origin = address_of(page.url)[0]
            last = [candidate(one) for one in links] if page is fetched[-1] else []
            found = watch.read(page.url, origin, content, last, NOW)
        skipped = [bool(entry.skip_reason) for _, entry in found]
        assert skipped == [trap in traps for traps in expected], trap


@given(st.text(max_size=60), st.binary(max_size=60))
def test_whatever_a_url_or_a_body_has_is_read(text: str, body: bytes) -> None:
    """No URL and no body raises."""
    url = address_of(f"https://a.example/{text.replace('#', '')}")[1]
    assert len(fingerprint_of(url, body)) == 16
    assert session_free(url) != url
    assert len(urls_above(url)) <= 64
    assert len(calendar_month(url, NOW)) in {0, 7}
    watch = TrapWatch(PlainTrapMemory(), TRAPS)
    watch.read(url, "https://a.example", PageContent(body), [candidate(url)], NOW)


@pytest.mark.parametrize("where", ["memory", "folder"])
def test_a_link_is_counted_once_for_each_page(where: str, tmp_path: Path) -> None:
    """Revisits do not count a link again, but count traps met there for the first time."""
    with Database(tmp_path / where, create=True) as database:
        folder = InFolder(database)
        watch = TrapWatch(folder.memory if where == "folder" else PlainTrapMemory())
        links = ["https://a.example/events/2099/01", "https://a.example/events/2099/02"]
        for url in ("https://a.example/", "https://a.example/b"):
            folder.know(url)
        for _ in range(3):
            read(watch, "https://a.example/", "home", [])
        for _ in range(3):
            read(watch, "https://a.example/b", "page", links)
        assert watch.links() == {"calendar": 2}
        read(watch, "https://a.example/", "home", links)
        assert watch.links() == {"calendar": 2}
