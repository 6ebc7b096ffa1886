"""A fleet whose workers and database are killed again and again, from the side of its sites."""

from __future__ import annotations

import asyncio
import random
import sys
from collections import Counter
from contextlib import AsyncExitStack, suppress
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.crawl.fleet.test_fleet import DELAY, PAGES, made, opened, site, worker
from tests.support.examples import share_of, thorough
from tests.support.postgres import running_cluster

pytest.importorskip("psycopg_pool", reason="needs the extra postgres")

if TYPE_CHECKING:
    from pathlib import Path

    from goodbot.testing import LoopbackSite
    from tests.support.postgres import PostgresCluster

KILLS, RESTARTS, WORKERS, SITES = share_of(80), share_of(8), 3, 12
SEED = 20261129


async def run_always(
    url: str, folder: Path, running: dict[int, asyncio.subprocess.Process], number: int
) -> None:
    """Start a worker again whenever it ends, until it has ended in order."""
    while True:
        one = await worker(url, folder, "--lease", "2", "--workers", "4")
        running[number] = one
        await one.communicate()
        if one.returncode == 0:
            return


async def kill_always(
    cluster: PostgresCluster, running: dict[int, asyncio.subprocess.Process]
) -> int:
    """Kill workers at random moments, and the server now and then; return how many."""
    chance = random.Random(SEED)  # noqa: S311  no secret
    kills = 0
    for number in range(KILLS):
        await asyncio.sleep(chance.uniform(0.1, 1.2))
        if number % (KILLS // RESTARTS) == 1:
            await asyncio.to_thread(cluster.restart, "immediate")
        with suppress(ProcessLookupError, KeyError):  # it has ended, or has not begun
            running[chance.randrange(WORKERS)].kill()
            kills += 1
    return kills


@thorough
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_fleet_that_is_killed_everywhere_is_polite_and_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No page is lost, no request too early, and only what was under way is repeated."""
    from goodbot.crawl.fleet import fleet as settings  # noqa: PLC0415  needs the extra

    monkeypatch.setattr(settings, "DELAY", 0.0)

    async def main(cluster: PostgresCluster) -> tuple[list[LoopbackSite], int]:
        url = cluster.new_url()
        async with AsyncExitStack() as stack:
            sites = [await stack.enter_async_context(site()) for _ in range(SITES)]
            with made(url) as fleet:
                start = [(one.origin, f"{one.origin}/") for one in sites]
                await asyncio.to_thread(fleet.add, start)
            running: dict[int, asyncio.subprocess.Process] = {}
            killing = asyncio.ensure_future(kill_always(cluster, running))
            await asyncio.gather(
                *(
                    run_always(url, tmp_path / f"{number}", running, number)
                    for number in range(WORKERS)
                )
            )
            kills = await killing
            with opened(url) as fleet:
                status = fleet.status()
            assert status.urls == {"done": SITES * (PAGES + 1)}
            assert status.sites["idle"] == SITES
        return sites, kills

    with running_cluster() as cluster:
        sites, kills = asyncio.run(main(cluster))
    repeated = 0
    for one in sites:
        counts = Counter(visit.target for visit in one.visits)
        assert len(counts) == PAGES + 2
        repeated += sum(counts.values()) - len(counts)
        times = [visit.at for visit in one.visits]
        assert min(after - before for before, after in pairwise(times)) >= DELAY
    assert repeated <= kills * 4, "no more than the killed workers had under way"
