"""Spark's settings and the types of columns change no answer and no column."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812  as everybody imports it

from goodbot.tables.columns import verdicts as on_one_machine
from goodbot.tables.spark import verdicts
from tests.support.columns.captures import NOON, ROBOTS, STRINGS, TIMES, URLS, UTC, ZONES, policies
from tests.support.paths import ROOT

pytestmark = [
    # PySpark leaves sockets to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    # It speaks of pandas wherever Arrow is used; goodbot gives it none.
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]

POLICIES = policies()
WANTED = pa.table(
    on_one_machine(pa.array(URLS, pa.string()), POLICIES, ROBOTS, pa.array(TIMES, UTC))
)
PLANS: dict[str, dict[str, Any]] = {
    "everywhere": {"broadcast": True},
    "groups": {"broadcast": False, "rows_per_group": 3},
    "spans": {"broadcast": False, "rows_per_group": 3, "spans": 2},
}
LARGE = "spark.sql.execution.arrow.useLargeVarTypes"
ZONE = "spark.sql.session.timeZone"


@contextmanager
def setting(spark: SparkSession, name: str, value: str) -> Iterator[None]:
    """Change a setting of a session for a while."""
    before = spark.conf.get(name)
    spark.conf.set(name, value)
    try:
        yield
    finally:
        spark.conf.set(name, str(before))


def rows_of(**columns: Any) -> pa.Table:  # noqa: ANN401
    """Return the captures, numbered, with some columns in another form or beside them."""
    numbers = pa.array(range(len(URLS)))
    plain = {"id": numbers, "url": pa.array(URLS, pa.string()), "at": pa.array(TIMES, UTC)}
    return pa.table(plain | columns)


def answered(spark: SparkSession, rows: pa.Table, plan: str) -> pa.Table:
    """Return the answer of Spark in the order of the rows."""
    frame, known = spark.createDataFrame(rows), spark.createDataFrame(POLICIES)
    found = verdicts(frame, known, ROBOTS, at="at", **PLANS[plan])
    return found.toArrow().sort_by("id")


def check(found: pa.Table) -> None:
    """Compare the answers with those of one machine."""
    for robot in ROBOTS:
        assert found[robot].to_pylist() == WANTED[robot].to_pylist()


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu"])
def test_the_zone_of_the_session(spark: SparkSession, zone: str, plan: str) -> None:
    """A TIMESTAMP is a moment, and a TIMESTAMP_NTZ is in UTC, whatever the session's zone is."""
    texts = pa.array([at and at.strftime("%Y-%m-%d %H:%M:%S") for at in TIMES])
    known = spark.createDataFrame(POLICIES)
    with setting(spark, ZONE, zone):
        frame = spark.createDataFrame(rows_of(naive=texts))
        frame = frame.withColumn("naive", F.col("naive").cast("timestamp_ntz"))
        for at in ("at", "naive"):
            found = verdicts(frame, known, ROBOTS, at=at, **PLANS[plan]).toArrow().sort_by("id")
            check(found)
    moments = [at and at.timestamp() for at in found["at"].to_pylist()]
    assert moments == [at and at.timestamp() for at in TIMES]
    naive = [at and at.replace(tzinfo=None) for at in TIMES]
    assert found["naive"].to_pylist() == naive


@pytest.mark.parametrize("plan", PLANS)
def test_nested_columns_with_times(spark: SparkSession, plan: str) -> None:
    """Structures, arrays and maps keep their times in every plan."""
    count = len(URLS)
    kinds = {
        "struct": pa.struct([("seen", UTC), ("local", pa.timestamp("us"))]),
        "array": pa.list_(UTC),
        "map": pa.map_(pa.string(), UTC),
    }
    local = NOON.replace(tzinfo=None)
    values: dict[str, Any] = {
        "struct": [{"seen": NOON, "local": local}] * (count - 1) + [None],
        "array": [[NOON, None]] * (count - 1) + [[]],
        "map": [[("first", NOON)]] * (count - 1) + [None],
    }
    nested = {name: pa.array(values[name], kind) for name, kind in kinds.items()}
    frame = spark.createDataFrame(rows_of(**nested))
    found = verdicts(frame, spark.createDataFrame(POLICIES), ROBOTS, at="at", **PLANS[plan])
    check(found.toArrow().sort_by("id"))
    # Compared by Spark, because its way to Python changes the zones of nested times.
    names = [name for name in nested if name != "map"]
    lost = frame.select("id", *names, F.map_entries("map").alias("map")).exceptAll(
        found.select("id", *names, F.map_entries("map").alias("map"))
    )
    assert lost.count() == 0
    assert found.count() == count


@pytest.mark.parametrize("form", ["string", "large-string", "dictionary", "sliced"])
def test_every_form_of_strings(spark: SparkSession, form: str) -> None:
    """Large strings and dictionaries are strings in Spark; it has neither views nor chunks."""
    check(answered(spark, rows_of(url=STRINGS[form]()), "groups"))


@pytest.mark.parametrize("form", ZONES)
def test_every_form_of_times(spark: SparkSession, form: str) -> None:
    """Zones and units of the times change nothing."""
    check(answered(spark, rows_of(at=ZONES[form]()), "groups"))


@pytest.mark.parametrize("plan", PLANS)
def test_large_types_between_spark_and_python(spark: SparkSession, plan: str) -> None:
    """Spark may be told to hand over strings with long offsets."""
    body = pa.array([b"x"] * len(URLS), pa.binary())
    with setting(spark, LARGE, "true"):
        found = answered(spark, rows_of(body=body), plan)
    check(found)
    assert found["body"].to_pylist() == body.to_pylist()


@pytest.mark.parametrize("plan", PLANS)
def test_no_rows_and_no_policies(spark: SparkSession, plan: str) -> None:
    """Without rows there are no answers; without policies they are unknown."""
    known = spark.createDataFrame(POLICIES)
    frame = spark.createDataFrame(rows_of())
    nobody = verdicts(frame.limit(0), known, ROBOTS, at="at", **PLANS[plan])
    assert nobody.count() == 0
    assert nobody.columns == ["id", "url", "at", *ROBOTS]
    nothing = verdicts(frame, known.limit(0), ROBOTS, at="at", **PLANS[plan]).toArrow()
    assert len(nothing) == len(URLS)
    assert all(nothing[robot].null_count == len(URLS) for robot in ROBOTS)


def test_the_how_to_runs(spark: SparkSession, tmp_path: Path) -> None:
    """The program of the page writes a table with the verdicts."""
    page = (ROOT / "docs" / "how-to" / "columns-in-spark.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```text\n(from goodbot.*?)```", page, re.DOTALL)
    captures = rows_of().rename_columns(["id", "url", "fetch_time"])
    pq.write_table(captures, tmp_path / "captures.parquet")
    pq.write_table(POLICIES, tmp_path / "policies.parquet")
    for name in ("captures", "policies", "judged"):
        assert f'"{name}.parquet"' in program
        program = program.replace(f'"{name}.parquet"', repr(str(tmp_path / f"{name}.parquet")))
    exec(program, {"spark": spark})  # noqa: S102  our own page
    judged = spark.read.parquet(str(tmp_path / "judged.parquet")).toArrow().sort_by("id")
    check(judged)
    assert "GPTBot:reason" in judged.column_names
