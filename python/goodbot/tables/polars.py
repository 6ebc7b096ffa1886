r"""Expressions of Polars that decide by robots.txt.

    import polars as pl
    import goodbot.tables.polars  # registers the namespace
    frame.with_columns(allowed=pl.col("url").robots.allows("GPTBot", policies, at="fetch_time"))

The expressions are compiled and run without Python: lazily, by the streaming engine, in several
threads. They decide as `goodbot.tables.columns` does. A null URL has a null answer.

An expression refers to its policies by a short text, and a process opens the policies once. A plan
that was sent to another process works there if the policies are a file that it can read, or the
rules of one robots.txt. A table in memory stays open, without a copy, as long as the process runs.

Type checkers do not see the namespace; the functions of this module are the same.

>>> import goodbot
>>> file = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /a\n")
>>> frame = pl.DataFrame({"url": ["https://example.com/a", "https://example.com/b", None]})
>>> frame.select(pl.col("url").robots.allows("ExampleBot", file))["url"].to_list()
[False, True, None]
"""

import base64
import json
import os
import threading
import uuid
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, TypeAlias

from goodbot import Dialect, RobotsTxt, Rules
from goodbot.bots import rules_for
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.instants import checked_time
from goodbot.missing import needs
from goodbot.tables.building import open_table
from goodbot.tables.columns import PolicyTable
from goodbot.tables.columns.policy_table import CACHE_BYTES, as_policy_table
from goodbot.tables.columns.robot_parts import check_robots, describe_robot

with needs("polars"):
    import goodbot_polars
    import polars as pl
    from polars.plugins import register_plugin_function

__all__ = ["ColumnPolicies", "RobotsNamespace", "allows", "reopen", "verdict"]

ColumnPolicies: TypeAlias = Any
"""A `PolicyTable`, the path of a table of policies, an Arrow table, a `RobotsTxt` or `Rules`."""

ACCESS = {"rules": 0, "unknown": 0, "allow-all": 1, "disallow-all": 2, "defer": 2}
"""How the library reads the column `access`; what is unknown has no body."""

OPENED: dict[PolicyTable, str] = {}
"""The tables that this process has opened, each with the name by which questions refer to it. They
stay open, because an expression carries only the name."""
LOADED: dict[tuple[str, str], goodbot_polars.Policies] = {}
"""The same tables as the library has them, by name and dialect."""
FILES: dict[tuple[str, int, int], PolicyTable] = {}
"""The tables in files, by path, time of the last change and size."""
LOCK = threading.RLock()


def allows(
    url: pl.Expr,
    robot: str,
    policies: ColumnPolicies,
    *,
    at: pl.Expr | str | datetime | None = None,
    dialect: str | None = None,
) -> pl.Expr:
    """Return an expression: whether a robot was allowed to fetch each URL.

    Args:
        url: The URLs: a String, Binary, Categorical or Enum.
        robot: A product token or a whole User-Agent.
        policies: A `goodbot.tables.columns.PolicyTable`, the path of a table of policies, or an
            Arrow table to make one of. Or a `RobotsTxt` or `Rules`: then each URL is judged by this
            one file.
        at: The times: a Datetime expression, the name of a column, or one aware `datetime`. Without
            a time zone, times are in UTC. By default, the newest policy of each origin decides.
        dialect: The dialect in which the policies were reckoned, if the table does not state it;
            see `PolicyTable`. A `RobotsTxt` and `Rules` have their own.

    Returns:
        Booleans; null means unknown.

    Raises:
        RobotNameError: The robot is empty, or looks like a URL.
        WrongTypeError: An argument has the wrong type.
        WrongValueError: The table is malformed, `at` is naive or there are no times to compare it
            with, the `Rules` are those of another robot, or `dialect` is not that of the table.

    """
    return expression("allows", url, robot, policies, at, dialect)


def verdict(
    url: pl.Expr,
    robot: str,
    policies: ColumnPolicies,
    *,
    at: pl.Expr | str | datetime | None = None,
    dialect: str | None = None,
) -> pl.Expr:
    """Return an expression like `allows`, with the reasons: a struct.

    Its fields are `allowed`, `reason`, `line`, `policy` (the row in the table of policies) and
    `age` (the time since the policy was learned), as in `goodbot.tables.columns.verdicts`.

    The arguments and errors are those of `allows`.
    """
    return expression("verdict", url, robot, policies, at, dialect)


@pl.api.register_expr_namespace("robots")
class RobotsNamespace:
    """The namespace `robots` of expressions."""

    def __init__(self, expr: pl.Expr) -> None:
        """Wrap the expression of the URLs."""
        self._expr = expr

    def allows(
        self,
        robot: str,
        policies: ColumnPolicies,
        *,
        at: pl.Expr | str | datetime | None = None,
        dialect: str | None = None,
    ) -> pl.Expr:
        """Return whether a robot was allowed to fetch each URL; see `allows` of this module."""
        return allows(self._expr, robot, policies, at=at, dialect=dialect)

    def verdict(
        self,
        robot: str,
        policies: ColumnPolicies,
        *,
        at: pl.Expr | str | datetime | None = None,
        dialect: str | None = None,
    ) -> pl.Expr:
        """Return the same with the reasons; see `verdict` of this module."""
        return verdict(self._expr, robot, policies, at=at, dialect=dialect)


def expression(
    name: str,
    url: pl.Expr,
    robot: str,
    policies: ColumnPolicies,
    at: pl.Expr | str | datetime | None,
    dialect: str | None,
) -> pl.Expr:
    """Return the expression of a function of the library."""
    if not isinstance(robot, str):
        message = f"robot must be a str, not {type(robot).__name__}"
        raise WrongTypeError(message)
    check_robots(robot)
    if at is not None and isinstance(policies, RobotsTxt | Rules):
        message = "rules of one file do not depend on a time; leave at out, or pass a PolicyTable"
        raise WrongValueError(message)
    question = json.dumps(question_about(robot, policies, dialect), sort_keys=True)
    reopen(question)
    return register_plugin_function(
        plugin_path=goodbot_polars.LIBRARY,
        function_name=name,
        args=[url] if at is None else [url, times(at)],
        kwargs={"question": question},
        is_elementwise=True,
    )


def times(at: pl.Expr | str | datetime) -> pl.Expr:
    """Return the expression of the times."""
    if isinstance(at, pl.Expr):
        return at
    if isinstance(at, str):
        return pl.col(at)
    if not isinstance(at, datetime):
        message = (
            "at must be an expression, the name of a column, or one aware datetime, not "
            f"{type(at).__name__}; put the times into the frame, and pass the name of their column"
        )
        raise WrongTypeError(message)
    utc = checked_time(at, "at").astimezone(timezone.utc)
    return pl.lit(utc, dtype=pl.Datetime("us", "UTC"))


# Questions.


def question_about(robot: str, policies: ColumnPolicies, dialect: str | None) -> dict[str, object]:
    """Return what identifies a robot and its policies, in plain values."""
    if isinstance(policies, RobotsTxt | Rules) and dialect is not None:
        message = "a RobotsTxt and Rules have their own dialect; leave dialect out"
        raise WrongValueError(message)
    if isinstance(policies, RobotsTxt):
        return {**question_of_rules(obeyed_rules(policies, robot)), "as_sent": True}
    if isinstance(policies, Rules):
        if policies.robot != robot:
            message = (
                f"these are the rules for {policies.robot}, not for {robot}; pass the RobotsTxt "
                "instead"
            )
            raise WrongValueError(message)
        return question_of_rules(policies)
    if isinstance(policies, str | os.PathLike):
        path = Path(policies).absolute()
        stat = path.stat()
        parts: dict[str, object] = {
            "path": str(path), "file": [stat.st_mtime_ns, stat.st_size], "robot": robot
        }  # fmt: skip
        as_policy_table(find_table(parts), dialect)  # checks the dialect
        return parts
    return {"table": register_table(open_once(policies, dialect)), "robot": robot}


def obeyed_rules(file: RobotsTxt, robot: str) -> Rules:
    """Return what a robot obeys in a file; empty rules if it ignores the only group there is."""
    obeyed = rules_for(file, robot)
    if obeyed.rules is not None:
        return obeyed.rules
    return RobotsTxt(b"", dialect=obeyed.dialect).rules_for(robot)


def question_of_rules(rules: Rules) -> dict[str, object]:
    """Return the rules as plain values."""
    parts: Any = rules.__reduce__()
    content, dialect = parts[1][2]
    return {"rules": base64.b64encode(content).decode(), "dialect": read_choices(dialect)}


def read_choices(dialect: Dialect) -> list[tuple[str, str]]:
    """Return the choices of a dialect as the library reads them."""
    return [(name, str(value)) for name, value in dialect.choices.items()]


def open_once(policies: ColumnPolicies, dialect: str | None) -> PolicyTable:
    """Return a table of this process; the same Arrow table is opened once."""
    with LOCK:
        for opened in () if isinstance(policies, PolicyTable) else OPENED:
            is_plain = (opened.held, opened.cache_bytes) == (None, CACHE_BYTES)
            is_same = is_plain and opened.in_arrow(opened.dialect) is policies
            if is_same and dialect in {None, opened.dialect}:
                return opened
    return as_policy_table(policies, dialect)


def register_table(table: PolicyTable) -> str:
    """Return the name by which questions refer to a table of this process."""
    with LOCK:
        return OPENED.setdefault(table, uuid.uuid4().hex)


def reopen(question: str) -> None:
    """Register what a question asks by. The library calls this where it does not know a question.

    Args:
        question: The text that an expression carries.

    Raises:
        OSError: The file of the table cannot be read.
        WrongValueError: The table was in the memory of another process.

    """
    parts = json.loads(question)
    if "rules" in parts:
        rules = base64.b64decode(parts["rules"])
        choices = [tuple(choice) for choice in parts["dialect"]]
        goodbot_polars.register_rules(question, rules, choices, parts.get("as_sent", False))
        return
    table = find_table(parts)
    name, dialect, family = describe_robot(parts["robot"], table.dialect)
    library = open_in_library(table, dialect.name)
    goodbot_polars.register_policies(question, library, name, read_choices(dialect), family)


def find_table(parts: Mapping[str, Any]) -> PolicyTable:
    """Return the table that a question names."""
    with LOCK:
        if "path" in parts:
            key = (parts["path"], *parts["file"])
            if key not in FILES:
                FILES[key] = PolicyTable(open_table(parts["path"]))
            return FILES[key]
        for table, name in OPENED.items():
            if name == parts["table"]:
                return table
    message = (
        "the policies of this expression are in the memory of another process; pass the path of "
        "their file instead, which each process opens itself"
    )
    raise WrongValueError(message)


def open_in_library(table: PolicyTable, dialect: str) -> goodbot_polars.Policies:
    """Return a table as the library has it, reckoned in a dialect."""
    reckoned_as = table.choose_dialect(dialect)
    with LOCK:
        key = (register_table(table), reckoned_as)
        if key not in LOADED:
            arrow = plain(table.in_arrow(reckoned_as))
            LOADED[key] = goodbot_polars.Policies(arrow, table.held, table.cache_bytes)
        return LOADED[key]


def plain(table: Any) -> pl.DataFrame:  # noqa: ANN401  Arrow, of any library
    """Return the columns that the library reads, in one chunk; texts and bodies are not copied.

    Raises:
        WrongValueError: Polars cannot read the table.

    """
    try:
        return select_columns(pl.DataFrame(table))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        why = str(error).partition("\n")[0].rstrip(".")
        message = (
            f"Polars cannot read the table of policies ({why}); cast its times to microseconds in "
            "UTC, such as pyarrow.timestamp('us', 'UTC')"
        )
        raise WrongValueError(message) from error


def select_columns(table: pl.DataFrame) -> pl.DataFrame:
    """Return the columns that the library reads."""
    time = pl.Datetime("us")
    return table.select(
        pl.col("origin").cast(pl.String).cast(pl.Binary),
        pl.col("valid_from", "valid_until").cast(time).cast(pl.Int64),
        pl.col("access").cast(pl.String).replace_strict(ACCESS, return_dtype=pl.UInt8),
        pl.col("reason").cast(pl.String).fill_null(""),
        pl.col("stale").fill_null(value=True),
        pl.col("body").cast(pl.Binary),
    ).rechunk()
