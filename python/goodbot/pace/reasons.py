"""The answer of this layer, and the reasons that it can have."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from goodbot.display import short_repr

__all__ = ["REASONS", "Turn", "reasons"]

REASONS: dict[str, str] = {
    "beyond-patience": "The site asks for more than the robot will bear, or than there is time "
    "until the year 9999: do not visit.",
    "retry-after": "The server said by Retry-After when to come back.",
    "back-off": "The server is overloaded, or several URLs failed in a row: the robot backs off, "
    "for longer each time, and returns to its pace step by step.",
    "crawl-delay": "Crawl-delay asks for more time since the last visit.",
    "request-rate": "The strictest Request-rate in force asks for more time since earlier visits.",
    "visit-time": "Visit-time says that visits are not welcome yet.",
    "own-hours": "The robot's own hours have not begun yet.",
    "manners": "The site states no pace, or less than a tenth of a second: twice the time of the "
    "last document, or ten seconds.",
    "bandwidth": "The last answer was large, and the robot takes only so many bytes a second of "
    "a site.",
    "own-floor": "The robot's own floor: it never comes sooner.",
    "nothing": "Nothing asks to wait.",
}
"""Each reason with its meaning. Of several that bind until the same instant, the first is told."""


def reasons() -> list[tuple[str, str]]:
    """List every reason that a turn can have, with its meaning."""
    return list(REASONS.items())


@dataclass(frozen=True, slots=True)
class Turn:
    """Not before when, for what reason, and who says so.

    It is truthy if the visit may be made now, and `str()` makes it a sentence.

    >>> from datetime import timezone
    >>> turn = Turn(datetime(2025, 1, 1, tzinfo=timezone.utc), "nothing", "", 0, 0.0, "")
    >>> bool(turn), str(turn)
    (True, 'Now: nothing asks to wait.')
    """

    not_before: datetime | None
    """The earliest instant, in UTC; `None` if there is none: do not visit."""
    reason: str
    """What binds last, right before that instant: a stable slug; `REASONS` has its meaning."""
    source: str
    """Who says so: `robots.txt line 7`, `Retry-After`, `manners`; empty if nobody does."""
    line: int
    """The line of robots.txt; 0 if it is not known, or was not robots.txt."""
    wait: float
    """Seconds from now; `math.inf` if there is no such instant."""
    because: str
    """The end of the sentence."""

    __repr__ = short_repr

    def __bool__(self) -> bool:
        """Whether it is now."""
        return self.not_before is not None and self.wait <= 0

    def __str__(self) -> str:
        """Make it a sentence."""
        if self.not_before is None:
            return f"Do not visit: {self.because}."
        if self.reason == "nothing":
            return "Now: nothing asks to wait."
        return (
            f"Not before {self.not_before:%Y-%m-%d %H:%M:%S}{self._fraction()} UTC: {self.because}."
        )

    def _fraction(self) -> str:
        micro = 0 if self.not_before is None else self.not_before.microsecond
        return f".{micro:06d}".rstrip("0") if micro else ""

    def as_dict(self) -> dict[str, Any]:
        """Give plain values, for JSON: `not_before` is ISO 8601 or `None`, `wait` too is `None`."""
        there = self.not_before is not None
        return {
            "now": bool(self),
            "not_before": self.not_before.isoformat() if self.not_before else None,
            "wait": self.wait if there else None,
            "reason": self.reason,
            "source": self.source,
            "line": self.line,
            "sentence": str(self),
        }
