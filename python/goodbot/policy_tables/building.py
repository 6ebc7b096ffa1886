"""Building a table of policies from answers: sort, follow redirects, reckon, write.

Scope: the way from sources to a file, in bounded memory.
"""

import os
import signal
import tempfile
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice, pairwise
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from goodbot.columns.schema import pyarrow
from goodbot.crawl.folder.atomic_file import store_error
from goodbot.errors import MisuseError
from goodbot.overwriting import refuse_overwriting
from goodbot.policy.outcome_tables import policy_dialect
from goodbot.policy_tables.captured_answer import is_origin
from goodbot.policy_tables.other_answers import answers_in, is_warc
from goodbot.policy_tables.reckoned_tables import TableReckoner
from goodbot.policy_tables.redirected import Redirects, redirect_of
from goodbot.policy_tables.sorted_runs import (
    Run,
    RunWriter,
    ranges_of,
    rows_between,
)
from goodbot.policy_tables.table_writing import check_ending, write_table
from goodbot.policy_tables.warc_runs import WarcAnswers, read_warc

if TYPE_CHECKING:
    from multiprocessing.sharedctypes import Synchronized

__all__ = ["BuildProgress", "BuildSummary", "build_policies"]

BuildProgress = Callable[[str, int, int], None]
"""Receives what is done, how much of it, and how much there is in all."""

WORKERS = 2
SECONDS_A_BEAT = 0.2
STOP = "stop"
"""A file in the temporary folder that asks the other processes to end."""


@dataclass(slots=True)
class BuildSummary:
    """What was built."""

    rows: int = 0
    """Rows of the table."""
    origins: int = 0
    """Origins that it has."""
    records: int = 0
    """Records or rows that were read."""
    answers: int = 0
    """Answers among them: of robots.txt, and of what one may redirect to."""
    lost_redirects: int = 0
    """Redirects of robots.txt whose targets are not in the sources within an hour after them:
    nothing is known then."""
    undated: int = 0
    """Answers whose time is only known to be within the span of their file."""
    omitted: int = 0
    """Answers that were omitted because there were too many of one URL; nothing is allowed then."""
    unread: int = 0
    """Bytes that were not read, because a file is damaged."""
    no_url: int = 0
    """Rows of Parquet files that were skipped, because their URL is null."""
    no_time: int = 0
    """The same because their time is null."""
    other_scheme: int = 0
    """The same because their URL is not an absolute one of http or https."""
    other_urls: int = 0
    """Rows with the URL of something else than a robots.txt, which count only where redirects lead
    to them."""
    unreadable: int = 0
    """Responses for robots.txt in WARC files whose content or time could not be read."""

    def count(self, done: WarcAnswers) -> None:
        """Count what was read of a WARC file."""
        self.records += done.records
        self.answers += done.found
        self.undated += done.undated
        self.omitted += done.omitted
        self.unread += done.unread
        self.unreadable += done.unreadable

    def skip(self, skipped: Counter[str]) -> None:
        """Count the rows of a Parquet file that are no answers."""
        self.no_url += skipped["no_url"]
        self.no_time += skipped["no_time"]
        self.other_scheme += skipped["other_scheme"]
        self.records += skipped.total()

    def as_dict(self) -> dict[str, int]:
        """Return it as plain values."""
        return asdict(self)


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
    the answers. If it fails or is stopped, no partial file remains.

    Args:
        sources: WARC or WACZ files, folders of those, folders of crawls, files of `SQLiteStore`,
            folders with `HOST/TIME.txt`, Parquet files with `url`, `time`, `status` and `body`.
        path: The table to write; its name ends in `.parquet` or `.arrow`.
        dialect: The dialect in which it is reckoned.
        progress: Called now and then.
        workers: How many processes read WARC files, if there are several.

    Raises:
        MisuseError: A source cannot be read as any of these, or is the table itself, or the name of
            the table has another ending.
        MissingExtraError: pyarrow is not installed.
        OSError: A source cannot be read.
        StoreError: A store is damaged, or the table cannot be written.
        UnknownDialectError: There is no dialect of this name.

    """
    pyarrow()
    check_ending(path)
    sources = list(sources)
    refuse_overwriting(path, sources)
    report = progress or nothing
    limit = policy_dialect(dialect).redirect_limit
    summary = BuildSummary()
    warcs, others = split_sources(sources)
    with beside(path) as folder:
        answers, redirects = read_others(others, folder, limit, summary, report)
        for done in read_warcs(warcs, folder, limit, workers, report):
            answers += done.answers
            redirects += done.redirects
            summary.count(done)
        following = Redirects(answers, folder, limit)
        report("redirects", 0, 1)
        found = following.follow(redirects)
        summary.lost_redirects = following.lost
        write_policies([*answers, *found], path, dialect, summary, report)
    return summary


def nothing(_: str, __: int, ___: int) -> None:
    """Show no progress."""


@contextmanager
def beside(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Make a temporary folder beside a file; a failure to write in it is one of the file's disk.

    Raises:
        StoreFullError: The disk is full.
        StoreUnavailableError: It cannot be written.

    """
    target = Path(path)
    try:
        folder = tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise store_error(error, target) from error
    with folder as name:
        try:
            yield Path(name)
        except OSError as error:
            if error.filename is not None and not str(error.filename).startswith(name):
                raise
            raise store_error(error, target) from error


def split_sources(sources: Iterable[str | os.PathLike[str]]) -> tuple[list[Path], list[Path]]:
    """Return the WARC files, also those in folders, and the other sources.

    Raises:
        MisuseError: There is no source, or one does not exist.

    """
    warcs: list[Path] = []
    others: list[Path] = []
    for source in map(Path, sources):
        if not source.exists():
            message = f"there is no {source}; name files and folders that exist"
            raise MisuseError(message)
        inside = sorted(filter(is_warc, source.rglob("*"))) if source.is_dir() else []
        is_crawl = (source / "crawl.db").exists()
        if is_warc(source) and source.is_file():
            warcs.append(source)
        elif inside and not is_crawl:
            warcs += inside
        else:
            others.append(source)
    if not warcs and not others:
        message = "there is no source; name WARC files, a crawl, a store, a folder or a Parquet"
        raise MisuseError(message)
    return warcs, others


def read_others(
    others: Sequence[Path], folder: Path, limit: int, summary: BuildSummary, report: BuildProgress
) -> tuple[list[Run], list[Run]]:
    """Read the other sources; return their answers and redirects."""
    answers, redirects = RunWriter(folder, "answers"), RunWriter(folder, "redirects")
    skipped: Counter[str] = Counter()
    for number, source in enumerate(others):
        for answer in answers_in(source, skipped):
            summary.records += 1
            summary.answers += 1
            summary.other_urls += not is_origin(answer.key)
            if not summary.records % 1_000:
                report("sources", number, len(others))
            redirect = None if answer.hops else redirect_of(answer, limit)
            answers.add(answer._replace(leads=redirect is not None))
            if redirect is not None:
                redirects.add(redirect)
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
                with uninterrupted():
                    waiting.extend(pool.submit(read_one, *task) for task in islice(left, count))

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
def uninterrupted() -> Iterator[None]:
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
    """Begin another process; Ctrl-C is left to the one that started it."""
    global BYTES_READ  # noqa: PLW0603  what a process begins with
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    BYTES_READ = shared


def read_one(path: str, folder: str, name: str, limit: int) -> WarcAnswers:
    """Read a WARC file in another process."""
    return read_warc(path, folder, name, limit, beat=partial(go_on, Path(folder, STOP)))


def go_on(stop: Path, size: int) -> None:
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
) -> None:
    """Write the table of some answers, and count its rows and origins."""
    reckoner = TableReckoner(dialect)
    bounds = [None, *ranges_of(runs), None]
    with write_table(path, dialect) as writer:
        for number, (first, end) in enumerate(pairwise(bounds)):
            report("policies", number, len(bounds) - 1)
            table, origins = reckoner.reckon(rows_between(runs, first, end))
            writer.add(table)
            summary.origins += origins
        summary.rows = writer.rows
