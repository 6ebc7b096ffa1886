"""Verdicts on a cluster of Spark: a master and two workers as processes, and a lost executor."""

import os
import random
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from goodbot.tables.columns import verdicts as on_one_machine
from goodbot.tables.spark import verdicts
from tests.support.waiting import HANGS

pytestmark = [
    # PySpark leaves sockets to the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    # It speaks of pandas wherever Arrow is used; goodbot gives it none.
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
]

SITES, ROWS, ROBOTS = 200, 200_000, ["GPTBot", "ExampleBot"]
START = datetime(2026, 1, 1, tzinfo=timezone.utc)
HOUR = timedelta(hours=1)
BODIES = [b"User-agent: *\nDisallow: /a\n", b"User-agent: GPTBot\nDisallow: /\n", b""]
POLICIES = pa.schema(
    [
        ("origin", pa.string()),
        ("valid_from", pa.timestamp("us", "UTC")),
        ("valid_until", pa.timestamp("us", "UTC")),
        ("access", pa.string()),
        ("reason", pa.string()),
        ("stale", pa.bool_()),
        ("body", pa.binary()),
        ("number", pa.int64()),
    ]
)
PLANS: dict[str, dict[str, Any]] = {
    "everywhere": {"broadcast": True},
    "groups": {"broadcast": False, "rows_per_group": 5_000},
    "spans": {"broadcast": False, "rows_per_group": 5_000, "spans": 3},
}
CAPTURES = pa.schema([("id", pa.int64()), ("url", pa.string()), ("at", pa.timestamp("us", "UTC"))])


def policies() -> pa.Table:
    """Return policies of sites, some at the same time, some stale copies."""
    chance = random.Random(7)  # noqa: S311  data
    rows: list[dict[str, Any]] = []
    for site in range(SITES):
        for _ in range(chance.randrange(12)):
            learned = START + HOUR * chance.randrange(300)
            access = chance.choice(["rules", "rules", "allow-all", "disallow-all"])
            rows.append(
                {
                    "origin": f"https://s{site}.example",
                    "valid_from": learned,
                    "valid_until": learned + HOUR * chance.randrange(1, 50),
                    "access": access,
                    "reason": "found",
                    "stale": chance.random() < 0.1,
                    "body": chance.choice(BODIES) if access == "rules" else None,
                    "number": len(rows),
                }
            )
    return pa.Table.from_pylist(rows, schema=POLICIES)


def captures() -> pa.Table:
    """Return captures, a third of one site, with rows that have no URL, site or time."""
    chance = random.Random(8)  # noqa: S311  data
    rows: list[dict[str, Any]] = []
    for number in range(ROWS):
        site = 0 if chance.random() < 0.33 else chance.randrange(SITES + 3)
        url: str | None = f"https://s{site}.example/{chance.choice('abc')}/{number}"
        if number % 100 == 0:
            url = chance.choice([None, "", "mailto:x", f"HTTPS://S{site}.example:443/%61"])
        at = None if number % 97 == 0 else START + HOUR * chance.randrange(-20, 330)
        rows.append({"id": number, "url": url, "at": at})
    return pa.Table.from_pylist(rows, schema=CAPTURES)


def of_rows(table: pa.Table) -> list[dict[str, Any]]:
    """Return the answers in the order of the rows."""
    return list(table.sort_by("id").drop_columns(["url", "at"]).to_pylist())


def executors() -> list[int]:
    """Return the processes of executors."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if b"CoarseGrainedExecutorBackend" in command:
            found.append(int(folder.name))
    return found


@pytest.mark.parametrize("plan", PLANS)
def test_the_cluster_answers_as_one_machine(spark: SparkSession, plan: str) -> None:
    """Every row is there once, with the verdicts, reasons and policies of one machine."""
    rows, known = captures(), policies()
    wanted = pa.table(on_one_machine(rows["url"], known, ROBOTS, rows["at"], explain=True))
    wanted = wanted.append_column("id", rows["id"])
    answered = verdicts(
        spark.createDataFrame(rows), spark.createDataFrame(known), ROBOTS, at="at", explain=True,
        row="number", **PLANS[plan],
    ).toArrow()  # fmt: skip
    names = ["id", *[name for name in wanted.column_names if name != "id"]]
    assert of_rows(answered.select([*names, "url", "at"])) == wanted.select(names).to_pylist()


def test_a_lost_executor_changes_nothing(spark: SparkSession, tmp_path: Path) -> None:
    """An executor is killed half way; its rows are answered again, and each is there once."""
    rows, known = captures(), policies()
    wanted = pa.table(on_one_machine(rows["url"], known, ROBOTS, rows["at"]))
    wanted = wanted.append_column("id", rows["id"])
    marks = tmp_path / "marks"
    killed: list[int] = []
    marks.mkdir()

    def slowly(batches: Any) -> Any:  # noqa: ANN401  of pyarrow
        for batch in batches:
            (marks / str(batch["id"][0].as_py())).touch()
            time.sleep(0.5)
            yield batch

    found = verdicts(
        spark.createDataFrame(rows), spark.createDataFrame(known), ROBOTS, at="at",
        broadcast=False, rows_per_group=5_000,
    )  # fmt: skip
    job = found.mapInArrow(slowly, found.schema)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(job.toArrow)
        while not answer.done() and not killed:
            time.sleep(0.05)
            if len(list(marks.iterdir())) >= 2 and (running := executors()):
                os.kill(running[0], signal.SIGKILL)
                killed.append(running[0])
        answered = answer.result(timeout=HANGS)
    assert killed
    names = ["id", *ROBOTS]
    assert of_rows(answered) == wanted.select(names).to_pylist()
