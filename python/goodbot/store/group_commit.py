"""Many calls of a SQLite store in one transaction, so that the disk is waited for once.

Scope: one thread, which takes whatever calls have come meanwhile. A durable change waits some
milliseconds for the disk: one by one, a few hundred are made in a second; together, thousands.
"""

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, TypeAlias, TypeVar

from goodbot.store.sqlite_file import SQLiteFile

__all__ = ["GroupCommit"]

Called = TypeVar("Called")

MOST = 512
"""How many calls one transaction may have: others that use the file wait for no longer."""


class QueuedCall(NamedTuple):
    """A call that waits for its transaction."""

    work: Callable[[], Any]
    future: "Future[Any] | asyncio.Future[Any]"
    """Its result."""
    loop: asyncio.AbstractEventLoop | None = None
    """The event loop of the future; `None` if it is one of threads."""

    def is_wanted(self) -> bool:
        """Return whether the call is to be made: a task may have cancelled it in the queue."""
        return not isinstance(self.future, Future) or self.future.set_running_or_notify_cancel()


CallOutcome: TypeAlias = tuple["Future[Any] | asyncio.Future[Any]", Any, BaseException | None]
"""A future, and the result or the exception that it gets."""


class StoreFuture(asyncio.Future[Called]):
    """The result of a call that is made in any case.

    A task that waits for it and is cancelled is so only once the call is done: what the call has
    changed must be known. A loop that closes earlier leaves the call to its thread.
    """

    def cancel(self, msg: object = None) -> bool:  # noqa: ARG002  as Future has it
        """Return that it is not cancelled."""
        return False


class GroupCommit(Executor):
    """An executor that makes all calls of one SQLite store in one thread, many in a transaction.

    A call is done only when its transaction is: nobody learns of a lease that a power cut could
    still undo. From then on, robots call the store through it.

    Args:
        file: The store.

    """

    def __init__(self, file: SQLiteFile) -> None:
        """Start the thread."""
        self._file = file
        self._calls: queue.SimpleQueue[QueuedCall | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="goodbot-store", daemon=True)
        self._thread.start()
        file.executor = self

    def submit(
        self,
        fn: Callable[..., Called],
        /,
        *args: Any,  # noqa: ANN401  as Executor has it
        **kwargs: Any,  # noqa: ANN401  as above
    ) -> "Future[Called]":
        """Queue a call of the store, and return the future of its result."""
        future: Future[Called] = Future()
        self._calls.put(QueuedCall(partial(fn, *args, **kwargs), future))
        return future

    def call(self, work: Callable[[], Called]) -> "asyncio.Future[Called]":
        """Queue a call of the store; return the future of its result in the running event loop.

        The loop is woken once for all calls of a transaction, which `submit` does for each.
        """
        loop = asyncio.get_running_loop()
        future: StoreFuture[Called] = StoreFuture(loop=loop)
        self._calls.put(QueuedCall(work, future, loop))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002, ARG002  as Executor has it
        """End the thread once every call that was queued is done."""
        self._file.executor = None
        self._calls.put(None)
        if wait:
            self._thread.join()

    def _run(self) -> None:
        """Make calls until the executor is shut down."""
        is_open = True
        while is_open:
            given = [self._calls.get()]
            while len(given) < MOST and not self._calls.empty():
                given.append(self._calls.get_nowait())
            is_open = None not in given
            self._make([one for one in given if one and one.is_wanted()])

    def _make(self, calls: list[QueuedCall]) -> None:
        """Make some calls in one transaction, then report their results."""
        done: list[tuple[Any, BaseException | None]] = []
        try:
            with self._file.group():
                for call in calls:
                    try:
                        done.append((call.work(), None))
                    except BaseException as error:  # noqa: BLE001, PERF203  the caller gets it
                        done.append((None, error))
        except BaseException as error:  # noqa: BLE001  each caller gets it: nothing was changed
            done = [(None, error)] * len(calls)
        of_loops: dict[asyncio.AbstractEventLoop | None, list[CallOutcome]] = {}
        for call, (result, failure) in zip(calls, done, strict=True):
            of_loops.setdefault(call.loop, []).append((call.future, result, failure))
        for loop, outcomes in of_loops.items():
            if loop is None:
                settle(outcomes)
            else:
                with suppress(RuntimeError):  # the loop is closed, and nobody waits any more
                    loop.call_soon_threadsafe(settle, outcomes)


def settle(outcomes: list[CallOutcome]) -> None:
    """Complete futures, except those that a loop cancelled when it ended."""
    for future, result, failure in outcomes:
        if future.cancelled():
            continue
        if failure is None:
            future.set_result(result)
        else:
            future.set_exception(failure)
