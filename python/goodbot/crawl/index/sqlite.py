"""The index of a crawl in its folder: the indexable parts of its pages, and the texts of links.

`put`, `describe` and `remove` only note what is to be indexed, but remove at once what must not be
found any more. `refresh` updates the entries, many at a time, which is several times cheaper than
one by one. A search does this first, if it can.

No phrase matches across

- a part that is not indexed, or an empty one that separates two words on purpose (Robot
  Exclusion Profile, Phrases): the `…` in `Page.text()`;
- the beginning of a block (`Run.block`), such as between a heading and the paragraph below it;
- the end of the title, of the description, of a keyword, or of the text of a link.

The words on both sides belong to the same page and still match separately.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from operator import itemgetter

from goodbot._core import anchor_rows
from goodbot.crawl.folder.added_rows import AddedRows, execute_rows
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Anchor, Document
from goodbot.crawl.folder.url_rows import UrlRows
from goodbot.crawl.index.current_entries import CurrentEntries
from goodbot.crawl.index.full_text import LEFT, Matches, search
from goodbot.crawl.index.query import GAP_WORD, cleaned, spaced
from goodbot.http.instants import instant
from goodbot.page.words import GAP

__all__ = ["MERGE_WORDS", "SQLiteIndex"]

MERGE_WORDS = (
    "INSERT INTO words(words) VALUES('rebuild')",
    "INSERT INTO words(words) VALUES('optimize')",
)
"""What removes deleted words from the full-text index, which keeps them until it is merged."""

MAX_TITLE = 500
MAX_TEXT = 1_000_000
"""How many characters of a page are indexed; the rest cannot be found."""
MAX_DESCRIBED = 4_000
"""How many characters of META description and META keywords are indexed."""
MAX_ANCHOR = 200
MOST_ANCHORS = 64
"""How many different texts of links describe a page: the first ones, in the order in which the
pages with the links were found."""
MOST_HEARD = 256
"""How many links to a page are examined for them, so that a page that everyone links to costs no
more than others."""

LACKING, MISSING = 1, 2
"""Values of `stale` in the table: the entry lacks texts of links, or there is no entry."""

BREAK = f" {GAP_WORD} "

STALE = """SELECT id, title, text, described, stale, (
        SELECT group_concat(text, char(10)) FROM (
            SELECT text FROM anchors WHERE target = documents.id ORDER BY source, text LIMIT ?))
    FROM documents WHERE stale <> 0 ORDER BY stale DESC, id LIMIT ?"""
"""With the texts of links to each page, a line each."""
HAD = "SELECT title, text, described, stale, visit FROM documents WHERE id = ?"
HAD_VISIT = "SELECT stale, visit FROM documents WHERE id = ?"
ADD = """INSERT INTO documents(id, title, text, described, abstract, quotable, longest_quote, until,
    visit) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)"""
REPLACE = """UPDATE documents SET title = ?, text = ?, described = ?, abstract = ?, quotable = ?,
    longest_quote = ?, until = ?, stale = ?, visit = ? WHERE id = ?"""
ADD_ANCHOR = "INSERT INTO anchors(source, target, text) VALUES(?, ?, ?)"
TARGET_OF_ROW = itemgetter(1)
LACKS = """UPDATE documents SET stale = 1
    WHERE id = ? AND stale = 0 AND (heard_to IS NULL OR heard_to >= ?)"""
HEARD_TO = "SELECT source FROM anchors WHERE target = ? ORDER BY source, text LIMIT 1 OFFSET ?"
LAST_DOCUMENT = "SELECT max(id) FROM documents"
LAST_SOURCE = "SELECT max(source) FROM anchors"
DROP_ANCHOR = "DELETE FROM anchors WHERE source = ? AND target = ? AND text = ?"
TEXTS_OF_LINKS = "SELECT source, target, text FROM anchors WHERE source = ?"
ENTER = "INSERT INTO words(rowid, title, text, anchors) VALUES(?, ?, ?, ?)"
ENTER_ANCHORS = "UPDATE words SET anchors = ? WHERE rowid = ? AND anchors <> ?"
IS_CURRENT = "UPDATE documents SET stale = 0, heard_to = ? WHERE id = ?"
USED_BY_OTHERS = """SELECT 1 FROM (
        SELECT text FROM anchors WHERE target = ? ORDER BY source, text LIMIT ?)
    WHERE text = ? LIMIT 1"""
AMONG = "SELECT id FROM documents WHERE id IN (SELECT value FROM json_each(?))"
LEAVE = "DELETE FROM words WHERE rowid = ?"


class SQLiteIndex:
    """The index of one crawl, within its database; see `goodbot.crawl.index.protocol.Index`.

    >>> import tempfile
    >>> from datetime import datetime, timezone
    >>> now = datetime(2025, 1, 1, tzinfo=timezone.utc)
    >>> with tempfile.TemporaryDirectory() as folder, Database(folder, create=True) as database:
    ...     index = SQLiteIndex(database)
    ...     text = "fish … mackerel"
    ...     index.put(7, Document("Lamps", text, text, None, None))
    ...     [page.url_id for page in index.search("mackerel fish", now=now).pages]
    ...     [page.url_id for page in index.search('"fish mackerel"', now=now).pages]
    [7]
    []

    """

    def __init__(self, database: Database) -> None:
        """Use the database of a crawl."""
        self._database = database
        self._current = CurrentEntries(database)
        self._documents = AddedRows(database, ADD)
        self._pages = UrlRows(database, LAST_DOCUMENT)
        self._anchors = AddedRows(database, ADD_ANCHOR)
        self._sources = UrlRows(database, LAST_SOURCE)

    def put(self, url_id: int, document: Document, visit: int = 0) -> None:
        """Store the parts of a page that may be indexed, in place of those stored before.

        They can be found after the next `refresh` or search; the earlier ones are gone at once.

        Args:
            url_id: The number of its URL.
            document: The parts that may be indexed, from `goodbot.crawl.index.indexable`.
            visit: The visit that fetched it; nothing changes if a newer one has put the page.

        """
        title = " ".join(cleaned(document.title).split())[:MAX_TITLE]
        text = "\n".join([cleaned(document.text[:MAX_TEXT]), *document.marks])[:MAX_TEXT]
        is_same = document.quotable == document.text and not document.marks
        quotable = text if is_same else cleaned(document.quotable[:MAX_TEXT])
        until = None if document.until is None else instant(document.until, "until")
        described = cleaned("\n".join(document.described)[:MAX_DESCRIBED])
        found = (title, text, described)
        shown = (cleaned(document.abstract), None if quotable == text else quotable)
        limits = (*shown, document.longest_quote, until)
        with self._database.changing() as connection:
            self._documents.write_of(url_id)
            had = None
            if self._pages.may_have(url_id):
                had = connection.execute(HAD, (url_id,)).fetchone()
            if had is None:
                self._documents.add((url_id, *found, *limits, visit))
                self._pages.add(url_id)
                return
            if had[4] > visit:
                return
            stale = had[3]
            if had[:3] != found:
                self._withdraw(url_id, stale)
                stale = MISSING
            connection.execute(REPLACE, (*found, *limits, stale, visit, url_id))

    def remove(self, url_id: int, visit: int | None = None) -> None:
        """Remove a page from the index, together with the texts of its links.

        The texts of other pages' links to it are kept, in case it comes back.

        Args:
            url_id: The number of its URL.
            visit: The visit that decided it; nothing changes if a newer one has put the page.
                `None`: remove the page whatever visit put it.

        """
        with self._database.changing() as connection:
            self._documents.write_of(url_id)
            had = connection.execute(HAD_VISIT, (url_id,)).fetchone()
            if had is not None:
                if visit is not None and had[1] > visit:
                    return
                self._withdraw(url_id, had[0])
                connection.execute("DELETE FROM documents WHERE id = ?", (url_id,))
            self.describe(url_id, ())

    def __contains__(self, url_id: int) -> bool:
        """Whether a page is in the index, or will be after the next `refresh`."""
        self._documents.write_of(url_id)
        row = self._database.connection.execute(
            "SELECT 1 FROM documents WHERE id = ?", (url_id,)
        ).fetchone()
        return row is not None

    def describe(self, source: int, anchors: Sequence[Anchor]) -> None:
        """Store the texts of a page's links, in place of those stored before.

        Texts that are gone can no longer be found at once; new ones can be found after the next
        `refresh` or search.

        Args:
            source: The number of the page's URL.
            anchors: The texts of its links, from `anchors_of`.

        """
        after = anchor_rows(source, anchors, line_of, MAX_ANCHOR)
        with self._database.changing() as connection:
            self._anchors.write_of(source)
            gone: set[tuple[int, int, str]] = set()
            new = list(after)
            if self._sources.may_have(source):
                before = set(connection.execute(TEXTS_OF_LINKS, (source,)))
                gone = before - after.keys()
                new = [row for row in new if row not in before]
            if gone:
                connection.executemany(DROP_ANCHOR, gone)
            if new:
                self._sources.add(source)
                self._anchors.add_all(source, new)
                outdated = self._current.remove([*map(TARGET_OF_ROW, new)])
                if outdated:
                    connection.executemany(LACKS, [(target, source) for target in outdated])
            for _, target, text in gone:
                self._drop_text(target, text, source)

    def refresh(self, most: int = 100) -> int:
        """Update outdated entries.

        Args:
            most: The maximum number of entries to update; pages without an entry come first.

        Returns:
            How many outdated entries are left.

        """
        entered, described_anew, current = [], [], []
        with self._database.changing() as connection:
            self._documents.write()
            self._anchors.write()
            stale_rows = connection.execute(STALE, (MOST_HEARD, most)).fetchall()
            for url_id, title, text, described, stale, heard in stale_rows:
                anchors, heard_to = self._texts_about(url_id, heard or "")
                if stale == MISSING:
                    words = BREAK.join(map(entry, filter(None, (text, described))))
                    entered.append((url_id, entry(title), words, anchors))
                else:
                    described_anew.append((anchors, url_id, anchors))
                current.append((heard_to, url_id))
            connection.executemany(ENTER, entered)
            connection.executemany(ENTER_ANCHORS, described_anew)
            execute_rows(connection, IS_CURRENT, current)
            self._current.add(current)
            return self.left()

    def left(self) -> int:
        """Count the outdated entries."""
        return int(self._database.connection.execute(LEFT).fetchone()[0])

    def search(self, query: str, *, now: datetime, limit: int = 10, offset: int = 0) -> Matches:
        """Find pages; `goodbot.crawl.search` adds their URLs.

        Outdated entries are updated first, at most 1,000. If this is not possible, for example
        while another process writes, a finding says so.

        Args:
            query: Words, phrases and the rest of the language of `goodbot.crawl.index.query`. Any
                `str` is a valid query.
            now: The current time, an aware `datetime`; pages that must not be shown any more are
                not found.
            limit: How many pages to return.
            offset: How many pages to skip before them.

        Returns:
            The pages, best first and always in the same order, with findings on the query.

        Raises:
            WrongTypeError: `query` is not a `str`, or `now` is not a `datetime`.
            WrongValueError: `now` is naive, `limit` is less than 1, or `offset` is less than 0.
            StoreError: The database cannot be read.

        """
        return search(self._database, query, now, limit, offset, self.refresh)

    def among(self, url_ids: Iterable[int]) -> set[int]:
        """Return those of some pages, by the numbers of their URLs, that are in the index."""
        numbers = list(url_ids)
        if not numbers:
            return set()
        self._documents.write()
        rows = self._database.connection.execute(AMONG, (json.dumps(numbers),))
        return {url_id for (url_id,) in rows}

    def _withdraw(self, url_id: int, stale: int) -> None:
        """Remove the entry of a page, if it has one."""
        if stale != MISSING:
            with self._database.changing() as connection:
                connection.execute(LEAVE, (url_id,))

    def _drop_text(self, target: int, text: str, source: int) -> None:
        """Remove the entry of a page if it may have the text of a link that is gone."""
        with self._database.changing() as connection:
            row = connection.execute(
                "SELECT stale, heard_to FROM documents WHERE id = ?", (target,)
            ).fetchone()
            if row is None or row[0] == MISSING or (row[1] is not None and source > row[1]):
                return
            stale = LACKING
            self._anchors.write()
            if connection.execute(USED_BY_OTHERS, (target, MOST_HEARD, text)).fetchone() is None:
                connection.execute(LEAVE, (target,))
                stale = MISSING
            if stale != row[0]:
                connection.execute("UPDATE documents SET stale = ? WHERE id = ?", (stale, target))

    def _texts_about(self, target: int, heard: str) -> tuple[str, int | None]:
        """Return the texts of links to a page as they are indexed.

        Args:
            target: The number of the page's URL.
            heard: The texts of the first links to it, a line each.

        Returns:
            The texts, and the last source that counts, if not all do.

        """
        lines = heard.split("\n")
        heard_to = None
        if len(lines) >= MOST_HEARD:
            row = self._database.connection.execute(HEARD_TO, (target, MOST_HEARD - 1)).fetchone()
            heard_to = None if row is None else row[0]
        return entry("\n".join([*dict.fromkeys(lines)][:MOST_ANCHORS])), heard_to


def entry(text: str) -> str:
    """Return a text as it is indexed: with the gap word wherever a phrase must end."""
    return spaced(text).replace(GAP, BREAK).replace("\n", BREAK)


def line_of(text: str) -> str:
    """Return the text of a link as one line, cut between words."""
    return (known_line_of if len(text) <= MAX_ANCHOR else new_line_of)(text)


def new_line_of(text: str) -> str:
    """Return the text of a link as one line, which is not remembered."""
    line = " ".join(cleaned(text).split())
    if len(line) <= MAX_ANCHOR:
        return line
    return line[:MAX_ANCHOR].rpartition(" ")[0] or line[:MAX_ANCHOR]


known_line_of = lru_cache(maxsize=4_096)(new_line_of)
"""Most links of a site have the texts of a few."""
