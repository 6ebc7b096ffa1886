"""A clock in which time passes only while everybody waits for it."""

import asyncio
import heapq
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from itertools import count

from goodbot.errors import WrongValueError

__all__ = ["FakeClock"]

BOOTS = count(1)
START = datetime(2026, 1, 1, tzinfo=timezone.utc)

SETTLED = 2
"""Rounds of the loop in which nothing happened, after which nothing will: in the first, what was
under way in the kernel may still arrive."""

ROUNDS_WITHOUT_SIGHT = 100
"""Rounds to wait in a loop that does not show whether it has something to do."""


class FakeClock:
    """Time that stands still while there is something to do, and then leaps.

    Many tasks may sleep. When every task of the loop waits, the one that is due first wakes, those
    due at the same moment one after the other in the order in which they fell asleep; each has
    done all it can before the next one wakes. So a run is the same every time, and a day of
    politeness takes milliseconds.

    Sockets and threads work in real time: while one is awaited, hold the clock (`held`).

    The time of day can be set forward and back (`step`), as an administrator or NTP does;
    `monotonic` and whoever sleeps do not notice. `boot` names the start of the machine: clocks of
    the same one stand for processes that run beside each other, of another for those after a
    restart.

    Args:
        start: What `now` says first; aware.
        boot: The start of the machine; a new one for each clock by default.
        monotonic: What `monotonic` says first.

    Raises:
        WrongValueError: `start` is naive.

    >>> clock = FakeClock()
    >>> async def robot(name: str, delay: float) -> None:
    ...     for _ in range(2):
    ...         await clock.sleep(delay)
    ...         print(f"{clock.now():%H:%M}", name)
    >>> async def main() -> None:
    ...     await asyncio.gather(robot("hasty", 60), robot("calm", 43_200))
    >>> asyncio.run(main())
    00:01 hasty
    00:02 hasty
    12:00 calm
    00:00 calm

    """

    def __init__(
        self, start: datetime = START, *, boot: str | None = None, monotonic: float = 0.0
    ) -> None:
        """Begin at a time."""
        if start.tzinfo is None:
            message = "start is naive; give an aware datetime, such as with tzinfo=timezone.utc"
            raise WrongValueError(message)
        self.boot = f"fake {next(BOOTS)}" if boot is None else boot
        self._start = start
        self._first = monotonic
        self._elapsed = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = 0
        self._holds = 0
        self._watched: asyncio.AbstractEventLoop | None = None
        self._quiet = 0

    def now(self) -> datetime:
        """Give the time of day, aware."""
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        """Return the seconds since the start."""
        return self._first + self._elapsed

    def step(self, seconds: float) -> None:
        """Set the time of day forward, or back where `seconds` is below 0; nothing else changes.

        >>> clock = FakeClock()
        >>> clock.step(3600)
        >>> clock.monotonic(), f"{clock.now():%H:%M}"
        (0.0, '01:00')
        """
        self._start += timedelta(seconds=seconds)

    async def sleep(self, seconds: float) -> None:
        """Let this many seconds pass for the task that asks, and at least one round of the loop."""
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        loop = asyncio.get_running_loop()
        sleeper: asyncio.Future[None] = loop.create_future()
        self._count += 1
        heapq.heappush(self._sleepers, (self._elapsed + seconds, self._count, sleeper))
        self._watch(loop)
        await sleeper

    def advance(self, seconds: float) -> None:
        """Let time pass at once, for tests without tasks; whoever is due by then wakes.

        >>> clock = FakeClock()
        >>> clock.advance(90)
        >>> clock.monotonic(), f"{clock.now():%H:%M:%S}"
        (90.0, '00:01:30')
        """
        until = self._elapsed + max(0.0, seconds)
        while self._sleepers and self._sleepers[0][0] <= until:
            self._wake_first()
        self._elapsed = until

    @contextmanager
    def held(self) -> Iterator[None]:
        """Let no time pass within the block: something real is awaited there."""
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1
            if self._sleepers and not self._holds:
                self._watch(asyncio.get_running_loop())

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Look after this round whether there is anything to do."""
        self._quiet = 0
        if self._watched is not loop:  # one that is over may have been left in the midst of it
            self._watched = loop
            loop.call_soon(self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wake the first sleeper if nobody else has anything to do; else look again."""
        if not self._sleepers or self._holds or self._watched is not loop:
            self._watched = None
            return
        self._quiet = self._quiet + 1 if is_idle(loop) else 0
        if self._quiet >= (SETTLED if shows_what_is_ready(loop) else ROUNDS_WITHOUT_SIGHT):
            self._quiet = 0
            self._wake_first()
        loop.call_soon(self._look, loop)

    def _wake_first(self) -> None:
        """Let time leap to when the first sleeper is due; not for one that was cancelled."""
        due, _, sleeper = heapq.heappop(self._sleepers)
        if not sleeper.done():
            self._elapsed = max(self._elapsed, due)
            sleeper.set_result(None)


def shows_what_is_ready(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether a loop shows what it has to do, as those of the standard library do."""
    return hasattr(loop, "_ready")


def is_idle(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether a loop has nothing to do at once, but for the one who asks."""
    # There is no public way to ask; a loop without this is watched for many rounds instead.
    return not getattr(loop, "_ready", None)
