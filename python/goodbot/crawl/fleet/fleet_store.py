"""The store of a worker: the pace of the sites that it has leased is kept in its memory.

Scope: which accounts are carried, and when they are written. `goodbot.store.carried_accounts` has
what is written, and why no crash lets anybody visit earlier.

| account | where a visit is granted |
|---|---|
| of a group that this worker has leased | in memory, at once |
| the same, if it needs a longer pause than is covered, or the site fails | it is written first |
| wanted by another process | in the database, for as long as a lease lasts |
| any other, such as that of a robots.txt to which another one redirects | in the database |

The accounts of groups are taken and given back in the transactions in which `PostgresFrontier`
leases the groups, gives them back, renews its leases, and inherits what others held.
"""

import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from goodbot.http.instants import SECOND, instant
from goodbot.net import Clock
from goodbot.pace import History
from goodbot.policy.holds import Hold, HoldKind
from goodbot.store import Later, Lease, PostgresStore, Record, StoredPolicy
from goodbot.store.account import (
    SLACK,
    Account,
    LeaseRequest,
    Release,
    blocked,
    granted,
    known,
    released,
)
from goodbot.store.backend import OF_A_GROUP, key_of
from goodbot.store.carried_accounts import Carried, CarriedAccounts, is_covered, with_block
from goodbot.store.postgres import row_key
from goodbot.store.postgres_server import PostgresConnection

__all__ = ["FleetStore"]


TOGETHER = 0.2
"""Seconds within which the decisions of the operator are asked for once."""


class FleetStore:
    """A store in PostgreSQL, and the accounts of leased groups in memory; see `Store`.

    Pass it to `PostgresFrontier(carrier=)` and to the crawl.

    Args:
        store: The store of all workers.
        clock: The clock of the crawl, by the time of the server.
        lease_seconds: How long the leases of the groups last.
        request_seconds: How long a request may take that was sent when they ended.
        margin: Seconds before the end of a lease from which on nothing is sent.

    """

    def __init__(
        self,
        store: PostgresStore,
        clock: Clock,
        *,
        lease_seconds: float,
        request_seconds: float,
        margin: float,
    ) -> None:
        """Carry nothing yet."""
        self.url = store.url
        """The URL, with which a crawl knows the store again."""
        self._store, self._clock = store, clock
        self._accounts = CarriedAccounts(store.server)
        self._least_cover = round(lease_seconds * SECOND / 2)
        self._length = lease_seconds
        self._late = round(max(request_seconds - margin, 0.0) * SECOND)
        """How long after the end of a lease a request that was sent before may last."""
        self._lock = threading.Lock()
        """Held while memory is read and changed, and never while the server is asked."""
        self._asking = threading.Lock()
        self._holds: list[Hold] = []
        self._asked_at = -math.inf
        self._worker = 0
        self._carried: dict[str, Account] = {}
        self._written: dict[str, Carried] = {}
        """The same as they are in the database."""
        self._unknown: set[str] = set()
        """The keys of carried accounts of origins that had no policy when they were leased."""
        self._leaving: dict[str, Account] = {}
        """Accounts that are being written back; visits ask the database meanwhile."""
        self._shared: dict[str, float] = {}
        """Until when accounts stay in the database that others wanted, in seconds of the clock."""

    def __repr__(self) -> str:
        """Show where it is."""
        return f"<FleetStore {self._store.server.name}: carries {len(self._carried)}>"

    # Policies, times and decisions are those of the store.

    def get(self, origin: str) -> dict[str, Any] | None:
        """Return the record that was put last."""
        with self._lock:
            key = row_key(key_of(origin))
            if key in self._unknown and key in self._carried:
                return None
        return self._store.get(origin)

    def put(self, origin: str, record: Record, now: datetime) -> None:
        """Store a record."""
        self.put_many([(origin, record)], now)

    def put_many(self, records: Iterable[tuple[str, Record]], now: datetime) -> None:
        """Store many records."""
        pairs = [*records]
        with self._lock:
            self._unknown.difference_update(row_key(key_of(origin)) for origin, _ in pairs)
        self._store.put_many(pairs, now)

    def history(self, origin: str) -> list[StoredPolicy]:
        """Return every policy ever seen."""
        return self._store.history(origin)

    def in_force(self, origin: str, at: datetime) -> StoredPolicy | None:
        """Return the policy that was in force at a time."""
        return self._store.in_force(origin, at)

    def keep_time(self, boot: str, wall: datetime, counted: timedelta) -> datetime:
        """Record the time of a clock by that of the server."""
        return self._store.keep_time(boot, wall, counted)

    def holds(self) -> list[Hold]:
        """Return every decision of the operator; visits that ask at once are answered together."""
        with self._asking:
            now = self._clock.monotonic()
            if now - self._asked_at >= TOGETHER:
                self._holds, self._asked_at = self._store.holds(), now
            return [*self._holds]

    def keep_hold(self, hold: Hold) -> None:
        """Store a decision."""
        self._store.keep_hold(hold)
        self._asked_at = -math.inf

    def lift_hold(self, place: str, kind: HoldKind) -> bool:
        """Remove a decision."""
        is_lifted = self._store.lift_hold(place, kind)
        self._asked_at = -math.inf
        return is_lifted

    # Budgets.

    def acquire_at_once(
        self,
        origin: str,
        now: datetime,
        lease_seconds: float,
        holder: str,
        *,
        pause: float = 10.0,
        for_robots_txt: bool = False,
    ) -> Lease | Later | None:
        """Request a lease in memory; `None` if the database must be asked. See `Budget`."""
        key = row_key(key_of(origin))
        if key not in self._carried:
            return None
        asked = LeaseRequest.of(key_of(origin), now, lease_seconds, holder, pause, for_robots_txt)
        return self._granted(key, asked)

    def _granted(self, key: str, asked: LeaseRequest) -> Lease | Later | None:
        """Grant a lease in memory, if the pause after it is covered."""
        with self._lock:
            account = self._carried.get(key)
            if account is None or asked.pause > self._written[key].cover:
                return None
            account = account.no_later_than(asked.now, SLACK)
            changed, answer = granted(account, asked)
            self._carried[key] = account if changed is None else changed
            return answer

    def acquire(
        self,
        origin: str,
        now: datetime,
        lease_seconds: float,
        holder: str,
        *,
        pause: float = 10.0,
        for_robots_txt: bool = False,
    ) -> Lease | Later:
        """Request a lease, the right to make one visit; see `Budget`."""
        asked = LeaseRequest.of(key_of(origin), now, lease_seconds, holder, pause, for_robots_txt)
        key = row_key(asked.origin)
        self._carry_again(key)
        with self._lock:
            account, known = self._carried.get(key), self._written.get(key)
        if account is not None and known is not None and asked.pause > known.cover:
            self._write({key: Carried(account, asked.pause * 5 // 4)})
        answer = self._granted(key, asked)
        if answer is not None:
            return answer
        return self._store.acquire(
            origin, now, lease_seconds, holder, pause=pause, for_robots_txt=for_robots_txt
        )

    def release_at_once(
        self,
        lease: Lease,
        *,
        ended: datetime,
        not_before: datetime | None,
        reason: str = "released",
        history: History | None = None,
    ) -> bool | None:
        """Release a lease in memory; `None` if something must be written. See `Budget`."""
        key = row_key(lease.origin)
        if key not in self._carried:
            return None
        given = Release.of(ended, not_before, reason, history)
        changed = self._released(key, lease, given, instant(ended, "ended"), is_written=False)
        return None if changed is None else changed[1]

    def _released(
        self, key: str, lease: Lease, given: Release, at: int, *, is_written: bool
    ) -> tuple[Account, bool] | None:
        """Release a lease in memory; `None` if the account must be written and is not yet."""
        with self._lock:
            account = self._carried.get(key)
            if account is None:
                return None
            account = account.no_later_than(at, SLACK)
            changed, is_valid = released(account, lease, given)
            known = self._written[key]
            if not is_written and not is_covered(known.account, changed, at, known.cover):
                return None
            self._carried[key] = changed
            return changed, is_valid

    def release(
        self,
        lease: Lease,
        *,
        ended: datetime,
        not_before: datetime | None,
        reason: str = "released",
        history: History | None = None,
    ) -> bool:
        """Release a lease; return whether it was still valid. See `Budget`."""
        key, at = row_key(lease.origin), instant(ended, "ended")
        given = Release.of(ended, not_before, reason, history)
        changed = self._released(key, lease, given, at, is_written=True)
        if changed is not None:
            with self._lock:
                known = self._written.get(key)
            if known is not None and self._write({key: Carried(changed[0], known.cover)}):
                return changed[1]
        return self._store.release(
            lease, ended=ended, not_before=not_before, reason=reason, history=history
        )

    def block(self, origin: str, until: datetime, reason: str = "blocked") -> None:
        """Grant nothing before a time; another worker hears of it when it renews its leases."""
        key, at = row_key(key_of(origin)), instant(until, "until")
        with self._lock:
            account = self._carried.get(key)
            if account is not None:
                account = self._carried[key] = blocked(account, at, reason)
                mine = {key: Carried(account, self._written[key].cover)}
        if account is None or not self._write(mine):
            self._store.block(origin, until, reason)

    def visits(self, origin: str) -> History:
        """Return the history of visits."""
        with self._lock:
            account = self._carried.get(row_key(key_of(origin)))
        return self._store.visits(origin) if account is None else known(account)

    def _write(self, accounts: Mapping[str, Carried]) -> bool:
        """Write accounts that stay here; return whether all of them are still carried."""
        worker = self._worker

        def work(connection: PostgresConnection) -> dict[str, Account]:
            with connection.transaction():
                return self._accounts.write(connection, worker, accounts)

        written = self._store.server.run(work)
        self._are_written(accounts, written)
        return len(written) == len(accounts)

    def _are_written(self, accounts: Mapping[str, Carried], written: Mapping[str, Account]) -> None:
        """Note what was written; what is not carried any more is forgotten."""
        with self._lock:
            for key, one in accounts.items():
                if key not in self._carried:
                    continue
                if key not in written:
                    del self._carried[key], self._written[key]
                    continue
                self._written[key] = Carried(written[key], one.cover)
                self._carried[key] = with_block(self._carried[key], written[key])

    def _carry_again(self, key: str) -> None:
        """Carry an account again that others wanted, if they have had it for long enough."""
        until = self._shared.get(key)
        if until is None or self._clock.monotonic() < until:
            return
        worker = self._worker

        def work(connection: PostgresConnection) -> dict[str, Account]:
            return self._accounts.carry(connection, worker, [key], self._least_cover)

        found = self._store.server.run(work)
        if found:
            self._note(found)

    def _note(self, found: Mapping[str, Account]) -> None:
        """Note accounts that are carried from now on."""
        with self._lock:
            for key, account in found.items():
                self._shared.pop(key, None)
                if key not in self._carried:
                    self._carried[key] = account
                    self._written[key] = Carried(account, self._least_cover)

    # What `PostgresFrontier` calls, within its transactions.

    def begin(self, worker: int) -> None:
        """Begin to carry accounts for a worker; those of an earlier one are lost."""
        with self._lock:
            self._worker = worker
            for some in (self._carried, self._written, self._unknown, self._leaving, self._shared):
                some.clear()

    def carry(self, connection: PostgresConnection, names: Sequence[str]) -> Callable[[], None]:
        """Carry the accounts of groups; call the result once the transaction is committed."""
        keys = [key_of_group(name) for name in names]
        found = self._accounts.carry(connection, self._worker, keys, self._least_cover)
        unknown = self._accounts.without_policy(connection, keys)

        def done() -> None:
            self._note(found)
            with self._lock:
                self._unknown |= unknown

        return done

    def give(
        self, connection: PostgresConnection, names: Sequence[str] | None
    ) -> Callable[[], None]:
        """Write the accounts of groups back; `None`: all. See `carry`."""
        if names is None:
            keys = [*self._carried, *self._leaving]
        else:
            keys = [key_of_group(name) for name in names]
        return self._give(connection, self._leave(keys), 0.0)

    def _leave(self, keys: Sequence[str]) -> dict[str, Account]:
        """Leave accounts to the database from here on; return them, also those of earlier tries."""
        with self._lock:
            for key in keys:
                if key in self._carried:
                    self._leaving[key] = self._carried.pop(key)
            return {key: self._leaving[key] for key in keys if key in self._leaving}

    def _give(
        self, connection: PostgresConnection, given: Mapping[str, Account], seconds: float
    ) -> Callable[[], None]:
        """Write accounts back, which stay in the database for some time."""
        if given:
            self._accounts.give(connection, self._worker, given)

        def done() -> None:
            until = self._clock.monotonic() + seconds
            with self._lock:
                for key in given:
                    self._leaving.pop(key, None)
                    self._written.pop(key, None)
                    self._unknown.discard(key)
                    if seconds:
                        self._shared[key] = until

        return done

    def inherit(self, connection: PostgresConnection, ended: Mapping[int, int]) -> None:
        """Write back the accounts of workers that are gone.

        Args:
            connection: A connection, within a transaction.
            ended: How long ago the leases of each worker ended, in microseconds.

        """
        now = instant(self._clock.now(), "now")
        then = {worker: now - ago + self._late for worker, ago in ended.items()}
        self._accounts.abandon(connection, then)

    def renew(self, connection: PostgresConnection) -> Callable[[], None]:
        """Write what has changed, and give to others what they want; see `carry`."""
        wanted = self._accounts.wanted(connection, self._worker)
        with self._lock:
            idle = [key for key in wanted if key in self._leaving or self._is_idle(key)]
        given = self._give(connection, self._leave(idle), self._length)
        with self._lock:
            changed = {
                key: Carried(account, self._written[key].cover)
                for key, account in self._carried.items()
                if account is not self._written[key].account
            }
        written = self._accounts.write(connection, self._worker, changed) if changed else {}

        def done() -> None:
            given()
            self._are_written(changed, written)

        return done

    def _is_idle(self, key: str) -> bool:
        """Return whether an account is carried, and no visit is under way."""
        return key in self._carried and not self._carried[key].held


def key_of_group(name: str) -> str:
    """Return the key of the account of a group: an origin is its own group."""
    return row_key(name if "://" in name else OF_A_GROUP + name)
