"""Versions of tables: how each is made, and how an older file is upgraded.

Scope: running steps in order. The steps are defined with the tables that they change:
`goodbot.store.schema` for a store, `goodbot.crawl.folder.tables` for a crawl.

A schema is only the list of its steps: a new file goes through all of them, a file of version N
through those after the Nth. So an upgraded file has the same tables as a new one.
"""

import sqlite3
from collections.abc import Callable, Sequence
from functools import lru_cache

from goodbot.errors import NotAStoreError, StoreVersionError
from goodbot.lazy_dataclass import dataclass

__all__ = ["MigrationStep", "Schema", "bring_up_to_date", "refuse_newer"]

MigrationStep = tuple[str | Callable[[sqlite3.Connection], object], ...]
"""What leads from one version to the next: statements, and functions that get the connection."""


@dataclass(frozen=True)
class Schema:
    """Tables with a version number of their own.

    >>> count = lambda connection: connection.execute("PRAGMA user_version").fetchone()[0]
    >>> set_to = lambda connection, n: connection.execute(f"PRAGMA user_version = {n}")
    >>> steps = (("CREATE TABLE lamps(name TEXT)",), ("ALTER TABLE lamps ADD COLUMN watts INT",))
    >>> lamps = Schema("shop", steps, count, set_to)
    >>> connection = sqlite3.connect(":memory:", isolation_level=None)
    >>> bring_up_to_date(connection, "shop.db", [lamps])
    >>> lamps.version(connection)
    2
    """

    name: str
    """What the tables are, for messages: `store`, `crawl`."""
    steps: tuple[MigrationStep, ...]
    """The first makes the tables of version 1, each other one leads to the next version."""
    version: Callable[[sqlite3.Connection], int]
    """Reads the version of a file; 0 if it has none of the tables."""
    set_version: Callable[[sqlite3.Connection, int], object]
    """Writes the version down."""

    @property
    def newest(self) -> int:
        """The version that this goodbot writes."""
        return len(self.steps)

    def is_current(self, connection: sqlite3.Connection) -> bool:
        """Whether a file has the newest version."""
        return self.version(connection) == self.newest

    def upgrade(self, connection: sqlite3.Connection) -> None:
        """Run the steps that a file still lacks; within a transaction."""
        for step in self.steps[self.version(connection) :]:
            run(connection, step)
        self.set_version(connection, self.newest)


def run(connection: sqlite3.Connection, step: MigrationStep) -> None:
    """Run one step."""
    for part in step:
        if isinstance(part, str):
            connection.execute(part)
        else:
            part(connection)


def bring_up_to_date(connection: sqlite3.Connection, path: str, schemas: Sequence[Schema]) -> None:
    """Make the tables that are missing and upgrade the older ones: all of it, or nothing.

    Another process may do the same at the same time; the second finds nothing left to do.

    Args:
        connection: In autocommit mode, outside a transaction.
        path: The file, for messages.
        schemas: What the file is to have.

    Raises:
        StoreVersionError: A newer goodbot wrote it.

    """
    refuse_newer(connection, path, schemas)
    if all(schema.is_current(connection) for schema in schemas):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        refuse_newer(connection, path, schemas)
        for schema in schemas:
            schema.upgrade(connection)
        connection.execute("COMMIT")
    except BaseException:
        # SQLite may have gone back by itself, as it does when the disk is full.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def refuse_newer(connection: sqlite3.Connection, path: str, schemas: Sequence[Schema]) -> None:
    """Refuse a file that this goodbot would misread.

    Raises:
        NotAStoreError: No goodbot wrote it.
        StoreVersionError: A newer goodbot wrote it.

    """
    for schema in schemas:
        version = schema.version(connection)
        if version < 0:
            message = (
                f"{path} has the {schema.name} format {version}, which no goodbot writes; restore "
                "it from a copy"
            )
            raise NotAStoreError(message)
        if version > schema.newest:
            message = (
                f"{path} was written by a newer goodbot: its {schema.name} format is {version}, "
                f"and this goodbot reads up to {schema.newest}; "
                "upgrade goodbot, or use another path"
            )
            raise StoreVersionError(message)


@lru_cache(maxsize=64)
def objects_of(steps: tuple[MigrationStep, ...]) -> frozenset[tuple[str, str, str]]:
    """List what some steps make, as `sqlite_master` has it: type, name and definition."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for step in steps:
            run(connection, step)
        return objects_in(connection)
    finally:
        connection.close()


def objects_in(connection: sqlite3.Connection) -> frozenset[tuple[str, str, str]]:
    """List what a file has."""
    rows = connection.execute("SELECT type, name, sql FROM sqlite_master")
    return frozenset((kind, name, plain(sql)) for kind, name, sql in rows)


def plain(sql: str | None) -> str:
    """Leave out of a definition what SQLite may write in one way or another.

    >>> plain('CREATE TABLE "a" (b INT)') == plain("create table a(b int)")
    True
    """
    return "".join((sql or "").split()).replace('"', "").replace("'", "").lower()
