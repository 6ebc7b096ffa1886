"""Rows that one change adds to a table, written together at its end.

Scope: gathering rows. What a row means is known to the room of the table.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from goodbot._core import runs_of_rows
from goodbot.crawl.folder.database import Database

__all__ = ["AddedRows", "execute_rows"]


class AddedRows:
    """The rows that the current change adds by one statement, which is then executed once for all.

    What reads the table within the change calls `write` or `write_of` first.

    Args:
        database: The database of the crawl.
        statement: The statement that adds a row; no other one depends on its number.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Database(folder, create=True) as database:
    ...     origins = AddedRows(database, "INSERT INTO origins(origin) VALUES(?)")
    ...     with database.changing():
    ...         origins.add(("https://a.example",))
    ...         origins.add(("https://b.example",))
    ...     database.connection.execute("SELECT count(*) FROM origins").fetchone()
    (2,)
    """

    def __init__(self, database: Database, statement: str) -> None:
        """Start without rows."""
        self._database, self._statement = database, statement
        self._rows: list[tuple[Any, ...]] = []
        self._firsts: set[Any] = set()
        """The first value of each row."""

    def add(self, row: tuple[Any, ...]) -> None:
        """Add a row; without a change, this is one."""
        if not self._database.is_changing:
            with self._database.changing():
                self.add(row)
            return
        if not self._rows:
            self._database.at_end(self)
        self._rows.append(row)
        self._firsts.add(row[0])

    def add_all(self, first: object, rows: Iterable[tuple[Any, ...]]) -> None:
        """Add rows with the same first value; only within a change."""
        if not self._rows:
            self._database.at_end(self)
        self._rows += rows
        self._firsts.add(first)

    def write_of(self, first: object) -> None:
        """Write the rows that were added so far, if one of them has this first value."""
        if first in self._firsts:
            self.write()

    def write(self) -> None:
        """Write the rows that were added so far."""
        if self._rows:
            rows = self._rows
            self.drop()
            with self._database.changing() as connection:
                execute_rows(connection, self._statement, rows)

    def complete(self, connection: object) -> None:  # noqa: ARG002  see `ChangePart`
        """Pass the rows on, because the change ends; what SQLite cannot store raises here."""
        rows = self._rows
        self.drop()
        for statement, run in statements_of(self._statement, rows):
            self._database.add_last(statement, run)

    def drop(self) -> None:
        """Drop the rows, because the change is undone."""
        self._rows, self._firsts = [], set()


def execute_rows(
    connection: sqlite3.Connection, statement: str, rows: list[tuple[Any, ...]]
) -> None:
    """Execute a statement for each row, in their order; see `statements_of`."""
    for single, run in statements_of(statement, rows):
        connection.executemany(single, run)


def statements_of(
    statement: str, rows: list[tuple[Any, ...]]
) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    """Yield what is to be executed for rows, in their order.

    For each None, each bytes and each truth value, CPython's `sqlite3` searches for an adapter,
    which takes 0.3 µs, as long as all else that inserting a column takes. For numbers, texts and
    bytearrays it does not, so that None is written into the statement, and others are converted.

    Args:
        statement: The statement; parameters that may be None are plain `?`.
        rows: The values of its parameters.

    Raises:
        UnicodeEncodeError: A text has a lone surrogate.
        OverflowError: A number has more than 64 bits.

    """
    for places, run in runs_of_rows(rows):
        yield with_nulls(statement, places), run


@lru_cache(maxsize=256)
def with_nulls(statement: str, places: tuple[int, ...]) -> str:
    """Return a statement with NULL in place of some of its parameters.

    >>> with_nulls("INSERT INTO files VALUES(?, ?, ?)", (1, 2))
    'INSERT INTO files VALUES(?, NULL, NULL)'
    """
    if not places:
        return statement
    first, *others = statement.split("?")
    marks = ["NULL" if place in places else "?" for place in range(len(others))]
    return first + "".join(mark + text for mark, text in zip(marks, others, strict=True))
