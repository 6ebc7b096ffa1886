"""The export of requests: who asked what, and when.

Scope: the columns, the rows and the file. In a fleet, its workers write the same columns into
object storage (`goodbot.crawl.fleet.segment_tables`).
"""

import os
from collections.abc import Iterator
from typing import Any, BinaryIO

from goodbot.crawl.evidence.export import write_by_name, write_lines
from goodbot.crawl.evidence.reading import request_totals, requests_at
from goodbot.crawl.evidence.senders import read_senders, sender_values
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.parquet import ParquetColumn, write_parquet
from goodbot.crawl.folder.times import stored_time

__all__ = ["REQUEST_COLUMNS", "export_requests", "request_rows", "write_request_columns"]

REQUEST_COLUMNS = (
    ParquetColumn(
        "worker",
        "text",
        "The worker of a fleet that sent it; `this machine` for a crawl on one machine.",
    ),
    ParquetColumn("machine", "text", "The name of the machine of the worker; null on one machine."),
    ParquetColumn("process", "number", "The number of its process; null on one machine."),
    ParquetColumn(
        "lease",
        "number",
        "The number of the lease under which the site was visited; null on one machine, and where "
        "the worker had none: then the site has a robots.txt to which another one redirects.",
    ),
    ParquetColumn("origin", "text", "The origin."),
    ParquetColumn("url", "text", "The URL."),
    ParquetColumn("purpose", "text", "`page` or `robots-txt`."),
    ParquetColumn(
        "started", "time", "When it began: in a fleet by the clock of the server of its database."
    ),
    ParquetColumn(
        "machine_started",
        "time",
        "When it began by the clock of the machine, to a hundredth of a second.",
    ),
    ParquetColumn("ended", "time", "When it ended, by the clock of `started`."),
    ParquetColumn("status", "number", "The status of the answer; null if none came."),
    ParquetColumn("failure", "text", "Why no answer came, a slug."),
    ParquetColumn("bytes", "number", "The bytes of content received over the network."),
)
"""The columns of requests; JSON lines have the same names."""


def request_rows(database: Database, worker: str = "") -> Iterator[dict[str, Any]]:
    """Yield a row for each request, origin by origin.

    Args:
        database: The database of the crawl.
        worker: The worker that sent the requests of which the database does not say that.

    """
    senders = read_senders(database)
    if worker:
        senders[None] = senders[None]._replace(worker=worker)
    for total in request_totals(database):
        for one in requests_at(database, total.origin):
            who = sender_values(senders, one)
            yield {
                **who,
                "origin": total.origin,
                "url": one.url,
                "purpose": one.purpose,
                "started": stored_time(one.started),
                "machine_started": stored_time(who["machine_started"]),
                "ended": stored_time(one.ended),
                "status": one.status,
                "failure": one.failure,
                "bytes": one.bytes,
            }


def write_request_columns(database: Database, file: BinaryIO, worker: str = "") -> int:
    """Write the requests as Parquet; return their number."""
    return write_parquet(request_rows(database, worker), file, REQUEST_COLUMNS)


def write_request_lines(database: Database, file: BinaryIO) -> int:
    """Write the requests as JSON, one on each line; return their number."""
    return write_lines(request_rows(database), file)


def export_requests(database: Database, path: str | os.PathLike[str]) -> int:
    """Write every request to a file; if that fails, no partial file remains.

    Args:
        database: The database of the crawl.
        path: The file: `.parquet` (requires the extra `parquet`) or `.jsonl`.

    Returns:
        The number of requests.

    Raises:
        MisuseError: The file name has neither of the two endings.
        MissingExtraError: pyarrow is not installed.
        StoreFullError: The disk is full.
        StoreUnavailableError: The file cannot be written.

    """
    return write_by_name(
        database, path, parquet=write_request_columns, json_lines=write_request_lines
    )
