"""The crawlers that are timed, each in a process of its own, which imports only what it needs.

python benchmarks/crawl_clients.py NAME PAGES FOLDER ORIGIN ...     crawl, and print the figures

The clock starts after all imports. Some modules are loaded only when a crawl begins; their names,
as an earlier crawl printed them, come on standard input.
"""

import asyncio
import importlib.metadata
import json
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus import CONTACT, INFO
from crawl_site import url_of
from process_memory import status

PROGRAM = str(Path(__file__).resolve())
AGENT = "ExampleBot/1.0"
AT_ONCE = 16


@dataclass(frozen=True)
class Plan:
    """What to crawl: the number of pages and the origins; and where to store it."""

    pages: int
    folder: str
    origins: Sequence[str]


Ready = Callable[[], int]
"""A crawl that is ready to begin; it returns the number of pages fetched."""


def with_goodbot(plan: Plan) -> Ready:
    """Crawl with `goodbot.crawl.Crawl`, without any pauses."""
    from goodbot.crawl import Bounds, Crawl  # noqa: PLC0415
    from goodbot.pace import Manners  # noqa: PLC0415

    async def crawl() -> int:
        summary = await Crawl(
            plan.folder,
            AGENT,
            info_url=INFO,
            contact=CONTACT,
            start=[url_of(0, plan.origins)],
            bounds=Bounds(origins=frozenset(plan.origins)),
            manners=Manners(floor=0.0, factor=0.0, default=0.0),
            workers=AT_ONCE,
            allow_private=True,
        ).run()
        return summary.pages

    return lambda: asyncio.run(crawl())


def with_scrapy(plan: Plan) -> Ready:
    """Crawl with a spider like that of Scrapy's tutorial, which stores nothing."""
    import scrapy  # noqa: PLC0415  a peer that may be absent
    from scrapy.crawler import AsyncCrawlerProcess  # noqa: PLC0415

    fetched = 0

    class Spider(scrapy.Spider):
        name = "example"

        async def start(self) -> AsyncIterator[scrapy.Request]:
            # Scrapy's own `start` would fetch the first page again if a link leads to it.
            yield scrapy.Request(url_of(0, plan.origins))

        def parse(self, response: Any) -> Any:  # noqa: ANN401
            nonlocal fetched
            fetched += 1
            yield from response.follow_all(css="a")

    settings = {
        "ROBOTSTXT_OBEY": True,
        "USER_AGENT": AGENT,
        "CONCURRENT_REQUESTS": AT_ONCE,
        "CONCURRENT_REQUESTS_PER_DOMAIN": AT_ONCE,
        "DOWNLOAD_DELAY": 0,
        "LOG_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
    }
    process = AsyncCrawlerProcess(settings)

    def crawl() -> int:
        process.crawl(Spider)
        process.start()
        return fetched

    return crawl


def with_aiohttp(plan: Plan) -> Ready:
    """Fetch pages whose URLs are known, and do nothing with them."""
    import aiohttp  # noqa: PLC0415

    async def fetch_all() -> int:
        fetched = 0
        numbers = iter(range(plan.pages))
        connector = aiohttp.TCPConnector(limit=AT_ONCE)
        async with aiohttp.ClientSession(
            connector=connector, headers={"User-Agent": AGENT}
        ) as session:

            async def work() -> None:
                nonlocal fetched
                for number in numbers:
                    async with session.get(url_of(number, plan.origins)) as answer:
                        fetched += bool(await answer.read())

            await asyncio.gather(*(work() for _ in range(AT_ONCE)))
        return fetched

    return lambda: asyncio.run(fetch_all())


@dataclass(frozen=True)
class Client:
    """A crawler that is timed."""

    name: str
    ready: Callable[[Plan], Ready]
    package: str
    job: str
    settings: str
    """The configuration, in words."""

    @property
    def version(self) -> str:
        """Its version; empty if it is not installed."""
        try:
            return importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:
            return ""


GOODBOT, SCRAPY, AIOHTTP = CLIENTS = (
    Client(
        "goodbot",
        with_goodbot,
        "goodbot",
        "crawl, index, archive, evidence",
        f"`Crawl(workers={AT_ONCE})`, `Manners(floor=0, factor=0, default=0)`; all that it writes",
    ),
    Client(
        "Scrapy",
        with_scrapy,
        "scrapy",
        "crawl",
        f"ROBOTSTXT_OBEY; CONCURRENT_REQUESTS and CONCURRENT_REQUESTS_PER_DOMAIN {AT_ONCE};"
        " DOWNLOAD_DELAY 0; no log, no telnet; the links of a page as its tutorial follows them",
    ),
    Client(
        "aiohttp",
        with_aiohttp,
        "aiohttp",
        "fetch known URLs",
        f"one session and {AT_ONCE} tasks; no robots.txt, no links, for scale",
    ),
)


def load(modules: Sequence[str]) -> None:
    """Import modules; one that cannot be loaded by itself is loaded when it is needed."""
    for name in modules:
        with suppress(Exception):
            importlib.import_module(name)


def main(arguments: Sequence[str]) -> None:
    """Crawl; print the number of pages, the seconds, the CPU seconds, and the bytes of memory."""
    name, pages, folder, *origins = arguments
    client = next(one for one in CLIENTS if one.name == name)
    crawl = client.ready(Plan(int(pages), folder, origins))
    load(json.loads(sys.stdin.read() or "[]"))
    known = set(sys.modules)
    start, start_cpu = time.perf_counter(), time.process_time()
    fetched = crawl()
    wall, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    told = {"pages": fetched, "wall": wall, "cpu": cpu, "peak": status("VmHWM")}
    print(json.dumps(told | {"modules": sorted(set(sys.modules) - known)}))


if __name__ == "__main__":
    main(sys.argv[1:])
