"""What `goodbot lint` reads: files, sites, and the sitemaps that they name.

Scope: from arguments to bytes and URLs. `goodbot.lint` finds.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

import goodbot
from goodbot.cli.shared import warnings
from goodbot.cli.shared.identity import visitor
from goodbot.cli.shared.input_files import NAME_OF_STANDARD_INPUT, STANDARD_INPUT, read_input
from goodbot.cli.shared.options import SiteOptions, refuse_site_options
from goodbot.cli.shared.sources.robots_source import is_url, policy_of, robots_in
from goodbot.cli.shared.sources.url_source import UrlSource
from goodbot.http.amounts import counted
from goodbot.lint import LintSettings, lint
from goodbot.lint.formats.linted_source import LintedSource

if TYPE_CHECKING:
    from goodbot.cli.shared.live_sites import LiveSites

__all__ = ["MOST_SITEMAPS", "SitemapChoice", "linted"]

MOST_SITEMAPS = 20
"""The most sitemaps of a site that are fetched, those that an index lists among them."""

MOST_URLS = 200_000
"""The most URLs of sitemaps that are compared with the rules."""

DIALECT = "rfc9309"


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


def linted(
    names: Sequence[str],
    sitemaps: SitemapChoice,
    settings: LintSettings,
    site_options: SiteOptions,
) -> list[LintedSource]:
    """Read and check each file or site.

    Args:
        names: Files, `-` for standard input, and URLs of sites.
        sitemaps: The sitemaps that are compared with the rules.
        settings: Which rules are asked.
        site_options: How sites are visited.

    Raises:
        GoodbotError: A site has given no answer.
        MisuseError: An argument cannot be used, or sitemaps of sites are wanted by someone unknown.
        OSError: A file cannot be read.

    """
    files = SitemapUrls()
    for name in sitemaps.named:
        if not is_url(name):
            files.add(of_file(name))
    remote = [name for name in sitemaps.named if is_url(name)]
    if not remote and not sitemaps.listed and not any(map(is_url, names)):
        refuse_site_options(site_options, "this command reads files")
        return [checked(name, read_input(name), files, settings) for name in names]
    from goodbot.cli.shared.live_sites import LiveSites  # noqa: PLC0415  slow to load

    # Sites that a file by others names are visited only by someone whom they can write to.
    identity = visitor(site_options) if sitemaps.listed else None
    with LiveSites(EVERYONE, site_options, DIALECT, identity=identity) as sites:
        given = files.with_all(fetched(remote, sites))
        return [linted_one(name, given, settings, sites, listed=sitemaps.listed) for name in names]


EVERYONE = "*"


def linted_one(
    name: str, given: SitemapUrls, settings: LintSettings, sites: "LiveSites", *, listed: bool
) -> LintedSource:
    """Read and check one file or site; `listed` is whether to fetch the sitemaps that it lists."""
    if not is_url(name):
        content = read_input(name)
        more = goodbot.RobotsTxt(content, dialect=DIALECT).sitemaps if listed else ()
        return checked(name, content, given.with_all(fetched(more, sites)), settings)
    policy = policy_of(name, sites)
    file = robots_in(policy, DIALECT)
    origin = goodbot.origin(name)
    more = file.sitemaps if listed else ()
    found = given.with_all(fetched(more, sites, speaks_for=origin))
    return checked(name, file.content, on_site(origin, found), settings, policy.findings)


def on_site(origin: str, listed: SitemapUrls) -> SitemapUrls:
    """Return the URLs of a site: its robots.txt says nothing about others."""
    found = [url for url in listed.urls if url_is_on(url, origin)]
    if len(found) < len(listed.urls):
        count = counted(len(listed.urls) - len(found), "URL")
        warnings.warn(f"{count} of the sitemaps are not on {origin} and were not compared")
    return SitemapUrls(found, listed.problems)


def url_is_on(url: str, origin: str) -> bool:
    """Return whether a URL is on a site."""
    try:
        return goodbot.origin(url) == origin
    except goodbot.NoOriginError:
        return False


def checked(
    name: str,
    content: bytes,
    listed: SitemapUrls,
    settings: LintSettings,
    answer: Sequence[goodbot.Finding] = (),
) -> LintedSource:
    """Check one file; `answer` is what is odd about the answer that brought it."""
    shown = "standard input" if name == STANDARD_INPUT else name
    urls = listed.urls
    if len(urls) > MOST_URLS:
        warnings.warn(
            f"only the first {MOST_URLS:,} URLs of the sitemaps were compared with {shown}, "
            f"of {len(urls):,}"
        )
    report = lint(
        content,
        sitemap_urls=urls[:MOST_URLS],
        sitemap_problems=listed.problems,
        answer=answer,
        settings=settings,
    )
    return LintedSource(shown, report, content)


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
    from goodbot.crawl.frontier.sitemaps import read_sitemap  # noqa: PLC0415  slow to load

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
