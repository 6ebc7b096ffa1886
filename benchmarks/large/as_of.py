"""Verdicts as of, from Parquet to Parquet: URLs of many origins, each by the policy of its time.

    python benchmarks/large/as_of.py --urls 10000000 --origins 100000

The data are made in a folder that is removed at the end: a table of policies as a memory-mapped
Arrow file, and the URLs sorted by origin and shuffled. Figures are CPU seconds of one core:
reading, opening, compiling, joining and writing are included.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from goodbot.tables.columns import PolicyTable
from goodbot.tables.columns.schema import arrow_schema
from goodbot.tables.writing import UrlColumns, write_verdicts

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import corpus
from corpus import load

ROBOT = "ExampleBot"
THREE = ("ExampleBot", "GPTBot", "CCBot")
START = datetime(2026, 1, 1, tzinfo=timezone.utc)
BATCH = 1 << 20
SAMPLE = 20_000
"""The rows of the slow way."""
CACHE = 2 * 1024**3
"""The bytes of compiled rules, where an engine has the table."""
PATHS = 1_000
TWO_POLICIES = 10
"""Of every ten origins one changed its policy."""

Times = pa.timestamp("us", "UTC")


def policies(origins: int) -> Iterator[pa.RecordBatch]:
    """Yield the policies of origins, each with a file of its own."""
    samples = load(2_000).samples
    for first in range(0, origins, 10_000):
        rows = []
        for number in range(first, min(first + 10_000, origins)):
            body = samples[number % len(samples)].content + b"\n# %d\n" % number
            times = (0, 12) if number % TWO_POLICIES == 0 else (0,)
            rows += [(origin(number), START + timedelta(hours=hour), body) for hour in times]
        count = len(rows)
        names, learned, bodies = zip(*rows, strict=True)
        yield pa.record_batch(
            {
                "origin": pa.array(names),
                "valid_from": pa.array(learned, Times),
                "valid_until": pc.add(pa.array(learned, Times), pa.scalar(timedelta(days=1))),
                "access": pa.array(["rules"] * count).dictionary_encode(),
                "reason": pa.array(["found"] * count).dictionary_encode(),
                "stale": pa.array([False] * count),
                "body": pa.array(bodies, pa.binary()),
            },
            metadata=arrow_schema().metadata,
        )


def origin(number: int) -> str:
    """Return the name of an origin; their order is that of the numbers."""
    return f"https://www.site-{number:08}.example"


def write_policies(path: Path, origins: int) -> None:
    """Write the table of policies."""
    batches = policies(origins)
    first = next(batches)
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, first.schema) as writer:
        writer.write_batch(first)
        for batch in batches:
            # A file has one dictionary; the same one is in each batch.
            writer.write_batch(batch)


def write_urls(path: Path, urls: int, origins: int, order: str) -> None:
    """Write URLs with times: in the order of origins, or in none."""
    numbers = random.Random(7)  # noqa: S311  nothing secret is made
    paths = [corpus.generic_path(numbers) + f"-{place:05}" for place in range(PATHS)]
    schema = pa.schema({"url": pa.string(), "fetch_time": Times})
    names = pa.array([origin(number) for number in range(origins)])
    tails = pa.array(paths)
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for first in range(0, urls, BATCH):
            rows = range(first, min(first + BATCH, urls))
            if order == "sorted":
                sites = [row * origins // urls for row in rows]
            else:
                sites = [numbers.randrange(origins) for _ in rows]
            hosts = names.take(pa.array(sites))
            ends = tails.take(pa.array([numbers.randrange(PATHS) for _ in rows]))
            micros = pa.array([numbers.randrange(24 * 3_600 * 10**6) for _ in rows])
            begin = int(START.timestamp()) * 10**6
            table = pa.table(
                {
                    "url": pc.binary_join_element_wise(hosts, ends, ""),
                    "fetch_time": pc.add(micros, begin).cast(Times),
                }
            )
            writer.write_table(table, row_group_size=BATCH)


def decide(policy_file: Path, url_file: Path, out: Path, robots: tuple[str, ...]) -> None:
    """Decide all URLs, from files to a file, as `goodbot tables verdicts` does."""
    columns = UrlColumns(at="fetch_time", copied=["url"])
    write_verdicts(url_file, policy_file, robots, out, columns=columns, threads=1)


def slowly(policy_file: Path, url_file: Path, rows: int) -> list[bool]:
    """Decide some URLs as a program in Python does: row by row, with Protego."""
    from protego import Protego  # noqa: PLC0415  one of the two ways needs it

    table = pa.ipc.open_file(pa.memory_map(str(policy_file))).read_all()
    names, learned, bodies = (table[name] for name in ("origin", "valid_from", "body"))
    batch = next(pq.ParquetFile(url_file).iter_batches(rows))
    last = urlsplit(batch["url"][-1].as_py())
    count = sum(1 for _ in takewhile_up_to(names, f"{last.scheme}://{last.netloc}"))
    known: dict[str, list[tuple[datetime, bytes]]] = {}
    for name, at, body in zip(
        names[:count].to_pylist(), learned[:count].to_pylist(), bodies[:count].to_pylist(),
        strict=True,
    ):  # fmt: skip
        known.setdefault(name, []).append((at, body))
    parsed: dict[bytes, Protego] = {}
    answers = []
    for url, time_ in zip(batch["url"].to_pylist(), batch["fetch_time"].to_pylist(), strict=True):
        parts = urlsplit(url)
        body = [body for at, body in known[f"{parts.scheme}://{parts.netloc}"] if at <= time_][-1]
        if body not in parsed:
            parsed[body] = Protego.parse(body.decode("utf-8", "replace"))
        answers.append(parsed[body].can_fetch(url, ROBOT))
    return answers


def takewhile_up_to(names: pa.ChunkedArray, last: str) -> Iterator[str]:
    """Yield the sorted names up to one."""
    for chunk in names.chunks:
        for name in chunk.to_pylist():
            if name > last:
                return
            yield name


def timed(action: Callable[[], object]) -> float:
    """Return the CPU seconds of an action."""
    start = time.process_time()
    action()
    return time.process_time() - start


def main() -> None:
    """Make the data, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--urls", type=int, default=2_000_000)
    parser.add_argument("--origins", type=int, default=20_000)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    pa.set_cpu_count(1)
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        measure(Path(name), options.urls, options.origins)


def measure(folder: Path, urls: int, origins: int) -> None:
    """Print what each way takes."""
    policy_file, out = folder / "policies.arrow", folder / "out.parquet"
    write_policies(policy_file, origins)
    with pa.memory_map(str(policy_file)) as file:
        table = pa.ipc.open_file(file).read_all()
        seconds = min(timed(lambda: PolicyTable(table)) for _ in range(3))
        print(f"Opening {table.num_rows:,} policies: {seconds * 1e3:.1f} ms of CPU.")
    # What Python loads once is not counted, in either way.
    write_urls(folder / "few.parquet", 1_000, origins, "sorted")
    decide(policy_file, folder / "few.parquet", folder / "answered.parquet", (ROBOT,))
    slowly(policy_file, folder / "few.parquet", 10)
    rates = {}
    for order in ("sorted", "unsorted"):
        url_file = folder / f"{order}.parquet"
        write_urls(url_file, urls, origins, order)
        for robots in ((ROBOT,), THREE):
            out.unlink(missing_ok=True)
            seconds = timed(lambda: decide(policy_file, url_file, out, robots))  # noqa: B023
            rates[order, len(robots)] = urls / seconds
            print(f"{order}, robots: {len(robots)}: {urls / seconds / 1e6:.2f} M URLs/s a core.")
    url_file, rows = folder / "sorted.parquet", min(SAMPLE, urls)
    seconds = timed(lambda: slowly(policy_file, url_file, rows))
    print(f"Row by row in Python, {rows:,} rows: {rows / seconds:,.0f} URLs/s.")
    print(f"The columns are {rates['sorted', 1] * seconds / rows:.0f} times as fast.")
    for order in ("sorted", "unsorted"):
        ratio = rates[order, 1] / rates[order, 3]
        print(f"Three robots take {ratio:.2f} times one's time, {order}.")


if __name__ == "__main__":
    main()
