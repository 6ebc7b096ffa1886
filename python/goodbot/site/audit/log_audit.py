"""The audit of a log, as plain values: what the command prints, and what a program asks.

Scope: values. `audit` makes them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field
from datetime import datetime
from typing import Any

from goodbot.display import short_repr
from goodbot.history import PolicyTimeline
from goodbot.http.instants import written
from goodbot.knowledge import stamp
from goodbot.lazy_dataclass import dataclass
from goodbot.notes import ResultNote
from goodbot.site.audit.audit_options import AuditOptions
from goodbot.site.audit.audit_outcomes import classify_reason
from goodbot.site.audit.audit_result import AuditResult
from goodbot.site.audit.audited_robot import AuditedRobot
from goodbot.site.audit.identity import SenderIdentity
from goodbot.site.audit.judged_requests import requests_in_order
from goodbot.site.audit.pace_judgement import PaceJudgement
from goodbot.site.audit.request_judgement import RequestJudgement
from goodbot.site.audit.robot_story import SiteStory, read_stories
from goodbot.site.audit.served_versions import ServedVersions
from goodbot.site.audit.shown_address import show_line
from goodbot.site.logs import LogCounts

FINDINGS: dict[str, str] = {
    "violation": "A request that no robots.txt that the robot could rightly hold allowed.",
    "late": "A request that only an earlier copy of robots.txt allowed, which could still be used.",
    "too-fast": "A request that broke a wish for a pace that the robot claims to read.",
    "spoofed": "A request under the name of a robot whose operator did not send it.",
}
"""What an audit may find that is worth an alarm, each with its meaning."""


PACE_KEYS = (
    "site", "family", "check", "outcome", "reason", "asked", "checked", "breaches", "answers",
    "soonest", "unjudged",
)  # fmt: skip


@dataclass(frozen=True, slots=True, repr=False)
class PolicySource:
    """Where the robots.txt of a site was read, and for which time it is known."""

    given: tuple[str, ...]
    """The sources, as they were named."""
    how: str
    """What they state, as a part of a sentence, such as `the log of a git repository`."""
    timeline: PolicyTimeline
    """What was read."""
    history: ServedVersions
    """What may have been served: its site, its versions, and for which time it is known."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        history = self.history
        return {
            "site": history.site,
            "sources": list(self.given),
            "how": self.how,
            "known_from": written(history.known_from),
            "known_until": written(history.known_until),
            "versions": [
                {
                    "digest": version.digest,
                    "since": written(version.since),
                    "until": written(version.until),
                }
                for version in history.versions
            ],
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Audit:
    """What `goodbot.site.audit.audit` found: the answers of `goodbot audit` as values."""

    result: AuditResult
    """The judged requests of robots. Rows of spoofed requests are `unjudged`."""
    sites: tuple[str, ...]
    """The sites that were audited, as origins; lines without a host are about the first."""
    policies: tuple[PolicySource, ...]
    """The robots.txt of each site over time, in the order of `sites`."""
    log: LogCounts
    """What was read: lines, `refused` lines by reason with `shown` as examples, times."""
    log_names: tuple[str, ...]
    """The files of the log, in the order in which they were read."""
    robots: tuple[AuditedRobot, ...]
    """The sums of each robot, by name, without requests under its spoofed name."""
    pace: tuple[PaceJudgement, ...]
    """How each robot kept the pace that the sites ask for."""
    senders: Mapping[tuple[str, str], tuple[SenderIdentity, ...]]
    """Who sent the requests, by robot and address, as the log has them; several if the evidence
    says different things of different times."""
    signatures: Mapping[str, int] = field(default_factory=dict)
    """How many requests are signed, by what the signature shows: a key of
    `goodbot.site.audit.identity.IDENTITY_REASONS`."""
    other_hosts: Mapping[str, int] = field(default_factory=dict)
    """How many requests of robots were about other hosts than the sites; they are not judged."""
    outside: int = 0
    """How many lines have times that are far from all others: they do not say when the log begins
    and ends."""
    notes: tuple[ResultNote | str, ...] = ()
    """What the log and the policies lack, what was not judged because of it, and the parameter of
    `audit` that cures it."""
    whole_addresses: bool = False
    """Whether `requests` has addresses in full, instead of shortened."""

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

    @property
    def findings(self) -> tuple[str, ...]:
        """What was found of `FINDINGS`, in its order."""
        found = {name for robot in self.robots for name in robot.outcomes if robot.outcomes[name]}
        found |= {"spoofed"} if any(robot.spoofed for robot in self.robots) else set()
        found |= set() if all(self.pace) else {"too-fast"}
        return tuple(name for name in FINDINGS if name in found)

    def stories(self, robot: str) -> list[SiteStory]:
        """Return what happened between a robot and each site, in the order of time.

        Args:
            robot: Its name, in upper or lower case.

        Raises:
            MisuseError: The log has no request of it.

        """
        return list(read_stories(self.result, robot, begins=self.begins, ends=self.ends))

    def judgement(self, row: int) -> RequestJudgement:
        """Return the whole judgement of one request, with what the robot may have known.

        Args:
            row: The place of the request in `result`: one of `rows` or `spoofed` of a robot.

        """
        return self.result.judgement(row)

    def requests(self) -> Iterator[dict[str, Any]]:
        """Yield every judged request, in the order of their times.

        The keys are those of `goodbot.site.audit.REQUEST_COLUMNS`.
        """
        return requests_in_order(self.result, self.pace, whole_addresses=self.whole_addresses)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON; `goodbot audit --json` prints them, with its options."""
        return {
            "log": self._log_dict(),
            "sites": list(self.sites),
            "policies": [policy.as_dict() for policy in self.policies],
            "behind_cdn": self.options.behind_cdn,
            "notes": list(self.notes),
            "robots": [self._robot_dict(robot) for robot in self.robots],
            "made_with": stamp(),
        }

    def _log_dict(self) -> dict[str, Any]:
        """Return what was read of the log."""
        log = self.log
        return {
            "files": list(self.log_names),
            "lines": log.lines,
            "begins": written(self.begins),
            "ends": written(self.ends),
            "outside": self.outside,
            "robots": log.robots,
            "unknown_robots": log.unknown_robots,
            "people": log.people,
            "without_zone": log.without_zone,
            "other_hosts": dict(self.other_hosts),
            "refused": dict(log.refused),
            "too_long": dict(log.too_long),
            "unread": [
                {
                    "source": line_read.source,
                    "line": line_read.line,
                    "reason": line_read.reason,
                    "text": show_line(line_read.begin, whole=self.whole_addresses),
                }
                for line_read in log.shown
            ],
            "damaged": dict(log.damaged),
        }

    def _robot_dict(self, robot: AuditedRobot) -> dict[str, Any]:
        """Return what was found of a robot."""
        reasons, addresses = self.result.reasons, self.result.rows.addresses
        unclaimed = (row for row in robot.rows if classify_reason(reasons[row]) == "unclaimed")
        return {
            "robot": robot.robot,
            "requests": robot.requests,
            "verified": robot.verified,
            "outcomes": dict(robot.outcomes),
            "reasons": robot.reasons,
            "unclaimed_disallowed": self.result.disallowed(unclaimed),
            "too_fast": robot.too_fast,
            "priced": robot.priced,
            "declared_served": [one.as_dict() for one in robot.declared_served],
            "uses": {use: dict(counts) for use, counts in robot.uses.items()},
            "bytes": robot.bytes,
            "pace": [self._pace_dict(pace) for pace in robot.pace],
            "spoofed": {
                "requests": len(robot.spoofed),
                "addresses": len({addresses[row] for row in robot.spoofed}),
            },
        }

    def _pace_dict(self, pace: PaceJudgement) -> dict[str, Any]:
        """Return how a robot kept a pace."""
        files, rows = self.result.rows.sources, pace.rows[: len(pace.lines)]
        return {name: getattr(pace, name) for name in PACE_KEYS} | {
            "lines": list(pace.lines),
            "files": None if files is None else [files[row] for row in rows],
        }
