"""Rows written as Parquet, in groups, so that memory use does not grow with their number.

Scope: the form of the file. Each export has columns of its own.
"""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, BinaryIO, Literal, NamedTuple

from goodbot.net.missing import needs

__all__ = ["ColumnKind", "ParquetColumn", "check_parquet", "write_parquet"]

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


def write_parquet(
    found: Iterable[dict[str, Any]], file: BinaryIO, columns: Sequence[ParquetColumn]
) -> int:
    """Write rows as Parquet; return their number."""
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
    count, left = 0, iter(found)
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while batch := [scalars(row) for row in islice(left, BATCH)]:
            writer.write_batch(pa.RecordBatch.from_pylist(batch, schema=schema))
            count += len(batch)
    return count


def scalars(row: dict[str, Any]) -> dict[str, Any]:
    """Replace lone surrogates, which a header may contain, because UTF-8 cannot encode them."""
    return {
        name: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for name, value in row.items()
    }
