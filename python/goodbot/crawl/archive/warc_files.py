"""The WARC files of a crawl, on disk: they grow at the end, and are as long as is recorded.

It acts. A record is written first, and its row is part of the caller's transaction: if that never
comes about, the file is longer than recorded, and whoever writes next cuts it back. So a process
may be killed at any moment, and each recorded row has its record. Who writes holds the lock of the
database from its first look on, and nobody remembers a length: several processes may take turns.

What may live here: names, lengths and octets. What a record is, is known by `warc`.
"""

import errno
import os
import sqlite3
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path

from goodbot.crawl.folder.own_files import WARC_NAME, open_own
from goodbot.errors import (
    NotAStoreError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
)

__all__ = [
    "LONGEST_BEGINNING",
    "MOST_OCTETS",
    "PAGES",
    "PART",
    "ROBOTS_TXT",
    "Beginning",
    "Place",
    "WarcFiles",
    "checksum_of_file",
    "first_member",
    "following",
    "recorded_files",
    "told",
]

MOST_OCTETS = 1024 * 1024 * 1024
"""When a file is full (WARC 1.1 annex C.1 recommends 1 GB)."""

PAGES, ROBOTS_TXT = "pages", "robots-txt"
"""The two series of files."""

PART = ".part"
"""What is behind the name of a file that is being written."""

LARGEST_FILE = 1 << 53
"""No file is larger: more than that, no system could store."""

LONGEST_BEGINNING = 64 * 1024
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
        folder: Where they are.
        beginning: Makes the record with which a file begins.
        most_octets: When the next file begins; one record may be larger by itself.

    """

    def __init__(
        self, folder: Path, beginning: Beginning, *, most_octets: int = MOST_OCTETS
    ) -> None:
        """Open nothing yet."""
        self.folder = folder
        self.most_octets = most_octets
        self._beginning = beginning
        self._open: dict[str, tuple[str, FileIO]] = {}

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
        if not length or length + sum(map(len, records)) > self.most_octets:
            name, length = following(series, name), 0
            records = [self._beginning(name, at), *records]
        octets = b"".join(records)
        offsets = []
        end = length
        for record in records:
            offsets.append(end)
            end += len(record)
        try:
            file = self._opened(series, name, is_new=not length)
            cut_back(file, length, self.folder / name)
            write(file, length, octets)
        except OSError as error:
            raise told(error, self.folder / name) from error
        checksum = following_checksum(connection, name, octets) if length else zlib.crc32(octets)
        connection.execute(GROWN, (name, end, checksum))
        return name, offsets[0 if length else 1 :]

    def newest(self, connection: sqlite3.Connection, series: str) -> tuple[str, int]:
        """Give the last file of a series and its length, which is 0 if it is gone or never was."""
        row = connection.execute(NEWEST, (f"{series}-", f"{series}.")).fetchone()
        return ("", 0) if row is None else checked(row[0], row[1], self.folder)

    def _opened(self, series: str, name: str, *, is_new: bool) -> FileIO:
        """Give the file at which a series is; the one before is closed."""
        held = self._open.get(series)
        # Another process may have removed it, after a change that never came about.
        if held is not None and held[0] == name and os.fstat(held[1].fileno()).st_nlink:
            return held[1]
        self.release(series)
        try:
            # What is longer than recorded is cut off by the caller: all of a file that is new.
            new = os.O_CREAT if is_new else 0
            file = FileIO(open_own(self.folder, name, os.O_RDWR | new), "r+")
        except FileNotFoundError:
            raise missing(self.folder / name) from None
        self._open[series] = (name, file)
        return file

    def release(self, series: str) -> None:
        """Close the file at which a series is."""
        held = self._open.pop(series, None)
        if held is not None:
            held[1].close()

    def close(self) -> None:
        """Close what is open. Closing again does nothing."""
        for series in list(self._open):
            self.release(series)

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
        recorded, removed = recorded_files(connection, self.folder), 0
        try:
            for path in sorted(self.folder.iterdir()):
                found = WARC_NAME.fullmatch(path.name)
                if found is not None and (found[3] or not recorded.get(path.name)):
                    if path.name not in recorded:
                        refuse_foreign(self.folder, path.name, mark)
                    removed += path.lstat().st_size
                    path.unlink()
            for name, length in recorded.items():
                if length:
                    removed += self._put_right(name, length)
        except OSError as error:
            raise told(error, self.folder) from error
        return removed

    def _put_right(self, name: str, length: int) -> int:
        """Cut one file back to the length that is recorded; return by how much."""
        path = self.folder / name
        try:
            descriptor = open_own(self.folder, name)
        except FileNotFoundError:
            raise missing(path) from None
        with FileIO(descriptor) as file:
            size = os.fstat(file.fileno()).st_size
        if size != length:
            with FileIO(open_own(self.folder, name, os.O_RDWR), "r+") as file:
                cut_back(file, length, path)
        return size - length


def recorded_files(connection: sqlite3.Connection, folder: Path) -> dict[str, int]:
    """Read the names and lengths that are recorded; a length of 0 is of a file that is gone.

    Raises:
        NotAStoreError: A name or a length is none that goodbot writes.

    """
    rows = connection.execute("SELECT name, length FROM files ORDER BY name")
    return dict(checked(name, length, folder) for name, length in rows)


def following_checksum(connection: sqlite3.Connection, name: str, octets: bytes) -> int | None:
    """Return the checksum of a file that grows by some bytes; `None` if its own is unknown."""
    (before,) = connection.execute(CHECKSUM, (name,)).fetchone()
    return zlib.crc32(octets, before & 0xFFFFFFFF) if isinstance(before, int) else None


def checksum_of_file(folder: Path, name: str, length: int) -> int:
    """Return the CRC-32 of the first bytes of a file, piece by piece.

    Raises:
        OSError: It cannot be read.

    """
    checksum = 0
    with FileIO(open_own(folder, name)) as file:
        while length > 0 and (piece := file.read(min(length, PIECE))):
            checksum = zlib.crc32(piece, checksum)
            length -= len(piece)
    return checksum


def checked(name: object, length: object, folder: Path) -> tuple[str, int]:
    """Check what the database says of a file, before anything is done to that."""
    is_name = isinstance(name, str) and WARC_NAME.fullmatch(name) and not name.endswith(PART)
    if not (is_name and isinstance(length, int) and 0 <= length <= LARGEST_FILE):
        message = (
            f"the database in {folder} names a file {str(name)[:80]!r} of {str(length)[:40]} "
            "bytes, which no goodbot writes; do not use this folder unless you trust who made it"
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


def cut_back(file: FileIO, length: int, path: Path) -> None:
    """Cut off what was written and never recorded."""
    size = os.fstat(file.fileno()).st_size
    if size < length:
        message = (
            f"{path} has {size} octets, and {length} are recorded, as after a power cut; restore "
            f"it from a copy, or goodbot archive repair {path.parent} gives up what is missing"
        )
        raise NotAStoreError(message)
    if size > length:
        file.truncate(length)


def write(file: FileIO, offset: int, octets: bytes) -> None:
    """Write octets, all of them or none."""
    try:
        file.seek(offset)
        rest = memoryview(octets)
        while rest:
            # A full disk takes some first, and none next.
            rest = rest[file.write(rest) or 0 :]
    except BaseException:
        with suppress(OSError):
            file.truncate(offset)
        raise


def refuse_foreign(folder: Path, name: str, mark: bytes) -> None:
    """Let be what another crawl wrote, such as one whose database is gone.

    Raises:
        NotAStoreError: The file begins, and not as ours do.

    """
    path = folder / name
    with FileIO(open_own(folder, name)) as file:
        beginning = file.read(LONGEST_BEGINNING)
    member, length = first_member(beginning)
    is_torn = not length and len(beginning) < LONGEST_BEGINNING
    if not is_torn and mark not in member:
        message = f"{path} is not of this crawl; move it elsewhere, or crawl in another folder"
        raise NotAStoreError(message)


def first_member(octets: bytes) -> tuple[bytes, int]:
    """Give what the first gzip member holds, and how long it is; 0 if it does not end here."""
    stream = zlib.decompressobj(31)
    try:
        content = stream.decompress(octets, LONGEST_BEGINNING)
    except zlib.error:
        # No gzip at all: it is not torn, and not ours.
        return b"", len(octets)
    return content, len(octets) - len(stream.unused_data) if stream.eof else 0


def missing(path: Path) -> StoreError:
    """Say that a file is gone."""
    message = (
        f"{path} is missing; put it back where it was, or goodbot archive repair {path.parent} "
        "gives up what was in it"
    )
    return NotAStoreError(message)


def told(error: OSError, path: Path) -> StoreError:
    """Give the exception for what the system refused."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        message = f"there is no room for {path}; make room on its disk, and do the last step again"
        return StoreFullError(message)
    reason = error.strerror or type(error).__name__
    message = f"{error.filename or path} cannot be read or written ({reason}); see that its disk "
    return StoreUnavailableError(message + "works, and grant the right to read and write it")
