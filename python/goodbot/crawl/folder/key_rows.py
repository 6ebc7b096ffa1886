"""Which keys certainly have no row in a table, so that nothing is looked up for what is new.

Scope: what is known in memory, for tables whose keys are texts or bytes; `url_rows` has the same
for numbers of URLs. The tables belong to other rooms.
"""

from goodbot.crawl.folder.database import Database

__all__ = ["KeyRows"]

BITS = 23
"""There are 2^23 bits, which take 1 MiB. With a million keys, one in nine of those without a row is
looked up in vain."""
MASK = (1 << BITS) - 1


class KeyRows:
    """The keys that may have rows in a table: those that share a bit with one that was added.

    If the table had rows when it was first asked about, or another connection has changed the file
    since, any key may.

    Args:
        database: The database of the crawl.
        has_rows: A statement that returns whether the table has rows.
        is_alone: Whether no other connection adds any while this object is used, so that the file
            is not asked about that, which takes longer than a look-up outside of a change.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Database(folder, create=True) as database:
    ...     rows = KeyRows(database, "SELECT EXISTS(SELECT 1 FROM origins)")
    ...     with database.changing():
    ...         before = rows.may_have("a")
    ...         rows.add("a")
    ...         before, rows.may_have("a"), rows.may_have("b")
    (False, True, False)
    """

    def __init__(self, database: Database, has_rows: str, *, is_alone: bool = False) -> None:
        """Read nothing yet."""
        self._database, self._statement, self._is_alone = database, has_rows, is_alone
        self._bits = bytearray(1 << (BITS - 3))
        self._version: int | None = None
        self._is_any = False
        """Whether any key may have a row."""

    def may_have(self, key: str | bytes) -> bool:
        """Return whether a key may have a row."""
        if not self._is_alone or self._version is None:
            version = self._database.data_version
            if version != self._version:
                self._note_others(version)
        place = hash(key) & MASK
        return self._is_any or self._bits[place >> 3] & 1 << (place & 7) != 0

    def _note_others(self, version: int) -> None:
        """Note that the file has another version than was known."""
        if self._version is None:
            (has_rows,) = self._database.connection.execute(self._statement).fetchone()
            self._is_any = bool(has_rows)
        else:
            self._is_any = True
        self._version = version

    def add(self, key: str | bytes) -> None:
        """Note that a row is added; that it is never removed costs a look-up at most."""
        place = hash(key) & MASK
        self._bits[place >> 3] |= 1 << (place & 7)
