"""The tables of URLs in a report: all of them, and those that need attention.

Scope: one pass over the queue; for some URLs at a time, what else is known of them is read.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import islice

from goodbot.crawl.evidence.reading import LatestPage, latest_pages
from goodbot.crawl.evidence.site_links import SiteLinks
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.states import State, label_of
from goodbot.crawl.frontier.reading import BriefUrl, answer_of, brief_urls, is_trouble
from goodbot.crawl.inventory.declared_served import declared_to, served_to
from goodbot.crawl.inventory.indexability import WITHDRAWN, barred, indexability, is_shown
from goodbot.crawl.inventory.page_record import OWN_SITE
from goodbot.crawl.inventory.reading import BriefFacts, brief_facts
from goodbot.crawl.inventory.resources import ResourceRules
from goodbot.crawl.inventory.site_findings import SLOW_MS
from goodbot.crawl.links.reading import inlink_counts_between
from goodbot.crawl.report.rows.acts import NO_PAGE, ActCounter, PageActs
from goodbot.crawl.report.rows.duplicates import DUPLICATES, DuplicateFinder
from goodbot.crawl.report.rows.packed_tables import PackedTable, Table, TableColumn
from goodbot.crawl.report.rows.summary import OutcomeCount, ReportSummary
from goodbot.http.instants import SECOND
from goodbot.http.payment import PRICED
from goodbot.http.served import Declared, Served
from goodbot.indexability.decision import Indexability, normal

__all__ = ["BLOCKED", "ERROR", "NOT_INDEXABLE", "SLOW", "URLS", "UrlTables"]

ERROR = "error response"
"""The outcome of a URL that was fetched, and whose status is neither a success nor a redirect."""
PLAIN = {"fetched", "redirect"}
"""Reasons that say no more than the outcome does."""
MILLISECOND = SECOND // 1_000
AT_ONCE = 200
"""How many URLs are put together with their other rows at once: so few that the processor's caches
hold them."""
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
        TableColumn("declared", "declared", "choice", on_phones=False),
        TableColumn("served", "served", "choice", on_phones=False),
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
    "report skipped DIR",
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


@dataclass(slots=True)
class UrlOutcome:
    """What became of URLs with the same state, reason and status."""

    state: State
    outcome: str
    """The state in words, `ERROR`, or `priced`."""
    why: str
    status: str | None
    has_page: bool
    """Whether there is a page that might be in an index."""
    is_barred: bool = False
    """Whether something keeps robots from the page, whatever it says."""
    declared: Declared = "unknown"
    served: Served | None = None
    count: int = 0
    """How many URLs there are."""

    @property
    def cells(self) -> tuple[str | None, ...]:
        """The cells of the table of all URLs that are the same for these."""
        return (self.outcome, self.why, self.status, self.declared, self.served)


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
        self._outcomes: dict[tuple[str, str, int | None, bool], UrlOutcome] = {}
        self._rules: ResourceRules | None = None
        self._starts: Counter[str] = Counter()
        self._start_sites: set[int] = set()
        """The hashes of their names, of which a crawl of many sites has room for all."""

    @property
    def tables(self) -> tuple[PackedTable, ...]:
        """All tables, in the order of the page."""
        return self.blocked, self.slow, self.duplicates, self.not_indexable, self.urls

    def fill(self, database: Database) -> None:
        """Read every URL, and beside it the latest result of its visits, its page and its links.

        Raises:
            NotAStoreError: The evidence is damaged.

        """
        rules = ResourceRules(database, database.setting("product"))
        self._rules = rules if rules.is_own_site else None
        none = 0 if SiteLinks(database, self._summary.printed).are_stored else None
        urls = brief_urls(database)
        while some := list(islice(urls, AT_ONCE)):
            span = some[0].url_id, some[-1].url_id
            page_of = latest_pages(database, *span).get
            facts_of = brief_facts(database, *span).get
            links_to = inlink_counts_between(database, *span).get
            for one in some:
                number = one.url_id
                self._add(one, page_of(number), facts_of(number), links_to(number, none))
        self._summary.duplicate_pages = self._duplicates.fill(database, self.duplicates)
        self._acts.finish()
        for table in self.tables:
            table.finish()
        self._count()

    def _count(self) -> None:
        """Put the counts into the summary."""
        counts: Counter[tuple[State, str, str]] = Counter()
        for one in self._outcomes.values():
            counts[one.state, one.why, one.outcome] += one.count
            if one.served is not None or one.declared != "unknown":
                self._summary.declared_served[one.declared, one.served] += one.count
        self._summary.outcomes = [
            OutcomeCount(state, why, count, outcome)
            for (state, why, outcome), count in counts.most_common()
        ]
        self._summary.starts = [origin for origin, _ in self._starts.most_common()]
        self._summary.start_sites = len(self._start_sites)

    def _outcome_of(self, one: BriefUrl) -> UrlOutcome:
        """Return what became of a URL, after counting it."""
        overruled = self._rules is not None and bool(self._rules.overruled(one.url))
        key = (one.state, one.reason, one.status, overruled)
        found = self._outcomes.get(key)
        if found is None:
            found = self._outcomes[key] = outcome_of(one.state, one.reason, one.status)
            found.is_barred = barred(one) is not None
            found.declared = declared_to(one, overruled=overruled)
            found.served = served_to(one)
        found.count += 1
        return found

    def _add(
        self,
        one: BriefUrl,
        page: LatestPage | None,
        facts: BriefFacts | None,
        linked_from: int | None,
    ) -> None:
        """Add a URL to the tables to which it belongs."""
        _, url, origin, depth, how, state, _, _, source, visited = one
        outcome = self._outcome_of(one)
        acts = NO_PAGE if page is None else self._acts.page(page.packed)
        unindexed = self._unindexed(one, outcome, facts, acts) if outcome.has_page else None
        title = words = size = first_byte = None
        if facts is not None:
            self._summary.pages_with_facts += 1
            _, size, first_byte, _, _, _, last_shown, title, _, words, _, _ = facts
            if last_shown is not None and not is_shown(facts, self._summary.printed):
                title = None
            elif unindexed is None:
                self._duplicates.add(origin, facts)
            if first_byte is not None and first_byte > SLOW_MS * MILLISECOND:
                self.slow.add((url, first_byte, size, title, visited))
        is_permitted = outcome.declared == "disallowed" and state != "disallowed"
        # What robots.txt says of a page is no statement of the page.
        said = acts.unindexed if is_permitted and outcome.has_page else unindexed
        if said is not None:
            self.not_indexable.add((url, said.reason, said.source))
        if state == "disallowed" or is_permitted:
            self._summary.permitted += is_permitted
            rule, why = "" if page is None else page.rule, outcome.why
            if is_permitted and self._rules is not None:
                why, source = OWN_SITE, self._rules.overruled(url)
            self._summary.robots_facts.add_disallowed(one._replace(source=source), rule)
            self.blocked.add((url, why, rule, linked_from, source))
        if how == "start":
            self._start_sites.add(hash(origin))
            if origin in self._starts or len(self._starts) < MOST_STARTS:
                self._starts[origin] += 1
        of_page = (title, linked_from, depth, words, size, first_byte)
        self.urls.add((url, *outcome.cells, *of_page, how, acts.denied, acts.partly, visited))

    def _unindexed(
        self, one: BriefUrl, outcome: UrlOutcome, facts: BriefFacts | None, acts: PageActs
    ) -> Indexability | None:
        """Return why a page that was fetched is not in an index; `None` if it may be."""
        if facts is None:  # crawled by a version that stored none
            return acts.unindexed
        if facts.indexable is None:
            return None
        if facts.withheld not in WITHDRAWN and facts.canonical in {None, one.url}:
            if facts.indexable and facts.last_shown is None and not outcome.is_barred:
                return None  # as `indexability` decides of most pages
            canonical = facts.canonical
        else:
            canonical = normal(facts.canonical)
        verdict = indexability(one, facts, canonical, self._summary.printed)
        return None if verdict.allowed else verdict


def outcome_of(state: State, reason: str, status: int | None) -> UrlOutcome:
    """Return what became of URLs with this state, reason and status."""
    in_text = None if status is None else str(status)
    answer = answer_of(status, reason)
    if reason == PRICED:
        return UrlOutcome(state, PRICED, answer, in_text, has_page=False)
    if state == "done" and is_trouble(answer):
        return UrlOutcome(state, ERROR, answer, in_text, has_page=False)
    why = "" if reason in PLAIN else reason
    has_page = status is not None and state != "redirected"
    return UrlOutcome(state, label_of(state), why, in_text, has_page)
