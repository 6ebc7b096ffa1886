"""The links of a crawl in its database: forwards in one row a page, backwards in one row a link.

Scope: writing both tables. `reading` reads them.
"""

import json
import sqlite3
from collections.abc import Sequence
from typing import TypeAlias

from goodbot._core import inlink_changes
from goodbot.crawl.folder.added_rows import AddedRows
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.url_rows import UrlRows
from goodbot.crawl.links.compact_rows import packed_ids, unpacked_ids
from goodbot.crawl.links.page_links import PageLinks
from goodbot.http.instants import instant

__all__ = ["SQLiteLinks"]

LAST = "SELECT max(page) FROM outlinks"
HAD = "SELECT visit, targets, kinds FROM outlinks WHERE page = ?"
PUT = (
    "INSERT OR REPLACE INTO outlinks(page, visit, targets, kinds, details, omitted, withheld, "
    "until) VALUES(?, ?, ?, ?, ?, ?, ?, ?)"
)
LEAVE = "DELETE FROM outlinks WHERE page = ?"
# It takes half the time of a statement for each link. There is nothing to ignore, but with IGNORE
# SQLite need not prepare to undo a part of the statement, which takes twice as long.
ADD = "INSERT OR IGNORE INTO inlinks(target, page, kind) SELECT value, ?1, ?2 FROM json_each(?3)"
DROP = "DELETE FROM inlinks WHERE page = ?1 AND target IN (SELECT value FROM json_each(?2))"

LinkedTargets: TypeAlias = tuple[Sequence[int], bytes]
"""The numbers of the targets of a page, 0 for one that is not stored, and the kind of each."""
NO_TARGETS: LinkedTargets = ((), b"")


class SQLiteLinks:
    """The links of a crawl in its database; see `goodbot.crawl.links.protocol.LinkWriter`.

    >>> import tempfile
    >>> from goodbot.crawl.links.page_links import LISTED, listed_links
    >>> from goodbot.crawl.links.reading import inlink_counts
    >>> with tempfile.TemporaryDirectory() as folder, Database(folder, create=True) as database:
    ...     links = SQLiteLinks(database)
    ...     links.record(1, listed_links([False, False]), [7, 8])
    ...     inlink_counts(database, [7, 9], LISTED)
    {7: 1}
    """

    def __init__(self, database: Database) -> None:
        """Use the database of a crawl."""
        self._database = database
        self._rows = AddedRows(database, PUT)
        self._backwards = AddedRows(database, ADD)
        self._pages = UrlRows(database, LAST)

    def record(self, page: int, links: PageLinks, targets: Sequence[int], visit: int = 0) -> None:
        """Store the links of a page, in place of those stored before; see `LinkWriter.record`."""
        until = None if links.until is None else instant(links.until, "until")
        limits = (links.omitted, links.withheld, until)
        with self._database.changing() as connection:
            self._rows.write_of(page)
            had = None
            if self._pages.may_have(page):
                had = connection.execute(HAD, (page,)).fetchone()
            if had is not None and had[0] > visit:
                return
            before = NO_TARGETS if had is None else (unpacked_ids(had[1]), had[2])
            self._change(connection, page, before, (targets, links.kinds))
            if not targets:
                connection.execute(LEAVE, (page,))
                return
            values = (page, visit, packed_ids(targets), links.kinds, links.details, *limits)
            self._rows.add(values)
            self._pages.add(page)

    def remove(self, page: int, visit: int | None = None) -> None:
        """Remove the links of a page; see `LinkWriter.remove`."""
        with self._database.changing() as connection:
            self._rows.write_of(page)
            had = None
            if self._pages.may_have(page):
                had = connection.execute(HAD, (page,)).fetchone()
            if had is None or (visit is not None and had[0] > visit):
                return
            self._change(connection, page, (unpacked_ids(had[1]), had[2]), NO_TARGETS)
            connection.execute(LEAVE, (page,))

    def _change(
        self,
        connection: sqlite3.Connection,
        page: int,
        before: LinkedTargets,
        after: LinkedTargets,
    ) -> None:
        """Replace the rows by which the page is found from its targets."""
        gone, new = inlink_changes(page, before, after)
        self._backwards.write_of(page)
        if gone:
            connection.execute(DROP, (page, json.dumps(gone)))
        if new:
            self._backwards.add_all(page, new)
