"""The sitemaps that a user names or robots.txt lists: their URLs, and what is wrong with them.

Scope: from files and sites to URLs and problems, within bounds. `goodbot.sitemaps.sitemaps`
reads a sitemap.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

import goodbot
from goodbot.cli.shared import warnings
from goodbot.cli.shared.input_files import is_url
from goodbot.cli.shared.sources.url_source import UrlSource
from goodbot.files.file_input import NAME_OF_STANDARD_INPUT, STANDARD_INPUT

if TYPE_CHECKING:
    from goodbot.cli.shared.live_sites import LiveSites

__all__ = ["MOST_SITEMAPS", "MOST_URLS", "SitemapChoice", "SitemapUrls", "fetched", "in_files"]

MOST_SITEMAPS = 20
"""The most sitemaps of a site that are fetched, those that an index lists among them."""

MOST_URLS = 200_000
"""The most URLs of sitemaps that are compared with the rules."""


@dataclass(frozen=True)
class SitemapChoice:
    """Which sitemaps are compared with the rules."""

    named: Sequence[str]
    """Files and URLs that the user names; they hold for all files and sites."""
    listed: bool
    """Whether those are fetched that a robots.txt lists."""


@dataclass
class SitemapUrls:
    """What sitemaps list, and what is wrong with them."""

    urls: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """A clause for each problem, which names the sitemap."""

    def add(self, other: "SitemapUrls") -> None:
        """Add what other sitemaps list."""
        self.urls += other.urls
        self.problems += other.problems

    def with_all(self, other: "SitemapUrls") -> "SitemapUrls":
        """Return both together."""
        return SitemapUrls([*self.urls, *other.urls], [*self.problems, *other.problems])


def in_files(names: Sequence[str]) -> SitemapUrls:
    """Return the URLs of those sitemaps that are files."""
    found = SitemapUrls()
    for name in names:
        if not is_url(name):
            found.add(of_file(name))
    return found


def of_file(name: str) -> SitemapUrls:
    """Return the URLs of a sitemap, or of a list, in a file."""
    source = UrlSource(name, "--sitemap", may_be_faulty=True)
    urls = [url.decode("utf-8", "replace") for url in source]
    shown = NAME_OF_STANDARD_INPUT if name == STANDARD_INPUT else name
    return SitemapUrls(urls, [f"the sitemap {shown}, {source.problem}"] if source.is_faulty else [])


def fetched(
    urls: Sequence[str], sites: "LiveSites", *, speaks_for: str | None = None
) -> SitemapUrls:
    """Return the URLs of sitemaps on sites, one more than are compared at most.

    Args:
        urls: The sitemaps.
        sites: Fetches them.
        speaks_for: The origin whose robots.txt lists them; they may be on another one.

    """
    found = SitemapUrls()
    every = all_fetched(urls, sites, [speaks_for] if speaks_for else [], found.problems)
    found.urls += islice(every, MOST_URLS + 1)
    return found


def all_fetched(
    urls: Sequence[str], sites: "LiveSites", speaks_for: list[str], problems: list[str]
) -> Iterator[str]:
    """Yield the URLs of sitemaps on sites, and of those that they list in turn.

    What is wrong with them is added to `problems`. A sitemap that cannot be fetched is a warning:
    it is no mistake in robots.txt.
    """
    from goodbot.sitemaps.sitemaps import read_sitemap  # noqa: PLC0415  slow to load

    known = dict.fromkeys(urls)
    waiting = deque(known)
    for _ in range(MOST_SITEMAPS):
        if not waiting:
            return
        url = waiting.popleft()
        try:
            with sites.progress.asking(url):
                visit = sites.asker.visit(url)
            origins = [goodbot.origin(url), *speaks_for]
            read = read_sitemap(visit.response.body, visit.url, speaks_for=origins)
        except goodbot.GoodbotError as error:
            warnings.warn(f"the sitemap {url} was not read: {error}")
            continue
        if not visit:
            problems.append(
                f"the sitemap {url} is none: status {visit.response.status}; 0 URLs were read"
            )
            continue
        problems += [problem_in(url, one) for one in read.findings if one.severity == "error"]
        new = dict.fromkeys(one.url for one in read.sitemaps if one.url not in known)
        known |= new
        waiting += new
        yield from (one.url for one in read.urls)
    if waiting:
        warnings.warn(f"only {MOST_SITEMAPS} sitemaps were read, of {len(known):,}")


def problem_in(url: str, finding: goodbot.Finding) -> str:
    """Return a finding on a sitemap as a clause that names it."""
    where = f", line {finding.line}" if finding.line else ""
    message = finding.message
    return f"the sitemap {url}{where}: {message[:1].lower()}{message[1:]}"
