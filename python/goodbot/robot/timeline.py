"""The two times of a robot: the time of day, and steady time, which no setting of a clock changes.

Scope: reading both at once, and converting instants between them. Pauses, leases and blocks are
counted in steady time. The time of day is used for the statements of sites (Visit-time, the hours
of a Request-rate, dates), for the lifetime of a policy, and for everything shown to people.
"""

from datetime import datetime, timedelta, timezone
from typing import NamedTuple

from goodbot.http.instants import MICROSECOND
from goodbot.net import Clock

__all__ = ["Now", "Timeline"]

STEP = timedelta(seconds=1)
"""The difference from which a clock counts as set, which is then reported to the store."""
BACK = -STEP
JITTER = timedelta(milliseconds=1)
"""The difference between two readings of the clocks that can occur although neither was set."""
EARLIER = -JITTER
NOTHING = timedelta(0)
UTC = timezone.utc
LAST = datetime.max.replace(tzinfo=UTC)


class Now(NamedTuple):
    """One moment, on both clocks.

    >>> noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
    >>> now = Now(noon, noon - timedelta(hours=1))
    >>> str(now.steady_of(noon + timedelta(seconds=5)).time()), now.ahead // timedelta(seconds=1)
    ('11:00:05', 3600)
    """

    wall: datetime
    """The time of day, in UTC."""
    steady: datetime
    """The time of day if the clock had not been set since the store began to count."""

    @property
    def ahead(self) -> timedelta:
        """How far the time of day is ahead of steady time."""
        return NOTHING if self.wall is self.steady else self.wall - self.steady

    @property
    def microseconds_ahead(self) -> int:
        """The same as a whole number of microseconds."""
        return 0 if self.wall is self.steady else self.ahead // MICROSECOND

    def steady_of(self, wall: datetime) -> datetime:
        """Convert an instant of the time of day to steady time."""
        return wall if self.wall is self.steady else moved(wall, -self.ahead)

    def wall_of(self, steady: datetime) -> datetime:
        """Convert an instant of steady time to the time of day."""
        return steady if self.wall is self.steady else moved(steady, self.ahead)


class Timeline:
    """The present time by a clock, with steady time as a store counts it.

    Args:
        clock: The clock.

    """

    def __init__(self, clock: Clock) -> None:
        """Start steady time at the time of day."""
        self.seconds, self._read_wall = clock.monotonic, clock.now
        """Return seconds that no setting of the clock changes, counted from any point."""
        self._boot = str(getattr(clock, "boot", ""))
        self._told = self._ahead = timedelta(0)
        wall, counted = self._both()
        self._zero = wall - counted

    def _both(self) -> tuple[datetime, timedelta]:
        counted = timedelta(0, self.seconds())
        now = self._read_wall()
        return now if now.tzinfo is UTC else now.astimezone(UTC), counted

    def read(self) -> Now:
        """Read both clocks.

        They are read one after the other, so their difference varies by microseconds. Within
        `JITTER` it counts as unchanged, so that histories need not be converted.
        """
        steady = self._steady()
        return Now(moved(steady, self._ahead) if self._ahead else steady, steady)

    def microseconds_ahead(self) -> int:
        """Return how far the time of day is ahead of steady time; see `Now`."""
        self._steady()
        return self._ahead // MICROSECOND if self._ahead else 0

    def _steady(self) -> datetime:
        """Read both clocks; return steady time, and note how far the time of day is ahead of it."""
        steady = self._zero + timedelta(0, self.seconds())
        wall = self._read_wall()
        if wall.tzinfo is not UTC:
            wall = wall.astimezone(UTC)
        difference = wall - steady
        if self._ahead:
            difference -= self._ahead
        if EARLIER <= difference <= JITTER:
            return steady
        # Another thread may have run between both readings, which is no setting of a clock.
        wall, counted = self._both()
        steady = self._zero + counted
        ahead = wall - steady
        self._ahead = ahead if abs(ahead) > JITTER else NOTHING
        return steady

    def has_stepped(self, now: Now) -> bool:
        """Return whether the clock was set between the last report to a store and a reading."""
        return not BACK <= now.ahead - self._told <= STEP

    def tell(self, store: object) -> None:
        """Report the time to a store; if it keeps time, adopt its steady time."""
        wall, counted = self._both()
        keep_time = getattr(store, "keep_time", None)
        if keep_time is not None:
            self._zero = keep_time(self._boot, wall, counted)
        self._told = wall - (self._zero + counted)


def moved(time: datetime, by: timedelta) -> datetime:
    """Return an instant, moved by some time, but at most to the end of the calendar."""
    try:
        return time + by
    except OverflowError:
        return LAST
