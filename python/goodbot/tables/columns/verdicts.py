r"""Verdicts on columns of URLs, each by the policy that held at its time.

Scope: from columns to columns; the core decides. Every row equals what `PolicyTimeline.at(time)`
and its `verdict(url, robot)` return.

>>> from datetime import datetime, timedelta, timezone
>>> import pyarrow as pa
>>> noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
>>> table = pa.table({
...     "origin": ["https://a.example"], "valid_from": [noon],
...     "valid_until": [noon + timedelta(days=1)], "access": ["rules"], "reason": ["found"],
...     "stale": [False], "body": [b"User-agent: *\nDisallow: /b"],
... })
>>> urls = ["https://a.example/a", "https://a.example/b"]
>>> allows(urls, table, "ExampleBot", at=noon + timedelta(hours=1)).tolist()
[True, False]
>>> found = verdicts(urls, table, "ExampleBot", at=noon + timedelta(days=9), explain=True)
>>> found["ExampleBot"].tolist(), found["ExampleBot:reason"].tolist()
([None, False], ['expired', 'rule-disallows'])
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from goodbot._core import ArrowColumn, ArrowTable, UrlRows, column_reasons
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.tables.columns.policy_table import PolicyTable, as_policy_table
from goodbot.tables.columns.robot_parts import RobotParts, check_robots, describe_robot
from goodbot.tables.columns.time_columns import time_column

MEANINGS = {
    "ignores-star": "No group names the robot, and it ignores the group for `*`.",
    "unknown": "No policy of the origin was known then.",
    "expired": "The policy known then allowed the URL, but it was too old to permit anything.",
    "no-origin": "The text is not an absolute URL of http or https that can be sent.",
    "no-time": "The time is null.",
}
REASONS = {slug: MEANINGS[slug] for slug in column_reasons()}
"""The reasons that neither a file nor a policy has, each with its meaning; the others are those of
`goodbot.reasons()` and `goodbot.policy.reasons()`."""

ColumnAnswers: TypeAlias = tuple[
    list[list[ArrowColumn]], ArrowColumn | None, list[list[tuple[str, list[int]]]]
]
"""For each robot its columns; the ages; for each robot the counts of each reason."""

ReasonCounts: TypeAlias = dict[tuple[str, bool | None, str], int]
"""How often a robot has a verdict for a reason, which is empty where there is no URL."""
VERDICTS = (False, True, None)
"""The verdicts in the order in which the core counts them."""

PARTS, AGE = ("reason", "line", "policy"), "age"


def verdicts(
    urls: Any,  # noqa: ANN401  a column of any library
    policies: Any,  # noqa: ANN401  a PolicyTable, or Arrow of any library
    robots: str | Sequence[str],
    at: Any = None,  # noqa: ANN401  a column of any library
    *,
    explain: bool = False,
    threads: int | None = None,
    dialect: str | None = None,
) -> ArrowTable:
    """Return whether robots were allowed to fetch each of many URLs, by the policies of the time.

    The policies learned last before the time decide; of several of one time, all must allow. What
    they forbid counts at any age; what they permit, before `valid_until`, or if the next policy
    shows the same file; else the answer is null, which is not permission. A known robot obeys the
    rules of its family in its own dialect, in which a table with facts is reckoned again.

    Args:
        urls: Anything with the Arrow interface, a NumPy array, a series of objects, or a sequence
            of `str`. Any content has an answer: among objects, a value that is no text is no URL,
            and one that pandas takes for missing is null.
        policies: A `PolicyTable`, or a table to make one of.
        robots: A product token or a whole User-Agent, or several.
        at: The times: a column of timestamps, a NumPy array of `datetime64`, a sequence of aware
            `datetime`, or one time for all. Timestamps without a time zone are in UTC; nanoseconds
            are rounded down. Without `at` the newest policy decides, and counts as current: its age
            is unknown, and whether the table is new enough is for the caller to know.
        explain: Whether the reasons are wanted, too.
        threads: How many threads to use; by default one a core.
        dialect: The dialect of the table, if it does not state that; see `PolicyTable`.

    Returns:
        A table with the Arrow stream interface. Each robot has a column of booleans with its name;
        null means unknown. `explain` adds `NAME:reason`, `NAME:line`, `NAME:policy`, the row in
        the table of policies, and one `age`, the time since the policies were learned.

    Raises:
        MissingExtraError: The table must be reckoned again, and pyarrow is not installed.
        RobotNameError: A robot is empty, or looks like a URL.
        WrongTypeError: An argument or a column has the wrong type.
        WrongValueError: A column, its length, `dialect` or the name of a robot does not fit.

    """
    table = as_policy_table(policies, dialect)
    names = check_robots(robots)
    check_titles(column_titles(names, explain=explain))
    many = (os.cpu_count() or 1) if threads is None else threads
    return decide_columns(urls, table, names, at, explain=explain, count=False, threads=many)[0]


def decide_columns(
    urls: Any,  # noqa: ANN401  a column of any library
    table: PolicyTable,
    names: Sequence[str],
    at: Any,  # noqa: ANN401  a column of any library
    *,
    explain: bool,
    count: bool,
    threads: int,
) -> tuple[ArrowTable, ReasonCounts]:
    """Return verdicts, and for each robot how often each verdict has each reason.

    The arguments and errors are those of `verdicts`; but the table is opened, and the names are
    checked.

    Args:
        urls: The URLs.
        table: The policies.
        names: The robots.
        at: The times.
        explain: Whether the reasons are wanted, too.
        count: Whether the counts are wanted; otherwise there are none.
        threads: How many threads to use.

    """
    rows = UrlRows(one_column(urls), None if at is None else time_column(at))
    groups = by_dialect(names, table).items()
    answers = [
        table.in_dialect(name).decide(rows, one, explain, threads, count) for name, one in groups
    ]
    robots = [one for _, one in groups]
    columns = ArrowTable([*name_columns(names, robots, answers), *add_ages(answers)])
    return columns, reason_counts(robots, answers)


def verdicts_of_one(
    urls: Any,  # noqa: ANN401  a column of any library
    table: PolicyTable,
    robot: str,
    at: Any,  # noqa: ANN401  a column of any library
    *,
    explain: bool,
) -> list[ArrowColumn]:
    """Return the columns of one robot without their names, which not every robot's can be.

    They are the verdicts, and with `explain` the reasons, lines and policies. The other arguments
    and errors are those of `decide_columns`.
    """
    rows = UrlRows(one_column(urls), None if at is None else time_column(at))
    ((dialect, group),) = by_dialect([robot], table).items()
    threads = os.cpu_count() or 1
    return table.in_dialect(dialect).decide(rows, group, explain, threads)[0][0]


def reason_counts(
    groups: Iterable[list[RobotParts]], answers: Iterable[ColumnAnswers]
) -> ReasonCounts:
    """Return how often each verdict of each robot has each reason."""
    return {
        (name, verdict, reason): number
        for group, (_, _, counts) in zip(groups, answers, strict=True)
        for (name, *_), of_robot in zip(group, counts, strict=False)
        for reason, tally in of_robot
        for verdict, number in zip(VERDICTS, tally, strict=True)
        if number
    }


def name_columns(
    names: Sequence[str], groups: Iterable[list[RobotParts]], answers: list[ColumnAnswers]
) -> Iterator[tuple[str, ArrowColumn]]:
    """Yield the columns of all robots, each with its name."""
    columns: dict[str, list[ArrowColumn]] = {}
    for group, (found, *_) in zip(groups, answers, strict=True):
        columns.update(zip((name for name, *_ in group), found, strict=True))
    for name in names:
        yield from zip(titles_of_one(name), columns[name], strict=False)


def column_titles(names: Iterable[str], *, explain: bool) -> list[str]:
    """Return the names of the columns of an answer.

    >>> column_titles(["GPTBot"], explain=True)
    ['GPTBot', 'GPTBot:reason', 'GPTBot:line', 'GPTBot:policy', 'age']
    """
    if not explain:
        return list(names)
    return [*(title for name in names for title in titles_of_one(name)), AGE]


def titles_of_one(name: str) -> list[str]:
    """Return the names of the columns of a robot, with the reasons."""
    return [name, *(f"{name}:{part}" for part in PARTS)]


def check_titles(titles: Sequence[str]) -> None:
    """Check that each column of an answer has a name of its own.

    Raises:
        WrongValueError: Two have the same name.

    """
    twice = find_repeated(titles)
    if twice is not None:
        message = (
            f"two columns would be named {twice!r}: with the reasons there are NAME:reason, "
            "NAME:line, NAME:policy and age; leave one of the two out"
        )
        raise WrongValueError(message)


def find_repeated(titles: Sequence[str]) -> str | None:
    """Return the first name that two columns have, or `None`.

    >>> find_repeated(["age", "GPTBot", "age"])
    'age'
    """
    return next((title for title in titles if titles.count(title) > 1), None)


def add_ages(answers: list[ColumnAnswers]) -> list[tuple[str, ArrowColumn]]:
    """Return the column of ages, if there is one: it is the same for all robots."""
    return [(AGE, ages) for _, ages, _ in answers[:1] if ages is not None]


def by_dialect(names: Sequence[str], table: PolicyTable) -> dict[str, list[RobotParts]]:
    """Return the robots by the dialect in which the table must be reckoned."""
    groups: dict[str, list[RobotParts]] = {}
    for name in names:
        one = describe_robot(name, table.dialect)
        groups.setdefault(table.choose_dialect(one[1].name), []).append(one)
    return groups


def one_column(urls: Any) -> Any:  # noqa: ANN401  a column of any library
    """Return URLs, checked not to be a single one or an array of several dimensions.

    Raises:
        WrongTypeError: It is one URL, or has not been collected.
        WrongValueError: It is an array of several dimensions.

    """
    if hasattr(urls, "collect"):  # a lazy frame of Polars, a table of Spark
        message = (
            f"urls must be a column, not {type(urls).__name__}; collect it, and pass one column of "
            "it, or use goodbot.tables.polars or goodbot.tables.spark"
        )
        raise WrongTypeError(message)
    if isinstance(urls, str | bytes):
        message = f"urls must be a column, not {type(urls).__name__}; for one URL pass [url]"
        raise WrongTypeError(message)
    dimensions = getattr(urls, "ndim", 1)
    if dimensions != 1 and hasattr(urls, "ravel"):
        message = f"urls has {dimensions} dimensions; pass one column, such as array[:, 0]"
        raise WrongValueError(message)
    return urls


def allows(
    urls: Any,  # noqa: ANN401  a column of any library
    policies: Any,  # noqa: ANN401  a PolicyTable, or Arrow of any library
    robot: str,
    at: Any = None,  # noqa: ANN401  a column of any library
    *,
    threads: int | None = None,
    dialect: str | None = None,
) -> ArrowColumn:
    """Return whether a robot was allowed to fetch each of many URLs: a column of booleans.

    The arguments and errors are those of `verdicts`.
    """
    return verdicts(urls, policies, robot, at, threads=threads, dialect=dialect)[robot]
