"""Many calls of a SQLite store in one transaction, so that the disk is waited for once.

Scope: one thread, which takes whatever calls have come meanwhile. A durable change waits some
milliseconds for the disk: one by one, a few hundred are made in a second; together, thousands.
"""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any, TypeVar

from goodbot.store.sqlite_file import SQLiteFile

__all__ = ["GroupCommit"]

Called = TypeVar("Called")

MOST = 512
"""How many calls one transaction may have: others that use the file wait for no longer."""


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
        self._calls: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None]
        self._calls = queue.SimpleQueue()
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
        self._calls.put((future, partial(fn, *args, **kwargs)))
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
            self._make([one for one in given if one and one[0].set_running_or_notify_cancel()])

    def _make(self, calls: list[tuple[Future[Any], Callable[[], Any]]]) -> None:
        """Make some calls in one transaction, then report their results."""
        done: list[tuple[Future[Any], Any, BaseException | None]] = []
        try:
            with self._file.group():
                for future, call in calls:
                    try:
                        done.append((future, call(), None))
                    except BaseException as error:  # noqa: BLE001, PERF203  the caller gets it
                        done.append((future, None, error))
        except BaseException as error:  # noqa: BLE001  each caller gets it: nothing was changed
            done = [(future, None, error) for future, _ in calls]
        for future, result, failure in done:
            if failure is None:
                future.set_result(result)
            else:
                future.set_exception(failure)
