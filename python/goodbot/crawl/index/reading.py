"""What the index has of one page, for other rooms.

What may live here: reading the tables of the index. Nothing is changed.
"""

from datetime import datetime
from typing import NamedTuple

from goodbot.crawl.folder.database import Database
from goodbot.http.instants import to_datetime

__all__ = ["IndexedPage", "indexed_page"]

PAGE = "SELECT title, length(text), until FROM documents WHERE id = ?"
DESCRIBED_BY = "SELECT count(DISTINCT source) FROM anchors WHERE target = ?"


class IndexedPage(NamedTuple):
    """What the index has of a page."""

    title: str
    """Its title; empty if it has none, or it may not be indexed."""
    characters: int
    """How many characters of text are indexed."""
    until: datetime | None
    """From when on it is not to be shown; `None`: for ever."""
    described_by: int
    """How many pages describe it by the texts of their links."""


def indexed_page(database: Database, url_id: int) -> IndexedPage | None:
    """Return what the index has of a page; `None` if it has nothing.

    Args:
        database: The file of the crawl.
        url_id: The number of the page's URL.

    """
    row = database.connection.execute(PAGE, (url_id,)).fetchone()
    if row is None:
        return None
    title, characters, until = row
    (described_by,) = database.connection.execute(DESCRIBED_BY, (url_id,)).fetchone()
    end = None if until is None else to_datetime(until)
    return IndexedPage(title, characters, end, described_by)
