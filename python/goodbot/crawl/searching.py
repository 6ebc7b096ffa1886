"""Search a crawl: what the index finds, with where it is and whether a copy of it is kept.

What may live here: the answers of index, queue and archive, put together. Nothing is changed but
what `Index.search` brings up to date.
"""

import sqlite3
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from goodbot._core import Finding
from goodbot.crawl.archive.reading import copied
from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.reading import visits_of
from goodbot.crawl.index.query import Query
from goodbot.crawl.index.sqlite import SQLiteIndex
from goodbot.http.instants import written
from goodbot.store.failures import store_error

__all__ = ["Hit", "Results", "search"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that was found."""

    url: str
    title: str
    """Its title; empty if it has none."""
    snippet: str
    """A quotation that shows the query; empty if nothing may be quoted."""
    score: float
    """How well it answers, the more the better; only hits of one search can be compared."""
    has_copy: bool
    """Whether the archive has a copy that may be shown."""
    visited: datetime | None
    """When it was visited last, in UTC."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {**asdict(self), "visited": written(self.visited)}


@dataclass(frozen=True, slots=True)
class Results:
    """What was found. It is true if something was."""

    hits: tuple[Hit, ...]
    """Those that were asked for, best first."""
    total: int
    """How many there are in all."""
    query: Query
    """The query as it was understood; `str()` writes it."""
    findings: tuple[Finding, ...]
    """What is odd about the query or the index."""

    def __bool__(self) -> bool:
        """Whether something was found."""
        return self.total > 0

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "query": str(self.query),
            "total": self.total,
            "hits": [hit.as_dict() for hit in self.hits],
            "findings": [finding.as_dict() for finding in self.findings],
        }


def search(
    database: Database, query: str, *, now: datetime, limit: int = 10, offset: int = 0
) -> Results:
    """Find pages of a crawl.

    Entries of the index that are not up to date are made first, 1,000 at most; where that cannot
    be, as while another process writes, a finding says so.

    Args:
        database: The file of the crawl.
        query: Words, phrases and what else `goodbot.crawl.index.query` knows. Any `str` has an
            answer.
        now: The time, an aware `datetime`: what was to be shown until before is not found.
        limit: How many hits to return.
        offset: How many to leave out before them.

    Returns:
        The hits, best first, in an order that is the same each time; and what is odd about the
        query.

    Raises:
        WrongTypeError: `query` is no `str`, or `now` no `datetime`.
        WrongValueError: `now` is naive, `limit` is less than 1, or `offset` less than 0.
        StoreError: The database cannot be read.

    """
    found = SQLiteIndex(database).search(query, now=now, limit=limit, offset=offset)
    url_ids = [page.url_id for page in found.pages]
    try:
        visits, copies = visits_of(database, url_ids), copied(database, url_ids)
    except sqlite3.Error as error:
        raise store_error(error, database.path) from error
    hits = tuple(
        Hit(
            visits[page.url_id][0],
            page.title,
            page.snippet,
            page.score,
            page.url_id in copies,
            visits[page.url_id][1],
        )
        for page in found.pages
        if page.url_id in visits
    )
    return Results(hits, found.total, found.query, found.findings)
