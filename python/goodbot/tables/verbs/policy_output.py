"""The policies of one site in a table of policies, as text and JSON lines."""

import hashlib
import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.time_format import span
from goodbot.http.amounts import format_bytes
from goodbot.http.instants import format_time, written
from goodbot.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from goodbot.history import PoliciesThen, PolicyTimeline
    from goodbot.policy import Policy
    from goodbot.tables.building import PolicyRow

__all__ = ["NOT_CAPTURED", "PolicyOutput"]

PERMITS = {"rules", "allow-all"}
"""What allows anything, until it expires."""
NOT_CAPTURED = "robots.txt redirected to what is not in the sources"


@dataclass(frozen=True)
class PolicyOutput:
    """Prints rows of one site."""

    site: str
    timeline: "PolicyTimeline"
    """All its policies."""
    at: datetime | None
    """The time that was asked about; `None` for all."""
    then: "PoliciesThen | None"
    """What held at that time."""

    def as_json(self, row: "PolicyRow") -> str:
        """Return a row as a line of JSON."""
        return json.dumps(self._facts(row) | {"row": row.number, "source": row.source})

    def _facts(self, row: "PolicyRow") -> dict[str, Any]:
        """Return what the policy of a row says, or that nothing is known from then on."""
        policy = row.policy
        if policy is None:
            return {
                "origin": self.site, "valid_from": written(row.at), "valid_until": written(row.at),
                "access": "unknown", "reason": "not-captured", "status": None, "hops": [],
                "sha256": None, "stale": False,
            }  # fmt: skip
        found: dict[str, Any] = {
            "origin": policy.origin,
            "valid_from": written(row.at),
            "valid_until": written(policy.fresh_until),
            "access": policy.access,
            "reason": policy.reason,
            "status": policy.status,
            "hops": list(policy.hops),
            "sha256": compute_digest(policy),
            "stale": policy.failing_since is not None and policy.robots_txt is not None,
        }
        if self.then is not None and self.then.age is not None:
            seen = self._seen_again(row)
            found |= {
                "age_seconds": self.then.age.total_seconds(),
                "is_current": self.then.is_current,
                "seen_again": None if seen is None else written(seen),
            }
        return found

    def _seen_again(self, row: "PolicyRow") -> datetime | None:
        """Return when the same file was seen again, if a policy held only because of that."""
        if self.at is None or self.then is None or not self.then.is_current:
            return None
        if row.policy is None or row.policy.is_fresh(self.at):
            return None
        return next((learned.at for learned in self.timeline.learned if learned.at > row.at), None)

    def print_row(self, row: "PolicyRow", printer: Printer) -> None:
        """Print a row as three lines: what held, what was received, and where the row is from."""
        source = "" if row.source is None else f", from {row.source}"
        policy = row.policy
        if policy is None:
            printer.line(f"{format_time(row.at)}  unknown (not-captured)")
            printer.line(f"    {NOT_CAPTURED}")
        else:
            # What forbids everything has nothing that could end: it counts at any age.
            until = "permits until" if policy.access in PERMITS else "to be requested again from"
            printer.line(
                f"{format_time(row.at)}  {policy.access} ({policy.reason}), {until} "
                f"{format_time(policy.fresh_until)}"
            )
            printer.line(f"    {'; '.join([*describe_received(policy), *self._age(row)])}")
        printer.line(f"    row {row.number}{source}")

    def _age(self, row: "PolicyRow") -> list[str]:
        """Return how old a policy was, and whether it could permit anything."""
        if self.then is None or self.then.age is None:
            return []
        age = f"{span(self.then.age.total_seconds())} old"
        seen = self._seen_again(row)
        if seen is not None:
            again = f"the same file was seen again on {format_time(seen)}, so it held in between"
            return [age, again]
        state = "current" if self.then.is_current else "expired: it permits nothing then"
        return [f"{age}, {state}"]


def describe_received(policy: "Policy") -> list[str]:
    """Return what was received, in words."""
    facts = [f"status {policy.status}" if policy.status is not None else "no answer"]
    facts += [f"redirected to {policy.hops[-1]}"] if policy.hops else []
    if policy.robots_txt is not None:
        size = format_bytes(len(policy.robots_txt.content))
        facts.append(f"{size}, SHA-256 {str(compute_digest(policy))[:16]}")
    if policy.failing_since is not None:
        facts.append(f"failing since {format_time(policy.failing_since)}")
    return facts


def compute_digest(policy: "Policy") -> str | None:
    """Return the SHA-256 of the robots.txt in force, in hexadecimal; `None` without rules."""
    if policy.robots_txt is None:
        return None
    return hashlib.sha256(policy.robots_txt.content).hexdigest()
