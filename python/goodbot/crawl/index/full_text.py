"""Search the index: query its tables, rank the matches, and quote what may be quoted.

Scope: reading. Nothing is changed except by the `refresh` function passed in.
`goodbot.crawl.search` adds the URL of each page and whether a copy of it is kept.
"""

import re
import sqlite3
from collections.abc import Callable, Sequence
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
from goodbot.lazy_dataclass import dataclass
from goodbot.page.words import GAP, quoted
from goodbot.store.failures import store_error

__all__ = ["Match", "Matches", "search"]

WIDTH = 160
"""The maximum length of a quotation in characters, as for `Page.snippet_for`."""
QUOTED_FROM = 100_000
"""How many characters at the beginning of a page are searched for a quotation."""
REFRESHED = 1_000
"""How many outdated entries are updated before a search."""
BROAD = 20_000
"""With more hits than this, only pages whose title has all words are ranked first: words that are
everywhere say little, and scoring every hit would take a tenth of a second."""
WEIGHTS = "8.0, 1.0, 4.0"
"""The weights of a word in the title, the text and the anchors."""

LEFT = "SELECT count(*) FROM outdated WHERE id IN (SELECT id FROM documents)"
"""Counts the outdated entries."""
EXPIRED = "SELECT id FROM documents WHERE until <= :now"
MATCHING = "FROM words WHERE words MATCH :match"
RANKED = f"ORDER BY bm25(words, {WEIGHTS}), rowid LIMIT :limit OFFSET :offset"
FACTS = """SELECT title, abstract, substr(coalesce(quotable, text), 1, :most), longest_quote
    FROM documents WHERE id = :number"""


@dataclass(frozen=True, slots=True)
class Match:
    """A page that was found."""

    url_id: int
    """The number of its URL."""
    title: str
    """The title of the page; empty if it has none."""
    abstract: str
    """The author's own summary (META description); empty if there is none, or it must not be
    shown."""
    snippet: str
    """A quotation that shows the query; empty if nothing may be quoted."""
    score: float
    """The relevance; higher is better. Only scores of one search can be compared."""


@dataclass(frozen=True, slots=True)
class Matches:
    """The result of a search in the index."""

    pages: tuple[Match, ...]
    """The requested matches, best first."""
    total: int
    """The number of all matches."""
    query: Query
    """The query as it was understood."""
    findings: tuple[Finding, ...]
    """Findings on the query or the index."""


def search(
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
    parsed = Query.of(query)
    try:
        outdated = update(database.connection, refresh)
        parts = [TableSearch(part.connection, parsed, at) for part in database.parts]
        totals = [part.total() if parsed.match else 0 for part in parts]
        total = sum(totals)
        found = matches_in(parts, totals, min(limit, total), min(offset, total)) if total else []
    except sqlite3.Error as error:
        raise store_error(error, database.path) from error
    return Matches(tuple(found), total, parsed, (*parsed.findings, *outdated))


def matches_in(
    parts: "Sequence[TableSearch]", totals: Sequence[int], limit: int, offset: int
) -> "list[Match]":
    """Return some of the matches of all parts of a crawl, best first.

    Scores of different parts are compared as they are: each part weighs words by how often they are
    in its own pages.
    """
    if len(parts) == 1:
        return parts[0].matches(totals[0], limit, offset)
    found = [
        match
        for part, total in zip(parts, totals, strict=True)
        if total
        for match in part.matches(total, min(limit + offset, total), 0)
    ]
    found.sort(key=lambda match: (-match.score, match.url_id))
    return found[offset : offset + limit]


def update(connection: sqlite3.Connection, refresh: Callable[[int], int]) -> list[Finding]:
    """Bring the index up to date if possible; return a finding if it is not."""
    (left,) = connection.execute(LEFT).fetchone()
    advice = "search again"
    if left:
        try:
            left = refresh(REFRESHED)
        except StoreBusyError:
            advice = "the crawl that is running will add them; if none is, search again"
        except StoreUnavailableError:
            advice = "to add them, search as a user who can write to the folder"
        except StoreError as error:
            advice = str(error)
    if not left:
        return []
    severity, meaning = FINDING_CODES["not-up-to-date"]
    return [Finding("not-up-to-date", severity, f"{meaning.rstrip('.')} ({left:,}); {advice}")]


@dataclass(frozen=True, slots=True)
class TableSearch:
    """One search in the tables."""

    connection: sqlite3.Connection
    query: Query
    now: int

    @property
    def shown(self) -> str:
        """The SQL condition that excludes pages that must not be shown any more."""
        (some,) = self.connection.execute(f"SELECT EXISTS({EXPIRED})", {"now": self.now}).fetchone()
        return f" AND rowid NOT IN ({EXPIRED})" if some else ""

    def total(self) -> int:
        """Count the matches."""
        return self._count(self.query.match)

    def _count(self, match: str) -> int:
        values = {"match": match, "now": self.now}
        row = self.connection.execute(f"SELECT count(*) {MATCHING}{self.shown}", values).fetchone()
        return int(row[0])

    def matches(self, total: int, limit: int, offset: int) -> list[Match]:
        """Return some of the matches, best first."""
        if total <= BROAD:
            return self.described(self.ranked(self.query.match, limit, offset))
        found = self.ranked(self.query.title_match, limit, offset)
        if len(found) < limit:
            rest = max(0, offset - self._count(self.query.title_match))
            found += self.ranked(self.query.other_match, limit - len(found), rest)
        return self.described(found)

    def ranked(self, match: str, limit: int, offset: int) -> list[tuple[int, float]]:
        """Return the numbers and the scores of pages, best first."""
        select = f"SELECT rowid, -bm25(words, {WEIGHTS}) {MATCHING}{self.shown} {RANKED}"
        values = {"match": match, "now": self.now, "limit": limit, "offset": offset}
        return list(self.connection.execute(select, values))

    def described(self, found: list[tuple[int, float]]) -> list[Match]:
        """Return pages with their titles and quotations."""
        matches = []
        for url_id, score in found:
            row = self.connection.execute(FACTS, {"number": url_id, "most": QUOTED_FROM}).fetchone()
            if row is None:
                continue  # another process has just removed it
            title, abstract, usable, longest = row
            if not isinstance(title, str) or not isinstance(abstract, str):
                message = "the index has a title that is not text; restore the folder from a backup"
                raise NotAStoreError(message)
            snippet = quoted(usable, self.written(usable), min(WIDTH, longest or WIDTH))
            matches.append(Match(url_id, title, shortened(abstract, longest), snippet, score))
        return matches

    def written(self, text: str) -> str:
        """Return the words of the query as a text spells them: with diacritics and endings.

        If the text has none of them, because its script does not separate words, return the
        query's own words.
        """
        words = set(re.findall(r"\w+", text))
        found = [word for word in words if self.query.is_wanted(word)]
        terms = self.query.wanted
        return " ".join(found or ("".join(words) for one in terms for words in one.phrases))


def shortened(abstract: str, longest: int | None) -> str:
    """Return an abstract with at most so many characters, cut between words (`max-snippet`).

    >>> shortened("All about brass lamps", 12), shortened("All about brass lamps", None)
    ('All about …', 'All about brass lamps')
    """
    if longest is None or len(abstract) <= longest:
        return abstract
    start = abstract[: max(longest - 2, 0)]
    whole = start.rpartition(" ")[0] if not abstract[len(start) :].startswith(" ") else start
    return f"{whole} {GAP}" if whole else ""
