"""A fleet whose results go to object storage: what is settled can be read, and is complete."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.crawl import Crawl
from goodbot.crawl.archive.warc_archive import WarcArchive
from goodbot.crawl.evidence.export import lines
from goodbot.crawl.evidence.reading import requests_at, visits_of
from goodbot.crawl.evidence.site_links import find_links
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.frontier.reading import entry_of
from goodbot.crawl.inventory.row_building import inventory_rows
from goodbot.crawl.run.settings import GivenSettings
from goodbot.crawl.searching import search
from goodbot.errors import MisuseError, StoreError, StoreUnavailableError
from goodbot.testing import LoopbackSite
from goodbot.testing.behaviours import behaviour
from goodbot.testing.steps import always
from tests.support.examples import share_of, stride, thorough
from tests.support.fault_record import FaultRecord, count_unproven, record_faults
from tests.support.object_server import BUCKET, object_server
from tests.support.paths import ROOT
from tests.support.postgres import PostgresCluster, cluster
from tests.support.program import run

pytest.importorskip("psycopg_pool", reason="needs the extra postgres")
pytest.importorskip("obstore", reason="needs the extra objects")

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from goodbot.crawl.fleet.fleet import Fleet
    from goodbot.crawl.fleet.fleet_worker import FleetWorker
    from goodbot.crawl.fleet.gathering import GatherSummary
    from goodbot.crawl.fleet.segments import Segment
    from tests.support.object_server import ObjectServer

__all__ = ["cluster"]

pytestmark = pytest.mark.stress

ROBOT: dict[str, Any] = {
    "robot": "ExampleBot/1.0",
    "info_url": "https://example.com/bot",
    "contact": "bot@example.com",
    "manners": {"default": 0.05, "factor": 1.0},
}
HOW_TO = "publish-a-crawl-to-object-storage"
HTML = "Content-Type: text/html"
ROBOTS_TXT = b"User-agent: *\nDisallow: /secret\n"
PAGES = {
    "/": '<title>Home</title><a href="/lamps">Lamps</a><a href="/old">Old</a>'
    '<a href="/secret/x">S</a><a href="/noindex">N</a><a href="/copy">C</a>'
    '<a href="https://elsewhere.example/">E</a><a href="/gone">G</a>',
    "/lamps": '<title>Lamps</title><h1>Lamps</h1><p>A brass lamp.<a href="/">Home</a>',
    "/copy": '<title>Lamps</title><link rel=canonical href="/lamps"><p>A brass lamp, again.',
    "/noindex": '<title>N</title><meta name=robots content="noindex"><p>A hidden lamp.',
    "/noarchive": '<title>A</title><meta name=robots content="noarchive"><p>A brief lamp.',
}


def site() -> LoopbackSite:
    """Return a site with pages of many kinds."""
    found = {path: always(200, text.encode(), HTML) for path, text in PAGES.items()}
    found["/old"] = always(301, b"", "Location: /noarchive")
    robots_txt = always(200, ROBOTS_TXT, "Content-Type: text/plain")
    quick = replace(behaviour("polite"), answer=robots_txt)
    return LoopbackSite(quick, pages=found)


def made_before(url: str) -> Fleet:
    """Open a fleet."""
    from goodbot.crawl.fleet.fleet import Fleet  # noqa: PLC0415  needs the extra

    return Fleet(url)


def gather(fleet: Fleet, folder: Path) -> GatherSummary:
    """Gather everything."""
    from goodbot.crawl.fleet import gathering  # noqa: PLC0415  needs the extra

    return gathering.gather(fleet, folder)


def sweep(fleet: Fleet) -> int:
    """Remove garbage; return how many objects that were."""
    from goodbot.crawl.fleet import sweeping  # noqa: PLC0415  needs the extra

    return sweeping.sweep(fleet).objects


def found_in(url: str) -> list[Segment]:
    """Return the segments of a fleet."""
    with made_before(url) as fleet:
        return fleet.manifest.find()


def made(url: str, objects: str) -> Fleet:
    """Make a fleet."""
    from goodbot.crawl.fleet.fleet import Fleet  # noqa: PLC0415  needs the extra

    fleet = Fleet(url)
    fleet.make(GivenSettings(**ROBOT), objects=objects)
    return fleet


def test_two_fleets_do_not_share_a_place(cluster: PostgresCluster, tmp_path: Path) -> None:
    """Each would sweep what the other one has settled."""
    (tmp_path / "one").write_bytes(b"of another fleet")
    with pytest.raises(MisuseError, match="a fleet needs a place of its own; name a new folder"):
        made(cluster.new_url(), tmp_path.as_uri())
    assert [one.name for one in tmp_path.iterdir()] == ["one"]


def worker(url: str, folder: Path, urls: int = 3) -> FleetWorker:
    """Return a worker that publishes after some URLs."""
    from goodbot.crawl.fleet.fleet_worker import FleetWorker  # noqa: PLC0415  needs the extra
    from goodbot.crawl.fleet.segment_publisher import SegmentLimits  # noqa: PLC0415  as above

    return FleetWorker(url, folder, allow_private=True, limits=SegmentLimits(urls=urls))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Visit added URLs at once: no worker runs yet."""
    from goodbot.crawl.fleet import fleet  # noqa: PLC0415  needs the extra

    monkeypatch.setattr(fleet, "DELAY", 0.0)


OF_TIME = {"at", "visited", "robots_txt_first_seen", "robots_txt_last_seen", "first_byte_ms"}


def timeless(value: dict[str, Any]) -> str:
    """Return a row without what differs between two crawls of one site."""
    left = {key: one for key, one in value.items() if key not in OF_TIME}
    return json.dumps(left, sort_keys=True, default=str)


def told(folder: Path, origin: str) -> Iterator[tuple[str, list[str]]]:
    """Yield what a folder says: its evidence, links, inventory, archive and index."""
    now = datetime.now(timezone.utc)
    with open_readonly(folder) as database:
        yield "evidence", sorted(map(timeless, lines(database)))
        yield "links", sorted(timeless(one.as_dict()) for one in find_links(database, now=now))
        yield "inventory", sorted(timeless(one.as_dict()) for one in inventory_rows(database, now))
        yield "requests", sorted(str(one.purpose) for one in requests_at(database, origin))
        yield "policies", [str(one.record["access"]) for one in database.store.history(origin)]
        found = search(database, "lamp", now=now)
        yield "index", sorted(f"{one.url} {one.title} {one.snippet}" for one in found.hits)
    with Database(folder) as opened, WarcArchive(opened) as archive:
        copies = (archive.show(f"{origin}{one}") for one in [*PAGES, "/robots.txt"])
        yield "archive", [repr(one and (one.status, one.content, one.reason)) for one in copies]


@pytest.mark.usefixtures("at_once")
def test_a_gathered_folder_is_that_of_a_crawl_in_one(
    cluster: PostgresCluster, tmp_path: Path
) -> None:
    """It has the same URLs, verdicts, links, facts, copies and search results."""
    url, objects = cluster.new_url(), (tmp_path / "objects").as_uri()

    async def main() -> str:
        async with site() as one:
            start = [f"{one.origin}/"]
            with made(url, objects) as fleet:
                await asyncio.to_thread(fleet.add, [(one.origin, start[0])])
                summary = await worker(url, tmp_path / "a").run()
                assert summary.ended == "nothing-left"
                assert fleet.status().segments["settled"] >= 2
            me = {name: ROBOT[name] for name in ("info_url", "contact", "manners")}
            crawl = Crawl(tmp_path / "one", ROBOT["robot"], **me, start=start, allow_private=True)
            await crawl.run()
            return one.origin

    origin = asyncio.run(main())
    told_next = run("fleet", "work", url, "--out", tmp_path / "a").stdout.decode()
    assert told_next.endswith(f"of all workers:\n  goodbot fleet gather '{url}' gathered\n")
    done = run("fleet", "gather", url, tmp_path / "gathered")
    assert done.returncode == 0, done.stderr
    folders = (told(tmp_path / name, origin) for name in ("one", "gathered"))
    for (what, expected), (_, found) in zip(*folders, strict=True):
        assert found == expected, what
        assert found, what
    assert run("report", tmp_path / "gathered", "--output", tmp_path / "r.html").returncode == 0
    again = run("crawl", "--resume", "--out", tmp_path / "gathered")
    assert again.returncode == 2
    assert b"was gathered from the fleet in" in again.stderr
    check_questions(url, origin, tmp_path)


def blocks(name: str, language: str) -> list[str]:
    """Return the blocks of a how-to in a language."""
    page = (ROOT / "docs" / "how-to" / f"{name}.md").read_text("utf-8")
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def check_questions(url: str, origin: str, tmp_path: Path) -> None:
    """The queries of the how-to answer, beside a half-written file; and gather a part."""
    duckdb = pytest.importorskip("duckdb")
    lines = run("fleet", "segments", url, "--json").stdout.splitlines()
    listed = [json.loads(one) for one in lines]
    folder = tmp_path / "objects" / listed[0]["name"]
    (folder / "evidence.parquet#1").write_bytes(b"half")
    (folder / "other.parquet").write_bytes(b"half")
    with pytest.raises(duckdb.Error):
        duckdb.read_parquet(str(tmp_path / "objects/**/*.parquet")).fetchall()

    names: dict[str, Any] = {}
    exec("".join(blocks(HOW_TO, "python")), names)  # noqa: S102  of our own page
    names["files_of"] = lambda database, kind: (
        run("fleet", "segments", database, "--kind", kind).stdout.decode().split()
    )
    connection = names["open_in_duckdb"](url)
    asked = [
        connection.execute(one.replace("`", '"')).fetchall()
        for one in blocks(HOW_TO, "sql")
        if one.startswith("SELECT")
    ]
    connection.close()
    of_sites, gaps, leases, robots_txt, forbidden, broken = asked
    assert of_sites == [(origin, 8, 5, 1)]
    assert [(one[0], one[2]) for one in gaps] == [(origin, 8)]
    assert gaps[0][1] >= timedelta(seconds=0.05)
    assert leases == [(origin, 1, 0)]
    assert robots_txt == [(origin, 1, 1)]
    assert ("fetch", "rule-disallows", "Disallow: /secret", 1) in {(*one,) for one in forbidden}
    assert broken == [(f"{origin}/", f"{origin}/gone", 404)]

    swept = json.loads(run("fleet", "sweep", url, "--json").stdout)
    assert swept == {"segments": 0, "objects": 0, "left_behind": 1}
    none = run("fleet", "gather", url, tmp_path / "b", "--site", "https://b.example", "--json")
    assert json.loads(none.stdout)["visits"] == 0
    last = listed[-1]["last"]
    words = ("--site", origin, "--since", last[:19], "--json")
    some = json.loads(run("fleet", "gather", url, tmp_path / "c", *words).stdout)
    assert 0 < some["visits"] <= 8
    status = run("fleet", "status", url).stdout.decode()
    assert f"Published: {len(listed)} segments with 8 visits" in status


@pytest.mark.usefixtures("at_once")
def test_what_is_not_settled_is_garbage_and_its_visits_are_known(
    cluster: PostgresCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that ends before it settles: its URLs are visited again, with evidence of both."""
    from goodbot.crawl.fleet import segment_publisher  # noqa: PLC0415  needs the extra

    url, objects = cluster.new_url(), (tmp_path / "objects").as_uri()
    publisher = segment_publisher.SegmentPublisher
    settle = publisher.settle

    def fail(*_: object) -> None:
        message = "the database is gone"
        raise StoreUnavailableError(message)

    async def main() -> tuple[str, int]:
        async with site() as one:
            with made(url, objects) as fleet:
                await asyncio.to_thread(fleet.add, [(one.origin, f"{one.origin}/")])
                monkeypatch.setattr(publisher, "settle", fail)
                with pytest.raises(StoreUnavailableError, match="is gone"):
                    await worker(url, tmp_path / "a").run()
                assert fleet.status().segments == dict(
                    zip(("settled", "announced", "visits", "bytes"), (0, 1, 0, 0), strict=True)
                )
                assert fleet.status().urls["queued"] >= 3
                monkeypatch.setattr(publisher, "settle", settle)
                await worker(url, tmp_path / "a", urls=100).run()
                assert fleet.status().segments["announced"] == 0
            return one.origin, len(one.visits)

    origin, requests = asyncio.run(main())
    with made_before(url) as fleet:
        done = gather(fleet, tmp_path / "gathered")
    assert done.segments >= 2
    with open_readonly(tmp_path / "gathered") as database:
        entry = entry_of(database, f"{origin}/")
        assert entry is not None
        assert len(list(visits_of(database, entry.url_id))) == 2
        # One may have been under way when the worker failed.
        assert len(list(requests_at(database, origin))) in {requests - 1, requests}
        assert entry.state == "done"
    look = json.loads(run("fleet", "sweep", url, "--dry-run", "--json").stdout)
    (tmp_path / "objects" / "mine.txt").write_text("not goodbot's")
    swept = json.loads(run("fleet", "sweep", url, "--json").stdout)
    assert swept == look
    assert swept["segments"] == 1
    assert swept["objects"] >= 5
    assert (tmp_path / "objects" / "mine.txt").exists()
    named = {f"{one.name}/{file.name}" for one in found_in(url) for file in one.files}
    left = {
        one.relative_to(tmp_path / "objects").as_posix()
        for one in (tmp_path / "objects").rglob("*")
        if one.is_file()
    }
    assert left == named | {"mine.txt"}


@pytest.mark.usefixtures("at_once")
def test_the_rights_of_the_pages_are_enough(cluster: PostgresCluster, tmp_path: Path) -> None:
    """A role with them works in a fleet whose tables another one has made, and publishes."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(cluster.url(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE robots")
        connection.execute("CREATE ROLE goodbot_robot LOGIN")
    own = cluster.url("shops", database="robots")
    pages = ("share-a-store-on-postgresql", "crawl-on-several-machines", HOW_TO)
    rights = [one for page in pages for one in blocks(page, "sql") if "GRANT" in one]
    assert len(rights) == 4

    async def main() -> None:
        async with site() as one:
            with made(own, (tmp_path / "objects").as_uri()) as fleet:
                await asyncio.to_thread(fleet.add, [(one.origin, f"{one.origin}/")])
                with psycopg.connect(cluster.url(database="robots"), autocommit=True) as owner:
                    for block in rights:
                        for statement in without_roles(block):
                            owner.execute(statement)
                robot = cluster.url("shops", user="goodbot_robot", database="robots")
                await worker(robot, tmp_path / "a", urls=100).run()
                assert fleet.status().segments["settled"] == 1

    asyncio.run(main())


def without_roles(block: str) -> list[str]:
    """Return the statements of a block that grant rights in the schema `shops`."""
    plain = re.sub(r"--[^\n]*", "", block).replace("SCHEMA goodbot", "SCHEMA shops")
    plain = re.sub(r"\bgoodbot\.", "shops.", plain)
    return [one for one in plain.split(";") if one.strip().startswith("GRANT")]


def test_a_segment_is_settled_once(cluster: PostgresCluster) -> None:
    """Again after a lost answer changes nothing; what was swept cannot be settled any more."""
    from goodbot.crawl.fleet.manifest import SweptSegment  # noqa: PLC0415  needs the extra
    from goodbot.crawl.fleet.segments import SegmentFile, SegmentSummary  # noqa: PLC0415

    url = cluster.new_url()
    file = SegmentFile("evidence.parquet", "evidence", 4, 1, "00" * 32)
    summary = SegmentSummary(1, 1_000, 2_000, frozenset({"https://a.example"}))
    with made(url, "") as fleet:
        manifest = fleet.manifest
        manifest.announce("2026-11-29/" + "a" * 32, "one\0", "goodbot")
        for _ in range(2):
            manifest.name("2026-11-29/" + "a" * 32, summary, [file])
        (found,) = manifest.find(["https://a.example"])
        assert (found.files, found.worker, found.visits) == ((file,), "one", 1)
        assert manifest.find(["https://b.example"]) == []
        assert manifest.find(before=found.first) == []
        manifest.announce("late", "one", "goodbot")
        execute(cluster, url, "UPDATE {s}.segments SET expires = 0 WHERE name = 'late'")
        assert manifest.expire() == ["late"]
        with pytest.raises(SweptSegment, match="write it again"):
            manifest.name("late", summary, [file])
        assert manifest.unnamed(["late", found.name]) == {"late"}


def execute(cluster: PostgresCluster, url: str, statement: str) -> None:
    """Change the database behind goodbot's back."""
    psycopg = pytest.importorskip("psycopg")
    schema = url.rpartition("schema=")[2]
    with psycopg.connect(cluster.url(), autocommit=True) as connection:
        connection.execute(statement.replace("{s}", schema))


@pytest.mark.usefixtures("at_once")
def test_results_of_urls_that_are_not_held_are_not_published(
    cluster: PostgresCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator decides one URL, and another segment is swept, before they are settled."""
    from goodbot.crawl.fleet import segment_publisher  # noqa: PLC0415  needs the extra

    url, objects = cluster.new_url(), (tmp_path / "objects").as_uri()
    publisher = segment_publisher.SegmentPublisher
    settle = publisher.settle
    calls: list[Any] = []

    def meddle(self: Any, segment: Any) -> None:  # noqa: ANN401  as it is
        if not calls:
            change = "UPDATE {s}.urls SET state = 'skipped' WHERE url LIKE '%/lamps'"
            execute(cluster, url, change)
            execute(cluster, url, "DELETE FROM {s}.segments")
        calls.append(segment)
        settle(self, segment)

    async def main() -> str:
        async with site() as one:
            with made(url, objects) as fleet:
                await asyncio.to_thread(fleet.add, [(one.origin, f"{one.origin}/")])
                monkeypatch.setattr(publisher, "settle", meddle)
                summary = await worker(url, tmp_path / "a", urls=100).run()
                assert summary.ended == "nothing-left"
            return one.origin

    origin = asyncio.run(main())
    assert len(calls) == 1
    (segment,) = found_in(url)
    assert segment.visits == 8
    with made_before(url) as fleet:
        gather(fleet, tmp_path / "gathered")
    with open_readonly(tmp_path / "gathered") as database:
        entry = entry_of(database, f"{origin}/lamps")
        assert entry is not None
        assert entry.state == "skipped"
        assert len(list(visits_of(database, entry.url_id))) == 1
        now = datetime.now(timezone.utc)
        assert not list(find_links(database, now=now, page=f"{origin}/lamps"))
        assert list(find_links(database, now=now, page=f"{origin}/"))
    with Database(tmp_path / "gathered") as opened, WarcArchive(opened) as archive:
        assert archive.show(f"{origin}/lamps") is None
        assert archive.show(f"{origin}/") is not None


async def killed_at(url: str, folder: Path, step: int) -> tuple[int | None, bytes]:
    """Run a worker that is killed before a step; return its status, and what it printed."""
    words = ["-m", "tests.support.segment_worker", url, str(folder), str(step)]
    one = await asyncio.create_subprocess_exec(
        sys.executable, *words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    )
    out, error = await one.communicate()
    assert one.returncode in {0, -signal.SIGKILL}, error.decode()
    return one.returncode, out


@pytest.mark.stress
@thorough
@pytest.mark.usefixtures("at_once")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_worker_may_be_killed_between_any_two_writes(
    cluster: PostgresCluster, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """What is settled can be read, every visit has its evidence, and what is left is garbage.

    The killed worker and the one after it use the same folder.
    """
    record = FaultRecord("results in object storage", lost=0, unproven=0)

    async def crawl(step: int) -> bool:
        url, folder = cluster.new_url(), tmp_path / f"{step}"
        async with site() as one:
            with made(url, (folder / "objects").as_uri()) as fleet:
                await asyncio.to_thread(fleet.add, [(one.origin, f"{one.origin}/")])
                status, _ = await killed_at(url, folder / "a", step)
                if status:
                    killed = "worker killed between two writes of publishing"
                    record.faults[killed] = record.faults.get(killed, 0) + 1
                    again, _ = await killed_at(url, folder / "a", -1)
                    assert again == 0
            check_whole(url, folder, one, record)
        return status == 0

    first, step = stride(20)
    while not asyncio.run(crawl(first)):
        first += step
    record_faults(record_property, record)
    assert first > 20, "it has many steps"


def check_whole(url: str, folder: Path, one: LoopbackSite, record: FaultRecord) -> None:
    """Check a fleet that has ended, from the side of its site, and count what it saw."""
    with made_before(url) as fleet:
        status = fleet.status()
        crashes = dict(fleet.server.rows("SELECT url, crashes FROM {s}.urls WHERE crashes > 0"))
        gather(fleet, folder / "gathered")
        sweep(fleet)
        assert fleet.status().segments["announced"] == 0
    states = {"done": 6, "redirected": 1, "disallowed": 1, "skipped": 1}
    record.lost = (record.lost or 0) + sum((Counter(states) - Counter(status.urls)).values())
    assert status.urls == states
    named = {f"{found.name}/{file.name}" for found in found_in(url) for file in found.files}
    objects = folder / "objects"
    left = {path.relative_to(objects).as_posix() for path in objects.rglob("*") if path.is_file()}
    assert left == named
    with open_readonly(folder / "gathered") as database:
        requests = [row.url for row in requests_at(database, one.origin)]
        seen = [f"{one.origin}{visit.target}" for visit in one.visits]
        record.requests += len(seen)
        unproven = count_unproven(Counter(seen), Counter(requests), crashes)
        record.unproven = (record.unproven or 0) + sum(unproven.values())
        # What a process does in its last half second is not written down before it is killed.
        assert len(seen) - len(requests) <= 4
        assert set(seen) == set(requests)
        assert len(set(requests)) == len(PAGES) + 4 - 1
        now = datetime.now(timezone.utc)
        assert len(list(find_links(database, now=now, page=f"{one.origin}/"))) == 7
        assert {hit.url for hit in search(database, "lamp", now=now).hits} == {
            f"{one.origin}/lamps",
            f"{one.origin}/noarchive",
        }
    with Database(folder / "gathered") as opened, WarcArchive(opened) as archive:
        kept = [path for path in PAGES if archive.show(f"{one.origin}{path}")]
        assert kept == ["/", "/lamps", "/copy", "/noindex"]


@thorough
@pytest.mark.usefixtures("at_once")
def test_object_storage_that_fails_and_loses_answers_loses_nothing(
    cluster: PostgresCluster, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """A worker goes on meanwhile, and each object is there once."""
    failing, losing, done = 3, 4, Counter[str]()
    record = FaultRecord("results in object storage", lost=0, unproven=0)

    async def crawl(server: ObjectServer, folder: Path) -> str:
        url = cluster.new_url()
        async with site() as one:
            with made(url, f"s3://{BUCKET}/{folder.parent.name}/{folder.name}") as fleet:
                await asyncio.to_thread(fleet.add, [(one.origin, f"{one.origin}/")])
                server.requests.clear()
                server.failing, server.losing = failing, losing
                summary = await worker(url, folder / "a").run()
                assert summary.ended == "nothing-left"
                done["request to the object storage failed"] += failing - server.failing
                done["answer of the object storage lost"] += losing - server.losing
                assert (server.failing, server.losing) == (0, 0)
                gathered = await asyncio.to_thread(gather, fleet, folder / "gathered")
                record.requests += len(one.visits)
                record.lost = (record.lost or 0) + 6 - fleet.status().urls["done"]
                record.unproven = (record.unproven or 0) + len(one.visits) - gathered.visits
                assert len(one.visits) == 8
                assert await asyncio.to_thread(sweep, fleet) == 0
            names = [one.path for one in server.puts() if "/20" in one.path]
            assert len(names) == len(set(names)) + failing + losing
            return one.origin

    with object_server() as server:
        for number in range(share_of(10)):
            folder = tmp_path / f"{number}"
            origin = asyncio.run(crawl(server, folder))
            with open_readonly(folder / "gathered") as database:
                entry = entry_of(database, f"{origin}/lamps")
                assert entry is not None
                assert entry.state == "done"
    record.faults = dict(done)
    record_faults(record_property, record)


@pytest.mark.usefixtures("at_once")
def test_a_second_stop_leaves_what_is_being_published(
    cluster: PostgresCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker ends although the object storage does not answer; the next one publishes."""
    from goodbot.crawl.fleet import segment_publisher  # noqa: PLC0415  needs the extra

    url, objects = cluster.new_url(), (tmp_path / "objects").as_uri()
    publisher = segment_publisher.SegmentPublisher
    put, begun, released = publisher.put, threading.Event(), threading.Event()

    def hang(*_: object) -> None:
        begun.set()
        released.wait(60)

    async def main() -> None:
        async with site() as one:
            with made(url, objects) as fleet:
                await asyncio.to_thread(fleet.add, [(one.origin, f"{one.origin}/")])
                monkeypatch.setattr(publisher, "put", hang)
                first = worker(url, tmp_path / "a", urls=1)
                running = asyncio.ensure_future(first.run())
                await asyncio.to_thread(begun.wait, 60)
                first.stop()
                first.stop()
                summary = await running
                released.set()
                assert summary.ended == "stopped"
                assert fleet.status().urls["queued"] >= 1
                monkeypatch.setattr(publisher, "put", put)
                await worker(url, tmp_path / "a", urls=100).run()
                done = await asyncio.to_thread(gather, fleet, tmp_path / "gathered")
                # What was visited meanwhile is a segment of its own.
                assert done.segments in {2, 3}
                assert done.visits > 8, "the first visits were made, too"

    asyncio.run(main())


def changing_site(pages: dict[str, str]) -> LoopbackSite:
    """Return a site whose pages may change."""

    def script(path: str) -> Any:  # noqa: ANN401  a script
        def answer(visit: Any) -> Any:  # noqa: ANN401  as a script
            body = pages.get(path)
            status = 404 if body is None else 200
            return always(status, (body or "").encode(), HTML)(visit)

        return answer

    robots_txt = always(200, ROBOTS_TXT, "Content-Type: text/plain")
    quick = replace(behaviour("polite"), answer=robots_txt)
    return LoopbackSite(quick, pages={path: script(path) for path in PAGES})


@pytest.mark.usefixtures("at_once")
def test_a_later_segment_replaces_what_earlier_ones_found(
    cluster: PostgresCluster, tmp_path: Path
) -> None:
    """Pages that change, lose their links, forbid the index, or are gone; and one is blocked."""
    from goodbot.crawl.frontier.postgres import PostgresFrontier  # noqa: PLC0415  needs the extra

    url, objects = cluster.new_url(), (tmp_path / "objects").as_uri()

    async def main() -> str:
        pages = dict(PAGES)
        async with changing_site(pages) as one:
            start = [f"{one.origin}/", f"{one.origin}/noarchive"]
            me = {name: ROBOT[name] for name in ("info_url", "contact", "manners")}
            with made(url, objects) as fleet:
                await asyncio.to_thread(fleet.add, [(one.origin, page) for page in start])
                await worker(url, tmp_path / "a").run()
                crawl = Crawl(
                    tmp_path / "one", ROBOT["robot"], **me, start=start, allow_private=True
                )
                await crawl.run()
                pages["/"] = PAGES["/"].replace("/copy", "/noindex")
                pages["/lamps"] = '<title>L</title><meta name=robots content="noindex,noarchive">x'
                pages["/copy"] = "<title>Copy</title><p>A lamp without a canonical URL."
                del pages["/noindex"]
                frontier = PostgresFrontier(url)
                frontier.again(datetime.now(timezone.utc), early=True)
                frontier.close()
                await worker(url, tmp_path / "b").run()
                again = Crawl(tmp_path / "one", resume=True, allow_private=True)
                await again.run(early=True)
            return one.origin

    origin = asyncio.run(main())
    with made_before(url) as fleet:
        done = gather(fleet, tmp_path / "gathered")
    assert done.visits > 8
    folders = [dict(told(tmp_path / name, origin)) for name in ("one", "gathered")]
    for what in ("links", "inventory", "index", "archive", "evidence"):
        assert folders[1][what] == folders[0][what], what
    why = ("--why", "they asked")
    assert run("robot", "block", "add", url, f"{origin}/copy", *why).returncode == 0
    with made_before(url) as fleet:
        gather(fleet, tmp_path / "blocked")
    with open_readonly(tmp_path / "blocked") as database:
        entry = entry_of(database, f"{origin}/copy")
        assert entry is not None
        assert (entry.state, entry.reason) == ("disallowed", "operator-block")
    with Database(tmp_path / "blocked") as opened, WarcArchive(opened) as archive:
        assert archive.show(f"{origin}/copy") is None
        assert archive.show(f"{origin}/") is not None


@pytest.mark.usefixtures("at_once")
def test_a_full_disk_ends_a_worker_and_loses_nothing(
    cluster: PostgresCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When a segment is cut; and a folder that could not be gathered is gathered anew."""
    from goodbot.crawl.fleet import segment_publisher  # noqa: PLC0415  needs the extra

    url, objects = cluster.new_url(), (tmp_path / "objects").as_uri()

    def full(*_: object) -> None:
        message = "database or disk is full"
        raise sqlite3.OperationalError(message)

    def no_room(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async def main() -> int:
        async with site() as one:
            with made(url, objects) as fleet:
                await asyncio.to_thread(fleet.add, [(one.origin, f"{one.origin}/")])
                for name, fail in (("copy_rows", full), ("link_or_copy", no_room)):
                    with monkeypatch.context() as patch:
                        patch.setattr(segment_publisher, name, fail)
                        with pytest.raises(StoreError):
                            await worker(url, tmp_path / "a").run()
                await worker(url, tmp_path / "a", urls=100).run()
                assert fleet.status().urls["done"] == 6
            return len(one.visits)

    visits = asyncio.run(main())
    assert visits > 8
    file = next((tmp_path / "objects").rglob("crawl.db.gz"))
    content = file.read_bytes()
    file.write_bytes(content[:-1])
    failed = run("fleet", "gather", url, tmp_path / "gathered")
    assert failed.returncode == 2
    assert b"is not what the fleet wrote" in failed.stderr
    assert not (tmp_path / "gathered").exists()
    file.write_bytes(content)
    assert run("fleet", "gather", url, tmp_path / "gathered").returncode == 0
