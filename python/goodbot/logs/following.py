"""A log that grows, and is rotated: as `tail -F` reads it.

Scope: it acts: it reads a file by its path. A log that was renamed is read to its end before the
new one is opened; one that became shorter is read from its beginning, since it was copied and
truncated.
"""

import io
import os
from pathlib import Path
from typing import NamedTuple

from goodbot.logs.log_files import opened, read

__all__ = ["Followed", "Growth"]


class Growth(NamedTuple):
    """What was added to a log."""

    block: bytes
    """The bytes; none if nothing was added."""
    is_new_file: bool
    """Whether another file begins, which then has no bytes yet."""


class Followed:
    """The end of a log."""

    def __init__(self, path: str, file: io.FileIO) -> None:
        """Continue where a file was read to."""
        self.path = path
        self.file = file

    def read(self, size: int) -> Growth:
        """Return what was added, at most so many bytes.

        Raises:
            MisuseError: It cannot be read.

        """
        if block := read(self.path, self.file, size):
            return Growth(block, is_new_file=False)
        here = os.fstat(self.file.fileno())
        if here.st_size < self.file.tell():
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
        following = opened(self.path)
        self.file.close()
        self.file = following
        return Growth(b"", is_new_file=True)

    def close(self) -> None:
        """Close the file."""
        self.file.close()
