"""The two times of a robot: the time of day, and the time that no setting of a clock changes.

What may live here: reading both at once, and carrying instants from one to the other. Pauses,
leases and blocks are counted in steady time. What a site states for the time of day (Visit-time,
the hours of a Request-rate, dates), how long a policy lives, and what people are shown is wall
time.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from goodbot.http.instants import MICROSECOND
from goodbot.net import Clock

__all__ = ["Now", "Timeline"]

STEP = timedelta(seconds=1)
"""From here on the clock was set, and a store is told so; less is its reading."""
JITTER = timedelta(milliseconds=1)
"""By how much two readings of the clocks may differ although neither was set."""
LAST = datetime.max.replace(tzinfo=timezone.utc)


@dataclass(frozen=True, slots=True)
class Now:
    """One moment, on both clocks.

    >>> noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
    >>> now = Now(noon, noon - timedelta(hours=1))
    >>> str(now.steady_of(noon + timedelta(seconds=5)).time()), now.ahead // timedelta(seconds=1)
    ('11:00:05', 3600)
    """

    wall: datetime
    """The time of day, in UTC."""
    steady: datetime
    """What it would be had nobody set the clock since the count of the store began."""

    @property
    def ahead(self) -> timedelta:
        """How far the time of day is ahead of steady time."""
        return self.wall - self.steady

    @property
    def microseconds_ahead(self) -> int:
        """The same as a whole number."""
        return self.ahead // MICROSECOND

    def steady_of(self, wall: datetime) -> datetime:
        """Carry an instant over to steady time."""
        return moved(wall, -self.ahead)

    def wall_of(self, steady: datetime) -> datetime:
        """Carry an instant over to the time of day."""
        return moved(steady, self.ahead)


class Timeline:
    """Reads a clock, and counts steady time from where a store says.

    Args:
        clock: The clock.

    """

    def __init__(self, clock: Clock) -> None:
        """Begin the count at the time of day."""
        self._clock = clock
        self._boot = str(getattr(clock, "boot", ""))
        self._told = self._ahead = timedelta(0)
        wall, counted = self._both()
        self._zero = wall - counted

    def _both(self) -> tuple[datetime, timedelta]:
        counted = timedelta(seconds=self._clock.monotonic())
        return self._clock.now().astimezone(timezone.utc), counted

    def read(self) -> Now:
        """Read both clocks.

        They are read one after the other, so their difference varies by microseconds. It counts as
        unchanged within `JITTER`: a history that needs no move costs nothing.
        """
        wall, counted = self._both()
        steady = self._zero + counted
        if abs(wall - steady - self._ahead) > JITTER:
            self._ahead = wall - steady
        return Now(moved(steady, self._ahead), steady)

    @property
    def has_stepped(self) -> bool:
        """Whether the clock was set since a store was told what it shows."""
        return abs(self.read().ahead - self._told) > STEP

    def tell(self, store: object) -> None:
        """Report to a store what the clock shows; count from where it says, if it keeps time."""
        wall, counted = self._both()
        keep_time = getattr(store, "keep_time", None)
        if keep_time is not None:
            self._zero = keep_time(self._boot, wall, counted)
        self._told = wall - (self._zero + counted)


def moved(time: datetime, by: timedelta) -> datetime:
    """Move an instant, no further than the calendar reaches."""
    try:
        return time + by
    except OverflowError:
        return LAST
