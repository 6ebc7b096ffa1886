"""Contradictions between the signals of a page: robots.txt, header, META, TDMRep, RSL and others.

Scope: from what a crawl stored, for its own robot; `goodbot.content_use` decides which statement
counts. Nothing is fetched.
"""

from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache

from goodbot.bots.page_reading import page_dialect_for
from goodbot.content_use import uses
from goodbot.content_use.statement import UseStatement
from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.reading import UrlRecord
from goodbot.crawl.inventory.page_record import PageRecord
from goodbot.crawl.inventory.robot_access import ANY_URL, Sites
from goodbot.page import Page
from goodbot.policy import Policy

__all__ = ["Contradictions"]

MOST_PAGES = 4_096
"""For how many different pages the contradictions are remembered: many say the same."""
SUCCESS, MULTIPLE = 200, 300


class Contradictions:
    """Finds what the signals of pages contradict.

    Args:
        database: The database of the crawl.
        robot: The robot: its product token.
        now: The time, an aware `datetime`.

    """

    def __init__(self, database: Database, robot: str, now: datetime) -> None:
        """Prepare to read policies."""
        self._sites, self._robot, self._now = Sites(database, now), robot, now
        self._dialect = page_dialect_for(robot) if robot else ""
        self._of = lru_cache(MOST_PAGES)(self._found)

    def of(self, entry: UrlRecord, record: PageRecord | None) -> tuple[str, ...]:
        """Return what the signals of a page contradict, one sentence for each use.

        Args:
            entry: The URL.
            record: The facts of its page; `None` if there is none.

        """
        if record is None or not record.said or not self._robot:
            return ()  # one statement cannot contradict itself
        if not SUCCESS <= record.status < MULTIPLE:
            return ()
        by_path = self._sites.says_uses(entry.origin)
        return self._of(record.said, entry.origin, entry.url if by_path else "", record.status)

    def _found(self, said: str, origin: str, url: str, status: int) -> tuple[str, ...]:
        page = self._sites.page(said, url or ANY_URL, self._robot, self._dialect, status)
        policy = self._sites.policy(origin)
        if policy is None:
            return ()
        return tuple(contradictions(url or f"{origin}/", page, policy, self._robot, self._now))


def contradictions(
    url: str, page: Page, policy: Policy, robot: str, now: datetime
) -> Iterator[str]:
    """Yield what is said for and against each use of a page, in words."""
    for use, verdict in uses(url, page, robots_txt=policy, robot=robot, now=now).verdicts.items():
        sides: dict[str, UseStatement] = {}
        for one in sorted(verdict.statements, key=is_of_site):  # those of the page first
            sides.setdefault(one.says, one)
        allowing, reserving = sides.get("allowed"), sides.get("reserved")
        # What needs a licence may be reserved to all who have none, so that is no contradiction.
        if allowing is None or reserving is None or is_of_site(allowing, reserving):
            continue
        yield f"{use}: {allowing} allows it, and {reserving} reserves it"


OF_THE_SITE = "robots.txt"


def is_of_site(*statements: UseStatement) -> bool:
    """Return whether all statements are in robots.txt: then every page of the site has them."""
    return all(one.place.startswith(OF_THE_SITE) for one in statements)
