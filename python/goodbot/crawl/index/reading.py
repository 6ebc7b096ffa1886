"""Read what the index has of one page, for other rooms.

Scope: reading the tables of the index. Nothing is changed.
"""

from datetime import datetime
from typing import NamedTuple

from goodbot.crawl.folder.database import Database
from goodbot.crawl.index.phrase_marks import MARK_LETTER
from goodbot.http.instants import to_datetime

__all__ = ["IndexedPage", "indexed_page", "title_to_show"]

PAGE = """SELECT coalesce(nullif(instr(text, ?), 0) - 1, length(text)), until
    FROM documents WHERE id = ?"""
"""The characters of text: those before the marks of phrases."""
TITLE = "SELECT title FROM documents WHERE id = ? AND (until IS NULL OR until > ?)"
DESCRIBED_BY = "SELECT count(DISTINCT source) FROM anchors WHERE target = ?"


class IndexedPage(NamedTuple):
    """What the index has of a page."""

    title: str
    """The title; empty if the page has none, if it must not be indexed, or if it has expired."""
    characters: int
    """The number of indexed characters of text."""
    until: datetime | None
    """When to stop showing the page; `None`: never."""
    described_by: int
    """The number of pages that describe it in the texts of their links."""


def indexed_page(database: Database, url_id: int, now: int) -> IndexedPage | None:
    """Return what the index has of a page; `None` if the page is not indexed.

    Args:
        database: The database of the crawl.
        url_id: The number of the page's URL.
        now: The time, in microseconds since 1970: the title of a page that has expired by then is
            not returned.

    """
    row = database.connection.execute(PAGE, (f"\n{MARK_LETTER}", url_id)).fetchone()
    if row is None:
        return None
    characters, until = row
    (described_by,) = database.connection.execute(DESCRIBED_BY, (url_id,)).fetchone()
    end = None if until is None else to_datetime(until)
    title = title_to_show(database, url_id, now)
    return IndexedPage(title, characters, end, described_by)


def title_to_show(database: Database, url_id: int, now: int) -> str:
    """Return the title of a page; empty if it has none, or must not be indexed at this time.

    Args:
        database: The database of the crawl.
        url_id: The number of the page's URL.
        now: The time, in microseconds since 1970.

    """
    row = database.connection.execute(TITLE, (url_id, now)).fetchone()
    return "" if row is None else str(row[0])
