"""What a visit came to: everything that is to be written down of it, as one value.

What may live here: decisions on answers, refusals and failures. No database is touched, so that a
thread may make them. The parts of a crawl write an outcome down in the order that
`goodbot.crawl.frontier.protocol` states.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from goodbot.crawl.archive.copies import CopyToKeep
from goodbot.crawl.evidence import rows
from goodbot.crawl.evidence.rows import EvidenceRow
from goodbot.crawl.folder.records import Discovery, Document, QueuedUrl
from goodbot.crawl.frontier.bounds import depth_of
from goodbot.crawl.frontier.contents import PageContent
from goodbot.crawl.frontier.due import due_again
from goodbot.crawl.frontier.outlinks import Candidates, to_candidate
from goodbot.crawl.frontier.protocol import Candidate, Outcome, ScopeFilter
from goodbot.crawl.frontier.sitemaps import Sitemap
from goodbot.errors import Deferred, Disallowed, FetchError
from goodbot.policy.inquiry import NEVER_ASKED
from goodbot.policy.redirects import leads_to
from goodbot.robot import Visit

__all__ = [
    "UNFORESEEN",
    "VisitOutcome",
    "of_answer",
    "of_deferral",
    "of_error",
    "of_failure",
    "of_refusal",
]

UNFORESEEN = "unforeseen"
"""The reason where nobody foresaw what went wrong."""

UNREAD = "not-read"
"""The reason where the content of an answer was not read, as its type is of no document."""

MOST_HOPS = 10
"""Redirects that are followed in a row, as `Robot.visit` does."""

MOST_ATTEMPTS = 4
"""Visits in vain, of a site that is overloaded or closed, after which a URL is given up for now."""

MOST_FAILURES = 3
"""Failures of one URL after which it is given up for now; Scrapy has the same number."""

RETRY_AFTER = timedelta(seconds=10)
"""How long a URL waits after its first failure, at least; twice as long after each that follows.
The other URLs of the site go on meanwhile, and the site's pace is kept. It is short because a crawl
that has nothing else to do waits for it."""

ASK_AGAIN = timedelta(days=30)
"""Until it is asked again whether a URL is still forbidden."""

AFTER_FAILURE = timedelta(days=1)
"""Until a URL that was given up is due again."""


@dataclass(frozen=True, slots=True)
class VisitOutcome:
    """What one visit came to, whole: written down twice, it is there once."""

    taken: QueuedUrl
    """The URL, under its lease: with `visit` it names the visit."""
    at: datetime
    """When that was known."""
    settled: Outcome
    """What becomes of the URL; its `target` is set when it is written down."""
    evidence: EvidenceRow
    links: Collection[Candidate] = ()
    """The URLs that it leads to, which are queued."""
    target: Candidate | None = None
    """The URL to which it redirects."""
    stands_for: Candidate | None = None
    """The page to index in place of this one (canonical, INDEXINSTEAD)."""
    copy: CopyToKeep | Literal["forget"] | None = None
    """What the archive keeps; `None`: what it has."""
    index: Literal["page", "remove"] | None = None
    """Whether the index takes the page, or has nothing of it any more; `None`: what it has."""
    document: Document | None = None
    """What the index takes of the page; `None` if nothing may be indexed."""
    anchors: Sequence[tuple[str, str]] = ()
    """What the links of the page say of others: URL in its normal form, and text."""
    content: PageContent | None = None
    """By what traps are recognised; `None` of what is no page, or none of a success."""


def of_answer(
    taken: QueuedUrl, visit: Visit, sitemap: Sitemap | None, at: datetime, refuses: ScopeFilter
) -> VisitOutcome:
    """Decide on an answer that is no page."""
    location = visit.location
    if location is not None:
        return of_redirect(taken, visit, location, at, refuses)
    if visit.response.unread:
        return of_unread(taken, visit, at)
    if visit.meaning.speaks_of_page:
        return of_sitemap(taken, visit, sitemap, at, refuses)
    row = rows.visited(at, visit.verdict, visit.response.status)
    return VisitOutcome(taken, at, of_nothing_said(taken, visit, at), row)


def of_unread(taken: QueuedUrl, visit: Visit, now: datetime) -> VisitOutcome:
    """Decide on an answer of a type that is not read: nothing of it is kept."""
    answer = visit.response
    due = due_again(answer.status, answer.headers, now=now)
    said = f"Content-Type: {answer.field('Content-Type')}"
    settled = Outcome("done", UNREAD, said, answer.status, due.at)
    row = rows.visited(now, visit.verdict, answer.status)
    return VisitOutcome(taken, now, settled, row, copy="forget", index="remove")


def of_nothing_said(taken: QueuedUrl, visit: Visit, now: datetime) -> Outcome:
    """Settle an answer that says nothing of the page: what is kept of it stays."""
    row, answer = visit.meaning, visit.response
    due = due_again(answer.status, answer.headers, now=now, failures=taken.attempts)
    if row.is_transient:
        is_of_the_url = row.due == "server-error" and not row.is_overload
        if is_of_the_url and due.reason != "retry-after":
            return replace(retried(taken, row.due, "", now), status=answer.status)
        return replace(again(taken, row.due, "", due.at, now), status=answer.status)
    if not row.is_redirect:
        return Outcome("done", "no-success", "", answer.status, due.at)
    _, outcome = leads_to(taken.url, answer.status, answer.headers, [taken.url], limit=1)
    return Outcome("failed", outcome, "", answer.status, due.at)


def of_redirect(
    taken: QueuedUrl, visit: Visit, location: str, now: datetime, refuses: ScopeFilter
) -> VisitOutcome:
    """Queue where an answer leads: it is asked about there, when its turn comes."""
    status = visit.response.status
    outside = refuses(taken.url, taken.origin, depth_of(taken.how, taken.depth))
    hops, found = taken.hops + 1, visit.location_spelling or location
    if taken.how == "sitemap-file":
        led = Discovery(found, "sitemap-file", source=taken.source)
        target = to_candidate(led, 0, refuses, hops)
    else:
        target = to_candidate(Discovery(found, "redirect"), taken.depth, refuses, hops)
    if taken.hops >= MOST_HOPS:
        target, settled = None, Outcome("failed", "redirects-too-many", location, status)
    elif outside is not None:  # it was kept before; nothing of it is from now on
        target, settled = None, Outcome("skipped", outside, "", status)
    elif target is None:
        settled = Outcome("failed", "redirect", location, status)
    else:
        due = due_again(status, visit.response.headers, now=now)
        settled = Outcome("redirected", "redirect", location, status, due.at)
    row = rows.visited(now, visit.verdict, status)
    return VisitOutcome(taken, now, settled, row, target=target, copy="forget", index="remove")


def of_sitemap(
    taken: QueuedUrl,
    visit: Visit,
    sitemap: Sitemap | None,
    now: datetime,
    refuses: ScopeFilter,
) -> VisitOutcome:
    """Queue what a sitemap lists."""
    answer, named_by = visit.response, taken.source
    links = () if sitemap is None else Candidates(listed(taken, sitemap, refuses))
    due = due_again(answer.status, answer.headers, now=now)
    reason = "sitemap" if visit else "no-success"
    settled = Outcome("done", reason, named_by, answer.status, due.at)
    row = rows.visited(now, visit.verdict, answer.status)
    return VisitOutcome(taken, now, settled, row, links)


def listed(taken: QueuedUrl, sitemap: Sitemap, refuses: ScopeFilter) -> Iterator[Candidate]:
    """Yield what a sitemap lists."""
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
    return None if pair is None else (pair[0], replace(pair[1], depth=1))


def of_refusal(taken: QueuedUrl, refusal: Disallowed, now: datetime) -> VisitOutcome:
    """Decide on a visit that is forbidden; what was kept of the page goes."""
    verdict = refusal.verdict
    row = rows.refused(now, verdict)
    reason, source = verdict.reason, verdict.source
    if verdict.rules is not None or verdict.retry_at is None:
        settled = Outcome("disallowed", reason, source, due=now + ASK_AGAIN)
        return VisitOutcome(taken, now, settled, row, copy="forget", index="remove")
    if verdict.policy_reason in NEVER_ASKED:  # in vain until something else changes
        settled = Outcome("queued", reason, source, due=now + AFTER_FAILURE)
    else:  # robots.txt is out of reach: nothing is known against what is kept
        settled = again(taken, reason, source, verdict.retry_at, now)
    return VisitOutcome(taken, now, settled, row)


def of_deferral(taken: QueuedUrl, later: Deferred, now: datetime) -> VisitOutcome:
    """Decide on a URL whose site wants nobody now; it waits, or is given up."""
    if later.reason == "visit-time":  # nothing was in vain: the site says when it is open
        settled = Outcome("queued", later.reason, later.because, due=later.until)
    else:
        settled = again(taken, later.reason, later.because, later.until, now)
    row = rows.deferred(now, later.until, later.reason, str(later))
    return VisitOutcome(taken, now, settled, row)


def of_failure(taken: QueuedUrl, error: FetchError, now: datetime) -> VisitOutcome:
    """Decide on a URL from which no answer came; it waits, or is given up."""
    settled = retried(taken, error.kind, str(error), now)
    return VisitOutcome(taken, now, settled, rows.failed(now, error.kind, str(error)))


def of_error(taken: QueuedUrl, error: Exception, now: datetime) -> VisitOutcome:
    """Decide on what nobody foresaw: it costs one URL, no more."""
    sentence = f"{type(error).__name__}: {error}"[:500]
    settled = Outcome("failed", UNFORESEEN, sentence, None, now + AFTER_FAILURE, failed=True)
    return VisitOutcome(taken, now, settled, rows.failed(now, UNFORESEEN, sentence))


def retried(taken: QueuedUrl, reason: str, source: str, now: datetime) -> Outcome:
    """Have a URL tried again soon, some times: the failure concerns it, and not its site."""
    until = now + RETRY_AFTER * 2 ** min(taken.attempts, MOST_FAILURES)
    return again(taken, reason, source, until, now, most=MOST_FAILURES)


def again(  # noqa: PLR0913  all that is written down
    taken: QueuedUrl,
    reason: str,
    source: str,
    until: datetime | None,
    now: datetime,
    *,
    most: int = MOST_ATTEMPTS,
) -> Outcome:
    """Have a URL tried again, some times."""
    if until is None:  # never, by what is known now; but what a site asks changes
        return Outcome("failed", reason, source, None, now + ASK_AGAIN, failed=True)
    if taken.attempts + 1 >= most:
        return Outcome("failed", reason, source, None, until + AFTER_FAILURE, failed=True)
    return Outcome("queued", reason, source, None, until, failed=True)
