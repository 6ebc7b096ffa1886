"""One run of a crawl: all that it owns, made whole before the first URL is taken.

What may live here: how a run begins and ends, and the small steps that `path` is made of.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, TypeAlias

from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.frontier.protocol import Outcome
from goodbot.crawl.run.batch_writer import Batch, BatchWriter, Recorded
from goodbot.crawl.run.database_access import DatabaseAccess
from goodbot.crawl.run.events import Ended, Started, Summary, UrlSettled
from goodbot.crawl.run.in_flight import InFlight
from goodbot.crawl.run.page_batch import FetchResult
from goodbot.crawl.run.progress import Progress
from goodbot.crawl.run.recorder import Recorder
from goodbot.crawl.run.scheduler import Scheduler
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.net import Clock
from goodbot.robot import Event as RobotEvent
from goodbot.robot import Robot, Visit
from goodbot.robot.events import tell
from goodbot.robot.visit_log import VisitLog

__all__ = ["CrawlRun", "Event", "Opened"]

Event: TypeAlias = RobotEvent | Started | UrlSettled | Ended
"""What `on_event` is given."""

GRACE = 5.0
"""Seconds for which a run that is stopped waits for what is being read; then the URL goes back into
the queue."""

COMMIT_AFTER = 0.2
"""Seconds after which at the latest what was recorded lasts."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A crawl that was opened in its folder, ready to be run."""

    folder: str
    database: Database
    settings: CrawlSettings
    robot: Robot
    """Makes the visits; not entered yet."""
    recorder: Recorder
    started: datetime
    waiting: int
    """How many URLs wait in the queue."""


class CrawlRun:
    """What one run owns.

    Args:
        opened: The crawl.
        access: Who uses its database.
        fetcher: What the robot fetches with.
        clock: Whose time it is.
        progress: Counts what the run does.
        on_event: Is given what happens.

    """

    def __init__(  # noqa: PLR0913  each is documented above
        self,
        opened: Opened,
        *,
        access: DatabaseAccess,
        fetcher: InFlight,
        clock: Clock,
        progress: Progress,
        on_event: Callable[[Event], object] | None,
    ) -> None:
        """Make all parts; nothing is visited yet."""
        self.recorder = opened.recorder
        self.access = access
        self.robot = opened.robot
        self.writer = BatchWriter(opened.recorder, access)
        self.scheduler = Scheduler(opened.recorder.frontier, access, progress, clock)
        self._opened = opened
        self._progress = progress
        self._fetcher = fetcher
        self._clock = clock
        self._on_event = on_event
        self._commit_timer: asyncio.TimerHandle | None = None

    # From its beginning to its end.

    async def to_end(self, workers: Iterable[Coroutine[Any, Any, None]]) -> Summary:
        """Have workers work to the end, and close what the run owns.

        Raises:
            StoreError: The folder cannot be written, or is full.
            Exception: What nobody foresaw.

        """
        opened = self._opened
        self._tell(Started(opened.started, opened.folder, opened.waiting))
        try:
            async with self.robot:
                await self._work(workers)
        finally:
            await self._fetcher.close()
            await self.access.in_thread(self.recorder.close)
        summary = await self.access.in_thread(self._summary)
        await self.access.in_thread(opened.database.close)
        return summary

    async def _work(self, workers: Iterable[Coroutine[Any, Any, None]]) -> None:
        """Have the workers work, no longer than the bounds say."""
        seconds, limit = self._opened.settings.bounds.seconds, None
        if seconds is not None:
            limit = asyncio.ensure_future(self._end_in_time(seconds))
        try:
            if not self._progress.stopped:
                await self.scheduler.run(workers)
                self._start_recording()
                is_cut_short = self._progress.stopped or self.scheduler.error
                await self.scheduler.background_done(GRACE if is_cut_short else None)
        finally:
            for timer in (limit, self._commit_timer):
                if timer is not None:
                    timer.cancel()
            self.scheduler.break_off_background()
            await self.scheduler.background_done()
        if self.scheduler.error is not None:
            raise self.scheduler.error

    async def _end_in_time(self, seconds: float) -> None:
        await self._clock.sleep(seconds)
        self.stop("time-limit")

    def stop(self, reason: str) -> None:
        """End the run: what is under way comes to its end; called again, it is broken off."""
        is_second = bool(self._progress.stopped)
        self._progress.stopped = self._progress.stopped or reason
        self.scheduler.stop(() if is_second else self._fetcher.tasks)
        if is_second:
            self.scheduler.break_off_background()

    def _summary(self) -> Summary:
        frontier, progress = self.recorder.frontier, self._progress
        waits = "waiting" if self.scheduler.is_waiting else "nothing-left"
        return Summary(
            progress.stopped or progress.reached() or waits,
            self._opened.started,
            self.now(),
            progress.pages,
            progress.requests,
            progress.octets,
            frontier.how_many(),
            dict(progress.reasons.most_common()),
            frontier.earliest,
            frontier.not_kept,
        )

    def now(self) -> datetime:
        """Return the time, in UTC."""
        return self._clock.now().astimezone(timezone.utc)

    # What becomes of a URL.

    def out_of_bounds(self, url: QueuedUrl) -> str | None:
        """Return why a URL is not visited in this run, though an earlier one queued it."""
        depth = 0 if url.how == "sitemap-file" else url.depth
        return self._opened.settings.bounds.refuses(url.url, url.origin, depth)

    def skip(self, url: QueuedUrl, reason: str) -> Outcome:
        """Record that a URL is not to be visited."""
        outcome = Outcome("skipped", reason)
        self.recorder.frontier.settle(url, outcome, self.now())
        return outcome

    def record_log(self, log: VisitLog) -> None:
        """Record what a visit did since this was called last: requests, and policies learned."""
        self._progress.requested(log.requests)
        for request in log.requests:
            self.recorder.requested(request)
        log.requests.clear()
        for learned in log.learned:
            self.recorder.learned(learned, self.now(), sitemaps=self._opened.settings.sitemaps)
        log.learned.clear()

    def gather(self, url: QueuedUrl, visit: Visit) -> None:
        """Keep an answer until it is recorded with others; a large one is recorded by itself."""
        self._progress.pages += 1
        large = self.writer.add(FetchResult(url, visit, self.now()))
        if large is not None:
            self.scheduler.spawn(self._record_beside(large))

    def may_gather_more(self) -> bool:
        """Whether answers may wait for others: another visit is next, and they are few."""
        is_full = self.writer.is_full or self.access.is_taken
        return not is_full and self.scheduler.is_another_next()

    async def record_gathered(self) -> None:
        """Read and record what was gathered, and queue where it leads."""
        await self.access.free()
        recording = self._start_recording()
        if recording is not None:
            # Whoever is broken off here leaves it to its end.
            await asyncio.wait({recording})

    def _start_recording(self) -> "asyncio.Task[None] | None":
        """Record what was gathered: here if it is small, else begin to, in threads."""
        batch = self.writer.gathered()
        if batch is None:
            return None
        if self.access.is_taken or not batch.is_small:
            return self.scheduler.spawn(self._record_beside(batch))
        for recorded in self.writer.record(batch.answers):
            self._tell_recorded(recorded)
        self.scheduler.wake_one()
        return None

    async def _record_beside(self, batch: Batch) -> None:
        async for recorded in self.writer.record_beside(batch):
            self._tell_recorded(recorded)

    def commit_soon(self) -> None:
        """Have what was recorded last, also when no visit is next."""
        if self._commit_timer is None:
            loop = asyncio.get_running_loop()
            self._commit_timer = loop.call_later(COMMIT_AFTER, self._commit)

    def _commit(self) -> None:
        self._commit_timer = None
        self.scheduler.spawn(self._committed())

    async def _committed(self) -> None:
        await self.access.free()
        self._start_recording()
        # In a thread, as it may wait for the disk, and have pages indexed.
        await self.access.in_thread(self.recorder.last)

    # Telling whoever watches.

    def tell_settled(self, url: QueuedUrl, outcome: Outcome, octets: int = 0) -> None:
        """Report what has become of a URL."""
        self._progress.reasons[outcome.reason] += 1
        self._tell(
            UrlSettled(
                url.url,
                self.now(),
                url.origin,
                outcome.state,
                outcome.reason,
                outcome.source,
                outcome.status,
                octets,
            )
        )

    def _tell_recorded(self, recorded: Recorded) -> None:
        for one, outcome in zip(*recorded, strict=True):
            self.tell_settled(one.taken, outcome, one.visit.response.wire_octets)

    def _tell(self, event: Event) -> None:
        tell(self._on_event, event)
