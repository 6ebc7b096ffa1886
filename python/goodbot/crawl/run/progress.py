"""How far one run of a crawl has come, whether it may go on, and what those who watch are told.

What may live here: what is counted in one run, held against the bounds of the crawl, and events.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, timezone
from typing import TypeAlias

from goodbot.crawl.evidence.page_findings import PageFindings
from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.frontier.bounds import Bounds
from goodbot.crawl.frontier.protocol import Outcome
from goodbot.crawl.frontier.reading import answer_of
from goodbot.crawl.run.answers import AnswerCounts
from goodbot.crawl.run.events import Ended, FindingsReported, SiteAlert, Started, UrlSettled
from goodbot.crawl.run.recorder import Recorder
from goodbot.net import Clock
from goodbot.robot import Event as RobotEvent
from goodbot.robot import Failed, Fetched
from goodbot.robot.events import tell

__all__ = ["CrawlEvent", "Progress"]

LOOK_AGAIN = timedelta(seconds=1)

CrawlEvent: TypeAlias = RobotEvent | Started | UrlSettled | FindingsReported | SiteAlert | Ended
"""What `on_event` is given."""


class Progress:
    """Counts what one run does.

    Args:
        bounds: The bounds of the crawl.
        recorder: Knows how much disk the crawl takes.
        sites: How many sites the crawl has.
        patience: How long to wait for a turn if nothing else is left to do; `None`: as long as it
            takes.
        clock: Whose time it is.
        on_event: Is given what happens.
        stopped: Why the run was asked to end before it began; empty if it was not.

    """

    def __init__(  # noqa: PLR0913  each is documented above
        self,
        bounds: Bounds,
        recorder: Recorder,
        *,
        sites: int = 1,
        patience: timedelta | None,
        clock: Clock,
        on_event: Callable[[CrawlEvent], object] | None,
        stopped: str = "",
    ) -> None:
        """Begin with nothing."""
        self._clock = clock
        self._on_event = on_event
        self._bounds = bounds
        self._recorder = recorder
        self._patience = patience
        self.stopped = stopped
        """Why somebody asked the run to end, a slug; empty if nobody did."""
        self._share = bounds.share(sites)
        self._pages_of: Counter[str] = Counter()
        self._paused: dict[str, datetime] = {}
        """Since when each origin that the operator paused waits."""
        self.pages = 0
        """Answers to requests for pages."""
        self.requests = 0
        self.bytes = 0
        """Of content that came over the wire."""
        self.reasons: Counter[str] = Counter()
        """How often each reason was given for what became of a URL."""
        self.findings: Counter[str] = Counter()
        """How many findings of each severity the pages had."""
        self.answers = AnswerCounts()

    def now(self) -> datetime:
        """Return the time, in UTC."""
        return self._clock.now().astimezone(timezone.utc)

    def tell(self, event: CrawlEvent) -> None:
        """Tell an event to those who watch."""
        tell(self._on_event, event)

    def settled(self, url: QueuedUrl, outcome: Outcome, received: int = 0) -> None:
        """Count and tell what has become of a URL.

        Args:
            url: The URL.
            outcome: What has become of it.
            received: The bytes of content that came over the wire.

        """
        self.reasons[outcome.reason] += 1
        if outcome.status is not None or outcome.failed:
            self.answers.add(url.origin, answer_of(outcome.status, outcome.reason))
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
            )
        )

    def odd(self, url: QueuedUrl, findings: PageFindings) -> None:
        """Count and tell what is odd about a page, if anything is."""
        if findings:
            self.findings += findings.by_severity
            self.tell(FindingsReported(url.url, self.now(), url.origin, findings))

    def requested(self, requests: Iterable[Fetched | Failed]) -> None:
        """Count requests that were made."""
        for one in requests:
            self.requests += 1
            self.bytes += one.bytes if isinstance(one, Fetched) else 0

    def fetched(self, origin: str) -> None:
        """Count an answer to a request for a page of an origin."""
        self.pages += 1
        self._pages_of[origin] += 1
        self._paused.pop(origin, None)

    def is_site_done(self, origin: str) -> bool:
        """Whether nothing more of an origin is visited in this run."""
        return self._bounds.is_site_done(self._pages_of[origin])

    def had_its_share(self, origin: str) -> bool:
        """Whether an origin waits until the others have nothing left to visit."""
        return self._share is not None and self._pages_of[origin] >= self._share

    def is_paused(self, origin: str) -> bool:
        """Whether it is known already that the operator has paused an origin."""
        return origin in self._paused

    def look_again(self, origin: str, now: datetime) -> datetime:
        """Return when to look again whether the operator lets a paused origin go on.

        A site that is paused for longer than the run is to wait keeps it no more from its end.
        """
        since = self._paused.setdefault(origin, now)
        if self._patience is not None and now - since > self._patience:
            return now + self._patience + LOOK_AGAIN
        return now + LOOK_AGAIN

    def end_shares(self) -> None:
        """Let every origin have what is left."""
        self._share = None

    def reached(self, under_way: int = 0) -> str | None:
        """Return the bound that the run has reached, a slug; `None` if there is none.

        Args:
            under_way: How many visits count as pages already.

        """
        pages = self.pages + under_way
        return self._bounds.reached(pages, self.bytes, 0.0, self._recorder.disk)

    def may_go_on(self, under_way: int) -> bool:
        """Whether another URL may be visited while so many visits are under way."""
        return not self.stopped and self.reached(under_way) is None

    def is_too_late(self, then: datetime, now: datetime) -> bool:
        """Whether a turn comes later than the run is to wait."""
        return self._patience is not None and then > now + self._patience
