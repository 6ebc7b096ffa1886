"""The tables of broken URLs in a report, and of the links to them.

Scope: rows from what `goodbot.crawl.evidence.site_links` finds.
"""

from datetime import datetime
from itertools import islice

from goodbot.crawl.evidence.site_links import SiteLinks
from goodbot.crawl.folder.database import Database
from goodbot.crawl.report.rows.packed_tables import PackedTable, Table, TableColumn
from goodbot.http.instants import instant

__all__ = ["BROKEN", "BROKEN_LINKS", "MOST_LINKS", "fill_broken"]

MOST_LINKS = 10_000
"""The most links to broken URLs that are in a report; one in the foot of each page has more."""

BROKEN = Table(
    "broken",
    "Broken",
    (
        TableColumn("url", "URL", "url"),
        TableColumn("answer", "response", "choice"),
        TableColumn("pages", "linked from", "number", leads_to="broken-links"),
        TableColumn("sitemaps", "in sitemaps", "number", leads_to="broken-links", on_phones=False),
        TableColumn("page", "first of these", "url"),
        TableColumn("visited", "last visit", "time", on_phones=False),
    ),
    "links DIR --broken",
)
BROKEN_LINKS = Table(
    "broken-links",
    "Links to broken URLs",
    (
        TableColumn("url", "broken URL", "url"),
        TableColumn("page", "on the page", "url"),
        TableColumn("line", "line", "number"),
        TableColumn("text", "text of the link", on_phones=False),
        TableColumn("kind", "kind", "choice", on_phones=False),
        TableColumn("rel", "rel", "choice", on_phones=False),
    ),
    "links DIR --broken",
)


def fill_broken(database: Database, now: datetime, broken: PackedTable, links: PackedTable) -> None:
    """Add the URLs that fail, those to which most pages link first, and the links to them.

    Args:
        database: The file of the crawl.
        now: The time, an aware `datetime`: texts of pages that have expired by then are not shown.
        broken: Where the URLs go.
        links: Where the links go.

    Raises:
        NotAStoreError: The links of a page are damaged.

    """
    found = SiteLinks(database, now)
    first_pages: dict[str, str] = {}
    for link in islice(found.find(["broken"]), MOST_LINKS):
        first_pages.setdefault(link.url, link.page)
        links.add((link.url, link.page, link.line, link.text, link.kind, link.rel))
    ranked = found.ranked("broken")
    targets = found.targets([url.url_id for url in ranked])
    for url, one in zip(ranked, targets, strict=True):
        record = one.record
        visited = None if record.visited is None else instant(record.visited, "visited")
        places = (url.pages, url.sitemaps, first_pages.get(record.url))
        broken.add((record.url, " > ".join(one.answers), *places, visited))
    for table in (broken, links):
        table.finish()
