"""Which entries of the index may be current, so that no other one is looked up for a link.

Scope: a byte in memory for each URL. An entry becomes outdated once, however many pages link to it
before the index is updated again.

A folder numbers its URLs one after the other, from a first number on. The numbers of a queue that
machines share are anywhere below 2^63: of those, nothing is known.
"""

import sqlite3

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.shares import first_number, part_of_number

__all__ = ["CurrentEntries"]

LEAST = "SELECT min(id) FROM documents"
LAST = "SELECT max(id) FROM documents WHERE id < ?"
VERSION = "PRAGMA data_version"
"""Changes if another connection has changed the file, such as a search that updates entries."""

OUTDATED, CURRENT, UNKNOWN = 0, 1, 2
"""What is known of an entry. It is not known of one that hears only some of the links to it."""


MOST = 1 << 27
"""From the first number of a folder, so many are known."""


class CurrentEntries:
    """The entries that may be current, by the numbers of their URLs; all others are outdated.

    Args:
        database: The database of the crawl.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Database(folder, create=True) as database:
    ...     current = CurrentEntries(database)
    ...     with database.changing():
    ...         current.add([(None, 3), (None, 7)])
    ...         current.remove([3, 5, 7]), current.remove([3, 5, 7])
    ([3, 7], [])
    """

    def __init__(self, database: Database) -> None:
        """Start without knowing anything of the entries in the database."""
        self._database = database
        self._version = -1
        self._bytes = bytearray()
        self._first: int | None = None
        """The first number of the folder; `None` before any number is seen."""
        self._is_checked = False
        """Whether the current change has checked if another connection changed the file."""

    def add(self, entries: list[tuple[int | None, int]]) -> None:
        """Note entries that the current change updates.

        Args:
            entries: Up to which page each hears the links to it, `None` for all; and its number.

        """
        self._check()
        if entries and self._first is None:
            self._first = first_of(entries[0][1])
        first = self._first or 0
        near = [(heard_to, one - first) for heard_to, one in entries if 0 <= one - first < MOST]
        if near:
            self._bytes.extend(bytes(max(0, max(one for _, one in near) + 1 - len(self._bytes))))
        for heard_to, place in near:
            self._bytes[place] = CURRENT if heard_to is None else UNKNOWN

    def remove(self, url_ids: list[int]) -> list[int]:
        """Note that the current change outdates entries; return those that may be current.

        The caller writes that to the database.
        """
        self._check()
        first = self._first
        if first is None:  # there is no entry
            return []
        known, end = self._bytes, len(self._bytes)
        found = []
        for one in url_ids:
            place = one - first
            if not 0 <= place < MOST:
                found.append(one)
            elif place < end and known[place]:
                found.append(one)
                if known[place] == CURRENT:
                    known[place] = OUTDATED
        return found

    def _check(self) -> None:
        """Forget everything if another connection has changed the file; once in each change."""
        if self._is_checked:
            return
        self._is_checked = True
        self._database.at_end(self)
        (version,) = self._database.connection.execute(VERSION).fetchone()
        if version != self._version:
            self._version = version
            self._forget()

    def _forget(self) -> None:
        connection, self._bytes = self._database.connection, bytearray()
        (least,) = connection.execute(LEAST).fetchone()
        self._first = None if least is None else first_of(least)
        if self._first is not None:
            (last,) = connection.execute(LAST, (self._first + MOST,)).fetchone()
            self._bytes = bytearray([UNKNOWN]) * (0 if last is None else last - self._first + 1)

    # The change that is under way (`ChangePart`).

    def complete(self, connection: sqlite3.Connection) -> None:  # noqa: ARG002  see `ChangePart`
        """Keep what the change did."""
        self._is_checked = False

    def drop(self) -> None:
        """Forget everything, because the change is undone."""
        self._is_checked = False
        self._version = -1


def first_of(number: int) -> int:
    """Return the first number of the folder that numbers a URL so."""
    return first_number(part_of_number(number))
