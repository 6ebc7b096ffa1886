r"""Answers on uses for columns of URLs: what the robots.txt of the time says, one column a use.

Scope: from columns to columns. Which policy held is decided by `verdicts`, and what its file says
by `goodbot.content_use`: each row equals what `goodbot.uses(url, robots_txt=policy)` answers. Of
several policies of one time the one that permits least counts for each use, as all must allow.
Header, document, tdmrep.json and licences are not in a table of policies, so that a licence that
robots.txt names makes every use need one whose terms are unknown.

>>> from datetime import datetime, timedelta, timezone
>>> import pyarrow as pa
>>> noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
>>> table = pa.table({
...     "origin": ["https://a.example"], "valid_from": [noon],
...     "valid_until": [noon + timedelta(days=1)], "access": ["rules"], "reason": ["found"],
...     "stale": [False], "body": [b"User-agent: *\nContent-Signal: ai-train=no, search=yes"],
... })
>>> found = use_verdicts(["https://a.example/a"], table, "ExampleBot", noon + timedelta(hours=1))
>>> found.column_names, found["train"].to_pylist(), found["search"].to_pylist()
(['train', 'ground', 'search', 'archive', 'preview', 'level'], ['reserved'], ['allowed'])
>>> use_verdicts(["https://a.example/a"], table, "ExampleBot", noon + timedelta(days=9))["search"]
... # doctest: +ELLIPSIS
<pyarrow.lib.ChunkedArray object at ...>
[
  [
    "unknown"
  ]
]
"""

from functools import lru_cache
from typing import Any

from goodbot._core import UrlRows
from goodbot.content_use.file_answers import UsesOfFile, strictest_level, strictest_statuses
from goodbot.content_use.statement import USES
from goodbot.tables.columns.policy_table import PolicyTable, as_policy_table
from goodbot.tables.columns.robot_parts import describe_robot
from goodbot.tables.columns.schema import pyarrow
from goodbot.tables.columns.time_columns import time_column
from goodbot.tables.columns.verdicts import by_dialect, one_column, verdicts

__all__ = ["USE_COLUMNS", "UseColumns", "use_verdicts"]

MOST_FILES = 1_000
"""The most files that are kept parsed."""
LEVEL = "level"
"""The column of the level that Content-Signal states."""
USE_COLUMNS = (*USES, LEVEL)
"""The columns of answers on uses."""
UseWords = dict[str, str | None]


def use_verdicts(
    urls: Any,  # noqa: ANN401  a column of any library
    policies: Any,  # noqa: ANN401  a PolicyTable, or Arrow of any library
    robot: str,
    at: Any = None,  # noqa: ANN401  a column of any library
    *,
    dialect: str | None = None,
) -> Any:  # noqa: ANN401  a table of pyarrow, which has no types
    """Return the answers on each use of many URLs, by the robots.txt of the time.

    A policy that was too old, or that was not reached, permits nothing: then only what it reserves
    counts, and the rest is `unknown`. Of several policies of one time, the strictest counts for
    each use.

    Args:
        urls: The URLs; see `verdicts`.
        policies: The policies; see `verdicts`.
        robot: A product token or a whole User-Agent.
        at: The times; see `verdicts`.
        dialect: The dialect of the table, if it does not state that.

    Returns:
        A `pyarrow.Table` with a column of strings for each use, `allowed`, `licensed`, `reserved`
        or `unknown`, and one `level`, the level of Content-Signal; null where there is no URL.

    Raises:
        MisuseError: See `verdicts`.
        MissingExtraError: pyarrow is not installed.

    """
    return UseColumns(as_policy_table(policies, dialect), robot).answer(urls, at)


class UseColumns:
    """Answers on uses for one robot, by the policies of one table; safe to use in threads.

    Args:
        table: The policies.
        robot: A product token or a whole User-Agent.

    Raises:
        MisuseError: See `verdicts`.
        MissingExtraError: pyarrow is not installed.

    """

    def __init__(self, table: PolicyTable, robot: str) -> None:
        """Read the times of the policies."""
        self._table, self._robot = table, robot
        read = pyarrow().table(table.in_arrow(describe_robot(robot, table.dialect)[1].name))
        self._bodies, self._access = read.column("body"), read.column("access")
        self._together = rows_of_one_time(read)
        self._file = lru_cache(MOST_FILES)(self._parsed)

    def answer(self, urls: Any, at: Any = None) -> Any:  # noqa: ANN401  columns, and a table of pyarrow
        """Return the answers on each use of URLs; see `use_verdicts`."""
        pa = pyarrow()
        columns = pa.table(verdicts(urls, self._table, self._robot, at, explain=True)).columns[:4]
        allowed, reasons, _lines, rows = (one.to_pylist() for one in columns)
        found: dict[str, list[str | None]] = {name: [] for name in USE_COLUMNS}
        counts = self._counts(urls, at)
        asked = zip(one_by_one(urls), allowed, reasons, rows, counts, strict=True)
        for url, may, reason, row, is_current in asked:
            answers: UseWords = {}
            if url is not None and reason not in {None, "no-origin", "no-time"}:
                answers = self.of_url(url, row, is_current=is_current and may is not None)
            for name, column in found.items():
                column.append(answers.get(name))
        return pa.table({name: pa.array(column, pa.string()) for name, column in found.items()})

    def _counts(self, urls: Any, at: Any) -> list[bool]:  # noqa: ANN401  columns
        """Return for each URL whether what its policies permit counts at its time."""
        ((dialect, (robot,)),) = by_dialect([self._robot], self._table).items()
        rows = UrlRows(one_column(urls), None if at is None else time_column(at))
        history = self._table.in_dialect(dialect)
        (numbers, _, _, counts), *_ = history.decide_again(rows, robot, at is not None, None)[0]
        found: list[bool] = pyarrow().array(counts).take(pyarrow().array(numbers)).to_pylist()
        return found

    def of_url(self, url: str, row: int | None, *, is_current: bool) -> UseWords:
        """Return the answers for one URL.

        Args:
            url: The URL.
            row: The policy that decides whether it may be fetched; `None` if none was known.
            is_current: Whether what the policies of that time permit counts.

        """
        if row is None:
            return {**dict.fromkeys(USES, "unknown"), LEVEL: None}
        held = self._together[row]
        answers = [self._file(one).answer(url) for one in held]
        said = strictest_statuses(statuses for statuses, _ in answers)
        if not is_current or any(self.is_missing(one) for one in held):
            # Of what permits nothing any more, only what it reserves counts.
            said = {use: one if one == "reserved" else "unknown" for use, one in said.items()}
        found: UseWords = {use: one for use, one in said.items()}  # noqa: C416  of another type
        return found | {LEVEL: strictest_level(level for _, level in answers)}

    def is_missing(self, row: int) -> bool:
        """Return whether a row has rules that are not there, and so is no policy."""
        return self._access[row].as_py() == "rules" and not self._bodies[row].is_valid

    def _parsed(self, row: int) -> UsesOfFile:
        """Return what the file of a row says."""
        return UsesOfFile(self._bodies[row].as_py(), self._robot)


def rows_of_one_time(read: Any) -> list[list[int]]:  # noqa: ANN401  of pyarrow
    """Return for each row of a table of policies all rows of its origin and time, in order."""
    names = (read.column(name).to_pylist() for name in ("origin", "valid_from"))
    keys = list(zip(*names, strict=True))
    found: dict[Any, list[int]] = {}
    for row, key in enumerate(keys):
        found.setdefault(key, []).append(row)
    return [found[key] for key in keys]


def one_by_one(urls: Any) -> list[str | None]:  # noqa: ANN401  a column of any library
    """Return the URLs as strings; `None` for what is none."""
    pa = pyarrow()
    if hasattr(urls, "__arrow_c_stream__"):
        values = pa.chunked_array(urls).to_pylist()
    elif hasattr(urls, "__arrow_c_array__"):
        values = pa.array(urls).to_pylist()
    else:
        values = urls.tolist() if hasattr(urls, "tolist") else list(urls)
    texts = (one.decode("utf-8", "replace") if isinstance(one, bytes) else one for one in values)
    return [one if isinstance(one, str) else None for one in texts]
