"""The recorder: writes the outcomes of visits to all parts of a crawl, in one transaction.

Scope: deciding which part records what. The parts decide how.
"""

import logging
from collections import deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime

from goodbot.crawl.archive.protocol import WholeCopy
from goodbot.crawl.evidence import rows
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Discovery, QueuedUrl, anchors_from
from goodbot.crawl.frontier.bounds import OTHER_ORIGIN, Bounds
from goodbot.crawl.frontier.folder_mirror import FolderMirror
from goodbot.crawl.frontier.outlinks import to_candidate
from goodbot.crawl.frontier.please_visit import asked_for
from goodbot.crawl.frontier.protocol import Candidate, Outcome
from goodbot.crawl.frontier.traps import DEFAULT_TRAPS, TrapWatch
from goodbot.crawl.run.alerts import has_changed
from goodbot.crawl.run.crawl_parts import Parts, parts_in
from goodbot.crawl.run.events import SiteAlert
from goodbot.crawl.run.page_batch import FetchResult, PageBatch, read_answers
from goodbot.crawl.run.pending import Pending
from goodbot.crawl.run.settings import RETRIES
from goodbot.crawl.run.shared_store import SharedStore
from goodbot.crawl.run.visit_outcome import (
    TYPE_SAID,
    UNREAD,
    VisitOutcome,
    of_deferral,
    of_error,
    of_failure,
    of_refusal,
)
from goodbot.errors import Deferred, Disallowed, FetchError
from goodbot.page.media_types import is_wanted, resource_kinds
from goodbot.robot import Failed, Fetched, Remark
from goodbot.robot.timeline import Timeline
from goodbot.robot.visit_log import Learned
from goodbot.store import Record

__all__ = ["Recorder"]

LOG = logging.getLogger("goodbot.crawl")

PRIVATE = "private-address"
"""The reason if an address is not public."""

OUTSIDE = "The operator removed everything outside the bounds of the crawl."

REFRESH_EVERY = 1_000
MOST_TEXT = 8 * 1024 * 1024
"""The number of pages, and of characters of text, after which pages are entered in the index.
SQLite takes half as long to enter a thousand at once as to enter a hundred ten times."""
LONGEST_NOTED = 2.0
"""Seconds after which a queue that is not in the folder learns of an outcome in any case."""
ENTRIES = 100
"""How many entries of the index are updated at once; their texts are held in memory."""


class Recorder:
    """Records the outcomes of visits.

    Args:
        database: The file of the crawl.
        bounds: What belongs to the crawl.
        now: The time: an aware `datetime`.
        user_agent: The User-Agent of the robot.
        timeline: Reports changes of the clock; `None` if it is never set.
        parts: The parts of the crawl; `None` for those in its folder.
        traps: The traps whose links are skipped (`goodbot.crawl.frontier.traps`).
        retries: How often a URL that failed is tried again in this run.
        short_lived: Whether pages that have expired when they come are indexed and kept.
        types: The types of responses that are read; those of resources are asked for.
        shared: The store that is shared with other programs; `None` for that in the folder.

    """

    def __init__(
        self,
        database: Database,
        bounds: Bounds,
        now: datetime,
        *,
        user_agent: str = "",
        timeline: Timeline | None = None,
        parts: Parts | None = None,
        traps: Collection[str] = DEFAULT_TRAPS,
        retries: int = RETRIES,
        short_lived: bool = True,
        types: Collection[str] = (),
        shared: SharedStore | None = None,
    ) -> None:
        """Open every part."""
        self._shared = shared
        self._database, self._short_lived = database, short_lived
        self._bounds, self._retries = bounds, retries
        self._resources = resource_kinds(types)
        if parts is None:
            parts = parts_in(database, now, user_agent=user_agent, timeline=timeline)
        self.frontier, self.archive = parts.frontier, parts.archive
        self._mirror = parts.frontier if isinstance(parts.frontier, FolderMirror) else None
        """The queue, if it is not in the folder."""
        self.evidence, self.index, self.links = parts.evidence, parts.index, parts.links
        self.inventory = parts.inventory
        self._traps = TrapWatch(parts.traps, traps)
        self._requests: Pending[Fetched | Failed] = Pending(database)
        """Requests to record: added on the event loop, removed where changes are written."""
        self._remarks: Pending[tuple[Remark, datetime]] = Pending(database)
        """Messages to record, in the same way."""
        self.alerts: deque[SiteAlert] = deque()
        """Alerts found while recording; the event loop removes and emits them."""
        self._pages = self._text = 0
        """The pages, and the characters of text, since the index was updated."""
        self.disk = self._disk_bytes()
        """The disk space of the crawl in bytes, after the last change."""

    def close(self) -> None:
        """Record what is left, commit it, and close the archive."""
        try:
            with self._database.changing():
                self._write_requests()
            self.frontier.close()
            while self._refresh(REFRESH_EVERY):
                pass
            self._database.commit()
        finally:
            self.archive.close()

    def ask_private(self, now: datetime) -> None:
        """Queue the URLs that were refused because their address is not public: they may be now.

        Args:
            now: The time, in UTC.

        """
        with self._database.changing():
            (self._shared or self._database.store).make_stale(f"failure-{PRIVATE}", now)
            self.frontier.retry([PRIVATE, f"failure-{PRIVATE}"], now)

    def admit(self, now: datetime, lifted: Collection[str] = ()) -> int:
        """Queue URLs that an earlier run skipped, but which are within the bounds of this one.

        Args:
            now: The time, in UTC.
            lifted: Traps whose links are no longer skipped; URLs skipped for them are queued too.

        Returns:
            The number of URLs.

        """
        return self.frontier.admit(self._refuses, now, lifted)

    def reread(self, types: tuple[str, ...], now: datetime) -> int:
        """Queue URLs that were not read because of their type, but are read in this run.

        Args:
            types: The types that are read (`goodbot.page.media_types`).
            now: The time, in UTC.

        Returns:
            The number of URLs.

        """

        def is_read(said: str) -> bool:
            return is_wanted(said.removeprefix(TYPE_SAID), types)

        return self.frontier.revisit(UNREAD, is_read, now)

    def _refuses(self, url: str, origin: str, depth: int) -> str | None:
        """Return why a URL is out of bounds; `None` also for a link to another site to check."""
        is_checked = self._bounds.checks(url, origin, "link")
        return None if is_checked else self._bounds.refuses(url, origin, depth)

    def keeps(self, url_id: int) -> bool:
        """Return whether a page is in the index or in the archive."""
        return url_id in self.index or url_id in self.archive

    def take_down(self, url_id: int) -> bool:
        """Remove a page from index and archive, and its links; return whether either had it."""
        is_kept = self.keeps(url_id)
        self.archive.forget(url_id)
        self.index.remove(url_id)
        self.links.remove(url_id)
        self.inventory.withdraw(url_id, "removed")
        return is_kept

    def remove_outside(self, now: datetime) -> int:
        """Skip URLs outside the bounds of this run, and remove them from the index and archive.

        Args:
            now: The time, in UTC.

        Returns:
            The number of URLs.

        """
        with self._database.changing():
            outside = self.frontier.outside(self._bounds.refuses)
            if self._bounds.check_external:  # of other sites, only pages that were kept
                outside = [one for one in outside if one[1] != OTHER_ORIGIN or self.keeps(one[0])]
            for url_id, reason in outside:
                if self.take_down(url_id):
                    self.evidence.keep(url_id, rows.removed(now, reason, OUTSIDE))
            self.frontier.skip(outside, now)
        return len(outside)

    def requested(self, event: Fetched | Failed) -> None:
        """Hold a request, to be recorded with the next change."""
        self._requests.add(event)

    def remarked(self, remark: Remark, now: datetime) -> None:
        """Hold a message from a site, to be recorded with the next change."""
        self._remarks.add((remark, now))

    def _disk_bytes(self) -> int:
        return self._database.disk_bytes() + self.archive.disk_bytes()

    def start(self, urls: Sequence[str], now: datetime) -> None:
        """Queue the URLs with which the crawl starts."""
        self._add([Discovery(url, "start") for url in urls], 0, now)

    def learned(self, learned: Learned, now: datetime, *, sitemaps: bool = True) -> None:
        """Store a policy, the requests that led to it, and the URLs it names, in one change.

        These URLs are its sitemaps and those that it asks this robot to visit (PleaseVisit). If the
        process is killed later, the next one finds a fresh policy and does not request robots.txt
        again.
        """
        policy = learned.policy
        robots_txt = policy.robots_txt
        with self._database.changing():
            self._write_requests()
            if learned.record is not None:
                self._compare(policy.origin, learned.record, now)
                self._database.store.put(policy.origin, learned.record, now)
            self.disk = self._disk_bytes()
            if not sitemaps or robots_txt is None or policy.access != "rules":
                return
            if robots_txt.sitemaps:
                self.sitemaps(robots_txt.sitemaps, policy.origin, now)
            # These URLs have the same depth as the entries of a sitemap named in robots.txt.
            self._add(asked_for(learned.please_visit, policy.origin), 1, now)

    def _compare(self, origin: str, record: Record, now: datetime) -> None:
        """Add an alert if robots.txt has changed."""
        if has_changed(self._database.store.get(origin), record):
            text = "robots.txt has changed; `goodbot evidence` shows which version applied when"
            self.alerts.append(SiteAlert(origin, now, "robots-txt-changed", text))

    def sitemaps(self, urls: Sequence[str], origin: str, now: datetime) -> None:
        """Queue the sitemaps that the robots.txt of an origin names, within the bounds."""
        self._add([Discovery(url, "sitemap-file", source=origin) for url in urls], 0, now)

    def _add(self, found: Sequence[Discovery], depth: int, now: datetime) -> None:
        pairs = [to_candidate(one, depth, self._bounds.refuses) for one in found]
        self.frontier.add([pair for pair in pairs if pair is not None], now)

    def whole_copy(self, taken: QueuedUrl) -> WholeCopy | None:
        """Return the copy that a conditional request may confirm; `None` if there is none.

        After a failed attempt the next request is unconditional, because a server that wrongly
        answers 304 would do so again and again.
        """
        if self._mirror is not None and self._mirror.is_unvisited(taken.id):
            return None
        is_again = taken.visit > 1 and not taken.attempts and taken.how != "sitemap-file"
        return self.archive.whole_copy(taken.id) if is_again else None

    # Outcomes of visits.

    def read(self, answers: Sequence[FetchResult]) -> PageBatch:
        """Decide on the outcomes of responses, without the database; may be called in a thread."""
        return read_answers(
            answers,
            self._bounds.refuses,
            retries=self._retries,
            short_lived=self._short_lived,
            resources=self._resources,
        )

    def visited(self, answers: Sequence[FetchResult], read: PageBatch) -> list[Outcome]:
        """Record the outcomes of responses in one change; return the new state of each URL."""
        settled = self.apply(read)
        self._pages += len(answers)
        self._text += sum(len(one.document.text) for one in read if one.document is not None)
        if self._bounds.disk is not None:  # otherwise it is enough to know it at each commit
            self.disk = self._disk_bytes()
        return settled

    def refused(
        self, taken: QueuedUrl, refusal: Disallowed, now: datetime, *, is_check: bool = False
    ) -> Outcome:
        """Record that a URL is disallowed; a kept copy is removed.

        Args:
            taken: The URL.
            refusal: Why it is disallowed.
            now: The time, in UTC.
            is_check: Whether a link to another site was to be checked.

        """
        return self.apply([of_refusal(taken, refusal, now, is_check=is_check)])[0]

    def deferred(self, taken: QueuedUrl, later: Deferred, now: datetime) -> Outcome:
        """Record that the site must not be visited now; the URL waits, or is given up."""
        return self.apply([of_deferral(taken, later, now)])[0]

    def failed(
        self, taken: QueuedUrl, error: FetchError, now: datetime, permission: str = ""
    ) -> Outcome:
        """Record that no response came; the URL waits, or is given up.

        Args:
            taken: The URL.
            error: What failed.
            now: The time, in UTC.
            permission: The permission by which it was requested against robots.txt; usually empty.

        """
        return self.apply([of_failure(taken, error, now, self._retries, permission)])[0]

    def broke(self, taken: QueuedUrl, error: Exception, now: datetime) -> Outcome:
        """Record an unexpected error: only this URL fails, and the crawl continues."""
        LOG.error("%s could not be visited or read", taken.url, exc_info=error)
        return self.apply([of_error(taken, error, now)])[0]

    def apply(self, outcomes: Sequence[VisitOutcome]) -> list[Outcome]:
        """Record the outcomes of visits in one transaction: each part handles all of them in turn.

        `goodbot.crawl.frontier.protocol` defines the order of the parts, and what each does when an
        outcome is recorded twice. An outcome changes nothing if its visit is settled already, or if
        its lease has passed to another visit.

        Returns:
            The new state of each URL.

        """
        try:
            settled = self._apply(outcomes)
        except BaseException:
            if self._mirror is not None:
                self._mirror.forget()
            raise
        if self._mirror is not None:  # no transaction covers the folder and a queue elsewhere
            self._mirror.settle_noted(settled)
        return [one.settled for one in outcomes]

    def _apply(self, outcomes: Sequence[VisitOutcome]) -> list[tuple[QueuedUrl, Outcome, datetime]]:
        """Record the outcomes in one change of the folder; return those that are noted only."""
        settled: list[tuple[QueuedUrl, Outcome, datetime]] = []
        with self._database.changing():
            self._write_requests()
            held = [self._judged(one) for one in outcomes if self.frontier.holds(one.taken)]
            links = [self.frontier.add(one.links, one.at) if one.links else [] for one in held]
            for one, url_ids in zip(held, links, strict=True):
                self._link(one, url_ids)
            for one in held:
                self._archive(one)
                self._describe(one)
            for one in held:
                self.evidence.keep(one.taken.id, one.evidence, one.taken.visit)
            for one, url_ids in zip(held, links, strict=True):
                target = self._index(one, url_ids)
                outcome = one.settled if target is None else replace(one.settled, target=target)
                if self._mirror is None:
                    self.frontier.settle(one.taken, outcome, one.at)
                else:
                    self._mirror.note(one.taken, outcome, one.at)
                    settled.append((one.taken, outcome, one.at))
        return settled

    def _judged(self, one: VisitOutcome) -> VisitOutcome:
        """Return the outcome of a visit without the links that lead into a trap.

        Links to other sites are queued if they are checked.
        """
        if one.content is None:
            return one
        taken = one.taken
        links = self._traps.read(taken.url, taken.origin, one.content, one.links, one.at)
        if self._bounds.check_external:
            links = [self._to_check(pair) for pair in links]
        return one if links is one.links else one._replace(links=links)

    def _to_check(self, pair: Candidate) -> Candidate:
        """Return a URL; queued if it is at another site and is to be checked."""
        found, entry = pair
        is_checked = entry.skip_reason == OTHER_ORIGIN and self._bounds.checks(
            entry.url, entry.origin, found.how
        )
        return (found, entry._replace(skip_reason="")) if is_checked else pair

    def trapped(self, taken: QueuedUrl, clock: Callable[[], datetime]) -> Outcome | None:
        """Skip a queued URL that leads into a trap, as is known by now; return its outcome.

        This concerns only URLs found as links, because others are named on purpose.

        Args:
            taken: The URL.
            clock: Called for the time if any URLs are in traps.

        """
        if taken.how != "link" or not self._traps.leaves_out:
            return None
        now = clock()
        found = self._traps.left_out(taken.url, taken.origin, now)
        if found is None or self.keeps(taken.id):
            return None
        outcome = Outcome("skipped", found.trap, found.why)
        self.frontier.settle(taken, outcome, now)
        return outcome

    def trap_links(self) -> dict[str, int]:
        """Return the number of links of the crawl into each trap; see `TrapWatch.links`."""
        return self._traps.links()

    def _link(self, one: VisitOutcome, url_ids: Sequence[int]) -> None:
        """Store the links of a page, or remove those of an earlier visit."""
        taken = one.taken
        if one.link_rows is not None:
            self.links.record(taken.id, one.link_rows, url_ids, taken.visit)
        elif one.indexing == "remove":
            self.links.remove(taken.id, taken.visit)

    def _archive(self, one: VisitOutcome) -> None:
        """Store a copy in the archive, or remove it."""
        taken = one.taken
        if one.copy == "forget":
            self.archive.forget(taken.id, taken.visit)
        elif one.copy is not None:
            self.archive.keep(taken.id, one.copy, taken.visit)

    def _describe(self, one: VisitOutcome) -> None:
        """Store the facts of a page, or remove the texts among them."""
        taken = one.taken
        if one.facts is not None:
            self.inventory.record(taken.id, one.facts, taken.visit)
        elif one.indexing == "remove":
            self.inventory.withdraw(taken.id, one.settled.reason, taken.visit)

    def _index(self, one: VisitOutcome, links: Sequence[int]) -> int | None:
        """Index a page or the one that stands for it; return the number of the target, if any."""
        url_id, visit = one.taken.id, one.taken.visit
        if one.indexing == "remove":
            self.index.remove(url_id, visit)
        if one.indexing != "page":
            return self._queued(one.target, one.at)
        self.index.describe(url_id, anchors_from(one.anchors, links))
        target = self._queued(one.stands_for, one.at)
        end = url_id if target is None else self.frontier.end_of(target, url_id)
        # Keep this page in the index until the page that it names is there, which may never happen;
        # pages that name each other would otherwise all be lost.
        if one.document is None or (end != url_id and end in self.index):
            self.index.remove(url_id, visit)
        else:
            self.index.put(url_id, one.document, visit)
            for other in self.index.among(self.frontier.leading_to(url_id)):
                self.index.remove(other)
        return None if end == url_id else target

    def _queued(self, found: Candidate | None, now: datetime) -> int | None:
        """Queue the target of a URL; return its number, if it was recorded."""
        if found is None:
            return None
        (url_id,) = self.frontier.add([self._to_check(found)], now)
        return url_id or None

    def last(self) -> None:
        """Commit all changes, and update the index after `REFRESH_EVERY` pages."""
        if self._pages >= REFRESH_EVERY or self._text >= MOST_TEXT:
            self._refresh(self._pages)
            self._pages = self._text = 0
        self.settle_now(LONGEST_NOTED)
        self._database.commit()
        self.disk = self._disk_bytes()

    def settle_now(self, older_than: float = 0.0) -> None:
        """Record older outcomes, by their age in seconds, in a queue outside of the folder."""
        if self._mirror is not None:
            self._mirror.settle_now(older_than)

    def _refresh(self, most: int) -> bool:
        """Update entries of the index in one change; return whether there are more to update."""
        with self._database.changing():
            return all(self.index.refresh(ENTRIES) for _ in range(0, most, ENTRIES))

    def paused(self, taken: QueuedUrl, later: Deferred, now: datetime, *, is_known: bool) -> None:
        """Put back a URL whose site the operator has paused; record that once in each run."""
        with self._database.changing():
            if not is_known:
                row = rows.deferred(now, later.until, later.reason, later.because)
                self.evidence.keep(taken.id, row, taken.visit)
            self.give_back(taken, later.reason, later.because)

    def give_back(self, taken: QueuedUrl, reason: str = "", source: str = "") -> None:
        """Put back a URL that was not visited; see `Frontier.give_back`."""
        with self._database.changing():
            self._write_requests()
            self.frontier.give_back(taken, reason, source)

    def pending_size(self) -> int:
        """Return the number of bytes of the responses for robots.txt that are to be archived."""
        return sum(
            len(event.response.body)
            for event in self._requests
            if isinstance(event, Fetched) and event.purpose == "robots-txt"
        )

    def _write_recalled(self, recalled: deque[tuple[str, datetime, Record]]) -> None:
        """Store the policies that other programs fetched: this crawl obeys them from now on."""
        while recalled:
            origin, at, record = recalled.popleft()
            known = self._database.store.get(origin)
            if known is None or known.get("fetched_at") != record.get("fetched_at"):
                self._database.store.put(origin, record, at)

    def _write_requests(self) -> None:
        """Record the pending requests and messages, and archive the responses for robots.txt."""
        for event in self._requests.take():
            self.evidence.requested(event)
            if isinstance(event, Fetched) and event.purpose == "robots-txt":
                self.archive.keep_robots_txt(event.response)
        if self._shared is not None:
            self._write_recalled(self._shared.recalled)
        for remark, at in self._remarks.take():
            is_new = self.evidence.remarked(remark, at)
            if is_new and remark.kind == "comment":
                self.alerts.append(SiteAlert(remark.origin, at, "message", remark.text))
