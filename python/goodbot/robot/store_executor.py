"""Calls of a store that are completed even if the waiting task is cancelled.

Scope: one way of waiting. Whenever a task is cancelled, a lease that was granted must be known, and
one that should be given back must be given back.
"""

import asyncio
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

from goodbot.store.group_commit import GroupCommit

__all__ = ["StoreExecutor"]

Result = TypeVar("Result")


class StoreExecutor:
    """A caller of a store: in a thread if the store may wait for a disk, otherwise directly.

    A store may bring the executor whose threads call it (`executor`), such as a `GroupCommit`. A
    store that never waits has `at_once = True`. While a thread uses such a store for longer, the
    store has the future of that use in `lent`, and calls wait for it.
    """

    def __init__(self, store: object) -> None:
        """Store the store."""
        self._store = store
        self._at_once = getattr(store, "at_once", False) is True

    @property
    def is_free(self) -> bool:
        """Whether the store may be called directly: it never waits, and no thread uses it."""
        return self._at_once and getattr(self._store, "lent", None) is None

    async def call(
        self,
        work: Callable[[], Result],
        undo: Callable[[Result], object] | None = None,
    ) -> Result:
        """Run a call to its end, and return its result.

        Args:
            work: The call. It is completed even if the waiting task is cancelled.
            undo: A function that is called with the result if the task was cancelled meanwhile.

        Raises:
            CancelledError: The task was cancelled; the call is completed, and undone.

        """
        if self.is_free:
            return work()
        if self._at_once:
            return await self._when_back(work, undo)
        executor = getattr(self._store, "executor", None)
        if isinstance(executor, GroupCommit):
            return await self._in_group(executor, work, undo)
        working = self._in_thread(work)
        cancelled = await waited(working)
        if cancelled is None:
            return working.result()
        if undo is not None and working.exception() is None:
            answer = working.result()
            await waited(self._in_thread(lambda: undo(answer)))
        raise cancelled

    def _in_thread(self, work: Callable[[], Result]) -> "asyncio.Future[Result]":
        """Start some work in a thread, and return the future of its result.

        It is not a task, as with `asyncio.to_thread`: at the end of a loop all tasks are cancelled
        (`asyncio.run` does so after Ctrl-C). Then it would be unknown whether a lease was granted,
        and a release that no thread had started would be lost.
        """
        executor = getattr(self._store, "executor", None)
        return asyncio.get_running_loop().run_in_executor(executor, copy_context().run, work)

    async def _in_group(
        self,
        executor: GroupCommit,
        work: Callable[[], Result],
        undo: Callable[[Result], object] | None,
    ) -> Result:
        """Run a call in the next transaction; its future is one that no cancellation ends."""
        working = executor.call(work)
        try:
            return await working
        except asyncio.CancelledError:
            if undo is not None and working.exception() is None:
                answer = working.result()
                await waited(executor.call(lambda: undo(answer)))
            raise

    async def _when_back(
        self, work: Callable[[], Result], undo: Callable[[Result], object] | None
    ) -> Result:
        """Run a call once no thread uses the store any more."""
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
    """Wait until a task is done; return the last cancellation of the caller meanwhile."""
    cancelled = None
    while not task.done():
        # As `asyncio.wait`, which takes thrice as long.
        waiter = asyncio.get_running_loop().create_future()
        task.add_done_callback(partial(wake, waiter))
        try:
            await waiter
        except asyncio.CancelledError as error:
            cancelled = error
    return cancelled


def wake(waiter: "asyncio.Future[None]", _: "asyncio.Future[Any]") -> None:
    """End a wait, unless it was cancelled."""
    if not waiter.done():
        waiter.set_result(None)
