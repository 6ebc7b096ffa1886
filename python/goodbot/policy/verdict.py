"""The verdict of a policy: may this robot fetch this URL, and who says so?"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from goodbot._core import Group, Rule, Verdict
from goodbot.display import verdict_html
from goodbot.http.instants import written
from goodbot.http.quoting import shortened
from goodbot.policy.decide import Access, is_answer

__all__ = ["PolicyVerdict"]

LEADS_TO: dict[Access, str] = {
    "rules": "so its rules apply",
    "allow-all": "so everything is allowed",
    "disallow-all": "so nothing is allowed",
    "defer": "so visits are deferred",
}


@dataclass(frozen=True, slots=True)
class PolicyVerdict:
    """May this robot fetch this URL, and who says so?

    It is truthy when the URL is allowed, and `str()` returns it as a sentence.

    >>> from datetime import datetime, timezone
    >>> from goodbot import Policy
    >>> now = datetime(2025, 1, 1, tzinfo=timezone.utc)
    >>> policy = Policy.from_response("https://example.com/robots.txt", 503, {}, b"", now=now)
    >>> print(policy.verdict("https://example.com/a", "ExampleBot"))
    Disallowed: robots.txt returned status 503, so nothing is allowed (service-unavailable; dialect rfc9309). Request robots.txt again at 2025-01-01 00:05:00 UTC.
    """  # noqa: E501  a sentence is a line

    url: str
    """The URL, as it was passed."""
    robot: str
    """The robot, as it was named."""
    allowed: bool
    """Whether the robot may fetch the URL."""
    reason: str
    """The reason, a stable slug: of `goodbot.reasons()` if rules decide, of
    `goodbot.policy.HOLD_REASONS` if the robot's operator does, else of
    `goodbot.policy.reasons()`."""
    access: Access
    """What the policy allows: `rules`, `allow-all`, `disallow-all` or `defer`."""
    policy_reason: str
    """The reason for that, a stable slug of `goodbot.policy.reasons()`."""
    said: str
    """The result of the request for robots.txt, in words."""
    rules: Verdict | None
    """The verdict of the rules; `None` without rules."""
    dialect: str
    """The name of the dialect."""
    retry_at: datetime | None
    """When to request robots.txt again, if the request failed."""
    sentence: str = ""
    """The verdict as sentences, if a known robot obeys the rules of its family; else empty."""

    def __bool__(self) -> bool:
        """Whether the robot may fetch the URL."""
        return self.allowed

    @property
    def is_answer(self) -> bool:
        """Whether someone decided this; false if nothing is allowed because nobody answered."""
        return self.allowed or is_answer(self.access, self.policy_reason)

    @property
    def rule(self) -> Rule | None:
        """The rule that decides, if one does."""
        return None if self.rules is None else self.rules.rule

    @property
    def group(self) -> Group | None:
        """The group that the robot obeys, if there is one."""
        return None if self.rules is None else self.rules.group

    @property
    def source(self) -> str:
        """The source: a line of robots.txt, or the result of the request for it."""
        return self.said if self.rules is None else self.rules.source

    def __str__(self) -> str:
        """Return it as a sentence."""
        if self.rules is not None or self.sentence:
            is_stale = self.policy_reason == "stale-copy"
            copy = f" This is from a stored copy, because {self.said}." if is_stale else ""
            return f"{self.sentence or self.rules}{copy}"
        outcome = "Allowed" if self.allowed else "Disallowed"
        if self.reason.startswith("operator-"):
            return f"{outcome}: {self.said} ({self.reason})."
        why = f"{self.said}, {LEADS_TO[self.access]}"
        if self.reason == "robots-txt-itself":
            why = "/robots.txt itself is always allowed"
        again = "" if self.retry_at is None else f"{self.retry_at:%Y-%m-%d %H:%M:%S} UTC"
        # A robot that refuses an address makes no request later either.
        is_over = self.allowed or self.policy_reason == "failure-private-address"
        retry = "" if is_over or not again else f" Request robots.txt again at {again}."
        return f"{outcome}: {why} ({self.reason}; dialect {self.dialect}).{retry}"

    def __repr__(self) -> str:
        """Return a short description."""
        allowed = "allowed" if self.allowed else "disallowed"
        reason, source = shortened(self.reason, 60), shortened(self.source)
        return f"<PolicyVerdict {allowed}: {reason}, {source}>"

    def _repr_html_(self) -> str:
        """Return a table, for notebooks."""
        return verdict_html(self)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "url": self.url,
            "robot": self.robot,
            "allowed": self.allowed,
            "reason": self.reason,
            "source": self.source,
            "access": self.access,
            "policy_reason": self.policy_reason,
            "rules": None if self.rules is None else self.rules.as_dict(),
            "dialect": self.dialect,
            "retry_at": written(self.retry_at),
        }
