"""goodbot as on another machine: with a name, a start and a clock of its own, which may be wrong.

python -m tests.support.other_machine NAME AHEAD STEP EVERY WORD...

The clock is AHEAD seconds ahead, or behind if that is negative; every EVERY seconds it is set
forward by STEP seconds, or back again. Seconds since the start of the machine are counted from
another point than here. What reads the clock is replaced before anything of goodbot is loaded, so
whatever of it reads the clock sees that.
"""

from __future__ import annotations

import datetime as dt
import runpy
import socket
import sys
import time
from contextlib import suppress
from typing import Any, ClassVar

__all__ = ["words_for"]

REAL, REAL_TIME, REAL_TIME_NS = dt.datetime, time.time, time.time_ns
REAL_GETTIME = time.clock_gettime


def words_for(
    name: str, *words: str, ahead: float = 0.0, step: float = 0.0, every: float = 1.0
) -> list[str]:
    """Return the command that runs `goodbot WORD...` on such a machine."""
    numbers = [str(one) for one in (ahead, step, every)]
    return [sys.executable, "-m", "tests.support.other_machine", name, *numbers, *words]


class Wrong:
    """By how much the clock is wrong."""

    ahead = step = 0.0
    every = 1.0
    start = time.monotonic()

    @classmethod
    def seconds(cls) -> float:
        """Return it now."""
        is_set = int((time.monotonic() - cls.start) / cls.every) % 2
        return cls.ahead + cls.step * is_set


class OfAnyDatetime(type):
    """Makes every `datetime` an instance of the one that is wrong."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, REAL)


class WrongDatetime(dt.datetime, metaclass=OfAnyDatetime):
    """A `datetime` whose `now` is wrong; what it makes is an ordinary one."""

    __slots__ = ()
    min: ClassVar[dt.datetime] = REAL.min
    max: ClassVar[dt.datetime] = REAL.max

    def __new__(cls, *values: Any, **named: Any) -> Any:  # noqa: ANN401  as in the base
        """Make an ordinary one."""
        return REAL(*values, **named)

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> Any:  # noqa: ANN401  as in the base
        """Return what the clock shows."""
        return REAL.now(tz) + dt.timedelta(seconds=Wrong.seconds())


def wrong_gettime(clock: int) -> float:
    """Return seconds of a clock; those since the start of the machine are others."""
    since_start = clock == getattr(time, "CLOCK_BOOTTIME", None)
    return REAL_GETTIME(clock) + (1_000_000 if since_start else 0)


def main(name: str, ahead: str, step: str, every: str, *words: str) -> None:
    """Run goodbot."""
    with suppress(ImportError):  # what is not Python's takes types of another size for damaged
        import pandas as pd  # noqa: F401, PLC0415  pyarrow loads it if it is there
    with suppress(ImportError):
        import pyarrow.parquet  # noqa: F401, PLC0415  an extra
    Wrong.ahead, Wrong.step, Wrong.every = float(ahead), float(step), float(every)
    dt.datetime = WrongDatetime  # type: ignore[misc]
    time.time = lambda: REAL_TIME() + Wrong.seconds()
    time.time_ns = lambda: REAL_TIME_NS() + round(Wrong.seconds() * 1_000_000_000)
    time.clock_gettime = wrong_gettime
    socket.gethostname = lambda: name
    from goodbot.net import clock  # noqa: PLC0415  after the clock is replaced

    clock.boot_of_machine = lambda: name  # type: ignore[assignment]
    sys.argv = ["goodbot", *words]
    runpy.run_module("goodbot", run_name="__main__")


if __name__ == "__main__":
    main(*sys.argv[1:])
