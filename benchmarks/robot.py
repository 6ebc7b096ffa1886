"""Time `Robot.may_fetch` with a fresh policy, as a crawler calls it before each URL.

The sites are in memory, one for each file of the corpus, and no URL is checked twice in a round, so
neither rules nor URLs are in the CPU's first cache. Run as a program, it prints the figure.
"""

import asyncio
import datetime as dt
import gc
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

import clock
import corpus
import goodbot
from corpus import CONTACT, INFO, ROBOT, Sample
from goodbot.testing import FakeClock, FakeSite

TARGET = 5e-6
"""The target in seconds for a call."""
MOST_ORIGINS = 5_000
"""The number of files: fewer than the origins that a robot keeps in memory."""


@dataclass(frozen=True)
class Asked:
    """The results. Times are CPU seconds for all calls, one for each round."""

    origins: int
    questions: int
    times: Sequence[float]
    nothing: Sequence[float]
    """The times of the same loop with a coroutine that does nothing."""
    wrong: Sequence[str]
    """The URLs for which the answer differs from that of `Rules.allows`."""

    @property
    def each(self) -> float:
        """The median of the seconds for a call."""
        return clock.median(self.times) / self.questions

    @property
    def nothing_each(self) -> float:
        """The median of the seconds for the call that does nothing."""
        return clock.median(self.nothing) / self.questions


@dataclass(frozen=True)
class Question:
    """A URL, and whether it may be fetched."""

    url: str
    allowed: bool


def measure(samples: Sequence[Sample], repeats: int) -> Asked:
    """Check every URL in every round."""
    return asyncio.run(asked(samples[:MOST_ORIGINS], repeats))


async def asked(samples: Sequence[Sample], repeats: int) -> Asked:
    """Check all URLs; a first round fetches every policy, and its answers are compared."""
    now = dt.datetime.now(tz=dt.timezone.utc)
    site = FakeSite(
        {f"{origin(number)}/robots.txt": one.content for number, one in enumerate(samples)},
        clock=FakeClock(now),
    )
    expected = questions(samples)
    times, nothing, wrong = [], [], []
    async with goodbot.Robot(f"{ROBOT}/1.0", info_url=INFO, contact=CONTACT, fetcher=site) as robot:
        for one in expected:
            verdict = await robot.may_fetch(one.url)
            if bool(verdict) != one.allowed:
                wrong.append(f"{one.url}: {verdict}")
        fetched = len(site.visits)
        for _ in range(repeats):
            times.append(await round_of(robot.may_fetch, [one.url for one in expected]))
            nothing.append(await round_of(do_nothing, [one.url for one in expected]))
    if len(site.visits) != fetched or fetched != len(samples):
        wrong.append(f"{len(site.visits)} requests for {len(samples)} origins")
    return Asked(len(samples), len(expected), times, nothing, wrong)


async def round_of(ask: Callable[[str], Awaitable[object]], urls: Sequence[str]) -> float:
    """Check every URL; return the CPU seconds that it takes."""
    gc.collect()
    gc.disable()
    try:
        start = time.process_time_ns()
        for url in urls:
            await ask(url)
        return (time.process_time_ns() - start) / 1e9
    finally:
        gc.enable()


async def do_nothing(_: str) -> None:
    """Do nothing."""


def origin(number: int) -> str:
    """Return the origin of a file."""
    return f"https://host-{number}.example"


def questions(samples: Sequence[Sample]) -> list[Question]:
    """Return the URLs to check: those of each file, on an origin of its own."""
    found = []
    for number, one in enumerate(samples):
        rules = goodbot.RobotsTxt(one.content).rules_for(ROBOT)
        for url in one.urls:
            parts = urlsplit(url)
            moved = url.replace(f"{parts.scheme}://{parts.netloc}", origin(number), 1)
            found.append(Question(moved, rules.allows(moved)))
    return found


def main() -> int:
    """Print the figure; return 1 if the target is missed or an answer is wrong."""
    data = corpus.load()
    clock.pin(1, clock.cpus())
    found = measure(data.samples, 7)
    print(f"{found.questions} questions at {found.origins} origins; files: {data.origin}")
    print(f"may_fetch {found.each * 1e6:.2f} us; the loop {found.nothing_each * 1e6:.2f} us of it")
    print("\n".join(found.wrong[:9]) or "every answer is that of Rules.allows")
    return 1 if found.wrong or found.each > TARGET else 0


if __name__ == "__main__":
    sys.exit(main())
