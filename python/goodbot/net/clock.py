"""Clocks: the source of time for everything that acts, which can be replaced."""

import time
from collections.abc import Callable
from datetime import datetime, timezone
from functools import lru_cache, partial
from pathlib import Path
from typing import Protocol

__all__ = ["Clock", "SystemClock"]

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
"""Linux has a name for each start of the machine here (random(4))."""
TIME_NAMESPACE = Path("/proc/self/ns/time")
"""Containers may have their own start of the count, in a namespace (time_namespaces(7))."""
LONGEST_ID = 100


class Clock(Protocol):
    """A clock: the current time, and sleeping.

    It may have an attribute `boot`: a text that is the same for all processes whose `monotonic`
    counts from the same point, such as the same start of the machine. Without it, or if it is
    empty, processes compare their times by the time of day.

    `goodbot.testing.FakeClock` is a clock in which a day passes in milliseconds.
    """

    def now(self) -> datetime:
        """Return the time of day, aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never run backwards, counted from any point."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Sleep for this many seconds."""
        ...


class SystemClock:
    """The clock of the machine.

    >>> clock = SystemClock()
    >>> clock.now().tzinfo, clock.monotonic() <= clock.monotonic()
    (datetime.timezone.utc, True)
    """

    def now(self) -> datetime:
        """Return the time of day, aware, in UTC."""
        return datetime.now(timezone.utc)

    @property
    def boot(self) -> str:
        """The start of the machine from which `monotonic` counts; empty if unknown."""
        return boot_of_machine()

    def monotonic(self) -> float:
        """Return seconds that never run backwards, counted from any point.

        On Linux they include the time for which the machine is suspended (`CLOCK_BOOTTIME`).
        """
        return monotonic()

    async def sleep(self, seconds: float) -> None:
        """Sleep for this many seconds."""
        import asyncio  # noqa: PLC0415  what sleeps has it loaded; what does not saves 20 ms

        await asyncio.sleep(seconds)


def counter() -> Callable[[], float]:
    """Return the counter that includes suspended time, if there is one."""
    suspended = getattr(time, "CLOCK_BOOTTIME", None)
    if suspended is None:
        return time.monotonic
    try:
        time.clock_gettime(suspended)
    except OSError:
        return time.monotonic
    return partial(time.clock_gettime, suspended)


monotonic = counter()


@lru_cache(maxsize=1)
def boot_of_machine() -> str:
    """Name the start of the machine, and the namespace whose time counts from there."""
    try:
        boot = BOOT_ID.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""
    try:
        namespace = str(TIME_NAMESPACE.readlink())
    except OSError:  # before Linux 5.6 there is only one
        namespace = ""
    return f"{boot} {namespace}".strip()[:LONGEST_ID] if boot else ""
