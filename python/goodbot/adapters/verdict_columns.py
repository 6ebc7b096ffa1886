"""Verdicts for engines whose functions get the robot as a column: each row by its own robot.

Scope: what the functions for DuckDB and PyArrow share. `goodbot.columns` decides.
"""

from typing import Any, Literal

from goodbot.columns import PolicyTable, verdicts
from goodbot.errors import WrongTypeError

__all__ = ["MEANING", "ArrowArray", "ColumnQuestion", "answers"]

ColumnQuestion = Literal["allows", "reason"]
ArrowArray = Any
"""An array of pyarrow, chunked or not; that library has no types."""

MEANING: dict[ColumnQuestion, str] = {
    "allows": "Whether a robot may fetch a URL, by the robots.txt that held at a time; null if "
    "that is unknown.",
    "reason": "The reason of that verdict, such as rule-disallows.",
}
"""The functions that engines get, and what they return."""


def answers(
    question: ColumnQuestion,
    policies: PolicyTable,
    urls: ArrowArray,
    robots: ArrowArray,
    at: ArrowArray = None,
) -> ArrowArray:
    """Return the answer for each row; null where no robot is named.

    Args:
        question: What is asked.
        policies: The policies.
        urls: The URLs.
        robots: The robot of each row, as strings.
        at: The time of each row; the newest policy counts without it.

    Raises:
        WrongTypeError: The robots are no strings.
        MisuseError: See `goodbot.columns.verdicts`.

    """
    import pyarrow as pa  # noqa: PLC0415  an extra, which the caller has loaded
    import pyarrow.compute as pc  # noqa: PLC0415

    if pa.types.is_dictionary(robots.type):
        robots = robots.cast(robots.type.value_type)
    if not (pa.types.is_string(robots.type) or pa.types.is_null(robots.type)):
        message = f"the robot must be a name such as 'GPTBot', not of the type {robots.type}"
        raise WrongTypeError(message)
    names = robots.unique().to_pylist()
    if len(names) == 1 and names[0] is not None:
        return of_one_robot(question, policies, urls, names[0], at)
    places = [pa.array([], pa.uint64())]
    found = [pa.nulls(0, pa.string() if question == "reason" else pa.bool_())]
    for name in names:
        if name is not None:
            rows = pc.indices_nonzero(pc.equal(robots, name))
            then = None if at is None else at.take(rows)
            places.append(rows)
            found.append(of_one_robot(question, policies, urls.take(rows), name, then))
    rows = pa.array(range(len(robots)), pa.uint64())
    return pa.concat_arrays(found).take(pc.index_in(rows, pa.concat_arrays(places)))


def of_one_robot(
    question: ColumnQuestion,
    policies: PolicyTable,
    urls: ArrowArray,
    robot: str,
    at: ArrowArray,
) -> ArrowArray:
    """Return the answers for one robot as an Arrow array of one chunk."""
    import pyarrow as pa  # noqa: PLC0415

    is_reason = question == "reason"
    table = pa.table(verdicts(urls, policies, robot, at, explain=is_reason))
    column = table[f"{robot}:reason" if is_reason else robot].combine_chunks()
    return column.cast(pa.string()) if is_reason else column
