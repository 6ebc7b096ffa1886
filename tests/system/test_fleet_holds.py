"""Blocks, pauses and Retry-After in a fleet, as its sites see them: every machine obeys in time."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from tests.crawl.fleet.test_fleet import made, opened
from tests.support.postgres import running_cluster
from tests.support.program import run
from tests.support.waiting import until
from tests.system.fleet_lab import Lab, LabSites, running_namespaces

pytest.importorskip("psycopg_pool", reason="needs the extra postgres")

if TYPE_CHECKING:
    from pathlib import Path

MACHINES, SITES, PAGES, DELAY, LEASE = 2, 5, 20, 0.3, 3.0
RETRY_AFTER = 12
"""Seconds: longer than a lease, the time of a request and the longest pause that is not known."""
WHY = ("--why", "they asked")


async def order(*words: str) -> float:
    """Run a verb; return when the decision was made, by the clock of the sites."""
    done = await asyncio.to_thread(run, *words)
    assert done.returncode == 0, done.stderr
    return time.monotonic()


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has network namespaces")
def test_all_machines_obey_within_a_lease(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A block and a pause within the length of a lease, on every machine.

    And a site that answered 429 to one machine is left alone by the other, which inherits it.
    """
    from goodbot.crawl.fleet import fleet as settings  # noqa: PLC0415  needs the extra

    monkeypatch.setattr(settings, "DELAY", 0.0)

    async def main(lab: Lab) -> tuple[LabSites, float, float, float]:
        sites = LabSites(PAGES, DELAY, lab.is_held)
        await sites.open(lab.namespaces, SITES, 0)
        with made(lab.url, manners={"floor": DELAY, "default": DELAY, "factor": 0.0}) as fleet:
            await asyncio.to_thread(fleet.add, [(one, f"{one}/") for one in sites.origins])
        blocked, paused, busy, *_ = sites.origins
        running = asyncio.gather(*map(lab.keep_running, range(MACHINES)))

        def visited(origin: str) -> int:
            return sum(one.site == origin for one in sites.visits)

        await until(lambda: min(map(visited, sites.origins)) >= 3)
        block = await order("robot", "block", "add", lab.url, blocked, *WHY)
        pause = await order("robot", "pause", lab.url, paused, *WHY)
        sites.overloaded[busy] = RETRY_AFTER
        await until(lambda: busy in sites.waits)
        (asked,) = [v.machine for v in sites.visits if v.site == busy][-1:]
        await asyncio.sleep(1.0)  # until the worker has written the pause
        lab.restarts.clear()  # so that the other inherits the site
        lab.kill([lab.address(n) for n in range(MACHINES)].index(asked), signal.SIGKILL)
        seen = visited(busy)
        await until(lambda: visited(busy) > seen)
        lab.restarts.set()
        resumed = time.monotonic()
        await order("robot", "resume", lab.url, paused)
        sites.is_growing = False
        await running
        sites.close()
        return sites, block, pause, resumed

    with ExitStack() as stack:
        namespaces = stack.enter_context(running_namespaces(MACHINES))
        cluster = stack.enter_context(running_cluster())
        lab = Lab(namespaces, cluster, tmp_path, lease=LEASE)
        sites, block, pause, resumed = asyncio.run(main(lab))
        with opened(lab.url) as fleet:
            urls = fleet.status().urls
    blocked, paused, busy, *_ = sites.origins
    assert urls["done"] >= (SITES - 1) * (PAGES + 1)
    assert urls.keys() == {"done", "disallowed"}
    assert [one for one in sites.visits if one.site == blocked and one.began > block + LEASE] == []
    late = [one for one in sites.visits if one.site == paused and one.began > pause + LEASE]
    assert min(one.began for one in late) > resumed
    answered, until_then = sites.waits[busy]
    after = [one for one in sites.visits if one.site == busy and one.began > answered]
    assert min(one.began for one in after) >= until_then
    assert len({one.machine for one in sites.visits if one.site == busy}) == MACHINES
    assert min(sites.gaps()) >= DELAY
    assert [one for one in sites.visits if one.is_held is False] == []
