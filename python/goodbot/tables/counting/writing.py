"""Counts as a Parquet file: a row for each figure.

Scope: it acts. The definitions go into the metadata of the file.
"""

import json
import os
from collections.abc import Iterable

from goodbot.files.atomic_file import atomic_file
from goodbot.knowledge import stamp
from goodbot.tables.columns.schema import pyarrow
from goodbot.tables.counting.policy_counts import COUNT_COLUMNS, DEFINITIONS, PolicyCounts

__all__ = ["write_counts"]


def write_counts(found: Iterable[PolicyCounts], path: str | os.PathLike[str]) -> int:
    """Write counts as a Parquet file, and return how many rows it has.

    Args:
        found: The counts.
        path: The file; an existing one is replaced.

    Raises:
        MissingExtraError: pyarrow is not installed.
        OSError: The file cannot be written.

    """
    pa = pyarrow()
    import pyarrow.parquet as pq  # noqa: PLC0415  an extra

    types = dict.fromkeys(COUNT_COLUMNS, pa.string()) | {"count": pa.int64()}
    schema = pa.schema(
        [
            pa.field(name, types[name], nullable=False, metadata={"meaning": meaning})
            for name, meaning in COUNT_COLUMNS.items()
        ],
        metadata={"goodbot.definitions": json.dumps(DEFINITIONS), "goodbot.made_with": stamp()},
    )
    rows = [row for counts in found for row in counts.rows()]
    with atomic_file(os.fspath(path)) as file:
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), file)
    return len(rows)
