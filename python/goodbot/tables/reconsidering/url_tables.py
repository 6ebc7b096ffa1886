"""Parquet files of URLs reconsidered: a report, and new files without the rows that must go.

Scope: reading and writing. Batches are answered in threads and written in their order, so that
memory use does not grow with the files. `url_columns` decides.
"""

import os
from collections import Counter, deque
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from goodbot.errors import MisuseError
from goodbot.files.atomic_file import atomic_file
from goodbot.files.overwriting import refuse_existing, refuse_overwriting
from goodbot.files.read_files import ReadFiles
from goodbot.files.writing_lock import writing_lock
from goodbot.missing import needs
from goodbot.reconsidering import COLUMNS, HeldUse, TakedownList, UnknownChoice
from goodbot.tables.building import open_policies
from goodbot.tables.columns.policy_table import PolicyTable, as_policy_table
from goodbot.tables.columns.schema import pyarrow
from goodbot.tables.reconsidering.dictionaries import drop_unused, has_dictionaries
from goodbot.tables.reconsidering.url_columns import (
    TABLE_USES,
    PolicyAnswers,
    ReconsideredColumns,
    answer_columns,
    combined,
    count_answers,
    does_not_stay,
    gone,
)
from goodbot.tables.writing.column_types import check_columns
from goodbot.tables.writing.job import cache_room
from goodbot.tables.writing.source_files import find_files
from goodbot.tables.writing.url_files import (
    ChosenColumns,
    UrlColumns,
    UrlFile,
    as_times,
    batches,
    chosen_columns,
    url_file,
)

__all__ = ["TableSummary", "reconsider_tables"]

TableName: TypeAlias = str | os.PathLike[str]
CountKey: TypeAlias = tuple[str, str, str, str, str]
"""A use, the answers of then and now, the reason, and what to do."""


@dataclass(slots=True)
class TableSummary:
    """What was found in some tables."""

    rows: int = 0
    """The number of rows."""
    gone: int = 0
    """The number of rows that must go, by the uses that apply."""
    counts: "Counter[CountKey]" = field(default_factory=Counter)
    """How often a use had an answer then and now, for a reason, and what to do."""


class AnsweredBatch(NamedTuple):
    """A batch with its answers."""

    file: int
    first: int
    """The number of its first row in its file."""
    batch: Any
    found: ReconsideredColumns
    gone: Any
    """Which rows go."""


class TableJob(NamedTuple):
    """What one run does."""

    files: tuple[UrlFile, ...]
    columns: ChosenColumns
    digests: Sequence[str]
    """The columns of digests of the content."""
    answers: PolicyAnswers | None
    """What the policies say; `None` if only a takedown list counts."""
    now: datetime | None
    uses: Sequence[HeldUse]
    applied: Collection[HeldUse]
    unknown: UnknownChoice
    takedown: TakedownList | None
    reads_all: bool
    """Whether all columns are needed, because rows are written again."""


def reconsider_tables(
    urls: TableName | Sequence[TableName],
    policies: TableName | PolicyTable | None,
    robot: str = "*",
    *,
    now: datetime | None = None,
    uses: Sequence[HeldUse] = TABLE_USES,
    applied: Collection[HeldUse] | None = None,
    unknown: UnknownChoice = "keep",
    takedown: TakedownList | None = None,
    report: TableName | None = None,
    only_gone: bool = False,
    outputs: Mapping[str, Path] | None = None,
    columns: UrlColumns | None = None,
    digests: Sequence[str] = (),
    threads: int | None = None,
    each: Callable[[str, int, Any, ReconsideredColumns], None] | None = None,
) -> TableSummary:
    """Reconsider the URLs of Parquet files, by what robots.txt says at another time.

    Args:
        urls: Parquet files, folders of them, or patterns.
        policies: The table of policies; `None` if only a takedown list counts.
        robot: A product token or a whole User-Agent.
        now: The time by whose policies they are reconsidered; `None`: by the newest policies.
        uses: The uses that are asked about.
        applied: The uses by which rows go; by default all of `uses`.
        unknown: What to do if it is not known what a site says now.
        takedown: A takedown list, for the use `takedown`.
        report: A Parquet file to write, with a row for each URL and use.
        only_gone: Whether the report has only what must not stay.
        outputs: For each file the one to write without the rows that go: the same, or one that does
            not exist.
        columns: The columns of the URLs and of the times; by default `url` and `fetch_time`.
        digests: The columns of digests of the content, for a takedown list that has digests.
        threads: How many batches are answered at once; by default as many as there are processors.
        each: Called with each batch: the file, the number of its first row, the batch and the
            answers.

    Returns:
        The numbers.

    Raises:
        MisuseError: An argument is wrong, or a file is no Parquet file.
        MissingExtraError: pyarrow is not installed.
        OSError: A file cannot be read.
        StoreBusyError: Another program changed a file, or rewrites it.
        StoreError: An output cannot be written; no partial file remains.

    """
    with needs("columns"):
        import pyarrow.parquet  # noqa: F401, PLC0415  an extra
    names = find_files([urls] if isinstance(urls, str | os.PathLike) else urls, report, ())
    if report is not None:
        refuse_overwriting(report, names)
    read = ReadFiles(names)
    files = tuple(map(url_file, names))
    table = policies
    if policies is not None and not isinstance(policies, PolicyTable):
        table = open_policies(policies, cache_bytes=cache_room())
    if table is None and any(use != "takedown" for use in uses):
        message = "without a table of policies only a takedown list is asked; pass policies"
        raise MisuseError(message)
    answers = None if table is None else PolicyAnswers(as_policy_table(table), robot)
    wanted = columns or UrlColumns()
    chosen = chosen_columns(files, replace(wanted, copied=(wanted.url, *digests)))
    cure = "name a column of timestamps with {time}, or"
    check_columns(files, chosen, cure, {"time": "UrlColumns(at=…)"})
    job = TableJob(
        files, chosen, tuple(digests), answers, now, uses,
        uses if applied is None else applied, unknown, takedown, outputs is not None,
    )  # fmt: skip
    summary = TableSummary()
    with ExitStack() as stack:
        writer = None
        if report is not None:
            writer = stack.enter_context(parquet_output(report, report_schema()))
        kept = RowsKept(files, outputs or {}, read, stack)
        with closing(parts_of(job, threads or os.cpu_count() or 1)) as parts:
            for part in parts:
                kept.begin(part.file)
                count(summary, part)
                if writer is not None:
                    write_report(writer, job, part, only_gone=only_gone)
                if each is not None:
                    each(files[part.file].path, part.first, part.batch, part.found)
                kept.add(part)
        kept.finish()
    return summary


def parts_of(job: TableJob, threads: int) -> Generator[AnsweredBatch, None, None]:
    """Yield the batches with their answers, in order, while threads make the next ones."""
    waiting: deque[Future[AnsweredBatch]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for place in read_parts(job):
                waiting.append(pool.submit(answer_part, job, *place))
                if len(waiting) > 2 * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def read_parts(job: TableJob) -> Iterator[tuple[int, int, Any]]:
    """Yield the batches of all files, each with the file and the number of its first row."""
    for number, file in enumerate(job.files):
        first = 0
        names = file.schema.names if job.reads_all else [*job.columns.asked, *job.digests]
        for group in range(len(file.rows)):
            for batch in batches(file, group, names):
                yield number, first, batch
                first += batch.num_rows


def answer_part(job: TableJob, file: int, first: int, batch: Any) -> AnsweredBatch:  # noqa: ANN401  pyarrow's
    """Answer one batch."""
    pa = pyarrow()
    urls = pa.chunked_array([batch.column(job.columns.url)])
    at = job.columns.at
    times = None if at is None else as_times(pa.chunked_array([batch.column(at)]))
    found = answer_columns(
        job.answers, urls, times, job.now,
        uses=job.uses, unknown=job.unknown, takedown=job.takedown,
        digests=[batch.column(one) for one in job.digests],
    )  # fmt: skip
    return AnsweredBatch(file, first, batch, found, gone(found, job.applied))


def count(summary: TableSummary, part: AnsweredBatch) -> None:
    """Add a part to the numbers."""
    import pyarrow.compute as pc  # noqa: PLC0415  an extra

    summary.rows += part.batch.num_rows
    if part.gone is not None:
        summary.gone += pc.sum(part.gone).as_py() or 0
    for use, table in part.found.items():
        for key, number in count_answers(table):
            summary.counts[(use, *key)] += number


# The report.


def report_schema() -> Any:  # noqa: ANN401  pyarrow's
    """Return the schema of a report."""
    pa = pyarrow()
    names = pa.dictionary(pa.int32(), pa.string())
    types = {"text": names, "time": pa.timestamp("us", tz="UTC"), "number": pa.int64()}
    return pa.schema(
        [
            pa.field(
                one.name,
                pa.string() if one.name == "url" else types[one.kind],
                metadata={"meaning": one.meaning},
            )
            for one in COLUMNS
        ]
    )


@contextmanager
def parquet_output(
    path: TableName,
    schema: Any,  # noqa: ANN401  pyarrow's
    check: Callable[[], None] | None = None,
) -> Iterator[Any]:
    """Open a Parquet file for writing; if anything fails, no partial file remains."""
    import pyarrow.parquet as parquet  # noqa: PLC0415, PLR0402  an extra

    with (
        atomic_file(path, check=check) as file,
        parquet.ParquetWriter(file, schema, compression="zstd") as writer,
    ):
        yield writer


def write_report(writer: Any, job: TableJob, part: AnsweredBatch, *, only_gone: bool) -> None:  # noqa: ANN401  pyarrow's
    """Write the rows of a part."""
    for use, table in part.found.items():
        rows = report_rows(job, part, use, table, writer.schema)
        if only_gone:
            rows = rows.filter(does_not_stay(table.column("do")))
        if rows.num_rows:
            writer.write_table(rows)


def report_rows(job: TableJob, part: AnsweredBatch, use: str, table: Any, schema: Any) -> Any:  # noqa: ANN401  pyarrow's
    """Return the rows of a part for one use."""
    pa = pyarrow()
    count, at = part.batch.num_rows, job.columns.at
    once = pa.repeat(pa.scalar(0, pa.int32()), count)

    def same(value: str) -> Any:  # noqa: ANN401  pyarrow's
        return pa.DictionaryArray.from_arrays(once, pa.array([value], pa.string()))

    columns = {
        "url": part.batch.column(job.columns.url).cast(pa.string(), safe=False),
        "at": pa.nulls(count, pa.timestamp("us", "UTC"))
        if at is None
        else as_times(pa.chunked_array([part.batch.column(at)])).cast(
            pa.timestamp("us", "UTC"), safe=False
        ),
        "file": same(job.files[part.file].path),
        "offset": pa.array(range(part.first, part.first + count), pa.int64()),
        "kind": same("row"),
        "use": same(use),
    }
    columns |= {name: table.column(name) for name in ("then", "now", "reason", "line", "source")}
    columns["do"] = table.column("do")
    return pa.table([columns[field.name] for field in schema], names=schema.names).cast(schema)


# New tables.


class RowsKept:
    """Writes the rows that stay, each file under its new name once all of it is written.

    Args:
        files: The files.
        outputs: For each the new one; none is written for a file that has none.
        read: The files as they were before they were read.
        stack: Closes what is opened.

    """

    def __init__(
        self,
        files: Sequence[UrlFile],
        outputs: Mapping[str, Path],
        read: ReadFiles,
        stack: ExitStack,
    ) -> None:
        """Open nothing yet."""
        self._files, self._outputs, self._read = files, outputs, read
        self._place = -1
        self._has_dictionaries = False
        self._writer: Any = None
        self._file = stack.enter_context(ExitStack())

    def add(self, part: AnsweredBatch) -> None:
        """Write the rows of a part that stay."""
        import pyarrow.compute as pc  # noqa: PLC0415  an extra

        if not self._outputs:
            return
        batch = part.batch
        if part.gone is not None:
            batch = batch.filter(pc.invert(pc.fill_null(combined(part.gone), False)))  # noqa: FBT003
        if batch.num_rows:
            # A dictionary has the values of all rows of its row group, also of other batches.
            self._writer.write_batch(drop_unused(batch) if self._has_dictionaries else batch)

    def begin(self, place: int) -> None:
        """Begin each file up to a place; those without rows have their columns.

        Raises:
            MisuseError: Something has the name of a new file.
            StoreBusyError: Another program changed a file, or rewrites it.

        """
        while self._outputs and self._place < place:
            self._file.close()
            self._place += 1
            file = self._files[self._place]
            self._has_dictionaries = has_dictionaries(file.schema)
            target = Path(self._outputs[file.path])
            target.parent.mkdir(parents=True, exist_ok=True)
            self._file.enter_context(writing_lock(target))
            check = partial(self._check, file.path, target)
            check()
            self._writer = self._file.enter_context(parquet_output(target, file.schema, check))

    def _check(self, path: str, target: Path) -> None:
        """Check that a file is as it was read, and that nothing is overwritten."""
        self._read.check(path)
        if target != Path(path):
            refuse_existing(target)

    def finish(self) -> None:
        """End the last file, and write those that had no rows."""
        if self._outputs:
            self.begin(len(self._files) - 1)
            self._file.close()
