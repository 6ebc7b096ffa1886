"""Every finding of a crawl in one list: on marks of pages and sitemaps, the site, and traps.

Scope: combining them. `goodbot.page.finding_codes` has the codes on marks for robots,
`goodbot.sitemaps.finding_codes` those on sitemaps,
`goodbot.crawl.inventory.site_findings` those on the site, `goodbot.crawl.frontier.traps` the traps.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from goodbot.crawl.evidence.odd_pages import OddPage, odd_pages, severity_of
from goodbot.crawl.evidence.page_findings import PageFinding, PageFindings
from goodbot.crawl.evidence.trap_findings import TRAP_SEVERITY, trap_findings
from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.traps import TRAPS
from goodbot.crawl.inventory.inventory_row import InventoryRow
from goodbot.crawl.inventory.row_building import inventory_rows
from goodbot.crawl.inventory.site_findings import SITE_FINDINGS, site_findings
from goodbot.display import short_repr
from goodbot.errors import WrongValueError
from goodbot.lazy_dataclass import dataclass
from goodbot.page.finding_codes import FINDING_CODES
from goodbot.sitemaps.finding_codes import FINDING_CODES as SITEMAP_CODES

__all__ = [
    "CrawlFinding",
    "check_codes",
    "crawl_findings",
    "found_codes",
    "pages_with_findings",
    "site_pages",
]


@dataclass(frozen=True, slots=True, repr=False)
class CrawlFinding:
    """A problem of a page, or links into a trap."""

    url: str
    """The URL of the page, or of a link into the trap."""
    at: datetime | None
    """When the page was visited; `None` for a trap."""
    code: str
    """The code of the finding, or the slug of the trap."""
    severity: str
    """`error`, `warning` or `info`."""
    line: int | None
    """The line of the page; `None` if there is none."""
    message: str
    count: int
    """How many findings this stands for: 1, unless the crawl only counted them; for a trap, the
    number of links into it."""

    __repr__ = short_repr

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self) | {"at": None if self.at is None else self.at.isoformat()}


def check_codes(codes: Collection[str]) -> None:
    """Check that each code is one that a finding or a trap may have.

    Raises:
        WrongValueError: A code is unknown.

    """
    known = {*TRAPS, *FINDING_CODES, *SITEMAP_CODES, *SITE_FINDINGS}
    unknown = [code for code in codes if code not in known]
    if unknown:
        near = get_close_matches(unknown[0].lower(), sorted(known), n=1)
        meant = f"; did you mean {near[0]}?" if near else ";"
        message = f"there is no code {unknown[0]!r}{meant} the codes are {', '.join(sorted(known))}"
        raise WrongValueError(message)


def crawl_findings(
    database: Database, *, now: datetime, codes: Collection[str] = ()
) -> Iterator[CrawlFinding]:
    """Yield every finding of a crawl: page by page on marks, page by page on the site, then traps.

    Args:
        database: The database of the crawl.
        now: The time, an aware `datetime`: texts of pages that have expired by then are not shown.
        codes: Only findings with these codes; all if empty.

    Raises:
        NotAStoreError: A row is damaged.
        WrongValueError: A code is unknown, or `now` has no time zone.

    """
    check_codes(codes)
    for page in pages_with_findings(database, now=now, codes=codes):
        for one in page.findings.listed:
            yield CrawlFinding(page.url, page.at, one.code, one.severity, one.line, one.message, 1)
        for code, count in page.findings.more.items():
            severity = severity_of(code)
            yield CrawlFinding(page.url, page.at, code, severity, None, "not listed", count)
    for met in trap_findings(database, codes):
        why = f"links into a possible trap: {met.why}"
        yield CrawlFinding(met.example, None, met.trap, TRAP_SEVERITY, None, why, met.links)


def pages_with_findings(
    database: Database, *, now: datetime, codes: Collection[str] = ()
) -> Iterator[OddPage]:
    """Yield the pages with findings on their marks, then those with findings on the site.

    Args:
        database: The database of the crawl.
        now: The time, an aware `datetime`.
        codes: Only findings with these codes; all if empty.

    Raises:
        NotAStoreError: A row is damaged.

    """
    yield from odd_pages(database, codes)
    if not codes or not SITE_FINDINGS.keys().isdisjoint(codes):
        yield from site_pages(inventory_rows(database, now), now=now, codes=codes)


def site_pages(
    rows: Iterable[InventoryRow], *, now: datetime, codes: Collection[str] = ()
) -> Iterator[OddPage]:
    """Yield the pages with findings on the site, from the rows of the inventory.

    Args:
        rows: The rows.
        now: The time, an aware `datetime`.
        codes: Only findings with these codes; all if empty.

    """
    for row in rows:
        listed = tuple(found_in(row, codes))
        if listed:
            yield OddPage(row.url, row.visited or now, PageFindings(listed))


def found_in(row: InventoryRow, codes: Collection[str]) -> Iterator[PageFinding]:
    """Yield the findings on a page that its row in the inventory shows."""
    for one in site_findings(row):
        if not codes or one.code in codes:
            yield PageFinding(one.code, one.severity, None, one.message)


def found_codes(database: Database, *, now: datetime, codes: Collection[str] = ()) -> set[str]:
    """Return which of some codes the findings of a crawl have; see `crawl_findings`."""
    return {one.code for one in crawl_findings(database, now=now, codes=codes)}
