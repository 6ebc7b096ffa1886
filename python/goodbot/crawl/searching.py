"""Search a crawl: the pages that match a query, and whether the archive has a copy of each.

Scope: combining the answers of the index, the queue and the archive. Nothing is changed except the
index entries that `Index.search` updates.
"""

import sqlite3
from dataclasses import asdict
from datetime import datetime
from typing import Any

from goodbot._core import Finding
from goodbot.crawl.archive.reading import copied
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.elsewhere import refuse_elsewhere
from goodbot.crawl.folder.shares import SHARES
from goodbot.crawl.frontier.reading import visits_of
from goodbot.crawl.index.query import Query
from goodbot.crawl.index.sqlite import SQLiteIndex
from goodbot.errors import MisuseError
from goodbot.http.instants import written
from goodbot.lazy_dataclass import dataclass
from goodbot.store.failures import store_error

__all__ = ["Hit", "Results", "search"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that was found."""

    url: str
    title: str
    """The title of the page; empty if it has none."""
    abstract: str
    """The author's own summary (META description); empty if there is none, or it must not be
    shown."""
    snippet: str
    """A quotation that contains the query; empty if the page forbids quoting."""
    score: float
    """How well the page matches; higher is better. Scores of different searches do not compare."""
    has_copy: bool
    """Whether the archive has a copy that may be shown."""
    visited: datetime | None
    """When the page was last visited, in UTC."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {**asdict(self), "visited": written(self.visited)}


@dataclass(frozen=True, slots=True)
class Results:
    """The results of a search; true if there are any."""

    hits: tuple[Hit, ...]
    """The requested hits, best first."""
    total: int
    """The number of matching pages."""
    query: Query
    """The query as it was understood; `str()` returns it as text."""
    findings: tuple[Finding, ...]
    """What is odd about the query or the index."""

    def __bool__(self) -> bool:
        """Return whether anything was found."""
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

    Up to 1,000 outdated entries of the index are updated first. If that is not possible, for
    example because another process is writing, a finding says so.

    Args:
        database: The file of the crawl.
        query: Words, phrases and the operators of `goodbot.crawl.index.query`. Every `str` is a
            valid query.
        now: The time, an aware `datetime`: pages that have expired by then are not found.
        limit: The number of hits to return.
        offset: The number of hits to skip before them.

    Returns:
        The hits, best first, in a reproducible order; and what is odd about the query.

    Raises:
        WrongTypeError: `query` is not a `str`, or `now` is not a `datetime`.
        WrongValueError: `now` is naive, `limit` is less than 1, or `offset` is less than 0.
        MisuseError: The crawl has several processes; open it with `open_readonly`.
        StoreError: The database cannot be read.

    """
    refuse_face(database)
    refuse_elsewhere(database.settings(), ("index",), database.folder)
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
            page.abstract,
            page.snippet,
            page.score,
            page.url_id in copies,
            visits[page.url_id][1],
        )
        for page in found.pages
        if page.url_id in visits
    )
    return Results(hits, found.total, found.query, found.findings)


def refuse_face(database: Database) -> None:
    """Refuse to search the database that the processes of a crawl share, which has no pages.

    Raises:
        MisuseError: It is this database.

    """
    if database.parts == (database,) and database.setting(SHARES):
        message = (
            f"the crawl in {database.folder} has several processes; open all of them with "
            "goodbot.crawl.open_readonly"
        )
        raise MisuseError(message)
