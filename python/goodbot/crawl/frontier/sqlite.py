"""The queue of a crawl in its folder: which URL is visited next, and what became of each.

Scope: a queue for each origin, in the database, and a heap of the origins with queued URLs, in
memory, ordered by the time at which they may be visited next. So a million URLs take disk, ten
thousand origins take memory. `taking` has what saves statements.
"""

import heapq
import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from datetime import datetime

from goodbot._core import LinkCandidates
from goodbot.crawl.folder.added_rows import AddedRows
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.key_rows import KeyRows
from goodbot.crawl.folder.records import Discovery, QueuedUrl
from goodbot.crawl.folder.states import STATES
from goodbot.crawl.frontier.bounds import SKIP_REASONS, depth_of
from goodbot.crawl.frontier.known_urls import KnownUrls
from goodbot.crawl.frontier.protocol import (
    MOST_CRASHES,
    Outcome,
    QueueEntry,
    ScopeFilter,
    end_of_chain,
)
from goodbot.crawl.frontier.quota import (
    MAX_SKIPPED_LENGTH,
    PageQuota,
    UrlQuota,
    counts_of,
    is_shortened,
    kept_form,
)
from goodbot.crawl.frontier.taking import FirstUrls, UnwrittenLeases
from goodbot.errors import NotAStoreError
from goodbot.http.instants import SECOND, instant, to_datetime
from goodbot.http.quoting import shortened
from goodbot.http.status import STATUSES
from goodbot.robot.timeline import Timeline

__all__ = ["SQLiteFrontier"]

HAS_URLS = "SELECT EXISTS(SELECT 1 FROM urls)"
KNOWN = "SELECT id, state FROM urls WHERE url = ?"
QUEUE_SKIPPED = (
    "UPDATE urls SET url = ?, origin = ?, depth = ?, hops = ?, how = ?, state = ?, due = ?, "
    "reason = ?, source = ?, spelling = ? WHERE id = ?"
)

TYPES_OF_NEXT = (int, str, int, int, int, str, str, int, str, int)
ADD = (
    "INSERT INTO urls(url, origin, depth, hops, how, state, due, reason, source, spelling) "
    "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
ADD_AS = ADD.replace("urls(", "urls(id, ").replace("VALUES(", "VALUES(?, ")
NOT_KEPT = "not-kept"
"""The setting with the counts of URLs that were not kept."""
SKIPPED = "SELECT count(*) FROM urls WHERE state = 'skipped'"
SITEMAPS = "SELECT source, count(*) FROM urls WHERE how = 'sitemap-file' GROUP BY source"
WAITING = "SELECT origin, min(due), count(*) FROM urls WHERE state = 'queued' GROUP BY origin"
SETTLE = (
    # For a sitemap, `source` stays the origin that names it, for which it speaks.
    "UPDATE urls SET before = '', state = ?, reason = ?, "
    "source = CASE how WHEN 'sitemap-file' THEN source ELSE ? END, "
    "status = ?, due = ?, visited = ?, target = ?, "
    "attempts = CASE WHEN ? THEN attempts + 1 ELSE 0 END "
    "WHERE id = ? AND visit = ? AND state = 'leased'"
)
SETTLE_TAKEN = SETTLE.replace("SET before", "SET visit = visit + 1, before").replace(
    "visit = ? AND state = 'leased'", "visit = ? - 1 AND state = 'queued'"
)
"""The same for a URL whose lease the database does not have yet."""
FINAL = {"done", "disallowed", "failed"}
"""The states of URLs that are not queued again if a page is found to link to them, so that it does
not matter when the database gets them."""
DEFER = (
    "UPDATE urls SET state = 'queued', due = ?, attempts = 0 "
    "WHERE id = ? AND visit = ? AND state = 'leased' AND before <> ''"
)
"""A visit that is deferred has no result, so that of the last visit stays."""
HELD = "SELECT 1 FROM urls WHERE id = ? AND visit = ? AND state = 'leased'"
GIVE_BACK = (
    "UPDATE urls SET state = 'queued', "
    "reason = CASE WHEN ?1 = '' OR before <> '' THEN reason ELSE ?1 END, "
    # For a sitemap, `source` stays the origin that names it.
    "source = CASE WHEN ?1 = '' OR before <> '' OR how = 'sitemap-file' THEN source ELSE ?2 END "
    "WHERE id = ?3 AND visit = ?4 AND state = 'leased'"
)
CRASHED = (
    "UPDATE urls SET state = CASE WHEN crashes < ?1 THEN 'queued' ELSE 'failed' END, "
    "reason = CASE WHEN crashes < ?1 AND before <> '' THEN reason ELSE 'crashed' END, "
    "before = CASE WHEN crashes < ?1 THEN before ELSE '' END, "
    "crashes = crashes + 1, due = ?2 WHERE state = 'leased'"
)
# If the clock was ahead in the last run, URLs queued then are due now, and waits keep their length.
NEVER_VISITED_YET = (
    "UPDATE urls SET due = :now WHERE state = 'queued' AND visited IS NULL AND due > :now"
)
VISITED_LATER = (
    "UPDATE urls SET due = due - (visited - :now) WHERE state = 'queued' AND visited > :now"
)
CLOCK_WAS_SET = "UPDATE urls SET due = due + ? WHERE due IS NOT NULL"
ALL_LEADING = "SELECT id FROM urls WHERE target IS NOT NULL ORDER BY id"
TARGET = "SELECT target FROM urls WHERE id = ?"
LEADING = """WITH RECURSIVE leading(id) AS (
        SELECT id FROM urls WHERE target = ?
        UNION SELECT urls.id FROM urls JOIN leading ON urls.target = leading.id)
    SELECT id FROM leading WHERE id <> ?"""
RETRY = (
    # A URL that is queued already is never delayed.
    "UPDATE urls SET due = CASE state WHEN 'queued' THEN min(due, ?1) ELSE ?1 END, "
    "reason = CASE state WHEN 'disallowed' THEN '' ELSE reason END, "
    "source = CASE WHEN state = 'disallowed' AND how <> 'sitemap-file' THEN '' ELSE source END, "
    "state = 'queued', attempts = 0 WHERE state IN ('queued', 'failed', 'disallowed') "
    "AND reason IN (SELECT value FROM json_each(?2))"
)
DONE = "SELECT id, source FROM urls WHERE state = 'done' AND reason = ?"
REVISIT = "UPDATE urls SET before = state, state = 'queued', due = ?, attempts = 0 WHERE id = ?"
ENTRIES = (
    "SELECT urls.id, url, origins.origin, how, depth FROM urls "
    "JOIN origins ON origins.id = urls.origin "
)
OUTSIDE = ENTRIES + (  # noqa: S608  a constant
    "WHERE state = 'skipped' AND reason IN (SELECT value FROM json_each(?))"
)
NOT_SKIPPED = ENTRIES + "WHERE state NOT IN ('skipped', 'leased')"
SKIP = (
    "UPDATE urls SET state = 'skipped', before = '', reason = ?, "
    "source = CASE how WHEN 'sitemap-file' THEN source ELSE '' END, due = NULL, visited = ? "
    "WHERE id = ?"
)
AT_ORIGIN = "SELECT id, url FROM urls WHERE origin = ? AND state <> 'skipped' ORDER BY id"
DECIDE = (
    "UPDATE urls SET before = '', state = ?, reason = ?, "
    "source = CASE how WHEN 'sitemap-file' THEN source ELSE ? END, due = ?, visited = ? "
    "WHERE id = ?"
)
ADMIT = "UPDATE urls SET state = 'queued', reason = '', source = '', due = ? WHERE id = ?"
GONE = json.dumps([int(row.code) for row in STATUSES.values() if row.is_gone])
EARLY = "UPDATE urls SET due = ?1 WHERE state <> 'queued' AND state <> 'leased' AND due > ?1"
DUE = (
    # For a page that was not found the wait keeps growing; other failures start afresh.
    "UPDATE urls SET before = state, state = 'queued', crashes = 0, attempts = "
    "CASE WHEN status IN (SELECT value FROM json_each(?)) THEN attempts ELSE 0 END "
    "WHERE state <> 'queued' AND state <> 'leased' AND due <= ?"
)


class SQLiteFrontier:
    """The queue of a crawl in its folder; see `goodbot.crawl.frontier.protocol.Frontier`.

    Its times count from the time of day at the beginning of the run, so that the queue stays the
    same if the clock is set meanwhile.

    Args:
        database: The database of the crawl.
        now: The current time; an aware `datetime`.
        timeline: Knows by how much the clock was set since then; `None` if it never is.

    >>> import tempfile
    >>> from datetime import datetime, timezone
    >>> now = datetime(2026, 1, 1, tzinfo=timezone.utc)
    >>> with tempfile.TemporaryDirectory() as folder, Database(folder, create=True) as database:
    ...     frontier = SQLiteFrontier(database, now)
    ...     entry = QueueEntry("https://a.example/b", "https://a.example", depth=0)
    ...     _ = frontier.add([(Discovery("https://a.example/b", "start"), entry)], now)
    ...     taken = frontier.take(now)
    ...     taken.url, frontier.take(now)
    ('https://a.example/b', None)
    """

    def __init__(self, database: Database, now: datetime, timeline: Timeline | None = None) -> None:
        """Open the queue; queue again the URLs leased when its process ended."""
        self._database = database
        self._timeline = timeline
        self._ahead_before = 0 if timeline is None else timeline.microseconds_ahead()
        self._reached = -1
        """The latest due time that is known to have come, in the time of the queue, which is never
        set back; without a timeline it may be, and this is not kept."""
        self._ahead_now: int | None = None
        """By how much the clock was set when the current change began; `None` without a change."""
        self._origins: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._known = KnownUrls()
        """A cache of URLs that are in the queue, with their numbers."""
        self._stored = KeyRows(database, HAS_URLS)
        """The URLs that may be in the database, as they are stored."""
        self._ready: dict[int, int] = {}
        """When each origin may be visited; every origin with queued URLs is here or is busy."""
        self._heap: list[tuple[int, int]] = []
        self._busy: set[int] = set()
        """The origins that are being visited."""
        self._some_lead = False
        """Whether any URL leads to another."""
        self._not_before: dict[int, int] = {}
        """When an origin that has been visited may be visited again."""
        self._waiting: Counter[int] = Counter()
        """The number of queued URLs of each origin, for progress reports."""
        self._new_origins: list[str] = []
        """The origins that the current change adds."""
        self._leases = UnwrittenLeases(database)
        self._firsts = FirstUrls(database, self._leases)
        self._settled = AddedRows(database, SETTLE_TAKEN)
        """Results of first visits, which lead to no other URL."""
        self._first_id: int | None = None
        """The number of the next URL, if it does not follow from those before."""
        at = instant(now, "now")
        with database.changing() as connection:
            connection.execute(CRASHED, (MOST_CRASHES, at))
            connection.execute(NEVER_VISITED_YET, {"now": at})
            connection.execute(VISITED_LATER, {"now": at})
            for origin_id, origin in connection.execute("SELECT id, origin FROM origins"):
                self._origins[origin], self._names[origin_id] = origin_id, origin
            leading = connection.execute("SELECT 1 FROM urls WHERE target IS NOT NULL LIMIT 1")
            self._some_lead = leading.fetchone() is not None
            (skipped,) = connection.execute(SKIPPED).fetchone()
            sitemaps = Counter(dict(connection.execute(SITEMAPS)))
            self._quota = UrlQuota(skipped, sitemaps, counts_of(database.setting(NOT_KEPT)))
            self._reload(connection)

    def _reload(self, connection: sqlite3.Connection) -> None:
        """Read from the database which origins have queued URLs."""
        self._waiting.clear()
        self._firsts.clear()
        for origin_id, due, count in connection.execute(WAITING):
            self._waiting[origin_id] = count
            self._push(origin_id, due)

    def close(self) -> None:
        """Convert the times in the queue to the present time of day."""
        ahead = self._ahead()
        if abs(ahead) > SECOND:
            with self._database.changing() as connection:
                connection.execute(CLOCK_WAS_SET, (ahead,))

    def _ahead(self) -> int:
        """Return by how many microseconds the clock was set forward since the run began."""
        if self._timeline is None:
            return 0
        if self._ahead_now is not None:
            return self._ahead_now
        ahead = self._timeline.microseconds_ahead() - self._ahead_before
        if self._database.is_changing:
            self._ahead_now = ahead
            self._database.at_end(self)
        return ahead

    def _instant(self, time: datetime) -> int:
        """Return a time as it is stored in the queue."""
        return instant(time, "time") - self._ahead()

    # Adding.

    def add(self, found: Iterable[tuple[Discovery, QueueEntry]], now: datetime) -> list[int]:
        """Queue the URLs found on one page, unless they are known; see `Frontier.add`."""
        at, page = self._instant(now), PageQuota()
        with self._database.changing() as connection:
            self._database.at_end(self)
            if isinstance(found, LinkCandidates):
                numbers = found.found_in(self._known)
                url_ids = [
                    number or self._added(connection, *found[place], at, page)
                    for place, number in enumerate(numbers)
                ]
            else:
                known = self._known.get
                url_ids = [
                    known(entry.url) or self._added(connection, one, entry, at, page)
                    for one, entry in found
                ]
            if self._quota.count(page):
                self._database.write_settings({NOT_KEPT: json.dumps(self._quota.not_kept)})
        return url_ids

    def complete(self, connection: sqlite3.Connection) -> None:  # noqa: ARG002  see `ChangePart`
        """Keep what is cached about the URLs of a change, because it takes effect."""
        self._new_origins.clear()
        self._ahead_now = None

    def drop(self) -> None:
        """Drop what is cached about the URLs of a change that is undone."""
        self._known.clear()
        self._firsts.clear()
        self._ahead_now = None
        for origin in self._new_origins:
            self._names.pop(self._origins.pop(origin), None)
        self._new_origins.clear()

    def _added(
        self,
        connection: sqlite3.Connection,
        found: Discovery,
        entry: QueueEntry,
        at: int,
        page: PageQuota,
    ) -> int:
        url_id, state = self._known_as(connection, entry.url)
        if url_id and (state != "skipped" or entry.skip_reason):
            if state != "skipped":
                self._known[entry.url] = url_id
            return url_id
        if not url_id and not self._quota.has_room(page, found, entry.skip_reason):
            return 0
        url, origin_name = entry.url, entry.origin
        if entry.skip_reason:
            url, origin_name = kept_form(url), kept_form(origin_name)
        origin = self._number_of(connection, origin_name)
        values = (
            url,
            origin,
            entry.depth,
            entry.hops,
            found.how,
            "skipped" if entry.skip_reason else "queued",
            None if entry.skip_reason else at,
            entry.skip_reason,
            # For a sitemap this is the origin it speaks for.
            entry.source if found.how == "sitemap-file" else shortened(entry.source),
            entry.spelling if len(entry.spelling) <= MAX_SKIPPED_LENGTH else "",
        )
        self._stored.add(url)
        if url_id:  # another page allows following it, or it is less deep from there
            connection.execute(QUEUE_SKIPPED, (*values, url_id))
            self._quota.is_queued()
        else:
            if self._first_id is None:
                added = connection.execute(ADD, values)
            else:
                added = connection.execute(ADD_AS, (self._first_id, *values))
                self._first_id = None
            url_id = added.lastrowid or 0
        if not entry.skip_reason:
            self._waiting[origin] += 1
            self._known[entry.url] = url_id
            self._firsts.added(origin, at, url_id)
            self._push(origin, at)
        return url_id

    def _known_as(self, connection: sqlite3.Connection, url: str) -> tuple[int, str]:
        """Return the number of a URL and its state; 0 and an empty string if it is not known."""
        row = None
        if self._stored.may_have(url):
            row = connection.execute(KNOWN, (url,)).fetchone()
        if row is None and len(url) > MAX_SKIPPED_LENGTH:
            row = connection.execute(KNOWN, (kept_form(url),)).fetchone()
        return (0, "") if row is None else (int(row[0]), row[1])

    def _number_of(self, connection: sqlite3.Connection, origin: str) -> int:
        origin_id = self._origins.get(origin)
        if origin_id is None:
            row = connection.execute("INSERT INTO origins(origin) VALUES(?)", (origin,))
            origin_id = self._origins[origin] = row.lastrowid or 0
            self._names[origin_id] = origin
            self._new_origins.append(origin)
        return origin_id

    def _push(self, origin: int, at: int) -> None:
        """Schedule a visit to an origin, unless one is scheduled sooner."""
        if origin in self._busy:
            return
        at = max(at, self._not_before.get(origin, at))
        if at >= self._ready.get(origin, at + 1):
            return
        self._ready[origin] = at
        heapq.heappush(self._heap, (at, origin))

    def again(self, now: datetime, *, early: bool = False) -> int:
        """Queue the URLs that are due to be visited again; see `Frontier.again`."""
        at = self._instant(now)
        with self._database.changing() as connection:
            self._leases.write()
            if early:
                connection.execute(EARLY, (at,))
            count = connection.execute(DUE, (GONE, at)).rowcount
            self._reload(connection)
        return count

    def retry(self, reasons: Collection[str], now: datetime) -> None:
        """Make URLs due at once that failed or are queued; see `Frontier.retry`."""
        at = self._instant(now)
        with self._database.changing() as connection:
            self._leases.write()
            connection.execute(RETRY, (at, json.dumps(list(reasons))))
            self._reload(connection)

    def revisit(self, reason: str, is_wanted: Callable[[str], bool], now: datetime) -> int:
        """Queue URLs that are done for a reason; see `Frontier.revisit`."""
        at = self._instant(now)
        with self._database.changing() as connection:
            self._leases.write()
            done = connection.execute(DONE, (reason,))
            wanted = [(at, url_id) for url_id, source in done if is_wanted(source)]
            connection.executemany(REVISIT, wanted)
            self._reload(connection)
        return len(wanted)

    def admit(self, refuses: ScopeFilter, now: datetime, lifted: Collection[str] = ()) -> int:
        """Queue the skipped URLs that are within the bounds now; see `Frontier.admit`."""
        at = self._instant(now)
        with self._database.changing() as connection:
            self._leases.write()
            skipped = connection.execute(OUTSIDE, (json.dumps([*SKIP_REASONS, *lifted]),))
            admitted = [
                (at, url_id)
                for url_id, url, origin, how, depth in skipped
                if not is_shortened(url) and refuses(url, origin, depth_of(how, depth)) is None
            ]
            connection.executemany(ADMIT, admitted)
            for _ in admitted:
                self._quota.is_queued()
            self._reload(connection)
        return len(admitted)

    def outside(self, refuses: ScopeFilter) -> list[tuple[int, str]]:
        """Return the URLs that are out of bounds and not skipped yet; see `Frontier.outside`."""
        self._leases.write()
        reasons = (
            (url_id, refuses(url, origin, depth_of(how, depth)))
            for url_id, url, origin, how, depth in self._database.connection.execute(NOT_SKIPPED)
        )
        return [(url_id, reason) for url_id, reason in reasons if reason is not None]

    def skip(self, found: Iterable[tuple[int, str]], now: datetime) -> None:
        """Skip URLs, which are then no longer visited; see `Frontier.skip`."""
        at = instant(now, "now")
        with self._database.changing() as connection:
            self._leases.write()
            connection.executemany(SKIP, [(reason, at, url_id) for url_id, reason in found])
            self._known.clear()
            self._reload(connection)

    def urls_at(self, origin: str) -> list[tuple[int, str]]:
        """Return all URLs of an origin that are not skipped; see `Frontier.urls_at`."""
        origin_id = self._origins.get(origin)
        return self._database.connection.execute(AT_ORIGIN, (origin_id,)).fetchall()

    def decide(self, url_ids: Collection[int], outcome: Outcome, now: datetime) -> None:
        """Record the outcome of URLs without a visit; see `Frontier.decide`."""
        due = None if outcome.due is None else self._instant(outcome.due)
        values = (outcome.state, outcome.reason, outcome.source, due, instant(now, "now"))
        with self._database.changing() as connection:
            self._leases.write()
            connection.executemany(DECIDE, [(*values, url_id) for url_id in url_ids])
            self._reload(connection)

    # Taking.

    def take(self, now: datetime) -> QueuedUrl | None:
        """Lease the next URL that is due; `None` if there is none now."""
        while self._heap and self._is_due(self._heap[0][0], now):
            due, origin = heapq.heappop(self._heap)
            if self._ready.get(origin) != due:
                continue
            del self._ready[origin]
            taken = self._first(origin, now)
            if taken is not None:
                return taken
        return None

    def _is_due(self, due: int, now: datetime) -> bool:
        """Return whether a time has come; the clocks are read only if it had not come before."""
        if due <= self._reached:
            return True
        has_come = due <= self._instant(now)
        # Only what was due is kept, not the reading: the clock may be set between two readings.
        if has_come and self._timeline is not None:
            self._reached = due
        return has_come

    def _first(self, origin: int, now: datetime) -> QueuedUrl | None:
        """Lease the first queued URL of an origin, if it is due."""
        row = self._firsts.first(origin)
        if row is None:
            return None
        if not self._is_due(row[-1], now):
            self._push(origin, row[-1])
            return None
        self._refuse_impossible(origin, row)
        url_id, url, depth, hops, attempts, how, source, visit, spelling, _ = row
        name, visit = self._names[origin], visit + 1
        self._leases.add(url_id, visit)
        self._firsts.remove_first(origin)
        self._busy.add(origin)
        self._waiting[origin] -= 1
        return QueuedUrl(url_id, url, name, depth, hops, attempts, how, source, visit, spelling)

    def _refuse_impossible(self, origin: int, row: tuple[object, ...]) -> None:
        """Refuse a queued URL that goodbot did not write.

        Raises:
            NotAStoreError: Its origin is unknown, or a value has the wrong type.

        """
        if tuple(map(type, row)) != TYPES_OF_NEXT or origin not in self._names:
            message = (
                f"a URL in the queue is damaged ({row[1]!r:.80}); restore the folder from a "
                "backup, or crawl into a new folder"
            )
            raise NotAStoreError(message)

    @property
    def earliest(self) -> datetime | None:
        """When the next URL may be taken; `None` if all origins with queued URLs are busy."""
        while self._heap and self._ready.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return to_datetime(self._heap[0][0] + self._ahead()) if self._heap else None

    # Giving back.

    def free(self, taken: QueuedUrl, ready: datetime | None) -> None:
        """Allow visits to the origin of a URL again, from a given time; `None`: at once."""
        origin = self._origins[taken.origin]
        self._busy.discard(origin)
        if ready is not None:
            self._not_before[origin] = self._instant(ready)
        first = self._firsts.first(origin)
        if first is not None:
            self._push(origin, first[-1])

    def holds(self, taken: QueuedUrl) -> bool:
        """Whether a URL is still under its lease; see `Frontier.holds`."""
        if self._leases.has(taken.id, taken.visit):
            return True
        found = self._database.connection.execute(HELD, (taken.id, taken.visit))
        return found.fetchone() is not None

    def settle(self, taken: QueuedUrl, outcome: Outcome, now: datetime) -> bool:
        """Record the outcome of a URL, and end its lease; see `Frontier.settle`."""
        due = None if outcome.due is None else self._instant(outcome.due)
        values = (
            outcome.state,
            outcome.reason,
            outcome.source,
            outcome.status,
            due,
            instant(now, "now"),
            outcome.target,
            int(outcome.failed),
            taken.id,
            taken.visit,
        )
        has_no_result = outcome.state == "queued" and not outcome.failed
        with self._database.changing() as connection:
            if self._leases.has(taken.id, taken.visit):
                if taken.visit == 1 and outcome.state in FINAL and outcome.target is None:
                    self._settled.add(values)
                    self._leases.end(taken.id)
                    return True
                self._leases.write()
            deferred = (due, taken.id, taken.visit)
            is_deferred = has_no_result and connection.execute(DEFER, deferred).rowcount
            if not is_deferred and not connection.execute(SETTLE, values).rowcount:
                return False
        if outcome.target is not None:
            self._some_lead = True
        if outcome.state == "queued" and due is not None:
            origin = self._origins[taken.origin]
            self._waiting[origin] += 1
            self._firsts.added(origin, due, taken.id)
            self._push(origin, due)
        return True

    def give_back(self, taken: QueuedUrl, reason: str = "", source: str = "") -> bool:
        """Return a URL to its place in the queue; see `Frontier.give_back`."""
        values = (reason, shortened(source), taken.id, taken.visit)
        origin = self._origins[taken.origin]
        with self._database.changing() as connection:
            self._leases.write()
            if not connection.execute(GIVE_BACK, values).rowcount:
                return False
        self._firsts.forget(origin)
        self._waiting[origin] += 1
        return True

    def target_of(self, url_id: int) -> int | None:
        """Return the number of the URL that a URL leads to; `None` if there is none."""
        row = self._database.connection.execute(TARGET, (url_id,)).fetchone()
        return row[0] if row else None

    def end_of(self, url_id: int, start: int) -> int:
        """Return the last URL that a URL leads to; see `Frontier.end_of`."""
        return end_of_chain(url_id, start, self.target_of)

    def leading(self) -> list[int]:
        """Return the numbers of all URLs that lead to another one."""
        return [one for (one,) in self._database.connection.execute(ALL_LEADING)]

    def leading_to(self, url_id: int) -> list[int]:
        """Return the numbers of the URLs that lead to a URL, directly or through others."""
        if not self._some_lead:
            return []
        found = self._database.connection.execute(LEADING, (url_id, url_id))
        return [one for (one,) in found]

    @property
    def not_kept(self) -> int:
        """The number of URLs that were found but not kept, counted each time they were found."""
        return self._quota.not_kept.total()

    def how_many(self) -> dict[str, int]:
        """Count the URLs by state, in the order of `STATES`."""
        count = "SELECT state, count(*) FROM urls GROUP BY state"
        counts = Counter(dict(self._database.connection.execute(count)))
        counts["queued"] -= len(self._leases)
        counts["leased"] += len(self._leases)
        return {state: counts[state] for state in STATES if counts[state]}

    def longest_queues(self, most: int) -> dict[str, int]:
        """Count the queued URLs of those origins that have the most."""
        return {self._names[number]: count for number, count in self._waiting.most_common(most)}

    def waiting(self, origin: str = "") -> int:
        """Count the queued URLs without reading them; see `Frontier.waiting`."""
        if not origin:
            return self._waiting.total()
        return self._waiting[self._origins[origin]] if origin in self._origins else 0
