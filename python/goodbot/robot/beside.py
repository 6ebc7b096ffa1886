"""Work in a thread of its own, beside the event loop.

Scope: the thread. The end of a program does not wait for it: if the waiting task is cancelled, the
thread continues, and its result is dropped.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

__all__ = ["WORTH_A_THREAD", "beside"]

WORTH_A_THREAD = 64 * 1024
"""The size in bytes from which a document or a robots.txt is parsed in a thread."""

Result = TypeVar("Result")


def beside(work: Callable[[], Result]) -> "asyncio.Future[Result]":
    """Start some work in a thread, and return the future of its result.

    The executor of the loop is not suitable for work of many seconds: its threads are shared, and
    the end of the loop waits for them.

    Args:
        work: A function that uses nothing that others may change meanwhile.

    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Result] = loop.create_future()

    def done(set_it: Callable[[], None]) -> None:
        if not answer.done():  # it was cancelled
            set_it()

    def run() -> None:
        try:
            found = work()
        except BaseException as error:  # noqa: BLE001  passed on to the waiting task
            failure = error
            end = lambda: answer.set_exception(failure)  # noqa: E731
        else:
            end = lambda: answer.set_result(found)  # noqa: E731
        with suppress(RuntimeError):  # the loop is closed: no task waits any more
            loop.call_soon_threadsafe(done, end)

    threading.Thread(target=run, name="goodbot beside the loop", daemon=True).start()
    return answer
