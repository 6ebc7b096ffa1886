"""A store opened for reading alone, also on a disk that cannot be written.

Scope: how SQLite opens a file of which nothing is to be changed. A file with a write-ahead log
needs two more files beside it, which SQLite creates where it can:

| the folder | how the file is opened |
|---|---|
| can be written | as usual |
| read-only, with both files | with these as they are |
| read-only, with a log left behind | as a private copy: SQLite cannot read the log otherwise |
| read-only, nothing beside the file | as one that does not change; checked again at the end |

Source: https://www.sqlite.org/wal.html, section 5 (read-only databases).
"""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from goodbot.errors import StoreBusyError
from goodbot.files.temporary_folders import temporary_folder

__all__ = ["open_for_reading"]

LOG = "-wal"


@contextmanager
def open_for_reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the file of a store for reading.

    Raises:
        OSError: It cannot be copied.
        StoreBusyError: It was changed while it was read.
        sqlite3.Error: SQLite cannot read it.

    """
    with ExitStack() as stack:
        connection = None
        try:
            connection = stack.enter_context(connected(path, "mode=ro"))
        except sqlite3.OperationalError:
            if os.access(path.parent, os.W_OK):
                raise
        if connection is not None:
            yield connection
            return
        log = Path(f"{path}{LOG}")
        if log.exists() and log.stat().st_size:
            folder = stack.enter_context(temporary_folder())
            copy = folder / path.name
            for source, target in ((path, copy), (log, Path(f"{copy}{LOG}"))):
                shutil.copyfile(source, target)
            yield stack.enter_context(connected(copy, "mode=rw"))
            return
        before = facts_of(path)
        yield stack.enter_context(connected(path, "immutable=1"))
        if facts_of(path) != before:
            message = f"{path} was changed while it was read; run the command again"
            raise StoreBusyError(message)


@contextmanager
def connected(path: Path, how: str) -> Iterator[sqlite3.Connection]:
    """Open a file in a certain way, and read a first row."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True)) as connection:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()  # opens it only now
        yield connection


def facts_of(path: Path) -> tuple[int, int, int]:
    """Return facts on a file that change when someone writes to it."""
    facts = path.stat()
    return facts.st_ino, facts.st_size, facts.st_mtime_ns
