"""What the pages of a crawl load, and what is wrong with it: blocked, or without TLS.

Scope: asking the policies that the crawl stored; nothing is fetched.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from goodbot.crawl.folder.database import Database
from goodbot.errors import NoOriginError, WrongValueError
from goodbot.http.address import address_of
from goodbot.policy import Policy

__all__ = ["MOST_LISTED", "BlockedResource", "ResourceRules", "mixed_content"]

MOST_LISTED = 20
"""The most resources, and faults of one kind, that a row of the inventory lists."""
KNOWN_URLS = 20_000
KNOWN_ORIGINS = 256
"""How many verdicts and policies are remembered: pages of a site load mostly the same."""
LOADED = ("style", "script", "image")
"""The resources without which a search engine may see another page than readers do."""


class BlockedResource(NamedTuple):
    """A resource that robots.txt disallows."""

    url: str
    source: str
    """The line of robots.txt that decides."""


class ResourceRules:
    """Whether the robot of a crawl may fetch the resources of pages.

    Args:
        database: The database of the crawl.
        robot: The robot: its product token.

    """

    def __init__(self, database: Database, robot: str) -> None:
        """Prepare to read policies."""
        self._database = database
        self._robot = robot
        self._policy = lru_cache(KNOWN_ORIGINS)(self._policy_of)
        self._source = lru_cache(KNOWN_URLS)(self._source_of)

    def blocked(self, resources: Iterable[tuple[str, str]]) -> list[BlockedResource]:
        """Return the style sheets, scripts and images that robots.txt disallows, at most 20.

        Resources of origins whose robots.txt the crawl does not know are not among them.
        """
        found = []
        for kind, url in resources:
            source = self._source(url) if kind in LOADED else None
            if source is not None:
                found.append(BlockedResource(url, source))
        return found[:MOST_LISTED]

    def _source_of(self, url: str) -> str | None:
        """Return the line that disallows a URL; `None` if it is allowed, or nothing is known."""
        try:
            origin, address = address_of(url)
        except NoOriginError:
            return None
        policy = self._policy(origin)
        if policy is None or not self._robot:
            return None
        verdict = policy.verdict_as_sent(address, self._robot)
        return None if verdict.allowed else verdict.source or verdict.reason

    def _policy_of(self, origin: str) -> Policy | None:
        """Return the latest stored policy of an origin; `None` if there is none."""
        record = self._database.get(origin)
        try:
            return None if record is None else Policy.from_record(record)
        except WrongValueError:
            return None


def mixed_content(url: str, resources: Iterable[tuple[str, str]]) -> list[str]:
    """Return what a page over https loads over http, at most 20 URLs.

    Source: W3C, Mixed Content, section 2.

    >>> mixed_content("https://a.example/", [("image", "http://a.example/1.png")])
    ['http://a.example/1.png']
    """
    if not url.startswith("https://"):
        return []
    return [one for _kind, one in resources if one.startswith("http://")][:MOST_LISTED]
