"""With random sites, rates, failures, schedules and cancellations, no visit is early or forbidden.

The judge is plain and apart: it knows what each site answered and when, and counts from that.
"""

import asyncio
import datetime as dt
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

import goodbot
from goodbot.pace import Manners
from goodbot.robot import Deferred, Disallowed, Visit
from goodbot.robot.visiting import LATE
from goodbot.store import MemoryStore
from goodbot.testing import Answer, FakeClock
from tests.support.examples import examples
from tests.support.references import pace_reference
from tests.support.robot_sites import OTHER, SITE, Seen, WatchedSite, no_lease_is_out, robot_at, run
from tests.support.waiting import HANGS

START = dt.datetime(2026, 1, 1, tzinfo=dt.timezone.utc)
ORIGINS = (SITE, OTHER)
TIMEOUT = 30.0
SHORTEST_LIFE, DEFAULT_LIFE = 300, 86400
EPSILON = 1e-5
"""The tolerance: the fake clock counts in floats, the pace in microseconds."""


@dataclass(frozen=True)
class File:
    """The statements of a robots.txt: what is forbidden, and the pace."""

    forbidden: tuple[str, ...] = ()
    delay: int | None = None
    rate: tuple[int, int] | None = None
    hours: tuple[int, int] | None = None
    max_age: int | None = None

    @property
    def life(self) -> int:
        """The seconds for which it is fresh in the default dialect."""
        stated = DEFAULT_LIFE if self.max_age is None else self.max_age
        return min(max(stated, SHORTEST_LIFE), DEFAULT_LIFE)

    def answer(self) -> Answer:
        """Return it as text."""
        lines = ["User-agent: *", *(f"Disallow: {path}" for path in self.forbidden)]
        lines += [] if self.delay is None else [f"Crawl-delay: {self.delay}"]
        lines += [] if self.rate is None else ["Request-rate: {}/{}".format(*self.rate)]
        lines += [] if self.hours is None else ["Visit-time: {:02}00-{:02}59".format(*self.hours)]
        age = [] if self.max_age is None else [("Cache-Control", f"max-age={self.max_age}")]
        etag = ("ETag", f'"{hash(self)}"')
        return Answer(body="\n".join(lines).encode(), headers=[etag, *age])


@dataclass(frozen=True)
class World:
    """Two sites, what happens to them over time, and the visits."""

    robots: dict[str, list[tuple[float, Any]]]
    pages: dict[str, Answer]
    tasks: list[tuple[float, str, float | None]]
    """The time, the URL, and the seconds after which it is cancelled."""
    manners: Manners
    robots_count: int = 1
    served: list[tuple[str, float, Any]] = field(default_factory=list, compare=False)


paths = st.sampled_from(["/a", "/b", "/c", "/to", "/far", "/lost"])
files = st.builds(
    File,
    forbidden=st.lists(paths, max_size=2).map(tuple),
    delay=st.none() | st.sampled_from([0, 1, 7, 90, 400]),
    rate=st.none() | st.sampled_from([(1, 5), (3, 60), (10, 7), (1, 400)]),
    hours=st.none() | st.sampled_from([(0, 1), (6, 8), (22, 3)]),
    max_age=st.none() | st.sampled_from([0, 400, 5000]),
)
troubles = st.sampled_from(
    [
        404,
        503,
        Answer(status=429, headers=[("Retry-After", "700")]),
        Answer(failure="timeout"),
        Answer(failure="reset", seconds=3),
        Answer(status=301, headers=[("Location", "/moved.txt")]),
    ]
)
seconds = st.sampled_from([0.0, 0.0, 0.5, 3.0, 29.0, 45.0])
answers = st.one_of(
    st.builds(Answer, seconds=seconds),
    st.builds(Answer, seconds=seconds, status=st.sampled_from([200, 404, 500])),
    st.builds(
        Answer,
        status=st.sampled_from([429, 503]),
        headers=st.sampled_from([(), (("Retry-After", "120"),), (("Retry-After", "4000"),)]),
    ),
    st.builds(Answer, failure=st.sampled_from(["reset", "dns"]), seconds=seconds),
)
times = st.integers(0, 90_000).map(float)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Draw a world."""
    robots = {}
    for origin in ORIGINS:
        later = draw(st.lists(st.tuples(times, st.one_of(files, files, troubles)), max_size=3))
        robots[origin] = sorted([(0.0, draw(st.one_of(files, files, troubles))), *later], key=first)
    pages = {path: draw(answers) for path in ("/a", "/b", "/c")}
    pages["/to"] = Answer(status=302, headers=[("Location", "/b")])
    pages["/far"] = Answer(status=302, headers=[("Location", f"{OTHER}/c")])
    pages["/lost"] = Answer(failure="timeout")
    one = st.tuples(
        st.one_of(st.just(0.0), times),
        st.tuples(st.sampled_from(ORIGINS), paths).map("".join),
        st.one_of(st.none(), st.none(), st.sampled_from([0.0, 0.3, 1.0, 12.0, 500.0])),
    )
    manners = Manners(
        floor=draw(st.sampled_from([0.0, 2.0, 15.0])), default=draw(st.sampled_from([1.0, 10.0]))
    )
    tasks = draw(st.lists(one, min_size=1, max_size=12))
    return World(robots, pages, tasks, manners, draw(st.integers(1, 2)))


def first(pair: tuple[float, Any]) -> float:
    """Return the time of a pair."""
    return pair[0]


def site_of(world: World, clock: FakeClock) -> WatchedSite:
    """Build the sites of a world."""

    def robots_txt(visit: Any) -> Any:  # noqa: ANN401
        origin = SITE if visit.url.startswith(SITE) else OTHER
        said = [one for at, one in world.robots[origin] if at <= visit.monotonic][-1]
        world.served.append((origin, visit.monotonic, said))
        if not isinstance(said, File):
            return said
        answer = said.answer()
        fields = dict(visit.headers)
        is_known = fields.get("If-None-Match") == dict(answer.headers)["ETag"]
        return Answer(status=304, headers=answer.headers) if is_known else answer

    return WatchedSite({"/robots.txt": robots_txt, **world.pages}, clock=clock)


async def worked(world: World, site: WatchedSite, store: MemoryStore) -> list[Any]:
    """Run the robots until every task is over."""
    clock = site.clock

    async def task(robot: goodbot.Robot, start: float, url: str, patience: float | None) -> Any:  # noqa: ANN401
        await clock.sleep(start)
        visiting = asyncio.ensure_future(robot.visit(url))
        if patience is not None:
            await clock.sleep(patience)
            visiting.cancel()
        await asyncio.wait({visiting})
        return visiting

    robots = [
        robot_at(site, store=store, manners=world.manners, timeout=TIMEOUT)
        for _ in range(world.robots_count)
    ]
    for robot in robots:
        await robot.__aenter__()
    work = (task(robots[n % len(robots)], *one) for n, one in enumerate(world.tasks))
    done = await asyncio.wait_for(asyncio.gather(*work), timeout=HANGS)
    for robot in robots:
        await robot.close()
    return done


TWO_ASK_AT_ONCE = World(
    robots={SITE: [(0.0, File(rate=(1, 400), max_age=0))], OTHER: [(0.0, File())]},
    pages={"/a": Answer(), "/b": Answer(seconds=3.0)},
    tasks=[(0.0, f"{SITE}/{path}", None) for path in ("b", "b", "a", "a")],
    manners=Manners(floor=2.0, default=1.0),
    robots_count=2,
)
"""The file of both robots expires at the same instant, and the pace delays each of them."""


OUT_OF_REACH_FOR_EVER = World(
    robots={
        SITE: [(0.0, File())],
        OTHER: [(0.0, File(hours=(0, 1))), (444.0, Answer(failure="timeout"))],
    },
    pages={"/a": Answer(), "/lost": Answer(failure="timeout")},
    tasks=[(float(at), f"{OTHER}/lost", None) for at in (8661, 13843, 15460, 49849)],
    manners=Manners(floor=0.0, default=1.0),
)
"""At each hour of visit robots.txt has expired, and once it is fetched the hour is over."""


@examples(150, deadline=None, suppress_health_check=list(HealthCheck))
@given(worlds())
@example(TWO_ASK_AT_ONCE)
@example(OUT_OF_REACH_FOR_EVER)
def test_no_visit_is_early_none_is_forbidden_and_none_is_lost(world: World) -> None:
    """Whatever the sites state and do, and whichever task is cancelled."""
    world.served.clear()
    site, store = site_of(world, FakeClock()), MemoryStore()
    tasks = run(worked(world, site, store))
    check_none_is_lost(tasks, site)
    assert no_lease_is_out(store)
    for origin in ORIGINS:
        check_origin(world, [one for one in site.seen if one.origin == origin], origin)


def check_none_is_lost(tasks: list[Any], site: WatchedSite) -> None:
    """Every task ended with a response or a reason, and made the requests that it reports."""
    told = 0
    for task in tasks:
        if task.cancelled():
            continue
        error = task.exception()
        assert error is None or isinstance(error, (Disallowed, Deferred, goodbot.FetchError)), error
        if isinstance(task.result() if error is None else None, Visit):
            told += len(task.result().hops)
    answers = [one for one in site.seen if one.path != "/robots.txt" and one.status is not None]
    assert told <= len(answers)


@dataclass(frozen=True)
class Known:
    """The result of fetching robots.txt: since when it is known, and how long it may be used."""

    since: float
    file: File | None
    life: float


def check_origin(world: World, seen: list[Seen], origin: str) -> None:
    """Check each request to one origin against what came before it and what applied then."""
    served = iter([said for where, _, said in world.served if where == origin])
    known: list[Known] = []
    copy: File | None = None
    for number, one in enumerate(seen):
        before = seen[:number]
        assert all(one.start >= earlier.end - EPSILON for earlier in before), "two at once"
        check_block(world, before, one)
        if one.path in ("/robots.txt", "/moved.txt"):
            check_own_manners(world, before, one)
        if one.path == "/robots.txt":
            said = next(served)
            if one.was_broken_off or is_redirect(said):
                continue
            known.append(policy_of(said, one.end, copy))
            copy = known[-1].file if isinstance(said, File) or said == 404 else copy
        elif one.path == "/moved.txt":
            if not one.was_broken_off:
                known.append(policy_of(404, one.end, None))
                copy = None
        else:
            assert known, f"{one}: nobody asked"
            check_visit(world, known, before, one)


def is_redirect(said: Any) -> bool:  # noqa: ANN401
    """Return whether a response to robots.txt is a redirect to follow."""
    return isinstance(said, Answer) and said.status == 301


def policy_of(said: Any, at: float, copy: File | None) -> Known:  # noqa: ANN401
    """Return the meaning of a response to robots.txt (RFC 9309 section 2.3.1)."""
    if isinstance(said, File):
        return Known(at, said, said.life)
    if said == 404:
        return Known(at, File(), 21600)  # unavailable: nothing is forbidden, for some hours
    if isinstance(said, Answer) and said.status == 429:
        return Known(at, None, 700)
    return Known(at, copy, 14400)  # unreachable: what was known, or nothing


def check_visit(world: World, known: list[Known], before: list[Seen], one: Seen) -> None:
    """Check a visit against what was known last.

    Of two robots each may know another answer, while it is fresh.
    """
    for policy in known[:-1] if world.robots_count > 1 else ():
        if one.start < policy.since + policy.life:
            try:
                check_by(world, policy, before, one)
            except AssertionError:
                continue
            return
    check_by(world, known[-1], before, one)


def check_by(world: World, policy: Known, before: list[Seen], one: Seen) -> None:
    """Check a visit against one policy: it is allowed, the policy is fresh, the pace is kept."""
    file, age = policy.file, one.start - policy.since
    assert file is not None, f"{one}: nobody is let in"
    assert not any(one.path.startswith(path) for path in file.forbidden), f"{one}: forbidden"
    pause = max(file.delay or 0, 0 if file.rate is None else file.rate[1] / file.rate[0])
    pause = pause if file.delay is not None or file.rate else world.manners.default
    # To ask costs a turn: with two robots, another's question may cost one more.
    # A robot that comes back may be late by as long as the policy lives.
    oldest = max(policy.life, pause * world.robots_count + 1.1 + max(LATE, policy.life))
    assert age <= oldest, f"{one}: by a robots.txt that is {age} s old"
    check_pace(world, file, before, one)


def check_block(world: World, before: list[Seen], one: Seen) -> None:
    """No request is made during a block by the server, or within the robot's own floor."""
    for earlier in before:
        if earlier.retry_after is not None:
            assert one.start >= earlier.end + earlier.retry_after - EPSILON, f"{one}: blocked"
    if before:
        last = max(before, key=lambda earlier: earlier.end)
        assert one.start >= last.end + world.manners.floor - EPSILON, f"{one}: below the floor"
        judged = [earlier for earlier in before if not earlier.was_broken_off]
        past = [(earlier.path, pace_reference.kind_of(earlier.status)) for earlier in judged]
        is_last = last.retry_after is None and not last.was_broken_off
        if is_last and pace_reference.back_off(past, world.manners.back_off_after):
            assert one.start >= last.end + 30 - EPSILON, f"{one}: after failures"


def check_own_manners(world: World, before: list[Seen], one: Seen) -> None:
    """A request for robots.txt comes no sooner than the robot's manners permit."""
    if before:
        last = max(before, key=lambda earlier: earlier.end)
        pause = max(world.manners.default, world.manners.factor * (last.end - last.start))
        assert one.start >= last.end + pause - EPSILON, f"{one}: without manners"


def check_pace(world: World, file: File, before: list[Seen], one: Seen) -> None:
    """A visit comes no sooner than the site's pace and the robot's manners permit."""
    end = max(earlier.end for earlier in before)
    if file.delay is not None:
        assert one.start >= end + file.delay - EPSILON, f"{one}: before the Crawl-delay"
    if file.rate is not None:
        documents, period = file.rate
        assert one.start >= end + period / documents - EPSILON, f"{one}: before the rate"
        recent = [earlier for earlier in before if earlier.start > one.start - period + EPSILON]
        assert len(recent) < documents, f"{one}: more than the rate"
    if file.delay is None and file.rate is None:
        assert one.start >= end + world.manners.default - EPSILON, f"{one}: without manners"
    if file.hours is not None:
        begin, last = file.hours
        hour = (START + dt.timedelta(seconds=one.start + EPSILON)).hour
        inside = begin <= hour <= last if begin <= last else hour >= begin or hour <= last
        assert inside, f"{one}: outside the visit time"
