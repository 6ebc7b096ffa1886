"""A store in one SQLite file, for several processes.

Scope: its statements. The decisions are in `account` and `packing`, the file and its transactions
in `sqlite_file`.
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime, timedelta
from typing import Any

from goodbot.errors import NotAStoreError, StoreUnavailableError
from goodbot.http.instants import (
    EPOCH,
    MICROSECOND,
    SECOND,
    instant,
)
from goodbot.pace import History
from goodbot.policy.holds import Hold, HoldKind, scope_of
from goodbot.store.account import (
    SLACK,
    Account,
    LeaseRequest,
    Release,
    abandoned,
    blocked,
    granted,
    known,
    lost,
    released,
)
from goodbot.store.packing import (
    REPAIR,
    Blob,
    Packed,
    Span,
    key_of,
    pack,
    placed,
    read_hold,
    seen,
    unpack,
)
from goodbot.store.protocols import Later, Lease, Record, StoredPolicy
from goodbot.store.sqlite_file import SQLiteFile

__all__ = ["SQLiteStore", "SQLiteTables"]

SEEN = "SELECT first, last, record, octets FROM policies WHERE origin = ?"
NEWEST = SEEN + " ORDER BY first DESC LIMIT 1"
NEWEST_AT = SEEN + " AND first <= ? ORDER BY first DESC LIMIT 1"
OLDEST_FIRST = SEEN + " ORDER BY first"
STATE = "SELECT first, last, state FROM policies WHERE origin = ? ORDER BY first DESC LIMIT 1"
OCTETS = "SELECT sha256, octets FROM octets WHERE id = ?"
OCTETS_ID = "SELECT id FROM octets WHERE sha256 = ?"
KEEP_OCTETS = "INSERT INTO octets(sha256, octets) VALUES(?, ?)"
MAKE_STALE = (
    "UPDATE policies SET record = json_set(record, '$.fresh_until', ?, '$.retry_at', ?) "
    "WHERE json_extract(record, '$.outcome') = ?"
)
MAKE_ALL_STALE = (
    "UPDATE policies SET record = json_set(record, '$.fresh_until', ?1) WHERE "
    "json_extract(record, '$.retry_at') IS NULL AND json_extract(record, '$.fresh_until') > ?1"
)
AGAIN = "UPDATE policies SET last = ?, record = ? WHERE origin = ? AND first = ?"
ANEW = "INSERT INTO policies(origin, first, last, state, octets, record) VALUES(?, ?, ?, ?, ?, ?)"
ACCOUNT = (
    "SELECT number, held, holder, granted, expires, pause, due, reason, block, blocked_by, "
    "timeline, history FROM accounts WHERE origin = ?"
)
ACCOUNTS = "SELECT origin FROM accounts"
WAITING = "SELECT origin FROM accounts WHERE due > ? OR block > ?"
HELD = "SELECT origin FROM accounts WHERE held"
KEEP_ACCOUNT = (
    "INSERT OR REPLACE INTO accounts(origin, number, held, holder, granted, expires, pause, due, "
    "reason, block, blocked_by, timeline, history) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
TIMELINE = "SELECT id, zero, ahead FROM timelines WHERE boot = ?"
NEW_TIMELINE = "INSERT INTO timelines(boot, zero, ahead) VALUES(?, ?, 0)"
AHEAD = "SELECT ahead FROM timelines WHERE id = ?"
HOLDS = "SELECT scope, kind, why, who, at FROM holds ORDER BY scope, kind"
KEEP_HOLD = "INSERT OR REPLACE INTO holds(scope, kind, why, who, at) VALUES(?, ?, ?, ?, ?)"
LIFT_HOLD = "DELETE FROM holds WHERE scope = ? AND kind = ?"
SET_AHEAD = "UPDATE timelines SET ahead = ? WHERE id = ?"


MOST_ACCOUNTS = 2_048
"""How many accounts a store keeps in memory while its calls are made in groups."""
written_history = json.JSONEncoder(separators=(",", ":")).encode


class SQLiteTables:
    """Policies, budgets and decisions in the tables of a SQLite file.

    How a connection is had, and when a change takes effect, is up to a subclass.
    """

    path: str
    """The file, for messages."""
    _timeline = 0
    """By which timeline times are given and kept; 0 for the time of day."""
    _boot, _zero = "", 0
    _ahead = 0
    """Microseconds by which the time of day is ahead of it."""

    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """Yield the connection; convert exceptions of SQLite."""
        raise NotImplementedError

    def _writing(self) -> AbstractContextManager[sqlite3.Connection]:
        """Make a change completely or not at all."""
        raise NotImplementedError

    def _accounting(self) -> AbstractContextManager[sqlite3.Connection]:
        """Change one account completely or not at all."""
        return self._writing()

    # Policies.

    def get(self, origin: str) -> dict[str, Any] | None:
        """Return the record that was put last; `None` if there is none."""
        with self._reading() as connection:
            row = connection.execute(NEWEST, (key_of(origin),)).fetchone()
            return None if row is None else unpack(row[2], load_octets(connection, row[3]))

    def put(self, origin: str, record: Record, now: datetime) -> None:
        """Store a record."""
        self.put_many([(origin, record)], now)

    def put_many(self, records: Iterable[tuple[str, Record]], now: datetime) -> None:
        """Store many records: all of them or, if one raises, none."""
        at = instant(now, "now")
        # Before the transaction, so that nobody waits for the caller's own work.
        ready = [(key_of(origin), pack(record)) for origin, record in records]
        with self._writing() as connection:
            for key, packed in ready:
                place(connection, key, packed, at)

    def history(self, origin: str) -> list[StoredPolicy]:
        """Return every policy ever seen, oldest first."""
        with self._reading() as connection:
            rows = connection.execute(OLDEST_FIRST, (key_of(origin),)).fetchall()
            return [
                seen(first, last, text, load_octets(connection, numbers))
                for first, last, text, numbers in rows
            ]

    def in_force(self, origin: str, at: datetime) -> StoredPolicy | None:
        """Return the policy that was in force at a time; `None` if there was none yet."""
        moment = instant(at, "at")
        with self._reading() as connection:
            row = connection.execute(NEWEST_AT, (key_of(origin), moment)).fetchone()
            if row is None:
                return None
            first, last, text, numbers = row
            return seen(first, last, text, load_octets(connection, numbers))

    def make_stale(self, outcome: str, now: datetime) -> None:
        """Make robots.txt due again for sites with a certain outcome; their records stay.

        Args:
            outcome: The outcome of the request for robots.txt, a slug of `goodbot.policy`.
            now: The time, in UTC.

        """
        at = now.isoformat()
        with self._writing() as connection:
            connection.execute(MAKE_STALE, (at, at, outcome))

    def make_all_stale(self, now: datetime) -> None:
        """Make robots.txt due again for all sites, except those that said when to come back.

        Args:
            now: The time, in UTC.

        """
        with self._writing() as connection:
            connection.execute(MAKE_ALL_STALE, (now.isoformat(),))

    # Budgets.

    def keep_time(self, boot: str, wall: datetime, counted: timedelta) -> datetime:
        """Record the time of a clock; see `Timekeeper`."""
        at, count = instant(wall, "wall"), counted // MICROSECOND
        if not boot:
            return wall - counted
        with self._writing() as connection:
            row = connection.execute(TIMELINE, (boot,)).fetchone()
            if row is None:
                number = connection.execute(NEW_TIMELINE, (boot, at - count)).lastrowid or 0
                row = (number, at - count, 0)
            self._boot, (self._timeline, self._zero, known) = boot, row
            self._ahead = at - self._zero - count
            if abs(self._ahead - known) > SECOND:
                connection.execute(SET_AHEAD, (self._ahead, self._timeline))
        return EPOCH + self._zero * MICROSECOND

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
        key = key_of(origin)
        return self._acquire(
            LeaseRequest.of(key, now, lease_seconds, holder, pause, for_robots_txt)
        )

    def _acquire(self, asked: LeaseRequest) -> Lease | Later:
        """Grant a lease, or return when to try again."""
        with self._accounting() as connection:
            return self._grant(connection, asked)

    def _grant(self, connection: sqlite3.Connection, asked: LeaseRequest) -> Lease | Later:
        """Grant a lease as a part of a change."""
        account = self._account(connection, asked.origin, asked.now)
        changed, answer = granted(account, asked)
        if changed is not None:
            self._keep_last(connection, asked.origin, changed)
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
        return self._release(lease, given, instant(ended, "ended"))

    def _release(self, lease: Lease, given: Release, ended: int) -> bool:
        """Release a lease, whose visit ended at a time."""
        with self._accounting() as connection:
            return self._end_lease(connection, lease, given, ended)

    def _end_lease(
        self, connection: sqlite3.Connection, lease: Lease, given: Release, ended: int
    ) -> bool:
        """Release a lease as a part of a change."""
        account = self._account(connection, lease.origin, ended)
        changed, in_time = released(account, lease, given)
        self._keep_last(connection, lease.origin, changed)
        return in_time

    def abandon(self, now: datetime, others: Iterable[tuple[str, int, int]] = ()) -> list[str]:
        """End every lease, when all holders are known to be gone.

        Call it only if no other process uses this file, for example after a crash, before work
        continues. Otherwise leases end by themselves when they expire.

        Args:
            now: The time: an aware `datetime`.
            others: Visits of which only the start is known: the origin, the start in microseconds
                since 1970, and the microseconds to wait after it.

        Returns:
            The origins. The next visit to each comes after the pause of the lost one.

        """
        at = instant(now, "now")
        with self._writing() as connection:
            held = [origin for (origin,) in connection.execute(HELD)]
            for origin, began, pause in others:
                account = lost(self._account(connection, origin, at), began, pause, at)
                self._keep(connection, origin, account)
                if origin not in held:
                    held.append(origin)
            for origin in held:
                changed = abandoned(self._account(connection, origin, at), at)
                if changed is not None:
                    self._keep(connection, origin, changed)
        return held

    def block(self, origin: str, until: datetime, reason: str = "blocked") -> None:
        """Grant nothing before a time; an earlier block that lasts longer stays."""
        key, at = key_of(origin), instant(until, "until")
        with self._writing() as connection:
            self._keep(connection, key, blocked(self._account(connection, key), at, reason))

    def _keys_waiting(self, connection: sqlite3.Connection, at: int) -> list[str]:
        """Return the keys of the accounts whose next visit or block is later than a time."""
        return [key for (key,) in connection.execute(WAITING, (at, at)).fetchall()]

    def accounts(self) -> list[str]:
        """Return the keys of all accounts: origins and server groups."""
        with self._reading() as connection:
            return [str(key) for (key,) in connection.execute(ACCOUNTS)]

    def adopt(self, origin: str, other: "SQLiteTables") -> None:
        """Store the account of an origin that another store has; both count time from one point.

        Args:
            origin: The origin.
            other: The other store, which should not be asked about the origin any more.

        """
        key = key_of(origin)
        with other._reading() as connection:  # noqa: SLF001  of the same class
            account = other._account(connection, key)  # noqa: SLF001  as above
        with self._writing() as connection:
            self._keep(connection, key, account)

    def visits(self, origin: str) -> History:
        """Return the history of visits; `History()` if there was none."""
        with self._reading() as connection:
            return known(self._account(connection, key_of(origin)))

    # Decisions of the operator.

    def holds(self) -> list[Hold]:
        """Return every decision of the operator; see `HoldKeeper`."""
        with self._reading() as connection:
            return [read_hold(row, self.path) for row in connection.execute(HOLDS)]

    def keep_hold(self, hold: Hold) -> None:
        """Store a decision."""
        values = (hold.scope, hold.kind, hold.why, hold.by, instant(hold.at, "at"))
        with self._writing() as connection:
            connection.execute(KEEP_HOLD, values)

    def lift_hold(self, place: str, kind: HoldKind) -> bool:
        """Remove a decision; return whether there was one."""
        scope = scope_of(place)[1]
        with self._writing() as connection:
            return connection.execute(LIFT_HOLD, (scope, kind)).rowcount > 0

    # Accounts, each of one origin.

    def _account(self, connection: sqlite3.Connection, key: str, now: int | None = None) -> Account:
        """Load an account, in the timeline of this process.

        Times of another timeline are converted by the time of day. If `now` is passed, the account
        is corrected by it and stored: otherwise it would be ahead again the next time.
        """
        account, timeline = account_of(connection, key)
        if timeline is None or timeline == self._timeline != 0:
            return account
        row = connection.execute(AHEAD, (timeline,)).fetchone()
        there = account.shifted((row[0] if row else 0) - self._ahead)
        if now is None:
            return there
        checked = there.no_later_than(now, 0 if timeline and self._timeline else SLACK)
        if checked is not account:
            self._keep(connection, key, checked)
        return checked

    def _keep(self, connection: sqlite3.Connection, key: str, account: Account) -> None:
        connection.execute(KEEP_ACCOUNT, row_of(key, account, self._timeline))

    def _keep_last(self, connection: sqlite3.Connection, key: str, account: Account) -> None:
        """Save an account as the last step of a change, after which nothing can fail any more."""
        self._keep(connection, key, account)


class SQLiteStore(SQLiteFile, SQLiteTables):
    """Policies and budgets in one SQLite file, for any number of processes and threads.

    It implements `PolicyStore` and `Budget`. Every change is one transaction: if a process is
    killed, the file stays intact, with all completed changes. Each process opens the store for
    itself; within a process, threads may share it.

    A lookup takes microseconds and never blocks (the file has a write-ahead log), so asynchronous
    code may call it directly. A change waits while another process writes, for at most `patience`,
    and for the disk if `durable`: call it in a thread, `asyncio.to_thread(store.acquire, ...)`.

    Args:
        path: The file; it is created if missing. While it is open there are two more files next to
            it, `-wal` and `-shm`. It must be on a local disk, because SQLite needs shared memory.
        patience: Seconds to wait for other processes.
        durable: Whether changes survive a power cut (each change waits for the disk). Otherwise a
            power cut may lose the last changes, such as a visit or a block; the file stays intact.

    Raises:
        NotAStoreError: The file is not a store, or damaged.
        StoreBusyError: Another process has it locked for longer than `patience`.
        StoreUnavailableError: It cannot be opened or written.
        StoreVersionError: A newer goodbot made it.
        WrongTypeError: `patience` is not a number.
        WrongValueError: `patience` is negative, or `path` is `:memory:`.

    >>> import tempfile
    >>> from datetime import datetime, timezone
    >>> now = datetime(2025, 1, 1, tzinfo=timezone.utc)
    >>> with tempfile.TemporaryDirectory() as folder, SQLiteStore(f"{folder}/robots.db") as store:
    ...     store.put("https://example.com", {"access": "rules", "body": b"User-agent: *"}, now)
    ...     store.in_force("https://example.com", now).record
    {'access': 'rules', 'body': b'User-agent: *'}
    """

    def __init__(
        self, path: str | os.PathLike[str], *, patience: float = 5.0, durable: bool = True
    ) -> None:
        """Open the file."""
        self._accounts: dict[str, Account] = {}
        """Accounts as the file has them while `_version` does not change; for groups alone."""
        self._changed: dict[str, Account] = {}
        """Those that the present group has changed, and that are written at its end."""
        self._version = 0
        """A number that changes when another connection changes the file."""
        super().__init__(path, patience=patience, durable=durable)
        self._inode = inode_of(self.path)

    def __repr__(self) -> str:
        """Show where it is."""
        return f"<SQLiteStore {self.path}>"

    @contextmanager
    def group(self) -> Iterator[None]:
        """Make all changes of this thread within the block in one transaction.

        A site's account is read and written again and again. So within a group it is taken from
        memory unless another connection has changed the file since, and written once, at the end.
        """
        try:
            with super().group():
                (version,) = self._connection.execute("PRAGMA data_version").fetchone()
                if version != self._version or len(self._accounts) > MOST_ACCOUNTS:
                    self._accounts.clear()
                    self._version = version
                yield
                self._write_changed(self._connection)
        except BaseException:
            self._accounts.clear()
            self._changed.clear()
            raise

    def keep_time(self, boot: str, wall: datetime, counted: timedelta) -> datetime:
        """Record the time of a clock; see `Timekeeper`."""
        with self._lock:
            zero = super().keep_time(boot, wall, counted)
            self._accounts.clear()  # their times are those of the timeline before
        return zero

    def _account(self, connection: sqlite3.Connection, key: str, now: int | None = None) -> Account:
        found = self._accounts.get(key) if self._is_group else None
        return super()._account(connection, key, now) if found is None else found

    def _keep(self, connection: sqlite3.Connection, key: str, account: Account) -> None:
        self._accounts.pop(key, None)
        super()._keep(connection, key, account)

    def _keep_last(self, connection: sqlite3.Connection, key: str, account: Account) -> None:
        # By the time of day, each account is checked by the clock when it is read.
        if self._is_group and self._timeline:
            self._accounts[key] = self._changed[key] = account
        else:
            self._keep(connection, key, account)

    def _write_changed(self, connection: sqlite3.Connection) -> None:
        """Write the accounts that were changed in the present group."""
        if self._changed:
            rows = [row_of(key, one, self._timeline) for key, one in self._changed.items()]
            connection.executemany(KEEP_ACCOUNT, rows)
            self._changed.clear()

    @contextmanager
    def transaction(self, *, is_one_statement: bool = False) -> Iterator[sqlite3.Connection]:
        """Make a change completely or not at all; see `SQLiteFile.transaction`.

        Raises:
            StoreUnavailableError: The file was removed or replaced, which SQLite does not notice:
                others that open it keep another pace for the same sites.

        """
        with super().transaction(is_one_statement=is_one_statement) as connection:
            if not self._is_group and inode_of(self.path) != self._inode:
                message = (
                    f"{self.path} was removed or replaced while it was open; put it back, or start "
                    "again with the new file"
                )
                raise StoreUnavailableError(message)
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self.reading() as connection:
            self._write_changed(connection)
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        # What is in memory is written before the change, which may be undone alone.
        with self._reading(), self.transaction() as connection:
            yield connection

    def _accounting(self) -> AbstractContextManager[sqlite3.Connection]:
        """Change one account, which is its last statement, so that a group undoes nothing."""
        return self.transaction(is_one_statement=True)


def inode_of(path: str) -> tuple[int, int]:
    """Return which file is at a path; (0, 0) if there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116  for each change: a path object takes as long again
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


def load_octets(connection: sqlite3.Connection, numbers: str) -> list[Blob]:
    """Return the bytes of a record.

    Raises:
        NotAStoreError: They are missing.

    """
    found = [connection.execute(OCTETS, (int(number),)).fetchone() for number in numbers.split()]
    if None in found:
        message = f"the bytes of a record are missing; {REPAIR}"
        raise NotAStoreError(message)
    return found


def place(connection: sqlite3.Connection, key: str, packed: Packed, at: int) -> None:
    """Store a record: after the last one, or in its place."""
    row = connection.execute(STATE, (key,)).fetchone()
    span, is_new = placed(None if row is None else Span(*row), packed, at)
    if not is_new:
        connection.execute(AGAIN, (span.last, packed.text, key, span.first))
        return
    numbers = " ".join(str(number_of(connection, octets)) for octets in packed.blobs)
    connection.execute(ANEW, (key, *span, numbers, packed.text))


def number_of(connection: sqlite3.Connection, octets: Blob) -> int:
    """Return the number of bytes; they are kept if they are new."""
    row = connection.execute(OCTETS_ID, octets[:1]).fetchone()
    if row is None:
        return int(connection.execute(KEEP_OCTETS, octets).lastrowid or 0)
    return int(row[0])


def account_of(connection: sqlite3.Connection, key: str) -> tuple[Account, int | None]:
    """Load an account and the number of its timeline; an empty one and `None` if there is none."""
    row = connection.execute(ACCOUNT, (key,)).fetchone()
    if row is None:
        return Account(), None
    try:
        return Account(*(*row[:-2], History.from_dict(json.loads(row[-1])))), row[-2]
    except ValueError:
        message = f"the account of {key[:200]} is damaged; {REPAIR}"
        raise NotAStoreError(message) from None


def row_of(key: str, account: Account, timeline: int) -> tuple[object, ...]:
    """Return the row of an account, its times by a timeline."""
    return (key, *account.columns(), timeline, written_history(account.history.as_dict()))
