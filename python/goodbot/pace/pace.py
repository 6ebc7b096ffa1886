"""When the next visit may be: the public class of this layer."""

import math
from collections.abc import Iterable
from copy import copy
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from goodbot._core import Finding, RobotsTxt, Rules
from goodbot.errors import WrongTypeError
from goodbot.http.instants import (
    SECOND,
    UTC,
    aware,
    checked_seconds,
    duration,
    instant,
    spoken,
    to_datetime,
)
from goodbot.pace.constraints import Constraint, constraints_of
from goodbot.pace.day import Part, parts_of
from goodbot.pace.history import History
from goodbot.pace.manners import Manners
from goodbot.pace.own_hours import own_minutes
from goodbot.pace.reasons import REASONS, Turn

__all__ = ["Pace"]

ORDER = {reason: number for number, reason in enumerate(REASONS)}


class WaitCause(NamedTuple):
    """Something that rules out a visit for some time."""

    reason: str
    source: str
    line: int
    because: object
    """`str()` of it ends the sentence."""


Bound: TypeAlias = tuple[int | None, WaitCause]
"""Until when a cause rules out a visit; `None`: until this part of the day ends."""


class Pace:
    r"""The pace that one robot keeps at one origin. Keep it as long as the rules.

    A wait can come from Crawl-delay, the Request-rate in force (one with times takes precedence
    during them; of several, the strictest), Visit-time, the robot's own minimum, hours and
    bandwidth, a block after a failure, and, if the site states no pace, the robot's manners. `turn`
    returns the earliest time at which none of them applies, to the microsecond, and the reason that
    ends last.

    Args:
        rules: What the robot must obey; `None` if there is no robots.txt, or it is not known yet.
        manners: The robot's own settings.
        robots_txt: The file of the rules; with it, reasons have line numbers.

    Raises:
        WrongTypeError: An argument has the wrong type.

    >>> from datetime import datetime, timezone
    >>> import goodbot
    >>> robots = goodbot.RobotsTxt(
    ...     b"User-agent: *\n"
    ...     b"Request-rate: 5/1m 0500-1259\nRequest-rate: 1/10m 1300-1659\nVisit-time: 0600-1500"
    ... )
    >>> pace = Pace(robots.rules_for("ExampleBot"), robots_txt=robots)
    >>> def at(hour, minute, second=0):
    ...     return datetime(2025, 1, 1, hour, minute, second, tzinfo=timezone.utc)
    >>> pace.interval(at(12, 0)), pace.interval(at(14, 0)), pace.interval(at(18, 0))
    (12.0, 600.0, 10.0)
    >>> print(pace.turn(History.of(last_ended=at(12, 59, 50)), now=at(12, 59, 50)))
    Not before 2025-01-01 13:09:50 UTC: robots.txt line 3 asks for at most 1 document in 10 minutes.
    >>> print(pace.turn(History.of(last_ended=at(14, 55)), now=at(14, 55)))
    Not before 2025-01-02 06:00:00 UTC: robots.txt line 4 welcomes visits from 06:00 to 15:00 UT.

    Source: Conner 1996, Request-rate and Visit-time; Crawl-delay as in use; RFC 9110 section
    10.2.3. Waits are counted from the end of the last visit; that is goodbot's choice. It is never
    earlier than counting from the start, and a slow server gets a real pause.
    """

    __slots__ = (
        "_delay",
        "_floor",
        "_hours",
        "_intervals",
        "_is_plain",
        "_latest",
        "_parts",
        "findings",
        "manners",
    )

    findings: tuple[Finding, ...]
    """What is unusual: a pace of an hour or more, which is obeyed; a Visit-time that cannot be read
    (`unreadable-visit-time`, a warning for the robot's operator)."""
    manners: Manners
    """The robot's own settings."""

    def __init__(
        self,
        rules: Rules | None,
        *,
        manners: Manners | None = None,
        robots_txt: RobotsTxt | None = None,
    ) -> None:
        """Read what the rules ask for."""
        constraints = constraints_of(rules, robots_txt)
        self.manners = Manners() if manners is None else manners
        if not isinstance(self.manners, Manners):
            message = f"manners must be Manners or None, not {type(manners).__name__}"
            raise WrongTypeError(message)
        self.findings = tuple(constraints.findings())
        self._delay = constraints.delay
        self._floor = duration(self.manners.floor)
        self._intervals: dict[int, float] = {}
        """By the start of each part of the day: the interval after a document that took no time."""
        self._hours = constraints.hours
        self._latest: tuple[History, int] | None = None
        """The last history that was asked about, and a time from which on it bounds nothing."""
        self._parts: tuple[Part, ...] = parts_of(constraints, own_minutes(self.manners.hours))
        self._is_plain = self.manners.patience is None and all(one.is_plain for one in self._parts)
        """Whether no part of the day has bounds of its own."""

    def turn(self, history: History, *, now: datetime) -> Turn:
        """Return when the next visit may be.

        Worst case: each of at most 1,440 parts of a day is checked once, however long the delays
        are.

        Args:
            history: What has happened with the origin; `History()` for a first visit.
            now: The time: an aware `datetime`.

        Raises:
            WrongTypeError: `now` is not a `datetime`, or `history` no `History`.
            WrongValueError: `now` is naive.

        """
        start = instant(now, "now")
        if not isinstance(history, History):
            given = type(history).__name__
            message = f"history must be a History, not {given}; for a first visit pass History()"
            raise WrongTypeError(message)
        if self.is_due(history, start):
            return turn_at_once(now, start)
        always, unstated = self._always(history), self._unstated(history)
        earliest = None
        for part in self._parts:
            bounds = [*always, *self._of_part(part, history, unstated)]
            lower = latest(bounds, start)
            first = None if lower is None else part.first(lower)
            if first is not None and (earliest is None or first < earliest):
                earliest = first
        if earliest is None:
            return self._never(history)
        if len(self._parts) == 1:  # what bounds nothing once, never does again
            self._latest = history, earliest
        if earliest == start:
            return turn_at_once(now, start)
        if len(self._parts) > 1:
            part = self._part_at(earliest - 1)
            bounds = [*always, *self._of_part(part, history, unstated)]
        binding = min(
            (cause for until, cause in bounds if until is None or until >= earliest),
            key=lambda cause: ORDER[cause.reason],
        )
        return turn_from(binding, start, earliest)

    def is_due(self, history: History, start: int) -> bool:
        """Return whether it is known already that a visit may be made at a time, in microseconds.

        The turn after a visit is asked for when it ends, and again when the next one begins.
        """
        latest = self._latest
        return latest is not None and latest[0] is history and latest[1] <= start

    def for_one_site(self) -> "Pace":
        """Return the same pace, which remembers the last history of one site by itself."""
        own = copy(self)
        own._latest = None  # noqa: SLF001  of the same class
        return own

    def interval(self, at: datetime, *, took: float = 0.0) -> float:
        """Return the shortest time from the end of a visit to the start of the next.

        Args:
            at: The time in question, since rates may apply at some hours: an aware `datetime`.
            took: Seconds that the last document took; manners depend on it.

        Returns:
            Seconds. Only `turn` considers visiting times, blocks and earlier visits.

        Raises:
            WrongTypeError: An argument has the wrong type.
            WrongValueError: `at` is naive, or `took` negative.

        """
        part = self._part_of(at)
        is_none = type(took) is float and not took
        micro = 0 if is_none else duration(checked_seconds(took, "took"))
        known = None if micro else self._intervals.get(part.start)
        if known is not None:
            return known
        history = History(end=0, took=micro, answer=micro)
        unstated = self._unstated(history)
        bounds = [*self._always(history), *self._paced(part, history, unstated)]
        interval = max(until or 0 for until, _ in bounds) / SECOND
        if not micro:
            self._intervals[part.start] = interval
        return interval

    def welcomes(self, at: datetime) -> bool:
        """Whether a time is within the visiting time; always true if the site states none.

        Raises:
            WrongTypeError: `at` is not a `datetime`.
            WrongValueError: `at` is naive.

        """
        return self._part_of(at).welcome

    def _part_of(self, at: datetime) -> Part:
        """Return the part of the day of a time, which is checked."""
        if len(self._parts) == 1:  # so for all sites that state no hours
            aware(at, "at")
            return self._parts[0]
        return self._part_at(instant(at, "at"))

    def _part_at(self, instant: int) -> Part:
        return next(part for part in self._parts if part.has(instant))

    def _always(self, history: History) -> list[Bound]:
        """Return the bounds that apply at any time of day."""
        bounds: list[Bound] = []
        if history.block is not None:
            bounds.append((history.block, cause_of_block(history)))
        if history.end is not None:
            if self._delay is not None:
                bounds.append((history.end + self._delay.gap, cause_of(self._delay)))
            bounds.append((history.end + self._floor, cause_of_floor(self._floor)))
            if self.manners.adaptive:
                bounds.append(self._slow_server(history, history.end))
        if self.manners.bytes_per_second is not None and history.bytes and history.starts:
            bounds.append(self._bandwidth(history, self.manners.bytes_per_second))
        return bounds

    def _slow_server(self, history: History, end: int) -> Bound:
        """Return the bound for the time that the server lately took to answer.

        Source: AutoThrottle of Scrapy, which aims at a number of requests at the same time; at
        fewer than one, in the case of `Manners.factor` above 1.
        """
        gap = duration(self.manners.factor * history.answer / SECOND)
        because = (
            f"the server lately took {spoken(history.answer)} to answer, and the robot waits "
            f"{self.manners.factor:g} times that"
        )
        return end + gap, WaitCause("slow-server", "manners", 0, because)

    @staticmethod
    def _bandwidth(history: History, limit: float) -> Bound:
        """Return the bound for the last response's bytes, counted from the start of its request."""
        lasts = math.ceil(history.bytes * SECOND / limit)
        because = (
            f"the robot reads at most {limit:,.10g} bytes per second from a site, and the last "
            f"response had {history.bytes:,}"
        )
        return history.starts[0] + lasts, WaitCause("bandwidth", "manners", 0, because)

    def _unstated(self, history: History) -> list[Bound]:
        """Return the manners, which apply while the site states no pace, or a very short one."""
        if history.end is None or not (self._delay is None or self._delay.is_short):
            return []
        gap = duration(self.manners.between(history.took / SECOND))
        return [(history.end + gap, cause_of_manners(gap, self._delay is not None))]

    def _of_part(self, part: Part, history: History, unstated: list[Bound]) -> list[Bound]:
        """Return the bounds that apply in a part of the day."""
        if self._is_plain:
            return unstated
        bounds = self._paced(part, history, unstated)
        if not part.welcome:
            hours = self._hours[0]
            bounds = [*bounds, (None, WaitCause("visit-time", hours.source, hours.line, hours))]
        if not part.is_own:
            because = f"the robot's own hours are {self.manners.hours} UT"
            bounds = [*bounds, (None, WaitCause("own-hours", "manners", 0, because))]
        constraint = self._unbearable(part)
        return bounds if constraint is None else [*bounds, self._refused(constraint)]

    def _paced(self, part: Part, history: History, unstated: list[Bound]) -> list[Bound]:
        """Return the bounds of rates in force, and of manners if no clear, longer rate applies."""
        is_stated = part.rate is not None and not part.rate.is_short
        return self._own_rates(part, history) + ([] if is_stated else unstated)

    def _own_rates(self, part: Part, history: History) -> list[Bound]:
        """Return the bounds of the rates in force, if there are any and there was a visit.

        Both readings of a rate apply: the interval since the last visit, and the number of
        documents that may start within the period.
        """
        bounds: list[Bound] = []
        for rate in (part.rate, part.beside):
            if rate is not None and history.end is not None:
                until = history.end + rate.gap
                if rate.documents <= len(history.starts):
                    until = max(until, history.starts[rate.documents - 1] + rate.period)
                bounds.append((until, cause_of(rate)))
        return bounds

    def _unbearable(self, part: Part) -> Constraint | None:
        """Return the constraint that exceeds the robot's patience in a part of the day."""
        if self.manners.patience is None:
            return None
        asked = [one for one in (self._delay, part.rate, part.beside) if one is not None]
        slowest = max(asked, key=lambda one: one.gap, default=None)
        if slowest is None or slowest.gap <= duration(self.manners.patience):
            return None
        return slowest

    def _refused(self, constraint: Constraint) -> Bound:
        patience = spoken(duration(self.manners.patience or 0.0))
        because = f"{constraint}, which exceeds the robot's patience of {patience}"
        return None, WaitCause("beyond-patience", constraint.source, constraint.line, because)

    def _never(self, history: History) -> Turn:
        """Return the turn if every part of the day is ruled out, by patience or by the hours."""
        bounds = [one for part in self._parts for one in self._of_part(part, history, [])]
        closed = {cause.reason: cause for until, cause in bounds if until is None}
        why = min(closed.values(), key=lambda one: ORDER[one.reason])
        because = str(why.because)
        if why.reason == "visit-time":
            because += f", and {closed['own-hours'].because}: they do not overlap"
        return Turn(None, why.reason, why.source, why.line, math.inf, because)


@lru_cache(maxsize=16)
def cause_of_floor(floor: int) -> WaitCause:
    """Return the cause that is the robot's own minimum, in microseconds."""
    because = f"the robot always waits at least {spoken(floor)} between visits"
    return WaitCause("own-floor", "manners", 0, because)


@lru_cache(maxsize=16)
def cause_of_manners(gap: int, is_stated: bool) -> WaitCause:  # noqa: FBT001  a cache is faster so
    """Return the cause that is the robot's manners; the gap is in microseconds."""
    stated = "a very short pace" if is_stated else "no pace"
    because = f"the site states {stated}, so the robot waits {spoken(gap)} between visits"
    return WaitCause("manners", "manners", 0, because)


def latest(bounds: Iterable[Bound], start: int) -> int | None:
    """Return the first time that no bound rules out; `None` if one rules out the whole part."""
    for until, _ in bounds:
        if until is None:
            return None
        start = max(start, until)
    return start


def cause_of(constraint: Constraint) -> WaitCause:
    """Return the cause that is what the site asks for."""
    return WaitCause(constraint.reason, constraint.source, constraint.line, constraint)


def cause_of_block(history: History) -> WaitCause:
    """Return the cause of a block."""
    if history.blocked_by == "retry-after":
        because = "the server asked for this with Retry-After"
        return WaitCause("retry-after", "Retry-After", 0, because)
    because = f"the robot backs off from a failing site (step {history.failures})"
    return WaitCause("back-off", "manners", 0, because)


def turn_at_once(now: datetime, start: int) -> Turn:
    """Make the turn without a wait, at a time that is also given in microseconds."""
    return Turn(now if now.tzinfo is UTC else to_datetime(start), "nothing", "", 0, 0.0, "")


def turn_from(binding: WaitCause, start: int, earliest: int) -> Turn:
    """Make the turn; after the year 9999 there is no time."""
    time = to_datetime(earliest)
    if time is None:
        because = f"{binding.because}, which ends after the year 9999"
        return Turn(None, "beyond-patience", binding.source, binding.line, math.inf, because)
    wait = (earliest - start) / SECOND
    return Turn(time, binding.reason, binding.source, binding.line, wait, said(binding.because))


@lru_cache(maxsize=256)
def said(because: object) -> str:
    """Return a cause in words: sites state the same paces again and again."""
    return str(because)
