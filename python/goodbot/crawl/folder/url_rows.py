"""Which URLs certainly have no row in a table, so that nothing is looked up for a new page.

Scope: what is known in memory. The tables belong to other rooms.
"""

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.url_bytes import UrlBytes

__all__ = ["UrlRows"]


class UrlRows:
    """The URLs that may have rows in a table.

    Those that the table had when it was opened may; so may those for which a row was added since.

    Args:
        database: The database of the crawl.
        last: A statement that returns the highest number of a URL in the table.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Database(folder, create=True) as database:
    ...     rows = UrlRows(database, "SELECT max(id) FROM urls")
    ...     with database.changing():
    ...         before = rows.may_have(7)
    ...         rows.add(7)
    ...         before, rows.may_have(7), rows.may_have(6)
    (False, True, False)
    """

    def __init__(self, database: Database, last: str) -> None:
        """Read nothing yet."""
        self._database, self._statement = database, last
        self._last = 0
        self._added = UrlBytes()
        self._version: int | None = None

    def may_have(self, url_id: int) -> bool:
        """Return whether a URL may have a row."""
        version = self._database.data_version
        if version != self._version:  # another connection may have added rows
            self._version = version
            (last,) = self._database.connection.execute(self._statement).fetchone()
            self._last = max(self._last, last or 0)
        return url_id <= self._last or self._added.is_full or self._added[url_id] != 0

    def add(self, url_id: int) -> None:
        """Note that a row of a URL is added; that it is never removed costs a look-up at most."""
        self._added[url_id] = 1
