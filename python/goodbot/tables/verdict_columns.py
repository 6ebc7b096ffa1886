"""Verdicts for engines whose functions get the robot as a column: each row by its own robot.

Scope: what the functions for DuckDB and PyArrow share. `goodbot.tables.columns` decides.
"""

from contextlib import suppress
from itertools import pairwise
from typing import Any, Literal

from goodbot._core import RobotsTxt
from goodbot.errors import RobotNameError, WrongTypeError
from goodbot.tables.columns import PolicyTable
from goodbot.tables.columns.verdicts import verdicts_of_one

__all__ = ["MEANING", "NO_ROBOT", "ArrowArray", "ColumnQuestion", "answers"]

ColumnQuestion = Literal["allows", "reason"]
ArrowArray = Any
"""An array of pyarrow, chunked or not; that library has no types."""

NO_ROBOT = "no-robot"
"""The reason where the value of a row names no robot: it is empty, blank or a URL. Logs have such
values, so they are no misuse; the verdict is null, which is no permission."""

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
        robots: The robot of each row, as strings or bytes of any layout. The reason for a value
            that is not null, but names no robot, is `NO_ROBOT`.
        at: The time of each row; the newest policy counts without it.

    Raises:
        WrongTypeError: The robots are no strings.
        MisuseError: See `goodbot.tables.columns.verdicts`.

    """
    import pyarrow as pa  # noqa: PLC0415  an extra, which the caller has loaded
    import pyarrow.compute as pc  # noqa: PLC0415

    urls, robots = whole(urls), whole(robots)
    at = None if at is None else whole(at)
    coded = as_octets(robots).dictionary_encode()
    names = [name_in(value) for value in coded.dictionary.to_pylist()]
    if len(names) == 1 and not coded.null_count and names[0] is not None:
        return of_one_robot(question, policies, urls, names[0], at)
    # Each row is visited once, however many robots there are.
    order = pc.array_sort_indices(coded.indices)
    ends = pc.value_counts(coded.indices.drop_null().sort()).field("counts").to_pylist()
    starts = [0, *pc.cumulative_sum(pa.array(ends, pa.int64())).to_pylist()]
    urls, at = takeable(urls), None if at is None else takeable(at)
    kind = pa.string() if question == "reason" else pa.bool_()
    found = []
    for name, (start, end) in zip(names, pairwise(starts), strict=True):
        rows = order.slice(start, end - start)
        if name is not None:
            then = None if at is None else at.take(rows)
            found.append(of_one_robot(question, policies, urls.take(rows), name, then))
        elif question == "reason":
            found.append(pa.repeat(NO_ROBOT, len(rows)))
        else:
            found.append(pa.nulls(len(rows), kind))
    found.append(pa.nulls(coded.null_count, kind))  # nulls are sorted to the end
    return pa.concat_arrays(found).take(pc.array_sort_indices(order))


def whole(column: ArrowArray) -> ArrowArray:
    """Return a column as one array, as which some releases of engines hand it over."""
    import pyarrow as pa  # noqa: PLC0415

    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    found = column.combine_chunks()
    return pa.concat_arrays(found.chunks) if isinstance(found, pa.ChunkedArray) else found


def as_octets(robots: ArrowArray) -> ArrowArray:
    """Return robots as bytes with long offsets, whatever the layout of their strings is.

    Raises:
        WrongTypeError: They are no strings.

    """
    import pyarrow as pa  # noqa: PLC0415

    if pa.types.is_null(robots.type):
        return robots.cast(pa.large_binary())
    found = robots
    if pa.types.is_run_end_encoded(found.type):
        found = found.cast(found.type.value_type)
    if pa.types.is_dictionary(found.type):
        found = found.cast(found.type.value_type)
    kind = found.type
    texts = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    octets = pa.types.is_binary(kind) or pa.types.is_large_binary(kind)
    if not (texts or octets or pa.types.is_string_view(kind) or pa.types.is_binary_view(kind)):
        message = f"the robot must be a name such as 'GPTBot', not of the type {robots.type}"
        raise WrongTypeError(message)
    return found.cast(pa.large_binary())


def name_in(value: bytes) -> str | None:
    """Return the name of a robot as it stands in a column, or `None` if it is none."""
    name = value.decode("utf-8", "replace")
    with suppress(RobotNameError):
        RobotsTxt(b"").rules_for(name)
        return name
    return None


def takeable(column: ArrowArray) -> ArrowArray:
    """Return a column in a layout of which pyarrow can take rows: views are not."""
    import pyarrow as pa  # noqa: PLC0415

    if pa.types.is_run_end_encoded(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_string_view(column.type) or pa.types.is_binary_view(column.type):
        return column.cast(pa.large_binary())
    return column


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
    columns = verdicts_of_one(urls, policies, robot, at, explain=is_reason)
    column = pa.array(columns[1 if is_reason else 0])
    return column.cast(pa.string()) if is_reason else column
