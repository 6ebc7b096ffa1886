"""Read a crawl in several processes as one: the tables of all parts, under the names of one.

Scope: one connection that has every part attached, and for each table a view on those of the parts.
So every statement of every room reads all parts. The views are temporary: nothing is written.

- URLs have different numbers in different parts (`shares.first_number`). So a condition on a number
  or on a URL is passed on to each part, where it uses an index.
- What a part numbers for itself, such as its origins, gets numbers that differ between parts.
- A part knows a URL of another one by the negative of its number in `handed`; in the view it has
  the number that the other part gave it.
- A file of the archive is named with the folder of its part.

The index has a table that cannot be read through a view; a search asks each part (`Database.parts`).
"""

import json
import sqlite3
from collections import Counter
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any

from goodbot.crawl.folder.readonly_database import ReadOnlyDatabase
from goodbot.crawl.folder.shares import SHARES, Shares, part_folder, part_name
from goodbot.errors import NoCrawlError
from goodbot.http.address import address_of
from goodbot.store import Seen
from goodbot.store.sqlite import CAREFUL

__all__ = ["OWN_NUMBERS", "PATHS", "URL_NUMBERS", "ReadOnlyParts"]

OWN_NUMBERS = {
    "accounts": {"timeline"},
    "contents": {"origin"},
    "evidence": {"id"},
    "handed": {"id"},
    "kept": {"id", "original"},
    "octets": {"id"},
    "origins": {"id"},
    "requests": {"id", "timeline"},
    "timelines": {"id"},
    "urls": {"origin"},
}
"""The columns of each table with numbers that each part assigns for itself."""

URL_NUMBERS = {"anchors": {"target"}, "urls": {"target"}}
"""The columns of each table that may name a URL of another part."""

PATHS = {"files": {"name"}, "kept": {"file"}}
"""The columns of each table that name a file in the folder."""

COMMON = {"holds"}
"""The tables that have the same rows in every part."""

SUMMED = ("not-kept",)
"""The settings that are counts, as JSON, and are added up."""

NUMBERS_APART = 16
"""By what the numbers of a part are multiplied, before the number of the part is added."""

TABLES = (
    "SELECT name FROM p0.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' "
    "AND name NOT LIKE 'words%'"
)
HANDED = "SELECT url, part FROM handed WHERE id = ?"
NUMBER = "SELECT id FROM urls WHERE url = ?"
COLUMNS = "SELECT name FROM pragma_table_info(?, 'p0')"


class ReadOnlyParts(ReadOnlyDatabase):
    """The database of a crawl in several processes, opened for reading only.

    Args:
        folder: The folder of the crawl.
        patience: Seconds to wait for a lock held by another process.

    Raises:
        NotAStoreError: There is no such crawl in the folder, or one of its files is something else.
        StoreError: A file cannot be read.

    """

    _face: ReadOnlyDatabase
    _parts: tuple[ReadOnlyDatabase, ...] = ()

    @property
    def parts(self) -> "tuple[ReadOnlyDatabase, ...]":
        """The databases of the parts."""
        return self._parts

    @property
    def may_be_written(self) -> bool:
        """Whether another connection could write to every part without upgrading it."""
        return all(part.may_be_written for part in self._parts)

    def _open(self, *, durable: bool) -> sqlite3.Connection:  # noqa: ARG002  nothing is written
        """Open the face and every part, and attach them to one connection."""
        self._face = ReadOnlyDatabase(self.folder)
        self.shares = Shares.from_json(self._face.setting(SHARES))
        self._parts = tuple(self._opened())
        connection = sqlite3.connect(
            ":memory:", uri=True, isolation_level=None, check_same_thread=False
        )
        try:
            for pragma in CAREFUL:
                connection.execute(pragma)
            for number, part in enumerate(self._parts):
                connection.execute(f"ATTACH ? AS p{number}", (part.uri,))
            connection.create_function("elsewhere", 2, self._elsewhere)
            for (table,) in connection.execute(TABLES).fetchall():
                columns = [name for (name,) in connection.execute(COLUMNS, (table,))]
                connection.execute(view_of(table, columns, len(self._parts)))
            connection.execute("PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
        return connection

    def _opened(self) -> "list[ReadOnlyDatabase]":
        """Open the parts that exist; one may not yet, if the crawl was killed when it began.

        Raises:
            NoCrawlError: There is none.

        """
        found = []
        for number in range(self.shares.count):
            try:
                found.append(ReadOnlyDatabase(part_folder(self.folder, number)))
            except NoCrawlError:  # noqa: PERF203  each may be missing
                # The numbers of the views are those of the parts.
                if number + 1 < self.shares.count:
                    raise
        return found

    def _elsewhere(self, part: int, number: int) -> int:
        """Return the number of a URL that a part handed over; that in `handed` if it is not there.

        The queue of each part is read, because a URL may not have been received yet.
        """
        row = self._parts[part].connection.execute(HANDED, (number,)).fetchone()
        if row is not None and 0 <= row[1] < len(self._parts):
            found = self._parts[row[1]].connection.execute(NUMBER, row[:1]).fetchone()
            if found is not None:
                return int(found[0])
        return -number

    # What is not read by statements of the rooms.

    def settings(self) -> dict[str, str]:
        """Return the settings of the crawl; see `Database.settings`."""
        return {**self._face.settings(), **{name: self.setting(name) for name in SUMMED}}

    def setting(self, name: str, default: str = "") -> str:
        """Return one setting; see `Database.setting`."""
        if name not in SUMMED:
            return self._face.setting(name, default)
        counts: Counter[str] = Counter()
        for part in self._parts:
            counts.update(json.loads(part.setting(name, "{}")))
        return json.dumps(counts)

    def get(self, origin: str) -> dict[str, Any] | None:
        """Return the record of an origin that was put last."""
        return self.part_of(origin).get(origin)

    def history(self, origin: str) -> list[Seen]:
        """Return every policy of an origin ever seen, oldest first."""
        return self.part_of(origin).history(origin)

    def in_force(self, origin: str, at: datetime) -> Seen | None:
        """Return the policy of an origin that was in force at a time."""
        return self.part_of(origin).in_force(origin, at)

    def part_of(self, url: str) -> ReadOnlyDatabase:
        """Return the part that has an origin or a URL."""
        return self._parts[self.shares.owner(address_of(url)[0])]

    def changing(self) -> AbstractContextManager[sqlite3.Connection]:
        """Refuse to change anything; see `ReadOnlyDatabase.changing`."""
        return self._parts[0].changing()

    def check_unchanged(self) -> None:
        """Check that files opened as immutable have not changed."""
        for part in self._parts:
            part.check_unchanged()

    def close(self) -> None:
        """Close all files."""
        super().close()
        for part in (self._face, *self._parts):
            part.close()


def view_of(table: str, columns: list[str], parts: int) -> str:
    """Return the statement that creates the view on a table of all parts.

    >>> view_of("origins", ["id", "origin"], 1)
    'CREATE TEMP VIEW "origins" AS SELECT "id" * 16 + 0 AS "id", "origin" FROM p0."origins"'
    """
    union = " UNION " if table in COMMON else " UNION ALL "
    arms = (
        f'SELECT {", ".join(read_as(table, name, part) for name in columns)} FROM p{part}."{table}"'
        for part in range(parts)
    )
    return f'CREATE TEMP VIEW "{table}" AS {union.join(arms)}'


def read_as(table: str, column: str, part: int) -> str:
    """Return the expression by which the view reads a column of a part."""
    name = f'"{column}"'
    if column in OWN_NUMBERS.get(table, ()):
        return f"{name} * {NUMBERS_APART} + {part} AS {name}"
    if column in URL_NUMBERS.get(table, ()):
        return f"CASE WHEN {name} < 0 THEN elsewhere({part}, -{name}) ELSE {name} END AS {name}"
    if column in PATHS.get(table, ()):
        return f"'{part_name(part)}/' || {name} AS {name}"
    return name
