"""The queue of a crawl on several machines, in PostgreSQL.

Scope: what is held, what is found, and when the server is asked. `postgres_tables` has the tables
and statements.

**Groups are leased, not URLs.** A worker leases server groups, many at once, and takes their URLs
one after the other. While it holds a group, no other worker takes a URL of it, so a visit needs no
question to the server. All leases of a worker end together; a thread renews them. Before each
request, `check_lease` compares the end with time that passes also while the process is stopped,
less a margin. So a process that was stopped for longer than its leases sends nothing afterwards.

**What is found is collected**, and written with the next outcomes in one transaction: links first.
A crawl that publishes its results in batches calls `gathered` for each page, so that the site goes
on, and settles all of a batch by `settle_all`, in one transaction with what names the batch.
The number of a URL comes from its SHA-256, so that no question is needed to number it.

**What a crash leaves.** A URL is marked before it is taken. When the leases of a worker have ended,
another one removes it, and queues the marked URLs again, behind all others. A visit has a number
that is never used twice: that of the lease of its group, and a count within it.
"""

import heapq
import itertools
import math
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from time import time_ns
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.folder.states import STATES
from goodbot.crawl.frontier.bounds import SKIP_REASONS, depth_of
from goodbot.crawl.frontier.postgres_tables import STATEMENTS, queue_tables
from goodbot.crawl.frontier.protocol import (
    MOST_CRASHES,
    Candidate,
    Outcome,
    ScopeFilter,
    end_of_chain,
)
from goodbot.crawl.frontier.quota import PageQuota, UrlQuota, is_shortened, kept_form
from goodbot.errors import StoreError, StoreUnavailableError, WrongValueError
from goodbot.http.instants import SECOND, checked_seconds, instant, to_datetime
from goodbot.http.quoting import shortened
from goodbot.http.status import STATUSES
from goodbot.net.clock import monotonic
from goodbot.store.postgres_server import PostgresConnection, PostgresServer

__all__ = ["AccountCarrier", "PostgresFrontier", "UnheldUrls", "url_key", "url_number"]

VISITS_OF_A_LEASE = 1 << 20
"""The number of a visit is that of its lease, times this, plus a count within the lease."""
MOST_MARKED = 256
"""How many URLs are marked at once, because they may be taken now."""
QUICK = SECOND // 10
"""The pause of a group, in microseconds, up to which several of its URLs are marked at once."""
MOST_AHEAD = 8
"""How many of its next URLs are read of a group at once."""
MOST_READ = 8_000
"""How many URLs are read of all groups at once, if those are many."""
MOST_SETTLED = 256
"""How many outcomes are collected before they are written in any case."""
TOGETHER = 0.1
"""Seconds for which outcomes wait for those of visits that are under way."""
IDLE_FOR = 2.0
"""Seconds for which groups without a URL are kept while there is something else to do: one may be
found at any moment, and a group that is given back and leased again costs many statements."""
MOST_FOUND = 10_000
"""How many found URLs are collected before they are written in any case."""
OF_NO_VISIT = frozenset({"start", "sitemap-file", "please-visit"})
"""How URLs are found that no outcome follows."""
MOST_KNOWN = 200_000
"""How many URLs are known to be in the queue, so that a link in every footer costs nothing."""
PROMISED_FOR = 10.0
"""Seconds for which a group waits for the end of its batch to pass to another worker."""
GENEROUS = 3.0
"""Seconds for which a worker that gave groups to others leases none."""
MOST_ROUNDS = 5
"""How often the server is asked before nothing is taken for now."""
LOOK_AGAIN = 1.0
"""Seconds after which a worker with nothing to do asks again."""
GONE = [int(row.code) for row in STATUSES.values() if row.is_gone]
LAST = 1 << 62
BY_INDEX = (
    "-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off "
    "-c enable_mergejoin=off -c jit=off"
)
"""How the server is to plan: once, by indexes, and not by statistics, which are those of an empty
queue when a crawl begins. So the work for a statement does not depend on the length of the queue,
and half of the time is saved that would go into planning for all partitions. A plan that was to be
avoided has an immense cost, for which a statement would be compiled for seconds."""


class NextUrl(NamedTuple):
    """The next URL of a group."""

    key: UUID
    number: int
    url: str
    origin: str
    depth: int
    hops: int
    attempts: int
    how: Any
    source: str
    spelling: str
    due: int
    crashes: int


@dataclass(slots=True)
class HeldGroup:
    """A group that this worker has leased."""

    number: int
    name: str
    lease: int
    visits: int = 0
    """How often one of its URLs was taken under this lease."""
    ahead: deque[NextUrl] = field(default_factory=deque)
    """Its next URLs, in order; others may follow."""
    marked: int = 0
    """How many of them, from the first on, are marked as about to be visited."""
    is_read: bool = False
    """Whether they are known; if there is none then, no URL is queued."""
    is_busy: bool = False
    """Whether a URL was taken, and the group not freed since."""
    unsettled: int = 0
    """How many URLs were taken and not settled, also after the group was freed."""
    gathered: int = 0
    """How many more are settled with the next batch."""
    ready: int = -LAST
    """When the group may be visited again."""
    pause: int = LAST
    """How long it had to wait for that after its last visit, about."""

    @property
    def next(self) -> NextUrl | None:
        """Its next URL, as far as it is known."""
        return self.ahead[0] if self.ahead else None

    @property
    def at(self) -> int:
        """When its next URL may be taken."""
        return LAST if self.next is None else max(self.next.due, self.ready)

    @property
    def is_idle(self) -> bool:
        """Whether no URL of it was taken that is not settled, so that it may pass to another."""
        return not (self.is_busy or self.unsettled or self.gathered)


@dataclass(slots=True)
class HeldGroups:
    """The leases of a worker, which end together."""

    worker: int = 0
    """The number of the worker; 0 before it is registered, and after it has lost its leases."""
    ends: float = -1.0
    """When they end, in steady time."""
    groups: dict[int, HeldGroup] = field(default_factory=dict)
    names: dict[str, HeldGroup] = field(default_factory=dict)
    promised: set[int] = field(default_factory=set)
    """The groups of which nothing is taken any more: others get them when they are settled."""
    promised_until: float = 0.0
    """When they are taken back if they are not settled, in steady time."""


class AccountCarrier(Protocol):
    """What carries the accounts of the groups that a worker has leased; see `FleetStore`.

    Its methods are called within the transactions that change the leases, and perhaps again if the
    connection breaks. What they return is called once a transaction is committed.
    """

    def begin(self, worker: int) -> None:
        """Begin to carry for a worker, without any account; 0: for none."""

    def carry(self, connection: PostgresConnection, names: Sequence[str]) -> Callable[[], None]:
        """Carry the accounts of groups."""

    def give(
        self, connection: PostgresConnection, names: Sequence[str] | None
    ) -> Callable[[], None]:
        """Write the accounts of groups back; `None`: all."""

    def inherit(self, connection: PostgresConnection, ended: Mapping[int, int]) -> None:
        """Write back those of workers that are gone: how many microseconds ago, by worker."""

    def renew(self, connection: PostgresConnection) -> Callable[[], None]:
        """Write what has changed, and heed what others have changed."""


class Settled(NamedTuple):
    """An outcome as it is written."""

    group: int
    key: UUID
    state: str
    reason: str
    source: str
    status: int | None
    due: int | None
    visited: int
    target: int | None
    failed: bool


class UnheldUrls(Exception):  # noqa: N818  no error: the caller settles the others
    """Some URLs of a batch are not under the lease with which they were taken."""

    def __init__(self, url_ids: Collection[int]) -> None:
        """Name them by their numbers."""
        super().__init__(url_ids)
        self.url_ids = frozenset(url_ids)


class PostgresFrontier:
    """A queue in PostgreSQL, for crawls on several machines; see `Frontier`.

    Pass it to the `Crawl` of each machine, with a folder of its own, and the same `PostgresStore`.
    One crawl has one schema of the database. Requires `pip install 'goodbot[postgres]'`.

    Args:
        url: The URL of the database; see `goodbot.store.PostgresStore`.
        name: A name for this worker, for people.
        lease_seconds: Seconds after which other workers visit the sites of this one if it is gone.
        margin: Seconds before the end of a lease from which on this worker makes no request.
        most_groups: How many groups to lease at most.
        group_of: Returns the server group of an origin; by default each origin is one.
        carrier: Carries the accounts of the groups that are leased; by default nothing does.
        patience: Seconds to wait for the server in each call.
        steady: Returns seconds that pass at all times; for tests.

    Raises:
        StoreError: It cannot be opened; see `goodbot.store.PostgresStore`.
        WrongTypeError: A number has the wrong type.
        WrongValueError: A number is negative, or the margin is not below the lease; or the URL is
            none of PostgreSQL.

    """

    def __init__(
        self,
        url: str,
        *,
        name: str = "",
        lease_seconds: float = 120.0,
        margin: float = 30.0,
        most_groups: int = 1_000,
        group_of: Callable[[str], str] = str,
        carrier: AccountCarrier | None = None,
        patience: float = 60.0,
        steady: Callable[[], float] = monotonic,
    ) -> None:
        """Connect, and make the tables that are missing; nothing is leased yet."""
        self.url = url
        """The URL, with which a crawl knows its queue again."""
        self._length = checked_seconds(lease_seconds, "lease_seconds")
        self._margin = checked_seconds(margin, "margin")
        if self._margin >= self._length:
            message = f"margin must be less than lease_seconds, {self._length:g}; it is {margin:g}"
            raise WrongValueError(message)
        self._name, self._most, self._group_of = name, most_groups, group_of
        self._steady, self._carrier = steady, carrier
        self._server = PostgresServer(url, (queue_tables(),), patience=patience, session=BY_INDEX)
        self._statements = {name: self._server.statement(text) for name, text in STATEMENTS.items()}
        self._leases = HeldGroups()
        self._counts: dict[str, int] | None = None
        """The URLs by state when the queue was closed."""
        self._lost: set[str] = set()
        """The groups that this worker held when it lost its leases."""
        self._lock = threading.Lock()
        """Held while the leases are renewed or lost."""
        self._others_wait = False
        """Whether another worker has nothing to do."""
        self._is_hungry = False
        self._heap: list[tuple[int, int, int]] = []
        """When each group may be visited, in which order, and its number; some entries are out of
        date."""
        self._suspected: list[tuple[int, int, int]] = []
        """The same for groups in the visit of whose next URL a worker may have vanished."""
        self._order = itertools.count()
        self._unread: set[int] = set()
        """The groups whose next URL is to be read; none of them is busy."""
        self._idle_until = -math.inf
        """Until when those are kept, in steady time."""
        self._bury_at = 0.0
        """When to look for workers that are gone, in steady time."""
        self._idle: list[HeldGroup] = []
        """Groups that may have nothing to do here for long."""
        self._asked_at = 0
        """When a URL was asked for last, in the time of the crawl."""
        self._taken: dict[int, tuple[HeldGroup, NextUrl, int]] = {}
        """The URLs that were taken, by number, each with the number of its visit."""
        self._gathered: set[int] = set()
        """Those of them whose sites go on, because they are settled with the next batch."""
        self._is_batch_late = False
        """Whether the last groups that were promised could not be settled in time."""
        self._settling: list[Settled] = []
        """Outcomes that are written with the next question to the server."""
        self._settling_since = 0.0
        self._make_durable: Callable[[], bool] = bool
        """Makes durable what must be so before they are written."""
        self._found: list[tuple[object, ...]] = []
        self._known: OrderedDict[str, int] = OrderedDict()
        self._named: dict[str, int] = {}
        """The numbers of some groups, by name."""
        self._quota = UrlQuota(0, Counter(), Counter())
        self._last_found = 0
        self._earliest_free: int | None = None
        """When the next group that nobody holds is due."""
        self._look_at = 0.0
        """When to ask again for groups, in steady time."""
        self._lease_from = 0.0
        """From when on groups are leased again, in steady time."""
        self._has_others = False
        self._stop = threading.Event()
        self._renewing: threading.Thread | None = None

    # HeldGroups.

    def may_visit(self, origin: str) -> bool:
        """Return whether this worker may send a request to an origin now; ask before each one."""
        leases = self._leases
        is_held = self._group_of(origin) in leases.names
        return is_held and self._steady() < leases.ends

    def check_lease(self, origin: str) -> None:
        """Raise if this worker may not send a request now; for `AiohttpFetcher(before_sending=)`.

        A site that it does not hold may be that of a robots.txt to which another one redirects; the
        store keeps its pace. A site that it held when it lost its leases is refused until it holds
        it again.

        Raises:
            StoreUnavailableError: The leases have ended. The crawl ends with it; run it again.

        """
        leases, group = self._leases, self._group_of(origin)
        is_lost = group in self._lost and group not in leases.names
        if is_lost or self._steady() >= leases.ends:
            message = (
                f"the leases of this worker in {self._server.name} have ended, because it was "
                f"stopped or could not renew them, and nothing was sent to {origin}; run it again"
            )
            raise StoreUnavailableError(message)

    def lease_of(self, origin: str) -> int | None:
        """Return the number of the lease of a site, which no other lease of it has.

        Returns:
            `None` if this worker has not leased it.

        """
        group = self._leases.names.get(self._group_of(origin))
        return None if group is None else group.lease

    @property
    def held(self) -> int:
        """The number of groups that this worker has leased."""
        return len(self._leases.groups)

    @property
    def waits(self) -> int:
        """How often a call had to wait for the server."""
        return self._server.waits

    def _ends(self, asked: float) -> float:
        """Return until when a lease may be used for which the server was asked at a time."""
        return asked + self._length - self._margin

    def _register(self) -> HeldGroups:
        """Return the leases; begin anew if they are lost, or not begun."""
        with self._lock:
            if self._leases.worker:
                return self._leases
            asked = self._steady()
            values = (plain(self._name), round(self._length * SECOND))
            row = self._server.run(lambda one: self._do(one, "register", values).fetchone())
            self._leases = HeldGroups(row[0], self._ends(asked))
            if self._carrier is not None:
                self._carrier.begin(row[0])
            leases = (self._heap, self._suspected, self._taken, self._gathered, self._unread)
            for some in (*leases, self._idle, self._settling):
                some.clear()
            self._look_again()
        if self._renewing is None:
            self._renewing = threading.Thread(target=self._renew_always, daemon=True)
            self._renewing.start()
        return self._leases

    def _renew_always(self) -> None:
        """Renew the leases until the queue is closed."""
        while not self._stop.wait(self._length / 4):
            # If that fails, the leases end by themselves, and nothing is visited.
            with suppress(StoreError):
                self.renew()

    def renew(self) -> bool:
        """Renew all leases of this worker; return whether it still had them.

        A thread does this four times in the length of a lease.

        Raises:
            StoreError: The server cannot be reached.

        """
        leases = self._leases
        if not leases.worker:
            return False
        asked = self._steady()
        values = (round(self._length * SECOND), self._is_hungry, leases.worker, leases.worker)
        renewed: Callable[[], None] = nothing

        def work(connection: PostgresConnection) -> tuple[int] | None:
            nonlocal renewed
            if self._carrier is None:
                found: tuple[int] | None = self._do(connection, "renew", values).fetchone()
                return found
            with connection.transaction():
                found = self._do(connection, "renew", values).fetchone()
                renewed = nothing if found is None else self._carrier.renew(connection)
                return found

        row = self._server.run(work)
        with self._lock:
            if leases is not self._leases:
                return False
            if row is None:  # another worker has inherited everything
                self._lost |= leases.names.keys()
                self._leases = HeldGroups()
                if self._carrier is not None:
                    self._carrier.begin(0)
                return False
            renewed()
            leases.ends = max(leases.ends, self._ends(asked))
            self._others_wait = row[0] > 0
            return True

    def _held_leases(self) -> HeldGroups:
        """Return leases that have not ended; renew or replace those that have."""
        leases = self._register()
        if self._steady() >= leases.ends and not self.renew():
            return self._register()
        return leases

    # Adding.

    def add(self, found: Iterable[Candidate], now: datetime) -> list[int]:
        """Collect the URLs found on one page; see `Frontier.add`.

        They are written with the outcome of the page, and at once if none is being visited, or if
        they come from elsewhere.
        """
        at, page = instant(now, "now"), PageQuota()
        pairs = [*found]
        numbers = [self._added(one, entry, at, page) for one, entry in pairs]
        self._quota.count(page)
        is_of_visit = self._taken and not any(one.how in OF_NO_VISIT for one, _ in pairs)
        if not is_of_visit or len(self._found) >= MOST_FOUND:
            self._write([])
        return numbers

    def _added(self, found: Any, entry: Any, at: int, page: PageQuota) -> int:  # noqa: ANN401  a candidate
        skip = entry.skip_reason
        number = self._known.get(entry.url)
        if number is not None and (number > 0 or skip):
            self._known.move_to_end(entry.url)
            return abs(number)
        if number is None and not self._quota.has_room(page, found, skip):
            return 0
        if number is not None:
            self._quota.is_queued()
        key = url_key(entry.url)
        number = url_number(key)
        self._last_found = max(self._last_found + 1, time_ns() // 1000)
        row = (
            self._group_of(entry.origin),
            key,
            number,
            plain(kept_form(entry.url) if skip else entry.url),
            plain(kept_form(entry.origin) if skip else entry.origin),
            entry.depth,
            entry.hops,
            found.how,
            plain(entry.source if found.how == "sitemap-file" else shortened(entry.source)),
            plain(entry.spelling),
            "skipped" if skip else "queued",
            skip,
            None if skip else at,
            self._last_found,
        )
        self._found.append(row)
        self._known[entry.url] = -number if skip else number
        if len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        return number

    # Asking the server.

    def _do(self, connection: PostgresConnection, name: str, values: Sequence[object] = ()) -> Any:  # noqa: ANN401  a cursor
        return connection.execute(self._statements[name], values)

    def _write(self, settled: Sequence[Settled]) -> set[tuple[int, UUID]]:
        """Write what was found and what was settled; return those whose leases were held."""
        found, self._found = self._found, []
        later: list[Settled] = []
        if self._settling and self._make_durable():
            later, self._settling = self._settling, []
        settled = [*later, *settled]
        if not found and not settled:
            return set()
        worker = self._leases.worker
        names = {str(row[0]) for row in found}
        known = {name: self._named[name] for name in names & self._named.keys()}
        named: dict[str, int] = {}
        groups = [one.group for one in settled]
        leases = self._leases.groups
        wanted = dict.fromkeys([*groups, *self._unread])
        unread = [one for one in wanted if one in leases and not leases[one].is_read]
        following: list[tuple[Any, ...]] = []
        holders: list[int | None] = []
        tries = 0

        def work(connection: PostgresConnection) -> set[tuple[int, UUID]]:
            nonlocal tries
            tries += 1
            with connection.transaction():
                if found:
                    new = self._name_groups(connection, sorted(names - known.keys()))
                    named.update(known | new)  # those of an earlier try may be undone
                    holders[:] = self._merge(connection, found, named)
                held: set[tuple[int, UUID]] = set()
                if settled:
                    held = self._settled(connection, settled, worker)
                if settled and tries > 1:  # an earlier try may have taken effect
                    rows = self._do(connection, "held", (worker, groups))
                    ours = {row[0] for row in rows}
                    held |= {(one.group, one.key) for one in settled if one.group in ours}
                following[:] = self._read_ahead(connection, unread)
                return held

        try:
            held = self._server.run(work)
        except BaseException:
            self._found, self._settling = found + self._found, later + self._settling
            raise
        if len(self._named) > MOST_KNOWN:
            self._named.clear()
        self._named.update(named)
        for name in names:
            group = self._leases.names.get(name)
            # What was found comes after what is read and due, and before all else.
            if group is not None and (not group.ahead or group.ahead[-1].due > self._asked_at):
                self._forget_next(group)
        self._follow(following)
        if None in holders or (found and tries > 1):
            self._look_again()
        return held

    def _settled(
        self, connection: PostgresConnection, settled: Sequence[Settled], worker: int
    ) -> set[tuple[int, UUID]]:
        """Write outcomes, within a transaction; return those whose leases were held."""
        values = (*by_column(settled), worker)
        return {(row[0], row[1]) for row in self._do(connection, "settle", values)}

    def _look_again(self) -> None:
        """Check for free groups before the next URL is taken, since there may be some."""
        self._look_at = 0.0
        self._earliest_free = self._asked_at

    def _read_ahead(
        self, connection: PostgresConnection, groups: Sequence[int]
    ) -> list[tuple[Any, ...]]:
        """Read the next URLs of groups."""
        if not groups:
            return []
        most = min(max(MOST_READ // len(groups), 1), MOST_AHEAD)
        rows: list[tuple[Any, ...]] = self._do(connection, "next", (groups, most)).fetchall()
        return rows

    def _follow(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Note the next URLs of groups, as the server has them."""
        following: dict[int, deque[NextUrl]] = {}
        for number, *row in rows:
            ahead = following.setdefault(number, deque())
            if row[0] is not None:
                ahead.append(NextUrl(*row))
        for number, ahead in following.items():
            group = self._leases.groups.get(number)
            if group is None:
                continue
            group.ahead, group.marked, group.is_read = ahead, 0, True
            self._unread.discard(number)
            self._push(group)

    def _forget_next(self, group: HeldGroup) -> None:
        """Read the next URLs of a group again, but for those that are marked."""
        while len(group.ahead) > group.marked:
            group.ahead.pop()
        if group.marked:
            return
        group.is_read = False
        if not group.is_busy and not group.unsettled:  # an outcome brings the next ones
            self._unread.add(group.number)

    def _go_on(self, group: HeldGroup) -> None:
        """Schedule the next URL of a group, or read which that is."""
        if group.is_read:
            self._push(group)
        else:
            self._forget_next(group)

    def _push(self, group: HeldGroup) -> None:
        """Schedule the next URL of a group, unless it waits for the end of a visit."""
        if group.is_busy or group.number in self._leases.promised:
            return
        if group.next is not None:
            is_suspected = group.next.crashes and not group.marked
            heap = self._suspected if is_suspected else self._heap
            heapq.heappush(heap, (group.at, next(self._order), group.number))
        if group.at > self._horizon:
            self._idle.append(group)

    @property
    def _horizon(self) -> int:
        """From when on a group is better left to others."""
        return self._asked_at + round(self._length * SECOND)

    def _name_groups(self, connection: PostgresConnection, names: list[str]) -> dict[str, int]:
        """Return the numbers of groups, which are made if they are new."""
        if not names:
            return {}
        self._do(connection, "name groups", (names,))
        return dict(self._do(connection, "groups named", (names,)).fetchall())

    def _merge(
        self,
        connection: PostgresConnection,
        found: list[tuple[object, ...]],
        named: Mapping[str, int],
    ) -> list[int | None]:
        """Write the found URLs, within a transaction; return who holds the groups of new ones."""
        self._do(connection, "stage")
        with connection.cursor() as cursor, cursor.copy(self._statements["copy"]) as copy:
            for row in found:
                copy.write_row((named[str(row[0])], *row[1:]))
        return [row[0] for row in self._do(connection, "merge")]

    def _lease(self, at: int) -> None:
        """Lease groups that are due, if there is room for them."""
        leases = self._leases
        wanted = self._most - len(leases.groups)
        if wanted <= 0 or self._steady() < self._lease_from:
            return
        tries = 0
        carried: Callable[[], None] = nothing
        buries = self._steady() >= self._bury_at

        def work(connection: PostgresConnection) -> list[tuple[Any, ...]] | None:
            nonlocal tries, carried
            tries += 1
            with connection.transaction():
                if self._do(connection, "stay", (leases.worker,)).fetchone() is None:
                    return None
                late = self._do(connection, "bury", (leases.worker,)) if buries else ()
                dead = dict(late)
                if dead:
                    self._inherit(connection, at, [*dead])
                    if self._carrier is not None:
                        self._carrier.inherit(connection, dead)
                values: tuple[object, ...] = (leases.worker, at, wanted)
                rows: list[tuple[Any, ...]] = self._do(connection, "lease", values).fetchall()
                if tries > 1:  # an earlier try may have taken effect
                    known = (leases.worker, [*leases.groups])
                    rows = self._do(connection, "leased", known).fetchall()
                if len(rows) < wanted:
                    others = self._do(connection, "others", (leases.worker,)).fetchone()
                    self._earliest_free, self._has_others = others
                if self._carrier is not None and rows:
                    carried = self._carrier.carry(connection, [row[1] for row in rows])
                return rows

        rows = self._server.run(work)
        if rows is None:  # another worker has inherited everything, which renewing finds
            self.renew()
            return
        carried()
        if buries:
            self._bury_at = self._steady() + LOOK_AGAIN
        self._is_hungry = not rows and not leases.groups
        for number, name, lease in rows:
            leases.groups[number] = leases.names[name] = HeldGroup(number, name, lease)
            self._unread.add(number)
        self._look_at = self._steady() + (LOOK_AGAIN if len(rows) < wanted else 0.0)

    def _inherit(self, connection: PostgresConnection, at: int, workers: list[int]) -> None:
        """Free the groups of workers that are gone; their visits count as crashed."""
        groups = [row[0] for row in self._do(connection, "inherit", (at, workers))]
        self._do(connection, "crashed", (MOST_CRASHES, at, groups))

    def _read_next(self) -> None:
        """Read the next URL of each group that needs one; give back groups that have none."""
        leases, numbers = self._leases, [*self._unread]
        if numbers:
            self._follow(self._server.run(lambda one: self._read_ahead(one, numbers)))
        self._idle = [one for one in self._idle if one.is_read and one.at > self._horizon]
        idle: list[HeldGroup] = []
        if self._idle and not self._keeps_idle():
            idle, self._idle = self._idle, []
        if leases.promised and self._steady() >= leases.promised_until:
            self._take_back()
        if self._others_wait:
            self._promise()
        given = [leases.groups[one] for one in leases.promised if leases.groups[one].is_idle]
        if given:  # who has nothing to give may lease what others gave
            self._lease_from = self._steady() + GENEROUS
        self._give_up([*idle, *given])

    def _promise(self) -> None:
        """Promise half of what can wait to others.

        A group whose outcomes are settled with the next batch passes on after that: while it is
        visited, the next outcome always comes before the batch ends.
        """
        leases = self._leases
        some = [one for one in leases.groups.values() if not (one.is_busy or one.unsettled)]
        if self._is_batch_late:
            some = [one for one in some if not one.gathered]
        if not leases.promised:
            leases.promised_until = self._steady() + PROMISED_FOR
        # Those that are promised already, and then those that can go soonest.
        promised = leases.promised
        some.sort(key=lambda g: (g.number not in promised, g.gathered, g.marked, -g.at))
        has_several = len(leases.groups) > 1
        half = max(len(some) // 2, int(has_several))
        leases.promised.update(one.number for one in some[:half])
        # If all are visited, nothing more is marked until some are not.
        self._others_wait = has_several and not leases.promised and not self._is_batch_late

    def _take_back(self) -> None:
        """Go on with what was promised, since the batch cannot be settled at the moment."""
        groups = [self._leases.groups[one] for one in self._leases.promised]
        self._is_batch_late = True
        self._leases.promised.clear()
        for one in groups:
            self._go_on(one)

    @property
    def _has_to_give(self) -> bool:
        """Whether others wait, or get what they were promised, before anything is marked here."""
        leases = self._leases
        return self._others_wait or any(leases.groups[one].is_idle for one in leases.promised)

    @property
    def is_promising(self) -> bool:
        """Whether others get groups after the next `settle_all`."""
        return bool(self._leases.promised)

    def _keeps_idle(self) -> bool:
        """Return whether groups without a URL are kept for the moment."""
        now = self._steady()
        if self._idle_until <= now - IDLE_FOR:  # the first in a while
            self._idle_until = now + IDLE_FOR
        is_at_work = bool(self._heap or self._suspected) or self._is_visiting
        has_room = len(self._leases.groups) < self._most
        return is_at_work and has_room and not self._others_wait and now < self._idle_until

    def _give_up(self, groups: Collection[HeldGroup]) -> None:
        """End the leases of groups, which have nothing to do here now."""
        unique = {one.number: one for one in groups if one.is_idle}
        if not unique:
            return
        worker = self._leases.worker
        numbers, ready = [*unique], [max(one.ready, 0) for one in unique.values()]
        self._unmark(unique)
        given: Callable[[], None] = nothing

        def work(connection: PostgresConnection) -> None:
            nonlocal given
            with connection.transaction():
                self._do(connection, "lock groups", (worker, numbers))
                self._do(connection, "free groups", (numbers, ready, worker))
                if self._carrier is not None:
                    given = self._carrier.give(connection, [one.name for one in unique.values()])

        self._server.run(work)
        given()
        for one in unique.values():
            self._leases.groups.pop(one.number, None)
            self._leases.promised.discard(one.number)
            self._leases.names.pop(one.name, None)
            self._unread.discard(one.number)
        self._look_again()

    def _mark(self, at: int) -> bool:
        """Mark the next URLs of some groups that may be visited now, before they are taken.

        A URL in whose visit a worker may have vanished is marked by itself, directly before it is
        taken: others must not come to be suspected with it, again and again.

        Returns:
            Whether there are any.

        """
        due = self._due(self._heap, at, MOST_MARKED)
        groups = [self._leases.groups[number] for number in due]
        depth = max(MOST_MARKED // max(len(groups), 1), 1)
        wanted = [pair for group in groups for pair in self._to_mark(group, depth, at)]
        if wanted:
            self._mark_urls(wanted)
        for one in groups:
            if one.marked:  # before those that have the same time and are not marked
                heapq.heappush(self._heap, due[one.number])
            elif one.is_read:
                self._push(one)
        if any(one.marked for one in groups):
            return True
        suspected = [self._leases.groups[number] for number in self._due(self._suspected, at, 1)]
        if suspected:
            self._unmark()
            self._mark_urls([(one, one.next) for one in suspected if one.next is not None])
        for one in suspected:
            if one.is_read:
                self._push(one)
        return any(one.marked for one in suspected)

    def _due(
        self, heap: list[tuple[int, int, int]], at: int, most: int
    ) -> dict[int, tuple[int, int, int]]:
        """Remove the groups from a heap that may be visited now; return their entries."""
        due: dict[int, tuple[int, int, int]] = {}
        while heap and heap[0][0] <= at and len(due) < most:
            entry = heapq.heappop(heap)
            if self._is_current(entry[0], entry[2]):
                due.setdefault(entry[2], entry)
        return due

    def _mark_urls(self, wanted: Sequence[tuple[HeldGroup, NextUrl]]) -> None:
        """Mark the next URLs of groups, so that their order stays the same."""
        columns = ([group.number for group, _ in wanted], [url.key for _, url in wanted])
        values = (*columns, self._leases.worker)
        rows = self._server.run(lambda one: self._do(one, "mark", values).fetchall())
        marked = {(row[0], row[1]) for row in rows}
        for group, url in wanted:
            is_next = group.marked < len(group.ahead) and group.ahead[group.marked] is url
            if is_next and (group.number, url.key) in marked:
                group.marked += 1
                marked.discard((group.number, url.key))
        if marked:  # those behind one that somebody else has decided on
            values = ([one for one, _ in marked], [key for _, key in marked], self._leases.worker)
            self._server.run(lambda one: self._do(one, "unmark", values).rowcount)
        for group in {group.number: group for group, _ in wanted}.values():
            if not group.marked:
                self._forget_next(group)

    def _to_mark(
        self, group: HeldGroup, depth: int, at: int
    ) -> Iterator[tuple[HeldGroup, NextUrl]]:
        """Yield the next URLs of a group that are to be marked with those of others."""
        most = depth if group.pause <= QUICK else 1
        for place, url in enumerate(itertools.islice(group.ahead, most)):
            if url.crashes or url.due > at:
                return
            if place >= group.marked:
                yield group, url

    def _unmark(self, groups: Collection[int] | None = None) -> None:
        """Queue marked URLs again that were not taken; by default those of all groups."""
        some = [one for one in self._leases.groups.values() if one.marked]
        some = [one for one in some if groups is None or one.number in groups]
        if not some:
            return
        pairs = [(one, url) for one in some for url in itertools.islice(one.ahead, one.marked)]
        keys = [url.key for _, url in pairs]
        values = ([one.number for one, _ in pairs], keys, self._leases.worker)
        self._server.run(lambda one: self._do(one, "unmark", values).rowcount)
        for one in some:
            one.marked = 0

    # Taking.

    def take(self, now: datetime) -> QueuedUrl | None:
        """Lease the next URL that is due, of a group held by this worker; see `Frontier.take`."""
        at = self._asked_at = instant(now, "now")
        leases = self._held_leases()
        if leases is not self._leases:
            return None
        for _ in range(MOST_ROUNDS):
            found = self._first(at)
            if found is not None:
                return found
            if not self._has_to_give and self._mark(at):
                continue
            if self._waits_for_more():
                break
            self._write([])
            self._read_next()
            free = self._earliest_free
            if self._steady() >= self._look_at or (free is not None and free <= at):
                self._lease(at)
                self._read_next()
        if self._earliest_free is not None:
            self._earliest_free = max(self._earliest_free, at + round(LOOK_AGAIN * SECOND))
        return None

    def _waits_for_more(self) -> bool:
        """Return whether further outcomes will come soon, which can be written together."""
        is_young = self._steady() < self._settling_since + TOGETHER
        return bool(self._settling) and self._is_visiting and is_young

    def _first(self, at: int) -> QueuedUrl | None:
        """Return the URL of the first group that is marked and due."""
        while self._heap and self._heap[0][0] <= at:
            then, _, number = self._heap[0]
            if not self._is_current(then, number):
                heapq.heappop(self._heap)
                continue
            group = self._leases.groups[number]
            if not group.marked or group.next is None:
                return None
            heapq.heappop(self._heap)
            return self._take(group, group.next)
        return None

    def _take(self, group: HeldGroup, url: NextUrl) -> QueuedUrl:
        group.ahead.popleft()
        group.marked -= 1
        group.is_busy, group.is_read = True, bool(group.ahead)
        group.visits += 1
        group.unsettled += 1
        visit = (group.lease - 1) * VISITS_OF_A_LEASE + group.visits
        self._taken[url.number] = (group, url, visit)
        values = (url.number, url.url, url.origin, url.depth, url.hops, url.attempts, url.how)
        return QueuedUrl(*values, url.source, visit, url.spelling)

    def holds(self, taken: QueuedUrl) -> bool:
        """Whether a URL is still under the lease with which it was taken."""
        return self._held(taken) is not None

    def _held(self, taken: QueuedUrl) -> tuple[HeldGroup, NextUrl] | None:
        group, url, visit = self._taken.get(taken.id, (None, None, 0))
        if group is None or url is None or visit != taken.visit:
            return None
        return (group, url) if self._leases.groups.get(group.number) is group else None

    def settle(self, taken: QueuedUrl, outcome: Outcome, now: datetime) -> bool:
        """Record the outcome of a URL, with what was found, and end its lease."""
        return self.settle_many([(taken, outcome, now)])[0]

    def settle_many(self, settled: Sequence[tuple[QueuedUrl, Outcome, datetime]]) -> list[bool]:
        """Record the outcomes of several URLs in one transaction; see `Frontier.settle`."""
        rows = self._rows_of(settled)
        written = self._write([*rows.values()]) if rows else set()
        answers = []
        for taken, _, _ in settled:
            row = rows.pop(taken.id, None)
            answers.append(row is not None and (row.group, row.key) in written)
            if row is not None:
                self._untake(taken.id)
        return answers

    def settle_soon(
        self,
        settled: Sequence[tuple[QueuedUrl, Outcome, datetime]],
        make_durable: Callable[[], bool],
    ) -> None:
        """End the leases of several URLs, whose outcomes are recorded with others; see `Frontier`.

        That happens when a URL is to be taken and none is at hand, or there are many.
        """
        self._make_durable = make_durable
        rows = self._rows_of(settled)
        if not self._settling:
            self._settling_since = self._steady()
        self._settling += rows.values()
        for number in rows:
            self._untake(number)
        if len(self._settling) >= MOST_SETTLED:
            self._write([])

    def settle_now(self, older_than: float = 0.0) -> None:
        """Record what `settle_soon` was given, if some of it is older than that in seconds."""
        if self._settling and self._steady() >= self._settling_since + older_than:
            self._write([])

    def gathered(self, taken: Iterable[QueuedUrl]) -> None:
        """Go on with the sites of URLs whose outcomes are recorded, and settled with a batch.

        What their pages led to is written at once, for all workers. If the process ends before
        `settle_all`, the URLs are visited again.
        """
        for one in taken:
            held = self._held(one)
            if held is None or one.id in self._gathered:
                continue
            self._gathered.add(one.id)
            held[0].unsettled -= 1
            held[0].gathered += 1
            if not held[0].is_read:
                self._forget_next(held[0])
        self._write([])

    @property
    def _is_visiting(self) -> bool:
        """Whether visits are under way."""
        return len(self._taken) > len(self._gathered)

    @property
    def is_resting(self) -> bool:
        """Whether nothing is left to take or to wait for, but what `settle_all` is to settle."""
        leases = self._leases
        groups = [one for one in leases.groups.values() if one.number not in leases.promised]
        is_free = self._earliest_free is not None and self._earliest_free <= self._asked_at
        rest = self._found or self._unread or self._is_visiting or is_free
        return not rest and all(one.next is None or one.at > self._horizon for one in groups)

    def settle_all(
        self,
        settled: Sequence[tuple[QueuedUrl, Outcome, datetime]],
        within: Callable[[PostgresConnection], bool],
    ) -> None:
        """Record the outcomes of a batch: all of them in one transaction, or none.

        Args:
            settled: The outcomes, after `gathered`.
            within: Does the rest of the transaction, and returns whether it does so for the first
                time; if not, an earlier one has taken effect, whose answer was lost.

        Raises:
            StoreError: The server cannot be reached.
            UnheldUrls: Some leases have ended; nothing was changed.

        """
        rows = self._rows_of(settled)
        missing = {taken.id for taken, _, _ in settled} - rows.keys()
        if missing:
            raise UnheldUrls(missing)
        numbers = {(row.group, row.key): number for number, row in rows.items()}
        worker = self._leases.worker

        def work(connection: PostgresConnection) -> None:
            with connection.transaction():
                if not within(connection) or not rows:
                    return
                held = self._settled(connection, [*rows.values()], worker)
                if len(held) < len(rows):
                    raise UnheldUrls([numbers[one] for one in numbers.keys() - held])

        self._write([])
        self._server.run(work)
        self._is_batch_late = False
        for number in rows:
            self._untake(number)

    def release(self, taken: Iterable[QueuedUrl]) -> None:
        """Forget that URLs were taken which `settle_all` did not find under their leases."""
        for one in taken:
            if one.id in self._taken:
                self._untake(one.id)

    def _rows_of(
        self, settled: Sequence[tuple[QueuedUrl, Outcome, datetime]]
    ) -> dict[int, Settled]:
        """Return outcomes as they are written, by the numbers of their URLs, if they are held."""
        rows: dict[int, Settled] = {}
        for taken, outcome, now in settled:
            held = self._held(taken)
            if held is None:
                continue
            at = instant(now, "now")
            due = None if outcome.due is None else instant(outcome.due, "due")
            state = (outcome.state, outcome.reason, plain(outcome.source), outcome.status, due)
            rest = (at, outcome.target, outcome.failed)
            rows[taken.id] = Settled(held[0].number, held[1].key, *state, *rest)
        return rows

    def _untake(self, number: int) -> None:
        """Forget that a URL was taken."""
        group, _, _ = self._taken.pop(number)
        if number in self._gathered:
            self._gathered.discard(number)
            group.gathered -= 1
        else:
            group.unsettled -= 1
        self._go_on(group)

    def give_back(self, taken: QueuedUrl, reason: str = "", source: str = "") -> bool:
        """Return a URL to its place in the queue; see `Frontier.give_back`.

        It stays marked as one that may be taken at any time, so the server need not know, unless it
        is suspected of crashes.
        """
        held = self._held(taken)
        if held is None:
            return False
        group, url = held
        if reason or url.crashes or self._steady() >= self._leases.ends:
            why, who = plain(reason), plain(shortened(source))
            values = (why, why, why, who, group.number, url.key)
            self._server.run(lambda one: self._do(one, "give back", values).rowcount)
            self._forget_next(group)
        else:
            group.ahead.appendleft(url)
            group.marked += 1
            group.is_read = True
        self._untake(taken.id)
        return True

    def free(self, taken: QueuedUrl, ready: datetime | None) -> None:
        """Allow visits to the group of a URL again, from a given time; `None`: at once."""
        group = self._leases.names.get(self._group_of(taken.origin))
        if group is None:
            return
        group.is_busy, group.pause = False, 0
        if ready is not None:
            group.ready = instant(ready, "ready")
            group.pause = group.ready - self._asked_at
        self._go_on(group)

    @property
    def earliest(self) -> datetime | None:
        """When the next URL may be taken, as far as this worker knows."""
        times = []
        for heap in (self._heap, self._suspected):
            while heap and not self._is_current(*heap[0][::2]):
                heapq.heappop(heap)
            times += [one[0] for one in heap[:1]]
        if self._unread or self._found or self._settling:
            waits = round(TOGETHER * SECOND) if self._waits_for_more() else 0
            times.append(self._asked_at + waits)
        if self._idle and self._has_others:  # who may find URLs of them
            times.append(self._asked_at + round(IDLE_FOR * SECOND))
        has_room = len(self._leases.groups) < self._most
        if self._earliest_free is not None and has_room:
            times.append(max(self._earliest_free, self._asked_at))
        # An outcome may bring URLs; and if the leases are lost, nothing is known of any.
        is_lost = self._asked_at > 0 and not self._leases.worker and self._counts is None
        may_wait = self._is_visiting or bool(self._leases.promised)
        if is_lost or may_wait or (self._has_others and has_room):
            times.append(self._asked_at + round(LOOK_AGAIN * SECOND))
        return to_datetime(min(times)) if times else None

    def _is_current(self, at: int, number: int) -> bool:
        """Return whether an entry of the heap is that of the next URL of its group."""
        group = self._leases.groups.get(number)
        if group is None or number in self._leases.promised:
            return False
        return not group.is_busy and group.is_read and group.at == at

    # All URLs.

    def _all(self, work: Callable[[PostgresConnection], set[int]]) -> None:
        """Change URLs of any group; those that nobody holds are due when their URLs are."""
        self._unmark()
        self._write([])

        def change(connection: PostgresConnection) -> None:
            with connection.transaction():
                groups = sorted(work(connection))
                if groups:
                    self._do(connection, "as due", (groups,))

        self._server.run(change)
        for group in self._leases.groups.values():
            self._forget_next(group)
        self._look_again()

    def again(self, now: datetime, *, early: bool = False) -> int:
        """Queue the URLs that are due to be visited again; see `Frontier.again`."""
        at, count = instant(now, "now"), 0

        def work(connection: PostgresConnection) -> set[int]:
            nonlocal count
            if early:
                self._do(connection, "early", (at, at))
            groups = [row[0] for row in self._do(connection, "again", (GONE, at))]
            count = len(groups)
            return set(groups)

        self._all(work)
        return count

    def retry(self, reasons: Collection[str], now: datetime) -> None:
        """Make URLs due at once that failed or are queued; see `Frontier.retry`."""
        at = instant(now, "now")
        values = (at, at, [*reasons])
        self._all(lambda one: {row[0] for row in self._do(one, "retry", values)})

    def revisit(self, reason: str, is_wanted: Callable[[str], bool], now: datetime) -> int:
        """Queue URLs that are done for a reason; see `Frontier.revisit`."""
        return self._queue("done", (reason,), lambda row: is_wanted(row[2]), now)

    def admit(self, refuses: ScopeFilter, now: datetime, lifted: Collection[str] = ()) -> int:
        """Queue the skipped URLs that are within the bounds now; see `Frontier.admit`."""

        def is_within(row: tuple[Any, ...]) -> bool:
            _, _, url, origin, how, depth = row
            return not is_shortened(url) and refuses(url, origin, depth_of(how, depth)) is None

        return self._queue("skipped", ([*SKIP_REASONS, *lifted],), is_within, now)

    def _queue(
        self,
        statement: str,
        values: tuple[object, ...],
        is_wanted: Callable[[tuple[Any, ...]], bool],
        now: datetime,
    ) -> int:
        """Queue those URLs of a statement that are wanted; return how many."""
        at, count = instant(now, "now"), 0

        def work(connection: PostgresConnection) -> set[int]:
            nonlocal count
            rows = self._do(connection, statement, values).fetchall()
            wanted = [row for row in rows if is_wanted(row)]
            count = len(wanted)
            groups = [row[0] for row in wanted]
            self._do(connection, "queue", (at, groups, [row[1] for row in wanted]))
            return set(groups)

        self._all(work)
        self._known.clear()
        return count

    def outside(self, refuses: ScopeFilter) -> list[tuple[int, str]]:
        """Return the URLs that are out of bounds and not skipped yet; see `Frontier.outside`."""
        self._unmark()
        self._write([])
        rows = self._server.run(lambda one: self._do(one, "not skipped").fetchall())
        reasons = (
            (number, refuses(url, origin, depth_of(how, depth)))
            for number, url, origin, how, depth in rows
        )
        return [(number, reason) for number, reason in reasons if reason is not None]

    def skip(self, found: Iterable[tuple[int, str]], now: datetime) -> None:
        """Skip URLs, which are then no longer visited; see `Frontier.skip`."""
        at = instant(now, "now")
        self._decide([(number, "skipped", reason, "", None, at) for number, reason in found])

    def decide(self, url_ids: Collection[int], outcome: Outcome, now: datetime) -> None:
        """Record the outcome of URLs without a visit; see `Frontier.decide`."""
        due = None if outcome.due is None else instant(outcome.due, "due")
        source, at = plain(outcome.source), instant(now, "now")
        state = (outcome.state, outcome.reason, source, due, at)
        self._decide([(number, *state) for number in url_ids])

    def _decide(self, rows: Sequence[tuple[object, ...]]) -> None:
        columns = [list(column) for column in zip(*rows, strict=True)] if rows else [[]] * 6
        self._all(lambda one: {row[0] for row in self._do(one, "decide", columns)})
        numbers = {row[0] for row in rows}
        for number in [number for number in self._taken if number in numbers]:
            self._untake(number)
        for group in self._leases.groups.values():
            if any(one.number in numbers for one in group.ahead):
                # `_all` has left those that are marked.
                group.marked = 0
                self._forget_next(group)
        self._known.clear()

    @staticmethod
    def number_of(url: str) -> int:
        """Return the number of a URL; see `Frontier`."""
        return url_number(url_key(url))

    def urls_at(self, origin: str) -> list[tuple[int, str]]:
        """Return all URLs of an origin that are not skipped; see `Frontier.urls_at`."""
        self._write([])
        values = (self._group_of(origin), origin)
        return self._server.run(lambda one: self._do(one, "urls at", values).fetchall())

    def waiting(self, origin: str = "") -> int:
        """Count the queued URLs; those that are marked are queued until they are taken."""
        self._write([])
        held = self._leases.groups.values()
        marked = [url for one in held for url in itertools.islice(one.ahead, one.marked)]
        values = (origin, self._group_of(origin)) if origin else ()
        name = "waiting at" if origin else "waiting"
        row = self._server.run(lambda one: self._do(one, name, values).fetchone())
        ours = [url for url in marked if origin in {"", url.origin}]
        return int(row[0]) + len(ours)

    def how_many(self) -> dict[str, int]:
        """Count the URLs by state, in the order of `STATES`; once closed, as they were then."""
        if self._counts is not None:
            return self._counts
        self._write([])
        rows = self._server.run(lambda one: self._do(one, "states").fetchall())
        counts = Counter(dict(rows))
        marked = sum(one.marked for one in self._leases.groups.values())
        counts["leased"] -= marked
        counts["queued"] += marked
        return {state: counts[state] for state in STATES if counts[state]}

    @property
    def not_kept(self) -> int:
        """The number of URLs that this worker found and did not keep."""
        return self._quota.not_kept.total()

    def end_of(self, url_id: int, start: int) -> int:
        """Return the last URL that a URL leads to; see `Frontier.end_of`."""
        return end_of_chain(url_id, start, self._target_of)

    def _target_of(self, number: int) -> int | None:
        row = self._server.run(lambda one: self._do(one, "target", (number,)).fetchone())
        return None if row is None else row[0]

    def leading_to(self, url_id: int) -> list[int]:
        """Return the numbers of the URLs that lead to a URL, directly or through others."""
        values = (url_id, url_id)
        rows = self._server.run(lambda one: self._do(one, "leading", values).fetchall())
        return [row[0] for row in rows]

    def _leave(self, connection: PostgresConnection, worker: int) -> None:
        """Write everything back that is still carried, and remove this worker.

        If the answer of the server was lost, it may have leased groups of which it does not know.
        """
        with connection.transaction():
            if self._carrier is not None:
                self._carrier.give(connection, None)
            self._do(connection, "leave", (worker,))
            self._inherit(connection, self._asked_at, [worker])

    def close(self) -> None:
        """Write what was found, give back all URLs and groups, and close the connections.

        Closing again does nothing.
        """
        if self._counts is not None:
            return
        self._stop.set()
        try:
            self._write([])
            self._give_back_all()
            for group in self._leases.groups.values():
                group.is_busy = False
            self._give_up([*self._leases.groups.values()])
            worker = self._leases.worker
            if worker:
                self._server.run(lambda one: self._leave(one, worker))
            self._counts = self.how_many()
        finally:
            self._leases = HeldGroups()
            self._server.close()

    def _give_back_all(self) -> None:
        """Queue all URLs again that were taken and not settled.

        If what a visit found could not be recorded, such as on a full disk, the worker ended during
        that visit: so it is counted, because there may be no other evidence of it.
        """
        gathered: list[tuple[int, UUID]] = []
        broken: list[tuple[int, UUID]] = []
        for number, (group, url, _) in self._taken.items():
            some = gathered if number in self._gathered else broken
            some.append((group.number, url.key))
            group.unsettled = group.gathered = 0
        worker = self._leases.worker
        if gathered:
            queued = (*by_column(gathered), worker)
            self._server.run(lambda one: self._do(one, "unmark", queued).rowcount)
        if broken:
            ended = (MOST_CRASHES, *by_column(broken), worker)
            self._server.run(lambda one: self._do(one, "break off", ended).rowcount)
        self._taken.clear()
        self._gathered.clear()


def nothing() -> None:
    """Do nothing."""


def by_column(rows: Iterable[tuple[Any, ...]]) -> list[list[Any]]:
    """Return the columns of rows."""
    return [list(column) for column in zip(*rows, strict=True)]


def url_key(url: str) -> UUID:
    """Return the key of a URL: the first 128 bits of its SHA-256."""
    return UUID(bytes=sha256(url.encode("utf-8", "surrogatepass")).digest()[:16])


def url_number(key: UUID) -> int:
    """Return the number of a URL, above 0: the first 63 bits of its key.

    >>> url_number(url_key("https://a.example/")) > 0
    True
    """
    return (key.int >> 65) or 1


def plain(text: str) -> str:
    """Return a text as PostgreSQL can store it: without NUL and halves of surrogate pairs."""
    return (
        text.encode("utf-8", "replace").decode("utf-8").replace("\0", "\N{REPLACEMENT CHARACTER}")
    )
