"""What came of each visit, written down: all of it in one transaction.

What may live here: which parts are told of what. What they make of it is theirs.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from goodbot.crawl.archive import Archive
from goodbot.crawl.bounds import Bounds
from goodbot.crawl.database import Database
from goodbot.crawl.due import due_again
from goodbot.crawl.evidence import Evidence
from goodbot.crawl.frontier import Frontier, Settled
from goodbot.crawl.index import Index, anchors_of, document_of
from goodbot.crawl.leads import Leads, leads_of, placed
from goodbot.crawl.records import Anchor, Found, Taken
from goodbot.crawl.sitemaps import read_sitemap
from goodbot.errors import Deferred, Disallowed, FetchError
from goodbot.page import Page
from goodbot.robot import Failed, Fetched, Visit

__all__ = ["Ledger"]

REFRESH_EVERY = 256
"""Pages after which the words of others for them are brought up to date in the index."""

TRANSIENT = {408, 425, 429, 500, 502, 503, 504}
"""Statuses that say nothing of the page (RFC 9110 section 15; RFC 6585 section 4)."""

MOST_HOPS = 10
"""Redirects that are followed in a row, as `Robot.visit` does."""

MOST_ATTEMPTS = 4
"""Visits in vain after which a URL is given up for now."""

RETRY_AFTER = timedelta(minutes=1)
"""After the first failure; four times as long after each that follows."""

ASK_AGAIN = timedelta(days=30)
"""Until it is asked again whether a URL is still forbidden."""

AFTER_FAILURE = timedelta(days=1)
"""Until a URL that was given up is due again."""


class Ledger:
    """Writes down what came of visits.

    Args:
        database: The file of the crawl.
        bounds: What belongs to the crawl.
        now: The time: an aware `datetime`.
        user_agent: How the robot names itself.

    """

    def __init__(
        self, database: Database, bounds: Bounds, now: datetime, *, user_agent: str = ""
    ) -> None:
        """Open every part."""
        self._database = database
        self._bounds = bounds
        self.frontier = Frontier(database, now)
        self.index = Index(database)
        self.archive = Archive(database, user_agent=user_agent)
        self.evidence = Evidence(database)
        self._requests: list[Fetched | Failed] = []
        self._pages = 0

    def close(self) -> None:
        """Write down what is left, and close the archive."""
        try:
            with self._database.changing():
                self._write_requests()
            while self.index.refresh():
                pass
        finally:
            self.archive.close()

    def requested(self, event: Fetched | Failed) -> None:
        """Take note of a request; it is written down with what comes of it."""
        self._requests.append(event)

    def start(self, urls: Sequence[str], now: datetime) -> None:
        """Queue the URLs with which the crawl begins."""
        self._add([Found(url, "start") for url in urls], 0, now)

    def sitemaps(self, urls: Sequence[str], origin: str, now: datetime) -> None:
        """Queue the sitemaps that the robots.txt of an origin names, wherever they are."""
        pairs = [
            placed(Found(url, "sitemap-file", source=origin), 0, lambda *_: None) for url in urls
        ]
        self.frontier.add([pair for pair in pairs if pair is not None], now)

    def _add(self, found: Sequence[Found], depth: int, now: datetime) -> None:
        pairs = [placed(one, depth, self._bounds.refuses) for one in found]
        self.frontier.add([pair for pair in pairs if pair is not None], now)

    # What came of a visit.

    def visited(self, taken: Taken, visit: Visit, now: datetime) -> Settled:
        """Write down an answer."""
        with self._database.changing():
            self._write_requests()
            location = visit.location
            if location is not None:
                settled = self._redirected(taken, visit, location, now)
            elif visit.response.status in TRANSIENT:
                settled = self._busy(taken, visit, now)
            elif taken.how == "sitemap-file":
                settled = self._sitemap(taken, visit, now)
            else:
                settled = self._page(taken, visit, now)
            self.frontier.settle(taken, settled, now)
        self._pages += 1
        if self._pages % REFRESH_EVERY == 0:
            self.index.refresh()
        return settled

    def _busy(self, taken: Taken, visit: Visit, now: datetime) -> Settled:
        """Have a URL tried again whose server is not up to it now; what is kept of it stays."""
        status = visit.response.status
        self.evidence.visited(taken.id, now, visit.verdict, status, None)
        due = due_again(status, visit.response.headers, now=now, failures=taken.attempts)
        return replace(self._again(taken, "server-error", "", due.at), status=status)

    def _redirected(self, taken: Taken, visit: Visit, location: str, now: datetime) -> Settled:
        """Queue where an answer leads: it is asked about there, when its turn comes."""
        status = visit.response.status
        self._forget(taken)
        self.evidence.visited(taken.id, now, visit.verdict, status, None)
        reason = "redirects-too-many" if taken.hops >= MOST_HOPS else "redirect"
        pair = placed(
            Found(location, "redirect"), taken.depth, self._bounds.refuses, taken.hops + 1
        )
        if taken.how == "sitemap-file":
            named_by = self.frontier.source_of(taken.id)
            led = Found(location, "sitemap-file", source=named_by)
            pair = placed(led, taken.depth, lambda *_: None, taken.hops + 1)
        if pair is None or reason != "redirect":
            return Settled("failed", reason, location, status)
        (target,) = self.frontier.add([pair], now)
        due = due_again(status, visit.response.headers, now=now)
        return Settled("redirected", reason, location, status, due.at, target)

    def _sitemap(self, taken: Taken, visit: Visit, now: datetime) -> Settled:
        """Queue what a sitemap lists."""
        answer = visit.response
        self.evidence.visited(taken.id, now, visit.verdict, answer.status, None)
        named_by = self.frontier.source_of(taken.id)
        if visit:
            sitemap = read_sitemap(answer.body, taken.url, speaks_for=[named_by])
            self._add([Found(one.url, "sitemap") for one in sitemap.urls], taken.depth + 1, now)
            # An index names sitemaps, and no index: none goes deeper than that.
            if not taken.depth:
                pairs = [
                    placed(Found(one.url, "sitemap-file", source=named_by), 1, lambda *_: None)
                    for one in sitemap.sitemaps
                ]
                self.frontier.add([pair for pair in pairs if pair is not None], now)
        due = due_again(answer.status, answer.headers, now=now)
        reason = "sitemap" if visit else "no-success"
        return Settled("done", reason, named_by, answer.status, due.at)

    def _page(self, taken: Taken, visit: Visit, now: datetime) -> Settled:
        """Index, archive and follow what may be."""
        answer, page = visit.response, visit.page
        self.evidence.visited(taken.id, now, visit.verdict, answer.status, page)
        leads = leads_of(page, taken, self._bounds.refuses)
        target = self._lead_on(taken, page, leads, now)
        document = None if target is not None else document_of(page, now)
        if document is None:
            self.index.remove(taken.id)
        else:
            self.index.put(taken.id, document)
        self.archive.keep(taken.id, taken.url, answer, page, now)
        due = due_again(answer.status, answer.headers, now=now, page=page)
        reason = "fetched" if visit else "no-success"
        return Settled("done", reason, "", answer.status, due.at, target)

    def _lead_on(self, taken: Taken, page: Page, leads: Leads, now: datetime) -> int | None:
        """Queue the links, keep their words, and give the number of the page to index instead."""
        numbers = self.frontier.add(leads.links, now)
        known = {place.url: number for (_, place), number in zip(leads.links, numbers, strict=True)}
        anchors = [Anchor(known[url], text) for url, text in anchors_of(page) if url in known]
        self.index.describe(taken.id, anchors)
        if leads.stands_for is None:
            return None
        (target,) = self.frontier.add([leads.stands_for], now)
        # Two pages that each name the other would both be lost.
        return None if self.frontier.target_of(target) == taken.id else target

    def refused(self, taken: Taken, refusal: Disallowed, now: datetime) -> Settled:
        """Write down that a visit is forbidden; what was kept of the page goes."""
        verdict = refusal.verdict
        with self._database.changing():
            self._write_requests()
            self.evidence.refused(taken.id, now, verdict)
            if verdict.retry_at is None:
                settled = Settled("forbidden", verdict.reason, verdict.source, due=now + ASK_AGAIN)
                self._forget(taken)
            else:  # robots.txt is out of reach: nothing is known against what is kept
                settled = self._again(taken, verdict.reason, verdict.source, verdict.retry_at)
            self.frontier.settle(taken, settled, now)
        return settled

    def put_off(self, taken: Taken, later: Deferred, now: datetime) -> Settled:
        """Write down that the site wants nobody now; the URL waits, or is given up."""
        with self._database.changing():
            self._write_requests()
            self.evidence.put_off(taken.id, now, later.until, later.reason, str(later))
            if later.reason == "visit-time":  # nothing was in vain: the site says when it is open
                settled = Settled("queued", later.reason, later.because, due=later.until)
            else:
                settled = self._again(taken, later.reason, later.because, later.until)
            self.frontier.settle(taken, settled, now)
        return settled

    def failed(self, taken: Taken, error: FetchError, now: datetime) -> Settled:
        """Write down that no answer came; the URL waits, or is given up."""
        with self._database.changing():
            self._write_requests()
            self.evidence.failed(taken.id, now, error.kind, str(error))
            until = now + RETRY_AFTER * 4**taken.attempts
            settled = self._again(taken, error.kind, str(error), until)
            self.frontier.settle(taken, settled, now)
        return settled

    @staticmethod
    def _again(taken: Taken, reason: str, source: str, until: datetime | None) -> Settled:
        """Have a URL tried again, some times."""
        if until is None or taken.attempts + 1 >= MOST_ATTEMPTS:
            due = None if until is None else until + AFTER_FAILURE
            return Settled("failed", reason, source, None, due, failed=True)
        return Settled("queued", reason, source, None, until, failed=True)

    def give_back(self, taken: Taken) -> None:
        """Put a URL back that was not visited."""
        with self._database.changing():
            self._write_requests()
            self.frontier.give_back(taken)

    def _forget(self, taken: Taken) -> None:
        """Take out of index and archive what may no longer be there."""
        self.index.remove(taken.id)
        self.archive.forget(taken.id)

    def _write_requests(self) -> None:
        """Write down the requests that were made, and what robots.txt was answered."""
        requests, self._requests = self._requests, []
        for event in requests:
            self.evidence.requested(event)
            if isinstance(event, Fetched) and event.purpose == "robots-txt":
                self.archive.keep_robots_txt(event.response)
