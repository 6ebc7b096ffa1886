"""The rows of one origin in a table of policies, and the policies that they are.

Scope: finding the rows, without reading the rest of the file where its order permits. What they
mean, `goodbot.tables.columns` and the policy layer decide.
"""

import os
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from goodbot._core import origin as origin_of
from goodbot.history import LearnedPolicy, PolicyTimeline
from goodbot.policy import Policy, RobotsTxtAnswer
from goodbot.policy.answer_policies import policies_of_answers
from goodbot.tables.building.lost_metadata import as_strings
from goodbot.tables.building.parquet_footer import parquet_file
from goodbot.tables.building.sound_columns import arrow_batches, ipc_options, sound
from goodbot.tables.building.table_reading import (
    answers_in_batches,
    check_table,
    readable,
    schema_with_facts,
)
from goodbot.tables.columns.schema import pyarrow

BATCH_ROWS = 1_024


class PolicyRow(NamedTuple):
    """A row of a table of policies."""

    number: int
    """Its number in the table, from 0, as the column `policy` of verdicts has it."""
    at: datetime
    """From when on it holds."""
    source: str | None
    """Where it is from: the name of a file or folder."""
    policy: Policy | None
    """The policy; `None` if nothing is known from then on."""


def policy_rows(path: str | os.PathLike[str], origin: str) -> list[PolicyRow]:
    """Return the rows of one origin, in order of time.

    Args:
        path: The table.
        origin: An origin, or any URL of it.

    Raises:
        MisuseError: It is not a table of policies.
        MissingExtraError: pyarrow is not installed.
        NoOriginError: The URL has no origin.
        OSError: The file cannot be read.

    """
    dialect = check_table(path)
    found = number_answers(path, origin)
    policies = policies_of_answers([answer for _, answer in found], dialect)
    return [
        PolicyRow(number, answer.learned, answer.source, policy)
        for (number, answer), policy in zip(found, policies, strict=True)
    ]


def policy_answers(path: str | os.PathLike[str], origin: str) -> list[RobotsTxtAnswer]:
    """Return the answers of one origin, in order.

    Args:
        path: The table.
        origin: An origin, or any URL of it.

    Raises:
        MisuseError: It is not a table of policies.
        NoOriginError: The URL has no origin.
        OSError: The file cannot be read.

    """
    schema_with_facts(path)
    return [answer for _, answer in number_answers(path, origin)]


def policy_timeline(
    path: str | os.PathLike[str], origin: str, *, held: timedelta | None = None
) -> PolicyTimeline:
    """Return the policies of one origin over time.

    Args:
        path: The table.
        origin: An origin, or any URL of it.
        held: How long a policy permits anything after it was learned; by default as long as it is
            fresh.

    Raises:
        MisuseError: It is not a table of policies.
        MissingExtraError: pyarrow is not installed.
        NoOriginError: The URL has no origin.
        OSError: The file cannot be read.

    """
    return make_timeline(policy_rows(path, origin), held=held)


def make_timeline(rows: list[PolicyRow], *, held: timedelta | None = None) -> PolicyTimeline:
    """Return the policies of some rows over time; see `policy_timeline`."""
    learned = tuple(LearnedPolicy(row.at, row.policy) for row in rows if row.policy is not None)
    return PolicyTimeline(learned, held, tuple(row.at for row in rows if row.policy is None))


def number_answers(path: str | os.PathLike[str], origin: str) -> list[tuple[int, RobotsTxtAnswer]]:
    """Return the answers of one origin with the numbers of their rows, in order of time."""
    read = parquet_parts if Path(path).suffix == ".parquet" else arrow_parts
    wanted = origin_of(origin)
    found: list[tuple[int, RobotsTxtAnswer]] = []
    with readable(path):
        for first, batch in read(path, wanted):
            places = find_rows(batch.column("origin"), wanted)
            if places:
                answers = answers_in_batches([batch.slice(place, 1) for place in places], path)
                found += zip((first + place for place in places), answers, strict=True)
    return sorted(found, key=lambda numbered: numbered[1].learned)


def parquet_parts(path: str | os.PathLike[str], origin: str) -> Iterator[tuple[int, Any]]:
    """Yield the parts of a Parquet file that may have an origin, each with its first row.

    Of a row group without it, only the column of the origins is read, or nothing.
    """
    with parquet_file(path) as file:
        place = file.schema.names.index("origin")
        first = 0
        for group in range(file.num_row_groups):
            about = file.metadata.row_group(group)
            column = about.column(place)
            if may_have(column, origin) and find_rows(
                file.read_row_group(group, columns=["origin"]).column("origin"), origin
            ):
                start = first
                for batch in file.iter_batches(BATCH_ROWS, row_groups=[group]):
                    yield start, sound(batch)
                    start += batch.num_rows
            first += about.num_rows


def may_have(column: Any, origin: str) -> bool:  # noqa: ANN401  pyarrow's
    """Return whether a row group may have an origin, by the least and the greatest that it has."""
    found = column.statistics
    if found is None or not found.has_min_max or not isinstance(found.min, str):
        return True
    return bool(found.min <= origin <= found.max)


def arrow_parts(path: str | os.PathLike[str], origin: str) -> Iterator[tuple[int, Any]]:
    """Yield the parts of an Arrow file that have an origin, each with its first row.

    Of the other parts only the column of the origins is read.
    """
    pa = pyarrow()
    first = 0
    with pa.memory_map(os.fspath(path)) as mapped:
        reader = pa.ipc.open_file(mapped, options=ipc_options())
        for number, origins in enumerate(arrow_batches(path, ["origin"])):
            if find_rows(origins.column("origin"), origin):
                yield first, sound(reader.get_batch(number))
            first += origins.num_rows


def find_rows(column: Any, origin: str) -> list[int]:  # noqa: ANN401  pyarrow's
    """Return the places of an origin in a column of strings of any type."""
    import pyarrow.compute as compute  # noqa: PLC0415, PLR0402  an extra

    is_same = compute.equal(as_strings(column), origin)
    found: list[int] = compute.indices_nonzero(is_same).to_pylist()
    return found
