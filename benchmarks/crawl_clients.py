"""The crawlers that are timed, each in a process of its own, which imports only what it needs.

python benchmarks/crawl_clients.py NAME PAGES FOLDER ORIGIN ...     crawl, and print the figures

The clock starts after all imports. Some modules are loaded only when a crawl begins; their names,
as an earlier crawl printed them, come on standard input.
"""

import asyncio
import importlib.metadata
import json
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
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


def with_scrapy(plan: Plan, kept: Mapping[str, Any] = MappingProxyType({})) -> Ready:
    """Crawl with a spider like that of Scrapy's tutorial; by default it stores nothing.

    Args:
        plan: What to crawl.
        kept: The settings by which it stores what it fetches; then it yields an item for each page.

    """
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
            if kept:
                text = " ".join(response.css("body ::text").getall())
                yield {
                    "url": response.url,
                    "title": response.css("title::text").get(),
                    "text": text,
                }
            yield from response.follow_all(css="a")

    settings = {
        "ROBOTSTXT_OBEY": True,
        "USER_AGENT": AGENT,
        "CONCURRENT_REQUESTS": AT_ONCE,
        "CONCURRENT_REQUESTS_PER_DOMAIN": AT_ONCE,
        "DOWNLOAD_DELAY": 0,
        "LOG_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        **kept,
    }
    process = AsyncCrawlerProcess(settings)

    def crawl() -> int:
        process.crawl(Spider)
        process.start()
        return fetched

    return crawl


def with_scrapy_keeping(plan: Plan) -> Ready:
    """Crawl with Scrapy, which keeps each response in its cache and each text in a file."""
    kept = {
        "HTTPCACHE_ENABLED": True,
        "HTTPCACHE_DIR": f"{plan.folder}/cache",
        "FEEDS": {f"{plan.folder}/pages.jsonl": {"format": "jsonlines"}},
    }
    return with_scrapy(plan, kept)


def with_crawlee(plan: Plan) -> Ready:
    """Crawl with Crawlee's crawler for HTML, which stores nothing."""
    from crawlee import ConcurrencySettings  # noqa: PLC0415  a peer that may be absent
    from crawlee.crawlers import ParselCrawler, ParselCrawlingContext  # noqa: PLC0415
    from crawlee.storage_clients import MemoryStorageClient  # noqa: PLC0415

    async def crawl() -> int:
        fetched = 0
        crawler = ParselCrawler(
            storage_client=MemoryStorageClient(),
            respect_robots_txt_file=True,
            configure_logging=False,
            concurrency_settings=ConcurrencySettings(
                min_concurrency=AT_ONCE, max_concurrency=AT_ONCE, desired_concurrency=AT_ONCE
            ),
        )

        @crawler.router.default_handler
        async def handle(context: ParselCrawlingContext) -> None:
            nonlocal fetched
            fetched += 1
            await context.enqueue_links(strategy="all")

        await crawler.run([url_of(0, plan.origins)])
        return fetched

    return lambda: asyncio.run(crawl())


def with_wget(plan: Plan) -> Ready:
    """Crawl with wget, one request after another, which keeps each response in a WARC file."""
    log = Path(plan.folder) / "log"
    command = ["wget", "--recursive", "--level=inf", "--delete-after", "--no-verbose"]
    command += [f"--output-file={log}", f"--directory-prefix={plan.folder}"]
    command += [f"--warc-file={plan.folder}/pages", f"--user-agent={AGENT}"]

    def crawl() -> int:
        # Its status is that of a link that is not found or forbidden.
        subprocess.run([*command, url_of(0, plan.origins)], check=False)  # noqa: S603  a peer
        return sum("/p/" in line for line in log.read_text().splitlines() if " URL:" in line)

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
    """Its distribution, or the program if there is none."""
    job: str
    settings: str
    """The configuration, in words."""

    @property
    def version(self) -> str:
        """Its version; empty if it is not installed."""
        if self.package == WGET:
            return version_of(WGET)
        try:
            return importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:
            return ""


WGET = "wget"


def version_of(program: str) -> str:
    """Return the version that a program prints first; empty if it is not installed."""
    if shutil.which(program) is None:
        return ""
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)  # noqa: S603  a peer
    return told.stdout.split()[2]


GOODBOT, SCRAPY, *_ = CLIENTS = (
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
        "Scrapy, keeping",
        with_scrapy_keeping,
        "scrapy",
        "crawl, cache, texts",
        "the same with HTTPCACHE_ENABLED and a feed of JSON lines: URL, title and text of a page",
    ),
    Client(
        "Crawlee",
        with_crawlee,
        "crawlee",
        "crawl",
        f"`ParselCrawler`, respect_robots_txt_file, {AT_ONCE} at once, MemoryStorageClient",
    ),
    Client(
        "wget",
        with_wget,
        WGET,
        "crawl, archive",
        "`wget --recursive --level=inf --warc-file`, which makes one request after another and"
        " obeys robots.txt by default",
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


def cpu_seconds() -> float:
    """Return the CPU time of this process and of those that it started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + used.ru_utime + used.ru_stime


def main(arguments: Sequence[str]) -> None:
    """Crawl; print the number of pages, the seconds, the CPU seconds, and the bytes of memory."""
    name, pages, folder, *origins = arguments
    client = next(one for one in CLIENTS if one.name == name)
    crawl = client.ready(Plan(int(pages), folder, origins))
    load(json.loads(sys.stdin.read() or "[]"))
    known = set(sys.modules)
    start, start_cpu = time.perf_counter(), cpu_seconds()
    fetched = crawl()
    wall, cpu = time.perf_counter() - start, cpu_seconds() - start_cpu
    of_children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    told = {"pages": fetched, "wall": wall, "cpu": cpu, "peak": of_children or status("VmHWM")}
    print(json.dumps(told | {"modules": sorted(set(sys.modules) - known)}))


if __name__ == "__main__":
    main(sys.argv[1:])
