"""Which entries of the index may be current, so that no other one is looked up for a link.

Scope: what is known in memory. An entry becomes outdated once, however many pages link to it
before the index is updated again.
"""

import sqlite3

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.url_bytes import UrlBytes

__all__ = ["CurrentEntries"]

LAST = "SELECT max(id) FROM documents"
CURRENT, UNKNOWN, OUTDATED = 1, 2, 3
"""What is known of an entry. It is not known of one that hears only some of the links to it. If
nothing was noted, it is not known of those that the database had, and others are outdated."""


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
        self._last = 0
        """The highest number of a URL whose entry the database had."""
        self._bytes = UrlBytes()
        self._is_checked = False
        """Whether the current change has checked if another connection changed the file."""

    def add(self, entries: list[tuple[int | None, int]]) -> None:
        """Note entries that the current change updates.

        Args:
            entries: Up to which page each hears the links to it, `None` for all; and its number.

        """
        self._check()
        for heard_to, url_id in entries:
            self._bytes[url_id] = CURRENT if heard_to is None else UNKNOWN

    def remove(self, url_ids: list[int]) -> list[int]:
        """Note that the current change outdates entries; return which may be current, once each.

        The caller writes that to the database.
        """
        self._check()
        if self._bytes.is_full:
            return [*dict.fromkeys(url_ids)]
        found = self._bytes.unlike(url_ids, OUTDATED, self._last)
        for url_id in found:
            if self._bytes[url_id] == CURRENT:
                self._bytes[url_id] = OUTDATED
        return found

    def _check(self) -> None:
        """Forget everything if another connection has changed the file, such as a search."""
        if self._is_checked:
            return
        self._is_checked = True
        self._database.at_end(self)
        version = self._database.data_version
        if version != self._version:
            self._version = version
            self._forget()

    def _forget(self) -> None:
        self._bytes.clear()
        (last,) = self._database.connection.execute(LAST).fetchone()
        self._last = last or 0

    # The change that is under way (`ChangePart`).

    def complete(self, connection: sqlite3.Connection) -> None:  # noqa: ARG002  see `ChangePart`
        """Keep what the change did."""
        self._is_checked = False

    def drop(self) -> None:
        """Forget everything, because the change is undone."""
        self._is_checked = False
        self._version = -1
