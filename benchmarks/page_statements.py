"""Measure what it costs a crawl to keep what pages say to all robots, and to ask about robots.

Run as a program, `page_statements.py [PAGES [ASKED]]` prints the figures; `measure` returns them. A
site in memory, whose pages have the META elements and the header field that a common system for
blogs writes, is crawled into a folder with and without keeping them, in turns: the same crawl, in
which reading and packing the statements is replaced by nothing. Then the rows of a crawl are copied
under other queries until there are as many pages as are to be asked about, and what eight robots
may do with each of them is listed as `goodbot inventory --for` does. Times are CPU time of the
process.
"""

import asyncio
import gc
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import chain
from pathlib import Path
from typing import Any
from unittest import mock

import clock
from crawl_site import words
from goodbot.crawl import Crawl
from goodbot.crawl.folder.database import FILE
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.inventory.robot_access import access_cells
from goodbot.pace import Manners
from goodbot.testing import Answer, FakeClock, FakeSite

PAGES = 1_500
ASKED = 100_000
"""Of how many pages it is listed what robots may do with them."""
ROBOTS = (
    *("Googlebot", "bingbot", "GPTBot", "CCBot"),
    *("ClaudeBot", "PerplexityBot", "Applebot", "DuckDuckBot"),
)
ROUNDS = 5
SHARE_TARGET, BYTES_TARGET = 5.0, 300.0
"""The most percent of the CPU time of the crawl, and the most bytes of its database a page."""

START = "https://a.example/"
HEAD = """<meta name="robots" content="index, follow, max-image-preview:large, max-snippet:-1">
<meta name="googlebot" content="noarchive"><meta name="GPTBot" content="noindex">"""
ME: dict[str, Any] = {"info_url": "https://example.com/bot", "contact": "bot@example.com"}
SIZE = "SELECT sum(length(said)) + 9 * count(said) FROM page_facts"
"""The statements, and the time since when each is known."""
COPIES = "WITH RECURSIVE copies(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ?) "
COPIED = {
    "urls": {"id": "id + n * ?", "url": "url || '?copy=' || n"},
    "page_facts": {"url": "url + n * ?"},
}
"""The tables that are copied, with the columns that differ in a copy."""
QUICK = Manners(default=0.0, factor=0.0)


@dataclass(frozen=True)
class Figures:
    """The results."""

    pages: int
    share: float
    """The part of the CPU time of a crawl that keeping takes, in percent."""
    seconds: float
    """The CPU time of a page in a crawl that keeps the statements."""
    bytes_each: float
    """By how many bytes of the database a page is larger."""
    asked: int
    """Of how many pages it was listed what `ROBOTS` may do with them."""
    asked_seconds: float
    """The CPU time that this took."""


def site(pages: int) -> FakeSite:
    """Return a site in which each page leads to the next one."""
    header = [("Content-Type", "text/html"), ("X-Robots-Tag", "bingbot: nosnippet")]
    made: dict[str, Any] = {"/robots.txt": "User-agent: *\nDisallow: /private/\n"}
    for number in range(pages):
        name = "/" if not number else f"/p{number}"
        links = "".join(f'<a href="/p{number + step}">on</a>' for step in (1, 2, 7))
        text = " ".join(words(number))
        body = f"<!DOCTYPE html><title>Page {number}</title>{HEAD}<body><p>{text}</p>{links}"
        made[name] = Answer(body=body.encode(), headers=header)
    return FakeSite(made, clock=FakeClock())


@contextmanager
def without_statements() -> Iterator[None]:
    """Crawl without reading and keeping what pages say to all robots."""
    with (
        mock.patch("goodbot.page.readers.html.find_said", return_value=None),
        mock.patch("goodbot.crawl.inventory.page_record.packed_said", return_value=None),
    ):
        yield


def crawl(pages: int, folder: str) -> tuple[float, int]:
    """Crawl the site; return the CPU time, and the bytes of the pages of the database in use."""
    served = site(pages)
    made = Crawl(
        folder,
        "ExampleBot/1.0",
        **ME,
        start=[START],
        bounds={"depth": None},
        manners=QUICK,
        fetcher=served,
        clock=served.clock,
    )
    gc.collect()
    began = time.process_time()
    summary = asyncio.run(made.run())
    took = time.process_time() - began
    if summary.pages < pages - 1:
        message = f"{summary.pages} of {pages} pages were fetched"
        raise RuntimeError(message)
    with closing(sqlite3.connect(Path(folder) / FILE)) as database:
        (size,) = database.execute(SIZE).fetchone()
    return took, int(size or 0)


def copy_rows(folder: str, pages: int) -> None:
    """Copy the rows of a crawl until there are so many pages, or a few more."""
    with closing(sqlite3.connect(Path(folder) / FILE)) as database, database:
        ((last, count),) = database.execute("SELECT max(id), count(*) FROM urls")
        for table, changed in COPIED.items():
            names = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            columns = ", ".join(changed.get(name, name) for name in names)
            statement = f"{COPIES} INSERT INTO {table} SELECT {columns} FROM copies, {table}"  # noqa: S608  of the schema
            database.execute(statement, (-(-pages // count), last))


def ask(folder: str) -> tuple[int, float]:
    """List what `ROBOTS` may do with each page; return the number of pages, and the CPU time.

    Raises:
        RuntimeError: It is not known of a page what a robot may do with it.

    """
    now = datetime.now(timezone.utc)
    with open_readonly(folder) as database:
        gc.collect()
        began = time.process_time()
        words = Counter((one["fetch"], one["index"]) for one in access_cells(database, ROBOTS, now))
        took = time.process_time() - began
    if {"unknown", "not kept"}.intersection(chain.from_iterable(words)):
        message = f"it is not known of each page what robots may do with it: {words}"
        raise RuntimeError(message)
    return words.total() // len(ROBOTS), took


def measure(pages: int = PAGES, rounds: int = ROUNDS, asked: int = ASKED) -> Figures:
    """Measure both crawls in turns, then the list."""
    shares, times, sizes = [], [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            kept, size = crawl(pages, folder)
        with tempfile.TemporaryDirectory() as folder, without_statements():
            plain, none = crawl(pages, folder)
        shares.append(100 * (kept - plain) / kept)
        times.append(kept / pages)
        sizes.append((size - none) / pages)
    share, seconds, bytes_each = (clock.median(one) for one in (shares, times, sizes))
    with tempfile.TemporaryDirectory() as folder:
        crawl(pages, folder)
        copy_rows(folder, asked)
        asks = [ask(folder) for _ in range(rounds)]
    took = clock.median([one for _, one in asks])
    return Figures(pages, share, seconds, bytes_each, asks[0][0], took)


if __name__ == "__main__":
    sizes = [*map(int, sys.argv[1:]), *(PAGES, ASKED)[len(sys.argv) - 1 :]]
    found = measure(sizes[0], asked=sizes[1])
    print(
        f"{found.pages:,} pages: {found.share:.1f} % of {found.seconds * 1e3:.2f} ms of CPU time "
        f"a page, {found.bytes_each:.0f} bytes a page; {len(ROBOTS)} robots, {found.asked:,} "
        f"pages: {found.asked_seconds:.2f} s of CPU time"
    )
