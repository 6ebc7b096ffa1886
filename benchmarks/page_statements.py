"""Measure what it costs a crawl to keep what pages say to all robots.

Run as a program, `page_statements.py [PAGES]` prints the figures; `measure` returns them. A site in
memory, whose pages have the META elements and the header field that a common system for blogs
writes, is crawled into a folder with and without keeping them, in turns: the same crawl, in which
reading and packing the statements is replaced by nothing. Times are CPU time of the process.
"""

import asyncio
import gc
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import clock
from crawl_site import words
from goodbot.crawl import Crawl
from goodbot.crawl.folder.database import FILE
from goodbot.pace import Manners
from goodbot.testing import Answer, FakeClock, FakeSite

PAGES = 1_500
ROUNDS = 5
SHARE_TARGET, BYTES_TARGET = 5.0, 300.0
"""The most percent of the CPU time of the crawl, and the most bytes of its database a page."""

START = "https://a.example/"
HEAD = """<meta name="robots" content="index, follow, max-image-preview:large, max-snippet:-1">
<meta name="googlebot" content="noarchive"><meta name="GPTBot" content="noindex">"""
ME: dict[str, Any] = {"info_url": "https://example.com/bot", "contact": "bot@example.com"}
SIZE = "SELECT sum(length(said)) + 9 * count(said) FROM page_facts"
"""The statements, and the time since when each is known."""
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


def measure(pages: int = PAGES, rounds: int = ROUNDS) -> Figures:
    """Measure both crawls in turns."""
    shares, times, sizes = [], [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            kept, size = crawl(pages, folder)
        with tempfile.TemporaryDirectory() as folder, without_statements():
            plain, none = crawl(pages, folder)
        shares.append(100 * (kept - plain) / kept)
        times.append(kept / pages)
        sizes.append((size - none) / pages)
    return Figures(pages, clock.median(shares), clock.median(times), clock.median(sizes))


if __name__ == "__main__":
    found = measure(int(sys.argv[1]) if len(sys.argv) > 1 else PAGES)
    print(
        f"{found.pages:,} pages: {found.share:.1f} % of {found.seconds * 1e3:.2f} ms of CPU time "
        f"a page, {found.bytes_each:.0f} bytes a page"
    )
