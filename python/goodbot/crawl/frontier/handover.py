"""URLs that one process of a crawl finds and another one visits: handed over, and received.

Scope: the tables `handed` and `received`, and the queue that uses them. `goodbot.crawl.processes`
runs the processes; `goodbot.crawl.folder.shares` decides whose a URL is.

**The protocol.** Each process has a folder, a part, that nobody else writes:

1. What a page leads to is added to the queue in the transaction that records the page. A URL of
   another process goes into `handed` there, with the next `seq` for that process.
2. The other process reads the committed rows of `handed` in the order of `seq`, adds them to its
   queue, and stores the last `seq` in `received`, in one transaction of its own.

So a URL that was found is in one of the two files whenever a process is killed, and no row is
received twice. A URL is handed over once, or twice if it was skipped at first and may be visited
later; the queue knows each URL only once in any case.

`synchronous = NORMAL` lets a power cut undo the last transactions of one file and not of another.
Then rows that the other process has received would be numbered again, so a process starts after the
highest number that another one has received from it.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.readonly_database import ReadOnlyDatabase
from goodbot.crawl.folder.records import Discovery, How
from goodbot.crawl.folder.shares import Shares, first_number
from goodbot.crawl.frontier.protocol import QueueEntry
from goodbot.crawl.frontier.quota import MAX_SKIPPED_LENGTH, PageQuota, kept_form
from goodbot.crawl.frontier.sqlite import SQLiteFrontier
from goodbot.errors import NoCrawlError
from goodbot.http.quoting import shortened
from goodbot.robot.timeline import Timeline
from goodbot.store.failures import store_error

__all__ = ["HandedUrl", "OtherPart", "PartFrontier"]

KNOWN = "SELECT id, reason FROM handed WHERE url = ?"
EVERY = "SELECT url, id, reason FROM handed LIMIT ?"
HAND = (
    "INSERT INTO handed(id, url, origin, part, seq, depth, hops, how, reason, source, spelling) "
    "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
HAND_AGAIN = (
    "UPDATE handed SET origin = ?, part = ?, seq = ?, depth = ?, hops = ?, how = ?, reason = ?, "
    "source = ?, spelling = ? WHERE id = ?"
)
SENT = "SELECT part, max(seq) FROM handed GROUP BY part"
SKIPPED = "SELECT count(*) FROM handed WHERE reason <> ''"
LAST = "SELECT max(id) FROM handed"
NEXT = (
    "SELECT seq, url, origin, depth, hops, how, reason, source, spelling FROM handed "
    "WHERE part = ? AND seq > ? ORDER BY seq LIMIT ?"
)
RECEIVED = "SELECT part, seq FROM received"
RECEIVE = "INSERT OR REPLACE INTO received(part, seq) VALUES(?, ?)"
EMPTY = "SELECT NOT EXISTS(SELECT 1 FROM urls)"

MOST_CACHED = 100_000
"""How many URLs that were handed over are cached, so that a link in every footer costs no query."""


class HandedUrl(NamedTuple):
    """A URL that another process found."""

    seq: int
    """Its number among those that it handed to this process."""
    url: str
    origin: str
    depth: int
    hops: int
    how: How
    reason: str
    """Why it is skipped; empty if it is to be visited."""
    source: str
    spelling: str

    @property
    def candidate(self) -> tuple[Discovery, QueueEntry]:
        """The URL as it is added to a queue."""
        entry = QueueEntry(
            self.url, self.origin, self.depth, self.hops, self.reason, self.source, self.spelling
        )
        return Discovery(self.url, self.how, source=self.source), entry


class PartFrontier(SQLiteFrontier):
    """The queue of one process of a crawl: it hands over the URLs of the others.

    Args:
        database: The database of its part.
        now: The current time; an aware `datetime`.
        timeline: See `SQLiteFrontier`.
        shares: How the sites are shared out.
        part: The number of this process.
        others: By number, what each other process has received from this one.

    """

    def __init__(
        self,
        database: Database,
        now: datetime,
        timeline: Timeline | None,
        shares: Shares,
        part: int,
        others: Callable[[int], int] = lambda _: 0,
    ) -> None:
        """Open the queue."""
        super().__init__(database, now, timeline)
        connection = database.connection
        self._shares, self._part = shares, part
        self._owners: dict[str, int] = {}
        """The process of each origin that was met."""
        if connection.execute(EMPTY).fetchone()[0]:
            self._first_id = first_number(part)
        theirs = [number for number in range(shares.count) if number != part]
        self.sent = Counter({other: others(other) for other in theirs})
        """The last `seq` for each process."""
        for other, seq in connection.execute(SENT):
            self.sent[other] = max(seq, self.sent[other])
        self.received = Counter(dict(connection.execute(RECEIVED)))
        """The last `seq` that was received from each process."""
        self._last_handed: int = connection.execute(LAST).fetchone()[0] or 0
        rows = connection.execute(EVERY, (MOST_CACHED,))
        self._cache: dict[str, tuple[int, str]] = {url: (one, why) for url, one, why in rows}
        """URLs that were handed over: the number of each, and why it is skipped."""
        self._is_complete = len(self._cache) < MOST_CACHED
        """Whether all of them are cached."""
        self._new: list[tuple[object, ...]] = []
        """The URLs that the current change hands over."""
        self._quota.note_skipped(connection.execute(SKIPPED).fetchone()[0])

    def _added(
        self,
        connection: sqlite3.Connection,
        found: Discovery,
        entry: QueueEntry,
        at: int,
        page: PageQuota,
    ) -> int:
        """Queue a URL of this process, or hand it over; return the negative of its number then."""
        owner = self._owners.get(entry.origin)
        if owner is None:
            owner = self._owners[entry.origin] = self._shares.owner(entry.origin)
        if owner == self._part:
            return super()._added(connection, found, entry, at, page)
        return -self._handed(connection, owner, found, entry, page)

    def _handed(
        self,
        connection: sqlite3.Connection,
        owner: int,
        found: Discovery,
        entry: QueueEntry,
        page: PageQuota,
    ) -> int:
        """Store a URL for another process, unless it was handed over before; return its number."""
        skip = entry.skip_reason
        url, origin = entry.url, entry.origin
        if skip:
            url, origin = kept_form(url), kept_form(origin)
        number, reason = self._handed_as(connection, url)
        if number and (skip or not reason):
            if not reason:
                self._remember_handed(url, number)
            return number
        if not number and not self._quota.has_room(page, found, skip):
            return 0
        self.sent[owner] += 1
        values = (
            origin,
            owner,
            self.sent[owner],
            entry.depth,
            entry.hops,
            found.how,
            skip,
            entry.source if found.how == "sitemap-file" else shortened(entry.source),
            entry.spelling if len(entry.spelling) <= MAX_SKIPPED_LENGTH else "",
        )
        if number:
            connection.execute(HAND_AGAIN, (*values, number))
            self._quota.is_queued()
        else:
            number = self._last_handed = self._last_handed + 1
            self._new.append((number, url, *values))
        self._cache[url] = (number, skip)
        if not skip:
            self._remember_handed(url, number)
        return number

    def _remember_handed(self, url: str, number: int) -> None:
        """Cache the number of a URL that is to be visited, by which every link finds it."""
        if len(url) <= MAX_SKIPPED_LENGTH:  # a longer one has another form if it is skipped
            self._known[url] = -number

    def _handed_as(self, connection: sqlite3.Connection, url: str) -> tuple[int, str]:
        """Return the number of a URL in `handed` and why it is skipped; 0 if it is not there."""
        found = self._cache.get(url)
        if found is not None or self._is_complete:
            return found or (0, "")
        row = connection.execute(KNOWN, (url,)).fetchone() or (0, "")
        return int(row[0]), str(row[1])

    def complete(self, connection: sqlite3.Connection) -> None:
        """Write the URLs that the change hands over, all at once."""
        super().complete(connection)
        connection.executemany(HAND, self._new)
        self._new.clear()
        if len(self._cache) > MOST_CACHED:
            self._forget()

    def drop(self) -> None:
        """Drop the URLs of a change that is undone; their numbers are not used again."""
        super().drop()
        self._new.clear()
        self._forget()

    def _forget(self) -> None:
        """Drop the cache; from now on, what is not in it may be in the table."""
        self._cache.clear()
        self._is_complete = False

    def receive(self, part: int, handed: Sequence[HandedUrl], now: datetime) -> int:
        """Queue URLs that another process handed over, in the order of `seq`; return how many.

        Args:
            part: The number of the other process.
            handed: The URLs; those that were received before are ignored.
            now: The current time.

        """
        new = [one for one in handed if one.seq > self.received[part]]
        if not new:
            return 0
        at = self._instant(now)
        with self._database.changing() as connection:
            self._database.at_end(self)
            for one in new:
                if self._known.get(one.url) is None:
                    # The page on which it was found has counted it.
                    super()._added(connection, *one.candidate, at, PageQuota())
            connection.execute(RECEIVE, (part, new[-1].seq))
        self.received[part] = new[-1].seq
        return len(new)


class OtherPart:
    """The part of another process, of which this one reads what is handed over.

    Args:
        folder: The folder of the part; it need not be there yet.
        part: The number of this process.

    """

    def __init__(self, folder: Path, part: int) -> None:
        """Open nothing yet."""
        self._folder = folder
        self._part = part
        self._database: ReadOnlyDatabase | None = None

    def received(self) -> int:
        """Return the last `seq` that it has received from this process."""
        found: dict[int, int] = dict(self._rows(RECEIVED))
        return found.get(self._part, 0)

    def handed(self, after: int, most: int) -> list[HandedUrl]:
        """Return the next URLs that it handed to this process, after a `seq`."""
        return [HandedUrl(*row) for row in self._rows(NEXT, self._part, after, most)]

    def _rows(self, statement: str, *values: int) -> list[Any]:
        """Read rows; there are none while the other process has not created its part.

        Raises:
            StoreError: The part cannot be read.

        """
        if self._database is None:
            try:
                self._database = ReadOnlyDatabase(self._folder)
            except NoCrawlError:
                return []
        try:
            return self._database.connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            raise store_error(error, self._database.path) from error

    def close(self) -> None:
        """Close the part."""
        if self._database is not None:
            self._database.close()
            self._database = None
