"""One run of a crawl: all that it owns, made whole before the first URL is taken.

What may live here: how a run begins and ends. What it does with a URL is in `path`.
"""

import asyncio
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.bounds import SITE_LIMIT
from goodbot.crawl.run.batch_writer import BatchWriter
from goodbot.crawl.run.database_access import DatabaseAccess
from goodbot.crawl.run.events import Started, Summary
from goodbot.crawl.run.in_flight import InFlight
from goodbot.crawl.run.operator import Operator
from goodbot.crawl.run.progress import Progress
from goodbot.crawl.run.recorder import Recorder
from goodbot.crawl.run.scheduler import Scheduler
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.http.address import Address
from goodbot.net import Clock
from goodbot.robot import Robot

__all__ = ["CrawlRun", "Opened"]

GRACE = 5.0
"""Seconds for which a run that is stopped waits for what is being read; then the URL goes back into
the queue."""

LOOK_AFTER = 1.0
"""Seconds after which to look again whether the operator has ordered something."""

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
    operator: Operator
    started: datetime
    waiting: int
    """How many URLs wait in the queue."""
    removed: int = 0
    """How many URLs, out of bounds now, were taken out of index and archive."""


class CrawlRun:
    """What one run owns.

    Args:
        opened: The crawl.
        access: Who uses its database.
        fetcher: What the robot fetches with.
        clock: Whose time it is.
        progress: Counts what the run does.

    """

    def __init__(
        self,
        opened: Opened,
        *,
        access: DatabaseAccess,
        fetcher: InFlight,
        clock: Clock,
        progress: Progress,
    ) -> None:
        """Make all parts; nothing is visited yet."""
        self.recorder = opened.recorder
        self.access = access
        self.robot = opened.robot
        self.scheduler = Scheduler(opened.recorder.frontier, access, progress, clock)
        self.writer = BatchWriter(opened.recorder, access, self.scheduler, progress)
        self.settings = opened.settings
        self.progress = progress
        self._opened = opened
        self._fetcher = fetcher
        self._clock = clock
        self._commit_timer: asyncio.TimerHandle | None = None
        self._order_timer: asyncio.TimerHandle | None = None
        self._is_obeying = False

    def is_within_bounds(self, address: Address) -> bool:
        """Whether a URL, however it was found, is within the bounds of the crawl."""
        origin, url = address
        return self.settings.bounds.refuses(url, origin, 0) is None

    # From its beginning to its end.

    async def to_end(self, workers: Iterable[Coroutine[Any, Any, None]]) -> Summary:
        """Have workers work to the end, and close what the run owns.

        Raises:
            StoreError: The folder cannot be written, or is full.
            Exception: What nobody foresaw.

        """
        opened = self._opened
        self.progress.tell(Started(opened.started, opened.folder, opened.waiting, opened.removed))
        try:
            async with self.robot:
                await self._work(workers)
        finally:
            try:
                await self._fetcher.close()
            finally:
                await self.access.in_thread(self.recorder.close)
                self.tell_alerts()
        summary = await self.access.in_thread(self._summary)
        await self.access.in_thread(opened.database.close)
        return summary

    async def _work(self, workers: Iterable[Coroutine[Any, Any, None]]) -> None:
        """Have the workers work, no longer than the bounds say."""
        seconds, limit = self.settings.bounds.seconds, None
        if seconds is not None:
            limit = asyncio.ensure_future(self._end_in_time(seconds))
        try:
            if not self.progress.stopped:
                self.look_for_orders()
                await self.scheduler.run(workers)
                self.writer.start_recording()
                is_cut_short = self.progress.stopped or self.scheduler.error
                await self.scheduler.background_done(GRACE if is_cut_short else None)
        finally:
            for timer in (limit, self._commit_timer, self._order_timer):
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
        is_second = bool(self.progress.stopped)
        self.progress.stopped = self.progress.stopped or reason
        self.scheduler.stop(() if is_second else self._fetcher.tasks)
        if is_second:
            self.scheduler.break_off_background()

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
        )

    # What the operator orders.

    def look_for_orders(self) -> None:
        """Look whether the operator has ordered something, now and every second."""
        if self._order_timer is not None:
            self._order_timer.cancel()
        self._order_timer = asyncio.get_running_loop().call_later(LOOK_AFTER, self.look_for_orders)
        if self._opened.operator.has_orders() and not self._is_obeying:
            self._is_obeying = True
            self.scheduler.spawn(self._obey())

    async def _obey(self) -> None:
        """Carry out what is ordered, in a thread: it may concern many URLs."""
        try:
            await self.access.in_thread(partial(self._opened.operator.obey, self.progress.now()))
        finally:
            self._is_obeying = False
        self.robot.reload_holds()

    def tell_alerts(self) -> None:
        """Tell what was found while things were written down."""
        while self.recorder.alerts:
            self.progress.tell(self.recorder.alerts.popleft())

    # Committing.

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
        self.writer.start_recording()
        # In a thread, as it may wait for the disk, and have pages indexed.
        await self.access.in_thread(self.recorder.last)
        self.tell_alerts()
