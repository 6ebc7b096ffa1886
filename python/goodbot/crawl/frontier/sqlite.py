"""The queue: which URL is visited next, and what has become of each.

What may live here: a queue for each origin, in the file, and a heap of the origins that have one by
the time at which they may be visited next, in memory. So a million URLs take disk, ten thousand
origins take memory, and the next URL is one look into each.
"""

import heapq
import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable
from datetime import datetime

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Discovery, QueuedUrl
from goodbot.crawl.folder.states import STATES
from goodbot.crawl.frontier.bounds import SKIP_REASONS, depth_of
from goodbot.crawl.frontier.protocol import MOST_CRASHES, Outcome, QueueEntry, ScopeFilter
from goodbot.crawl.frontier.quota import (
    MAX_SKIPPED_LENGTH,
    PageQuota,
    UrlQuota,
    counts_of,
    is_shortened,
    kept_form,
)
from goodbot.errors import NotAStoreError
from goodbot.http.instants import SECOND, instant, to_datetime
from goodbot.http.quoting import shortened
from goodbot.http.status import STATUSES
from goodbot.robot.timeline import Timeline

__all__ = ["SQLiteFrontier"]

KNOWN_BYTES = 16 * 1024 * 1024
KNOWN_COST = 200
"""Bytes that URLs take that are remembered as known, so that a link in every footer costs no look
into the file; and what one of them takes beside its characters."""

KNOWN = "SELECT id, state FROM urls WHERE url = ?"
QUEUE_SKIPPED = (
    "UPDATE urls SET url = ?, origin = ?, depth = ?, hops = ?, how = ?, state = ?, due = ?, "
    "reason = ?, source = ?, spelling = ? WHERE id = ?"
)

NEXT = (
    "SELECT id, url, depth, hops, attempts, how, source, visit, spelling, due FROM urls "
    "WHERE origin = ? AND state = 'queued' ORDER BY due, id LIMIT 1"
)
ADD = (
    "INSERT INTO urls(url, origin, depth, hops, how, state, due, reason, source, spelling) "
    "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
NOT_KEPT = "not-kept"
"""The setting with the counts of URLs that were not kept."""
SKIPPED = "SELECT count(*) FROM urls WHERE state = 'skipped'"
SITEMAPS = "SELECT source, count(*) FROM urls WHERE how = 'sitemap-file' GROUP BY source"
WAITING = "SELECT origin, min(due), count(*) FROM urls WHERE state = 'queued' GROUP BY origin"
SETTLE = (
    # Of a sitemap `source` stays who names it: it speaks for them, whenever it is read.
    "UPDATE urls SET state = ?, reason = ?, source = CASE how WHEN 'sitemap-file' THEN source "
    "ELSE ? END, status = ?, due = ?, visited = ?, target = ?, "
    "attempts = CASE WHEN ? THEN attempts + 1 ELSE 0 END "
    "WHERE id = ? AND visit = ? AND state = 'leased'"
)
LEASE = "UPDATE urls SET state = 'leased', visit = visit + 1 WHERE id = ?"
HELD = "SELECT 1 FROM urls WHERE id = ? AND visit = ? AND state = 'leased'"
GIVE_BACK = (
    "UPDATE urls SET state = 'queued', reason = CASE ?1 WHEN '' THEN reason ELSE ?1 END, "
    # Of a sitemap `source` stays who names it.
    "source = CASE WHEN ?1 = '' OR how = 'sitemap-file' THEN source ELSE ?2 END "
    "WHERE id = ?3 AND visit = ?4 AND state = 'leased'"
)
CRASHED = (
    "UPDATE urls SET state = CASE WHEN crashes < ? THEN 'queued' ELSE 'failed' END, "
    "reason = 'crashed', crashes = crashes + 1, due = ? WHERE state = 'leased'"
)
# What was queued before is due, and a pause is no longer than it was, though the clock of the last
# run was ahead of the present one.
NEVER_VISITED_YET = (
    "UPDATE urls SET due = :now WHERE state = 'queued' AND visited IS NULL AND due > :now"
)
PUT_OFF_LATER = (
    "UPDATE urls SET due = due - (visited - :now) WHERE state = 'queued' AND visited > :now"
)
CLOCK_WAS_SET = "UPDATE urls SET due = due + ? WHERE due IS NOT NULL"
LEADING = """WITH RECURSIVE leading(id) AS (
        SELECT id FROM urls WHERE target = ?
        UNION SELECT urls.id FROM urls JOIN leading ON urls.target = leading.id)
    SELECT id FROM leading WHERE id <> ?"""
RETRY = (
    # What waits already waits no longer than before.
    "UPDATE urls SET due = CASE state WHEN 'queued' THEN min(due, ?1) ELSE ?1 END, "
    "reason = CASE state WHEN 'disallowed' THEN '' ELSE reason END, "
    "source = CASE WHEN state = 'disallowed' AND how <> 'sitemap-file' THEN '' ELSE source END, "
    "state = 'queued', attempts = 0 WHERE state IN ('queued', 'failed', 'disallowed') "
    "AND reason IN (SELECT value FROM json_each(?2))"
)
PLACES = (
    "SELECT urls.id, url, origins.origin, how, depth FROM urls "
    "JOIN origins ON origins.id = urls.origin "
)
OUTSIDE = PLACES + (  # noqa: S608  a constant
    "WHERE state = 'skipped' AND reason IN (SELECT value FROM json_each(?))"
)
NOT_SKIPPED = PLACES + "WHERE state NOT IN ('skipped', 'leased')"
SKIP = (
    "UPDATE urls SET state = 'skipped', reason = ?, source = CASE how WHEN 'sitemap-file' "
    "THEN source ELSE '' END, due = NULL, visited = ? WHERE id = ?"
)
AT_ORIGIN = "SELECT id, url FROM urls WHERE origin = ? AND state <> 'skipped' ORDER BY id"
DECIDE = (
    "UPDATE urls SET state = ?, reason = ?, source = CASE how WHEN 'sitemap-file' THEN source "
    "ELSE ? END, due = ?, visited = ? WHERE id = ?"
)
ADMIT = "UPDATE urls SET state = 'queued', reason = '', source = '', due = ? WHERE id = ?"
GONE = json.dumps([int(row.code) for row in STATUSES.values() if row.is_gone])
DUE = (
    # What was not there is looked for ever later; what failed has as many attempts as before.
    "UPDATE urls SET state = 'queued', crashes = 0, attempts = "
    "CASE WHEN status IN (SELECT value FROM json_each(?)) THEN attempts ELSE 0 END "
    "WHERE state <> 'queued' AND state <> 'leased' AND due <= ?"
)


class SQLiteFrontier:
    """The queue of a crawl in its folder; see `goodbot.crawl.frontier.protocol.Frontier`.

    Its instants are those of the time of day as it was when the run began, and the time since: so
    the queue stays what it is when somebody sets the clock meanwhile.

    Args:
        database: The file of the crawl.
        now: The time: an aware `datetime`.
        timeline: Tells by how much the clock was set since then; `None` if it never is.

    >>> import tempfile
    >>> from datetime import datetime, timezone
    >>> now = datetime(2026, 1, 1, tzinfo=timezone.utc)
    >>> with tempfile.TemporaryDirectory() as folder, Database(folder, create=True) as database:
    ...     frontier = SQLiteFrontier(database, now)
    ...     place = QueueEntry("https://a.example/b", "https://a.example", depth=0)
    ...     _ = frontier.add([(Discovery("https://a.example/b", "start"), place)], now)
    ...     taken = frontier.take(now)
    ...     taken.url, frontier.take(now)
    ('https://a.example/b', None)
    """

    def __init__(self, database: Database, now: datetime, timeline: Timeline | None = None) -> None:
        """Take up the queue where it was left: what was under way when the process ended waits."""
        self._database = database
        self._timeline = timeline
        self._ahead_before = 0 if timeline is None else timeline.read().microseconds_ahead
        self._origins: dict[str, int] = {}
        self._names: dict[int, str] = {}
        self._known: dict[str, int] = {}
        """Known URLs that need no second thought, with their numbers."""
        self._known_bytes = 0
        self._ready: dict[int, int] = {}
        """From when on an origin may be visited; each that has a queue is here or is busy."""
        self._heap: list[tuple[int, int]] = []
        self._busy: set[int] = set()
        """Origins at which a visit is under way."""
        self._some_lead = False
        """Whether any URL leads to another."""
        self._not_before: dict[int, int] = {}
        """When an origin that has been visited may be visited again."""
        self._waiting: Counter[int] = Counter()
        """How many URLs of an origin wait; for those who watch."""
        at = instant(now, "now")
        with database.changing() as connection:
            connection.execute(CRASHED, (MOST_CRASHES, at))
            connection.execute(NEVER_VISITED_YET, {"now": at})
            connection.execute(PUT_OFF_LATER, {"now": at})
            for origin_id, origin in connection.execute("SELECT id, origin FROM origins"):
                self._origins[origin], self._names[origin_id] = origin_id, origin
            leading = connection.execute("SELECT 1 FROM urls WHERE target IS NOT NULL LIMIT 1")
            self._some_lead = leading.fetchone() is not None
            (skipped,) = connection.execute(SKIPPED).fetchone()
            sitemaps = Counter(dict(connection.execute(SITEMAPS)))
            self._quota = UrlQuota(skipped, sitemaps, counts_of(database.setting(NOT_KEPT)))
            self._look(connection)

    def _look(self, connection: sqlite3.Connection) -> None:
        """Look which origins have URLs that wait."""
        self._waiting.clear()
        for origin_id, due, count in connection.execute(WAITING):
            self._waiting[origin_id] = count
            self._push(origin_id, due)

    def close(self) -> None:
        """Leave the queue by the time of day as it is now."""
        ahead = self._ahead()
        if abs(ahead) > SECOND:
            with self._database.changing() as connection:
                connection.execute(CLOCK_WAS_SET, (ahead,))

    def _ahead(self) -> int:
        """Return the microseconds by which the clock was set forward since the run began."""
        if self._timeline is None:
            return 0
        return self._timeline.read().microseconds_ahead - self._ahead_before

    def _instant(self, time: datetime) -> int:
        """Return an instant of the queue."""
        return instant(time, "time") - self._ahead()

    # Adding.

    def add(self, found: Iterable[tuple[Discovery, QueueEntry]], now: datetime) -> list[int]:
        """Queue what was found on one page, unless it is known.

        Returns:
            The number of each; 0 for one that is not kept, as the page or the crawl has too many
            (`goodbot.crawl.frontier.quota`).

        """
        at, page = self._instant(now), PageQuota()
        with self._database.changing() as connection:
            url_ids = [self._added(connection, one, place, at, page) for one, place in found]
            if self._quota.count(page):
                self._database.write_settings({NOT_KEPT: json.dumps(self._quota.not_kept)})
        return url_ids

    def _added(
        self,
        connection: sqlite3.Connection,
        found: Discovery,
        place: QueueEntry,
        at: int,
        page: PageQuota,
    ) -> int:
        known = self._known.get(place.url)
        if known is not None:
            return known
        url_id, state = known_as(connection, place.url)
        if url_id and (state != "skipped" or place.skip_reason):
            if state != "skipped":
                self._remember(place.url, url_id)
            return url_id
        if not url_id and not self._quota.has_room(page, found, place.skip_reason):
            return 0
        url, origin_name = place.url, place.origin
        if place.skip_reason:
            url, origin_name = kept_form(url), kept_form(origin_name)
        origin = self._number_of(connection, origin_name)
        values = (
            url,
            origin,
            place.depth,
            place.hops,
            found.how,
            "skipped" if place.skip_reason else "queued",
            None if place.skip_reason else at,
            place.skip_reason,
            # Of a sitemap it is the origin for which it speaks.
            place.source if found.how == "sitemap-file" else shortened(place.source),
            place.spelling if len(place.spelling) <= MAX_SKIPPED_LENGTH else "",
        )
        if url_id:  # somebody else lets it be followed, or it lies nearer this way
            connection.execute(QUEUE_SKIPPED, (*values, url_id))
            self._quota.is_queued()
        else:
            url_id = connection.execute(ADD, values).lastrowid or 0
        if not place.skip_reason:
            self._waiting[origin] += 1
            self._remember(place.url, url_id)
            self._push(origin, at)
        return url_id

    def _remember(self, url: str, url_id: int) -> None:
        if self._known_bytes >= KNOWN_BYTES:
            self._known.clear()
            self._known_bytes = 0
        self._known[url] = url_id
        self._known_bytes += len(url) + KNOWN_COST

    def _number_of(self, connection: sqlite3.Connection, origin: str) -> int:
        origin_id = self._origins.get(origin)
        if origin_id is None:
            row = connection.execute("INSERT INTO origins(origin) VALUES(?)", (origin,))
            origin_id = self._origins[origin] = row.lastrowid or 0
            self._names[origin_id] = origin
        return origin_id

    def _push(self, origin: int, at: int) -> None:
        """Have an origin visited at a time, unless its turn is sooner."""
        if origin in self._busy:
            return
        at = max(at, self._not_before.get(origin, at))
        if at >= self._ready.get(origin, at + 1):
            return
        self._ready[origin] = at
        heapq.heappush(self._heap, (at, origin))

    def again(self, now: datetime) -> int:
        """Queue what is due to be visited again; tell how many URLs these are."""
        at = self._instant(now)
        with self._database.changing() as connection:
            count = connection.execute(DUE, (GONE, at)).rowcount
            self._look(connection)
        return count

    def retry(self, reasons: Collection[str], now: datetime) -> None:
        """Queue at once what waits or was given up for one of some reasons.

        Args:
            reasons: The reasons with which the URLs were settled, slugs.
            now: The time.

        """
        at = self._instant(now)
        with self._database.changing() as connection:
            connection.execute(RETRY, (at, json.dumps(list(reasons))))
            self._look(connection)

    def admit(self, refuses: ScopeFilter, now: datetime, lifted: Collection[str] = ()) -> int:
        """Queue what was skipped as out of bounds, and is within them now; see `Frontier.admit`."""
        at = self._instant(now)
        with self._database.changing() as connection:
            skipped = connection.execute(OUTSIDE, (json.dumps([*SKIP_REASONS, *lifted]),))
            admitted = [
                (at, url_id)
                for url_id, url, origin, how, depth in skipped
                if not is_shortened(url) and refuses(url, origin, depth_of(how, depth)) is None
            ]
            connection.executemany(ADMIT, admitted)
            for _ in admitted:
                self._quota.is_queued()
            self._look(connection)
        return len(admitted)

    def outside(self, refuses: ScopeFilter) -> list[tuple[int, str]]:
        """Return the URLs that are out of bounds and not skipped yet; see `Frontier.outside`."""
        reasons = (
            (url_id, refuses(url, origin, depth_of(how, depth)))
            for url_id, url, origin, how, depth in self._database.connection.execute(NOT_SKIPPED)
        )
        return [(url_id, reason) for url_id, reason in reasons if reason is not None]

    def skip(self, found: Iterable[tuple[int, str]], now: datetime) -> None:
        """Skip URLs, which are not visited any more; see `Frontier.skip`."""
        at = instant(now, "now")
        with self._database.changing() as connection:
            connection.executemany(SKIP, [(reason, at, url_id) for url_id, reason in found])
            self._known.clear()
            self._known_bytes = 0
            self._look(connection)

    def urls_at(self, origin: str) -> list[tuple[int, str]]:
        """Return everything at an origin that is not skipped; see `Frontier.urls_at`."""
        origin_id = self._origins.get(origin)
        return self._database.connection.execute(AT_ORIGIN, (origin_id,)).fetchall()

    def decide(self, url_ids: Collection[int], outcome: Outcome, now: datetime) -> None:
        """Write down what becomes of URLs without a visit; see `Frontier.decide`."""
        due = None if outcome.due is None else self._instant(outcome.due)
        values = (outcome.state, outcome.reason, outcome.source, due, instant(now, "now"))
        with self._database.changing() as connection:
            connection.executemany(DECIDE, [(*values, url_id) for url_id in url_ids])
            self._look(connection)

    # Taking.

    def take(self, now: datetime) -> QueuedUrl | None:
        """Take the next URL whose time has come, under a lease; `None` if there is none now."""
        at = self._instant(now)
        while self._heap and self._heap[0][0] <= at:
            due, origin = heapq.heappop(self._heap)
            if self._ready.get(origin) != due:
                continue
            del self._ready[origin]
            taken = self._first(origin, at)
            if taken is not None:
                return taken
        return None

    def _first(self, origin: int, at: int) -> QueuedUrl | None:
        """Take the first URL of an origin, if it is due."""
        with self._database.changing() as connection:
            row = connection.execute(NEXT, (origin,)).fetchone()
            if row is None:
                return None
            if row[-1] > at:
                self._push(origin, row[-1])
                return None
            self._refuse_impossible(origin, row)
            connection.execute(LEASE, (row[0],))
        self._busy.add(origin)
        self._waiting[origin] -= 1
        url_id, url, depth, hops, attempts, how, source, visit, spelling, _ = row
        name, visit = self._names[origin], visit + 1
        return QueuedUrl(url_id, url, name, depth, hops, attempts, how, source, visit, spelling)

    def _refuse_impossible(self, origin: int, row: tuple[object, ...]) -> None:
        """Refuse a URL of the queue as no goodbot writes it down.

        Raises:
            NotAStoreError: Its origin is unknown, or a value is of another type.

        """
        _, url, depth, hops, attempts, how, source, visit, spelling, _ = row
        are_right = all(isinstance(one, int) for one in (depth, hops, attempts, visit))
        are_right &= all(isinstance(one, str) for one in (url, how, source, spelling))
        if not (are_right and origin in self._names):
            message = (
                f"a URL in the queue is damaged ({url!r:.80}); restore the crawl from a copy, "
            )
            raise NotAStoreError(message + "or crawl anew")

    @property
    def earliest(self) -> datetime | None:
        """When the next visit may be; `None` if no origin has one waiting."""
        while self._heap and self._ready.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return to_datetime(self._heap[0][0] + self._ahead()) if self._heap else None

    # Giving back.

    def free(self, taken: QueuedUrl, ready: datetime | None) -> None:
        """Let the origin of a URL be visited again, from a time on; `None`: at any time."""
        origin = self._origins[taken.origin]
        self._busy.discard(origin)
        if ready is not None:
            self._not_before[origin] = self._instant(ready)
        first = self._database.connection.execute(NEXT, (origin,)).fetchone()
        if first is not None:
            self._push(origin, first[-1])

    def holds(self, taken: QueuedUrl) -> bool:
        """Whether a URL is still under its lease; see `Frontier.holds`."""
        found = self._database.connection.execute(HELD, (taken.id, taken.visit))
        return found.fetchone() is not None

    def settle(self, taken: QueuedUrl, outcome: Outcome, now: datetime) -> bool:
        """Write down what has become of a URL, and end its lease; see `Frontier.settle`."""
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
        with self._database.changing() as connection:
            if not connection.execute(SETTLE, values).rowcount:
                return False
        if outcome.target is not None:
            self._some_lead = True
        if outcome.state == "queued" and due is not None:
            origin = self._origins[taken.origin]
            self._waiting[origin] += 1
            self._push(origin, due)
        return True

    def give_back(self, taken: QueuedUrl, reason: str = "", source: str = "") -> bool:
        """Put a URL back into its place in the queue; see `Frontier.give_back`."""
        values = (reason, shortened(source), taken.id, taken.visit)
        with self._database.changing() as connection:
            if not connection.execute(GIVE_BACK, values).rowcount:
                return False
        self._waiting[self._origins[taken.origin]] += 1
        return True

    def target_of(self, url_id: int) -> int | None:
        """Give the number of the URL to which a URL leads; `None` if to none."""
        row = self._database.connection.execute(
            "SELECT target FROM urls WHERE id = ?", (url_id,)
        ).fetchone()
        return row[0] if row else None

    def end_of(self, url_id: int, start: int) -> int:
        """Follow where a URL leads, to the end; not beyond `start`, from where one came."""
        seen = {url_id}
        while url_id != start:
            target = self.target_of(url_id)
            if target is None or target in seen:
                break
            seen.add(target)
            url_id = target
        return url_id

    def leading_to(self, url_id: int) -> list[int]:
        """Return the numbers of the URLs that lead to a URL, also by others between."""
        if not self._some_lead:
            return []
        found = self._database.connection.execute(LEADING, (url_id, url_id))
        return [one for (one,) in found]

    @property
    def not_kept(self) -> int:
        """How many URLs were found and not kept, each as often as it was found."""
        return self._quota.not_kept.total()

    def how_many(self) -> dict[str, int]:
        """Count the URLs by their state, in the order of `STATES`."""
        count = "SELECT state, count(*) FROM urls GROUP BY state"
        counts = dict(self._database.connection.execute(count))
        return {state: counts[state] for state in STATES if state in counts}

    def waiting(self, origin: str = "") -> int:
        """Tell how many URLs wait, of one origin or of all; it costs no look into the file.

        Args:
            origin: The origin; empty for all.

        """
        if not origin:
            return self._waiting.total()
        return self._waiting[self._origins[origin]] if origin in self._origins else 0


def known_as(connection: sqlite3.Connection, url: str) -> tuple[int, str]:
    """Return the number of a URL and its state; 0 and nothing if it is not known."""
    url_id, state = connection.execute(KNOWN, (url,)).fetchone() or (0, "")
    if not url_id and len(url) > MAX_SKIPPED_LENGTH:
        url_id, state = connection.execute(KNOWN, (kept_form(url),)).fetchone() or (0, "")
    return int(url_id), state
