"""The tools for tests: a clock that jumps, and a site in memory."""

import asyncio
import datetime as dt
import heapq
import sys
import time
from collections.abc import Coroutine
from itertools import pairwise
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
import goodbot.testing
from goodbot.net import AiohttpFetcher, Clock, Fetcher, Limits, Response, SystemClock
from goodbot.testing import (
    Answer,
    FakeClock,
    FakeSite,
    FakeVisit,
    LoopbackSite,
)
from goodbot.testing.clock import ROUNDS_WITHOUT_SIGHT
from tests.support.examples import examples

ROBOT = [("User-Agent", "ExampleBot/1.0"), ("From", "bot@example.com")]
HOME = "https://example.com"
Answering = TypeVar("Answering")


def run(task: Coroutine[Any, Any, Answering]) -> Answering:
    """Run a task in a loop of its own."""
    return asyncio.run(task)


# The clock.


def test_a_day_of_politeness_takes_no_time() -> None:
    """A visit every ten seconds to each of five hosts, for a whole day."""
    clock = FakeClock()
    site = FakeSite({"/": "a"}, clock=clock)

    async def robot(host: str) -> None:
        for _ in range(8_640):
            await site.fetch(f"https://{host}.example/")
            await clock.sleep(10)

    async def main() -> None:
        await asyncio.gather(*(robot(host) for host in "abcde"))

    run(main())
    assert clock.now() == dt.datetime(2026, 1, 2, tzinfo=dt.timezone.utc)
    assert clock.monotonic() == 86_400
    assert len(site.visits) == 5 * 8_640


def simulated(delays: list[list[int]]) -> list[tuple[float, int]]:
    """Return who wakes when, computed without tasks: the simple reference for the clock."""
    due = [(float(each[0]), robot, robot, 0) for robot, each in enumerate(delays) if each]
    heapq.heapify(due)
    woken, count = [], len(delays)
    while due:
        now, _, robot, at = heapq.heappop(due)
        woken.append((now, robot))
        if at + 1 < len(delays[robot]):
            count += 1
            heapq.heappush(due, (now + delays[robot][at + 1], count, robot, at + 1))
    return woken


@given(st.lists(st.lists(st.integers(1, 5), max_size=6), max_size=6))
@examples(100, deadline=None)
def test_many_tasks_wake_as_in_a_simulation(delays: list[list[int]]) -> None:
    """In the order in which they are due, and then in the order in which they fell asleep."""
    clock = FakeClock()
    woken: list[tuple[float, int]] = []

    async def robot(name: int) -> None:
        for delay in delays[name]:
            await clock.sleep(delay)
            woken.append((clock.monotonic(), name))

    async def main() -> None:
        await asyncio.gather(*(robot(name) for name in range(len(delays))))

    run(main())
    assert woken == simulated(delays)


def test_time_stands_still_while_anybody_has_something_to_do() -> None:
    """Queues, locks and nested tasks all finish before time passes."""
    clock = FakeClock()
    seen: list[float] = []

    async def relay(inbox: "asyncio.Queue[int]", outbox: "asyncio.Queue[int]") -> None:
        while True:
            number = await inbox.get()
            await asyncio.sleep(0)
            await outbox.put(number + 1)

    async def main() -> None:
        queues: list[asyncio.Queue[int]] = [asyncio.Queue() for _ in range(200)]
        links = [asyncio.create_task(relay(*pair)) for pair in pairwise(queues)]
        sleeper = asyncio.create_task(clock.sleep(1))
        for _ in range(3):
            await queues[0].put(0)
            assert await queues[-1].get() == 199
            seen.append(clock.monotonic())
        await sleeper
        seen.append(clock.monotonic())
        for link in links:
            link.cancel()

    run(main())
    assert seen == [0, 0, 0, 1]


class Blind(asyncio.SelectorEventLoop):
    """A loop that does not show its pending calls, like those of other libraries."""

    def __getattribute__(self, name: str) -> Any:  # noqa: ANN401 - of any type
        """Hide the attribute from all but the loop itself."""
        if name == "_ready" and sys._getframe(1).f_globals["__name__"].startswith("goodbot"):  # noqa: SLF001
            raise AttributeError(name)
        return super().__getattribute__(name)


def test_it_works_in_loops_that_do_not_show_what_they_do() -> None:
    """The clock waits for many rounds there instead of checking."""
    clock = FakeClock()

    async def main() -> float:
        sleeper = asyncio.create_task(clock.sleep(60))
        for _ in range(ROUNDS_WITHOUT_SIGHT // 2):
            await asyncio.sleep(0)
        assert clock.monotonic() == 0
        await sleeper
        return clock.monotonic()

    loop = Blind()
    try:
        assert loop.run_until_complete(main()) == 60
    finally:
        loop.close()


def test_no_time_passes_for_who_was_cancelled() -> None:
    """A sleeper that is cancelled is forgotten."""
    clock = FakeClock()

    async def main() -> None:
        long = asyncio.create_task(clock.sleep(1_000))
        await clock.sleep(1)
        long.cancel()
        await asyncio.gather(long, return_exceptions=True)
        await asyncio.sleep(0.01)  # of the loop, in which the clock has time to look
        assert clock.monotonic() == 1
        await clock.sleep(2)

    run(main())
    assert clock.monotonic() == 3


def test_a_clock_that_is_held_stands_still() -> None:
    """So that a socket or a thread can be awaited meanwhile."""
    clock = FakeClock()

    async def main() -> None:
        sleeper = asyncio.create_task(clock.sleep(5))
        async with (
            LoopbackSite() as site,
            AiohttpFetcher(allow_networks=["127.0.0.1"], clock=clock) as fetcher,
        ):
            with clock.held():
                answer = await fetcher.fetch(f"{site.origin}/public", headers=ROBOT)
                await asyncio.to_thread(time.sleep, 0.01)
        assert (answer.started, answer.elapsed) == (FakeClock().now(), 0)
        assert clock.monotonic() == 0
        await sleeper
        assert clock.monotonic() == 5

    run(main())


def test_it_goes_on_in_another_loop() -> None:
    """The remains of a loop that has ended do not stop the clock."""
    clock = FakeClock()

    async def leaves() -> None:
        task = asyncio.create_task(clock.sleep(100))
        await asyncio.sleep(0)
        assert not task.done()

    for _ in range(3):
        run(leaves())
        run(clock.sleep(1))
    assert clock.monotonic() == 3


def test_time_can_be_advanced_by_hand() -> None:
    """Sleepers that are due by then wake, in order; the others sleep on."""
    clock = FakeClock(dt.datetime(2000, 1, 1, tzinfo=dt.timezone.utc))
    woken: list[int] = []

    async def robot(seconds: int) -> None:
        await clock.sleep(seconds)
        woken.append(seconds)

    async def main() -> None:
        with clock.held():
            tasks = [asyncio.create_task(robot(seconds)) for seconds in (30, 10, 20)]
            await asyncio.sleep(0)
            clock.advance(25)
            await asyncio.sleep(0)
            assert (woken, clock.monotonic()) == ([10, 20], 25)
        await asyncio.gather(*tasks)

    run(main())
    assert woken == [10, 20, 30]
    assert str(clock.now()) == "2000-01-01 00:00:30+00:00"


def test_a_clock_begins_at_an_aware_time() -> None:
    """A naive datetime raises."""
    with pytest.raises(goodbot.WrongValueError, match="aware"):
        FakeClock(dt.datetime(2026, 1, 1))  # noqa: DTZ001 - that is what is tested


@pytest.mark.parametrize("clock", [FakeClock(), SystemClock()])
def test_both_clocks_keep_the_contract(clock: Clock) -> None:
    """It has aware times, seconds that never decrease, and a sleep that lasts."""

    async def main() -> None:
        now, since = clock.now(), clock.monotonic()
        await clock.sleep(0.01)
        await clock.sleep(0)
        assert clock.now() >= now
        assert clock.monotonic() - since >= 0.0099
        assert now.utcoffset() == dt.timedelta(0)

    run(main())


# The site in memory.


def fetched(site: FakeSite, url: str, **limits: Any) -> Response:  # noqa: ANN401
    """Fetch from it."""
    return run(site.fetch(url, headers=ROBOT, limits=Limits(**limits)))


async def later(visit: FakeVisit) -> str:
    """Return an answer asynchronously."""
    await asyncio.sleep(0)
    return f"async {visit.path}"


def test_routes_of_every_kind_are_answered() -> None:
    """A str, bytes, int, Answer or callable; the absolute URL has priority over the path."""
    site = FakeSite(
        {
            "/text": "a\u00e9",
            "/bytes": b"\xff",
            "/number": 503,
            "/answer": Answer(status=301, headers=[("Location", "/b")], body=b"c"),
            "/called": lambda visit: Answer(status=200 if visit.headers else 400),
            "/later": later,
            "https://other.example/text": "other",
            "/query?a": "query",
        }
    )
    assert fetched(site, f"{HOME}/text").body == b"a\xc3\xa9"
    assert fetched(site, f"{HOME}/bytes#fragment").body == b"\xff"
    assert fetched(site, f"{HOME}/number").status == 503
    moved = fetched(site, f"{HOME}/answer")
    assert (moved.status, moved.field("location"), moved.body) == (301, "/b", b"c")
    assert fetched(site, f"{HOME}/called").status == 200
    assert fetched(site, f"{HOME}/later").body == b"async /later"
    assert fetched(site, "https://other.example/text").body == b"other"
    assert fetched(site, f"{HOME}/query?a").body == b"query"
    assert fetched(site, f"{HOME}/query?b").status == 404
    assert [visit.path for visit in site.visits][-2:] == ["/query?a", "/query?b"]
    assert len(site.visits_to("/text")) == 2
    assert len(site.visits_to("https://other.example/text")) == 1
    site.routes["/number"] = 200
    assert fetched(site, f"{HOME}/number").status == 200


def test_answers_take_their_time_by_the_sites_clock() -> None:
    """Beyond the limit of time they fail when the limit is reached."""
    site = FakeSite({"/": Answer(body=b"a", seconds=20)})
    answer = fetched(site, f"{HOME}/")
    assert (answer.elapsed, answer.ended - answer.started) == (20, dt.timedelta(seconds=20))
    with pytest.raises(goodbot.FetchError) as caught:
        fetched(site, f"{HOME}/", seconds=5)
    assert caught.value.kind == "timeout"
    assert site.clock.monotonic() == 25
    assert [visit.monotonic for visit in site.visits] == [0, 20]


def test_the_limits_hold_in_memory_as_well() -> None:
    """The content is truncated and marked so, or the fetch fails."""
    site = FakeSite({"/": "x" * 100})
    cut = fetched(site, f"{HOME}/", bytes=10)
    assert (cut.body, cut.truncated) == (b"x" * 10, True)
    assert not fetched(site, f"{HOME}/", bytes=100).truncated
    with pytest.raises(goodbot.FetchError, match="larger"):
        fetched(site, f"{HOME}/", bytes=10, when_larger="fail")


@pytest.mark.parametrize(
    "route",
    [None, 1.5, lambda _: [], Answer(failure="no such")],
    ids=["none", "float", "list", "kind"],
)
def test_what_is_no_answer_is_misuse(route: Any) -> None:  # noqa: ANN401 - that is what is tested
    """The message names what a route may return."""
    with pytest.raises(goodbot.MisuseError, match=r"use one of|must return"):
        fetched(FakeSite({"/": route}), f"{HOME}/")


def test_both_fetchers_keep_one_contract() -> None:
    """A site in memory and a real one give the same answer."""

    async def ask(fetcher: Fetcher, origin: str) -> list[tuple[int, bytes, bool]]:
        answers = [
            await fetcher.fetch(origin + path, headers=ROBOT, limits=Limits(bytes=4))
            for path in ("/a", "/none")
        ]
        return [(answer.status, answer.body, answer.truncated) for answer in answers]

    async def main() -> None:
        pages = {"/a": b"12345"}
        async with (
            LoopbackSite(pages=pages) as site,
            AiohttpFetcher(allow_networks=["127.0.0.1"]) as real,
        ):
            fake = FakeSite({"/a": "12345", "/none": Answer(status=404, body=b"<h1>Not")})
            assert await ask(real, site.origin) == await ask(fake, HOME)

    run(main())


def test_every_name_is_there() -> None:
    """`__all__` names nothing that cannot be imported."""
    assert all(hasattr(goodbot.testing, name) for name in goodbot.testing.__all__)
