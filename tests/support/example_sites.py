"""The example sites for tests: served in memory, and crawled by a plain reference."""

import asyncio
import importlib.util
import re
import sys
import zlib
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from types import ModuleType
from typing import Any

import goodbot
from goodbot.crawl import Crawl, Summary
from goodbot.net import DEFAULT_LIMITS, HeaderFields, Limits, Response
from goodbot.sitemaps.sitemaps import read_sitemap
from goodbot.testing import Answer, FakeClock, FakeSite, FakeVisit
from tests.support import conformance_cases as data
from tests.support.paths import ROOT

SERVE = ROOT / "examples" / "serve.py"
NOW = datetime(2025, 3, 3, 12, 30, tzinfo=timezone.utc)
ROBOT = "ExampleBot"
GZIP = 31
"""The value of `wbits` that selects gzip in zlib."""


def load_serve() -> ModuleType:
    """Load examples/serve.py, which is not part of a package."""
    spec = importlib.util.spec_from_file_location("example_serve", SERVE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses resolve annotations through this
    spec.loader.exec_module(module)
    return module


serve = load_serve()


def unserved() -> Any:  # noqa: ANN401  of a script
    """Return the sites without opening a port, at origins made from their names."""
    sites = serve.Sites(now=lambda: NOW)
    sites.origins = {name: f"http://{name}.example" for name in sites.sites}
    return sites


def filled(value: Any, sites: Any) -> Any:  # noqa: ANN401  of a case
    """Replace the placeholders of origins everywhere in a value."""
    if isinstance(value, str):
        return sites.fill(value)
    if isinstance(value, list):
        return [filled(one, sites) for one in value]
    return value


SITES = unserved()
CASES = [
    {name: filled(value, SITES) for name, value in case.items()}
    for case in data.cases("crawl")
    if case["id"].startswith("site-")
]
"""The result that a crawl must have: conformance/crawl/example_sites.toml."""


@dataclass
class Met:
    """A URL that the plain crawl has reached."""

    how: str
    answer: Any = None
    page: goodbot.Page | None = None
    reason: str = ""
    line: int = 0
    statuses: list[int] = field(default_factory=list)


class PlainCrawl:
    """A crawl of all example sites without a clock or a store, and with no regard to speed."""

    def __init__(self, dialect: str = "rfc9309") -> None:
        """Crawl the sites."""
        self.sites = unserved()
        self.dialect = dialect
        self.met: dict[str, Met] = {}
        self.anchors: dict[str, set[str]] = {}
        self.unfollowed: set[str] = set()
        self.policies: dict[str, goodbot.Policy] = {}
        self.todo = deque((url, "start") for url in self.sites.starts)
        while self.todo:
            url, how = self.todo.popleft()
            if url not in self.met:
                self.met[url] = Met(how)
                self.visit(url, self.met[url])

    def split(self, url: str) -> tuple[str, str]:
        """Return the name of a site and the path."""
        name, _, path = url.removeprefix("http://").partition(".example")
        return name, path

    def policy(self, name: str) -> goodbot.Policy:
        """Fetch robots.txt, once, and read the sitemaps that it names."""
        if name not in self.policies:
            told = self.sites.answer(name, "/robots.txt")
            url = f"{self.sites.origins[name]}/robots.txt"
            self.policies[name] = goodbot.Policy.from_response(
                url, told.status, told.fields, told.body, now=NOW, dialect=self.dialect
            )
            robots = self.policies[name].robots_txt
            if robots is not None:
                self.sitemaps(robots.sitemaps)
        return self.policies[name]

    def sitemaps(self, urls: list[str]) -> None:
        """Read sitemaps."""
        for url in urls:
            name, path = self.split(url)
            speaks_for = [self.sites.origins[name]]
            told = read_sitemap(self.sites.answer(name, path).body, url, speaks_for=speaks_for)
            # Links come first: only a URL that no link leads to counts as found in a sitemap.
            self.todo.extend((entry.url, "sitemap") for entry in told.urls)
            self.sitemaps([entry.url for entry in told.sitemaps])

    def visit(self, url: str, met: Met) -> None:
        """Visit one URL."""
        name, path = self.split(url)
        policy = self.policy(name)
        verdict = policy.verdict(url, ROBOT)
        rules = policy.rules_for(ROBOT)
        if not verdict:
            met.reason, met.line = verdict.reason, verdict.rule.line if verdict.rule else 0
            return
        if (
            rules
            and rules.visit_times
            and not any(t.contains(NOW.time()) for t in rules.visit_times)
        ):
            met.reason = "visit-time"
            return
        met.answer = self.sites.answer(name, path)
        met.statuses.append(met.answer.status)
        if met.answer.status == 429:
            met.answer = self.sites.answer(name, path)
            met.statuses.append(met.answer.status)
        if "Location" in met.answer.fields:
            self.todo.append((self.sites.origins[name] + met.answer.fields["Location"], "redirect"))
        elif met.answer.status == 200:
            met.page = page_of(url, met.answer)
            self.read(met.page)

    def read(self, page: goodbot.Page) -> None:
        """Add what a page contributes: its words and its links."""
        for link in page.links:
            if not link.follow:
                self.unfollowed.add(link.url)
                continue
            self.todo.append((link.url, "link"))
            if link.anchor and page.index:  # a page that must not be indexed contributes no words
                self.anchors.setdefault(link.url, set()).add(link.text)
        for url, how in ((page.canonical, "canonical"), (page.index_instead, "index-instead")):
            if url is not None and url != page.url:
                self.todo.append((url, how))


def page_of(url: str, answer: Any) -> goodbot.Page:  # noqa: ANN401  of a script
    """Read an answer."""
    body = answer.body
    if "Content-Encoding" in answer.fields:
        body = zlib.decompress(body, GZIP)
    return goodbot.Page(url, body, headers=answer.fields, status=answer.status, robot=ROBOT)


def words(text: str) -> list[str]:
    """Return the words of a text in lower case, and its gaps."""
    return re.findall(r"[\w']+|…", text.lower())


def has_phrase(text: str, phrase: str) -> bool:
    """Return whether the words of a phrase stand in a row in one line of a text."""
    wanted = words(phrase)
    return any(
        wanted == line[at : at + len(wanted)]
        for line in map(words, text.splitlines())
        for at in range(len(line))
    )


class ServedInMemory:
    """A `Fetcher` for the example sites, without sockets and with a clock that jumps.

    Args:
        first_port: The port of the first site on 127.0.0.1; 0 for origins made of the names.

    """

    def __init__(self, first_port: int = 0) -> None:
        """Serve the sites unchanged."""
        self.sites = unserved()
        if first_port:
            ports = enumerate(self.sites.sites, first_port)
            self.sites.origins = {name: f"http://127.0.0.1:{port}" for port, name in ports}
        self.fake = FakeSite({}, clock=FakeClock(NOW))

    async def fetch(
        self, url: str, *, headers: HeaderFields = (), limits: Limits = DEFAULT_LIMITS
    ) -> Response:
        """Return the answer of the site."""
        self.fake.routes[url] = self.answer
        return await self.fake.fetch(url, headers=headers, limits=limits)

    def answer(self, visit: FakeVisit) -> Answer:
        """Return what the site answers."""
        origins = self.sites.origins.items()
        name, origin = next(one for one in origins if visit.url.startswith(f"{one[1]}/"))
        said = self.sites.answer(name, visit.url.removeprefix(origin))
        body = said.body
        if "Content-Encoding" in said.fields:
            body = zlib.decompress(body, GZIP)
        fields = tuple(said.fields.items())
        return Answer(
            status=said.status, headers=fields, body=body, wire=said.body, seconds=said.seconds
        )


def crawl_two_shops(folder: Path) -> None:
    """Crawl two of the sites to `shops`, at addresses that docs and tests name: from port 8300."""
    site = ServedInMemory(8300)
    origins = site.sites.origins
    crawl_in(folder / "shops", site, [f"{origins['antiques']}/", f"{origins['harbour']}/"])


def crawl_in(folder: Path, site: ServedInMemory, start: list[str]) -> Summary:
    """Crawl with ordinary settings."""
    crawl = Crawl(
        folder,
        "ExampleBot/1.0",
        info_url="https://example.com/bot",
        contact="bot@example.com",
        start=start,
        fetcher=site,
        clock=site.fake.clock,
        patience=5.0,
    )
    return asyncio.run(crawl.run())
