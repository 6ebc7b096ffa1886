"""What the audit says of one request.

Scope: the value and its sentence. What leads to it is in `request_judging`.
"""

from datetime import datetime
from typing import Any

from goodbot.display import short_repr
from goodbot.http.instants import in_seconds, written
from goodbot.http.quoting import shortened
from goodbot.lazy_dataclass import dataclass
from goodbot.site.audit.audit_outcomes import REASONS
from goodbot.site.audit.known_copies import HeldCopy
from goodbot.site.audit.request import RobotRequest
from goodbot.site.audit.served_versions import RobotsVersion

BEGINNINGS = {
    "allowed": "Allowed",
    "late": "Late, not a violation",
    "violation": "Violation",
    "unclaimed": "Not judged",
    "unknown": "Unknown",
    "unjudged": "Not judged",
}


@dataclass(frozen=True, slots=True, repr=False)
class JudgementPlace:
    """Where robots.txt says so."""

    line: int
    """The line of the rule that decides; 0 if no rule matches or there was no file."""
    text: str
    """The line itself; empty without one."""
    digest: str
    """Which robots.txt: see `RobotsVersion.digest`."""
    since: datetime
    """Since when it may have been served."""
    source: str
    """Where it was read."""
    seen: datetime | None = None
    """When somebody received it first, if `since` is not known for certain."""
    others: tuple[str, ...] = ()
    """The digests of other robots.txt of which one may have been in force instead."""

    __repr__ = short_repr

    def __str__(self) -> str:
        """Return it as a part of a sentence."""
        what = f'line {self.line}, "{shortened(self.text)}", of ' if self.line else ""
        if self.seen is None or self.seen == self.since:
            when = f"in force since {in_seconds(self.since)}"
        else:
            when = (
                f"first seen at {in_seconds(self.seen)}, and in force since "
                f"{in_seconds(self.since)} at the earliest"
            )
        if self.others:
            when += f", or else {' or '.join(self.others)}; which of them is not known"
        return f"{what}robots.txt {self.digest}, {when}"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "line": self.line,
            "text": self.text,
            "digest": self.digest,
            "since": written(self.since),
            "source": self.source,
            "seen": written(self.seen),
            "others": list(self.others),
        }


@dataclass(frozen=True, slots=True, repr=False)
class RequestJudgement:
    """What the audit says of one request, and why.

    It is truthy unless the request is a violation, and `str()` returns it as a sentence.
    """

    request: RobotRequest
    """The request."""
    outcome: str
    """One of `OUTCOMES`."""
    reason: str
    """One of `REASONS`."""
    place: JudgementPlace | None = None
    """The rule in force that decides; `None` if the outcome does not depend on one."""
    in_force: tuple[RobotsVersion, ...] = ()
    """The robots.txt in force; several if the clock does not tell them apart."""
    held: tuple[HeldCopy, ...] = ()
    """What the robot may have known: every answer for robots.txt that it could rightly use."""

    __repr__ = short_repr

    def __bool__(self) -> bool:
        """Return whether it is anything but a violation."""
        return self.outcome != "violation"

    def __str__(self) -> str:
        """Return it as sentences."""
        about = f"{BEGINNINGS[self.outcome]}: {self.request.robot} {shortened(self.request.target)}"
        place = "" if self.place is None else f" It was decided by {self.place}."
        return f"{about} at {in_seconds(self.request.time)} ({self.reason}). {self.meaning}{place}"

    @property
    def meaning(self) -> str:
        """The meaning of the reason, a sentence."""
        return REASONS[self.reason].meaning

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "robot": self.request.robot,
            "target": self.request.target,
            "time": written(self.request.time),
            "line": self.request.line,
            "identity": self.request.identity,
            "outcome": self.outcome,
            "reason": self.reason,
            "place": None if self.place is None else self.place.as_dict(),
            "in_force": [version.digest for version in self.in_force],
            "held": [
                {
                    "kind": copy.kind,
                    "fetched": written(copy.fetched),
                    "status": copy.status,
                    "digest": None if copy.version is None else copy.version.digest,
                }
                for copy in self.held
            ],
            "sentence": str(self),
        }
