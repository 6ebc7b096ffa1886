"""What `goodbot lint` reads: files, sites, and the sitemaps that they name.

Scope: from arguments to bytes and URLs. `goodbot.site.lint` finds.
"""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import goodbot
from goodbot.cli.shared import warnings
from goodbot.cli.shared.identity import visitor
from goodbot.cli.shared.options import SiteOptions, refuse_site_options
from goodbot.cli.shared.sources.robots_source import is_url, policy_of, robots_in
from goodbot.cli.shared.sources.sitemaps_source import (
    SitemapChoice,
    fetched,
    in_files,
)
from goodbot.files.file_input import STANDARD_INPUT, read_input
from goodbot.live.sitemap_urls import MOST_URLS, SitemapUrls
from goodbot.site.lint import LintSettings, SiteSignals, lint
from goodbot.site.lint.formats.linted_source import LintedSource

if TYPE_CHECKING:
    from goodbot.cli.shared.live_sites import LiveSites

__all__ = ["linted"]

DIALECT = "rfc9309"


def linted(
    names: Sequence[str],
    sitemaps: SitemapChoice,
    settings: LintSettings,
    site_options: SiteOptions,
    signals: SiteSignals | None = None,
) -> list[LintedSource]:
    """Read and check each file or site.

    Args:
        names: Files, `-` for standard input, and URLs of sites.
        sitemaps: The sitemaps that are compared with the rules.
        settings: Which rules are asked.
        site_options: How sites are visited.
        signals: What the site of the files says about uses outside robots.txt.

    Raises:
        GoodbotError: A site has given no answer.
        MisuseError: An argument cannot be used, or sitemaps of sites are wanted by someone unknown.
        OSError: A file cannot be read.

    """
    files = in_files(sitemaps.named)
    remote = [name for name in sitemaps.named if is_url(name)]
    if not remote and not sitemaps.listed and not any(map(is_url, names)):
        refuse_site_options(site_options, "this command reads files")
        return [checked(name, read_input(name), files, settings, signals) for name in names]
    from goodbot.cli.shared.live_sites import LiveSites  # noqa: PLC0415  slow to load

    if signals is not None and any(map(is_url, names)):
        message = "--tdmrep, --license, --page and --header are for files; omit them, or the URLs"
        raise goodbot.MisuseError(message)
    # Sites that a file by others names are visited only by someone whom they can write to.
    identity = visitor(site_options) if sitemaps.listed else None
    with LiveSites(EVERYONE, site_options, DIALECT, identity=identity) as sites:
        given = files.with_all(fetched(remote, sites))
        return [
            linted_one(name, given, settings, sites, signals, listed=sitemaps.listed)
            for name in names
        ]


EVERYONE = "*"


def linted_one(
    name: str,
    given: SitemapUrls,
    settings: LintSettings,
    sites: "LiveSites",
    signals: SiteSignals | None,
    *,
    listed: bool,
) -> LintedSource:
    """Read and check one file or site; `listed` is whether to fetch the sitemaps that it lists."""
    if not is_url(name):
        content = read_input(name)
        more = goodbot.RobotsTxt(content, dialect=DIALECT).sitemaps if listed else ()
        return checked(name, content, given.with_all(fetched(more, sites)), settings, signals)
    from goodbot.cli.shared.live_sites import address_in  # noqa: PLC0415  slow to load
    from goodbot.site.live_lint import lint_site  # noqa: PLC0415  as above

    robots_in(policy_of(name, sites), DIALECT)  # says in words what the site has answered
    site = address_in(os.fsencode(name), "policy")
    found = lint_site(site, sites, sitemaps=given, listed_sitemaps=listed, settings=settings)
    for note in found.notes:
        warnings.warn(note)
    return LintedSource(name, found.report, found.content)


def checked(
    name: str,
    content: bytes,
    listed: SitemapUrls,
    settings: LintSettings,
    signals: SiteSignals | None = None,
) -> LintedSource:
    """Check one file."""
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
        signals=signals,
        settings=settings,
    )
    return LintedSource(shown, report, content)
