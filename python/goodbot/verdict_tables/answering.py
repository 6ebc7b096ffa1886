"""One part of a run: rows read, answered, counted and encoded as a Parquet file of their own.

Scope: what a thread does. Memory is bounded by the size of a batch and of a row group of the
output; what is encoded waits in a file if it is large.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, NamedTuple

from goodbot.columns import verdicts
from goodbot.verdict_tables.column_types import not_the_type
from goodbot.verdict_tables.job import Job, Unit, rows_within
from goodbot.verdict_tables.joined_columns import changed_meanwhile, write_joined
from goodbot.verdict_tables.parquet_footer import Footer
from goodbot.verdict_tables.part_encoder import Encoder, store_errors, waiting_file
from goodbot.verdict_tables.stored_columns import StoredGroup, stored_columns
from goodbot.verdict_tables.summary import Counts, counts_of
from goodbot.verdict_tables.url_files import as_times, batches

__all__ = ["AnsweredPart", "made_part"]


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
            encoder = at_fault.enter_context(Encoder(job.folder, by_unit=job.as_stored))
        for unit in units:
            for batch in rows_of(job, unit):
                table = judged(job, batch)
                counts += counts_of(table, job.robots)
                rows += table.num_rows
                if encoder is not None:
                    encoder.add(output_of(job, batch, table, job.files[unit.file].path))
            if encoder is not None:
                encoder.end_unit()
        if encoder is None:
            return AnsweredPart(rows, counts, None)
        if not rows:
            encoder.add(no_rows(job))
        file = encoder.finished()
        if job.as_stored and job.folder is not None:
            file = with_stored(job, units, file, job.folder)
        at_fault.pop_all()
    return AnsweredPart(rows, counts, file)


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


def judged(job: Job, batch: Any) -> Any:  # noqa: ANN401  Arrow's
    """Return the verdicts on the rows of a batch, with their reasons."""
    import pyarrow as pa  # noqa: PLC0415  an extra

    url, at = job.columns.url, job.columns.at
    times = None if at is None else as_times(batch.column(at))
    # Several parts are made at once, so that each needs only one thread.
    found = verdicts(batch.column(url), job.policies, job.robots, times, explain=True, threads=1)
    return pa.table(found)


def output_of(job: Job, batch: Any, table: Any, path: str) -> Any:  # noqa: ANN401  Arrow's
    """Return what is encoded of a batch: columns that are not copied as stored, and verdicts.

    Raises:
        MisuseError: A value of a column does not fit the type that it has in all files.

    """
    import pyarrow as pa  # noqa: PLC0415  an extra

    found = table if job.explain else table.select(list(job.robots))
    for place, field in enumerate(() if job.as_stored else job.schema):
        column = batch.column(field.name)
        try:
            found = found.add_column(place, field, column.cast(field.type))
        except pa.ArrowInvalid as error:
            raise not_the_type(path, field.name, column.type, field.type) from error
    return found.replace_schema_metadata()


def no_rows(job: Job) -> Any:  # noqa: ANN401  Arrow's
    """Return what the output has if there are no URLs: its columns."""
    import pyarrow as pa  # noqa: PLC0415  an extra

    fields = [job.files[0].schema.field(one) for one in job.columns.read]
    batch = pa.RecordBatch.from_pylist([], schema=pa.schema(fields))
    return output_of(job._replace(as_stored=False), batch, judged(job, batch), job.files[0].path)


def with_stored(job: Job, units: Sequence[Unit], verdicts: IO[bytes], folder: Path) -> IO[bytes]:
    """Return a Parquet file with the copied columns as they are stored, and verdicts behind them.

    Args:
        job: What is done.
        units: The row groups.
        verdicts: The verdicts on each of them, as a Parquet file, which is closed.
        folder: Where the file waits if it is large.

    """
    with ExitStack() as at_fault:
        file = at_fault.enter_context(waiting_file(folder))
        with store_errors(folder), verdicts, Encoder(folder) as model:
            model.add(no_rows(job))
            elements, groups = stored_groups(job, units)
            write_joined(file, elements, groups, verdicts, model.finished())
            file.seek(0)
        at_fault.pop_all()
    return file


def stored_groups(job: Job, units: Sequence[Unit]) -> tuple[list[Footer], list[StoredGroup]]:
    """Return what the schema says of the copied columns, and where row groups have them.

    Raises:
        MisuseError: A file was changed meanwhile.

    """
    elements: list[Footer] = []
    groups = []
    for unit in units:
        columns = stored_columns(job.files[unit.file], job.columns.copied)
        if columns is None:
            raise changed_meanwhile(job.files[unit.file].path)
        elements = columns.elements
        groups.append(columns.groups[unit.row_group])
    return elements, groups
