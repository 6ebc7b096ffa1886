"""A search in the index: what is asked of its tables, in what order, and what may be quoted.

What may live here: reading. Nothing is changed but through the `refresh` that is handed in. Where
a page is, and whether a copy of it is kept, is added by `goodbot.crawl.search`.
"""

import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

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
from goodbot.http.instants import instant
from goodbot.page.words import quoted
from goodbot.store.failures import store_error

__all__ = ["LEFT", "Match", "Matches", "search"]

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
FACTS = """SELECT title, substr(coalesce(quotable, text), 1, :most), longest_quote
    FROM documents WHERE id = :number"""


@dataclass(frozen=True, slots=True)
class Match:
    """A page that was found."""

    url_id: int
    """The number of its URL."""
    title: str
    """Its title; empty if it has none."""
    snippet: str
    """A quotation that shows the query; empty if nothing may be quoted."""
    score: float
    """How well it answers, the more the better; only matches of one search can be compared."""


@dataclass(frozen=True, slots=True)
class Matches:
    """What was found."""

    pages: tuple[Match, ...]
    """Those that were asked for, best first."""
    total: int
    """How many there are in all."""
    query: Query
    """The query as it was understood."""
    findings: tuple[Finding, ...]
    """What is odd about the query or the index."""


def search(  # noqa: PLR0913, PLR0917  see `Index.search`
    database: Database,
    query: str,
    now: datetime,
    limit: int,
    offset: int,
    refresh: Callable[[int], int],
) -> Matches:
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
        found = looking.matches(total, min(limit, total), min(offset, total)) if total else []
    except sqlite3.Error as error:
        raise store_error(error, database.path) from error
    return Matches(tuple(found), total, asked, (*asked.findings, *late))


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
        """Count the matches."""
        said = f"SELECT count(*) {MATCHING}{self.shown}"
        values = {"match": self.query.match, "now": self.now}
        return int(self.connection.execute(said, values).fetchone()[0])

    def matches(self, total: int, limit: int, offset: int) -> list[Match]:
        """Return some of them, best first."""
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

    def described(self, found: list[tuple[int, float]]) -> list[Match]:
        """Return what is shown of pages."""
        matches = []
        for url_id, score in found:
            row = self.connection.execute(FACTS, {"number": url_id, "most": QUOTED_FROM}).fetchone()
            if row is None:
                continue  # another process has just taken it away
            title, usable, longest = row
            if not isinstance(title, str):
                message = "the index holds what is no text; restore the crawl from a copy"
                raise NotAStoreError(message)
            snippet = quoted(usable, self.written(usable), min(WIDTH, longest or WIDTH))
            matches.append(Match(url_id, title, snippet, score))
        return matches

    def written(self, text: str) -> str:
        """Give the words of the query as a text writes them: with its own diacritics and endings.

        Of scripts that part no words, the query's own.
        """
        words = set(re.findall(r"\w+", text))
        found = [word for word in words if self.query.spoken_of(word)]
        terms = self.query.wanted
        return " ".join(found or ("".join(words) for one in terms for words in one.phrases))
