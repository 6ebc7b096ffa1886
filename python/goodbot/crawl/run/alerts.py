"""Alerts to the operator about a site: it fails, disallows everything, changes, or has a message.

Scope: deciding, from a robot's events, when to alert. Listeners decide what to do about an alert;
`goodbot crawl --alert` runs a command.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from goodbot._core import Rules
from goodbot.crawl.run.events import AlertKind, SiteAlert
from goodbot.grounds import NEVER_ASKED
from goodbot.http.address import address_of
from goodbot.http.status import status_of
from goodbot.policy import Policy
from goodbot.robot import Asked, Failed, Fetched
from goodbot.robot.events import Event

__all__ = ["FAILURES_IN_A_ROW", "AlertWatch", "forbids_everything", "has_changed"]

FAILURES_IN_A_ROW = 3
"""The number of different URLs of a site that must fail in a row for an alert; see also
`Manners.back_off_after`."""
MOST_ORIGINS = 10_000
"""The most sites that are remembered; the one without events for the longest time is dropped."""
EVERYTHING = {"/", "/*", "*"}
"""Patterns that match every path."""


@dataclass(slots=True)
class SiteWatch:
    """What is remembered about a site."""

    failing: set[str] = field(default_factory=set)
    """The URLs that failed since the last success."""
    told: set[AlertKind] = field(default_factory=set)
    """The alerts that were raised and still apply."""


class AlertWatch:
    """Watches a robot's events, and raises each alert about a site once.

    An alert is raised again if the site has recovered, or allowed something, in between.

    Args:
        product: The product token of the robot.

    """

    def __init__(self, product: str) -> None:
        """Start without any sites."""
        self._product = product
        self._sites: OrderedDict[str, SiteWatch] = OrderedDict()

    def hear(self, event: Event) -> SiteAlert | None:
        """Return the alert that an event causes; `None` if there is none."""
        if isinstance(event, Asked):
            return self._asked(event)
        if isinstance(event, Fetched) and event.purpose == "page":
            has_failed = status_of(event.status).due == "server-error"
            why = f"status {event.status}" if has_failed else ""
            return self._visited(event.url, event.at, why)
        if isinstance(event, Failed) and event.purpose == "page":
            return self._visited(event.url, event.at, event.kind)
        return None

    def _visited(self, url: str, at: datetime, failure: str) -> SiteAlert | None:
        """Count a failure, or reset the count after a success."""
        if not (failure or self._sites):  # as in most crawls
            return None
        origin, _ = address_of(url)
        if not failure:
            known = self._sites.get(origin)
            if known is not None:
                known.failing.clear()
                known.told.discard("failing")
            return None
        site = self._site(origin)
        if len(site.failing) < FAILURES_IN_A_ROW:
            site.failing.add(url)
        if len(site.failing) < FAILURES_IN_A_ROW:
            return None
        text = f"{FAILURES_IN_A_ROW} URLs in a row failed; the latest was {url} ({failure})"
        return told_once(site, SiteAlert(origin, at, "failing", text))

    def _asked(self, event: Asked) -> SiteAlert | None:
        """Check the outcome of fetching robots.txt."""
        origin, _ = address_of(event.url)
        if event.reason in NEVER_ASKED:
            return None
        if is_failure(event.status):
            text = f"robots.txt cannot be fetched: {event.reason}"
            return told_once(self._site(origin), SiteAlert(origin, event.at, "failing", text))
        if forbids_everything(event.policy, self._product):
            why = "" if event.access == "rules" else f" ({event.reason})"
            text = f"robots.txt disallows everything for {self._product}{why}"
            return told_once(self._site(origin), SiteAlert(origin, event.at, "disallows-all", text))
        known = self._sites.get(origin)
        if known is not None:
            known.told.discard("disallows-all")
        return None

    def _site(self, origin: str) -> SiteWatch:
        """Return what is remembered about a site."""
        site = self._sites.get(origin)
        if site is None:
            site = self._sites[origin] = SiteWatch()
        self._sites.move_to_end(origin)
        if len(self._sites) > MOST_ORIGINS:
            self._sites.popitem(last=False)
        return site


def is_failure(status: int | None) -> bool:
    """Return whether there was no response for robots.txt, or one that is temporary."""
    return status is None or status_of(status).is_transient


def told_once(site: SiteWatch, alert: SiteAlert) -> SiteAlert | None:
    """Return an alert, unless it was raised before."""
    if alert.kind in site.told:
        return None
    site.told.add(alert.kind)
    return alert


def forbids_everything(policy: Policy, product: str) -> bool:
    r"""Return whether a policy disallows every page for a robot.

    >>> from datetime import datetime, timezone
    >>> now = datetime(2026, 1, 1, tzinfo=timezone.utc)
    >>> where = "https://a.example/robots.txt"
    >>> def of(body: bytes) -> Policy:
    ...     return Policy.from_response(where, 200, {}, body, now=now)
    >>> closed = of(b"User-agent: *\nDisallow: /")
    >>> ajar = of(b"User-agent: *\nDisallow: /\nAllow: /a")
    >>> forbids_everything(closed, "ExampleBot"), forbids_everything(ajar, "ExampleBot")
    (True, False)
    """
    if policy.access == "disallow-all":
        return True
    rules = policy.rules_for(product)
    return policy.access == "rules" and rules is not None and is_closed(rules)


def is_closed(rules: Rules) -> bool:
    """Return whether rules disallow every path and allow none."""
    if rules.allows("/"):
        return False
    found = list(rules)
    if any(rule.field == "Allow" for rule in found):
        return False
    return any(rule.pattern in EVERYTHING for rule in found)


def has_changed(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> bool:
    """Return whether a robots.txt differs from the one that was stored before.

    Args:
        before: The stored record; `None` if there is none.
        after: The new record.

    Returns:
        Whether both are known and differ. A failure is not a change: the file before it is compared
        with the file after it.

    """
    if before is None or is_failure(after.get("status")):
        return False
    old, new = body_of(before), body_of(after)
    return old != new and (old is not None or not is_failure(before.get("status")))


def body_of(record: Mapping[str, Any]) -> object:
    """Return the bytes of robots.txt in a record; `None` if it has none."""
    copy = record.get("copy")
    return copy.get("body") if isinstance(copy, Mapping) else None
