"""The crawlers that are attacked, each in a process of its own.

python benchmarks/amplification_clients.py CLIENT FOLDER ATTACK PAGES < ORIGINS

The process has limits on its address space and on the size of each file. It prints a line of JSON
whenever the event loop was held for longer than before.
"""

import asyncio
import json
import resource
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import process_memory
from attacks import ATTACKS, Attack
from corpus import CONTACT, INFO, ROBOT

PROGRAM = str(Path(__file__).resolve())
AGENT = f"{ROBOT}/1.0"
MEMORY_LIMIT = 6 << 30
FILE_LIMIT = 4 << 30
PROBE_EVERY = 0.002
AT_ONCE = 16
"""The number of concurrent visits."""


def say(**values: object) -> None:
    """Print one line of JSON."""
    print(json.dumps(values), flush=True)


async def probe() -> None:
    """Report how long the event loop was held, whenever that is a new maximum."""
    worst = 0.0
    while True:
        at = time.monotonic()
        await asyncio.sleep(PROBE_EVERY)
        late = time.monotonic() - at - PROBE_EVERY
        if late > worst:
            worst = late
            say(held=late)


def crawl_with_goodbot(origins: list[str], folder: str, pages: int) -> None:
    """Crawl as `goodbot crawl` does, without waiting between visits."""
    from goodbot.crawl import Bounds, Crawl  # noqa: PLC0415
    from goodbot.pace import Manners  # noqa: PLC0415

    async def crawl() -> None:
        watching = asyncio.ensure_future(probe())
        await Crawl(
            folder,
            AGENT,
            info_url=INFO,
            contact=CONTACT,
            start=[f"{origin}/" for origin in origins],
            bounds=Bounds(pages=pages, origins=frozenset(origins)),
            manners=Manners(floor=0.0, factor=0.0, default=0.0),
            workers=AT_ONCE,
            patience=5.0,
            allow_private=True,
        ).run()
        watching.cancel()

    ready()
    asyncio.run(crawl())


def crawl_with_scrapy(origins: list[str], attack: Attack, pages: int) -> None:
    """Crawl with a spider that extracts links, or with Scrapy's own spider of sitemaps."""
    import scrapy  # noqa: PLC0415
    from scrapy.crawler import AsyncCrawlerProcess  # noqa: PLC0415
    from scrapy.linkextractors import LinkExtractor  # noqa: PLC0415
    from scrapy.spiders import SitemapSpider  # noqa: PLC0415

    class Links(scrapy.Spider):
        name = "links"

        async def start(self) -> AsyncIterator[Any]:
            self.watching = asyncio.ensure_future(probe())
            for origin in origins:
                yield scrapy.Request(f"{origin}/")

        def parse(self, response: Any) -> Any:  # noqa: ANN401
            for link in LinkExtractor().extract_links(response):
                yield scrapy.Request(link.url)

    class Sitemaps(SitemapSpider):
        name = "sitemaps"
        sitemap_urls = (f"{origins[0]}/robots.txt",)

        async def start(self) -> AsyncIterator[Any]:
            self.watching = asyncio.ensure_future(probe())
            async for request in super().start():
                yield request

        def parse(self, response: Any) -> None:  # noqa: ANN401
            """Do nothing with a page."""

    settings = {
        "ROBOTSTXT_OBEY": True,
        "USER_AGENT": AGENT,
        "CONCURRENT_REQUESTS": AT_ONCE,
        "DOWNLOAD_DELAY": 0,
        "LOG_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "RETRY_ENABLED": False,
        "CLOSESPIDER_PAGECOUNT": pages,
    }
    process = AsyncCrawlerProcess(settings)
    process.crawl(Sitemaps if attack.spider == "sitemap" else Links)
    ready()
    process.start()


def consider(text: bytes) -> None:
    """Check one URL, and list each rule that was considered."""
    import goodbot  # noqa: PLC0415

    rules = goodbot.RobotsTxt(text).rules_for(ROBOT)
    ready()
    start = time.monotonic()
    found = rules.verdict("/" + "a" * 2_000).considered
    say(held=time.monotonic() - start, count=len(found))


def ready() -> None:
    """Report the memory used before the crawl begins."""
    say(before=process_memory.status("VmRSS"))


def main(client: str, folder: str, name: str, pages: str) -> None:
    """Run one crawl within limits, and report the memory it used."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_LIMIT, FILE_LIMIT))
    attack = next(one for one in ATTACKS if one.name == name)
    head, _, text = sys.stdin.buffer.read().partition(b"\n\n")
    if not attack.is_crawl:
        consider(text)
    elif client == "goodbot":
        crawl_with_goodbot(head.decode().split(), folder, int(pages))
    else:
        crawl_with_scrapy(head.decode().split(), attack, int(pages))
    say(peak=process_memory.status("VmHWM"))


if __name__ == "__main__":
    main(*sys.argv[1:])
