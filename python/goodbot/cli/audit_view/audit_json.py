"""The result of an audit as plain values, for `--json`.

Scope: one object for the log, with one for each robot. Addresses are not in it.
"""

from collections.abc import Iterator
from typing import Any

from goodbot.audit import PaceJudgement
from goodbot.audit.audit_outcomes import outcome_of
from goodbot.cli.audit_view.audit_notes import audit_notes
from goodbot.cli.audit_view.audit_story import site_stories
from goodbot.cli.audit_view.audit_sums import RobotSums, robot_sums, unread_text
from goodbot.cli.audit_view.audit_values import AuditView, HistorySource
from goodbot.http.instants import written

__all__ = ["audit_object", "story_objects"]


def audit_object(view: AuditView) -> dict[str, Any]:
    """Return an audit as plain values.

    Args:
        view: The audit.

    """
    return {
        "log": log_object(view),
        "sites": list(view.sites),
        "policies": [history_object(one) for one in view.policies],
        "behind_cdn": view.options.behind_cdn,
        "notes": list(audit_notes(view)),
        "robots": [robot_object(view, one) for one in robot_sums(view)],
    }


def log_object(view: AuditView) -> dict[str, Any]:
    """Return what was read of the log."""
    log = view.log
    return {
        "files": list(view.log_names),
        "lines": log.lines,
        "begins": None if view.begins is None else written(view.begins),
        "ends": None if view.ends is None else written(view.ends),
        "outside": view.outside,
        "robots": log.robots,
        "unknown_robots": log.unknown_robots,
        "people": log.people,
        "without_zone": log.without_zone,
        "other_hosts": dict(view.other_hosts),
        "refused": dict(log.refused),
        "too_long": dict(log.too_long),
        "unread": [
            {
                "source": one.source,
                "line": one.line,
                "reason": one.reason,
                "text": unread_text(one, whole=view.whole_addresses),
            }
            for one in log.shown
        ],
        "damaged": dict(log.damaged),
    }


def history_object(source: HistorySource) -> dict[str, Any]:
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


def robot_object(view: AuditView, robot: RobotSums) -> dict[str, Any]:
    """Return what was found of a robot."""
    rows = view.result.rows
    unclaimed = (row for row in robot.rows if outcome_of(view.result.reasons[row]) == "unclaimed")
    return {
        "robot": robot.robot,
        "requests": robot.requests,
        "verified": robot.verified,
        "outcomes": dict(robot.outcomes),
        "reasons": robot.reasons,
        "unclaimed_disallowed": view.result.disallowed(unclaimed),
        "too_fast": robot.too_fast,
        "bytes": robot.bytes,
        "pace": [pace_object(view, one) for one in robot.pace],
        "spoofed": {
            "requests": len(robot.spoofed),
            "addresses": len({rows.addresses[row] for row in robot.spoofed}),
        },
    }


def pace_object(view: AuditView, pace: PaceJudgement) -> dict[str, Any]:
    """Return how a robot kept a pace."""
    files, rows = view.result.rows.sources, pace.rows[: len(pace.lines)]
    names = ("site", "family", "check", "outcome", "reason", "asked", "checked", "breaches",
             "answers", "soonest")  # fmt: skip
    return {name: getattr(pace, name) for name in names} | {
        "lines": list(pace.lines),
        "files": None if files is None else [files[row] for row in rows],
    }


def story_objects(view: AuditView, name: str) -> Iterator[dict[str, Any]]:
    """Yield what happened between a robot and each site, as plain values.

    Args:
        view: The audit.
        name: The name of the robot.

    Raises:
        MisuseError: The log has no request of it.

    """
    for robot, site, events in site_stories(view, name):
        yield from ({"robot": robot, "site": site} | one.as_dict() for one in events)
