"""A crawl killed at random moments loses no page, has none twice, and is never early."""

import asyncio
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from warcio.archiveiterator import ArchiveIterator

from goodbot.crawl.folder.database import FILE
from goodbot.crawl.run.crawl_run import CrawlRun
from goodbot.pace import Manners
from goodbot.testing import Answer, FakeClock, FakeSite, FakeVisit
from tests.support.crawls.memory_crawls import OTHER, SITE, crawl, html, paths, searched
from tests.support.examples import some_of, thorough
from tests.support.paths import ROOT
from tests.support.waiting import HANGS

pytestmark = pytest.mark.stress

KILLS = 20
LOOK = 0.001
"""Seconds by which two readings of a clock may differ."""
RETRY_AFTER = 1
"""The smallest number of seconds that the field can state."""
BUSY_REQUESTS = "SELECT url FROM requests WHERE status = 503"


@dataclass
class Served:
    """One request from its arrival to its response, in seconds."""

    path: str
    start: float
    end: float
    wants_nobody_until: float = 0.0
    is_lost: bool = False
    """Whether the robot was killed before it had recorded the response."""


@dataclass
class Site:
    """One origin, served in a thread."""

    delay: float
    """The pause that it asks for, in seconds; 0 if it asks for none."""
    seconds: float = 0.004
    """The time for serving a page, in seconds."""
    pages: int = 40
    """The number of pages, in addition to the first."""
    busy: frozenset[str] = frozenset()
    """Pages that at first ask robots to wait."""
    origin: str = ""
    served: list[Served] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Respond to the requests of one connection."""
        gone = (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError)
        with suppress(*gone), closing(writer):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                one = Served(head.split(b" ")[1].decode(), time.monotonic(), float("inf"))
                self.served.append(one)
                await asyncio.sleep(self.seconds)
                # Do this first: the client may have the last byte before this thread continues.
                answer, one.end = self.answer(one), time.monotonic()
                writer.write(answer)
                await writer.drain()

    def answer(self, one: Served) -> bytes:
        """Write a response."""
        status, kind, more = 200, "text/html", ""
        if one.path == "/robots.txt":
            kind, text = "text/plain", "User-agent: *\n"
            text += f"Crawl-delay: {self.delay}\n" if self.delay else ""
        elif one.path in self.busy and self.count(one.path) == 1:
            status, text, more = 503, "busy", f"Retry-After: {RETRY_AFTER}\r\n"
            one.wants_nobody_until = time.monotonic() + RETRY_AFTER
        else:
            links = "".join(f'<a href="/{number}">x</a> ' for number in range(self.pages))
            text = f"<title>t</title><p>lamp page{one.path[1:] or 'home'}x</p>{links}"
        body = text.encode()
        head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        return f"{head}{more}\r\n".encode() + body

    def note_lost(self, folder: Path) -> None:
        """Note, after a kill, which of its wishes no robot can know: they are in no database."""
        recorded: set[str] = set()
        for path in folder.glob("*.db"):
            with closing(sqlite3.connect(path)) as database, suppress(sqlite3.OperationalError):
                recorded |= {url for (url,) in database.execute(BUSY_REQUESTS)}
        for one in self.served:
            if one.wants_nobody_until and self.origin + one.path not in recorded:
                one.is_lost = True

    def count(self, path: str) -> int:
        """Return how often a path was requested."""
        return sum(one.path == path for one in self.served)


@contextmanager
def opened(*sites: Site) -> Iterator[None]:
    """Open sites on loopback."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    servers = []
    for site in sites:
        opening = asyncio.start_server(site.serve, "127.0.0.1", 0)
        server = asyncio.run_coroutine_threadsafe(opening, loop).result(HANGS)
        site.origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        servers.append(server)
    try:
        yield
    finally:
        for server in servers:
            loop.call_soon_threadsafe(server.close)
        asyncio.run_coroutine_threadsafe(ended(), loop).result(HANGS)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(HANGS)
        loop.close()


async def ended() -> None:
    """Cancel every task of an event loop except this one."""
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def crawled(folder: Path, sites: list[Site], kill_after: float | None) -> str:
    """Run a crawl, and kill it after some seconds; return its last message."""
    command = [
        sys.executable,
        "-m",
        "tests.support.crawls.crawl_worker",
        str(folder),
        *(f"{site.origin}/" for site in sites),
    ]
    with subprocess.Popen(  # noqa: S603  our own program
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        said = process.stdout.readline()
        if kill_after is not None:
            time.sleep(kill_after)
            os.kill(process.pid, signal.SIGKILL)
        said = process.stdout.readline() or said
        complaints = process.stderr.read()
    assert not complaints, complaints
    assert process.returncode in {0, -signal.SIGKILL}
    return said.strip()


# As if it were killed at each request.


ASKED = f"User-agent: *\nCrawl-delay: 40\nSitemap: {SITE}/map.xml"
TIRED = Answer(status=429, headers=[("Retry-After", "900")])


class TiredSite(FakeSite):
    """A site that at some point asks robots to wait."""

    tired_at: float | None = None


def routes_of_two_sites(site: TiredSite) -> None:
    """Ten pages on origins with a delay, a sitemap, and a page that at first asks to wait."""

    def tired(visit: FakeVisit) -> str | Answer:
        if site.tired_at is not None:
            return html("lamp")
        site.tired_at = visit.monotonic
        return TIRED

    pages = [f"/{number}" for number in range(4)]
    for origin in (SITE, OTHER):
        site.routes[f"{origin}/"] = html("lamp", *pages)
        site.routes.update({origin + page: html("lamp") for page in pages})
    site.routes[f"{SITE}/robots.txt"] = ASKED
    site.routes[f"{SITE}/2"] = tired
    site.routes[f"{SITE}/map.xml"] = f"{SITE}/only-here".encode()
    site.routes[f"{SITE}/only-here"] = html("lamp")


def killed_at(folder: Path, at: int) -> TiredSite | None:
    """Crawl up to a request, and leave the folder as a killed process would leave it."""
    site = TiredSite({}, clock=FakeClock())
    routes_of_two_sites(site)

    class KilledError(BaseException):
        """The process was killed."""

    original = site._route  # noqa: SLF001  where each request comes by

    def route(url: str) -> Any:  # noqa: ANN401  as FakeSite has it
        if len(site.visits) == at:
            shutil.copytree(folder / "running", folder / "killed")
            raise KilledError
        return original(url)

    with suppress(KilledError), patch.object(site, "_route", route):
        crawl(folder / "running", site, f"{SITE}/", f"{OTHER}/", manners=CALM, patience=None)
        return None
    del site.visits[at:]  # visits of other tasks, which a killed process would not make
    return site


CALM = Manners(default=60.0, factor=0.0, floor=2.0)


@thorough
@pytest.mark.parametrize("commits", [True, False])
def test_it_may_be_killed_at_any_request(
    commits: bool,  # noqa: FBT001
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether the file has all records or almost none: no page is lost and no visit is early."""
    if commits:
        monkeypatch.setattr(CrawlRun, "commit_soon", lambda self: self._commit())
    for at in some_of(range(1, 100)):
        folder = tmp_path / str(at)
        site = killed_at(folder, at)
        if site is None:
            assert at > 14
            return
        crawl(folder / "killed", site, f"{SITE}/", f"{OTHER}/", manners=CALM, patience=None)
        assert set(paths(folder / "killed", "done")) == {
            *("/", "/0", "/1", "/2", "/3", "/only-here", "/map.xml", f"{OTHER}/"),
            *(f"{OTHER}/{number}" for number in range(4)),
        }
        found = searched(folder / "killed", "lamp", site.clock.now())
        assert len(found) == len(set(found)) == 11
        for origin, delay in ((SITE, 40), (OTHER, 60)):
            seen = [one for one in site.visits if one.url.startswith(origin)]
            check_joint_pace(seen, delay, site.tired_at if origin == SITE else None)


def check_joint_pace(visits: list[FakeVisit], delay: float, tired: float | None) -> None:
    """Compare the visits of both processes with the pace and with what the site asked for."""
    for before, one in pairwise(visits):
        least = 2 if one.path == "/robots.txt" else delay
        assert one.monotonic >= before.monotonic + least - 1e-5, (before, one)
        assert tired is None or not tired < one.monotonic < tired + 900, one


# Killed in truth.


@thorough
def test_a_crawl_that_is_killed_at_random_moments(tmp_path: Path) -> None:
    """After being killed several times it ends: every page is there once, and none was early."""
    moments = random.Random(20)  # noqa: S311  no secret
    sites = [
        Site(delay=0.05),
        Site(delay=0.0),
        Site(delay=0.0, seconds=0.03, busy=frozenset({"/3", "/20"})),
        # Longer than a process needs to start, so that early requests would show.
        Site(delay=1.5, pages=8),
    ]
    with opened(*sites):
        for _ in some_of(range(KILLS)):
            crawled(tmp_path, sites, moments.uniform(0.02, 0.4))
            for site in sites:
                site.note_lost(tmp_path)
        assert crawled(tmp_path, sites, None) == "nothing-left"
    check_database(tmp_path / FILE, sites)
    check_archive(tmp_path, sites)
    for site in sites:
        check_pace(site)


def check_database(path: Path, sites: list[Site]) -> None:
    """Every page is there, and a search finds each once."""
    urls = {f"{site.origin}/{number}" for site in sites for number in ["", *range(site.pages)]}
    database = sqlite3.connect(path)
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.execute("INSERT INTO words(words) VALUES('integrity-check')")
    assert dict(database.execute("SELECT url, state FROM urls")) == dict.fromkeys(urls, "done")
    found = "SELECT url, count(*) FROM words JOIN urls ON urls.id = words.rowid {} GROUP BY url"
    every = dict(database.execute(found.format("WHERE words MATCH 'lamp'")))
    assert every == dict.fromkeys(urls, 1)
    some = dict(database.execute(found.format("WHERE words MATCH 'page7x'")))
    assert some == {f"{site.origin}/7": 1 for site in sites}
    told = "SELECT urls.url FROM evidence JOIN urls ON urls.id = evidence.url"
    assert {url for (url,) in database.execute(f"{told} WHERE evidence.status = 200")} == urls
    requested = {url for (url,) in database.execute("SELECT url FROM requests")}
    assert requested == urls | {f"{site.origin}/robots.txt" for site in sites}
    database.close()


def check_archive(folder: Path, sites: list[Site]) -> None:
    """Every file can be read with correct digests, and every page is in the archive once."""
    kept: dict[str, int] = {}
    for path in folder.glob("*.warc.gz"):
        with path.open("rb") as file:
            reader = ArchiveIterator(file, check_digests="raise")
            for record in reader:
                record.content_stream().read()
                if record.rec_type == "response":
                    url = record.rec_headers.get_header("WARC-Target-URI")
                    kept[url] = kept.get(url, 0) + 1
    assert {url: count for url, count in kept.items() if not url.endswith("robots.txt")} == {
        f"{site.origin}/{number}": 1 for site in sites for number in ["", *range(site.pages)]
    }
    database = sqlite3.connect(folder / FILE)
    for name, length in database.execute("SELECT name, length FROM files WHERE length > 0"):
        assert (folder / name).stat().st_size == length
    database.close()


def check_pace(site: Site) -> None:
    """No request is early, in either process."""
    wanted = max(site.delay, 0.02)
    for number, one in enumerate(site.served[1:], 1):
        before = site.served[:number]
        least = 0.02 if one.path == "/robots.txt" else wanted
        last = max(before, key=lambda earlier: earlier.end)
        assert one.start >= last.end + least - LOOK, (last, one)
        known = [earlier.wants_nobody_until for earlier in before if not earlier.is_lost]
        until = max(known, default=0.0)
        assert one.start >= until - LOOK, (one, until)
