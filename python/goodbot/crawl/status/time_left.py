"""How long a crawl will still take, by the pace of its sites.

Scope: deciding, from what is queued at each site and how fast its URLs are visited. URLs that are
still to be found are not counted.
"""

import heapq
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass

__all__ = ["FEWEST_VISITS", "MOST_SLOW", "SitePace", "TimeLeft", "time_left"]

FEWEST_VISITS = 3
"""From so many visits to a site on, its pace is known."""
MOST_SLOW = 10
"""How many of the slowest sites are listed."""


@dataclass(frozen=True, slots=True, repr=False)
class SitePace:
    """What is queued at one site, and how fast it is visited."""

    origin: str
    queued: int
    """The URLs that are queued or being visited."""
    gap: float | None
    """Seconds from one visit to the next, on average over a day; `None` while it is not known."""
    wait: float = 0.0
    """Seconds until the first of the URLs may be visited."""
    source: str = ""
    """What the pace is known from, such as `measured` or `Crawl-delay`."""

    __repr__ = short_repr

    @property
    def seconds(self) -> float | None:
        """The seconds until all of them are visited; `None` while the pace is not known.

        >>> SitePace("https://a.example", 100, 60.0).seconds
        6000.0
        >>> SitePace("https://a.example", 100, 60.0, wait=3600.0).seconds
        9540.0
        """
        if not self.queued:
            return 0.0
        if self.gap is None:
            return None
        # The first visit after a wait comes with its end.
        return self.wait + self.gap * (self.queued - 1 if self.wait else self.queued)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        names = ("origin", "queued", "gap", "wait", "source", "seconds")
        return {name: getattr(self, name) for name in names}


class TimeLeft(NamedTuple):
    """How long a crawl will still take."""

    seconds: float | None
    """The seconds until every URL that is queued now is visited; `None` if no pace is known."""
    slowest: tuple[SitePace, ...]
    """The sites that take longest, the slowest first."""
    unknown: int
    """The sites whose pace is not known yet. The time does not count them."""

    def ends(self, now: datetime) -> datetime | None:
        """Return when that will be; `None` if no pace is known, or it is beyond all dates."""
        if self.seconds is None:
            return None
        with suppress(OverflowError):
            return now + timedelta(seconds=self.seconds)
        return None

    def as_dict(self, now: datetime) -> dict[str, Any]:
        """Return plain values, for JSON."""
        ends = self.ends(now)
        return {
            "seconds_left": self.seconds,
            "ends": None if ends is None else ends.isoformat(),
            "slowest": [site.as_dict() for site in self.slowest],
            "unknown": self.unknown,
        }


def time_left(
    sites: Iterable[SitePace], rate: float | None = None, *, queued: int = 0, unknown: int = 0
) -> TimeLeft:
    """Return how long a crawl will still take.

    Sites are visited side by side, so it takes as long as its slowest site, and no less than all
    queued URLs at the rate of the whole crawl.

    Args:
        sites: The sites with queued URLs, or the slowest of them.
        rate: The visits a second to all sites together; `None` if it is not known.
        queued: The URLs that are queued at all sites, if these are not all.
        unknown: How many others there are whose pace is not known.

    >>> sites = [SitePace("https://a.example", 60, 60.0), SitePace("https://b.example", 9, None)]
    >>> found = time_left(sites, rate=0.5)
    >>> found.seconds, [site.origin for site in found.slowest], found.unknown
    (3600.0, ['https://a.example'], 1)

    """
    found = 0
    longest: list[tuple[float, int, SitePace]] = []
    for number, site in enumerate(sites):
        found += site.queued
        seconds = site.seconds
        if seconds is None:
            unknown += 1
        elif seconds:
            push = heapq.heappush if len(longest) < MOST_SLOW else heapq.heappushpop
            push(longest, (seconds, -number, site))
    longest.sort(reverse=True)
    slowest = tuple(site for _, _, site in longest)
    queued = max(queued, found)
    times = [seconds for seconds, _, _ in longest[:1]]
    if rate and queued:
        times.append(queued / rate)
    return TimeLeft(max(times, default=None if queued else 0.0), slowest, unknown)
