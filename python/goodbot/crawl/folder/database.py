"""The one file of a crawl: opened, made, and changed whole or not at all.

What may live here: the connection, the tables of all parts, transactions. What the tables mean is
known by the part that owns them.
"""

import os
import sqlite3
from asyncio import Future
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import datetime
from pathlib import Path

from goodbot.crawl.folder.journal import Journal, Note
from goodbot.crawl.folder.own_files import DATABASE, check_database, forget_torn, is_torn
from goodbot.crawl.folder.tables import CRAWL, refuse_other_tables
from goodbot.errors import (
    NoCrawlError,
    StoreBusyError,
    StoreUnavailableError,
)
from goodbot.http.instants import duration, instant
from goodbot.pace import History
from goodbot.store import Later, Lease, SQLiteStore
from goodbot.store.account import Account
from goodbot.store.schema import STORE, is_empty

__all__ = ["FILE", "NOT_BEGUN", "Database"]

FILE = DATABASE
"""The name of the file in the folder of a crawl."""

CACHE = 64 * 1024
"""KiB of the file that are kept in memory: URLs come in no order."""

MOST_ACCOUNTS = 10_000
"""Accounts of origins that are kept in memory."""

SETTINGS = "SELECT name, value FROM settings ORDER BY name"
SETTING = "SELECT value FROM settings WHERE name = ?"
SET = "INSERT OR REPLACE INTO settings VALUES(?, ?)"
SET_FIRST = "INSERT OR IGNORE INTO settings VALUES(?, ?)"
SIZE = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"


NOT_BEGUN = (
    "there is no crawl in {path}: it was interrupted before it began. Run the command again that "
    "was to begin it, or name the folder of a crawl"
)


class Database(SQLiteStore):
    """The file of a crawl: a store of policies and budgets, with the tables of a crawl beside them.

    It does not wait for the disk: what was changed survives the process, not a power cut.

    Args:
        folder: The folder of the crawl.
        create: Whether to make folder and file where there are none.
        patience: Seconds to wait for another process.

    Raises:
        NoCrawlError: There is no crawl in the folder.
        NotAStoreError: Its file is something else, or is not safe to use.
        StoreError: The file cannot be opened; see `SQLiteStore`.

    """

    at_once = True
    """A robot may call it without a thread: it waits neither for the disk nor for another robot."""

    lent: Future[None] | None = None
    """Done when a thread that works with it gives it back (`goodbot.crawl.run.database_access`);
    `None` if none does."""

    _schemas = (STORE, CRAWL)

    def __init__(
        self, folder: str | os.PathLike[str], *, create: bool = False, patience: float = 5.0
    ) -> None:
        """Open the file."""
        self.folder = Path(folder)
        self._notes: Journal | None = None
        self._pauses: dict[str, int] = {}
        """What is noted to be left behind the visits that are under way, in microseconds."""
        self._accounts: dict[str, Account] = {}
        """Known by heart, while changes are gathered."""
        self._unwritten: set[str] = set()
        self._before: dict[str, Account | None] = {}
        """Those that the change under way changed, as they were."""
        self._depth = 0
        self._is_closed = False
        self._creates = create
        if create:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                message = f"{folder} cannot be made ({error.strerror}); name another folder"
                raise StoreUnavailableError(message) from error
        elif not os.path.lexists(self.folder / FILE):
            message = f"there is no crawl in {folder}; goodbot crawl URL --out {folder} makes one"
            raise NoCrawlError(message)
        super().__init__(self.folder / FILE, patience=patience, durable=False)
        self._part = nullcontext(self._connection)
        self._connection.execute(f"PRAGMA cache_size = {-CACHE}")

    def _refuse(self, connection: sqlite3.Connection) -> None:
        """Refuse a file without a crawl, unless one is to be made.

        A file without any table, or with those of a store alone, is what is left where a process
        was killed while it made one.
        """
        if not self._creates and not CRAWL.version(connection):
            raise NoCrawlError(NOT_BEGUN.format(path=self.path))
        refuse_other_tables(connection, self.path)

    def _open(self, *, durable: bool) -> sqlite3.Connection:
        """Open the file, if it is one, and still the same when it is open."""
        try:
            before = check_database(self.folder, writing=True)
            if is_torn(self.folder):
                self._refuse_torn()
                forget_torn(self.folder)
            connection = super()._open(durable=durable)
            after = check_database(self.folder, writing=True)
        except OSError as error:
            message = f"{self.path} cannot be examined ({error.strerror}); grant the right to do so"
            raise StoreUnavailableError(message) from error
        if before is not None and (after is None or after.identity != before.identity):
            connection.close()
            message = f"{self.path} was replaced while it was opened; run it again"
            raise StoreBusyError(message)
        return connection

    def _refuse_torn(self) -> None:
        """Refuse a file whose creation broke off, unless it is to be made now."""
        if not self._creates:
            raise NoCrawlError(NOT_BEGUN.format(path=self.path))

    def _log_ahead(self, connection: sqlite3.Connection) -> None:
        """Have a write-ahead log, and no other journal on the way to it.

        A process that is killed would leave that behind, and the folder could not be used again.
        """
        if is_empty(connection):
            connection.execute("PRAGMA journal_mode = MEMORY")
        super()._log_ahead(connection)

    def __enter__(self) -> "Database":  # noqa: PYI034  Python 3.10 has no Self
        """Give the file."""
        return self

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection; to look only."""
        return self._connection

    @property
    def timeline(self) -> int:
        """The number of the timeline of this process; 0 for the time of day."""
        return self._timeline

    def disk_bytes(self) -> int:
        """Return how many bytes this file and its log take on the disk.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Database(folder, create=True) as database:
        ...     database.disk_bytes() > 0
        True
        """
        with self._reading() as connection:
            size: int = connection.execute(SIZE).fetchone()[0]
        with suppress(OSError):
            size += (self.folder / f"{FILE}-wal").stat().st_size
        return size

    def settings(self) -> dict[str, str]:
        """Return everything that is set: what a crawl goes on with, and who crawls.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Database(folder, create=True) as database:
        ...     database.write_settings({"robot": "ExampleBot"})
        ...     database.write_settings({"robot": "OtherBot"}, replace=False)
        ...     database.settings()["robot"], database.setting("contact", "nobody")
        ('ExampleBot', 'nobody')
        """
        with self._reading() as connection:
            return {str(name): str(value) for name, value in connection.execute(SETTINGS)}

    def setting(self, name: str, default: str = "") -> str:
        """Return one setting, or the default where it is not set."""
        with self._reading() as connection:
            row = connection.execute(SETTING, (name,)).fetchone()
        return default if row is None else str(row[0])

    def write_settings(self, values: Mapping[str, str], *, replace: bool = True) -> None:
        """Set some values, all or none of them.

        Args:
            values: The values, by name.
            replace: Whether what is set already is replaced; otherwise it stays.

        """
        with self.changing() as connection:
            connection.executemany(SET if replace else SET_FIRST, values.items())

    def changing(self) -> AbstractContextManager[sqlite3.Connection]:
        """Make a change, whole or not at all; within another change it is a part of that.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Database(folder, create=True) as database:
        ...     with database.changing() as connection:
        ...         _ = connection.execute("INSERT INTO origins(origin) VALUES('https://a.example')")
        ...     database.connection.execute("SELECT count(*) FROM origins").fetchone()
        (1,)
        """
        return self._part if self._depth else self._change()

    _writing = changing

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        with self._reading() as connection:
            if not connection.in_transaction:
                connection.execute("BEGIN IMMEDIATE")
            connection.execute("SAVEPOINT change")
            self._depth = 1
            try:
                yield connection
                connection.execute("RELEASE change")
            except BaseException:
                self._undo(connection)
                raise
            finally:
                self._depth = 0
                self._before.clear()
            if self._notes is None:
                self.commit()

    def _undo(self, connection: sqlite3.Connection) -> None:
        """Undo the change under way, and no other; SQLite may have undone all itself."""
        if not connection.in_transaction:
            self._forget()
            return
        self._restore_accounts()
        connection.execute("ROLLBACK TO change")
        connection.execute("RELEASE change")
        if self._notes is None:
            connection.execute("ROLLBACK")

    def _forget(self) -> None:
        """Go by what the file has; notes stay of what it has no longer."""
        self._accounts.clear()
        self._unwritten.clear()
        if self._notes is not None:
            self._notes.keep()

    @contextmanager
    def _of_accounts(self) -> Iterator[None]:
        """Make a change of nothing but accounts, which are written with the next commit."""
        if self._notes is None or self._depth:
            yield
            return
        self._depth = 1  # what is changed within is a part of this
        try:
            yield
        except BaseException:
            self._restore_accounts()
            raise
        finally:
            self._depth = 0
            self._before.clear()

    def _account(self, connection: sqlite3.Connection, key: str, now: int | None = None) -> Account:
        """Give an account; while one process has the file, from memory."""
        account = self._accounts.get(key)
        return super()._account(connection, key, now) if account is None else account

    def _keep(self, connection: sqlite3.Connection, key: str, account: Account) -> None:
        """Keep an account; while changes are gathered it is written once, before they last."""
        if self._notes is None:
            super()._keep(connection, key, account)
            return
        self._before.setdefault(key, self._accounts.get(key))
        self._accounts[key] = account
        self._unwritten.add(key)

    def _restore_accounts(self) -> None:
        """Undo what the change under way did to accounts."""
        for key, account in self._before.items():
            if account is None:  # the file has it, or nobody
                del self._accounts[key]
                self._unwritten.discard(key)
            else:
                self._accounts[key] = account

    def _write_accounts(self) -> None:
        """Write the accounts that changed."""
        for key in self._unwritten:
            super()._keep(self._connection, key, self._accounts[key])
        self._unwritten.clear()
        if len(self._accounts) >= MOST_ACCOUNTS:
            self._accounts.clear()

    def commit(self) -> None:
        """Let the changes since the last commit last, whatever becomes of the process."""
        with self._reading() as connection:
            if self._unwritten and not connection.in_transaction:
                connection.execute("BEGIN IMMEDIATE")
            if connection.in_transaction and not self._depth:
                try:
                    self._write_accounts()
                    connection.execute("COMMIT")
                except BaseException:
                    self._forget()
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                    raise
                if self._notes is not None:
                    self._notes.clear()

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
        """Ask for the right to make one visit; that it was granted lasts from then on."""
        with self._of_accounts():
            answer = super().acquire(
                origin, now, lease_seconds, holder, pause=pause, for_robots_txt=for_robots_txt
            )
        if answer and self._notes is not None:
            at = instant(now, "now")
            counted = at - self._zero if self._boot else 0
            note = Note(answer.origin, at + self._ahead, duration(pause), self._boot, counted)
            self._notes.add(note)
            self._pauses[note.origin] = note.pause
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
        """Give a lease back; that the pause is longer than was noted lasts from then on.

        Before a visit nobody knows that the server will want nobody for an hour (Retry-After).
        """
        with self._of_accounts():
            in_time = super().release(
                lease, ended=ended, not_before=not_before, reason=reason, history=history
            )
        pause = self._pauses.pop(lease.origin, 0)
        if not_before is None or instant(not_before, "") > instant(ended, "") + pause:
            self.commit()
        return in_time

    def gather(self, now: datetime) -> None:
        """Gather changes from now on until somebody says `commit`.

        Each change is whole all the same; a process that is killed loses the last of them, all at
        once. What it must not lose, which visits it made, is noted apart, and taken up here.
        """
        self._notes = Journal(self.folder)
        at = instant(now, "now")
        self.abandon(now, [(one.origin, self._began(one, at), one.pause) for one in self._notes])
        self.commit()

    def _began(self, note: Note, now: int) -> int:
        """Return when a visit began, by the timeline of this process; never later than now."""
        if note.boot and note.boot == self._boot:
            return min(self._zero + note.counted, now)
        return min(note.started - self._ahead, now)

    def close(self) -> None:
        """Let what was changed last, and close the file; closing again does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            self.commit()
        finally:
            super().close()
            if self._notes is not None:
                self._notes.close()
                self._notes = None
