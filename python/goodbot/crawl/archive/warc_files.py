"""The WARC files of a crawl: they grow at the end, and are as long as is recorded.

It acts. A record is written first, and its row is part of the caller's transaction: if that never
comes about, the file is longer than recorded, and whoever writes next cuts it back. So a process
may be killed at any moment, and each recorded row has its record. Who writes holds the lock of the
database from its first look on, and nobody remembers a length: several processes may take turns.

What may live here: names, recorded lengths and checksums. Where the bytes are is known by `place`,
and what a record is by `warc`.
"""

import sqlite3
import zlib
from collections.abc import Callable, Sequence

from goodbot.crawl.archive.place import PART, WarcPlace
from goodbot.crawl.folder.own_files import WARC_NAME
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
"""When a file is full (WARC 1.1 annex C.1 recommends 1 GB)."""

PAGES, ROBOTS_TXT = "pages", "robots-txt"
"""The two series of files."""

MAX_FILE = 1 << 53
"""No file is larger: more than that, no system could store."""

MAX_BEGINNING = 64 * 1024
"""No warcinfo is longer."""

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
"""Makes the record with which a file begins, of its name and the time."""


class WarcFiles:
    """The files of one crawl.

    Args:
        place: Where they are.
        beginning: Makes the record with which a file begins.
        most_bytes: When the next file begins; one record may be larger by itself.

    """

    def __init__(
        self, place: WarcPlace, beginning: Beginning, *, most_bytes: int = MOST_BYTES
    ) -> None:
        """Open nothing yet."""
        self.place = place
        self.most_bytes = most_bytes
        self._beginning = beginning

    def append(
        self, connection: sqlite3.Connection, series: str, records: Sequence[bytes], at: int
    ) -> Place:
        """Write records behind the last one, and record how long the file is now.

        Args:
            connection: Within a change.
            series: One of the two.
            records: The records; all go into one file.
            at: When it is, in microseconds since 1970: the time of a file that begins.

        Raises:
            NotAStoreError: The file is shorter than recorded.
            StoreFullError: There is no room; the file is as before.
            StoreUnavailableError: It cannot be written; it is as before.

        """
        name, length = self.newest(connection, series)
        if not length or length + sum(map(len, records)) > self.most_bytes:
            name, length = following(series, name), 0
            records = [self._beginning(name, at), *records]
        octets = b"".join(records)
        offsets = []
        end = length
        for record in records:
            offsets.append(end)
            end += len(record)
        self.place.append(name, length, octets)
        checksum = following_checksum(connection, name, octets) if length else zlib.crc32(octets)
        connection.execute(GROWN, (name, end, checksum))
        return name, offsets[0 if length else 1 :]

    def newest(self, connection: sqlite3.Connection, series: str) -> tuple[str, int]:
        """Return the last file of a series and its length, 0 if it is gone or never was."""
        row = connection.execute(NEWEST, (f"{series}-", f"{series}.")).fetchone()
        return ("", 0) if row is None else checked(row[0], row[1], self.place)

    # On opening.

    def recover(self, connection: sqlite3.Connection, mark: bytes) -> int:
        """Put right what a process left that was killed: nothing is there but what is recorded.

        Args:
            connection: Within a change, so that nobody is writing.
            mark: What the beginning of each of our files has in it.

        Returns:
            How many bytes were cut off or removed: none of them was recorded.

        Raises:
            NotAStoreError: A file is missing or shorter than recorded, as after a power cut, or is
                of another crawl.
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
    """Read the names and lengths that are recorded; a length of 0 is of a file that is gone.

    Raises:
        NotAStoreError: A name or a length is none that goodbot writes.

    """
    rows = connection.execute("SELECT name, length FROM files ORDER BY name")
    return dict(checked(name, length, place) for name, length in rows)


def following_checksum(connection: sqlite3.Connection, name: str, octets: bytes) -> int | None:
    """Return the checksum of a file that grows by some bytes; `None` if its own is unknown."""
    (before,) = connection.execute(CHECKSUM, (name,)).fetchone()
    return zlib.crc32(octets, before & 0xFFFFFFFF) if isinstance(before, int) else None


def checksum_of_file(place: WarcPlace, name: str, length: int) -> int:
    """Return the CRC-32 of the first bytes of a file, piece by piece.

    Raises:
        StoreError: It cannot be read.

    """
    checksum = at = 0
    while at < length and (piece := place.read(name, at, min(length - at, PIECE))):
        checksum = zlib.crc32(piece, checksum)
        at += len(piece)
    return checksum


def checked(name: object, length: object, place: WarcPlace) -> tuple[str, int]:
    """Check what the database says of a file, before anything is done to that."""
    is_name = isinstance(name, str) and WARC_NAME.fullmatch(name) and not name.endswith(PART)
    if not (is_name and isinstance(length, int) and 0 <= length <= MAX_FILE):
        message = (
            f"the database in {place.describe()} names a file {str(name)[:80]!r} of "
            f"{str(length)[:40]} bytes, which no goodbot writes; do not use this folder unless you "
            "trust who made it"
        )
        raise NotAStoreError(message)
    return str(name), length


def following(series: str, name: str) -> str:
    """Give the name behind a name.

    >>> following("pages", ""), following("pages", "pages-00001.warc.gz")
    ('pages-00001.warc.gz', 'pages-00002.warc.gz')
    """
    found = WARC_NAME.fullmatch(name)
    return f"{series}-{int(found[2]) + 1 if found else 1:05d}.warc.gz"


def refuse_foreign(place: WarcPlace, name: str, mark: bytes) -> None:
    """Let be what another crawl wrote, such as one whose database is gone.

    Raises:
        NotAStoreError: The file begins, and not as ours do.

    """
    beginning = place.read(name, 0, MAX_BEGINNING)
    member, length = first_member(beginning)
    is_torn = not length and len(beginning) < MAX_BEGINNING
    if not is_torn and mark not in member:
        message = (
            f"{place.describe(name)} is not of this crawl; move it elsewhere, or crawl in another "
            "folder"
        )
        raise NotAStoreError(message)


def first_member(octets: bytes) -> tuple[bytes, int]:
    """Give what the first gzip member holds, and how long it is; 0 if it does not end here."""
    stream = zlib.decompressobj(31)
    try:
        content = stream.decompress(octets, MAX_BEGINNING)
    except zlib.error:
        # No gzip at all: it is not torn, and not ours.
        return b"", len(octets)
    return content, len(octets) - len(stream.unused_data) if stream.eof else 0
