"""Rows written as Parquet, in groups, so that memory use does not grow with their number.

Scope: the form of the file. Each export has columns of its own.
"""

import os
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, BinaryIO, Literal, NamedTuple

from goodbot.files.atomic_file import atomic_file
from goodbot.missing import needs

__all__ = ["ColumnKind", "ParquetColumn", "check_parquet", "export_parquet", "write_parquet"]

BATCH = 10_000
"""How many rows are written at once."""

ColumnKind = Literal["text", "time", "number", "truth"]


class ParquetColumn(NamedTuple):
    """A column of a file."""

    name: str
    kind: ColumnKind
    meaning: str


def check_parquet() -> None:
    """Check that Parquet can be written; call it before a file is opened.

    Raises:
        MissingExtraError: pyarrow is not installed.

    """
    with needs("parquet"):
        import pyarrow.parquet  # noqa: F401, PLC0415  an extra


class SharedValues(NamedTuple):
    """The values of one column, each once, and where the rows have them."""

    values: Sequence[Any]
    places: Sequence[int | None]
    """For each row the place of its value; `None` for null. Columns may share a list of them."""


def export_parquet(
    found: Iterable[dict[str, Any]], path: str | os.PathLike[str], columns: Sequence[ParquetColumn]
) -> int:
    """Write rows to a Parquet file; if that fails, no partial file remains.

    Args:
        found: The rows, with a value for each column.
        path: The file.
        columns: The columns, in order.

    Returns:
        The number of rows.

    Raises:
        MissingExtraError: pyarrow is not installed.
        StoreFullError: The disk is full.
        StoreUnavailableError: The file cannot be written.

    """
    check_parquet()
    with atomic_file(path) as file:
        return write_parquet(found, file, columns)


def write_parquet(
    found: Iterable[dict[str, Any]], file: BinaryIO, columns: Sequence[ParquetColumn]
) -> int:
    """Write rows as Parquet; return their number."""
    left = iter(found)
    batches = iter(lambda: list(islice(left, BATCH)), [])
    names = [one.name for one in columns]
    return write_shared((by_column(batch, names) for batch in batches), file, columns)


def by_column(rows: Sequence[dict[str, Any]], names: Sequence[str]) -> list[SharedValues]:
    """Return the values of rows by column; each row has its own."""
    places = list(range(len(rows)))
    return [SharedValues([row[name] for row in rows], places) for name in names]


def write_shared(
    batches: Iterable[Sequence[SharedValues]], file: BinaryIO, columns: Sequence[ParquetColumn]
) -> int:
    """Write batches of values, in the order of the columns; return the number of rows."""
    import pyarrow as pa  # noqa: PLC0415  an extra
    import pyarrow.parquet as parquet  # noqa: PLC0415, PLR0402

    types = {
        "text": pa.string(),
        "time": pa.timestamp("us", tz="UTC"),
        "number": pa.int64(),
        "truth": pa.bool_(),
    }
    schema = pa.schema(
        [pa.field(one.name, types[one.kind], metadata={"meaning": one.meaning}) for one in columns]
    )
    count = 0
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for batch in batches:
            lists = {id(one.places): one.places for one in batch}
            places = {name: pa.array(one, pa.int32()) for name, one in lists.items()}
            arrays = [
                array_of(one.values, field.type).take(places[id(one.places)])
                for one, field in zip(batch, schema, strict=True)
            ]
            writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
            count += len(batch[0].places)
    return count


def array_of(values: Sequence[Any], kind: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return values as an array of a type."""
    import pyarrow as pa  # noqa: PLC0415  an extra

    try:
        return pa.array(values, kind)
    except UnicodeEncodeError:
        return pa.array(map(encodable, values), kind)


def encodable(value: Any) -> Any:  # noqa: ANN401  any value of a row
    """Replace lone surrogates, which a header may contain, because UTF-8 cannot encode them."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", "replace").decode()
    return value
