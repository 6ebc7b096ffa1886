"""A queue that is elsewhere, with what the folder of the crawl must know of its URLs.

Scope: the URLs that the other parts in the folder refer to by number, and the last outcome of each.
What is queued, and in which order, the queue alone decides.
"""

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from sqlite3 import Connection
from typing import Any, TypeAlias

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.frontier.protocol import (
    Candidate,
    Frontier,
    Outcome,
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

    """

    def __init__(self, queue: Frontier, database: Database, *, soon: bool = False) -> None:
        """Note nothing yet."""
        self._queue, self._database = queue, database
        self._soon: Any = queue if soon else None
        self._seen: set[tuple[int, bool]] = set()
        """Some URLs that the folder has, by number, and whether they are skipped."""
        self._origins: set[str] = set()
        self._count, self._count_at = 0, -math.inf
        # What changes nothing in the folder.
        self.again, self.retry, self.revisit = queue.again, queue.retry, queue.revisit
        self.admit, self.outside, self.urls_at = queue.admit, queue.outside, queue.urls_at
        self.holds, self.give_back, self.free = queue.holds, queue.give_back, queue.free
        self.how_many, self.close = queue.how_many, queue.close
        self._gather: Callable[[Sequence[Settling]], object] | None = None

    def settle_later(self, gather: Callable[[Sequence["Settling"]], object]) -> None:
        """Settle the URLs of visits not at once, but leave that to another.

        Args:
            gather: Called with outcomes that the folder has.

        """
        self._gather = gather

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
        url_ids = self._queue.add(pairs, now)
        at = instant(now, "now")
        with self._database.changing() as connection:
            for url_id, (one, entry) in zip(url_ids, pairs, strict=True):
                if not url_id:
                    continue
                is_skipped = bool(entry.skip_reason)
                if not self._is_new(url_id, is_skipped=is_skipped):
                    continue
                origin = kept_form(entry.origin) if is_skipped else entry.origin
                self._name(connection, origin)
                row = (
                    url_id,
                    kept_form(entry.url) if is_skipped else entry.url,
                    *(entry.depth, entry.hops, one.how, "skipped" if is_skipped else "queued"),
                    None if is_skipped else at,
                    *(entry.skip_reason, entry.source, entry.spelling, origin),
                )
                connection.execute(ADD, row)
        return url_ids

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
        if taken is not None and self._is_new(taken.id, is_skipped=False):
            with self._database.changing() as connection:
                self._name(connection, taken.origin)
                named = taken.source if taken.how == "sitemap-file" else ""
                row = (taken.id, taken.url, taken.depth, taken.hops, taken.how, "queued")
                due = instant(now, "now")
                connection.execute(ADD, (*row, due, "", named, taken.spelling, taken.origin))
        return taken

    def note(self, taken: QueuedUrl, outcome: Outcome, now: datetime) -> None:
        """Note the outcome of a visit, before the queue knows it."""
        due = None if outcome.due is None else instant(outcome.due, "due")
        state = (outcome.state, outcome.reason, outcome.source, outcome.status, due)
        rest = (instant(now, "now"), outcome.target, outcome.failed, taken.visit, taken.id)
        with self._database.changing() as connection:
            connection.execute(SETTLE, (*state, *rest))

    def settle(self, taken: QueuedUrl, outcome: Outcome, now: datetime) -> bool:
        """Record the outcome of a URL, and note it."""
        self.note(taken, outcome, now)
        if self._soon is None or self._gather is not None:
            return self._queue.settle(taken, outcome, now)
        is_held = self._queue.holds(taken)
        self._soon.settle_soon([(taken, outcome, now)], self._commit)
        return is_held

    def settle_noted(self, settled: Sequence["Settling"]) -> None:
        """End the leases of visits whose outcomes were noted; call it outside of changes."""
        if self._gather is not None:
            self._database.commit()
            self._gather(settled)
        elif self._soon is not None:
            self._soon.settle_soon(settled, self._commit)
        else:
            self._database.commit()
            for taken, outcome, now in settled:
                self._queue.settle(taken, outcome, now)

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
        self._seen.clear()
        self._origins.clear()

    def skip(self, found: Iterable[tuple[int, str]], now: datetime) -> None:
        """Skip URLs, and note it."""
        pairs = list(found)
        self._queue.skip(pairs, now)
        rows = [("skipped", reason, "", url_id) for url_id, reason in pairs]
        with self._database.changing() as connection:
            connection.executemany(DECIDE, rows)

    def decide(self, url_ids: Collection[int], outcome: Outcome, now: datetime) -> None:
        """Record the outcome of URLs without a visit, and note it."""
        self._queue.decide(url_ids, outcome, now)
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
        found = self._database.connection.execute(LEADING, (url_id, url_id))
        return [number for (number,) in found]
