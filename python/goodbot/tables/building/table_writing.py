"""Writing a table of policies: as Parquet, or as an Arrow file that is memory-mapped.

Scope: the form of the files. Rows come in order; row groups are bounded in bytes. A file is
complete or absent: it is written beside its place, and renamed at the end.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from goodbot.errors import MisuseError
from goodbot.files.atomic_file import atomic_file
from goodbot.tables.columns.fact_rows import make_plain_table, plain_schema, with_dictionaries
from goodbot.tables.columns.schema import arrow_schema, pyarrow

ENDINGS = (".parquet", ".arrow")
GROUP_BYTES = 32 * 1024 * 1024
"""How many bytes of bodies a row group has, at most by one body more."""
GROUP_ROWS = 50_000
DICTIONARY_BYTES = GROUP_BYTES * 2
"""So that each body of a row group is in its dictionary."""
LOW = [
    "failure", "access", "reason", "source", "dialect", "status", "body", "received", "truncated",
    "stale",
]  # fmt: skip
"""The columns whose values repeat."""


def check_ending(path: str | os.PathLike[str]) -> None:
    """Check that the name of a file says in which form to write it.

    Raises:
        MisuseError: It ends in neither of them.

    """
    if Path(path).suffix not in ENDINGS:
        message = (
            f"the form of {os.fspath(path)} is unknown; name a file that ends in .parquet, or in "
            ".arrow for lookups from a memory-mapped file"
        )
        raise MisuseError(message)


class TableWriter:
    """Writes rows as row groups.

    Args:
        file: Where to write.
        form: `.parquet` or `.arrow`.
        dialect: The dialect of the table.

    """

    def __init__(self, file: BinaryIO, form: str, dialect: str) -> None:
        pa = pyarrow()
        import pyarrow.parquet as parquet  # noqa: PLC0415, PLR0402  an extra

        self._dialect, self._form = dialect, form
        self._waiting: list[Any] = []
        self._rows = self._size = 0
        self.rows = 0
        """How many rows were added."""
        schema = arrow_schema(dialect)
        if form == ".parquet":
            self._file = parquet.ParquetWriter(
                file, schema, compression="zstd", use_dictionary=LOW,
                dictionary_pagesize_limit=DICTIONARY_BYTES,
            )  # fmt: skip
        else:
            self._file = pa.ipc.new_file(file, plain_schema(schema))

    def add(self, table: Any) -> None:  # noqa: ANN401  a pyarrow.Table
        """Add rows, which come in order, without dictionaries."""
        start = 0
        for place, size in enumerate(body_sizes(table)):
            self._size += size
            waiting = self._rows + place + 1 - start
            if self._size >= GROUP_BYTES or waiting >= GROUP_ROWS:
                self._wait(table, start, place + 1)
                self._flush()
                start = place + 1
        self._wait(table, start, table.num_rows)
        self.rows += table.num_rows

    def _wait(self, table: Any, start: int, end: int) -> None:  # noqa: ANN401  a pyarrow.Table
        """Keep some rows for the next row group."""
        if start < end:
            self._waiting.append(table.slice(start, end - start))
            self._rows += end - start

    def close(self) -> None:
        """Write the rest, and the end of the file."""
        if self._waiting or not self.rows:
            self._flush()
        self._file.close()

    def _flush(self) -> None:
        """Write a row group."""
        pa = pyarrow()
        plain = pa.concat_tables([make_plain_table([], self._dialect), *self._waiting])
        self._waiting, self._rows, self._size = [], 0, 0
        if self._form == ".parquet":
            table = with_dictionaries(plain, self._dialect)
            self._file.write_table(table, row_group_size=GROUP_ROWS)
            return
        for batch in plain.combine_chunks().to_batches():
            self._file.write_batch(batch)


def body_sizes(table: Any) -> list[int]:  # noqa: ANN401  a pyarrow.Table
    """Return how many bytes each row has in the columns of contents."""
    import pyarrow.compute as compute  # noqa: PLC0415, PLR0402  an extra

    body, received = (
        compute.fill_null(compute.binary_length(table.column(name)), 0)
        for name in ("body", "received")
    )
    sizes: list[int] = compute.add(body, received).to_pylist()
    return sizes


@contextmanager
def write_table(
    path: str | os.PathLike[str], dialect: str, folder: Path | None = None
) -> Iterator[TableWriter]:
    """Write a table to a file; if that fails, no partial file remains.

    Args:
        path: The file; its name ends in one of `ENDINGS`.
        dialect: The dialect of the table.
        folder: Where it waits until it is whole, on the same disk; by default beside the file.

    Raises:
        MisuseError: Its name ends in something else.
        StoreFullError: The disk is full.
        StoreUnavailableError: The file cannot be written.

    """
    check_ending(path)
    with atomic_file(path, waiting_in=folder) as file:
        writer = TableWriter(file, Path(path).suffix, dialect)
        yield writer
        writer.close()
