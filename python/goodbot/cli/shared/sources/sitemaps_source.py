"""The sitemaps that a user names or robots.txt lists: their URLs, and what is wrong with them.

Scope: from arguments to URLs and problems. `goodbot.live` fetches and reads them.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from goodbot.cli.shared import warnings
from goodbot.cli.shared.input_files import is_url
from goodbot.cli.shared.sources.url_source import UrlSource
from goodbot.files.file_input import NAME_OF_STANDARD_INPUT, STANDARD_INPUT
from goodbot.lazy_dataclass import dataclass
from goodbot.live.sitemap_urls import MOST_SITEMAPS, SitemapUrls, fetch_sitemaps

if TYPE_CHECKING:
    from goodbot.cli.shared.live_sites import LiveSites

__all__ = ["MOST_SITEMAPS", "SitemapChoice", "fetched", "in_files"]


@dataclass(frozen=True)
class SitemapChoice:
    """Which sitemaps are compared with the rules."""

    named: Sequence[str]
    """Files and URLs that the user names; they hold for all files and sites."""
    listed: bool
    """Whether those are fetched that a robots.txt lists."""


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
    """Return the URLs of sitemaps on sites, and warn of those that were not read.

    Args:
        urls: The sitemaps.
        sites: Fetches them.
        speaks_for: The origin whose robots.txt lists them; they may be on another one.

    """
    found = fetch_sitemaps(urls, sites, speaks_for=speaks_for)
    for one in found.unread:
        warnings.warn(one)
    return SitemapUrls(found.urls, found.problems)
