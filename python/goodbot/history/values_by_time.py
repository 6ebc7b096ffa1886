"""What held from which time on, and a bounded number of such timelines.

Scope: values in order of time; they may be anything. What policies mean over time is in
`policy_timeline`.
"""

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Generic, TypeVar

from goodbot.lazy_dataclass import dataclass

__all__ = ["TimelineCache", "ValuesByTime"]

TimeT = TypeVar("TimeT", datetime, int)
ValueT = TypeVar("ValueT")


@dataclass(frozen=True, slots=True)
class ValuesByTime(Generic[TimeT, ValueT]):
    """Values, each of which held from its time until the next.

    >>> rules = ValuesByTime.of([(5, "closed"), (1, "open")])
    >>> rules.at(0), rules.at(1), rules.at(4), rules.at(9)
    (None, 'open', 'open', 'closed')
    """

    times: tuple[TimeT, ...]
    """When each began to hold, in order: times with a zone, or microseconds since 1970."""
    values: tuple[ValueT, ...]
    """The values, in the same order."""

    @classmethod
    def of(cls, changes: Iterable[tuple[TimeT, ValueT]]) -> "ValuesByTime[TimeT, ValueT]":
        """Make a timeline of times and values; of those of one time, the last one holds."""
        ordered = sorted(changes, key=lambda change: change[0])
        return cls(tuple(at for at, _ in ordered), tuple(value for _, value in ordered))

    def count(self, time: TimeT) -> int:
        """Return how many values began to hold up to a time, the last of which holds then."""
        return bisect_right(self.times, time)

    def at(self, time: TimeT) -> ValueT | None:
        """Return the value that held at a time; `None` before the first."""
        count = self.count(time)
        return self.values[count - 1] if count else None


class TimelineCache(Generic[ValueT]):
    """The timelines of a bounded number of origins: those that were asked about last.

    It knows nothing of robots.txt or of time; what it keeps are `PolicyTimeline`s, or states.

    A million rows may need the robots.txt of ten thousand origins: each is read once, not once for
    each row.

    Args:
        read: Returns the timeline of an origin.
        most: The largest number of origins to keep.

    """

    def __init__(self, read: Callable[[str], ValueT], most: int) -> None:
        """Start with none."""
        self._read, self._most = read, most
        self._known: OrderedDict[str, ValueT] = OrderedDict()

    def of(self, origin: str) -> ValueT:
        """Return the timeline of an origin."""
        known = self._known.get(origin)
        if known is None:
            known = self._known[origin] = self._read(origin)
            if len(self._known) > self._most:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(origin)
        return known
