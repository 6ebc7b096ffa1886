"""Where WARC files are stored: in a folder, or in a place of your own, such as an object store.

Scope: the protocol, and two places. `warc_files` knows what is in the files; names and lengths are
recorded in the database, so that a place only stores bytes.

Only the recorded bytes of a file count. Each call of `append` says where they end, and the place
drops any bytes after that. So a process may be killed at any moment during `append`; `write` is
atomic.
"""

import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Protocol, runtime_checkable

from goodbot.crawl.folder.own_files import WARC_NAME, open_own
from goodbot.errors import (
    NotAStoreError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
)
from goodbot.files.filesystem import HERE

__all__ = ["PART", "FolderPlace", "MemoryPlace", "WarcPlace", "pieces_of", "store_error"]

PART = ".part"
"""The suffix of a file that is being written."""

FULL = {errno.ENOSPC, errno.EDQUOT}


@runtime_checkable
class WarcPlace(Protocol):
    """A place for files that grow at their ends. Their names are like `pages-00001.warc.gz`.

    Every method is atomic. If a file cannot be read or written, a method raises `StoreError` and
    leaves the file as it was.
    """

    def names(self) -> list[str]:
        """List the files of a crawl, including unfinished ones."""

    def size(self, name: str) -> int | None:
        """Return the size of a file in bytes; `None` if it does not exist."""

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return bytes of a file; fewer at its end.

        Raises:
            StoreUnavailableError: The file does not exist, or cannot be read.

        """

    def append(self, name: str, length: int, added: bytes) -> None:
        """Write bytes after the recorded ones of a file, in place of any others there.

        Calling it again with the same arguments changes nothing.

        Args:
            name: The name of the file; it is created if `length` is 0.
            length: The number of its recorded bytes.
            added: The bytes to write.

        Raises:
            NotAStoreError: The file does not exist, or is shorter than recorded.
            StoreFullError: The disk is full.

        """

    def cut(self, name: str, length: int) -> None:
        """Drop the bytes after the recorded ones of a file.

        Raises:
            NotAStoreError: The file does not exist, or is shorter than recorded.

        """

    def write(self, name: str, pieces: Iterable[bytes]) -> None:
        """Create a whole file, which then survives a power cut."""

    def remove(self, name: str) -> None:
        """Remove a file; do nothing if it does not exist."""

    def describe(self, name: str = "") -> str:
        """Return the location of a file, or of the place itself, for messages."""

    def close(self) -> None:
        """Close open files; closing again does nothing."""


class FolderPlace:
    """A folder. Only files with goodbot's own names are opened in it, and never through a link.

    Args:
        folder: The folder.

    """

    def __init__(self, folder: Path) -> None:
        """Open no file yet."""
        self.folder = folder
        self._open: dict[str, FileIO] = {}
        """The open files, by name."""

    def names(self) -> list[str]:
        """List the files of a crawl."""
        try:
            found = [path.name for path in self.folder.iterdir()]
        except OSError as error:
            raise store_error(error, self.folder) from error
        return sorted(name for name in found if WARC_NAME.fullmatch(name))

    def size(self, name: str) -> int | None:
        """Return the size of a file in bytes; `None` if it does not exist."""
        try:
            with FileIO(open_own(self.folder, name)) as file:
                return os.fstat(file.fileno()).st_size
        except FileNotFoundError:
            return None
        except OSError as error:
            raise store_error(error, self.folder / name) from error

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return bytes of a file; fewer at its end."""
        path = self.folder / name
        try:
            with FileIO(open_own(self.folder, name)) as file:
                file.seek(offset)
                return read_all(file, length)
        except OSError as error:
            message = (
                f"{path} cannot be read ({error.strerror}); restore it if it is missing, or check "
                "its permissions"
            )
            raise StoreUnavailableError(message) from error

    def append(self, name: str, length: int, added: bytes) -> None:
        """Write bytes after the recorded ones of a file; see `WarcPlace.append`."""
        try:
            file = self._opened(name, is_new=not length)
            cut_back(file, length, self.folder / name)
            write(file, length, added)
        except OSError as error:
            raise store_error(error, self.folder / name) from error

    def _opened(self, name: str, *, is_new: bool) -> FileIO:
        """Return the open file; close the previous one of its series."""
        held = self._open.get(name)
        # Another process may have removed it after a change that was never committed.
        if held is not None and os.fstat(held.fileno()).st_nlink:
            return held
        for other in [one for one in self._open if series_of(one) == series_of(name)]:
            self._open.pop(other).close()
        try:
            # The caller cuts off bytes that are not recorded: for a new file, all of them.
            new = os.O_CREAT if is_new else 0
            file = FileIO(open_own(self.folder, name, os.O_RDWR | new), "r+")
        except FileNotFoundError:
            raise missing(self.folder / name) from None
        self._open[name] = file
        return file

    def cut(self, name: str, length: int) -> None:
        """Drop the bytes after the recorded ones of a file."""
        path = self.folder / name
        try:
            with FileIO(open_own(self.folder, name, os.O_RDWR), "r+") as file:
                cut_back(file, length, path)
        except FileNotFoundError:
            raise missing(path) from None
        except OSError as error:
            raise store_error(error, path) from error

    def write(self, name: str, pieces: Iterable[bytes]) -> None:
        """Create a whole file, and sync it to disk."""
        path = self.folder / name
        part = path.with_name(name + PART)
        new = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        try:
            with open(open_own(self.folder, part.name, new), "wb") as file:  # noqa: PTH123  a descriptor
                file.writelines(pieces)
                file.flush()
                os.fsync(file.fileno())
            HERE.replace(part, path)
        except BaseException as error:
            # The change is still in progress, so no one else uses the name.
            with suppress(OSError):
                part.unlink()
            if isinstance(error, OSError):
                raise store_error(error, path) from error
            raise
        HERE.sync_folder(self.folder)

    def remove(self, name: str) -> None:
        """Remove a file."""
        held = self._open.pop(name, None)
        if held is not None:
            held.close()
        try:
            (self.folder / name).unlink(missing_ok=True)
        except OSError as error:
            raise store_error(error, self.folder / name) from error

    def describe(self, name: str = "") -> str:
        """Return the path."""
        return str(self.folder / name if name else self.folder)

    def close(self) -> None:
        """Close open files."""
        while self._open:
            self._open.popitem()[1].close()


class MemoryPlace:
    """A place in memory, for tests."""

    def __init__(self) -> None:
        """Start without files."""
        self.files: dict[str, bytes] = {}

    def names(self) -> list[str]:
        """List the files."""
        return sorted(self.files)

    def size(self, name: str) -> int | None:
        """Return the size of a file in bytes; `None` if it does not exist."""
        return len(self.files[name]) if name in self.files else None

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return bytes of a file."""
        if name not in self.files:
            message = f"{name} is not in memory; restore it"
            raise StoreUnavailableError(message)
        return self.files[name][offset : offset + length]

    def append(self, name: str, length: int, added: bytes) -> None:
        """Write bytes after the recorded ones of a file."""
        if length:
            self.cut(name, length)
        self.files[name] = self.files.get(name, b"")[:length] + added

    def cut(self, name: str, length: int) -> None:
        """Drop the bytes after the recorded ones of a file."""
        if self.size(name) is None:
            raise missing(Path(name))
        if len(self.files[name]) < length:
            raise shorter(Path(name), len(self.files[name]), length)
        self.files[name] = self.files[name][:length]

    def write(self, name: str, pieces: Iterable[bytes]) -> None:
        """Create a whole file."""
        self.files[name] = b"".join(pieces)

    def remove(self, name: str) -> None:
        """Remove a file."""
        self.files.pop(name, None)

    def describe(self, name: str = "") -> str:
        """Return the name."""
        return f"{name or 'the archive'} in memory"

    def close(self) -> None:
        """Do nothing."""


def pieces_of(
    place: WarcPlace, name: str, ranges: Sequence[tuple[int, int]], most: int
) -> Iterator[bytes]:
    """Yield the bytes of ranges of a file, in pieces of limited size.

    Raises:
        NotAStoreError: The file ends within a range.

    """
    for start, length in ranges:
        at, end = start, start + length
        while at < end:
            piece = place.read(name, at, min(end - at, most))
            if not piece:
                message = (
                    f"{place.describe(name)} is shorter than recorded; restore it from a backup"
                )
                raise NotAStoreError(message)
            yield piece
            at += len(piece)


def series_of(name: str) -> str:
    """Return the series of a file, such as `pages`."""
    return name.rpartition("-")[0]


def read_all(file: FileIO, length: int) -> bytes:
    """Read a number of bytes; fewer at the end of the file."""
    found = bytearray()
    while len(found) < length and (piece := file.read(length - len(found))):
        found += piece
    return bytes(found)


def cut_back(file: FileIO, length: int, path: Path) -> None:
    """Cut off bytes that were written but never recorded."""
    size = os.fstat(file.fileno()).st_size
    if size < length:
        raise shorter(path, size, length)
    if size > length:
        file.truncate(length)


def write(file: FileIO, offset: int, added: bytes) -> None:
    """Write all of some bytes, or none of them."""
    try:
        file.seek(offset)
        rest = memoryview(added)
        while rest:
            # A full disk accepts some bytes first, and none afterwards.
            rest = rest[file.write(rest) or 0 :]
    except BaseException:
        with suppress(OSError):
            file.truncate(offset)
        raise


def missing(path: Path) -> StoreError:
    """Return the error for a missing file."""
    message = (
        f"{path} is missing; restore it, or give up the copies in it: goodbot archive repair "
        f"{path.parent}"
    )
    return NotAStoreError(message)


def shorter(path: Path, size: int, length: int) -> StoreError:
    """Return the error for a file that is shorter than recorded."""
    message = (
        f"{path} has {size:,} bytes instead of the recorded {length:,}, perhaps because of a power "
        "cut; restore it from a backup, or give up the missing copies: goodbot archive repair "
        f"{path.parent}"
    )
    return NotAStoreError(message)


def store_error(error: OSError, path: Path) -> StoreError:
    """Return the exception for an error of the system."""
    if error.errno in FULL:
        message = f"there is no room for {path}; make room on its disk, and run the command again"
        return StoreFullError(message)
    reason = error.strerror or type(error).__name__
    message = (
        f"{error.filename or path} cannot be read or written ({reason}); check its permissions and "
        "its disk"
    )
    return StoreUnavailableError(message)
