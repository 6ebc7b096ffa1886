"""The tables of all parts are read as those of one crawl."""

import sqlite3
from collections.abc import Iterator

import pytest

from goodbot.crawl.folder.readonly_parts import LINKS, OWN_NUMBERS, PATHS, URL_NUMBERS
from goodbot.crawl.folder.tables import CRAWL
from goodbot.store.schema import STORE

NUMBERS_OF_URLS = {
    *("urls.id", "outlinks.page", "inlinks.page", "anchors.source", "documents.id"),
    "outdated.id",
    *("contents.url", "page_facts.url", "kept.url", "evidence.url"),
}
"""Columns with the numbers of URLs of the part itself, which are those of the whole crawl."""

OTHERS = {
    "accounts.number": "the number of a lease",
    "octets.id": "read through `ReadOnlyParts.history` only",
}
"""Other numbers, each with the reason why it is read as it is."""

SUSPECT = (
    *("id", "url", "page", "target", "source", "origin", "original", "timeline", "number"),
    "sender",
)
"""Names of columns with whole numbers that may refer to a row."""


@pytest.fixture
def connection() -> Iterator[sqlite3.Connection]:
    """Return a database with all tables of a crawl."""
    found = sqlite3.connect(":memory:", isolation_level=None)
    for schema in (STORE, CRAWL):
        schema.upgrade(found)
    yield found
    found.close()


def numbers(connection: sqlite3.Connection) -> set[str]:
    """Return the columns with whole numbers that may refer to a row of any table."""
    tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'words%'"
    return {
        f"{table}.{name}"
        for (table,) in connection.execute(tables)
        for _, name, kind, *_ in connection.execute(f"PRAGMA table_info({table})")
        if kind == "INTEGER" and name in SUSPECT
    }


def test_every_number_of_a_row_is_read_as_one_of_the_whole_crawl(
    connection: sqlite3.Connection,
) -> None:
    """A new column with the number of a row has its line in `readonly_parts`, or here."""
    converted = {
        f"{table}.{name}"
        for tables in (OWN_NUMBERS, URL_NUMBERS)
        for table, names in tables.items()
        for name in names
    }
    converted |= {f"{table}.{name}" for table, name in LINKS.items()}
    assert numbers(connection) == converted | NUMBERS_OF_URLS | OTHERS.keys()


def test_files_are_named_with_their_part(connection: sqlite3.Connection) -> None:
    """No line names a column that is gone."""
    for table, names in PATHS.items():
        columns = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        assert names <= columns, table
