"""The tables of a store, and what is checked before a file is trusted.

Scope: the tables with their versions, and the check that a file is a store. To change a table, add
a step to `STEPS`; see `goodbot.store.versions`.
"""

import sqlite3

from goodbot.errors import NotAStoreError
from goodbot.store.versions import MigrationStep, Schema

__all__ = ["STEPS", "STORE", "is_empty", "refuse_crawl", "refuse_foreign"]

APPLICATION = 0x676F6F64
"""`good`, the mark of our files (`PRAGMA application_id`)."""

VERSION_1: MigrationStep = (
    # Bytes by their SHA-256: a robots.txt that many origins share is stored once.
    """CREATE TABLE octets(
        id INTEGER PRIMARY KEY, sha256 BLOB NOT NULL UNIQUE, octets BLOB NOT NULL)""",
    # A policy and the time for which it was seen, in microseconds since 1970. `state` is what two
    # records share if the second is the first seen again; `octets` has the numbers of their bytes,
    # separated by spaces, mostly one.
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

VERSION_2: MigrationStep = ()
"""No table differs. 0.1.0 checks no number but this one, and must refuse the crawls of later
versions, which are in the same file as their store."""

VERSION_3: MigrationStep = (
    # A timeline is the time since one start of the machine (`boot`): its count begins at `zero`,
    # and its times are `ahead` microseconds behind the time of day as it was known last.
    """CREATE TABLE timelines(
        id INTEGER PRIMARY KEY, boot TEXT NOT NULL UNIQUE, zero INTEGER NOT NULL,
        ahead INTEGER NOT NULL)""",
    # The timeline of the times in an account; 0 for the time of day.
    "ALTER TABLE accounts ADD COLUMN timeline INTEGER NOT NULL DEFAULT 0",
)

VERSION_4: MigrationStep = (
    # What the operator has decided (`goodbot.policy.holds.Hold`): `kind` is block or pause, `who`
    # decided, `at` in microseconds since 1970.
    """CREATE TABLE holds(
        scope TEXT NOT NULL, kind TEXT NOT NULL, why TEXT NOT NULL, who TEXT NOT NULL,
        at INTEGER NOT NULL, PRIMARY KEY(scope, kind)) WITHOUT ROWID""",
)

STEPS: tuple[MigrationStep, ...] = (VERSION_1, VERSION_2, VERSION_3, VERSION_4)
"""Every version of the tables; the number of the last one is the version of new files."""


def version_of(connection: sqlite3.Connection) -> int:
    """Read the version of a store (`PRAGMA user_version`)."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def set_version(connection: sqlite3.Connection, version: int) -> None:
    """Write it down, with the mark of our files."""
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {version}")


STORE = Schema("store", STEPS, version_of, set_version)

CRAWLS = "SELECT count(*) FROM sqlite_master WHERE name = 'urls'"
"""Whether a crawl has its tables in the same file."""


def refuse_crawl(connection: sqlite3.Connection, path: str) -> None:
    """Raise for the file of a crawl, which relies on its state in memory while it runs.

    Raises:
        NotAStoreError: It is the file of a crawl.

    """
    if connection.execute(CRAWLS).fetchone()[0]:
        message = f"{path} is the file of a crawl, which needs it for itself; use another file"
        raise NotAStoreError(message)


def is_empty(connection: sqlite3.Connection) -> bool:
    """Whether a file is empty: nothing was ever written, or its creation was interrupted."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    return not (application or version_of(connection) or tables)


def refuse_foreign(connection: sqlite3.Connection, path: str) -> None:
    """Raise for the database of another program.

    Raises:
        NotAStoreError: It is not a goodbot store.

    """
    if is_empty(connection):
        return
    # Checked last: another process may have made its tables in the meantime.
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION:
        message = f"{path} is a database, but not a goodbot store; pass the path of another file"
        raise NotAStoreError(message)
