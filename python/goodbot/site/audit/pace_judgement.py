"""What the audit says of a robot's pace.

Scope: values and words. What leads to them is in `pace_checks`.
"""

from array import array
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass

MOST_LINES = 20
"""The most lines of the log that are listed; all are counted."""

OUTSIDE_HOURS = (
    "Requests came outside the hours that the site asks for, even if the clock is counted in their "
    "favour."
)

PACE_REASONS: dict[str, tuple[str, str]] = {
    "not-asked": ("not-asked", "The site did not ask for it while the robot came."),
    "kept": ("kept", "Every request kept it."),
    "broken": ("broken", "Requests came too early, even if the clock is counted in their favour."),
    "outside-hours": ("broken", OUTSIDE_HOURS),
    "ignores-field": ("unclaimed", "The robot does not claim to read the field: it says so."),
    "not-known-to-read": ("unclaimed", "The robot is not known to claim that it reads the field."),
    "does-not-obey": ("unclaimed", "The robot does not claim to obey robots.txt."),
    "user-triggered": ("unclaimed", "The robot fetches a page because a person asked for it."),
    "log-begins": (
        "unjudged",
        "The robot could still use a copy of before the log begins, which may not ask for it.",
    ),
    "came-again": ("unjudged", "The robot came again for what was gone; no document forbids that."),
    "retry-after-not-in-log": (
        "unjudged",
        "The server asked for fewer requests; how long it asked to wait is not in the log.",
    ),
}
"""Each reason with its outcome (`kept`, `broken`, `not-asked`, `unclaimed` or `unjudged`) and its
meaning."""


@dataclass(slots=True)
class CheckCount:
    """What one check counted."""

    checked: int = 0
    rows: "array[int]" = field(default_factory=lambda: array("q"))
    asked: Any = None
    unjudged: int = 0

    def add(self, asked: object, row: int, *, is_broken: bool) -> None:
        """Count one request.

        Args:
            asked: What the site asked for; `str()` of it is a part of a sentence.
            row: The row of the request.
            is_broken: Whether it broke what was asked for.

        """
        self.checked += 1
        if self.asked is None:
            self.asked = asked
        if is_broken:
            if not self.rows and asked is not None:
                self.asked = asked
            self.rows.append(row)

    def first_lines(self, lines: Sequence[int | None]) -> tuple[int, ...]:
        """Return the first lines of the log that broke what was asked for."""
        return tuple(line for row in self.rows[:MOST_LINES] if (line := lines[row]) is not None)

    def reason(self, claim: str | None) -> str:
        """Return the reason: one of `PACE_REASONS`."""
        if not self.checked and not self.unjudged:
            return "not-asked"
        if claim is not None:
            return claim
        if not self.checked:
            return "log-begins"
        return "broken" if self.rows else "kept"


@dataclass(frozen=True, slots=True, repr=False)
class PaceJudgement:
    """What the audit says of one wish of a site for a robot's pace.

    It is truthy unless the wish was broken by a robot that claims to read it.
    """

    robot: str
    """The robot, as the log names it."""
    site: str
    """The site."""
    family: str
    """The family of its addresses: `ipv4`, `ipv6`, or `all` of a robot that has both."""
    check: str
    """`crawl-delay`, `request-rate`, `visit-time`, `retry-after` (after a 429 or 503), or `gone`
    (requests for what was answered with 410, which no document forbids)."""
    outcome: str
    """`kept`, `broken`, `not-asked`, `unclaimed` or `unjudged`."""
    reason: str
    """One of `PACE_REASONS`."""
    asked: str
    """What the site asked for, such as `robots.txt line 3 asks for 10 seconds between visits`."""
    checked: int
    """How many requests were checked."""
    breaches: int
    """How many came too early, or outside the hours; also counted for a robot that does not claim
    to read the field."""
    lines: tuple[int, ...]
    """The first 20 lines of the log that did."""
    rows: Sequence[int] = field(default=(), repr=False, compare=False)
    """The rows of the result that did, all of them, in the order of their times."""
    answers: int = 0
    """How many answers of 429 or 503 (for `retry-after`) or of 410 (for `gone`) the robot got."""
    soonest: int | None = None
    """How many seconds after an answer of 429 or 503 its next request came, at the least; `None`
    for other checks, or if none came."""
    unjudged: int = 0
    """How many requests were not checked although the robots.txt in force asked for it: the robot
    could still use a copy of before the log begins, which may not ask for it."""

    __repr__ = short_repr

    def __bool__(self) -> bool:
        """Return whether it is anything but broken."""
        return self.outcome != "broken"
