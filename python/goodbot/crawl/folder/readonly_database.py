"""Open the database of a crawl for reading, also while it is running or if it cannot be written.

Scope: how readers open one database. `open_readonly` opens a crawl.

| the folder | how its database is opened |
|---|---|
| can be written | as usual; SQLite creates its two files beside the database, and removes them |
| read-only, and a crawl is running in it | with those two files as they are |
| read-only, and its crawl was killed | as a private copy: SQLite cannot read the log otherwise |
| read-only, with nothing beside the database | as an immutable file; checked again at the end |

A database of an older version is upgraded in a private copy, too. Source:
https://www.sqlite.org/wal.html, section 5 (read-only databases).
"""

import errno
import os
import sqlite3
import time
from contextlib import AbstractContextManager, ExitStack, closing
from pathlib import Path
from urllib.parse import quote

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.own_files import DATABASE, NO_LINKS, Facts, check_database, is_torn
from goodbot.errors import (
    GoodbotError,
    StoreBusyError,
    StoreFullError,
    StoreUnavailableError,
)
from goodbot.store.failures import store_error
from goodbot.store.schema import refuse_foreign
from goodbot.store.sqlite_file import CAREFUL
from goodbot.store.versions import bring_up_to_date, refuse_newer

__all__ = ["ReadOnlyDatabase"]

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
ATTEMPTS = 20
PAUSE = 0.05
"""Seconds between attempts, in case a crawl is starting or ending right now."""


class ReadOnlyDatabase(Database):
    """The database of a crawl, opened for reading only. Nothing in the folder is changed.

    Args:
        folder: The folder of the crawl.
        patience: Seconds to wait for a lock held by another process.

    Raises:
        NotAStoreError: There is no crawl in the folder, or its file is something else.
        StoreError: The file cannot be read; see `goodbot.store.SQLiteStore`.

    """

    _cache = 2 * 1024
    """As SQLite has it by default: a reader needs most pages once, and the cache of the system has
    the others. To use new memory takes longer: with 56 MiB, a search takes a third longer."""

    def __init__(self, folder: str | os.PathLike[str], *, patience: float = 5.0) -> None:
        """Open the file."""
        self._copy: Path | None = None
        """The folder of the private copy, if there is one."""
        self._removing = ExitStack()
        self._unchanging: Facts | None = None
        """The state of the file when it was opened as immutable; otherwise `None`."""
        self.uri = ""
        """The name by which SQLite opened the file, or its copy."""
        super().__init__(folder, patience=patience)

    @property
    def may_be_written(self) -> bool:
        """Whether another connection could write to the file without upgrading it."""
        return self._copy is None and may_write(self.folder)

    def changing(self) -> AbstractContextManager[sqlite3.Connection]:
        """Change the private copy, if there is one.

        Raises:
            StoreBusyError: There is no copy. The folder can be written, but not by this reader.
            StoreUnavailableError: There is no copy, and the folder cannot be written.

        """
        if self._copy is not None:
            return super().changing()
        if self.may_be_written:
            message = (
                f"{self.path} is open for reading only; run the command again when no crawl is "
                "running"
            )
            raise StoreBusyError(message)
        message = f"{self.path} cannot be written; run this as a user who can write to its folder"
        raise StoreUnavailableError(message)

    def _open(self, *, durable: bool) -> sqlite3.Connection:  # noqa: ARG002  nothing is written
        """Open the file in the way its folder allows."""
        try:
            return self._opened()
        except BaseException:
            self._drop_copy()
            raise

    def _opened(self) -> sqlite3.Connection:
        """Open the file; try again while a crawl begins or ends."""
        for attempt in range(ATTEMPTS):
            try:
                return self._prepared(self._connected())
            except (sqlite3.Error, OSError) as error:
                # When a crawl ends, files can disappear between being checked and being opened.
                if attempt == ATTEMPTS - 1 or not is_passing(error):
                    raise self._store_error(error) from error
            time.sleep(PAUSE)
        raise AssertionError

    def _connected(self) -> sqlite3.Connection:
        """Open the file as it is."""
        facts = check_database(self.folder, writing=False)
        if is_torn(self.folder):
            self._refuse_torn()
        log, index = (Path(f"{self.path}{suffix}") for suffix in ("-wal", "-shm"))
        self._unchanging = None
        self._drop_copy()
        if may_write(self.folder):
            return self._connection_to(self.path, "mode=rw")
        if log.exists() and log.stat().st_size:
            if index.exists() and not is_linked(self.folder):
                return self._connection_to(self.path, "mode=ro")
            return self._connection_to(self._copied(log), "mode=rw")
        self._unchanging = facts
        return self._connection_to(self.path, "immutable=1")

    def _connection_to(self, path: str, how: str) -> sqlite3.Connection:
        self.uri = uri = uri_of(path, how)
        connection = sqlite3.connect(
            uri, self._patience, uri=True, isolation_level=None, check_same_thread=False
        )
        try:
            for pragma in CAREFUL:
                connection.execute(pragma)
            # SQLite opens the file only now.
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepared(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        """Check the contents of the file; upgrade an older version in a copy."""
        try:
            refuse_foreign(connection, self.path)
            refuse_newer(connection, self.path, self._schemas)
            self._refuse(connection)
            if not all(schema.is_current(connection) for schema in self._schemas):
                connection = self._upgraded(connection)
            if self._copy is None:
                connection.execute("PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
        return connection

    def _upgraded(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        """Copy the file, and upgrade the copy."""
        with closing(connection):
            if self._copy is None:
                self.uri = uri_of(self._private(), "mode=rw")
                newer = sqlite3.connect(
                    self._private(), isolation_level=None, check_same_thread=False
                )
                connection.backup(newer)
            else:
                newer = self._connection_to(str(self._copy / DATABASE), "mode=rw")
        bring_up_to_date(newer, self.path, self._schemas)
        return newer

    def _private(self) -> str:
        """Create a folder for a copy, removed with the connection; return the path of the copy."""
        if self._copy is None:
            # Slow to load, and seldom needed.
            from goodbot.files.temporary_folders import temporary_folder  # noqa: PLC0415

            self._copy = self._removing.enter_context(temporary_folder())
        return str(self._copy / DATABASE)

    def _copied(self, log: Path) -> str:
        """Copy the file and its log in one consistent state."""
        from shutil import copyfileobj  # noqa: PLC0415  slow to load, and seldom needed

        before, target = snapshot(self.path, log), self._private()
        for source, to in ((Path(self.path), target), (log, f"{target}-wal")):
            descriptor = os.open(source, os.O_RDONLY | NO_LINKS)
            with open(descriptor, "rb") as file, Path(to).open("wb") as copy:  # noqa: PTH123
                copyfileobj(file, copy)
        if snapshot(self.path, log) != before:
            raise BlockingIOError
        return target

    def check_unchanged(self) -> None:
        """Check that a file opened as immutable has not changed.

        Raises:
            StoreBusyError: It changed, so what was read may be wrong.

        """
        if self._unchanging is None:
            return
        if check_database(self.folder, writing=False) != self._unchanging:
            message = f"{self.path} was changed while it was read; run the command again"
            raise StoreBusyError(message)

    def _store_error(self, error: sqlite3.Error | OSError) -> GoodbotError:
        if isinstance(error, sqlite3.Error):
            return store_error(error, self.path)
        if isinstance(error, BlockingIOError):
            message = f"{self.path} keeps changing; run the command again when the crawl has ended"
            return StoreBusyError(message)
        if error.errno in FULL:
            message = f"there is no room for a copy of {self.path}; set TMPDIR to a larger disk"
            return StoreFullError(message)
        path = error.filename or self.path
        message = f"{path} cannot be read ({error.strerror}); check its permissions"
        return StoreUnavailableError(message)

    def close(self) -> None:
        """Close the file, and remove the copy, if there is one."""
        super().close()
        self._drop_copy()

    def _drop_copy(self) -> None:
        """Remove the copy, if there is one."""
        self._copy = None
        self._removing.close()


def uri_of(path: str, how: str) -> str:
    """Return the name by which SQLite opens a file in a certain way."""
    return f"file:{quote(os.path.abspath(path))}?{how}"  # noqa: PTH100  a link in it may stay


def may_write(folder: Path) -> bool:
    """Whether this process can write the database and the files SQLite keeps beside it."""
    return (
        os.access(folder, os.W_OK | os.X_OK)
        and all(os.access(name, os.R_OK | os.W_OK) for name in names_in(folder))
        and not is_linked(folder)
    )


def is_linked(folder: Path) -> bool:
    """Whether one of these files has a hard link elsewhere, which would be changed with it."""
    return any(name.stat().st_nlink > 1 for name in names_in(folder))


def names_in(folder: Path) -> list[Path]:
    """List the database and the files beside it that exist."""
    names = [folder / (DATABASE + suffix) for suffix in ("", "-wal", "-shm")]
    return [name for name in names if name.exists()]


def snapshot(*paths: str | Path) -> list[tuple[int, int, int]]:
    """Return facts on files that change when someone writes to them."""
    facts = [os.stat(path) for path in paths]  # noqa: PTH116  a str or a path
    return [(one.st_ino, one.st_size, one.st_mtime_ns) for one in facts]


def is_passing(error: Exception) -> bool:
    """Whether an error may go away if the operation is tried again in a moment."""
    if isinstance(error, OSError):
        return isinstance(error, BlockingIOError | FileNotFoundError)
    message = str(error)
    return any(words in message for words in ("unable to open", "readonly", "locked"))
