"""How far one run of a crawl has come, and whether it may go on.

What may live here: what is counted in one run, held against the bounds of the crawl.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta

from goodbot.crawl.frontier.bounds import Bounds
from goodbot.crawl.run.recorder import Recorder
from goodbot.robot import Failed, Fetched

__all__ = ["Progress"]


class Progress:
    """Counts what one run does.

    Args:
        bounds: The bounds of the crawl.
        recorder: Knows how much disk the crawl takes.
        patience: How long to wait for a turn if nothing else is left to do; `None`: as long as it
            takes.
        stopped: Why the run was asked to end before it began; empty if it was not.

    """

    def __init__(
        self, bounds: Bounds, recorder: Recorder, patience: timedelta | None, stopped: str = ""
    ) -> None:
        """Begin with nothing."""
        self._bounds = bounds
        self._recorder = recorder
        self._patience = patience
        self.stopped = stopped
        """Why somebody asked the run to end, a slug; empty if nobody did."""
        self.pages = 0
        """Answers to requests for pages."""
        self.requests = 0
        self.octets = 0
        """Of content that came over the wire."""
        self.reasons: Counter[str] = Counter()
        """How often each reason was given for what became of a URL."""

    def requested(self, requests: Iterable[Fetched | Failed]) -> None:
        """Count requests that were made."""
        for one in requests:
            self.requests += 1
            self.octets += one.octets if isinstance(one, Fetched) else 0

    def reached(self, under_way: int = 0) -> str | None:
        """Return the bound that the run has reached, a slug; `None` if there is none.

        Args:
            under_way: How many visits count as pages already.

        """
        pages = self.pages + under_way
        return self._bounds.reached(pages, self.octets, 0.0, self._recorder.disk)

    def may_go_on(self, under_way: int) -> bool:
        """Whether another URL may be visited while so many visits are under way."""
        return not self.stopped and self.reached(under_way) is None

    def is_too_late(self, then: datetime, now: datetime) -> bool:
        """Whether a turn comes later than the run is to wait."""
        return self._patience is not None and then > now + self._patience
