"""The progress of a crawl in numbers, in all and by site.

Scope: counting. A thousand pages a second are counted, so an event costs only a few additions; the
views decide what is shown.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

import goodbot
from goodbot.crawl.run.events import UrlSettled
from goodbot.http.instants import SECOND
from goodbot.http.status import NOT_MODIFIED, status_of
from goodbot.pace.constraints import Constraint, constraints_of
from goodbot.robot import Asked, Failed, Fetched, Refused, VisitDeferred, Waited

if TYPE_CHECKING:
    from collections.abc import Callable

    from goodbot.crawl.run.crawl import CrawlEvent

__all__ = ["Figures", "Site"]

WAITS = {
    "retry-after": "Retry-After",
    "back-off": "back-off after failures",
    "crawl-delay": "Crawl-delay",
    "request-rate": "Request-rate",
    "visit-time": "Visit-time",
    "own-hours": "--hours",
    "manners": "pause of the robot",
    "bandwidth": "--bandwidth",
    "slow-server": "slow server (--adaptive)",
    "server-group": "another host of its group",
    "own-floor": "least pause of the robot",
    "leased": "another visit is running",
}
"""The reasons to wait for a site, in words; other reasons are shown as they are."""


@dataclass(slots=True)
class Site:
    """The results of this run at one site."""

    origin: str
    pages: int = 0
    """Pages that were fetched."""
    refused: int = 0
    """URLs that must not be visited."""
    errors: int = 0
    """Requests for pages without a response, or with neither a page nor a redirect."""
    status: str = ""
    """The last response: its status, or what failed."""
    until: datetime | None = None
    """When it may be visited; `None` if the crawl is not waiting for it."""
    reason: str = ""
    """Why not sooner, as a slug."""
    constraints: dict[str, str] = field(default_factory=dict)
    """What its robots.txt asks of the pace, by the reason for a wait."""
    closed: str = ""
    """Why none of its pages may be visited; empty if some may."""
    visits: int = 0
    """Answers to requests for pages, whatever their status."""
    first: datetime | None = None
    """When the first of these answers came; `None` if none has come."""
    last: datetime | None = None
    """When the last one came."""
    touched: int = 0
    """The number of its last event."""

    @property
    def waits_for(self) -> str:
        """The reason why the crawl waits for it."""
        return self.constraints.get(self.reason) or WAITS.get(self.reason, self.reason)


class Figures:
    """Counts the events of a crawl.

    Args:
        product: The product token of the robot, which selects the group of a robots.txt.

    >>> from datetime import datetime, timezone
    >>> figures = Figures("ExampleBot")
    >>> at = datetime(2026, 1, 1, tzinfo=timezone.utc)
    >>> figures.hear(VisitDeferred("https://a.example/lamps", at, at, "crawl-delay"))
    >>> figures.sites["https://a.example"].waits_for
    'Crawl-delay'

    """

    def __init__(self, product: str) -> None:
        """Start at zero."""
        self.product = product
        self.sites: dict[str, Site] = {}
        self.states: Counter[str] = Counter()
        """How many URLs reached each state."""
        self.pages = self.requests = self.bytes = self.events = 0
        self.url = ""
        """The URL of the page that was fetched last."""
        self._handlers: dict[type, Callable[[Any], None]] = {
            Asked: self._asked,
            Fetched: self._fetched,
            Failed: self._failed,
            VisitDeferred: self._deferred,
            Refused: self._refused,
            Waited: self._waited,
        }

    def hear(self, event: "CrawlEvent") -> None:
        """Count an event."""
        self.events += 1
        handler = self._handlers.get(type(event))
        if handler is not None:
            handler(event)
        elif isinstance(event, UrlSettled):
            self._settled(event)

    def at(self, url: str) -> Site:
        """Return the site of a URL."""
        origin = goodbot.origin(url)
        site = self.sites.get(origin)
        if site is None:
            site = self.sites[origin] = Site(origin)
        site.touched = self.events
        return site

    def _asked(self, event: Asked) -> None:
        policy = event.policy
        site = self.at(event.url)
        site.constraints = constraints_in(policy.rules_for(self.product), policy.robots_txt)
        site.closed = event.reason if event.access == "disallow-all" else ""

    def _fetched(self, event: Fetched) -> None:
        self.requests += 1
        self.bytes += event.bytes
        site = self.at(event.url)
        if event.purpose != "page":
            if not site.pages:
                site.status = str(event.status)
            return
        self.url = event.url
        is_page = is_fetched_page(event)
        self.pages += is_page
        site.pages += is_page
        site.visits += 1
        site.first, site.last = site.first or event.at, event.at
        site.status, site.until = str(event.status), None
        # A 304 is the response to a revisit: the page is unchanged.
        if event.status != NOT_MODIFIED and status_of(event.status).fault != "nobody":
            site.errors += 1

    def _failed(self, event: Failed) -> None:
        self.requests += 1
        site = self.at(event.url)
        site.status, site.until = event.kind, None
        if event.purpose == "page":
            site.errors += 1

    def _deferred(self, event: VisitDeferred) -> None:
        site = self.at(event.url)
        site.until, site.reason = event.until, event.reason

    def _refused(self, event: Refused) -> None:
        self.at(event.url).refused += 1

    def _settled(self, event: UrlSettled) -> None:
        self.states[event.state] += 1
        site = self.sites.get(event.origin)
        if event.reason == "sitemap" and site is not None:
            # Its response was counted before it was known to be no page.
            self.pages -= 1
            site.pages -= 1
        if site is not None and site.closed and event.state == "queued":
            site.until, site.reason = event.due, event.reason

    def _waited(self, event: Waited) -> None:
        self.at(event.url).until = None


def is_fetched_page(event: Fetched) -> bool:
    """Return whether a response counts as a page: a success that was read, or a 304."""
    is_read = event.response is None or not event.response.unread
    return event.status == NOT_MODIFIED or (status_of(event.status).is_success and is_read)


def constraints_in(
    rules: goodbot.Rules | None, robots_txt: goodbot.RobotsTxt | None
) -> dict[str, str]:
    """Return what a robots.txt asks of the pace, by the reason for a wait."""
    if rules is None:
        return {}
    constraints = constraints_of(rules, robots_txt)
    found: dict[str, str] = {}
    if constraints.delay is not None:
        found["crawl-delay"] = f"Crawl-delay {of(constraints.delay)}"
    if constraints.rates:
        slowest = max((rate for rate, _ in constraints.rates), key=lambda rate: rate.gap)
        found["request-rate"] = f"Request-rate {of(slowest)}"
    if constraints.hours:
        found["visit-time"] = f"Visit-time, {constraints.hours[0].source}"
    return found


def of(constraint: Constraint) -> str:
    """Return a constraint as robots.txt states it, and its line."""
    seconds = (constraint.period or constraint.gap) / SECOND
    return (
        f"{f'{constraint.documents}/' if constraint.period else ''}{seconds:g}, {constraint.source}"
    )
