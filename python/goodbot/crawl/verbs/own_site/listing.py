"""The pages of one's own site that robots.txt disallows, as far as a crawl found them.

Scope: reading the queue and deciding; nothing is fetched.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from goodbot.bots import rules_for
from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.bounds import Bounds, depth_of
from goodbot.crawl.frontier.reading import entries
from goodbot.crawl.verbs.own_site.ownership import OwnershipProof
from goodbot.policy import Policy
from goodbot.robot.origin_state import BY_A_LINE

__all__ = ["Listing", "disallowed_pages"]

DisallowingLine = tuple[str, int, str]
"""A line of robots.txt: the origin, the number, and the text."""


@dataclass(slots=True)
class Listing:
    """The pages that robots.txt disallows, by the line that does."""

    pages: dict[DisallowingLine, list[str]] = field(default_factory=dict)
    """The pages of sites that are the owner's."""
    unproven: dict[str, int] = field(default_factory=dict)
    """How many pages robots.txt disallows at each site that is not shown to be the owner's."""

    @property
    def urls(self) -> list[str]:
        """The pages of all lines."""
        return [url for urls in self.pages.values() for url in urls]

    def texts(self) -> set[tuple[str, str]]:
        """Return the lines, by origin and text: their numbers may change."""
        return {(origin, text) for origin, _, text in self.pages}

    def within(self, lines: Collection[tuple[str, str]]) -> "Listing":
        """Return the pages that some of these lines disallow."""
        own = {line: urls for line, urls in self.pages.items() if (line[0], line[2]) in lines}
        return Listing(own)

    def first(self, most: int | None) -> "Listing":
        """Return so many of the pages; all of them for `None`."""
        if most is None:
            return self
        left, pages = most, {}
        for line, urls in self.pages.items():
            if left > 0:
                pages[line] = urls[:left]
                left -= len(urls)
        return Listing(pages, self.unproven)


def disallowed_pages(
    database: Database,
    bounds: Bounds,
    robot: str,
    proven: Mapping[str, tuple[Policy, OwnershipProof]],
    fetched: Collection[str] = (),
) -> Listing:
    """Return the pages of a crawl that a line of robots.txt disallows.

    Args:
        database: The file of the crawl.
        bounds: What belongs to the crawl; what is excluded is not listed.
        robot: The robot: its product token.
        proven: The sites that are the owner's, by their latest robots.txt.
        fetched: The pages that were fetched already.

    """
    found = Listing()
    rules = {
        origin: rules_for(policy, robot, fetching=True) for origin, (policy, _) in proven.items()
    }
    done = set(fetched)
    for origin, url, spelling in waiting_pages(database, bounds):
        if url in done:
            continue
        obeyed = rules.get(origin)
        if obeyed is None:
            found.unproven[origin] = found.unproven.get(origin, 0) + 1
            continue
        verdict = obeyed.verdict(url)
        if verdict and spelling:
            verdict = obeyed.verdict(spelling)
        if verdict.reason == BY_A_LINE and verdict.rule is not None:
            line = (origin, verdict.rule.line, verdict.rule.text.strip())
            found.pages.setdefault(line, []).append(url)
    found.pages = dict(sorted(found.pages.items()))
    return found


def waiting_pages(database: Database, bounds: Bounds) -> Iterator[tuple[str, str, str]]:
    """Yield the origin, URL and spelling of each URL that robots.txt kept the crawl from."""
    for one in entries(database):
        if one.state != "disallowed" or one.reason != BY_A_LINE:
            continue
        if bounds.refuses(one.url, one.origin, depth_of(one.how, one.depth)) is None:
            yield one.origin, one.url, one.spelling
