"""Workers of a fleet that are killed between any two writes: it ends as in one folder."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import AsyncExitStack, closing
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.crawl import Crawl
from goodbot.testing import LoopbackSite
from goodbot.testing.steps import always
from tests.crawl.fleet.test_fleet import ROBOT, made
from tests.support.examples import share_of, thorough
from tests.support.fault_record import FaultRecord, count_unproven, record_faults
from tests.support.live_sites import behaviour_of
from tests.support.postgres import running_cluster

psycopg = pytest.importorskip("psycopg", reason="needs the extra postgres")
pytest.importorskip("psycopg_pool", reason="needs the extra postgres")

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.postgres import PostgresCluster

SLOTS, SITES = 3, 8
KILLS = share_of(200)
RESTARTS = share_of(20)
PAGES = KILLS + 10
MOST_POINTS = 90
"""The points of one start of a worker, some pages and their outcomes; then they come again."""
RANDOM = 5
"""Each fifth worker is killed after a random time, and not at a point."""
DELAY, LEASE = 0.05, 0.6
SEED = 20261129


def site() -> LoopbackSite:
    """Return a site with pages in a tree, one that is missing, and one that is disallowed."""
    html = "Content-Type: text/html"
    pages = {}
    for number in range(PAGES):
        links = [f"/{one}" for one in (2 * number + 1, 2 * number + 2) if one < PAGES]
        text = "".join(f"<a href={one}>x</a>" for one in [*links, "/missing", "/closed/1"])
        pages[f"/{number}" if number else "/"] = always(
            200, f"<title>{number}</title>{text}".encode(), html
        )
    robots_txt = f"User-agent: *\nDisallow: /closed/\nCrawl-delay: {DELAY}\n".encode()
    return LoopbackSite(behaviour_of(always(200, robots_txt)), pages=pages)


def moments() -> list[list[str]]:
    """Return for each slot when its workers are killed: at each point in turn, and at random."""
    chance = random.Random(SEED)  # noqa: S311  no secret
    points = list(range(1, MOST_POINTS + 1))
    chance.shuffle(points)
    found = [
        f"after:{chance.uniform(0.05, 1.5):.3f}"
        if number % RANDOM == 0
        else f"at:{points[number % len(points)]}"
        for number in range(KILLS)
    ]
    return [found[slot::SLOTS] for slot in range(SLOTS)]


async def run_slot(url: str, folder: Path, kills: list[str]) -> list[bytes]:
    """Run the workers of one slot, each in the folder of the last; return how they ended."""
    command = [sys.executable, "-m", "tests.support.killed_workers", url, str(folder)]
    process = await asyncio.create_subprocess_exec(
        *command,
        "--lease",
        str(LEASE),
        *(["--kills-only", *kills] if kills else []),
        stdout=subprocess.PIPE,
    )
    output, _ = await process.communicate()
    return output.split()


async def restart_always(cluster: PostgresCluster, running: asyncio.Future[Any]) -> int:
    """Restart the server again and again, as a crash does; return how often."""
    for count in range(RESTARTS):
        await asyncio.sleep(1.5)
        if running.done():
            return count
        await asyncio.to_thread(cluster.restart, "immediate")
    return RESTARTS


def count_kills(kills: list[list[str]], ended: list[list[bytes]]) -> dict[str, int]:
    """Return how many workers were killed, by what for; a moment that was missed comes again."""
    done: Counter[str] = Counter()
    for one, words in zip(kills, ended, strict=True):
        for moment in one[: words.count(b"killed")]:
            is_random = moment.startswith("after:")
            done["at a random time" if is_random else "between two writes"] += 1
    return {f"worker killed {when}": count for when, count in sorted(done.items())}


def states_in(folder: Path) -> dict[str, tuple[str, str]]:
    """Return the state of each URL in a folder, and why."""
    with closing(sqlite3.connect(folder / "crawl.db")) as database:
        rows = database.execute("SELECT url, state, reason FROM urls").fetchall()
    return {url: (state, reason) for url, state, reason in rows}


def requests_in(folder: Path) -> Counter[str]:
    """Return the requests of which a folder has evidence."""
    with closing(sqlite3.connect(folder / "crawl.db")) as database:
        rows = database.execute("SELECT url, count(*) FROM requests GROUP BY url").fetchall()
    return Counter(dict(rows))


@thorough
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_fleet_that_is_killed_anywhere_ends_as_one_folder(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    """No page is lost, no request too early, none repeated without evidence of both."""
    from goodbot.crawl.fleet import fleet as settings  # noqa: PLC0415  needs the extra
    from goodbot.store.postgres_schema import in_schema  # noqa: PLC0415  as above

    monkeypatch.setattr(settings, "DELAY", 0.0)
    kills, record = moments(), FaultRecord("results in folders")

    async def main(cluster: PostgresCluster) -> tuple[list[list[bytes]], list[bytes]]:
        url = cluster.new_url()
        manners = {"floor": DELAY, "default": DELAY, "factor": 0.0}
        async with AsyncExitStack() as stack:
            sites = [await stack.enter_async_context(site()) for _ in range(SITES)]
            start = [(one.origin, f"{one.origin}/") for one in sites]
            with made(url, manners=manners) as fleet:
                await asyncio.to_thread(fleet.add, start)
                running = asyncio.gather(
                    *(run_slot(url, tmp_path / f"{n}", kills[n]) for n in range(SLOTS))
                )
                restarting = asyncio.ensure_future(restart_always(cluster, running))
                ended = await running
                record.faults = count_kills(kills, ended)
                record.faults["immediate restart of PostgreSQL"] = await restarting
                last = await run_slot(url, tmp_path / "0", [])
                status = await asyncio.to_thread(fleet.status)
            assert status.sites["idle"] == SITES, status.as_dict()
            record.requests = sum(len(one.visits) for one in sites)
            record.early = sum(gap < DELAY for gap in gaps_at(sites))
            seen = Counter(f"{one.origin}{visit.target}" for one in sites for visit in one.visits)
            with psycopg.connect(cluster.url()) as connection:
                schema = url.rpartition("schema=")[2]
                wanted = "SELECT url, state, reason, crashes FROM {s}.urls"
                rows = connection.execute(in_schema(wanted, schema)).fetchall()
            known: Counter[str] = Counter()
            for slot in range(SLOTS):
                known += requests_in(tmp_path / f"{slot}")
            unproven = count_unproven(seen, known, {row[0]: row[3] for row in rows})
            record.unproven = sum(unproven.values())
            one_folder = Crawl(
                tmp_path / "one",
                **ROBOT_OPTIONS,
                start=[found for _, found in start],
                manners=manners,
                allow_private=True,
            )
            await one_folder.run()
            alone = states_in(tmp_path / "one")
            many = {row[0]: (row[1], row[2]) for row in rows}
            record.lost = sum(many.get(one) != state for one, state in alone.items())
            record.is_alike = many == alone
            assert len(alone) == SITES * (PAGES + 2)
        return ended, last

    with running_cluster() as cluster:
        ended, last = asyncio.run(main(cluster))
    record_faults(record_property, record)
    assert sum(words.count(b"killed") for words in ended) == KILLS
    assert last[-1] == b"0"


ROBOT_OPTIONS = {"name": ROBOT["robot"], **{k: v for k, v in ROBOT.items() if k != "robot"}}


def gaps_at(sites: list[LoopbackSite]) -> list[float]:
    """Return the pauses between requests to each site."""
    times = [[visit.at for visit in one.visits] for one in sites]
    return [after - before for one in times for before, after in pairwise(one)]
