"""The database of a crawl: create it, open it, and change it in transactions.

Scope: the connection and its transactions. Each room knows what its own tables mean.
"""

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from goodbot.crawl.folder.journal import Journal, Note
from goodbot.crawl.folder.own_files import DATABASE, check_database, forget_torn, is_torn
from goodbot.crawl.folder.records import StoredManners
from goodbot.crawl.folder.tables import CRAWL, LAST_REQUEST, refuse_other_tables
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

if TYPE_CHECKING:  # what only reads a folder has no event loop, and saves 20 ms without it
    from asyncio import Future

__all__ = ["FILE", "NOT_BEGUN", "ChangePart", "Database"]

FILE = DATABASE
"""The name of the database in the folder of a crawl."""

CACHE = 64 * 1024
"""KiB of the file that SQLite caches: URLs are looked up in no particular order."""

MAX_ACCOUNTS = 10_000
"""How many accounts of origins are kept in memory."""

SETTINGS = "SELECT name, value FROM settings ORDER BY name"
SETTING = "SELECT value FROM settings WHERE name = ?"
SET = "INSERT OR REPLACE INTO settings VALUES(?, ?)"
SET_FIRST = "INSERT OR IGNORE INTO settings VALUES(?, ?)"
MANNERS = "manners"
"""The setting with the robot's own pace, of which each change is kept."""
NOTE_MANNERS = (
    f"INSERT OR REPLACE INTO manners SELECT {LAST_REQUEST}, :stated, 1 "  # noqa: S608  our own words
    "WHERE (:stated, 1) IS NOT (SELECT stated, is_known FROM manners ORDER BY after DESC LIMIT 1)"
)
NOTED_MANNERS = "SELECT after, stated, is_known FROM manners ORDER BY after"
SIZE = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"


NOT_BEGUN = (
    "there is no crawl in {path}: it was interrupted before it began. Run the command that starts "
    "it again, or name the folder of another crawl"
)


class ChangePart(Protocol):
    """Something that gathers what belongs to a change, and writes it at once at its end."""

    def complete(self, connection: sqlite3.Connection) -> None:
        """Write what was gathered; if this raises, the change is undone."""

    def drop(self) -> None:
        """Drop what was gathered, because the change is undone."""


class Database(SQLiteStore):
    """The database of a crawl: a store of policies and budgets, plus the tables of the crawl.

    Commits do not wait for the disk: changes survive the end of the process, but not a power cut.

    Args:
        folder: The folder of the crawl.
        create: Whether to create the folder and the file if they do not exist.
        patience: Seconds to wait for a lock held by another process.

    Raises:
        NoCrawlError: There is no crawl in the folder.
        NotAStoreError: The file is something else, or is not safe to use.
        StoreError: The file cannot be opened; see `SQLiteStore`.

    """

    at_once = True
    """A robot may call it on the event loop: it waits neither for the disk nor for other robots."""

    lent: "Future[None] | None" = None
    """Done when the thread that is using the database returns it
    (`goodbot.crawl.run.database_access`); `None` if no thread is using it."""

    _schemas = (STORE, CRAWL)

    def __init__(
        self, folder: str | os.PathLike[str], *, create: bool = False, patience: float = 5.0
    ) -> None:
        """Open the file."""
        self.folder = Path(folder)
        self._notes: Journal | None = None
        self._pauses: dict[str, int] = {}
        """The pause after each visit in progress, as noted in the journal, in microseconds."""
        self._accounts: dict[str, Account] = {}
        """A cache of accounts, used while changes are gathered."""
        self._unwritten: set[str] = set()
        self._before: dict[str, Account | None] = {}
        """The accounts changed by the current change, as they were before it."""
        self._depth = 0
        self._parts: list[ChangePart] = []
        """What completes the current change."""
        self._is_closed = False
        self._creates = create
        if create:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                message = f"{folder} cannot be created ({error.strerror}); name another folder"
                raise StoreUnavailableError(message) from error
        elif not os.path.lexists(self.folder / FILE):
            message = f"there is no crawl in {folder}; start one: goodbot crawl URL --out {folder}"
            raise NoCrawlError(message)
        super().__init__(self.folder / FILE, patience=patience, durable=False)
        self._part = nullcontext(self._connection)
        self._connection.execute(f"PRAGMA cache_size = {-CACHE}")
        # What was removed from an index must not stay in free pages of the file.
        self._connection.execute("PRAGMA secure_delete = ON")

    def _refuse(self, connection: sqlite3.Connection) -> None:
        """Refuse a file without a crawl, unless one is to be created.

        A process that is killed while it creates the file leaves one without tables, or with only
        those of a store.
        """
        if not self._creates and not CRAWL.version(connection):
            raise NoCrawlError(NOT_BEGUN.format(path=self.path))
        refuse_other_tables(connection, self.path)

    def _open(self, *, durable: bool) -> sqlite3.Connection:
        """Open the file, and check that the same file was opened that was checked before."""
        try:
            before = check_database(self.folder, writing=True)
            if is_torn(self.folder):
                self._refuse_torn()
                forget_torn(self.folder)
            connection = super()._open(durable=durable)
            after = check_database(self.folder, writing=True)
        except OSError as error:
            message = f"{self.path} cannot be examined ({error.strerror}); check its permissions"
            raise StoreUnavailableError(message) from error
        if before is not None and (after is None or after.identity != before.identity):
            connection.close()
            message = f"{self.path} was replaced while it was being opened; run the command again"
            raise StoreBusyError(message)
        return connection

    def _refuse_torn(self) -> None:
        """Refuse a file whose creation was interrupted, unless it is to be created now."""
        if not self._creates:
            raise NoCrawlError(NOT_BEGUN.format(path=self.path))

    def _log_ahead(self, connection: sqlite3.Connection) -> None:
        """Switch to a write-ahead log without using a rollback journal on disk meanwhile.

        A process killed at that moment would leave the journal behind, and a folder with such a
        journal is refused.
        """
        if is_empty(connection):
            connection.execute("PRAGMA journal_mode = MEMORY")
        super()._log_ahead(connection)

    def __enter__(self) -> "Database":  # noqa: PYI034  Python 3.10 has no Self
        """Return the database."""
        return self

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection, for reading only."""
        return self._connection

    @property
    def parts(self) -> "tuple[Database, ...]":
        """The databases of the processes of the crawl; only this one if it has one process."""
        return (self,)

    def numbers_of(self, page: int, numbers: Sequence[int]) -> Sequence[int]:  # noqa: ARG002  see `parts`
        """Return the numbers of URLs as all rooms know them.

        Args:
            page: The number of the URL whose row names them.
            numbers: The numbers in that row.

        """
        return numbers

    @property
    def timeline(self) -> int:
        """The number of the timeline of this process; 0 means the time of day."""
        return self._timeline

    def disk_bytes(self) -> int:
        """Return how many bytes the file and its log take on disk.

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
        """Return all settings: what a crawl resumes with, and the robot that crawls.

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
        """Return one setting, or the default if it is not set."""
        with self._reading() as connection:
            row = connection.execute(SETTING, (name,)).fetchone()
        return default if row is None else str(row[0])

    def write_settings(self, values: Mapping[str, str], *, replace: bool = True) -> None:
        """Write some settings in one change.

        Args:
            values: The values, by name.
            replace: Whether to replace existing settings; if not, they stay as they are.

        """
        with self.changing() as connection:
            connection.executemany(SET if replace else SET_FIRST, values.items())
            if replace and MANNERS in values:
                connection.execute(NOTE_MANNERS, {"stated": values[MANNERS]})

    def manners_at(self, origin: str) -> list[StoredManners]:  # noqa: ARG002  see `parts`
        """Return the robot's own settings for the requests to an origin, the earliest first."""
        with self._reading() as connection:
            rows = connection.execute(NOTED_MANNERS).fetchall()
        return [StoredManners(after, stated, bool(known)) for after, stated, known in rows]

    def execute(self, statement: str, values: Sequence[object]) -> sqlite3.Cursor:
        """Make a change that is one statement, which is atomic by itself; see `changing`."""
        if self._depth:
            return self._connection.execute(statement, values)
        with self._reading() as connection:
            if not connection.in_transaction:
                connection.execute("BEGIN IMMEDIATE")
            try:
                cursor = connection.execute(statement, values)
            except BaseException:
                if not connection.in_transaction:  # SQLite may have rolled back all changes itself
                    self._forget()
                elif self._notes is None:
                    connection.execute("ROLLBACK")
                raise
            if self._notes is None:
                self.commit()
            return cursor

    def at_end(self, part: ChangePart) -> None:
        """Call a part to complete the current change before it takes effect; only within one."""
        if part not in self._parts:
            self._parts.append(part)

    def changing(self) -> AbstractContextManager[sqlite3.Connection]:
        """Make an atomic change; a change within another one is part of it.

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
                for part in self._parts:
                    part.complete(connection)
                connection.execute("RELEASE change")
            except BaseException:
                for part in self._parts:
                    part.drop()
                self._undo(connection)
                raise
            finally:
                self._depth = 0
                self._before.clear()
                self._parts.clear()
            if self._notes is None:
                self.commit()

    def _undo(self, connection: sqlite3.Connection) -> None:
        """Undo the current change only; SQLite may have rolled back all changes itself."""
        if not connection.in_transaction:
            self._forget()
            return
        self._restore_accounts()
        connection.execute("ROLLBACK TO change")
        connection.execute("RELEASE change")
        if self._notes is None:
            connection.execute("ROLLBACK")

    def _forget(self) -> None:
        """Drop what is cached; keep the notes of visits that the file no longer has."""
        self._accounts.clear()
        self._unwritten.clear()
        if self._notes is not None:
            self._notes.keep()

    def _accounting(self) -> AbstractContextManager[sqlite3.Connection]:
        """Change one account; while changes are gathered, it is written with the next commit.

        Then no transaction is needed: the account is changed in memory, as the last step.
        """
        return self.changing() if self._notes is None else self._part

    def _account(self, connection: sqlite3.Connection, key: str, now: int | None = None) -> Account:
        """Return an account, from memory if it is cached there."""
        account = self._accounts.get(key)
        return super()._account(connection, key, now) if account is None else account

    def _keep(self, connection: sqlite3.Connection, key: str, account: Account) -> None:
        """Store an account; while changes are gathered, it is written with the next commit."""
        if self._notes is None:
            super()._keep(connection, key, account)
            return
        if self._depth:
            self._before.setdefault(key, self._accounts.get(key))
        self._accounts[key] = account
        self._unwritten.add(key)

    def _restore_accounts(self) -> None:
        """Undo what the current change did to accounts."""
        for key, account in self._before.items():
            if account is None:  # it was not cached before: read it from the file again
                del self._accounts[key]
                self._unwritten.discard(key)
            else:
                self._accounts[key] = account

    def _write_accounts(self) -> None:
        """Write the accounts that changed."""
        for key in self._unwritten:
            super()._keep(self._connection, key, self._accounts[key])
        self._unwritten.clear()
        if len(self._accounts) >= MAX_ACCOUNTS:
            self._accounts.clear()

    def commit(self) -> None:
        """Commit all changes since the last commit; they survive the end of the process."""
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
        """Acquire the right to make one visit; a granted lease is noted in the journal at once."""
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
        """Release a lease; commit at once if the pause is longer than the journal says.

        The server may ask for a longer pause only in its answer (Retry-After).
        """
        in_time = super().release(
            lease, ended=ended, not_before=not_before, reason=reason, history=history
        )
        pause = self._pauses.pop(lease.origin, 0)
        if not_before is None or instant(not_before, "") > instant(ended, "") + pause:
            self.commit()
        return in_time

    def gather(self, now: datetime) -> None:
        """Gather changes from now on, and commit them only when `commit` is called.

        Each change is still atomic. A process that is killed loses all changes since the last
        commit. The visits it made must not be lost, so they are noted in a journal, which is read
        here.
        """
        self._notes = Journal(self.folder)
        at = instant(now, "now")
        self.abandon(now, [(one.origin, self._began(one, at), one.pause) for one in self._notes])
        self.commit()

    def _began(self, note: Note, now: int) -> int:
        """Return when a visit began on the timeline of this process; never later than now."""
        if note.boot and note.boot == self._boot:
            return min(self._zero + note.counted, now)
        return min(note.started - self._ahead, now)

    def close(self) -> None:
        """Commit, and close the file; closing it again does nothing."""
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
