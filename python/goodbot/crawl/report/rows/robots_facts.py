"""What a crawl knows about the robots.txt of its sites: mistakes, and what each rule keeps away.

Scope: counts for the report, from what the crawl stored; nothing is fetched. Lint finds the
mistakes.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import field
from heapq import nlargest
from typing import TYPE_CHECKING

from goodbot.crawl.evidence.page_findings import PageFinding
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.stored_policies import stored_policy
from goodbot.crawl.frontier.reading import BriefUrl, urls_of
from goodbot.crawl.inventory.inventory_row import InventoryRow
from goodbot.crawl.links.page_links import LISTED
from goodbot.crawl.links.reading import inlink_counts
from goodbot.lazy_dataclass import dataclass
from goodbot.policy.holds import HOLD_REASONS
from goodbot.site.lint import LintFinding, lint
from goodbot.sitemaps.finding_codes import FINDING_CODES as SITEMAP_CODES

if TYPE_CHECKING:
    from goodbot.policy import Policy

__all__ = [
    "MOST_EXAMPLES",
    "MOST_SHOWN",
    "MOST_SITES",
    "BlockedResourceCount",
    "RobotsFacts",
    "RuleCount",
    "SiteRobots",
    "SitemapFinding",
]

MOST_SITES = 20
"""The most sites whose robots.txt is checked for mistakes."""
MOST_SHOWN = 100
"""The most rules, resources and findings of a kind that are shown."""
MOST_EXAMPLES = 3
"""How many URLs stand beside a rule."""
MOST_RULES = 10_000
"""The most rules, and the most resources, that are counted."""
MOST_LISTED = 20_000
"""The most URLs of sitemaps that are compared with a robots.txt."""
AT_ONCE = 1_000


@dataclass(slots=True)
class RuleCount:
    """A line of robots.txt, or another reason of its own, and the URLs that it keeps away."""

    origin: str
    source: str
    """Where the line stands."""
    rule: str
    """The line; empty if it is no line."""
    urls: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, url: str) -> None:
        """Count a URL."""
        self.urls += 1
        if len(self.examples) < MOST_EXAMPLES:
            self.examples.append(url)


@dataclass(slots=True)
class BlockedResourceCount:
    """A resource that robots.txt disallows, and the pages that load it."""

    url: str
    source: str
    """The line that disallows it, where that is known."""
    pages: int = 0
    page: str = ""
    """The first of the pages."""


@dataclass(frozen=True, slots=True)
class SitemapFinding:
    """What is wrong with a sitemap."""

    url: str
    found: PageFinding


@dataclass(frozen=True, slots=True)
class SiteRobots:
    """The robots.txt of a site, as the crawl has it."""

    origin: str
    state: str
    """What the site answered, in words."""
    findings: tuple[LintFinding, ...] = ()
    """The findings of lint."""


@dataclass(slots=True)
class RobotsFacts:
    """What is known about the robots.txt of the sites of a crawl."""

    sites: list[SiteRobots] = field(default_factory=list)
    more_sites: int = 0
    """How many more sites there are."""
    sitemaps: list[SitemapFinding] = field(default_factory=list)
    rules: dict[tuple[str, str, str], RuleCount] = field(default_factory=dict)
    resources: dict[str, BlockedResourceCount] = field(default_factory=dict)
    has_pages: bool = False
    """Whether the rows of the inventory were looked at, without which no resource is known."""

    def add_disallowed(self, one: BriefUrl, rule: str | None) -> None:
        """Count a URL that must not be fetched; orders of the operator are no rules."""
        if one.reason in HOLD_REASONS:
            return
        key = one.origin, one.source, rule or ""
        if key in self.rules or len(self.rules) < MOST_RULES:
            self.rules.setdefault(key, RuleCount(*key)).add(one.url)

    def add_page(self, row: InventoryRow) -> None:
        """Count the resources of a page that robots.txt blocks."""
        self.has_pages = True
        for place, url in enumerate(row.blocked_resources):
            if url not in self.resources and len(self.resources) >= MOST_RULES:
                continue
            found = self.resources.setdefault(url, BlockedResourceCount(url, ""))
            found.source = found.source or (row.blocked_by if place == 0 else "")
            found.page = found.page or row.url
            found.pages += 1

    def add_finding(self, url: str, found: PageFinding) -> None:
        """Keep a finding on a sitemap; those on pages have a table of their own."""
        if found.code in SITEMAP_CODES and len(self.sitemaps) < MOST_SHOWN:
            self.sitemaps.append(SitemapFinding(url, found))

    @property
    def problems(self) -> int:
        """How many mistakes were found in robots.txt and sitemaps."""
        return sum(len(one.findings) for one in self.sites) + len(self.sitemaps)

    @property
    def kept_away(self) -> list[RuleCount]:
        """The rules that keep most URLs away, those with the most first."""
        return nlargest(MOST_SHOWN, self.rules.values(), key=lambda one: one.urls)

    @property
    def blocked_resources(self) -> list[BlockedResourceCount]:
        """The blocked resources, those that most pages load first."""
        return nlargest(MOST_SHOWN, self.resources.values(), key=lambda one: one.pages)

    def read_sites(self, database: Database, origins: Counter[str]) -> None:
        """Check the robots.txt of the sites of the crawl.

        Args:
            database: The file of the crawl.
            origins: How many URLs of each site were requested.

        """
        chosen = [origin for origin, _ in origins.most_common(MOST_SITES)]
        self.more_sites = len(origins) - len(chosen)
        listed = listed_urls(database, chosen)
        for origin in chosen:
            self.sites.append(read_site(database, origin, listed[origin]))
        self._find_sources(database)

    def _find_sources(self, database: Database) -> None:
        """Find the lines that block the resources of which the inventory names no line."""
        policies: dict[str, Policy | None] = {}
        for one in self.blocked_resources:
            origin = origin_in(one.url)
            if not one.source and origin not in policies:
                policies[origin] = stored_policy(database, origin)
            policy = policies.get(origin)
            if not one.source and policy is not None:
                one.source = policy.may_fetch(one.url, database.setting("product")).source


def read_site(database: Database, origin: str, listed: list[str]) -> SiteRobots:
    """Return what is known of the robots.txt of a site."""
    policy = stored_policy(database, origin)
    if policy is None:
        return SiteRobots(origin, "The crawl has no answer to its request for robots.txt.")
    if policy.robots_txt is None:
        is_missing = policy.access == "allow-all"
        state = "There is no robots.txt" if is_missing else "robots.txt could not be read"
        return SiteRobots(origin, f"{state} ({policy.reason}).")
    content = policy.robots_txt.content
    report = lint(content, sitemap_urls=listed, answer=policy.findings)
    state = f"{len(content):,} bytes, and {len(listed):,} URLs of sitemaps were compared with it."
    return SiteRobots(origin, state, report.findings)


def listed_urls(database: Database, origins: list[str]) -> dict[str, list[str]]:
    """Return the URLs that the sitemaps of the crawl list, by site."""
    found: dict[str, list[str]] = {origin: [] for origin in origins}
    numbers = sorted(inlink_counts(database, kind=LISTED))
    for first in range(0, len(numbers), AT_ONCE):
        for url in urls_of(database, numbers[first : first + AT_ONCE]).values():
            for_origin = found.get(origin_in(url))
            if for_origin is not None and len(for_origin) < MOST_LISTED:
                for_origin.append(url)
    return found


def origin_in(url: str) -> str:
    """Return the origin of a URL in its normal form."""
    scheme, _, rest = url.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}"


def findings_by_site(facts: RobotsFacts) -> Iterator[tuple[SiteRobots, LintFinding]]:
    """Yield each finding of lint with its site."""
    for site in facts.sites:
        for found in site.findings:
            yield site, found
