"""A queue that is elsewhere, with what the folder of the crawl must know of its URLs.

Scope: the URLs that the other parts in the folder refer to by number, and the last outcome of each.
What is queued, and in which order, the queue alone decides.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import TypeAlias

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.frontier.protocol import Candidate, Frontier, Outcome
from goodbot.crawl.frontier.quota import kept_form
from goodbot.http.instants import instant

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


class FolderMirror:
    """A queue, whose URLs are noted in the folder; see `Frontier`.

    Args:
        queue: The queue.
        database: The database of the crawl.

    """

    def __init__(self, queue: Frontier, database: Database) -> None:
        """Note nothing yet."""
        self._queue, self._database = queue, database
        # What changes nothing in the folder.
        self.again, self.retry, self.revisit = queue.again, queue.retry, queue.revisit
        self.admit, self.outside, self.urls_at = queue.admit, queue.outside, queue.urls_at
        self.holds, self.give_back, self.free = queue.holds, queue.give_back, queue.free
        self.waiting, self.how_many = queue.waiting, queue.how_many
        self.end_of, self.leading_to, self.close = queue.end_of, queue.leading_to, queue.close
        self._settle_many = getattr(queue, "settle_many", None)
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
                origin = kept_form(entry.origin) if is_skipped else entry.origin
                connection.execute(ORIGIN, (origin,))
                row = (
                    url_id,
                    kept_form(entry.url) if is_skipped else entry.url,
                    *(entry.depth, entry.hops, one.how, "skipped" if is_skipped else "queued"),
                    None if is_skipped else at,
                    *(entry.skip_reason, entry.source, entry.spelling, origin),
                )
                connection.execute(ADD, row)
        return url_ids

    def take(self, now: datetime) -> QueuedUrl | None:
        """Lease the next URL that is due, and note it: another machine may have found it."""
        taken = self._queue.take(now)
        if taken is not None:
            with self._database.changing() as connection:
                connection.execute(ORIGIN, (taken.origin,))
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
        return self._queue.settle(taken, outcome, now)

    def settle_noted(self, settled: Sequence["Settling"]) -> None:
        """End the leases of visits whose outcomes were noted, once the folder is durable."""
        self._database.commit()
        if self._gather is not None:
            self._gather(settled)
        elif self._settle_many is not None:  # one transaction of a queue that has many
            self._settle_many(settled)
        else:
            for taken, outcome, now in settled:
                self._queue.settle(taken, outcome, now)

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
