"""Evidence for other tools: one row for each URL and act of each visit, as Parquet or JSON lines.

What may live here: the columns, and writing them in batches, so that memory does not grow with the
crawl.
"""

import json
import os
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any, BinaryIO, Literal, NamedTuple

from goodbot.crawl.evidence.evidence_format import ActVerdict, Said, unpack
from goodbot.crawl.evidence.policy_at import Histories
from goodbot.crawl.folder.atomic_file import atomic_file
from goodbot.crawl.folder.database import Database
from goodbot.errors import MisuseError
from goodbot.http.instants import to_datetime
from goodbot.net.missing import needs
from goodbot.store import Seen

__all__ = ["COLUMNS", "Column", "export", "json_line", "rows"]

Kind = Literal["text", "time", "number", "truth"]


class Column(NamedTuple):
    """A column of the export."""

    name: str
    kind: Kind
    """`text`: UTF-8; `time`: microseconds in UTC; `number`: 64 bits; `truth`: true or false. Each
    may be null."""
    meaning: str


COLUMNS = (
    Column("url", "text", "The URL, in its normal form."),
    Column("origin", "text", "Its origin."),
    Column("how", "text", "How it was found: `start`, `link`, `redirect`, `sitemap`, …"),
    Column("depth", "number", "How many links lie between it and where the crawl began."),
    Column("state", "text", "What has become of it by now: `done`, `disallowed`, `queued`, …"),
    Column("at", "time", "When it was asked; null if the URL was never taken out of the queue."),
    Column(
        "event",
        "text",
        "What came of it: `visited`, `refused`, `failed`, `deferred`; the state of a URL that was "
        "never taken out of the queue.",
    ),
    Column("status", "number", "The HTTP status of the answer; null if none came."),
    Column("act", "text", "`fetch`, or an act on the page: `index`, `follow`, `archive`, …"),
    Column("allowed", "truth", "The verdict; null if nobody was asked."),
    Column("reason", "text", "Why, a stable slug."),
    Column("source", "text", "Who says so, in words."),
    Column(
        "source_kind",
        "text",
        "What that is: `robots.txt`, `access` (what came of asking for it), `header`, `meta`, "
        "`pi`, `mark`; null if nobody spoke of it.",
    ),
    Column("line", "number", "The line of robots.txt or of the page."),
    Column("text", "text", "What is written there."),
    Column("parts_left_out", "number", "Parts left out of a page that allows the act as a whole."),
    Column("parts", "number", "Of how many: runs of text, or links."),
    Column("sentence", "text", "The verdict, the failure or the deferral, as a sentence."),
    Column("until", "time", "Until when it was deferred."),
    Column("robot", "text", "The robot, as it was named."),
    Column("dialect", "text", "In which dialect it was read."),
    Column("robots_txt_sha256", "text", "The SHA-256 of the octets of robots.txt in force then."),
    Column("robots_txt_first_seen", "time", "When that file, or its absence, was seen first."),
    Column("robots_txt_last_seen", "time", "When it was seen last, without another between."),
)
"""Every column, in order."""

ROWS = (
    "SELECT urls.url, origins.origin, how, depth, state, reason, source, evidence.at, "
    "evidence.status, evidence.verdicts FROM urls JOIN origins ON origins.id = urls.origin "
    "LEFT JOIN evidence ON evidence.url = urls.id ORDER BY urls.id, evidence.id"
)
BATCH = 10_000

Row = dict[str, Any]
InForce = tuple[str | None, datetime, datetime]


def rows(database: Database) -> Iterator[Row]:
    """Yield a row for each URL and act of each visit; one for a URL that was never asked about.

    Args:
        database: The file of the crawl.

    Raises:
        NotAStoreError: A row of the evidence is damaged.

    """
    histories: Histories[InForce] = Histories(database, digest_of)
    for (
        url,
        origin,
        how,
        depth,
        state,
        reason,
        source,
        at,
        status,
        verdicts,
    ) in database.connection.execute(ROWS):
        row: Row = dict.fromkeys(NAMES)
        row.update(url=url, origin=origin, how=how, depth=depth, state=state, status=status)
        if at is None:
            row.update(event=state, act="fetch", reason=reason or state, source=source)
            yield row
            continue
        time = to_datetime(at)
        assert time is not None  # noqa: S101  it was written from a `datetime`
        known = histories.at(origin, time) or (None, None, None)
        row.update(zip(DIGEST_NAMES, known, strict=True))
        said = unpack(verdicts)
        row.update(at=time, event=said.event, robot=said.robot or None)
        for verdict in said.verdicts:
            yield row | verdict_row(verdict, said)


NAMES = tuple(one.name for one in COLUMNS)
DIGEST_NAMES = ("robots_txt_sha256", "robots_txt_first_seen", "robots_txt_last_seen")


def digest_of(seen: Seen) -> InForce:
    """Give what is told of a robots.txt."""
    return seen.sha256, seen.first, seen.last


def verdict_row(verdict: ActVerdict, said: Said) -> Row:
    """Give the columns that differ from act to act."""
    is_fetch, parts = verdict.act == "fetch", verdict.parts
    return {
        "act": verdict.act,
        "allowed": verdict.allowed,
        "reason": verdict.reason,
        "source": verdict.source or None,
        "source_kind": verdict.kind or None,
        "line": verdict.line,
        "text": verdict.text or None,
        "parts_left_out": None if parts is None else parts.count,
        "parts": None if parts is None else parts.of,
        "sentence": (said.sentence or verdict.sentence or None) if is_fetch else None,
        "until": said.until if is_fetch else None,
        "dialect": verdict.dialect or None,
    }


def export(database: Database, path: str | os.PathLike[str]) -> int:
    """Write every row to a file, whole or not at all.

    Args:
        database: The file of the crawl.
        path: The file: `.parquet` (the extra `parquet`) or `.jsonl`.

    Returns:
        How many rows it has.

    Raises:
        MisuseError: The name says neither of the two.
        MissingExtraError: pyarrow is not installed.
        StoreFullError: There is no room.
        StoreUnavailableError: The file cannot be written.

    """
    name = os.fspath(path).lower()
    write = next((WRITERS[ending] for ending in WRITERS if name.endswith(ending)), None)
    if write is None:
        message = (
            f"{os.fspath(path)} does not say what it is to be; name a file that ends in "
            f"{' or '.join(WRITERS)}, or - for JSON lines on standard output"
        )
        raise MisuseError(message)
    if write is write_parquet:
        with needs("parquet"):
            import pyarrow.parquet  # noqa: F401, PLC0415  before anything is written
    with atomic_file(path) as file:
        return write(rows(database), file)


def write_json_lines(found: Iterable[Row], file: BinaryIO) -> int:
    """Write rows as JSON, a line each. Give how many there were."""
    count = 0
    for row in found:
        file.write(json_line(row).encode() + b"\n")
        count += 1
    return count


def json_line(row: Row) -> str:
    """Write a row as JSON, in ASCII; times are ISO 8601."""
    return json.dumps(row, default=datetime.isoformat)


def write_parquet(found: Iterable[Row], file: BinaryIO) -> int:
    """Write rows as Parquet, in groups of ten thousand. Give how many there were."""
    import pyarrow as pa  # noqa: PLC0415  an extra
    import pyarrow.parquet as parquet  # noqa: PLC0415, PLR0402

    types = {
        "text": pa.string(),
        "time": pa.timestamp("us", tz="UTC"),
        "number": pa.int64(),
        "truth": pa.bool_(),
    }
    schema = pa.schema(
        [pa.field(one.name, types[one.kind], metadata={"meaning": one.meaning}) for one in COLUMNS]
    )
    count, left = 0, iter(found)
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while batch := [scalars(row) for row in islice(left, BATCH)]:
            writer.write_batch(pa.RecordBatch.from_pylist(batch, schema=schema))
            count += len(batch)
    return count


def scalars(row: Row) -> Row:
    """Replace half a pair of surrogates, out of a header, which UTF-8 has not."""
    return {
        name: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for name, value in row.items()
    }


WRITERS = {".parquet": write_parquet, ".jsonl": write_json_lines}
