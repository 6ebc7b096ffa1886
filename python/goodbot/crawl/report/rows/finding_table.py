"""The table of findings in a report: on the marks of pages, and on the site unless it is large.

Scope: a row for each finding that is listed, and one for those that are only counted.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime

from goodbot.crawl.evidence.crawl_findings import pages_with_findings
from goodbot.crawl.evidence.odd_pages import CodeCount, OddPage, count_codes, odd_pages
from goodbot.crawl.evidence.page_findings import severity_of
from goodbot.crawl.folder.database import Database
from goodbot.crawl.report.rows.packed_tables import PackedTable, Table, TableColumn
from goodbot.http.amounts import counted

__all__ = ["FINDINGS", "MOST_CHECKED", "fill_findings"]

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
    "findings DIR",
)


def fill_findings(
    database: Database, now: datetime, urls: int, table: PackedTable
) -> list[CodeCount]:
    """Add the findings of every page, and return their numbers by code.

    Args:
        database: The file of the crawl.
        now: The time, an aware `datetime`: texts of pages that have expired by then are not shown.
        urls: How many URLs the crawl knows; see `MOST_CHECKED`.
        table: Where the findings go.

    Raises:
        NotAStoreError: A row is damaged.

    """
    few = urls <= MOST_CHECKED
    pages = pages_with_findings(database, now=now) if few else odd_pages(database)
    counts = count_codes(listed(pages, table))
    table.finish()
    return counts


def listed(pages: Iterable[OddPage], table: PackedTable) -> Iterator[OddPage]:
    """Add the findings of each page to the table as it goes by."""
    for page in pages:
        for one in page.findings.listed:
            table.add((page.url, one.severity, one.code, one.message, one.line))
        for code, count in page.findings.more.items():
            more = f"{counted(count, 'more finding')} of this kind"
            table.add((page.url, severity_of(code), code, more, None))
        yield page
