"""Tables encoded as Parquet, in a file without a name that waits to be appended."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from goodbot.closing import Closing
from goodbot.files.atomic_file import store_error

GROUP_ROWS, GROUP_BYTES = 500_000, 64 << 20
"""When the rows so far become a row group of the output."""
IN_MEMORY = 64 << 20
"""How large a file may be before it is on disk."""


def waiting_file(folder: Path) -> IO[bytes]:
    """Open a file without a name: in memory, and in a folder once it is large."""
    return tempfile.SpooledTemporaryFile(IN_MEMORY, dir=str(folder))


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Turn errors of the disk into those of stores.

    Raises:
        StoreError: The file, or a file in the folder, cannot be written.

    """
    try:
        yield
    except OSError as error:
        raise store_error(error, path) from error


class Encoder(Closing):
    """Encodes tables as a Parquet file.

    Args:
        folder: Where the file waits if it is large.
        by_unit: Whether the file has a row group for each `end_unit`, instead of large ones.

    Raises:
        StoreError: There is no room for it.

    """

    def __init__(self, folder: Path, *, by_unit: bool = False) -> None:
        self._folder = folder
        self._by_unit = by_unit
        self._file = waiting_file(folder)
        self._writer: Any = None
        self._waiting: list[Any] = []

    def close(self) -> None:
        """Close the file; what waits in it is gone."""
        self._file.close()

    def add(self, table: Any) -> None:  # noqa: ANN401  Arrow's
        """Add rows."""
        self._waiting.append(table)
        if self._by_unit:
            return
        rows = sum(table.num_rows for table in self._waiting)
        if rows >= GROUP_ROWS or sum(table.nbytes for table in self._waiting) >= GROUP_BYTES:
            self._write_group()

    def end_unit(self) -> None:
        """End the rows of a unit."""
        if self._by_unit:
            self._write_group()

    def finish(self) -> IO[bytes]:
        """Return the whole file, from its begin; the caller closes it."""
        self._write_group()
        with store_errors(self._folder):
            self._writer.close()
            self._file.seek(0)
        return self._file

    def _write_group(self) -> None:
        """Encode the rows that wait as a row group."""
        import pyarrow as pa  # noqa: PLC0415  an extra
        import pyarrow.parquet as parquet  # noqa: PLC0415, PLR0402

        if not self._waiting:
            return
        table = pa.concat_tables(self._waiting)
        self._waiting.clear()
        with store_errors(self._folder):
            if self._writer is None:
                self._writer = parquet.ParquetWriter(self._file, table.schema, compression="zstd")
            self._writer.write_table(table, row_group_size=max(table.num_rows, 1))
