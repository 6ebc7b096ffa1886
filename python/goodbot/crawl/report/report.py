"""The counts of a report, computed from what a crawl recorded.

Scope: counting. `page` and `plots` show the counts.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from heapq import nlargest
from itertools import islice

from goodbot.crawl.evidence.evidence_format import Said
from goodbot.crawl.evidence.odd_pages import counts_by_code
from goodbot.crawl.evidence.punctuality import RequestPause, pauses
from goodbot.crawl.evidence.reading import OriginTotals, latest_visits, request_totals
from goodbot.crawl.evidence.remarks import count_remarks, remarks
from goodbot.crawl.evidence.skipped import not_kept_links
from goodbot.crawl.evidence.trap_findings import counts_by_trap
from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.reading import answers_by_origin, count_by_reason
from goodbot.crawl.report.page import page_of
from goodbot.crawl.report.summary import (
    ActCount,
    OriginPace,
    OutcomeCount,
    ReportSummary,
    RequestMark,
)
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.http.instants import to_datetime

__all__ = ["page_of", "summary_of"]

SLOTS = 100
"""Periods into which the time of a site is divided; the tightest pause of each kind is drawn."""
MOST_DRAWN = 12
"""The most sites that are drawn."""
MOST_LISTED = 200
"""The most sites in a table."""
MOST_EARLY = 20
"""The most early requests to one site that are listed."""


def summary_of(database: Database, now: datetime) -> ReportSummary:
    """Count what a crawl did.

    Args:
        database: The file of the crawl.
        now: The time of the report: an aware `datetime`.

    Raises:
        NotAStoreError: The stored settings or the evidence are damaged.

    """
    settings = database.settings()
    summary = ReportSummary(printed=now, settings=settings, robot=settings.get("robot", "*"))
    summary.outcomes = [OutcomeCount(*row) for row in count_by_reason(database)]
    summary.holds = database.holds()
    not_kept = not_kept_links(database).items()
    summary.not_kept = [OutcomeCount("not-kept", why, count) for why, count in not_kept]
    known = CrawlSettings.read(database) or CrawlSettings()
    paces = []
    for totals in request_totals(database):
        pace = pace_of(totals, pauses(database, totals.origin, summary.robot, known.manners))
        summary.add(pace)
        paces.append(pace)
        paces = shortlist(paces)
    summary.paces = shortlist(paces, finish=True)
    count_acts(summary, (visit.said for visit in latest_visits(database)))
    summary.findings = counts_by_code(database)
    summary.traps = counts_by_trap(database)
    summary.remarks = list(islice(remarks(database), MOST_LISTED))
    summary.remarks_not_shown = count_remarks(database) - len(summary.remarks)
    summary.answers = nlargest(MOST_LISTED, answers_by_origin(database), key=lambda one: one.total)
    return summary


def shortlist(paces: list[OriginPace], *, finish: bool = False) -> list[OriginPace]:
    """Return the origins to show: first those with early requests, then the most visited."""
    if len(paces) < 2 * MOST_LISTED and not finish:
        return paces
    paces = sorted(paces, key=lambda one: (-one.early, -one.measured, one.totals.origin))
    for one in paces[MOST_DRAWN:]:
        one.marks = []
    return paces[:MOST_LISTED]


def pace_of(totals: OriginTotals, found: Iterable[RequestPause]) -> OriginPace:
    """Compare the pauses at an origin with what was required."""
    pace = OriginPace(totals)
    marks: dict[tuple[str, int], RequestMark] = {}
    span = max(totals.last - totals.first, 1)
    for pause in found:
        if pause.left is None:
            continue
        mark = RequestMark(pause.started, pause.left, pause.asked, pause.purpose, pause.early)
        slot = (pause.purpose, (pause.started - totals.first) * SLOTS // span)
        known = marks.get(slot)
        if known is None or mark.spare < known.spare:
            marks[slot] = mark
        pace.measured += 1
        if pause.purpose == "page" and (pace.closest is None or mark.spare < pace.closest.spare):
            pace.closest, pace.source = mark, pause.source
        if pause.early:
            pace.early += 1
            if pace.early <= MOST_EARLY:
                pace.named.append((pause.url, to_datetime(pause.started), pause.early))
    pace.marks = sorted(marks.values(), key=lambda one: one.at)
    return pace


def count_acts(summary: ReportSummary, found: Iterator[Said]) -> None:
    """Count what the pages allow, based on the latest visit to each."""
    counts: dict[str, ActCount] = {}
    for said in found:
        verdicts = [one for one in said.verdicts if one.act != "fetch"]
        if not verdicts:
            continue
        if any(one.reason == "no-document" for one in verdicts):
            summary.no_documents += 1
            continue
        summary.documents += 1
        for one in verdicts:
            count = counts.setdefault(one.act, ActCount(one.act))
            count.add(one)
    summary.acts = list(counts.values())
