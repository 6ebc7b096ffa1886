"""Read a crawl in several processes as one: the tables of all parts, under the names of one.

Scope: one connection that has every part attached, and for each table a view on those of the parts.
So every statement of every room reads all parts. The views are temporary: nothing is written.

- URLs have different numbers in different parts (`shares.first_number`). So a condition on a number
  or on a URL is passed on to each part, where it uses an index.
- What a part numbers for itself, such as its origins, gets numbers that differ between parts.
- A part knows a URL of another one by the negative of its number in `handed`; in the view it has
  the number that the other part gave it.
- A file of the archive is named with the folder of its part.

A search asks each part (`Database.parts`), because full text cannot be read through a view.
"""

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from types import MappingProxyType
from typing import Any

from goodbot.crawl.folder.folder_store import FolderStore
from goodbot.crawl.folder.missing_parts import refuse_missing_parts
from goodbot.crawl.folder.readonly_database import ReadOnlyDatabase
from goodbot.crawl.folder.records import StoredManners
from goodbot.crawl.folder.shares import SHARES, Shares, part_folder, part_name, part_of_number
from goodbot.errors import NoCrawlError
from goodbot.http.address import address_of
from goodbot.store import StoredPolicy
from goodbot.store.sqlite_file import CAREFUL

__all__ = ["LINKS", "OWN_NUMBERS", "PATHS", "URL_NUMBERS", "ReadOnlyParts"]

OWN_NUMBERS = {
    "accounts": {"timeline"},
    "contents": {"origin"},
    "evidence": {"id"},
    "handed": {"id"},
    "kept": {"id", "original"},
    "origins": {"id"},
    "requests": {"id", "timeline", "sender"},
    "senders": {"id"},
    "timelines": {"id"},
    "urls": {"origin"},
}
"""The columns of each table with numbers that each part assigns for itself."""

URL_NUMBERS = {"urls": {"target"}}
"""The columns of each table that may name a URL of another part."""

LINKS = {"anchors": "target", "inlinks": "target"}
"""The same, where rows are found by this column."""

PATHS = {"files": {"name"}, "kept": {"file"}}
"""The columns of each table that name a file in the folder."""

COMMON = {"holds"}
"""The tables that have the same rows in every part."""

SUMMED = ("not-kept",)
"""The settings that are counts, as JSON, and are added up."""

NUMBERS_APART = 16
"""By what the numbers of a part are multiplied, before the number of the part is added."""

TABLES = (
    "SELECT name FROM p{}.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' "
    "AND name NOT LIKE 'words%'"
)
HANDED = "SELECT url, part FROM p{}.handed WHERE id = ?"
NUMBER = "SELECT id FROM p{}.urls WHERE url = ?"
COLUMNS = "SELECT name FROM pragma_table_info(?, 'p{}')"


class ReadOnlyParts(ReadOnlyDatabase):
    """The database of a crawl in several processes, opened for reading only.

    Args:
        folder: The folder of the crawl.
        patience: Seconds to wait for a lock held by another process.

    Raises:
        NotAStoreError: There is no such crawl in the folder, or one of its files is something else.
        StoreError: A file cannot be read.

    """

    store: "PartsStore"
    _face: ReadOnlyDatabase
    _by_number: Mapping[int, ReadOnlyDatabase] = MappingProxyType({})

    def __init__(self, folder: str | os.PathLike[str], *, patience: float = 5.0) -> None:
        """Open every file."""
        super().__init__(folder, patience=patience)
        self.store = PartsStore(self)

    @property
    def parts(self) -> tuple[ReadOnlyDatabase, ...]:
        """The databases of the parts."""
        return tuple(self._by_number.values())

    @property
    def may_be_written(self) -> bool:
        """Whether another connection could write to every part without upgrading it."""
        return all(part.may_be_written for part in self.parts)

    def _open(self, *, durable: bool) -> sqlite3.Connection:  # noqa: ARG002  nothing is written
        """Open the face and every part, and attach them to one connection."""
        self._face = ReadOnlyDatabase(self.folder)
        self.shares = Shares.from_json(self._face.setting(SHARES))
        refuse_missing_parts(self._face, self.shares)
        self._by_number = self._open_parts()
        connection = sqlite3.connect(
            ":memory:", uri=True, isolation_level=None, check_same_thread=False
        )
        try:
            for pragma in CAREFUL:
                connection.execute(pragma)
            for number, part in self._by_number.items():
                connection.execute(f"ATTACH ? AS p{number}", (part.uri,))
            connection.create_function("elsewhere", 2, self._elsewhere)
            first = next(iter(self._by_number))
            for (table,) in connection.execute(TABLES.format(first)).fetchall():
                columns = [name for (name,) in connection.execute(COLUMNS.format(first), (table,))]
                connection.execute(view_of(table, columns, list(self._by_number)))
            connection.execute("PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
        return connection

    def _open_parts(self) -> dict[int, ReadOnlyDatabase]:
        """Open the parts, without those that a crawl that was killed had not created yet."""
        found = {}
        for number in range(self.shares.count):
            with suppress(NoCrawlError):
                found[number] = ReadOnlyDatabase(part_folder(self.folder, number))
        # The face has the same tables, without rows.
        return found or {0: self._face}

    def _elsewhere(self, part: int, number: int) -> int:
        """Return the number of a URL in the part to which another part handed it.

        If it is not there yet, return the negative of its number in `handed`. The connection is
        that of the views: another one would find what a running crawl stored after a view was
        opened, and what the view does not have yet.
        """
        row = self.connection.execute(HANDED.format(part), (number,)).fetchone()
        if row is not None and row[1] in self._by_number:
            found = self.connection.execute(NUMBER.format(row[1]), row[:1]).fetchone()
            if found is not None:
                return int(found[0])
        return -number

    def numbers_of(self, page: int, numbers: Sequence[int]) -> list[int]:
        """Return the numbers of URLs that a page names; see `Database.numbers_of`."""
        part = part_of_number(page)
        if part not in self._by_number:
            return list(numbers)
        return [self._elsewhere(part, -one) if one < 0 else one for one in numbers]

    # What is not read by statements of the rooms.

    def settings(self) -> dict[str, str]:
        """Return the settings of the crawl; see `Database.settings`."""
        return {**self._face.settings(), **{name: self.setting(name) for name in SUMMED}}

    def setting(self, name: str, default: str = "") -> str:
        """Return one setting; see `Database.setting`."""
        if name not in SUMMED:
            return self._face.setting(name, default)
        counts: Counter[str] = Counter()
        for part in self.parts:
            counts.update(json.loads(part.setting(name, "{}")))
        return json.dumps(counts)

    def manners_at(self, origin: str) -> list[StoredManners]:
        """Return the robot's own settings; the numbers of requests are those of the views."""
        found = self.part_of(origin).manners_at(origin)
        part = self.shares.owner(origin)
        return [one._replace(after=one.after * NUMBERS_APART + part) for one in found]

    def part_of(self, url: str) -> ReadOnlyDatabase:
        """Return the part that has an origin or a URL."""
        return self._by_number.get(self.shares.owner(address_of(url)[0]), self._face)

    def changing(self) -> AbstractContextManager[sqlite3.Connection]:
        """Refuse to change anything; see `ReadOnlyDatabase.changing`."""
        return self.parts[0].changing()

    def check_unchanged(self) -> None:
        """Check that files opened as immutable have not changed."""
        for part in self.parts:
            part.check_unchanged()

    def close(self) -> None:
        """Close all files."""
        super().close()
        for part in (self._face, *self.parts):
            part.close()


class PartsStore(FolderStore):
    """The stores of all parts, for reading: each has the policies of its own sites."""

    def __init__(self, database: ReadOnlyParts) -> None:
        """Read what the parts have."""
        super().__init__(database)
        self._parts = database

    def get(self, origin: str) -> dict[str, Any] | None:
        """Return the record of an origin that was put last."""
        return self._parts.part_of(origin).store.get(origin)

    def history(self, origin: str) -> list[StoredPolicy]:
        """Return every policy of an origin ever seen, oldest first."""
        return self._parts.part_of(origin).store.history(origin)

    def in_force(self, origin: str, at: datetime) -> StoredPolicy | None:
        """Return the policy of an origin that was in force at a time."""
        return self._parts.part_of(origin).store.in_force(origin, at)


def view_of(table: str, columns: Sequence[str], parts: Sequence[int]) -> str:
    """Return the statement that creates the view on a table of all parts.

    >>> view_of("origins", ["id", "origin"], [0])
    'CREATE TEMP VIEW "origins" AS SELECT "id" * 16 + 0 AS "id", "origin" FROM p0."origins"'
    """
    union = " UNION " if table in COMMON else " UNION ALL "
    link = LINKS.get(table)
    arms = [own_rows(table, columns, part, link) for part in parts]
    if link is not None:
        others = [(part, other) for part in parts for other in parts if part != other]
        arms += [rows_elsewhere(table, columns, part, other, link) for part, other in others]
    return f'CREATE TEMP VIEW "{table}" AS {union.join(arms)}'


def own_rows(table: str, columns: Sequence[str], part: int, link: str | None) -> str:
    """Return the part of a view that reads one part; without rows that name a URL of another."""
    read = ", ".join(read_as(table, name, part) for name in columns)
    where = "" if link is None else f' WHERE "{link}" > 0'
    return f'SELECT {read} FROM p{part}."{table}"{where}'  # noqa: S608  our own words


def rows_elsewhere(table: str, columns: Sequence[str], part: int, other: int, link: str) -> str:
    """Return the part of a view with the rows of one part that name a URL of another one.

    From the number of the URL, its name leads to its number in `handed`, each by an index.
    """
    read = ", ".join(f"u.id AS {name!r}" if name == link else f'r."{name}"' for name in columns)
    return (
        f"SELECT {read} FROM p{other}.urls AS u JOIN p{part}.handed AS h ON h.url = u.url "  # noqa: S608
        f'JOIN p{part}."{table}" AS r ON r."{link}" = -h.id'
    )


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
