"""The store of policies and budgets in the database of a crawl.

Scope: accounts in memory while changes are gathered, and the journal of visits. `database` has the
file and its transactions; `goodbot.store.sqlite` has the statements.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from goodbot.crawl.folder.journal import Journal, Note
from goodbot.http.instants import SECOND, instant
from goodbot.store.account import SLACK, Account, LeaseRequest, Release
from goodbot.store.protocols import Later, Lease
from goodbot.store.sqlite import SQLiteTables

if TYPE_CHECKING:  # see `database`
    from asyncio import Future

__all__ = ["FolderStore"]

DAY = 86_400 * SECOND
MAX_ACCOUNTS = 10_000
"""How many accounts of origins are kept in memory."""


class Transactions(Protocol):
    """What the store needs of the database that it is in (`goodbot.crawl.folder.database`)."""

    folder: Path
    path: str
    is_changing: bool
    lent: "Future[None] | None"

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection."""

    def reading(self) -> AbstractContextManager[sqlite3.Connection]:
        """Yield the connection."""

    def changing(self) -> AbstractContextManager[sqlite3.Connection]:
        """Make an atomic change."""

    def commit(self) -> None:
        """Commit all changes."""


class FolderStore(SQLiteTables):
    """The store in the database of a crawl (`Database.store`).

    Args:
        database: The database, which is open.

    """

    at_once = True
    """A robot may call it on the event loop: it waits neither for the disk nor for other robots."""

    def __init__(self, database: Transactions) -> None:
        """Start without anything in memory."""
        self._database = database
        self.path = database.path
        self._notes: Journal | None = None
        self._pauses: dict[str, int] = {}
        """The pause after each visit in progress, as noted in the journal, in microseconds."""
        self._accounts: dict[str, Account] = {}
        """A cache of accounts, used while changes are gathered."""
        self._unwritten: set[str] = set()
        self._before: dict[str, Account | None] = {}
        """The accounts changed by the current change, as they were before it."""

    @property
    def lent(self) -> "Future[None] | None":
        """Done when the thread that is using the database returns it; `None` if there is none."""
        return self._database.lent

    @property
    def timeline(self) -> int:
        """The number of the timeline of this process; 0 means the time of day."""
        return self._timeline

    def __repr__(self) -> str:
        """Show where it is."""
        return f"<{type(self).__name__} {self.path}>"

    def _reading(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._database.reading()

    def _writing(self) -> AbstractContextManager[sqlite3.Connection]:
        return self._database.changing()

    def _account(self, connection: sqlite3.Connection, key: str, now: int | None = None) -> Account:
        """Return an account, from memory if it is cached there."""
        account = self._accounts.get(key)
        if account is None:
            return super()._account(connection, key, now)
        if self._timeline or now is None:
            return account
        checked = account.no_later_than(now, SLACK)  # times of day, which may be set back
        if checked is not account:
            self._keep(connection, key, checked)
        return checked

    def _keep(self, connection: sqlite3.Connection, key: str, account: Account) -> None:
        """Store an account; while changes are gathered, it is written with the next commit."""
        if self._notes is None:
            super()._keep(connection, key, account)
            return
        if self._database.is_changing:
            self._before.setdefault(key, self._accounts.get(key))
        self._accounts[key] = account
        self._unwritten.add(key)

    _keep_last = _keep

    # The transactions of the database.

    def undo(self) -> None:
        """Undo what the current change did to accounts."""
        for key, account in self._before.items():
            if account is None:  # it was not cached before: read it from the file again
                del self._accounts[key]
                self._unwritten.discard(key)
            else:
                self._accounts[key] = account

    def write(self, connection: sqlite3.Connection) -> None:
        """Write the accounts that changed."""
        for key in self._unwritten:
            super()._keep(connection, key, self._accounts[key])
        self._unwritten.clear()
        if len(self._accounts) >= MAX_ACCOUNTS:
            self._accounts.clear()

    @property
    def is_unwritten(self) -> bool:
        """Whether accounts changed in memory alone."""
        return bool(self._unwritten)

    def settle(self) -> None:
        """Begin the next change with the accounts as they are."""
        self._before.clear()

    def committed(self) -> None:
        """Drop the notes of visits, because the file has them."""
        if self._notes is not None:
            self._notes.clear()

    def forget(self) -> None:
        """Drop what is cached; keep the notes of visits that the file no longer has."""
        self._accounts.clear()
        self._unwritten.clear()
        if self._notes is not None:
            self._notes.keep()

    def gather(self, now: datetime) -> None:
        """Keep accounts in memory from now on, and end the leases of an earlier process."""
        self._notes = Journal(self._database.folder)
        at = instant(now, "now")
        self.abandon(now, [(one.origin, self._began(one, at), one.pause) for one in self._notes])

    def waits(self, now: datetime) -> Iterator[tuple[str, Account]]:
        """Yield the account of each origin or server group that must not be visited yet."""
        at = instant(now, "now")
        with self._reading() as connection:
            # By another timeline, times may differ by what the clock was set.
            for key in self._keys_waiting(connection, at - DAY):
                account = self._account(connection, key)
                if max(account.due, account.block) > at:
                    yield key, account

    def close(self) -> None:
        """Close the journal."""
        if self._notes is not None:
            self._notes.close()
            self._notes = None

    # The budget.

    def _acquire(self, asked: LeaseRequest) -> Lease | Later:
        """Grant a lease, which is noted in the journal at once, or return when to try again."""
        if self._notes is None:
            return super()._acquire(asked)
        # No transaction is needed: the account is changed in memory, as the last step.
        answer = self._grant(self._database.connection, asked)
        if answer:
            at = asked.now
            counted = at - self._zero if self._boot else 0
            self._notes.add(Note(asked.origin, at + self._ahead, asked.pause, self._boot, counted))
            self._pauses[asked.origin] = asked.pause
        return answer

    def _release(self, lease: Lease, given: Release, ended: int) -> bool:
        """Release a lease; commit at once if the pause is longer than the journal says.

        The server may ask for a longer pause only in its answer (Retry-After).
        """
        if self._notes is None:
            in_time = super()._release(lease, given, ended)
        else:
            in_time = self._end_lease(self._database.connection, lease, given, ended)
        if given.due > ended + self._pauses.pop(lease.origin, 0):
            self._database.commit()
        return in_time

    def _began(self, note: Note, now: int) -> int:
        """Return when a visit began on the timeline of this process; never later than now."""
        if note.boot and note.boot == self._boot:
            return min(self._zero + note.counted, now)
        return min(note.started - self._ahead, now)
