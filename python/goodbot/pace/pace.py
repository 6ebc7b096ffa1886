"""When the next visit may be: the public face of this layer."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from goodbot._core import Finding, RobotsTxt, Rules
from goodbot.errors import WrongTypeError
from goodbot.http.instants import (
    SECOND,
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


@dataclass(frozen=True, slots=True)
class Bound:
    """Something that forbids a visit before an instant."""

    reason: str
    until: int | None
    """`None`: as long as this part of the day lasts."""
    source: str
    line: int
    because: object
    """What says so; `str()` ends the sentence."""


class Pace:
    r"""The pace that one robot keeps at one origin. Keep it as long as the rules.

    Several things may ask to wait: Crawl-delay, the Request-rate in force at an instant (one with
    times prevails between them; of several the strictest), Visit-time, the robot's own floor, hours
    and bandwidth, a block after a failure; and where the site states no pace, manners. `turn` gives
    the earliest instant at which all of them are content, to the microsecond, and the reason that
    binds last.

    Args:
        rules: What the robot must obey; `None` if there is no robots.txt, or it is not known yet.
        manners: The robot's own settings.
        robots_txt: The file that the rules are of; with it, reasons have lines.

    Raises:
        WrongTypeError: An argument is of another type.

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
    10.2.3. What is counted from the end of the last visit is counted so by goodbot's choice: it
    never comes sooner than counting from the start, and a slow server has its rest.
    """

    __slots__ = ("_delay", "_hours", "_parts", "findings", "manners")

    findings: tuple[Finding, ...]
    """What is remarkable: a pace of an hour or more, which is obeyed; a Visit-time that cannot be
    read (`unreadable-visit-time`, a warning), which the robot's operator should hear of."""
    manners: Manners
    """The robot's own settings."""

    def __init__(
        self,
        rules: Rules | None,
        *,
        manners: Manners | None = None,
        robots_txt: RobotsTxt | None = None,
    ) -> None:
        """Read what the rules ask."""
        constraints = constraints_of(rules, robots_txt)
        self.manners = Manners() if manners is None else manners
        if not isinstance(self.manners, Manners):
            message = f"manners must be Manners or None, not {type(manners).__name__}"
            raise WrongTypeError(message)
        self.findings = tuple(constraints.findings())
        self._delay = constraints.delay
        self._hours = constraints.hours
        self._parts: tuple[Part, ...] = parts_of(constraints, own_minutes(self.manners.hours))

    def turn(self, history: History, *, now: datetime) -> Turn:
        """Say when the next visit may be.

        Worst case: one look at each of at most 1,440 parts of a day, however long the delays are.

        Args:
            history: What has happened with the origin; `History()` for a first visit.
            now: The time: an aware `datetime`.

        Raises:
            WrongTypeError: `now` is no `datetime`, or `history` no `History`.
            WrongValueError: `now` is naive.

        """
        start = instant(now, "now")
        if not isinstance(history, History):
            given = type(history).__name__
            message = f"history must be a History, not {given}; History() is that of a first visit"
            raise WrongTypeError(message)
        always, unstated = self._always(history), self._unstated(history)
        found = []
        for part in self._parts:
            bounds = [*always, *self._of_part(part, history, unstated)]
            lower = latest(bounds, start)
            if lower is not None:
                found.append(part.first(lower))
        if not found:
            return self._never(history)
        earliest = min(found)
        if earliest == start:
            return Turn(to_datetime(start), "nothing", "", 0, 0.0, "")
        part = self._part_at(earliest - 1)
        bounds = [*always, *self._of_part(part, history, unstated)]
        binding = min(
            (one for one in bounds if one.until is None or one.until >= earliest),
            key=lambda one: ORDER[one.reason],
        )
        return turn_from(binding, start, earliest)

    def interval(self, at: datetime, *, took: float = 0.0) -> float:
        """Give the least time from the end of a visit to the start of the next.

        Args:
            at: The instant for which it is asked, as rates have times: an aware `datetime`.
            took: Seconds that the last document took; manners depend on it.

        Returns:
            Seconds. Visiting times, blocks and earlier visits are looked at by `turn` alone.

        Raises:
            WrongTypeError: An argument is of another type.
            WrongValueError: `at` is naive, or `took` negative.

        """
        part = self._part_at(instant(at, "at"))
        history = History(end=0, took=duration(checked_seconds(took, "took")))
        unstated = self._unstated(history)
        bounds = [*self._always(history), *self._paced(part, history, unstated)]
        return max(bound.until or 0 for bound in bounds) / SECOND

    def welcomes(self, at: datetime) -> bool:
        """Whether an instant lies within the visiting time; always, if the site states none.

        Raises:
            WrongTypeError: `at` is no `datetime`.
            WrongValueError: `at` is naive.

        """
        return self._part_at(instant(at, "at")).welcome

    def _part_at(self, instant: int) -> Part:
        return next(part for part in self._parts if part.has(instant))

    def _always(self, history: History) -> list[Bound]:
        """Give what binds at whatever time of day."""
        bounds = []
        if history.block is not None:
            bounds.append(block_of(history))
        if history.end is not None:
            if self._delay is not None:
                bounds.append(bound_of(self._delay, history.end + self._delay.gap))
            floor = duration(self.manners.floor)
            because = f"the robot leaves at least {spoken(floor)} between visits"
            bounds.append(Bound("own-floor", history.end + floor, "manners", 0, because))
        return bounds + self._bandwidth(history)

    def _bandwidth(self, history: History) -> list[Bound]:
        """Return the bound of the last answer's bytes, counted from the start of its request."""
        limit = self.manners.bytes_per_second
        if limit is None or not history.bytes or not history.starts:
            return []
        lasts = math.ceil(history.bytes * SECOND / limit)
        because = (
            f"the robot takes at most {limit:,.10g} bytes a second of a site, and the last answer "
            f"had {history.bytes:,}"
        )
        return [Bound("bandwidth", history.starts[0] + lasts, "manners", 0, because)]

    def _unstated(self, history: History) -> list[Bound]:
        """Return the manners, which bind while the site states no pace, or a very short one."""
        if history.end is None or not (self._delay is None or self._delay.is_short):
            return []
        gap = duration(self.manners.between(history.took / SECOND))
        stated = "no pace" if self._delay is None else "no pace to speak of"
        because = f"the site states {stated}, and manners ask for {spoken(gap)} between visits"
        return [Bound("manners", history.end + gap, "manners", 0, because)]

    def _of_part(self, part: Part, history: History, unstated: list[Bound]) -> list[Bound]:
        """Give what binds in a part of the day."""
        bounds = self._paced(part, history, unstated)
        if not part.welcome:
            hours = self._hours[0]
            bounds = [*bounds, Bound("visit-time", None, hours.source, hours.line, hours)]
        if not part.is_own:
            because = f"the robot's own hours are {self.manners.hours} UT"
            bounds = [*bounds, Bound("own-hours", None, "manners", 0, because)]
        constraint = self._unbearable(part)
        return bounds if constraint is None else [*bounds, self._refused(constraint)]

    def _paced(self, part: Part, history: History, unstated: list[Bound]) -> list[Bound]:
        """Return the bounds of rates in force, and of manners where no sure and longer rate is."""
        is_stated = part.rate is not None and not part.rate.is_short
        return self._own_rates(part, history) + ([] if is_stated else unstated)

    def _own_rates(self, part: Part, history: History) -> list[Bound]:
        """Return the bounds of the rates in force, if there are any and there was a visit.

        Both readings of a rate hold: the interval since the last visit, and that no more than so
        many documents start within the time.
        """
        bounds = []
        for rate in (part.rate, part.beside):
            if rate is not None and history.end is not None:
                until = history.end + rate.gap
                if rate.documents <= len(history.starts):
                    until = max(until, history.starts[rate.documents - 1] + rate.period)
                bounds.append(bound_of(rate, until))
        return bounds

    def _unbearable(self, part: Part) -> Constraint | None:
        """Give what asks for more than the robot's patience in a part of the day."""
        if self.manners.patience is None:
            return None
        asked = [one for one in (self._delay, part.rate, part.beside) if one is not None]
        slowest = max(asked, key=lambda one: one.gap, default=None)
        if slowest is None or slowest.gap <= duration(self.manners.patience):
            return None
        return slowest

    def _refused(self, constraint: Constraint) -> Bound:
        patience = spoken(duration(self.manners.patience or 0.0))
        because = f"{constraint}, and the robot's patience ends at {patience}"
        return Bound("beyond-patience", None, constraint.source, constraint.line, because)

    def _never(self, history: History) -> Turn:
        """Answer where every part of the day is closed: by impatience, or by two kinds of hours."""
        bounds = [one for part in self._parts for one in self._of_part(part, history, [])]
        closed = {one.reason: one for one in bounds if one.until is None}
        why = min(closed.values(), key=lambda one: ORDER[one.reason])
        because = str(why.because)
        if why.reason == "visit-time":
            because += f", and {closed['own-hours'].because}: they have no minute in common"
        return Turn(None, why.reason, why.source, why.line, math.inf, because)


def latest(bounds: Iterable[Bound], start: int) -> int | None:
    """Give the first instant that no bound forbids; `None` if one forbids the part altogether."""
    for bound in bounds:
        if bound.until is None:
            return None
        start = max(start, bound.until)
    return start


def bound_of(constraint: Constraint, until: int) -> Bound:
    """Make a bound of what the site asks."""
    return Bound(constraint.reason, until, constraint.source, constraint.line, constraint)


def block_of(history: History) -> Bound:
    """Make a bound of a block."""
    if history.blocked_by == "retry-after":
        because = "the server said so by Retry-After"
        return Bound("retry-after", history.block, "Retry-After", 0, because)
    because = f"the robot backs off from a site in trouble (step {history.failures})"
    return Bound("back-off", history.block, "manners", 0, because)


def turn_from(binding: Bound, start: int, earliest: int) -> Turn:
    """Make the answer; beyond the calendar there is no instant."""
    time = to_datetime(earliest)
    if time is None:
        because = f"{binding.because}, which ends after the year 9999"
        return Turn(None, "beyond-patience", binding.source, binding.line, math.inf, because)
    wait = (earliest - start) / SECOND
    return Turn(time, binding.reason, binding.source, binding.line, wait, str(binding.because))
