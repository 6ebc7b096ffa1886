"""Whether files are still those that a program has read, before it replaces them.

Scope: facts of files, without reading them. Who replaces a file asks directly before that.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from goodbot.errors import StoreBusyError

__all__ = ["ReadFiles"]


class FileAsRead(NamedTuple):
    """What changes whenever a file is replaced or written to."""

    device: int
    number: int
    """The number of its inode."""
    size: int
    modified: int
    """When its content was changed, in nanoseconds."""
    changed: int
    """When anything of it was changed, which no program can set."""


class ReadFiles:
    """Some files as they are before they are read.

    Args:
        paths: The files.

    Raises:
        OSError: A file cannot be read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a.txt"
    ...     _ = path.write_text("all")
    ...     read = ReadFiles([path])
    ...     read.check(path)
    ...     _ = path.write_text("more")
    ...     try:
    ...         read.check(path)
    ...     except StoreBusyError as error:
    ...         print(str(error).partition(" ")[2])
    was changed by another program after it was read, and is as that left it; run the command again
    """

    def __init__(self, paths: Iterable[str | os.PathLike[str]]) -> None:
        """Note the facts of each."""
        self._facts = {Path(one): facts_of(Path(one)) for one in paths}

    def check(self, path: str | os.PathLike[str]) -> None:
        """Check that one of the files was not replaced, written to or removed since.

        Raises:
            StoreBusyError: It was.

        """
        try:
            is_same = facts_of(Path(path)) == self._facts[Path(path)]
        except OSError:
            is_same = False
        if not is_same:
            message = (
                f"{os.fspath(path)} was changed by another program after it was read, and is as "
                "that left it; run the command again"
            )
            raise StoreBusyError(message)

    def check_all(self) -> None:
        """Check all of them.

        Raises:
            StoreBusyError: One was changed.

        """
        for path in self._facts:
            self.check(path)


def facts_of(path: Path) -> FileAsRead:
    """Return the facts of a file.

    Raises:
        OSError: There is none.

    """
    found = path.stat()
    return FileAsRead(
        found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
    )
