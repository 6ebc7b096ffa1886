"""A robots.txt that a command names: a file, standard input or the URL of a site."""

import os

import goodbot
from goodbot.cli.shared import warnings
from goodbot.cli.shared.input_files import read_input
from goodbot.cli.shared.options import SiteOptions

__all__ = ["is_url", "read_robots_txt"]


def is_url(source: str) -> bool:
    """Return whether an argument is a URL and not the name of a file.

    >>> is_url("https://example.com/robots.txt"), is_url("robots.txt")
    (True, False)
    """
    return "://" in source


def read_robots_txt(
    source: str, dialect: str, site_options: SiteOptions, *, strict: bool = False
) -> goodbot.RobotsTxt:
    """Read the robots.txt that an argument names; that of a URL is fetched from its site.

    Args:
        source: A file, `-` for standard input, or any URL of a site.
        dialect: The dialect to read it in.
        site_options: How a site is visited.
        strict: Whether to refuse a file that is clearly not a robots.txt, instead of warning.

    Raises:
        GoodbotError: It is a URL, and the site has given no answer: that is not a permission.
        MisuseError: It is not a URL; or, with `strict`, it is clearly not a robots.txt.
        OSError: It cannot be read.

    """
    if is_url(source):
        file = of_site(source, dialect, site_options)
        if not file.content:
            warnings.warn(f"{source} has no robots.txt, so everything is allowed there")
            return file
    else:
        file = goodbot.RobotsTxt(read_input(source), dialect=dialect)
    warnings.of_file(file, source, strict=strict)
    return file


def of_site(url: str, dialect: str, site_options: SiteOptions) -> goodbot.RobotsTxt:
    """Fetch the robots.txt of a site; an empty one stands for a site that has none."""
    from goodbot.cli.shared.live_sites import (  # noqa: PLC0415  slow to load, as is what fetches
        CURES,
        LiveSites,
        address_in,
    )

    address = address_in(os.fsencode(url), "policy")
    with LiveSites("*", site_options, dialect) as sites:
        policy = sites.policy(address)
    if policy.access == "rules" and policy.robots_txt is not None:
        return policy.robots_txt
    if policy.access == "allow-all":
        return goodbot.RobotsTxt(b"", dialect=dialect)
    from goodbot.cli.shared.site_report import answer_in_words  # noqa: PLC0415  as above

    message = (
        f"{policy.origin} gave no robots.txt: {answer_in_words(policy)}. So there is no result; "
        f"{CURES.get(policy.outcome, 'try again later')}, or name a downloaded file"
    )
    raise goodbot.GoodbotError(message)
