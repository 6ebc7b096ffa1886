"""A search: what is asked of the tables, in what order, and what may be shown of what is found.

What may live here: looking. Nothing is changed but through the `refresh` that is handed in.
"""

import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from goodbot._core import Finding
from goodbot.crawl.folder.database import Database
from goodbot.crawl.index.query import FINDING_CODES, Query
from goodbot.errors import (
    NotAStoreError,
    StoreBusyError,
    StoreError,
    StoreUnavailableError,
    WrongTypeError,
    WrongValueError,
)
from goodbot.http.instants import instant, to_datetime
from goodbot.page.words import quoted
from goodbot.store.failures import told

__all__ = ["LEFT", "Hit", "Results", "search"]

WIDTH = 160
"""The most characters of a quotation, as `Page.snippet_for` has it."""
QUOTED_FROM = 100_000
"""How many characters of a page may be in its quotation: its first ones."""
REFRESHED = 1_000
BROAD = 20_000
"""With more hits than so many a search ranks those first whose title has all that is wanted: what
is everywhere tells little, and to weigh every hit would take a tenth of a second."""
WEIGHTS = "8.0, 1.0, 4.0"
"""What a word counts in title, text and anchors."""

LEFT = "SELECT count(*) FROM documents WHERE stale <> 0"
"""How many entries are not as they should be."""
EXPIRED = "SELECT id FROM documents WHERE until <= :now"
MATCHING = "FROM words WHERE words MATCH :match"
RANKED = f"ORDER BY bm25(words, {WEIGHTS}), rowid LIMIT :limit OFFSET :offset"
FACTS = """SELECT urls.url, documents.title,
    substr(coalesce(documents.quotable, documents.text), 1, :most),
    documents.longest_quote, urls.visited, EXISTS(
        SELECT 1 FROM kept WHERE kept.url = urls.id AND kept.kind IN ('response', 'conversion'))
    FROM documents JOIN urls USING(id) WHERE id = :number"""


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
        """Give plain values, for JSON."""
        visited = None if self.visited is None else self.visited.isoformat()
        return {
            "url": self.url,
            "title": self.title,
            "snippet": self.snippet,
            "score": self.score,
            "has_copy": self.has_copy,
            "visited": visited,
        }


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
        """Give plain values, for JSON."""
        return {
            "query": str(self.query),
            "total": self.total,
            "hits": [hit.as_dict() for hit in self.hits],
            "findings": [finding.as_dict() for finding in self.findings],
        }


def search(  # noqa: PLR0913, PLR0917  see `Index.search`
    database: Database,
    query: str,
    now: datetime,
    limit: int,
    offset: int,
    refresh: Callable[[int], int],
) -> Results:
    """Find pages; see `Index.search`."""
    if not isinstance(query, str):
        message = f"query must be a str, not {type(query).__name__}"
        raise WrongTypeError(message)
    if limit < 1 or offset < 0:
        message = f"limit must be 1 or more and offset 0 or more, not {limit} and {offset}"
        raise WrongValueError(message)
    at = instant(now, "now")
    asked = Query.of(query)
    try:
        late = catch_up(database.connection, refresh)
        looking = Looking(database.connection, asked, at)
        total = looking.total() if asked.match else 0
        hits = tuple(looking.hits(total, min(limit, total), min(offset, total))) if total else ()
    except sqlite3.Error as error:
        raise told(error, database.path) from error
    return Results(hits, total, asked, (*asked.findings, *late))


def catch_up(connection: sqlite3.Connection, refresh: Callable[[int], int]) -> list[Finding]:
    """Bring the index up to date, if that can be; say so, if it is not."""
    (left,) = connection.execute(LEFT).fetchone()
    cure = "search again"
    if left:
        try:
            left = refresh(REFRESHED)
        except StoreBusyError:
            cure = "a crawl that is at work adds them; else search again"
        except StoreUnavailableError:
            cure = "search as a user who may write to the folder, to have them added"
        except StoreError as error:
            cure = str(error)
    if not left:
        return []
    severity, meaning = FINDING_CODES["not-up-to-date"]
    return [Finding("not-up-to-date", severity, f"{meaning.rstrip('.')} ({left}); {cure}")]


@dataclass(frozen=True, slots=True)
class Looking:
    """One search in the tables."""

    connection: sqlite3.Connection
    query: Query
    now: int

    @property
    def shown(self) -> str:
        """Give the condition that leaves out what is not to be shown any more."""
        (some,) = self.connection.execute(f"SELECT EXISTS({EXPIRED})", {"now": self.now}).fetchone()
        return f" AND rowid NOT IN ({EXPIRED})" if some else ""

    def total(self) -> int:
        """Count the hits."""
        said = f"SELECT count(*) {MATCHING}{self.shown}"
        values = {"match": self.query.match, "now": self.now}
        return int(self.connection.execute(said, values).fetchone()[0])

    def hits(self, total: int, limit: int, offset: int) -> list[Hit]:
        """Give some of them, best first."""
        if total <= BROAD:
            return self.described(self.ranked(self.query.match, limit, offset))
        found = self.ranked(self.query.title_match, limit, offset)
        if len(found) < limit:
            said = f"SELECT count(*) {MATCHING}{self.shown}"
            values = {"match": self.query.title_match, "now": self.now}
            (before,) = self.connection.execute(said, values).fetchone()
            rest = max(0, offset - before)
            found += self.ranked(self.query.other_match, limit - len(found), rest)
        return self.described(found)

    def ranked(self, match: str, limit: int, offset: int) -> list[tuple[int, float]]:
        """Give numbers of pages and how well they answer."""
        said = f"SELECT rowid, -bm25(words, {WEIGHTS}) {MATCHING}{self.shown} {RANKED}"
        values = {"match": match, "now": self.now, "limit": limit, "offset": offset}
        return list(self.connection.execute(said, values))

    def described(self, found: list[tuple[int, float]]) -> list[Hit]:
        """Give what is shown of pages."""
        hits = []
        for number, score in found:
            row = self.connection.execute(FACTS, {"number": number, "most": QUOTED_FROM}).fetchone()
            if row is None:
                continue  # another process has just taken it away
            url, title, usable, longest, visited, has_copy = row
            if not (isinstance(url, str) and isinstance(title, str)):
                message = "the index holds what is no text; restore the crawl from a copy"
                raise NotAStoreError(message)
            snippet = quoted(usable, self.written(usable), min(WIDTH, longest or WIDTH))
            at = None if visited is None else to_datetime(visited)
            hits.append(Hit(url, title, snippet, score, bool(has_copy), at))
        return hits

    def written(self, text: str) -> str:
        """Give the words of the query as a text writes them: with its own diacritics and endings.

        Of scripts that part no words, the query's own.
        """
        words = set(re.findall(r"\w+", text))
        found = [word for word in words if self.query.spoken_of(word)]
        terms = self.query.wanted
        return " ".join(found or ("".join(words) for one in terms for words in one.phrases))
