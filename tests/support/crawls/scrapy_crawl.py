"""A crawl in a process of its own, because Twisted's reactor runs only once in a process."""

import json
import logging
import os
import time
import warnings
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.linkextractors import LinkExtractor

NO_ORIGINAL = {"scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None}
OURS = {**NO_ORIGINAL, "goodbot.adapters.scrapy.GoodbotRobotsMiddleware": 100}
LINKS = {"goodbot.adapters.scrapy.GoodbotLinksMiddleware": 100}

COMMON: dict[str, Any] = {
    "ROBOTSTXT_OBEY": True,
    "USER_AGENT": "ExampleBot/1.0",
    "RETRY_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "INFO",
    "DOWNLOAD_DELAY": 0,
    "DOWNLOAD_TIMEOUT": 5,
}

logging.getLogger().setLevel(logging.INFO)
FOUND: dict[str, Any] = {"fetched": [], "refused": [], "pages": {}, "times": [], "slots": {}}


class Following(scrapy.Spider):
    """Follows every link that Scrapy finds."""

    name = "following"
    urls: list[str]
    fields: dict[str, str]

    async def start(self) -> AsyncIterator[Any]:
        """Request the first page."""
        for url in self.urls:
            yield scrapy.Request(url, errback=self.failed, headers=self.fields)

    def parse(self, response: scrapy.http.Response) -> Iterator[Any]:
        """Record the response, and follow its links."""
        FOUND["fetched"].append(response.url)
        FOUND["times"].append(time.monotonic())
        for key, slot in self.crawler.engine.downloader.slots.items():
            FOUND["slots"][key] = [slot.delay, slot.jitter, slot.concurrency]
        page = response.meta.get("goodbot")
        if page is not None:
            FOUND["pages"][response.url] = [bool(page.index), bool(page.follow)]
        if isinstance(response, scrapy.http.HtmlResponse):
            for link in LinkExtractor().extract_links(response):
                yield scrapy.Request(link.url, errback=self.failed, headers=self.fields)

    def failed(self, failure: Any) -> None:  # noqa: ANN401
        """Record what was refused."""
        error = failure.value
        reason = getattr(error, "reason", type(error).__name__)
        FOUND["refused"].append([getattr(failure, "request").url, str(reason)])  # noqa: B009


def crawl_into(path: str, log: str, given: dict[str, Any]) -> None:
    """Crawl in a process that has Scrapy loaded; write the result and the log."""
    with open(log, "wb") as file:  # noqa: PTH123  a descriptor is needed
        os.dup2(file.fileno(), 2)
    warnings.simplefilter("ignore")
    Path(path).write_text(json.dumps(crawled(given)), encoding="utf-8")


def crawled(given: dict[str, Any]) -> dict[str, Any]:
    """Crawl; return the result."""
    ways: dict[str, dict[str, Any]] = {
        "ours": {"DOWNLOADER_MIDDLEWARES": OURS, "SPIDER_MIDDLEWARES": LINKS},
        "parser": {"ROBOTSTXT_PARSER": "goodbot.adapters.scrapy.GoodbotRobotParser"},
    }
    chosen = ways[given["with"]]
    process = AsyncCrawlerProcess({**COMMON, **chosen, **given.get("settings", {})})
    crawler = process.create_crawler(Following)
    process.crawl(crawler, urls=given["urls"], fields=given.get("fields", {}))
    process.start()
    stats = crawler.stats.get_stats()
    FOUND["stats"] = {key: value for key, value in stats.items() if isinstance(value, int)}
    return FOUND
