"""A fleet whose results go to object storage: what is settled can be read, and is complete."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.crawl import Crawl
from goodbot.crawl.archive.warc_archive import WarcArchive
from goodbot.crawl.evidence.export import lines
from goodbot.crawl.evidence.site_links import find_links
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.inventory.row_building import inventory_rows
from goodbot.crawl.run.settings import GivenSettings
from goodbot.testing import LoopbackSite
from goodbot.testing.behaviours import behaviour
from goodbot.testing.steps import always
from tests.support.postgres import PostgresCluster, cluster
from tests.support.program import run

pytest.importorskip("psycopg_pool", reason="needs the extra postgres")
pytest.importorskip("obstore", reason="needs the extra objects")

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from goodbot.crawl.fleet.fleet import Fleet
    from goodbot.crawl.fleet.fleet_worker import FleetWorker

__all__ = ["cluster"]

ROBOT: dict[str, Any] = {
    "robot": "ExampleBot/1.0",
    "info_url": "https://example.com/bot",
    "contact": "bot@example.com",
    "manners": {"default": 0.05, "factor": 1.0},
}
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


def made(url: str, objects: str) -> Fleet:
    """Make a fleet."""
    from goodbot.crawl.fleet.fleet import Fleet  # noqa: PLC0415  needs the extra

    fleet = Fleet(url)
    fleet.make(GivenSettings(**ROBOT), objects=objects)
    return fleet


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


OF_TIME = {"at", "visited", "due", "first_byte_ms", "robots_txt_first_seen", "robots_txt_last_seen"}


def timeless(value: dict[str, Any]) -> str:
    """Return a row without what differs between two crawls of one site."""
    left = {key: one for key, one in value.items() if key not in OF_TIME and "time" not in key}
    return json.dumps(left, sort_keys=True, default=str)


def told(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield what a folder says: its evidence, links, inventory and archive."""
    now = datetime.now(timezone.utc)
    with open_readonly(folder) as database:
        yield "evidence", sorted(map(timeless, lines(database)))
        yield "links", sorted(timeless(one.as_dict()) for one in find_links(database, now=now))
        yield "inventory", sorted(timeless(one.as_dict()) for one in inventory_rows(database, now))
    with Database(folder) as opened, WarcArchive(opened) as archive:
        urls = [*PAGES, "/robots.txt"]
        origin = next(iter(opened.store.accounts()), "")
        yield "archive", [repr(archive.show(f"{origin}{one}")) for one in urls]


@pytest.mark.usefixtures("at_once")
def test_a_gathered_folder_is_that_of_a_crawl_in_one(
    cluster: PostgresCluster, tmp_path: Path
) -> None:
    """It has the same URLs, verdicts, links, facts, copies and search results."""
    url, objects = cluster.new_url(), (tmp_path / "objects").as_uri()

    async def main() -> None:
        async with site() as one:
            start = [f"{one.origin}/"]
            with made(url, objects) as fleet:
                await asyncio.to_thread(fleet.add, [(one.origin, start[0])])
                summary = await worker(url, tmp_path / "a").run()
                assert summary.ended == "nothing-left"
                assert fleet.status().segments["settled"] >= 2
            me = {name: ROBOT[name] for name in ("info_url", "contact", "manners")}
            crawl = Crawl(
                tmp_path / "one", ROBOT["robot"], **me, start=start, allow_private=True
            )
            await crawl.run()

    asyncio.run(main())
    done = run("fleet", "gather", url, tmp_path / "gathered")
    assert done.returncode == 0, done.stderr
    for (what, expected), (_, found) in zip(told(tmp_path / "one"), told(tmp_path / "gathered"), strict=True):
        assert found == expected, what
    for words in (["search", "lamp"], ["show"]):
        one, two = (run(words[0], tmp_path / name, *words[1:], "--json").stdout for name in ("one", "gathered"))
        print(one, two)
    assert 0
