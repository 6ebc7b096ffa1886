"""The events of a crawl, in addition to those of its robot.

Scope: records without behaviour.
"""

from dataclasses import field
from datetime import datetime
from typing import Any, Literal

from goodbot.crawl.evidence.page_findings import PageFindings
from goodbot.crawl.folder.states import State
from goodbot.display import short_repr, table_html
from goodbot.lazy_dataclass import dataclass

__all__ = [
    "AlertKind",
    "Ended",
    "FindingsReported",
    "SiteAlert",
    "Started",
    "Summary",
    "UrlSettled",
    "WaitBegan",
]

AlertKind = Literal["failing", "disallows-all", "robots-txt-changed", "message"]
"""The kinds of alerts: several URLs of a site failed in a row, or its robots.txt cannot be fetched;
robots.txt disallows everything for the robot; robots.txt has changed; it has a new Comment."""


@dataclass(frozen=True, slots=True, repr=False)
class Started:
    """A run of a crawl began."""

    at: datetime
    """The time, in UTC."""
    folder: str
    waiting: int
    """The number of URLs in the queue."""
    removed: int = 0
    """The number of URLs outside the bounds that were removed from the index and the archive."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class UrlSettled:
    """A URL has a result for now: it was fetched, disallowed, skipped, or failed."""

    url: str
    at: datetime
    """The time, in UTC."""
    origin: str
    state: State
    reason: str
    """The reason, a slug."""
    source: str
    """What decided, in words; empty if that goes without saying."""
    status: int | None
    """The status of the response; `None` if none came."""
    bytes: int = 0
    """The bytes of content received over the network."""
    due: datetime | None = None
    """When it is visited next, in UTC: again, or for the first time; `None`: never."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class WaitBegan:
    """The run waits for a minute or longer, because no URL may be visited sooner."""

    at: datetime
    """The time, in UTC."""
    until: datetime
    """When the next URL may be visited, in UTC."""
    queued: int
    """The number of URLs in the queue."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class FindingsReported:
    """A page that was read has findings."""

    url: str
    at: datetime
    """When the page was recorded, in UTC."""
    origin: str
    findings: PageFindings
    """The findings, the most severe first."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class SiteAlert:
    """Something about a site that the operator should check; see `goodbot.crawl.run.alerts`."""

    origin: str
    """The site."""
    at: datetime
    """The time, in UTC."""
    kind: AlertKind
    text: str
    """What happened, in words; for a `message` the text from the site."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class Summary:
    """The results of a run."""

    ended: str
    """Why it ended, a slug: `nothing-left`, `waiting` (the remaining URLs are not due within the
    robot's patience), `page-limit`, `site-page-limit`, `byte-limit`, `disk-limit`, `time-limit`,
    `stopped`, and `drained` in a fleet."""
    started: datetime
    finished: datetime
    pages: int
    """The number of responses to requests for pages."""
    requests: int
    """The number of all requests, including those for robots.txt."""
    bytes: int
    """The bytes of content received over the network."""
    urls: dict[str, int]
    """The number of URLs of the whole crawl in each state."""
    reasons: dict[str, int] = field(default_factory=dict)
    """The number of results of this run for each reason."""
    earliest: datetime | None = None
    """When the next URL in the queue is due; `None` if the queue is empty."""
    not_kept: int = 0
    """The number of links to URLs that were not recorded, because the page or the crawl had too
    many of the kind."""
    findings: dict[str, int] = field(default_factory=dict)
    """The number of findings of each severity on the pages of this run."""
    answers: dict[str, dict[str, int]] = field(default_factory=dict)
    """The responses of the sites in this run, those with the most responses first: the number for
    each status, or for each reason if no response came. Sites beyond 20 are combined under `*`."""
    traps: dict[str, int] = field(default_factory=dict)
    """The number of links of the whole crawl into each trap of `goodbot.crawl.TRAPS`, whether they
    were queued or not; each is counted once for every page that has it."""
    next_revisit: datetime | None = None
    """When the next URL is due to be visited again; `None` if none is."""

    __repr__ = short_repr

    @property
    def seconds(self) -> float:
        """The duration of the run."""
        return (self.finished - self.started).total_seconds()

    def rows(self) -> list[tuple[str, object]]:
        """Return what people look at first: names and values, for a table."""
        return [
            ("ended", self.ended),
            ("pages", self.pages),
            ("requests", self.requests),
            ("bytes", f"{self.bytes:,}"),
            ("seconds", f"{self.seconds:.1f}"),
            *self.urls.items(),
        ]

    def _repr_html_(self) -> str:
        """Return a table, for notebooks."""
        return table_html("Crawl", self.rows())

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
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
            "next_revisit": None if self.next_revisit is None else self.next_revisit.isoformat(),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Ended:
    """A run of a crawl ended."""

    at: datetime
    """The time, in UTC."""
    summary: Summary

    __repr__ = short_repr
