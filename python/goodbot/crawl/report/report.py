"""The report of a crawl: its counts and tables, computed from what the crawl recorded.

Scope: which parts are read, in which order. `page` writes them as HTML.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from heapq import nlargest
from itertools import islice

from goodbot.crawl.evidence.punctuality import manners_by_time
from goodbot.crawl.evidence.reading import request_totals, was_answered_before
from goodbot.crawl.evidence.remarks import count_remarks, remarks
from goodbot.crawl.evidence.skipped import not_kept_links
from goodbot.crawl.evidence.trap_findings import counts_by_trap
from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.reading import answers_by_origin, count_queued
from goodbot.crawl.inventory.overview import origins_of
from goodbot.crawl.report.html.page import page_of
from goodbot.crawl.report.rows.change_table import CHANGES, fill_changes
from goodbot.crawl.report.rows.finding_table import MOST_CHECKED, SiteTables
from goodbot.crawl.report.rows.link_tables import BROKEN, BROKEN_LINKS, fill_broken
from goodbot.crawl.report.rows.paces import MOST_LISTED, REQUESTS, fill_paces
from goodbot.crawl.report.rows.packed_tables import PackedTable
from goodbot.crawl.report.rows.robot_tables import USUAL_ROBOTS, RobotTables
from goodbot.crawl.report.rows.summary import OutcomeCount, ReportSummary
from goodbot.crawl.report.rows.url_tables import UrlTables
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.crawl.watching.last_run import latest_run
from goodbot.crawl.watching.robots_trial import RobotsTrial
from goodbot.crawl.watching.watch_history import read_runs
from goodbot.garbage import no_collections
from goodbot.pace import Manners

__all__ = ["CrawlReport", "report_on"]


@dataclass(slots=True)
class CrawlReport:
    """The report of a crawl. Close it after use: large tables are in temporary files."""

    summary: ReportSummary
    """The counts."""
    tables: dict[str, PackedTable] = field(default_factory=dict)
    """The tables, by name."""
    robots: tuple[str, ...] = ()
    """The robots that are compared."""
    robots_are_usual: bool = True
    """Whether they were not named; of a large crawl, those are not compared."""

    def __iter__(self) -> Iterator[str]:
        """Yield the page, piece by piece."""
        return page_of(self.summary, self.tables)

    def fill(self, database: Database, manners: Manners) -> None:
        """Read the rows of all tables."""
        summary = self.summary
        urls, site = UrlTables(summary), SiteTables(summary.printed, summary.robots_facts)
        broken, links = PackedTable(BROKEN), PackedTable(BROKEN_LINKS)
        requests, changes = PackedTable(REQUESTS), PackedTable(CHANGES)
        robots = RobotTables(self.robots)
        tables = (broken, links, changes, *urls.tables, *site.tables, *robots.tables, requests)
        self.tables = {one.table.name: one for one in tables}
        fill_broken(database, summary.printed, broken, links)
        urls.fill(database)
        fill_paces(database, summary, manners, requests)
        summary.findings = site.fill(database, summary.urls)
        if self.robots_are_usual and summary.urls > MOST_CHECKED:
            robots.robots.clear()
        robots.fill(database, summary.printed)
        summary.robot_tables = robots
        summary.robots_facts.read_sites(database, own_sites(database))
        fill_changes(database, summary.printed, summary.latest_run, summary.urls, changes)

    def close(self) -> None:
        """Remove the temporary files."""
        for table in self.tables.values():
            table.close()


def own_sites(database: Database) -> Counter[str]:
    """Return how many pages of each site were requested; links to other sites are only checked."""
    own = origins_of(database)
    totals = request_totals(database)
    return Counter({one.origin: one.pages for one in totals if own is None or one.origin in own})


def report_on(
    database: Database,
    now: datetime,
    trial: RobotsTrial | None = None,
    robots: Sequence[str] = (),
) -> CrawlReport:
    """Read what a crawl did, for a page of HTML.

    Args:
        database: The file of the crawl.
        now: The time of the report: an aware `datetime`.
        trial: What another robots.txt would change, from `try_robots_txt`.
        robots: The robots that are compared; by default that of the crawl, and `USUAL_ROBOTS`.

    Raises:
        NotAStoreError: The stored settings or the evidence are damaged.

    """
    settings = database.settings()
    summary = ReportSummary(printed=now, settings=settings, robot=settings.get("robot", "*"))
    summary.trial = trial
    summary.runs = read_runs(database.folder)
    summary.folder = str(database.folder)
    summary.holds = database.store.holds()
    summary.manners = manners_by_time(database)
    latest = latest_run(settings)
    summary.latest_run = latest if latest and was_answered_before(database, latest) else None
    not_kept = not_kept_links(database).items()
    summary.not_kept = [OutcomeCount("not-kept", why, count) for why, count in not_kept]
    known = CrawlSettings.read(database) or CrawlSettings()
    summary.traps = counts_by_trap(database)
    summary.queued_again, _ = count_queued(database)
    summary.remarks = list(islice(remarks(database), MOST_LISTED))
    summary.remarks_not_shown = count_remarks(database) - len(summary.remarks)
    summary.answers = nlargest(MOST_LISTED, answers_by_origin(database), key=lambda one: one.total)
    own = [name] if (name := settings.get("product", "")) else []
    usual = tuple(dict.fromkeys((*own, *USUAL_ROBOTS)))
    found = CrawlReport(summary, robots=tuple(robots) or usual, robots_are_usual=not robots)
    try:
        with no_collections():
            found.fill(database, known.manners)
    except BaseException:
        found.close()
        raise
    return found
