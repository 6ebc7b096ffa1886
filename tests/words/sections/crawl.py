"""What a crawl reports: its report, the history of URLs, alerts, and the meanings of states."""

import datetime as dt
import io
import tempfile
from collections.abc import Iterator
from contextlib import closing
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from goodbot.cli.shared.printing import Printer
from goodbot.crawl.evidence.evidence_format import EVIDENCE_KINDS
from goodbot.crawl.evidence.remarks import SiteRemark
from goodbot.crawl.evidence.trap_findings import TrapCount
from goodbot.crawl.evidence.why_no_copy import why_no_copy
from goodbot.crawl.folder.states import STATES
from goodbot.crawl.report.html.pace_section import told
from goodbot.crawl.report.report import report_on
from goodbot.crawl.report.rows.summary import OutcomeCount, ReportSummary
from goodbot.crawl.run.events import SiteAlert
from goodbot.crawl.verbs.history import print_history
from goodbot.policy import Hold
from goodbot.testing import Answer
from tests.support.crawls.memory_crawls import SITE, crawl, html, site_of
from tests.support.crawls.reports import report_text
from tests.support.crawls.sample_crawl import BUSY, DOWN, NEWS, NOON, SHOP, SampleCrawl, sample
from tests.words.writing import entries, heading

NOW = NOON + dt.timedelta(hours=1)
HISTORIES = (
    f"{SHOP}/private/diary",
    f"{SHOP}/secret",
    f"{SHOP}/lamps",
    f"{SHOP}/moved",
    f"{SHOP}/deep",
    f"{SHOP}/later",
    f"{NEWS}/slow",
    f"{DOWN}/a",
    f"{BUSY}/b",
)
BLOCKS = {"h1", "h2", "h3", "p", "li", "dt", "dd", "summary", "tr", "title", "desc", "text"}
CELLS = {"th", "td"}
IGNORED = {"style", "script"}
OPEN = "User-agent: *\nDisallow: /till\n"


class Sentences(HTMLParser):
    """Collects the texts of a page: one line for each paragraph, label and row of a table."""

    def __init__(self, page: str) -> None:
        """Read a page."""
        super().__init__()
        self.lines: list[str] = []
        self._line: list[str] = []
        self._is_ignored = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002  as its base class
        """Start a line with each block, and a cell with a bar."""
        self._is_ignored = tag in IGNORED
        if tag in BLOCKS:
            self._end_line()
        elif tag in CELLS and "".join(self._line).strip():
            self._line.append(" | ")

    def handle_endtag(self, tag: str) -> None:
        """End a line with each block."""
        self._is_ignored = False
        if tag in BLOCKS:
            self._end_line()

    def handle_data(self, data: str) -> None:
        """Add text to the line."""
        if not self._is_ignored:
            self._line.append(data)

    def _end_line(self) -> None:
        line = " ".join("".join(self._line).split())
        self._line = []
        if line:
            self.lines.append(line)


def full_report(crawled: SampleCrawl) -> str:
    """Return the page of the sample, with an example of each section that it lacks."""
    with closing(report_on(crawled.database, NOW)) as found:
        complete(found.summary)
        return "".join(found)


def complete(summary: ReportSummary) -> None:
    """Add an example of each section that the sample lacks."""
    summary.folder = "crawl"
    place = f"{SHOP}/lamps"
    summary.holds = [Hold.of(place, "block", why="they asked us", by="ada", at=NOON)]
    why = "the URL names 2031-05, which is more than 12 months in the future"
    summary.traps = [TrapCount("calendar", f"{SHOP}/2031/05/", why, 1, 3)]
    text = "Please come at night."
    summary.remarks = [SiteRemark(SHOP, "comment", text, NOON, NOON)]
    summary.remarks_not_shown = 2
    summary.not_kept = [OutcomeCount("not-kept", "other-origin", 4)]


def report(crawled: SampleCrawl) -> Iterator[str]:
    """Yield the lines of the report of the sample."""
    yield from heading("The report")
    yield from Sentences(full_report(crawled)).lines


def verdicts() -> Iterator[tuple[str, str]]:
    """Yield the first sentence of a report in each of its forms."""
    for requests, measured, early in ((0, 0, 0), (1, 0, 0), (2, 1, 0), (9, 8, 0), (9, 8, 1)):
        summary = ReportSummary(NOW, {}, "ExampleBot")
        summary.requests, summary.measured, summary.early = requests, measured, early
        yield f"requests {requests}, pauses {measured}, early {early}", summary.verdict


def early_requests(crawled: SampleCrawl) -> Iterator[tuple[str, str]]:
    """Yield why each request of the sample is early, if the first one at a site was slower."""
    with crawled.database.changing() as connection:
        connection.execute("UPDATE requests SET ended = ended + 3000000")
    summary, _ = report_text(crawled.database, NOW)
    for pace in summary.paces:
        origin = pace.totals.origin
        yield origin, told(pace)
        for url, _, why in pace.named:
            yield f"{origin}: {url}", why


def histories(crawled: SampleCrawl) -> Iterator[tuple[str, str]]:
    """Yield what `goodbot evidence` prints for some URLs."""
    for url in HISTORIES:
        found = crawled.evidence.history(url)
        assert found is not None
        printed = io.StringIO()
        print_history(found, Printer(printed))
        yield url, printed.getvalue()


def copies(crawled: SampleCrawl) -> Iterator[tuple[str, str]]:
    """Yield why there is no copy of each URL."""
    for url in (*HISTORIES, f"{SHOP}/gone", f"{SHOP}/unknown"):
        yield url, f"there is no copy of it: {why_no_copy(crawled.database, url)}"


def alerts(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the text of each kind of alert."""
    broken: dict[str, Any] = {f"p{number}": Answer(status=500) for number in range(3)}
    sites = {
        "failing": site_of(OPEN, **broken),
        "robots-txt": site_of(Answer(status=503)),
        "disallows-all": site_of("User-agent: *\nDisallow: /\n"),
        "robots-txt-changed": site_of(OPEN, home=html("a lamp")),
        "message": site_of(OPEN + "Comment: Write to us.\n", home=html("a lamp")),
    }
    for name, site in sites.items():
        starts = [f"{SITE}/{page}" for page in broken] if name == "failing" else []
        done = crawl(folder / name, site, *starts, patience=60, dialect="conner1996")
        if name == "robots-txt-changed":
            site.routes["/robots.txt"] = OPEN + "Disallow: /more\n"
            site.clock.advance(86_400 * 40)
            done = crawl(folder / name, site, again=True, patience=60, dialect="conner1996")
        for alert in done.of(SiteAlert):
            yield f"{name} ({alert.kind})", alert.text


def lines() -> Iterator[str]:
    """Yield the report, then histories and alerts, then the meanings of names."""
    with tempfile.TemporaryDirectory() as folder:
        crawled = sample(Path(folder) / "sample")
        yield from report(crawled)
        yield from entries("The verdict of a report", verdicts())
        yield from entries("The history of a URL", histories(crawled))
        yield from entries("Why there is no copy", copies(crawled))
        yield from entries(
            "Early requests, if each had taken 3 seconds more", early_requests(crawled)
        )
        crawled.database.close()
        yield from entries("Alerts to the operator", alerts(Path(folder)))
    kinds = ((name, f"{row.meaning} | {row.sentence}") for name, row in EVIDENCE_KINDS.items())
    yield from entries("Results of a visit", kinds)
    states = ((row.name, f"{row.meaning} | it {row.phrase}") for row in STATES.values())
    yield from entries("States of a URL", states)
