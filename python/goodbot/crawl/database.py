"""The one file of a crawl: opened, made, and changed whole or not at all.

What may live here: the connection, the tables of all parts, transactions. What the tables mean is
known by the part that owns them.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from goodbot.crawl.tables import PARTS
from goodbot.errors import NotAStoreError, StoreUnavailableError
from goodbot.store import SQLiteStore

__all__ = ["FILE", "Database"]

FILE = "crawl.db"
"""The name of the file in the folder of a crawl."""

IS_THERE = "SELECT count(*) FROM sqlite_master WHERE name = 'urls'"


class Database(SQLiteStore):
    """The file of a crawl: a store of policies and budgets, with the tables of a crawl beside them.

    It does not wait for the disk: what was changed survives the process, not a power cut.

    Args:
        folder: The folder of the crawl.
        create: Whether to make folder and file where there are none.
        patience: Seconds to wait for another process.

    Raises:
        NotAStoreError: There is no crawl in the folder, or its file is something else.
        StoreError: The file cannot be opened; see `SQLiteStore`.

    """

    at_once = True
    """A robot may call it without a thread: it waits neither for the disk nor for another robot."""

    def __init__(
        self, folder: str | os.PathLike[str], *, create: bool = False, patience: float = 5.0
    ) -> None:
        """Open the file."""
        self.folder = Path(folder)
        self._depth = 0
        if create:
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                message = f"{folder} cannot be made ({error.strerror}); name another folder"
                raise StoreUnavailableError(message) from error
        elif not (self.folder / FILE).is_file():
            message = f"there is no crawl in {folder}; goodbot crawl --out {folder} makes one"
            raise NotAStoreError(message)
        super().__init__(self.folder / FILE, patience=patience, durable=False)
        with self._reading() as connection:
            is_there = connection.execute(IS_THERE).fetchone()[0]
        if not is_there:
            self._make(create=create)

    def _make(self, *, create: bool) -> None:
        """Make the tables, unless another process has done so meanwhile."""
        if not create:
            self.close()
            message = f"{self.path} is no crawl's; give the folder of a crawl"
            raise NotAStoreError(message)
        with self.changing() as connection:
            if not connection.execute(IS_THERE).fetchone()[0]:
                for statement in (one for part in PARTS for one in part):
                    connection.execute(statement)

    def __enter__(self) -> "Database":  # noqa: PYI034  Python 3.10 has no Self
        """Give the file."""
        return self

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection; to look only."""
        return self._connection

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """Make a change, whole or not at all; within another change it is a part of that.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, Database(folder, create=True) as database:
        ...     with database.changing() as connection:
        ...         _ = connection.execute("INSERT INTO origins(origin) VALUES('https://a.example')")
        ...     database.connection.execute("SELECT count(*) FROM origins").fetchone()
        (1,)
        """
        if self._depth:
            yield self._connection
            return
        with super()._writing() as connection:
            self._depth += 1
            try:
                yield connection
            finally:
                self._depth -= 1

    _writing = changing
