"""A day in UT, cut where what a site asks changes.

Rates and visiting times repeat daily and change on minutes only. So a day has at most 1,440 parts,
in each of which one pace holds; with them the earliest instant is found without going through days
one by one, however long a delay is.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from goodbot.http.instants import DAY, MINUTE
from goodbot.pace.constraints import Constraint, Constraints

__all__ = ["Part", "parts_of"]

MINUTES = 24 * 60
WHOLE_DAY = ((0, MINUTES),)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the day, in which one pace holds."""

    start: int
    """Microseconds since midnight."""
    end: int
    """The first microsecond after it."""
    rate: Constraint | None
    """The strictest rate in force; `None` if there is none."""
    welcome: bool
    """Whether it lies within the visiting time."""
    is_own: bool = True
    """Whether it lies within the robot's own hours."""

    def first(self, lower: int) -> int:
        """Give the earliest instant of this part, on any day, that is not before another."""
        time = lower % DAY
        if self.start <= time < self.end:
            return lower
        return lower - time + self.start + (DAY if time >= self.end else 0)

    def has(self, instant: int) -> bool:
        """Whether an instant lies in this part, on whatever day."""
        return self.start <= instant % DAY < self.end


def parts_of(
    constraints: Constraints, own: Iterable[tuple[int, int]] = WHOLE_DAY
) -> tuple[Part, ...]:
    """Cut the day.

    Worst case: one look at each line and each of the 1,440 minutes, whatever the file says.

    Args:
        constraints: What the site asks.
        own: The minutes in which the robot itself goes out.

    """
    is_own = open_minutes(own)
    always = all(hours is None for _, hours in constraints.rates) and not constraints.hours
    if always and all(is_own):
        return (Part(0, DAY, strictest(constraints), welcome=True),)
    rates = painted(constraints)
    spans = [span for hours in constraints.hours for span in hours.spans()]
    welcome = open_minutes(spans or WHOLE_DAY)
    runs = groupby(range(MINUTES), key=lambda at: (rates[at], welcome[at], is_own[at]))
    parts = []
    for (rate, is_open, own_time), run in runs:
        minutes = list(run)
        constraint = None if rate is None else constraints.rates[rate][0]
        first, end = minutes[0] * MINUTE, (minutes[-1] + 1) * MINUTE
        parts.append(Part(first, end, constraint, is_open, own_time))
    return tuple(parts)


def strictest(constraints: Constraints) -> Constraint | None:
    """Give the rate of the fewest documents per unit of time (Conner 1996); of equals the first."""
    return max((rate for rate, _ in constraints.rates), key=lambda rate: rate.gap, default=None)


def painted(constraints: Constraints) -> list[int | None]:
    """Give for each minute the number of the strictest rate in force.

    The strictest comes first and takes its minutes; later ones take what is left. `following` leads
    from a minute that is taken to the next that may be free, so that none is looked at twice.
    """
    taken: list[int | None] = [None] * MINUTES
    following = list(range(MINUTES + 1))

    def free(minute: int) -> int:
        while following[minute] != minute:
            following[minute] = minute = following[following[minute]]
        return minute

    order = sorted(
        range(len(constraints.rates)), key=lambda number: -constraints.rates[number][0].gap
    )
    for number in order:
        hours = constraints.rates[number][1]
        for first, end in ((0, MINUTES),) if hours is None else hours.spans():
            minute = free(first)
            while minute < end:
                taken[minute] = number
                following[minute] = minute + 1
                minute = free(minute)
    return taken


def open_minutes(spans: Iterable[tuple[int, int]]) -> list[bool]:
    """Return for each minute of a day whether one of some runs of minutes has it."""
    minutes = [False] * MINUTES
    for first, end in spans:
        minutes[first:end] = [True] * (end - first)
    return minutes
