"""The outcome of a visit: everything that will be recorded about it, as one value.

Scope: decisions on responses, refusals and failures. No database is touched, so that a thread may
make them. The parts of a crawl record an outcome in the order that
`goodbot.crawl.frontier.protocol` defines.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from goodbot.crawl.archive.copies import CopyToKeep
from goodbot.crawl.evidence import rows
from goodbot.crawl.evidence.rows import EvidenceRow
from goodbot.crawl.folder.records import Discovery, Document, QueuedUrl
from goodbot.crawl.frontier.bounds import depth_of
from goodbot.crawl.frontier.candidates import Candidates
from goodbot.crawl.frontier.contents import PageContent
from goodbot.crawl.frontier.due import due_again
from goodbot.crawl.frontier.outlinks import to_candidate
from goodbot.crawl.frontier.protocol import Candidate, Outcome, ScopeFilter
from goodbot.crawl.inventory.page_record import (
    NOT_READ,
    PageRecord,
    record_of_header,
    record_of_response,
)
from goodbot.crawl.links.page_links import PageLinks, listed_links
from goodbot.crawl.run.settings import RETRIES
from goodbot.errors import Deferred, Disallowed, FetchError
from goodbot.grounds import NEVER_ASKED
from goodbot.http.fields import field_lines
from goodbot.http.payment import PRICED, Payment, payment_of
from goodbot.http.quoting import shortened
from goodbot.http.status import CHALLENGE
from goodbot.pace.history import OF_THE_DOCUMENT
from goodbot.page.media_types import is_wanted
from goodbot.policy.inquiry import NOT_ASKED
from goodbot.policy.redirects import leads_to
from goodbot.robot import Visit
from goodbot.sitemaps.sitemaps import Sitemap, sitemap_findings

__all__ = [
    "TYPE_SAID",
    "UNFORESEEN",
    "UNREAD",
    "VisitOutcome",
    "as_priced",
    "of_answer",
    "of_check",
    "of_deferral",
    "of_error",
    "of_failure",
    "of_refusal",
]

UNFORESEEN = "unforeseen"
"""The reason for unexpected errors."""

UNREAD = NOT_READ
TYPE_SAID = "Content-Type: "
"""The beginning of the source that names the type."""
WITH_DIRECTIVES = ("html", "xml")
"""The types of content that may have directives of their own, by their short names."""

CHECKED = "link-checked"
"""The reason if a link to another site was only checked."""

MOST_HOPS = 10
"""The most redirects that are followed in a row, as in `Robot.visit`."""

SITE_RETRIES = 3
"""The same for a URL whose site is overloaded or closed, or has no robots.txt now, which is not the
URL's fault."""

MOST_DOUBLINGS = 30
"""Doubling ten seconds so often gives 340 years."""

FINAL = {*OF_THE_DOCUMENT, *NOT_ASKED}
"""Failures that another request would repeat: a document that cannot be decoded or is too large,
and a URL that is never requested, such as one at a private address."""

RETRY_AFTER = timedelta(seconds=10)
"""The pause of a URL after its first failure, doubled after each further one. Other URLs of the
site are visited meanwhile, and the site's pace is kept. It is short because a crawl that has
nothing else to do waits for it."""

ASK_AGAIN = timedelta(days=30)
"""The time after which a disallowed URL is checked again."""

AFTER_FAILURE = timedelta(days=1)
"""The time after which a URL that was given up is due again."""


class VisitOutcome(NamedTuple):
    """The whole outcome of one visit; recording it twice has no further effect."""

    taken: QueuedUrl
    """The URL with its lease; together with `visit` it identifies the visit."""
    at: datetime
    """When the outcome was known."""
    settled: Outcome
    """The new state of the URL; `target` is set when it is recorded."""
    evidence: EvidenceRow
    links: Collection[Candidate] = ()
    """The URLs that it links to, to be queued."""
    target: Candidate | None = None
    """The URL to which it redirects."""
    stands_for: Candidate | None = None
    """The page to index in place of this one (canonical, INDEXINSTEAD)."""
    copy: CopyToKeep | Literal["forget"] | None = None
    """The copy for the archive; `None` leaves the archive unchanged."""
    indexing: Literal["page", "remove"] | None = None
    """Whether to index the page or to remove it; `None` leaves the index unchanged."""
    document: Document | None = None
    """The document to index; `None` if nothing may be indexed."""
    anchors: Sequence[tuple[int, str]] = ()
    """The link texts of the page: the place of the target in `links`, and the text."""
    link_rows: PageLinks | None = None
    """The links as they are stored, in the order of `links`; `None` if there are none to store."""
    facts: PageRecord | None = None
    """The facts for the inventory; `None` leaves those of an earlier visit."""
    content: PageContent | None = None
    """The content by which traps are recognised; `None` if the response is not a page, or not
    successful."""


def of_answer(
    taken: QueuedUrl,
    visit: Visit,
    sitemap: Sitemap | None,
    at: datetime,
    refuses: ScopeFilter,
    *,
    retries: int = RETRIES,
) -> VisitOutcome:
    """Decide on a response that is not a page."""
    location = visit.location
    if location is not None:
        return of_redirect(taken, visit, location, at, refuses)
    if visit.response.unread:
        return of_unread(taken, visit, at)
    if visit.meaning.speaks_of_page:
        return of_sitemap(taken, visit, sitemap, at, refuses)
    payment = payment_asked(visit)
    row = rows.visited(
        at,
        visit.verdict,
        visit.response.status,
        payment=payment,
        challenged=is_challenge(visit),
        permission=visit.permission,
    )
    settled = as_priced(of_nothing_said(taken, visit, at, retries), visit)
    return VisitOutcome(taken, at, settled, row)


def of_check(
    taken: QueuedUrl, visit: Visit, now: datetime, refuses: ScopeFilter, *, retries: int
) -> VisitOutcome:
    """Decide on the response to a link to another site, of which only the status is of use.

    It is due again when any other URL with this response would be.
    """
    status, location = visit.response.status, visit.location
    due = due_again(status, visit.response.headers, now=now).at
    target = None
    if location is not None:
        found = Discovery(visit.location_spelling or location, "redirect")
        target = to_candidate(found, taken.depth, refuses, taken.hops + 1)
        settled = Outcome("redirected", "redirect", location, status, due)
        if taken.hops >= MOST_HOPS:
            target, settled = None, replace(settled, state="failed", reason="redirects-too-many")
    elif visit.meaning.speaks_of_page:
        reason = CHECKED if visit else "no-success"
        settled = as_priced(Outcome("done", reason, "", status, due), visit)
    else:
        settled = of_nothing_said(taken, visit, now, retries)
    row = rows.visited(
        now,
        visit.verdict,
        status,
        payment=payment_asked(visit),
        challenged=is_challenge(visit),
        permission=visit.permission,
    )
    return VisitOutcome(taken, now, settled, row, target=target, copy="forget", indexing="remove")


def is_challenge(visit: Visit) -> bool:
    """Return whether a response is the challenge of a firewall in place of the page."""
    return visit.meaning is CHALLENGE


def as_priced(settled: Outcome, visit: Visit) -> Outcome:
    """Return an outcome, as one of a URL that was not fetched if the site asks to be paid for it.

    Nothing is paid: RFC 9110 section 15.5.3; Cloudflare, pay per crawl; RSL 1.0, section 6.3.
    """
    payment = None if visit else payment_asked(visit)
    if payment is None or settled.state == "queued":
        return settled
    return replace(settled, state="failed", reason=PRICED, source=shortened(str(payment)))


def payment_asked(visit: Visit) -> Payment | None:
    """Return the price or the licence that a response asks for; `None` if it asks for nothing."""
    return payment_of(visit.response.status, field_lines(visit.response.headers))


def of_unread(taken: QueuedUrl, visit: Visit, now: datetime) -> VisitOutcome:
    """Decide on a response of a type that is not read: only its header speaks.

    Content of most types has no place for a directive, so the header says all there is. HTML and
    XML may say more.
    """
    answer = visit.response
    page = visit.page if visit else None
    is_whole = page is not None and not is_wanted(page.content_type, WITH_DIRECTIVES)
    due = due_again(answer.status, answer.headers, now=now)
    said = f"{TYPE_SAID}{answer.field('Content-Type')}"
    settled = as_priced(Outcome("done", UNREAD, said, answer.status, due.at), visit)
    shown = page if is_whole else None
    row = rows.visited(
        now,
        visit.verdict,
        answer.status,
        shown,
        payment=payment_asked(visit),
        permission=visit.permission,
    )
    facts = record_of_header(answer, page, now, "" if is_whole else said)
    if visit.permission and facts.indexable:
        facts = facts._replace(
            indexable=False, reason=visit.verdict.reason, source=visit.verdict.source
        )
    return VisitOutcome(taken, now, settled, row, copy="forget", indexing="remove", facts=facts)


def of_nothing_said(taken: QueuedUrl, visit: Visit, now: datetime, retries: int) -> Outcome:
    """Decide on a response that says nothing about the page: a kept copy stays."""
    row, answer = visit.meaning, visit.response
    due = due_again(answer.status, answer.headers, now=now, failures=taken.attempts)
    if row.is_transient:
        is_of_the_url = row.due == "server-error" and not row.is_overload
        if is_of_the_url and due.reason != "retry-after":
            return replace(retried(taken, row.due, "", now, retries), status=answer.status)
        return replace(again(taken, row.due, "", due.at, now), status=answer.status)
    if not row.is_redirect:
        return Outcome("done", "no-success", "", answer.status, due.at)
    _, outcome = leads_to(taken.url, answer.status, answer.headers, [taken.url], limit=1)
    return Outcome("failed", outcome, "", answer.status, due.at)


def of_redirect(
    taken: QueuedUrl, visit: Visit, location: str, now: datetime, refuses: ScopeFilter
) -> VisitOutcome:
    """Decide on a redirect: its target is queued, and checked at its own origin."""
    status = visit.response.status
    outside = refuses(taken.url, taken.origin, depth_of(taken.how, taken.depth))
    hops, found = taken.hops + 1, visit.location_spelling or location
    if taken.how == "sitemap-file":
        led = Discovery(found, "sitemap-file", source=taken.source)
        target = to_candidate(led, 0, refuses, hops)
    else:
        target = to_candidate(Discovery(found, "redirect"), taken.depth, refuses, hops)
    due = due_again(status, visit.response.headers, now=now).at
    if taken.hops >= MOST_HOPS:
        target, settled = None, Outcome("failed", "redirects-too-many", location, status, due)
    elif outside is not None:  # it was visited only because it was kept; now it is removed
        target, settled = None, Outcome("skipped", outside, "", status)
    elif target is None:
        settled = Outcome("failed", "redirect", location, status, due)
    else:
        settled = Outcome("redirected", "redirect", location, status, due)
    row = rows.visited(now, visit.verdict, status, permission=visit.permission)
    return VisitOutcome(
        taken,
        now,
        settled,
        row,
        target=target,
        copy="forget",
        indexing="remove",
        facts=record_of_response(visit.response),
    )


def of_sitemap(
    taken: QueuedUrl,
    visit: Visit,
    sitemap: Sitemap | None,
    now: datetime,
    refuses: ScopeFilter,
) -> VisitOutcome:
    """Decide on a sitemap: the URLs that it lists are queued."""
    answer, named_by = visit.response, taken.source
    links = () if sitemap is None else Candidates(listed(taken, sitemap, refuses))
    due = due_again(answer.status, answer.headers, now=now)
    reason = "sitemap" if visit else "no-success"
    settled = as_priced(Outcome("done", reason, named_by, answer.status, due.at), visit)
    found, payment = sitemap_findings(sitemap, answer.status), payment_asked(visit)
    row = rows.visited(
        now,
        visit.verdict,
        answer.status,
        findings=found,
        payment=payment,
        permission=visit.permission,
    )
    rows_of = listed_links([entry.origin != taken.origin for _, entry in links])
    return VisitOutcome(taken, now, settled, row, links, link_rows=rows_of)


def listed(taken: QueuedUrl, sitemap: Sitemap, refuses: ScopeFilter) -> Iterator[Candidate]:
    """Yield the URLs and the further sitemaps that a sitemap lists."""
    for one in sitemap.urls:
        address = one.spelling or one.url
        found = to_candidate(Discovery(address, "sitemap"), taken.depth + 1, refuses)
        if found is not None:
            yield found
    # An index names sitemaps, and no index: none goes deeper than that.
    for one in () if taken.depth else sitemap.sitemaps:
        found = of_index(one.spelling or one.url, taken.source, refuses)
        if found is not None:
            yield found


def of_index(url: str, named_by: str, refuses: ScopeFilter) -> Candidate | None:
    """Queue a sitemap that an index names; patterns to include are for pages."""
    pair = to_candidate(Discovery(url, "sitemap-file", source=named_by), 0, refuses)
    return None if pair is None else (pair[0], pair[1]._replace(depth=1))


def of_refusal(
    taken: QueuedUrl, refusal: Disallowed, now: datetime, *, is_check: bool = False
) -> VisitOutcome:
    """Decide on a URL that is disallowed; a kept copy is removed.

    A link to another site has failed if that site's robots.txt cannot be fetched: the crawl does
    not wait for sites that it only checks links to. It is due again as others that were given up.
    """
    verdict = refusal.verdict
    row = rows.refused(now, verdict)
    reason, source = verdict.reason, verdict.source
    if verdict.rules is not None or verdict.retry_at is None:
        settled = Outcome("disallowed", reason, source, due=now + ASK_AGAIN)
        return VisitOutcome(taken, now, settled, row, copy="forget", indexing="remove")
    if is_check:
        settled = Outcome("failed", reason, source, due=now + AFTER_FAILURE, failed=True)
    elif verdict.policy_reason in NEVER_ASKED:  # retrying soon would be useless
        settled = Outcome("queued", reason, source, due=now + AFTER_FAILURE)
    else:  # robots.txt is unreachable: that is no reason to remove a kept copy
        settled = again(taken, reason, source, verdict.retry_at, now)
    return VisitOutcome(taken, now, settled, row)


def of_deferral(taken: QueuedUrl, later: Deferred, now: datetime) -> VisitOutcome:
    """Decide on a URL whose site must not be visited now; it waits, or is given up."""
    if later.reason == "visit-time":  # this is no failed attempt: the site says when it is open
        settled = Outcome("queued", later.reason, later.because, due=later.until)
    else:
        settled = again(taken, later.reason, later.because, later.until, now)
    row = rows.deferred(now, later.until, later.reason, later.because)
    return VisitOutcome(taken, now, settled, row)


def of_failure(
    taken: QueuedUrl,
    error: FetchError,
    now: datetime,
    retries: int = RETRIES,
    permission: str = "",
) -> VisitOutcome:
    """Decide on a URL from which no response came; it waits, or is given up."""
    left = 0 if error.kind in FINAL else retries
    what = error.what.removeprefix(f"{error.url}: ")
    settled = retried(taken, error.kind, what, now, left)
    row = rows.failed(now, error.kind, what, permission=permission)
    return VisitOutcome(taken, now, settled, row)


def of_error(taken: QueuedUrl, error: Exception, now: datetime) -> VisitOutcome:
    """Decide on an unexpected error: only this URL fails, and the crawl continues."""
    sentence = f"{type(error).__name__}: {error}"[:500]
    settled = Outcome("failed", UNFORESEEN, sentence, None, now + AFTER_FAILURE, failed=True)
    return VisitOutcome(taken, now, settled, rows.failed(now, UNFORESEEN, sentence))


def retried(taken: QueuedUrl, reason: str, source: str, now: datetime, retries: int) -> Outcome:
    """Return the outcome of a failure that concerns the URL only: it is tried again soon."""
    until = now + min(RETRY_AFTER * 2 ** min(taken.attempts, MOST_DOUBLINGS), AFTER_FAILURE)
    return again(taken, reason, source, until, now, retries=retries)


def again(
    taken: QueuedUrl,
    reason: str,
    source: str,
    until: datetime | None,
    now: datetime,
    *,
    retries: int = SITE_RETRIES,
) -> Outcome:
    """Return the outcome of a failed attempt: it is repeated until there were too many."""
    if until is None:  # never, as far as is known now; but the site may change its robots.txt
        return Outcome("failed", reason, source, None, now + ASK_AGAIN, failed=True)
    if taken.attempts >= retries:
        return Outcome("failed", reason, source, None, until + AFTER_FAILURE, failed=True)
    return Outcome("queued", reason, source, None, until, failed=True)
