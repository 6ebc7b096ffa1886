"""How long a crawl will still take, by the pace of its sites so far.

Scope: deciding, from the counts and the bounds. URLs that are still to be found are not counted.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from goodbot.crawl.status.time_left import FEWEST_VISITS, SitePace
from goodbot.crawl.verbs.crawl_view.figures import Site

if TYPE_CHECKING:
    from goodbot.crawl.frontier.bounds import Bounds

__all__ = ["seconds_left"]


def seconds_left(
    sites: Iterable[Site],
    waiting: Callable[[str], int],
    bounds: "Bounds | None",
    since: datetime,
    now: datetime,
) -> float | None:
    """Return the seconds until all queued URLs are visited or a limit is reached.

    Args:
        sites: The sites of this run.
        waiting: Returns the number of queued URLs of an origin.
        bounds: The bounds of the crawl.
        since: When the run began.
        now: The time.

    Returns:
        The time that the slowest site needs, because all are visited side by side; `None` while the
        pace of a site is not known.

    """
    longest = pages = 0.0
    for site in sites:
        pages += site.pages
        queued = 0 if site.closed else waiting(site.origin)
        if not queued:
            continue
        if site.visits < FEWEST_VISITS or site.first is None or site.last is None:
            return None
        gap = (site.last - site.first).total_seconds() / (site.visits - 1)
        wait = 0.0 if site.until is None else max((site.until - now).total_seconds(), 0.0)
        pace = SitePace(site.origin, queued, gap, wait)
        longest = max(longest, pace.seconds or 0.0)
    if bounds is None or not pages:
        return longest or None
    past = (now - since).total_seconds()
    limits = [longest]
    if bounds.pages is not None:
        limits.append(max(bounds.pages - pages, 0.0) * past / pages)
    if bounds.seconds is not None:
        limits.append(max(bounds.seconds - past, 0.0))
    return min(limits) or None
