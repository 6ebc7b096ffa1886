"""Whether a robot kept the pace that a site asked for, as far as a log shows it.

Scope: the requests of one robot at one site, by families of addresses. Between requests the clock
counts in the robot's favour: a gap may have been longer by its resolution than the log shows.

Source: Conner 1996 for Request-rate and Visit-time; Crawl-delay as in use; RFC 9110 sections
10.2.3 and 15.5.11.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from goodbot.http.amounts import counted
from goodbot.http.instants import SECOND, instant
from goodbot.http.retry_after import retry_instant
from goodbot.pace.constraints import Constraint, Constraints, constraints_of
from goodbot.pace.day import Part, parts_of
from goodbot.site.audit.audit_result import AuditResult, SiteLog
from goodbot.site.audit.held_intervals import RobotState, SenderTimelines
from goodbot.site.audit.pace_judgement import PACE_REASONS, CheckCount, PaceJudgement
from goodbot.site.audit.request import ROBOTS_TXT, target_path
from goodbot.site.audit.request_judging import early_copies
from goodbot.site.audit.request_table import RequestRows
from goodbot.site.audit.robot_reading import RobotReading

GONE = 410
OVERLOADED = {429, 503}
FIELDS = {
    "crawl-delay": "Crawl-delay",
    "request-rate": "Request-rate",
    "visit-time": "Visit-time",
}
AskedPace: TypeAlias = tuple[Constraints, tuple[Part, ...]]
"""What a robots.txt asks for, and its parts of the day."""
BREACHES = {"visit-time": "outside-hours", "gone": "came-again"}
"""What a breach is called, if it is not that a request came too early."""


def check_pace(result: AuditResult) -> list[PaceJudgement]:
    """Return how each robot kept the pace that each site asked for.

    Spoofed requests and robots.txt itself are omitted. While a robot may use a copy of before the
    log begins, what robots.txt asks for counts if every such copy asks for it, as for its rules;
    other requests of that time are `unjudged`. A robot with addresses of both families has rows for
    each, and for all its requests.

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
    begins, ends = instant(log.begins, "begins"), instant(log.ends, "ends")
    counted = sorted(
        (
            row
            for row in log.group.rows
            if begins <= rows.times[row] <= ends
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
        self._read: dict[tuple[int, ...], list[AskedPace] | None] = {}
        self._of_state: dict[tuple[int, tuple[int, ...]], list[AskedPace] | None] = {}
        self._kept: list[RobotState] = []
        self._early: list[tuple[int, int]] = []
        if log.history is not None:
            begins = instant(log.begins, "begins")
            copies = early_copies(begins, log.history, log.reading, self._resolution)
            self._early = [(place, until) for place, until in copies if until > begins]
        self._unanswered = 0
        self._answers = {"retry-after": 0, "gone": 0}
        self._soonest: int | None = None

    def run(self, rows: Sequence[int]) -> None:
        """Check requests in the order of their times."""
        times = [self._rows.times[row] for row in rows]
        wishes = [self._wishes(row) for row in rows]
        for place, row in enumerate(rows):
            is_early = times[place] < self._log.warm
            before = {name: self._counts[name].checked for name in FIELDS} if is_early else {}
            self._check_delay(wishes, place, times, row)
            self._check_rate(wishes, place, times, row)
            self._check_hours(wishes[place], times[place], row)
            unchecked = [name for name in before if self._counts[name].checked == before[name]]
            if unchecked:
                self._count_unjudged(unchecked, row)
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
                unjudged=count.unjudged,
            )

    def _claim(self, check: str) -> str | None:
        """Return why the robot is not bound by a field; `None` if it is."""
        reading, name = self._log.reading, FIELDS.get(check)
        if name is None:
            return None
        return reading.claim() or field_claim(reading, name)

    def _wishes(self, row: int) -> list[AskedPace] | None:
        """Return what each robots.txt that the robot could hold asks for.

        Returns:
            `None` if it could hold none, or if what it could hold is not known.

        """
        at, identity = self._rows.times[row], self._rows.identities[row]
        state = self._states.at(at, identity)
        if not state.in_force or state.is_free or state.is_unclear:
            return None
        if at < self._log.warm and at < self._judged_since(row):
            return None
        early = tuple(place for place, until in self._early if at < until)
        key = id(state), early
        if key not in self._of_state:
            self._kept.append(state)
            held = {*state.in_force, *state.files, *state.unseen, *early}
            self._of_state[key] = self._wishes_of(held)
        return self._of_state[key]

    def _wishes_of(self, places: Iterable[int]) -> list[AskedPace] | None:
        """Return what each version asks for; `None` if one is no file."""
        key = tuple(sorted(places))
        if key not in self._read:
            found = [self._wish(place) for place in key]
            is_whole = all(one is not None for one in found)
            self._read[key] = [one for one in found if one is not None] if is_whole else None
        return self._read[key]

    def _wish(self, place: int) -> AskedPace | None:
        """Read what a version asks for."""
        history, reading = self._log.history, self._log.reading
        content = None if history is None else history.versions[place].content
        rules = None if content is None else reading.rules(content).rules
        if content is None or rules is None:
            return None
        constraints = constraints_of(rules, reading.file(content))
        return constraints, parts_of(constraints)

    def _count_unjudged(self, unchecked: Sequence[str], row: int) -> None:
        """Count a request of the beginning of the log that was not checked, by what was asked."""
        at = self._rows.times[row]
        state = self._states.at(at, self._rows.identities[row])
        asked = [one for place in state.in_force for one in self._wishes_of([place]) or ()]
        is_asked = {
            "crawl-delay": any(one.delay is not None for one, _ in asked),
            "request-rate": any(self._rate(parts, at) is not None for _, parts in asked),
            "visit-time": any(one.hours for one, _ in asked),
        }
        for name in unchecked:
            self._counts[name].unjudged += is_asked[name]

    def _check_delay(
        self, wishes: Sequence[list[AskedPace] | None], place: int, times: Sequence[int], row: int
    ) -> None:
        """Check the gap to the request before: the smallest delay that any file asks for counts."""
        delays = [one.delay for one, _ in wishes[place] or ()]
        if not delays or any(delay is None for delay in delays):
            return
        least: Any = min(delays, key=lambda one: one.gap if one else 0)
        # Before the first request that is judged, the robot may not have known of the pause.
        is_second = place > 0 and times[place - 1] >= self._judged_since(row)
        is_broken = is_second and times[place] - times[place - 1] + self._resolution <= least.gap
        self._counts["crawl-delay"].add(least, row, is_broken=is_broken)

    def _judged_since(self, row: int) -> int:
        """Return from when on the requests of the sender of one are judged by robots.txt."""
        return self._log.judged_since(self._rows.identities[row])

    def _check_rate(
        self, wishes: Sequence[list[AskedPace] | None], place: int, times: Sequence[int], row: int
    ) -> None:
        """Check that no more documents started in a period than the laxest rate in force allows."""
        asked = wishes[place] or ()
        rates = [self._rate(parts, times[place]) for _, parts in asked]
        if not rates or any(rate is None for rate in rates):
            return
        least: Any = min(rates, key=lambda one: one.gap if one else 0)
        first = place - least.documents
        is_broken = (
            first >= 0
            and times[first] >= self._judged_since(row)
            and times[place] - times[first] + self._resolution <= least.period
            and all(self._rate(parts, times[first]) is not None for _, parts in asked)
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

    def _check_hours(self, asked: list[AskedPace] | None, at: int, row: int) -> None:
        """Check that the time may be within the hours of a robots.txt that the robot could hold."""
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
