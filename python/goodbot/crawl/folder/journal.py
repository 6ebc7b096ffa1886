"""The journal: a note of each visit that begins, kept until the database has committed it.

Scope: a small file beside the database. A commit takes longer than a visit on a fast connection, so
the database is committed only now and then. A note is written before each visit, which takes
microseconds. So a crawl that was killed may fetch a page again, but never visits a site too early.
"""

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

from goodbot.crawl.folder.own_files import open_own
from goodbot.errors import NotAStoreError, StoreFullError, StoreUnavailableError

__all__ = ["Journal", "Note"]

FILE = "visits.log"
MAX_BYTES = 64 * 1024 * 1024
"""How many bytes are read at most; the notes of one second's visits take a few kilobytes."""
MAX_NUMBER = 18
"""How many digits a time or a pause has at most."""
LENGTHS = (2, 4)


class Note(NamedTuple):
    """A visit that began."""

    origin: str
    started: int
    """When it began, by the time of day, in microseconds since 1970."""
    pause: int
    """How long to wait after it, in microseconds, as far as the robot knew before the visit."""
    boot: str = ""
    """The boot of the machine from which `counted` counts; empty if it is not known."""
    counted: int = 0
    """When it began, in microseconds since that boot."""

    @property
    def line(self) -> str:
        """The note as a line of the file. 0.1.0 wrote only the first three values."""
        return f"{self.origin} {self.started} {self.pause} {self.counted} {quoted(self.boot)}\n"

    @classmethod
    def of(cls, line: str) -> "Note | None":
        """Parse a line; return `None` if it is not a note."""
        origin, *values = line.split(" ")
        if len(values) not in LENGTHS or not all(map(is_number, values[:3])):
            return None
        started, pause, counted, boot = [*values, "0", ""][:4]
        return cls(origin, int(started), int(pause), unquote(boot), int(counted))


class Journal:
    """The journal of one crawl.

    Args:
        folder: The folder of the crawl.

    Raises:
        NotAStoreError: The file is a link, or larger than any journal of a crawl.
        StoreUnavailableError: The file cannot be opened.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     notes = Journal(Path(folder))
    ...     notes.add(Note("https://a.example", 5, 10))
    ...     list(Journal(Path(folder)))
    [Note(origin='https://a.example', started=5, pause=10, boot='', counted=0)]
    """

    def __init__(self, folder: Path) -> None:
        """Open the file, or create it."""
        self._path = folder / FILE
        self._is_empty = False
        self._is_kept = False
        try:
            self._file = open_own(folder, FILE, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        except OSError as error:
            message = f"{self._path} cannot be written ({error.strerror}); name another folder"
            raise StoreUnavailableError(message) from error

    def __iter__(self) -> Iterator[Note]:
        """Yield the notes of visits that the database might not have."""
        # If a line was cut short, its visit had not begun.
        for line in self._text().split("\n")[:-1]:
            note = Note.of(line)
            if note is not None:
                yield note

    def _text(self) -> str:
        """Read the file."""
        with os.fdopen(os.dup(self._file), "rb") as file:
            file.seek(0)
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            message = (
                f"{self._path} is larger than the journal of any crawl, so it is damaged or not "
                "goodbot's; do not use this folder unless you trust its origin"
            )
            raise NotAStoreError(message)
        return content.decode("utf-8", "replace")

    def add(self, note: Note) -> None:
        """Write a note. Call it before the visit begins.

        Raises:
            StoreFullError: The disk is full.

        """
        reason: OSError | None = None
        line = note.line.encode()
        try:
            written = os.write(self._file, line)
        except OSError as error:
            written, reason = -1, error
        if written != len(line):
            if written > 0:  # half a line would corrupt the next one
                os.ftruncate(self._file, os.fstat(self._file).st_size - written)
            message = (
                f"there is no room for {self._path}; make room on its disk, and resume the crawl"
            )
            raise StoreFullError(message) from reason
        self._is_empty = False

    def clear(self) -> None:
        """Remove all notes, because the database has the visits; do nothing after `keep`."""
        if not self._is_empty and not self._is_kept:
            os.ftruncate(self._file, 0)
            self._is_empty = True

    def keep(self) -> None:
        """Keep all notes from now on, because the database lost these visits."""
        self._is_kept = True

    def close(self) -> None:
        """Close the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


@lru_cache(maxsize=8)
def quoted(boot: str) -> str:
    """Return a boot without spaces; a process writes the same one with each visit."""
    return quote(boot)


def is_number(text: str) -> bool:
    """Whether a text is a number in the form the journal uses.

    >>> is_number("-12"), is_number("1.5"), is_number("9" * 5000)
    (True, False, False)
    """
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) <= MAX_NUMBER
