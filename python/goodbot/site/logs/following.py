"""A log that grows, and is rotated: as `tail -F` reads it.

Scope: it acts: it reads a file by its path. A log that was renamed is read to its end before the
new one is opened; one that became shorter is read from its beginning, since it was copied and
truncated.
"""

import os
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from goodbot.errors import MisuseError
from goodbot.site.logs.log_files import GivenStream, LogFile, opened, read

__all__ = ["Followed", "Growth"]


class Growth(NamedTuple):
    """What was added to a log."""

    block: bytes
    """The bytes; none if nothing was added."""
    is_new_file: bool
    """Whether another file begins, which then has no bytes yet."""


class Followed:
    """The end of a log."""

    def __init__(self, path: str, file: LogFile) -> None:
        """Continue where a file was read to."""
        self.path = path
        self.file = file

    def read(self, size: int) -> Growth:
        """Return what was added, at most so many bytes.

        A log that cannot be read now, or is no file, has not grown: what rotates logs may move,
        make and protect them in several steps.
        """
        try:
            return self._growth(size)
        except (MisuseError, OSError):
            return Growth(b"", is_new_file=False)

    def _growth(self, size: int) -> Growth:
        """Return what was added.

        Raises:
            MisuseError: The log cannot be read.
            OSError: Its place cannot be examined.

        """
        block = read(self.path, self.file, size)
        if block or isinstance(self.file, GivenStream):
            return Growth(block, is_new_file=False)
        here = os.fstat(self.file.fileno())
        if S_ISREG(here.st_mode) and here.st_size < self.file.tell():
            self.file.seek(0)
            return Growth(b"", is_new_file=True)
        try:
            there = Path(self.path).stat()
        except OSError:  # between two names
            return Growth(b"", is_new_file=False)
        if os.path.samestat(here, there):
            return Growth(b"", is_new_file=False)
        # What was added between the reading and the renaming.
        if block := read(self.path, self.file, size):
            return Growth(block, is_new_file=False)
        following = opened(self.path, waits=False)
        self.file.close()
        self.file = following
        return Growth(b"", is_new_file=True)

    def close(self) -> None:
        """Close the file."""
        self.file.close()
