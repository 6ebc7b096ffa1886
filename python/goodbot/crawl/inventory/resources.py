"""What the pages of a crawl load, and what is wrong with it: blocked, or without TLS.

Scope: asking the policies that the crawl stored; nothing is fetched.
"""

from functools import lru_cache, partial
from typing import NamedTuple

from goodbot.bots import ObeyedRules, rules_for
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.stored_policies import stored_policy
from goodbot.crawl.inventory.page_record import OWN_SITE, unpacked_urls
from goodbot.errors import NoOriginError
from goodbot.http.address import address_of

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
        self._policy = lru_cache(KNOWN_ORIGINS)(partial(stored_policy, database))
        self._rules = lru_cache(KNOWN_ORIGINS)(self._rules_of)
        self._source = lru_cache(KNOWN_URLS)(self._source_of)
        self.is_own_site = bool(database.setting(OWN_SITE))
        """Whether the crawl may have requested what robots.txt disallows."""

    def overruled(self, url: str) -> str:
        """Return the line of robots.txt that disallows a URL, if the crawl may have overruled it.

        Only a crawl of its owner's own site requests what robots.txt disallows; for any other crawl
        nothing is looked up.

        Args:
            url: A URL that the crawl requested.

        Returns:
            The line; empty if robots.txt allows the URL.

        """
        return (self._source(url) or "") if self.is_own_site else ""

    def blocked(self, packed: str, origin: str) -> list[BlockedResource]:
        """Return the style sheets, scripts and images that robots.txt disallows, at most 20.

        Resources of origins whose robots.txt the crawl does not know are not among them.

        Args:
            packed: The resources of a page (`goodbot.crawl.inventory.page_record.packed_urls`).
            origin: The origin of the page.

        """
        resources = [url for kind, url in unpacked_urls(packed, origin) if kind in LOADED]
        found = []
        for url in self._doubtful(resources, origin):
            source = self._source(url)
            if source is not None:
                found.append(BlockedResource(url, source))
        return found[:MOST_LISTED]

    def _doubtful(self, urls: list[str], origin: str) -> list[str]:
        """Return the URLs that may be disallowed: all are asked about at once, which is quick."""
        rules = self._rules(origin)
        if rules is None:
            return urls
        own = [url for url in urls if url.startswith(f"{origin}/")]
        answers = dict(zip(own, rules.allows_many(own), strict=True))
        return [url for url in urls if not answers.get(url)]

    def _rules_of(self, origin: str) -> ObeyedRules | None:
        """Return what the robot obeys at an origin; `None` if nothing is known."""
        policy = self._policy(origin)
        if policy is None or not self._robot:
            return None
        return rules_for(policy, self._robot, fetching=True)

    def _source_of(self, url: str) -> str | None:
        """Return the line that disallows a URL; `None` if it is allowed, or nothing is known."""
        try:
            origin, address = address_of(url)
        except NoOriginError:
            return None
        policy = self._policy(origin)
        if policy is None or not self._robot:
            return None
        verdict = policy.may_fetch(address, self._robot)
        return None if verdict.allowed else verdict.source or verdict.reason


def mixed_content(url: str, packed: str) -> list[str]:
    """Return what a page over https loads over http, at most 20 URLs.

    Source: W3C, Mixed Content, section 2.

    >>> mixed_content("https://a.example/", "image http://a.example/1.png")
    ['http://a.example/1.png']
    """
    if not url.startswith("https://") or " http://" not in packed:
        return []
    loaded = (one for _kind, one in unpacked_urls(packed, ""))
    return [one for one in loaded if one.startswith("http://")][:MOST_LISTED]
