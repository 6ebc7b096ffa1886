"""Every judged request of robots, as a file: Parquet, or JSON lines.

Scope: it writes. `judged_requests` has the rows.
"""

import json
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from goodbot.errors import WrongValueError
from goodbot.files.atomic_file import atomic_file
from goodbot.http.instants import written
from goodbot.site.audit.judged_requests import REQUEST_COLUMNS
from goodbot.site.audit.log_audit import Audit
from goodbot.site.audit.request_columns import pyarrow_of_audit

VERSION_KEY = "goodbot.audit.requests"
"""The key of the schema's version in the metadata of Parquet."""
SCHEMA_VERSION = "2"
"""The version of the schema."""
BATCH = 20_000
"""How many rows are converted at a time."""


def write_requests(audit: Audit, path: str | os.PathLike[str]) -> int:
    """Write every judged request to a file, and return their number.

    The file appears when it is complete. Rows are in the order of their times.

    Args:
        audit: The audit; its `whole_addresses` says whether addresses are in full.
        path: The file; `.parquet` or `.jsonl`.

    Raises:
        WrongValueError: The name of the file ends with neither.
        MissingExtraError: pyarrow is not installed.
        StoreError: It cannot be written.

    """
    writers = {".parquet": write_parquet, ".jsonl": write_lines}
    writer = writers.get(Path(path).suffix.lower())
    if writer is None:
        message = f"{os.fspath(path)} must end with .parquet or .jsonl"
        raise WrongValueError(message)
    with atomic_file(path) as file:
        return writer(file, audit)


def write_parquet(file: BinaryIO, audit: Audit) -> int:
    """Write Parquet."""
    pa = pyarrow_of_audit()
    import pyarrow.parquet as pq  # noqa: PLC0415  an extra

    kinds = {
        "string": pa.string(),
        "name": pa.string(),
        "integer": pa.int64(),
        "time": pa.timestamp("us", "UTC"),
    }
    schema = pa.schema(
        [(column.name, kinds[column.kind]) for column in REQUEST_COLUMNS],
        metadata={VERSION_KEY: SCHEMA_VERSION},
    )
    count = 0
    names = [column.name for column in REQUEST_COLUMNS if column.kind == "name"]
    with pq.ParquetWriter(file, schema, compression="zstd", use_dictionary=names) as parquet:
        for batch in read_batches(audit):
            parquet.write_table(pa.Table.from_pylist(batch, schema=schema))
            count += len(batch)
    return count


def write_lines(file: BinaryIO, audit: Audit) -> int:
    """Write JSON lines."""
    count = 0
    for batch in read_batches(audit):
        for row in batch:
            row["time"] = written(row["time"])
            file.write(json.dumps(row, separators=(",", ":")).encode() + b"\n")
        count += len(batch)
    return count


def read_batches(audit: Audit) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows, some at a time."""
    rows = audit.requests()
    while batch := list(islice(rows, BATCH)):
        yield batch
