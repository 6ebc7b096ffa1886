"""A fleet: several workers, each a process, on one database and real sites."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from contextlib import AsyncExitStack
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.crawl import open_readonly
from goodbot.crawl.evidence.history import history_of
from goodbot.crawl.frontier.protocol import Outcome
from goodbot.crawl.run.settings import GivenSettings
from goodbot.errors import MisuseError, NoCrawlError
from goodbot.robot.signing_identity import SigningIdentity
from goodbot.signatures import KeySet, KeySets, SignedRequest, judge_signatures
from goodbot.testing import LoopbackSite
from goodbot.testing.steps import always
from tests.support.live_sites import behaviour_of
from tests.support.postgres import PostgresCluster, cluster
from tests.support.program import run
from tests.support.waiting import until

psycopg = pytest.importorskip("psycopg", reason="needs the extra postgres")
pytest.importorskip("psycopg_pool", reason="needs the extra postgres")

if TYPE_CHECKING:
    from pathlib import Path

    from goodbot.crawl.fleet.fleet import Fleet

__all__ = ["cluster"]

pytestmark = pytest.mark.stress

ROBOT: dict[str, Any] = {
    "robot": "ExampleBot/1.0",
    "info_url": "https://example.com/bot",
    "contact": "bot@example.com",
}
SITES, PAGES, DELAY = 5, 6, 0.25
LEASE = 2.0
KEYS = "https://example.com/keys.json"


def opened(url: str) -> Fleet:
    """Open a fleet."""
    from goodbot.crawl.fleet.fleet import Fleet  # noqa: PLC0415  needs the extra

    return Fleet(url)


def made(url: str, **settings: Any) -> Fleet:  # noqa: ANN401  as the settings have them
    """Make a fleet."""
    fleet = opened(url)
    fleet.make(GivenSettings(**ROBOT, **settings))
    return fleet


def site() -> LoopbackSite:
    """Return a site whose pages link to one another."""
    links = "".join(f"<a href=/{page}>x</a>" for page in range(PAGES))
    html = "Content-Type: text/html"
    pages: dict[str, Any] = {
        f"/{page}": always(200, f"<title>{page}</title>{links}".encode(), html)
        for page in ("", *range(PAGES))
    }
    robots_txt = f"User-agent: *\nCrawl-delay: {DELAY}\n".encode()
    return LoopbackSite(behaviour_of(always(200, robots_txt)), pages=pages)


async def worker(url: str, folder: Path, *words: str) -> asyncio.subprocess.Process:
    """Start a worker."""
    command = ["-m", "goodbot", "fleet", "work", url, "--out", str(folder), "--json", *words]
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *command,
        "--allow-private",
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Visit added URLs at once: no worker runs yet."""
    from goodbot.crawl.fleet import fleet  # noqa: PLC0415  needs the extra

    monkeypatch.setattr(fleet, "DELAY", 0.0)


@pytest.mark.stress
@pytest.mark.usefixtures("at_once")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_worker_that_is_killed_loses_nothing(cluster: PostgresCluster, tmp_path: Path) -> None:
    """By the logs of the sites: every page once, each robots.txt once, and none too early.

    Only what was under way when a worker was killed is visited again.
    """
    url = cluster.new_url()

    async def main() -> tuple[list[LoopbackSite], list[tuple[int | None, bytes, bytes]]]:
        async with AsyncExitStack() as stack:
            sites = [await stack.enter_async_context(site()) for _ in range(SITES)]
            with made(url) as fleet:
                start = [(one.origin, f"{one.origin}/") for one in sites]
                assert await asyncio.to_thread(fleet.add, start) == SITES
            words = ("--lease", str(LEASE), "--workers", "4")
            workers = [await worker(url, tmp_path / str(n), *words) for n in range(3)]
            outputs = [asyncio.ensure_future(one.communicate()) for one in workers]
            await until(lambda: sum(len(one.visits) for one in sites) >= SITES * 3)
            os.kill(workers[0].pid, signal.SIGKILL)
            texts = await asyncio.gather(*outputs)
            return sites, [
                (one.returncode, *text) for one, text in zip(workers, texts, strict=True)
            ]

    sites, ended = asyncio.run(main())
    assert [status for status, _, _ in ended] == [-9, 0, 0], ended[1][2]
    with opened(url) as fleet:
        status = fleet.status()
    assert status.urls == {"done": SITES * (PAGES + 1)}
    assert (status.workers, status.sites["idle"]) == ([], SITES)
    repeated = 0
    for one in sites:
        counts = Counter(visit.target for visit in one.visits)
        assert len(counts) == PAGES + 2
        assert counts["/robots.txt"] == 1
        repeated += sum(counts.values()) - len(counts)
        times = [visit.at for visit in one.visits]
        assert min(after - before for before, after in pairwise(times)) >= DELAY
    assert repeated <= 8, "no more than the killed worker had under way, or had not settled yet"
    summaries = [json.loads(out.splitlines()[-1]) for status, out, _ in ended if status == 0]
    assert all(one["event"] == "ended" for one in summaries)


@pytest.mark.usefixtures("at_once")
def test_a_fleet_that_is_drained_can_go_on(
    cluster: PostgresCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its workers end in order, and others begin where they ended."""
    from goodbot.crawl.fleet import fleet_worker  # noqa: PLC0415  needs the extra

    monkeypatch.setattr(fleet_worker, "LOOK_AFTER", 0.05)
    url = cluster.new_url()

    async def main() -> None:
        async with site() as one:
            with made(url) as fleet:
                await asyncio.to_thread(fleet.add, [(one.origin, f"{one.origin}/")])
                first = fleet_worker.FleetWorker(url, tmp_path / "a", allow_private=True)
                running = asyncio.ensure_future(first.run())
                await until(lambda: len(one.visits) >= 3)
                await asyncio.to_thread(fleet.drain)
                assert (await running).ended == fleet_worker.DRAINED
                seen = len(one.visits)
                again = fleet_worker.FleetWorker(url, tmp_path / "a", allow_private=True)
                assert (await again.run()).ended == fleet_worker.DRAINED
                assert len(one.visits) == seen
                assert fleet.status().sites["leased"] == 0
                await asyncio.to_thread(lambda: fleet.drain(begin=False))
                second = fleet_worker.FleetWorker(url, tmp_path / "b", allow_private=True)
                assert (await second.run()).ended == "nothing-left"
                assert fleet.status().urls == {"done": PAGES + 1}
            assert len(one.visits) == len({visit.target for visit in one.visits})

    asyncio.run(main())


@pytest.mark.usefixtures("at_once")
def test_a_worker_signs(cluster: PostgresCluster, tmp_path: Path) -> None:
    """Every request, by the identity on its machine; what is gathered names the key.

    The settings of the fleet have none.
    """
    pytest.importorskip("obstore", reason="needs the extra objects")
    from goodbot.crawl.fleet.fleet_worker import FleetWorker  # noqa: PLC0415  needs the extra
    from goodbot.crawl.fleet.gathering import gather  # noqa: PLC0415  as above

    url, mine = cluster.new_url(), SigningIdentity.new(KEYS, datetime.now(timezone.utc))

    async def main() -> LoopbackSite:
        async with site() as one:
            with opened(url) as fleet:
                fleet.make(GivenSettings(**ROBOT), objects=f"file://{tmp_path}/objects")
                await asyncio.to_thread(fleet.add, [(one.origin, f"{one.origin}/")])
                worker = FleetWorker(url, tmp_path / "a", allow_private=True, identity=mine)
                assert (await worker.run()).ended == "nothing-left"
                await asyncio.to_thread(gather, fleet, tmp_path / "all")
            return one

    visited = asyncio.run(main())
    assert len(visited.visits) == PAGES + 2
    keys = KeySets([KeySet.of(mine.published(), KEYS)])
    for visit in visited.visits:
        request = SignedRequest.to_url(f"{visited.origin}{visit.target}", lines=visit.headers)
        (found,) = judge_signatures(request, datetime.now(timezone.utc), keys.find)
        assert found.reason == "signature-valid"
    with open_readonly(tmp_path / "all") as database:
        signed_by = getattr(history_of(database, f"{visited.origin}/1"), "signed_by", "")
    assert signed_by == f"{mine.signer.key.thumbprint} ({KEYS})"


@pytest.mark.usefixtures("at_once")
def test_the_status_tells_the_time_left(cluster: PostgresCluster) -> None:
    """By the pace that was measured at each site; a site that was not visited is counted apart."""
    from goodbot.crawl.frontier.postgres import PostgresFrontier  # noqa: PLC0415  needs the extra

    url = cluster.new_url()
    slow, new = "https://slow.example", "https://new.example"
    with made(url) as fleet:
        fleet.add([(slow, f"{slow}/{page}") for page in range(9)])
        fleet.add([(new, f"{new}/")])
        assert fleet.status().left.seconds is None
        frontier = PostgresFrontier(url, name="a machine")
        now = fleet.status().at
        try:
            for page in range(4):
                taken = frontier.take(now)
                while taken is not None and taken.origin != slow:
                    taken = frontier.take(now)
                assert taken is not None
                at = now - timedelta(seconds=30 * (4 - page))
                assert frontier.settle(taken, Outcome("done", "fetched", status=200), at)
                frontier.free(taken, None)
            status = fleet.status()
        finally:
            frontier.close()
    (working,) = status.workers
    assert (working.name, working.sites, working.is_alive) == ("a machine", 2, True)
    assert working.last_sign is not None
    assert working.last_sign <= status.at < working.leased_until
    (slowest,) = status.left.slowest
    assert (slowest.origin, slowest.queued, slowest.gap) == (slow, 5, 30.0)
    assert (status.pages, status.left.unknown, status.left.seconds) == (4, 1, 180.0)
    assert status.rate == pytest.approx(1 / 30), "and there are six URLs at this rate"
    assert status.ends == status.at + timedelta(seconds=180)
    assert status.as_dict()["slowest"] == [slowest.as_dict()]


@pytest.mark.usefixtures("at_once")
def test_workers_take_up_new_settings(cluster: PostgresCluster, tmp_path: Path) -> None:
    """A site that is added belongs to the crawl, and a running worker visits it."""
    from goodbot.crawl.fleet import fleet_worker  # noqa: PLC0415  needs the extra

    url = cluster.new_url()

    async def main() -> None:
        async with site() as one, site() as two:
            with made(url) as fleet:
                await asyncio.to_thread(fleet.add, [(one.origin, f"{one.origin}/")])
                worker = fleet_worker.FleetWorker(url, tmp_path / "a", allow_private=True)
                monkeyed = fleet_worker.LOOK_AFTER
                fleet_worker.LOOK_AFTER = 0.05
                try:
                    running = asyncio.ensure_future(worker.run())
                    await until(lambda: len(one.visits) >= 2)
                    await asyncio.to_thread(fleet.add, [(two.origin, f"{two.origin}/")])
                    summary = await running
                finally:
                    fleet_worker.LOOK_AFTER = monkeyed
                assert summary.ended == "nothing-left"
                assert fleet.orders().revision == 3
                assert fleet.status().urls == {"done": 2 * (PAGES + 1)}
            assert len(two.visits) == PAGES + 2

    asyncio.run(main())


@pytest.mark.usefixtures("at_once")
def test_sites_of_one_group_are_on_one_machine_with_one_pace(
    cluster: PostgresCluster, tmp_path: Path
) -> None:
    """By the logs of the sites: no request to any of them comes early, whichever worker sends it.

    Other sites are shared out among the workers.
    """
    url, pause = cluster.new_url(), 0.2
    manners = {"groups": ("127.0.0.1",), "floor": 0.0, "factor": 0.0, "default": pause}

    async def main() -> list[LoopbackSite]:
        async with AsyncExitStack() as stack:
            sites = [await stack.enter_async_context(small_site()) for _ in range(4)]
            with made(url, manners=manners) as fleet:
                for one in sites:  # in two calls, as by two operators
                    await asyncio.to_thread(fleet.add, [(one.origin, f"{one.origin}/")])
            words = ("--lease", "5", "--workers", "8")
            workers = [await worker(url, tmp_path / str(n), *words) for n in range(2)]
            ended = [await one.communicate() for one in workers]
            assert [one.returncode for one in workers] == [0, 0], ended
            return sites

    sites = asyncio.run(main())
    visits = sorted(visit.at for one in sites for visit in one.visits)
    assert len(visits) == 4 * 4
    gaps = [later - earlier for earlier, later in pairwise(visits)]
    assert min(gaps) >= pause - 0.01
    with opened(url) as fleet:
        assert fleet.status().urls == {"done": 4 * 3}
        assert fleet.status().sites["idle"] == 1, "a group is leased as a whole"
    busy = []
    for number in range(2):
        with open_readonly(tmp_path / str(number)) as database, database.reading() as connection:
            (count,) = connection.execute("SELECT count(*) FROM evidence").fetchone()
            busy.append(count)
    assert sorted(busy) == [0, 12]


def small_site() -> LoopbackSite:
    """Return a site of three pages without a pace of its own."""
    html = "Content-Type: text/html"
    pages: dict[str, Any] = {
        f"/{page}": always(200, b"<a href=/a>x</a><a href=/b>x</a>", html)
        for page in ("", "a", "b")
    }
    return LoopbackSite(behaviour_of(always(200, b"User-agent: *\nDisallow:\n")), pages=pages)


def test_the_verbs_make_and_show_a_fleet(cluster: PostgresCluster, tmp_path: Path) -> None:
    """From nothing to a queue; the messages say what to do."""
    url = cluster.new_url()
    robot = ["-r", "ExampleBot/1.0", "--info-url", "https://example.com/bot"]
    robot += ["--contact", "bot@example.com"]
    missing = run("fleet", "add", url, "https://a.example/")
    assert missing.returncode == 2
    # A URL that is misspelt leaves nothing behind, and the message has all that matters of it.
    schema = url.rpartition("schema=")[2]
    assert f"?schema={schema}; make one: goodbot fleet init".encode() in missing.stderr
    with psycopg.connect(cluster.url()) as connection:
        named = "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = %s"
        assert connection.execute(named, (schema,)).fetchone() is None
    assert run("fleet", "init", url, *robot, "--max-depth", "3").returncode == 0
    again = run("fleet", "init", url, *robot)
    assert again.returncode == 2
    assert b"there is a fleet in" in again.stderr
    nothing = run("fleet", "work", url, "--out", tmp_path / "c")
    assert f"fleet add '{url}' https://example.com/\n".encode() in nothing.stdout
    text = "https://b.example/\t# b\n#\nhttps://a.example/\n"
    (tmp_path / "urls").write_text(text, "utf-8")
    added = run("fleet", "add", url, "https://a.example/", "--urls", tmp_path / "urls")
    assert b"2 URLs added, of 3." in added.stdout
    assert run("fleet", "add", url).returncode == 2
    assert run("fleet", "drain", url).returncode == 0
    for verb in (("segments",), ("sweep",), ("gather", tmp_path / "gathered")):
        refused = run("fleet", verb[0], url, *verb[1:])
        assert refused.returncode == 2
        assert b"are in the folders of its workers" in refused.stderr
    state = json.loads(run("fleet", "status", url, "--json").stdout)
    assert (state["robot"], state["is_draining"]) == ("ExampleBot/1.0", True)
    assert (state["urls"], state["workers"]) == ({"queued": 2}, [])
    assert state["sites"] == {"leased": 0, "due": 0, "waiting": 2, "idle": 0}
    text = run("fleet", "status", url).stdout.decode()
    sites = "URLs: 2 queued\nSites: 0 leased, 0 due, 2 waiting, 0 idle\n"
    assert f"{sites}Pages: 0\nWorkers: 0\nTime left: not known yet\n" in text
    with opened(url) as fleet:
        assert fleet.orders().settings.bounds.depth == 3
    drained = run("fleet", "work", url, "--out", tmp_path / "c").stdout.decode()
    assert f"begin again:\n  goodbot fleet drain --undo '{url}'\n" in drained
    assert f"To continue:\n  goodbot fleet work --out {tmp_path / 'c'} '{url}'\n" in drained
    assert drained.endswith(f"\n  goodbot fleet status '{url}'\n")


@pytest.mark.usefixtures("at_once")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM")
def test_several_workers_of_one_machine(cluster: PostgresCluster, tmp_path: Path) -> None:
    """Each is a process with a folder and a name of its own; all end in order."""
    url = cluster.new_url()

    async def main() -> None:
        async with AsyncExitStack() as stack:
            sites = [await stack.enter_async_context(site()) for _ in range(4)]
            with made(url) as fleet:
                start = [(one.origin, f"{one.origin}/") for one in sites]
                await asyncio.to_thread(fleet.add, start)
                words = ("--processes", "2", "--name", "m", "--patience", "none", "--lease", "4")
                first = await worker(url, tmp_path, *words)
                await until(lambda: sum(len(one.visits) for one in sites) > 4)
                names = {one.name for one in (await asyncio.to_thread(fleet.status)).workers}
                assert names <= {"m 1", "m 2"}
                first.send_signal(signal.SIGTERM)
                output, complaints = await first.communicate()
                assert first.returncode == 130, complaints
                assert output.count(b'"event": "ended"') == 2
                again = await worker(url, tmp_path, *words)
                _, complaints = await again.communicate()
                assert again.returncode == 0, complaints
                assert fleet.status().urls == {"done": 4 * (PAGES + 1)}
            for one in sites:
                assert len(one.visits) == len({visit.target for visit in one.visits})

    asyncio.run(main())
    assert {one.name for one in tmp_path.iterdir()} == {"1", "2"}


def test_a_fleet_has_one_set_of_settings(cluster: PostgresCluster) -> None:
    """It is made once, and needs a robot that says who it is."""
    with opened(cluster.new_url()) as fleet:
        with pytest.raises(NoCrawlError, match="goodbot fleet init"):
            fleet.orders()
        with pytest.raises(MisuseError, match="has no name"):
            fleet.make(GivenSettings())
        fleet.make(GivenSettings(**ROBOT))
        with pytest.raises(MisuseError, match="name another schema"):
            fleet.make(GivenSettings(**ROBOT))
