"""The result of an audit as plain values, for `--json`.

Scope: one object for the log, with one for each robot. Addresses are not in it.
"""

from collections.abc import Iterator
from typing import Any

from goodbot.audit import Audit, AuditedRobot, PaceJudgement, PolicySource
from goodbot.audit.audit_outcomes import outcome_of
from goodbot.cli.audit_view.audit_words import unread_text
from goodbot.http.instants import written

__all__ = ["audit_object", "story_objects"]


def audit_object(audit: Audit) -> dict[str, Any]:
    """Return an audit as plain values.

    Args:
        audit: The audit.

    """
    return {
        "log": log_object(audit),
        "sites": list(audit.sites),
        "policies": [history_object(one) for one in audit.policies],
        "behind_cdn": audit.options.behind_cdn,
        "notes": list(audit.notes),
        "robots": [robot_object(audit, one) for one in audit.robots],
    }


def log_object(audit: Audit) -> dict[str, Any]:
    """Return what was read of the log."""
    log = audit.log
    return {
        "files": list(audit.log_names),
        "lines": log.lines,
        "begins": None if audit.begins is None else written(audit.begins),
        "ends": None if audit.ends is None else written(audit.ends),
        "outside": audit.outside,
        "robots": log.robots,
        "unknown_robots": log.unknown_robots,
        "people": log.people,
        "without_zone": log.without_zone,
        "other_hosts": dict(audit.other_hosts),
        "refused": dict(log.refused),
        "too_long": dict(log.too_long),
        "unread": [
            {
                "source": one.source,
                "line": one.line,
                "reason": one.reason,
                "text": unread_text(one, whole=audit.whole_addresses),
            }
            for one in log.shown
        ],
        "damaged": dict(log.damaged),
    }


def history_object(source: PolicySource) -> dict[str, Any]:
    """Return what is known of the robots.txt of a site."""
    history = source.history
    return {
        "site": history.site,
        "sources": list(source.given),
        "how": source.how,
        "known_from": None if history.known_from is None else written(history.known_from),
        "known_until": None if history.known_until is None else written(history.known_until),
        "versions": [
            {
                "digest": one.digest,
                "since": written(one.since),
                "until": None if one.until is None else written(one.until),
            }
            for one in history.versions
        ],
    }


def robot_object(audit: Audit, robot: AuditedRobot) -> dict[str, Any]:
    """Return what was found of a robot."""
    rows = audit.result.rows
    unclaimed = (row for row in robot.rows if outcome_of(audit.result.reasons[row]) == "unclaimed")
    return {
        "robot": robot.robot,
        "requests": robot.requests,
        "verified": robot.verified,
        "outcomes": dict(robot.outcomes),
        "reasons": robot.reasons,
        "unclaimed_disallowed": audit.result.disallowed(unclaimed),
        "too_fast": robot.too_fast,
        "bytes": robot.bytes,
        "pace": [pace_object(audit, one) for one in robot.pace],
        "spoofed": {
            "requests": len(robot.spoofed),
            "addresses": len({rows.addresses[row] for row in robot.spoofed}),
        },
    }


def pace_object(audit: Audit, pace: PaceJudgement) -> dict[str, Any]:
    """Return how a robot kept a pace."""
    files, rows = audit.result.rows.sources, pace.rows[: len(pace.lines)]
    names = ("site", "family", "check", "outcome", "reason", "asked", "checked", "breaches",
             "answers", "soonest")  # fmt: skip
    return {name: getattr(pace, name) for name in names} | {
        "lines": list(pace.lines),
        "files": None if files is None else [files[row] for row in rows],
    }


def story_objects(audit: Audit, name: str) -> Iterator[dict[str, Any]]:
    """Yield what happened between a robot and each site, as plain values.

    Args:
        audit: The audit.
        name: The name of the robot.

    Raises:
        MisuseError: The log has no request of it.

    """
    for robot, site, events in audit.stories(name):
        yield from ({"robot": robot, "site": site} | one.as_dict() for one in events)
