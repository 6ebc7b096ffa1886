"""Reading responses in batches: pages and sitemaps.

Scope: decisions on the pages and sitemaps of a batch. Each step handles all pages before the next
step begins, which saves a third of the time because code and data stay in the processor's caches.
Nothing is recorded and no database is touched, so that a thread may do it.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from itertools import islice
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from goodbot._core import Finding, count_pieces
from goodbot.crawl.archive.copies import CopyToKeep, copy_to_keep, partial_copy
from goodbot.crawl.archive.protocol import WholeCopy
from goodbot.crawl.evidence.rows import EvidenceRow, visited
from goodbot.crawl.folder.records import Document, QueuedUrl
from goodbot.crawl.frontier.contents import PageContent, content_of
from goodbot.crawl.frontier.due import Due, due_again, is_short_lived
from goodbot.crawl.frontier.outlinks import NOWHERE, Outlinks, outlinks_of
from goodbot.crawl.frontier.protocol import Outcome, ScopeFilter
from goodbot.crawl.index.indexable import anchors_of, document_of
from goodbot.crawl.inventory.page_record import (
    INSTEAD,
    OWN_SITE,
    SHORT_LIVED,
    PageRecord,
    record_of_page,
)
from goodbot.crawl.links.page_links import PageLinks, page_links, with_resources
from goodbot.crawl.run.settings import RETRIES
from goodbot.crawl.run.visit_outcome import (
    VisitOutcome,
    as_priced,
    of_answer,
    of_check,
)
from goodbot.errors import NotAStoreError
from goodbot.http.status import NOT_MODIFIED
from goodbot.net.decoding import GZIP_MAGIC
from goodbot.page import Page
from goodbot.robot import Visit
from goodbot.sitemaps.sitemaps import Sitemap, read_sitemap

__all__ = ["LARGE", "FetchResult", "PageBatch", "read_answers", "weight_of"]

OF_A_PIECE = 64
"""The weight of a tag or a line, in bytes: each may be a link, which costs much more than its
bytes."""
OF_HEADER = 8
"""The weight of a byte of a header, which is read in Python, and several times."""
OF_COPY = 16
"""The weight of a byte of a copy confirmed by a 304, which is decompressed and read as the page."""
LARGE = 1024 * 1024
"""The weight from which a response is read alone, so that others are read meanwhile."""
OF_GZIP = 64
"""The weight of a byte of a compressed sitemap, which may expand to very many bytes."""


class FetchResult(NamedTuple):
    """A URL that was visited, and the response."""

    taken: QueuedUrl
    visit: Visit
    at: datetime
    """When the response came."""
    kept: WholeCopy | None = None
    """The copy that the request may confirm; `None` if the request was not conditional."""
    is_check: bool = False
    """Whether a link to another site was only checked."""

    @property
    def is_fetched_page(self) -> bool:
        """Whether it counts as a page: a success that was read, or a 304; sitemaps do not count."""
        response = self.visit.response
        if self.taken.how == "sitemap-file" or response.unread:
            return False
        is_confirmed = self.kept is not None and response.status == NOT_MODIFIED
        return is_confirmed or bool(self.visit)


PageBatch: TypeAlias = list[VisitOutcome]
"""The outcomes of visits, in the order of their responses."""


def weight_of(one: FetchResult) -> int:
    """Estimate the cost of reading and recording a response.

    Returns:
        The number of bytes of plain text that would cost as much: 128 KiB take up to some 50 ms. It
        is not exact from `LARGE` on, where it makes no difference.

    """
    response = one.visit.response
    body = response.body
    header = sum([len(value) for _, value in response.headers])
    # Counting takes as long as many visits: up to 10 ms for each of many large responses.
    pieces = 0 if len(body) >= LARGE else count_pieces(body)
    weight = OF_HEADER * header + len(body) + OF_A_PIECE * pieces
    if one.kept is not None and response.status == NOT_MODIFIED:
        return weight + OF_COPY * one.kept.length
    is_gzip = one.taken.how == "sitemap-file" and body.startswith(GZIP_MAGIC)
    return weight * OF_GZIP if is_gzip else weight


def read_answers(
    answers: Sequence[FetchResult],
    refuses: ScopeFilter,
    *,
    retries: int = RETRIES,
    short_lived: bool = True,
    resources: Collection[str] = (),
) -> PageBatch:
    """Decide on the outcomes of some responses.

    Args:
        answers: The responses.
        refuses: The bounds of the crawl.
        retries: How often a URL that failed is tried again.
        short_lived: Whether pages that have expired when they come are indexed and kept.
        resources: The kinds of resources of pages to visit as well.

    """
    answers = [one if one.kept is None else confirmed(one) for one in answers]
    sitemaps = [sitemap_of(one) if one.taken.how == "sitemap-file" else None for one in answers]
    both = list(zip(answers, sitemaps, strict=True))
    pages = [one for one, sitemap in both if is_page(one, sitemap)]
    # What was requested as a sitemap and is a page has findings as a sitemap, too.
    also = {id(one): sitemap.findings for one, sitemap in both if sitemap is not None}
    found = outcomes_of(pages, refuses, short_lived, resources, also)
    outcomes = dict(zip(map(id, pages), found, strict=True))
    return [
        outcomes.get(id(one))
        or (
            of_check(one.taken, one.visit, one.at, refuses, retries=retries)
            if one.is_check
            else of_answer(one.taken, one.visit, sitemap, one.at, refuses, retries=retries)
        )
        for one, sitemap in both
    ]


def confirmed(one: FetchResult) -> FetchResult:
    """Return a page confirmed by a 304 as if it had been sent again; other responses unchanged.

    If the copy is broken, the 304 confirms nothing; the next visit is then unconditional, as after
    a 304 about another copy.
    """
    if one.kept is None or one.visit.response.status != NOT_MODIFIED:
        return one
    try:
        return one._replace(visit=one.visit.confirming(one.kept.read()))
    except NotAStoreError:
        return one


def sitemap_of(one: FetchResult) -> Sitemap | None:
    """Read the response as a sitemap, if one was requested."""
    if one.taken.how != "sitemap-file" or not one.visit:
        return None
    return read_sitemap(one.visit.response.body, one.taken.url, speaks_for=[one.taken.source])


def outcomes_of(
    answers: Sequence[FetchResult],
    refuses: ScopeFilter,
    short_lived: bool,  # noqa: FBT001  as `read_answers` has it
    resources: Collection[str] = (),
    also: Mapping[int, Sequence[Finding]] = MappingProxyType({}),
) -> list[VisitOutcome]:
    """Decide on the outcomes of pages; see `read_answers`. `also` has further findings, by `id`."""
    pages = [one.visit.page for one in answers]
    both = list(zip(answers, pages, strict=True))
    successes = [bool(one.visit) for one in answers]
    statuses = [status_of(one.visit) for one in answers]
    leads = [
        # The links on an error page do not count as links of the site.
        outlinks_of(page, one.taken, refuses, resources) if is_success else NOWHERE
        for (one, page), is_success in zip(both, successes, strict=True)
    ]
    unwanted = [
        unwanted_of(one, lead, short_lived=short_lived)
        for one, lead in zip(answers, leads, strict=True)
    ]
    documents = [
        None if why else document_of(page, one.at)
        for (one, page), why in zip(both, unwanted, strict=True)
    ]
    anchors = [
        [] if why else anchors_of(page, lead.table)
        for page, lead, why in zip(pages, leads, unwanted, strict=True)
    ]
    link_rows = [
        link_rows_of(one, page, lead, why)
        for (one, page), lead, why in zip(both, leads, unwanted, strict=True)
    ]
    due = [due_of(one, page) for one, page in both]
    copies = [
        "forget" if why else copy_of(one, page, is_success=is_success)
        for (one, page), why, is_success in zip(both, unwanted, successes, strict=True)
    ]
    facts = [facts_of(one, page, why) for (one, page), why in zip(both, unwanted, strict=True)]
    evidence = [
        visited(
            one.at,
            one.visit.verdict,
            status,
            page,
            also.get(id(one), ()),
            permission=one.visit.permission,
        )
        for (one, page), status in zip(both, statuses, strict=True)
    ]
    contents = [
        content_of(one.taken.url, one.visit.response.body, page) if is_success else None
        for (one, page), is_success in zip(both, successes, strict=True)
    ]
    of_pages = (
        successes,
        statuses,
        leads,
        unwanted,
        documents,
        anchors,
        link_rows,
        due,
        copies,
        facts,
        evidence,
        contents,
    )
    return [page_outcome(*parts) for parts in zip(answers, *of_pages, strict=True)]


def unwanted_of(one: FetchResult, leads: Outlinks, *, short_lived: bool) -> tuple[str, str] | None:
    """Return why a page is neither indexed nor kept, whatever its marks say: a slug and the source.

    Its author wants another page indexed in its place and this one dropped; or it has expired when
    it comes, and the crawl keeps no such page (Koster, reply of 4 June 1996); or robots.txt
    disallows it, and its owner permitted only to look at it.
    """
    if one.visit.permission:
        return OWN_SITE, one.visit.verdict.source
    if leads.instead:
        return INSTEAD, f"{INSTEAD}: {leads.instead}"
    response = one.visit.response
    if not short_lived and one.visit and is_short_lived(response.headers, one.at):
        return SHORT_LIVED, f"Expires: {response.field('Expires')}"
    return None


def link_rows_of(
    one: FetchResult, page: Page, leads: Outlinks, unwanted: tuple[str, str] | None
) -> PageLinks:
    """Return the links of a page as they are stored: with their texts only if it may be indexed."""
    index = page.index_at(one.at)
    withheld = "" if index.allowed else str(index.source or index.reason)
    withheld = withheld or (unwanted[0] if unwanted else "")
    links = page_links(leads.table, one.taken.origin, withheld, page.limits.unavailable_after)
    if len(leads.links) == len(links.kinds):
        return links
    loaded = islice(leads.links, len(links.kinds), None)
    return with_resources(links, [entry.origin != one.taken.origin for _, entry in loaded])


def status_of(visit: Visit) -> int:
    """Return the status of the response; 304 for a page that was confirmed."""
    hop = visit.hops[-1]
    answer = hop.response if hop.not_modified is None else hop.not_modified
    return answer.status


def due_of(one: FetchResult, page: Page) -> Due:
    """Decide when a page is due again."""
    response = one.visit.response
    failures = one.taken.attempts
    return due_again(response.status, response.headers, now=one.at, page=page, failures=failures)


def copy_of(
    one: FetchResult, page: Page, *, is_success: bool
) -> CopyToKeep | Literal["forget"] | None:
    """Decide which copy of a page may be kept."""
    copy = partial_copy(page) if is_success and page.archive.allowed else None
    visit = one.visit
    return copy_to_keep(
        one.taken.url, visit.response, page, one.at, copy=copy, not_modified=visit.not_modified
    )


def facts_of(one: FetchResult, page: Page, unwanted: tuple[str, str] | None) -> PageRecord:
    """Return the facts of a page, for the inventory."""
    hop = one.visit.hops[-1]
    if hop.permission:  # to a search engine, it is a page that robots.txt disallows
        unwanted = (hop.verdict.reason, hop.verdict.source)
    return record_of_page(page, hop.response, one.taken.origin, one.at, unwanted)


def page_outcome(
    one: FetchResult,
    is_success: bool,  # noqa: FBT001  the parts are passed as they are listed
    status: int,
    leads: Outlinks,
    unwanted: tuple[str, str] | None,
    document: Document | None,
    anchors: list[tuple[int, str]],
    link_rows: PageLinks,
    due: Due,
    copy: CopyToKeep | Literal["forget"] | None,
    facts: PageRecord,
    evidence: EvidenceRow,
    content: PageContent | None,
) -> VisitOutcome:
    """Combine the decisions on a page into its outcome."""
    visit = one.visit
    reason = "fetched" if is_success else "no-success"
    if visit.not_modified is not None:
        reason = "not-modified"
    source = leads.instead
    if unwanted is not None:
        reason = unwanted[0]
        source = unwanted[1] if reason == OWN_SITE else source
    settled = Outcome("done", reason, source, status, due.at, failed=visit.meaning.is_gone)
    return VisitOutcome(
        one.taken,
        one.at,
        settled if is_success else as_priced(settled, visit),
        evidence,
        leads.links,
        stands_for=leads.stands_for,
        copy=copy,
        indexing="page",
        document=document,
        anchors=anchors,
        link_rows=link_rows,
        facts=facts,
        content=content,
    )


def is_page(one: FetchResult, sitemap: Sitemap | None) -> bool:
    """Return whether a response is read as a page."""
    if not one.visit.meaning.speaks_of_page or one.visit.response.unread:
        return False
    if one.taken.how == "sitemap-file":
        # A robots.txt may name a page as its sitemap, even one of another site.
        return sitemap is not None and sitemap.form == "none"
    return True
