"""Answers sorted on disk by key and time, in bounded memory.

Scope: an external sort. Answers are written in runs, each sorted in memory; then they are read in
ranges of keys, each of which is small enough to be sorted in memory again. Knuth, The Art of
Computer Programming, volume 3, section 5.4.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from zlib import crc32

from goodbot.tables.building.packed_answer import (
    PackedAnswer,
    pack_table,
    unpack_table,
    without_content,
)
from goodbot.tables.columns.schema import pyarrow

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
FEW_ROWS = 64


class AnswerSizes(Protocol):
    """Counts the answers for each URL; one that reads plain captures is such a counter too."""

    def count(self, key: str, body: int) -> bool:
        """Count an answer with so many bytes; return whether there is room for it."""
        ...


class PlainSizes:
    """Counts the answers for each URL, roughly: for each group of URLs."""

    def __init__(self) -> None:
        self._sizes = array("L", bytes(BUCKETS * array("L").itemsize))

    def count(self, key: str, body: int) -> bool:
        """Count an answer; see `AnswerSizes`."""
        bucket = choose_bucket(key)
        self._sizes[bucket] += ROW_BYTES + body
        return self._sizes[bucket] <= MOST_OF_ONE


def choose_bucket(key: str) -> int:
    """Return the group of a URL."""
    return crc32(key.encode("utf-8", "replace")) % BUCKETS


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
        sizes: Counts the answers for each URL.

    """

    def __init__(self, folder: Path, name: str, sizes: AnswerSizes | None = None) -> None:
        self.runs: list[Run] = []
        self.omitted = 0
        """How many answers were dropped, because there were too many of one URL."""
        self._folder, self._name = folder, name
        self._waiting: list[PackedAnswer] = []
        self._tables: list[Any] = []
        """What waits as well, before the answers in `_waiting`."""
        self._rows = self._size = 0
        self._sizes: AnswerSizes = sizes or PlainSizes()
        self._marks: dict[int, list[int]] = {}

    def add(self, answer: PackedAnswer) -> None:
        """Add an answer."""
        size = ROW_BYTES + len(answer.body)
        if not self._sizes.count(answer.key, len(answer.body)):
            self.omitted += 1
            # Nothing is allowed from the earliest omitted answer on.
            marks = self._marks.setdefault(choose_bucket(answer.key), [])
            if len(marks) >= MOST_MARKS or (marks and answer.at >= marks[-1]):
                return
            marks.append(answer.at)
            answer = without_content(answer)
            size = ROW_BYTES
        self._waiting.append(answer)
        self._added(1, size)

    def add_table(self, table: Any, body_bytes: int) -> None:  # noqa: ANN401  a pyarrow.Table
        """Add a table of answers, which are counted already.

        Args:
            table: The answers, as `pack_table` returns them.
            body_bytes: How many bytes their bodies have.

        """
        if table.num_rows < FEW_ROWS:  # a table takes more than its rows
            self._waiting += unpack_table(table)
        else:
            self._gather()
            self._tables.append(table)
        self._added(table.num_rows, ROW_BYTES * table.num_rows + body_bytes)

    def _added(self, rows: int, size: int) -> None:
        """Count what was added, and write a run if it is enough for one."""
        self._rows += rows
        self._size += size
        if self._size >= RUN_BYTES:
            self.finish()

    def _gather(self) -> None:
        """Make a table of the answers that wait."""
        if self._waiting:
            self._tables.append(pack_table(self._waiting))
            self._waiting = []

    def finish(self) -> None:
        """Write what waits as a run."""
        self._gather()
        if not self._tables:
            return
        pa = pyarrow()
        table = drop_empty_buffers(pa.concat_tables(self._tables))
        rows = max(1, BATCH_BYTES * self._rows // self._size)
        self._tables, self._rows, self._size = [], 0, 0
        table = sort_table(table)
        path = self._folder / f"{self._name}-{len(self.runs)}.arrow"
        # Batches are small: another thread costs more than it saves.
        options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
        firsts = []
        with pa.ipc.new_file(str(path), table.schema, options=options) as file:
            for batch in table.to_batches(max_chunksize=rows):
                file.write_batch(batch)
                firsts.append(batch.column("key")[0].as_py())
        self.runs.append(Run(str(path), firsts))


def choose_ranges(runs: Sequence[Run]) -> list[str]:
    """Return the first key of each range but the first one; none if one range is enough."""
    firsts = sorted(key for run in runs for key in run.firsts)
    # A range reads some batches of each run only in part.
    step = max(RANGE_BATCHES, 4 * len(runs))
    return sorted(set(firsts[step::step]) - {firsts[0]} if firsts else ())


def rows_between(
    runs: Sequence[Run], first: str | None, end: str | None, keys: Iterable[str] | None = None
) -> Any:  # noqa: ANN401  pyarrow's
    """Return the rows of a range of keys, sorted by key and time.

    Args:
        runs: The runs.
        first: The first key; `None` for the beginning.
        end: The key behind the last one; `None` for the end.
        keys: The only keys that are wanted; `None` for all of them.

    """
    pa = pyarrow()
    found = [list(batches_between(pa, run, first, end)) for run in runs]
    tables = [pa.Table.from_batches(batches) for batches in found if batches]
    whole = pack_table([])
    table = pa.concat_tables(tables, promote_options="default") if tables else whole
    if keys is not None:
        import pyarrow.compute as pc  # noqa: PLC0415  an extra

        # Once for the whole range: each call hashes all keys.
        wanted = pa.array(keys, pa.string())
        table = table.filter(pc.is_in(table["key"], value_set=wanted))
    return sort_table(table).cast(whole.schema)


def sort_table(table: Any) -> Any:  # noqa: ANN401  a pyarrow.Table
    """Return answers in one chunk, sorted by key and time."""
    # Taking rows from one chunk is several times as fast as from many.
    return table.combine_chunks().sort_by([("key", "ascending"), ("at", "ascending")])


def drop_empty_buffers(table: Any) -> Any:  # noqa: ANN401  a pyarrow.Table
    """Return answers with the null type, which has no buffers, for columns without a value."""
    pa = pyarrow()
    for place, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        if column.null_count == table.num_rows:
            table = table.set_column(place, name, pa.nulls(table.num_rows))
    return table


def batches_between(pa: Any, run: Run, first: str | None, end: str | None) -> Iterator[Any]:  # noqa: ANN401  pyarrow's
    """Yield the parts of a run that are in a range."""
    start = 0 if first is None else max(bisect_left(run.firsts, first) - 1, 0)
    stop = len(run.firsts) if end is None else bisect_left(run.firsts, end)
    if start >= stop:
        return
    with pa.memory_map(run.path) as file:
        reader = pa.ipc.open_file(file, options=pa.ipc.IpcReadOptions(use_threads=False))
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
