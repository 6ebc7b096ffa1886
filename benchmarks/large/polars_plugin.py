"""Expressions of Polars against an expression that only reads its strings.

    make bench-large

The expression that only reads is in the plugin when that is built with its feature `trivial`: it
combines all bytes of each URL, and returns a boolean. Everything runs on one core, and figures are
CPU seconds of the best of some runs. The answers are compared with those of
`goodbot.tables.columns` and of `Rules.allows_many`.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import goodbot_polars
import polars as pl
import pyarrow as pa

import goodbot
from goodbot.tables.columns import PolicyTable, verdicts
from goodbot.tables.polars import allows

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import as_of

import corpus
from columns import chosen

REPEATS = 5
SHARE = 0.5
"""What share of the rate of reading alone is aimed for."""


def only_read(url: pl.Expr) -> pl.Expr:
    """Return the expression that only reads."""
    return pl.plugins.register_plugin_function(
        plugin_path=goodbot_polars.LIBRARY,
        function_name="trivial",
        args=[url],
        is_elementwise=True,
    )


def cost(frame: pl.DataFrame, expression: pl.Expr) -> float:
    """Return the CPU seconds of an expression: the best of some runs."""
    found = []
    for _ in range(REPEATS):
        start = time.process_time()
        frame.select(expression)
        found.append(time.process_time() - start)
    return min(found)


def show(title: str, frame: pl.DataFrame, expression: pl.Expr, expected: pl.Series) -> None:
    """Print the rate of an expression beside that of reading alone.

    Raises:
        SystemExit: The answers are wrong.

    """
    if not frame.select(expression).to_series().equals(expected, check_names=False):
        sys.exit(f"{title}: the answers are not those of goodbot.tables.columns")
    reading = cost(frame, only_read(pl.col("url")))
    deciding = cost(frame, expression)
    rows = len(frame) / 1e6
    print(
        f"{title:32} {rows / deciding:6.1f} M URLs/s, reading alone {rows / reading:6.1f}: "
        f"{reading / deciding:.0%} (aimed for: {SHARE:.0%})"
    )


def rules_of_one_file(urls: int) -> None:
    """Measure the rules of the median file and of the largest one."""
    for label, sample in chosen(corpus.load(2_000).samples).items():
        file = goodbot.RobotsTxt(sample.content)
        frame = pl.DataFrame({"url": corpus.long_urls(urls, sample.host, sample.content)})
        rules = file.rules_for(as_of.ROBOT)
        wanted: Any = rules.allows_many(frame["url"])
        title = f"{label}, rules: {len(rules):,}"
        show(title, frame, allows(pl.col("url"), as_of.ROBOT, file), wanted)


def policies_of_then(folder: Path, urls: int, origins: int) -> None:
    """Measure the policies of each time, with URLs in the order of origins and in none."""
    policy_file = folder / "policies.arrow"
    as_of.write_policies(policy_file, origins)
    with pa.memory_map(str(policy_file)) as file:
        table = PolicyTable(pa.ipc.open_file(file).read_all(), cache_bytes=as_of.CACHE)
        expression = allows(pl.col("url"), as_of.ROBOT, table, at="fetch_time")
        for order in ("sorted", "unsorted"):
            as_of.write_urls(folder / order, urls, origins, order)
            frame = pl.read_parquet(folder / order, glob=False).rechunk()
            found = verdicts(frame["url"], table, as_of.ROBOT, frame["fetch_time"])
            wanted = pl.DataFrame(found).to_series()
            show(f"as of, origins: {origins:,}, {order}", frame, expression, wanted)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--urls", type=int, default=2_000_000)
    parser.add_argument("--origins", type=int, default=20_000)
    options = parser.parse_args()
    # One core: Polars hands whole columns over here, and the plugin starts a thread for each core.
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    rules_of_one_file(options.urls)
    with tempfile.TemporaryDirectory() as name:
        policies_of_then(Path(name), options.urls, options.origins)


if __name__ == "__main__":
    main()
