"""What SQLite complains of, in our words, with the cure."""

import sqlite3

from goodbot.errors import (
    NotAStoreError,
    StoreBusyError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
)

__all__ = ["is_busy", "store_error"]

# What SQLite says, the exception, and what to say. Codes would be better, but Python has them only
# from 3.11 on; the words are those of sqlite3_errstr, which do not change.
FAILURES: tuple[tuple[str, type[StoreError], str], ...] = (
    (
        "full",
        StoreFullError,
        "there is no room for {path}; make room on its disk, and do the last step again",
    ),
    (
        "locked",
        StoreBusyError,
        "{path} is locked by another process; end what holds it, or open with a longer patience=",
    ),
    (
        "not a database",
        NotAStoreError,
        "{path} is no database; give the path of a store, or of a file that does not exist yet",
    ),
    (
        "malformed",
        NotAStoreError,
        "{path} is damaged; restore it from a copy, or remove it and begin anew",
    ),
    (
        "closed",
        StoreError,
        "the store {path} is closed; open it anew",
    ),
    (
        "readonly",
        StoreUnavailableError,
        "{path} cannot be written; grant the right to write it, and to make files beside it",
    ),
    (
        "unable to open",
        StoreUnavailableError,
        "{path} cannot be opened; see that its folder exists and may be read and written",
    ),
)
OTHER = "{path} cannot be read or written ({said}); see that its disk works"


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another process has the file locked."""
    return "locked" in str(error)


def store_error(error: sqlite3.Error, path: str) -> StoreError:
    """Return the exception for what SQLite says."""
    said = str(error)
    for words, failure, message in FAILURES:
        if words in said:
            return failure(message.format(path=path))
    return StoreUnavailableError(OTHER.format(path=path, said=said[:200]))
