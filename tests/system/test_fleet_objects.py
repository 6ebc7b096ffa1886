"""A fleet that publishes to a real object storage; workers and both servers are killed."""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
import shutil
import socket
import subprocess
import sys
from collections import Counter
from contextlib import AsyncExitStack, suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.crawl import Crawl
from goodbot.crawl.archive.warc_archive import WarcArchive
from goodbot.crawl.evidence.reading import requests_at
from goodbot.crawl.evidence.site_links import find_links
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.frontier.reading import entries
from goodbot.crawl.inventory.row_building import inventory_rows
from goodbot.crawl.run.settings import GivenSettings
from goodbot.crawl.searching import search
from goodbot.testing import LoopbackSite
from goodbot.testing.steps import always
from tests.crawl.fleet.test_fleet import ROBOT, opened, worker
from tests.crawl.fleet.test_segments import timeless
from tests.support.examples import share_of, thorough
from tests.support.fault_record import FaultRecord, count_unproven, record_faults
from tests.support.live_sites import behaviour_of
from tests.support.object_server import BUCKET, KEYS, make_bucket, object_server
from tests.support.postgres import PostgresCluster, cluster, running_cluster
from tests.support.waiting import wait_until
from tests.system.fleet_lab import CRASHES
from tests.system.test_fleet_kills import gaps_at

pytest.importorskip("psycopg_pool", reason="needs the extra postgres")
pytest.importorskip("obstore", reason="needs the extra objects")

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["cluster"]

PACKAGE = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"
KILLS, WORKERS, SITES, PAGES, DELAY = share_of(80), 3, 8, 24, 0.1
MANNERS = {"floor": DELAY, "default": DELAY, "factor": 0.0}
SEED = 20261130
KILLED = "worker killed at a random time"


class Gateway:
    """versitygw on a folder, which a test may kill and start again."""

    def __init__(self, program: Path, folder: Path) -> None:
        """Choose a port, and start it."""
        self._program, self._folder = program, folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.endpoint = f"http://127.0.0.1:{self._port}"
        for name in ("data", "side"):
            (folder / name).mkdir()
        self.start()

    def start(self) -> None:
        """Start it, and wait until it listens."""
        keys = ["--access", KEYS["AWS_ACCESS_KEY_ID"], "--secret", KEYS["AWS_SECRET_ACCESS_KEY"]]
        words = [*keys, "--port", f"127.0.0.1:{self._port}", "--quiet"]
        data = self._folder / "data"
        self._process = subprocess.Popen(  # noqa: S603  an installed program
            # Without metadata, in files beside or in attributes, it ignores If-None-Match.
            [self._program, *words, "posix", "--sidecar", self._folder / "side", data],
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(self._listens)

    def _listens(self) -> bool:
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", self._port)) == 0

    def kill(self) -> None:
        """Kill it."""
        self._process.kill()
        self._process.wait()


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """Run versitygw, which is installed or built by Go."""
    folder = tmp_path_factory.mktemp("gateway")
    found, go = shutil.which("versitygw"), shutil.which("go")
    if found is None:
        if go is None:
            pytest.skip("there is neither versitygw nor Go")
        places = {"GOBIN": str(folder), "GOFLAGS": "-mod=mod"}
        subprocess.run([go, "install", PACKAGE], check=True, env={**os.environ, **places})  # noqa: S603
        found = str(folder / "versitygw")
    running = Gateway(Path(found), folder)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**KEYS, "AWS_ENDPOINT_URL": running.endpoint}.items():
            patch.setenv(name, value)
        make_bucket(running.endpoint)
        try:
            yield running
        finally:
            running.kill()


def storage(folder: str) -> Any:  # noqa: ANN401  an object storage
    """Open a folder of the bucket."""
    from goodbot.crawl.fleet.object_storage import ObjectStorage  # noqa: PLC0415  needs the extra

    return ObjectStorage(f"s3://{BUCKET}/{folder}", patience=5.0)


@pytest.mark.usefixtures("gateway")
def test_a_name_is_used_once() -> None:
    """A put is refused if there is an object, also an empty one, and a lost answer is none."""
    from goodbot.errors import NotAStoreError, StoreError  # noqa: PLC0415

    place = storage("names")
    for name, content in {"a/empty": b"", "a/one": b"1"}.items():
        place.put_new(name, content)
        place.put_new(name, content)
        with pytest.raises(StoreError, match="in use"):
            place.put_new(name, b"another")
        assert place.read(name) == content
    assert sorted(one for batch in place.names() for one in batch) == ["a/empty", "a/one"]
    place.remove(["a/empty", "a/never"])
    with pytest.raises(NotAStoreError, match="is missing"):
        place.read("a/empty")


@pytest.mark.usefixtures("gateway")
def test_a_conditional_copy_overwrites() -> None:
    """Why nothing is published by a copy."""
    obstore = pytest.importorskip("obstore")
    from obstore.store import from_url  # noqa: PLC0415

    store = from_url(f"s3://{BUCKET}/copies", copy_if_not_exists="header: x-amz-copy-if-absent: 1")
    obstore.put(store, "from", b"new", use_multipart=False)
    obstore.put(store, "to", b"old", use_multipart=False)
    obstore.copy(store, "from", "to", overwrite=False)
    assert bytes(obstore.get(store, "to").bytes()) == b"new"


def test_a_put_may_take_longer_than_a_lease(
    cluster: PostgresCluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    """The leases are renewed meanwhile, so no other worker gets a site that waits for it."""
    from goodbot.crawl.fleet import fleet as settings  # noqa: PLC0415  needs the extra
    from goodbot.crawl.fleet.fleet_worker import FleetWorker  # noqa: PLC0415  as above
    from goodbot.crawl.fleet.segment_publisher import SegmentLimits  # noqa: PLC0415  as above

    monkeypatch.setattr(settings, "DELAY", 0.0)
    url, lease = cluster.new_url(), 1.5

    async def main(objects: str) -> list[LoopbackSite]:
        async with AsyncExitStack() as stack:
            sites = [await stack.enter_async_context(site()) for _ in range(2)]
            with opened(url) as fleet:
                fleet.make(GivenSettings(**ROBOT, manners=MANNERS), objects=objects)
                start = [(one.origin, f"{one.origin}/") for one in sites]
                await asyncio.to_thread(fleet.add, start)
            workers = [
                FleetWorker(
                    url,
                    tmp_path / name,
                    name=name,
                    allow_private=True,
                    lease_seconds=lease,
                    margin=lease / 4,
                    limits=SegmentLimits(urls=15),
                )
                for name in "ab"
            ]
            ended = await asyncio.gather(*(one.run() for one in workers))
            assert {one.ended for one in ended} == {"nothing-left"}
            return sites

    with object_server() as server:
        server.slowness = 1.5 * lease
        sites = asyncio.run(main(f"s3://{BUCKET}/{tmp_path.name}"))
        record = FaultRecord("results in object storage")
        record.faults = {"put that takes longer than a lease": len(server.puts())}
        with opened(url) as fleet:
            count_visits(record, fleet, sites, tmp_path / "gathered")
    record_faults(record_property, record)
    for one in sites:
        counts = Counter(visit.target for visit in one.visits)
        assert max(counts.values()) == 1
        assert len(counts) == PAGES + 2


async def run_always(
    url: str, folder: Path, running: dict[int, asyncio.subprocess.Process], number: int
) -> None:
    """Start a worker again whenever it ends, until it has ended in order."""
    while True:
        words = ("--lease", "3", "--workers", "4", "--publish-after", "0.4")
        one = await worker(url, folder, *words)
        running[number] = one
        await one.communicate()
        if one.returncode == 0:
            return


def site() -> LoopbackSite:
    """Return a site with pages of many kinds that link to one another."""
    html, links = "Content-Type: text/html", "".join(f"<a href=/{n}>x</a>" for n in range(PAGES))
    heads = ("", '<meta name=robots content="noindex">', '<meta name=robots content="noarchive">')
    pages: dict[str, Any] = {"/": always(200, f"<title>Home</title>{links}".encode(), html)}
    for page in range(PAGES):
        text = (
            f"<title>{page}</title>{heads[page % 3]}<p>A lamp, {page}.<a href=/closed/{page}>c</a>"
        )
        pages[f"/{page}"] = always(200, f"{text}{links}".encode(), html)
    pages["/3"] = always(301, b"", "Location: /4")
    del pages["/5"]
    robots_txt = f"User-agent: *\nDisallow: /closed/\nCrawl-delay: {DELAY}\n".encode()
    return LoopbackSite(behaviour_of(always(200, robots_txt)), pages=pages)


async def kill_always(
    gateway: Gateway,
    cluster: PostgresCluster,
    running: dict[int, asyncio.subprocess.Process],
    crawling: asyncio.Future[Any],
) -> Counter[str]:
    """Kill workers at random moments, and both servers now and then; return how often.

    What is killed when the crawl has ended would not count.
    """
    chance = random.Random(SEED)  # noqa: S311  no secret
    done: Counter[str] = Counter()
    for number in range(KILLS):
        await asyncio.sleep(chance.uniform(0.2, 2.0))
        if crawling.done():
            break
        if number % 5 == 1:
            gateway.kill()
            await asyncio.sleep(chance.uniform(0.0, 1.0))
            await asyncio.to_thread(gateway.start)
            done["object storage killed"] += 1
        if number % 5 == 3:
            await asyncio.to_thread(cluster.restart, "immediate")
            done["immediate restart of PostgreSQL"] += 1
        with suppress(ProcessLookupError, KeyError):  # it has ended, or has not begun
            running[chance.randrange(WORKERS)].kill()
            done[KILLED] += 1
    return done


@thorough
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_what_is_settled_is_there_whatever_is_killed(
    gateway: Gateway,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    record_property: Callable[[str, object], None],
) -> None:
    """What is gathered is what a crawl in one folder has; what else was written is garbage."""
    from goodbot.crawl.fleet import fleet as settings  # noqa: PLC0415  needs the extra
    from goodbot.crawl.fleet.gathering import gather  # noqa: PLC0415  as above
    from goodbot.crawl.fleet.sweeping import sweep  # noqa: PLC0415  as above

    monkeypatch.setattr(settings, "DELAY", 0.0)
    objects = f"s3://{BUCKET}/{tmp_path.name}"

    async def main(cluster: PostgresCluster) -> tuple[str, list[LoopbackSite], Counter[str]]:
        url = cluster.new_url()
        async with AsyncExitStack() as stack:
            sites = [await stack.enter_async_context(site()) for _ in range(SITES)]
            with opened(url) as fleet:
                fleet.make(GivenSettings(**ROBOT, manners=MANNERS), objects=objects)
                start = [(one.origin, f"{one.origin}/") for one in sites]
                await asyncio.to_thread(fleet.add, start)
            running: dict[int, asyncio.subprocess.Process] = {}
            folders = (tmp_path / f"{number}" for number in range(WORKERS))
            crawling = asyncio.gather(
                *(run_always(url, one, running, number) for number, one in enumerate(folders))
            )
            killing = asyncio.ensure_future(kill_always(gateway, cluster, running, crawling))
            await crawling
            alone = Crawl(
                tmp_path / "one",
                ROBOT["robot"],
                info_url=ROBOT["info_url"],
                contact=ROBOT["contact"],
                manners=MANNERS,
                start=[found for _, found in start],
                allow_private=True,
            )
            visits = [len(one.visits) for one in sites]
            done = await killing
            await alone.run()
            for one, count in zip(sites, visits, strict=True):
                del one.visits[count:]
            return url, sites, done

    record = FaultRecord("results in object storage")
    with running_cluster() as cluster:
        url, sites, done = asyncio.run(main(cluster))
        with opened(url) as fleet:
            record.faults, kills = dict(done), done[KILLED]
            gather(fleet, tmp_path / "gathered")
            count_visits(record, fleet, sites, tmp_path / "gathered")
            sweep(fleet)
            sweep(fleet)
            found = fleet.manifest.find()
    place = storage(tmp_path.name)
    left = {name for batch in place.names() for name in batch}
    named = {f"{one.name}/{file.name}": file.sha256 for one in found for file in one.files}
    assert left == named.keys() | announced(left - named.keys(), kills)
    for name, digest in named.items():
        assert hashlib.sha256(place.read(name)).hexdigest() == digest
    check_sites(tmp_path / "gathered", sites, kills)
    one, many = results_in(tmp_path / "one"), results_in(tmp_path / "gathered")
    record.lost = len(set(one["states"]) - set(many["states"]))
    record.is_alike = one == many
    record_faults(record_property, record)
    for kind, wanted in one.items():
        assert many[kind] == wanted, kind


def count_visits(record: FaultRecord, fleet: Any, sites: list[LoopbackSite], folder: Path) -> None:  # noqa: ANN401  a fleet
    """Count what the sites saw, and compare it with the evidence in a gathered folder."""
    from goodbot.crawl.fleet.gathering import gather  # noqa: PLC0415  needs the extra

    if not folder.exists():
        gather(fleet, folder)
    seen = Counter(f"{one.origin}{visit.target}" for one in sites for visit in one.visits)
    with open_readonly(folder) as database:
        known = Counter(row.url for one in sites for row in requests_at(database, one.origin))
    crashes, urls = dict(fleet.server.rows(CRASHES)), fleet.status().urls
    record.lost = urls.get("queued", 0) + urls.get("leased", 0)
    record.requests = seen.total()
    record.early = sum(gap < DELAY for gap in gaps_at(sites))
    record.unproven = sum(count_unproven(seen, known, crashes).values())


def results_in(folder: Path) -> dict[str, list[Any]]:
    """Return what a folder has, without how often and when it was found."""
    now = datetime.now(timezone.utc)
    with open_readonly(folder) as database:
        known = list(entries(database))
        found: dict[str, list[Any]] = {
            "states": sorted((one.url, one.state, one.reason, one.status) for one in known),
            "links": sorted(timeless(one.as_dict()) for one in find_links(database, now=now)),
            "inventory": sorted(timeless(one.as_dict()) for one in inventory_rows(database, now)),
            "index": sorted(one.url for one in search(database, "lamp", now=now, limit=500).hits),
        }
    with Database(folder) as opened_folder, WarcArchive(opened_folder) as archive:
        copies = ((one.url, archive.show(one.url)) for one in known)
        found["archive"] = sorted((url, one.content) for url, one in copies if one is not None)
    assert all(found.values())
    return found


def announced(others: set[str], kills: int) -> set[str]:
    """Return objects of segments whose announcement has not expired: at most one a kill."""
    assert len({name.rpartition("/")[0] for name in others}) <= kills
    return others


def check_sites(folder: Path, sites: list[LoopbackSite], kills: int) -> None:
    """Check that the folder knows what was requested."""
    lost = 0
    with open_readonly(folder) as database:
        for one in sites:
            known = {row.url for row in requests_at(database, one.origin)}
            # A worker that is killed just after it has stored a robots.txt leaves no row of its
            # request, and nobody fetches it again: the store has it, and when that was.
            known |= {f"{one.origin}/robots.txt" for _ in database.store.history(one.origin)}
            seen = [f"{one.origin}{visit.target}" for visit in one.visits]
            assert known == set(seen)
            lost += len(seen) - sum(1 for _ in requests_at(database, one.origin))
    # What a process does in its last half second is not written down before it is killed.
    assert lost <= kills * 8
