"""Work that is done to its end, also if who waits for it is cancelled.

What may live here: one way of waiting. A lease that was granted must be known, and one that is to
be given back must be given back, whenever a task is cancelled.
"""

import asyncio
from collections.abc import Callable
from contextvars import copy_context
from typing import TypeVar

__all__ = ["StoreExecutor"]

Result = TypeVar("Result")


class StoreExecutor:
    """Calls a store: at once if it never waits, else in a thread, as it may wait for a disk.

    A store that never waits says so: `at_once = True`. One that a thread has for a while has the
    future of its return in `lent`, and is called when it is back.
    """

    def __init__(self, store: object) -> None:
        """Take the store."""
        self._store = store
        self._at_once = getattr(store, "at_once", False) is True

    async def call(
        self,
        work: Callable[[], Result],
        undo: Callable[[Result], object] | None = None,
    ) -> Result:
        """Call, and give the answer.

        Args:
            work: What is done to its end, whatever happens to the task that waits.
            undo: What is done with the answer, if the task was cancelled meanwhile.

        Raises:
            CancelledError: The task was cancelled; the work is done, and undone.

        """
        if self._at_once and getattr(self._store, "lent", None) is None:
            return work()
        if self._at_once:
            return await self._when_back(work, undo)
        working = in_thread(work)
        cancelled = await waited(working)
        if cancelled is None:
            return working.result()
        if undo is not None and working.exception() is None:
            answer = working.result()
            await waited(in_thread(lambda: undo(answer)))
        raise cancelled

    async def _when_back(
        self, work: Callable[[], Result], undo: Callable[[Result], object] | None
    ) -> Result:
        """Call a store when no thread has it any more."""
        cancelled = None
        while (lent := getattr(self._store, "lent", None)) is not None:
            cancelled = await waited(lent) or cancelled
        answer = work()
        if cancelled is None:
            return answer
        if undo is not None:
            undo(answer)
        raise cancelled


def in_thread(work: Callable[[], Result]) -> "asyncio.Future[Result]":
    """Start some work in a thread of the loop, and return the future of its answer.

    It is no task, as `asyncio.to_thread` would need: whoever ends a loop cancels all its tasks
    (`asyncio.run` does, after Ctrl-C), and a cancelled task would leave it unknown whether its
    lease was granted, or drop a release that no thread had begun.
    """
    loop = asyncio.get_running_loop()
    return loop.run_in_executor(None, copy_context().run, work)


async def waited(task: "asyncio.Future[Result]") -> asyncio.CancelledError | None:
    """Wait until a task is done; give the last cancellation that came meanwhile."""
    cancelled = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:  # noqa: PERF203  that is what it is for
            cancelled = error
    return cancelled
