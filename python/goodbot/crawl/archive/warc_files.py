"""The WARC files of a crawl, which grow at the end and have the recorded length.

Records are written before the transaction that has their rows takes effect. If that is never
committed, the file is longer than recorded, and the next writer cuts it back. So a process may be
killed at any moment, and every row has its record. A writer holds the lock of the database before
it reads a length, and lengths are not cached, so several processes may take turns.

Scope: names, recorded lengths and checksums. `place` knows where the bytes are, and `warc` knows
what a record is.
"""

import sqlite3
import zlib
from collections.abc import Callable, Sequence

from goodbot.crawl.archive.place import PART, WarcPlace
from goodbot.crawl.folder.own_files import WARC_NAME, without_part
from goodbot.errors import NotAStoreError

__all__ = [
    "MAX_BEGINNING",
    "MOST_BYTES",
    "PAGES",
    "ROBOTS_TXT",
    "Beginning",
    "Place",
    "WarcFiles",
    "checksum_of_file",
    "first_member",
    "following",
    "recorded_files",
]

MOST_BYTES = 1024 * 1024 * 1024
"""The maximum size of a file in bytes (WARC 1.1 annex C.1 recommends 1 GB)."""

PAGES, ROBOTS_TXT = "pages", "robots-txt"
"""The two series of files."""

MAX_FILE = 1 << 53
"""In bytes; no system stores a larger file."""

MAX_BEGINNING = 64 * 1024
"""In bytes; every warcinfo record is shorter."""

NEWEST = "SELECT name, length FROM files WHERE name > ? AND name < ? ORDER BY name DESC LIMIT 1"
CHECKSUM = "SELECT checksum FROM files WHERE name = ?"
GROWN = (
    "INSERT INTO files(name, length, checksum) VALUES(?, ?, ?) ON CONFLICT(name) "
    "DO UPDATE SET length = excluded.length, checksum = excluded.checksum"
)
PIECE = 1024 * 1024

Place = tuple[str, list[int]]
"""The name of a file, and the offset of each record in it."""

Beginning = Callable[[str, int], bytes]
"""Makes the first record of a file, from the name of the file and the time."""


class Growing:
    """A file with the records that are added to it.

    Args:
        name: The name of the file.
        length: Its recorded length.

    """

    __slots__ = ("added", "end", "length", "name")

    def __init__(self, name: str, length: int) -> None:
        """Start without further records."""
        self.name, self.length, self.end = name, length, length
        self.added: list[bytes] = []

    def add(self, record: bytes) -> int:
        """Add a record; return its offset."""
        start = self.end
        self.added.append(record)
        self.end += len(record)
        return start


class WarcFiles:
    """The files of one crawl.

    Args:
        place: Where the files are.
        beginning: Makes the first record of a file.
        most_bytes: The size at which a new file begins; a single record may be larger.

    """

    def __init__(
        self, place: WarcPlace, beginning: Beginning, *, most_bytes: int = MOST_BYTES
    ) -> None:
        """Open no file yet."""
        self.place = place
        self.most_bytes = most_bytes
        self._beginning = beginning
        self._growing: dict[str, Growing] = {}
        """What the current change adds to the last file of each series."""

    def append(
        self, connection: sqlite3.Connection, series: str, records: Sequence[bytes], at: int
    ) -> Place:
        """Add records after the last one; `complete` writes them, and the new length of the file.

        Args:
            connection: A connection within a change.
            series: One of the two series.
            records: The records, which all go into one file.
            at: The current time in microseconds since 1970, for a file that begins.

        Raises:
            StoreError: A full file cannot be written; it is as before.

        """
        growing = self._growing.get(series)
        if growing is None:
            growing = self._growing[series] = Growing(*self.newest(connection, series))
        if not growing.end or growing.end + sum(map(len, records)) > self.most_bytes:
            self._write(connection, growing)
            growing = self._growing[series] = Growing(following(series, growing.name), 0)
            growing.add(self._beginning(growing.name, at))
        return growing.name, [growing.add(record) for record in records]

    def complete(self, connection: sqlite3.Connection) -> None:
        """Write the records of this change to their files, and record the new lengths.

        Raises:
            NotAStoreError: A file is shorter than recorded.
            StoreFullError: The disk is full; the file is as before.
            StoreUnavailableError: A file cannot be written; it is as before.

        """
        for growing in self._growing.values():
            self._write(connection, growing)
        self._growing.clear()

    def drop(self) -> None:
        """Drop the records of a change that is undone."""
        self._growing.clear()

    def _write(self, connection: sqlite3.Connection, growing: "Growing") -> None:
        """Write what one file has gained."""
        name, length, content = growing.name, growing.length, b"".join(growing.added)
        if not content:
            return
        self.place.append(name, length, content)
        checksum = following_checksum(connection, name, content) if length else zlib.crc32(content)
        connection.execute(GROWN, (name, growing.end, checksum))

    def newest(self, connection: sqlite3.Connection, series: str) -> tuple[str, int]:
        """Return the last file of a series and its length; 0 if the file is gone or never was."""
        row = connection.execute(NEWEST, (f"{series}-", f"{series}.")).fetchone()
        return ("", 0) if row is None else checked(row[0], row[1], self.place)

    # On opening.

    def recover(self, connection: sqlite3.Connection, mark: bytes) -> int:
        """Remove the unrecorded files and bytes that a killed process leaves.

        Args:
            connection: A connection within a change, so that no one else is writing.
            mark: A mark in the first record of each file of this crawl.

        Returns:
            The number of bytes removed, none of which was recorded.

        Raises:
            NotAStoreError: A file is missing or shorter than recorded, as after a power cut, or
                belongs to another crawl.
            StoreUnavailableError: A file cannot be changed.

        """
        recorded, removed = recorded_files(connection, self.place), 0
        for name in self.place.names():
            if not recorded.get(name):
                if name not in recorded:
                    refuse_foreign(self.place, name, mark)
                removed += self.place.size(name) or 0
                self.place.remove(name)
        for name, length in recorded.items():
            if not length:
                continue
            size = self.place.size(name)
            if size != length:
                self.place.cut(name, length)
                removed += (size or 0) - length
        return removed


def recorded_files(connection: sqlite3.Connection, place: WarcPlace) -> dict[str, int]:
    """Return the recorded names and lengths; the length of a removed file is 0.

    Raises:
        NotAStoreError: A name or a length is one that goodbot never writes.

    """
    rows = connection.execute("SELECT name, length FROM files ORDER BY name")
    return dict(checked(name, length, place) for name, length in rows)


def following_checksum(connection: sqlite3.Connection, name: str, added: bytes) -> int | None:
    """Return the checksum of a file after bytes were added; `None` if the old one is unknown."""
    (before,) = connection.execute(CHECKSUM, (name,)).fetchone()
    return zlib.crc32(added, before & 0xFFFFFFFF) if isinstance(before, int) else None


def checksum_of_file(place: WarcPlace, name: str, length: int) -> int:
    """Return the CRC-32 of the first bytes of a file, read in pieces.

    Raises:
        StoreError: The file cannot be read.

    """
    checksum = at = 0
    while at < length and (piece := place.read(name, at, min(length - at, PIECE))):
        checksum = zlib.crc32(piece, checksum)
        at += len(piece)
    return checksum


def checked(name: object, length: object, place: WarcPlace) -> tuple[str, int]:
    """Check a name and a length from the database before the file is touched."""
    is_name = (
        isinstance(name, str)
        and WARC_NAME.fullmatch(without_part(name))
        and not name.endswith(PART)
    )
    if not (is_name and isinstance(length, int) and 0 <= length <= MAX_FILE):
        message = (
            f"the database in {place.describe()} names a file {str(name)[:80]!r} of "
            f"{str(length)[:40]} bytes, which goodbot never writes; do not use this folder unless "
            "you trust its origin"
        )
        raise NotAStoreError(message)
    return str(name), length


def following(series: str, name: str) -> str:
    """Return the next name in a series.

    >>> following("pages", ""), following("pages", "pages-00001.warc.gz")
    ('pages-00001.warc.gz', 'pages-00002.warc.gz')
    """
    found = WARC_NAME.fullmatch(name)
    return f"{series}-{int(found[2]) + 1 if found else 1:05d}.warc.gz"


def refuse_foreign(place: WarcPlace, name: str, mark: bytes) -> None:
    """Refuse a file that another crawl wrote, such as one whose database is gone.

    Raises:
        NotAStoreError: The file does not begin like those of this crawl.

    """
    beginning = place.read(name, 0, MAX_BEGINNING)
    member, length = first_member(beginning)
    is_torn = not length and len(beginning) < MAX_BEGINNING
    if not is_torn and mark not in member:
        message = (
            f"{place.describe(name)} does not belong to this crawl; move it elsewhere, or crawl "
            "into another folder"
        )
        raise NotAStoreError(message)


def first_member(start: bytes) -> tuple[bytes, int]:
    """Return the content of the first gzip member, and its length; 0 if it is incomplete."""
    stream = zlib.decompressobj(31)
    try:
        content = stream.decompress(start, MAX_BEGINNING)
    except zlib.error:
        # Not gzip at all: not an incomplete file of ours.
        return b"", len(start)
    return content, len(start) - len(stream.unused_data) if stream.eof else 0
