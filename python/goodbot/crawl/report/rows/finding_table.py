"""The table of findings on pages in a report.

Scope: a row for each finding that is listed, and one for those that are only counted.
"""

from goodbot.crawl.evidence.odd_pages import odd_pages
from goodbot.crawl.evidence.page_findings import severity_of
from goodbot.crawl.folder.database import Database
from goodbot.crawl.report.rows.packed_tables import PackedTable, Table, TableColumn
from goodbot.http.amounts import counted

__all__ = ["FINDINGS", "fill_findings"]

FINDINGS = Table(
    "findings",
    "Findings",
    (
        TableColumn("url", "URL", "url"),
        TableColumn("severity", "severity", "choice"),
        TableColumn("code", "code", "choice"),
        TableColumn("line", "line", "number", on_phones=False),
        TableColumn("message", "finding"),
    ),
    "findings DIR",
)


def fill_findings(database: Database, table: PackedTable) -> None:
    """Add the findings of every page.

    Raises:
        NotAStoreError: A row of the evidence is damaged.

    """
    for page in odd_pages(database):
        for one in page.findings.listed:
            table.add((page.url, one.severity, one.code, one.line, one.message))
        for code, count in page.findings.more.items():
            more = f"{counted(count, 'more finding')} of this kind"
            table.add((page.url, severity_of(code), code, None, more))
    table.finish()
