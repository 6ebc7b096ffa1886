"""The tables of a report: their columns, their first rows, and all rows packed for the script.

Scope: packing. Rows are written as they come, in blocks of columns as JSON, compressed; a table of
100,000 rows needs no more memory than one block.
"""

import base64
import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import field
from tempfile import SpooledTemporaryFile
from typing import Any, NamedTuple

from goodbot.crawl.report.rows.cells import NUMERIC, Kind
from goodbot.display import printable
from goodbot.lazy_dataclass import dataclass

__all__ = ["MOST_ROWS", "STATIC_ROWS", "PackedTable", "Table", "TableColumn"]

MOST_ROWS = 100_000
"""The most rows of a table that are in the file; others are counted."""
STATIC_ROWS = 100
"""The first rows, which are in the page as HTML, for print and for readers without scripts."""
BLOCK = 2_000
"""How many rows are packed together."""
MOST_IN_MEMORY = 4_000_000
"""The most bytes of packed rows in memory; more are in a temporary file."""
LEVEL = 1
"""How hard gzip tries: level 4 takes twice as long and saves a tenth."""
AT_ONCE = 3 * 2**18
"""How many bytes are written as base64 together; divisible by 3."""
OF_NUMBERS = NUMERIC | {"time"}


class TableColumn(NamedTuple):
    """A column of a table."""

    name: str
    """The name in fragments of URLs, such as `#urls?status=404`."""
    label: str
    """The heading."""
    kind: Kind = "text"
    on_phones: bool = True
    """Whether it is shown in a narrow window; the panel of the row shows all columns."""
    leads_to: str = ""
    """The table whose rows this number counts: those with the URL of this row."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table, before it has rows."""

    name: str
    """The name in the page and in fragments of URLs."""
    title: str
    columns: Sequence[TableColumn]
    command: str = ""
    """The arguments of `goodbot` that list all rows, with `DIR` for the folder."""
    sort: str = ""
    """The column by which it is sorted at first, in the script; `-` in front: descending."""


@dataclass(slots=True)
class PackedTable:
    """A table with its rows, which are added one by one."""

    table: Table
    count: int = 0
    """How many rows there are."""
    first: list[tuple[Any, ...]] = field(default_factory=list)
    """The first rows."""
    _block: list[tuple[Any, ...]] = field(default_factory=list)
    _file: "SpooledTemporaryFile[bytes]" = field(
        default_factory=lambda: SpooledTemporaryFile(MOST_IN_MEMORY)  # noqa: SIM115  see close
    )
    _gzip: gzip.GzipFile | None = None

    def add(self, row: tuple[Any, ...]) -> None:
        """Add a row: a text or a number for each column, or `None`."""
        self.count += 1
        if self.count <= MOST_ROWS:
            self._block.append(row)
            if len(self._block) == BLOCK:
                self._pack()

    @property
    def stored(self) -> int:
        """How many rows are in the file."""
        return min(self.count, MOST_ROWS)

    def _pack(self) -> None:
        """Pack the rows of a block: a line of JSON with their number and their columns."""
        if len(self.first) < STATIC_ROWS:
            self.first += self._block[: STATIC_ROWS - len(self.first)]
        if self._gzip is None:
            self._gzip = gzip.GzipFile("", "wb", LEVEL, self._file, mtime=0)
        pairs = zip(self.table.columns, zip(*self._block, strict=True), strict=True)
        columns = (packed_column(column, values) for column, values in pairs)
        line = ",".join((str(len(self._block)), *columns))
        self._gzip.write(f"[{line}]\n".encode())
        self._block.clear()

    def finish(self) -> None:
        """Pack the last rows."""
        if self._block:
            self._pack()
        if self._gzip is not None:
            self._gzip.close()
            self._gzip = None

    def data(self) -> Iterator[str]:
        """Yield the packed rows as base64, which has no character that could end an element."""
        self._file.seek(0)
        while part := self._file.read(AT_ONCE):
            yield base64.b64encode(part).decode()

    def close(self) -> None:
        """Remove the temporary file, if there is one."""
        self._file.close()


def packed_column(column: TableColumn, values: Sequence[Any]) -> str:
    """Return the values of a column as JSON; those of a block are often all the same."""
    first = values[0]
    if first == values[-1] and values.count(first) == len(values):
        return as_json({"all": first if column.kind in OF_NUMBERS else first and printable(first)})
    return as_json(values) if column.kind in OF_NUMBERS else packed_texts(values)


def packed_texts(texts: Sequence[Any]) -> str:
    """Return texts as JSON, with an escape for each character that does not print.

    Most texts have only characters that JSON has as they are; these need only be joined, which
    takes a fifth of the time.

    Args:
        texts: The texts; `None` for one that is missing.

    """
    joined = "".join(filter(None, texts))
    if not joined.isprintable():
        return as_json([one and printable(one) for one in texts])
    if None in texts or '"' in joined or "\\" in joined:
        return as_json(texts)
    listed = '","'.join(texts)
    return f'["{listed}"]'


def as_json(value: object) -> str:
    """Return a value as JSON without spaces."""
    return json.dumps(value, separators=(",", ":"))
