"""A crawl: visit, index and archive pages, and be able to prove that every rule was obeyed.

All data of a crawl are in one folder: the queue, policies, visits, the index and the evidence in
one SQLite file, and WARC files next to it.
"""

from goodbot.lazy_names import lazy_names

TYPE_CHECKING = False  # `typing` is not worth loading for it
if TYPE_CHECKING:
    from goodbot.crawl.archive.checking import ArchiveFault, check_archive
    from goodbot.crawl.archive.warc_archive import WarcArchive
    from goodbot.crawl.evidence.crawl_changes import CrawlChange, compare
    from goodbot.crawl.evidence.crawl_findings import CrawlFinding, crawl_findings
    from goodbot.crawl.evidence.evidence import Evidence
    from goodbot.crawl.evidence.export import export_evidence
    from goodbot.crawl.evidence.site_links import FoundLink, find_links
    from goodbot.crawl.evidence.skipped import SkippedGroup, skipped_groups, skipped_urls
    from goodbot.crawl.folder.database import Database
    from goodbot.crawl.folder.open_readonly import open_readonly
    from goodbot.crawl.frontier.bounds import Bounds
    from goodbot.crawl.frontier.traps import TRAPS
    from goodbot.crawl.imports.response_recorder import ResponseRecorder
    from goodbot.crawl.imports.warc_import import ImportSummary, import_warcs
    from goodbot.crawl.index.sqlite import SQLiteIndex
    from goodbot.crawl.inventory.inventory_export import export_inventory
    from goodbot.crawl.inventory.inventory_row import InventoryRow
    from goodbot.crawl.inventory.row_building import inventory_rows
    from goodbot.crawl.inventory.site_findings import SITE_FINDINGS, SiteFinding, site_findings
    from goodbot.crawl.processes.process_crawl import ProcessCrawl
    from goodbot.crawl.report.report import report_on
    from goodbot.crawl.run.crawl import Crawl, CrawlEvent
    from goodbot.crawl.run.events import (
        Ended,
        FindingsReported,
        SiteAlert,
        Started,
        Summary,
        UrlSettled,
        WaitBegan,
    )
    from goodbot.crawl.searching import search
    from goodbot.crawl.status.crawl_status import CrawlStatus, crawl_status
    from goodbot.crawl.wacz.wacz_export import WaczSummary, export_wacz

__all__ = [
    "SITE_FINDINGS",
    "TRAPS",
    "ArchiveFault",
    "Bounds",
    "Crawl",
    "CrawlChange",
    "CrawlEvent",
    "CrawlFinding",
    "CrawlStatus",
    "Database",
    "Ended",
    "Evidence",
    "FindingsReported",
    "FoundLink",
    "ImportSummary",
    "InventoryRow",
    "ProcessCrawl",
    "ResponseRecorder",
    "SQLiteIndex",
    "SiteAlert",
    "SiteFinding",
    "SkippedGroup",
    "Started",
    "Summary",
    "UrlSettled",
    "WaczSummary",
    "WaitBegan",
    "WarcArchive",
    "check_archive",
    "compare",
    "crawl_findings",
    "crawl_status",
    "export_evidence",
    "export_inventory",
    "export_wacz",
    "find_links",
    "import_warcs",
    "inventory_rows",
    "open_readonly",
    "report_on",
    "search",
    "site_findings",
    "skipped_groups",
    "skipped_urls",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "archive.checking": ("ArchiveFault", "check_archive"),
        "archive.warc_archive": ("WarcArchive",),
        "evidence.crawl_changes": ("CrawlChange", "compare"),
        "evidence.crawl_findings": ("CrawlFinding", "crawl_findings"),
        "evidence.evidence": ("Evidence",),
        "evidence.export": ("export_evidence",),
        "evidence.site_links": ("FoundLink", "find_links"),
        "evidence.skipped": ("SkippedGroup", "skipped_groups", "skipped_urls"),
        "folder.database": ("Database",),
        "folder.open_readonly": ("open_readonly",),
        "frontier.bounds": ("Bounds",),
        "frontier.traps": ("TRAPS",),
        "imports.response_recorder": ("ResponseRecorder",),
        "imports.warc_import": ("ImportSummary", "import_warcs"),
        "index.sqlite": ("SQLiteIndex",),
        "inventory.inventory_export": ("export_inventory",),
        "inventory.inventory_row": ("InventoryRow",),
        "inventory.row_building": ("inventory_rows",),
        "inventory.site_findings": ("SITE_FINDINGS", "SiteFinding", "site_findings"),
        "processes.process_crawl": ("ProcessCrawl",),
        "report.report": ("report_on",),
        "run.crawl": ("Crawl", "CrawlEvent"),
        "run.events": (
            "Ended",
            "FindingsReported",
            "SiteAlert",
            "Started",
            "Summary",
            "UrlSettled",
            "WaitBegan",
        ),
        "searching": ("search",),
        "status.crawl_status": ("CrawlStatus", "crawl_status"),
        "wacz.wacz_export": ("WaczSummary", "export_wacz"),
    },
    elsewhere={  # their earlier place
        "goodbot.sitemaps": ("Sitemap", "SitemapEntry", "read_sitemap"),
    },
)
