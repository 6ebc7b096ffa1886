"""A fleet on several machines, which are stopped, killed and cut off, as its sites see it."""

from __future__ import annotations

import asyncio
import random
import signal
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.crawl.fleet.test_fleet import made, opened
from tests.support.examples import share_of, thorough
from tests.support.fault_record import count_unproven, record_faults
from tests.support.lossy_proxy import LossyProxy
from tests.support.postgres import running_cluster
from tests.support.waiting import until
from tests.system.fleet_lab import Lab, LabSites, running_namespaces
from tests.system.test_fleet_kills import requests_in

pytest.importorskip("psycopg_pool", reason="needs the extra postgres")

if TYPE_CHECKING:
    from collections.abc import Callable

MACHINES, SINGLE, GROUPED, PAGES, DELAY = 3, 9, 3, 8, 0.3
LEASE = 2.0
STOPPED = 1.5 * LEASE
EVENTS = share_of(40)
SEED = 20261129
BETWEEN = 0.2
"""Seconds between hosts of a group: the least that `Manners.floor` asks for."""


KILLED, STOPPED_LONG = "worker of a machine killed", "machine stopped for longer than its leases"


async def disturb(lab: Lab, sites: LabSites, proxies: list[LossyProxy]) -> Counter[str]:
    """Disturb machines, connections and the server; return how often, by what was done.

    A worker that is stopped for longer than its lease must send nothing when it goes on.
    """
    chance = random.Random(SEED)  # noqa: S311  no secret
    done: Counter[str] = Counter()
    events = ["kill", "cut", "stop", "restart", "lose"]
    for number in range(EVENTS):
        await asyncio.sleep(chance.uniform(0.2, 1.0))
        event, machine = events[number % len(events)], chance.randrange(MACHINES)
        if event == "kill":
            done[KILLED] += lab.kill(machine, signal.SIGKILL)
        elif event == "cut":
            proxies[machine].cut()
            done["connections to PostgreSQL cut"] += 1
        elif event == "lose":
            proxies[machine].losing = chance.choice((b"COMMIT", b"UPDATE", b"SELECT"))
        elif event == "restart":
            await asyncio.to_thread(lab.cluster.restart, "immediate")
            done["immediate restart of PostgreSQL"] += 1
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
            done[STOPPED_LONG] += 1
    return done


@thorough
@pytest.mark.skipif(sys.platform != "linux", reason="Linux has network namespaces")
def test_machines_that_fail_are_polite_and_lose_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    """By the logs of the sites: none early, by origin and by group, and none beyond a lease.

    And of each site robots.txt is fetched once, but for workers that were killed meanwhile.
    """
    from goodbot.crawl.fleet import fleet as settings  # noqa: PLC0415  needs the extra

    monkeypatch.setattr(settings, "DELAY", 0.0)

    async def main(lab: Lab, proxies: list[LossyProxy]) -> tuple[LabSites, Counter[str]]:
        sites = LabSites(PAGES, DELAY, lab.is_held)
        await sites.open(lab.namespaces, SINGLE, GROUPED)
        manners = {"groups": ["198.18.0.2/32"], "floor": BETWEEN, "default": BETWEEN, "factor": 0.0}
        with made(lab.url, manners=manners) as fleet:
            start = [(one, f"{one}/") for one in sites.origins]
            await asyncio.to_thread(fleet.add, start)
        running = asyncio.gather(*map(lab.keep_running, range(MACHINES)))
        await until(lambda: len(sites.machines()) == MACHINES, "visits of all machines")
        done = await disturb(lab, sites, proxies)
        sites.is_growing = False
        await running
        sites.close()
        done["answer of PostgreSQL lost"] = sum(one.lost for one in proxies)
        return sites, done

    with ExitStack() as stack:
        namespaces = stack.enter_context(running_namespaces(MACHINES))
        cluster = stack.enter_context(running_cluster())
        lab = Lab(namespaces, cluster, tmp_path, lease=LEASE)
        proxies = []
        for machine in range(MACHINES):
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="goodbot-px-"))
            proxies.append(stack.enter_context(LossyProxy(cluster, Path(folder))))
            lab.urls[machine] = proxies[machine].url(lab.schema)
        sites, done = asyncio.run(main(lab, proxies))
        with opened(lab.url) as fleet:
            status = fleet.status()
        crashes = lab.crashes()
    known: Counter[str] = Counter()
    for machine in range(MACHINES):
        known += requests_in(tmp_path / f"{machine}")
    record = sites.record("results in folders, machines in namespaces")
    record.faults = dict(done)
    record.early = sum(gap < DELAY for gap in sites.gaps())
    record.early += sum(gap < BETWEEN for gap in sites.gaps(sites.groups))
    record.lost = len(sites.everything()) - status.urls["done"]
    record.unproven = sum(count_unproven(sites.seen(), known, crashes).values())
    record_faults(record_property, record)
    assert status.urls == {"done": len(sites.everything())}
    robots_txt = {(site, "/robots.txt") for site in sites.origins}
    assert {(v.site, v.path) for v in sites.visits} == sites.everything() | robots_txt
    ended = done[KILLED] + done[STOPPED_LONG]
    assert sites.repeated() <= ended * 4
    assert sites.repeated(["/robots.txt"]) <= ended
