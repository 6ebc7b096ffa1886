"""What happened between one robot and each site, in the order of time.

Scope: values: each robots.txt that came into force, each request for robots.txt, and runs of
requests that have one reason.
"""

import difflib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, timezone
from itertools import groupby
from typing import Any, NamedTuple, TypeAlias

from goodbot.display import short_repr
from goodbot.errors import MisuseError
from goodbot.http.instants import written
from goodbot.lazy_dataclass import dataclass
from goodbot.policy.outcome_tables import meaning_of
from goodbot.site.audit.audit_outcomes import classify_reason
from goodbot.site.audit.audit_result import AuditResult, SiteLog
from goodbot.site.audit.request import is_robots_fetch, target_path
from goodbot.site.audit.served_versions import RobotsVersion
from goodbot.site.audit.shown_address import decode_line

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MOST_TARGETS = 1_000
"""How many targets of a run of requests are kept."""
MOST_CHANGES = 20
"""How many changed lines of robots.txt are shown."""
MOST_COMPARED = 2_000
"""How many lines of robots.txt are compared."""
MOST_NAMES = 10
"""How many robots are named if there is no such robot."""


@dataclass(frozen=True, slots=True, repr=False)
class RobotsChanged:
    """A robots.txt may have been served from now on."""

    time: datetime
    version: RobotsVersion
    changes: tuple[str, ...]
    """The lines that came (`+`) and went (`-`), each with its number; of the first, all."""
    is_certain: bool = True
    """Whether the one before it was certainly no longer served."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "event": "robots-txt-changed",
            "at": written(self.time),
            "digest": self.version.digest,
            "changes": list(self.changes),
            "certain": self.is_certain,
        }


@dataclass(frozen=True, slots=True, repr=False)
class RobotsFetched:
    """The robot, or another one of its operator, requested robots.txt."""

    time: datetime
    line: int | None
    """The line of the log; `None` if the request names another robot."""
    status: int | None
    digests: tuple[str, ...]
    """Which robots.txt was served then; several if that is not certain."""
    usable_until: datetime | None = None
    """Until when the robot may use it (RFC 9309 section 2.4); `None` if no file was received."""
    file: str | None = None
    """The file that has the line; `None` if the log is one file, or `line` is `None`."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "event": "robots-txt-requested",
            "at": written(self.time),
            "line": self.line,
            "file": self.file,
            "status": self.status,
            "digests": list(self.digests),
            "usable_until": None if self.usable_until is None else written(self.usable_until),
        }


@dataclass(frozen=True, slots=True, repr=False)
class RequestsSent:
    """Requests, one after the other, that have one reason."""

    time: datetime
    last: datetime
    lines: tuple[int, int]
    """The lines of the first and the last."""
    requests: int
    targets: tuple[str, ...]
    """What they asked for, each once; the first of very many."""
    reason: str
    rule_line: int
    """The line of the rule that decides; 0 if there is none, or several."""
    rule_text: str
    digest: str | None
    """Which robots.txt decides."""
    files: tuple[str, str] | None = None
    """The files that have the first line and the last; `None` if the log is one file."""

    __repr__ = short_repr

    @property
    def outcome(self) -> str:
        """The outcome that the reason has."""
        return classify_reason(self.reason)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "event": "requests",
            "at": written(self.time),
            "last": written(self.last),
            "lines": list(self.lines),
            "files": None if self.files is None else list(self.files),
            "requests": self.requests,
            "targets": list(self.targets),
            "outcome": self.outcome,
            "reason": self.reason,
            "rule_line": self.rule_line,
            "rule_text": self.rule_text,
            "digest": self.digest,
        }


StoryEvent: TypeAlias = RobotsChanged | RobotsFetched | RequestsSent


class SiteStory(NamedTuple):
    """What happened between a robot and a site."""

    robot: str
    """The robot, as the log names it."""
    site: str
    """The site, as an origin; empty for lines that belong to none."""
    events: tuple[StoryEvent, ...]
    """What happened, the earliest first."""

    def as_dicts(self) -> Iterator[dict[str, Any]]:
        """Yield plain values for each event, for JSON."""
        for event in self.events:
            yield {"robot": self.robot, "site": self.site} | event.as_dict()

    def __repr__(self) -> str:
        """Return it as code, short."""
        return short_repr(self)


def read_stories(
    result: AuditResult, name: str, *, begins: datetime | None, ends: datetime | None
) -> Iterator[SiteStory]:
    """Yield what happened between a robot and each site that it requested.

    Args:
        result: The judged requests.
        name: The name of a robot, in upper or lower case.
        begins: When the log begins; `None` if it has no request.
        ends: When the log ends; `None` if it has no request.

    Raises:
        MisuseError: The log has no request of it.

    """
    logs = [
        robot_log
        for robot_log in result.logs
        if robot_log.group.robot.casefold() == name.casefold()
    ]
    if not logs or begins is None or ends is None:
        names = sorted({robot_log.group.robot for robot_log in result.logs})
        others = ", ".join(names[:MOST_NAMES]) + (" and others" if len(names) > MOST_NAMES else "")
        has = f"it has {others}" if names else "it has none of any known robot"
        message = f"the log has no request of {name!r}; {has}. {{unknown}} includes unknown robots"
        raise MisuseError(message, {"unknown": "unknown=True"})
    for log in logs:
        events = list_events(result, log, begins=begins, ends=ends)
        yield SiteStory(log.group.robot, log.group.site or "", tuple(events))


def list_events(
    result: AuditResult, log: SiteLog, *, begins: datetime, ends: datetime
) -> list[StoryEvent]:
    """Return what happened between a robot and a site, the earliest first.

    Args:
        result: The audit.
        log: The requests of the robot at the site.
        begins: When the log begins.
        ends: When the log ends.

    """
    parts: list[StoryEvent] = [*list_changes(log, begins, ends), *list_other_fetches(result, log)]
    cuts = sorted(part.time for part in parts)
    parts += list_requests(result, log, cuts)
    order = {RobotsChanged: 0, RobotsFetched: 1, RequestsSent: 2}
    return sorted(parts, key=lambda event: (event.time, order[type(event)]))


def list_changes(log: SiteLog, begins: datetime, ends: datetime) -> Iterator[RobotsChanged]:
    """Yield the robots.txt in force when the log begins, and those that followed."""
    before: RobotsVersion | None = None
    for version in () if log.history is None else log.history.versions:
        is_over = version.until is not None and version.until < begins
        if not is_over and version.since <= ends:
            is_certain = before is None or before.until is None or before.until <= version.since
            yield RobotsChanged(
                version.since, version, tuple(compare_lines(before, version)), is_certain
            )
        before = version


def compare_lines(before: RobotsVersion | None, after: RobotsVersion) -> Iterator[str]:
    """Yield the lines that came and went, some of very many."""
    old, new = ([] if version is None else lines_in(version) for version in (before, after))
    found: list[str] = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, a, a_end, b, b_end in matcher.get_opcodes():
        if tag != "equal":
            found += [f"- {place + 1}: {old[place]}" for place in range(a, a_end)]
            found += [f"+ {place + 1}: {new[place]}" for place in range(b, b_end)]
    yield from found[:MOST_CHANGES]
    if len(found) > MOST_CHANGES:
        yield f"and {len(found) - MOST_CHANGES:,} more lines"


def lines_in(version: RobotsVersion) -> list[str]:
    """Return the lines of a robots.txt, as text; no more than can be compared quickly."""
    return decode_line(version.content or b"").splitlines()[:MOST_COMPARED]


def list_other_fetches(result: AuditResult, log: SiteLog) -> Iterator[RobotsFetched]:
    """Yield the requests for robots.txt by other robots of the operator."""
    own = {result.rows.times[row] for row in log.group.rows if is_fetch(result, row)}
    for fetch in log.fetches:
        if fetch.at not in own:
            yield read_fetch(log, fetch.answer.answered, fetch.status)


def is_fetch(result: AuditResult, row: int) -> bool:
    """Return whether a row is a request for robots.txt by the robot."""
    rows = result.rows
    path = target_path(rows.target_names[rows.targets[row]])
    return rows.identities[row] != "spoofed" and is_robots_fetch(rows.methods[row], path)


def read_fetch(
    log: SiteLog,
    time: datetime,
    status: int | None,
    line: int | None = None,
    file: str | None = None,
) -> RobotsFetched:
    """Return a request for robots.txt, with what it brought."""
    served = [
        version for version in (() if log.history is None else log.history.versions)
        if version.since <= time and (version.until is None or time < version.until)
    ]  # fmt: skip
    is_file = meaning_of(status, log.reading.dialect) == "file"
    lives = [log.reading.life(version) for version in served if is_file]
    until = time + timedelta(microseconds=max(lives)) if lives else None
    return RobotsFetched(
        time, line, status, tuple(version.digest for version in served), until, file
    )


def list_requests(
    result: AuditResult, log: SiteLog, cuts: Sequence[datetime]
) -> Iterator[StoryEvent]:
    """Yield the requests of the robot: those for robots.txt, and runs of others.

    A run ends where its reason changes, and where something else happened.
    """
    rows = result.rows
    ordered = sorted(log.group.rows, key=lambda row: (rows.times[row], rows.lines[row] or 0))

    def make_run(row: int) -> tuple[Any, ...]:
        reason, since = result.reasons[row], bisect_right(cuts, read_time(result, row))
        if is_fetch(result, row):
            return row, reason
        rule = 0 if reason == "rules-allow" else result.rule_lines[row]
        return -1, reason, result.digests[row], rule, since

    for _, group in groupby(ordered, key=make_run):
        yield read_run(result, log, list(group))


def read_time(result: AuditResult, row: int) -> datetime:
    """Return the time of a row."""
    return EPOCH + timedelta(microseconds=result.rows.times[row])


def read_run(result: AuditResult, log: SiteLog, run: Sequence[int]) -> StoryEvent:
    """Return a run of rows as what happened."""
    rows, first, last = result.rows, run[0], run[-1]
    begins = read_time(result, first)
    if is_fetch(result, first):
        file = None if rows.sources is None else rows.sources[first]
        return read_fetch(log, begins, rows.statuses[first], rows.lines[first], file)
    targets = dict.fromkeys(rows.target_names[rows.targets[row]] for row in run)
    place = None if result.reasons[first] == "rules-allow" else result.judgement(first).place
    return RequestsSent(
        time=begins,
        last=read_time(result, last),
        lines=(rows.lines[first] or 0, rows.lines[last] or 0),
        requests=len(run),
        targets=tuple(targets)[:MOST_TARGETS],
        reason=result.reasons[first],
        rule_line=0 if place is None else place.line,
        rule_text="" if place is None else place.text,
        digest=result.digests[first],
        files=None if rows.sources is None else (rows.sources[first], rows.sources[last]),
    )
