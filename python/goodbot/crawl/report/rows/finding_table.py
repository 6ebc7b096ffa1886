"""The tables of findings in a report: on the marks of pages, and on the site unless it is large.

Scope: a row for each finding that is listed, and one for those that are only counted; redirects and
orphans have tables of their own as well.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain

from goodbot.crawl.evidence.crawl_findings import site_pages
from goodbot.crawl.evidence.odd_pages import CodeCount, OddPage, count_codes, odd_pages, severity_of
from goodbot.crawl.folder.database import Database
from goodbot.crawl.inventory.inventory_row import InventoryRow
from goodbot.crawl.inventory.row_building import inventory_rows
from goodbot.crawl.inventory.site_findings import SiteFinding, site_findings
from goodbot.crawl.report.rows.packed_tables import PackedTable, Table, TableColumn
from goodbot.crawl.report.rows.robots_facts import RobotsFacts
from goodbot.http.amounts import counted
from goodbot.http.instants import instant

__all__ = ["FINDINGS", "MOST_CHECKED", "ORPHANS", "REDIRECTS", "SiteTables"]

MOST_CHECKED = 20_000
"""The most URLs of a crawl whose report has the findings on the site, such as missing titles: they
take longer than the rest of the report."""

FINDINGS = Table(
    "findings",
    "Findings",
    (
        TableColumn("url", "URL", "url"),
        TableColumn("severity", "severity", "choice"),
        TableColumn("code", "code", "choice"),
        TableColumn("message", "finding"),
        TableColumn("line", "line", "number", on_phones=False),
    ),
    "report findings DIR",
)


ORPHANS = Table(
    "orphans",
    "Orphans",
    (
        TableColumn("url", "URL", "url"),
        TableColumn("title", "title"),
        TableColumn("sitemaps", "in sitemaps", "number"),
        TableColumn("indexable", "indexable", "choice", on_phones=False),
        TableColumn("visited", "last visit", "time", on_phones=False),
    ),
    "report findings DIR --code orphan",
)
REDIRECTS = Table(
    "redirects",
    "Redirects",
    (
        TableColumn("url", "URL", "url"),
        TableColumn("problem", "problem", "choice"),
        TableColumn("steps", "redirects", "number"),
        TableColumn("end", "leads to", "url"),
        TableColumn("pages", "linked from", "number", on_phones=False),
        TableColumn("message", "finding", on_phones=False),
    ),
    "links DIR --redirects",
)
OF_REDIRECTS = {
    "redirect-broken": "broken",
    "redirect-blocked": "blocked",
    "redirect-chain": "chain",
}
"""The findings on redirects, and the words of the table."""


class SiteTables:
    """The tables of what is odd about the site: all findings, redirects, orphans.

    Args:
        now: The time, an aware `datetime`: texts of pages that have expired by then are not shown.
        robots_facts: Where the findings on sitemaps and the blocked resources go.

    """

    def __init__(self, now: datetime, robots_facts: RobotsFacts | None = None) -> None:
        """Start without rows."""
        self._robots = RobotsFacts() if robots_facts is None else robots_facts
        self.findings = PackedTable(FINDINGS)
        self.redirects = PackedTable(REDIRECTS)
        self.orphans = PackedTable(ORPHANS)
        self._now = now

    @property
    def tables(self) -> tuple[PackedTable, ...]:
        """All tables."""
        return self.redirects, self.orphans, self.findings

    def fill(self, database: Database, urls: int) -> list[CodeCount]:
        """Add the findings of every page, and return their numbers by code.

        Args:
            database: The file of the crawl.
            urls: How many URLs the crawl knows; see `MOST_CHECKED`.

        Raises:
            NotAStoreError: A row is damaged.

        """
        found = odd_pages(database)
        if urls <= MOST_CHECKED:
            rows = self._noted(inventory_rows(database, self._now))
            found = chain(found, site_pages(rows, now=self._now))
        pages = list(found)
        for page in pages:
            for one in page.findings.listed:
                self._robots.add_finding(page.url, one)
        counts = count_codes(pages)
        for row in sorted(finding_rows(pages), key=order_of(counts)):
            self.findings.add(row)
        for table in self.tables:
            table.finish()
        return counts

    def _noted(self, rows: Iterable[InventoryRow]) -> Iterator[InventoryRow]:
        """Add redirects and orphans to their tables as they go by."""
        for row in rows:
            self._robots.add_page(row)
            for one in site_findings(row):
                if one.code in OF_REDIRECTS:
                    self._add_redirect(row, one)
                elif one.code == "orphan":
                    visited = None if row.visited is None else instant(row.visited, "visited")
                    is_indexable = "yes" if row.indexable else "no"
                    self.orphans.add((row.url, row.title, row.sitemaps, is_indexable, visited))
            yield row

    def _add_redirect(self, row: InventoryRow, found: SiteFinding) -> None:
        end = row.redirects[-1] if row.redirects else None
        problem = OF_REDIRECTS[found.code]
        steps = max(len(row.redirects), 1)
        self.redirects.add((row.url, problem, steps, end, row.inlinks, found.message))


FindingRow = tuple[str, str, str, str, int | None]


def finding_rows(pages: Iterable[OddPage]) -> Iterator[FindingRow]:
    """Yield a row for each finding, and one for those that are only counted."""
    for page in pages:
        for one in page.findings.listed:
            yield page.url, one.severity, one.code, one.message, one.line
        for code, count in page.findings.more.items():
            more = f"{counted(count, 'more finding')} of this kind"
            yield page.url, severity_of(code), code, more, None


def order_of(counts: Sequence[CodeCount]) -> Callable[[FindingRow], int]:
    """Return the place of a row: the most severe first, then those with the most frequent code."""
    places = {one.code: place for place, one in enumerate(counts)}
    return lambda row: places[row[2]]
