r"""Answers about live sites, in one call each: a robot fetches what is needed, and is polite.

>>> from datetime import datetime, timezone
>>> from goodbot.blocking import Robot
>>> from goodbot.live import page_report
>>> from goodbot.testing import FakeClock, FakeSite  # in your program leave out fetcher= and clock=
>>> clock = FakeClock()
>>> site = FakeSite({"/a": "<meta name=robots content=noindex>"}, clock=clock)
>>> me = {"info_url": "https://example.com/bot", "contact": "bot@example.com"}
>>> with Robot("ExampleBot/1.0", **me, fetcher=site, clock=clock) as robot:
...     found = page_report("https://a.example/a", robot, now=clock.now())
>>> found.fetched.response.status, found.report.indexable
(200, False)

Scope: what is requested, within bounds. Other rooms decide what follows.
"""

from goodbot.lazy_names import lazy_names

TYPE_CHECKING = False  # `typing` is not worth loading for it
if TYPE_CHECKING:
    from goodbot.live.identity_check import FormAnswer, IdentityCheck, check_identity
    from goodbot.live.page_fetching import FetchedPage, PageHop
    from goodbot.live.page_reporting import LivePage, page_report
    from goodbot.live.policy_fetching import SitePolicy, site_policy
    from goodbot.live.sitemap_urls import SitemapUrls, fetch_sitemaps
    from goodbot.live.statement_asking import site_statements
    from goodbot.live.uses_fetching import LiveUses, page_uses

__all__ = [
    "FetchedPage",
    "FormAnswer",
    "IdentityCheck",
    "LivePage",
    "LiveUses",
    "PageHop",
    "SitePolicy",
    "SitemapUrls",
    "check_identity",
    "fetch_sitemaps",
    "page_report",
    "page_uses",
    "site_policy",
    "site_statements",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "identity_check": ("FormAnswer", "IdentityCheck", "check_identity"),
        "page_fetching": ("FetchedPage", "PageHop"),
        "page_reporting": ("LivePage", "page_report"),
        "uses_fetching": ("LiveUses", "page_uses"),
        "policy_fetching": ("SitePolicy", "site_policy"),
        "statement_asking": ("site_statements",),
        "sitemap_urls": ("SitemapUrls", "fetch_sitemaps"),
    },
)
