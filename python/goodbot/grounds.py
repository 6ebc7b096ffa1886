"""The grounds of a verdict: which robot was asked about, whose group it obeys, what the site said.

Scope: what is the same for every URL of one robot at one source, and the verdict in sentences.
"""

from datetime import datetime
from typing import Any, Protocol

from goodbot._core import Judge, Verdict
from goodbot.display import short_repr
from goodbot.http.instants import written
from goodbot.lazy_dataclass import dataclass

__all__ = ["EXPIRED", "IGNORES_STAR", "NEVER_ASKED", "UNKNOWN", "Grounds"]

IGNORES_STAR = "ignores-star"
"""The reason of a verdict if only the group for `*` could apply, and the robot ignores it."""

EXPIRED = "expired"
"""The reason of a verdict if what was known at the time allowed the URL, and was too old to."""

UNKNOWN = "unknown"
"""The reason of a verdict if nothing is known of the time that was asked about."""

NEVER_ASKED = frozenset(
    {
        "failure-blocked-port",
        "failure-malformed-url",
        "failure-private-address",
        "failure-unsupported-scheme",
    }
)
"""Outcomes of a policy whose robots.txt is never requested: this machine refuses its address."""

LEADS_TO = {
    "rules": "so its rules apply",
    "allow-all": "so everything is allowed",
    "disallow-all": "so nothing is allowed",
    "defer": "so visits are deferred",
}
"""What follows from what a policy allows."""


class RobotFacts(Protocol):
    """What sentences tell of a known robot (`goodbot.bots.KnownRobot`)."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def operator(self) -> str | None:
        """Who runs it."""

    @property
    def obeys(self) -> bool | None:
        """Whether it is said to obey robots.txt."""

    @property
    def fetches(self) -> bool:
        """Whether it fetches at all; a mere token does not."""

    def source(self, field: str, /) -> Any:  # noqa: ANN401  a `FactSource`, or `None`
        """Return the page behind a fact."""


@dataclass(frozen=True, slots=True, repr=False)
class Grounds:
    """What the verdicts on all URLs have in common, for one robot at one source."""

    robot: str
    """The robot, as it was asked for."""
    dialect: str
    """The name of the dialect in which the file was read."""
    known: RobotFacts | None = None
    """The robot, if it is a known one."""
    token: str | None = None
    """The product token whose group it obeys; `None` if no group names any of its tokens."""
    tried: tuple[str, ...] = ()
    """The product tokens that it looked for, in this order."""
    access: str = "rules"
    """What the policy allows; `rules` for a file."""
    policy_reason: str = ""
    """The reason for that; empty for a file."""
    said: str = ""
    """The result of the request for robots.txt, in words; empty for a file."""
    retry_at: datetime | None = None
    """When to request robots.txt again, if the request failed."""
    until: datetime | None = None
    """Until when the verdicts may be used without asking again."""
    is_answer: bool = True
    """Whether someone decided; false if nothing is allowed because nobody answered."""

    __repr__ = short_repr

    @property
    def source(self) -> str:
        """Who says so, if no rule does."""
        return self.said or "robots.txt"

    @property
    def known_robot(self) -> str | None:
        """The name of the known robot."""
        return None if self.known is None else self.known.name

    @property
    def obeys(self) -> bool | None:
        """Whether the robot is said to obey robots.txt; `None` if that is not known."""
        return None if self.known is None else self.known.obeys

    @property
    def shown_name(self) -> str:
        """The name of the known robot, or else the robot as it was asked for."""
        return self.known_robot or self.robot

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is special about the robot here, in sentences; empty for most."""
        if self.known is None or self.access != "rules":
            return ()
        return (*self.about_the_group(), *describe_obedience(self.known))

    def state(self, url: str | bytes, reason: str, *, allowed: bool = False) -> Verdict:
        """Return a verdict that no file decides, whatever the rules are."""
        return Judge(self, [], statement=(allowed, reason)).verdict(url)

    def sentence(self, verdict: Verdict) -> str:
        """Return a verdict as sentences."""
        rules = verdict.rules
        if rules is not None:
            first = str(rules)
        elif verdict.reason == IGNORES_STAR:
            first = self.why_no_group_applies()
        else:
            return self.why_without_rules(verdict)
        is_stale = self.policy_reason == "stale-copy"
        copy = [f"This is from a stored copy, because {self.said}."] if is_stale else []
        return " ".join([first, *self.remarks, *copy])

    def why_no_group_applies(self) -> str:
        """Return why everything is allowed to a robot that ignores `*`."""
        source = None if self.known is None else self.known.source("ignores_star")
        where = f"{source.title}; " if source is not None else ""
        return (
            f"Allowed: no group names {self.shown_name}, and it ignores the group for * "
            f"({where}dialect {self.dialect})."
        )

    def why_without_rules(self, verdict: Verdict) -> str:
        """Return a verdict that no file decides, as sentences."""
        outcome = "Allowed" if verdict.allowed else "Disallowed"
        if verdict.reason.startswith("operator-") or verdict.reason in {EXPIRED, UNKNOWN}:
            return f"{outcome}: {self.said} ({verdict.reason})."
        why = f"{self.said}, {LEADS_TO[self.access]}"
        if verdict.reason == "robots-txt-itself":
            why = "/robots.txt itself is always allowed"
        again = "" if self.retry_at is None else f"{self.retry_at:%Y-%m-%d %H:%M:%S} UTC"
        # A robot that refuses an address makes no request later either.
        is_over = verdict.allowed or self.policy_reason in NEVER_ASKED
        retry = "" if is_over or not again else f" Request robots.txt again at {again}."
        return f"{outcome}: {why} ({verdict.reason}; dialect {self.dialect}).{retry}"

    def about_the_group(self) -> tuple[str, ...]:
        """Return a sentence on whose group is used, if it is not the robot's own."""
        if not self.tried:
            return (f"Which groups {self.shown_name} looks for is not known.",)
        operator = (self.known.operator if self.known else None) or "its operator"
        before = self.tried[: self.tried.index(self.token)] if self.token else self.tried
        if self.token and before:
            return (f"{begin_sentence(before)} no group; {operator} then uses {self.token}'s.",)
        if not self.token and len(self.tried) > 1:
            return (f"{begin_sentence(self.tried)} no group.",)
        return ()

    def as_dict(self, verdict: Verdict) -> dict[str, Any]:
        """Return a verdict as plain values, for JSON."""
        rules = verdict.rules
        plain: dict[str, Any] = {
            "url": verdict.url,
            "robot": self.robot,
            "known_robot": self.known_robot,
            "allowed": verdict.allowed,
            "reason": verdict.reason,
            "source": verdict.source,
            "token": self.token,
            "tried": list(self.tried),
            "obeys": self.obeys,
            "rules": None if rules is None else rules.as_dict(),
            "dialect": self.dialect,
            "sentence": self.sentence(verdict),
        }
        if self.said:
            plain |= {
                "access": self.access,
                "policy_reason": self.policy_reason,
                "retry_at": written(self.retry_at),
                "until": written(self.until),
            }
        return plain


def begin_sentence(tokens: tuple[str, ...]) -> str:
    """Return the beginning of a sentence that says that some tokens have no group."""
    if len(tokens) == 1:
        return f"{tokens[0]} has"
    return f"{', '.join(tokens[:-1])} and {tokens[-1]} have"


def describe_obedience(robot: RobotFacts) -> tuple[str, ...]:
    """Return sentences on a robot that does not obey, or that never comes."""
    if not robot.fetches:
        return (f"{robot.name} is a token: it says how content may be used, and fetches nothing.",)
    source = robot.source("obeys")
    if robot.obeys is False and source is not None:
        return (f"But {robot.name} is said not to obey robots.txt ({source.title}).",)
    return ()
