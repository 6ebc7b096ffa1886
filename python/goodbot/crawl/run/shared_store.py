"""The store of a crawl that shares its pace and its policies with other programs.

Scope: what comes from the shared store, and what from the folder of the crawl:

| what | where |
|---|---|
| leases, visits and blocks, and the zero of time | the shared store |
| the robots.txt that applies | the shared store |
| every robots.txt that this crawl obeyed, as evidence | the folder as well |
| decisions of the operator | both: those for all programs, and those for this crawl |

It uses no database of the crawl while the robot calls it, because the robot may call it in threads.
"""

import asyncio
from collections import deque
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from datetime import datetime, timedelta, timezone
from typing import Any, cast

from goodbot.crawl.folder.folder_store import FolderStore
from goodbot.crawl.run.part_guard import PartGuard, part_failure
from goodbot.http.instants import instant
from goodbot.net import Clock
from goodbot.pace import History
from goodbot.policy.holds import Hold, HoldKind
from goodbot.robot.store_executor import StoreExecutor
from goodbot.store import HoldKeeper, Later, Lease, Record, Store, StoredPolicy
from goodbot.store.account import Account, due_of, to_time

__all__ = ["SharedStore"]

ROLE = "store"
MOMENT = 60.0
"""Seconds for which the account of a site is held to pass on a wait."""
LONGEST_BLOCK = timedelta(hours=1)
"""The longest that a wait of the folder blocks a site for all programs: robots.txt, too."""


class SharedStore:
    """The store that a crawl shares, with what its folder adds.

    Args:
        store: The store.
        folder: The store in the folder of the crawl.
        clock: The clock; a test clock stands still while a policy is stored.

    """

    def __init__(self, store: Store, folder: FolderStore, clock: Clock) -> None:
        """Start without the decisions in the folder; `read_holds` reads them."""
        self._part, self._folder, self._now = store, folder, clock.now
        self._held = getattr(clock, "held", nullcontext)
        self._store = cast("Store", PartGuard(ROLE, store))
        self.at_once = getattr(store, "at_once", False) is True
        self._keeps_time = hasattr(store, "keep_time")
        if hasattr(store, "acquire_at_once"):
            guarded = cast("Any", self._store)
            self.acquire_at_once = guarded.acquire_at_once
            self.release_at_once = guarded.release_at_once
        self._zero: datetime | None = None
        self._told: tuple[str, datetime, timedelta] | None = None
        """The clock of the robot as it was reported last."""
        self._own_holds: Sequence[Hold] = ()
        self._executor = StoreExecutor(self)
        self.recalled: deque[tuple[str, datetime, Record]] = deque()
        """Policies that the robot got from the store, and when; the folder may not have them."""
        self._unshared: list[tuple[str, Record, datetime]] = []
        """Policies that are to be stored for all programs."""
        self._sharing = asyncio.Lock()
        self._stale: dict[str, datetime] = {}
        """From when on policies with an outcome are due again; with an empty name, all others."""

    @property
    def lent(self) -> object:
        """What the store says of a thread that uses it; see `Budget`."""
        return getattr(self._part, "lent", None)

    def __repr__(self) -> str:
        """Show which store it is."""
        return f"<SharedStore {type(self._part).__name__}>"

    def begin(self, now: datetime) -> None:
        """Begin a run: pass on the waits that the folder knows.

        Args:
            now: The time, as the store counts it.

        """
        for key, account in self._folder.waits(now):
            self._pass_on(key, account, now)

    def _pass_on(self, key: str, account: Account, now: datetime) -> None:
        """Make the store wait as long as the folder would, without losing what the store knows."""
        at = instant(now, "now")
        if account.block > at:
            self._store.block(key, to_time(account.block), account.blocked_by)
        if account.due <= at:
            return
        due = due_of(account)
        lease = self.acquire(key, now, MOMENT, "a crawl that joins")
        if isinstance(lease, Lease):
            history = None if lease.history.starts else account.history
            self._store.release(
                lease, ended=now, not_before=due, reason=account.reason, history=history
            )
        elif due is not None:  # another program waits already, but perhaps not as long
            self._store.block(key, min(due, now + LONGEST_BLOCK), account.reason)

    def read_holds(self) -> None:
        """Read the decisions in the folder, which may have changed."""
        self._own_holds = self._folder.holds()

    # Policies.

    def get(self, origin: str) -> dict[str, Any] | None:
        """Return the record that was put last, by whichever program."""
        record = self._store.get(origin)
        if record is None:
            return None
        self.recalled.append((origin, self._now(), record))
        return self._as_due(record)

    def _as_due(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return a record; if this run fetches robots.txt again in any case, as no longer fresh."""
        named = self._stale.get(str(record.get("outcome")))
        since = self._stale.get("") if named is None else named
        if since is None or (named is None and record.get("retry_at") is not None):
            return record
        if time_of(record.get("fetched_at")) >= since:
            return record
        due = {"fresh_until": since.isoformat()}
        return {**record, **due, **({} if named is None else {"retry_at": since.isoformat()})}

    def make_stale(self, outcome: str, now: datetime) -> None:
        """Make robots.txt due again in this run, for sites with a certain outcome."""
        self._stale[outcome] = now

    def make_all_stale(self, now: datetime) -> None:
        """Make robots.txt due again in this run, except of sites that said when to come back."""
        self._stale[""] = now

    async def share(self, origin: str, record: Record, now: datetime) -> None:
        """Store a policy for all programs; with others that come while some are stored."""
        if self.at_once:
            with self._held():
                await self._executor.call(lambda: self._store.put(origin, record, now))
            return
        mine = (origin, record, now)
        self._unshared.append(mine)
        async with self._sharing:
            if not any(one is mine for one in self._unshared):
                return
            together, self._unshared = self._unshared, []
            pairs, latest = [one[:2] for one in together], max(one[2] for one in together)
            store = self._store

            def work() -> None:
                if len(pairs) > 1:
                    store.put_many(pairs, latest)
                else:
                    store.put(*pairs[0], latest)

            try:
                with self._held():
                    await self._executor.call(work)
            except BaseException:  # those that wait try it themselves
                self._unshared = together + self._unshared
                raise

    def put(self, origin: str, record: Record, now: datetime) -> None:
        """Store a record; see `PolicyStore`."""
        self._store.put(origin, record, now)

    def put_many(self, records: Iterable[tuple[str, Record]], now: datetime) -> None:
        """Store many records; see `PolicyStore`."""
        self._store.put_many(records, now)

    def history(self, origin: str) -> list[StoredPolicy]:
        """Return every policy ever seen, by whichever program."""
        return self._store.history(origin)

    def in_force(self, origin: str, at: datetime) -> StoredPolicy | None:
        """Return the policy that was in force at a time."""
        return self._store.in_force(origin, at)

    # Budgets.

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
        answer: object = self._store.acquire(
            origin, now, lease_seconds, holder, pause=pause, for_robots_txt=for_robots_txt
        )
        if not isinstance(answer, Lease | Later):  # never permission
            wrong = f"acquire returned {type(answer).__name__}, not a Lease or Later"
            raise part_failure(ROLE, self._part, wrong)
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
        return self._store.release(
            lease, ended=ended, not_before=not_before, reason=reason, history=history
        )

    def block(self, origin: str, until: datetime, reason: str = "blocked") -> None:
        """Grant nothing before a time."""
        self._store.block(origin, until, reason)

    def visits(self, origin: str) -> History:
        """Return the history of visits, by whichever program."""
        return self._store.visits(origin)

    def keep_time(self, boot: str, wall: datetime, counted: timedelta) -> datetime:
        """Return the point from which to count the time of a clock; see `Timekeeper`."""
        self._told = boot, wall, counted
        if self._keeps_time:
            self._zero = cast("Any", self._store).keep_time(boot, wall, counted)
        if self._zero is None:
            self._zero = wall - counted
        return self._zero

    def tell_folder(self) -> None:
        """Report the time to the folder, as the store counts it: requests are recorded in it."""
        if self._told is None or self._zero is None:
            return
        boot, wall, counted = self._told
        name = f"{boot} from {self._zero.isoformat()}" if boot else ""
        self._folder.keep_time(name, self._zero + counted, counted)
        self._folder.keep_time(name, wall, counted)

    # Decisions of the operator.

    def holds(self) -> list[Hold]:
        """Return the decisions in the folder, and those in the store."""
        shared = cast("Any", self._store).holds() if isinstance(self._part, HoldKeeper) else ()
        return [*self._own_holds, *shared]

    def keep_hold(self, hold: Hold) -> None:
        """Store a decision for this crawl."""
        self._folder.keep_hold(hold)
        self.read_holds()

    def lift_hold(self, place: str, kind: HoldKind) -> bool:
        """Remove a decision for this crawl."""
        is_lifted = self._folder.lift_hold(place, kind)
        self.read_holds()
        return is_lifted


def time_of(written: object) -> datetime:
    """Return when a policy was fetched; the beginning of time if its record does not say."""
    try:
        return datetime.fromisoformat(str(written))
    except ValueError:
        return datetime.min.replace(tzinfo=timezone.utc)
