"""What a crawl tells while it works, beside what its robot tells."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from goodbot.crawl.evidence.page_findings import PageFindings
from goodbot.crawl.folder.states import State

__all__ = [
    "AlertKind",
    "Ended",
    "FindingsReported",
    "SiteAlert",
    "Started",
    "Summary",
    "UrlSettled",
]

AlertKind = Literal["failing", "disallows-all", "robots-txt-changed", "message"]
"""Of what an operator is alerted: several URLs of a site fail in a row, or its robots.txt cannot be
had; it forbids the robot everything; its robots.txt is another than before; it has a Comment."""


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
class FindingsReported:
    """Something is odd about a page that was read."""

    url: str
    at: datetime
    """When the page was recorded, in UTC."""
    origin: str
    findings: PageFindings
    """What it is, the most severe first."""


@dataclass(frozen=True, slots=True)
class SiteAlert:
    """Something that the operator should look at: see `goodbot.crawl.run.alerts`."""

    origin: str
    """The site."""
    at: datetime
    """When, in UTC."""
    kind: AlertKind
    text: str
    """What happened, in words; of a `message` what the site says, which is foreign text."""


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
    findings: dict[str, int] = field(default_factory=dict)
    """How many findings of each severity the pages of this run had."""
    answers: dict[str, dict[str, int]] = field(default_factory=dict)
    """What the sites answered in this run, those with the most answers first: the number of each
    status, and of each reason where no answer came. Sites beyond 20 stand together under `*`."""
    traps: dict[str, int] = field(default_factory=dict)
    """How many links of the whole crawl led into each trap of `goodbot.crawl.TRAPS`, whether they
    were queued or not; each once for every page that has it."""

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
            "findings": self.findings,
            "answers": self.answers,
            "traps": self.traps,
            "earliest": None if self.earliest is None else self.earliest.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class Ended:
    """A crawl ended."""

    at: datetime
    """When, in UTC."""
    summary: Summary
