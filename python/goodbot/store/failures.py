"""SQLite's errors as goodbot's exceptions, whose messages say how to fix the problem."""

import sqlite3

from goodbot.errors import (
    NotAStoreError,
    StoreBusyError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
)

__all__ = ["is_busy", "store_error"]

# SQLite's message, the exception, and its message. Codes would be better, but Python has them only
# since 3.11; the texts are those of sqlite3_errstr, which do not change.
FAILURES: tuple[tuple[str, type[StoreError], str], ...] = (
    (
        "full",
        StoreFullError,
        "there is no room for {path}; make room on its disk, and repeat the last step",
    ),
    (
        "locked",
        StoreBusyError,
        "{path} is locked by another process; end that process, or open with a longer patience=",
    ),
    (
        "not a database",
        NotAStoreError,
        "{path} is not a database; pass the path of a store, or of a file that does not exist yet",
    ),
    (
        "malformed",
        NotAStoreError,
        "{path} is damaged; restore it from a copy, or remove it and start again",
    ),
    (
        "closed",
        StoreError,
        "the store {path} is closed; open it again",
    ),
    (
        "readonly",
        StoreUnavailableError,
        "{path} cannot be written; allow writing to it and to its folder",
    ),
    (
        "unable to open",
        StoreUnavailableError,
        "{path} cannot be opened; check that its folder exists and can be read and written",
    ),
)
OTHER = "{path} cannot be read or written ({said}); check its disk"


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another process has the file locked."""
    return "locked" in str(error)


def store_error(error: sqlite3.Error, path: str) -> StoreError:
    """Return the exception for an error of SQLite."""
    said = str(error)
    for words, failure, message in FAILURES:
        if words in said:
            return failure(message.format(path=path))
    return StoreUnavailableError(OTHER.format(path=path, said=said[:200]))
