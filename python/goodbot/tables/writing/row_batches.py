"""The rows of a part, in batches that are decided together.

Scope: reading. Rows that are sorted by origin are decided in small batches, which stay in the
caches of the processor; of rows in no order many are decided together, since of more rows, more
have the same origin.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from goodbot._core import UrlRows
from goodbot.tables.writing.job import Job, Unit, rows_within
from goodbot.tables.writing.url_files import batches

MIXED_ROWS, MIXED_BYTES = 1 << 22, 384 << 20
"""How many rows in no order are decided together at most, and how many bytes they may have."""


class RowBatch(NamedTuple):
    """Some rows of a row group."""

    unit: Unit
    columns: Any
    """Their columns: a record batch of Arrow."""


def batches_together(job: Job, units: Sequence[Unit]) -> Iterator[list[RowBatch]]:
    """Yield the rows of row groups in batches, with those that are decided together in one list."""
    waiting: list[RowBatch] = []
    rows = size = 0
    for unit in units:
        for batch in rows_of(job, unit):
            # The files may have different types.
            if waiting and waiting[0].columns.schema != batch.schema:
                yield waiting
                waiting, rows, size = [], 0, 0
            waiting.append(RowBatch(unit, batch))
            rows += batch.num_rows
            size += batch.nbytes
            if rows >= MIXED_ROWS or size >= MIXED_BYTES or not are_mixed(job, batch):
                yield waiting
                waiting, rows, size = [], 0, 0
    if waiting:
        yield waiting


def are_mixed(job: Job, batch: Any) -> bool:  # noqa: ANN401  Arrow's
    """Return whether rows are in no order of their origins."""
    return UrlRows(batch.column(job.columns.url)).are_mixed()


def rows_of(job: Job, unit: Unit) -> Iterator[Any]:
    """Yield the rows of a row group in batches; those that are not sampled are omitted."""
    found = batches(job.files[unit.file], unit.row_group, job.read)
    if job.sampled is None:
        return found
    return sampled(found, rows_within(job.sampled, unit))


def sampled(found: Iterator[Any], kept: Sequence[int]) -> Iterator[Any]:
    """Yield some rows of a row group, in batches.

    Args:
        found: All its rows.
        kept: The places of those to yield.

    """
    import pyarrow as pa  # noqa: PLC0415  an extra

    first = 0
    for batch in found:
        last = first + batch.num_rows
        rows = kept[bisect_left(kept, first) : bisect_left(kept, last)]
        if rows:
            yield batch.take(pa.array([row - first for row in rows], pa.int64()))
        first = last
