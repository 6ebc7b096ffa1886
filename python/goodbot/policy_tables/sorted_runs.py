"""Answers sorted on disk by key and time, in bounded memory.

Scope: an external sort. Answers are written in runs, each sorted in memory; then they are read in
ranges of keys, each of which is small enough to be sorted in memory again. Knuth, The Art of
Computer Programming, volume 3, section 5.4.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from goodbot.columns.schema import pyarrow
from goodbot.policy_tables.captured_answer import CapturedAnswer, table_of_answers, without_content

__all__ = ["Run", "RunWriter", "ranges_of", "rows_between"]

RUN_BYTES = 48 * 1024 * 1024
BATCH_BYTES = 96 * 1024
"""How much of a run is read at once."""

RANGE_BATCHES = 256
"""How many batches a range has at least: some 24 MiB."""

ROW_BYTES = 300
"""What a row takes beside its body, roughly."""

MOST_OF_ONE = 64 * 1024 * 1024
"""How many bytes of answers for one URL a writer keeps. A compressed file could have any number of
them, and those of one URL are sorted together."""
BUCKETS = 1 << 18
MOST_MARKS = 1_000


class Run(NamedTuple):
    """A sorted run on disk."""

    path: str
    firsts: list[str]
    """The first key of each batch."""


class RunWriter:
    """Writes answers in any order as sorted runs.

    Args:
        folder: Where the runs are written.
        name: The beginning of their names.

    """

    def __init__(self, folder: Path, name: str) -> None:
        """Start without a run."""
        self.runs: list[Run] = []
        self.omitted = 0
        """How many answers were dropped, because there were too many of one URL."""
        self._folder, self._name = folder, name
        self._waiting: list[CapturedAnswer] = []
        self._size = 0
        self._sizes = array("L", bytes(BUCKETS * array("L").itemsize))
        self._marks: dict[int, list[int]] = {}

    def add(self, answer: CapturedAnswer) -> None:
        """Add an answer."""
        size = ROW_BYTES + len(answer.body)
        bucket = crc32(answer.key.encode("utf-8", "replace")) % BUCKETS
        self._sizes[bucket] += size
        if self._sizes[bucket] > MOST_OF_ONE:
            self.omitted += 1
            # Nothing is allowed from the earliest omitted answer on.
            marks = self._marks.setdefault(bucket, [])
            if len(marks) >= MOST_MARKS or (marks and answer.at >= marks[-1]):
                return
            marks.append(answer.at)
            answer = without_content(answer)
            size = ROW_BYTES
        self._waiting.append(answer)
        self._size += size
        if self._size >= RUN_BYTES:
            self.finish()

    def finish(self) -> None:
        """Write what waits as a run."""
        if not self._waiting:
            return
        pa = pyarrow()
        table = table_of_answers(self._waiting)
        rows = max(1, BATCH_BYTES * len(self._waiting) // self._size)
        self._waiting, self._size = [], 0
        table = table.sort_by([("key", "ascending"), ("at", "ascending")])
        path = self._folder / f"{self._name}-{len(self.runs)}.arrow"
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        firsts = []
        with pa.ipc.new_file(str(path), table.schema, options=options) as file:
            for batch in table.combine_chunks().to_batches(max_chunksize=rows):
                file.write_batch(batch)
                firsts.append(batch.column("key")[0].as_py())
        self.runs.append(Run(str(path), firsts))


def ranges_of(runs: Sequence[Run]) -> list[str]:
    """Return the first key of each range but the first one; none if one range is enough."""
    firsts = sorted(key for run in runs for key in run.firsts)
    # A range reads some batches of each run only in part.
    step = max(RANGE_BATCHES, 4 * len(runs))
    return sorted(set(firsts[step::step]) - {firsts[0]} if firsts else ())


def rows_between(runs: Sequence[Run], first: str | None, end: str | None) -> Any:  # noqa: ANN401  pyarrow's
    """Return the rows of a range of keys, sorted by key and time.

    Args:
        runs: The runs.
        first: The first key; `None` for the beginning.
        end: The key behind the last one; `None` for the end.

    """
    pa = pyarrow()
    batches = [batch for run in runs for batch in batches_between(pa, run, first, end)]
    schema = table_of_answers([]).schema
    table = pa.Table.from_batches(batches, schema=schema)
    return table.sort_by([("key", "ascending"), ("at", "ascending")])


def batches_between(pa: Any, run: Run, first: str | None, end: str | None) -> Iterator[Any]:  # noqa: ANN401  pyarrow's
    """Yield the parts of a run that are in a range."""
    start = 0 if first is None else max(bisect_left(run.firsts, first) - 1, 0)
    stop = len(run.firsts) if end is None else bisect_left(run.firsts, end)
    if start >= stop:
        return
    with pa.memory_map(run.path) as file:
        reader = pa.ipc.open_file(file)
        for number in range(start, stop):
            batch = reader.get_batch(number)
            keys = batch.column("key").to_pylist() if number in {start, stop - 1} else None
            if keys is None:
                yield batch
                continue
            low = 0 if first is None else bisect_left(keys, first)
            high = len(keys) if end is None else bisect_left(keys, end)
            if low < high:
                yield batch.slice(low, high - low)
