"""Who may index a page of a live site.

Scope: the steps. `page_fetching` fetches, and `goodbot.indexability` decides.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from goodbot.display import short_repr
from goodbot.indexability import IndexabilityReport, indexability_report
from goodbot.lazy_dataclass import dataclass
from goodbot.live.page_fetching import FetchedPage, PageRequest
from goodbot.live.visitor import Visitor

__all__ = ["LivePage", "page_report", "report_on"]


@dataclass(frozen=True, slots=True, repr=False)
class LivePage:
    """A page that was fetched, or that the robot was not allowed to fetch, and who may index it."""

    fetched: FetchedPage
    """The requests, with what robots.txt says of each."""
    report: IndexabilityReport
    """Who may index the page."""

    __repr__ = short_repr


def page_report(
    url: str,
    robot: Visitor,
    robots: Iterable[str] | None = None,
    *,
    now: datetime,
    longest_wait: float | None = None,
    page_dialect: str | None = None,
    page_options: Mapping[str, Any] | None = None,
) -> LivePage:
    """Fetch a page, each redirect by the rules of its site, and report who may index it.

    Args:
        url: The URL.
        robot: Who fetches it: an open `goodbot.blocking.Robot`.
        robots: The robots that are asked about; by default those that matter.
        now: The time, an aware `datetime`.
        longest_wait: The most seconds to wait for the turn at a site; `None` for no bound.
        page_dialect: The dialect in which the page is read; by default that of each robot.
        page_options: Further options of `goodbot.Page`.

    Raises:
        Deferred: A site must not be visited for longer than `longest_wait`.
        Disallowed: The operator of the robot blocked the site.
        FetchError: There was no response.
        NoOriginError: The URL has no origin.

    """
    fetched = PageRequest(robot, longest_wait).run(url)
    return report_on(fetched, robots, now=now, page_dialect=page_dialect, page_options=page_options)


def report_on(
    fetched: FetchedPage,
    robots: Iterable[str] | None,
    *,
    now: datetime,
    page_dialect: str | None,
    page_options: Mapping[str, Any] | None = None,
) -> LivePage:
    """Return who may index a page that was fetched; see `page_report`."""
    response = fetched.response
    names = {} if fetched.names_page is None else {"names_page": fetched.names_page}
    report = indexability_report(
        fetched.url,
        fetched.policy,
        None if response is None else response.body,
        headers=() if response is None else response.headers,
        status=200 if response is None else response.status,
        robots=robots,
        before=fetched.before,
        now=now,
        page_dialect=page_dialect,
        page_options={**names, **(page_options or {})},
    )
    return LivePage(fetched, report)
