"""What a crawl tells while it works, beside what its robot tells."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from goodbot.crawl.folder.states import State

__all__ = ["Ended", "Started", "Summary", "UrlSettled"]


@dataclass(frozen=True, slots=True)
class Started:
    """A crawl began."""

    at: datetime
    """When, in UTC."""
    folder: str
    waiting: int
    """How many URLs wait in the queue."""
    removed: int = 0
    """How many URLs, out of bounds now, were taken out of index and archive."""


@dataclass(frozen=True, slots=True)
class UrlSettled:
    """It was settled what has become of a URL, for now."""

    url: str
    at: datetime
    """When, in UTC."""
    origin: str
    state: State
    reason: str
    """Why, a slug."""
    source: str
    """Who says so; empty if nobody need say so."""
    status: int | None
    """The status of the answer; `None` if there was none."""
    bytes: int = 0
    """Of content that came over the wire."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a crawl came to."""

    ended: str
    """Why it ended, a slug: `nothing-left`, `waiting` (what is left has its time later than one was
    willing to wait), `page-limit`, `site-page-limit`, `byte-limit`, `disk-limit`,
    `time-limit`, `stopped`."""
    started: datetime
    finished: datetime
    pages: int
    """Answers to requests for pages."""
    requests: int
    """All requests, those for robots.txt too."""
    bytes: int
    """Of content that came over the wire."""
    urls: dict[str, int]
    """How many URLs of the whole crawl are in each state."""
    reasons: dict[str, int] = field(default_factory=dict)
    """How often each reason was given in this run."""
    earliest: datetime | None = None
    """When the next visit of what waits may be; `None` if nothing waits."""
    not_kept: int = 0
    """How many URLs were found and not even kept, as their pages or the crawl had too many of the
    kind; each as often as it was found."""

    @property
    def seconds(self) -> float:
        """How long it took."""
        return (self.finished - self.started).total_seconds()

    def as_dict(self) -> dict[str, Any]:
        """Give plain values, for JSON."""
        return {
            "ended": self.ended,
            "started": self.started.isoformat(),
            "finished": self.finished.isoformat(),
            "seconds": self.seconds,
            "pages": self.pages,
            "requests": self.requests,
            "bytes": self.bytes,
            "urls": self.urls,
            "not_kept": self.not_kept,
            "reasons": self.reasons,
            "earliest": None if self.earliest is None else self.earliest.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class Ended:
    """A crawl ended."""

    at: datetime
    """When, in UTC."""
    summary: Summary
