"""A queue that is elsewhere, with what the folder of the crawl must know of its URLs.

Scope: the URLs that the other parts in the folder refer to by number, and the last outcome of each.
What is queued, and in which order, the queue alone decides.

**Numbers.** A queue of many machines numbers URLs by hashes, so that none must ask for a number. In
a folder such numbers cost twice as much to write, since each row is on another page of the file. So
the folder has numbers of its own, in the order in which URLs come, if the queue has `number_of`,
which returns its number of a URL. A URL that the folder does not have is known by the number of the
queue. If the rows of the folder are to be joined with those of others (`settle_later`), they keep
the numbers of the queue.
"""

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from sqlite3 import Connection
from typing import Any, TypeAlias

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Discovery, QueuedUrl
from goodbot.crawl.frontier.protocol import (
    Candidate,
    Frontier,
    Outcome,
    QueueEntry,
    ScopeFilter,
    end_of_chain,
)
from goodbot.crawl.frontier.quota import kept_form
from goodbot.crawl.frontier.sqlite import LEADING, TARGET
from goodbot.http.instants import instant
from goodbot.net.clock import monotonic

__all__ = ["FolderMirror"]

ORIGIN = "INSERT OR IGNORE INTO origins(origin) VALUES(?)"
ADD = (
    "INSERT OR IGNORE INTO urls(id, url, origin, depth, hops, how, state, due, reason, source, "
    "spelling) SELECT ?, ?, id, ?, ?, ?, ?, ?, ?, ?, ? FROM origins WHERE origin = ?"
)
NUMBER = "SELECT id FROM urls WHERE url = ?"
SOME_LEAD = "SELECT 1 FROM urls WHERE target IS NOT NULL LIMIT 1"
URL = "SELECT url FROM urls WHERE id = ?"
ALL_URLS = "SELECT id, url FROM urls"
SETTLE = (
    "UPDATE urls SET state = ?, reason = ?, "
    "source = CASE how WHEN 'sitemap-file' THEN source ELSE ? END, status = ?, due = ?, "
    "visited = ?, target = ?, attempts = CASE WHEN ? THEN attempts + 1 ELSE 0 END, visit = ? "
    "WHERE id = ?"
)
DECIDE = "UPDATE urls SET state = ?, reason = ?, source = ?, due = NULL WHERE id = ?"


Settling: TypeAlias = tuple[QueuedUrl, Outcome, datetime]
"""A URL, its outcome, and when that was known."""

LOOK_AGAIN = 5.0
"""Seconds for which the number of waiting URLs is not counted again, at least."""
MOST_SEEN = 100_000
"""How many URLs are known to be in the folder, so that a link in every footer costs nothing."""
MOST_OF_TIME = 100
"""As many times as long as counting took, it is not done again."""


class FolderMirror:
    """A queue, whose URLs are noted in the folder; see `Frontier`.

    Args:
        queue: The queue.
        database: The database of the crawl.
        soon: Whether the queue has `settle_soon`; see `Frontier`.
        number_of: Returns the number that the queue has for a URL, if the folder is to have others.

    """

    def __init__(
        self,
        queue: Frontier,
        database: Database,
        *,
        soon: bool = False,
        number_of: Callable[[str], int] | None = None,
    ) -> None:
        """Note nothing yet."""
        self._queue, self._database = queue, database
        self._soon: Any = queue if soon else None
        self._number_of = number_of
        self._seen: set[tuple[int, bool]] = set()
        """Some URLs that the folder has, by number, and whether they are skipped."""
        self._ids: dict[int, int] = {}
        """The numbers in the folder of some URLs, by those in the queue."""
        self._numbers: dict[int, int] = {}
        """The same backwards."""
        self._taken: dict[int, QueuedUrl] = {}
        """The URLs that were taken, as the queue has them, by the numbers in the folder."""
        leading = database.connection.execute(SOME_LEAD)
        self._some_lead = leading.fetchone() is not None
        """Whether any URL leads to another one."""
        self._unvisited: set[int] = set()
        """Some URLs that are new in the folder and were not visited since."""
        self._origins: set[str] = set()
        self._count, self._count_at = 0, -math.inf
        # What changes nothing in the folder.
        self.again, self.retry, self.revisit = queue.again, queue.retry, queue.revisit
        self.admit, self.free = queue.admit, queue.free
        self.how_many, self.close = queue.how_many, queue.close
        self._gather: Callable[[Sequence[Settling]], object] | None = None

    def settle_later(self, gather: Callable[[Sequence["Settling"]], object]) -> None:
        """Settle the URLs of visits not at once, but leave that to another.

        Args:
            gather: Called with outcomes that the folder has.

        """
        self._gather, self._number_of = gather, None

    @property
    def earliest(self) -> datetime | None:
        """When the next URL may be taken."""
        return self._queue.earliest

    @property
    def not_kept(self) -> int:
        """The number of URLs that were found but not kept."""
        return self._queue.not_kept

    def add(self, found: Iterable[Candidate], now: datetime) -> list[int]:
        """Queue the URLs found on one page, and note them."""
        pairs = list(found)
        numbers = self._queue.add(pairs, now)
        at = instant(now, "now")
        if self._number_of is not None and all(one in self._ids for one in numbers if one):
            return [self._ids[one] if one else 0 for one in numbers]
        with self._database.changing() as connection:
            return [
                self._added(connection, number, *pair, at) if number else 0
                for number, pair in zip(numbers, pairs, strict=True)
            ]

    def _added(
        self,
        connection: Connection,
        number: int,
        found: Discovery,
        entry: QueueEntry,
        at: int,
    ) -> int:
        """Note a URL that was found; return its number in the folder."""
        is_skipped = bool(entry.skip_reason)
        url_id = self._known(number, is_skipped=is_skipped)
        if url_id is not None:
            return url_id
        row = (
            kept_form(entry.url) if is_skipped else entry.url,
            *(entry.depth, entry.hops, found.how, "skipped" if is_skipped else "queued"),
            None if is_skipped else at,
            *(entry.skip_reason, entry.source, entry.spelling),
            kept_form(entry.origin) if is_skipped else entry.origin,
        )
        return self._insert(connection, number, row)

    def _insert(self, connection: Connection, number: int, row: tuple[object, ...]) -> int:
        """Write a URL, unless the folder has it; return its number in the folder."""
        origin = str(row[-1])
        self._name(connection, origin)
        if self._number_of is None:
            connection.execute(ADD, (number, *row))
            return number
        cursor = connection.execute(ADD, (None, *row))
        if cursor.rowcount:
            url_id = cursor.lastrowid or number
            self._unvisited.add(url_id)
        else:
            ((url_id,),) = connection.execute(NUMBER, (row[0],))
        if len(self._ids) >= MOST_SEEN:
            self.forget()
            self._origins.add(origin)
        self._ids[number], self._numbers[url_id] = url_id, number
        return url_id

    def _number(self, url_id: int) -> int:
        """Return the number that the queue has for a URL."""
        if self._number_of is None:
            return url_id
        number = self._numbers.get(url_id)
        if number is None:
            row = self._database.connection.execute(URL, (url_id,)).fetchone()
            number = url_id if row is None else self._number_of(row[0])
        return number

    def _of_queue(self, taken: QueuedUrl) -> QueuedUrl:
        """Return a URL as the queue has it."""
        if self._number_of is None:
            return taken
        known = self._taken.get(taken.id)
        if known is not None and known.visit == taken.visit:
            return known
        return taken._replace(id=self._number(taken.id))

    def _as_settled(self, one: "Settling") -> "Settling":
        """Return an outcome as the queue has it."""
        taken, outcome, now = one
        if self._number_of is not None and outcome.target is not None:
            outcome = replace(outcome, target=self._number(outcome.target))
        one_of_queue = self._of_queue(taken)
        self._taken.pop(taken.id, None)
        return one_of_queue, outcome, now

    def is_unvisited(self, url_id: int) -> bool:
        """Return whether a URL is known to be new in the folder, so that nothing is kept of it."""
        return url_id in self._unvisited

    def _known(self, number: int, *, is_skipped: bool) -> int | None:
        """Return the number in the folder of a URL that it is known to have."""
        if self._number_of is not None:
            return self._ids.get(number)
        return None if self._is_new(number, is_skipped=is_skipped) else number

    def _is_new(self, url_id: int, *, is_skipped: bool) -> bool:
        """Return whether the folder may lack a URL, and note that it has it."""
        if self._gather is not None:  # who takes rows out of the folder
            return True
        if (url_id, is_skipped) in self._seen:
            return False
        if len(self._seen) >= MOST_SEEN:
            self._seen.clear()
        self._seen.add((url_id, is_skipped))
        return True

    def _name(self, connection: Connection, origin: str) -> None:
        """Note an origin."""
        if origin not in self._origins or self._gather is not None:
            if len(self._origins) >= MOST_SEEN:
                self._origins.clear()
            connection.execute(ORIGIN, (origin,))
            self._origins.add(origin)

    def take(self, now: datetime) -> QueuedUrl | None:
        """Lease the next URL that is due, and note it: another machine may have found it."""
        taken = self._queue.take(now)
        if taken is None:
            return None
        url_id = self._known(taken.id, is_skipped=False)
        if url_id is None:
            named = taken.source if taken.how == "sitemap-file" else ""
            row = (taken.url, taken.depth, taken.hops, taken.how, "queued", instant(now, "now"))
            with self._database.changing() as connection:
                more = ("", named, taken.spelling, taken.origin)
                url_id = self._insert(connection, taken.id, (*row, *more))
        if url_id == taken.id:
            return taken
        if len(self._taken) >= MOST_SEEN:  # those that were never settled nor given back
            self._taken.clear()
        self._taken[url_id] = taken
        values = (taken.url, taken.origin, taken.depth, taken.hops, taken.attempts, taken.how)
        return QueuedUrl(url_id, *values, taken.source, taken.visit, taken.spelling)

    def holds(self, taken: QueuedUrl) -> bool:
        """Whether a URL is still under the lease with which it was taken."""
        return self._queue.holds(self._of_queue(taken))

    def give_back(self, taken: QueuedUrl, reason: str = "", source: str = "") -> bool:
        """Return a URL to its place in the queue; see `Frontier.give_back`."""
        given = self._of_queue(taken)
        self._taken.pop(taken.id, None)
        return self._queue.give_back(given, reason, source)

    def note(self, taken: QueuedUrl, outcome: Outcome, now: datetime) -> None:
        """Note the outcome of a visit, before the queue knows it."""
        due = None if outcome.due is None else instant(outcome.due, "due")
        state = (outcome.state, outcome.reason, outcome.source, outcome.status, due)
        rest = (instant(now, "now"), outcome.target, outcome.failed, taken.visit, taken.id)
        self._unvisited.discard(taken.id)
        self._some_lead = self._some_lead or outcome.target is not None
        with self._database.changing() as connection:
            connection.execute(SETTLE, (*state, *rest))

    def settle(self, taken: QueuedUrl, outcome: Outcome, now: datetime) -> bool:
        """Record the outcome of a URL, and note it."""
        self.note(taken, outcome, now)
        settled = self._as_settled((taken, outcome, now))
        if self._soon is None or self._gather is not None:
            return self._queue.settle(*settled)
        is_held = self._queue.holds(settled[0])
        self._soon.settle_soon([settled], self._commit)
        return is_held

    def settle_noted(self, settled: Sequence["Settling"]) -> None:
        """End the leases of visits whose outcomes were noted; call it outside of changes."""
        if self._gather is not None:
            self._database.commit()
            self._gather(settled)
        elif self._soon is not None:
            self._soon.settle_soon([self._as_settled(one) for one in settled], self._commit)
        else:
            self._database.commit()
            for one in settled:
                self._queue.settle(*self._as_settled(one))

    def settle_now(self, older_than: float = 0.0) -> None:
        """Record in the queue the outcomes that are older than that in seconds."""
        if self._soon is not None:
            self._soon.settle_now(older_than)

    def _commit(self) -> bool:
        """Make the folder durable; return `False` within a change, which cannot be yet."""
        if self._database.is_changing:
            return False
        self._database.commit()
        return True

    def forget(self) -> None:
        """Forget what the folder has, because a change of it was undone."""
        for some in (self._seen, self._origins, self._ids, self._numbers, self._unvisited):
            some.clear()

    def outside(self, refuses: ScopeFilter) -> list[tuple[int, str]]:
        """Return the URLs that are out of bounds and not skipped yet; see `Frontier.outside`."""
        found = self._queue.outside(refuses)
        if self._number_of is None or not found:
            return found
        wanted, known = {number for number, _ in found}, {}
        for url_id, url in self._database.connection.execute(ALL_URLS):
            number = self._number_of(url)
            if number in wanted:
                known[number] = url_id
        return [(known.get(number, number), reason) for number, reason in found]

    def urls_at(self, origin: str) -> list[tuple[int, str]]:
        """Return all URLs of an origin that are not skipped; see `Frontier.urls_at`."""
        found = self._queue.urls_at(origin)
        if self._number_of is None:
            return found
        rows = [self._database.connection.execute(NUMBER, (url,)).fetchone() for _, url in found]
        return [
            (number if row is None else row[0], url)
            for (number, url), row in zip(found, rows, strict=True)
        ]

    def skip(self, found: Iterable[tuple[int, str]], now: datetime) -> None:
        """Skip URLs, and note it."""
        pairs = list(found)
        self._queue.skip([(self._number(url_id), reason) for url_id, reason in pairs], now)
        rows = [("skipped", reason, "", url_id) for url_id, reason in pairs]
        with self._database.changing() as connection:
            connection.executemany(DECIDE, rows)

    def decide(self, url_ids: Collection[int], outcome: Outcome, now: datetime) -> None:
        """Record the outcome of URLs without a visit, and note it."""
        self._queue.decide([self._number(one) for one in url_ids], outcome, now)
        rows = [(outcome.state, outcome.reason, outcome.source, url_id) for url_id in url_ids]
        with self._database.changing() as connection:
            connection.executemany(DECIDE, rows)

    def waiting(self, origin: str = "") -> int:
        """Count the queued URLs; of all sites, as they were some seconds ago."""
        if origin:
            return self._queue.waiting(origin)
        now = monotonic()
        if now >= self._count_at:
            self._count = self._queue.waiting()
            took = monotonic() - now
            self._count_at = now + max(LOOK_AGAIN, MOST_OF_TIME * took)
        return self._count

    # Where a URL leads is asked of the folder: the index, which needs it, is there as well.

    def end_of(self, url_id: int, start: int) -> int:
        """Return the last URL that a URL leads to; see `Frontier.end_of`."""
        return end_of_chain(url_id, start, self._target_of)

    def _target_of(self, url_id: int) -> int | None:
        row = self._database.connection.execute(TARGET, (url_id,)).fetchone()
        return row[0] if row else None

    def leading_to(self, url_id: int) -> list[int]:
        """Return the numbers of the URLs that lead to a URL, directly or through others."""
        if not self._some_lead:
            return []
        found = self._database.connection.execute(LEADING, (url_id, url_id))
        return [number for (number,) in found]
