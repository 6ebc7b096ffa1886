"""Crawl a small site on loopback in one process and in several: pages for a second of CPU time.

The site is on as many origins as there may be requests at the same time. Each crawl is made by a
process of its own; they take turns. CPU time is that of all processes of the crawl, from when they
are ready to the end; the server is another process, and shares the CPUs with them.

A control shows what the machine itself takes for more processes than CPUs, or for other programs:
as many crawls of one process each at the same time, of parts of the site with nothing in common.

python benchmarks/processes.py [ROUNDS [PAGES]]      print the figures
"""

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import aiohttp  # noqa: F401  the clock starts after all imports

import clock
import crawl_site
from corpus import CONTACT, INFO
from crawl_site import WORD
from goodbot.crawl import Bounds, Crawl, ProcessCrawl, search
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.pace import Manners

PROGRAM = str(Path(__file__).resolve())
ROUNDS = 3
PAGES = 20_000
"""The number of pages: of few pages, one would measure how processes start."""
ORIGINS = 16
COUNTS = (1, 2, 4)
"""The numbers of processes."""
CPU_TARGET = 0.9
"""Pages for a second of CPU time, as a multiple of those of one process."""
WALL_TARGET = 1.3
"""Pages per second with two processes, as a multiple of those of one process."""
LIMIT = 600.0
"""The number of seconds after which a crawl is stopped."""


@dataclass
class ProcessRow:
    """The results with one number of processes: seconds for all pages, for each round."""

    count: int
    walls: list[float] = field(default_factory=list)
    cpus: list[float] = field(default_factory=list)
    apart: list[float] = field(default_factory=list)
    """The CPU time of as many crawls at the same time that have nothing in common."""
    wrong: list[str] = field(default_factory=list)


class Timed(ProcessCrawl):
    """A crawl in several processes that notes when all of them are ready."""

    ready = 0.0

    def _begun(self, started: datetime) -> Callable[[int, int], None]:
        """Return what is called when they are."""
        begun: Callable[[int, int], None] = super()._begun(started)

        def ready(waiting: int, removed: int) -> None:
            self.ready = time.perf_counter()
            begun(waiting, removed)

        return ready


def crawl(count: int, folder: str, origins: Sequence[str]) -> dict[str, float]:
    """Crawl in this process or in several; return what it took."""
    options: dict[str, Any] = {
        "info_url": INFO,
        "contact": CONTACT,
        "start": [crawl_site.url_of(0, origins)],
        "bounds": Bounds(origins=frozenset(origins)),
        "manners": Manners(floor=0.0, factor=0.0, default=0.0),
        "workers": ORIGINS,
        "allow_private": True,
    }
    if count == 1:
        one = Crawl(folder, "ExampleBot/1.0", **options)
        wall, cpu = time.perf_counter(), time.process_time()
        summary = asyncio.run(one.run())
    else:
        several = Timed(folder, "ExampleBot/1.0", processes=count, **options)
        cpu = time.process_time()
        summary = asyncio.run(several.run())
        wall, cpu = several.ready, cpu - several.cpu_seconds
    return {
        "pages": summary.pages,
        "wall": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
    }


def one_round(row: ProcessRow, pages: int) -> None:
    """Crawl once, with a new server."""
    with tempfile.TemporaryDirectory() as folder:
        with crawl_site.served(pages, ORIGINS, None) as site:
            command = [sys.executable, PROGRAM, "crawl", str(row.count), folder, *site.origins]
            done = subprocess.run(  # noqa: S603  ours
                command, check=True, stdout=subprocess.PIPE, timeout=LIMIT
            )
        told = json.loads(done.stdout)
        row.walls.append(told["wall"])
        row.cpus.append(told["cpu"])
        row.wrong += [f"{row.count} processes: {one}" for one in site.amiss(pages)]
        with open_readonly(folder) as database:
            hits = search(database, WORD, now=datetime.now().astimezone(), limit=pages).hits
        urls = {crawl_site.url_of(one, site.origins) for one in crawl_site.pages_with(WORD, pages)}
        if {hit.url for hit in hits} != urls:
            row.wrong.append(f"{row.count} processes: the index finds {len(hits)} of {len(urls)}")


def crawls_apart(count: int, pages: int) -> float:
    """Return the CPU time of some crawls at the same time, each of its own part of the pages."""
    with ExitStack() as stack:
        running = []
        for _ in range(count):
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            site = stack.enter_context(crawl_site.served(pages // count, ORIGINS // count, None))
            command = [sys.executable, PROGRAM, "crawl", "1", folder, *site.origins]
            running.append(subprocess.Popen(command, stdout=subprocess.PIPE))  # noqa: S603  ours
        said = [one.communicate(timeout=LIMIT)[0] for one in running]
    return sum(float(json.loads(one)["cpu"]) for one in said)


def measure(rounds: int = ROUNDS, pages: int = PAGES) -> list[ProcessRow]:
    """Crawl with each number of processes in turns."""
    rows = [ProcessRow(count) for count in COUNTS]
    for _ in range(rounds):
        for row in rows:
            one_round(row, pages)
            row.apart.append(crawls_apart(row.count, pages))
    return rows


def times(row: ProcessRow, first: ProcessRow, what: str) -> float:
    """Return a rate as a multiple of that of one process: the median of the rounds."""
    pairs = zip(getattr(first, what), getattr(row, what), strict=True)
    return clock.median([one / several for one, several in pairs])


def main(arguments: Sequence[str]) -> int:
    """Print the figures; return 1 if a target is missed or an answer is wrong."""
    if arguments[:1] == ["crawl"]:
        print(json.dumps(crawl(int(arguments[1]), arguments[2], arguments[3:])))
        return 0
    rounds, pages, *_ = [*map(int, arguments), *(ROUNDS, PAGES)[len(arguments) :]]
    rows = measure(rounds, pages)
    first = rows[0]
    for row in rows:
        print(
            f"{row.count} processes {pages / clock.median(row.walls):6.0f} pages/s"
            f" {times(row, first, 'walls'):5.2f} times"
            f" {clock.median(row.cpus) / pages * 1e3:6.2f} ms of CPU a page,"
            f" {times(row, first, 'cpus'):5.2f} times the pages for a second of it"
            f" ({times(row, first, 'apart'):.2f} in crawls apart)"
        )
    wrong = [sentence for row in rows for sentence in row.wrong]
    print("\n".join(wrong[:9]) or "every page was fetched once, and is in the index")
    slow = any(times(row, first, "cpus") < CPU_TARGET for row in rows[1:])
    return int(bool(wrong) or slow or times(rows[1], first, "walls") < WALL_TARGET)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
