"""Lease one certain URL, for what has its response already, such as an import.

Scope: the lease. A crawl takes the next URL that is due instead (`Frontier.take`).
"""

from datetime import datetime

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Discovery, QueuedUrl
from goodbot.crawl.frontier.protocol import Frontier, QueueEntry
from goodbot.http.instants import to_datetime

__all__ = ["lease", "visited_at"]

LEASE = "UPDATE urls SET state = 'leased', visit = visit + 1 WHERE id = ? AND state <> 'leased'"
ENTRY = "SELECT depth, hops, attempts, how, source, visit, spelling FROM urls WHERE id = ?"
VISITED = "SELECT visited FROM urls WHERE url = ?"


def lease(
    database: Database, frontier: Frontier, entry: QueueEntry, now: datetime
) -> QueuedUrl | None:
    """Lease a URL, whatever its state is; `None` if it is leased already or not kept.

    Args:
        database: The database of the crawl.
        frontier: Its queue, to which the URL is added if it is not known.
        entry: The URL.
        now: When it was found.

    """
    with database.changing() as connection:
        (url_id,) = frontier.add([(Discovery(entry.url, "capture"), entry)], now)
        if not url_id or not connection.execute(LEASE, (url_id,)).rowcount:
            return None
        row = connection.execute(ENTRY, (url_id,)).fetchone()
    depth, hops, attempts, how, source, visit, spelling = row
    return QueuedUrl(
        url_id, entry.url, entry.origin, depth, hops, attempts, how, source, visit, spelling
    )


def visited_at(database: Database, url: str) -> datetime | None:
    """Return when a URL was last visited; `None` if it never was.

    Args:
        database: The database of the crawl.
        url: The URL, in its normal form.

    """
    row = database.connection.execute(VISITED, (url,)).fetchone()
    return None if row is None or row[0] is None else to_datetime(row[0])
