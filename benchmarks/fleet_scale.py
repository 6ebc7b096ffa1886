"""Count what the queue of a fleet costs PostgreSQL, from a hundred thousand URLs to ten million.

Ten URLs are at each site. For each length, 500 sites are leased, and 10,000 found links merged, of
which half are known, at a thousand sites all over the queue. EXPLAIN (ANALYZE, BUFFERS) counts the
buffers and rows that these touch; each change is rolled back. It does so with the statistics of an
empty queue, as they are when a crawl has just begun, after ANALYZE, and with plans that are made
anew for the values, so that no change of plans goes unnoticed. It does all of it with the number of
partitions that docs/explanation/fleets.md advises for the longest queue, to which the targets
apply, and with the default. It also measures the memory of a worker that has leased many sites.

Ten million URLs take ten minutes, and 6 GB in the folder for temporary files, which are removed.
It needs PostgreSQL (Debian: apt-get install postgresql).

python benchmarks/fleet_scale.py [URLS [SITES]]      print the figures, up to so many URLs
"""

import itertools
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import zip_longest
from pathlib import Path
from typing import Any

import psycopg

from drawing import Target, at_most, table
from fleet import Cluster, cluster
from goodbot.crawl.fleet.fleet_store import FleetStore
from goodbot.crawl.frontier.postgres import BY_INDEX, PostgresFrontier
from goodbot.crawl.frontier.postgres_tables import PARTITIONS, STATEMENTS, queue_tables
from goodbot.net import SystemClock
from goodbot.pace import History
from goodbot.store import Lease, PostgresStore
from goodbot.store.postgres_schema import in_schema
from goodbot.store.postgres_server import PostgresServer
from process_memory import status

PROGRAM = str(Path(__file__).resolve())
SMALLEST, URLS = 100_000, 10_000_000
LEASED, MERGED = 500, 10_000
SITES = 5_000
"""How many sites a worker has leased whose memory is measured."""
URLS_OF_A_PARTITION = 80_000
"""How many URLs a partition has at most, about, where as many partitions are made as is advised."""
GROWTH_TARGET = 1.25
"""Buffers or rows, as a multiple of the fewest at any length, with the same statistics."""
MEMORY_TARGET = 300e6
SETTINGS = """autovacuum = off
wal_level = minimal
max_wal_senders = 0
max_wal_size = 2GB
"""
"""The statistics change only when they are meant to, and a large queue is made faster."""

GROUPS = "INSERT INTO {s}.groups(name, due) SELECT 'https://' || n || '.example', n FROM "
FOUND = """SELECT {id}, md5(id || '/' || n)::uuid,
    ('x' || left(md5(id || '/' || n), 15))::bit(60)::bigint, name || '/' || n, name, {depth}, 0,
    'link', '', '', 'queued', '', n, n FROM {{s}}.groups, generate_series({first}, {last}) AS n"""
QUEUED = """INSERT INTO {s}.urls(group_id, key, number, url, origin, depth, hops, how, source,
    spelling, state, reason, due, found) """ + FOUND.format(id="id", depth=1, first=1, last=10)
# Half of the found URLs are known.
EVERY = "(SELECT count(*) / 1000 FROM {s}.groups)"
STAGED = f"""INSERT INTO pg_temp.goodbot_staged {FOUND.format(id="id", depth=2, first=6, last=15)}
    WHERE mod(id, {EVERY}) = mod(%s::bigint, {EVERY})"""
SIZE = """SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
    WHERE relkind = 'r' AND relname LIKE 'urls%' AND relnamespace = '{s}'::regnamespace"""
ANALYZED = "after ANALYZE"
PLANS = {
    "of an empty queue": ("", ""),
    ANALYZED: ("VACUUM ANALYZE", ""),
    "after ANALYZE, planned for the values": ("VACUUM", " -c plan_cache_mode=force_custom_plan"),
}
"""The statistics: what changes them, and the further settings of the session."""


@dataclass(frozen=True)
class ScaleRow:
    """What one statement costs, at one length of the queue."""

    urls: int
    partitions: int
    statement: str
    statistics: str
    buffers: int
    rows: int
    """The rows that all steps of the plan read."""
    changed: int
    seconds: float


@dataclass(frozen=True)
class ScaleResults:
    """All results."""

    rows: Sequence[ScaleRow]
    bytes_each: float
    """The size of the largest queue with its indexes, divided by the number of URLs."""
    memory: int
    """The peak of a worker that has leased many sites, in bytes."""
    sites: int

    @property
    def advised(self) -> int:
        """The number of partitions that is advised for the longest queue."""
        return self.rows[0].partitions

    def of(self, partitions: int) -> list[ScaleRow]:
        """Return the rows of queues with some number of partitions."""
        return [row for row in self.rows if row.partitions == partitions]

    def growth(self, statement: str, partitions: int) -> float:
        """Return the most buffers or rows as a multiple of the fewest, with the same statistics."""
        counts: dict[tuple[str, str], list[int]] = {}
        for row in self.of(partitions):
            if row.statement != statement:
                continue
            counts.setdefault((row.statistics, "buffers"), []).append(row.buffers)
            counts.setdefault((row.statistics, "rows"), []).append(row.rows)
        return max(max(one) / min(one) for one in counts.values())


# The queue.


def advised(urls: int) -> int:
    """Return how many partitions are advised for a queue: a power of two, at least the default."""
    found = PARTITIONS
    while found * URLS_OF_A_PARTITION < urls:
        found *= 2
    return found


def fill(server: Cluster, schema: str, urls: int, partitions: int) -> float:
    """Make a queue of some length, whose statistics are those of an empty one; return seconds."""
    started = time.perf_counter()
    PostgresServer(f"{server.name}&schema={schema}", (queue_tables(partitions),)).close()
    for one in ("ANALYZE", f"{GROUPS} generate_series(1, {urls // 10}) AS n", QUEUED, "CHECKPOINT"):
        server.do(in_schema(one, schema).decode())
    return time.perf_counter() - started


def prepared(statement: str) -> str:
    """Return a statement of the queue as PREPARE takes it."""
    places = itertools.count(1)
    return re.sub("%s", lambda _: f"${next(places)}", STATEMENTS[statement])


def cost_of(
    server: Cluster, schema: str, statement: str, values: str, session: str, place: int
) -> tuple[int, int, int, float]:
    """Return buffers, rows read, rows changed, and seconds of a statement; change nothing."""
    with psycopg.connect(server.name, options=BY_INDEX + session) as connection:
        done = connection.execute

        def do(text: str, values: Sequence[object] | None = None) -> Any:  # noqa: ANN401  a cursor
            return done(in_schema(text, schema), values)

        if statement == "merge":
            do(STATEMENTS["stage"])
            do(STAGED, (place,))
        do(f"PREPARE asked AS {prepared(statement)}")
        (found,) = do(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE asked{values}").fetchone()
        connection.rollback()
    plan = (found if isinstance(found, list) else json.loads(found))[0]
    root = plan["Plan"]
    buffers = int(root["Shared Hit Blocks"]) + int(root["Shared Read Blocks"])
    changed = max(changed_rows(root), default=0)
    return buffers, read_rows(root), changed, plan["Execution Time"] / 1e3


def read_rows(plan: dict[str, Any]) -> int:
    """Return the rows that all steps of a plan read, also those that they drop."""
    dropped = sum(value for name, value in plan.items() if name.startswith("Rows Removed by"))
    below = sum(read_rows(one) for one in plan.get("Plans", ()))
    return int((plan["Actual Rows"] + dropped) * plan["Actual Loops"]) + below


def changed_rows(plan: dict[str, Any]) -> list[int]:
    """Return the rows that went into each change of a plan."""
    below = plan.get("Plans", ())
    own = [int(one["Actual Rows"]) for one in below if plan["Node Type"] == "ModifyTable"]
    return [*own, *(rows for one in below for rows in changed_rows(one))]


def costs(server: Cluster, schema: str, urls: int, partitions: int) -> list[ScaleRow]:
    """Return what each statement costs at one length, with any statistics."""
    rows = []
    for place, (statistics, (command, session)) in enumerate(PLANS.items()):
        for name in ("groups", "urls") if command else ():
            server.do(in_schema(f"{command} {{s}}.{name}", schema).decode())
        for statement, values in (("lease", f"(1, {1 << 60}, {LEASED})"), ("merge", "")):
            found = cost_of(server, schema, statement, values, session, place)
            rows.append(ScaleRow(urls, partitions, statement, statistics, *found))
    return rows


# A worker.


def hold(database: str, sites: int) -> int:
    """Lease sites, and visit each; return the memory of the process at its peak.

    Each has its next URLs at hand, and the times of its last hundred visits.
    """
    now = datetime.now(timezone.utc)
    with PostgresStore(database) as shared:
        store = FleetStore(shared, SystemClock(), lease_seconds=120, request_seconds=30, margin=30)
        frontier = PostgresFrontier(database, most_groups=sites, carrier=store)
        for _ in range(sites):
            taken = frontier.take(now)
            assert taken is not None  # noqa: S101  the queue is long enough
            lease = store.acquire_at_once(taken.origin, now, 60, "one")
            assert isinstance(lease, Lease)  # noqa: S101  nobody else asks
            starts = [datetime.now(timezone.utc) for _ in range(100)]
            history = History.of(last_ended=now, starts=starts)
            store.release_at_once(lease, ended=now, not_before=now, history=history)
        assert frontier.held == sites  # noqa: S101  it gives none back
        peak = status("VmHWM")
        frontier.close()
    return peak


def memory_of(server: Cluster, schema: str, sites: int) -> int:
    """Return the memory of a worker that has leased some sites, in bytes."""
    database = f"{server.name}&schema={schema}"
    command = [sys.executable, PROGRAM, "hold", database, str(sites)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)  # noqa: S603  ours
    return int(done.stdout)


# All of it.


def lengths(smallest: int, most: int) -> list[int]:
    """Return the lengths of the queues: each has ten times as many URLs as the one before."""
    found = [smallest]
    while found[-1] * 10 <= most:
        found.append(found[-1] * 10)
    return found


def measure(
    most: int = URLS,
    sites: int = SITES,
    smallest: int = SMALLEST,
    show: Callable[[str], object] = lambda _: None,
) -> ScaleResults:
    """Measure queues up to some length."""
    rows: list[ScaleRow] = []
    bytes_each = []
    queues = lengths(min(smallest, most), most)
    numbers = dict.fromkeys((advised(queues[-1]), PARTITIONS))
    with cluster(SETTINGS) as server:
        schema = "queue_of_a_worker"
        fill(server, schema, queues[0], next(iter(numbers)))
        memory = memory_of(server, schema, sites)
        server.do(f"DROP SCHEMA {schema} CASCADE")
        for partitions, urls in itertools.product(numbers, queues):
            schema = f"queue_of_{urls}_in_{partitions}"
            seconds = fill(server, schema, urls, partitions)
            rows += costs(server, schema, urls, partitions)
            ((size,),) = server.do(in_schema(SIZE, schema).decode())
            bytes_each.append(int(size) / urls)
            server.do(f"DROP SCHEMA {schema} CASCADE")
            show(
                f"{urls:,} URLs in {partitions} partitions: made in {seconds:.0f} s, "
                f"{bytes_each[-1]:.0f} bytes each"
            )
    return ScaleResults(rows, bytes_each[len(queues) - 1], memory, sites)


def targets(found: ScaleResults) -> list[Target]:
    """Return every target, with the measured value."""
    least, most = found.rows[0].urls, found.rows[-1].urls
    of = (
        f"buffers and rows of PostgreSQL from {least:,} to {most:,} URLs in {found.advised} "
        "partitions"
    )
    return [
        Target(
            f"{what}, {of}, the most against the fewest: at most {GROWTH_TARGET:g} times",
            f"{found.growth(name, found.advised):.2f} times",
            found.growth(name, found.advised) <= GROWTH_TARGET,
        )
        for name, what in (
            ("lease", f"leasing {LEASED} sites"),
            ("merge", f"merging {MERGED:,} found links"),
        )
    ] + [
        at_most(
            f"memory of a worker that has leased {found.sites:,} sites",
            found.memory / 1e6,
            MEMORY_TARGET / 1e6,
            " MB",
        )
    ]


def wrong(found: ScaleResults) -> list[str]:
    """Return every unexpected answer, as a sentence."""
    wanted = {"lease": LEASED, "merge": MERGED}
    return [
        f"the queue of a fleet: {row.statement} changed {row.changed} rows of {row.urls:,} URLs"
        for row in found.rows
        if row.changed != wanted[row.statement]
    ]


def section(found: ScaleResults) -> str:
    """Return the table."""
    of_default = found.of(PARTITIONS) if found.advised != PARTITIONS else []
    head = ["URLs", "statement", "statistics", "buffers", "rows read", "time"]
    head += [f"{one} in {PARTITIONS}" for one in head[3:]] if of_default else []
    rows = [
        [f"{row.urls:,}", row.statement, row.statistics, *figures(row)]
        + (figures(beside) if beside else [])
        for row, beside in zip_longest(found.of(found.advised), of_default)
    ]
    text = (
        f"{table(head, rows)}\n"
        f"`lease`: {LEASED} of the sites that are due; `merge`: {MERGED:,} found links, half of "
        "them known, at a thousand sites all over the queue. Ten URLs are at each site. "
        "`statistics`: those by which PostgreSQL plans. "
        f"The queue has {found.advised} partitions"
    )
    if of_default:
        lease, merge = (found.growth(one, PARTITIONS) for one in ("lease", "merge"))
        text += (
            f", as is advised for its greatest length; with {PARTITIONS}, the default, leasing "
            f"costs at most {lease:.2f} times the fewest buffers or rows, and merging {merge:.2f}"
        )
    return (
        f"{text}.\n\n"
        f"A URL takes {found.bytes_each:.0f} bytes of the database, with its indexes. A worker "
        f"that has leased {found.sites:,} sites and visited each takes "
        f"{found.memory / 1e6:.0f} MB at its peak.\n"
    )


def figures(row: ScaleRow) -> list[str]:
    """Return what a statement cost, for the table."""
    return [f"{row.buffers:,}", f"{row.rows:,}", f"{row.seconds * 1e3:.0f} ms"]


def main(arguments: Sequence[str]) -> int:
    """Print the figures; return 1 if a target is missed."""
    if arguments[:1] == ["hold"]:
        print(hold(arguments[1], int(arguments[2])))
        return 0
    most, sites, *_ = [*map(int, arguments), *(URLS, SITES)[len(arguments) :]]
    found = measure(most, sites, show=print)
    print(section(found))
    missed = [one for one in targets(found) if not one.met]
    print("\n".join(f"{one.wanted}: {one.measured}" for one in targets(found)))
    print("\n".join(wrong(found)))
    return int(bool(missed or wrong(found)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
