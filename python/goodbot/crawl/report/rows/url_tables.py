"""The tables of URLs in a report: all of them, and those that need attention.

Scope: one pass over the queue, beside which the evidence is read in the same order.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Generic, NamedTuple, Protocol, TypeVar

from goodbot.crawl.evidence.reading import LatestPage, latest_pages
from goodbot.crawl.evidence.site_links import SiteLinks
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.states import label_of
from goodbot.crawl.frontier.reading import UrlRecord, answer_of, entries, is_trouble
from goodbot.crawl.inventory.indexability import Indexability, indexability, is_shown
from goodbot.crawl.inventory.overview import normal
from goodbot.crawl.inventory.page_record import PageRecord
from goodbot.crawl.inventory.reading import stored_facts
from goodbot.crawl.inventory.site_findings import SLOW_MS
from goodbot.crawl.links.reading import inlink_counts
from goodbot.crawl.report.rows.acts import NO_PAGE, ActCounter, PageActs
from goodbot.crawl.report.rows.duplicates import DUPLICATES, DuplicateFinder
from goodbot.crawl.report.rows.packed_tables import PackedTable, Table, TableColumn
from goodbot.crawl.report.rows.summary import OutcomeCount, ReportSummary
from goodbot.http.instants import SECOND, instant

__all__ = ["BLOCKED", "ERROR", "NOT_INDEXABLE", "SLOW", "URLS", "UrlTables"]

ERROR = "error response"
"""The outcome of a URL that was fetched, and whose status is neither a success nor a redirect."""
PLAIN = {"fetched", "redirect"}
"""Reasons that say no more than the outcome does."""
MILLISECOND = SECOND // 1_000
AT_ONCE = 1_000
"""How many URLs are looked up together."""
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
        TableColumn("title", "title", on_phones=False),
        TableColumn("pages", "linked from", "number", on_phones=False),
        TableColumn("depth", "depth", "number", on_phones=False),
        TableColumn("words", "words", "number", on_phones=False),
        TableColumn("bytes", "size", "bytes", on_phones=False),
        TableColumn("first_byte", "first byte", "duration", on_phones=False),
        TableColumn("found", "found by", "choice", on_phones=False),
        TableColumn("denied", "not allowed", "choice", on_phones=False),
        TableColumn("partly", "not for parts", "choice", on_phones=False),
        TableColumn("visited", "last visit", "time", on_phones=False),
    ),
    "evidence DIR --export -",
)
SLOW = Table(
    "slow",
    "Slow",
    (
        URL,
        TableColumn("first_byte", "first byte", "duration"),
        TableColumn("bytes", "size", "bytes"),
        TableColumn("title", "title", on_phones=False),
        TableColumn("visited", "last visit", "time", on_phones=False),
    ),
    "inventory DIR",
    sort="-first_byte",
)
BLOCKED = Table(
    "blocked",
    "Blocked",
    (
        URL,
        TableColumn("why", "reason", "choice"),
        TableColumn("rule", "rule"),
        TableColumn("pages", "linked from", "number", on_phones=False),
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
    facts: PageRecord | None
    """What the inventory has of its page; `None` if it never was answered."""
    pages: int | None
    """How many pages link to it; `None` if no links are stored."""
    unindexed: Indexability | None
    """Why the page is not in an index; `None` if it may be, or if there is no page."""


class UrlTables:
    """The tables of URLs, filled in one pass.

    Args:
        summary: Where the counts go.

    """

    def __init__(self, summary: ReportSummary) -> None:
        """Start without rows."""
        self.urls = PackedTable(URLS)
        self.slow = PackedTable(SLOW)
        self.duplicates = PackedTable(DUPLICATES)
        self.blocked = PackedTable(BLOCKED)
        self.not_indexable = PackedTable(NOT_INDEXABLE)
        self._summary = summary
        self._duplicates = DuplicateFinder()
        self._acts = ActCounter(summary)
        self._outcomes: Counter[tuple[str, str, str]] = Counter()
        self._starts: Counter[str] = Counter()

    @property
    def tables(self) -> tuple[PackedTable, ...]:
        """All tables, in the order of the page."""
        return self.blocked, self.slow, self.duplicates, self.not_indexable, self.urls

    def fill(self, database: Database) -> None:
        """Read every URL.

        Raises:
            NotAStoreError: The evidence is damaged.

        """
        for row in self._rows(database):
            self._add(row)
        self._duplicates.fill(database, self.duplicates)
        self._acts.finish()
        for table in self.tables:
            table.finish()
        self._summary.outcomes = [
            OutcomeCount(state, why, count, outcome)
            for (state, outcome, why), count in self._outcomes.most_common()
        ]
        self._summary.starts = [origin for origin, _ in self._starts.most_common()]

    def _rows(self, database: Database) -> Iterator[Row]:
        """Yield every URL with the latest result of its visits, and the facts of its page."""
        said = Beside(latest_pages(database))
        facts = Beside(stored_facts(database))
        found = entries(database)
        none = 0 if SiteLinks(database, self._summary.printed).are_stored else None
        while batch := list(islice(found, AT_ONCE)):
            linked = inlink_counts(database, [one.url_id for one in batch])
            for entry in batch:
                page, stored = said.at(entry.url_id), facts.at(entry.url_id)
                record = None if stored is None else stored.record
                yield self._row(entry, page, record, linked.get(entry.url_id, none))

    def _row(
        self, entry: UrlRecord, page: LatestPage | None, facts: PageRecord | None, pages: int | None
    ) -> Row:
        acts = NO_PAGE if page is None else self._acts.page(page.packed)
        rule = (page and page.rule) or ""
        outcome, why = label_of(entry.state), "" if entry.reason in PLAIN else entry.reason
        unindexed = None
        if entry.state == "done" and is_trouble(answer_of(entry.status, entry.reason)):
            outcome, why = ERROR, answer_of(entry.status, entry.reason)
        elif entry.status is not None and entry.state != "redirected":
            unindexed = self._not_indexed(entry, facts, acts)
        return Row(entry, outcome, why, acts, rule, facts, pages, unindexed)

    def _not_indexed(
        self, entry: UrlRecord, facts: PageRecord | None, acts: PageActs
    ) -> Indexability | None:
        """Return why a page that was fetched is not in an index; `None` if it may be."""
        if facts is None:  # crawled by a version that stored none
            return acts.unindexed
        if facts.indexable is None:
            return None
        verdict = indexability(entry, facts, normal(facts.canonical), self._summary.printed)
        return None if verdict.allowed else verdict

    def _add(self, row: Row) -> None:
        """Add a URL to the tables to which it belongs."""
        entry = row.entry
        self._outcomes[entry.state, row.outcome, row.why] += 1
        if entry.how == "start" and len(self._starts) < MOST_STARTS:
            self._starts[entry.origin] += 1
        visited = None if entry.visited is None else instant(entry.visited, "visited")
        self._add_page(row, visited)
        if entry.state == "disallowed":
            self.blocked.add((entry.url, row.why, row.rule, row.pages, entry.source))
        elif row.unindexed is not None:
            self.not_indexable.add((entry.url, row.unindexed.reason, row.unindexed.source))

    def _add_page(self, row: Row, visited: int | None) -> None:
        """Add a URL to the tables of all URLs, of slow pages and of duplicates."""
        entry, facts, acts = row.entry, row.facts, row.acts
        status = None if entry.status is None else str(entry.status)
        title = words = size = first_byte = None
        if facts is not None:
            self._summary.pages_with_facts += 1
            words, size = facts.words, facts.bytes
            if facts.first_byte is not None:
                first_byte = round(facts.first_byte * SECOND)
            if is_shown(facts, self._summary.printed):
                title = facts.title
                if row.unindexed is None:
                    self._duplicates.add(entry, facts)
        of_page = (title, row.pages, entry.depth, words, size, first_byte)
        of_visit = (entry.how, acts.denied, acts.partly, visited)
        self.urls.add((entry.url, row.outcome, row.why, status, *of_page, *of_visit))
        if first_byte is not None and first_byte > SLOW_MS * MILLISECOND:
            self.slow.add((entry.url, first_byte, size, title, visited))


class OfUrl(Protocol):
    """A row that has the number of its URL."""

    @property
    def url_id(self) -> int:
        """The number."""


Found = TypeVar("Found", bound=OfUrl)


class Beside(Generic[Found]):
    """Rows that are read beside the queue, in the order of the URLs' numbers.

    Args:
        rows: The rows, at most one for each URL.

    """

    def __init__(self, rows: Iterator[Found]) -> None:
        """Read the first row."""
        self._rows = rows
        self._next = next(rows, None)

    def at(self, url_id: int) -> Found | None:
        """Return the row of a URL; `None` if it has none. Numbers must only grow."""
        while self._next is not None and self._next.url_id < url_id:
            self._next = next(self._rows, None)
        found = self._next
        return found if found is not None and found.url_id == url_id else None
