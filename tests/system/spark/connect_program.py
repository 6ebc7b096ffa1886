"""Compare verdicts over Spark Connect with those of one machine, in a process of its own.

A process has either a session of Spark Connect or one with a SparkContext.
"""

import os
import sys
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

from goodbot.tables.columns import verdicts as on_one_machine
from goodbot.tables.spark import verdicts
from tests.system.spark.cluster import HOST
from tests.system.spark.test_cluster import PLANS, ROBOTS, captures, of_rows, policies


def main() -> None:
    """Compare the answers of every plan, and of the one that goodbot chooses."""
    os.environ.update(SPARK_LOCAL_IP=HOST, PYSPARK_PYTHON=sys.executable)
    rows, known = captures(), policies()
    wanted = pa.table(on_one_machine(rows["url"], known, ROBOTS, rows["at"], explain=True))
    names = ["id", *wanted.column_names]
    wanted = wanted.append_column("id", rows["id"]).select(names).to_pylist()
    # A server on a port of this machine, and a client of it.
    session = SparkSession.builder.remote("local[2]").getOrCreate()
    try:
        assert type(session).__module__.startswith("pyspark.sql.connect")
        frame, facts = session.createDataFrame(rows), session.createDataFrame(known)
        plans: dict[str, dict[str, Any]] = {"chosen": {}} | PLANS
        for plan, options in plans.items():
            found = verdicts(frame, facts, ROBOTS, at="at", explain=True, row="number", **options)
            same = of_rows(found.toArrow().select([*names, "url", "at"])) == wanted
            sys.stdout.write(f"{plan}: {len(wanted) if same else 'other answers'}\n")
    finally:
        session.stop()


if __name__ == "__main__":
    main()
