"""The index of a crawl: what may be indexed of its pages, and what links say of them.

`put`, `describe` and `remove` only note what is to be done, and take away at once what may not be
found any more. `refresh` makes the entries, many in one go, which is several times as cheap as one
by one; a search does so first, if it can.

A phrase never goes on across

- a part that is left out, nor an empty one that parts two words on purpose (Robot Exclusion
  Profile, Phrases): the `…` of `Page.text()`;
- the beginning of a block, as `Run.block` has it: no one reads a heading and what stands below it
  in one breath;
- the end of a title or of one link's text: a page has each of them for itself.

Words on both sides are of one page, and still match.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Anchor, Document
from goodbot.crawl.index.full_text import LEFT, Matches, search
from goodbot.crawl.index.query import GAP_WORD, cleaned, spaced
from goodbot.http.instants import instant
from goodbot.page.words import GAP

__all__ = ["SQLiteIndex"]

MAX_TITLE = 500
MAX_TEXT = 1_000_000
"""Characters of a page that are indexed; what stands behind them is not found."""
MAX_ANCHOR = 200
MOST_ANCHORS = 64
"""How many texts of links describe a page: the first that differ, in the order in which the pages
that say them were found."""
MOST_HEARD = 256
"""How many anchors of a page are looked at for them, so that a page to which the whole web links
costs no more."""

LACKING, MISSING = 1, 2
"""What `stale` of the table says: the entry lacks texts of links, or there is none."""

BREAK = f" {GAP_WORD} "

STALE = """SELECT id, title, text, stale FROM documents
    WHERE stale <> 0 ORDER BY stale DESC, id LIMIT ?"""
HAD = "SELECT title, text, stale, visit FROM documents WHERE id = ?"
HAD_VISIT = "SELECT stale, visit FROM documents WHERE id = ?"
ADD = """INSERT INTO documents(id, title, text, quotable, longest_quote, until, visit)
    VALUES(?, ?, ?, ?, ?, ?, ?)"""
REPLACE = """UPDATE documents SET title = ?, text = ?, quotable = ?, longest_quote = ?, until = ?,
    stale = ?, visit = ? WHERE id = ?"""
HEARD = "SELECT source, text FROM anchors WHERE target = ? ORDER BY source, text LIMIT ?"
SAID = "SELECT target, text FROM anchors WHERE source = ?"
ENTER = "INSERT INTO words(rowid, title, text, anchors) VALUES(?, ?, ?, ?)"
SAID_BY_OTHERS = """SELECT 1 FROM (
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
        """Take the database of the crawl."""
        self._database = database

    def put(self, url_id: int, document: Document, visit: int = 0) -> None:
        """Keep what may be indexed of a page, in place of what was kept before.

        It is found from the next `refresh` or search on; what it had before is gone at once.

        Args:
            url_id: The number of its URL.
            document: What may be indexed of it, as `goodbot.crawl.index.indexable` makes it.
            visit: The visit that it comes of; nothing changes if a newer one has put the page.

        """
        title = " ".join(cleaned(document.title).split())[:MAX_TITLE]
        text = cleaned(document.text[:MAX_TEXT])
        quotable = cleaned(document.quotable[:MAX_TEXT])
        until = None if document.until is None else instant(document.until, "until")
        limits = (None if quotable == text else quotable, document.longest_quote, until)
        with self._database.changing() as connection:
            had = connection.execute(HAD, (url_id,)).fetchone()
            if had is None:
                connection.execute(ADD, (url_id, title, text, *limits, visit))
                return
            if had[3] > visit:
                return
            stale = had[2]
            if had[:2] != (title, text):
                self._withdraw(url_id, stale)
                stale = MISSING
            connection.execute(REPLACE, (title, text, *limits, stale, visit, url_id))

    def remove(self, url_id: int, visit: int | None = None) -> None:
        """Take a page out of the index, and what its links say of others.

        Others who describe it keep their words, should it come back.

        Args:
            url_id: The number of its URL.
            visit: The visit that says so; nothing changes if a newer one has put the page. `None`:
                whatever visit the page comes of.

        """
        with self._database.changing() as connection:
            had = connection.execute(HAD_VISIT, (url_id,)).fetchone()
            if had is not None:
                if visit is not None and had[1] > visit:
                    return
                self._withdraw(url_id, had[0])
                connection.execute("DELETE FROM documents WHERE id = ?", (url_id,))
            self.describe(url_id, ())

    def __contains__(self, url_id: int) -> bool:
        """Whether something of a page is in the index, or will be after the next `refresh`."""
        row = self._database.connection.execute(
            "SELECT 1 FROM documents WHERE id = ?", (url_id,)
        ).fetchone()
        return row is not None

    def describe(self, source: int, anchors: Sequence[Anchor]) -> None:
        """Keep what the links of a page say of others, in the place of all that they said.

        What they say no longer is not found any more at once; what they say anew is from the next
        `refresh` or search on.

        Args:
            source: The number of the page's URL.
            anchors: The texts, as `anchors_of` gives them.

        """
        said = {(one.target, anchor_line(one.text)) for one in anchors}
        said = {(target, text) for target, text in said if text}
        with self._database.changing() as connection:
            before: set[tuple[int, str]] = set(connection.execute(SAID, (source,)))
            gone, new = before - said, said - before
            connection.executemany(
                "DELETE FROM anchors WHERE source = ? AND target = ? AND text = ?",
                [(source, *one) for one in gone],
            )
            connection.executemany(
                "INSERT INTO anchors(source, target, text) VALUES(?, ?, ?)",
                [(source, *one) for one in sorted(new)],
            )
            connection.executemany(
                """UPDATE documents SET stale = 1
                WHERE id = ? AND stale = 0 AND (heard_to IS NULL OR heard_to >= ?)""",
                [(target, source) for target in {target for target, _ in new}],
            )
            for target, text in gone:
                self._unsay(target, text, source)

    def refresh(self, most: int = 100) -> int:
        """Make the entries of pages that are not in the index as they should be.

        Args:
            most: How many; pages that have no entry come first.

        Returns:
            How many are left.

        """
        with self._database.changing() as connection:
            for url_id, title, text, stale in connection.execute(STALE, (most,)).fetchall():
                anchors, heard_to = self._heard(url_id)
                if stale == MISSING:
                    connection.execute(ENTER, (url_id, entry(title), entry(text), anchors))
                else:
                    connection.execute(
                        "UPDATE words SET anchors = ? WHERE rowid = ? AND anchors <> ?",
                        (anchors, url_id, anchors),
                    )
                connection.execute(
                    "UPDATE documents SET stale = 0, heard_to = ? WHERE id = ?", (heard_to, url_id)
                )
            return self.left()

    def left(self) -> int:
        """Count the entries that are not up to date."""
        return int(self._database.connection.execute(LEFT).fetchone()[0])

    def search(self, query: str, *, now: datetime, limit: int = 10, offset: int = 0) -> Matches:
        """Find pages; `goodbot.crawl.search` adds where they are.

        Entries that are not up to date are made first, 1,000 at most; where that cannot be, as
        while another process writes, a finding says so.

        Args:
            query: Words, phrases and what else `goodbot.crawl.index.query` knows. Any `str` has an
                answer.
            now: The time, an aware `datetime`: what was to be shown until before is not found.
            limit: How many to return.
            offset: How many to leave out before them.

        Returns:
            The pages, best first, in an order that is the same each time; and what is odd about the
            query.

        Raises:
            WrongTypeError: `query` is no `str`, or `now` no `datetime`.
            WrongValueError: `now` is naive, `limit` is less than 1, or `offset` less than 0.
            StoreError: The database cannot be read.

        """
        return search(self._database, query, now, limit, offset, self.refresh)

    def among(self, url_ids: Iterable[int]) -> set[int]:
        """Return those pages, by the numbers of their URLs, of which the index has something."""
        rows = self._database.connection.execute(AMONG, (json.dumps(list(url_ids)),))
        return {url_id for (url_id,) in rows}

    def _withdraw(self, url_id: int, stale: int) -> None:
        """Take away the entry of a page, if it has one."""
        if stale != MISSING:
            with self._database.changing() as connection:
                connection.execute(LEAVE, (url_id,))

    def _unsay(self, target: int, text: str, source: int) -> None:
        """Take away the entry of a page, if it may have a text that nobody says any more."""
        with self._database.changing() as connection:
            row = connection.execute(
                "SELECT stale, heard_to FROM documents WHERE id = ?", (target,)
            ).fetchone()
            if row is None or row[0] == MISSING or (row[1] is not None and source > row[1]):
                return
            stale = LACKING
            if connection.execute(SAID_BY_OTHERS, (target, MOST_HEARD, text)).fetchone() is None:
                connection.execute(LEAVE, (target,))
                stale = MISSING
            if stale != row[0]:
                connection.execute("UPDATE documents SET stale = ? WHERE id = ?", (stale, target))

    def _heard(self, target: int) -> tuple[str, int | None]:
        """Give what links say of a page, and the source behind which nobody counts, if any."""
        rows = self._database.connection.execute(HEARD, (target, MOST_HEARD)).fetchall()
        texts = list(dict.fromkeys(text for _source, text in rows))[:MOST_ANCHORS]
        heard_to = rows[-1][0] if len(rows) == MOST_HEARD else None
        return BREAK.join(map(entry, texts)), heard_to


def entry(text: str) -> str:
    """Give a text as it is indexed: with a word of ours where a phrase may not go on."""
    return spaced(text).replace(GAP, BREAK).replace("\n", BREAK)


def anchor_line(text: str) -> str:
    """Give what a link says as one line, cut between words."""
    line = " ".join(cleaned(text).split())
    if len(line) <= MAX_ANCHOR:
        return line
    return line[:MAX_ANCHOR].rpartition(" ")[0] or line[:MAX_ANCHOR]
