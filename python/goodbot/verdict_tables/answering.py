"""One part of a run: rows read, answered, counted and encoded as a Parquet file of their own.

Scope: what a thread does. Memory is bounded by the size of a batch and of a row group of the
output; what is encoded waits in a file if it is large.
"""

import tempfile
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple

from goodbot.columns import verdicts
from goodbot.crawl.folder.atomic_file import store_error
from goodbot.verdict_tables.job import Job, Unit, rows_within
from goodbot.verdict_tables.summary import Counts, counts_of
from goodbot.verdict_tables.url_files import as_times, batches

__all__ = ["AnsweredPart", "made_part"]

GROUP_ROWS, GROUP_BYTES = 500_000, 64 << 20
"""When the rows so far become a row group of the output."""
IN_MEMORY = 64 << 20
"""How large an encoded part may be before it waits in a file."""


class AnsweredPart(NamedTuple):
    """The answers to a part of the rows."""

    rows: int
    counts: Counts
    file: IO[bytes] | None
    """A whole Parquet file; `None` if nothing is written."""


def made_part(job: Job, units: Sequence[Unit]) -> AnsweredPart:
    """Read, answer and encode the rows of a part."""
    counts: Counts = Counter()
    rows = 0
    with ExitStack() as at_fault:
        encoder: Encoder | None = None
        if job.folder is not None:
            encoder = at_fault.enter_context(Encoder(job.folder))
        for batch in rows_of(job, units):
            table = judged(job, batch)
            counts += counts_of(table, job.robots)
            rows += table.num_rows
            if encoder is not None:
                encoder.add(output_of(job, batch, table))
        if encoder is None:
            return AnsweredPart(rows, counts, None)
        if not rows:
            encoder.add(no_rows(job))
        file = encoder.finished()
        at_fault.pop_all()
    return AnsweredPart(rows, counts, file)


def rows_of(job: Job, units: Sequence[Unit]) -> Iterator[Any]:
    """Yield the rows of a part in batches; those that are not sampled are omitted."""
    for unit in units:
        found = batches(job.files[unit.file], unit.row_group, job.columns)
        if job.sampled is not None:
            found = sampled(found, rows_within(job.sampled, unit))
        yield from found


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


def judged(job: Job, batch: Any) -> Any:  # noqa: ANN401  Arrow's
    """Return the verdicts on the rows of a batch, with their reasons."""
    import pyarrow as pa  # noqa: PLC0415  an extra

    url, at = job.columns.url, job.columns.at
    times = None if at is None else as_times(batch.column(at), at)
    # Several parts are made at once, so that each needs only one thread.
    found = verdicts(batch.column(url), job.policies, job.robots, times, explain=True, threads=1)
    return pa.table(found)


def output_of(job: Job, batch: Any, table: Any) -> Any:  # noqa: ANN401  Arrow's
    """Return what the output has of a batch: copied columns and verdicts."""
    found = table if job.explain else table.select(list(job.robots))
    for place, field in enumerate(job.schema):
        found = found.add_column(place, field, batch.column(field.name).cast(field.type))
    return found.replace_schema_metadata()


def no_rows(job: Job) -> Any:  # noqa: ANN401  Arrow's
    """Return what the output has if there are no URLs: its columns."""
    import pyarrow as pa  # noqa: PLC0415  an extra

    fields = [job.files[0].schema.field(one) for one in job.columns.read]
    batch = pa.RecordBatch.from_pylist([], schema=pa.schema(fields))
    return output_of(job, batch, judged(job, batch))


class Encoder:
    """Encodes tables as a Parquet file.

    Args:
        folder: Where the file waits if it is large.

    Raises:
        StoreError: There is no room for it.

    """

    def __init__(self, folder: Path) -> None:
        """Open a file without a name."""
        self._folder = folder
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(IN_MEMORY, dir=str(folder))  # noqa: SIM115  it outlives the encoder
        self._writer: Any = None
        self._waiting: list[Any] = []

    def __enter__(self) -> "Encoder":  # noqa: PYI034  Self is of Python 3.11
        """Return the encoder."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Drop the file."""
        self._file.close()

    def add(self, table: Any) -> None:  # noqa: ANN401  Arrow's
        """Add rows."""
        self._waiting.append(table)
        rows = sum(one.num_rows for one in self._waiting)
        if rows >= GROUP_ROWS or sum(one.nbytes for one in self._waiting) >= GROUP_BYTES:
            self._write_group()

    def finished(self) -> IO[bytes]:
        """Return the whole file, from its begin; the caller closes it."""
        self._write_group()
        with self._explained():
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
        with self._explained():
            if self._writer is None:
                self._writer = parquet.ParquetWriter(self._file, table.schema, compression="zstd")
            self._writer.write_table(table, row_group_size=max(table.num_rows, 1))

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn errors of the disk into those of stores."""
        try:
            yield
        except OSError as error:
            raise store_error(error, self._folder) from error
