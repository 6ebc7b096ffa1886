"""What a report shows: plain counts, and the verdict in a sentence.

Scope: records. `report` fills them in.
"""

from collections import Counter
from dataclasses import field
from datetime import datetime

from goodbot.crawl.evidence.evidence_format import ActVerdict
from goodbot.crawl.evidence.odd_pages import CodeCount
from goodbot.crawl.evidence.punctuality import MannersSince
from goodbot.crawl.evidence.reading import OriginTotals
from goodbot.crawl.evidence.remarks import SiteRemark
from goodbot.crawl.evidence.trap_findings import TrapCount
from goodbot.crawl.frontier.reading import OriginAnswers
from goodbot.crawl.report.rows.robot_tables import RobotTables
from goodbot.crawl.report.rows.robots_facts import RobotsFacts
from goodbot.crawl.watching.robots_trial import RobotsTrial
from goodbot.crawl.watching.watch_run import WatchRun
from goodbot.http.amounts import counted
from goodbot.http.served import Declared, Served
from goodbot.lazy_dataclass import dataclass
from goodbot.policy import Hold

__all__ = ["ActCount", "OriginPace", "OutcomeCount", "ReportSummary", "RequestMark"]


@dataclass(frozen=True, slots=True)
class RequestMark:
    """A request on a timeline. Times are microseconds."""

    at: int
    """When it began, since 1970."""
    left: int
    """The pause before it."""
    asked: int
    """The pause that was required."""
    purpose: str
    """`page` or `robots-txt`."""
    early: str
    """Why it was early; empty if it was not."""


@dataclass(slots=True)
class OriginPace:
    """The pauses between the requests to one origin."""

    totals: OriginTotals
    measured: int = 0
    """How many requests followed another one."""
    newest_settings: int = 0
    """How many of these are compared with the newest settings of the robot, as those of their time
    are not stored."""
    early: int = 0
    closest: RequestMark | None = None
    """The page request with the tightest pause, compared with what was required."""
    source: str = ""
    """What required that pause."""
    named: list[tuple[str, datetime | None, str]] = field(default_factory=list)
    """The early requests that are listed: URL, time, why."""
    marks: list[RequestMark] = field(default_factory=list)
    """The requests that are drawn."""


@dataclass(frozen=True, slots=True)
class OutcomeCount:
    """How many URLs have one outcome for one reason."""

    state: str
    """The state of the URLs (`goodbot.crawl.folder.states`)."""
    reason: str
    """Why they are in this state; for an error response, its status."""
    count: int
    outcome: str = ""
    """The state in words; `ERROR` for an error response, `priced` if a payment is asked for."""


@dataclass(slots=True)
class ActCount:
    """How many pages allow an act."""

    act: str
    whole: int = 0
    partly: int = 0
    """Allowed, except for some of their parts."""
    disallowed: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    """What disallows it, for the page or for parts: `header`, `meta`, `pi`, `mark`."""

    def add(self, verdict: ActVerdict, pages: int) -> None:
        """Count pages with the same verdict."""
        if not verdict.allowed:
            self.disallowed += pages
            self.kinds[verdict.kind] += pages
        elif verdict.parts is not None:
            self.partly += pages
            self.kinds["mark"] += pages
        else:
            self.whole += pages


@dataclass(slots=True)
class ReportSummary:
    """Everything that a report shows."""

    printed: datetime
    settings: dict[str, str]
    robot: str
    folder: str = "DIR"
    """The folder of the crawl, for commands."""
    starts: list[str] = field(default_factory=list)
    """The sites of the start URLs, those with the most first; of very many, some."""
    start_sites: int = 0
    """How many sites the start URLs are at."""
    outcomes: list[OutcomeCount] = field(default_factory=list)
    not_kept: list[OutcomeCount] = field(default_factory=list)
    """Links to URLs that were not recorded, because there were too many of the kind."""
    paces: list[OriginPace] = field(default_factory=list)
    """The origins that are shown."""
    origins: int = 0
    """How many origins there are."""
    requests: int = 0
    pages: int = 0
    bytes: int = 0
    measured: int = 0
    newest_settings: int = 0
    """The sum of that of all origins; see `OriginPace`."""
    early: int = 0
    first: int | None = None
    last: int | None = None
    permitted: int = 0
    """How many URLs robots.txt disallows that were requested by permission of their owner."""
    duplicate_pages: int = 0
    """How many pages share their title or their text with others."""
    queued_again: int = 0
    """How many URLs are queued for another visit."""
    pages_with_facts: int = 0
    """Of how many pages the inventory has facts; versions before 0.2.0 stored none."""
    documents: int = 0
    no_documents: int = 0
    """Responses that are not the page itself, such as those with an error status."""
    acts: dict[str, ActCount] = field(default_factory=dict)
    """What the pages allow, by act."""
    latest_run: datetime | None = None
    """When the latest run started; `None` if it is the only one."""
    manners: list[MannersSince] = field(default_factory=list)
    """The robot's own settings of the pace, from each time on; usually one."""
    holds: list[Hold] = field(default_factory=list)
    """The operator's blocks and pauses."""
    findings: list[CodeCount] = field(default_factory=list)
    """The findings on pages, by code."""
    traps: list[TrapCount] = field(default_factory=list)
    """The traps that were found, by name."""
    remarks: list[SiteRemark] = field(default_factory=list)
    """Messages from sites to the operator."""
    remarks_not_shown: int = 0
    """How many more messages there are."""
    declared_served: Counter[tuple[Declared, Served | None]] = field(default_factory=Counter)
    """How many URLs have each pair of what robots.txt declares to the robot and what the site
    served; `None` if they were not requested."""
    robots_facts: RobotsFacts = field(default_factory=RobotsFacts)
    """What is known about the robots.txt of the sites."""
    robot_tables: RobotTables | None = None
    """What robots may do with the pages; `None` before it was looked at."""
    runs: list[WatchRun] = field(default_factory=list)
    """The runs of `goodbot watch`, the earliest first."""
    trial: RobotsTrial | None = None
    """What another robots.txt would change; `None` if none is tried."""
    answers: list[OriginAnswers] = field(default_factory=list)
    """The responses of each site, those with the most responses first."""

    def add(self, pace: OriginPace) -> None:
        """Add the counts of an origin."""
        totals = pace.totals
        self.origins += 1
        self.requests += totals.requests
        self.pages += totals.pages
        self.bytes += totals.bytes
        self.measured += pace.measured
        self.newest_settings += pace.newest_settings
        self.early += pace.early
        self.first = totals.first if self.first is None else min(self.first, totals.first)
        self.last = totals.last if self.last is None else max(self.last, totals.last)

    @property
    def urls(self) -> int:
        """How many URLs the crawl knows."""
        return sum(one.count for one in self.outcomes)

    def of_state(self, *states: str) -> int:
        """Return how many URLs are in one of these states."""
        return sum(one.count for one in self.outcomes if one.state in states)

    @property
    def verdict(self) -> str:
        """Whether any request was early, as a sentence."""
        if not self.requests:
            return "No requests were made."
        if not self.measured:
            return "No site received a second request, so there was no pause to check."
        total = counted(self.measured, "follow-up request")
        if self.early:
            return f"{self.early:,} of {total} came too early."
        if self.measured == 1:
            return "The only follow-up request kept the required pause."
        return f"All {total} kept the required pause."
