"""The table of what changed between the runs of a crawl.

Scope: the changes since the start of the latest run, if there was an earlier one.
"""

from datetime import datetime

from goodbot.crawl.evidence.crawl_changes import CrawlChange, compare
from goodbot.crawl.folder.database import Database
from goodbot.crawl.report.rows.finding_table import MOST_CHECKED
from goodbot.crawl.report.rows.packed_tables import PackedTable, Table, TableColumn
from goodbot.http.instants import MICROSECOND

__all__ = ["CHANGES", "fill_changes"]

CHANGES = Table(
    "changes",
    "Changes",
    (
        TableColumn("url", "URL", "url"),
        TableColumn("change", "change", "choice"),
        TableColumn("before", "before", "choice"),
        TableColumn("after", "after", "choice"),
        TableColumn("detail", "detail", on_phones=False),
    ),
)


def fill_changes(
    database: Database, now: datetime, since: datetime | None, urls: int, table: PackedTable
) -> None:
    """Add what changed, in the order in which URLs were found; of a large crawl, nothing.

    Args:
        database: The file of the crawl.
        now: The time, an aware `datetime`.
        since: The start of the latest run; `None` if there is no earlier one.
        urls: How many URLs the crawl knows.
        table: Where the changes go.

    Raises:
        NotAStoreError: A row of the evidence is damaged.

    """
    if since is not None and urls <= MOST_CHECKED:
        for one in compare(database, database, now=now, before_at=since - MICROSECOND):
            table.add((one.url, one.change, one.before, one.after, detail_of(one)))
    table.finish()


def detail_of(change: CrawlChange) -> str:
    """Return the statement that decided, or the lines of a robots.txt that differ."""
    lines = [f"- {line}" for line in change.removed] + [f"+ {line}" for line in change.added]
    return change.source or "; ".join(lines)
