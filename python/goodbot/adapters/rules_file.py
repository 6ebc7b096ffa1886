"""The SQLite file of `RobotRulesFile`; a damaged file allows nothing."""

import itertools
import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from goodbot.errors import NotAStoreError, WrongValueError
from goodbot.lazy_dataclass import dataclass
from goodbot.store.failures import store_error

__all__ = ["HostRecord", "RulesFile"]

PATIENCE = 10.0
"""How many seconds to wait for other processes."""

TABLES = (
    "CREATE TABLE IF NOT EXISTS robot(one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT)",
    """CREATE TABLE IF NOT EXISTS hosts(netloc TEXT PRIMARY KEY, content BLOB, fresh_until REAL,
    visits INTEGER, last_visit REAL)""",
)
NAME = "SELECT name FROM robot"
SET_NAME = "INSERT OR REPLACE INTO robot VALUES(1, ?)"
HOST = "SELECT content, fresh_until, visits, last_visit FROM hosts WHERE netloc = ?"
KEEP = "INSERT OR REPLACE INTO hosts VALUES(?, ?, ?, ?, ?)"
FORGET = "DELETE FROM hosts"

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class HostRecord:
    """The record of one host."""

    content: bytes | None = None
    fresh_until: float | None = None
    visits: int = 0
    last_visit: float | None = None


class RulesFile:
    """The records of hosts in a file.

    Raises:
        StoreError: The file cannot be opened or written.
        WrongValueError: The path is empty.

    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open the file, or a new one if it is damaged."""
        self.path = os.fspath(path)
        if self.path in {"", ":memory:"}:
            message = "pass the path of a file, or use RobotRules to keep the rules in memory"
            raise WrongValueError(message)
        self.set_aside: str | None = None
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._closed = False
        self._do(lambda connection: connection.execute(NAME))

    def agent(self) -> str | None:
        """Return the name of the robot that the file belongs to."""
        row = self._do(lambda connection: connection.execute(NAME).fetchone())
        return row[0] if row and isinstance(row[0], str) else None

    def get(self, netloc: str) -> HostRecord:
        """Return the record of a host; a value of the wrong type counts as unknown."""
        row = self._do(lambda connection: connection.execute(HOST, (netloc,)).fetchone())
        if row is None:
            return HostRecord()
        content, fresh_until, visits, last_visit = row
        return HostRecord(
            content if isinstance(content, bytes) else None,
            fresh_until if isinstance(fresh_until, float) else None,
            visits if isinstance(visits, int) else 0,
            last_visit if isinstance(last_visit, float) else None,
        )

    def put(self, netloc: str, kept: HostRecord) -> None:
        """Store the record of a host."""
        row = (netloc, kept.content, kept.fresh_until, kept.visits, kept.last_visit)
        self._do(lambda connection: connection.execute(KEEP, row))

    def clear(self, agent: str) -> None:
        """Delete all records, and store the new robot's name."""

        def begin(connection: sqlite3.Connection) -> None:
            connection.execute(FORGET)
            connection.execute(SET_NAME, (agent,))

        self._do(begin)

    def close(self) -> None:
        """Close the file; other methods raise from then on."""
        with self._lock:
            self._closed = True
            self._drop()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                connection.close()

    def _do(self, step: Callable[[sqlite3.Connection], Result]) -> Result:
        """Run one transaction; if the file is damaged, set it aside and use a new one."""
        with self._lock:
            try:
                return self._tried(step)
            except sqlite3.Error as error:
                failure = store_error(error, self.path)
                self._drop()
                if not isinstance(failure, NotAStoreError):
                    raise failure from error
            self._put_aside()
            try:
                return self._tried(step)
            except sqlite3.Error as error:
                raise store_error(error, self.path) from error

    def _tried(self, step: Callable[[sqlite3.Connection], Result]) -> Result:
        if self._closed:
            message = "Cannot operate on a closed database."
            raise sqlite3.ProgrammingError(message)
        if self._connection is None:
            self._connection = self._open()
        with self._connection:
            return step(self._connection)

    def _open(self) -> sqlite3.Connection:
        """Open the file, readable by its owner only if it is new."""
        with suppress(OSError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        connection = sqlite3.connect(self.path, timeout=PATIENCE, check_same_thread=False)
        try:
            for table in TABLES:
                connection.execute(table)
            # A file with these tables but other columns counts as damaged.
            connection.execute(HOST, ("",))
        except sqlite3.OperationalError as error:
            connection.close()
            if "no such column" in str(error):
                message = "malformed"
                raise sqlite3.DatabaseError(message) from error
            raise
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _put_aside(self) -> None:
        """Rename a damaged file to a free name."""
        for number in itertools.count(1):
            other = Path(f"{self.path}.damaged-{number}")
            if not other.exists():
                break
        Path(self.path).rename(other)
        for tail in ("-journal", "-wal", "-shm"):
            with suppress(OSError):
                Path(self.path + tail).unlink()
        self.set_aside = str(other)
