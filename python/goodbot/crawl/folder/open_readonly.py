"""Reading a crawl, also while it goes on, and where nothing may be written.

What may live here: how a crawl is opened by those who change nothing.

| the folder | how its database is opened |
|---|---|
| may be written | as by everybody; SQLite puts its two files beside it, and removes them |
| may not, and a crawl is at work in it | with those two files as they are |
| may not, and a crawl in it was killed | as a private copy: SQLite cannot read the log otherwise |
| may not, and nothing is beside it | as a file that does not change, which is checked at the end |

An older version is upgraded in a private copy, too. Source: https://www.sqlite.org/wal.html,
section 5 (read-only databases).
"""

import errno
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from urllib.parse import quote

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.own_files import DATABASE, NO_LINKS, Facts, check_database, is_torn
from goodbot.errors import (
    GoodbotError,
    NotAStoreError,
    StoreBusyError,
    StoreFullError,
    StoreUnavailableError,
)
from goodbot.store.failures import store_error
from goodbot.store.schema import refuse_foreign
from goodbot.store.sqlite import CAREFUL
from goodbot.store.versions import bring_up_to_date, refuse_newer

__all__ = ["ReadOnlyDatabase", "open_readonly", "reading_rows"]

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
ATTEMPTS = 20
PAUSE = 0.05
"""Seconds between attempts, as a crawl begins or ends just now."""

ODD = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What reading raises that meets a value that goodbot never writes."""


class ReadOnlyDatabase(Database):
    """The file of a crawl, for reading only. What is in the folder stays as it is.

    Args:
        folder: The folder of the crawl.
        patience: Seconds to wait for another process.

    Raises:
        NotAStoreError: There is no crawl in the folder, or its file is something else.
        StoreError: The file cannot be read; see `SQLiteStore`.

    """

    def __init__(self, folder: str | os.PathLike[str], *, patience: float = 5.0) -> None:
        """Open the file."""
        self._copy: TemporaryDirectory[str] | None = None
        self._unchanging: Facts | None = None
        """What the file was, where it is read as one that does not change."""
        super().__init__(folder, patience=patience)

    @property
    def may_be_written(self) -> bool:
        """Whether another connection could write to the file, and needs no upgrade to do so."""
        return self._copy is None and may_write(self.folder)

    def changing(self) -> AbstractContextManager[sqlite3.Connection]:
        """Change a private copy, if there is one.

        Raises:
            StoreBusyError: There is none; another process may change the file.
            StoreUnavailableError: There is none, and this one may not.

        """
        if self._copy is not None:
            return super().changing()
        if self.may_be_written:
            message = f"{self.path} is open for reading only; run it again when no crawl is at work"
            raise StoreBusyError(message)
        message = f"{self.path} may not be written; run it as a user who may write to its folder"
        raise StoreUnavailableError(message)

    _writing = changing

    def _open(self, *, durable: bool) -> sqlite3.Connection:  # noqa: ARG002  nothing is written
        """Open the file in the way that its folder allows."""
        for attempt in range(ATTEMPTS):
            try:
                return self._prepared(self._connected())
            except (sqlite3.Error, OSError) as error:
                # As a crawl ends, files disappear between a look at them and their opening.
                if attempt == ATTEMPTS - 1 or not is_passing(error):
                    raise self._told(error) from error
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
        uri = f"file:{quote(os.path.abspath(path))}?{how}"  # noqa: PTH100  a link in it may stay
        connection = sqlite3.connect(
            uri, self._patience, uri=True, isolation_level=None, check_same_thread=False
        )
        try:
            for pragma in CAREFUL:
                connection.execute(pragma)
            # The first look at the file: whether it can be opened at all.
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepared(self, connection: sqlite3.Connection) -> sqlite3.Connection:
        """Check what is in the file; an older version is upgraded in a copy."""
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
                newer = sqlite3.connect(
                    self._private(), isolation_level=None, check_same_thread=False
                )
                connection.backup(newer)
            else:
                newer = self._connection_to(str(Path(self._copy.name) / DATABASE), "mode=rw")
        bring_up_to_date(newer, self.path, self._schemas)
        return newer

    def _private(self) -> str:
        """Make a folder for a copy; it goes with the connection."""
        if self._copy is None:
            self._copy = TemporaryDirectory(prefix="goodbot-")
        return str(Path(self._copy.name) / DATABASE)

    def _copied(self, log: Path) -> str:
        """Copy the file and its log, as they are at one moment."""
        before, target = snapshot(self.path, log), self._private()
        for source, to in ((Path(self.path), target), (log, f"{target}-wal")):
            descriptor = os.open(source, os.O_RDONLY | NO_LINKS)
            with open(descriptor, "rb") as file, Path(to).open("wb") as copy:  # noqa: PTH123
                copyfileobj(file, copy)
        if snapshot(self.path, log) != before:
            raise BlockingIOError
        return target

    def check_unchanged(self) -> None:
        """Check that a file that was read as one that does not change did not.

        Raises:
            StoreBusyError: It changed; what was read may be wrong.

        """
        if self._unchanging is None:
            return
        if check_database(self.folder, writing=False) != self._unchanging:
            message = f"{self.path} was changed while it was read; run it again"
            raise StoreBusyError(message)

    def _told(self, error: sqlite3.Error | OSError) -> GoodbotError:
        if isinstance(error, sqlite3.Error):
            return store_error(error, self.path)
        if isinstance(error, BlockingIOError):
            return StoreBusyError(f"{self.path} changes all the time; read it when the crawl ended")
        if error.errno in FULL:
            message = f"there is no room for a copy of {self.path}; set TMPDIR to a larger disk"
            return StoreFullError(message)
        path = error.filename or self.path
        message = f"{path} cannot be read ({error.strerror}); grant the right to read it"
        return StoreUnavailableError(message)

    def close(self) -> None:
        """Close the file, and remove the copy, if there is one."""
        super().close()
        self._drop_copy()

    def _drop_copy(self) -> None:
        """Remove the copy, if there is one."""
        if self._copy is not None:
            self._copy.cleanup()
            self._copy = None


def may_write(folder: Path) -> bool:
    """Whether this process may write the database and what SQLite puts beside it."""
    return (
        os.access(folder, os.W_OK | os.X_OK)
        and all(os.access(name, os.R_OK | os.W_OK) for name in names_in(folder))
        and not is_linked(folder)
    )


def is_linked(folder: Path) -> bool:
    """Whether one of these files has another name, and would be changed under that one, too."""
    return any(name.stat().st_nlink > 1 for name in names_in(folder))


def names_in(folder: Path) -> list[Path]:
    """List the database and what is beside it."""
    names = [folder / (DATABASE + suffix) for suffix in ("", "-wal", "-shm")]
    return [name for name in names if name.exists()]


def snapshot(*paths: str | Path) -> list[tuple[int, int, int]]:
    """Note what would change if somebody wrote to files."""
    facts = [os.stat(path) for path in paths]  # noqa: PTH116  a str or a path
    return [(one.st_ino, one.st_size, one.st_mtime_ns) for one in facts]


def is_passing(error: Exception) -> bool:
    """Whether what went wrong may be right in a moment."""
    if isinstance(error, OSError):
        return isinstance(error, BlockingIOError | FileNotFoundError)
    said = str(error)
    return any(words in said for words in ("unable to open", "readonly", "locked"))


@contextmanager
def open_readonly(
    folder: str | os.PathLike[str], *, at_one_moment: bool = True
) -> Iterator[ReadOnlyDatabase]:
    """Open a crawl for reading, also while a crawl that is under way adds to it.

    Args:
        folder: The folder of the crawl; it need not be writable.
        at_one_moment: Whether all statements see the crawl as it was at the first one.

    Raises:
        NotAStoreError: There is no crawl in the folder, or its file is damaged.
        StoreError: The file cannot be read.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Database(folder, create=True).close()
    ...     with open_readonly(folder) as database:
    ...         database.connection.execute("SELECT count(*) FROM urls").fetchone()
    (0,)
    """
    with closing(ReadOnlyDatabase(folder)) as database:
        with reading_rows(database.path):
            if at_one_moment:
                # Nothing is changed, so there is nothing to commit.
                database.connection.execute("BEGIN")
            yield database
        database.check_unchanged()


@contextmanager
def reading_rows(path: str) -> Iterator[None]:
    """Raise one error for whatever a database leads to that goodbot did not write.

    Raises:
        NotAStoreError: A value is none that goodbot writes.
        StoreError: SQLite cannot read the file.

    """
    try:
        yield
    except GoodbotError:
        raise
    except sqlite3.Error as error:
        raise store_error(error, path) from error
    except ODD as error:
        message = (
            f"{path} holds a value that goodbot does not write ({type(error).__name__}: "
            f"{str(error)[:120]}); restore the folder from a copy, or crawl anew"
        )
        raise NotAStoreError(message) from error
