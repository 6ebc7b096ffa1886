"""A store in the memory of one process."""

import threading
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from goodbot.http.instants import instant
from goodbot.pace import History
from goodbot.policy.holds import Hold, HoldKind, scope_of
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
from goodbot.store.packing import Blob, Packed, Span, key_of, pack, placed, seen
from goodbot.store.protocols import Later, Lease, Record, Seen

__all__ = ["MemoryStore"]


@dataclass(frozen=True, slots=True)
class SeenPolicy:
    """A policy, and the time for which it was seen."""

    span: Span
    packed: Packed


class MemoryStore:
    """Policies and budgets in memory: for one process with its threads, and for tests.

    It implements `PolicyStore` and `Budget`; its content ends with the process.

    >>> from datetime import datetime, timezone
    >>> store = MemoryStore()
    >>> now = datetime(2025, 1, 1, tzinfo=timezone.utc)
    >>> store.put("https://example.com", {"access": "rules", "body": b""}, now)
    >>> store.get("https://example.com/any/page")
    {'access': 'rules', 'body': b''}
    """

    at_once = True
    """It never blocks: a robot may call it without a thread."""

    def __init__(self) -> None:
        """Create an empty store."""
        self._lock = threading.RLock()
        self._entries: dict[str, list[SeenPolicy]] = {}
        self._blobs: dict[bytes, Blob] = {}
        self._accounts: dict[str, Account] = {}
        self._zeros: dict[str, datetime] = {}
        self._holds: dict[tuple[str, HoldKind], Hold] = {}

    def get(self, origin: str) -> dict[str, Any] | None:
        """Return the record that was put last; `None` if there is none."""
        with self._lock:
            entries = self._entries.get(key_of(origin))
        return self._seen(entries[-1]).record if entries else None

    def put(self, origin: str, record: Record, now: datetime) -> None:
        """Store a record."""
        self.put_many([(origin, record)], now)

    def put_many(self, records: Iterable[tuple[str, Record]], now: datetime) -> None:
        """Store many records: all of them or, if one raises, none."""
        at = instant(now, "now")
        ready = [(key_of(origin), pack(record)) for origin, record in records]
        with self._lock:
            for key, packed in ready:
                self._place(self._entries.setdefault(key, []), self._shared(packed), at)

    def _shared(self, packed: Packed) -> Packed:
        """Store bytes once, even if many origins share them."""
        blobs = tuple(self._blobs.setdefault(one[0], one) for one in packed.blobs)
        return replace(packed, blobs=blobs)

    def _place(self, entries: list[SeenPolicy], packed: Packed, at: int) -> None:
        span, is_new = placed(entries[-1].span if entries else None, packed, at)
        if not is_new:
            entries.pop()
        entries.append(SeenPolicy(span, packed))

    def history(self, origin: str) -> list[Seen]:
        """Return every policy ever seen, oldest first."""
        with self._lock:
            return [self._seen(entry) for entry in self._entries.get(key_of(origin), [])]

    def in_force(self, origin: str, at: datetime) -> Seen | None:
        """Return the policy that was in force at a time; `None` if there was none yet."""
        moment = instant(at, "at")
        with self._lock:
            entries = self._entries.get(key_of(origin), [])
            place = bisect_right([entry.span.first for entry in entries], moment)
            return self._seen(entries[place - 1]) if place else None

    def _seen(self, entry: SeenPolicy) -> Seen:
        return seen(entry.span.first, entry.span.last, entry.packed.text, entry.packed.blobs)

    def keep_time(self, boot: str, wall: datetime, counted: timedelta) -> datetime:
        """Record the time of a clock; see `Timekeeper`."""
        instant(wall, "wall")
        with self._lock:
            return self._zeros.setdefault(boot, wall - counted)

    def acquire(  # noqa: PLR0913  see `Budget`
        self,
        origin: str,
        now: datetime,
        lease_seconds: float,
        holder: str,
        *,
        pause: float = 10.0,
        for_robots_txt: bool = False,
    ) -> Lease | Later:
        """Request a lease, the right to make one visit."""
        asked = LeaseRequest.of(key_of(origin), now, lease_seconds, holder, pause, for_robots_txt)
        with self._lock:
            account = self._account(asked.origin)
            if not self._zeros:  # by the time of day
                account = account.no_later_than(asked.now, SLACK)
            changed, answer = granted(account, asked)
            self._accounts[asked.origin] = account if changed is None else changed
            return answer

    def release(
        self,
        lease: Lease,
        *,
        ended: datetime,
        not_before: datetime | None,
        reason: str = "released",
        history: History | None = None,
    ) -> bool:
        """Release a lease; return whether it was still valid."""
        given = Release.of(ended, not_before, reason, history)
        with self._lock:
            changed, in_time = released(self._account(lease.origin), lease, given)
            self._accounts[lease.origin] = changed
            return in_time

    def block(self, origin: str, until: datetime, reason: str = "blocked") -> None:
        """Grant nothing before a time; an earlier block that lasts longer stays."""
        key, at = key_of(origin), instant(until, "until")
        with self._lock:
            self._accounts[key] = blocked(self._account(key), at, reason)

    def visits(self, origin: str) -> History:
        """Return the history of visits; `History()` if there was none."""
        with self._lock:
            return known(self._account(key_of(origin)))

    def _account(self, key: str) -> Account:
        return self._accounts.get(key) or Account()

    def holds(self) -> list[Hold]:
        """Return every decision of the operator; see `HoldKeeper`."""
        with self._lock:
            return [self._holds[key] for key in sorted(self._holds)]

    def keep_hold(self, hold: Hold) -> None:
        """Store a decision."""
        with self._lock:
            self._holds[hold.scope, hold.kind] = hold

    def lift_hold(self, place: str, kind: HoldKind) -> bool:
        """Remove a decision; return whether there was one."""
        with self._lock:
            return self._holds.pop((scope_of(place)[1], kind), None) is not None
