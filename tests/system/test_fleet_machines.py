"""A fleet on several machines, which are stopped, killed and cut off, as its sites see it."""

from __future__ import annotations

import asyncio
import random
import signal
import sys
import tempfile
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from tests.crawl.fleet.test_fleet import made, opened
from tests.support.examples import share_of, thorough
from tests.support.lossy_proxy import LossyProxy
from tests.support.postgres import running_cluster
from tests.support.waiting import until
from tests.system.fleet_lab import Lab, LabSites, running_namespaces

pytest.importorskip("psycopg_pool", reason="needs the extra postgres")

MACHINES, SINGLE, GROUPED, PAGES, DELAY = 3, 9, 3, 8, 0.3
LEASE = 2.0
STOPPED = 1.5 * LEASE
EVENTS = share_of(40)
SEED = 20261129
BETWEEN = 0.2
"""Seconds between hosts of a group: the least that `Manners.floor` asks for."""


async def disturb(lab: Lab, sites: LabSites, proxies: list[LossyProxy]) -> tuple[int, int]:
    """Disturb machines, connections and the server; return how many workers ended by that.

    A worker that is stopped for longer than its lease must send nothing when it goes on.
    """
    chance = random.Random(SEED)  # noqa: S311  no secret
    killed = stopped = 0
    events = ["kill", "cut", "stop", "restart", "lose"]
    for number in range(EVENTS):
        await asyncio.sleep(chance.uniform(0.2, 1.0))
        event, machine = events[number % len(events)], chance.randrange(MACHINES)
        if event == "kill":
            killed += lab.kill(machine, signal.SIGKILL)
        elif event == "cut":
            proxies[machine].cut()
        elif event == "lose":
            proxies[machine].losing = chance.choice((b"COMMIT", b"UPDATE", b"SELECT"))
        elif event == "restart":
            await asyncio.to_thread(lab.cluster.restart, "immediate")
        elif lab.kill(machine, signal.SIGSTOP):
            process = lab.running[machine]
            await asyncio.sleep(STOPPED)
            before = len(sites.visits)
            process.send_signal(signal.SIGCONT)
            # It ends if it held a site; the next worker of this machine needs its time to start.
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(process.wait(), LEASE)
            mine = [v for v in sites.visits[before:] if v.machine == lab.address(machine)]
            late = [v for v in mine if v.is_held is False]
            assert late == [], "sent after its lease had ended"
            stopped += 1
    return killed, stopped


@thorough
@pytest.mark.skipif(sys.platform != "linux", reason="Linux has network namespaces")
def test_machines_that_fail_are_polite_and_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the logs of the sites: none early, by origin and by group, and none beyond a lease.

    And of each site robots.txt is fetched once, but for workers that were killed meanwhile.
    """
    from goodbot.crawl.fleet import fleet as settings  # noqa: PLC0415  needs the extra

    monkeypatch.setattr(settings, "DELAY", 0.0)

    async def main(lab: Lab, proxies: list[LossyProxy]) -> tuple[LabSites, int, int]:
        sites = LabSites(PAGES, DELAY, lab.is_held)
        await sites.open(lab.namespaces, SINGLE, GROUPED)
        manners = {"groups": ["198.18.0.2/32"], "floor": BETWEEN, "default": BETWEEN, "factor": 0.0}
        with made(lab.url, manners=manners) as fleet:
            start = [(one, f"{one}/") for one in sites.origins]
            await asyncio.to_thread(fleet.add, start)
        running = asyncio.gather(*map(lab.keep_running, range(MACHINES)))
        await until(lambda: len(sites.machines()) == MACHINES, "visits of all machines")
        killed, stopped = await disturb(lab, sites, proxies)
        sites.is_growing = False
        await running
        sites.close()
        return sites, killed, stopped

    with ExitStack() as stack:
        namespaces = stack.enter_context(running_namespaces(MACHINES))
        cluster = stack.enter_context(running_cluster())
        lab = Lab(namespaces, cluster, tmp_path, lease=LEASE)
        proxies = []
        for machine in range(MACHINES):
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="goodbot-px-"))
            proxies.append(stack.enter_context(LossyProxy(cluster, Path(folder))))
            lab.urls[machine] = proxies[machine].url(lab.schema)
        sites, killed, stopped = asyncio.run(main(lab, proxies))
        with opened(lab.url) as fleet:
            status = fleet.status()
    assert status.urls == {"done": len(sites.everything())}
    robots_txt = {(site, "/robots.txt") for site in sites.origins}
    assert {(v.site, v.path) for v in sites.visits} == sites.everything() | robots_txt
    assert min(sites.gaps()) >= DELAY
    assert min(sites.gaps(sites.groups)) >= BETWEEN
    assert [visit for visit in sites.visits if visit.is_held is False] == []
    ended = killed + stopped
    assert sites.repeated() <= ended * 4
    assert sites.repeated(["/robots.txt"]) <= ended
