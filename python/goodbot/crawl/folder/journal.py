"""A note of each visit that begins, until the file of the crawl has it.

What may live here: a small file beside the database. The database is committed now and then, as
that takes longer than a visit on a fast line; a note is written before each visit, and takes
microseconds. So a process that is killed may visit a page again, but never an origin too early.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from goodbot.crawl.folder.own_files import open_own
from goodbot.errors import NotAStoreError, StoreFullError, StoreUnavailableError

__all__ = ["Journal", "Note"]

FILE = "visits.log"
LARGEST = 64 * 1024 * 1024
"""The most bytes that are read; notes of the visits of a second are some kilobytes."""
MAX_NUMBER = 18
"""Digits of a time or a pause."""
LENGTHS = (2, 4)


class Note(NamedTuple):
    """A visit that began."""

    origin: str
    started: int
    """When, by the time of day: microseconds since 1970."""
    pause: int
    """Microseconds to leave behind it, as the robot knew the origin."""
    boot: str = ""
    """The start of the machine from which `counted` counts; empty if nobody knows."""
    counted: int = 0
    """When, in microseconds since then."""

    @property
    def line(self) -> str:
        """The line of the file. 0.1.0 wrote the first three values alone."""
        return f"{self.origin} {self.started} {self.pause} {self.counted} {quote(self.boot)}\n"

    @classmethod
    def of(cls, line: str) -> "Note | None":
        """Read a line; `None` if it is none."""
        origin, *values = line.split(" ")
        if len(values) not in LENGTHS or not all(map(is_number, values[:3])):
            return None
        started, pause, counted, boot = [*values, "0", ""][:4]
        return cls(origin, int(started), int(pause), unquote(boot), int(counted))


class Journal:
    """The notes of one crawl.

    Args:
        folder: The folder of the crawl.

    Raises:
        NotAStoreError: The file is a link, or larger than any that a crawl leaves.
        StoreUnavailableError: The file cannot be opened.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     notes = Journal(Path(folder))
    ...     notes.add(Note("https://a.example", 5, 10))
    ...     list(Journal(Path(folder)))
    [Note(origin='https://a.example', started=5, pause=10, boot='', counted=0)]
    """

    def __init__(self, folder: Path) -> None:
        """Open the file, or make it."""
        self._path = folder / FILE
        self._is_empty = False
        self._is_kept = False
        try:
            self._file = open_own(folder, FILE, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        except OSError as error:
            message = f"{self._path} cannot be written ({error.strerror}); name another folder"
            raise StoreUnavailableError(message) from error

    def __iter__(self) -> Iterator[Note]:
        """Give the notes of visits that the database may not know."""
        # A line that was cut short is of a visit that had not begun.
        for line in self._text().split("\n")[:-1]:
            note = Note.of(line)
            if note is not None:
                yield note

    def _text(self) -> str:
        """Read the file."""
        with os.fdopen(os.dup(self._file), "rb") as file:
            file.seek(0)
            octets = file.read(LARGEST + 1)
        if len(octets) > LARGEST:
            message = f"{self._path} is larger than any that a crawl leaves; remove the folder"
            raise NotAStoreError(message)
        return octets.decode("utf-8", "replace")

    def add(self, note: Note) -> None:
        """Write a note; the visit may begin then, and not before.

        Raises:
            StoreFullError: There is no room.

        """
        reason: OSError | None = None
        line = note.line.encode()
        try:
            written = os.write(self._file, line)
        except OSError as error:
            written, reason = -1, error
        if written != len(line):
            if written > 0:  # half a line would spoil the next one
                os.ftruncate(self._file, os.fstat(self._file).st_size - written)
            message = f"there is no room for {self._path}; make room on its disk, and go on"
            raise StoreFullError(message) from reason
        self._is_empty = False

    def clear(self) -> None:
        """Forget them all: the database knows; unless some are to be kept."""
        if not self._is_empty and not self._is_kept:
            os.ftruncate(self._file, 0)
            self._is_empty = True

    def keep(self) -> None:
        """Forget nothing more: the database has lost what it knew of these visits."""
        self._is_kept = True

    def close(self) -> None:
        """Close the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def is_number(text: str) -> bool:
    """Whether a text is a number as they are noted.

    >>> is_number("-12"), is_number("1.5"), is_number("9" * 5000)
    (True, False, False)
    """
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) <= MAX_NUMBER
