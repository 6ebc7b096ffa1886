"""Compact the archive: rewrite its files without the records that no row names any more.

Each file is one transaction. The remaining records are written to a new file under another name and
synced to disk; rows and lengths are changed together; then the old file is removed. Whenever the
process ends, either all rows name the old file or all name the new one, and the other is removed
when the archive is next opened.

A record is one gzip member, so it is copied without being decompressed.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, astuple
from itertools import chain

from goodbot.crawl.archive.place import WarcPlace, pieces_of
from goodbot.crawl.archive.warc_files import (
    MAX_BEGINNING,
    PAGES,
    ROBOTS_TXT,
    Beginning,
    WarcFiles,
    checksum_of_file,
    first_member,
    following,
    recorded_files,
)
from goodbot.crawl.folder.database import Database
from goodbot.errors import MisuseError, NotAStoreError, StoreError
from goodbot.lazy_dataclass import dataclass

__all__ = ["Compaction", "compact", "give_up"]

PIECE = 1024 * 1024

EXPIRED = "DELETE FROM kept WHERE until IS NOT NULL AND until <= ?"
DANGLING = "DELETE FROM kept WHERE original IS NOT NULL AND original NOT IN (SELECT id FROM kept)"
LENGTH = "SELECT length FROM files WHERE name = ?"
IN_FILE = "SELECT id, offset, length, at FROM kept WHERE file = ? ORDER BY offset"
MOVE = "UPDATE kept SET file = ?, offset = ? WHERE id = ?"
CHECKSUM = "UPDATE files SET checksum = ? WHERE name = ?"
GONE = "UPDATE files SET length = 0 WHERE name = ?"

KeptLocation = tuple[int, int, int, int]
"""The number of a row, the offset and the length of its record, and the time of the record."""


@dataclass(frozen=True, slots=True)
class Compaction:
    """The result of a compaction."""

    records: int
    """The number of records kept."""
    bytes: int
    """The size of all files now, in bytes."""
    bytes_removed: int
    """The number of bytes removed."""
    files_rewritten: int
    """The number of files rewritten."""
    files_removed: int
    """The number of files removed because they had no record left."""

    def __add__(self, other: "Compaction") -> "Compaction":
        """Return the result of both compactions together."""
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Compaction(*(one + another for one, another in pairs))

    def as_dict(self) -> dict[str, int]:
        """Return plain values, for JSON."""
        return asdict(self)


def compact(
    database: Database, files: WarcFiles, beginning: Beginning, mark: bytes, now: int | None
) -> Compaction:
    """Rewrite each file that has records no row names.

    A crawl may run meanwhile; it waits while each file is copied.

    Args:
        database: The database of the crawl.
        files: The files of the archive.
        beginning: Makes the record that begins a file.
        mark: A mark in that record, the same in all files of this crawl.
        now: The current time in microseconds since 1970; rows that have expired by then are
            dropped. `None`: drop none.

    Raises:
        MisuseError: A change is in progress.
        NotAStoreError: A file is not as recorded.
        StoreFullError: The disk has no room for a copy; nothing was changed.
        StoreError: A file cannot be read or written; nothing was changed.

    """
    if database.connection.in_transaction:
        message = "the archive cannot be compacted within another change; end `changing()` first"
        raise MisuseError(message)
    with database.changing() as connection:
        if now is not None:
            connection.execute(EXPIRED, (now,))
        connection.execute(DANGLING)
        # Bytes of changes that were never committed are removed too.
        files.recover(connection, mark)
        recorded = recorded_files(connection, files.place)
    names = [name for name, length in recorded.items() if length]
    before, rewritten, removed = 0, 0, 0
    with down_to_the_disk(database.connection):
        for name in names:
            one = OneFile(database, files, name)
            one.rewrite(beginning)
            before += one.length
            rewritten += one.is_rewritten
            removed += one.is_removed
    sums = "SELECT (SELECT count(*) FROM kept), (SELECT coalesce(sum(length), 0) FROM files)"
    records, size = database.connection.execute(sums).fetchone()
    return Compaction(records, size, max(before - size, 0), rewritten, removed)


@contextmanager
def down_to_the_disk(connection: sqlite3.Connection) -> Iterator[None]:
    """Wait for the disk at each commit, or a power cut could undo it after the old file is gone.

    Source: SQLite, PRAGMA synchronous.
    """
    (before,) = connection.execute("PRAGMA synchronous").fetchone()
    connection.execute("PRAGMA synchronous = FULL")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA synchronous = {int(before)}")


class OneFile:
    """The compaction of one file."""

    def __init__(self, database: Database, files: WarcFiles, name: str) -> None:
        """Do nothing yet."""
        self.database = database
        self.files = files
        self.name = name
        self.length = 0
        self.is_rewritten = False
        self.is_removed = False

    def rewrite(self, beginning: Beginning) -> None:
        """Rewrite the file if it has records that no row names."""
        place = self.files.place
        with self.database.changing() as connection:
            (self.length,) = connection.execute(LENGTH, (self.name,)).fetchone()
            rows: list[KeptLocation] = connection.execute(IN_FILE, (self.name,)).fetchall()
            refuse_impossible(rows, self.length, place.describe(self.name))
            if not self.length or self._is_compact(rows):
                return
            if rows:
                self._copy(connection, rows, beginning)
            connection.execute(GONE, (self.name,))
        self.is_rewritten, self.is_removed = bool(rows), not rows
        place.close()
        # If it cannot be removed now, it is removed when the archive is next opened.
        with suppress(StoreError):
            place.remove(self.name)

    def _is_compact(self, rows: list[KeptLocation]) -> bool:
        """Whether the file has only its first record and those named by rows."""
        _, beginning = first_member(self.files.place.read(self.name, 0, MAX_BEGINNING))
        return bool(rows) and beginning + sum(length for _, _, length, _ in rows) == self.length

    def _copy(
        self, connection: sqlite3.Connection, rows: list[KeptLocation], beginning: Beginning
    ) -> None:
        """Copy the records named by rows to a new file, and update the rows."""
        series = PAGES if self.name.startswith(PAGES) else ROBOTS_TXT
        newest, _ = self.files.newest(connection, series)
        name = following(series, newest)
        start = beginning(name, max(at for *_, at in rows))
        place = self.files.place
        ranges = [(offset, length) for _, offset, length, _ in rows]
        place.write(name, chain([start], pieces_of(place, self.name, ranges, PIECE)))
        moves, end = [], len(start)
        for number, _, length, _ in rows:
            moves.append((name, end, number))
            end += length
        checksum = checksum_of_file(place, name, end)
        connection.execute("INSERT INTO files VALUES(?, ?, ?)", (name, end, checksum))
        connection.executemany(MOVE, moves)


def refuse_impossible(rows: list[KeptLocation], length: int, path: str) -> None:
    """Refuse rows that do not name one record after another.

    Raises:
        NotAStoreError: A row names a place beyond the file, or within another record.

    """
    end = 0
    for row in rows:
        _, offset, size, _ = row
        if not (all(isinstance(one, int) for one in row) and end <= offset and size > 0):
            end = length + 1
            break
        end = offset + size
    if end > length:
        message = (
            f"the database names impossible records in {path}; restore the folder from a backup, "
            "or crawl into a new folder"
        )
        raise NotAStoreError(message)


def give_up(connection: sqlite3.Connection, place: WarcPlace, rows: Iterable[int]) -> int:
    """Drop the rows of records that are broken, or missing as after a power cut.

    Args:
        connection: A connection within a change.
        place: Where the files are.
        rows: The numbers of the rows whose records are broken.

    Returns:
        The number of rows dropped.

    """
    (before,) = connection.execute("SELECT count(*) FROM kept").fetchone()
    connection.executemany("DELETE FROM kept WHERE id = ?", [(row,) for row in rows])
    for name, length in recorded_files(connection, place).items():
        size = place.size(name) or 0
        if size >= length:
            continue
        connection.execute("DELETE FROM kept WHERE file = ? AND offset + length > ?", (name, size))
        end = "SELECT coalesce(max(offset + length), 0) FROM kept WHERE file = ?"
        connection.execute(f"UPDATE files SET length = ({end}) WHERE name = ?", (name, name))  # noqa: S608
    connection.execute(DANGLING)
    (after,) = connection.execute("SELECT count(*) FROM kept").fetchone()
    return int(before) - int(after)


def record_checksums(
    connection: sqlite3.Connection, place: WarcPlace, names: Iterable[str]
) -> None:
    """Record the checksums of files as they are now, after their faults were reported.

    Args:
        connection: A connection within a change.
        place: Where the files are.
        names: The names of the files; each has its recorded length, or is gone.

    """
    recorded = recorded_files(connection, place)
    for name in names:
        if recorded[name]:
            checksum = checksum_of_file(place, name, recorded[name])
            connection.execute(CHECKSUM, (checksum, name))
