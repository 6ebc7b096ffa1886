"""The export of evidence: one row for each URL and act of each visit, as Parquet or JSON lines.

Scope: turning rows of the crawl into rows of the export, and writing them in batches, so that
memory use does not grow with the crawl. `columns` defines the columns.
"""

import json
import os
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import groupby
from math import inf
from operator import attrgetter
from typing import Any, BinaryIO

from goodbot.crawl.evidence.columns import COLUMNS, Column, ExportRow, RobotsTxtSeen
from goodbot.crawl.evidence.evidence_format import ActVerdict
from goodbot.crawl.evidence.policy_at import PoliciesByTime
from goodbot.crawl.evidence.reading import VisitRow, visits
from goodbot.crawl.folder.atomic_file import atomic_file
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.parquet import ParquetColumn, check_parquet, write_parquet
from goodbot.crawl.frontier.reading import UrlRecord, entries
from goodbot.errors import MisuseError
from goodbot.store import Seen

__all__ = ["COLUMNS", "Column", "export", "json_line", "rows"]

PlainRow = dict[str, Any]


def rows(database: Database) -> Iterator[PlainRow]:
    """Yield a row for each URL and act of each visit, and one for each URL without a visit.

    Args:
        database: The file of the crawl.

    Raises:
        NotAStoreError: A row of the evidence is damaged.

    """
    readers = [(one.name, one.read) for one in COLUMNS]
    for row in export_rows(database):
        # An empty text means that there is none.
        yield {name: None if (value := read(row)) == "" else value for name, read in readers}


def export_rows(database: Database) -> Iterator[ExportRow]:
    """Yield the data behind each row, URL by URL and visit by visit."""
    policies: PoliciesByTime[RobotsTxtSeen] = PoliciesByTime(database, seen_of)
    for entry, found in visits_by_url(database):
        visit = None
        for visit in found:
            robots_txt = policies.at(entry.origin, visit.at) or NOT_SEEN
            said, odd = visit.said, visit.findings
            whole = ExportRow(
                entry, visit.at, said.event, visit.status, said, said.verdicts[0], robots_txt, odd
            )
            for verdict in said.verdicts:
                yield whole._replace(verdict=verdict)
        if visit is None:
            yield never_asked(entry)


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


def never_asked(entry: UrlRecord) -> ExportRow:
    """Return the row of a URL that was never taken out of the queue, which knows the reason."""
    reason = entry.reason or entry.state
    verdict = ActVerdict("fetch", None, reason, entry.source, "", None, "", "")
    return ExportRow(entry, None, entry.state, None, None, verdict, NOT_SEEN)


def seen_of(seen: Seen) -> RobotsTxtSeen:
    """Return what the export stores about a robots.txt."""
    return RobotsTxtSeen(seen.sha256, seen.first, seen.last)


def export(database: Database, path: str | os.PathLike[str]) -> int:
    """Write all rows to a file; if that fails, no partial file remains.

    Args:
        database: The file of the crawl.
        path: The file: `.parquet` (requires the extra `parquet`) or `.jsonl`.

    Returns:
        The number of rows.

    Raises:
        MisuseError: The file name has neither of the two endings.
        MissingExtraError: pyarrow is not installed.
        StoreFullError: The disk is full.
        StoreUnavailableError: The file cannot be written.

    """
    name = os.fspath(path).lower()
    write = next((WRITERS[ending] for ending in WRITERS if name.endswith(ending)), None)
    if write is None:
        message = (
            f"the format of {os.fspath(path)} is not clear from its name; name a file that ends "
            f"in {' or '.join(WRITERS)}, or - for JSON lines on standard output"
        )
        raise MisuseError(message)
    if write is write_columns:
        check_parquet()
    with atomic_file(path) as file:
        return write(rows(database), file)


def write_json_lines(found: Iterable[PlainRow], file: BinaryIO) -> int:
    """Write rows as JSON, one on each line; return their number."""
    count = 0
    for row in found:
        file.write(json_line(row).encode() + b"\n")
        count += 1
    return count


def json_line(row: PlainRow) -> str:
    """Return a row as JSON in ASCII, with times in ISO 8601."""
    return json.dumps(row, default=datetime.isoformat)


def write_columns(found: Iterable[PlainRow], file: BinaryIO) -> int:
    """Write rows as Parquet; return their number."""
    columns = [ParquetColumn(one.name, one.kind, one.meaning) for one in COLUMNS]
    return write_parquet(found, file, columns)


WRITERS = {".parquet": write_columns, ".jsonl": write_json_lines}
