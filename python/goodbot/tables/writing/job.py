"""What a run does: its files, columns and robots, and the parts in which it goes through the rows.

Scope: it is all decided before the first row is read, so that a run that continues another one does
the same.
"""

import os
import random
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from goodbot.errors import MisuseError, WrongValueError
from goodbot.files.filesystem import HERE
from goodbot.files.overwriting import refuse_overwriting
from goodbot.tables.building import open_policies
from goodbot.tables.columns import PolicyTable
from goodbot.tables.columns.exclusions import ExcludedColumn
from goodbot.tables.columns.policy_table import CACHE_BYTES
from goodbot.tables.columns.use_verdicts import USE_COLUMNS, UseColumns
from goodbot.tables.columns.verdicts import check_titles, column_titles
from goodbot.tables.writing.column_types import check_columns, copied_schema
from goodbot.tables.writing.source_files import find_files
from goodbot.tables.writing.stored_columns import are_copied_as_stored
from goodbot.tables.writing.url_files import (
    ChosenColumns,
    UrlColumns,
    UrlFile,
    chosen_columns,
    url_file,
)

PART_ROWS, MOST_PART_ROWS = 500_000, 4_000_000
"""How many rows a part has at least, unless it is the last one: few if there are few, so that all
threads have parts; of rows in no order, those of a part are decided together."""
PARTS = 8
"""Into how many parts few rows are divided."""

MOST_CACHE_BYTES = 4 << 30
"""The most bytes that compiled rules take."""

COLUMNS_EXPLAINED = 5
"""How many columns a robot has with `explain`."""

Name = str | os.PathLike[str]


class Unit(NamedTuple):
    """A row group of a file: what is read at a time, and not in part."""

    file: int
    """The place of the file in the list."""
    row_group: int
    rows: int
    first_row: int
    """How many rows the files have before it."""


class Job(NamedTuple):
    """What one run does."""

    files: tuple[UrlFile, ...]
    columns: ChosenColumns
    policies: PolicyTable
    policies_path: str
    robots: tuple[str, ...]
    explain: bool
    schema: Any
    """The schema of what is copied, of Arrow."""
    parts: tuple[tuple[Unit, ...], ...]
    sampled: Sequence[int] | None
    """The rows that are answered, in order; `None` for all."""
    folder: Path | None
    """Where large parts wait; `None` if nothing is written."""
    as_stored: bool
    """Whether the copied columns are written as they are stored, without being decoded."""
    uses: tuple[UseColumns, ...] = ()
    """What answers on uses, for each robot; empty if they are not wanted."""
    excluded: tuple[ExcludedColumn, ...] = ()
    """What says which URLs are omitted, for each robot; empty if that is not wanted."""
    unknown: str | None = None
    """Whether URLs of which it is unknown are kept or withheld."""

    @property
    def read(self) -> list[str]:
        """The columns that are decoded."""
        return self.columns.asked if self.as_stored or self.folder is None else self.columns.read


def check_output(output: Name, inputs: Iterable[Name]) -> None:
    """Check that a file can be written.

    Raises:
        MisuseError: It is read as well, is no file, or its name does not end in `.parquet`.

    """
    refuse_overwriting(output, inputs)
    path = Path(output)
    if path.is_dir():
        message = f"{output} is a folder; name a .parquet file, for example one in it"
    elif HERE.is_device(path):
        where = "" if path.resolve() == path.absolute() else f" leads to {path.resolve()}, which"
        message = f"{output}{where} is a device or a pipe; name a .parquet file"
    elif path.suffix.lower() != ".parquet":
        message = f"verdicts are written as Parquet, so name a .parquet file, not {output}"
    else:
        return
    raise MisuseError(message)


def job_of(
    urls: Name | Sequence[Name],
    policies: Name,
    robots: str | Sequence[str],
    output: Name | None,
    columns: UrlColumns,
    *,
    explain: bool,
    sample: int | None,
    uses: bool = False,
    exclude: str | None = None,
) -> Job:
    """Return what is to be done; the footers of all files are read for it."""
    asked = (robots,) if isinstance(robots, str) else tuple(robots)
    names = find_files([urls] if isinstance(urls, str | os.PathLike) else urls, output, asked)
    if output is not None:
        check_output(output, [*names, policies])
    if not Path(policies).is_file():
        message = f"{policies} is not a file; 'goodbot tables build' makes a table of policies"
        raise MisuseError(message)
    files = tuple(map(url_file, names))
    chosen = chosen_columns(files, columns)
    check_columns(files, chosen)
    check_names(chosen.copied, asked, explain=explain, uses=uses, exclude=exclude)
    units = units_of(files)
    sampled = None if sample is None else sample_of(sum(unit.rows for unit in units), sample)
    own = len(asked) * (
        (COLUMNS_EXPLAINED if explain else 1) + len(USE_COLUMNS) * uses + (exclude is not None)
    )
    table = open_policies(policies, cache_bytes=cache_room())
    return Job(
        files,
        chosen,
        table,
        os.fspath(policies),
        asked,
        explain,
        copied_schema(files, chosen.copied),
        tuple(parts_of(units, sampled)),
        sampled,
        None if output is None else Path(output).resolve().parent,
        sampled is None and are_copied_as_stored(files, chosen.copied, own),
        tuple(UseColumns(table, robot) for robot in asked) if uses else (),
        () if exclude is None else tuple(ExcludedColumn(table, one, exclude) for one in asked),
        exclude,
    )


def cache_room() -> int:
    """Return how many bytes compiled rules may take: a quarter of the memory, within bounds.

    In rows that are in no order, every site returns again and again.
    """
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows has none of it
        return CACHE_BYTES
    return min(max(memory // 4, CACHE_BYTES), MOST_CACHE_BYTES)


def use_titles(robot: str) -> list[str]:
    """Return the names of the columns with a robot's answers on uses.

    >>> use_titles("GPTBot")[:2]
    ['GPTBot:train', 'GPTBot:ground']
    """
    return [f"{robot}:{one}" for one in USE_COLUMNS]


def exclude_title(robot: str) -> str:
    """Return the name of the column that says which URLs are omitted.

    >>> exclude_title("GPTBot")
    'GPTBot:exclude'
    """
    return f"{robot}:exclude"


def check_names(
    copied: Sequence[str],
    robots: Sequence[str],
    *,
    explain: bool,
    uses: bool,
    exclude: str | None = None,
) -> None:
    """Check that each column of the output has a name of its own.

    Raises:
        WrongValueError: Two have the same name.

    """
    if len(set(robots)) < len(robots):
        message = "a robot was named twice; name each once, since each has a column"
        raise WrongValueError(message)
    clash = set(copied) & set(robots)
    if clash:
        message = f"{min(clash)!r} is a robot and a column to copy; name the other columns to copy"
        raise WrongValueError(message)
    check_titles(column_titles(robots, explain=True))  # the summary has the reasons in any case
    answers = [title for robot in robots for title in use_titles(robot)] if uses else []
    answers += [] if exclude is None else [exclude_title(robot) for robot in robots]
    check_titles([*copied, *column_titles(robots, explain=explain), *answers])


def units_of(files: Sequence[UrlFile]) -> list[Unit]:
    """Return all row groups of all files in order."""
    found = [
        (place, group, rows)
        for place, file in enumerate(files)
        for group, rows in enumerate(file.rows)
    ]
    before = accumulate((rows for _, _, rows in found), initial=0)
    return [Unit(*one, first) for one, first in zip(found, before, strict=False)]


def sample_of(total: int, count: int) -> list[int]:
    """Return some of the rows, chosen by chance but always the same.

    Raises:
        WrongValueError: None is asked for.

    """
    if count < 1:
        message = f"sample must be at least 1, not {count}"
        raise WrongValueError(message)
    return sorted(random.Random(total).sample(range(total), min(count, total)))  # noqa: S311  no secret


def parts_of(units: Sequence[Unit], sampled: Sequence[int] | None) -> Iterator[tuple[Unit, ...]]:
    """Yield the row groups of each part; those without a row to answer are skipped."""
    total = sum(unit.rows for unit in units) if sampled is None else len(sampled)
    enough = min(max(total // PARTS, PART_ROWS), MOST_PART_ROWS)
    part: list[Unit] = []
    rows = 0
    for unit in units:
        count = unit.rows if sampled is None else len(rows_within(sampled, unit))
        if count:
            part.append(unit)
            rows += count
        if rows >= enough:
            yield tuple(part)
            part, rows = [], 0
    if part:
        yield tuple(part)


def rows_within(sampled: Sequence[int], unit: Unit) -> list[int]:
    """Return the sampled rows of a row group, counted from its first one."""
    first = bisect_left(sampled, unit.first_row)
    last = bisect_left(sampled, unit.first_row + unit.rows)
    return [row - unit.first_row for row in sampled[first:last]]


def total_of(job: Job) -> int:
    """Return how many rows are answered in all."""
    if job.sampled is not None:
        return len(job.sampled)
    return rows_of(job.files)


def rows_of(files: Iterable[UrlFile]) -> int:
    """Return how many rows files have."""
    return sum(sum(file.rows) for file in files)
