"""A disk that is really full under a fleet: under the folder of a worker, or under the objects."""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.crawl.archive.warc_archive import WarcArchive
from goodbot.crawl.evidence.request_export import request_rows
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.run.settings import GivenSettings
from goodbot.testing import LoopbackSite
from goodbot.testing.steps import always
from tests.crawl.fleet.test_fleet import ROBOT, opened, worker
from tests.support.fault_record import FaultRecord, count_unproven, record_faults
from tests.support.live_sites import behaviour_of
from tests.support.postgres import PostgresCluster, cluster
from tests.support.small_disk import LARGE, mount, small_disk
from tests.support.waiting import until
from tests.system.fleet_lab import CRASHES
from tests.system.test_fleet_kills import gaps_at

pytest.importorskip("psycopg_pool", reason="needs the extra postgres")
pytest.importorskip("obstore", reason="needs the extra objects")

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["cluster"]

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts file systems")

SITES, PAGES, DELAY = 2, 30, 0.1
WORDS = ("--lease", "3", "--workers", "4")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Create a small disk."""
    with small_disk(tmp_path / "disk") as place:
        yield place


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Visit added URLs at once: no worker runs yet."""
    from goodbot.crawl.fleet import fleet  # noqa: PLC0415  needs the extra

    monkeypatch.setattr(fleet, "DELAY", 0.0)


def large_site(number: int) -> LoopbackSite:
    """Return a site with pages that compression cannot make small."""
    chance = random.Random(number)  # noqa: S311  the same each time
    links = "".join(f"<a href=/{page}>x</a>" for page in range(PAGES))
    pages: dict[str, Any] = {"/": always(200, links.encode(), "Content-Type: text/html")}
    for page in range(PAGES):
        text = f"<title>{page}</title><p>{chance.getrandbits(400_000):x}"
        pages[f"/{page}"] = always(200, text.encode(), "Content-Type: text/html")
    robots_txt = f"User-agent: *\nCrawl-delay: {DELAY}\n".encode()
    return LoopbackSite(behaviour_of(always(200, robots_txt)), pages=pages)


async def add_sites(url: str, objects: Path, stack: AsyncExitStack) -> list[LoopbackSite]:
    """Make a fleet with object storage, of some sites."""
    sites = [await stack.enter_async_context(large_site(n)) for n in range(SITES)]
    manners = {"floor": DELAY, "default": DELAY, "factor": 0.0}
    with opened(url) as fleet:
        await asyncio.to_thread(
            fleet.make, GivenSettings(**ROBOT, manners=manners), objects=objects.as_uri()
        )
        await asyncio.to_thread(fleet.add, [(one.origin, f"{one.origin}/") for one in sites])
    return sites


def check_all(url: str, folder: Path, sites: list[LoopbackSite], record: FaultRecord) -> None:
    """Check that the gathered crawl has each page, and that of each request there is evidence.

    It is a row; or, of a visit that could not be recorded, that a worker ended during it.
    """
    from goodbot.crawl.fleet.gathering import gather  # noqa: PLC0415  needs the extra

    with opened(url) as fleet:
        urls, crashes = fleet.status().urls, dict(fleet.server.rows(CRASHES))
        gather(fleet, folder)
    seen = Counter(f"{one.origin}{visit.target}" for one in sites for visit in one.visits)
    with open_readonly(folder) as database:
        known = Counter(row["url"] for row in request_rows(database))
    record.requests = seen.total()
    record.early = sum(gap < DELAY for gap in gaps_at(sites))
    record.lost = SITES * (PAGES + 1) - urls["done"]
    record.unproven = sum(count_unproven(seen, known, crashes).values())
    assert known.keys() == seen.keys()
    assert urls == {"done": SITES * (PAGES + 1)}
    assert all(seen[f"{one.origin}/robots.txt"] == 1 for one in sites)
    with Database(folder) as gathered, WarcArchive(gathered) as archive:
        for one in sites:
            for path in ("", *range(PAGES)):
                assert archive.show(f"{one.origin}/{path}") is not None


def test_a_worker_without_room_ends_and_another_one_goes_on(
    cluster: PostgresCluster,
    tmp_path: Path,
    disk: Path,
    record_property: Callable[[str, object], None],
) -> None:
    """With room, the evidence of what it visited is published from its folder."""
    url = cluster.new_url()

    async def main() -> list[LoopbackSite]:
        async with AsyncExitStack() as stack:
            sites = await add_sites(url, tmp_path / "objects", stack)
            full = await worker(url, disk / "a", *WORDS)
            _, complaints = await full.communicate()
            assert full.returncode == 2
            assert f"there is no room for {disk / 'a'}".encode() in complaints
            assert b"make room" in complaints
            assert b"Traceback" not in complaints
            visits = sum(len(one.visits) for one in sites)
            assert SITES < visits < SITES * PAGES
            other = await worker(url, tmp_path / "b", *WORDS)
            _, complaints = await other.communicate()
            assert other.returncode == 0, complaints
            mount(disk, f"remount,{LARGE}")
            again = await worker(url, disk / "a", *WORDS)
            _, complaints = await again.communicate()
            assert again.returncode == 0, complaints
            return sites

    sites = asyncio.run(main())
    record = FaultRecord("results in object storage", {"full disk of a worker": 1})
    check_all(url, tmp_path / "gathered", sites, record)
    record_faults(record_property, record)


def test_object_storage_without_room_is_waited_for(
    cluster: PostgresCluster,
    tmp_path: Path,
    disk: Path,
    record_property: Callable[[str, object], None],
) -> None:
    """The crawl goes on meanwhile; with room, everything is published, and each object is whole."""
    url = cluster.new_url()

    async def main() -> list[LoopbackSite]:
        async with AsyncExitStack() as stack:
            sites = await add_sites(url, disk / "objects", stack)
            words = (*WORDS, "--publish-after", "0.5")
            running = [await worker(url, tmp_path / name, *words) for name in "ab"]
            await until(lambda: sum(len(one.visits) for one in sites) >= SITES * (PAGES + 2))
            mount(disk, f"remount,{LARGE}")
            for one in running:
                _, complaints = await one.communicate()
                assert one.returncode == 0, complaints
            return sites

    sites = asyncio.run(main())
    record = FaultRecord("results in object storage", {"full disk of the object storage": 1})
    check_all(url, tmp_path / "gathered", sites, record)
    record_faults(record_property, record)
