"""Leases at the end of a loop: `asyncio.run` and the blocking robot cancel every task."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Literal

import pytest

from goodbot import blocking
from goodbot.errors import MisuseError
from goodbot.store import MemoryStore
from goodbot.testing import Answer
from tests.support.robot_sites import ME, SITE, no_lease_is_out, robot_at, run, site_with
from tests.support.waiting import HANGS

Moment = Literal["queued", "begun", "done"]
LEAST_CALLS = 10
"""The calls of the first visit to a site, from `keep_time` to the release of the page's lease."""
MOST_CALLS = 16
"""The most calls of a visit."""


class StoreInThreads(MemoryStore):
    """A store whose calls are made in threads, like those of a file."""

    at_once = False


class OneThread(ThreadPoolExecutor):
    """A thread that is stopped at one of the calls made in it.

    Args:
        call: At which, counted from 0.
        moment: Whether that call still waits for the thread, has begun, or has been done.

    """

    def __init__(self, call: int, moment: Moment) -> None:
        """Start without any call."""
        super().__init__(1)
        self.left = call
        self.moment = moment
        self.reached = threading.Event()
        self.go_on = threading.Event()

    def submit(self, work: Callable[..., Any], /, *words: Any, **named: Any) -> Future[Any]:  # noqa: ANN401
        """Make a call."""
        self.left -= 1
        if self.left != -1:
            return super().submit(work, *words, **named)
        if self.moment == "queued":
            super().submit(self.wait)
            return super().submit(work, *words, **named)
        return super().submit(self.around, work, *words, **named)

    def wait(self) -> None:
        """Stop the thread."""
        self.reached.set()
        self.go_on.wait(HANGS)

    def around(self, work: Callable[..., Any], *words: Any, **named: Any) -> Any:  # noqa: ANN401
        """Make a call, and stop the thread before or after it."""
        if self.moment == "begun":
            self.wait()
        answer = work(*words, **named)
        if self.moment == "done":
            self.wait()
        return answer


async def end_every_task() -> None:
    """Cancel all tasks but this one, as `asyncio.run` does at its end."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.parametrize("call", range(MOST_CALLS + 1))
@pytest.mark.parametrize("moment", ["queued", "begun", "done"])
def test_no_lease_is_out_when_every_task_is_cancelled(call: int, moment: Moment) -> None:
    """At any call of the store, a granted lease is known, and a pending release is made."""
    site = site_with(Answer(body=b"User-agent: *\nCrawl-delay: 0", seconds=1))
    store, thread = StoreInThreads(), OneThread(call, moment)

    async def visit() -> None:
        async with robot_at(site, store=store) as robot:
            await robot.visit(f"{SITE}/a")

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(thread)
        visiting = asyncio.ensure_future(visit())
        while not (thread.reached.is_set() or visiting.done()):  # noqa: ASYNC110  of a thread
            await asyncio.sleep(0.001)
        assert visiting.done() <= (call >= LEAST_CALLS)
        assert visiting.done() >= (call >= MOST_CALLS)
        await end_every_task()
        thread.go_on.set()
        await asyncio.wait({visiting})

    run(main())
    assert no_lease_is_out(store)


@pytest.mark.parametrize("call", range(LEAST_CALLS - 1))
@pytest.mark.parametrize("moment", ["queued", "begun", "done"])
def test_no_lease_is_out_when_the_robot_without_async_is_closed(call: int, moment: Moment) -> None:
    """As Ctrl-C does in a program: waiting tasks get an exception, and the `with` block ends."""
    site = site_with(Answer(body=b"User-agent: *\nCrawl-delay: 0", seconds=1))
    store, thread = StoreInThreads(), OneThread(call, moment)
    robot = blocking.Robot("ExampleBot/1.0", **ME, fetcher=site, clock=site.clock, store=store)

    def visit() -> None:
        with suppress(MisuseError):  # it was closed meanwhile
            robot.visit(f"{SITE}/a")

    with robot:
        assert robot._loop is not None  # noqa: SLF001  its only thread is to be held up
        robot._loop.set_default_executor(thread)  # noqa: SLF001
        with ThreadPoolExecutor(2) as threads:
            visiting = threads.submit(visit)
            assert thread.reached.wait(HANGS)
            closing = threads.submit(robot.close)
            time.sleep(0.02)
            thread.go_on.set()
            closing.result(HANGS)
            visiting.result(HANGS)
    assert no_lease_is_out(store)
