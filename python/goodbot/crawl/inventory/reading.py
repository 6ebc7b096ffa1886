"""Read the stored facts of pages, for other rooms.

Scope: reading the table of the inventory. URLs are numbers here; the queue knows them.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from goodbot.crawl.folder.database import Database
from goodbot.crawl.inventory.page_record import PageRecord
from goodbot.crawl.inventory.sqlite import (
    COLUMNS,
    FIRST_BYTE,
    MICROSECONDS,
    SAID_SINCE,
    SIGN,
    SIMHASH,
    UNTIL,
)
from goodbot.errors import NotAStoreError
from goodbot.http.instants import to_datetime

__all__ = [
    "BriefFacts",
    "StoredFacts",
    "brief_facts",
    "facts_of_url",
    "packed_alternates",
    "stored_facts",
]

NAMED = f"SELECT url, {', '.join(COLUMNS)} FROM page_facts"  # noqa: S608  our own words
EVERY = f"{NAMED} ORDER BY url"
ONE = f"{NAMED} WHERE url = ?"
BRIEFLY = (
    "SELECT url, bytes, first_byte, indexable, reason, source, until, title, canonical, words, "
    "simhash, withheld FROM page_facts WHERE url BETWEEN ? AND ?"
)
INDEXABLE = COLUMNS.index("indexable")
ALTERNATES = "SELECT url, alternates FROM page_facts WHERE alternates <> '' ORDER BY url"
DAMAGED = "the facts of a page are damaged; restore the folder from a backup, or crawl again"


class BriefFacts(NamedTuple):
    """The facts of a page, as far as a list of all pages needs them; quick to read."""

    url_id: int
    """The number of its URL."""
    bytes: int
    first_byte: int | None
    """The time to first byte in microseconds."""
    indexable: int | None
    """Whether the page may be indexed, 0 or 1; `None` if the response is not a page."""
    reason: str
    source: str
    last_shown: int | None
    """The time of `until` in microseconds since 1970."""
    title: str | None
    canonical: str | None
    words: int | None
    simhash: int | None
    """The hash as a signed number; a difference of bits is the same."""
    withheld: str = ""
    """Why no texts are stored."""

    @property
    def until(self) -> datetime | None:
        """When to stop showing the texts; `None`: never."""
        return None if self.last_shown is None else to_datetime(self.last_shown)


class StoredFacts(NamedTuple):
    """The facts of a page, with the number of its URL."""

    url_id: int
    record: PageRecord


def stored_facts(database: Database) -> Iterator[StoredFacts]:
    """Yield the facts of every page, in the order in which their URLs were found.

    Raises:
        NotAStoreError: A row is damaged.

    """
    for row in database.connection.execute(EVERY):
        yield facts_in(row)


def brief_facts(database: Database, first: int, last: int) -> dict[int, BriefFacts]:
    """Return some facts of each page among some URLs.

    Args:
        database: The database of the crawl.
        first: The number of the first URL.
        last: The number of the last URL.

    """
    rows = database.connection.execute(BRIEFLY, (first, last))
    return {row[0]: BriefFacts._make(row) for row in rows}


def facts_of_url(database: Database, url_id: int) -> PageRecord | None:
    """Return the facts of one page; `None` if it was never answered.

    Raises:
        NotAStoreError: They are damaged.

    """
    row = database.connection.execute(ONE, (url_id,)).fetchone()
    return None if row is None else facts_in(row).record


def facts_in(row: tuple[Any, ...]) -> StoredFacts:
    """Return a row as a record."""
    url_id, *values = row
    try:
        values[FIRST_BYTE] = (
            None if values[FIRST_BYTE] is None else values[FIRST_BYTE] / MICROSECONDS
        )
        values[INDEXABLE] = None if values[INDEXABLE] is None else bool(values[INDEXABLE])
        values[UNTIL] = None if values[UNTIL] is None else to_datetime(values[UNTIL])
        since = values[SAID_SINCE]
        values[SAID_SINCE] = None if since is None else to_datetime(since)
        values[SIMHASH] = None if values[SIMHASH] is None else values[SIMHASH] % (2 * SIGN)
    except (TypeError, ValueError, OverflowError) as error:
        raise NotAStoreError(DAMAGED) from error
    return StoredFacts(url_id, PageRecord._make(values))


def packed_alternates(database: Database) -> Iterator[tuple[int, str]]:
    """Return the pages that name versions in other languages, with these as they are packed.

    The cursor itself: a generator that is left halfway would close it when the database is closed.
    """
    return database.connection.execute(ALTERNATES)
