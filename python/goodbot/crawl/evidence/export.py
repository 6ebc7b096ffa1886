"""The export of evidence: a table with a row for each act, or JSON with a line for each visit.

Scope: turning rows of the crawl into those of the export, and writing them in batches, so that
memory use does not grow with the crawl. `columns` defines the columns.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby, islice
from math import inf
from operator import attrgetter
from typing import Any, BinaryIO, NamedTuple

from goodbot.crawl.evidence.columns import (
    COLUMNS,
    Column,
    ColumnScope,
    ColumnValue,
    ExportRow,
    RobotsTxtSeen,
)
from goodbot.crawl.evidence.evidence_format import ActVerdict
from goodbot.crawl.evidence.policy_at import stored_timeline
from goodbot.crawl.evidence.reading import VisitRow, visits
from goodbot.crawl.folder.database import MADE_WITH, Database
from goodbot.crawl.folder.parquet import (
    ParquetColumn,
    SharedValues,
    check_parquet,
    write_shared,
)
from goodbot.crawl.frontier.reading import UrlRecord, entries
from goodbot.errors import MisuseError
from goodbot.files.atomic_file import atomic_file
from goodbot.history.values_by_time import TimelineCache
from goodbot.store import StoredPolicy

__all__ = [
    "COLUMNS",
    "Column",
    "export_evidence",
    "json_line",
    "lines",
    "rows",
    "write_columns",
]

BATCH = 2_000
"""How many visits, each with up to ten rows, are written at once."""

PlainRow = dict[str, Any]

OF_VISIT = [one for one in COLUMNS if one.of != "act"]
OF_ACT = [one for one in COLUMNS if one.of == "act" and one.name != "act"]
SAID = attrgetter(*(name for name in ActVerdict._fields if name not in {"act", "sentence"}))
"""Returns everything that a verdict says, apart from its act."""


class ExportedVisit(NamedTuple):
    """One visit to a URL with all its verdicts, or a URL without a visit."""

    whole: ExportRow
    """The row of `fetch`."""
    verdicts: Sequence[ActVerdict]
    """The verdicts on `fetch` and on each act of the page."""

    def row(self, verdict: ActVerdict) -> ExportRow:
        """Return the row of a verdict."""
        return self.whole._replace(verdict=verdict)


def rows(database: Database) -> Iterator[PlainRow]:
    """Yield a row for each URL and act of each visit, and one for each URL without a visit.

    Args:
        database: The file of the crawl.

    Raises:
        NotAStoreError: A row of the evidence is damaged.

    """
    for visit in exported_visits(database):
        for verdict in visit.verdicts:
            row = visit.row(verdict)
            yield {one.name: value_of(one, row) for one in COLUMNS}


def lines(database: Database) -> Iterator[PlainRow]:
    """Yield one value for each visit, and one for each URL without a visit, as JSON lines have it.

    A value has the columns of the visit, and `verdicts`: acts with the same verdict are together,
    in `acts`. What is null in a table is omitted, which makes a line a sixth of the rows.

    Args:
        database: The file of the crawl.

    Raises:
        NotAStoreError: A row of the evidence is damaged.

    """
    for visit in exported_visits(database):
        plain = filled(OF_VISIT, visit.whole)
        alike: dict[object, list[ActVerdict]] = {}
        for verdict in visit.verdicts:
            alike.setdefault(SAID(verdict), []).append(verdict)
        plain["verdicts"] = [
            {"acts": [one.act for one in same], **filled(OF_ACT, visit.row(same[0]))}
            for same in alike.values()
        ]
        yield plain


def filled(columns: Iterable[Column], row: ExportRow) -> PlainRow:
    """Return the values of some columns that are not null."""
    return {one.name: value for one in columns if (value := value_of(one, row)) is not None}


def value_of(column: Column, row: ExportRow) -> ColumnValue:
    """Return a value of a row; an empty text means that there is none."""
    value = column.read(row)
    return None if value == "" else value


def exported_visits(database: Database, *, only_visited: bool = False) -> Iterator[ExportedVisit]:
    """Yield what is exported, URL by URL and visit by visit."""
    timelines = TimelineCache(
        lambda origin: stored_timeline(database, origin, seen_of), MOST_ORIGINS
    )
    made_with = database.setting(MADE_WITH)
    for entry, found in visits_by_url(database):
        visit = None
        for visit in found:
            robots_txt = timelines.of(entry.origin).at(visit.at) or NOT_SEEN
            said, odd = visit.said, visit.findings
            whole = ExportRow(
                entry, visit.at, said.event, visit.status, said, said.verdicts[0], robots_txt, odd,
                made_with,
            )  # fmt: skip
            yield ExportedVisit(whole, said.verdicts)
        if visit is None and not only_visited:
            never = never_asked(entry)._replace(made_with=made_with)
            yield ExportedVisit(never, [never.verdict])


def visits_by_url(database: Database) -> Iterator[tuple[UrlRecord, Iterable[VisitRow]]]:
    """Yield each URL with its visits, reading both tables in parallel in the order of URLs."""
    groups: Iterator[tuple[float, Iterable[VisitRow]]] = groupby(
        visits(database), key=attrgetter("url_id")
    )
    url_id, found = next(groups, NO_MORE)
    for entry in entries(database):
        while url_id < entry.url_id:
            url_id, found = next(groups, NO_MORE)
        yield entry, found if url_id == entry.url_id else ()


NO_MORE: tuple[float, Iterable[VisitRow]] = (inf, ())
NOT_SEEN = RobotsTxtSeen()
MOST_ORIGINS = 4_096
"""The timelines of how many origins are held in memory."""


def never_asked(entry: UrlRecord) -> ExportRow:
    """Return the row of a URL that was never taken out of the queue, which knows the reason."""
    reason = entry.reason or entry.state
    verdict = ActVerdict("fetch", None, reason, entry.source, "", None, "", "")
    return ExportRow(entry, None, entry.state, None, None, verdict, NOT_SEEN)


def seen_of(seen: StoredPolicy) -> RobotsTxtSeen:
    """Return what the export stores about a robots.txt."""
    return RobotsTxtSeen(seen.sha256, seen.first, seen.last)


def export_evidence(database: Database, path: str | os.PathLike[str]) -> int:
    """Write everything to a file; if that fails, no partial file remains.

    Args:
        database: The file of the crawl.
        path: The file: `.parquet` (requires the extra `parquet`) or `.jsonl`.

    Returns:
        The number of rows or of lines.

    Raises:
        MisuseError: The file name has neither of the two endings.
        MissingExtraError: pyarrow is not installed.
        StoreFullError: The disk is full.
        StoreUnavailableError: The file cannot be written.

    """
    return write_by_name(database, path, parquet=write_columns, json_lines=write_json_lines)


def write_by_name(
    database: Database,
    path: str | os.PathLike[str],
    *,
    parquet: Callable[[Database, BinaryIO], int],
    json_lines: Callable[[Database, BinaryIO], int],
) -> int:
    """Write a file in the format that its name has; if that fails, no partial file remains.

    Args:
        database: The file of the crawl.
        path: The file.
        parquet: Writes it as Parquet, and returns how many rows it has.
        json_lines: Writes it as JSON lines, and returns how many.

    Raises:
        MisuseError: The file name has neither of the two endings.
        MissingExtraError: pyarrow is not installed.
        StoreFullError: The disk is full.
        StoreUnavailableError: The file cannot be written.

    """
    name = os.fspath(path).lower()
    if not name.endswith((".parquet", ".jsonl")):
        message = (
            f"the format of {os.fspath(path)} is not clear from its name; name a file that ends "
            "in .parquet or .jsonl, or - for JSON lines on standard output"
        )
        raise MisuseError(message)
    is_parquet = name.endswith(".parquet")
    if is_parquet:
        check_parquet()
    with atomic_file(path) as file:
        return (parquet if is_parquet else json_lines)(database, file)


def write_json_lines(database: Database, file: BinaryIO) -> int:
    """Write visits as JSON, one on each line; return their number."""
    return write_lines(lines(database), file)


def write_lines(rows: Iterable[PlainRow], file: BinaryIO) -> int:
    """Write rows as JSON, one on each line; return their number."""
    count = 0
    for row in rows:
        file.write(json_line(row).encode() + b"\n")
        count += 1
    return count


def json_line(line: PlainRow) -> str:
    """Return a visit as JSON in ASCII, with times in ISO 8601."""
    return ENCODER.encode(line)


ENCODER = json.JSONEncoder(default=datetime.isoformat, separators=(",", ":"))


def write_columns(database: Database, file: BinaryIO, *, only_visited: bool = False) -> int:
    """Write rows as Parquet, in groups of `BATCH` visits; return their number.

    Args:
        database: The file of the crawl.
        file: The file.
        only_visited: Whether to omit the URLs without a visit.

    """
    columns = [ParquetColumn(one.name, one.kind, one.meaning) for one in COLUMNS]
    left = exported_visits(database, only_visited=only_visited)
    batches = iter(lambda: list(islice(left, BATCH)), [])
    return write_shared(map(shared_values, batches), file, columns)


def shared_values(batch: Sequence[ExportedVisit]) -> list[SharedValues]:
    """Return the values of each column once, and where each row has them.

    The rows of a visit share most values, and many visits share verdicts; so a table is built from
    lists that are a tenth as long.
    """
    numbers: dict[object, int] = {}
    distinct: list[ExportRow] = []
    known: dict[int, list[int]] = {}
    """The places of verdicts, by their identity: visits with the same text have the same list."""
    places: dict[ColumnScope, list[int | None]] = {"visit": [], "fetch": [], "act": []}
    for number, visit in enumerate(batch):
        acts = known.get(id(visit.verdicts))
        if acts is None:
            acts = [place_of(visit, one, numbers, distinct) for one in visit.verdicts]
            known[id(visit.verdicts)] = acts
        places["visit"] += [number] * len(acts)
        places["fetch"] += [number] + [None] * (len(acts) - 1)
        places["act"] += acts
    wholes = [visit.whole for visit in batch]
    found = {"visit": wholes, "fetch": wholes, "act": distinct}
    return [SharedValues(values_of(one, found[one.of]), places[one.of]) for one in COLUMNS]


def place_of(
    visit: ExportedVisit, verdict: ActVerdict, numbers: dict[object, int], distinct: list[ExportRow]
) -> int:
    """Return the place of a verdict among those that differ, after adding it if it is new."""
    place = numbers.setdefault((verdict.act, SAID(verdict)), len(distinct))
    if place == len(distinct):
        distinct.append(visit.row(verdict))
    return place


def values_of(column: Column, rows: Iterable[ExportRow]) -> list[ColumnValue]:
    """Return the values of a column; an empty text means that there is none."""
    read = column.read
    if column.kind == "text":
        return [read(row) or None for row in rows]
    return [read(row) for row in rows]
