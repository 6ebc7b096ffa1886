"""What the robots.txt of a live site means for a robot.

Scope: the steps. `goodbot.policy` and `goodbot.pace` decide.
"""

from collections.abc import Sequence

from goodbot._core import Finding
from goodbot.bots import ObeyedRules, rules_for
from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass
from goodbot.live.sitemap_urls import SitemapUrls, fetch_sitemaps
from goodbot.live.visitor import Visitor
from goodbot.pace import Pace
from goodbot.policy import Policy
from goodbot.store.protocols import PolicyStore, StoredPolicy

__all__ = ["SitePolicy", "site_policy"]


@dataclass(frozen=True, slots=True, repr=False)
class SitePolicy:
    """What is known of the robots.txt of a site, and what it means for a robot."""

    robot: str
    """The robot that is asked about."""
    policy: Policy
    """What the site answered: access, reason, redirects, how long it is fresh."""
    rules: ObeyedRules
    """What the robot obeys."""
    sitemaps: SitemapUrls
    """What the sitemaps list that were read, and what is wrong with them."""
    history: tuple[StoredPolicy, ...] = ()
    """Every robots.txt of the site in the store, the oldest first."""

    __repr__ = short_repr

    @property
    def findings(self) -> list[Finding]:
        """The findings on the answer, on the pace that the site asks for, and on the file."""
        file, rules = self.policy.robots_txt, self.rules.rules
        if file is None or rules is None:
            return self.policy.findings
        pace = Pace(rules, robots_txt=file)
        return [*self.policy.findings, *pace.findings, *file.findings]


def site_policy(
    url: str,
    robot: Visitor,
    name: str = "*",
    *,
    store: PolicyStore | None = None,
    sitemaps: Sequence[str] = (),
    listed_sitemaps: bool = False,
) -> SitePolicy:
    """Fetch the robots.txt of a site, unless it is fresh, and return what it means for a robot.

    Args:
        url: Any URL of the site.
        robot: Who fetches it: an open `goodbot.blocking.Robot`.
        name: The robot that is asked about.
        store: Where the robot keeps policies, for the history.
        sitemaps: The URLs of sitemaps that are read, too.
        listed_sitemaps: Whether to read the sitemaps that robots.txt lists: at most 20.

    Raises:
        Deferred: The site must not be visited for longer than the robot waits.
        NoOriginError: The URL has no origin.

    """
    policy = robot.policy(url)
    listed = policy.robots_txt.sitemaps if listed_sitemaps and policy.robots_txt else ()
    found = fetch_sitemaps(sitemaps, robot)
    found.add(fetch_sitemaps(listed, robot, speaks_for=policy.origin))
    history = () if store is None else tuple(store.history(policy.origin))
    return SitePolicy(name, policy, rules_for(policy, name), found, history)
