"""The form of the file, and what is done before it is trusted.

What may live here: tables, the number of their form, and the check that a file is a store.
"""

import sqlite3

from goodbot.errors import NotAStoreError, StoreVersionError

__all__ = ["VERSION", "check", "create", "refuse_crawl"]

VERSION = 1
"""The number of the form (`PRAGMA user_version`)."""
APPLICATION = 0x676F6F64
"""`good`, the mark of our files (`PRAGMA application_id`)."""

TABLES = (
    # Octets by their SHA-256: a robots.txt that many origins share is kept once.
    """CREATE TABLE octets(
        id INTEGER PRIMARY KEY, sha256 BLOB NOT NULL UNIQUE, octets BLOB NOT NULL)""",
    # A policy and from when to when it was seen, in microseconds since 1970. `state` is what two
    # records have in common if the second is the first seen again; `octets` has the numbers of
    # theirs, parted by spaces, mostly one.
    """CREATE TABLE policies(
        origin TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, state BLOB NOT NULL,
        octets TEXT NOT NULL, record TEXT NOT NULL,
        PRIMARY KEY(origin, first)) WITHOUT ROWID""",
    """CREATE TABLE accounts(
        origin TEXT PRIMARY KEY, number INTEGER NOT NULL, held INTEGER NOT NULL,
        holder TEXT NOT NULL, granted INTEGER NOT NULL, expires INTEGER NOT NULL,
        pause INTEGER NOT NULL, due INTEGER NOT NULL, reason TEXT NOT NULL, block INTEGER NOT NULL,
        blocked_by TEXT NOT NULL, history TEXT NOT NULL) WITHOUT ROWID""",
)


CRAWLS = "SELECT count(*) FROM sqlite_master WHERE name = 'urls'"
"""Whether a crawl has its tables in the same file."""


def refuse_crawl(connection: sqlite3.Connection, path: str) -> None:
    """Refuse the file of a crawl, which goes by what it has in memory while it works.

    Raises:
        NotAStoreError: It is one.

    """
    if connection.execute(CRAWLS).fetchone()[0]:
        message = f"{path} is the file of a crawl, which has it for itself; name another file"
        raise NotAStoreError(message)


def check(connection: sqlite3.Connection, path: str) -> bool:
    """Whether the file is a store, and not an empty file.

    Raises:
        NotAStoreError: It is another database.
        StoreVersionError: A newer goodbot made it.

    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if not (application or version or tables):
        return False
    if application != APPLICATION:
        message = f"{path} is a database, but no store of goodbot's; give the path of another file"
        raise NotAStoreError(message)
    if version > VERSION:
        message = (
            f"{path} has the form {version}, and this goodbot knows forms up to {VERSION}; install "
            "the goodbot that made it, or give the path of another file"
        )
        raise StoreVersionError(message)
    return True


def create(connection: sqlite3.Connection, path: str) -> None:
    """Make the tables, unless another process has done so meanwhile: all of them or none."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not check(connection, path):
            for table in TABLES:
                connection.execute(table)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
