"""A store in the memory of one process."""

import threading
from bisect import bisect_right
from collections import Counter, OrderedDict
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.instants import instant
from goodbot.lazy_dataclass import dataclass
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
from goodbot.store.protocols import Later, Lease, Record, StoredPolicy

__all__ = ["MemoryStore"]

RECORD_BYTES = 1024
"""How many bytes a record takes beside its text and its bytes."""


@dataclass(frozen=True, slots=True)
class SeenPolicy:
    """A policy, and the time for which it was seen."""

    span: Span
    packed: Packed


class MemoryStore:
    """Policies and budgets in memory: for one process with its threads, and for tests.

    It implements `PolicyStore` and `Budget`; its content ends with the process.

    Args:
        max_bytes: How many bytes records may take together. Beyond that, the oldest records of the
            origins that were asked about least recently are dropped, as if they had not been put; a
            robot then fetches their robots.txt again. Budgets are kept. `None` for no bound.

    Raises:
        WrongTypeError: `max_bytes` is not an `int`.
        WrongValueError: `max_bytes` is not above 0.

    >>> from datetime import datetime, timezone
    >>> store = MemoryStore()
    >>> now = datetime(2025, 1, 1, tzinfo=timezone.utc)
    >>> store.put("https://example.com", {"access": "rules", "body": b""}, now)
    >>> store.get("https://example.com/any/page")
    {'access': 'rules', 'body': b''}
    """

    at_once = True
    """It never blocks: a robot may call it without a thread."""

    def __init__(self, max_bytes: int | None = None) -> None:
        """Create an empty store."""
        if max_bytes is not None and (isinstance(max_bytes, bool) or type(max_bytes) is not int):
            message = f"max_bytes must be an int or None, not {type(max_bytes).__name__}"
            raise WrongTypeError(message)
        if max_bytes is not None and max_bytes < 1:
            message = f"max_bytes must be above 0, such as 67_108_864; it is {max_bytes}"
            raise WrongValueError(message)
        self._max_bytes = max_bytes
        self._bytes = 0
        """How many bytes the records take together."""
        self._uses: Counter[bytes] = Counter()
        """How many records have each of the bytes."""
        self._lock = threading.RLock()
        self._entries: OrderedDict[str, list[SeenPolicy]] = OrderedDict()
        """The records of each origin; the origin that was asked about least recently is first."""
        self._blobs: dict[bytes, Blob] = {}
        self._accounts: dict[str, Account] = {}
        self._zeros: dict[str, datetime] = {}
        self._holds: dict[tuple[str, HoldKind], Hold] = {}

    def get(self, origin: str) -> dict[str, Any] | None:
        """Return the record that was put last; `None` if there is none."""
        with self._lock:
            key = key_of(origin)
            entries = self._entries.get(key)
            if entries is None:
                return None
            self._entries.move_to_end(key)
            newest = entries[-1]
        return self._seen(newest).record

    def put(self, origin: str, record: Record, now: datetime) -> None:
        """Store a record."""
        self.put_many([(origin, record)], now)

    def put_many(self, records: Iterable[tuple[str, Record]], now: datetime) -> None:
        """Store many records: all of them or, if one raises, none."""
        at = instant(now, "now")
        ready = [(key_of(origin), pack(record)) for origin, record in records]
        with self._lock:
            for key, packed in ready:
                self._place(self._entries.setdefault(key, []), packed, at)
                self._entries.move_to_end(key)
                self._drop_oldest()

    def _place(self, entries: list[SeenPolicy], packed: Packed, at: int) -> None:
        span, is_new = placed(entries[-1].span if entries else None, packed, at)
        shared = self._counted(packed)
        if not is_new:
            self._drop(entries.pop())
        entries.append(SeenPolicy(span, shared))

    def _counted(self, packed: Packed) -> Packed:
        """Store bytes once, even if many origins share them, and count what the record takes."""
        self._bytes += RECORD_BYTES + len(packed.text)
        for address, content in packed.blobs:
            if not self._uses[address]:
                self._bytes += len(content)
            self._uses[address] += 1
        blobs = tuple(self._blobs.setdefault(one[0], one) for one in packed.blobs)
        return packed._replace(blobs=blobs)

    def _drop(self, entry: SeenPolicy) -> None:
        """Count a record that is dropped, and drop bytes that no record has any more."""
        self._bytes -= RECORD_BYTES + len(entry.packed.text)
        for address, content in entry.packed.blobs:
            self._uses[address] -= 1
            if not self._uses[address]:
                self._bytes -= len(content)
                del self._uses[address], self._blobs[address]

    def _drop_oldest(self) -> None:
        """Drop records until the others take no more than they may; the newest one stays."""
        while self._max_bytes is not None and self._bytes > self._max_bytes:
            key, entries = next(iter(self._entries.items()))
            if len(self._entries) == 1 and len(entries) == 1:
                return
            self._drop(entries.pop(0))
            if not entries:
                del self._entries[key]

    def history(self, origin: str) -> list[StoredPolicy]:
        """Return every policy ever seen, oldest first."""
        with self._lock:
            return [self._seen(entry) for entry in self._entries.get(key_of(origin), [])]

    def in_force(self, origin: str, at: datetime) -> StoredPolicy | None:
        """Return the policy that was in force at a time; `None` if there was none yet."""
        moment = instant(at, "at")
        with self._lock:
            entries = self._entries.get(key_of(origin), [])
            place = bisect_right([entry.span.first for entry in entries], moment)
            return self._seen(entries[place - 1]) if place else None

    def _seen(self, entry: SeenPolicy) -> StoredPolicy:
        return seen(entry.span.first, entry.span.last, entry.packed.text, entry.packed.blobs)

    def keep_time(self, boot: str, wall: datetime, counted: timedelta) -> datetime:
        """Record the time of a clock; see `Timekeeper`."""
        instant(wall, "wall")
        with self._lock:
            return self._zeros.setdefault(boot, wall - counted)

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
