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
from goodbot.crawl.index.full_text import Matches, search
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
"""Why an entry is outdated (`stale`): it lacks texts of links, or does not exist yet."""

BREAK = f" {GAP_WORD} "

STALE = """SELECT outdated.id, outdated.stale, title, text, described, heard_to, (
        SELECT group_concat(text, char(10)) FROM (
            SELECT text FROM anchors WHERE target = outdated.id ORDER BY source, text LIMIT ?))
    FROM outdated LEFT JOIN documents ON documents.id = outdated.id
    ORDER BY outdated.stale DESC, outdated.id LIMIT ?"""
"""With the texts of links to each page, a line each."""
STALE_OF = "coalesce((SELECT outdated.stale FROM outdated WHERE outdated.id = documents.id), 0)"
HAD = f"SELECT title, text, described, {STALE_OF}, visit FROM documents WHERE id = ?"  # noqa: S608  our own words
HAD_VISIT = f"SELECT {STALE_OF}, visit FROM documents WHERE id = ?"  # noqa: S608
HEARS = f"SELECT {STALE_OF}, heard_to FROM documents WHERE id = ?"  # noqa: S608
ADD = """INSERT INTO documents(id, title, text, described, abstract, quotable, longest_quote, until,
    visit) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)"""
REPLACE = """UPDATE documents SET title = ?, text = ?, described = ?, abstract = ?, quotable = ?,
    longest_quote = ?, until = ?, visit = ? WHERE id = ?"""
ADD_ANCHOR = "INSERT INTO anchors(source, target, text) VALUES(?, ?, ?)"
TARGET_OF_ROW = itemgetter(1)
# With REPLACE, SQLite prepares to undo a part of the statement, which takes ten times as long.
ADD_MISSING = f"INSERT OR IGNORE INTO outdated(id, stale) VALUES(?, {MISSING})"
OUTDATE = "INSERT OR REPLACE INTO outdated(id, stale) VALUES(?, ?)"
LACKS = f"""INSERT OR IGNORE INTO outdated(id, stale)
    SELECT id, {LACKING} FROM documents WHERE id = ? AND (heard_to IS NULL OR heard_to >= ?)"""  # noqa: S608
HEARD_TO = "SELECT source FROM anchors WHERE target = ? ORDER BY source, text LIMIT 1 OFFSET ?"
LAST_DOCUMENT = "SELECT max(id) FROM documents"
LAST_SOURCE = "SELECT max(source) FROM anchors"
DROP_ANCHOR = "DELETE FROM anchors WHERE source = ? AND target = ? AND text = ?"
TEXTS_OF_LINKS = "SELECT source, target, text FROM anchors WHERE source = ?"
ENTER = "INSERT INTO words(rowid, title, text, anchors) VALUES(?, ?, ?, ?)"
ENTER_ANCHORS = "UPDATE words SET anchors = ? WHERE rowid = ? AND anchors <> ?"
LISTED = "SELECT count(*) FROM outdated"
IS_CURRENT = "DELETE FROM outdated WHERE id = ?"
HEAR_TO = "UPDATE documents SET heard_to = ? WHERE id = ?"
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
        self._missing = AddedRows(database, ADD_MISSING)
        """The entries of the pages in `_documents`; both are written together."""
        self._lacking = AddedRows(database, LACKS)
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
            self._write_of(url_id)
            had = None
            if self._pages.may_have(url_id):
                had = connection.execute(HAD, (url_id,)).fetchone()
            if had is None:
                self._documents.add((url_id, *found, *limits, visit))
                self._missing.add((url_id,))
                self._pages.add(url_id)
                return
            if had[4] > visit:
                return
            if had[:3] != found:
                self._withdraw(url_id, had[3])
                connection.execute(OUTDATE, (url_id, MISSING))
            connection.execute(REPLACE, (*found, *limits, visit, url_id))

    def remove(self, url_id: int, visit: int | None = None) -> None:
        """Remove a page from the index, together with the texts of its links.

        The texts of other pages' links to it are kept, in case it comes back.

        Args:
            url_id: The number of its URL.
            visit: The visit that decided it; nothing changes if a newer one has put the page.
                `None`: remove the page whatever visit put it.

        """
        with self._database.changing() as connection:
            self._write_of(url_id)
            had = None
            if self._pages.may_have(url_id):
                had = connection.execute(HAD_VISIT, (url_id,)).fetchone()
            if had is not None:
                if visit is not None and had[1] > visit:
                    return
                self._withdraw(url_id, had[0])
                connection.execute("DELETE FROM documents WHERE id = ?", (url_id,))
                connection.execute(IS_CURRENT, (url_id,))
            self.describe(url_id, ())

    def __contains__(self, url_id: int) -> bool:
        """Whether a page is in the index, or will be after the next `refresh`."""
        self._write_of(url_id)
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
                for target in self._current.remove([*map(TARGET_OF_ROW, new)]):
                    self._lacking.add((target, source))
            for _, target, text in gone:
                self._drop_text(target, text, source)

    def refresh(self, most: int = 100) -> int:
        """Update outdated entries.

        Args:
            most: The maximum number of entries to update; pages without an entry come first.

        Returns:
            How many outdated entries are left.

        """
        entered, described_anew, current, moved = [], [], [], []
        with self._database.changing() as connection:
            for rows in (self._documents, self._missing, self._lacking, self._anchors):
                rows.write()
            stale_rows = connection.execute(STALE, (MOST_HEARD, most)).fetchall()
            for url_id, stale, title, text, described, heard_before, heard in stale_rows:
                if title is None:  # a row without a page is not ours
                    continue
                anchors, heard_to = self._texts_about(url_id, heard or "")
                if stale == MISSING:
                    words = BREAK.join(map(entry, filter(None, (text, described))))
                    entered.append((url_id, entry(title), words, anchors))
                else:
                    described_anew.append((anchors, url_id, anchors))
                current.append((heard_to, url_id))
                if heard_to != heard_before:
                    moved.append((heard_to, url_id))
            connection.executemany(ENTER, entered)
            connection.executemany(ENTER_ANCHORS, described_anew)
            connection.executemany(IS_CURRENT, [row[:1] for row in stale_rows])
            execute_rows(connection, HEAR_TO, moved)
            self._current.add(current)
            return self.left()

    def left(self) -> int:
        """Count the outdated entries."""
        return int(self._database.connection.execute(LISTED).fetchone()[0])

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
        self._missing.write()
        rows = self._database.connection.execute(AMONG, (json.dumps(numbers),))
        return {url_id for (url_id,) in rows}

    def _write_of(self, url_id: int) -> None:
        """Write the rows of new pages, if this is one of them."""
        self._documents.write_of(url_id)
        self._missing.write_of(url_id)

    def _withdraw(self, url_id: int, stale: int) -> None:
        """Remove the entry of a page, if it has one."""
        if stale != MISSING:
            with self._database.changing() as connection:
                connection.execute(LEAVE, (url_id,))

    def _drop_text(self, target: int, text: str, source: int) -> None:
        """Remove the entry of a page if it may have the text of a link that is gone."""
        with self._database.changing() as connection:
            row = connection.execute(HEARS, (target,)).fetchone()
            if row is None or row[0] == MISSING or (row[1] is not None and source > row[1]):
                return
            stale = LACKING
            self._anchors.write()
            if connection.execute(USED_BY_OTHERS, (target, MOST_HEARD, text)).fetchone() is None:
                connection.execute(LEAVE, (target,))
                stale = MISSING
            if stale != row[0]:
                connection.execute(OUTDATE, (target, stale))

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
