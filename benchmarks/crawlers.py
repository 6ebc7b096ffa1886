"""The crawlers that are sent to misbehaving sites, each as its documentation shows.

Scope: clients and their configuration. Each runs in a process of its own, so imports are local.
"""

import asyncio
import html.parser
import importlib.metadata
import platform
import time
import urllib.error
import urllib.parse
import urllib.request
import urllib.robotparser
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from corpus import CONTACT, INFO
from goodbot.testing import Behaviour
from goodbot.testing.behaviours import ROBOTS_TXT

AGENT = "ExampleBot/1.0"
TIMEOUT = 3.0
"""The timeout of a request in seconds, for clients that have such a setting."""
LONGEST_WAIT = 10.0
"""How many seconds goodbot waits for its turn: longer than all pauses except Retry-After: 120."""


@dataclass(frozen=True)
class Plan:
    """What a client is to crawl: URLs in order, and whether to follow links."""

    origin: str
    paths: Sequence[str]
    follows: bool

    @property
    def urls(self) -> list[str]:
        """The URLs to begin with."""
        return [self.origin + path for path in self.paths]


def plan_of(one: Behaviour, origin: str) -> Plan:
    """Return what to crawl on a site with some behaviour."""
    if one.path == ROBOTS_TXT:
        return Plan(origin, ["/", "/public", "/private/secret"], follows=False)
    return Plan(origin, [one.path] * (2 if one.retry_after else 1), follows=True)


def crawl_with_goodbot(plan: Plan) -> None:
    """Crawl with `goodbot.Robot`."""
    asyncio.run(robots_crawl(plan))


async def robots_crawl(plan: Plan) -> None:
    """Visit every URL; to save time, the pause is a second if the site states none."""
    import goodbot  # noqa: PLC0415
    from goodbot.pace import Manners  # noqa: PLC0415
    from goodbot.robot import Deferred, Disallowed  # noqa: PLC0415

    manners = Manners(default=1.0)
    async with goodbot.Robot(
        AGENT, info_url=INFO, contact=CONTACT, manners=manners, allow_private=True, timeout=TIMEOUT
    ) as robot:
        queue = plan.urls
        for url in queue:
            try:
                visit = await robot.visit(url, longest_wait=LONGEST_WAIT)
            except (Disallowed, Deferred, goodbot.FetchError):
                continue
            if plan.follows:
                queue += [link.url for link in visit.page.links if link.follow]


OBEYING: dict[str, Any] = {"ROBOTSTXT_OBEY": True, "USER_AGENT": AGENT}
SHORT: dict[str, Any] = {"DOWNLOAD_TIMEOUT": TIMEOUT, "LOG_ENABLED": False}
TEMPLATE: dict[str, Any] = {"CONCURRENT_REQUESTS_PER_DOMAIN": 1, "DOWNLOAD_DELAY": 1}
"""The settings that `scrapy startproject` writes besides ROBOTSTXT_OBEY."""


def crawl_with_scrapy(plan: Plan) -> None:
    """Crawl with Scrapy's defaults and ROBOTSTXT_OBEY."""
    scrapy_crawl(plan, OBEYING)


def crawl_with_scrapy_project(plan: Plan) -> None:
    """Crawl with the settings of a new Scrapy project."""
    scrapy_crawl(plan, {**OBEYING, **TEMPLATE})


def crawl_with_scrapy_at_once(plan: Plan) -> None:
    """Crawl like `crawl_with_scrapy`, but start with all URLs."""
    scrapy_crawl(plan, OBEYING, at_once=True)


def scrapy_crawl(plan: Plan, settings: dict[str, Any], *, at_once: bool = False) -> None:
    """Crawl with a spider like that of Scrapy's tutorial.

    It starts with one URL and continues when that is done. With all URLs at once, Scrapy's
    middleware (2.19) applies the rules to only one of the requests that wait for robots.txt; that
    is shown separately.
    """
    import scrapy  # noqa: PLC0415  a peer that may be absent
    from scrapy.crawler import AsyncCrawlerProcess  # noqa: PLC0415

    request = partial(scrapy.Request, dont_filter=True)

    class Spider(scrapy.Spider):
        name = "example"

        async def start(self) -> Any:  # noqa: ANN401
            if not at_once:
                yield request(plan.urls[0], callback=self.first, errback=self.others)
                return
            for url in plan.urls:
                yield request(url)

        def first(self, response: Any) -> Any:  # noqa: ANN401
            yield from self.parse(response)
            yield from self.others(response)

        def others(self, _: Any) -> Any:  # noqa: ANN401
            for url in plan.urls[1:]:
                yield request(url)

        def parse(self, response: Any) -> Any:  # noqa: ANN401
            if plan.follows:
                yield from response.follow_all(css="a")

    process = AsyncCrawlerProcess({**SHORT, **settings})
    process.crawl(Spider)
    process.start()


def crawl_with_urllib(plan: Plan) -> None:
    """Crawl with the standard library, obeying `can_fetch` and `crawl_delay`."""
    rules = urllib.robotparser.RobotFileParser(plan.origin + ROBOTS_TXT)
    rules.read()
    queue = plan.urls
    for url in queue:
        if not rules.can_fetch(AGENT, url):
            continue
        request = urllib.request.Request(url, headers={"User-Agent": AGENT})  # noqa: S310  loopback
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:  # noqa: S310  loopback
                body = answer.read().decode()
        except urllib.error.URLError:
            body = ""
        if plan.follows:
            queue += [urllib.parse.urljoin(url, path) for path in linked(body)]
        time.sleep(float(rules.crawl_delay(AGENT) or 0))


def linked(body: str) -> list[str]:
    """Return the links of a page."""
    found: list[str] = []

    class Reader(html.parser.HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.extend(value for name, value in attrs if (tag, name) == ("a", "href") and value)

    Reader().feed(body)
    return found


@dataclass(frozen=True)
class Client:
    """A crawler that is measured."""

    name: str
    crawl: Callable[[Plan], None]
    package: str
    """The package that must be installed; empty for the standard library."""
    settings: str
    """The configuration, in words."""

    @property
    def version(self) -> str:
        """Its version; empty if it is not installed."""
        if not self.package:
            return platform.python_version()
        try:
            return importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:
            return ""


CLIENTS = (
    Client(
        "goodbot",
        crawl_with_goodbot,
        "goodbot",
        f"`Robot.visit` of each URL in turn, `Manners(default=1.0)` in place of 10 s between visits"
        f" where the site states no pace, `longest_wait={LONGEST_WAIT:g}`, `timeout={TIMEOUT:g}`",
    ),
    Client(
        "Scrapy",
        crawl_with_scrapy,
        "scrapy",
        f"its defaults and ROBOTSTXT_OBEY; DOWNLOAD_TIMEOUT {TIMEOUT:g}; no DOWNLOAD_DELAY, no"
        " AutoThrottle; one URL, and the others when that is done;"
        " the links of a page as its tutorial follows them",
    ),
    Client(
        "Scrapy, new project",
        crawl_with_scrapy_project,
        "scrapy",
        "the same, and what `scrapy startproject` writes: CONCURRENT_REQUESTS_PER_DOMAIN 1,"
        " DOWNLOAD_DELAY 1",
    ),
    Client(
        "Scrapy, at once",
        crawl_with_scrapy_at_once,
        "scrapy",
        "its defaults and ROBOTSTXT_OBEY, and all URLs to begin with",
    ),
    Client(
        "urllib",
        crawl_with_urllib,
        "",
        "`RobotFileParser.read` (which has no timeout), `can_fetch` before and `crawl_delay` behind"
        f" each `urlopen(timeout={TIMEOUT:g})`; an exception of `read` ends it",
    ),
)
