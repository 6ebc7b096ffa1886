"""What waits to be recorded with the next change, and waits again if that is undone.

Scope: keeping it. A disk that is full must not lose what a crawl did before.
"""

import sqlite3
from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

from goodbot.crawl.folder.database import Database

__all__ = ["Pending"]

Item = TypeVar("Item")


class Pending(Generic[Item]):
    """Things to record: added at any time, and taken within a change.

    Args:
        database: The database of the crawl.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Database(folder, create=True) as database:
    ...     pending = Pending(database)
    ...     pending.add("a request")
    ...     try:
    ...         with database.changing():
    ...             taken = [*pending.take()]
    ...             raise OSError("the disk is full")
    ...     except OSError:
    ...         pass
    ...     taken, list(pending)
    (['a request'], ['a request'])
    """

    def __init__(self, database: Database) -> None:
        """Start with nothing."""
        self._database = database
        self._items: deque[Item] = deque()
        self._taken: list[Item] = []
        """What the current change has taken, or the last one."""
        self._is_changed = False

    def __iter__(self) -> Iterator[Item]:
        """Iterate over what waits."""
        return iter(self._items)

    def add(self, item: Item) -> None:
        """Add something, on any thread."""
        self._items.append(item)

    def take(self) -> list[Item]:
        """Return what waits, and remove it; only within a change."""
        taken = [self._items.popleft() for _ in range(len(self._items))]
        if taken:
            self._database.at_end(self)
            self._taken = taken if self._is_changed else [*self._taken, *taken]
            self._is_changed = False
        return taken

    def complete(self, connection: sqlite3.Connection) -> None:  # noqa: ARG002  see `ChangePart`
        """Expect no further things of this change; it may still be undone."""
        self._is_changed = True

    def drop(self) -> None:
        """Return what was taken to what waits, because the change is undone."""
        self._items.extendleft(reversed(self._taken))
        self._taken, self._is_changed = [], False
