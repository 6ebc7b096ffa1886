"""The pauses between the requests of a crawl, compared with what was required.

Scope: one pass over the requests of each site, which fills a table and the summary.
"""

from collections.abc import Iterable, Iterator

from goodbot.crawl.evidence.punctuality import RequestPause, pauses
from goodbot.crawl.evidence.reading import OriginTotals, request_totals
from goodbot.crawl.folder.database import Database
from goodbot.crawl.report.rows.packed_tables import PackedTable, Table, TableColumn
from goodbot.crawl.report.rows.summary import OriginPace, ReportSummary, RequestMark
from goodbot.http.instants import to_datetime
from goodbot.pace import Manners

__all__ = ["MOST_LISTED", "REQUESTS", "fill_paces", "pace_of"]

SLOTS = 100
"""Periods into which the time of a site is divided; the tightest pause of each kind is drawn."""
MOST_DRAWN = 12
"""The most sites that are drawn."""
MOST_LISTED = 200
"""The most sites in a table."""
MOST_EARLY = 20
"""The most early requests to one site that are listed."""

Spare = tuple[bool, float]
"""How tight a pause is, for comparison."""

REQUESTS = Table(
    "requests",
    "All requests",
    (
        TableColumn("url", "URL", "url"),
        TableColumn("at", "time (UTC)", "time"),
        TableColumn("purpose", "for", "choice", on_phones=False),
        TableColumn("pause", "pause before", "duration"),
        TableColumn("required", "required", "duration"),
        TableColumn("source", "required by", "choice", on_phones=False),
        TableColumn("early", "early", "choice", on_phones=False),
        TableColumn("site", "site", "choice", on_phones=False),
    ),
    "evidence DIR --export -",
)


def fill_paces(
    database: Database, summary: ReportSummary, manners: Manners, table: PackedTable
) -> None:
    """Compare the pauses at each site with what was required.

    Args:
        database: The file of the crawl.
        summary: Where the counts go.
        manners: The robot's own settings where the file does not have those of the time.
        table: Where the requests go.

    """
    paces: list[OriginPace] = []
    for totals in request_totals(database):
        found = pauses(database, totals.origin, summary.robot, manners)
        pace = pace_of(totals, listed(found, totals.origin, table))
        summary.add(pace)
        paces.append(pace)
        paces = shortlist(paces)
    summary.paces = shortlist(paces, finish=True)
    table.finish()


def listed(
    found: Iterable[RequestPause], origin: str, table: PackedTable
) -> Iterator[RequestPause]:
    """Add each request to the table as it goes by."""
    for one in found:
        url, purpose, started, left, asked, source, early, _ = one
        required = None if left is None else asked
        table.add((url, started, purpose, left, required, source, early, origin))
        yield one


def shortlist(paces: list[OriginPace], *, finish: bool = False) -> list[OriginPace]:
    """Return the origins to show: first those with early requests, then the most visited."""
    if len(paces) < 2 * MOST_LISTED and not finish:
        return paces
    paces = sorted(paces, key=lambda one: (-one.early, -one.measured, one.totals.origin))
    for one in paces[MOST_DRAWN:]:
        one.marks = []
    return paces[:MOST_LISTED]


def spare_of(pause: RequestPause) -> Spare:
    """Return how tight a pause is: early requests come first, then the ratio to what is asked."""
    left = pause.left or 0
    return not pause.early, left / pause.asked if pause.asked else float(left)


def pace_of(totals: OriginTotals, found: Iterable[RequestPause]) -> OriginPace:
    """Compare the pauses at an origin with what was required."""
    pace = OriginPace(totals)
    marks: dict[tuple[str, int], tuple[Spare, RequestMark]] = {}
    tightest: Spare | None = None
    span = max(totals.last - totals.first, 1)
    for pause in found:
        _, purpose, started, left, asked, source, early, is_of_its_time = pause
        if left is None:
            continue
        pace.measured += 1
        pace.newest_settings += not is_of_its_time
        slot = (purpose, (started - totals.first) * SLOTS // span)
        known, spare = marks.get(slot), spare_of(pause)
        if known is None or spare < known[0]:
            mark = RequestMark(started, left, asked, purpose, early)
            marks[slot] = spare, mark
            if purpose == "page" and (tightest is None or spare < tightest):
                tightest, pace.closest, pace.source = spare, mark, source
        if early:
            pace.early += 1
            if pace.early <= MOST_EARLY:
                pace.named.append((pause.url, to_datetime(started), early))
    pace.marks = sorted((mark for _, mark in marks.values()), key=lambda one: one.at)
    return pace
