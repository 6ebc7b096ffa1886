"""Lease certain URLs, for what has their responses already, such as an import.

Scope: the leases. A crawl takes the next URL that is due instead (`Frontier.take`).
"""

import json
from collections.abc import Sequence
from datetime import datetime

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.key_rows import KeyRows
from goodbot.crawl.folder.records import Discovery, QueuedUrl
from goodbot.crawl.frontier.protocol import Frontier, QueueEntry
from goodbot.http.instants import to_datetime

__all__ = ["CaptureLeases"]

ENTRIES = (
    "SELECT id, depth, hops, attempts, how, source, visit + 1, spelling FROM urls "
    "WHERE id IN (SELECT value FROM json_each(?)) AND state <> 'leased'"
)
LEASE = (
    "UPDATE urls SET state = 'leased', visit = visit + 1 "
    "WHERE id IN (SELECT value FROM json_each(?))"
)
HAS_VISITED = "SELECT EXISTS(SELECT 1 FROM urls WHERE visited IS NOT NULL)"
VISITED = "SELECT visited FROM urls WHERE url = ?"


class CaptureLeases:
    """Leases of URLs whose responses are there already.

    Args:
        database: The database of the crawl, whose lock is held (`goodbot.crawl.folder.lock`).

    """

    def __init__(self, database: Database) -> None:
        """Lease nothing yet."""
        self._database = database
        self._visited = KeyRows(database, HAS_VISITED, is_alone=True)

    def take(
        self, frontier: Frontier, entries: Sequence[QueueEntry], now: datetime
    ) -> list[QueuedUrl | None]:
        """Lease URLs, whatever their states are.

        Args:
            frontier: The queue of the crawl, to which those are added that it does not know.
            entries: The URLs.
            now: When they were found.

        Returns:
            The lease of each; `None` if it is leased already or not kept.

        """
        found = [(Discovery(one.url, "capture"), one) for one in entries]
        with self._database.changing() as connection:
            numbers = frontier.add(found, now)
            rows = connection.execute(ENTRIES, (json.dumps(numbers),)).fetchall()
            free = {row[0]: row for row in rows}
            connection.execute(LEASE, (json.dumps([*free]),))
        leased: list[QueuedUrl | None] = []
        for entry, number in zip(entries, numbers, strict=True):
            self._visited.add(entry.url)
            row = free.pop(number, None)  # two may have the same, if their URLs are long
            if row is None:
                leased.append(None)
                continue
            _, depth, hops, attempts, how, source, visit, spelling = row
            place = (number, entry.url, entry.origin, depth, hops, attempts)
            leased.append(QueuedUrl(*place, how, source, visit, spelling))
        return leased

    def visited_at(self, url: str) -> datetime | None:
        """Return when a URL was last visited; `None` if it never was.

        Args:
            url: The URL, in its normal form.

        """
        if not self._visited.may_have(url):
            return None
        row = self._database.connection.execute(VISITED, (url,)).fetchone()
        return None if row is None or row[0] is None else to_datetime(row[0])
