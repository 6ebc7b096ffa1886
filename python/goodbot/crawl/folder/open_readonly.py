"""Open a crawl for reading: the one database of its folder, or those of all its processes.

Scope: what readers of a crawl call. `readonly_database` and `readonly_parts` open the files.
"""

import os
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from goodbot.crawl.folder.elsewhere import refuse_elsewhere
from goodbot.crawl.folder.missing_parts import refuse_missing_parts
from goodbot.crawl.folder.readonly_database import ReadOnlyDatabase
from goodbot.crawl.folder.readonly_parts import ReadOnlyParts
from goodbot.crawl.folder.shares import SHARES, Shares, part_folder
from goodbot.errors import GoodbotError, NotAStoreError
from goodbot.store.failures import store_error

__all__ = ["folders_of", "open_readonly", "reading_rows"]

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
"""What reading a value that goodbot never writes can raise."""


@contextmanager
def open_readonly(
    folder: str | os.PathLike[str],
    *,
    at_one_moment: bool = True,
    reads: Collection[str] = (),
) -> Iterator[ReadOnlyDatabase]:
    """Open a crawl for reading, even while it is running.

    Args:
        folder: The folder of the crawl; it need not be writable.
        at_one_moment: Whether all statements see the crawl in the state the first one saw.
        reads: The parts that will be read, as `Crawl` names them, such as `index`.

    Raises:
        MisuseError: One of these is not in the folder, because the crawl was given its own.
        NotAStoreError: There is no crawl in the folder, or its file is damaged.
        StoreError: The file cannot be read.

    >>> import tempfile
    >>> from goodbot.crawl import Database
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Database(folder, create=True).close()
    ...     with open_readonly(folder) as database:
    ...         database.connection.execute("SELECT count(*) FROM urls").fetchone()
    (0,)
    """
    with closing(opened_readonly(folder)) as database:
        with reading_rows(database.path):
            if at_one_moment:
                # Reading only: there is nothing to commit.
                database.connection.execute("BEGIN")
            refuse_elsewhere(database.settings(), reads, folder)
            yield database
        database.check_unchanged()


def opened_readonly(folder: str | os.PathLike[str]) -> ReadOnlyDatabase:
    """Open a crawl for reading, with all parts if it has several processes."""
    database = ReadOnlyDatabase(folder)
    try:
        has_parts = bool(database.setting(SHARES))
    except BaseException:
        database.close()
        raise
    if has_parts:
        database.close()
        return ReadOnlyParts(folder)
    return database


def folders_of(folder: str | os.PathLike[str]) -> list[Path]:
    """Return the folders that have the data of a crawl: its own, or those of its processes.

    A process that was killed when the crawl began has no folder yet, or an empty one.

    Raises:
        NotAStoreError: There is no crawl in the folder, or its file is damaged.
        StoreError: The file cannot be read.

    """
    root = Path(folder)
    with closing(ReadOnlyDatabase(folder)) as database:
        stored = database.setting(SHARES)
        if not stored:
            return [root]
        shares = Shares.from_json(stored)
        refuse_missing_parts(database, shares)
    return [part_folder(root, number) for number in range(shares.count)]


@contextmanager
def reading_rows(path: str) -> Iterator[None]:
    """Turn every error caused by a damaged or foreign database into a `StoreError`.

    Raises:
        NotAStoreError: The database has a value that goodbot never writes.
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
            f"{path} contains a value that goodbot never writes ({type(error).__name__}: "
            f"{str(error)[:120]}); restore the folder from a backup, or crawl into a new folder"
        )
        raise NotAStoreError(message) from error
