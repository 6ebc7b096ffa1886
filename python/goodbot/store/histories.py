"""All policies in the file of a store, read without a store.

Scope: reading. Nothing is written, created or upgraded, so that a file of which only a copy is at
hand, that another process has open, or that is on a read-only disk, can be read.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from goodbot.errors import NotAStoreError
from goodbot.store.packing import seen
from goodbot.store.protocols import StoredPolicy
from goodbot.store.reading import open_for_reading
from goodbot.store.sqlite import load_octets

__all__ = ["histories"]

HISTORIES = "SELECT origin, first, last, record, octets FROM policies ORDER BY origin, first"


def histories(path: Path) -> Iterator[tuple[str, StoredPolicy]]:
    """Yield each origin with each of its entries, the earliest first.

    Args:
        path: The file of a `SQLiteStore`, or the database of a crawl, which contains one.

    Raises:
        NotAStoreError: It contains no policies.
        StoreBusyError: It is on a read-only disk, and was changed while it was read.

    """
    try:
        with open_for_reading(path) as connection:
            for origin, since, until, text, numbers in connection.execute(HISTORIES):
                yield origin, seen(since, until, text, load_octets(connection, numbers))
    except sqlite3.Error as error:
        message = f"{path} has no policies of goodbot ({error}); name a SQLiteStore or a crawl"
        raise NotAStoreError(message) from error
