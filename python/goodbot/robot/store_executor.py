"""Work that is done to its end, also if who waits for it is cancelled.

What may live here: one way of waiting. A lease that was granted must be known, and one that is to
be given back must be given back, whenever a task is cancelled.
"""

import asyncio
from collections.abc import Callable
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
        task = asyncio.ensure_future(asyncio.to_thread(work))
        cancelled = await waited(task)
        if cancelled is None:
            return task.result()
        if undo is not None and task.exception() is None:
            answer = task.result()
            undoing = asyncio.ensure_future(asyncio.to_thread(lambda: undo(answer)))
            await waited(undoing)
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


async def waited(task: "asyncio.Future[Result]") -> asyncio.CancelledError | None:
    """Wait until a task is done; give the last cancellation that came meanwhile."""
    cancelled = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:  # noqa: PERF203  that is what it is for
            cancelled = error
    return cancelled
