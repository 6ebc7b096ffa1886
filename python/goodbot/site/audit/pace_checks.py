"""Whether a robot kept the pace that a site asked for, as far as a log shows it.

Scope: the requests of one robot at one site, by families of addresses. Between requests the clock
counts in the robot's favour: a gap may have been longer by its resolution than the log shows.

Source: Conner 1996 for Request-rate and Visit-time; Crawl-delay as in use; RFC 9110 sections
10.2.3 and 15.5.11.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from goodbot.http.amounts import counted
from goodbot.http.instants import SECOND, instant
from goodbot.http.retry_after import retry_instant
from goodbot.pace.constraints import Constraint, Constraints, constraints_of
from goodbot.pace.day import Part, parts_of
from goodbot.site.audit.audit_result import AuditResult, SiteLog
from goodbot.site.audit.held_intervals import RobotState, SenderTimelines
from goodbot.site.audit.pace_judgement import PACE_REASONS, CheckCount, PaceJudgement
from goodbot.site.audit.request import ROBOTS_TXT, target_path
from goodbot.site.audit.request_table import RequestRows
from goodbot.site.audit.robot_reading import RobotReading

GONE = 410
OVERLOADED = {429, 503}
FIELDS = {
    "crawl-delay": "Crawl-delay",
    "request-rate": "Request-rate",
    "visit-time": "Visit-time",
}
BREACHES = {"visit-time": "outside-hours", "gone": "came-again"}
"""What a breach is called, if it is not that a request came too early."""


def check_pace(result: AuditResult) -> list[PaceJudgement]:
    """Return how each robot kept the pace that each site asked for.

    Spoofed requests, robots.txt itself, and the time in which nothing is judged are omitted. A
    robot with addresses of both families has rows for each, and for all its requests.

    Args:
        result: What `audit` found.

    """
    found = []
    for log in result.logs:
        states = log.states(result.options)
        if states is None or log.group.robot == "":
            continue
        for family, rows in families(result.rows, log):
            check = FamilyCheck(result, log, states)
            check.run(rows)
            found += list(check.judgements(family))
    return found


def families(rows: RequestRows, log: SiteLog) -> Iterator[tuple[str, list[int]]]:
    """Yield the rows that count, in the order of their times, for each family of addresses."""
    ends = instant(log.ends, "ends")
    counted = sorted(
        (
            row
            for row in log.group.rows
            if log.warm <= rows.times[row] <= ends
            and rows.identities[row] != "spoofed"
            and target_path(rows.target_names[rows.targets[row]]) not in {None, ROBOTS_TXT}
        ),
        key=lambda row: (rows.times[row], rows.lines[row] or 0, rows.targets[row]),
    )
    six = [row for row in counted if ":" in rows.addresses[row]]
    four = [row for row in counted if ":" not in rows.addresses[row]]
    if four:
        yield "ipv4", four
    if six:
        yield "ipv6", six
    if four and six:
        yield "all", counted


class FamilyCheck:
    """The checks of some requests of one robot at one site."""

    def __init__(self, result: AuditResult, log: SiteLog, states: SenderTimelines) -> None:
        self._rows, self._log, self._states = result.rows, log, states
        self._resolution = result.options.resolution
        after = result.options.retry_after
        self._retry = None if after is None else round(after.total_seconds() * SECOND)
        self._counts = {name: CheckCount() for name in (*FIELDS, "retry-after", "gone")}
        self._asked: dict[int, list[tuple[Constraints, tuple[Part, ...]]] | None] = {}
        self._kept: list[RobotState] = []
        self._unanswered = 0
        self._answers = {"retry-after": 0, "gone": 0}
        self._soonest: int | None = None

    def run(self, rows: Sequence[int]) -> None:
        """Check requests in the order of their times."""
        times = [self._rows.times[row] for row in rows]
        for place, row in enumerate(rows):
            state = self._states.at(times[place], self._rows.identities[row])
            self._check_delay(state, place, times, row)
            self._check_rate(state, place, times, row)
            self._check_hours(state, times[place], row)
        self._check_retry(rows, times)
        self._check_gone(rows, times)

    def judgements(self, family: str) -> Iterator[PaceJudgement]:
        """Yield what was found."""
        for name, count in self._counts.items():
            claim = self._claim(name)
            reason = count.reason(claim)
            if name == "retry-after" and self._unanswered and not count.checked:
                reason = "retry-after-not-in-log"
            if reason == "broken":
                reason = BREACHES.get(name, reason)
            yield PaceJudgement(
                robot=self._log.group.robot,
                site=self._log.group.site or "",
                family=family,
                check=name,
                outcome=PACE_REASONS[reason][0],
                reason=reason,
                asked="" if count.asked is None else str(count.asked),
                checked=count.checked,
                breaches=len(count.rows),
                lines=count.first_lines(self._rows.lines),
                rows=count.rows,
                answers=self._answers.get(name, 0),
                soonest=self._soonest if name == "retry-after" else None,
            )

    def _claim(self, check: str) -> str | None:
        """Return why the robot is not bound by a field; `None` if it is."""
        reading, name = self._log.reading, FIELDS.get(check)
        if name is None:
            return None
        return reading.claim() or field_claim(reading, name)

    def _constraints(self, state: RobotState) -> list[tuple[Constraints, tuple[Part, ...]]] | None:
        """Return what each robots.txt that the robot could hold asks for; `None` if one is free."""
        key = id(state)
        if key not in self._asked:
            self._kept.append(state)
            self._asked[key] = self._read(state)
        return self._asked[key]

    def _read(self, state: RobotState) -> list[tuple[Constraints, tuple[Part, ...]]] | None:
        """Read what each robots.txt asks for."""
        history, reading = self._log.history, self._log.reading
        if history is None or not state.in_force or state.is_free or state.is_unclear:
            return None
        found = []
        for place in sorted({*state.in_force, *state.files, *state.unseen}):
            content = history.versions[place].content
            rules = None if content is None else reading.rules(content).rules
            if content is None or rules is None:
                return None
            constraints = constraints_of(rules, reading.file(content))
            found.append((constraints, parts_of(constraints)))
        return found

    def _check_delay(self, state: RobotState, place: int, times: Sequence[int], row: int) -> None:
        """Check the gap to the request before: the smallest delay that any file asks for counts."""
        asked = self._constraints(state)
        delays = [one.delay for one, _ in asked or ()]
        if not delays or any(delay is None for delay in delays):
            return
        least: Any = min(delays, key=lambda one: one.gap if one else 0)
        is_broken = place > 0 and times[place] - times[place - 1] + self._resolution <= least.gap
        self._counts["crawl-delay"].add(least, row, is_broken=is_broken)

    def _check_rate(self, state: RobotState, place: int, times: Sequence[int], row: int) -> None:
        """Check that no more documents started in a period than the laxest rate in force allows."""
        rates = [self._rate(parts, times[place]) for _, parts in self._constraints(state) or ()]
        if not rates or any(rate is None for rate in rates):
            return
        least: Any = min(rates, key=lambda one: one.gap if one else 0)
        first = place - least.documents
        is_broken = (
            first >= 0
            and times[place] - times[first] + self._resolution <= least.period
            and all(
                self._rate(parts, times[first]) is not None
                for _, parts in self._constraints(state) or ()
            )
        )
        self._counts["request-rate"].add(least, row, is_broken=is_broken)

    def _rate(self, parts: Sequence[Part], at: int) -> Constraint | None:
        """Return the laxest rate that may be in force at a time; `None` if there may be none."""
        rates = [part.rate for part in self._parts_at(parts, at)]
        if any(rate is None for rate in rates):
            return None
        return min((rate for rate in rates if rate is not None), key=lambda one: one.gap)

    def _parts_at(self, parts: Sequence[Part], at: int) -> list[Part]:
        """Return the parts of the day in which a time may be."""
        times = {at - self._resolution, at, at + self._resolution}
        return [part for part in parts if any(part.has(time) for time in times)]

    def _check_hours(self, state: RobotState, at: int, row: int) -> None:
        """Check that the time may be within the hours of a robots.txt that the robot could hold."""
        asked = self._constraints(state)
        if not asked or not all(one.hours for one, _ in asked):
            return
        is_broken = not any(
            part.welcome for _, parts in asked for part in self._parts_at(parts, at)
        )
        hours = asked[-1][0].hours[0]
        self._counts["visit-time"].add(hours, row, is_broken=is_broken)

    def _check_retry(self, rows: Sequence[int], times: Sequence[int]) -> None:
        """Check that no request came in a time for which the server asked to wait."""
        until, since, asked, refused = 0, 0, "", 0
        for row, at in zip(rows, times, strict=True):
            # Requests of the same second may have been sent before the answer.
            if refused and at > refused:
                after = (at - refused) // SECOND
                self._soonest = after if self._soonest is None else min(after, self._soonest)
                refused = 0
            if until and at > since:
                is_broken = at + self._resolution <= until
                self._counts["retry-after"].add(asked, row, is_broken=is_broken)
            if self._rows.statuses[row] in OVERLOADED:
                self._answers["retry-after"] += 1
                refused = at
                wanted = self._wait(row, at)
                self._unanswered += wanted is None
                if wanted is not None and wanted > until:
                    until, since, asked = wanted, at, wait_words(self._rows, row, wanted - at)

    def _wait(self, row: int, at: int) -> int | None:
        """Return until when the server asked to wait; `None` if the log does not show it."""
        if self._rows.retries is not None and self._rows.retries[row]:
            return retry_instant(self._rows.retries[row], at)
        return None if self._retry is None else at + self._retry

    def _check_gone(self, rows: Sequence[int], times: Sequence[int]) -> None:
        """Count the requests for what had been answered with 410."""
        gone: dict[int, int] = {}
        for row, at in zip(rows, times, strict=True):
            target = self._rows.targets[row]
            if target in gone and at > gone[target]:
                self._counts["gone"].add(None, row, is_broken=True)
            if self._rows.statuses[row] == GONE:
                self._answers["gone"] += 1
                gone.setdefault(target, at)


def wait_words(rows: RequestRows, row: int, wait: int) -> str:
    """Return what the answer to a request asks for."""
    seconds = counted(wait // SECOND, "second")
    return f"line {rows.lines[row]} was answered with {rows.statuses[row]}, to wait {seconds}"


def field_claim(reading: RobotReading, name: str) -> str | None:
    """Return why a robot is not bound by a field; `None` if it is.

    A robot that is not in the table of known robots is judged by its dialect.
    """
    if reading.known is None or name in reading.known.reads:
        return None
    return "ignores-field" if name in reading.known.ignores else "not-known-to-read"
