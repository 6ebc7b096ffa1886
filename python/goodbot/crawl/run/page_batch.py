"""What answers say, read some at a time.

What may live here: decisions on pages and sitemaps, step by step for all of them. Each step goes
over every page before the next one begins: its code and its data are then at hand, which saves a
third of the time. Nothing is kept and no database is touched, so that a thread may do it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

from goodbot.crawl.archive.copies import CopyToKeep, copy_to_keep, partial_copy
from goodbot.crawl.archive.protocol import WholeCopy
from goodbot.crawl.evidence.rows import EvidenceRow, visited
from goodbot.crawl.folder.records import Document, QueuedUrl
from goodbot.crawl.frontier.contents import PageContent, content_of
from goodbot.crawl.frontier.due import Due, due_again
from goodbot.crawl.frontier.outlinks import NOWHERE, Outlinks, outlinks_of
from goodbot.crawl.frontier.protocol import Outcome, ScopeFilter
from goodbot.crawl.frontier.sitemaps import Sitemap, read_sitemap
from goodbot.crawl.index.indexable import anchors_of, document_of
from goodbot.crawl.run.visit_outcome import VisitOutcome, of_answer
from goodbot.errors import NotAStoreError
from goodbot.http.status import NOT_MODIFIED
from goodbot.net.decoding import GZIP_MAGIC
from goodbot.page import Page
from goodbot.robot import Visit

__all__ = ["FetchResult", "PageBatch", "read_answers", "weight_of"]

OF_A_PIECE = 64
"""What a tag or a line weighs, in bytes: each may be a link, and a link costs much more than its
bytes."""
OF_HEADER = 8
"""What a byte of a header weighs, which is read in Python, and several times."""
OF_COPY = 16
"""What a byte of a copy weighs that a 304 confirms: it is compressed, and read as the page."""
OF_GZIP = 64
"""What a byte of a compressed sitemap weighs: it may be very many bytes."""


@dataclass(frozen=True, slots=True)
class FetchResult:
    """A URL that was visited, and what was answered."""

    taken: QueuedUrl
    visit: Visit
    at: datetime
    """When the answer came."""
    kept: WholeCopy | None = None
    """The copy about which the request asked; `None` if it had no condition."""


PageBatch: TypeAlias = list[VisitOutcome]
"""What came of some visits, in the order of their answers."""


def weight_of(one: FetchResult) -> int:
    """Estimate what it costs to read an answer and to write it down.

    Returns:
        Bytes of plain text that would cost as much, at most: 128 KiB take up to some 50 ms.

    """
    response = one.visit.response
    body = response.body
    header = sum(len(value) for _, value in response.headers)
    weight = OF_HEADER * header + len(body) + OF_A_PIECE * max(body.count(b"<"), body.count(b"\n"))
    if one.kept is not None and response.status == NOT_MODIFIED:
        return weight + OF_COPY * one.kept.length
    is_gzip = one.taken.how == "sitemap-file" and body.startswith(GZIP_MAGIC)
    return weight * OF_GZIP if is_gzip else weight


def read_answers(answers: Sequence[FetchResult], refuses: ScopeFilter) -> PageBatch:
    """Decide what comes of some answers.

    Args:
        answers: What was answered for each.
        refuses: The bounds of the crawl.

    """
    answers = [confirmed(one) for one in answers]
    sitemaps = [sitemap_of(one) for one in answers]
    both = list(zip(answers, sitemaps, strict=True))
    pages = [one for one, sitemap in both if is_page(one, sitemap)]
    outcomes = dict(zip(map(id, pages), outcomes_of(pages, refuses), strict=True))
    return [
        outcomes.get(id(one)) or of_answer(one.taken, one.visit, sitemap, one.at, refuses)
        for one, sitemap in both
    ]


def confirmed(one: FetchResult) -> FetchResult:
    """Return a page that a 304 confirms as if it had come again; other answers as they are.

    A copy that is broken is confirmed by nothing: like a 304 about another one this brings the next
    visit, which has no condition.
    """
    if one.kept is None or one.visit.response.status != NOT_MODIFIED:
        return one
    try:
        return replace(one, visit=one.visit.confirming(one.kept.read()))
    except NotAStoreError:
        return one


def sitemap_of(one: FetchResult) -> Sitemap | None:
    """Read a sitemap, if it is to be one."""
    if one.taken.how != "sitemap-file" or not one.visit:
        return None
    return read_sitemap(one.visit.response.body, one.taken.url, speaks_for=[one.taken.source])


def outcomes_of(answers: Sequence[FetchResult], refuses: ScopeFilter) -> list[VisitOutcome]:
    """Decide what comes of pages; see `read_answers`."""
    pages = [one.visit.page for one in answers]
    both = list(zip(answers, pages, strict=True))
    leads = [
        # The links of what tells that nothing is there are no links of the site's.
        outlinks_of(page, one.taken, refuses) if one.visit else NOWHERE
        for one, page in both
    ]
    documents = [
        None if lead.instead else document_of(page, one.at)
        for (one, page), lead in zip(both, leads, strict=True)
    ]
    anchors = [anchors_of(page) for page in pages]
    due = [due_of(one, page) for one, page in both]
    copies = [copy_of(one, page) for one, page in both]
    evidence = [
        visited(one.at, one.visit.verdict, status_of(one.visit), page) for one, page in both
    ]
    contents = [
        content_of(one.taken.url, one.visit.response.body, page) if one.visit else None
        for one, page in both
    ]
    columns = zip(answers, leads, documents, anchors, due, copies, evidence, contents, strict=True)
    return [page_outcome(*parts) for parts in columns]


def status_of(visit: Visit) -> int:
    """Return the status that was answered."""
    answer = visit.response if visit.not_modified is None else visit.not_modified
    return answer.status


def due_of(one: FetchResult, page: Page) -> Due:
    """Decide when a page is to be visited again."""
    response = one.visit.response
    failures = one.taken.attempts
    return due_again(response.status, response.headers, now=one.at, page=page, failures=failures)


def copy_of(one: FetchResult, page: Page) -> CopyToKeep | Literal["forget"] | None:
    """Decide what may be kept of a page."""
    copy = partial_copy(page) if one.visit and page.archive else None
    visit = one.visit
    return copy_to_keep(
        one.taken.url, visit.response, page, one.at, copy=copy, not_modified=visit.not_modified
    )


def page_outcome(  # noqa: PLR0913, PLR0917  one column each
    one: FetchResult,
    leads: Outlinks,
    document: Document | None,
    anchors: list[tuple[str, str]],
    due: Due,
    copy: CopyToKeep | Literal["forget"] | None,
    evidence: EvidenceRow,
    content: PageContent | None,
) -> VisitOutcome:
    """Put together what comes of a page."""
    status = status_of(one.visit)
    reason = "fetched" if one.visit else "no-success"
    if one.visit.not_modified is not None:
        reason = "not-modified"
    if leads.instead:
        reason = "index-instead"
    is_gone = one.visit.meaning.is_gone
    forms = leads.forms
    return VisitOutcome(
        one.taken,
        one.at,
        Outcome("done", reason, leads.instead, status, due.at, failed=is_gone),
        evidence,
        leads.links,
        stands_for=leads.stands_for,
        copy=copy,
        index="page",
        document=document,
        anchors=[(forms[url], text) for url, text in anchors if url in forms],
        content=content,
    )


def is_page(one: FetchResult, sitemap: Sitemap | None) -> bool:
    """Whether an answer is to be read as a page."""
    if not one.visit.meaning.speaks_of_page or one.visit.response.unread:
        return False
    if one.taken.how == "sitemap-file":
        # A robots.txt may name what is no sitemap, of another's pages too.
        return sitemap is not None and sitemap.form == "none"
    return True
