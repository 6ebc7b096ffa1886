"""SQL functions for DuckDB: may a robot fetch a URL, by the robots.txt that held at a time.

`register` adds two functions to a connection::

    SELECT url FROM captures WHERE robots_allows(url, 'GPTBot', fetch_time);
    SELECT robots_reason(url, 'GPTBot', fetch_time), count(*) FROM captures GROUP BY 1;

Without a time, the newest policy of each site counts. A null in any argument results in null for
`robots_allows`, which `WHERE` treats as false: what is unknown is no permission. So does a robot
without a name, as logs have them: empty, blank or a URL. Then the reason is `no-robot`; that of a
null robot is null.
"""

from contextlib import suppress
from functools import partial
from typing import Any

from goodbot.errors import MisuseError, WrongTypeError
from goodbot.missing import needs
from goodbot.tables.columns import PolicyTable
from goodbot.tables.columns.policy_table import as_policy_table
from goodbot.tables.verdict_columns import (
    MEANING,
    ArrowArray,
    ColumnQuestion,
    answers,
)

with needs("duckdb"):
    import duckdb
    import numpy as np  # noqa: F401  DuckDB needs it for functions
    import pyarrow as pa

__all__ = ["register"]

RETURNS: dict[ColumnQuestion, str] = {"allows": "BOOLEAN", "reason": "VARCHAR"}
WITHOUT_TIME, WITH_TIME = 2, 3
"""How many arguments a function has."""


def register(
    connection: duckdb.DuckDBPyConnection,
    policies: PolicyTable | object,
    *,
    prefix: str = "robots",
    dialect: str | None = None,
) -> None:
    """Add the functions `robots_allows` and `robots_reason` to a connection.

    Both have the arguments `(url, robot)` or `(url, robot, time)`. The URL is a VARCHAR or a BLOB,
    the robot a VARCHAR, a BLOB or an ENUM, and the time a TIMESTAMPTZ, or a TIMESTAMP in UTC.

    Args:
        connection: The connection. Functions of these names that were registered before are
            replaced.
        policies: A `PolicyTable`, or a table of policies with the Arrow interface.
        prefix: The first part of the names, for several tables of policies on one connection.
        dialect: The dialect in which the policies were reckoned, if the table does not state it;
            see `PolicyTable`.

    Raises:
        MisuseError: See `PolicyTable`; or the connection has a result that has not been read.
        WrongTypeError: The connection is something else.

    """
    if not hasattr(connection, "create_function"):  # the module is a connection, too
        found = type(connection).__name__
        message = f"connection must be one of DuckDB, such as duckdb.connect(), not {found}"
        raise WrongTypeError(message)
    table = as_policy_table(policies, dialect)
    for question in MEANING:
        name = f"{prefix}_{question}"
        add_function(
            connection, name, partial(answer_rows, name, question, table), RETURNS[question]
        )


def add_function(connection: Any, name: str, function: object, returns: str) -> None:  # noqa: ANN401  its types do not know functions on Arrow arrays
    """Add a function to a connection, in place of one of the same name.

    Raises:
        MisuseError: DuckDB refuses, as it does while a result has not been read.

    """
    try:
        with suppress(duckdb.InvalidInputException):  # there was none
            connection.remove_function(name)
        connection.create_function(
            name, function, None, returns, type="arrow", null_handling="special"
        )
    except duckdb.Error as error:
        why = str(error).partition("\n")[0]
        message = (
            f"DuckDB does not add {name} to this connection ({why}); if a result of it has not "
            "been read to its end, fetch the rest or close it, then register, and query afterwards"
        )
        raise MisuseError(message) from error


def answer_rows(
    name: str,
    question: ColumnQuestion,
    policies: PolicyTable,
    *columns: ArrowArray,
) -> ArrowArray:
    """Return the answers for the rows that DuckDB hands over.

    Raises:
        WrongTypeError: The number of the arguments or their types are wrong.
        MisuseError: See `goodbot.tables.columns.verdicts`.

    """
    if len(columns) not in {WITHOUT_TIME, WITH_TIME}:
        message = f"{name} takes (url, robot) or (url, robot, time), not {len(columns)} arguments"
        raise WrongTypeError(message)
    urls, robots, *times = columns
    return answers(question, policies, urls, robots, *map(as_times, times))


def as_times(column: ArrowArray) -> ArrowArray:
    """Return a column of times; a TIMESTAMP is in UTC.

    Raises:
        WrongTypeError: They are no times, or only dates.

    """
    if pa.types.is_null(column.type):
        return column.cast(pa.timestamp("us", "UTC"))
    if not pa.types.is_timestamp(column.type):
        message = (
            f"the time must be a TIMESTAMPTZ, or a TIMESTAMP in UTC, not of the type {column.type};"
            " cast it, for example by fetch_time::TIMESTAMPTZ"
        )
        raise WrongTypeError(message)
    return column
