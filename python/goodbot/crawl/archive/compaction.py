"""Compaction: the files of the archive without what no row names any more.

It acts. Each file is one transaction: what is left of it is written to a new file under another
name, down to the disk; rows and lengths are changed at once; then the old file goes. Whenever the
process ends, either all rows lead into the old file or all into the new, and the other one is
removed when the archive is opened next.

Since a record is one gzip member, it is copied as it stands and is not even unpacked.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
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
"""The number of a row, the offset and the length of its record, and its time."""


@dataclass(frozen=True, slots=True)
class Compaction:
    """What a compaction did."""

    records: int
    """How many records are kept."""
    bytes: int
    """How many octets the files have now."""
    bytes_removed: int
    """How many they have less."""
    files_rewritten: int
    files_removed: int
    """How many had nothing left in them."""

    def as_dict(self) -> dict[str, int]:
        """Give plain values, for JSON."""
        return asdict(self)


def compact(
    database: Database, files: WarcFiles, beginning: Beginning, mark: bytes, now: int | None
) -> Compaction:
    """Rewrite each file that has records in it that no row names.

    A crawl may go on meanwhile; it waits while one file is copied.

    Args:
        database: The crawl's.
        files: Its files.
        beginning: Makes the record with which a file begins.
        mark: What that record has in it, in all files of this crawl.
        now: When it is, in microseconds since 1970; rows that end by now go. `None`: none do.

    Raises:
        MisuseError: A change is under way.
        NotAStoreError: A file is not as it is recorded.
        StoreFullError: There is no room for a copy; all is as before.
        StoreError: A file cannot be read or written; all is as before.

    """
    if database.connection.in_transaction:
        message = "the archive is compacted by itself; end `changing()` first"
        raise MisuseError(message)
    with database.changing() as connection:
        if now is not None:
            connection.execute(EXPIRED, (now,))
        connection.execute(DANGLING)
        # What was written in a change that never came about goes too.
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
    records, octets = database.connection.execute(sums).fetchone()
    return Compaction(records, octets, max(before - octets, 0), rewritten, removed)


@contextmanager
def down_to_the_disk(connection: sqlite3.Connection) -> Iterator[None]:
    """Wait for the disk at each commit: else a power cut could undo it when the old file is gone.

    Source: SQLite, PRAGMA synchronous.
    """
    (before,) = connection.execute("PRAGMA synchronous").fetchone()
    connection.execute("PRAGMA synchronous = FULL")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA synchronous = {int(before)}")


class OneFile:
    """One file, and what becomes of it."""

    def __init__(self, database: Database, files: WarcFiles, name: str) -> None:
        """Look at nothing yet."""
        self.database = database
        self.files = files
        self.name = name
        self.length = 0
        self.is_rewritten = False
        self.is_removed = False

    def rewrite(self, beginning: Beginning) -> None:
        """Rewrite it, if there is something in it that no row names."""
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
        # If it cannot be removed, it is when the archive is opened next.
        with suppress(StoreError):
            place.remove(self.name)

    def _is_compact(self, rows: list[KeptLocation]) -> bool:
        """Whether there is nothing in it but its beginning and what rows name."""
        _, beginning = first_member(self.files.place.read(self.name, 0, MAX_BEGINNING))
        return bool(rows) and beginning + sum(length for _, _, length, _ in rows) == self.length

    def _copy(
        self, connection: sqlite3.Connection, rows: list[KeptLocation], beginning: Beginning
    ) -> None:
        """Copy what rows name to a new file, and let the rows lead there."""
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
    """Refuse rows that cannot be of records one behind the other.

    Raises:
        NotAStoreError: One leads beyond the file, or into another record.

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
            f"the database names records in {path} that cannot be there; restore the folder from a "
            "copy, or crawl anew"
        )
        raise NotAStoreError(message)


def give_up(connection: sqlite3.Connection, place: WarcPlace, rows: Iterable[int]) -> int:
    """Drop the rows whose records are missing, as after a power cut, or broken.

    Args:
        connection: Within a change.
        place: Where the files are.
        rows: The numbers of those whose records are broken.

    Returns:
        How many rows were dropped.

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


def sum_anew(connection: sqlite3.Connection, place: WarcPlace, names: Iterable[str]) -> None:
    """Record the checksums of files as they are now: what was wrong with them was reported.

    Args:
        connection: Within a change.
        place: Where the files are.
        names: Of files of the archive; each is as long as is recorded, or gone.

    """
    recorded = recorded_files(connection, place)
    for name in names:
        if recorded[name]:
            checksum = checksum_of_file(place, name, recorded[name])
            connection.execute(CHECKSUM, (checksum, name))
