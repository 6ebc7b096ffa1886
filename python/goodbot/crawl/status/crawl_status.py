"""How far the crawl in a folder has come, whether it runs, and how long it will still take.

Scope: reading the folder, also while the crawl runs in another process. Nothing is changed.
"""

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from os import PathLike
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from goodbot.crawl.evidence.policy_at import policy_at
from goodbot.crawl.evidence.punctuality import PlainPace
from goodbot.crawl.evidence.reading import LatestRequests, latest_gaps, latest_requests
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.lock import find_holder
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.folder.states import STATES
from goodbot.crawl.frontier.reading import OriginCount, count_by_origin
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.crawl.status.time_left import FEWEST_VISITS, SitePace, TimeLeft, time_left
from goodbot.display import short_repr
from goodbot.http.instants import SECOND, checked_time, instant, to_datetime
from goodbot.lazy_dataclass import dataclass
from goodbot.pace.constraints import constraints_of
from goodbot.pace.day import open_share, parts_of
from goodbot.pace.own_hours import own_minutes

__all__ = ["CrawlStatus", "crawl_status"]

WAITING = {"queued", "leased"}
"""The states of URLs that are still to be visited."""
MOST_FAILING = 10
"""How many of the sites with failed URLs are listed."""
SITE_STATES = ("visiting", "due", "waiting", "idle")


@dataclass(frozen=True, slots=True, repr=False)
class CrawlStatus:
    """How far a crawl has come at one moment."""

    at: datetime
    robot: str
    """Its name and version; empty if the crawl has not begun."""
    is_running: bool
    process: int | None
    """The number of the process that runs it; `None` if none does or it is not known."""
    urls: Mapping[str, int]
    """The URLs by state, in the order of `STATES`."""
    sites: Mapping[str, int]
    """The sites: `visiting`, a URL is being visited; `due`, a URL may be visited as soon as the
    pace permits; `waiting`, all have to wait until a later time; `idle`, nothing is queued."""
    rate: float | None
    """Requests a second to all sites together, lately; `None` if there were too few."""
    last_request: datetime | None
    """When the last request was recorded, in UTC."""
    left: TimeLeft
    """How long it will still take."""
    failing: Mapping[str, int]
    """The origins with the most failed URLs, and how many."""
    disk_bytes: int
    """The size of the folder."""
    disk_free: int | None
    """The bytes free on its disk; `None` if that is not known."""

    __repr__ = short_repr

    @property
    def ends(self) -> datetime | None:
        """When every URL that is queued now will be visited; `None` if no pace is known."""
        return self.left.ends(self.at)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        last = self.last_request
        return {
            "at": self.at.isoformat(),
            "robot": self.robot,
            "is_running": self.is_running,
            "process": self.process,
            "urls": dict(self.urls),
            "sites": dict(self.sites),
            "rate": self.rate,
            "last_request": None if last is None else last.isoformat(),
            **self.left.as_dict(self.at),
            "failing": dict(self.failing),
            "disk_bytes": self.disk_bytes,
            "disk_free": self.disk_free,
        }


def crawl_status(folder: str | PathLike[str], now: datetime) -> CrawlStatus:
    """Return how far the crawl in a folder has come, also while another process runs it.

    Args:
        folder: The folder of the crawl; it need not be writable.
        now: The time, an aware `datetime`.

    Raises:
        MisuseError: Its queue or its evidence is elsewhere, as that of a worker of a fleet, whose
            status is `Fleet.status`.
        NotAStoreError: There is no crawl in the folder, or its file is damaged.
        StoreError: The file cannot be read.
        WrongValueError: The time is naive.

    """
    now, root = checked_time(now, "now"), Path(folder)
    is_running, process = find_holder(root)
    with open_readonly(folder, reads=("evidence", "frontier")) as database:
        settings = CrawlSettings.read(database) or CrawlSettings()
        sites = SiteCounts(count_by_origin(database), instant(now, "now"))
        latest = [latest_requests(part) for part in database.parts]
        rate = sum(filter(None, map(rate_of, latest))) or None
        paces = paces_of(database, sites, settings, now)
        return CrawlStatus(
            now,
            settings.robot,
            is_running,
            process,
            {state: sites.urls[state] for state in STATES if sites.urls[state]},
            {state: sites.states[state] for state in SITE_STATES},
            rate,
            max(
                (at for one in latest if (at := to_datetime(one.last)) and one.total), default=None
            ),
            time_left(paces, rate),
            dict(sites.failed.most_common(MOST_FAILING)),
            size_of(root),
            free_bytes(root),
        )


class SiteQueue(NamedTuple):
    """What is queued at one site."""

    queued: int
    wait: float
    """Seconds until the first of the URLs may be visited."""


class SiteCounts:
    """The URLs of a crawl, counted by site and state.

    Args:
        rows: How many URLs each site has in each state.
        now: The time, in microseconds since 1970.

    """

    def __init__(self, rows: Iterator[OriginCount], now: int) -> None:
        """Count them."""
        self.urls: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.waiting: dict[str, SiteQueue] = {}
        known: set[str] = set()
        visiting: set[str] = set()
        for origin, state, count, due in rows:
            known.add(origin)
            self.urls[state] += count
            if state == "failed":
                self.failed[origin] = count
            if state == "leased":
                visiting.add(origin)
            if state in WAITING:
                before = self.waiting.get(origin, SiteQueue(0, float("inf")))
                wait = 0.0 if state == "leased" or due is None else max(due - now, 0) / SECOND
                self.waiting[origin] = SiteQueue(before.queued + count, min(before.wait, wait))
        ready = {origin for origin, one in self.waiting.items() if not one.wait} - visiting
        self.states = {
            "visiting": len(visiting),
            "due": len(ready),
            "waiting": len(self.waiting) - len(ready) - len(visiting),
            "idle": len(known) - len(self.waiting),
        }


def paces_of(
    database: Database, sites: SiteCounts, settings: CrawlSettings, now: datetime
) -> Iterator[SitePace]:
    """Yield what is queued at each site, and its pace: measured, or else as robots.txt asks."""
    own, robot = own_minutes(settings.manners.hours), settings.robot or "*"
    for origin, one in sites.waiting.items():
        known = policy_at(database, origin, now)
        policy = None if known is None else known.policy
        gap, source = None, ""
        gaps = [gap / SECOND for gap in latest_gaps(database, origin) if gap >= 0]
        if len(gaps) >= FEWEST_VISITS - 1:
            # The median, because a crawl that was stopped for a week is not slower since.
            gap, source = median(gaps), "measured"
        elif policy is not None and policy.access == "disallow-all":
            gap, source = 0.0, "robots.txt"  # nothing is requested
        elif policy is not None:
            pace = PlainPace(policy.rules_for(robot), settings.manners)
            asked, source = pace.pause(now, 0)
            gap = asked / SECOND
        if gap:
            rules = None if policy is None else policy.rules_for(robot)
            share = open_share(parts_of(constraints_of(rules, None), own))
            gap = gap / share if share else None
        yield SitePace(origin, one.queued, gap, one.wait, source)


def rate_of(latest: LatestRequests) -> float | None:
    """Return the requests a second, of the latest ones; `None` if there were too few."""
    seconds = (latest.last - latest.first) / SECOND
    return None if latest.total < FEWEST_VISITS or seconds <= 0 else (latest.total - 1) / seconds


def size_of(folder: Path) -> int:
    """Return the size of all files in a folder. Some may vanish meanwhile."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            total += path.lstat().st_size
    return total


def free_bytes(folder: Path) -> int | None:
    """Return how many bytes are free on the disk of a folder; `None` if that is not known."""
    with suppress(OSError):
        return shutil.disk_usage(folder).free
    return None
