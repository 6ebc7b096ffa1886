"""A queue in memory: the simple reference for what a queue does, for tests and small crawls.

Scope: the queue, written for readability. It scans all URLs to find the next one.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from goodbot.crawl.folder.records import Discovery, How, QueuedUrl
from goodbot.crawl.folder.states import STATES, State
from goodbot.crawl.frontier.bounds import SKIP_REASONS, depth_of
from goodbot.crawl.frontier.protocol import (
    MOST_CRASHES,
    Candidate,
    Outcome,
    QueueEntry,
    ScopeFilter,
    end_of_chain,
)
from goodbot.crawl.frontier.quota import PageQuota, UrlQuota, is_shortened, kept_form
from goodbot.http.quoting import shortened
from goodbot.http.status import status_of

__all__ = ["MemoryFrontier", "MemoryRow"]


@dataclass(slots=True)
class MemoryRow:
    """A URL of the queue."""

    url_id: int
    url: str
    origin: str
    depth: int
    hops: int
    how: How
    source: str
    state: State
    due: datetime | None
    reason: str
    status: int | None = None
    target: int | None = None
    attempts: int = 0
    crashes: int = 0
    visit: int = 0
    spelling: str = ""


class MemoryFrontier:
    """A queue in memory; see `goodbot.crawl.frontier.protocol.Frontier`.

    Args:
        now: The current time; an aware `datetime`.
        rows: The rows of a queue that is reopened, as after its process was killed; `None` for a
            new one.

    >>> from datetime import timezone
    >>> now = datetime(2026, 1, 1, tzinfo=timezone.utc)
    >>> frontier = MemoryFrontier(now)
    >>> entry = QueueEntry("https://a.example/b", "https://a.example", depth=0)
    >>> frontier.add([(Discovery("https://a.example/b", "start"), entry)], now)
    [1]
    >>> taken = frontier.take(now)
    >>> taken.url, taken.visit, frontier.take(now)
    ('https://a.example/b', 1, None)
    >>> done = Outcome("done", "fetched")
    >>> frontier.settle(taken, done, now), frontier.settle(taken, done, now)
    (True, False)
    """

    def __init__(self, now: datetime, rows: list[MemoryRow] | None = None) -> None:
        """Open the queue; queue again the URLs leased when its process ended."""
        self.rows: list[MemoryRow] = [] if rows is None else rows
        self._by_url = {row.url: row for row in self.rows}
        self._busy: set[str] = set()
        self._not_before: dict[str, datetime] = {}
        skipped = sum(row.state == "skipped" for row in self.rows)
        sitemaps = Counter(row.source for row in self.rows if row.how == "sitemap-file")
        self._quota = UrlQuota(skipped, sitemaps, Counter())
        for row in self.rows:
            if row.state == "leased":
                row.state = "queued" if row.crashes < MOST_CRASHES else "failed"
                row.reason, row.due = "crashed", now
                row.crashes += 1

    def add(self, found: Iterable[Candidate], now: datetime) -> list[int]:
        """Queue the URLs found on one page; see `Frontier.add`."""
        page = PageQuota()
        url_ids = [self._added(one, entry, now, page) for one, entry in found]
        self._quota.count(page)
        return url_ids

    def _added(self, found: Discovery, entry: QueueEntry, now: datetime, page: PageQuota) -> int:
        known = self._by_url.get(entry.url) or self._by_url.get(kept_form(entry.url))
        if known is not None and (known.state != "skipped" or entry.skip_reason):
            return known.url_id
        if known is None and not self._quota.has_room(page, found, entry.skip_reason):
            return 0
        url_id = len(self.rows) + 1 if known is None else known.url_id
        is_skipped = bool(entry.skip_reason)
        row = MemoryRow(
            url_id,
            kept_form(entry.url) if is_skipped else entry.url,
            entry.origin,
            entry.depth,
            entry.hops,
            found.how,
            entry.source if found.how == "sitemap-file" else shortened(entry.source),
            "skipped" if is_skipped else "queued",
            None if is_skipped else now,
            entry.skip_reason,
            spelling=entry.spelling,
        )
        if known is None:
            self.rows.append(row)
        else:  # it was skipped before, and may be visited now
            self.rows[url_id - 1] = row
            del self._by_url[known.url]
            self._quota.is_queued()
        self._by_url[row.url] = row
        return url_id

    def again(self, now: datetime, *, early: bool = False) -> int:
        """Queue the URLs that are due to be visited again; see `Frontier.again`."""
        settled = [row for row in self.rows if row.state not in {"queued", "leased"}]
        rows = [row for row in settled if row.due is not None and (early or row.due <= now)]
        for row in rows:
            row.due = min(due_of(row), now)
            # For a page that was not found the wait keeps growing; other failures start afresh.
            gone = row.status is not None and status_of(row.status).is_gone
            row.state, row.crashes, row.attempts = "queued", 0, row.attempts if gone else 0
        return len(rows)

    def retry(self, reasons: Collection[str], now: datetime) -> None:
        """Make URLs due at once that failed or are queued; see `Frontier.retry`."""
        for row in self.rows:
            if row.state in {"queued", "failed", "disallowed"} and row.reason in reasons:
                due = min(due_of(row), now) if row.state == "queued" else now
                if row.state == "disallowed":
                    row.reason = ""
                    row.source = row.source if row.how == "sitemap-file" else ""
                row.state, row.due, row.attempts = "queued", due, 0

    def revisit(self, reason: str, is_wanted: Callable[[str], bool], now: datetime) -> int:
        """Queue URLs that are done for a reason; see `Frontier.revisit`."""
        done = [row for row in self.rows if row.state == "done" and row.reason == reason]
        wanted = [row for row in done if is_wanted(row.source)]
        for row in wanted:
            row.state, row.due, row.attempts = "queued", now, 0
        return len(wanted)

    def admit(self, refuses: ScopeFilter, now: datetime, lifted: Collection[str] = ()) -> int:
        """Queue the skipped URLs that are within the bounds now; see `Frontier.admit`."""
        rows = [
            row
            for row in self.rows
            if row.state == "skipped"
            and row.reason in {*SKIP_REASONS, *lifted}
            and not is_shortened(row.url)
            and refuses(row.url, row.origin, depth_of(row.how, row.depth)) is None
        ]
        for row in rows:
            row.state, row.due, row.reason, row.source = "queued", now, "", ""
            self._quota.is_queued()
        return len(rows)

    def outside(self, refuses: ScopeFilter) -> list[tuple[int, str]]:
        """Return the URLs that are out of bounds and not skipped yet; see `Frontier.outside`."""
        rows = [row for row in self.rows if row.state not in {"skipped", "leased"}]
        reasons = [refuses(row.url, row.origin, depth_of(row.how, row.depth)) for row in rows]
        return [
            (row.url_id, reason)
            for row, reason in zip(rows, reasons, strict=True)
            if reason is not None
        ]

    def skip(self, found: Iterable[tuple[int, str]], now: datetime) -> None:  # noqa: ARG002  other queues store it
        """Skip URLs, which are then no longer visited; see `Frontier.skip`."""
        for url_id, reason in found:
            row = self.rows[url_id - 1]
            row.state, row.reason, row.source, row.due = "skipped", reason, "", None

    def urls_at(self, origin: str) -> list[tuple[int, str]]:
        """Return all URLs of an origin that are not skipped; see `Frontier.urls_at`."""
        rows = [row for row in self.rows if row.origin == origin and row.state != "skipped"]
        return [(row.url_id, row.url) for row in rows]

    def decide(self, url_ids: Collection[int], outcome: Outcome, now: datetime) -> None:  # noqa: ARG002  other queues store it
        """Record the outcome of URLs without a visit; see `Frontier.decide`."""
        for url_id in url_ids:
            row = self.rows[url_id - 1]
            row.state, row.reason, row.due = outcome.state, outcome.reason, outcome.due
            row.source = row.source if row.how == "sitemap-file" else outcome.source

    def _next(self) -> tuple[datetime, MemoryRow] | None:
        """Return the next URL, and the time from which it may be visited."""
        first: dict[str, MemoryRow] = {}
        for row in sorted(self._waiting(), key=lambda row: (due_of(row), row.url_id)):
            first.setdefault(row.origin, row)
        times = [(self._ready(row), row) for row in first.values() if row.origin not in self._busy]
        return min(times, key=lambda one: one[0], default=None)

    def _ready(self, row: MemoryRow) -> datetime:
        return max(due_of(row), self._not_before.get(row.origin, due_of(row)))

    def _waiting(self) -> list[MemoryRow]:
        return [row for row in self.rows if row.state == "queued"]

    def take(self, now: datetime) -> QueuedUrl | None:
        """Lease the next URL whose time has come; see `Frontier.take`."""
        found = self._next()
        if found is None or found[0] > now:
            return None
        row = found[1]
        row.state, row.visit = "leased", row.visit + 1
        self._busy.add(row.origin)
        values = (row.url_id, row.url, row.origin, row.depth, row.hops, row.attempts)
        return QueuedUrl(*values, row.how, row.source, row.visit, row.spelling)

    def holds(self, taken: QueuedUrl) -> bool:
        """Whether a URL is still under its lease."""
        row = self.rows[taken.id - 1]
        return row.state == "leased" and row.visit == taken.visit

    def settle(self, taken: QueuedUrl, outcome: Outcome, now: datetime) -> bool:  # noqa: ARG002  other queues store it
        """Record the outcome of a URL, and end its lease; see `Frontier.settle`."""
        if not self.holds(taken):
            return False
        row = self.rows[taken.id - 1]
        row.state, row.reason, row.due = outcome.state, outcome.reason, outcome.due
        row.status, row.target = outcome.status, outcome.target
        row.attempts = row.attempts + 1 if outcome.failed else 0
        if row.how != "sitemap-file":  # its source stays the origin that names it
            row.source = outcome.source
        return True

    def give_back(self, taken: QueuedUrl, reason: str = "", source: str = "") -> bool:
        """Return a URL to its place in the queue; see `Frontier.give_back`."""
        if not self.holds(taken):
            return False
        row = self.rows[taken.id - 1]
        row.state = "queued"
        if reason:
            row.reason = reason
            row.source = row.source if row.how == "sitemap-file" else shortened(source)
        return True

    def free(self, taken: QueuedUrl, ready: datetime | None) -> None:
        """Allow visits to the origin of a URL again, from a given time; see `Frontier.free`."""
        self._busy.discard(taken.origin)
        if ready is not None:
            self._not_before[taken.origin] = ready

    @property
    def earliest(self) -> datetime | None:
        """The time from which the next URL may be taken."""
        found = self._next()
        return None if found is None else found[0]

    def waiting(self, origin: str = "") -> int:
        """Count the queued URLs."""
        return sum(origin in {"", row.origin} for row in self._waiting())

    def how_many(self) -> dict[str, int]:
        """Count the URLs by state."""
        counts = Counter(row.state for row in self.rows)
        return {state: counts[state] for state in STATES if state in counts}  # type: ignore[index]

    @property
    def not_kept(self) -> int:
        """The number of URLs that were found but not kept."""
        return self._quota.not_kept.total()

    def end_of(self, url_id: int, start: int) -> int:
        """Return the last URL that a URL leads to; see `Frontier.end_of`."""
        return end_of_chain(url_id, start, lambda one: self.rows[one - 1].target)

    def leading_to(self, url_id: int) -> list[int]:
        """Return the numbers of the URLs that lead to a URL, directly or through others."""
        found, new = {url_id}, {url_id}
        while new:
            new = {row.url_id for row in self.rows if row.target in new} - found
            found |= new
        return sorted(found - {url_id})

    def close(self) -> None:
        """Do nothing; another queue can be opened with `rows`."""


def due_of(row: MemoryRow) -> datetime:
    """Return when a queued URL is due."""
    assert row.due is not None  # noqa: S101  every queued URL has a due time
    return row.due
