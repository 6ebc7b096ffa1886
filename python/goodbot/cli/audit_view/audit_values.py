"""What every form of an audit's output shows.

Scope: values. `audit_run` makes them; the terminal, the page and the tables of requests show them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from goodbot.audit import (
    AuditedRobot,
    AuditOptions,
    AuditResult,
    PaceJudgement,
)
from goodbot.audit.identity import SenderIdentity
from goodbot.audit.served_versions import ServedVersions
from goodbot.display import short_repr
from goodbot.logs import LogCounts
from goodbot.policy import PolicyTimeline

__all__ = ["AuditView", "HistorySource"]


@dataclass(frozen=True, slots=True)
class HistorySource:
    """Where the robots.txt of a site was read, and for which time it is known."""

    given: tuple[str, ...]
    """The sources, as `--policy` named them."""
    how: str
    """What they state, as a part of a sentence, such as `the log of a git repository`."""
    timeline: PolicyTimeline
    """What was read."""
    history: ServedVersions
    """What may have been served: its site, its versions, and for which time it is known."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class AuditView:
    """An audit with everything that its outputs show."""

    result: AuditResult
    """The judged requests of robots. Rows of spoofed requests are `unjudged`; `judgement(row)` of
    it has a sentence, and the robots.txt that decides."""
    robots: tuple[AuditedRobot, ...]
    """The sums of each robot, by name. They include its spoofed requests, which have the reason
    `spoofed`."""
    pace: Mapping[str, tuple[PaceJudgement, ...]]
    """How each robot kept the pace that the sites ask for, by the robot's name."""
    identities: Mapping[tuple[str, str], tuple[SenderIdentity, ...]]
    """Who sent the requests, by robot and address, as the log has them; several if the evidence
    says different things of different times."""
    log: LogCounts
    """What was read: lines, `refused` lines by reason with `shown` as examples, times."""
    log_names: tuple[str, ...]
    """The files of the log, in the order in which they were read."""
    sites: tuple[str, ...]
    """The sites that were audited, as origins; lines without a host are about the first."""
    policies: tuple[HistorySource, ...]
    """The robots.txt of each site over time, in the order of `sites`; a site of which nothing is
    known has no row."""
    whole_addresses: bool
    """Whether addresses are shown in full, instead of shortened by `shown_address`."""
    other_hosts: Mapping[str, int] = field(default_factory=dict)
    """How many requests of robots were about other hosts than the sites; they are not judged."""
    judges_unknown: bool = False
    """Whether robots that are not known are judged, too, by the names that they give."""
    proxies: int = 0
    """How many proxies add an address to X-Forwarded-For."""
    outside: int = 0
    """How many lines have times that are far from all others: they do not say when the log begins
    and ends."""
    list_notes: tuple[str, ...] = ()
    """What is to be said of the user's own lists of addresses."""

    __repr__ = short_repr

    @property
    def options(self) -> AuditOptions:
        """How the log was judged."""
        return self.result.options

    @property
    def begins(self) -> datetime | None:
        """When the log begins, by the requests of robots and people; `None` if it has none."""
        return self.options.log_begins or self.log.first

    @property
    def ends(self) -> datetime | None:
        """When the log ends; `None` if it has no request."""
        return self.options.log_ends or self.log.last

    @property
    def refused_lines(self) -> int:
        """How many lines of the log could not be read."""
        return sum(self.log.refused.values())
