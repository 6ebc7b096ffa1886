"""The pages of a crawl that have findings: page by page, and counted by code.

Scope: combining the findings in the evidence with the URLs of the queue.
"""

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from itertools import islice

from goodbot.crawl.evidence.page_findings import (
    SEVERITIES,
    PageFinding,
    PageFindings,
    page_severity,
)
from goodbot.crawl.evidence.reading import FindingsRow, latest_findings
from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.reading import urls_of
from goodbot.crawl.inventory.site_findings import SITE_FINDINGS
from goodbot.lazy_dataclass import dataclass

__all__ = ["CodeCount", "OddPage", "count_codes", "odd_pages", "severity_of"]

AT_ONCE = 1_000
"""The number of URLs that are looked up together."""


@dataclass(frozen=True, slots=True)
class OddPage:
    """A page with the findings in its latest response."""

    url: str
    at: datetime
    """When the response came, in UTC."""
    findings: PageFindings


@dataclass(slots=True)
class CodeCount:
    """How often a finding occurs in a crawl."""

    code: str
    severity: str
    url: str
    """The first page that has it."""
    example: PageFinding | None
    """The finding on that page; `None` if it is only counted there."""
    pages: int = 0
    count: int = 0
    """The number of findings with this code on all pages."""


def odd_pages(database: Database, codes: Collection[str] = ()) -> Iterator[OddPage]:
    """Yield the pages with findings, in the order in which their URLs were found.

    Args:
        database: The file of the crawl.
        codes: Only findings with these codes; all if empty.

    Raises:
        NotAStoreError: A row of the evidence is damaged.

    """
    rows = latest_findings(database)
    while batch := list(islice(rows, AT_ONCE)):
        urls = urls_of(database, [row.url_id for row in batch])
        for row in batch:
            found = only(row, codes)
            if found:
                yield OddPage(urls.get(row.url_id, ""), row.at, found)


def only(row: FindingsRow, codes: Collection[str]) -> PageFindings:
    """Return the findings of a page that have one of these codes; all if `codes` is empty."""
    if not codes:
        return row.findings
    listed = tuple(one for one in row.findings.listed if one.code in codes)
    more = {code: count for code, count in row.findings.more.items() if code in codes}
    return PageFindings(listed, more)


def severity_of(code: str) -> str:
    """Return the severity of a code on pages or on the site."""
    return SITE_FINDINGS[code].severity if code in SITE_FINDINGS else page_severity(code)


def count_codes(pages: Iterable[OddPage]) -> list[CodeCount]:
    """Count findings by code, the most severe first, then the most frequent.

    Args:
        pages: The pages with their findings.

    """
    counts: dict[str, CodeCount] = {}
    for page in pages:
        for code, number in page.findings.by_code.items():
            first = next((one for one in page.findings.listed if one.code == code), None)
            known = counts.setdefault(code, CodeCount(code, severity_of(code), page.url, first))
            known.pages += 1
            known.count += number
    return sorted(
        counts.values(), key=lambda one: (SEVERITIES.index(one.severity), -one.count, one.code)
    )
