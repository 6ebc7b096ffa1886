r"""The judgement of a whole log, for millions of requests.

Scope: by robot and site: each distinct target is decided once per version of robots.txt, and each
state of what the robot may have known is looked up by time. It finds what `judge` finds for each
request. Needs `pip install 'goodbot[audit]'`.

>>> from datetime import datetime, timedelta, timezone
>>> import pyarrow as pa
>>> from goodbot.site.audit import judge_requests
>>> from goodbot.history import PolicyTimeline
>>> start = datetime(2026, 1, 1, tzinfo=timezone.utc)
>>> timeline = PolicyTimeline.declared(
...     "https://example.com", [(start, b"User-agent: *\nDisallow: /private")]
... )
>>> table = pa.table({
...     "line": [1, 2], "time": [start, start + timedelta(days=2)], "address": ["192.0.2.1"] * 2,
...     "host": ["example.com"] * 2, "scheme": ["https"] * 2, "method": ["GET"] * 2,
...     "target": ["/", "/private/a"], "status": [200, 200], "bytes": [10, 10],
...     "robot": [None, "ExampleBot"],
... })
>>> result = judge_requests(table, [timeline])
>>> result.table.select(["line", "outcome", "reason", "rule_line"]).to_pylist()
[{'line': 2, 'outcome': 'violation', 'reason': 'no-request-seen', 'rule_line': 2}]
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timezone
from typing import Any

from goodbot.errors import WrongValueError
from goodbot.history import PolicyTimeline
from goodbot.http.instants import instant, to_datetime
from goodbot.http.request_target import asked_url
from goodbot.site.audit.audit_options import AuditOptions
from goodbot.site.audit.audit_outcomes import classify_reason
from goodbot.site.audit.audit_result import AuditResult, SiteLog
from goodbot.site.audit.held_intervals import RobotState, SenderTimelines
from goodbot.site.audit.known_copies import sort_fetches
from goodbot.site.audit.operator_fetches import group_fetches, operators_by_address
from goodbot.site.audit.request import HasOutcome, target_path, why_not_a_path
from goodbot.site.audit.request_judging import (
    early_versions,
    find_known_since,
    reason_before_rules,
    violation_reason,
    warm_until,
)
from goodbot.site.audit.request_table import RequestGroup, RequestRows, read_requests
from goodbot.site.audit.robot_reading import find_reading
from goodbot.site.audit.served_versions import (
    LAST,
    RobotsVersion,
    ServedVersions,
    find_served_versions,
)

NEVER = datetime.max.replace(tzinfo=timezone.utc)


def judge_requests(
    requests: Any,  # noqa: ANN401  Arrow, of any library
    timelines: Iterable[PolicyTimeline],
    *,
    identities: Mapping[tuple[str, str], HasOutcome | str] | None = None,
    options: AuditOptions | None = None,
) -> AuditResult:
    r"""Judge the requests of a table; `audit` reads logs, and judges those.

    The order of the rows has no influence, nor has how a log is divided into tables.

    Args:
        requests: A table with the columns of `goodbot.site.audit.COLUMNS`, or the tables of the
            parts of a log: anything with the Arrow stream interface. Rows of people are used for
            the time at which the log begins, and those for robots.txt from an operator's addresses.
        timelines: The robots.txt of each site over time.
        identities: What is known of who sent a request, by robot and address: anything with an
            `outcome`, or that word itself. What is missing is `unverifiable`. Requests for
            robots.txt from an address that is `verified` for a robot count for all robots of its
            operator, under any User-Agent: `goodbot.site.logs.open_logs` gives them out with
            `robots_txt=True`.
        options: How to judge.

    Raises:
        MissingExtraError: pyarrow is not installed.
        RobotNameError: The name of a robot is empty, or looks like a URL.
        WrongTypeError: `requests` is no table, or a column has the wrong type.
        WrongValueError: A column is missing, or a site has two timelines.

    """
    options = options or AuditOptions()
    by_site = versions_by_site(timelines)
    rows = read_requests(requests, by_site, identities or {}, options)
    readings = {
        robot_rows.robot: find_reading(robot_rows.robot, options) for robot_rows in rows.groups
    }
    fetches = group_fetches(rows, readings, operators_by_address(identities or {}))
    size = len(rows.times)
    reasons, lines = [""] * size, array("q", bytes(8 * size))
    digests: list[str | None] = [None] * size
    result = AuditResult(rows, reasons, lines, digests, options)
    for group in rows.groups:
        reading = readings[group.robot]
        history = None if group.site is None else by_site.get(group.site)
        seen = fetches.get((reading.operator, group.site), [])
        found = sort_fetches([fetch.of(group.robot) for fetch in seen], reading.dialect)
        begins, ends = find_span(rows, group, options)
        log = SiteLog(group, reading, history, found, begins, ends)
        GroupJudge(rows, log, options).judge(reasons, lines, digests)
        result.logs.append(log)
    return result


def versions_by_site(timelines: Iterable[PolicyTimeline]) -> dict[str, ServedVersions]:
    """Return what may have been served by each site.

    Raises:
        WrongTypeError: One is no timeline.
        WrongValueError: A site has two timelines.

    """
    given = [find_served_versions(timeline) for timeline in timelines]
    found = {site_versions.site: site_versions for site_versions in given}
    if len(found) < len(given):
        message = "a site has two timelines; combine their policies in one"
        raise WrongValueError(message)
    return found


def find_span(
    rows: RequestRows, group: RequestGroup, options: AuditOptions
) -> tuple[datetime, datetime]:
    """Return from when until when the log has all requests of a site.

    Who says when the log begins knows it, so that nothing is too late for it.
    """
    span = rows.spans[group.site]
    begins = options.log_begins or to_datetime(span.begins)
    last = NEVER if options.log_begins is not None else to_datetime(span.ends)
    ends = options.log_ends or last
    if begins is None or ends is None:
        message = "the times of the log are after the year 9999"
        raise WrongValueError(message)
    return begins, ends


class GroupJudge:
    """The judgement of the requests of one robot at one site."""

    def __init__(self, rows: RequestRows, log: SiteLog, options: AuditOptions) -> None:
        self._rows, self._log, self._options = rows, log, options
        self._paths: dict[int, str | None] = {
            target: target_path(rows.target_names[target])
            for target in {rows.targets[row] for row in log.group.rows}
        }
        self._states: SenderTimelines | None = None
        self._warm, self._begins = LAST, LAST
        if log.history is not None:
            self._states = log.states(options)
            begins = instant(log.begins, "begins")
            warm = warm_until(begins, log.history, log.reading)
            self._warm, self._begins = warm + options.resolution, begins
            for identity in ("verified", "unverifiable"):
                since = find_known_since(begins, log.history, log.fetches, log.reading, identity)
                log.since[identity] = LAST if since is None else since
        log.warm = self._warm
        self._ends = instant(log.ends, "ends")
        self._allowed: dict[int, dict[str, bool]] = {}
        self._earlier: dict[tuple[str, str], bool] = {}

    def judge(self, reasons: list[str], lines: "array[int]", digests: list[Any]) -> None:
        """Write the reason, the line and the robots.txt of each row."""
        rows, states = self._rows, self._states
        waiting = array("q", self._by_rules(reasons))
        if states is None:
            return
        pairs: dict[tuple[int, int], RobotState] = {}
        for row in waiting:
            state = states.at(rows.times[row], rows.identities[row])
            pairs[rows.targets[row], id(state)] = state
        self._decide(pairs)
        found = {
            pair: self._decided(state, self._paths[pair[0]] or "/") for pair, state in pairs.items()
        }
        for row in waiting:
            state = states.at(rows.times[row], rows.identities[row])
            reason, line, digest = found[rows.targets[row], id(state)]
            if self._may_hold_earlier(row, reason):
                reason, line, digest = "log-begins", 0, None
            reasons[row], lines[row], digests[row] = reason, line, digest

    def _may_hold_earlier(self, row: int, reason: str) -> bool:
        """Return whether a copy of before the log may allow what is a violation without it."""
        at, history = self._rows.times[row], self._log.history
        if history is None or at >= self._warm or classify_reason(reason) != "violation":
            return False
        path, reading = self._paths[self._rows.targets[row]] or "/", self._log.reading
        earlier = early_versions(at, self._begins, history, reading, self._options.resolution)
        return any(self._version_allows(version, path) for version in earlier)

    def _version_allows(self, version: RobotsVersion, path: str) -> bool:
        """Return whether a version allows a path, which is decided once."""
        key = version.digest, path
        if key not in self._earlier:
            self._earlier[key] = self._log.reading.allows(version, path)
        return self._earlier[key]

    def _by_rules(self, reasons: list[str]) -> Iterator[int]:
        """Write the reasons that come before the rules; yield the rows that the rules decide."""
        rows = self._rows
        early = {
            (target, kind): self._before_rules(target, path, kind)
            for target, path in self._paths.items()
            for kind in ("spoofed", "")
        }
        for row in self._log.group.rows:
            is_spoofed = rows.identities[row] == "spoofed"
            reason = early[rows.targets[row], "spoofed" if is_spoofed else ""]
            if reason is not None or self._states is None:
                reasons[row] = reason or "no-site"
            elif rows.times[row] < self._log.judged_since(rows.identities[row]):
                reasons[row] = "log-begins"
            elif rows.times[row] > self._ends:
                reasons[row] = "outside-the-log"
            else:
                yield row

    def _before_rules(self, target: int, path: str | None, identity: str) -> str | None:
        """Return why a target has its outcome whatever robots.txt says; `None` if rules decide."""
        reason = reason_before_rules(self._log.reading, path, identity, self._log.history)
        names = self._rows.target_names
        return why_not_a_path(names[target]) if reason == "not-a-path" else reason

    def _decide(self, pairs: Mapping[tuple[int, int], RobotState]) -> None:
        """Decide each distinct target once per version that counts for it."""
        wanted: dict[int, set[str]] = {}
        for (target, _), state in pairs.items():
            for version in (*state.in_force, *state.files, *state.unseen):
                wanted.setdefault(version, set()).add(self._paths[target] or "/")
        history = self._log.history
        for version, paths in wanted.items():
            if history is not None:
                asked = sorted(paths)
                answers = self._log.reading.allows_many(history.versions[version], asked)
                self._allowed[version] = dict(zip(asked, answers, strict=True))

    def _decided(self, state: RobotState, path: str) -> tuple[str, int, str | None]:
        """Return the reason, the line and the digest of robots.txt of one target in one state."""
        reason = self._reason(state, path)
        history = self._log.history
        if history is None or classify_reason(reason) == "unknown":
            return reason, 0, None
        is_allowed = reason == "rules-allow"
        alike = [at for at in state.in_force if self._allowed[at][path] == is_allowed]
        version = history.versions[(alike or state.in_force)[0]]
        line = 0
        if version.content is not None:
            rule = self._log.reading.rules(version.content).verdict(asked_url(path)).rule
            line = 0 if rule is None else rule.line
        return reason, line, version.digest

    def _reason(self, state: RobotState, path: str) -> str:
        """Return the reason of one target in one state, as `request_judging.decided` does."""
        if not state.in_force:
            return "no-policy-known"
        if self._any(state.in_force, path) and not state.is_blocked:
            return "rules-allow"
        if state.is_free or self._any(state.files, path):
            return "held-copy-allows"
        if self._any(state.unseen, path):
            return "unseen-copy-allows"
        if state.is_unclear:
            return "copy-unknown"
        return violation_reason(
            is_blocked=state.is_blocked,
            has_asked=state.has_asked,
            has_received=bool(state.files),
        )

    def _any(self, versions: tuple[int, ...], path: str) -> bool:
        """Return whether any of some versions allows a path."""
        return any(self._allowed[version][path] for version in versions)
