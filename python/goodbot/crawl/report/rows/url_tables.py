"""The tables of URLs in a report: all of them, and those that need attention.

Scope: one pass over the queue, beside which the evidence is read in the same order.
"""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from goodbot.crawl.evidence.reading import LatestPage, latest_pages
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.states import label_of
from goodbot.crawl.frontier.reading import UrlRecord, answer_of, entries, is_trouble
from goodbot.crawl.report.rows.acts import NO_PAGE, ActCounter, PageActs
from goodbot.crawl.report.rows.packed_tables import PackedTable, Table, TableColumn
from goodbot.crawl.report.rows.summary import OutcomeCount, ReportSummary
from goodbot.http.instants import instant

__all__ = ["BLOCKED", "ERROR", "NOT_INDEXABLE", "URLS", "UrlTables"]

ERROR = "error response"
"""The outcome of a URL that was fetched, and whose status is neither a success nor a redirect."""
PLAIN = {"fetched", "redirect"}
"""Reasons that say no more than the outcome does."""
MOST_STARTS = 100
"""The most sites of start URLs that are counted."""

URL = TableColumn("url", "URL", "url")
URLS = Table(
    "urls",
    "All URLs",
    (
        URL,
        TableColumn("outcome", "outcome", "choice"),
        TableColumn("why", "reason", "choice"),
        TableColumn("status", "status", "choice"),
        TableColumn("depth", "depth", "number", on_phones=False),
        TableColumn("found", "found by", "choice", on_phones=False),
        TableColumn("denied", "not allowed", "choice", on_phones=False),
        TableColumn("partly", "not for parts", "choice", on_phones=False),
        TableColumn("visited", "last visit", "time", on_phones=False),
    ),
    "evidence DIR --export -",
)
BLOCKED = Table(
    "blocked",
    "Blocked",
    (
        URL,
        TableColumn("why", "reason", "choice"),
        TableColumn("rule", "rule"),
        TableColumn("source", "decided by", on_phones=False),
    ),
    "skipped DIR",
)
NOT_INDEXABLE = Table(
    "not-indexable",
    "Not indexable",
    (
        URL,
        TableColumn("why", "reason", "choice"),
        TableColumn("source", "decided by"),
    ),
)


class Row(NamedTuple):
    """A URL with what the report shows of it."""

    entry: UrlRecord
    outcome: str
    why: str
    acts: PageActs
    rule: str


class UrlTables:
    """The tables of URLs, filled in one pass.

    Args:
        summary: Where the counts go.

    """

    def __init__(self, summary: ReportSummary) -> None:
        """Start without rows."""
        self.urls = PackedTable(URLS)
        self.blocked = PackedTable(BLOCKED)
        self.not_indexable = PackedTable(NOT_INDEXABLE)
        self._summary = summary
        self._acts = ActCounter(summary)
        self._outcomes: Counter[tuple[str, str, str]] = Counter()
        self._starts: Counter[str] = Counter()

    @property
    def tables(self) -> tuple[PackedTable, ...]:
        """All tables, in the order of the page."""
        return self.blocked, self.not_indexable, self.urls

    def fill(self, database: Database) -> None:
        """Read every URL.

        Raises:
            NotAStoreError: The evidence is damaged.

        """
        for row in self._rows(database):
            self._add(row)
        self._acts.finish()
        for table in self.tables:
            table.finish()
        self._summary.outcomes = [
            OutcomeCount(state, why, count, outcome)
            for (state, outcome, why), count in self._outcomes.most_common()
        ]
        self._summary.starts = [origin for origin, _ in self._starts.most_common()]

    def _rows(self, database: Database) -> Iterator[Row]:
        """Yield every URL with the latest result of its visits."""
        pages = latest_pages(database)
        page = next(pages, None)
        for entry in entries(database):
            while page is not None and page.url_id < entry.url_id:
                page = next(pages, None)
            mine = page if page is not None and page.url_id == entry.url_id else None
            yield self._row(entry, mine)

    def _row(self, entry: UrlRecord, page: LatestPage | None) -> Row:
        acts = NO_PAGE if page is None else self._acts.page(page.packed)
        rule = (page and page.rule) or ""
        if entry.state == "done" and is_trouble(answer_of(entry.status, entry.reason)):
            return Row(entry, ERROR, answer_of(entry.status, entry.reason), acts, rule)
        why = "" if entry.reason in PLAIN else entry.reason
        return Row(entry, label_of(entry.state), why, acts, rule)

    def _add(self, row: Row) -> None:
        """Add a URL to the tables to which it belongs."""
        entry, acts = row.entry, row.acts
        self._outcomes[entry.state, row.outcome, row.why] += 1
        if entry.how == "start" and len(self._starts) < MOST_STARTS:
            self._starts[entry.origin] += 1
        visited = None if entry.visited is None else instant(entry.visited, "visited")
        status = None if entry.status is None else str(entry.status)
        of_page = (entry.depth, entry.how, acts.denied, acts.partly, visited)
        self.urls.add((entry.url, row.outcome, row.why, status, *of_page))
        if entry.state == "disallowed":
            self.blocked.add((entry.url, row.why, row.rule, entry.source))
        elif acts.index is not None and row.outcome != ERROR:
            self.not_indexable.add((entry.url, acts.index.reason, acts.index.source))
