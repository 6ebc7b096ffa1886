"""A day in UT, split at the times at which a site asks for something else.

Rates and visiting times repeat daily and change only at full minutes. So a day has at most 1,440
parts with one pace each, and the earliest time is found without going through the days one by one,
however long a delay is.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import TypeAlias

from goodbot.http.instants import DAY, MINUTE
from goodbot.lazy_dataclass import dataclass
from goodbot.pace.constraints import Constraint, Constraints, Hours

__all__ = ["Part", "open_share", "parts_of"]

MINUTES = 24 * 60
WHOLE_DAY = ((0, MINUTES),)
TimedRate: TypeAlias = tuple[Constraint, Hours | None]
"""A rate, and when it is in force; `None` for always."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the day with one pace."""

    start: int
    """Microseconds since midnight."""
    end: int
    """The first microsecond after it."""
    rate: Constraint | None
    """The rate in force; `None` if there is none."""
    beside: Constraint | None
    """The strictest rate that may also be in force; `None` if there is none."""
    welcome: bool
    """Whether it lies within the visiting time."""
    is_own: bool = True
    """Whether it lies within the robot's own hours."""

    @property
    def is_plain(self) -> bool:
        """Whether nothing is stated for it: no rate, and no hours to stay away."""
        return self.rate is None and self.beside is None and self.welcome and self.is_own

    def first(self, lower: int) -> int:
        """Return the earliest time in this part, on any day, that is not before `lower`."""
        time = lower % DAY
        if self.start <= time < self.end:
            return lower
        return lower - time + self.start + (DAY if time >= self.end else 0)

    def has(self, instant: int) -> bool:
        """Whether a time is in this part, on any day."""
        return self.start <= instant % DAY < self.end


def parts_of(
    constraints: Constraints, own: Iterable[tuple[int, int]] = WHOLE_DAY
) -> tuple[Part, ...]:
    """Split the day.

    Worst case: each line and each of the 1,440 minutes is checked once, whatever the file says.

    Args:
        constraints: What the site asks for.
        own: The minutes of the robot's own hours.

    """
    is_own = open_minutes(own)
    sure, doubtful = ranked(constraints)
    always = all(hours is None for _, hours in constraints.rates) and not constraints.hours
    if always and all(is_own):
        rate, beside = (pairs[0][0] if pairs else None for pairs in (sure, doubtful))
        return (Part(0, DAY, rate, beside, welcome=True),)
    rates, besides = painted(sure), painted(doubtful)
    spans = [span for hours in constraints.hours for span in hours.spans()]
    welcome = open_minutes(spans or WHOLE_DAY)
    runs = groupby(range(MINUTES), key=lambda at: (rates[at], besides[at], welcome[at], is_own[at]))
    parts = []
    for (number, other, is_open, own_time), run in runs:
        minutes = list(run)
        rate = None if number is None else sure[number][0]
        beside = None if other is None else doubtful[other][0]
        first, end = minutes[0] * MINUTE, (minutes[-1] + 1) * MINUTE
        parts.append(Part(first, end, rate, beside, is_open, own_time))
    return tuple(parts)


def open_share(parts: Iterable[Part]) -> float:
    """Return the share of a day in which a robot may visit, from 0 to 1.

    >>> open_share(parts_of(Constraints(hours=(Hours(0, 6 * 60 - 1),)), [(3 * 60, MINUTES)]))
    0.125
    """
    return sum(part.end - part.start for part in parts if part.welcome and part.is_own) / DAY


def ranked(constraints: Constraints) -> tuple[list[TimedRate], list[TimedRate]]:
    """Return the clear rates and the doubtful ones, in order of precedence.

    During its times, a rate is what the robot "is to use": it takes precedence over those without
    times, even if it is faster. The rule of the fewest documents is for rates that do "NOT include
    the time" (Conner 1996, Request-rate); goodbot's careful choice is to use it for several rates
    with times too. A doubtful rate replaces no other, so the strictest of those applies.
    """
    sure = [pair for pair in constraints.rates if not pair[0].is_doubtful]
    doubtful = [pair for pair in constraints.rates if pair[0].is_doubtful]
    return (
        sorted(sure, key=lambda pair: (pair[1] is None, -pair[0].gap)),
        sorted(doubtful, key=lambda pair: -pair[0].gap),
    )


def painted(rates: Sequence[TimedRate]) -> list[int | None]:
    """Return for each minute the number of the rate in force.

    The first rate gets its minutes; later ones get what remains. `following` leads from a used
    minute to the next that may be free, so that none is checked twice.
    """
    taken: list[int | None] = [None] * MINUTES
    following = list(range(MINUTES + 1))

    def free(minute: int) -> int:
        while following[minute] != minute:
            following[minute] = minute = following[following[minute]]
        return minute

    for number, (_, hours) in enumerate(rates):
        for first, end in ((0, MINUTES),) if hours is None else hours.spans():
            minute = free(first)
            while minute < end:
                taken[minute] = number
                following[minute] = minute + 1
                minute = free(minute)
    return taken


def open_minutes(spans: Iterable[tuple[int, int]]) -> list[bool]:
    """Return for each minute of a day whether it is in one of the runs."""
    minutes = [False] * MINUTES
    for first, end in spans:
        minutes[first:end] = [True] * (end - first)
    return minutes
