"""The work of the server does not grow with the queue, counted in buffers and rows by EXPLAIN."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.crawl.frontier.postgres_tables import STATEMENTS
from goodbot.store.postgres_schema import in_schema
from tests.support.examples import share_of, thorough
from tests.support.postgres import PostgresCluster, cluster

psycopg = pytest.importorskip("psycopg", reason="needs the extra postgres")

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["cluster"]

SMALL, LARGE = 100_000, 250_000 * share_of(4)  # a million in `make test-thorough`
"""URLs of the two queues; ten are at each site."""
LEASED, MERGED = 500, 10_000
SITES, MOST_MEGABYTES = 1_250 * share_of(4), 300

GROUPS = "INSERT INTO {s}.groups(name, due) SELECT 'https://' || n || '.example', n FROM "
URLS = """INSERT INTO {s}.urls(group_id, key, number, url, origin, depth, hops, how, source,
    spelling, state, reason, due, found)
    SELECT id, md5(id || '/' || n)::uuid, n, name || '/' || n, name, 1, 0, 'link', '', '',
    'queued', '', n, n FROM {s}.groups, generate_series(1, 10) AS n"""
# Half of the found URLs are known, and they are at sites all over the queue.
STAGE = """INSERT INTO pg_temp.goodbot_staged SELECT name, md5(id || '/' || n)::uuid, n,
    name || '/' || n, name, 2, 0, 'link', '', '', 'queued', '', n, n
    FROM {s}.groups, generate_series(6, 15) AS n WHERE id % (SELECT count(*) / 1000 FROM {s}.groups)
    = 0"""


def work_of(
    cluster: PostgresCluster, urls: int, prepare: tuple[str, ...], statement: str, *values: int
) -> tuple[int, int]:
    """Return how many buffers a statement touches on a queue of some length, and rows it changes.

    Args:
        cluster: The server.
        urls: The length of the queue.
        prepare: Statements before it, in the same transaction.
        statement: The name of the statement.
        values: Its values.

    """
    schema = f"queue_of_{urls}"
    with psycopg.connect(cluster.url()) as connection:
        done = connection.execute
        for one in prepare:
            done(in_schema(one, schema))
        plan = in_schema(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {STATEMENTS[statement]}", schema)
        (found,) = done(plan, values or None).fetchone()
        connection.rollback()
    root = (found if isinstance(found, list) else json.loads(found))[0]["Plan"]
    rows = max(rows_of(root, "ModifyTable"), default=0)
    return root["Shared Hit Blocks"] + root["Shared Read Blocks"], rows


def rows_of(plan: dict[str, Any], node: str) -> list[int]:
    """Return the rows that went into the nodes of one type."""
    below = [rows for one in plan.get("Plans", ()) for rows in rows_of(one, node)]
    own = [one["Actual Rows"] for one in plan.get("Plans", ()) if plan["Node Type"] == node]
    return [*below, *map(int, own)]


HOLDER = """
import re, sys
from datetime import datetime, timezone
from pathlib import Path
from goodbot.crawl.fleet.fleet_store import FleetStore
from goodbot.crawl.fleet.fleet_worker import FleetWorker
from goodbot.crawl.frontier.postgres import PostgresFrontier
from goodbot.net import SystemClock
from goodbot.pace import History
from goodbot.store import PostgresStore

now, clock = datetime.now(timezone.utc), SystemClock()
with PostgresStore(sys.argv[1]) as shared:
    store = FleetStore(shared, clock, lease_seconds=120, request_seconds=30, margin=30)
    frontier = PostgresFrontier(sys.argv[1], most_groups=int(sys.argv[2]), carrier=store)
    starts = [now] * 100
    for _ in range(int(sys.argv[2])):
        taken = frontier.take(now)
        lease = store.acquire_at_once(taken.origin, now, 60, "one")
        history = History.of(last_ended=now, starts=[datetime.now(timezone.utc) for _ in starts])
        assert store.release_at_once(lease, ended=now, not_before=now, history=history)
    assert frontier.held == int(sys.argv[2])
    # Not ru_maxrss, which is at least that of the process of the tests.
    status = Path("/proc/self/status").read_text()
    print(int(re.search(r"VmHWM:\\s+(\\d+)", status)[1]) // 1024)
    frontier.close()
"""
"""A worker that holds many sites, has visited each, and knows their last hundred visits."""


def fill(cluster: PostgresCluster, urls: int) -> None:
    """Make a queue of some length, unless it is there."""
    from goodbot.crawl.frontier.postgres import PostgresFrontier  # noqa: PLC0415  needs the extra

    schema = f"queue_of_{urls}"
    with psycopg.connect(cluster.url()) as connection:
        if connection.execute("SELECT to_regnamespace(%s)", (schema,)).fetchone()[0]:
            return
    PostgresFrontier(cluster.url(schema)).close()
    with psycopg.connect(cluster.url(), autocommit=True) as connection:
        for one in (f"{GROUPS} generate_series(1, {urls // 10}) AS n", URLS):
            connection.execute(in_schema(one, schema))
        for table in ("groups", "urls"):
            connection.execute(in_schema(f"VACUUM ANALYZE {{s}}.{table}", schema))


@thorough
def test_leasing_and_merging_cost_the_same_at_any_length(cluster: PostgresCluster) -> None:
    """As many buffers and rows, within a quarter, for 500 groups and for 10,000 found URLs."""
    for urls in (SMALL, LARGE):
        fill(cluster, urls)

    def lease(urls: int) -> tuple[int, int]:
        return work_of(cluster, urls, (), "lease", 1, 1 << 60, LEASED)

    def merge(urls: int) -> tuple[int, int]:
        return work_of(
            cluster, urls, (STATEMENTS["stage"], STAGE, "ANALYZE goodbot_staged"), "merge"
        )

    works: list[tuple[Callable[[int], tuple[int, int]], int]] = [(lease, LEASED), (merge, MERGED)]
    for work, rows in works:
        small, large = work(SMALL), work(LARGE)
        assert small[1] == large[1] == rows
        assert abs(large[0] / small[0] - 1) <= 0.25


@thorough
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells the peak")
def test_a_worker_with_many_sites_needs_little_memory(cluster: PostgresCluster) -> None:
    """With what it knows of the pace of each, and the next URLs of each."""
    fill(cluster, SMALL)
    url = cluster.url(f"queue_of_{SMALL}")
    command = [sys.executable, "-c", HOLDER, url, str(SITES)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603  ours
    assert int(done.stdout) <= MOST_MEGABYTES
