"""What answers say, read some at a time.

What may live here: decisions on pages and sitemaps, step by step for all of them. Each step goes
over every page before the next one begins: its code and its data are then at hand, which saves a
third of the time. Nothing is kept and no database is touched, so that a thread may do it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from goodbot.crawl.archive.archive import partial_copy
from goodbot.crawl.folder.records import Document, QueuedUrl
from goodbot.crawl.frontier.due import Due, due_again
from goodbot.crawl.frontier.outlinks import NOWHERE, Outlinks, ScopeFilter, outlinks_of
from goodbot.crawl.frontier.sitemaps import Sitemap, read_sitemap
from goodbot.crawl.index.indexable import anchors_of, document_of
from goodbot.net.decoding import GZIP_MAGIC
from goodbot.page import Copy, Page
from goodbot.robot import Visit

__all__ = ["FetchResult", "PageBatch", "Reading", "read_answers", "weight_of"]

OF_A_PIECE = 64
"""What a tag or a line weighs, in bytes: each may be a link, and a link costs much more than its
bytes."""
OF_XML = 8
"""What a byte of XML weighs, which is read in Python."""
OF_HEADER = 8
"""What a byte of a header weighs, which is read in Python, and several times."""
OF_GZIP = 64
"""What a byte of a compressed sitemap weighs: it may be very many bytes."""


@dataclass(frozen=True, slots=True)
class FetchResult:
    """A URL that was visited, and what was answered."""

    taken: QueuedUrl
    visit: Visit
    at: datetime
    """When the answer came."""
    named_by: str = ""
    """The origin that names the sitemap, if it is one."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one page says."""

    page: Page
    leads: Outlinks
    """Where it leads."""
    document: Document | None
    """What may be indexed of it."""
    anchors: list[tuple[str, str]]
    """What its links say of their targets."""
    due: Due
    """When it is to be visited again."""
    copy: Copy | None
    """The copy to keep in place of the answer, if not all of it may be kept."""


@dataclass(frozen=True, slots=True)
class PageBatch:
    """What some answers say, by the number of their URL."""

    sitemaps: dict[int, Sitemap]
    pages: dict[int, Reading]


def weight_of(one: FetchResult) -> int:
    """Estimate what it costs to read an answer and to write it down.

    Returns:
        Bytes of plain text that would cost as much, at most: 128 KiB take up to some 50 ms.

    """
    response = one.visit.response
    body = response.body
    header = sum(len(value) for _, value in response.headers)
    weight = OF_HEADER * header + len(body) + OF_A_PIECE * max(body.count(b"<"), body.count(b"\n"))
    if one.taken.how == "sitemap-file":
        return weight * (OF_GZIP if body.startswith(GZIP_MAGIC) else OF_XML)
    is_xml = "xml" in (response.field("Content-Type") or "xml")
    return weight * OF_XML if is_xml else weight


def read_answers(answers: Sequence[FetchResult], refuses: ScopeFilter) -> PageBatch:
    """Read answers.

    Args:
        answers: What was answered for each.
        refuses: The bounds of the crawl.

    """
    sitemaps = {
        one.taken.id: read_sitemap(
            one.visit.response.body, one.taken.url, speaks_for=[one.named_by]
        )
        for one in answers
        if one.taken.how == "sitemap-file" and one.visit
    }
    pages = [one for one in answers if is_page(one, sitemaps.get(one.taken.id))]
    numbers = (one.taken.id for one in pages)
    return PageBatch(sitemaps, dict(zip(numbers, readings_of(pages, refuses), strict=True)))


def readings_of(answers: Sequence[FetchResult], refuses: ScopeFilter) -> list[Reading]:
    """Read pages; see `read_answers`."""
    pages = [one.visit.page for one in answers]
    both = list(zip(answers, pages, strict=True))
    leads = [
        # The links of what tells that nothing is there are no links of the site's.
        outlinks_of(page, one.taken, refuses) if one.visit else NOWHERE
        for one, page in both
    ]
    documents = [document_of(page, one.at) for one, page in both]
    anchors = [anchors_of(page) for page in pages]
    due = [
        due_again(
            one.visit.response.status,
            one.visit.response.headers,
            now=one.at,
            page=page,
            failures=one.taken.attempts,
        )
        for one, page in both
    ]
    copies = [partial_copy(page) if one.visit and page.archive else None for one, page in both]
    columns = (pages, leads, documents, anchors, due, copies)
    return [Reading(*parts) for parts in zip(*columns, strict=True)]


def is_page(one: FetchResult, sitemap: Sitemap | None) -> bool:
    """Whether an answer is to be read as a page."""
    if not one.visit.meaning.speaks_of_page:
        return False
    if one.taken.how == "sitemap-file":
        # A robots.txt may name what is no sitemap, of another's pages too.
        return sitemap is not None and sitemap.form == "none"
    return True
