"""What another robots.txt would change: for every path, and for the URLs of a crawl by robot.

Scope: comparing; nothing is fetched or written. The comparison over all paths is
`goodbot.site.reasoning`'s.
"""

from collections.abc import Iterable, Iterator
from dataclasses import field
from itertools import islice

from goodbot._core import RobotsTxt
from goodbot.bots import rules_for
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.stored_policies import stored_policy
from goodbot.crawl.frontier.reading import brief_urls
from goodbot.errors import MisuseError
from goodbot.lazy_dataclass import dataclass
from goodbot.policy import Policy
from goodbot.site.reasoning import FileComparison, compare_files

__all__ = ["RobotsTrial", "TriedRobot", "compare_on_urls", "try_robots_txt"]

MOST_EXAMPLES = 5
AT_ONCE = 10_000
"""How many URLs are asked about together."""


@dataclass(slots=True)
class TriedRobot:
    """What the change means for the URLs of the crawl, for one robot."""

    robot: str
    urls: int = 0
    """How many URLs of the site were tried."""
    allowed: int = 0
    """How many it may fetch now."""
    newly_disallowed: int = 0
    newly_allowed: int = 0
    disallowed_examples: list[str] = field(default_factory=list)
    allowed_examples: list[str] = field(default_factory=list)

    def add(self, url: str, *, was: bool, is_allowed: bool) -> None:
        """Count a URL."""
        self.urls += 1
        self.allowed += was
        if was and not is_allowed:
            self.newly_disallowed += 1
            if len(self.disallowed_examples) < MOST_EXAMPLES:
                self.disallowed_examples.append(url)
        elif is_allowed and not was:
            self.newly_allowed += 1
            if len(self.allowed_examples) < MOST_EXAMPLES:
                self.allowed_examples.append(url)

    def __bool__(self) -> bool:
        """Return whether anything changes."""
        return bool(self.newly_allowed or self.newly_disallowed)


@dataclass(frozen=True, slots=True)
class RobotsTrial:
    """What another robots.txt would change."""

    source: str
    """The file that was tried."""
    origin: str
    """The site."""
    comparison: FileComparison
    """Every difference, over all paths, for every robot."""
    robots: tuple[TriedRobot, ...]
    """What changes for the URLs of the crawl, for each robot."""


def try_robots_txt(
    database: Database, origin: str, content: bytes, robots: Iterable[str], *, source: str
) -> RobotsTrial:
    """Compare the robots.txt of a site, as the crawl has it, with another one.

    Args:
        database: The file of the crawl.
        origin: The site.
        content: The other robots.txt.
        robots: The robots whose URLs are counted.
        source: What names the other robots.txt.

    Raises:
        MisuseError: The crawl has no robots.txt of the site.

    """
    before = present_file(stored_policy(database, origin), origin)
    after = RobotsTxt(content, dialect=before.dialect)
    return compare_on_urls(database, origin, (before, after), robots, source=source)


def compare_on_urls(
    database: Database,
    origin: str,
    files: tuple[RobotsTxt, RobotsTxt],
    robots: Iterable[str],
    *,
    source: str,
) -> RobotsTrial:
    """Compare two robots.txt of a site, over all paths and on the URLs of the crawl.

    Args:
        database: The file of the crawl.
        origin: The site.
        files: The earlier file and the later one.
        robots: The robots whose URLs are counted.
        source: What names the later file.

    """
    before, after = files
    tried = tuple(TriedRobot(name) for name in robots)
    rules = [(rules_for(before, one.robot), rules_for(after, one.robot)) for one in tried]
    own = (one.url for one in brief_urls(database) if one.origin == origin)
    for urls in portions(own):
        for one, (old, new) in zip(tried, rules, strict=True):
            answers = zip(urls, old.allows_many(urls), new.allows_many(urls), strict=True)
            for url, was, is_allowed in answers:
                one.add(url, was=was, is_allowed=is_allowed)
    return RobotsTrial(source, origin, compare_files(before, after), tried)


def portions(urls: Iterator[str]) -> Iterator[list[str]]:
    """Yield URLs, some at a time."""
    while portion := list(islice(urls, AT_ONCE)):
        yield portion


def present_file(policy: Policy | None, origin: str) -> RobotsTxt:
    """Return the robots.txt that a site has; an empty one if it has none.

    Raises:
        MisuseError: The crawl does not know what it has.

    """
    if policy is not None and policy.robots_txt is not None and policy.access == "rules":
        return policy.robots_txt
    if policy is not None and policy.access == "allow-all":
        return RobotsTxt(b"", dialect=policy.dialect)
    why = "it has no answer" if policy is None else f"its answer was {policy.reason}"
    message = (
        f"this crawl does not know the robots.txt of {origin} ({why}), so there is nothing to "
        "compare; crawl the site first, or compare two files with 'goodbot diff'"
    )
    raise MisuseError(message)
