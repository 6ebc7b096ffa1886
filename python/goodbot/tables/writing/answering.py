"""One part of a run: rows read, answered, counted and encoded as a Parquet file of their own.

Scope: what a thread does. Memory is bounded by the size of a batch and of a row group of the
output; what is encoded waits in a file if it is large.
"""

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, NamedTuple

from goodbot.tables.columns.verdicts import decide_columns
from goodbot.tables.writing.column_types import not_the_type
from goodbot.tables.writing.job import Job, Unit, exclude_title, use_titles
from goodbot.tables.writing.parquet_footer import Footer
from goodbot.tables.writing.part_encoder import Encoder, store_errors, waiting_file
from goodbot.tables.writing.row_batches import RowBatch, batches_together
from goodbot.tables.writing.stored_columns import (
    StoredGroup,
    changed_meanwhile,
    locate_columns,
    write_joined,
)
from goodbot.tables.writing.summary import Counts, counts_of, use_counts_of
from goodbot.tables.writing.url_files import as_times


class AnsweredPart(NamedTuple):
    """The answers to a part of the rows."""

    rows: int
    counts: Counts
    file: IO[bytes] | None
    """A whole Parquet file; `None` if nothing is written."""


def answer_part(job: Job, units: Sequence[Unit]) -> AnsweredPart:
    """Read, answer and encode the rows of a part."""
    counts: Counts = Counter()
    rows = 0
    with ExitStack() as at_fault:
        encoder: UnitEncoder | None = None
        if job.folder is not None:
            opened = at_fault.enter_context(Encoder(job.folder, by_unit=job.as_stored))
            encoder = UnitEncoder(job, opened)
        for together in batches_together(job, units):
            table, found = judge_batches(job, [batch.columns for batch in together])
            counts += found
            rows += table.num_rows
            if encoder is not None:
                encoder.add(together, table)
        if encoder is None:
            return AnsweredPart(rows, counts, None)
        file = encoder.finish(is_empty=not rows)
        if job.as_stored and job.folder is not None:
            file = join_stored(job, units, file, job.folder)
        at_fault.pop_all()
    return AnsweredPart(rows, counts, file)


class UnitEncoder:
    """Encodes what the output has of the batches of a part."""

    def __init__(self, job: Job, encoder: Encoder) -> None:
        """Make one for a part; the encoder is closed by the caller."""
        self._job = job
        self._encoder = encoder
        self._unit: Unit | None = None

    def add(self, together: Sequence[RowBatch], table: Any) -> None:  # noqa: ANN401  Arrow's
        """Add batches and the verdicts on their rows."""
        first = 0
        for unit, columns in together:
            if self._unit not in {None, unit}:
                self._encoder.end_unit()
            self._unit = unit
            own = table.slice(first, columns.num_rows)
            first += columns.num_rows
            path = self._job.files[unit.file].path
            self._encoder.add(select_output(self._job, columns, own, path))

    def finish(self, *, is_empty: bool) -> IO[bytes]:
        """Return the whole file, which has its columns even if there are no rows."""
        if is_empty:
            self._encoder.add(make_empty(self._job))
        self._encoder.end_unit()
        return self._encoder.finish()


def judge_batches(job: Job, batches: Sequence[Any]) -> tuple[Any, Counts]:
    """Return the verdicts on the rows of batches, and how often each has each reason.

    The answers on uses are behind them, where they are wanted.
    """
    import pyarrow as pa  # noqa: PLC0415  an extra

    url, at = job.columns.url, job.columns.at
    urls = pa.chunked_array([batch.column(url) for batch in batches])
    times = (
        None if at is None else as_times(pa.chunked_array([batch.column(at) for batch in batches]))
    )
    # Several parts are made at once, so that each needs only one thread.
    found, counts = decide_columns(
        urls, job.policies, job.robots, times, explain=job.explain, count=True, threads=1
    )
    table, counted = pa.table(found), counts_of(counts)
    for robot, answers in zip(job.robots, job.uses, strict=bool(job.uses)):
        said = answers.answer(urls, times)
        for title, name in zip(use_titles(robot), said.column_names, strict=True):
            table = table.append_column(title, said.column(name))
            counted += use_counts_of(robot, name, said.column(name))
    for robot, excluded in zip(job.robots, job.excluded, strict=bool(job.excluded)):
        table = table.append_column(exclude_title(robot), [excluded.answer(urls, times)])
    return table, counted


def select_output(job: Job, batch: Any, table: Any, path: str) -> Any:  # noqa: ANN401  Arrow's
    """Return what is encoded of a batch: columns that are not copied as stored, and verdicts.

    Raises:
        MisuseError: A value of a column does not fit the type that it has in all files.

    """
    import pyarrow as pa  # noqa: PLC0415  an extra

    found = table
    for place, field in enumerate(() if job.as_stored else job.schema):
        column = batch.column(field.name)
        try:
            found = found.add_column(place, field, column.cast(field.type))
        except pa.ArrowInvalid as error:
            raise not_the_type(path, field.name, column.type, field.type) from error
    return found.replace_schema_metadata()


def make_empty(job: Job) -> Any:  # noqa: ANN401  Arrow's
    """Return what the output has if there are no URLs: its columns."""
    import pyarrow as pa  # noqa: PLC0415  an extra

    fields = [job.files[0].schema.field(name) for name in job.columns.read]
    batch = pa.RecordBatch.from_pylist([], schema=pa.schema(fields))
    table, _ = judge_batches(job, [batch])
    return select_output(job._replace(as_stored=False), batch, table, job.files[0].path)


def join_stored(job: Job, units: Sequence[Unit], verdicts: IO[bytes], folder: Path) -> IO[bytes]:
    """Return a Parquet file with the copied columns as they are stored, and verdicts behind them.

    Args:
        job: What is done.
        units: The row groups.
        verdicts: The verdicts on each of them, as a Parquet file, which is closed.
        folder: Where the file waits if it is large.

    """
    with ExitStack() as at_fault:
        at_fault.enter_context(verdicts)
        elements, groups = locate_groups(job, units)
        file = at_fault.enter_context(waiting_file(folder))
        with store_errors(folder), verdicts, Encoder(folder) as model:
            model.add(make_empty(job))
            write_joined(file, elements, groups, verdicts, model.finish())
            file.seek(0)
        at_fault.pop_all()
    return file


def locate_groups(job: Job, units: Sequence[Unit]) -> tuple[list[Footer], list[StoredGroup]]:
    """Return what the schema says of the copied columns, and where row groups have them.

    Raises:
        MisuseError: A file was changed meanwhile.

    """
    elements: list[Footer] = []
    groups = []
    for unit in units:
        columns = locate_columns(job.files[unit.file], job.columns.copied)
        if columns is None:
            raise changed_meanwhile(job.files[unit.file].path)
        elements = columns.elements
        groups.append(columns.groups[unit.row_group])
    return elements, groups
