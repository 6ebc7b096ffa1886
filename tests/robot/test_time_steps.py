"""Setting the clock forward or back does not change any pause."""

import asyncio
import datetime as dt
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from goodbot.crawl import Crawl
from goodbot.crawl.evidence import punctuality
from goodbot.crawl.folder.database import Database
from goodbot.http.instants import SECOND, instant
from goodbot.pace import Manners
from goodbot.robot import Robot
from goodbot.robot.timeline import Timeline
from goodbot.store import Later, Lease, MemoryStore, SQLiteStore
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.examples import examples
from tests.support.robot_sites import ME, SITE, gaps, robot_at, run

RULES = Answer(headers=[("Cache-Control", "max-age=86400")], body=b"User-agent: *\nCrawl-delay: 7")
HOUR = 3600.0
PAGES = 4


class QuickStore(SQLiteStore):
    """A store in a file that is called without a thread, so that no time passes meanwhile."""

    at_once = True


def one_memory(_path: Path) -> list[Any]:
    """Return the stores of one robot in memory."""
    return [MemoryStore()]


def two_in_memory(_path: Path) -> list[Any]:
    """Return the stores of two robots, which share one."""
    return [MemoryStore()] * 2


def one_file(path: Path) -> list[Any]:
    """Return the stores of two robots of one process, which share a file."""
    return [QuickStore(path)] * 2


def two_files(path: Path) -> list[Any]:
    """Return the stores of two processes on one machine, each of which opens the file."""
    return [QuickStore(path), QuickStore(path)]


def site_at(clock: FakeClock) -> FakeSite:
    """Build a site whose pages take 2 seconds."""
    pages = {f"/{number}": Answer(seconds=2.0) for number in range(PAGES)}
    return FakeSite({"/robots.txt": RULES, **pages}, clock=clock)


steps = st.lists(
    st.tuples(st.floats(0, 40), st.sampled_from([HOUR, -HOUR, 0.5, -2.0, 4 * HOUR, -30 * HOUR])),
    max_size=4,
)


async def stepping(clock: FakeClock, times: list[tuple[float, float]]) -> None:
    """Set the clock at some times."""
    began = clock.monotonic()
    for at, by in sorted(times):
        await clock.sleep(began + at - clock.monotonic())
        clock.step(by)


def times_of_visits(
    stores: Callable[[Path], list[Any]], times: list[tuple[float, float]]
) -> list[float]:
    """Visit every page with several robots while the clock is set."""
    site = site_at(FakeClock())

    async def main(opened: list[Any]) -> None:
        setting = asyncio.ensure_future(stepping(site.clock, times))
        robots = [robot_at(site, store=store) for store in (opened[0], opened[-1])]
        async with robots[0] as first, robots[1] as last:
            pages = [f"{SITE}/{number}" for number in range(PAGES)]
            await asyncio.gather(*(first.visit(url) for url in pages[::2]))
            await asyncio.gather(*(last.visit(url) for url in pages[1::2]))
        await setting

    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        opened = stores(Path(folder) / "store.db")
        for store in {id(one): one for one in opened}.values():
            if isinstance(store, SQLiteStore):
                stack.enter_context(store)
        run(main(opened))
    return [visit.monotonic for visit in site.visits]


@pytest.mark.parametrize("stores", [one_memory, two_in_memory, one_file, two_files])
def test_steps_of_the_clock_change_nothing(stores: Callable[[Path], list[Any]]) -> None:
    """Requests come at the times at which they would have come without the change."""
    usual = times_of_visits(stores, [])
    assert len(usual) == PAGES + 1

    @examples(25, deadline=None)
    @given(steps)
    @example([(1.0, HOUR)])
    @example([(3.0, -HOUR)])
    @example([(8.0, HOUR), (8.5, -2 * HOUR)])
    def check(times: list[tuple[float, float]]) -> None:
        assert times_of_visits(stores, times) == pytest.approx(usual, abs=1e-4)

    check()


def crawled(folder: Path, site: FakeSite, times: list[tuple[float, float]], **options: Any) -> None:  # noqa: ANN401
    """Crawl every page while the clock is set."""
    start = [f"{SITE}/{number}" for number in range(PAGES)]
    crawl = Crawl(
        folder, "ExampleBot/1.0", **ME, start=start, fetcher=site, clock=site.clock, **options
    )

    async def main() -> None:
        setting = asyncio.ensure_future(stepping(site.clock, times))
        await crawl.run()
        await setting

    run(main())


def early(folder: Path) -> list[str]:
    """Return the requests that the report calls early."""
    with Database(folder) as database:
        found = list(punctuality.pauses(database, SITE, "ExampleBot/1.0", Manners()))
    assert found
    return [one.early for one in found if one.early]


@examples(20, deadline=None)
@given(steps)
@example([(3.0, -HOUR)])
@example([(15.0, HOUR)])
def test_a_crawl_keeps_its_pauses_and_its_report_says_so(times: list[tuple[float, float]]) -> None:
    """It ends in the same time, and no request was early."""
    runs = []
    for some in ([], times):
        site = site_at(FakeClock())
        with tempfile.TemporaryDirectory() as folder:
            crawled(Path(folder), site, some)
            assert not early(Path(folder))
        runs.append([visit.monotonic for visit in site.visits])
    assert len(runs[0]) == PAGES + 1
    assert runs[1] == pytest.approx(runs[0], abs=1e-4)


# Another process.


def another(clock: FakeClock, *, passed: float, by: float, is_same: bool) -> FakeClock:
    """Build the clock of a process that starts later, after the clock was set."""
    start = clock.now() + dt.timedelta(seconds=passed + by)
    if is_same:
        return FakeClock(start, boot=clock.boot, monotonic=clock.monotonic() + passed)
    return FakeClock(start)


def visited(path: Path, site: FakeSite) -> None:
    """Visit a page with a store of its own."""

    async def main() -> None:
        with QuickStore(path) as store:
            async with Robot(
                "ExampleBot", **ME, store=store, fetcher=site, clock=site.clock
            ) as one:
                await one.visit(f"{SITE}/0")

    run(main())


BETWEEN = [
    # same start of the machine, seconds between the processes, step, seconds to wait
    (True, 3.0, 0.0, 4.0),
    (True, 3.0, HOUR, 4.0),
    (True, 3.0, -3 * HOUR, 4.0),
    (True, 100.0, -3 * HOUR, 0.0),
    (False, 3.0, 0.0, 4.0),
    (False, 3.0, -3 * HOUR, 7.0),
    (False, 100.0, -3 * HOUR, 7.0),
    (False, 100.0, -95.0, 2.0),
]


@pytest.mark.parametrize(("is_same", "passed", "by", "wait"), BETWEEN)
def test_the_next_process_waits_no_longer_than_the_pause(
    is_same: bool,  # noqa: FBT001
    passed: float,
    by: float,
    wait: float,
    tmp_path: Path,
) -> None:
    """After the same boot of the machine it uses the count; after another one it is careful."""
    first = site_at(FakeClock())
    visited(tmp_path / "store.db", first)
    clock = another(first.clock, passed=passed, by=by, is_same=is_same)
    second = site_at(clock)
    began = clock.monotonic()
    visited(tmp_path / "store.db", second)
    assert [visit.path for visit in second.visits] == ["/0"]
    assert second.visits[0].monotonic - began == pytest.approx(wait, abs=1e-4)


@pytest.mark.parametrize(("by", "wait"), [(0.0, 590.0), (-3 * HOUR, 600.0), (-300.0, 600.0)])
def test_a_block_is_no_longer_than_it_was(by: float, wait: float, tmp_path: Path) -> None:
    """Retry-After holds across a restart, for at most as long as the server stated."""
    first = site_at(FakeClock())
    first.routes["/0"] = Answer(status=503, headers=[("Retry-After", "600")])
    visited(tmp_path / "store.db", first)
    second = site_at(another(first.clock, passed=10.0, by=by, is_same=False))
    visited(tmp_path / "store.db", second)
    assert second.visits[0].monotonic == pytest.approx(wait, abs=1e-4)


def test_what_lies_ahead_is_held_against_the_clock_once(tmp_path: Path) -> None:
    """A request without success does not restart the pause."""
    first = site_at(FakeClock())
    visited(tmp_path / "store.db", first)
    clock = another(first.clock, passed=0.0, by=-3 * HOUR, is_same=False)
    with SQLiteStore(tmp_path / "store.db") as store:
        timeline = Timeline(clock)
        timeline.tell(store)
        now = timeline.read().steady
        later = store.acquire(SITE, now, 60, "one")
        assert isinstance(later, Later)
        assert later.not_before - now == dt.timedelta(seconds=7)
        again = store.acquire(SITE, now + dt.timedelta(seconds=5), 60, "one")
        assert isinstance(again, Later)
        assert again.not_before == later.not_before


@pytest.mark.parametrize("stores", [one_memory, one_file])
def test_a_store_that_knows_of_no_timeline_goes_by_the_time_of_day(
    stores: Callable[[Path], list[Any]], tmp_path: Path
) -> None:
    """A caller without a robot passes the time of day, which may have been set back."""
    noon = dt.datetime(2026, 1, 1, 12, tzinfo=dt.timezone.utc)
    store = stores(tmp_path / "store.db")[0]
    with store if isinstance(store, SQLiteStore) else nullcontext():
        lease = store.acquire(SITE, noon, 60, "one")
        assert isinstance(lease, Lease)
        due = noon + dt.timedelta(seconds=30)
        history = lease.history.of(last_ended=noon, starts=[noon])
        store.release(lease, ended=noon, not_before=due, history=history)
        back = noon - dt.timedelta(hours=3)
        later = store.acquire(SITE, back, 60, "one")
        assert isinstance(later, Later)
        assert later.not_before - back == dt.timedelta(seconds=30)


# Crawls that are killed.


def killed_crawl(folder: Path, site: FakeSite) -> None:
    """Keep what a process leaves behind that is killed while it visits a page."""
    original = site._route  # noqa: SLF001  where each request comes by

    def route(url: str) -> Any:  # noqa: ANN401  as FakeSite has it
        if len(site.visits) == 3:
            shutil.copytree(folder / "running", folder / "killed")
        return original(url)

    site._route = route  # type: ignore[method-assign]  # noqa: SLF001
    crawled(folder / "running", site, [])


@pytest.mark.parametrize("is_same", [True, False])
@pytest.mark.parametrize("by", [0.0, HOUR, -3 * HOUR])
def test_a_killed_crawl_goes_on_in_its_time(tmp_path: Path, by: float, is_same: bool) -> None:  # noqa: FBT001
    """The visit in progress is known from its note, whatever was done to the clock."""
    first = site_at(FakeClock())
    killed_crawl(tmp_path, first)
    under_way = first.visits[2]
    clock = FakeClock(under_way.at + dt.timedelta(seconds=by + 1))
    if is_same:
        since = under_way.monotonic + 1
        clock = FakeClock(clock.now(), boot=first.clock.boot, monotonic=since)
    second = site_at(clock)
    began = clock.monotonic()
    crawled(tmp_path / "killed", second, [])
    # robots.txt was not in the file yet; it waits for manners, counted from the restart.
    assert second.visits[0].path == "/robots.txt"
    assert second.visits[0].monotonic - began == pytest.approx(10, abs=1e-4)
    assert min(gaps(second.visits)) >= 7
    assert {visit.path for visit in second.visits} >= {"/2", "/3"}


def requests(connection: Any) -> Iterator[tuple[int, int, int]]:  # noqa: ANN401
    """Yield each request: its number, its start and its place on the timeline."""
    yield from connection.execute("SELECT id, started, steady FROM requests ORDER BY id")


def test_a_step_hides_no_early_request(tmp_path: Path) -> None:
    """By the time of day there is an hour between two requests, and by the count a second."""
    site = site_at(FakeClock())
    crawled(tmp_path, site, [])
    with Database(tmp_path) as database, database.changing() as connection:
        rows = list(requests(connection))
        assert all(steady == started for _, started, steady in rows)
        at, last = instant(site.visits[-2].at, ""), rows[-1][0]
        connection.execute(
            "UPDATE requests SET started = started + ?, ended = ended + ?, steady = ? WHERE id = ?",
            (int(HOUR) * SECOND, int(HOUR) * SECOND, at + 3 * SECOND, last),
        )
    assert early(tmp_path) == [
        "1 second after the previous request; Crawl-delay requires 7 seconds"
    ]
