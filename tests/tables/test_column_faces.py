"""Every face of the columns has for each row what `Policy.verdict` has for it one at a time.

The policies, times, outages, redirects, URLs and dialects are those of the same property of
`goodbot.tables.columns`, and so is the slow twin. Polars has the same test where its plugin is
built.
"""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot.tables.pandas
from goodbot.tables import duckdb as in_duckdb
from goodbot.tables import pyarrow as in_pyarrow
from goodbot.tables.columns import PolicyTable
from goodbot.tables.columns.schema import VERSION, VERSION_KEY
from goodbot.tables.spark.questions import ORDER, PART, VerdictQuestion
from goodbot.tables.writing import UrlColumns, write_verdicts
from tests.support.columns.random_policies import (
    DIALECTS,
    EVENTS,
    HOUR,
    ROBOTS,
    ROWS,
    START,
    learned,
    one_by_one,
    table_of,
)
from tests.support.examples import examples

assert goodbot.tables.pandas  # it registers the accessor
Answers = list[tuple[bool | None, str | None]]
UTC = pa.timestamp("us", "UTC")


def by_duckdb(table: pa.Table, urls: Any, at: Any, robot: str) -> Answers:  # noqa: ANN401
    """Return the answers of SQL."""
    with duckdb.connect() as connection:
        in_duckdb.register(connection, PolicyTable(table))
        connection.register(
            "captures", pa.table({"n": range(len(urls)), "url": urls, "fetched": at})
        )
        return connection.execute(
            "SELECT robots_allows(url, ?, fetched), robots_reason(url, ?, fetched) "
            "FROM captures ORDER BY n",
            [robot, robot],
        ).fetchall()


def by_pyarrow(table: pa.Table, urls: Any, at: Any, robot: str) -> Answers:  # noqa: ANN401
    """Return the answers of expressions over a dataset."""
    robots = in_pyarrow.register(PolicyTable(table))
    wanted = {
        "allowed": robots.allows("url", robot, at="fetched"),
        "reason": robots.reason("url", robot, at="fetched"),
    }
    found = ds.dataset(pa.table({"url": urls, "fetched": at})).to_table(columns=wanted)
    return list(zip(found["allowed"].to_pylist(), found["reason"].to_pylist(), strict=True))


def by_pandas(table: pa.Table, urls: Any, at: Any, robot: str) -> Answers:  # noqa: ANN401
    """Return the answers of the accessor of a series."""
    series: Any = pd.Series(urls.to_pylist(), dtype="str")
    times = pd.Series(at.to_pylist(), dtype="datetime64[us, UTC]")
    found = series.robots.verdicts([robot], PolicyTable(table), at=times, explain=True)
    columns = (found[name].astype("object") for name in (robot, f"{robot}:reason"))
    plain = ([None if pd.isna(one) else one for one in column] for column in columns)
    return list(zip(*plain, strict=True))


def by_spark(table: pa.Table, urls: Any, at: Any, robot: str) -> Answers:  # noqa: ANN401
    """Return what an executor of Spark answers for a group."""
    dialect = table.schema.metadata[b"goodbot.dialect"].decode()
    question = VerdictQuestion((robot,), "url", "fetched", True, False, None, dialect)  # noqa: FBT003
    numbered = table.append_column(ORDER, pa.array(range(len(table)), pa.int64()))
    grouped = numbered.append_column(PART, pa.array([0] * len(table), pa.int32()))
    rows = pa.table({"url": urls, "fetched": at, PART: pa.array([0] * len(urls), pa.int32())})
    found = question.over_group(rows, grouped)
    columns = (found[name].to_pylist() for name in (robot, f"{robot}:reason"))
    return list(zip(*columns, strict=True))


def by_files(table: pa.Table, urls: Any, at: Any, robot: str) -> Answers:  # noqa: ANN401
    """Return the answers of `goodbot tables verdicts`, from Parquet to Parquet."""
    with tempfile.TemporaryDirectory() as name:
        here = Path(name)
        named = {**table.schema.metadata, VERSION_KEY: str(VERSION).encode()}
        pq.write_table(table.replace_schema_metadata(named), here / "policies.parquet")
        pq.write_table(pa.table({"url": urls, "fetched": at}), here / "urls.parquet")
        write_verdicts(
            here / "urls.parquet",
            here / "policies.parquet",
            robot,
            here / "out.parquet",
            columns=UrlColumns(at="fetched"),
            explain=True,
        )
        found = pq.read_table(here / "out.parquet")
    columns = (found[name].to_pylist() for name in (robot, f"{robot}:reason"))
    return list(zip(*columns, strict=True))


FACES: dict[str, Callable[..., Answers]] = {
    "DuckDB": by_duckdb,
    "PyArrow": by_pyarrow,
    "pandas": by_pandas,
    "Spark": by_spark,
    "goodbot tables verdicts": by_files,
}


@pytest.mark.parametrize("face", FACES)
@examples(100)
@given(
    events=EVENTS,
    rows=ROWS,
    dialect=st.sampled_from(DIALECTS),
    robot=st.sampled_from((*ROBOTS, "GPTBot", "Googlebot", "AdsBot-Google", "YandexBot")),
)
def test_each_row_is_the_verdict_of_its_policies(
    face: str,
    events: Sequence[Any],
    rows: Sequence[tuple[str | None, int | None]],
    dialect: str,
    robot: str,
) -> None:
    """Whatever the policies, times and URLs, in each engine."""
    policies = learned(list(events), dialect)
    times = [None if hour is None else START + hour * HOUR for _, hour in rows]
    urls = pa.array([url for url, _ in rows], pa.string())
    at = pa.array(times, UTC)
    found = FACES[face](table_of(policies, dialect), urls, at, robot)
    expected = [
        one_by_one(policies, url, robot, time, None)[:2]
        for (url, _), time in zip(rows, times, strict=True)
    ]
    assert found == expected
