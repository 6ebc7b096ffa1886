"""A crawl whose parts are not in its folder: what was passed to `Crawl` has everything."""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from goodbot.crawl import Crawl, Summary
from goodbot.crawl.archive.place import MemoryPlace
from goodbot.crawl.archive.warc_archive import WarcArchive
from goodbot.crawl.evidence.history import history_of
from goodbot.crawl.folder.database import FILE, Database
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.frontier.memory import MemoryFrontier
from goodbot.crawl.frontier.trap_memory import PlainTrapMemory
from goodbot.crawl.index.sqlite import SQLiteIndex
from goodbot.errors import CrawlPartError, FetchError, MisuseError, StoreBusyError, WrongTypeError
from goodbot.testing import FakeClock, FakeSite, LoopbackSite
from goodbot.testing.steps import always
from tests.support.crawls.memory_crawls import ME, QUICK, SITE, crawl, html, rows, run, searched
from tests.support.crawls.memory_parts import MemoryEvidence, MemoryInventory, MemoryLinks
from tests.support.examples import some_of, thorough
from tests.support.live_sites import behaviour_of

RULES = "User-agent: *\nDisallow: /till"
PARTS = ("frontier", "archive", "index", "evidence", "links", "inventory", "trap_memory")


def shop() -> FakeSite:
    """Return a site with three pages, one of which nobody may visit."""
    pages = {
        "/": html("home", "/lamp", "/till"),
        "/lamp": "<title>Lamp</title><p>A brass lamp.",
        "/till": html("till"),
    }
    return FakeSite({"/robots.txt": RULES, **pages}, clock=FakeClock())


class Elsewhere:
    """Every part of a crawl, in memory or in another folder, and the process that has them."""

    def __init__(self, folder: Path, clock: Any, stack: ExitStack) -> None:  # noqa: ANN401
        """Open all parts."""
        self._database = stack.enter_context(Database(folder, create=True))
        self._clock = clock
        self.rows: list[Any] = []
        self._place = MemoryPlace()
        self.evidence, self.links = MemoryEvidence(), MemoryLinks()
        self.inventory, self.trap_memory = MemoryInventory(), PlainTrapMemory()

    def parts(self, *names: str) -> dict[str, Any]:
        """Return some of them, opened again as in another process; all by default."""
        opened = {
            "frontier": MemoryFrontier(self._clock.now(), self.rows),
            "archive": WarcArchive(self._database, user_agent="ExampleBot", place=self._place),
            "index": SQLiteIndex(self._database),
            "evidence": self.evidence,
            "links": self.links,
            "inventory": self.inventory,
            "trap_memory": self.trap_memory,
        }
        return {name: opened[name] for name in names or PARTS}

    def check(self, site: str) -> None:
        """Assert that the parts have what a crawl of the shop leaves."""
        archive = self.parts("archive")["archive"]
        assert {row.url: row.state for row in self.rows} == {
            f"{site}/": "done",
            f"{site}/lamp": "done",
            f"{site}/till": "disallowed",
        }
        ids = {row.url: row.url_id for row in self.rows}
        lamp = ids[f"{site}/lamp"]
        assert archive.show(f"{site}/lamp").content == b"<title>Lamp</title><p>A brass lamp."
        assert archive.show(f"{site}/robots.txt") is not None
        found = self.parts("index")["index"].search("brass", now=self._clock.now())
        assert [page.url_id for page in found.pages] == [lamp]
        assert sorted(url_id for url_id, _, _ in self.evidence.rows) == sorted(ids.values())
        asked = [event.url for event in self.evidence.events]
        assert sorted(asked) == sorted([f"{site}/robots.txt", f"{site}/", f"{site}/lamp"])
        assert self.links.pages[ids[f"{site}/"]][1] == [lamp, ids[f"{site}/till"]]
        assert self.inventory.pages[lamp][1].title == "Lamp"
        assert self.trap_memory.content_of(f"{site}/lamp") is not None


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Close what a test opened."""
    with ExitStack() as opened:
        yield opened


def test_all_parts_may_be_elsewhere_on_real_connections(tmp_path: Path, stack: ExitStack) -> None:
    """A server on loopback, the system's clock; stopped after one page, and resumed."""
    from goodbot.net import SystemClock  # noqa: PLC0415

    text = "Content-Type: text/html"
    pages = {
        "/": always(200, html("home", "/lamp", "/till").encode(), text),
        "/lamp": always(200, b"<title>Lamp</title><p>A brass lamp.", text),
    }
    clock = SystemClock()
    there = Elsewhere(tmp_path / "there", clock, stack)

    def crawl_from(site: LoopbackSite, **options: Any) -> Crawl:  # noqa: ANN401  of many types
        return Crawl(
            tmp_path / "c",
            "ExampleBot/1.0",
            **ME,
            start=[f"{site.origin}/"],
            manners=QUICK,
            allow_private=True,
            **there.parts(),
            **options,
        )

    async def main() -> tuple[list[str], Summary]:
        async with LoopbackSite(
            behaviour_of(always(200, RULES.encode(), "Content-Type: text/plain")), pages=pages
        ) as site:
            first = await crawl_from(site, bounds={"pages": 1}).run()
            assert first.ended == "page-limit"
            second = await crawl_from(site, bounds={"pages": None}).run()
            there.check(site.origin)
            return [visit.target for visit in site.visits], second

    visits, summary = run(main())
    assert visits == ["/robots.txt", "/", "/lamp"]
    assert summary.urls == {"done": 2, "disallowed": 1}
    assert not list((tmp_path / "c").glob("*.warc.gz"))


@pytest.mark.parametrize("name", PARTS)
def test_each_part_may_be_elsewhere_alone(name: str, tmp_path: Path, stack: ExitStack) -> None:
    """The others, in the folder, have the same as ever."""
    here, site = tmp_path / "here", shop()
    crawl(here, site)
    one = Elsewhere(tmp_path / "there", site.clock, stack)
    mixed = shop()
    crawl(tmp_path / "c", mixed, **one.parts(name))
    expected, found = (
        {url: (row.state, row.reason, row.status) for url, row in rows(folder).items()}
        for folder in (here, tmp_path / "c")
    )
    assert found == expected
    with open_readonly(tmp_path / "c") as database:
        known = history_of(database, f"{SITE}/till")
        assert known is not None
        assert known.state == "disallowed"
        if name != "evidence":
            (ask,) = known.asks
            assert ask.confirmed
    if name != "index":
        assert searched(tmp_path / "c", "brass") == ["/lamp"]


class OtherIndex:
    """An index of another class."""

    def __init__(self, there: Any) -> None:  # noqa: ANN401  an index
        """Copy the methods of another index."""
        for name in dir(there):
            if not name.startswith("_"):
                setattr(self, name, getattr(there, name))

    def __contains__(self, url_id: int) -> bool:
        """Return whether a page is in it; it is empty."""
        return False


def test_a_crawl_continues_only_with_its_parts(tmp_path: Path, stack: ExitStack) -> None:
    """Otherwise pages could be left where nobody removes them."""
    site = shop()
    there = Elsewhere(tmp_path / "there", site.clock, stack)
    crawl(tmp_path / "c", site, **there.parts("index"))
    with pytest.raises(MisuseError, match=r"started with index= \(SQLiteIndex\); pass it again"):
        crawl(tmp_path / "c", site)
    with pytest.raises(MisuseError, match="has its own archive, which archive= cannot replace"):
        crawl(tmp_path / "c", site, **there.parts("index", "archive"))
    other = OtherIndex(there.parts("index")["index"])
    with pytest.raises(
        MisuseError, match=r"with index= \(SQLiteIndex\), and OtherIndex is another"
    ):
        crawl(tmp_path / "c", site, index=other)
    assert crawl(tmp_path / "c", site, **there.parts("index")).summary.urls["done"] == 2


def test_warc_files_may_be_elsewhere_alone(tmp_path: Path) -> None:
    """The folder knows which records they have; what must not stay is removed from them."""
    site, place, folder = shop(), MemoryPlace(), tmp_path / "c"
    crawl(folder, site, warc_place=place, bounds={"pages": 1})
    crawl(folder, site, warc_place=place, bounds={"pages": None})
    assert place.files
    assert not list(folder.glob("*.warc.gz"))

    def shown(path: str) -> bytes | None:
        with Database(folder) as database, WarcArchive(database, place=place) as archive:
            copy = archive.show(f"{SITE}{path}")
            return None if copy is None else copy.content

    assert shown("/lamp") == b"<title>Lamp</title><p>A brass lamp."
    size = sum(map(len, place.files.values()))
    bounds = {"exclude": ["/lamp"], "pages": None}
    crawl(folder, site, warc_place=place, bounds=bounds, remove=True)
    assert shown("/lamp") is None
    assert sum(map(len, place.files.values())) < size
    with pytest.raises(MisuseError, match=r"started with warc_place= \(MemoryPlace\)"):
        crawl(folder, site)
    with pytest.raises(MisuseError, match="omit archive="):
        crawl(tmp_path / "d", site, warc_place=place, archive=Any)


def test_a_place_that_fails_ends_the_crawl_with_its_name(tmp_path: Path) -> None:
    """What was written before stays."""
    site, place = shop(), MemoryPlace()
    broken(place, "append", ERRORS[0])
    with pytest.raises(CrawlPartError, match=r"warc_place= of the crawl \(BrokenMemoryPlace\)"):
        crawl(tmp_path, site, warc_place=place)
    place.__class__ = MemoryPlace
    assert crawl(tmp_path, site, warc_place=place).summary.urls == {"done": 2, "disallowed": 1}
    assert place.files


def test_what_is_no_part_is_refused_at_once(tmp_path: Path) -> None:
    """The message names the protocol and what is lacking."""
    message = r"protocol.Frontier; list lacks add, admit, again"
    with pytest.raises(WrongTypeError, match=message):
        Crawl(tmp_path, "ExampleBot/1.0", **ME, frontier=[])  # type: ignore[arg-type]


FAILURES = [
    ("frontier", "add"),
    ("frontier", "take"),
    ("frontier", "holds"),
    ("frontier", "settle"),
    ("frontier", "earliest"),
    ("archive", "keep"),
    ("archive", "keep_robots_txt"),
    ("archive", "whole_copy"),
    ("index", "put"),
    ("index", "describe"),
    ("index", "refresh"),
    ("evidence", "keep"),
    ("evidence", "requested"),
    ("links", "record"),
    ("inventory", "record"),
    ("trap_memory", "keep"),
]
ERRORS = [
    ZeroDivisionError("by zero"),
    FetchError("dns", f"{SITE}/", "no such host"),
    StoreBusyError("locked; end the other process"),
]


def broken(part: Any, method: str, error: Exception) -> Any:  # noqa: ANN401  of the same kind
    """Return a part one of whose methods, or properties, fails from now on."""

    def fails(*_values: Any, **_options: Any) -> Any:  # noqa: ANN401  never returns
        raise error

    is_property = isinstance(getattr(type(part), method), property)
    kind = type(
        f"Broken{type(part).__name__}",
        (type(part),),
        {method: property(fails) if is_property else fails},
    )
    part.__class__ = kind
    return part


@thorough
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize(("name", "method"), some_of(FAILURES, one_of=3))
def test_a_part_that_fails_ends_the_crawl_with_its_name(
    name: str, method: str, error: Exception, *, tmp_path: Path, stack: ExitStack
) -> None:
    """It is no outcome of a URL, and no permission; the next run has everything."""
    site = shop()
    there = Elsewhere(tmp_path / "there", site.clock, stack)
    parts = there.parts()
    opened = Crawl(
        tmp_path / "c",
        "ExampleBot/1.0",
        **ME,
        start=[f"{SITE}/"],
        manners=QUICK,
        fetcher=site,
        clock=site.clock,
        **parts,
    )
    original = type(parts[name])
    if method == "whole_copy":  # asked for from the second visit on
        run(opened.run())
        parts = there.parts()
    broken(parts[name], method, error)
    with pytest.raises(CrawlPartError, match=rf"{name}= of the crawl \(Broken") as caught:
        crawl(tmp_path / "c", site, early=method == "whole_copy", **parts)
    assert str(error) in str(caught.value)
    assert "/till" not in [visit.path for visit in site.visits]
    assert not [row for row in there.rows if row.state == "failed"]
    parts[name].__class__ = original
    crawl(tmp_path / "c", site, **there.parts())
    there_now = {row.url: row.state for row in there.rows}
    assert there_now == {f"{SITE}/": "done", f"{SITE}/lamp": "done", f"{SITE}/till": "disallowed"}
    recorded = {url_id for url_id, _, _ in there.evidence.rows}
    assert recorded == {row.url_id for row in there.rows}


def test_no_url_is_settled_elsewhere_before_the_folder_has_its_evidence(tmp_path: Path) -> None:
    """A power cut between the two leaves a visit too many, never one too few."""
    site, folder = shop(), tmp_path / "c"
    settled: list[int] = []

    class Watching(MemoryFrontier):
        def settle(self, taken: Any, outcome: Any, now: Any) -> bool:  # noqa: ANN401  of many types
            with closing(sqlite3.connect(folder / FILE)) as other:
                asked = "SELECT count(*) FROM evidence WHERE url = ? AND visit = ?"
                (count,) = other.execute(asked, (taken.id, taken.visit)).fetchone()
            assert count == 1
            settled.append(taken.id)
            return super().settle(taken, outcome, now)

    crawl(folder, site, frontier=Watching(site.clock.now()))
    assert sorted(settled) == [1, 2, 3]
