r"""Mistakes in the robots.txt of a live site, in one call.

>>> from goodbot.blocking import Robot
>>> from goodbot.site.live_lint import lint_site
>>> from goodbot.testing import FakeClock, FakeSite  # in your program leave out fetcher= and clock=
>>> site = FakeSite({"/robots.txt": "User-agent: *\nDisallow: /a\nDisallow: /a/b"})
>>> me = {"info_url": "https://example.com/bot", "contact": "bot@example.com"}
>>> with Robot("ExampleBot/1.0", **me, fetcher=site, clock=FakeClock()) as robot:
...     found = lint_site("https://a.example/", robot)
>>> [(one.code, one.line) for one in found.report.findings]
[('redundant-rule', 3)]

Scope: what is fetched. `goodbot.site.lint` finds.
"""

from collections.abc import Sequence

from goodbot._core import origin
from goodbot.display import short_repr
from goodbot.errors import GoodbotError, NoOriginError
from goodbot.http.amounts import counted
from goodbot.lazy_dataclass import dataclass
from goodbot.live.sitemap_urls import MOST_URLS, SitemapUrls, fetch_sitemaps
from goodbot.live.visitor import Visitor
from goodbot.policy import Policy
from goodbot.site.lint import LintReport, LintSettings, lint

__all__ = ["LintedSite", "lint_site"]


@dataclass(frozen=True, slots=True, repr=False)
class LintedSite:
    """The robots.txt of a site, and what is wrong with it."""

    report: LintReport
    """The findings."""
    policy: Policy
    """The answer of the site."""
    notes: tuple[str, ...] = ()
    """What was not read of the sitemaps or not compared, and why."""

    __repr__ = short_repr

    @property
    def content(self) -> bytes:
        """The file; empty if the site has none."""
        return content_of(self.policy)


def lint_site(
    url: str,
    robot: Visitor,
    *,
    sitemaps: Sequence[str] | SitemapUrls = (),
    listed_sitemaps: bool = False,
    settings: LintSettings | None = None,
) -> LintedSite:
    """Fetch the robots.txt of a site, unless it is fresh, and check it for mistakes.

    Args:
        url: Any URL of the site.
        robot: Who fetches it: an open `goodbot.blocking.Robot`.
        sitemaps: URLs of sitemaps that are compared with the rules, or what they list.
        listed_sitemaps: Whether to fetch and compare those that robots.txt lists: at most 20.
        settings: Which rules are asked; by default all of them.

    Raises:
        Deferred: The site must not be visited for longer than the robot waits.
        GoodbotError: The site has given no answer: what it has is not known.
        NoOriginError: The URL has no origin.

    """
    policy = robot.policy(url)
    content = content_of(policy)
    found = sitemaps if isinstance(sitemaps, SitemapUrls) else fetch_sitemaps(sitemaps, robot)
    if listed_sitemaps and policy.robots_txt is not None:
        listed = policy.robots_txt.sitemaps
        found = found.with_all(fetch_sitemaps(listed, robot, speaks_for=policy.origin))
    urls = [one for one in found.urls if is_on(one, policy.origin)]
    notes = list(found.unread)
    if len(urls) < len(found.urls):
        others = counted(len(found.urls) - len(urls), "URL")
        notes.append(f"{others} of the sitemaps are not on {policy.origin} and were not compared")
    if len(urls) > MOST_URLS:
        notes.append(
            f"only the first {MOST_URLS:,} URLs of the sitemaps were compared with {url}, "
            f"of {len(urls):,}"
        )
    report = lint(
        content,
        sitemap_urls=urls[:MOST_URLS],
        sitemap_problems=found.problems,
        answer=policy.findings,
        settings=settings,
    )
    return LintedSite(report, policy, tuple(notes))


def content_of(policy: Policy) -> bytes:
    """Return the robots.txt of a policy; empty if the site has none.

    Raises:
        GoodbotError: The site has given no answer.

    """
    if policy.access == "rules" and policy.robots_txt is not None:
        return policy.robots_txt.content
    if policy.access == "allow-all":
        return b""
    message = (
        f"{policy.origin} gave no robots.txt ({policy.reason}), so there is no result; try again "
        "later, or read a file"
    )
    raise GoodbotError(message)


def is_on(url: str, site: str) -> bool:
    """Return whether a URL is on a site: its robots.txt says nothing about others."""
    try:
        return origin(url) == site
    except NoOriginError:
        return False
