"""A crawl: visit, index and archive pages, and be able to prove that every rule was obeyed.

All data of a crawl are in one folder: the queue, policies, visits, the index and the evidence in
one SQLite file, and WARC files next to it.
"""

TYPE_CHECKING = False  # `typing` is not worth loading for it
if TYPE_CHECKING:
    from goodbot.crawl.archive.warc_archive import WarcArchive
    from goodbot.crawl.evidence.crawl_changes import CrawlChange, compare
    from goodbot.crawl.evidence.crawl_findings import CrawlFinding, crawl_findings
    from goodbot.crawl.evidence.evidence import Evidence
    from goodbot.crawl.evidence.site_links import FoundLink, find_links
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
    from goodbot.crawl.wacz.wacz_export import WaczSummary, export_wacz

__all__ = [
    "SITE_FINDINGS",
    "TRAPS",
    "Bounds",
    "Crawl",
    "CrawlChange",
    "CrawlEvent",
    "CrawlFinding",
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
    "Started",
    "Summary",
    "UrlSettled",
    "WaczSummary",
    "WaitBegan",
    "WarcArchive",
    "compare",
    "crawl_findings",
    "export_inventory",
    "export_wacz",
    "find_links",
    "import_warcs",
    "inventory_rows",
    "open_readonly",
    "search",
    "site_findings",
]

_WHERE = {
    "CrawlFinding": "evidence.crawl_findings",
    "InventoryRow": "inventory.inventory_row",
    "SITE_FINDINGS": "inventory.site_findings",
    "SiteFinding": "inventory.site_findings",
    "crawl_findings": "evidence.crawl_findings",
    "export_inventory": "inventory.inventory_export",
    "inventory_rows": "inventory.row_building",
    "site_findings": "inventory.site_findings",
    "TRAPS": "frontier.traps",
    "Bounds": "frontier.bounds",
    "Crawl": "run.crawl",
    "Database": "folder.database",
    "Ended": "run.events",
    "CrawlChange": "evidence.crawl_changes",
    "CrawlEvent": "run.crawl",
    "Evidence": "evidence.evidence",
    "FindingsReported": "run.events",
    "ProcessCrawl": "processes.process_crawl",
    "FoundLink": "evidence.site_links",
    "ImportSummary": "imports.warc_import",
    "ResponseRecorder": "imports.response_recorder",
    "SQLiteIndex": "index.sqlite",
    "SiteAlert": "run.events",
    "UrlSettled": "run.events",
    "Started": "run.events",
    "WaitBegan": "run.events",
    "Summary": "run.events",
    "WaczSummary": "wacz.wacz_export",
    "WarcArchive": "archive.warc_archive",
    "export_wacz": "wacz.wacz_export",
    "compare": "evidence.crawl_changes",
    "find_links": "evidence.site_links",
    "import_warcs": "imports.warc_import",
    "open_readonly": "folder.open_readonly",
    "search": "searching",
}
"""The module of each name. They are loaded lazily: searching needs neither aiohttp nor warcio."""


def __getattr__(name: str) -> object:
    """Load a name when it is first used (PEP 562)."""
    if name in _WHERE:
        from importlib import import_module  # noqa: PLC0415  not needed before

        value: object = getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
        globals()[name] = value
        return value
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
