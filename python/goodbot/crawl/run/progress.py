"""The progress of one run: its counts, whether it may continue, and its events.

Scope: counting what happens in one run, comparing that with the bounds, and emitting events; and
the protocol by which a run shares its bounds with the other processes of its crawl.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, timezone
from typing import Protocol, TypeAlias

from goodbot.crawl.evidence.page_findings import PageFindings
from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.frontier.bounds import Bounds
from goodbot.crawl.frontier.protocol import Outcome
from goodbot.crawl.frontier.reading import answer_of
from goodbot.crawl.run.answers import AnswerCounts
from goodbot.crawl.run.events import (
    Ended,
    FindingsReported,
    SiteAlert,
    Started,
    UrlSettled,
    WaitBegan,
)
from goodbot.crawl.run.recorder import Recorder
from goodbot.lazy_dataclass import dataclass
from goodbot.net import Clock
from goodbot.robot import Event as RobotEvent
from goodbot.robot import Failed, Fetched
from goodbot.robot.events import tell

__all__ = ["Company", "CrawlEvent", "Progress", "Rest"]

LOOK_AGAIN = timedelta(seconds=1)

LONG_WAIT = timedelta(minutes=1)
"""From this time on, a wait in which nothing is visited is an event."""

CrawlEvent: TypeAlias = (
    RobotEvent | Started | UrlSettled | WaitBegan | FindingsReported | SiteAlert | Ended
)
"""The events that `on_event` receives."""


@dataclass(frozen=True, slots=True)
class Rest:
    """Why a process has nothing to do for now."""

    is_hungry: bool = False
    """Whether it has used up its share of a bound, such as the pages of the crawl."""
    holds: bool = False
    """Whether URLs of sites that had their share of the pages wait for other sites."""
    is_waiting: bool = False
    """Whether URLs wait that are due too late for this run."""
    is_cut_short: bool = False
    """Whether URLs wait at a site that has reached its page limit in this run."""


class Company(Protocol):
    """The other processes of a crawl."""

    def reached(self, pages: int, received: int, disk: int) -> str | None:
        """Return the bound whose share this process has used up, a slug; `None` if there is none.

        Args:
            pages: The number of pages visited here, and those being visited.
            received: The number of bytes received here.
            disk: The size of this part of the folder in bytes.

        """

    def rests(self, rest: Rest) -> None:
        """Report that nothing is left to do here. The run ends when all processes agree."""

    def works(self) -> None:
        """Report that there is something to do here again."""

    def is_awaited(self) -> bool:
        """Return whether a process with nothing to do could visit what is not committed yet."""

    def committed(self) -> None:
        """Report that all changes are committed, so that others can read them."""

    async def attend(self) -> None:
        """Exchange URLs and reports with the others until cancelled."""


class Progress:
    """Counts what one run does.

    Args:
        bounds: The bounds of the crawl.
        recorder: The recorder, which knows how much disk space the crawl takes.
        sites: The number of sites of the crawl.
        patience: The longest wait for a URL to become due when there is nothing else to do; `None`
            for no limit.
        clock: The clock.
        on_event: Called with each event.
        stopped: Why the run was stopped before it began; empty if it was not.
        company: The other processes of the crawl, which share its bounds; `None` if there are none.

    """

    def __init__(
        self,
        bounds: Bounds,
        recorder: Recorder,
        *,
        sites: int = 1,
        patience: timedelta | None,
        clock: Clock,
        on_event: Callable[[CrawlEvent], object] | None,
        stopped: str = "",
        company: Company | None = None,
    ) -> None:
        """Start with all counts at zero."""
        self._company = company
        self._clock = clock
        self._on_event = on_event
        self._bounds = bounds
        self._recorder = recorder
        self._patience = patience
        self.stopped = stopped
        """The reason for stopping the run, a slug; empty if it was not stopped."""
        self._sites = sites
        self._share = bounds.share(sites)
        self._are_shared = True
        self._heard: set[str] = set()
        """The origins from which a response came."""
        self._silent: set[str] = set()
        """The origins that failed so far. Their shares go to the others."""
        self._pages_of: Counter[str] = Counter()
        self._paused: dict[str, datetime] = {}
        """The time since which each origin has waited because the operator paused it."""
        self._waits_until: datetime | None = None
        """The end of the last long wait."""
        self.pages = 0
        """The number of pages that were fetched: not robots.txt, sitemaps, redirects, failures,
        errors and types that are not read."""
        self.requests = 0
        self.bytes = 0
        """The bytes of content received over the network."""
        self.reasons: Counter[str] = Counter()
        """The number of results for each reason."""
        self.findings: Counter[str] = Counter()
        """The number of findings of each severity."""
        self.answers = AnswerCounts()

    def now(self) -> datetime:
        """Return the time, in UTC."""
        now = self._clock.now()
        return now if now.tzinfo is timezone.utc else now.astimezone(timezone.utc)

    def tell(self, event: CrawlEvent) -> None:
        """Pass an event to `on_event`."""
        tell(self._on_event, event)

    def settled(self, url: QueuedUrl, outcome: Outcome, received: int = 0) -> None:
        """Count the result for a URL, and emit its event.

        Args:
            url: The URL.
            outcome: The result.
            received: The bytes of content received over the network.

        """
        self.reasons[outcome.reason] += 1
        if outcome.failed and url.origin not in self._heard:
            self._silent.add(url.origin)
            self._share_out()
        if outcome.status is not None or outcome.failed:
            self.answers.add(url.origin, answer_of(outcome.status, outcome.reason))
        if self._on_event is None:
            return
        self.tell(
            UrlSettled(
                url.url,
                self.now(),
                url.origin,
                outcome.state,
                outcome.reason,
                outcome.source,
                outcome.status,
                received,
                outcome.due,
            )
        )

    def odd(self, url: QueuedUrl, findings: PageFindings) -> None:
        """Count the findings on a page and emit their event, if there are any."""
        if findings:
            self.findings += findings.by_severity
            self.tell(FindingsReported(url.url, self.now(), url.origin, findings))

    def requested(self, requests: Iterable[Fetched | Failed]) -> None:
        """Count requests and their bytes."""
        for one in requests:
            self.requests += 1
            self.bytes += one.bytes if isinstance(one, Fetched) else 0

    def answered(self, origin: str, *, is_page: bool) -> None:
        """Note a response of an origin, and count it if it is a page that was fetched."""
        self.pages += is_page
        self._pages_of[origin] += is_page
        self._paused.pop(origin, None)
        self._heard.add(origin)
        if origin in self._silent:
            self._silent.discard(origin)
            self._share_out()

    def _share_out(self) -> None:
        """Reckon the share of each site anew, among those that are not silent."""
        if self._are_shared:
            self._share = self._bounds.share(self._sites - len(self._silent))

    def is_site_done(self, origin: str) -> bool:
        """Return whether an origin has reached its page limit in this run."""
        return self._bounds.is_site_done(self._pages_of[origin])

    def had_its_share(self, origin: str) -> bool:
        """Return whether an origin must wait until the others have nothing left to visit."""
        return self._share is not None and self._pages_of[origin] >= self._share

    def is_paused(self, origin: str) -> bool:
        """Return whether the operator's pause of an origin is known already."""
        return origin in self._paused

    def look_again(self, origin: str, now: datetime) -> datetime:
        """Return when to check again whether a paused origin was resumed.

        A site that is paused for longer than the run's patience does not keep the run from ending.
        """
        since = self._paused.setdefault(origin, now)
        if self._patience is not None and now - since > self._patience:
            return now + self._patience + LOOK_AGAIN
        return now + LOOK_AGAIN

    def end_shares(self) -> None:
        """Allow every origin to use the remaining pages."""
        self._share, self._are_shared = None, False

    def reached(self, under_way: int = 0) -> str | None:
        """Return the limit that the run has reached, a slug; `None` if there is none.

        Args:
            under_way: The number of visits in progress, which count as pages.

        """
        pages = self.pages + under_way
        if self._company is not None:
            return self._company.reached(pages, self.bytes, self._recorder.disk)
        return self._bounds.reached(pages, self.bytes, 0.0, self._recorder.disk)

    def may_go_on(self, under_way: int) -> bool:
        """Return whether another URL may be visited while `under_way` visits are in progress."""
        return not self.stopped and self.reached(under_way) is None

    def waits(self, until: datetime, now: datetime, queued: int) -> None:
        """Emit the event of a long wait once, although many workers begin to wait."""
        is_told = self._waits_until is not None and abs(until - self._waits_until) < LOOK_AGAIN
        if until - now >= LONG_WAIT and not is_told:
            self._waits_until = until
            self.tell(WaitBegan(now, until, queued))

    def is_too_late(self, then: datetime, now: datetime) -> bool:
        """Return whether a time is beyond the run's patience."""
        return self._patience is not None and then > now + self._patience
