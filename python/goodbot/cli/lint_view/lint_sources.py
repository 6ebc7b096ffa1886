"""What `goodbot lint` reads: files, sites, and the sitemaps that they name.

Scope: from arguments to bytes and URLs. `goodbot.lint` finds.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import goodbot
from goodbot.cli.shared import warnings
from goodbot.cli.shared.input_files import STANDARD_INPUT, read_input
from goodbot.cli.shared.options import SiteOptions, refuse_site_options
from goodbot.cli.shared.sources.robots_source import is_url, policy_of, robots_in
from goodbot.cli.shared.sources.url_source import UrlSource
from goodbot.lint import LintSettings, lint
from goodbot.lint.formats.linted_source import LintedSource

if TYPE_CHECKING:
    from goodbot.cli.shared.live_sites import LiveSites

__all__ = ["linted"]

MOST_SITEMAPS = 20
"""The most sitemaps of a site that are fetched, those that an index lists among them."""

MOST_URLS = 200_000
"""The most URLs of sitemaps that are compared with the rules."""

DIALECT = "rfc9309"


def linted(
    names: Sequence[str],
    sitemaps: Sequence[str],
    settings: LintSettings,
    site_options: SiteOptions,
) -> list[LintedSource]:
    """Read and check each file or site.

    Args:
        names: Files, `-` for standard input, and URLs of sites.
        sitemaps: Files and URLs of sitemaps, which hold for all of them.
        settings: Which rules are asked.
        site_options: How sites are visited.

    Raises:
        GoodbotError: A site has given no answer.
        MisuseError: An argument cannot be used.
        OSError: A file cannot be read.

    """
    files = [url for name in sitemaps if not is_url(name) for url in of_file(name)]
    remote = [name for name in sitemaps if is_url(name)]
    if not remote and not any(map(is_url, names)):
        refuse_site_options(site_options, "this command reads files")
        return [checked(name, read_input(name), files, settings) for name in names]
    from goodbot.cli.shared.live_sites import LiveSites  # noqa: PLC0415  slow to load

    with LiveSites(EVERYONE, site_options, DIALECT) as sites:
        given = [*files, *fetched(remote, sites)]
        return [linted_one(name, given, settings, sites, named=not sitemaps) for name in names]


EVERYONE = "*"


def linted_one(
    name: str, urls: list[str], settings: LintSettings, sites: "LiveSites", *, named: bool
) -> LintedSource:
    """Read and check one file or site; `named` is whether to read the sitemaps that it names."""
    if not is_url(name):
        return checked(name, read_input(name), urls, settings)
    file = robots_in(policy_of(name, sites), DIALECT)
    if named and sites.identity.contact:
        urls = [*urls, *fetched(file.sitemaps, sites)]
    elif named and file.sitemaps:
        warnings.note(
            f"the sitemaps of {goodbot.origin(name)} were not fetched: add --info-url and "
            "--contact, or name a downloaded one with --sitemap"
        )
    return checked(name, file.content, urls, settings)


def checked(name: str, content: bytes, urls: Sequence[str], settings: LintSettings) -> LintedSource:
    """Check one file."""
    shown = "standard input" if name == STANDARD_INPUT else name
    if len(urls) > MOST_URLS:
        warnings.warn(
            f"only the first {MOST_URLS:,} URLs of the sitemaps were compared with {shown}, "
            f"of {len(urls):,}"
        )
    report = lint(content, sitemap_urls=urls[:MOST_URLS], settings=settings)
    return LintedSource(shown, report, content)


def of_file(name: str) -> list[str]:
    """Return the URLs of a sitemap, or of a list, in a file."""
    source = UrlSource(name, "--sitemap")
    urls = [url.decode("utf-8", "replace") for url in source]
    if source.problem:
        warnings.warn(f"the sitemap {name} was not read to its end: {source.problem}")
    return urls


def fetched(urls: Sequence[str], sites: "LiveSites") -> Iterator[str]:
    """Yield the URLs of sitemaps on sites, and of those that they list in turn.

    A sitemap that cannot be fetched is a warning: it is no mistake in robots.txt.
    """
    from goodbot.crawl.frontier.sitemaps import read_sitemap  # noqa: PLC0415  slow to load

    waiting = list(dict.fromkeys(urls))
    for place, url in enumerate(waiting):
        if place >= MOST_SITEMAPS:
            warnings.warn(f"only {MOST_SITEMAPS} sitemaps were read, of {len(waiting):,}")
            return
        try:
            with sites.progress.asking(url):
                visit = sites.asker.visit(url)
            read = read_sitemap(visit.response.body, visit.url, speaks_for=[goodbot.origin(url)])
        except goodbot.GoodbotError as error:
            warnings.warn(f"the sitemap {url} was not read: {error}")
            continue
        if not visit or read.form == "none":
            warnings.warn(f"{url} is not a sitemap: status {visit.response.status}")
            continue
        waiting += [one.url for one in read.sitemaps if one.url not in waiting]
        yield from (one.url for one in read.urls)
