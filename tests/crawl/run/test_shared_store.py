"""Crawls that share a store keep one pace, and each folder still has its own evidence."""

import asyncio
import json
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from goodbot.crawl import Crawl, ProcessCrawl, UrlSettled
from goodbot.crawl.evidence.history import history_of
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.errors import (
    CrawlPartError,
    FetchError,
    MisuseError,
    StoreBusyError,
    WrongTypeError,
    WrongValueError,
)
from goodbot.policy.holds import Hold
from goodbot.robot import Robot
from goodbot.store import MemoryStore, SQLiteStore
from goodbot.testing import FakeClock, FakeSite
from tests.support.crawls.memory_crawls import ME, OTHER, SITE, crawl, crawl_at, html, run

RULES = "User-agent: *\nCrawl-delay: 5\nDisallow: /till"
FIVE = timedelta(seconds=5)


def shop(rules: Any = RULES) -> FakeSite:  # noqa: ANN401  as FakeSite has it
    """Return a site with three pages, one of which nobody may visit."""
    pages = {"/": html("home", "/a", "/till"), "/a": html("lamp"), "/till": html("till")}
    return FakeSite({"/robots.txt": rules, **pages}, clock=FakeClock())


def together(site: FakeSite, *crawls: Crawl) -> None:
    """Run crawls at the same time."""

    async def all_of_them() -> None:
        await asyncio.gather(*(one.run() for one in crawls))

    run(all_of_them())
    starts = [visit.at for visit in site.visits]
    assert starts == sorted(starts)
    gaps = [after - before for before, after in pairwise(starts)]
    assert all(gap >= FIVE for gap in gaps), gaps


def paths_of(site: FakeSite) -> list[str]:
    """Return what was requested."""
    return [visit.path for visit in site.visits]


class ThreadStore(MemoryStore):
    """A store that may block, so that it is called in threads."""

    at_once = False


@pytest.mark.parametrize("kind", [MemoryStore, ThreadStore])
def test_two_crawls_keep_one_pace(kind: Callable[[], MemoryStore], tmp_path: Path) -> None:
    """Each visits every page, five seconds apart; one request for robots.txt serves both."""
    site, store = shop(), kind()
    folders = [tmp_path / "one", tmp_path / "two"]
    together(site, *(crawl_at(folder, site, store=store, manners=None) for folder in folders))
    assert sorted(paths_of(site)) == ["/", "/", "/a", "/a", "/robots.txt"]
    for folder in folders:
        with open_readonly(folder) as database:
            seen = database.store.history(SITE)
            assert [one.record["copy"]["body"] for one in seen] == [RULES.encode()]
            for path in ("/a", "/till"):
                known = history_of(database, f"{SITE}{path}")
                assert known is not None
                (ask,) = known.asks
                assert (ask.robots_txt is not None, ask.confirmed) == (True, True)


class LeastStore:
    """A store with the methods of `PolicyStore` and `Budget`, and nothing else."""

    def __init__(self) -> None:
        """Keep all in memory."""
        there = MemoryStore()
        self.get, self.put, self.put_many = there.get, there.put, there.put_many
        self.history, self.in_force = there.history, there.in_force
        self.acquire, self.release = there.acquire, there.release
        self.block, self.visits = there.block, there.visits


def test_a_store_needs_no_more_than_two_protocols(tmp_path: Path) -> None:
    """It keeps neither time nor decisions; those in the folder hold."""
    site, store = shop(), LeastStore()
    blocking = crawl_at(tmp_path, site, store=store, manners=None)
    blocking.block(f"{SITE}/a", "ours")
    together(site, blocking, crawl_at(tmp_path / "two", site, store=store, manners=None))
    assert sorted(paths_of(site)) == ["/", "/", "/a", "/robots.txt"]


def test_a_crawl_and_a_robot_share_a_file(tmp_path: Path) -> None:
    """What the robot visited delays the crawl, although it is another program."""
    site, path = shop(), tmp_path / "robots.db"

    async def visit() -> None:
        with SQLiteStore(path) as store:
            async with Robot(
                "OtherBot/1.0", **ME, store=store, fetcher=site, clock=site.clock
            ) as robot:
                await robot.visit(f"{SITE}/a")

    run(visit())
    together(site, crawl_at(tmp_path / "c", site, store=path, manners=None))
    assert paths_of(site) == ["/robots.txt", "/a", "/", "/a"]
    with SQLiteStore(path) as store:  # the crawl closed it
        assert len(store.visits(SITE).starts) == 4


def test_a_crawl_continues_only_with_its_store(tmp_path: Path) -> None:
    """Without it, pauses that others know would not be kept."""
    site, store = shop(), MemoryStore()
    crawl(tmp_path, site, store=store, manners=None, bounds={"pages": 1})
    with pytest.raises(MisuseError, match=r"started with store= \(MemoryStore\); pass it again"):
        crawl(tmp_path, site, manners=None)
    assert crawl(tmp_path, site, store=store, manners=None, bounds={"pages": None})
    assert paths_of(site) == ["/robots.txt", "/", "/a"]


class OtherStore:
    """A store of another class, which knows its URL."""

    url = "postgresql://robot:secret@db.example/crawls?sslmode=require"
    __init__ = LeastStore.__init__


def stores_in(here: Path, stack: ExitStack) -> dict[str, Any]:
    """Return stores of several kinds, by what they are called below."""
    return {
        "file": str(here / "robots.db"),
        "file, as an object": stack.enter_context(SQLiteStore(here / "robots.db")),
        "file, as a URL": f"sqlite:///{here / 'there' / '..' / 'robots.db'}",
        "other file": here / "other.db",
        "memory": "memory:",
        "memory, as an object": MemoryStore(),
        "class": LeastStore(),
        "URL": OtherStore(),
    }


SAME_STORES = [
    {"file", "file, as an object", "file, as a URL"},
    {"other file"},
    {"memory", "memory, as an object"},
    {"class"},
    {"URL"},
]


@pytest.mark.parametrize("first", ["file", "file, as an object", "memory", "class", "URL"])
def test_a_crawl_continues_with_no_other_store(first: str, tmp_path: Path) -> None:
    """It is known by its file or URL, else by its class; the message says which one to pass."""
    with ExitStack() as stack:
        stores = stores_in(tmp_path, stack)
        (tmp_path / "there").mkdir()
        (same,) = (names for names in SAME_STORES if first in names)
        crawl(tmp_path / "c", shop(), store=stores[first], manners=None)
        for name, store in stores.items():
            if name in same:
                crawl(tmp_path / "c", shop(), store=store, manners=None)
                continue
            with pytest.raises(MisuseError, match=r"started with store= \(.*pass the former") as no:
                crawl(tmp_path / "c", shop(), store=store, manners=None)
            assert "secret" not in str(no.value)


def test_a_crawl_continues_with_a_store_that_was_moved(tmp_path: Path) -> None:
    """Nothing is left at its former path; from now on it is known by the new one."""
    before, now = tmp_path / "robots.db", tmp_path / "moved.db"
    crawl(tmp_path / "c", shop(), store=before, manners=None)
    for file in tmp_path.glob("robots.db*"):
        file.rename(tmp_path / file.name.replace("robots", "moved"))
    crawl(tmp_path / "c", shop(), store=now, manners=None)
    with pytest.raises(MisuseError, match=r"moved.db\), and .*robots.db is another"):
        crawl(tmp_path / "c", shop(), store=before, manners=None)


@pytest.mark.parametrize("stored", ["robots.db", "SQLiteStore"])
def test_a_crawl_of_an_earlier_version_continues_with_its_store(
    stored: str, tmp_path: Path
) -> None:
    """It stored the path as it was written, or the class alone."""
    store = tmp_path / "robots.db"
    crawl(tmp_path / "c", shop(), store=store, manners=None)
    with Database(tmp_path / "c") as database:
        database.write_settings({"elsewhere": json.dumps({"store": stored})})
    with pytest.raises(MisuseError, match="pass the former again"):
        crawl(tmp_path / "c", shop(), store=MemoryStore(), manners=None)
    crawl(tmp_path / "c", shop(), store=store, manners=None)


def test_a_store_that_is_added_learns_what_the_folder_waits_for(tmp_path: Path) -> None:
    """The pause after the last visit holds for all; what the store knows is not lost."""
    site, store = shop(), MemoryStore()
    crawl(tmp_path / "c", site, manners=None, bounds={"pages": 1})
    last = site.visits[-1].at
    crawl(tmp_path / "c", site, store=store, manners=None, bounds={"pages": None})
    starts = [visit.at for visit in site.visits if visit.at > last]
    assert starts[0] >= last + FIVE
    assert len(store.visits(SITE).starts) >= 3, "the history was passed on"


def test_decisions_of_both_operators_hold(tmp_path: Path) -> None:
    """A block in the store is for all programs, one in the folder for this crawl."""
    site, store = shop(), MemoryStore()
    hold = Hold.of(f"{SITE}/a", "block", why="theirs", by="ada", at=site.clock.now())
    store.keep_hold(hold)
    first = crawl_at(tmp_path, site, f"{SITE}/", f"{OTHER}/", store=store, manners=None)
    first.block(OTHER, "ours")
    summary = run(first.run())
    assert summary.urls == {"done": 1, "disallowed": 3}
    assert paths_of(site) == ["/robots.txt", "/"]
    assert store.holds() == [hold], "what is for this crawl stays in its folder"


@pytest.mark.parametrize("kind", [MemoryStore, ThreadStore])
def test_an_order_holds_at_once(kind: Callable[[], MemoryStore], tmp_path: Path) -> None:
    """Also one that comes while the crawl runs, which is for this crawl alone."""
    site, store = shop(), kind()

    def hear(event: object) -> None:
        if isinstance(event, UrlSettled) and event.state == "done":
            running.block(SITE, "they asked us")

    running = crawl_at(tmp_path, site, store=store, manners=None, on_event=hear)
    assert run(running.run()).urls == {"disallowed": 3}
    assert paths_of(site) == ["/robots.txt", "/"]
    assert store.holds() == []


def test_robots_txt_is_fetched_again_if_all_is(tmp_path: Path) -> None:
    """Also if another program fetched it; for others it stays fresh."""
    site, store = shop(), MemoryStore()
    crawl(tmp_path, site, store=store, manners=None)
    site.clock.advance(60)
    crawl(tmp_path, site, store=store, manners=None, early=True)
    assert paths_of(site).count("/robots.txt") == 2


class BrokenStore(MemoryStore):
    """A store one of whose methods fails after some calls."""

    def __init__(self, method: str, error: Exception, after: int = 0) -> None:
        """Break it."""
        super().__init__()
        method_there, calls = getattr(self, method), 0

        def broken(*values: Any, **options: Any) -> Any:  # noqa: ANN401  as the method has them
            nonlocal calls
            calls += 1
            if calls > after:
                raise error
            return method_there(*values, **options)

        setattr(self, method, broken)


@pytest.mark.parametrize("method", ["get", "acquire", "release", "put", "holds"])
@pytest.mark.parametrize(
    "error",
    [
        ZeroDivisionError("by zero"),
        FetchError("dns", f"{SITE}/", "no such host"),
        StoreBusyError("locked; end the other process"),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("is_threaded", [False, True])
def test_a_store_that_fails_ends_the_crawl_with_its_name(
    method: str, error: Exception, *, is_threaded: bool, tmp_path: Path
) -> None:
    """No error of it is permission, or the outcome of a URL; and the crawl can be resumed."""
    site = shop()
    broken = BrokenStore(method, error)
    if is_threaded:
        broken.at_once = False
    with pytest.raises(CrawlPartError, match=r"store= of the crawl \(BrokenStore\)") as caught:
        crawl(tmp_path, site, store=broken, manners=None)
    assert str(error) in str(caught.value)
    assert "/till" not in paths_of(site)
    allowed = {"get": 0, "acquire": 0, "release": 1, "put": 1, "holds": 0}
    assert len(site.visits) == allowed[method]
    summary = crawl(tmp_path, site, store=MemoryStore(), manners=None).summary
    assert summary.urls == {"done": 2, "disallowed": 1}


def test_what_is_no_lease_is_no_permission(tmp_path: Path) -> None:
    """A store that answers `acquire` with something else ends the crawl."""

    class OddStore(MemoryStore):
        def acquire(self, *_values: Any, **_options: Any) -> Any:  # noqa: ANN401  wrong on purpose
            return True

    site = shop()
    with pytest.raises(CrawlPartError, match="acquire returned bool"):
        crawl(tmp_path, site, store=OddStore(), manners=None)
    assert paths_of(site) == []


def test_what_is_no_store_is_refused_at_once(tmp_path: Path) -> None:
    """The message names what it lacks."""
    with pytest.raises(WrongTypeError, match="dict lacks acquire, block"):
        crawl_at(tmp_path, shop(), store={})
    with pytest.raises(WrongValueError, match="there is no store for redis://"):
        crawl(tmp_path, shop(), store="redis://host")


@pytest.mark.parametrize(
    ("options", "cure"),
    [
        ({"store": MemoryStore()}, "pass the path or URL of a store, or use Crawl"),
        ({"store": "memory:"}, "pass store= the path of a file"),
        ({"index": object()}, "index= needs the methods"),
    ],
)
def test_processes_share_a_store_by_its_path(
    options: dict[str, Any], cure: str, tmp_path: Path
) -> None:
    """They open it themselves."""
    with pytest.raises(MisuseError, match=cure):
        ProcessCrawl(tmp_path, "ExampleBot/1.0", **ME, start=[SITE], processes=2, **options)
