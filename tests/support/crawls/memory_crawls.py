"""Helpers for the tests of crawls: crawls of sites in memory, and the contents of their folders."""

import datetime as dt
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from goodbot.crawl import (
    Bounds,
    Crawl,
    CrawlEvent,
    Summary,
    UrlSettled,
    search,
)
from goodbot.crawl.archive.kept_copy import kept_copy
from goodbot.crawl.folder.database import FILE
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.pace import Manners
from goodbot.testing import Answer, FakeClock, FakeSite, FakeVisit
from tests.support.robot_sites import ME, OTHER, SITE, run

__all__ = [
    "ME",
    "OTHER",
    "SITE",
    "Crawled",
    "Row",
    "crawl",
    "crawl_at",
    "html",
    "kept",
    "moved",
    "numbered",
    "pages_at",
    "paths",
    "rows",
    "run",
    "searched",
    "site_of",
]

QUICK = Manners(default=0.0, factor=0.0)
"""Manners for tests that are not about politeness."""

Kind = TypeVar("Kind")


@dataclass
class Crawled:
    """The result of a crawl, and the events that it sent."""

    summary: Summary
    events: list[CrawlEvent] = field(repr=False)

    def of(self, kind: type[Kind]) -> list[Kind]:
        """Return the events of a kind."""
        return [event for event in self.events if isinstance(event, kind)]

    def settled(self, url: str) -> list[tuple[str, str]]:
        """Return each outcome of a URL, in order."""
        return [(one.state, one.reason) for one in self.of(UrlSettled) if one.url == url]


@dataclass(frozen=True)
class Row:
    """What the queue stores of a URL."""

    state: str
    reason: str
    source: str
    status: int | None
    depth: int
    due: int | None
    number: int


def site_of(robots_txt: Any = 404, /, *, clock: FakeClock | None = None, **more: Any) -> FakeSite:  # noqa: ANN401  as FakeSite has it
    """Return a site whose pages are named by their paths without the slash; `home` is `/`."""
    pages = {"/" if name == "home" else f"/{name}": answer for name, answer in more.items()}
    return FakeSite({"/robots.txt": robots_txt, **pages}, clock=clock or FakeClock())


def crawl_at(
    folder: Path,
    site: FakeSite,
    *start: str,
    bounds: Bounds | None = None,
    manners: Manners | None = QUICK,
    **options: Any,  # noqa: ANN401  of many types
) -> Crawl:
    """Return a crawl of a site on the site's clock; by default it starts at the first page."""
    given: dict[str, Any] = {"fetcher": site, "clock": site.clock, **ME, **options}
    begin = start or (f"{SITE}/",)
    return Crawl(folder, "ExampleBot/1.0", start=begin, bounds=bounds, manners=manners, **given)


def crawl(
    folder: Path,
    site: FakeSite,
    *start: str,
    again: bool = False,
    early: bool = False,
    remove: bool = False,
    **options: Any,  # noqa: ANN401  of many types
) -> Crawled:
    """Crawl a site to the end."""
    events: list[CrawlEvent] = []
    at_work = crawl_at(folder, site, *start, on_event=events.append, **options)
    return Crawled(run(at_work.run(again=again, early=early, remove=remove)), events)


def rows(folder: Path) -> dict[str, Row]:
    """Return what the queue stores, by URL; of all parts if the crawl has several processes."""
    asked = "SELECT url, state, reason, source, status, depth, due, id FROM urls"
    found: dict[str, Row] = {}
    for part in sorted(folder.glob("part-*")) or [folder]:
        database = sqlite3.connect(part / FILE)
        stored = {url: Row(*values) for url, *values in database.execute(asked)}
        database.close()
        assert not found.keys() & stored.keys(), "a URL is there twice"
        found.update(stored)
    return found


def paths(folder: Path, state: str) -> list[str]:
    """Return the paths, or the URLs at other sites, that are in a state."""
    urls = [url for url, row in rows(folder).items() if row.state == state]
    return sorted(url.removeprefix(SITE) for url in urls)


def searched(folder: Path, words: str, now: dt.datetime | None = None) -> list[str]:
    """Return the paths that a search finds."""
    at = now or FakeClock().now()
    with open_readonly(folder) as database:
        hits = search(database, words, now=at, limit=1000).hits
    return sorted(hit.url.removeprefix(SITE) for hit in hits)


def kept(folder: Path, url: str) -> bytes | None:
    """Return the copy of a page."""
    with open_readonly(folder) as database:
        copy = kept_copy(database, url)
    return None if copy is None else copy.content


def html(text: str = "", *links: str, head: str = "") -> str:
    """Return the HTML of a page."""
    anchors = " ".join(f'<a href="{link}">to {link}</a>' for link in links)
    return f"<!DOCTYPE html><html><head><title>t</title>{head}</head><body><p>{text}</p>{anchors}"


def numbered(count: int) -> dict[str, str]:
    """Return pages that the first page links to."""
    pages = {f"/p{number}": html(f"word{number}") for number in range(count)}
    return {"/": html("home", *pages), **pages}


def moved(where: str, status: int = 301) -> Answer:
    """Return a redirect."""
    return Answer(status=status, headers=[("Location", where)])


def pages_at(visits: Sequence[FakeVisit]) -> list[str]:
    """Return the paths of the pages that were requested, in order, without robots.txt."""
    return [
        visit.url.removeprefix(SITE) for visit in visits if not visit.url.endswith("/robots.txt")
    ]
