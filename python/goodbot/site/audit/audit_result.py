"""What an audit found: a table of judged requests, and each judgement on demand.

Scope: values. What is found is decided in `table_judging` and `pace_checks`.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from functools import cached_property
from typing import Any

from goodbot.display import short_repr
from goodbot.http.served import Declared, Served
from goodbot.site.audit.audit_options import AuditOptions
from goodbot.site.audit.audit_outcomes import classify_reason
from goodbot.site.audit.declared_served import declare_rows, serve_rows
from goodbot.site.audit.held_intervals import SenderTimelines, StateTimeline
from goodbot.site.audit.logged_answer import VERIFIED, LoggedAnswer
from goodbot.site.audit.request import RobotRequest
from goodbot.site.audit.request_columns import pyarrow_of_audit
from goodbot.site.audit.request_judgement import RequestJudgement
from goodbot.site.audit.request_judging import judgement
from goodbot.site.audit.request_table import RequestGroup, RequestRows
from goodbot.site.audit.robot_reading import RobotReading
from goodbot.site.audit.served_versions import LAST, ServedVersions

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


@dataclass(slots=True)
class SiteLog:
    """The requests of one robot at one site, with what they are judged by."""

    group: RequestGroup
    reading: RobotReading
    history: ServedVersions | None
    fetches: list[LoggedAnswer]
    begins: datetime
    ends: datetime
    warm: int = LAST
    """From when on no copy of before the log counts, in microseconds since 1970."""
    since: dict[str, int] = field(default_factory=dict)
    """Since when it is known what the robot could hold, by who sends its requests."""

    def judged_since(self, identity: str) -> int:
        """Return from when on the requests of a sender are judged by robots.txt."""
        sender = VERIFIED if identity == VERIFIED else "unverifiable"
        return min(self.warm, self.since.get(sender, LAST))

    def states(self, options: AuditOptions) -> SenderTimelines | None:
        """Return what the robot may have known over time; `None` if the site is not known."""
        if self.history is None:
            return None
        others = self._timeline(self.history, options, "unverifiable")
        if all(fetch.binds(VERIFIED) == fetch.is_own for fetch in self.fetches):
            return SenderTimelines(others, others)
        return SenderTimelines(self._timeline(self.history, options, VERIFIED), others)

    def _timeline(
        self, history: ServedVersions, options: AuditOptions, identity: str
    ) -> StateTimeline:
        """Return the states for the requests of one kind of sender."""
        return StateTimeline(
            history,
            self.fetches,
            self.reading,
            identity=identity,
            resolution=options.resolution,
            behind_cdn=options.behind_cdn,
        )


@dataclass(eq=False, repr=False)
class AuditResult:
    """What an audit found."""

    rows: RequestRows
    """The requests of robots."""
    reasons: list[str]
    """The reason of each row."""
    rule_lines: Sequence[int]
    """The line of the rule that decides; 0 without one."""
    digests: list[str | None]
    """Which robots.txt decides."""
    options: AuditOptions
    """How it was judged."""
    logs: list[SiteLog] = field(default_factory=list)
    """By robot and site."""
    log_of_row: "array[int]" = field(default_factory=lambda: array("i"))
    """The place in `logs` of each row; built when it is first needed."""

    __repr__ = short_repr

    @cached_property
    def declared(self) -> list[Declared]:
        """What the robots.txt in force declared of each row."""
        return declare_rows(self.rows, self.logs, self.options)

    @cached_property
    def served(self) -> list[Served | None]:
        """What was served to each row; `None` where the log shows no answer."""
        return serve_rows(self.rows.statuses, self.rows.challenges)

    @property
    def table(self) -> Any:  # noqa: ANN401  pyarrow's
        """The judged requests, in the order of their lines: a `pyarrow.Table`.

        Its columns are `line`, `robot`, `site`, `time`, `address`, `target`, `status`, `bytes`,
        `identity`, `outcome`, `reason`, `rule_line`, `policy`, the digest of robots.txt, and
        `declared` and `served`.
        """
        pa, rows = pyarrow_of_audit(), self.rows
        sites: list[str | None] = [None] * len(rows.times)
        for log in self.logs:
            for row in log.group.rows:
                sites[row] = log.group.site
        names = pa.array(rows.target_names, pa.string())
        columns = {
            "line": pa.array(rows.lines, pa.int64()),
            "robot": pa.array(rows.robots, pa.string()),
            "site": pa.array(sites, pa.string()),
            "time": pa.array(rows.times, pa.int64()).cast(pa.timestamp("us", "UTC")),
            "address": pa.array(rows.addresses, pa.string()),
            "target": names.take(pa.array(rows.targets, pa.int64())),
            "status": pa.array(rows.statuses, pa.int16()),
            "bytes": pa.array(rows.sizes, pa.int64()),
            "identity": pa.array(rows.identities, pa.string()),
            "outcome": pa.array(map(classify_reason, self.reasons), pa.string()),
            "reason": pa.array(self.reasons, pa.string()),
            "rule_line": pa.array(self.rule_lines, pa.int32()),
            "policy": pa.array(self.digests, pa.string()),
            "declared": pa.array(self.declared, pa.string()),
            "served": pa.array(self.served, pa.string()),
        }
        order = [(name, "ascending") for name in ("line", "time", "robot", "target", "address")]
        table = pa.table(columns).sort_by(order)
        repeated = ("robot", "site", "identity", "outcome", "reason", "policy")
        for name in (*repeated, "declared", "served"):
            column = table.column(name).combine_chunks().dictionary_encode()
            table = table.set_column(table.column_names.index(name), name, column)
        return table

    def judgement(self, row: int) -> RequestJudgement:
        """Return the whole judgement of a row of `rows`, with what the robot may have known.

        Args:
            row: The place of the row in the lists of `rows`.

        """
        rows = self.rows
        log = self.logs[self._places()[row]]
        request = RobotRequest(
            rows.robots[row],
            rows.target_names[rows.targets[row]],
            EPOCH + timedelta(microseconds=rows.times[row]),
            line=rows.lines[row] or 0,
            method=rows.methods[row],
            status=rows.statuses[row],
            address=rows.addresses[row],
            identity=rows.identities[row],
        )
        return judgement(
            request,
            log.history,
            log.fetches,
            log_begins=log.begins,
            log_ends=log.ends,
            options=self.options,
        )

    def _places(self) -> "array[int]":
        """Return the place in `logs` of each row."""
        if not self.log_of_row:
            self.log_of_row = array("i", bytes(4 * len(self.rows.times)))
            for place, one in enumerate(self.logs):
                for at in one.group.rows:
                    self.log_of_row[at] = place
        return self.log_of_row

    def disallowed(self, rows: Iterable[int]) -> int:
        """Return how many of some requests the robots.txt in force disallowed.

        It is asked about those that are not judged, too, such as those of a robot that does not
        claim to obey: that they were disallowed is no violation.

        Args:
            rows: The places of the requests.

        """
        return sum(self.declared[row] == "disallowed" for row in rows)

    def rows_by_log(self, rows: Iterable[int]) -> Iterator[tuple[SiteLog, list[int]]]:
        """Yield the requests of each robot at each site among some requests.

        Args:
            rows: The places of the requests.

        """
        places = self._places()
        by_log: dict[int, list[int]] = {}
        for row in rows:
            by_log.setdefault(places[row], []).append(row)
        for log, found in by_log.items():
            yield self.logs[log], found
