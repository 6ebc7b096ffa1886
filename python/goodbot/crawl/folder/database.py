"""The database of a crawl: create it, open it, and change it in transactions.

Scope: the connection and its transactions. Each room knows what its own tables mean.
"""

import os
import shlex
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from goodbot.crawl.folder.folder_store import FolderStore
from goodbot.crawl.folder.own_files import DATABASE, check_database, forget_torn, is_torn
from goodbot.crawl.folder.records import StoredManners
from goodbot.crawl.folder.tables import CRAWL, LAST_REQUEST, refuse_other_tables
from goodbot.errors import (
    NoCrawlError,
    StoreBusyError,
    StoreUnavailableError,
)
from goodbot.store.schema import STORE, is_empty
from goodbot.store.sqlite_file import SQLiteFile

if TYPE_CHECKING:  # what only reads a folder has no event loop, and saves 20 ms without it
    from asyncio import Future

__all__ = [
    "FILE",
    "GATHERED_FROM",
    "MADE_WITH",
    "NOT_BEGUN",
    "SIGNED_BY",
    "ChangePart",
    "Database",
]

FILE = DATABASE
"""The name of the database in the folder of a crawl."""

CHECKPOINT = 8_000
"""The least pages of 4 KiB that the log has before SQLite copies them to the file; its default is
1,000. Each commit of a crawl changes the same pages again, which are copied once this way. It takes
32 MiB of disk."""
LOG_SHARE = 4
LONGEST_LOG = 48_000
"""What share of the file the log may have, if that is more, and at most so many pages, 188 MiB: the
larger a crawl is, the more pages of the file its links change. With 8,000 pages always, a page of a
crawl of 200,000 takes a tenth more CPU time."""
AUTOCHECKPOINT = "PRAGMA wal_autocheckpoint = {}"

DATA_VERSION = "PRAGMA data_version"

SETTINGS = "SELECT name, value FROM settings ORDER BY name"
SETTING = "SELECT value FROM settings WHERE name = ?"
SET = "INSERT OR REPLACE INTO settings VALUES(?, ?)"
SET_FIRST = "INSERT OR IGNORE INTO settings VALUES(?, ?)"
MADE_WITH = "made_with"
"""The setting with the versions of goodbot that have worked on the crawl, and their knowledge."""
SIGNED_BY = "signed_by"
"""The setting with the keys by which requests of the crawl were signed."""
GATHERED_FROM = "gathered_from"
"""The setting with the fleet from which a folder was gathered; such a folder is only read."""
MANNERS = "manners"
"""The setting with the robot's own pace, of which each change is kept."""
NOTE_MANNERS = (
    f"INSERT OR REPLACE INTO manners SELECT {LAST_REQUEST}, :stated, 1 "  # noqa: S608  our own words
    "WHERE (:stated, 1) IS NOT (SELECT stated, is_known FROM manners ORDER BY after DESC LIMIT 1)"
)
NOTED_MANNERS = "SELECT after, stated, is_known FROM manners ORDER BY after"


NOT_BEGUN = (
    "there is no crawl in {path}: it was interrupted before it began. Run the command that starts "
    "it again, or name the folder of another crawl"
)


def no_crawl_in(folder: Path) -> str:
    """Return that a folder has no crawl, and what to do.

    >>> no_crawl_in(Path("old shop"))
    "there is no crawl in old shop; start one: goodbot crawl URL --out 'old shop'"
    """
    if folder.is_file():
        return f"{folder} is a file; name the folder of a crawl"
    command = f"goodbot crawl URL --out {shlex.quote(str(folder))}"
    return f"there is no crawl in {folder}; start one: {command}"


class ChangePart(Protocol):
    """Something that gathers what belongs to a change, and writes it at once at its end."""

    def complete(self, connection: sqlite3.Connection) -> None:
        """Write what was gathered; if this raises, the change is undone."""

    def drop(self) -> None:
        """Drop what was gathered, because the change is undone."""


class CommitPart(Protocol):
    """Something in memory that the database gets with the next commit."""

    @property
    def is_unwritten(self) -> bool:
        """Whether there is anything to write."""

    def write(self, connection: sqlite3.Connection) -> None:
        """Write it."""


class Database(SQLiteFile):
    """The database of a crawl: its tables, and the store of its policies and budgets.

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

    lent: "Future[None] | None" = None
    """Done when the thread that is using the database returns it
    (`goodbot.crawl.run.database_access`); `None` if no thread is using it."""

    _schemas = (STORE, CRAWL)
    _cache = 56 * 1024
    """KiB of the file that SQLite caches: a crawl looks up URLs in no particular order. A crawl of
    200,000 pages takes 158 MB with it; with 64 MiB, 164."""

    def __init__(
        self, folder: str | os.PathLike[str], *, create: bool = False, patience: float = 5.0
    ) -> None:
        """Open the file."""
        self.folder = Path(folder)
        self.gathers = False
        """Whether changes are committed only when `commit` is called."""
        self.is_changing = False
        """Whether a change is under way."""
        self._parts: dict[ChangePart, None] = {}
        """What completes the current change."""
        self._added: list[tuple[str, list[tuple[Any, ...]]]] = []
        """The rows that it adds last, with the statement that adds each."""
        self._commit_parts: list[CommitPart] = []
        """What is written before each commit, besides the accounts of the store."""
        self._data_version: int | None = None
        """The same as `data_version`, since the current change began."""
        self._is_closed = False
        self._creates = create
        if create:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                message = f"{folder} cannot be created ({error.strerror}); name another folder"
                raise StoreUnavailableError(message) from error
        elif not os.path.lexists(self.folder / FILE):
            raise NoCrawlError(no_crawl_in(self.folder))
        super().__init__(self.folder / FILE, patience=patience, durable=False)
        self.part: AbstractContextManager[sqlite3.Connection] = nullcontext(self._connection)
        """The connection, for what is a part of the current change, or a step of its own."""
        self.store = FolderStore(self)
        """The policies, budgets and decisions in the file."""
        self._connection.execute(f"PRAGMA cache_size = {-self._cache}")
        self._checkpoint = CHECKPOINT
        self._connection.execute(AUTOCHECKPOINT.format(CHECKPOINT))
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

    def __repr__(self) -> str:
        """Show where it is."""
        return f"<{type(self).__name__} {self.path}>"

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

    def disk_bytes(self) -> int:
        """Return how many bytes the file and its log take on disk.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Database(folder, create=True) as database:
        ...     database.disk_bytes() > 0
        True
        """
        with self.reading() as connection:
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
        size = int(pages) * self._page_size
        with suppress(OSError):
            size += os.stat(f"{self.path}-wal").st_size  # noqa: PTH116  much cheaper than a path
        return size

    @cached_property
    def _page_size(self) -> int:
        """The bytes of a page of the file, which never changes."""
        return int(self._connection.execute("PRAGMA page_size").fetchone()[0])

    def settings(self) -> dict[str, str]:
        """Return all settings: what a crawl resumes with, and the robot that crawls.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Database(folder, create=True) as database:
        ...     database.write_settings({"robot": "ExampleBot"})
        ...     database.write_settings({"robot": "OtherBot"}, replace=False)
        ...     database.settings()["robot"], database.setting("contact", "nobody")
        ('ExampleBot', 'nobody')
        """
        with self.reading() as connection:
            return {str(name): str(value) for name, value in connection.execute(SETTINGS)}

    def setting(self, name: str, default: str = "") -> str:
        """Return one setting, or the default if it is not set."""
        with self.reading() as connection:
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
        with self.reading() as connection:
            rows = connection.execute(NOTED_MANNERS).fetchall()
        return [StoredManners(after, stated, bool(known)) for after, stated, known in rows]

    def execute(self, statement: str, values: Sequence[object]) -> sqlite3.Cursor:
        """Make a change that is one statement, which is atomic by itself; see `changing`."""
        if self.is_changing:
            return self._connection.execute(statement, values)
        with self.reading() as connection:
            if not connection.in_transaction:
                connection.execute("BEGIN IMMEDIATE")
            try:
                cursor = connection.execute(statement, values)
            except BaseException:
                if not connection.in_transaction:  # SQLite may have rolled back all changes itself
                    self.store.forget()
                elif not self.gathers:
                    connection.execute("ROLLBACK")
                raise
            if not self.gathers:
                self.commit()
            return cursor

    @property
    def data_version(self) -> int:
        """A number that differs from an earlier one if another connection has changed the file.

        Within a change it stays the same, because no other connection can write.
        """
        if self._data_version is not None:
            return self._data_version
        version = int(self._connection.execute(DATA_VERSION).fetchone()[0])
        if self.is_changing:
            self._data_version = version
        return version

    def at_end(self, part: ChangePart) -> None:
        """Call a part to complete the current change before it takes effect; only within one."""
        self._parts[part] = None

    def add_last(self, statement: str, rows: list[tuple[Any, ...]]) -> None:
        """Add rows as the last part of the current change; only while its parts are completed.

        Args:
            statement: The statement that adds each, and that only a fault of the file can fail.
            rows: The values of its parameters.

        """
        self._added.append((statement, rows))

    def at_commit(self, part: CommitPart) -> None:
        """Write what a part has in memory before each commit from now on."""
        self._commit_parts.append(part)

    def changing(self) -> AbstractContextManager[sqlite3.Connection]:
        """Make an atomic change; a change within another one is part of it.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Database(folder, create=True) as database:
        ...     with database.changing() as connection:
        ...         _ = connection.execute("INSERT INTO origins(origin) VALUES('https://a.example')")
        ...     database.connection.execute("SELECT count(*) FROM origins").fetchone()
        (1,)
        """
        return self.part if self.is_changing else self._change()

    @contextmanager
    def _change(self) -> Iterator[sqlite3.Connection]:
        with self.reading() as connection:
            is_first = not connection.in_transaction
            connection.execute("BEGIN IMMEDIATE" if is_first else "SAVEPOINT change")
            self.is_changing = True
            try:
                yield connection
                for part in self._parts:
                    part.complete(connection)
                if is_first:
                    self._add_rows(connection)
                else:
                    connection.execute("RELEASE change")
            except BaseException:
                for part in self._parts:
                    part.drop()
                self._undo(connection, is_first=is_first)
                raise
            finally:
                self.is_changing = False
                self._data_version = None
                self.store.settle()
                self._parts.clear()
            if not is_first:
                self._add_rows_for_good(connection)
            if not self.gathers:
                self.commit()

    def _add_rows(self, connection: sqlite3.Connection) -> None:
        """Add the rows that the current change adds last."""
        added, self._added = self._added, []
        for statement, rows in added:
            connection.executemany(statement, rows)

    def _add_rows_for_good(self, connection: sqlite3.Connection) -> None:
        """Add the rows of a change among others that can no longer be undone by itself.

        For one that can, SQLite copies each page of the file before it is modified. Rows of links
        go to pages all over the file, and these copies took an eighth of the CPU time of a crawl of
        100,000 pages. If the file or the disk fails here, what is lost is what a commit that fails
        loses: all since the last one.
        """
        try:
            self._add_rows(connection)
        except BaseException:
            self._lose(connection)
            raise

    def _undo(self, connection: sqlite3.Connection, *, is_first: bool) -> None:
        """Undo the current change only; SQLite may have rolled back all changes itself."""
        self._added.clear()
        if not connection.in_transaction:
            self.store.forget()
            return
        self.store.undo()
        if is_first:
            connection.execute("ROLLBACK")
        else:
            connection.execute("ROLLBACK TO change")
            connection.execute("RELEASE change")

    def _lose(self, connection: sqlite3.Connection) -> None:
        """Undo all changes since the last commit."""
        self.store.forget()
        if connection.in_transaction:
            connection.execute("ROLLBACK")

    def commit(self) -> None:
        """Commit all changes since the last commit; they survive the end of the process."""
        with self.reading() as connection:
            parts = [one for one in self._commit_parts if one.is_unwritten]
            if (self.store.is_unwritten or parts) and not connection.in_transaction:
                connection.execute("BEGIN IMMEDIATE")
            if connection.in_transaction and not self.is_changing:
                try:
                    self._add_rows(connection)  # there are some if just these were interrupted
                    for part in parts:
                        part.write(connection)
                    self.store.write(connection)
                    if self.gathers:
                        self._lengthen_log(connection)
                    connection.execute("COMMIT")
                except BaseException:
                    self._lose(connection)
                    raise
                self.store.committed()

    def _lengthen_log(self, connection: sqlite3.Connection) -> None:
        """Copy the log to the file more rarely if the file has grown by a quarter."""
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        length = min(pages // LOG_SHARE, LONGEST_LOG)
        if length > self._checkpoint * 1.25:
            self._checkpoint = length
            connection.execute(AUTOCHECKPOINT.format(self._checkpoint))

    def gather(self, now: datetime) -> None:
        """Gather changes from now on, and commit them only when `commit` is called.

        Each change is still atomic. A process that is killed, or whose disk is full, loses all
        changes since the last commit. The visits it made must not be lost, so they are noted in a
        journal, which is read here.
        """
        self.gathers = True
        self.store.gather(now)
        self.commit()

    def undo_in_memory(self, *, is_on: bool) -> None:
        """Commit, and hold what would undo a change in memory from now on, or in a file again.

        SQLite copies each page of the file that a change is about to modify. In a temporary file,
        these copies take 20 calls of the system for each page of a crawl, and inserting its links
        takes 52 us at 3,000 pages and 115 at 20,000; in memory, 40 and 75. What the outcomes of
        visits modify is a few megabytes at a time, but a change of all URLs would fill the memory.

        Args:
            is_on: Whether changes are small.

        Source: SQLite, Temporary Files Used By SQLite, sections 2.5 and 3.

        """
        self.commit()
        self._connection.execute(f"PRAGMA temp_store = {'MEMORY' if is_on else 'FILE'}")

    def close(self) -> None:
        """Commit, and close the file; closing it again does nothing."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            self.commit()
        finally:
            super().close()
            self.store.close()
