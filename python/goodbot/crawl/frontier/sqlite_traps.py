"""The memory for recognising traps, in the folder of a crawl.

Scope: the SQL of its tables. `traps` decides what is recognised.
"""

from functools import cached_property, lru_cache
from typing import Any

from goodbot.crawl.folder.added_rows import AddedRows
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.key_rows import KeyRows
from goodbot.crawl.frontier.quota import kept_form
from goodbot.crawl.frontier.trap_memory import MOST_LEARNED, TrapMet
from goodbot.errors import NotAStoreError

__all__ = ["SQLiteTrapMemory"]

CONTENT_OF = "contents(url, origin, content) SELECT id, origin, ?2 FROM urls WHERE url = ?1"
KEEP = f"INSERT INTO {CONTENT_OF} ON CONFLICT(url) DO UPDATE SET content = excluded.content"
# Not `ON CONFLICT`, for which SQLite prepares to undo a part of the statement: that takes longer
# than the rest.
KEEP_NEW = f"INSERT OR IGNORE INTO {CONTENT_OF}"
HAS_CONTENTS = "SELECT EXISTS(SELECT 1 FROM contents)"
CONTENT = "SELECT content FROM contents JOIN urls ON urls.id = contents.url WHERE urls.url = ?"
WAITING = "SELECT 1 FROM urls WHERE url = ? AND state IN ('queued', 'leased')"
SAME = (
    "SELECT urls.url FROM contents JOIN urls ON urls.id = contents.url WHERE contents.origin = "
    "(SELECT id FROM origins WHERE origin = ?) AND content = ? ORDER BY contents.url LIMIT 2"
)
ALIKE = "SELECT url, content FROM alike WHERE key = ?"
KEEP_ALIKE = (
    "INSERT INTO alike(key, url, content) VALUES(?, ?, ?) "
    "ON CONFLICT(key) DO UPDATE SET url = excluded.url, content = excluded.content"
)
COUNTS = "SELECT equal, differing FROM compared WHERE key = ?"
COUNT = (
    "INSERT INTO compared(key, equal, differing) VALUES(?1, ?2, ?3) "
    "ON CONFLICT(key) DO UPDATE SET equal = equal + ?2, differing = differing + ?3"
)
TELL = (
    "INSERT INTO traps(origin, trap, links, example, why) VALUES(?, ?, 1, ?, ?) "
    "ON CONFLICT(origin, trap) DO UPDATE SET links = links + 1"
)
MET = "SELECT origin, trap, links, example, why FROM traps ORDER BY origin, trap"

KEY_BYTES = 16

MOST_CACHED = 4_096
"""How many counts are cached in memory."""


class SQLiteTrapMemory:
    """A trap memory in the database of a crawl; see `TrapMemory`.

    Args:
        database: The database of the crawl.

    """

    def __init__(self, database: Database) -> None:
        """Start with what the database has."""
        self._database = database
        self._new_pages = AddedRows(database, KEEP_NEW)
        self._urls = KeyRows(database, HAS_CONTENTS)
        self._contents = KeyRows(database, HAS_CONTENTS)
        self._counts: dict[str, tuple[int, int]] = {}
        """A cache of counts; for most keys they are zero."""

    @cached_property
    def _alike(self) -> int:
        """How many keys are represented by a URL; readers of a crawl need not count them."""
        (count,) = self._database.connection.execute("SELECT count(*) FROM alike").fetchone()
        return int(count)

    @cached_property
    def _compared(self) -> int:
        """For how many keys pages were compared."""
        (count,) = self._database.connection.execute("SELECT count(*) FROM compared").fetchone()
        return int(count)

    def keep(self, url: str, origin: str, content: bytes) -> bool:  # noqa: ARG002  the queue has it
        """Store the content of a page, which must be in the queue; see `TrapMemory.keep`."""
        with self._database.changing() as connection:
            is_new = not self._urls.may_have(url)
            self._urls.add(url)
            self._contents.add(content)
            if is_new:
                self._new_pages.add((url, content))
            else:
                is_new = self.content_of(url) is None
                connection.execute(KEEP, (url, content))
        return is_new

    def content_of(self, url: str) -> bytes | None:
        """Return the content of a page."""
        self._new_pages.write_of(url)
        row = self._row(CONTENT, url)
        return None if row is None or not isinstance(row[0], bytes) else row[0]

    def is_waiting(self, url: str) -> bool:
        """Whether a URL is queued or leased."""
        return self._row(WAITING, url) is not None

    def same_content(self, url: str, origin: str, content: bytes) -> str:
        """Return another page of an origin with the same content."""
        if not self._contents.may_have(content):
            return ""
        self._new_pages.write()
        found = self._database.connection.execute(SAME, (origin, content))
        return next((one for (one,) in found if isinstance(one, str) and one != url), "")

    def alike(self, key: str) -> tuple[str, bytes]:
        """Return the URL and the content that represent a key."""
        row = self._row(ALIKE, hashed(key))
        if row is None or not isinstance(row[0], str) or not isinstance(row[1], bytes):
            return "", b""
        return row[0], row[1]

    def keep_alike(self, key: str, url: str, content: bytes) -> None:
        """Store the URL that represents a key."""
        is_new = not self.alike(key)[0]
        if is_new and self._alike >= MOST_LEARNED:
            return
        with self._database.changing() as connection:
            connection.execute(KEEP_ALIKE, (hashed(key), kept_form(url), content))
        self._alike += is_new

    def counts(self, key: str) -> tuple[int, int]:
        """Return the numbers of equal and of differing pages."""
        if not self._compared:
            return 0, 0
        known = self._counts.get(key)
        if known is None:
            row = self._row(COUNTS, hashed(key))
            is_count = row is not None and all(isinstance(one, int) for one in row)
            known = (row[0], row[1]) if row is not None and is_count else (0, 0)
            if len(self._counts) >= MOST_CACHED:
                self._counts.clear()
            self._counts[key] = known
        return known

    def count(self, key: str, *, is_equal: bool) -> None:
        """Count a page that is equal to another one, or differs from it."""
        is_new = self.counts(key) == (0, 0)
        if is_new and self._compared >= MOST_LEARNED:
            return
        with self._database.changing() as connection:
            connection.execute(COUNT, (hashed(key), int(is_equal), int(not is_equal)))
        self._counts.pop(key, None)
        self._compared += is_new

    def tell(self, origin: str, trap: str, url: str, why: str) -> None:
        """Count a link into a trap."""
        with self._database.changing() as connection:
            connection.execute(TELL, (kept_form(origin), trap, kept_form(url), why))

    def met(self) -> list[TrapMet]:
        """Return the traps that were recognised.

        Raises:
            NotAStoreError: A row was not written by goodbot.

        """
        met = [TrapMet(*row) for row in self._database.connection.execute(MET)]
        for one in met:
            *texts, links = one.origin, one.trap, one.example, one.why, one.links
            if not isinstance(links, int) or not all(isinstance(text, str) for text in texts):
                message = "the counts of traps are damaged; restore the folder from a backup"
                raise NotAStoreError(message)
        return met

    def _row(self, select: str, value: object) -> tuple[Any, ...] | None:
        row = self._database.connection.execute(select, (value,)).fetchone()
        return None if row is None else tuple(row)


@lru_cache(maxsize=1_024)
def hashed(key: str) -> bytes:
    """Return a key as it is stored: with a fixed length, however long the URL in it is."""
    from hashlib import blake2b  # noqa: PLC0415  loads OpenSSL, which most readers do not need

    return blake2b(key.encode("utf-8", "surrogatepass"), digest_size=KEY_BYTES).digest()
