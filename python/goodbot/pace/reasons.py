"""Turns, the result of this layer, and the reasons that they can have."""

from datetime import datetime
from typing import Any

from goodbot.display import short_repr
from goodbot.http.instants import in_seconds
from goodbot.lazy_dataclass import dataclass

__all__ = ["REASONS", "Turn", "reasons"]

REASONS: dict[str, str] = {
    "beyond-patience": "The site asks for a longer wait than the robot's patience allows, or one "
    "that ends after the year 9999: do not visit.",
    "retry-after": "The server asked for this wait with Retry-After.",
    "back-off": "The server is overloaded, or several URLs failed in a row: the robot backs off, "
    "for longer each time, and returns to its pace step by step.",
    "crawl-delay": "Crawl-delay asks for more time since the last visit.",
    "request-rate": "The strictest Request-rate in force asks for more time since earlier visits.",
    "visit-time": "Visit-time says that visits are not welcome at this time of day.",
    "own-hours": "The robot's own hours have not begun yet.",
    "manners": "The site states no pace, or less than a tenth of a second, so the robot's default "
    "applies: twice the time that the last document took, or ten seconds.",
    "slow-server": "The server took long to answer, and the robot adapts its pace to that.",
    "bandwidth": "The last response was large, and the robot limits its bytes per second from a "
    "site.",
    "own-floor": "The robot's own minimum between visits.",
    "nothing": "No wait is needed.",
}
"""Each reason with its meaning. If several end at the same time, the first is reported."""


def reasons() -> list[tuple[str, str]]:
    """List every reason that a turn can have, with its meaning."""
    return list(REASONS.items())


@dataclass(frozen=True, slots=True, repr=False)
class Turn:
    """When the next visit may be, and why not earlier.

    It is truthy if the visit may be made now, and `str()` returns it as a sentence.

    >>> from datetime import timezone
    >>> turn = Turn(datetime(2025, 1, 1, tzinfo=timezone.utc), "nothing", "", 0, 0.0, "")
    >>> bool(turn), str(turn)
    (True, 'Now: no wait is needed.')
    """

    not_before: datetime | None
    """The earliest time, in UTC; `None` if there is none: do not visit."""
    reason: str
    """The reason that ends last, right before that time: a stable slug of `REASONS`."""
    source: str
    """Where the wait comes from: `robots.txt line 7`, `Retry-After`, `manners`; empty if there is
    no wait."""
    line: int
    """The line of robots.txt; 0 if it is unknown or the source is not robots.txt."""
    wait: float
    """Seconds from now; `math.inf` if there is no such time."""
    because: str
    """The end of the sentence."""

    __repr__ = short_repr

    def __bool__(self) -> bool:
        """Whether the visit may be made now."""
        return self.not_before is not None and self.wait <= 0

    def __str__(self) -> str:
        """Return it as a sentence."""
        if self.not_before is None:
            return f"Do not visit: {self.because}."
        if self.reason == "nothing":
            return "Now: no wait is needed."
        return f"Not before {in_seconds(self.not_before)}: {self.because}."

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON; without an earliest time, two of them are `None`."""
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
