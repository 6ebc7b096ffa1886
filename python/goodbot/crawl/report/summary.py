"""What a report tells: plain counts, and the sentences that they come to.

What may live here: records. Who counts is `report`.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from goodbot.crawl.evidence.evidence_format import ActVerdict
from goodbot.crawl.evidence.odd_pages import CodeCount
from goodbot.crawl.evidence.remarks import SiteRemark
from goodbot.crawl.evidence.trap_findings import TrapCount
from goodbot.crawl.frontier.reading import OriginAnswers
from goodbot.http.instants import SECOND
from goodbot.policy import Hold

__all__ = ["ActCount", "OriginPace", "OutcomeCount", "ReportSummary", "RequestMark", "briefly"]

UNITS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def briefly(microseconds: int) -> str:
    """Write how long, in few letters.

    >>> [briefly(n) for n in (0, 5_200, 900_000, 5_000_001, 90 * SECOND, 5400 * SECOND)]
    ['0 s', '5.2 ms', '900 ms', '5 s', '90 s', '90 min']
    """
    seconds = microseconds / SECOND
    if 0 < seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    for size, unit in UNITS:
        if seconds >= 2 * size and size > 1:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds:.3g} s"


@dataclass(frozen=True, slots=True)
class RequestMark:
    """A request on a line of time. Times are microseconds."""

    at: int
    left: int
    """The pause that was left before it."""
    asked: int
    """The pause that was asked for."""
    purpose: str
    early: str
    """Why it was early; empty if it was not."""

    @property
    def spare(self) -> tuple[bool, float]:
        """How close it was: what is early is closest, then what left least beyond the asked."""
        return not self.early, self.left / self.asked if self.asked else float(self.left)


@dataclass(slots=True)
class OriginPace:
    """The requests at one origin, and their pauses."""

    origin: str
    requests: int
    pages: int
    bytes: int
    first: int
    last: int
    measured: int = 0
    """Requests with one before them."""
    early: int = 0
    closest: RequestMark | None = None
    """The request for a page that left least beyond what was asked for."""
    source: str = ""
    """Who asked for that."""
    named: list[tuple[str, datetime | None, str]] = field(default_factory=list)
    """Early requests: URL, time, why."""
    marks: list[RequestMark] = field(default_factory=list)
    """What is drawn."""


@dataclass(frozen=True, slots=True)
class OutcomeCount:
    """How many URLs have come to one end for one reason."""

    state: str
    reason: str
    count: int


@dataclass(slots=True)
class ActCount:
    """How many pages allow an act."""

    act: str
    whole: int = 0
    partly: int = 0
    """Allowed, but not with some of their parts."""
    disallowed: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    """Who says that it is not, or not in part: `header`, `meta`, `pi`, `mark`."""

    def add(self, verdict: ActVerdict) -> None:
        """Count a page."""
        if not verdict.allowed:
            self.disallowed += 1
            self.kinds[verdict.kind] += 1
        elif verdict.parts is not None:
            self.partly += 1
            self.kinds["mark"] += 1
        else:
            self.whole += 1


@dataclass(slots=True)
class ReportSummary:
    """Everything that a report tells."""

    printed: datetime
    settings: dict[str, str]
    robot: str
    outcomes: list[OutcomeCount] = field(default_factory=list)
    not_kept: list[OutcomeCount] = field(default_factory=list)
    """Links to URLs that were not kept, as there were too many of the kind."""
    paces: list[OriginPace] = field(default_factory=list)
    """The origins that are shown."""
    origins: int = 0
    """How many there are."""
    requests: int = 0
    pages: int = 0
    bytes: int = 0
    measured: int = 0
    early: int = 0
    first: int | None = None
    last: int | None = None
    documents: int = 0
    no_documents: int = 0
    """Answers that were no documents, such as those of an error."""
    acts: list[ActCount] = field(default_factory=list)
    holds: list[Hold] = field(default_factory=list)
    """What the operator has decided."""
    findings: list[CodeCount] = field(default_factory=list)
    """What is odd about the pages, by code."""
    traps: list[TrapCount] = field(default_factory=list)
    """The traps that were met, by name."""
    remarks: list[SiteRemark] = field(default_factory=list)
    """What sites want the operator to know."""
    remarks_not_shown: int = 0
    """How many more there are."""
    answers: list[OriginAnswers] = field(default_factory=list)
    """What the sites answered, those with the most answers first."""

    def add(self, pace: OriginPace) -> None:
        """Count an origin."""
        self.origins += 1
        for name in ("requests", "pages", "bytes", "measured", "early"):
            setattr(self, name, getattr(self, name) + getattr(pace, name))
        self.first = pace.first if self.first is None else min(self.first, pace.first)
        self.last = pace.last if self.last is None else max(self.last, pace.last)

    @property
    def urls(self) -> int:
        """How many URLs the crawl knows."""
        return sum(one.count for one in self.outcomes)

    def of_state(self, *states: str) -> int:
        """How many URLs are in one of these states."""
        return sum(one.count for one in self.outcomes if one.state in states)

    @property
    def verdict(self) -> str:
        """Whether any request was early, as a sentence."""
        if not self.requests:
            return "No request was made."
        if not self.measured:
            return "No request came behind another at the same origin, so none could be early."
        if self.early:
            verb = "request was" if self.early == 1 else "requests were"
            return f"{self.early} {verb} early, of {self.measured} that came behind another."
        return f"No request was early: 0 of {self.measured} that came behind another."
