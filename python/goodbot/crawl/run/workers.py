"""Workers: far fewer than origins, each with one visit at a time, asleep while no turn has come.

What may live here: who works, who sleeps, who wakes whom. What the work is, is given.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.frontier.sqlite import Frontier
from goodbot.net import Clock

__all__ = ["Workers"]


class Workers:
    """Works through a queue.

    Args:
        frontier: The queue.
        clock: Whose time it is.
        work: Makes a visit, whatever comes of it, and frees its origin.
        wants_more: Whether to take another URL, given how many visits are under way.
        last_wait: Until when to wait for a turn at most, given the time; `None`: for ever.
        is_lent: Whether a thread has the queue: nobody looks at it until `resume`.
        is_busy: Whether answers are being read or written down, which may lead on.

    """

    def __init__(  # noqa: PLR0913  each is documented above
        self,
        frontier: Frontier,
        clock: Clock,
        work: Callable[[QueuedUrl], Awaitable[None]],
        wants_more: Callable[[int], bool],
        last_wait: Callable[[datetime], datetime | None],
        *,
        is_lent: Callable[[], bool],
        is_busy: Callable[[], bool],
    ) -> None:
        """Take what to do."""
        self._frontier = frontier
        self._clock = clock
        self._work = work
        self._wants_more = wants_more
        self._last_wait = last_wait
        self._is_lent = is_lent
        self._is_busy = is_busy
        self._asleep: list[asyncio.Future[None]] = []
        self._alarm: asyncio.Task[None] | None = None
        self._alarm_at: float | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._visiting: set[asyncio.Task[Any]] = set()
        self._is_over = False
        self.is_waiting = False
        """Whether it ended although something waits: its time comes too late."""

    async def run(self, count: int) -> None:
        """Work until nothing is left to do, or somebody says `stop`.

        Raises:
            Exception: What a visit raised; the others are broken off.

        """
        self._tasks = {asyncio.ensure_future(self._worker()) for _ in range(count)}
        try:
            done, _ = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_EXCEPTION)
            for task in done:
                if not task.cancelled() and task.exception() is not None:
                    await task
            if self._tasks - done:
                await asyncio.wait(self._tasks)
        finally:
            self._is_over = True
            for task in [*self._tasks, *([self._alarm] if self._alarm else [])]:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def stop(self, spared: set[asyncio.Task[Any]] | None = None) -> None:
        """Take nothing more; break off every visit but those of the tasks that are spared."""
        self._is_over = True
        self._wake_all()
        for task in self._visiting - (spared or set()):
            task.cancel()

    async def _worker(self) -> None:
        me = asyncio.current_task()
        assert me is not None  # noqa: S101  a coroutine runs in one
        while not self._is_over:
            taken = self._take()
            if taken is None:
                if self._nothing_left():
                    self._is_over = True
                    self._wake_all()
                    return
                await self._sleep()
                continue
            self._visiting.add(me)
            try:
                self.wake()
                await self._work(taken)
            except asyncio.CancelledError:
                if not self._is_over:
                    raise
            finally:
                self._visiting.discard(me)
            # What waits for nothing, such as thousands of forbidden URLs, would hold the loop.
            await asyncio.sleep(0)

    def _take(self) -> QueuedUrl | None:
        if self._is_lent() or not self._wants_more(len(self._visiting)):
            return None
        return self._frontier.take(self._clock.now())

    def _nothing_left(self) -> bool:
        """Whether there is nothing to do, and nobody is at work who could find something."""
        if self._visiting or self._is_lent() or self._is_busy():
            return False
        if not self._wants_more(0):
            return True
        earliest = self._frontier.earliest
        if earliest is None:
            return True
        last = self._last_wait(self._clock.now())
        self.is_waiting = last is not None and earliest > last
        return self.is_waiting

    async def _sleep(self) -> None:
        """Sleep until there may be something to do."""
        sleeper: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._asleep.append(sleeper)
        if self._wants_more(len(self._visiting)):
            self._set_alarm()
        try:
            await sleeper
        finally:
            if sleeper in self._asleep:
                self._asleep.remove(sleeper)

    def wake(self) -> None:
        """Wake one who sleeps, if there is something to do; if not yet, when there is."""
        earliest = None if self._is_lent() else self._frontier.earliest
        if not self._asleep or earliest is None:
            return
        if earliest <= self._clock.now():
            wake(self._asleep.pop())
        elif self._wants_more(len(self._visiting)):
            self._set_alarm()

    def resume(self) -> None:
        """Have somebody look at the queue again: a thread had it, or it may have grown."""
        if self._asleep:
            wake(self._asleep.pop())

    def _wake_all(self) -> None:
        while self._asleep:
            wake(self._asleep.pop())

    def _set_alarm(self) -> None:
        """Have somebody woken when the next turn comes."""
        earliest = None if self._is_lent() else self._frontier.earliest
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
        if self._asleep:
            wake(self._asleep.pop())


def wake(sleeper: "asyncio.Future[None]") -> None:
    """Wake one, unless it was cancelled meanwhile."""
    if not sleeper.done():
        sleeper.set_result(None)
