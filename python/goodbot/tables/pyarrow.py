"""Compute functions for PyArrow: may a robot fetch a URL, by the robots.txt that held at a time.

For arrays and tables, `goodbot.tables.columns.verdicts` is all that you need. Where PyArrow itself
must call goodbot, as in the filter of a dataset that does not fit into memory, register the
functions::

    robots = goodbot.tables.pyarrow.register(policies)
    captures.to_table(filter=robots.allows("url", "GPTBot", at="fetch_time"))

PyArrow has one list of functions for the whole process. They are `robots_allows` and
`robots_reason` of (url, robot, at), and `robots_allows_newest` and `robots_reason_newest` of
(url, robot), for `pyarrow.compute.call_function`. There the robot may be a column: the answer is
null where it is null, or no name (empty, blank or a URL), of which the reason is `no-robot`.
"""

from functools import partial
from typing import Any

from goodbot.errors import WrongTypeError
from goodbot.lazy_dataclass import dataclass
from goodbot.missing import needs
from goodbot.tables.columns import PolicyTable
from goodbot.tables.columns.policy_table import as_policy_table
from goodbot.tables.columns.robot_parts import check_robots
from goodbot.tables.verdict_columns import (
    MEANING,
    ArrowArray,
    ColumnQuestion,
    answers,
)

with needs("columns"):
    import pyarrow as pa
    import pyarrow.compute as pc

__all__ = ["RobotsFunctions", "register"]

ARGUMENTS = {"url": pa.string(), "robot": pa.string(), "at": pa.timestamp("us", "UTC")}
"""PyArrow converts no arguments of foreign functions, so that expressions cast to these types. It
refuses columns of other types when it binds them."""
NEWEST = {name: kind for name, kind in ARGUMENTS.items() if name != "at"}
RETURNS: dict[ColumnQuestion, Any] = {"allows": pa.bool_(), "reason": pa.string()}

REGISTERED: dict[str, PolicyTable] = {}
"""The policies of each prefix; a function of PyArrow cannot be removed, but it can read others."""


@dataclass(frozen=True, slots=True)
class RobotsFunctions:
    """Functions that PyArrow knows, as expressions for filters and projections."""

    prefix: str
    """The first part of their names."""

    def allows(
        self, url: str | pc.Expression, robot: str, at: str | pc.Expression | None = None
    ) -> pc.Expression:
        """Return an expression for whether a robot may fetch URLs; null if that is unknown.

        Args:
            url: The column of the URLs, of any string type: its name, or an expression.
            robot: A product token or a whole User-Agent string.
            at: The column of the times, of any timestamp type; they are in UTC if they have no
                zone. Without it, the newest policy counts.

        Raises:
            RobotNameError: The robot is empty, or looks like a URL.
            WrongTypeError: An argument has another type.

        """
        return self._call("allows", url, robot, at)

    def reason(
        self, url: str | pc.Expression, robot: str, at: str | pc.Expression | None = None
    ) -> pc.Expression:
        """Return an expression for the reasons of the same verdicts.

        Args:
            url: See `allows`.
            robot: See `allows`.
            at: See `allows`.

        Raises:
            RobotNameError: See `allows`.
            WrongTypeError: An argument has another type.

        """
        return self._call("reason", url, robot, at)

    def _call(
        self, question: ColumnQuestion, url: object, robot: object, at: object
    ) -> pc.Expression:
        """Return an expression that calls a function."""
        if not isinstance(robot, str):
            message = f"robot must be a name such as 'GPTBot', not {type(robot).__name__}"
            raise WrongTypeError(message)
        check_robots(robot)
        name = f"{self.prefix}_{question}"
        arguments = [cast(url, "url"), pc.scalar(robot)]
        if at is None:
            return pc.Expression._call(f"{name}_newest", arguments)  # noqa: SLF001  as its guide does
        return pc.Expression._call(name, [*arguments, cast(at, "at")])  # noqa: SLF001


def register(
    policies: PolicyTable | object, *, prefix: str = "robots", dialect: str | None = None
) -> RobotsFunctions:
    """Add functions to those of PyArrow, for this process.

    Args:
        policies: A `PolicyTable`, or a table of policies with the Arrow interface. The functions
            use those of the last call with the same prefix.
        prefix: The first part of the names, for several tables of policies.
        dialect: The dialect in which the policies were reckoned, if the table does not state it;
            see `PolicyTable`.

    Returns:
        The functions as expressions.

    Raises:
        MisuseError: See `PolicyTable`.

    """
    table = as_policy_table(policies, dialect)
    is_new = prefix not in REGISTERED
    REGISTERED[prefix] = table
    if is_new:
        for question, meaning in MEANING.items():
            for suffix, arguments in (("", ARGUMENTS), ("_newest", NEWEST)):
                pc.register_scalar_function(
                    partial(answer_rows, prefix, question),
                    f"{prefix}_{question}{suffix}",
                    {"summary": meaning, "description": meaning},
                    arguments,
                    RETURNS[question],
                )
    return RobotsFunctions(prefix)


def answer_rows(
    prefix: str,
    question: ColumnQuestion,
    context: pc.UdfContext,
    *arguments: ArrowArray,
) -> ArrowArray:
    """Return the answers for the rows that PyArrow hands over, some arguments as scalars."""
    columns = [
        pa.repeat(argument, context.batch_length) if isinstance(argument, pa.Scalar) else argument
        for argument in arguments
    ]
    return answers(question, REGISTERED[prefix], *columns)


def cast(column: object, argument: str) -> pc.Expression:
    """Return a column in the type that the functions have.

    Raises:
        WrongTypeError: It is neither a name nor an expression.

    """
    if isinstance(column, str):
        column = pc.field(column)
    if not isinstance(column, pc.Expression):
        message = (
            f"{argument} must be the name of a column or an expression, not "
            f"{type(column).__name__}; for arrays, use goodbot.tables.columns.verdicts"
        )
        raise WrongTypeError(message)
    return (require_times(column) if argument == "at" else require_texts(column)).cast(
        ARGUMENTS[argument], safe=False
    )


def require_texts(column: pc.Expression) -> pc.Expression:
    """Return a column that PyArrow refuses unless it has texts: a number can be cast to a text."""
    return column.cast(pa.binary(), safe=False)


def require_times(column: pc.Expression) -> pc.Expression:
    """Return a column that PyArrow refuses unless it has timestamps.

    Numbers, dates and texts can be cast to timestamps; local times are those of timestamps only.
    """
    local = pc.Expression._call("local_timestamp", [column])  # noqa: SLF001  as its guide does
    is_time = pc.Expression._call("is_valid", [local])  # noqa: SLF001
    return pc.Expression._call("if_else", [is_time, column, pc.scalar(None)])  # noqa: SLF001
