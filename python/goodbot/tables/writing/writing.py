"""From Parquet files of URLs to a Parquet file of verdicts: the path, top-down.

Scope: the order of the work. Parts of about a million rows are read, answered and encoded in
threads, and written in their order; each waits for the one before it, so that memory use is bounded
by the number of threads.
"""

import os
from collections import Counter, deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from typing import Literal, NamedTuple

from goodbot._core import __version__
from goodbot.errors import MisuseError
from goodbot.missing import needs
from goodbot.tables.writing.answering import AnsweredPart, answer_part
from goodbot.tables.writing.job import Job, Name, job_of, rows_of, total_of
from goodbot.tables.writing.parts_file import PartsFile
from goodbot.tables.writing.same_run import fingerprint
from goodbot.tables.writing.summary import (
    Counts,
    VerdictSummary,
    counts_from,
    plain_counts,
    robot_summaries,
)
from goodbot.tables.writing.url_files import UrlColumns


class VerdictProgress(NamedTuple):
    """How far a run is."""

    done: int
    """How many rows are answered and written."""
    total: int
    """How many there are."""
    resumed: int
    """How many of them an earlier run had answered."""


def write_verdicts(
    urls: Name | Sequence[Name],
    policies: Name,
    robots: str | Sequence[str],
    output: Name | None = None,
    *,
    columns: UrlColumns | None = None,
    explain: bool = False,
    uses: bool = False,
    exclude: Literal["keep", "withhold"] | None = None,
    sample: int | None = None,
    threads: int | None = None,
    progress: Callable[[VerdictProgress], None] | None = None,
) -> VerdictSummary:
    """Write a verdict for each URL of Parquet files, and return how many there are of each kind.

    If it is stopped, by whatever, the same call continues after the last part that was written;
    `output` exists only once it is whole.

    Args:
        urls: Parquet files, folders of them, or patterns. Those of Common Crawl's columnar index
            need no further arguments.
        policies: The file of a table of policies.
        robots: One robot or several; each gets a column.
        output: The Parquet file to write; without it, only the summary is made.
        columns: The columns of the URLs, of the times, and those to copy; by default `url`
            and, if the files have it, `fetch_time`.
        explain: Whether the output also has the reasons, lines and policies, as with
            `goodbot.tables.columns.verdicts`.
        uses: Whether the output also has the answers on each use of the content, as with
            `goodbot.tables.columns.use_verdicts`: `NAME:train`, … and `NAME:level`.
        exclude: Whether the output also has `NAME:exclude`, which is never null: whether the URL
            must be omitted, as with `goodbot.tables.columns.exclusions`; and whether URLs of which
            that is unknown are kept or withheld.
        sample: Answer only this many rows, which are chosen by chance, but always the same.
        threads: How many parts are made at once; by default as many as there are processors.
        progress: Called after each part.

    Raises:
        MissingExtraError: pyarrow is not installed.
        MisuseError: An argument is wrong, a file is no Parquet file, or another run was begun under
            the name of the output.
        StoreError: The output cannot be written; what was written remains for the next run.
        OSError: A file cannot be read.

    """
    with needs("columns"):
        import pyarrow.parquet  # noqa: F401, PLC0415  an extra
    columns = columns or UrlColumns()
    job = job_of(
        urls, policies, robots, output, columns, explain=explain, uses=uses, exclude=exclude,
        sample=sample,
    )  # fmt: skip
    report = progress or (lambda _: None)
    count = threads or os.cpu_count() or 1
    if output is None:
        return asked_only(job, count, report)
    with PartsFile(output, fingerprint(job, policies)) as target:
        return into_file(job, target, count, report)


def asked_only(job: Job, threads: int, report: Callable[[VerdictProgress], None]) -> VerdictSummary:
    """Answer all parts and write nothing."""
    counts: Counts = Counter()
    done = 0
    with closing(made_parts(job, 0, threads)) as parts:
        for part in parts:
            counts += part.counts
            done += part.rows
            report(VerdictProgress(done, total_of(job), 0))
    return summary_of(job, counts, done, 0)


def into_file(
    job: Job, target: PartsFile, threads: int, report: Callable[[VerdictProgress], None]
) -> VerdictSummary:
    """Answer the parts that are not yet written, write them, and complete the file."""
    counts: Counts = Counter()
    try:
        for written in target.parts:
            counts += counts_from(written.notes["counts"])
        done = resumed = sum(written.notes["rows"] for written in target.parts)
    except (KeyError, TypeError, ValueError) as error:
        message = f"{target.journal} has other notes than a run writes; delete it to begin again"
        raise MisuseError(message) from error
    report(VerdictProgress(done, total_of(job), resumed))
    with closing(made_parts(job, len(target.parts), threads)) as parts:
        for part in parts:
            if part.file is not None:
                with part.file as file:
                    target.append(file, {"rows": part.rows, "counts": plain_counts(part.counts)})
            counts += part.counts
            done += part.rows
            report(VerdictProgress(done, total_of(job), resumed))
    target.finish()
    return summary_of(job, counts, done, resumed)


def summary_of(job: Job, counts: Counts, urls: int, resumed: int) -> VerdictSummary:
    """Return the summary of a run; some of its URLs an earlier run had answered."""
    dialect = job.policies.dialect
    robots = robot_summaries(counts, job.robots, dialect)
    return VerdictSummary(
        urls, len(job.files), robots, resumed, job.columns.at, job.policies_path, dialect,
        __version__, rows_of(job.files),
    )  # fmt: skip


def made_parts(job: Job, first: int, threads: int) -> Generator[AnsweredPart, None, None]:
    """Yield the parts from a place on, in order, while threads make the next ones."""
    waiting: deque[Future[AnsweredPart]] = deque()
    # Without rows, one empty part has the columns.
    parts = job.parts[first:] or (((),) if first == 0 else ())
    with ThreadPoolExecutor(threads) as pool:
        try:
            for units in parts:
                waiting.append(pool.submit(answer_part, job, units))
                if len(waiting) > threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
                future.add_done_callback(dropped)


def dropped(future: Future[AnsweredPart]) -> None:
    """Close the file of a part that is not needed any more."""
    if not (future.cancelled() or future.exception()):
        file = future.result().file
        if file is not None:
            file.close()
