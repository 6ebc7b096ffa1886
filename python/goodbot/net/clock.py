"""The time, as those who act ask for it: a clock that can be replaced."""

import asyncio
import time
from datetime import datetime, timezone
from typing import Protocol

__all__ = ["Clock", "SystemClock"]


class Clock(Protocol):
    """What tells the time, and lets it pass.

    `goodbot.testing.FakeClock` is one in which a day passes in milliseconds.
    """

    def now(self) -> datetime:
        """Give the time of day, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Give seconds that never run backwards, counted from any point."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Let this many seconds pass for the task that asks."""
        ...


class SystemClock:
    """The clock of the machine.

    >>> clock = SystemClock()
    >>> clock.now().tzinfo, clock.monotonic() <= clock.monotonic()
    (datetime.timezone.utc, True)
    """

    def now(self) -> datetime:
        """Give the time of day, aware, in UTC."""
        return datetime.now(timezone.utc)

    def monotonic(self) -> float:
        """Give seconds that never run backwards, counted from any point."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Let this many seconds pass for the task that asks."""
        await asyncio.sleep(seconds)
