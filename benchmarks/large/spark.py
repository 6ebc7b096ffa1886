"""Verdicts on a cluster of Spark: the answers of one machine, and the rate of an empty function.

    make bench-large

A master and two workers with one core each run as processes here. Figures are CPU seconds of both
workers with all that they start, Java and Python, and the wall clock beside them. The empty
function is a `mapInArrow` that hands its batches on: behind the shuffle by site that the verdicts
need, and behind one by URL, which needs no sites.
"""

import argparse
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from goodbot.tables.columns import PolicyTable
from goodbot.tables.columns import verdicts as on_one_machine
from goodbot.tables.spark import verdicts
from goodbot.tables.spark.grouping import Groups
from goodbot.tables.spark.questions import PART
from goodbot.tables.spark.verdict_plan import ROWS_PER_GROUP, with_origins

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import as_of

import corpus
from tests.system.spark.cluster import Cluster, cluster, session

FILE_ROWS = 1_000_000
TICKS = 100
"""The clock ticks of a second, as Linux counts CPU time."""
OPTIONS = {"spark.executor.memory": "3g", "spark.driver.maxResultSize": "2g"}
PLANS: dict[str, dict[str, Any]] = {
    "broadcast": {"broadcast": True},
    "groups": {"broadcast": False},
}

Frame = Any
"""A table of Spark; it has no types here."""


class Cost(NamedTuple):
    """What a job took."""

    cpu: float
    wall: float


def write_policies(path: Path, origins: int) -> None:
    """Write the table of policies."""
    batches = as_of.policies(origins)
    first = next(batches)
    with pq.ParquetWriter(path, first.schema, compression="zstd") as writer:
        writer.write_batch(first)
        for batch in batches:
            writer.write_batch(batch)


def write_urls(folder: Path, urls: int, origins: int) -> None:
    """Write URLs in no order, with times, each with a number."""
    folder.mkdir()
    numbers, chance = np.random.default_rng(7), random.Random(7)  # noqa: S311  no secret
    names = pa.array([as_of.origin(number) for number in range(origins)])
    paths = [corpus.generic_path(chance) + f"-{place:05}" for place in range(as_of.PATHS)]
    begin = int(as_of.START.timestamp()) * 10**6
    for first in range(0, urls, FILE_ROWS):
        count = min(FILE_ROWS, urls - first)
        hosts = names.take(pa.array(numbers.integers(0, origins, count)))
        ends = pa.array(paths).take(pa.array(numbers.integers(0, as_of.PATHS, count)))
        times = pa.array(begin + numbers.integers(0, 24 * 3_600 * 10**6, count))
        table = pa.table(
            {
                "id": np.arange(first, first + count),
                "url": pc.binary_join_element_wise(hosts, ends, ""),
                "fetch_time": times.cast(as_of.Times),
            }
        )
        pq.write_table(table, folder / f"{first:012}.parquet", compression="zstd")


def cpu_seconds(workers: Sequence[int]) -> float:
    """Return the CPU time of processes and of all that they started."""
    times: dict[int, tuple[int, int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        # The process that started it; its time and that of its children that have ended.
        times[int(path.parent.name)] = (int(fields[1]), sum(map(int, fields[11:15])))
    found, waiting = 0, list(workers)
    while waiting:
        current = waiting.pop()
        found += times.get(current, (0, 0))[1]
        waiting += [one for one, (parent, _) in times.items() if parent == current]
    return found / TICKS


def cost(running: Cluster, job: Callable[[], Frame]) -> Cost:
    """Return what a job takes whose rows are dropped."""
    cpu, wall = cpu_seconds(running.workers), time.monotonic()
    job().write.format("noop").mode("overwrite").save()
    return Cost(cpu_seconds(running.workers) - cpu, time.monotonic() - wall)


def nothing(batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the batches as they are."""
    yield from batches


def same_groups(df: Frame) -> Frame:
    """Return rows behind the shuffle that brings them to their policies."""
    groups = Groups(-(-df.count() // ROWS_PER_GROUP))
    return groups.of_rows(with_origins(df, "url", None)).repartition(groups.count, PART)


def measure(running: Cluster, df: Frame, policies: Frame, urls: int) -> None:
    """Print the rates, and their shares of the rates of an empty function."""
    parts = -(-urls // ROWS_PER_GROUP)
    grouped = same_groups(df)
    empty = {
        "an empty function": lambda: df.mapInArrow(nothing, df.schema),
        "the same behind a shuffle by URL": lambda: df.repartition(parts, "url").mapInArrow(
            nothing, df.schema
        ),
        "the same behind the shuffle by site": lambda: grouped.mapInArrow(nothing, grouped.schema),
    }
    found = {title: cost(running, job) for title, job in empty.items()}
    for plan, options in PLANS.items():
        found[f"verdicts, {plan}"] = cost(
            running,
            lambda: verdicts(df, policies, as_of.ROBOT, at="fetch_time", **options),  # noqa: B023
        )
    for title, (cpu, wall) in found.items():
        print(f"{title:36} {urls / cpu / 1e3:6.0f} k URLs/s of CPU, {wall:5.1f} s by the clock")
    alone, by_url, by_site = (found[title] for title in empty)
    for title, plan, base in (
        ("broadcast, against no shuffle", "broadcast", alone),
        ("groups, against a shuffle by URL", "groups", by_url),
        ("groups, against the same shuffle", "groups", by_site),
    ):
        taken = found[f"verdicts, {plan}"]
        print(f"{title:36} {base.cpu / taken.cpu:.0%} of CPU, {base.wall / taken.wall:.0%} of time")


def check(df: Frame, policies: Frame, folder: Path) -> None:
    """Compare each row of each plan with the answer of one machine.

    Raises:
        SystemExit: One differs.

    """
    rows = ds.dataset(folder / "urls").to_table().sort_by("id")
    table = PolicyTable(pq.read_table(folder / "policies.parquet"), cache_bytes=as_of.CACHE)
    names = [as_of.ROBOT, f"{as_of.ROBOT}:reason", f"{as_of.ROBOT}:line", "age"]
    wanted = pa.table(
        on_one_machine(rows["url"], table, as_of.ROBOT, rows["fetch_time"], explain=True)
    )
    for plan, options in PLANS.items():
        out = folder / plan
        answered = verdicts(
            df, policies, as_of.ROBOT, at="fetch_time", explain=True, **options
        ).select("id", *(f"`{name}`" for name in names))
        # Parquet has no intervals of Spark's; they are compared in microseconds.
        age = "CAST(age AS BIGINT)"
        answered.selectExpr(
            "id", *(f"`{name}`" for name in names[:3]), f"{age} AS age"
        ).write.parquet(str(out))
        found = ds.dataset(out).to_table().sort_by("id")
        if not found["id"].equals(rows["id"]):
            sys.exit(f"{plan}: rows are missing, or there twice")
        seconds = pc.divide(wanted["age"].cast(pa.int64()), 10**6)
        columns = [wanted[names[0]], wanted[names[1]].cast(pa.string()), wanted[names[2]], seconds]
        for name, column in zip(names, columns, strict=True):
            if not found[name].cast(column.type).equals(column):
                sys.exit(f"{plan}: the column {name} differs from that of one machine")
        print(f"{plan}: all {len(rows):,} rows have the answers of one machine.")


def main() -> None:
    """Make the data, start the cluster, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--urls", type=int, default=10_000_000)
    parser.add_argument("--origins", type=int, default=20_000)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # PySpark speaks of pandas, which is not used here
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_policies(folder / "policies.parquet", options.origins)
        write_urls(folder / "urls", options.urls, options.origins)
        (folder / "spark").mkdir()
        with cluster(folder / "spark", "3g") as running, session(running.master, OPTIONS) as spark:
            df = spark.read.parquet(str(folder / "urls"))
            policies = spark.read.parquet(str(folder / "policies.parquet"))
            check(df, policies, folder)
            measure(running, df, policies, options.urls)


if __name__ == "__main__":
    main()
