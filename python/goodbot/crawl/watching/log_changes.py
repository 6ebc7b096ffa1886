"""What the log of a server has that it did not have before: new robots, and violations.

Scope: from an audit to changes. `goodbot.site.audit` judges.
"""

import os
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta, timezone

from goodbot.crawl.watching.watch_run import LogSeen, WatchChange
from goodbot.http.amounts import counted
from goodbot.http.instants import instant
from goodbot.site.audit import Audit, audit
from goodbot.site.audit.audit_outcomes import classify_reason

__all__ = ["changes_in_logs", "read_logs"]

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def read_logs(
    logs: Iterable[str], folder: str | os.PathLike[str], site: str, before: LogSeen | None
) -> tuple[LogSeen, list[WatchChange]]:
    """Judge the logs of a site by the robots.txt that its crawl has seen over time.

    Args:
        logs: The files, folders or patterns.
        folder: The folder of the crawl.
        site: The site, as an origin.
        before: What was seen of the logs by the run before; `None` if there was none.

    Raises:
        MisuseError: A log cannot be read, or has nothing of the site.
        MissingExtraError: pyarrow is not installed.
        OSError: A file cannot be read.

    """
    return changes_in_logs(audit(list(logs), str(folder), site, unknown=True), before)


def changes_in_logs(audited: Audit, before: LogSeen | None) -> tuple[LogSeen, list[WatchChange]]:
    """Return what was seen of the logs, and what is new in them.

    Args:
        audited: The audit of the logs.
        before: What was seen of the logs by the run before; `None` if there was none: then all
            robots are new to it, and none is reported as new.

    """
    rows = audited.result.rows
    known = set(() if before is None else before.robots)
    robots = [one.robot for one in audited.robots if one.requests]
    found: list[WatchChange] = []
    if before is not None:
        found += (
            WatchChange("new-robot", one.robot, "", counted(one.requests, "request"))
            for one in audited.robots
            if one.requests and one.robot not in known
        )
    since = None if before is None else before.until
    found += violations(audited, since)
    last = max(rows.times, default=None)
    until = None if last is None else EPOCH + timedelta(microseconds=last)
    if since is not None and (until is None or until < since):
        until = since
    return LogSeen(until, tuple(sorted(known.union(robots)))), found


def violations(audited: Audit, since: datetime | None) -> Iterator[WatchChange]:
    """Yield the violations of each robot after a time, with the first as an example."""
    times, reasons = audited.result.rows.times, audited.result.reasons
    after = None if since is None else instant(since, "since")
    for robot in audited.robots:
        rows = [
            row
            for row in robot.rows
            if classify_reason(reasons[row]) == "violation"
            and (after is None or times[row] > after)
        ]
        if rows:
            first = audited.judgement(rows[0])
            place = "" if first.place is None else f"; {first.place}"
            yield WatchChange(
                "violation",
                robot.robot,
                "",
                counted(len(rows), "request"),
                f"the first: {first.request.method} {first.request.target}{place}",
            )
