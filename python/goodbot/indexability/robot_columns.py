"""Which robots a report is about, if none is named.

Scope: the names. Any robot (`*`) comes first; then those that the page addresses, and the search
engines to which robots.txt gives another answer.
"""

import re
from collections.abc import Iterator

from goodbot import bots
from goodbot._core import Verdict
from goodbot.page import Page
from goodbot.policy import Policy

__all__ = ["fetch_verdict", "robots_to_show", "shown_name"]

ANY_ROBOT = "*"
MOST_ROBOTS = 12
"""The most robots that are chosen; each costs one more reading of the page."""

NAME = re.compile(r"(?=.*[a-z])[a-z0-9_.-]+(?: [a-z0-9_.-]+){0,3}")
"""The name of a robot in META or header, in lower case; anything else there is no name."""
LONGEST_NAME = 60

MOST_NAMES = 1_000
"""The most names of a robots.txt that are examined."""


def robots_to_show(url: str, policy: Policy, page: Page | None) -> list[str]:
    """Return the robots that matter for a URL, at most 12.

    Args:
        url: The URL.
        policy: The policy of its site.
        page: The page, as any robot reads it; `None` if it was not fetched.

    """
    found = {ANY_ROBOT: ANY_ROBOT}
    for name in (*addressed_by(page), *answered_otherwise(url, policy)):
        shown = shown_name(name)
        found.setdefault(shown.casefold(), shown)
    return list(found.values())[:MOST_ROBOTS]


def addressed_by(page: Page | None) -> Iterator[str]:
    """Yield the robots that a page addresses."""
    for name in [] if page is None else page.other_robots:
        if len(name) <= LONGEST_NAME and NAME.fullmatch(name):
            yield name


def answered_otherwise(url: str, policy: Policy) -> Iterator[str]:
    """Yield the search engines that robots.txt names and answers otherwise than any robot."""
    if policy.robots_txt is None:
        return
    usual = fetch_verdict(url, policy, ANY_ROBOT).allowed
    names = (agent for group in policy.robots_txt.groups for agent in group.agents)
    for name in list(dict.fromkeys(names))[:MOST_NAMES]:
        known = bots.known(name)
        is_search = known is not None and "search" in known.purposes
        if is_search and fetch_verdict(url, policy, name).allowed != usual:
            yield name


def shown_name(name: str) -> str:
    """Return the name of a known robot as its operator writes it, and another one as it is."""
    known = bots.known(name)
    return name if known is None else known.name


def fetch_verdict(url: str, policy: Policy, robot: str) -> Verdict:
    """Return whether a robot may fetch a URL, by its family and in its dialect if it is known."""
    return policy.verdict(url, robot)
