"""The sitemaps of live sites: their URLs, and what is wrong with them.

Scope: what is requested, within bounds. `goodbot.sitemaps` reads a sitemap.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from goodbot._core import Finding, origin
from goodbot.errors import GoodbotError

if TYPE_CHECKING:
    from goodbot.robot import Visit

__all__ = ["MOST_SITEMAPS", "MOST_URLS", "SitemapUrls", "fetch_sitemaps"]

MOST_SITEMAPS = 20
"""The most sitemaps of a site that are fetched, those that an index lists among them."""

MOST_URLS = 200_000
"""The most URLs of sitemaps that are compared with the rules."""


class SitemapVisitor(Protocol):
    """What fetches sitemaps: an open `goodbot.blocking.Robot`."""

    def visit(self, url: str) -> "Visit":
        """Visit a URL as soon as the pace allows it."""


@dataclass
class SitemapUrls:
    """What sitemaps list, and what is wrong with them."""

    urls: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """A clause for each problem, which names the sitemap."""
    unread: list[str] = field(default_factory=list)
    """What was not read or not compared, and why: it is no mistake in robots.txt."""

    def add(self, other: "SitemapUrls") -> None:
        """Add what other sitemaps list."""
        self.urls += other.urls
        self.problems += other.problems
        self.unread += other.unread

    def with_all(self, other: "SitemapUrls") -> "SitemapUrls":
        """Return both together."""
        both = SitemapUrls([*self.urls], [*self.problems], [*self.unread])
        both.add(other)
        return both


def fetch_sitemaps(
    urls: Sequence[str], robot: SitemapVisitor, *, speaks_for: str | None = None
) -> SitemapUrls:
    """Fetch sitemaps, and those that they list; return their URLs.

    At most 20 are fetched, and one URL more is kept than is compared with rules.

    Args:
        urls: The sitemaps.
        robot: Who fetches them: an open `goodbot.blocking.Robot`.
        speaks_for: The origin whose robots.txt lists them; they may be on another one.

    """
    found = SitemapUrls()
    found.urls += islice(
        fetch_all(urls, robot, [speaks_for] if speaks_for else [], found), MOST_URLS + 1
    )
    return found


def fetch_all(
    urls: Sequence[str], robot: SitemapVisitor, speaks_for: list[str], found: SitemapUrls
) -> Iterator[str]:
    """Yield the URLs of sitemaps on sites, and of those that they list in turn.

    What is wrong with them is added to `found`.
    """
    from goodbot.sitemaps.sitemaps import read_sitemap  # noqa: PLC0415  slow to load

    known = dict.fromkeys(urls)
    waiting = deque(known)
    for _ in range(MOST_SITEMAPS):
        if not waiting:
            return
        url = waiting.popleft()
        try:
            visit = robot.visit(url)
            read = read_sitemap(
                visit.response.body, visit.url, speaks_for=[origin(url), *speaks_for]
            )
        except GoodbotError as error:
            found.unread.append(f"the sitemap {url} was not read: {error}")
            continue
        if not visit:
            found.problems.append(
                f"the sitemap {url} is none: status {visit.response.status}; 0 URLs were read"
            )
            continue
        found.problems += [
            describe_problem(url, one) for one in read.findings if one.severity == "error"
        ]
        new = dict.fromkeys(one.url for one in read.sitemaps if one.url not in known)
        known |= new
        waiting += new
        yield from (one.url for one in read.urls)
    if waiting:
        found.unread.append(f"only {MOST_SITEMAPS} sitemaps were read, of {len(known):,}")


def describe_problem(url: str, finding: Finding) -> str:
    """Return a finding on a sitemap as a clause that names it."""
    where = f", line {finding.line}" if finding.line else ""
    message = finding.message
    return f"the sitemap {url}{where}: {message[:1].lower()}{message[1:]}"
