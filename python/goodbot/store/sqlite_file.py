"""A SQLite file with tables of ours, for several processes and threads.

Scope: opening it, and its transactions. What is in the tables, their users know.
"""

import os
import sqlite3
import threading
import time as clock
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from goodbot.closing import Closing
from goodbot.errors import StoreError, StoreUnavailableError, WrongValueError
from goodbot.http.instants import checked_seconds
from goodbot.store.failures import is_busy, store_error
from goodbot.store.schema import STORE, refuse_crawl, refuse_foreign
from goodbot.store.versions import Schema, bring_up_to_date, refuse_newer

if TYPE_CHECKING:  # it loads `logging`
    from concurrent.futures import Executor

__all__ = ["CAREFUL", "SQLiteFile"]

OPENING_PAUSE = 0.01
"""Seconds between attempts while several processes open a new file at the same time."""

CAREFUL = ("PRAGMA trusted_schema = OFF", "PRAGMA cell_size_check = ON")
"""Settings for untrusted files (https://www.sqlite.org/security.html)."""


class SQLiteFile(Closing):
    """A SQLite file that is open.

    Args:
        path: The file; it is created if missing.
        patience: Seconds to wait for other processes.
        durable: Whether changes survive a power cut.

    Raises:
        NotAStoreError: The file is something else, or damaged.
        StoreError: It cannot be opened or written; see `SQLiteStore`.
        WrongTypeError: `patience` is not a number.
        WrongValueError: `patience` is negative, or `path` is `:memory:`.

    """

    executor: "Executor | None" = None
    """What makes the calls of robots; `None` for the threads of their event loop."""
    _schemas: tuple[Schema, ...] = (STORE,)
    """What the file has."""

    def __init__(
        self, path: str | os.PathLike[str], *, patience: float = 5.0, durable: bool = True
    ) -> None:
        """Open the file."""
        self.path = os.fspath(path)
        if self.path in {"", ":memory:"}:
            message = "SQLiteStore needs a file; for a store in memory use MemoryStore"
            raise WrongValueError(message)
        self._patience = checked_seconds(patience, "patience")
        self._lock = threading.RLock()
        self._is_group = False
        self._process = os.getpid()
        self._connection = self._open(durable=durable)

    def _open(self, *, durable: bool) -> sqlite3.Connection:
        connection = None
        try:
            connection = sqlite3.connect(
                self.path, self._patience, isolation_level=None, check_same_thread=False
            )
            for pragma in CAREFUL:
                connection.execute(pragma)
            refuse_foreign(connection, self.path)
            refuse_newer(connection, self.path, self._schemas)
            self._refuse(connection)
            # Before anything is in the file: making the tables needs no other journal then.
            self._log_ahead(connection)
            bring_up_to_date(connection, self.path, self._schemas)
            connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        except BaseException as error:
            if connection is not None:
                connection.close()
            if isinstance(error, sqlite3.Error):
                raise store_error(error, self.path) from error
            raise
        return connection

    def _refuse(self, connection: sqlite3.Connection) -> None:
        """Raise for another kind of goodbot file, before anything in it is changed."""
        refuse_crawl(connection, self.path)

    def _log_ahead(self, connection: sqlite3.Connection) -> None:
        """Switch to a write-ahead log. SQLite itself does not wait while others do the same."""
        for _ in range(int(self._patience / OPENING_PAUSE) + 1):
            try:
                (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
            except sqlite3.OperationalError as error:
                if not is_busy(error):
                    raise
                clock.sleep(OPENING_PAUSE)
                continue
            if mode != "wal":
                message = (
                    f"{self.path} is on a disk where SQLite cannot use a write-ahead log; pass the "
                    "path of a file on a local disk"
                )
                raise StoreUnavailableError(message)
            return
        connection.execute("PRAGMA journal_mode = WAL")

    def close(self) -> None:
        """Close the file. Closing again does nothing; anything else raises `StoreError` then."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection; convert exceptions of SQLite."""
        with self._lock:
            if self._process != os.getpid():
                message = (
                    f"the store {self.path} was opened in another process; open it in each process "
                    "for itself"
                )
                raise StoreError(message)
            try:
                yield self._connection
            except sqlite3.Error as error:
                raise store_error(error, self.path) from error

    @contextmanager
    def group(self) -> Iterator[None]:
        """Make all changes of this thread within the block in one transaction.

        The disk is waited for once, at the end; if that fails, none of them is made. One that fails
        by itself is undone alone.
        """
        with self.transaction():
            self._is_group = True
            try:
                yield
            finally:
                self._is_group = False

    @contextmanager
    def transaction(self, *, is_one_statement: bool = False) -> Iterator[sqlite3.Connection]:
        """Make a change completely or not at all, exclusively from its first read.

        Args:
            is_one_statement: Whether nothing has to be undone if a statement fails, because the
                last one is the whole change.

        """
        with self.reading() as connection:
            if self._is_group:  # of this thread, which has the lock
                with nullcontext() if is_one_statement else savepoint(connection):
                    yield connection
                return
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                # SQLite may have gone back by itself, as it does when the disk is full.
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise


@contextmanager
def savepoint(connection: sqlite3.Connection) -> Iterator[None]:
    """Make a change within a transaction completely or not at all."""
    connection.execute("SAVEPOINT one")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK TO one")
            connection.execute("RELEASE one")
        raise
    connection.execute("RELEASE one")
