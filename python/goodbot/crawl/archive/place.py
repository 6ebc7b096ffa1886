"""Where WARC files are: a folder today, an object store or another disk tomorrow.

What may live here: the protocol, and places. What the files hold is known by `warc_files`; names
and lengths are recorded in the database, so that a place has to keep bytes and nothing else.

A place is never asked to be right by itself. What is recorded is what counts: whoever writes says
where the recorded bytes of a file end, and the place drops what lies behind. So a process may be
killed at any moment of `append`, and `write` puts a whole file there or none.
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
from goodbot.filesystem import HERE

__all__ = ["PART", "FolderPlace", "MemoryPlace", "WarcPlace", "pieces_of", "told"]

PART = ".part"
"""What is behind the name of a file that is being written."""

FULL = {errno.ENOSPC, errno.EDQUOT}


@runtime_checkable
class WarcPlace(Protocol):
    """A place for files that grow at their ends. Names are `pages-00001.warc.gz` and the like.

    Every method but `pieces` is whole or not at all. Where a file cannot be read or written,
    `StoreError` is raised, with the file as it was.
    """

    def names(self) -> list[str]:
        """List the files of a crawl that are there, also those that were never finished."""

    def size(self, name: str) -> int | None:
        """Return how many bytes a file has; `None` if it is not there."""

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return bytes of a file; fewer where it ends.

        Raises:
            StoreUnavailableError: The file is not there, or cannot be read.

        """

    def append(self, name: str, length: int, added: bytes) -> None:
        """Write behind the recorded bytes of a file; what lies behind them is dropped.

        Written again, it leaves what it leaves once.

        Args:
            name: The file; with a length of 0 it begins.
            length: How many of its bytes are recorded.
            added: What to write.

        Raises:
            NotAStoreError: The file is not there, or shorter than recorded.
            StoreFullError: There is no room.

        """

    def cut(self, name: str, length: int) -> None:
        """Drop what lies behind the recorded bytes of a file.

        Raises:
            NotAStoreError: The file is not there, or shorter than recorded.

        """

    def write(self, name: str, pieces: Iterable[bytes]) -> None:
        """Put a whole new file there, which then survives a power cut."""

    def remove(self, name: str) -> None:
        """Remove a file; nothing happens if it is not there."""

    def describe(self, name: str = "") -> str:
        """Return where a file, or the place itself, is, for messages."""

    def close(self) -> None:
        """Close what is open. Closing again does nothing."""


class FolderPlace:
    """A folder. Names of our own are opened there and no others, and never through a link.

    Args:
        folder: The folder.

    """

    def __init__(self, folder: Path) -> None:
        """Open nothing yet."""
        self.folder = folder
        self._open: dict[str, FileIO] = {}
        """The files that grow, by their names."""

    def names(self) -> list[str]:
        """List the files of a crawl that are there."""
        try:
            found = [path.name for path in self.folder.iterdir()]
        except OSError as error:
            raise told(error, self.folder) from error
        return sorted(name for name in found if WARC_NAME.fullmatch(name))

    def size(self, name: str) -> int | None:
        """Return how many bytes a file has; `None` if it is not there."""
        try:
            with FileIO(open_own(self.folder, name)) as file:
                return os.fstat(file.fileno()).st_size
        except FileNotFoundError:
            return None
        except OSError as error:
            raise told(error, self.folder / name) from error

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return bytes of a file; fewer where it ends."""
        path = self.folder / name
        try:
            with FileIO(open_own(self.folder, name)) as file:
                file.seek(offset)
                return read_all(file, length)
        except OSError as error:
            message = f"{path} cannot be read ({error.strerror}); put it back, and grant the right"
            raise StoreUnavailableError(message) from error

    def append(self, name: str, length: int, added: bytes) -> None:
        """Write behind the recorded bytes of a file; see `WarcPlace.append`."""
        try:
            file = self._opened(name, is_new=not length)
            cut_back(file, length, self.folder / name)
            write(file, length, added)
        except OSError as error:
            raise told(error, self.folder / name) from error

    def _opened(self, name: str, *, is_new: bool) -> FileIO:
        """Return the open file; of a series the one before is closed."""
        held = self._open.get(name)
        # Another process may have removed it, after a change that never came about.
        if held is not None and os.fstat(held.fileno()).st_nlink:
            return held
        for other in [one for one in self._open if series_of(one) == series_of(name)]:
            self._open.pop(other).close()
        try:
            # What is longer than recorded is cut off by the caller: all of a file that is new.
            new = os.O_CREAT if is_new else 0
            file = FileIO(open_own(self.folder, name, os.O_RDWR | new), "r+")
        except FileNotFoundError:
            raise missing(self.folder / name) from None
        self._open[name] = file
        return file

    def cut(self, name: str, length: int) -> None:
        """Drop what lies behind the recorded bytes of a file."""
        path = self.folder / name
        try:
            with FileIO(open_own(self.folder, name, os.O_RDWR), "r+") as file:
                cut_back(file, length, path)
        except FileNotFoundError:
            raise missing(path) from None
        except OSError as error:
            raise told(error, path) from error

    def write(self, name: str, pieces: Iterable[bytes]) -> None:
        """Put a whole new file there, down to the disk."""
        path = self.folder / name
        part = path.with_name(name + PART)
        new = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        try:
            with open(open_own(self.folder, part.name, new), "wb") as file:  # noqa: PTH123  it is open
                file.writelines(pieces)
                file.flush()
                os.fsync(file.fileno())
            HERE.replace(part, path)
        except BaseException as error:
            # While the change is under way, nobody else uses the name.
            with suppress(OSError):
                part.unlink()
            if isinstance(error, OSError):
                raise told(error, path) from error
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
            raise told(error, self.folder / name) from error

    def describe(self, name: str = "") -> str:
        """Return the path."""
        return str(self.folder / name if name else self.folder)

    def close(self) -> None:
        """Close what is open."""
        while self._open:
            self._open.popitem()[1].close()


class MemoryPlace:
    """A place in memory, for tests."""

    def __init__(self) -> None:
        """Begin with no file."""
        self.files: dict[str, bytes] = {}

    def names(self) -> list[str]:
        """List the files."""
        return sorted(self.files)

    def size(self, name: str) -> int | None:
        """Return how many bytes a file has; `None` if it is not there."""
        return len(self.files[name]) if name in self.files else None

    def read(self, name: str, offset: int, length: int) -> bytes:
        """Return bytes of a file."""
        if name not in self.files:
            message = f"{name} is not in memory; put it back"
            raise StoreUnavailableError(message)
        return self.files[name][offset : offset + length]

    def append(self, name: str, length: int, added: bytes) -> None:
        """Write behind the recorded bytes of a file."""
        if length:
            self.cut(name, length)
        self.files[name] = self.files.get(name, b"")[:length] + added

    def cut(self, name: str, length: int) -> None:
        """Drop what lies behind the recorded bytes of a file."""
        if self.size(name) is None:
            raise missing(Path(name))
        if len(self.files[name]) < length:
            raise shorter(Path(name), len(self.files[name]), length)
        self.files[name] = self.files[name][:length]

    def write(self, name: str, pieces: Iterable[bytes]) -> None:
        """Put a whole new file there."""
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
    """Read ranges of a file, so many bytes at a time.

    Raises:
        NotAStoreError: The file is shorter than a range.

    """
    for start, length in ranges:
        at, end = start, start + length
        while at < end:
            piece = place.read(name, at, min(end - at, most))
            if not piece:
                message = f"{place.describe(name)} is shorter than recorded; restore it from a copy"
                raise NotAStoreError(message)
            yield piece
            at += len(piece)


def series_of(name: str) -> str:
    """Return the series of a file, such as `pages`."""
    return name.rpartition("-")[0]


def read_all(file: FileIO, length: int) -> bytes:
    """Read so many bytes; fewer where the file ends."""
    found = bytearray()
    while len(found) < length and (piece := file.read(length - len(found))):
        found += piece
    return bytes(found)


def cut_back(file: FileIO, length: int, path: Path) -> None:
    """Cut off what was written and never recorded."""
    size = os.fstat(file.fileno()).st_size
    if size < length:
        raise shorter(path, size, length)
    if size > length:
        file.truncate(length)


def write(file: FileIO, offset: int, added: bytes) -> None:
    """Write bytes, all of them or none."""
    try:
        file.seek(offset)
        rest = memoryview(added)
        while rest:
            # A full disk takes some first, and none next.
            rest = rest[file.write(rest) or 0 :]
    except BaseException:
        with suppress(OSError):
            file.truncate(offset)
        raise


def missing(path: Path) -> StoreError:
    """Make the error for a file that is gone."""
    message = (
        f"{path} is missing; put it back where it was, or goodbot archive repair {path.parent} "
        "gives up what was in it"
    )
    return NotAStoreError(message)


def shorter(path: Path, size: int, length: int) -> StoreError:
    """Make the error for a file that lacks bytes that are recorded."""
    message = (
        f"{path} has {size} bytes, and {length} are recorded, as after a power cut; restore "
        f"it from a copy, or goodbot archive repair {path.parent} gives up what is missing"
    )
    return NotAStoreError(message)


def told(error: OSError, path: Path) -> StoreError:
    """Make the exception for what the system refused."""
    if error.errno in FULL:
        message = f"there is no room for {path}; make room on its disk, and do the last step again"
        return StoreFullError(message)
    reason = error.strerror or type(error).__name__
    message = f"{error.filename or path} cannot be read or written ({reason}); see that its disk "
    return StoreUnavailableError(message + "works, and grant the right to read and write it")
