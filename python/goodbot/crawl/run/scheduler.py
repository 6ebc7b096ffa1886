"""Who works when: workers, far fewer than origins, which sleep while no origin has its turn.

What may live here: who works, who sleeps, who wakes whom, and when nothing is left to do. What is
done with a URL is in `path`.
"""

import asyncio
from collections.abc import Collection, Coroutine, Iterable
from typing import Any

from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.frontier.bounds import REACHED, SITE_LIMIT
from goodbot.crawl.frontier.protocol import Frontier
from goodbot.crawl.run.database_access import DatabaseAccess
from goodbot.crawl.run.progress import Progress
from goodbot.net import Clock

__all__ = ["Scheduler"]


class Scheduler:
    """Gives each worker the next URL whose turn has come.

    Args:
        queue: The queue.
        access: Who uses the database.
        progress: Whether the run may go on.
        clock: Whose time it is.

    """

    def __init__(
        self, queue: Frontier, access: DatabaseAccess, progress: Progress, clock: Clock
    ) -> None:
        """Begin with no workers."""
        self._queue = queue
        self._access = access
        self._progress = progress
        self._clock = clock
        self._asleep: list[asyncio.Future[None]] = []
        self._alarm: asyncio.Task[None] | None = None
        self._alarm_at: float | None = None
        self._visiting: set[asyncio.Task[Any] | None] = set()
        self._background: set[asyncio.Task[None]] = set()
        """What is read and recorded beside the visits: it may lead on."""
        self.error: Exception | None = None
        """What went wrong in the background."""
        self._waiting_for_others: list[QueuedUrl] = []
        """Of origins that had their share; each is busy until the others have nothing left."""
        self.is_over = False
        self.is_cut_short = False
        """Whether something of a site waits that has as many pages as one run visits."""
        self.is_waiting = False
        """Whether it ended although something waits: its time comes too late."""

    # The workers.

    async def run(self, workers: Iterable[Coroutine[Any, Any, None]]) -> None:
        """Have workers work until each has come to its end.

        Raises:
            Exception: What one of them raised; the others are broken off.

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

    async def take(self) -> QueuedUrl | None:
        """Wait for the next URL whose turn has come; return `None` when the run is over."""
        while not self.is_over:
            url = self._next()
            if url is not None:
                self._visiting.add(asyncio.current_task())
                self._wake_next()
                return url
            if self._nothing_left():
                self.stop()
            else:
                await self._sleep()
        return None

    def visited(self) -> None:
        """Note that the visit of the current task is over."""
        self._visiting.discard(asyncio.current_task())

    def stop(self, spared: Collection[asyncio.Task[Any] | None] = ()) -> None:
        """Hand out no more URLs, and break off every visit but those of the tasks spared."""
        self.is_over = True
        while self._asleep:
            wake(self._asleep.pop())
        for task in self._visiting.difference(spared):
            if task is not None:
                task.cancel()

    def is_another_next(self) -> bool:
        """Whether another visit follows at once."""
        earliest = self._queue.earliest
        is_due = earliest is not None and earliest <= self._clock.now()
        return is_due and not self._progress.stopped

    def _next(self) -> QueuedUrl | None:
        if self._access.is_taken or not self._progress.may_go_on(len(self._visiting)):
            return None
        while (url := self._queue.take(self._clock.now())) is not None:
            if not self._is_held_back(url):
                return url
        return None

    def _is_held_back(self, url: QueuedUrl) -> bool:
        """Put a URL back if its origin has had its pages; the origin then stays busy."""
        if self._progress.is_site_done(url.origin):
            self._queue.give_back(url, SITE_LIMIT, REACHED[SITE_LIMIT])
            self.is_cut_short = True
            return True
        if self._progress.had_its_share(url.origin):
            self._queue.give_back(url)
            self._waiting_for_others.append(url)
            return True
        return False

    def _end_shares(self) -> bool:
        """Let those go on that waited for others; return whether there were any."""
        held, self._waiting_for_others = self._waiting_for_others, []
        if held:
            self._progress.end_shares()
        for url in held:
            self._queue.free(url, None)
        return bool(held)

    def _nothing_left(self) -> bool:
        """Whether there is nothing to do, and nobody is at work who could find something."""
        if self._visiting or self._background or self._access.is_taken:
            return False
        if not self._progress.may_go_on(0):
            return True
        earliest = self._queue.earliest
        is_late = earliest is not None and self._progress.is_too_late(earliest, self._clock.now())
        if earliest is not None and not is_late:
            return False
        if self._end_shares():
            return False
        self.is_waiting = is_late
        return True

    # Work in the background.

    def spawn(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Start some work in the background; the run does not end before it. An error ends both."""
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._background_is_over)
        return task

    def _background_is_over(self, task: "asyncio.Task[None]") -> None:
        self._background.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self.error = self.error or error
            self.stop()
        self.wake_one()

    async def background_done(self, seconds: float | None = None) -> None:
        """Wait until nothing is left in the background, no longer than so many seconds."""
        if self._background:
            await asyncio.wait(self._background, timeout=seconds)

    def break_off_background(self) -> None:
        """Break off what is read in the background; what is being written comes to its end."""
        for task in self._background:
            task.cancel()

    # Sleeping and waking.

    async def _sleep(self) -> None:
        """Sleep until there may be something to do."""
        sleeper: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._asleep.append(sleeper)
        # A thread that has the database works in the background, whose end wakes somebody.
        if not self._access.is_taken and self._progress.may_go_on(len(self._visiting)):
            self._set_alarm()
        try:
            await sleeper
        finally:
            if sleeper in self._asleep:
                self._asleep.remove(sleeper)

    def wake_one(self) -> None:
        """Have a worker look at the queue: it may have grown."""
        if self._asleep:
            wake(self._asleep.pop())

    def _wake_next(self) -> None:
        """Wake one who sleeps if there is something to do; if not yet, when there is."""
        earliest = self._queue.earliest
        if not self._asleep or earliest is None:
            return
        if earliest <= self._clock.now():
            self.wake_one()
        elif self._progress.may_go_on(len(self._visiting)):
            self._set_alarm()

    def _set_alarm(self) -> None:
        """Have somebody woken when the next turn comes."""
        earliest = self._queue.earliest
        if earliest is None:
            return
        # Seconds from now on: the clock may be set before they are over.
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
    """Wake one, unless it was cancelled meanwhile."""
    if not sleeper.done():
        sleeper.set_result(None)
