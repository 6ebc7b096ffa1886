"""What came of each visit, written down: all of it in one transaction.

What may live here: which parts are told of what. What they make of it is theirs.
"""

import logging
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from goodbot.crawl.archive.archive import Archive
from goodbot.crawl.evidence.evidence import Evidence
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Anchor, Discovery, QueuedUrl
from goodbot.crawl.frontier.bounds import Bounds
from goodbot.crawl.frontier.due import due_again
from goodbot.crawl.frontier.outlinks import to_candidate
from goodbot.crawl.frontier.sitemaps import Sitemap
from goodbot.crawl.frontier.sqlite import Frontier, Outcome
from goodbot.crawl.index.index import Index
from goodbot.crawl.run.page_batch import FetchResult, PageBatch, Reading, read_answers
from goodbot.errors import Deferred, Disallowed, FetchError
from goodbot.policy.inquiry import NEVER_ASKED
from goodbot.policy.redirects import leads_to
from goodbot.robot import Failed, Fetched, Visit
from goodbot.robot.timeline import Timeline
from goodbot.robot.visit_log import Learned

__all__ = ["Recorder"]

LOG = logging.getLogger("goodbot.crawl")

UNFORESEEN = "unforeseen"
"""The reason where nobody foresaw what went wrong."""

PRIVATE = "private-address"
"""The reason where an address is not public."""

REFRESH_EVERY = 256
"""Pages after which the words of others for them are brought up to date in the index."""

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


class Recorder:
    """Writes down what came of visits.

    Args:
        database: The file of the crawl.
        bounds: What belongs to the crawl.
        now: The time: an aware `datetime`.
        user_agent: How the robot names itself.
        timeline: Tells by how much the clock is set meanwhile; `None` if it never is.

    """

    def __init__(
        self,
        database: Database,
        bounds: Bounds,
        now: datetime,
        *,
        user_agent: str = "",
        timeline: Timeline | None = None,
    ) -> None:
        """Open every part."""
        self._database = database
        self._bounds = bounds
        self.frontier = Frontier(database, now, timeline)
        self.index = Index(database)
        self.archive = Archive(database, user_agent=user_agent)
        self.evidence = Evidence(database)
        self._requests: deque[Fetched | Failed] = deque()
        """Appended to on the loop, and emptied where things are written down."""
        self._pages = 0
        self.disk = self._disk_bytes()
        """How many bytes the crawl takes on the disk, after the last change."""

    def close(self) -> None:
        """Write down what is left, have it last, and close the archive."""
        try:
            with self._database.changing():
                self._write_requests()
            self.frontier.close()
            while self.index.refresh():
                pass
            self._database.commit()
        finally:
            self.archive.close()

    def ask_private(self, now: datetime) -> None:
        """Have sites asked at once that were not, as their address is not public: they may be now.

        Args:
            now: The time, in UTC.

        """
        with self._database.changing():
            self._database.make_stale(f"failure-{PRIVATE}", now)
            self.frontier.retry([PRIVATE, f"failure-{PRIVATE}"], now)

    def requested(self, event: Fetched | Failed) -> None:
        """Take note of a request; it is written down with what comes of it."""
        self._requests.append(event)

    def _disk_bytes(self) -> int:
        return self._database.disk_bytes() + self.archive.disk_bytes()

    def start(self, urls: Sequence[str], now: datetime) -> None:
        """Queue the URLs with which the crawl begins."""
        self._add([Discovery(url, "start") for url in urls], 0, now)

    def learned(self, learned: Learned, now: datetime, *, sitemaps: bool = True) -> None:
        """Store a policy, the requests that led to it, and the sitemaps it names, in one change.

        A process that is killed later finds a fresh policy, and does not ask for robots.txt again.
        """
        policy = learned.policy
        robots_txt = policy.robots_txt
        with self._database.changing():
            self._write_requests()
            if learned.record is not None:
                self._database.put(policy.origin, learned.record, now)
            self.disk = self._disk_bytes()
            if not sitemaps or robots_txt is None or policy.access != "rules":
                return
            if robots_txt.sitemaps:
                self.sitemaps(robots_txt.sitemaps, policy.origin, now)

    def sitemaps(self, urls: Sequence[str], origin: str, now: datetime) -> None:
        """Queue the sitemaps that the robots.txt of an origin names, within the bounds."""
        self._add([Discovery(url, "sitemap-file", source=origin) for url in urls], 0, now)

    def _add_sitemaps(self, urls: Sequence[str], named_by: str, now: datetime) -> None:
        """Queue the sitemaps of an index; patterns to include are for pages."""
        pairs = []
        for url in urls:
            pair = to_candidate(
                Discovery(url, "sitemap-file", source=named_by), 0, self._bounds.refuses
            )
            if pair is not None:
                pairs.append((pair[0], replace(pair[1], depth=1)))
        self.frontier.add(pairs, now)

    def _add(self, found: Sequence[Discovery], depth: int, now: datetime) -> None:
        pairs = [to_candidate(one, depth, self._bounds.refuses) for one in found]
        self.frontier.add([pair for pair in pairs if pair is not None], now)

    # What came of a visit.

    def read(self, answers: Sequence[FetchResult]) -> PageBatch:
        """Read answers; it touches no database, and may be called in a thread."""
        return read_answers(answers, self._bounds.refuses)

    def visited(self, answers: Sequence[FetchResult], read: PageBatch) -> list[Outcome]:
        """Write down answers and what they say, all at once; tell what has become of each URL."""
        with self._database.changing():
            self._write_requests()
            numbers = self._pages_kept(answers, read.pages)
            settled = []
            for one in answers:
                number = one.taken.id
                if number in numbers:
                    settled.append(self._page(one, read.pages[number], numbers[number]))
                else:
                    settled.append(self._settled(one, read.sitemaps.get(number)))
                self.frontier.settle(one.taken, settled[-1], one.at)
        self._pages += len(answers)
        self.disk = self._disk_bytes()
        return settled

    def last(self) -> None:
        """Have what was written last, whatever becomes of the process; index what has piled up."""
        if self._pages >= REFRESH_EVERY:
            self._pages = 0
            self.index.refresh()
        self._database.commit()
        self.disk = self._disk_bytes()

    def _pages_kept(
        self, answers: Sequence[FetchResult], readings: Mapping[int, Reading]
    ) -> dict[int, list[int]]:
        """Queue the links of pages, and keep what may be kept; give the numbers of the links.

        Step by step for all, as `readings_of` does it.
        """
        both = [(one, readings[one.taken.id]) for one in answers if one.taken.id in readings]
        for one, reading in both:
            status = one.visit.response.status
            self.evidence.visited(one.taken.id, one.at, one.visit.verdict, status, reading.page)
        numbers = {
            one.taken.id: self.frontier.add(reading.leads.links, one.at) for one, reading in both
        }
        for one, reading in both:
            answer, taken = one.visit.response, one.taken
            self.archive.keep(taken.id, taken.url, answer, reading.page, one.at, copy=reading.copy)
        return numbers

    def _settled(self, one: FetchResult, sitemap: Sitemap | None) -> Outcome:
        """Write down one answer that is no page."""
        taken, visit, at = one.taken, one.visit, one.at
        location = visit.location
        if location is not None:
            return self._redirected(taken, visit, location, at)
        if not visit.meaning.speaks_of_page:
            return self._unsaid(taken, visit, at)
        return self._sitemap(taken, visit, sitemap, at)

    def _unsaid(self, taken: QueuedUrl, visit: Visit, now: datetime) -> Outcome:
        """Settle an answer that says nothing of the page: what is kept of it stays."""
        row, answer = visit.meaning, visit.response
        self.evidence.visited(taken.id, now, visit.verdict, answer.status, None)
        due = due_again(answer.status, answer.headers, now=now, failures=taken.attempts)
        if row.is_transient:
            is_of_the_url = row.due == "server-error" and not row.is_overload
            if is_of_the_url and due.reason != "retry-after":
                return replace(self._retried(taken, row.due, "", now), status=answer.status)
            return replace(self._again(taken, row.due, "", due.at, now), status=answer.status)
        if not row.is_redirect:
            return Outcome("done", "no-success", "", answer.status, due.at)
        _, outcome = leads_to(taken.url, answer.status, answer.headers, [taken.url], limit=1)
        return Outcome("failed", outcome, "", answer.status, due.at)

    def _redirected(self, taken: QueuedUrl, visit: Visit, location: str, now: datetime) -> Outcome:
        """Queue where an answer leads: it is asked about there, when its turn comes."""
        status = visit.response.status
        self._forget(taken)
        self.evidence.visited(taken.id, now, visit.verdict, status, None)
        reason = "redirects-too-many" if taken.hops >= MOST_HOPS else "redirect"
        pair = to_candidate(
            Discovery(location, "redirect"), taken.depth, self._bounds.refuses, taken.hops + 1
        )
        if taken.how == "sitemap-file":
            named_by = self.frontier.source_of(taken.id)
            led = Discovery(location, "sitemap-file", source=named_by)
            pair = to_candidate(led, 0, self._bounds.refuses, taken.hops + 1)
        if pair is None or reason != "redirect":
            return Outcome("failed", reason, location, status)
        (target,) = self.frontier.add([pair], now)
        due = due_again(status, visit.response.headers, now=now)
        return Outcome("redirected", reason, location, status, due.at, target or None)

    def _sitemap(
        self, taken: QueuedUrl, visit: Visit, sitemap: Sitemap | None, now: datetime
    ) -> Outcome:
        """Queue what a sitemap lists."""
        answer = visit.response
        self.evidence.visited(taken.id, now, visit.verdict, answer.status, None)
        named_by = self.frontier.source_of(taken.id)
        if sitemap is not None:
            self._add([Discovery(one.url, "sitemap") for one in sitemap.urls], taken.depth + 1, now)
            # An index names sitemaps, and no index: none goes deeper than that.
            if not taken.depth:
                self._add_sitemaps([one.url for one in sitemap.sitemaps], named_by, now)
        due = due_again(answer.status, answer.headers, now=now)
        reason = "sitemap" if visit else "no-success"
        return Outcome("done", reason, named_by, answer.status, due.at)

    def _page(self, one: FetchResult, reading: Reading, numbers: list[int]) -> Outcome:
        """Index what may be, or what is to be indexed in its place."""
        taken, answer = one.taken, one.visit.response
        target, is_indexed = self._lead_on(one, reading, numbers)
        document = None if is_indexed else reading.document
        if document is None:
            self.index.remove(taken.id)
        else:
            self.index.put(taken.id, document)
            for number in self.index.among(self.frontier.leading_to(taken.id)):
                self.index.remove(number)
        reason = "fetched" if one.visit else "no-success"
        is_gone = one.visit.meaning.is_gone
        return Outcome("done", reason, "", answer.status, reading.due.at, target, failed=is_gone)

    def _lead_on(
        self, one: FetchResult, reading: Reading, numbers: list[int]
    ) -> tuple[int | None, bool]:
        """Keep the words of the links.

        Gives the number of the page to index instead, and whether that is in the index. Until it
        is, which it may never be, this one stands for itself.
        """
        leads, number = reading.leads, one.taken.id
        known = {place.url: at for (_, place), at in zip(leads.links, numbers, strict=True)}
        forms = leads.forms
        targets = ((known[forms[url]], text) for url, text in reading.anchors if url in forms)
        anchors = [Anchor(target, text) for target, text in targets if target]
        self.index.describe(number, anchors)
        if leads.stands_for is None:
            return None, False
        (target,) = self.frontier.add([leads.stands_for], one.at)
        end = self.frontier.end_of(target, number)
        # Of pages that name each other all would be lost.
        return (None, False) if end == number else (target, end in self.index)

    def refused(self, taken: QueuedUrl, refusal: Disallowed, now: datetime) -> Outcome:
        """Write down that a visit is forbidden; what was kept of the page goes."""
        verdict = refusal.verdict
        with self._database.changing():
            self._write_requests()
            self.evidence.refused(taken.id, now, verdict)
            if verdict.rules is not None or verdict.retry_at is None:
                settled = Outcome("disallowed", verdict.reason, verdict.source, due=now + ASK_AGAIN)
                self._forget(taken)
            elif verdict.policy_reason in NEVER_ASKED:  # in vain until something else changes
                due = now + AFTER_FAILURE
                settled = Outcome("queued", verdict.reason, verdict.source, due=due)
            else:  # robots.txt is out of reach: nothing is known against what is kept
                settled = self._again(taken, verdict.reason, verdict.source, verdict.retry_at, now)
            self.frontier.settle(taken, settled, now)
        return settled

    def deferred(self, taken: QueuedUrl, later: Deferred, now: datetime) -> Outcome:
        """Write down that the site wants nobody now; the URL waits, or is given up."""
        with self._database.changing():
            self._write_requests()
            self.evidence.deferred(taken.id, now, later.until, later.reason, str(later))
            if later.reason == "visit-time":  # nothing was in vain: the site says when it is open
                settled = Outcome("queued", later.reason, later.because, due=later.until)
            else:
                settled = self._again(taken, later.reason, later.because, later.until, now)
            self.frontier.settle(taken, settled, now)
        return settled

    def failed(self, taken: QueuedUrl, error: FetchError, now: datetime) -> Outcome:
        """Write down that no answer came; the URL waits, or is given up."""
        with self._database.changing():
            self._write_requests()
            self.evidence.failed(taken.id, now, error.kind, str(error))
            settled = self._retried(taken, error.kind, str(error), now)
            self.frontier.settle(taken, settled, now)
        return settled

    def broke(self, taken: QueuedUrl, error: Exception, now: datetime) -> Outcome:
        """Write down that something went wrong that nobody foresaw: it costs one URL, no more."""
        LOG.error("%s could not be visited or read", taken.url, exc_info=error)
        sentence = f"{type(error).__name__}: {error}"[:500]
        settled = Outcome("failed", UNFORESEEN, sentence, None, now + AFTER_FAILURE, failed=True)
        with self._database.changing():
            self._write_requests()
            self.evidence.failed(taken.id, now, UNFORESEEN, sentence)
            self.frontier.settle(taken, settled, now)
        return settled

    def _retried(self, taken: QueuedUrl, reason: str, source: str, now: datetime) -> Outcome:
        """Have a URL tried again soon, some times: the failure concerns it, and not its site."""
        until = now + RETRY_AFTER * 2 ** min(taken.attempts, MOST_FAILURES)
        return self._again(taken, reason, source, until, now, most=MOST_FAILURES)

    @staticmethod
    def _again(  # noqa: PLR0913  all that is written down
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
            due = until + AFTER_FAILURE
            return Outcome("failed", reason, source, None, due, failed=True)
        return Outcome("queued", reason, source, None, until, failed=True)

    def give_back(self, taken: QueuedUrl) -> None:
        """Put a URL back that was not visited."""
        with self._database.changing():
            self._write_requests()
            self.frontier.give_back(taken)

    def _forget(self, taken: QueuedUrl) -> None:
        """Take out of index and archive what may no longer be there."""
        self.index.remove(taken.id)
        self.archive.forget(taken.id)

    def _write_requests(self) -> None:
        """Write down the requests that were made, and what robots.txt was answered."""
        while self._requests:
            event = self._requests.popleft()
            self.evidence.requested(event)
            if isinstance(event, Fetched) and event.purpose == "robots-txt":
                self.archive.keep_robots_txt(event.response)
