"""`goodbot reconsider` of Parquet files of URLs.

Scope: from options to the report; `goodbot.tables.reconsidering` decides, and writes.
"""

import json
import sys
from collections.abc import Collection, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import goodbot
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.row_output import csv_line, print_rows
from goodbot.crawl.verbs.reconsider_view.asked import TableColumns, applied_uses
from goodbot.crawl.verbs.reconsider_view.summary import SHOWN, CountedKey, HeldCounts, print_summary
from goodbot.http.instants import written
from goodbot.reconsidering import COLUMNS, HeldUse, Reconsidered
from goodbot.tables.reconsidering import (
    TableSummary,
    UrlColumns,
    does_not_stay,
    reconsider_tables,
)

if TYPE_CHECKING:
    from goodbot.crawl.reconsidering.holdings import FoundSources
    from goodbot.crawl.verbs.reconsider_view.asked import ReconsiderOptions

__all__ = ["report_on_tables"]


def report_on_tables(found: "FoundSources", asked: "ReconsiderOptions") -> ExitStatus:
    """Report on tables.

    Raises:
        MisuseError: There is no table of policies; sites are asked for crawls and archives.

    """
    if asked.policies is None and any(use != "takedown" for use in asked.uses):
        message = (
            "URLs in a table are reconsidered by a table of policies: add --policies FILE, which "
            "'goodbot tables build' writes from what you fetched of the sites"
        )
        raise goodbot.MisuseError(message)
    counts, printer = HeldCounts(), Printer(sys.stdout)
    is_listed = asked.is_quiet and not asked.is_applied
    applied = applied_uses(found, asked)
    if asked.as_csv:
        print_rows([], [one.name for one in COLUMNS], printer, as_csv=True)

    names = asked.columns
    log = TableLog(found, asked, applied) if asked.is_applied else None

    def each(file: str, first: int, batch: Any, columns: Any) -> None:  # noqa: ANN401  pyarrow's
        if log is not None:
            log.add(file, first, batch, columns)
        for use, table in columns.items():
            if not (is_listed or len(counts.first) < SHOWN):
                continue
            for row in rows_of(file, first, batch, use, table, names):
                if row.do != "keep" and len(counts.first) < SHOWN:
                    counts.first.append(row)
                if is_listed and (not asked.only_gone or row.do != "keep"):
                    print_row(row, printer, as_csv=asked.as_csv)

    done = reconsider_tables(
        list(found.files),
        asked.policies,
        asked.robot,
        now=asked.at or asked.now,
        uses=asked.uses,
        applied=applied,
        outputs=outputs_of(found, asked),
        unknown=asked.unknown,
        takedown=asked.takedown,
        report=asked.parquet,
        only_gone=asked.only_gone,
        columns=UrlColumns(names.url or "url", names.time),
        digests=names.digests,
        each=each,
    )
    first = counts.first
    for key, number in done.counts.items():
        counts.rows[CountedKey(*key)] += number
    counts.first = first
    if asked.parquet is not None:
        printer.line(f"{asked.parquet}: written, from {done.rows:,} rows")
    if not asked.is_quiet:
        print_summary(counts, asked.robot, printer)
    if log is not None:
        return print_applied(done, log, asked, printer)
    return ExitStatus.ALLOWED if counts.is_clear else ExitStatus.DISALLOWED


def outputs_of(found: "FoundSources", asked: "ReconsiderOptions") -> dict[str, Path] | None:
    """Return the new file for each; `None` if none is written."""
    if not asked.is_applied:
        return None
    from goodbot.crawl.reconsidering.archive_rewriting import archive_targets  # noqa: PLC0415  slow to load

    new = None if asked.new is None else Path(asked.new)
    targets = archive_targets(found.files, found.root, new)
    return {str(path): target for path, target in targets.items()}


class TableLog:
    """The log of the rows that go, by the uses that apply.

    Args:
        found: The tables.
        asked: What was asked.
        applied: The uses by which rows go.

    """

    def __init__(
        self, found: "FoundSources", asked: "ReconsiderOptions", applied: Collection[HeldUse]
    ) -> None:
        """Write nothing yet."""
        from goodbot.crawl.reconsidering.removal_log import RemovalLog  # noqa: PLC0415  slow to load
        from goodbot.crawl.verbs.reconsider_view.applying import log_path  # noqa: PLC0415  as above

        self.files = len(found.files)
        self._log = RemovalLog(log_path(found, asked), asked.now, asked.robot)
        self._applied, self._names = applied, asked.columns
        self._is_used = False

    @property
    def path(self) -> str:
        """The file; empty if no row goes."""
        return str(self._log.path) if self._is_used else ""

    def add(self, file: str, first: int, batch: Any, columns: Any) -> None:  # noqa: ANN401  pyarrow's
        """Write the rows of a batch that go, before its file is written; each row once."""
        from goodbot.crawl.reconsidering.removal_log import RemovedThing  # noqa: PLC0415  slow to load

        going: dict[int, RemovedThing] = {}
        for use in self._applied:
            for row in rows_that_go(file, first, batch, use, columns.get(use), self._names):
                thing = RemovedThing(
                    file, row.offset, row.kind, row.url, written(row.at) or "", "", row.do,
                    row.use, row.now, row.reason, row.line, row.source,
                )  # fmt: skip
                going.setdefault(row.offset or 0, thing)
        if going:
            self._is_used = True
            self._log.add(going[place] for place in sorted(going))


def rows_that_go(
    file: str,
    first: int,
    batch: Any,  # noqa: ANN401  pyarrow's
    use: str,
    table: Any,  # noqa: ANN401  as above
    names: TableColumns,
) -> Iterator[Reconsidered]:
    """Yield the rows of a batch that do not stay for one use."""
    if table is None:
        return
    going = does_not_stay(table.column("do"))
    places = [place for place, goes in enumerate(going.to_pylist()) if goes]
    rows = rows_of(file, first, batch.take(places), use, table.take(places), names)
    for place, row in zip(places, rows, strict=True):
        yield row._replace(offset=first + place)


def print_applied(
    done: TableSummary, log: TableLog, asked: "ReconsiderOptions", printer: Printer
) -> ExitStatus:
    """Print what was written."""
    if asked.as_json:
        plain = {
            "new": asked.new,
            "files": log.files,
            "rows": done.rows,
            "removed": done.gone,
            "log": log.path,
        }
        printer.line(json.dumps(plain))
        return ExitStatus.ALLOWED
    where = asked.new or "in place"
    printer.line(f"{where}: {done.rows - done.gone:,} of {done.rows:,} rows, without {done.gone:,}")
    if log.path:
        printer.line(f"What was removed by which statement: {log.path}")
    return ExitStatus.ALLOWED


def rows_of(
    file: str,
    first: int,
    batch: Any,  # noqa: ANN401  pyarrow's
    use: str,
    table: Any,  # noqa: ANN401  as above
    names: TableColumns,
) -> Iterator[Reconsidered]:
    """Yield the rows of a batch for one use."""
    texts = batch.column(names.url or "url").to_pylist()
    urls = [as_text(one) for one in texts]
    time = names.time or "fetch_time"
    times = batch.column(time).to_pylist() if time in batch.schema.names else None
    parts = ("then", "now", "reason", "line", "source", "do")
    columns = [table.column(name).to_pylist() for name in parts]
    for place, (then, now, reason, line, source, do) in enumerate(zip(*columns, strict=True)):
        at = None if times is None else as_time(times[place])
        yield Reconsidered(
            urls[place], at, file, first + place, "row", use, then, now, reason or "", line,  # type: ignore[arg-type]
            source or "", do,
        )  # fmt: skip


def as_text(url: object) -> str:
    """Return a URL as text; empty if there is none."""
    return url.decode("utf-8", "replace") if isinstance(url, bytes) else str(url or "")


def as_time(value: Any) -> datetime | None:  # noqa: ANN401  of pyarrow
    """Return a time with its zone; in UTC if it has none."""
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo is not None else value.replace(tzinfo=timezone.utc)


def print_row(row: Reconsidered, printer: Printer, *, as_csv: bool) -> None:
    """Print one row."""
    plain = row.as_dict()
    printer.line(csv_line(list(plain.values())) if as_csv else json.dumps(plain))
