"""What the queue of a folder holds in memory, so that taking a URL costs no statement.

Scope: the first queued URLs of origins, read a few at a time, and leases that are not in the
database yet. Both are only as old as the last change of the rows that they were read from.
"""

import sqlite3
from collections import deque
from collections.abc import Collection
from typing import Any

from goodbot.crawl.folder.database import Database

__all__ = ["FirstUrls", "UnwrittenLeases"]

AHEAD = 16
"""How many URLs of an origin are read at once."""
MOST_AHEAD = 4_096
"""How many are held of all origins together; with thousands of origins, one of each is read."""

NEXT = (
    "SELECT id, url, depth, hops, attempts, how, source, visit, spelling, due FROM urls "
    "WHERE origin = ? AND state = 'queued' ORDER BY due, id LIMIT ?"
)
LEASE = "UPDATE urls SET state = 'leased', visit = ? WHERE id = ?"

QueuedRow = tuple[Any, ...]


class FirstUrls:
    """The first queued URLs of each origin, in their order.

    Args:
        database: The database of the crawl.
        leases: The leases that the database does not have yet, so that their URLs are queued there.

    """

    def __init__(self, database: Database, leases: "UnwrittenLeases") -> None:
        """Read nothing yet."""
        self._database, self._leases = database, leases
        self._rows: dict[int, deque[QueuedRow]] = {}

    def first(self, origin: int) -> QueuedRow | None:
        """Return the first queued URL of an origin; `None` if there is none."""
        rows = self._rows.get(origin)
        if not rows:
            rows = self._read(origin)
        return rows[0] if rows else None

    def remove_first(self, origin: int) -> None:
        """Remove the URL that `first` returned, because it is leased."""
        self._rows[origin].popleft()

    def added(self, origin: int, due: int, url_id: int) -> None:
        """Note that a URL was queued; what was read is read again if that may come before it."""
        rows = self._rows.get(origin)
        if rows and (due, url_id) < (rows[-1][-1], rows[-1][0]):
            del self._rows[origin]

    def forget(self, origin: int) -> None:
        """Read the URLs of an origin again, because some may have changed."""
        self._rows.pop(origin, None)

    def clear(self) -> None:
        """Read all URLs again, because any may have changed."""
        self._rows.clear()

    def _read(self, origin: int) -> deque[QueuedRow]:
        most = min(AHEAD, max(1, MOST_AHEAD // (len(self._rows) + 1)))
        if len(self._rows) >= MOST_AHEAD:
            self._rows.clear()
        leased = self._leases.url_ids
        found = self._database.connection.execute(NEXT, (origin, most + len(leased)))
        rows = self._rows[origin] = deque([row for row in found if row[0] not in leased])
        return rows


class UnwrittenLeases:
    """The leases of URLs that the database gets with the next commit, or with their results.

    In the database these URLs are queued. If the process is killed before a commit, they still
    are: so it would be if each lease was a statement within the transaction that is lost.

    Args:
        database: The database of the crawl.

    """

    def __init__(self, database: Database) -> None:
        """Start without leases."""
        self._database = database
        self._visits: dict[int, int] = {}
        self._ended: list[tuple[int, int]] = []
        """The leases that the current change ends."""
        database.at_commit(self)

    @property
    def is_unwritten(self) -> bool:
        """Whether there are any."""
        return bool(self._visits)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._visits)

    @property
    def url_ids(self) -> Collection[int]:
        """The numbers of their URLs."""
        return self._visits.keys()

    def add(self, url_id: int, visit: int) -> None:
        """Lease a queued URL; in the database at once, unless its changes are gathered."""
        if self._database.gathers:
            self._visits[url_id] = visit
        else:
            self._database.execute(LEASE, (visit, url_id))

    def has(self, url_id: int, visit: int) -> bool:
        """Return whether a visit to a URL has a lease that is not written yet."""
        return self._visits.get(url_id) == visit

    def end(self, url_id: int) -> None:
        """End a lease, because the current change writes the result of its visit."""
        self._database.at_end(self)
        self._ended.append((url_id, self._visits.pop(url_id)))

    def write(self, connection: sqlite3.Connection | None = None) -> None:
        """Write all leases."""
        if not self._visits:
            return
        rows = [(visit, url_id) for url_id, visit in self._visits.items()]
        if connection is None:
            with self._database.changing() as changing:
                changing.executemany(LEASE, rows)
        else:
            connection.executemany(LEASE, rows)
        self._visits.clear()

    # The change that is under way (`ChangePart`).

    def complete(self, connection: sqlite3.Connection) -> None:  # noqa: ARG002  see `ChangePart`
        """Keep what the change did."""
        self._ended.clear()

    def drop(self) -> None:
        """Restore the leases that the change ended."""
        self._visits.update(self._ended)
        self._ended.clear()
