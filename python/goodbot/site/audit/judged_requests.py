"""Every judged request of robots, with what was found of it.

Scope: the rows of robots, without those of people. Addresses are shortened unless they are wanted
in full.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple

from goodbot.bots import known
from goodbot.display import short_repr
from goodbot.site.audit.audit_outcomes import classify_reason
from goodbot.site.audit.audit_result import AuditResult
from goodbot.site.audit.declared_served import folder_of, week_of
from goodbot.site.audit.pace_judgement import PaceJudgement
from goodbot.site.audit.shown_address import mask_address

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


class RequestColumn(NamedTuple):
    """A column of the file."""

    name: str
    """Its name in Parquet, and its key in JSON."""
    kind: str
    """The type: `string`, `name` (a string that repeats), `integer`, or `time`."""
    meaning: str
    """What it means."""

    def __repr__(self) -> str:
        """Return it as code, short."""
        return short_repr(self)


REQUEST_COLUMNS = (
    RequestColumn("line", "integer", "The line of the log."),
    RequestColumn("file", "name", "The file of the log; null if it is not known."),
    RequestColumn("time", "time", "When, in UTC. In JSON it is written as in RFC 3339."),
    RequestColumn("robot", "name", "The robot that the request names."),
    RequestColumn("operator", "name", "Who runs it; null if the robot is not known."),
    RequestColumn("site", "name", "The site, as an origin; null if the line belongs to none."),
    RequestColumn("method", "name", "The method."),
    RequestColumn("target", "string", "What was asked for, as it was sent."),
    RequestColumn("status", "integer", "The status of the answer; null if unknown."),
    RequestColumn("bytes", "integer", "The bytes of the answer; null if unknown."),
    RequestColumn(
        "address",
        "name",
        "Where the request came from, shortened to a network: `/24` of IPv4, `/48` of IPv6. "
        "`(hidden)` if the log has something that is not an address. In full with "
        "`--whole-addresses`, or `whole_addresses=True` in Python.",
    ),
    RequestColumn(
        "identity",
        "name",
        "Whether the sender is who it claims to be: `verified`, `spoofed`, `invalid` or "
        "`unverifiable`.",
    ),
    RequestColumn("outcome", "name", "The outcome: see [outcomes](audits.md#outcomes)."),
    RequestColumn("reason", "name", "Why: see [reasons](audits.md#reasons)."),
    RequestColumn("rule_line", "integer", "The line of the rule that decides; 0 if no rule does."),
    RequestColumn(
        "policy", "name", "The digest of the robots.txt that decides; null if there is none."
    ),
    RequestColumn(
        "too_fast",
        "name",
        "The wishes for a pace that the request broke, such as `crawl-delay`, in the order of the "
        "alphabet, with a space between two; null if it broke none, or the robot does not claim "
        "to read them.",
    ),
    RequestColumn(
        "declared",
        "name",
        "What the robots.txt in force declared: `allowed`, `disallowed` or `unknown`; see "
        "[declared and served](declared-and-served.md).",
    ),
    RequestColumn(
        "served",
        "name",
        "What the server served: `served`, `refused`, `challenged`, `priced`, `limited` or "
        "`failed`; null if the log shows no answer.",
    ),
    RequestColumn(
        "folder",
        "name",
        "The first segment of the path, such as `/shop/`; `/` for pages beside the home page.",
    ),
    RequestColumn("week", "name", "The Monday with which the week begins, in UTC."),
)
"""The columns, in their order."""


def requests_in_order(
    result: AuditResult, pace: Iterable[PaceJudgement], *, whole_addresses: bool = False
) -> Iterator[dict[str, Any]]:
    """Yield every judged request by the names of `REQUEST_COLUMNS`, in the order of their times.

    Args:
        result: The judged requests.
        pace: How robots kept a pace, from `check_pace`.
        whole_addresses: Whether to have addresses in full.

    """
    rows = result.rows
    sites: list[str | None] = [None] * len(rows.times)
    for log in result.logs:
        for row in log.group.rows:
            sites[row] = log.group.site
    robots = {name: known(name) for name in set(rows.robots)}
    operators = {name: None if one is None else one.operator for name, one in robots.items()}
    broken = list_broken_wishes(pace)
    for row in sorted(range(len(sites)), key=lambda row: (rows.times[row], rows.lines[row] or 0)):
        yield {
            "line": rows.lines[row],
            "file": None if rows.sources is None else rows.sources[row],
            "time": EPOCH + timedelta(microseconds=rows.times[row]),
            "robot": rows.robots[row],
            "operator": operators[rows.robots[row]],
            "site": sites[row],
            "method": rows.methods[row],
            "target": rows.target_names[rows.targets[row]],
            "status": rows.statuses[row],
            "bytes": rows.sizes[row],
            "address": mask_address(rows.addresses[row], whole_addresses),
            "identity": rows.identities[row],
            "outcome": classify_reason(result.reasons[row]),
            "reason": result.reasons[row],
            "rule_line": result.rule_lines[row],
            "policy": result.digests[row],
            "too_fast": broken.get(row),
            "declared": result.declared[row],
            "served": result.served[row],
            "folder": folder_of(rows.target_names[rows.targets[row]]),
            "week": week_of(rows.times[row]).isoformat(),
        }


def list_broken_wishes(pace: Iterable[PaceJudgement]) -> dict[int, str]:
    """Return the wishes for a pace that rows broke, by row."""
    found: dict[int, set[str]] = {}
    for check in pace:
        if not check:
            for row in check.rows:
                found.setdefault(row, set()).add(check.check)
    return {row: " ".join(sorted(names)) for row, names in found.items()}
