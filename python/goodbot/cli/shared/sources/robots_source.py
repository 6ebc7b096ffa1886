"""A robots.txt that a command names: a file, standard input or the URL of a site."""

import os
from typing import TYPE_CHECKING

import goodbot
from goodbot.cli.shared import warnings
from goodbot.cli.shared.options import SiteOptions
from goodbot.files.file_input import read_input

if TYPE_CHECKING:
    from goodbot.cli.shared.live_sites import LiveSites
    from goodbot.policy import Policy

__all__ = ["is_url", "policy_of", "read_robots_txt", "robots_in"]


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
            return file
    else:
        file = goodbot.RobotsTxt(read_input(source), dialect=dialect)
    warnings.of_file(file, source, strict=strict)
    return file


def of_site(url: str, dialect: str, site_options: SiteOptions) -> goodbot.RobotsTxt:
    """Fetch the robots.txt of a site; an empty one stands for a site that has none."""
    from goodbot.cli.shared.live_sites import LiveSites  # noqa: PLC0415  slow to load, as is what fetches

    with LiveSites("*", site_options, dialect) as sites:
        return robots_in(policy_of(url, sites), dialect)


def policy_of(url: str, sites: "LiveSites") -> "Policy":
    """Fetch the policy of the site that an argument names."""
    from goodbot.cli.shared.live_sites import address_in  # noqa: PLC0415  as above

    return sites.policy(address_in(os.fsencode(url), "policy"))


def robots_in(policy: "Policy", dialect: str) -> goodbot.RobotsTxt:
    """Return the robots.txt of a policy; an empty one, with a warning, if the site has none.

    Raises:
        GoodbotError: The site has given no answer.

    """
    from goodbot.cli.shared.live_sites import CURES  # noqa: PLC0415  as above
    from goodbot.cli.shared.site_report import answer_in_words  # noqa: PLC0415  as above

    if policy.access == "rules" and policy.robots_txt is not None:
        return policy.robots_txt
    if policy.access == "allow-all":
        said = answer_in_words(policy)
        warnings.warn(f"{policy.origin} has no robots.txt ({said}), so everything is allowed there")
        return goodbot.RobotsTxt(b"", dialect=dialect)
    message = (
        f"{policy.origin} gave no robots.txt: {answer_in_words(policy)}. So there is no result; "
        f"{CURES.get(policy.outcome, 'try again later')}, or name a downloaded file"
    )
    raise goodbot.GoodbotError(message)
