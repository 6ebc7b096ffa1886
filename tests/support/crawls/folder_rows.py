"""All that a crawl has written, as plain values that two crawls of one site have in common.

Omitted is only what is random, and what depends on the order in which visits end: the identifiers
of records, hence the bytes and lengths of WARC files, the marks of the process, and the numbers of
rows that no other table names. What is packed is compared unpacked.
"""

import re
import sqlite3
import zlib
from pathlib import Path
from typing import Any

from warcio.archiveiterator import ArchiveIterator

from goodbot.crawl.folder.database import FILE
from goodbot.crawl.links.compact_rows import unpacked, unpacked_ids

__all__ = ["folder_rows"]

RANDOM = {
    "files": {"length", "checksum"},
    "kept": {"id", "original", "record", "offset", "length"},
    "evidence": {"id"},
    "accounts": {"holder", "timeline"},
    "requests": {"id", "timeline"},
    "timelines": {"boot"},
}
"""The columns that differ between two crawls that do the same."""
FTS = "words_"
"""The prefix of the tables of the full-text index, whose bytes depend on the order of changes."""
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
MARKED = ("WARC-Record-ID", "WARC-Refers-To")


def folder_rows(folder: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return the rows of each table, and the records of each WARC file, sorted."""
    connection = sqlite3.connect(folder / FILE)
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    tables = [name for (name,) in names if not name.startswith((FTS, "sqlite_"))]
    found = {name: table_rows(connection, name) for name in tables}
    connection.close()
    for path in sorted(folder.glob("*.warc.gz")):
        with path.open("rb") as file:
            found[path.name] = sorted((record_of(one) for one in ArchiveIterator(file)), key=repr)
    return found


def table_rows(connection: sqlite3.Connection, name: str) -> list[tuple[Any, ...]]:
    """Return the rows of a table, without the omitted columns."""
    rows = connection.execute(f"SELECT * FROM {name}")  # noqa: S608  of the schema
    columns = [column[0] for column in rows.description]
    left = [place for place, one in enumerate(columns) if one not in RANDOM.get(name, ())]
    values = [tuple(plain(columns[place], row[place]) for place in left) for row in rows]
    return sorted(values, key=repr)


def plain(column: str, value: Any) -> Any:  # noqa: ANN401  of a row
    """Return a value of a row: unpacked, and without what is random."""
    if column == "targets" and value is not None:
        return unpacked_ids(value)
    if column == "details" and value is not None:
        return unpacked(value)
    if isinstance(value, bytes) and value.startswith(b"\x78"):
        try:
            return zlib.decompress(value)
        except zlib.error:
            return value
    return UUID.sub("a UUID", value) if isinstance(value, str) else value


def record_of(record: Any) -> tuple[Any, ...]:  # noqa: ANN401  of warcio, without types
    """Return the header fields and the block of a record of a WARC file."""
    fields = [(name, value) for name, value in record.rec_headers.headers if name not in MARKED]
    head = () if record.http_headers is None else tuple(record.http_headers.headers)
    content = UUID.sub("a UUID", record.raw_stream.read().decode("latin-1"))
    is_own = record.rec_type == "warcinfo"
    kept = [one for one in fields if not (is_own and "Digest" in one[0])]
    return (record.rec_type, tuple(kept), head, content)
