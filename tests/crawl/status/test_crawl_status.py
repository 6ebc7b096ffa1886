"""How far a crawl has come, and how long it will still take, by the folder alone."""

import datetime as dt
import io
import json
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import goodbot
from goodbot.cli.shared.printing import Printer
from goodbot.crawl import Database, crawl_status
from goodbot.crawl.folder.lock import FolderLock
from goodbot.crawl.status.time_left import SitePace, time_left
from goodbot.crawl.verbs.status import print_status
from goodbot.errors import MisuseError, NotAStoreError, WrongValueError
from goodbot.http.instants import instant
from tests.support.crawls.process_crawls import crawl_in_parts, ring
from tests.support.crawls.sample_crawl import BUSY, NEWS, NOON, SHOP, sample
from tests.support.loopback_shop import ROBOT, open_shop
from tests.support.program import GOODBOT, environment, run

HOUR = dt.timedelta(hours=1)
REQUEST = (
    "INSERT INTO requests(origin, url, purpose, started, ended, status) "
    "VALUES(?, ?, 'page', ?, ?, 200)"
)
QUEUE = (
    "INSERT INTO urls(url, origin, depth, hops, how, state, due) "
    "VALUES(?, (SELECT id FROM origins WHERE origin = ?), 1, 0, 'link', 'queued', ?)"
)


def queue(database: Database, origin: str, count: int, due: dt.datetime) -> None:
    """Queue more URLs of an origin."""
    with database.changing() as connection:
        rows = [(f"{origin}/more/{n}", origin, instant(due, "due")) for n in range(count)]
        connection.executemany(QUEUE, rows)


def request(database: Database, origin: str, starts: Sequence[dt.datetime]) -> None:
    """Record requests."""
    with database.changing() as connection:
        rows = [(origin, f"{origin}/x", at, at) for at in (instant(one, "at") for one in starts)]
        connection.executemany(REQUEST, rows)


@pytest.mark.parametrize(
    ("sites", "rate", "seconds", "unknown"),
    [
        ([], None, 0.0, 0),
        ([SitePace("a", 10, 60.0)], None, 600.0, 0),
        ([SitePace("a", 10, 60.0), SitePace("b", 20, 60.0)], None, 1200.0, 0),
        ([SitePace("a", 10, 60.0, wait=100.0)], None, 640.0, 0),
        ([SitePace("a", 10, None)], None, None, 1),
        ([SitePace("a", 10, None)], 0.1, 100.0, 1),
        ([SitePace("a", 10, 1.0), SitePace("b", 10, 1.0)], 0.5, 40.0, 0),
        ([SitePace("a", 10, 0.0)], None, None, 0),
    ],
)
def test_the_time_left_is_that_of_the_slowest_site_or_of_the_whole_rate(
    sites: list[SitePace], rate: float | None, seconds: float | None, unknown: int
) -> None:
    """Sites are visited side by side; what is not known is counted apart."""
    found = time_left(sites, rate)
    assert (found.seconds, found.unknown) == (seconds, unknown)


def test_only_the_slowest_sites_are_listed() -> None:
    """Ten of a thousand, the slowest first."""
    sites = [SitePace(str(n), n, 1.0) for n in range(1, 1001)]
    assert [site.queued for site in time_left(sites).slowest] == list(range(1000, 990, -1))


def test_the_pace_is_what_was_measured_or_else_what_is_asked(tmp_path: Path) -> None:
    """A week's rest in between makes no site slower; hours of visits do."""
    made = sample(tmp_path / "crawl")
    now = NOON + 8 * HOUR
    with closing(made.database) as database:
        database.connection.execute("DELETE FROM requests")
        database.connection.execute("UPDATE urls SET state = 'done', due = NULL")
        rests = [
            NOON - dt.timedelta(days=7),
            *(NOON + n * dt.timedelta(minutes=1) for n in range(9)),
        ]
        request(database, SHOP, rests)
        queue(database, SHOP, 100, NOON)
        rules = "User-agent: *\nCrawl-delay: 100\nVisit-time: 0000-0559\n"
        policy = goodbot.Policy.from_response(f"{NEWS}/robots.txt", 200, {}, rules, now=NOON + HOUR)
        database.store.put(NEWS, policy.as_record(), NOON + HOUR)
        queue(database, NEWS, 36, now + HOUR)
        queue(database, BUSY, 5, NOON)
    status = crawl_status(tmp_path / "crawl", now)
    paces = {site.origin: site for site in status.left.slowest}
    assert (paces[SHOP].gap, paces[SHOP].source) == (60.0, "measured")
    assert paces[SHOP].seconds == 6000.0
    assert (paces[NEWS].gap, paces[NEWS].source) == (400.0, "Crawl-delay")
    assert paces[NEWS].seconds == 3600.0 + 35 * 400.0
    assert status.left.seconds == paces[NEWS].seconds
    assert status.ends == now + dt.timedelta(seconds=3600 + 35 * 400)
    assert status.sites["waiting"] == 1
    assert status.urls["queued"] == 141
    assert status.rate == pytest.approx(1 / 60)
    assert status.last_request == NOON + 8 * dt.timedelta(minutes=1)


def test_a_crawl_that_does_not_run_says_so(tmp_path: Path) -> None:
    """Also one that has not begun, one with no URL left, and no crawl at all."""
    with pytest.raises(NotAStoreError):
        crawl_status(tmp_path, NOON)
    Database(tmp_path / "new", create=True).close()
    status = crawl_status(tmp_path / "new", NOON)
    assert (status.robot, status.is_running, status.process) == ("", False, None)
    assert (status.left.seconds, status.last_request, status.urls) == (0.0, None, {})
    with FolderLock(tmp_path / "new"):
        running = crawl_status(tmp_path / "new", NOON)
        assert (running.is_running, running.process is not None) == (True, True)
    assert not crawl_status(tmp_path / "new", NOON).is_running
    with pytest.raises(WrongValueError, match="utc"):
        crawl_status(tmp_path / "new", dt.datetime(2026, 1, 1))  # noqa: DTZ001  the mistake


def test_a_crawl_that_was_killed_at_its_start_has_a_status(tmp_path: Path) -> None:
    """Before its settings were stored: the pace is that for any robot."""
    made = sample(tmp_path)
    with closing(made.database) as database:
        for statement in ("DELETE FROM settings WHERE name <> 'format'", "DELETE FROM requests"):
            database.connection.execute(statement)
        queue(database, SHOP, 3, NOON)
    status = crawl_status(tmp_path, made.clock.now())
    assert status.robot == ""
    paces = {site.origin: site.gap for site in status.left.slowest}
    assert paces[SHOP] == 5.0


def test_a_queue_that_is_elsewhere_has_its_status_there(tmp_path: Path) -> None:
    """As that of a worker of a fleet, whose folder knows only the URLs that it has visited."""
    with closing(Database(tmp_path, create=True)) as database:
        database.write_settings({"elsewhere": '{"frontier": "PostgresFrontier"}'})
    with pytest.raises(MisuseError, match="PostgresFrontier"):
        crawl_status(tmp_path, NOON)


def test_a_crawl_in_several_processes_has_one_status(tmp_path: Path) -> None:
    """Its parts are counted together."""
    site = ring()
    crawl_in_parts(tmp_path / "crawl", site, processes=2)
    status = crawl_status(tmp_path / "crawl", NOON + 30 * 24 * HOUR)
    assert status.urls == {"done": 2, "skipped": 4}, "the start, its other page, and other sites"
    assert status.sites["idle"] == sum(status.sites.values()) == 3
    assert status.last_request is not None


@pytest.mark.parametrize(("rate", "said"), [(0.01, "0.6"), (4.8, "288"), (18.4, "1,104")])
def test_a_rate_is_printed_without_an_exponent(tmp_path: Path, rate: float, said: str) -> None:
    """Whole from ten a minute on."""
    Database(tmp_path / "new", create=True).close()
    state = replace(crawl_status(tmp_path / "new", NOON), rate=rate, last_request=NOON)
    text = io.StringIO()
    print_status(state, Printer(text))
    assert f"\nRequests: {said} a minute lately; the last one at " in text.getvalue()


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM ends a process in order only on POSIX")
def test_the_verb_shows_a_crawl_that_runs_elsewhere(tmp_path: Path) -> None:
    """Its status is 0 while the crawl runs, and 1 afterwards; `--live` ends with the crawl."""
    folder = str(tmp_path / "crawl")
    links = "".join(f"<a href=/{n}>x</a>" for n in range(200)).encode()
    robots_txt = {"/robots.txt": b"User-agent: *\nCrawl-delay: 0.1\n"}
    with open_shop({f"/{n}": links for n in range(200)} | robots_txt) as shop:
        shop.hold("/9")
        command = [*GOODBOT, "crawl", f"{shop.origin}/0", *ROBOT, "--out", folder, "--quiet"]
        with subprocess.Popen(command, env=environment()) as crawl:  # noqa: S603  our own program
            try:
                shop.at_gate.wait()
                live = [*GOODBOT, "status", folder, "--live", "0.2", "--json"]
                with subprocess.Popen(live, stdout=subprocess.PIPE, env=environment()) as watching:  # noqa: S603  the same
                    assert watching.stdout is not None
                    first = watching.stdout.readline()
                    done = run("status", folder)
                    text = done.stdout.decode()
                    crawl.terminate()
                    shop.gate.set()
                    assert crawl.wait() == 130
                    states = [json.loads(line) for line in (first, *watching.stdout)]
            finally:
                crawl.kill()
        assert (done.returncode, f"running (process {crawl.pid})" in text) == (0, True)
        assert "\nTime left: " in text
        assert states[0]["process"] == crawl.pid
        assert (states[0]["is_running"], states[-1]["is_running"]) == (True, False)
        done = run("status", folder)
        assert (done.returncode, b", not running, " in done.stdout) == (1, True)
