"""Scheduling: hands URLs to workers, which sleep while no origin is ready.

Scope: which workers work, sleep and wake up, and when nothing is left to do. There are far fewer
workers than origins. `path` shows what a worker does with a URL.
"""

import asyncio
from collections.abc import Callable, Collection, Coroutine, Iterable
from typing import Any

from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.frontier.bounds import REACHED, SITE_LIMIT
from goodbot.crawl.frontier.protocol import Frontier
from goodbot.crawl.run.database_access import DatabaseAccess
from goodbot.crawl.run.progress import Company, Progress, Rest
from goodbot.crawl.run.worker_share import WorkerShare
from goodbot.net import Clock

__all__ = ["Scheduler"]

MOST_HELD_AT_ONCE = 100
"""How many URLs are held back before other tasks of the event loop run."""


class Scheduler:
    """Assigns each worker the next URL whose turn has come.

    Args:
        queue: The queue.
        access: Controls who uses the database.
        progress: Decides whether the run may continue.
        clock: The clock.
        workers: The number of workers.
        company: The other processes of the crawl; `None` if it has only this one.

    """

    def __init__(
        self,
        queue: Frontier,
        access: DatabaseAccess,
        progress: Progress,
        clock: Clock,
        workers: int,
        company: Company | None = None,
    ) -> None:
        """Start without workers."""
        self._share = WorkerShare(workers)
        self._answered: set[str] = set()
        """The origins that have answered in the visit that is under way."""
        self._company = company
        self._queue = queue
        self._access = access
        self._progress = progress
        self._clock = clock
        self._asleep: list[asyncio.Future[None]] = []
        self._alarm: asyncio.Task[None] | None = None
        self._alarm_at: float | None = None
        self._visiting: dict[asyncio.Task[Any] | None, str] = {}
        """The tasks that visit, each with the origin."""
        self._background: set[asyncio.Task[None]] = set()
        """Tasks that read and record responses during visits; they may add URLs to the queue."""
        self.error: Exception | None = None
        """The first error of a background task."""
        self._waiting_for_others: list[QueuedUrl] = []
        """URLs of origins that used up their share; these wait until the others have finished."""
        self.before_end: list[Callable[[], bool]] = []
        """Called when nothing is left to do but what they begin in the background; each returns
        whether it has begun anything."""
        self.taken = 0
        """The number of URLs that were handed out."""
        self.is_over = False
        self.is_cut_short = False
        """Whether URLs wait at a site that has reached its page limit in this run."""
        self.is_waiting = False
        """Whether the run ended although URLs wait, because they are due too late."""

    # The workers.

    async def run(self, workers: Iterable[Coroutine[Any, Any, None]]) -> None:
        """Run workers until each has ended.

        Raises:
            Exception: The first error of a worker; the other workers are cancelled.

        """
        tasks = {asyncio.ensure_future(worker) for worker in workers}
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
            for task in done:
                if not task.cancelled() and task.exception() is not None:
                    await task
            if tasks - done:
                await asyncio.wait(tasks)
        finally:
            self.is_over = True
            for task in [*tasks, *([self._alarm] if self._alarm else [])]:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def take(self, task: "asyncio.Task[Any] | None") -> QueuedUrl | None:
        """Wait for the next URL whose turn has come; return `None` when the run is over.

        Args:
            task: The current task, which visits it.

        """
        while not self.is_over:
            url = self.take_now(task)
            if url is not None:
                return url
            if self._nothing_left() and not self._rests():
                self.stop()
            else:
                await self._sleep()
        return None

    def take_now(self, task: "asyncio.Task[Any] | None") -> QueuedUrl | None:
        """Return the next URL whose turn has come; `None` if there is none now. See `take`."""
        if self.is_over:
            return None
        if self._waiting_for_others:
            self._release_origins()
        url = self._next()
        if url is None:
            return None
        self.taken += 1
        self._visiting[task] = url.origin
        self._share.begin(url.origin, now=self._clock.monotonic())
        if self._asleep:
            self._wake_next()
        if self._company is not None:
            self._company.works()
        return url

    def answered(self, origin: str) -> None:
        """Note that an origin has answered in the visit that is under way."""
        self._answered.add(origin)

    def visited(self, task: "asyncio.Task[Any] | None") -> None:
        """Mark the visit of a task as finished."""
        origin = self._visiting.pop(task, None)
        if origin is None:
            return
        answered = origin in self._answered
        self._answered.discard(origin)
        self._share.end(origin, now=self._clock.monotonic(), answered=answered)
        for url in self._share.let_in():
            self._queue.free(url, None)
            self.wake_one()

    def stop(self, spared: Collection[asyncio.Task[Any] | None] = ()) -> None:
        """Stop handing out URLs, and cancel every visit except those of the tasks spared."""
        self.is_over = True
        self.wake_all()
        for task in self._visiting:
            if task is not None and task not in spared:
                task.cancel()

    def is_another_next(self) -> bool:
        """Return whether another visit follows at once."""
        earliest = self._queue.earliest
        is_due = earliest is not None and earliest <= self._clock.now()
        return is_due and not self._progress.stopped

    def _next(self) -> QueuedUrl | None:
        if self._access.is_taken or not self._progress.may_go_on(len(self._visiting)):
            return None
        for _ in range(MOST_HELD_AT_ONCE):
            if self._share.holds_many or (url := self._queue.take(self._clock.now())) is None:
                return None
            if not self._is_held_back(url):
                return url
        return None

    def _is_held_back(self, url: QueuedUrl) -> bool:
        """Put back a URL whose origin has had its pages for now; return whether it has.

        The origin then stays busy in the queue.
        """
        if self._progress.is_site_done(url.origin):
            self._queue.give_back(url, SITE_LIMIT, REACHED[SITE_LIMIT])
            self.is_cut_short = True
            return True
        if self._progress.had_its_share(url.origin):
            self._queue.give_back(url)
            self._waiting_for_others.append(url)
            return True
        if self._share.is_full_for(url.origin):
            self._queue.give_back(url)
            self._share.hold(url)
            return True
        return False

    def _rests(self) -> bool:
        """Return whether other processes may still have work for this one; tell them that it rests.

        They decide together when the crawl is over.
        """
        if self._company is None:
            return False
        is_hungry = not self._progress.may_go_on(0)
        held = bool(self._waiting_for_others)
        self._company.rests(Rest(is_hungry, held, self.is_waiting, self.is_cut_short))
        return True

    @property
    def under_way(self) -> int:
        """The number of visits in progress."""
        return len(self._visiting)

    def wake_all(self) -> None:
        """Wake every worker, because anything may have changed."""
        while self._asleep:
            wake(self._asleep.pop())

    def _release_origins(self) -> None:
        """Release the origins whose share has grown, because other sites answer nothing."""
        held, self._waiting_for_others = self._waiting_for_others, []
        for url in held:
            if self._progress.had_its_share(url.origin):
                self._waiting_for_others.append(url)
            else:
                self._queue.free(url, None)

    def end_shares(self) -> None:
        """Release the origins that waited for others, because these have finished."""
        self._end_shares()
        self.wake_all()

    def _end_shares(self) -> bool:
        """Release the origins that waited for others; return whether there were any."""
        held, self._waiting_for_others = self._waiting_for_others, []
        if held:
            self._progress.end_shares()
        for url in held:
            self._queue.free(url, None)
        return bool(held)

    def _nothing_left(self) -> bool:
        """Return whether there is nothing to do, and no task that could add URLs is running."""
        if self._visiting or self._background or self._access.is_taken:
            return False
        if not self._progress.may_go_on(0):
            return True
        if any(begin() for begin in self.before_end):
            return False
        earliest, now = self._queue.earliest, self._clock.now()
        is_late = earliest is not None and self._progress.is_too_late(earliest, now)
        if earliest is not None and not is_late:
            self._progress.waits(earliest, now, self._queue.waiting())
            return False
        if self._company is None and self._end_shares():
            return False
        self.is_waiting = is_late
        return True

    # Work in the background.

    def spawn(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Start a background task. The run does not end before it; an error in it ends the run."""
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._background_is_over)
        return task

    def _background_is_over(self, task: "asyncio.Task[None]") -> None:
        self._background.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self.fail(error)
        self.wake_one()

    def fail(self, error: Exception) -> None:
        """End the run with an error, unless it has one already."""
        self.error = self.error or error
        self.stop()

    async def background_done(self, seconds: float | None = None) -> None:
        """Wait until all background tasks have ended, but no longer than `seconds`."""
        if self._background:
            await asyncio.wait(self._background, timeout=seconds)

    def break_off_background(self) -> None:
        """Cancel reading in the background; changes of the database are completed."""
        for task in self._background:
            task.cancel()

    # Sleeping and waking.

    async def _sleep(self) -> None:
        """Sleep until there may be something to do."""
        sleeper: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._asleep.append(sleeper)
        # A thread that uses the database is a background task, whose end wakes a worker.
        if not self._access.is_taken and self._progress.may_go_on(len(self._visiting)):
            self._set_alarm()
        try:
            await sleeper
        finally:
            if sleeper in self._asleep:
                self._asleep.remove(sleeper)

    def wake_one(self) -> None:
        """Wake a worker to check the queue, which may have grown."""
        if self._asleep:
            wake(self._asleep.pop())

    def _wake_next(self) -> None:
        """Wake a sleeping worker if a URL is due; otherwise, set the alarm for when one is."""
        earliest = self._queue.earliest
        if earliest is None:
            return
        if earliest <= self._clock.now():
            self.wake_one()
        elif self._progress.may_go_on(len(self._visiting)):
            self._set_alarm()

    def _set_alarm(self) -> None:
        """Set the alarm that wakes a worker when the next URL is due."""
        earliest = self._queue.earliest
        if earliest is None:
            return
        # Count seconds from now, because someone may set the clock meanwhile.
        seconds = max((earliest - self._clock.now()).total_seconds(), 0.0) + 1e-6
        then = self._clock.monotonic() + seconds
        if self._alarm_at is not None and self._alarm_at <= then:
            return
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm_at = then
        self._alarm = asyncio.ensure_future(self._ring(seconds))

    async def _ring(self, seconds: float) -> None:
        await self._clock.sleep(seconds)
        self._alarm = self._alarm_at = None
        self.wake_one()


def wake(sleeper: "asyncio.Future[None]") -> None:
    """Wake a sleeping worker, unless it was cancelled meanwhile."""
    if not sleeper.done():
        sleeper.set_result(None)
