"""One run of a crawl, with everything that it owns.

Scope: how a run begins and ends. `path` shows what it does with a URL.
"""

import asyncio
import gc
from collections.abc import Coroutine, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import Any

from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.bounds import SITE_LIMIT
from goodbot.crawl.frontier.reading import next_revisit
from goodbot.crawl.run.batch_writer import BatchWriter
from goodbot.crawl.run.database_access import DatabaseAccess
from goodbot.crawl.run.events import Started, Summary
from goodbot.crawl.run.in_flight import InFlight
from goodbot.crawl.run.operator import Operator
from goodbot.crawl.run.progress import Company, Progress
from goodbot.crawl.run.publishing import Publisher, Publishing
from goodbot.crawl.run.recorder import Recorder
from goodbot.crawl.run.scheduler import Scheduler
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.crawl.run.shared_store import SharedStore
from goodbot.http.address import Address
from goodbot.lazy_dataclass import dataclass
from goodbot.net import Clock
from goodbot.robot import Robot

__all__ = ["CrawlRun", "Opened"]

GRACE = 5.0
"""Seconds that a stopped run waits for documents being read; then their URLs go back into the
queue."""

LOOK_AFTER = 1.0
"""Seconds between checks for orders of the operator."""

YOUNG = 20_000
"""The number of new containers after which the garbage collector examines the young ones; Python's
default is 700. Reading a page makes thousands, which reference counts free at once: with the
default, a tenth of the CPU time of a crawl goes into examining them."""

COMMIT_AFTER = 0.5
"""The most seconds before records are committed. Each commit writes every page of the file that
has changed, and half as many commits save 1 % of the CPU time of a crawl; a crawl that is killed
fetches the pages of this time once more, at its pace."""
PART_COMMIT_AFTER = 1.0
"""The same for one of several processes, which fetches fewer pages in that time."""
HAND_OVER_AFTER = 0.2
"""The same if another process has nothing to do, because it receives URLs with a commit."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A crawl that was opened in its folder, ready to run."""

    folder: str
    database: Database
    settings: CrawlSettings
    robot: Robot
    """The robot that makes the visits; its context is not entered yet."""
    recorder: Recorder
    operator: Operator
    started: datetime
    waiting: int
    """The number of URLs in the queue."""
    removed: int = 0
    """The number of URLs outside the bounds that were removed from the index and the archive."""
    shared: SharedStore | None = None
    """The store that is shared with other programs; `None` for that in the folder."""


class CrawlRun:
    """A run and its parts.

    Args:
        opened: The crawl.
        access: Controls who uses its database.
        fetcher: The fetcher of the robot.
        clock: The clock.
        progress: Counts what the run does.
        workers: The number of workers.
        company: The other processes of the crawl; `None` if it has only this one.
        publisher: Publishes what is recorded; `None` if the folder has it for good.

    """

    def __init__(
        self,
        opened: Opened,
        *,
        access: DatabaseAccess,
        fetcher: InFlight,
        clock: Clock,
        progress: Progress,
        workers: int,
        company: Company | None = None,
        publisher: Publisher | None = None,
    ) -> None:
        """Create all parts; nothing is visited yet."""
        self._company = company
        self.recorder = opened.recorder
        self.access = access
        self.robot = opened.robot
        self.shared = opened.shared
        frontier = opened.recorder.frontier
        self.scheduler = Scheduler(frontier, access, progress, clock, workers, company)
        self.writer = BatchWriter(opened.recorder, access, self.scheduler, progress)
        self._publishing: Publishing | None = None
        if publisher is not None:
            self._publishing = Publishing(publisher, access, self.scheduler)
        self.settings = opened.settings
        self.progress = progress
        self._opened = opened
        fetcher.loop = asyncio.get_running_loop()
        self._fetcher = fetcher
        self._clock = clock
        self._commit_timer: asyncio.TimerHandle | None = None
        self._order_timer: asyncio.TimerHandle | None = None
        self._is_obeying = False

    def is_within_bounds(self, address: Address) -> bool:
        """Return whether a URL is within the bounds of the crawl, however it was found."""
        origin, url = address
        return self.settings.bounds.refuses(url, origin, 0) is None

    # From the beginning to the end.

    async def to_end(self, workers: Iterable[Coroutine[Any, Any, None]]) -> Summary:
        """Run workers until they end, and close everything that the run owns.

        Raises:
            StoreError: The folder cannot be written, or the disk is full.
            Exception: An unexpected error.

        """
        opened = self._opened
        self.progress.tell(Started(opened.started, opened.folder, opened.waiting, opened.removed))
        try:
            opened.database.undo_in_memory(is_on=True)
            with calm_collector():
                async with self.robot:
                    await self._work(workers)
        finally:
            try:
                await self._fetcher.close()
            finally:
                await self.access.in_thread(self._close)
                self.tell_alerts()
        summary = await self.access.in_thread(self._summary)
        await self.access.in_thread(opened.database.close)
        return summary

    async def _work(self, workers: Iterable[Coroutine[Any, Any, None]]) -> None:
        """Run the workers, no longer than the bounds allow."""
        seconds, limit, others = self.settings.bounds.seconds, None, None
        if seconds is not None:
            limit = asyncio.ensure_future(self._end_in_time(seconds))
        if self._company is not None:
            others = asyncio.ensure_future(self._company.attend())
        try:
            if not self.progress.stopped:
                self.look_for_orders()
                await self.scheduler.run(workers)
                self.writer.start_recording()
                is_cut_short = self.progress.stopped or self.scheduler.error
                await self.scheduler.background_done(GRACE if is_cut_short else None)
            if self._publishing is not None:
                self.scheduler.break_off_background()
                await self.scheduler.background_done()
                await self.access.in_thread(self.recorder.last)
                await self._publishing.end()
        finally:
            for timer in (limit, others, self._commit_timer, self._order_timer):
                if timer is not None:
                    timer.cancel()
            self.scheduler.break_off_background()
            await self.scheduler.background_done()
            if self._publishing is not None:
                await self._publishing.abandon()
        if self.scheduler.error is not None:
            raise self.scheduler.error

    async def _end_in_time(self, seconds: float) -> None:
        await self._clock.sleep(seconds)
        self.stop("time-limit")

    def stop(self, reason: str) -> None:
        """End the run: requests under way are finished; a second call cancels them."""
        is_second = bool(self.progress.stopped)
        self.progress.stopped = self.progress.stopped or reason
        self.scheduler.stop(() if is_second else self._fetcher.tasks)
        if is_second:
            self.scheduler.break_off_background()
            if self._publishing is not None:
                self._publishing.break_off()

    def _close(self) -> None:
        """Close the recorder, which may change every URL of the queue."""
        try:
            self._opened.database.undo_in_memory(is_on=False)
        finally:
            self.recorder.close()

    def _summary(self) -> Summary:
        frontier, progress = self.recorder.frontier, self.progress
        left = SITE_LIMIT if self.scheduler.is_cut_short else "nothing-left"
        waits = "waiting" if self.scheduler.is_waiting else left
        return Summary(
            progress.stopped or progress.reached() or waits,
            self._opened.started,
            self.progress.now(),
            progress.pages,
            progress.requests,
            progress.bytes,
            frontier.how_many(),
            dict(progress.reasons.most_common()),
            frontier.earliest,
            frontier.not_kept,
            dict(progress.findings.most_common()),
            progress.answers.told(),
            self.recorder.trap_links(),
            next_revisit(self._opened.database),
        )

    # Orders of the operator.

    def look_for_orders(self) -> None:
        """Check for orders of the operator, now and every second, and for a batch to publish."""
        if self._publishing is not None:
            self._publishing.look()
        if self._order_timer is not None:
            self._order_timer.cancel()
        self._order_timer = asyncio.get_running_loop().call_later(LOOK_AFTER, self.look_for_orders)
        if self._opened.operator.has_orders() and not self._is_obeying:
            self._is_obeying = True
            self.scheduler.spawn(self._obey())

    async def _obey(self) -> None:
        """Carry out the orders in a thread, because they may concern many URLs."""
        try:
            await self.access.in_thread(partial(self._carry_out, self.progress.now()))
        finally:
            self._is_obeying = False
        self.robot.reload_holds()

    def _carry_out(self, now: datetime) -> None:
        database = self._opened.database
        database.undo_in_memory(is_on=False)
        try:
            self.recorder.settle_now()
            self._opened.operator.obey(now)
        finally:
            database.undo_in_memory(is_on=True)
        if self.shared is not None:
            self.shared.read_holds()

    def tell_alerts(self) -> None:
        """Emit the alerts that were found while recording."""
        while self.recorder.alerts:
            self.progress.tell(self.recorder.alerts.popleft())

    # Committing.

    def commit_soon(self) -> None:
        """Commit what was recorded soon, even if no further visit follows."""
        if self._publishing is not None:
            self._publishing.look()
        if self._company is not None and self._company.is_awaited():
            self.hand_over()
        elif self._commit_timer is None:
            self._commit_after(COMMIT_AFTER if self._company is None else PART_COMMIT_AFTER)

    def hand_over(self) -> None:
        """Commit sooner than usual, because a process has nothing to do before that."""
        latest = asyncio.get_running_loop().time() + HAND_OVER_AFTER
        if self._commit_timer is None or self._commit_timer.when() > latest:
            self._commit_after(HAND_OVER_AFTER)

    def _commit_after(self, seconds: float) -> None:
        if self._commit_timer is not None:
            self._commit_timer.cancel()
        self._commit_timer = asyncio.get_running_loop().call_later(seconds, self._commit)

    def _commit(self) -> None:
        self._commit_timer = None
        self.scheduler.spawn(self._committed())

    async def _committed(self) -> None:
        await self.access.free()
        self.writer.start_recording()
        # In a thread, because it may wait for the disk and index pages.
        await self.access.in_thread(self.recorder.last)
        self.tell_alerts()
        if self._company is not None:
            self._company.committed()


@contextmanager
def calm_collector() -> Iterator[None]:
    """Make the collector examine young objects less often, and those that exist already never.

    A host that has set a higher threshold, or has switched the collector off, keeps its setting.
    """
    before = gc.get_threshold()
    if not 0 < before[0] < YOUNG:
        yield
        return
    gc.freeze()
    gc.set_threshold(YOUNG, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
