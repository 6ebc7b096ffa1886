"""A clock whose time passes only while every task sleeps."""

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
"""Idle rounds of the loop after which nothing more will happen; in the first one, data that is
still in the kernel may arrive."""

ROUNDS_WITHOUT_SIGHT = 100
"""Rounds to wait in a loop that does not show whether it is idle."""


class FakeClock:
    """Time that stands still while there is work to do, and then jumps forward.

    Many tasks may sleep. When every task of the loop waits, the one that is due first wakes. Tasks
    due at the same moment wake one after the other, in the order in which they fell asleep, and
    each does all it can before the next one wakes. So every run is the same, and a day of polite
    pauses takes milliseconds.

    Sockets and threads work in real time: hold the clock (`held`) while you wait for one.

    The time of day can be set forward and back (`step`), as an administrator or NTP does;
    `monotonic` and sleeping tasks are not affected. `boot` names the start of the machine: clocks
    with the same value stand for processes that run side by side, clocks with different values for
    processes before and after a restart.

    Args:
        start: The first value of `now`; aware.
        boot: The start of the machine; different for each clock by default.
        monotonic: The first value of `monotonic`.

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
        """Start at a time."""
        if start.tzinfo is None:
            message = "start is naive; pass an aware datetime, such as with tzinfo=timezone.utc"
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
        """Return the time of day, aware."""
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        """Return the seconds since the start."""
        return self._first + self._elapsed

    def step(self, seconds: float) -> None:
        """Set the time of day forward, or back if `seconds` is negative; nothing else changes.

        >>> clock = FakeClock()
        >>> clock.step(3600)
        >>> clock.monotonic(), f"{clock.now():%H:%M}"
        (0.0, '01:00')
        """
        self._start += timedelta(seconds=seconds)

    async def sleep(self, seconds: float) -> None:
        """Sleep for some seconds of this clock, and for at least one round of the loop."""
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
        """Advance the time at once, for tests without tasks; sleepers that are due by then wake.

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
        """Stop the time within the block, while something real is awaited."""
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1
            if self._sleepers and not self._holds:
                self._watch(asyncio.get_running_loop())

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Check after this round whether the loop is idle."""
        self._quiet = 0
        if self._watched is not loop:  # a loop that has ended may have left this set
            self._watched = loop
            loop.call_soon(self._look, loop)

    def _look(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wake the first sleeper if the loop is idle; otherwise check again."""
        if not self._sleepers or self._holds or self._watched is not loop:
            self._watched = None
            return
        self._quiet = self._quiet + 1 if is_idle(loop) else 0
        if self._quiet >= (SETTLED if shows_what_is_ready(loop) else ROUNDS_WITHOUT_SIGHT):
            self._quiet = 0
            self._wake_first()
        loop.call_soon(self._look, loop)

    def _wake_first(self) -> None:
        """Advance the time to the first sleeper and wake it, unless it was cancelled."""
        due, _, sleeper = heapq.heappop(self._sleepers)
        if not sleeper.done():
            self._elapsed = max(self._elapsed, due)
            sleeper.set_result(None)


def shows_what_is_ready(loop: asyncio.AbstractEventLoop) -> bool:
    """Return whether a loop shows its pending calls, as those of the standard library do."""
    return hasattr(loop, "_ready")


def is_idle(loop: asyncio.AbstractEventLoop) -> bool:
    """Return whether a loop has no pending calls apart from the caller's."""
    # There is no public way to find out; a loop without `_ready` is watched for many rounds.
    return not getattr(loop, "_ready", None)
