"""Every queue passes the suite, and the one in a folder agrees with the reference in memory."""

from __future__ import annotations

import datetime as dt
import tempfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.memory import MemoryFrontier
from goodbot.crawl.frontier.protocol import Frontier, Outcome
from goodbot.crawl.frontier.sqlite import SQLiteFrontier
from goodbot.crawl.testing.frontier_suite import FrontierSuite, OpenFrontier, candidate
from goodbot.robot.timeline import Timeline
from goodbot.testing import FakeClock
from tests.support.examples import examples

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from goodbot.crawl.folder.records import QueuedUrl

NOON = dt.datetime(2026, 1, 1, 12, tzinfo=dt.timezone.utc)


class TestSQLite(FrontierSuite):
    """The queue in the folder of a crawl."""

    @pytest.fixture
    def open_frontier(self, tmp_path: Path) -> Iterator[OpenFrontier]:
        """Open the file again each time, as another process does."""
        databases: list[Database] = []

        def opened(now: dt.datetime) -> Frontier:
            databases.append(Database(tmp_path, create=True))
            return SQLiteFrontier(databases[-1], now)

        yield opened
        for database in databases:
            database.close()


class TestMemory(FrontierSuite):
    """The queue in memory."""

    @pytest.fixture
    def open_frontier(self) -> OpenFrontier:
        """Open a queue with the rows of the one before."""
        before: list[MemoryFrontier] = []

        def opened(now: dt.datetime) -> Frontier:
            before.append(MemoryFrontier(now, before[-1].rows if before else None))
            return before[-1]

        return opened


ORIGINS = ("https://a.example", "https://b.example", "https://c.example")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.integers(0, 8), st.sampled_from(["", "nofollow"])),
        st.tuples(st.just("take"), st.integers(0, 30), st.none()),
        st.tuples(st.just("done"), st.integers(0, 3), st.sampled_from([None, 40, 400])),
        st.tuples(st.just("again"), st.integers(0, 50), st.none()),
        st.tuples(st.just("retry"), st.integers(0, 3), st.none()),
        st.tuples(st.just("back"), st.integers(0, 3), st.sampled_from([None, 20])),
        st.tuples(st.just("late"), st.integers(0, 3), st.none()),
        st.tuples(st.just("free"), st.integers(0, 3), st.none()),
        st.tuples(st.just("decide"), st.integers(0, 8), st.none()),
    ),
    max_size=40,
)
Step = tuple[str, int, "int | str | None"]


class Runner:
    """Runs steps on one queue, and returns everything that can be observed."""

    def __init__(self, frontier: Frontier) -> None:
        """Start at noon."""
        self.frontier, self.now = frontier, NOON
        self.held: list[QueuedUrl] = []
        self.over: list[QueuedUrl] = []

    def do(self, step: Step) -> object:
        """Run one step; return its result and the state of the queue."""
        name, number, value = step
        answer = getattr(self, name)(number, value)
        one = self.frontier
        return (
            answer,
            one.earliest,
            one.waiting(),
            one.how_many(),
            [one.waiting(o) for o in ORIGINS],
        )

    def add(self, number: int, skip_reason: str) -> object:
        """Add a URL."""
        found = candidate(f"/{number // 3}", ORIGINS[number % 3], skip_reason=skip_reason)
        return self.frontier.add([found], self.now)

    def take(self, seconds: int, _: None) -> object:
        """Advance the time, and take a URL."""
        self.now += dt.timedelta(seconds=seconds)
        taken = self.frontier.take(self.now)
        self.held += [] if taken is None else [taken]
        # If two origins are ready at the same time, either may come first.
        return taken is not None

    def done(self, number: int, due: int | None) -> object:
        """Settle a URL that is held, with one of four outcomes; its origin is free at once."""
        if not self.held:
            return None
        # Both queues settle the same URL, in whatever order they were taken.
        self.held.sort(key=lambda one: one.url)
        taken = self.held.pop(0)
        time = None if due is None else self.now + dt.timedelta(seconds=due)
        outcome = (
            Outcome("done", "fetched", status=200, due=time),
            Outcome("queued", "timeout", due=time or self.now, failed=True),
            Outcome("failed", "gone", status=404, due=time, failed=True),
            Outcome("failed", "private", due=time, failed=True),
        )[number]
        self.over.append(taken)
        settled = self.frontier.settle(taken, outcome, self.now)
        self.frontier.free(taken, None)
        return taken.url, taken.attempts, taken.visit, settled

    def again(self, seconds: int, _: None) -> object:
        """Advance the time, and queue the URLs that are due."""
        self.now += dt.timedelta(seconds=seconds)
        return self.frontier.again(self.now)

    def retry(self, _number: int, _: None) -> object:
        """Queue the URLs that failed for one reason."""
        self.frontier.retry(["private"], self.now)
        return None

    def back(self, _number: int, pause: int | None) -> object:
        """Return a URL that is held to the queue."""
        if not self.held:
            return None
        self.held.sort(key=lambda one: one.url)
        taken = self.held.pop(0)
        self.over.append(taken)
        given = self.frontier.give_back(taken)
        ready = None if pause is None else self.now + dt.timedelta(seconds=pause)
        self.frontier.free(taken, ready)
        return given

    def free(self, number: int, _: None) -> object:
        """Free the origin of a URL whose result is recorded later, with others."""
        if self.held:
            self.held.sort(key=lambda one: one.url)
            self.frontier.free(self.held[number % len(self.held)], None)
        return None

    def decide(self, number: int, _: None) -> object:
        """Decide about a URL that is held; return which leases still hold."""
        if self.held:
            self.held.sort(key=lambda one: one.url)
            one = self.held[number % len(self.held)]
            known = [key for key, url in self.frontier.urls_at(one.origin) if url == one.url]
            self.frontier.decide(known, Outcome("disallowed", "blocked"), self.now)
        return [self.frontier.holds(one) for one in self.held]

    def late(self, number: int, _: None) -> object:
        """Settle a URL again whose visit is over."""
        if number >= len(self.over):
            return None
        return self.frontier.settle(self.over[number], Outcome("done", "late"), self.now)


@examples(100, deadline=None, suppress_health_check=list(HealthCheck))
@given(STEPS, st.booleans())
def test_the_queue_in_the_folder_does_what_the_plain_one_does(
    steps: list[Step],
    gathers: bool,  # noqa: FBT001
) -> None:
    """The same steps have the same results, as long as both queues hold the same URLs."""
    with tempfile.TemporaryDirectory() as folder, Database(folder, create=True) as database:
        database.gathers = gathers
        plain, real = Runner(MemoryFrontier(NOON)), Runner(SQLiteFrontier(database, NOON))
        for step in steps:
            found, expected = real.do(step), plain.do(step)
            assert len(real.held) == len(plain.held), step
            if {one.url for one in real.held} != {one.url for one in plain.held}:
                return  # two origins were ready at the same time
            assert found == expected, step


def test_a_refusal_leaves_the_leases_of_others_in_memory(tmp_path: Path) -> None:
    """Its result is written with the change, and no lease besides its own."""
    with Database(tmp_path, create=True) as database:
        frontier = SQLiteFrontier(database, NOON)
        found = [candidate("/", "https://a.example"), candidate("/", "https://b.example")]
        frontier.add(found, NOON)
        database.gather(NOON)
        first, second = frontier.take(NOON), frontier.take(NOON)
        assert first is not None
        assert second is not None
        assert frontier.settle(first, Outcome("disallowed", "rule"), NOON)
        rows = database.connection.execute("SELECT state, visit FROM urls ORDER BY id").fetchall()
        assert rows == [("disallowed", 1), ("queued", 0)]
        assert (frontier.holds(first), frontier.holds(second)) == (False, True)


def test_a_clock_that_is_set_between_two_readings_misleads_once(tmp_path: Path) -> None:
    """What is due later than all that was taken then is still not due."""
    clock = FakeClock()
    with Database(tmp_path, create=True) as database:
        frontier = SQLiteFrontier(database, clock.now(), Timeline(clock))
        frontier.add([candidate("/", "https://a.example")], clock.now())
        frontier.add([candidate("/", "https://b.example")], clock.now() + dt.timedelta(minutes=30))
        now = clock.now()
        clock.step(-3600.0)
        taken = frontier.take(now)
        assert taken is not None
        assert taken.origin == "https://a.example"
        assert frontier.take(clock.now()) is None


@pytest.mark.parametrize("step", [0.0, -3_600.0, 3_600.0])
def test_what_was_due_by_an_earlier_reading_is_due_however_the_clock_is_set(
    tmp_path: Path, step: float
) -> None:
    """The queue reads the clocks only for what was not due before, and then waits by them."""
    clock = FakeClock()
    with Database(tmp_path, create=True) as database:
        frontier = SQLiteFrontier(database, clock.now(), Timeline(clock))
        sites = [f"https://{name}.example" for name in "abc"]
        frontier.add([candidate("/", site) for site in sites[:2]], clock.now())
        first = frontier.take(clock.now())
        assert first is not None
        frontier.add([candidate("/", sites[2])], clock.now() + dt.timedelta(seconds=60))
        clock.step(step)
        second = frontier.take(clock.now())
        assert second is not None
        assert [first.origin, second.origin] == sites[:2]
        assert frontier.take(clock.now()) is None
        clock.advance(59)
        assert frontier.take(clock.now()) is None
        clock.advance(1)
        third = frontier.take(clock.now())
        assert third is not None
        assert third.origin == sites[2]
