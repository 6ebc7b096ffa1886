"""The inventory of a crawl in its database: one row for each page that was answered.

Scope: writing the table. `reading` reads it.
"""

from typing import Any

from goodbot.crawl.folder.added_rows import AddedRows
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.url_rows import UrlRows
from goodbot.crawl.inventory.page_record import PageRecord
from goodbot.http.instants import instant

__all__ = [
    "COLUMNS",
    "FIRST_BYTE",
    "MICROSECONDS",
    "SAID_SINCE",
    "SIGN",
    "SIMHASH",
    "UNTIL",
    "SQLiteInventory",
]

COLUMNS = PageRecord._fields
"""The columns of the table that are fields of `PageRecord`."""
FIRST_BYTE, UNTIL, SIMHASH, SAID_SINCE = map(
    COLUMNS.index, ("first_byte", "until", "simhash", "said_since")
)
"""Those that are stored in another form: in microseconds, or as a number with a sign."""

SAME_AS_BEFORE = (
    "said_since = CASE WHEN page_facts.said IS excluded.said THEN page_facts.said_since "
    "ELSE excluded.said_since END"
)
"""What a page goes on saying, it has said since the earlier visit."""
PUT = (
    f"INSERT INTO page_facts(url, visit, {', '.join(COLUMNS)}) "
    f"VALUES(?, ?{', ?' * len(COLUMNS)}) ON CONFLICT(url) DO UPDATE SET visit = excluded.visit, "
    + ", ".join(f"{name} = excluded.{name}" for name in COLUMNS if name != "said_since")
    + f", {SAME_AS_BEFORE} WHERE excluded.visit >= page_facts.visit"
)
LAST = "SELECT max(url) FROM page_facts"
WITHDRAW = (
    "UPDATE page_facts SET title = NULL, description = NULL, h1 = NULL, language = NULL, "
    "simhash = NULL, withheld = ?2 WHERE url = ?1 AND (?3 IS NULL OR visit <= ?3)"
)
MICROSECONDS = 1_000_000
SIGN = 1 << 63


class SQLiteInventory:
    """The inventory of a crawl in its database; see `InventoryWriter`.

    >>> import tempfile
    >>> from goodbot.crawl.inventory.reading import stored_facts
    >>> with tempfile.TemporaryDirectory() as folder, Database(folder, create=True) as database:
    ...     inventory = SQLiteInventory(database)
    ...     inventory.record(7, PageRecord(200, 512, 0.25, "text/html", title="Lamps", words=9))
    ...     inventory.withdraw(7, "forgotten")
    ...     [(one.url_id, one.record.title, one.record.words) for one in stored_facts(database)]
    [(7, None, 9)]
    """

    def __init__(self, database: Database) -> None:
        """Use the database of a crawl."""
        self._database = database
        self._records = AddedRows(database, PUT)
        self._pages = UrlRows(database, LAST)

    def record(self, url_id: int, record: PageRecord, visit: int = 0) -> None:
        """Store the facts of a page, in place of those stored before."""
        values: list[Any] = list(record)
        values[FIRST_BYTE] = (
            None if record.first_byte is None else round(record.first_byte * MICROSECONDS)
        )
        values[UNTIL] = None if record.until is None else instant(record.until, "until")
        since = record.said_since
        values[SAID_SINCE] = None if since is None else instant(since, "said_since")
        values[SIMHASH] = None if record.simhash is None else signed(record.simhash)
        self._records.add((url_id, visit, *values))
        self._pages.add(url_id)

    def withdraw(self, url_id: int, reason: str, visit: int | None = None) -> None:
        """Remove the texts of a page."""
        if not self._pages.may_have(url_id):
            return
        with self._database.changing() as connection:
            self._records.write()
            connection.execute(WITHDRAW, (url_id, reason, visit))


def signed(number: int) -> int:
    """Return a number of 64 bits as SQLite stores it: with a sign."""
    return number - 2 * SIGN if number >= SIGN else number
