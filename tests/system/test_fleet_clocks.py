"""Machines of a fleet whose clocks are an hour off, and are set meanwhile.

By the logs of the sites nothing is early, and the evidence has for each request its worker, its
lease and both times.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections import Counter
from contextlib import ExitStack, closing
from datetime import datetime, timezone
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.crawl.evidence.request_export import request_rows
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.report.report import report_on
from goodbot.crawl.run.settings import GivenSettings
from tests.crawl.fleet.test_fleet import ROBOT, opened
from tests.support.fault_record import count_unproven, record_faults
from tests.support.postgres import running_cluster
from tests.support.waiting import until
from tests.system.fleet_lab import Lab, LabSites, running_namespaces

pytest.importorskip("psycopg_pool", reason="needs the extra postgres")
pytest.importorskip("obstore", reason="needs the extra objects")

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SINGLE, GROUPED, PAGES, DELAY, BETWEEN, LEASE = 6, 2, 10, 0.3, 0.2, 3.0
HOUR = 3_600.0
CLOCKS: dict[int, dict[str, float]] = {
    0: {"ahead": HOUR},
    1: {"ahead": -HOUR, "step": 2 * HOUR, "every": 0.7},
}
NEAR = 1.0
"""Seconds by which two readings of the same clock may differ here."""


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has network namespaces")
def test_clocks_that_are_wrong_change_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    """A worker is stopped and one is killed, so that sites pass from one machine to the other."""
    from goodbot.crawl.fleet import fleet as settings  # noqa: PLC0415  needs the extra
    from goodbot.crawl.fleet.gathering import gather  # noqa: PLC0415  as above

    monkeypatch.setattr(settings, "DELAY", 0.0)
    # The server and this process have the same clock.
    since = time.time() - time.monotonic()

    async def main(lab: Lab) -> LabSites:
        sites = LabSites(PAGES, DELAY, lab.is_held)
        await sites.open(lab.namespaces, SINGLE, GROUPED)
        manners = {"groups": ["198.18.0.2/32"], "floor": BETWEEN, "default": BETWEEN, "factor": 0.0}
        with opened(lab.url) as fleet:
            fleet.make(
                GivenSettings(**ROBOT, manners=manners), objects=f"file://{tmp_path}/objects"
            )
            await asyncio.to_thread(fleet.add, [(one, f"{one}/") for one in sites.origins])
        running = asyncio.gather(*map(lab.keep_running, CLOCKS))
        await until(lambda: len(sites.machines()) == len(CLOCKS), "visits of all machines")
        lab.kill(0, signal.SIGTERM)
        seen = len(sites.visits)
        await until(lambda: len(sites.visits) >= seen + 12)
        lab.kill(1, signal.SIGKILL)
        sites.is_growing = False
        await running
        sites.close()
        return sites

    with ExitStack() as stack:
        namespaces = stack.enter_context(running_namespaces(len(CLOCKS)))
        cluster = stack.enter_context(running_cluster())
        lab = Lab(namespaces, cluster, tmp_path, lease=LEASE, words=["--publish-after", "1"])
        lab.clocks = CLOCKS
        sites = asyncio.run(main(lab))
        with opened(lab.url) as fleet:
            urls = fleet.status().urls
            gather(fleet, tmp_path / "gathered")
        crashes = lab.crashes()
    with open_readonly(tmp_path / "gathered") as database:
        rows = list(request_rows(database))
        with closing(report_on(database, datetime.now(timezone.utc))) as report:
            assert "".join(report)
            assert report.summary.early == 0
    record = sites.record("results in object storage, machines in namespaces")
    record.faults = {
        "request by a clock one hour off": len(rows),
        "step of a clock by two hours": count_steps(rows),
    }
    record.early = sum(gap < DELAY for gap in sites.gaps())
    record.early += sum(gap < BETWEEN for gap in sites.gaps(sites.groups))
    record.lost = len(sites.everything()) - urls["done"]
    known = Counter(row["url"] for row in rows)
    record.unproven = sum(count_unproven(sites.seen(), known, crashes).values())
    record_faults(record_property, record)
    assert urls == {"done": len(sites.everything())}
    check_sites(sites)
    check_rows(rows, sites, since)


def count_steps(rows: list[dict[str, Any]]) -> int:
    """Return how often a clock was set between two requests of one process."""
    ahead: dict[tuple[str, int], list[bool]] = {}
    for row in sorted(rows, key=lambda one: one["started"]):
        is_ahead = row["machine_started"] > row["started"]
        ahead.setdefault((row["machine"], row["process"]), []).append(is_ahead)
    return sum(before != after for one in ahead.values() for before, after in pairwise(one))


def check_sites(sites: LabSites) -> None:
    """Check what the sites saw."""
    # Only what the worker that was killed had under way is requested again.
    assert sites.repeated(["/robots.txt"]) <= 1
    assert sites.repeated() <= len(sites.everything()) // 2


def check_rows(rows: list[dict[str, Any]], sites: LabSites, since: float) -> None:
    """Check that each request is that of a visit, by the same machine, and has both times."""
    seen: dict[tuple[str, str], list[float]] = {}
    for visit in sites.visits:
        key = (f"{visit.site}{visit.path}", visit.machine)
        seen.setdefault(key, []).append(visit.began + since)
    differences = set()
    for row in rows:
        at = row["started"].timestamp()
        times = seen[row["url"], row["worker"]]
        assert min(abs(at - one) for one in times) < NEAR, row
        machine = int(row["machine"].removeprefix("machine-"))
        assert row["worker"] == f"198.18.{machine + 1}.2"
        assert row["process"] > 0
        assert row["lease"] > 0
        off = (row["machine_started"] - row["started"]).total_seconds()
        differences.add((machine, round(off / HOUR)))
        assert abs(off - round(off / HOUR) * HOUR) < NEAR
    assert differences == {(0, 1), (1, -1), (1, 1)}
    leases: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for row in sorted(rows, key=lambda one: one["started"]):
        leases.setdefault((row["origin"], row["lease"]), []).append(row)
    for held in leases.values():
        assert len({(one["worker"], one["process"]) for one in held}) == 1
    for (before, last), (after, first) in pairwise(sorted(leases.items())):
        if before[0] == after[0]:
            assert last[-1]["ended"] <= first[0]["started"]
    assert len(leases) > len(sites.origins), "no site passed from one worker to another"
