"""Building a table of policies from answers: sort, follow redirects, reckon, write.

Scope: the way from sources to a file, in bounded memory. Without an answer for a robots.txt there
is no file: an empty table in the place of an older one would lose what that one knew.
"""

import glob
import os
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice, pairwise
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goodbot.errors import MisuseError
from goodbot.files.overwriting import refuse_overwriting
from goodbot.policy.outcome_tables import policy_dialect
from goodbot.tables.building.build_summary import BuildSummary
from goodbot.tables.building.other_answers import read_answers
from goodbot.tables.building.packed_answer import is_origin
from goodbot.tables.building.reckoned_tables import TableReckoner
from goodbot.tables.building.redirected import Redirects, ask_target
from goodbot.tables.building.sorted_runs import (
    Run,
    RunWriter,
    choose_ranges,
    rows_between,
)
from goodbot.tables.building.table_writing import check_ending, write_table
from goodbot.tables.building.warc_runs import WarcAnswers, read_warc
from goodbot.tables.building.working_folder import beside
from goodbot.tables.columns.schema import pyarrow
from goodbot.warc.warc_sources import is_archive, is_named_archive

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

BuildProgress = Callable[[str, int, int], None]
"""Receives what is done, how much of it, and how much there is in all."""

WORKERS = 2
SECONDS_A_BEAT = 0.2
STOP = "stop"
"""A file in the temporary folder that asks the other processes to end."""


def build_policies(
    sources: Iterable[str | os.PathLike[str]],
    path: str | os.PathLike[str],
    *,
    dialect: str = "rfc9309",
    progress: BuildProgress | None = None,
    workers: int = WORKERS,
) -> BuildSummary:
    """Build a table of policies.

    Memory use does not grow with the sources; the disk of the table needs room for a sorted copy of
    the answers. If it fails or is stopped, no partial file remains, and an existing file stays as
    it is.

    Args:
        sources: WARC, ARC or WACZ files, folders of those, folders of crawls, files of
            `SQLiteStore`, folders with `HOST/TIME.txt`, Parquet files with `url`, `time`, `status`
            and `body`, or patterns of such files.
        path: The table to write; its name ends in `.parquet` or `.arrow`.
        dialect: The dialect in which it is reckoned.
        progress: Called now and then.
        workers: How many processes read WARC files, if there are several.

    Raises:
        MisuseError: A source cannot be read as any of these, or is the table itself, or the name of
            the table has another ending, or no source has an answer for a robots.txt.
        MissingExtraError: pyarrow is not installed.
        OSError: A source cannot be read.
        StoreError: A store is damaged, or the table cannot be written.
        UnknownDialectError: There is no dialect of this name.

    """
    summary = build_table(sources, path, dialect=dialect, progress=progress, workers=workers)
    if not summary.rows:
        raise MisuseError(summary.why_nothing())
    return summary


def build_table(
    sources: Iterable[str | os.PathLike[str]],
    path: str | os.PathLike[str],
    *,
    dialect: str = "rfc9309",
    progress: BuildProgress | None = None,
    workers: int = WORKERS,
) -> BuildSummary:
    """Build a table of policies; if no source has an answer, write nothing, and return no rows.

    See `build_policies`.
    """
    pyarrow()
    check_ending(path)
    sources = expand_patterns(sources)
    refuse_overwriting(path, sources)
    report = progress or nothing
    limit = policy_dialect(dialect).redirect_limit
    summary = BuildSummary()
    warcs, others = split_sources(sources)
    with beside(path) as folder:
        answers, redirects = read_others(others, folder, limit, summary, report)
        read = read_warcs(warcs, folder, limit, workers, report)
        for warc, done in zip(warcs, read, strict=True):
            answers += done.answers
            redirects += done.redirects
            summary.count(str(warc), done)
        following = Redirects(answers, folder, limit)
        report("redirects", 0, 1)
        found = following.follow(redirects)
        summary.lost_redirects = following.lost
        write_policies([*answers, *found], path, dialect, summary, report, folder)
    return summary


def nothing(_: str, __: int, ___: int) -> None:
    """Show no progress."""


def expand_patterns(sources: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return the sources, with the files that patterns name, each once.

    Raises:
        MisuseError: There is no source, or one does not exist.

    """
    found: list[Path] = []
    for source in map(Path, sources):
        if source.exists():
            found.append(source)
            continue
        named = sorted(glob.glob(str(source), recursive=True))  # noqa: PTH207  a whole path
        if not named:
            message = f"there is no {source}; name a file, a folder or a pattern of files"
            raise MisuseError(message)
        found += map(Path, named)
    if not found:
        message = "there is no source; name WARC files, a crawl, a store, a folder or a Parquet"
        raise MisuseError(message)
    return list(dict.fromkeys(found))


def split_sources(sources: Iterable[Path]) -> tuple[list[Path], list[Path]]:
    """Return the WARC files, also those in folders, and the other sources."""
    warcs: list[Path] = []
    others: list[Path] = []
    for source in sources:
        inside = sorted(filter(is_named_archive, source.rglob("*"))) if source.is_dir() else []
        is_crawl = (source / "crawl.db").exists()
        if source.is_file() and is_archive(source):
            warcs.append(source)
        elif inside and not is_crawl:
            warcs += inside
        else:
            others.append(source)
    return warcs, others


def read_others(
    others: Sequence[Path], folder: Path, limit: int, summary: BuildSummary, report: BuildProgress
) -> tuple[list[Run], list[Run]]:
    """Read the other sources; return their answers and redirects."""
    answers, redirects = RunWriter(folder, "answers"), RunWriter(folder, "redirects")
    skipped: Counter[str] = Counter()
    for number, source in enumerate(others):
        before = summary.answers
        for answer in read_answers(source, skipped):
            summary.records += 1
            summary.answers += 1
            summary.other_urls += not is_origin(answer.key)
            if not summary.records % 1_000:
                report("sources", number, len(others))
            redirect = None if answer.hops else ask_target(answer, limit)
            answers.add(answer._replace(leads=redirect is not None))
            if redirect is not None:
                redirects.add(redirect)
        if summary.answers == before:
            summary.without_answers.append(str(source))
    answers.finish()
    redirects.finish()
    summary.skip(skipped)
    summary.omitted += answers.omitted + redirects.omitted
    return answers.runs, redirects.runs


# WARC files.


class StoppedError(Exception):
    """Another process asks to stop. It never leaves the room."""


def read_warcs(
    paths: Sequence[Path], folder: Path, limit: int, workers: int, report: BuildProgress
) -> Iterator[WarcAnswers]:
    """Read WARC files, several at a time."""
    tasks = [(str(path), str(folder), f"warc-{number}", limit) for number, path in enumerate(paths)]
    whole = sum(path.stat().st_size for path in paths)
    if len(tasks) <= 1 or workers <= 1:
        bytes_read = 0

        def beat(size: int) -> None:
            nonlocal bytes_read
            bytes_read += size
            report("files", min(bytes_read, whole), whole)

        for task in tasks:
            yield read_warc(*task, beat)
        return
    context = get_context("spawn")
    shared = context.Value("q")
    with ProcessPoolExecutor(workers, context, initializer=begin, initargs=(shared,)) as pool:
        try:
            waiting = deque[Future[WarcAnswers]]()
            left = iter(tasks)

            def submit(count: int) -> None:
                with block_interrupts():
                    waiting.extend(
                        pool.submit(read_in_process, *task) for task in islice(left, count)
                    )

            submit(2 * workers)  # not all at once: each file that is read leaves a result
            for _ in tasks:
                first = waiting.popleft()
                while not wait([first], SECONDS_A_BEAT).done:
                    report("files", min(shared.value, whole), whole)
                yield first.result()
                report("files", min(shared.value, whole), whole)
                submit(1)
        except BaseException:
            (folder / STOP).touch()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


@contextmanager
def block_interrupts() -> Iterator[None]:
    """Block Ctrl-C for the processes that begin meanwhile; here it comes when the block ends.

    A process that were interrupted before `begin` would print what it imports.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not (is_main and hasattr(signal, "pthread_sigmask")):  # not on Windows
        yield
        return
    received: list[int] = []
    # Other threads, such as those of pyarrow, do not block it; Python then calls the handler here.
    handler = signal.signal(signal.SIGINT, lambda number, _: received.append(number))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        signal.signal(signal.SIGINT, handler or signal.SIG_DFL)
        if received:
            signal.raise_signal(signal.SIGINT)


BYTES_READ: "Synchronized[int] | None" = None
"""In another process: how many bytes all of them have read."""


def begin(shared: "Synchronized[int]") -> None:
    """Begin another process; Ctrl-C is left to the one that started it, and it ends with that."""
    global BYTES_READ  # noqa: PLW0603  what a process begins with
    threading.Thread(target=end_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    BYTES_READ = shared


def end_with_parent() -> None:
    """End this process when the one that started it has ended, by whatever.

    It would wait for work for ever: it holds both ends of the pipe from which work comes.
    """
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def read_in_process(path: str, folder: str, name: str, limit: int) -> WarcAnswers:
    """Read a WARC file in another process."""
    return read_warc(path, folder, name, limit, beat=partial(count_read, Path(folder, STOP)))


def count_read(stop: Path, size: int) -> None:
    """Count what was read, and check that the work goes on.

    Raises:
        StoppedError: It does not.

    """
    if stop.exists():
        raise StoppedError
    if BYTES_READ is not None:
        with BYTES_READ.get_lock():
            BYTES_READ.value += size


# Reckoning.


def write_policies(
    runs: Sequence[Run],
    path: str | os.PathLike[str],
    dialect: str,
    summary: BuildSummary,
    report: BuildProgress,
    folder: Path,
) -> None:
    """Write the table of some answers, and count its rows and origins; without a row, no file.

    Until it is whole, it is in a folder of temporary files.
    """
    tables = reckon_by_range(runs, dialect, summary, report)
    first = next(tables, None)
    if first is None:
        return
    with write_table(path, dialect, folder) as writer:
        for table in chain([first], tables):
            writer.add(table)
        summary.rows = writer.rows


def reckon_by_range(
    runs: Sequence[Run], dialect: str, summary: BuildSummary, report: BuildProgress
) -> Iterator[Any]:
    """Yield the rows of some answers, one range of origins after another; only if there are any."""
    reckoner = TableReckoner(dialect)
    bounds = [None, *choose_ranges(runs), None]
    for number, (first, end) in enumerate(pairwise(bounds)):
        report("policies", number, len(bounds) - 1)
        table, origins = reckoner.reckon(rows_between(runs, first, end))
        summary.origins += origins
        if table.num_rows:
            yield table
