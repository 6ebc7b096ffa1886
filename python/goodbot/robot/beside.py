"""Work that is done beside the event loop, in a thread of its own.

What may live here: the thread. What must not wait for it, such as the end of a program, does not:
whoever is cancelled meanwhile leaves the thread to itself, and nobody gets what comes of it.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

__all__ = ["WORTH_A_THREAD", "beside"]

WORTH_A_THREAD = 64 * 1024
"""Bytes of a document or a robots.txt from which on it is read beside the loop."""

Result = TypeVar("Result")


def beside(work: Callable[[], Result]) -> "asyncio.Future[Result]":
    """Start some work in a thread, and return the future of its answer.

    The executor of the loop is no place for what may take many seconds: its threads are shared, and
    the end of the loop waits for them.

    Args:
        work: Touches nothing that others may change meanwhile.

    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Result] = loop.create_future()

    def done(set_it: Callable[[], None]) -> None:
        if not answer.done():  # it was cancelled
            set_it()

    def run() -> None:
        try:
            found = work()
        except BaseException as error:  # noqa: BLE001  whoever waits has it
            failure = error
            end = lambda: answer.set_exception(failure)  # noqa: E731
        else:
            end = lambda: answer.set_result(found)  # noqa: E731
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(done, end)

    threading.Thread(target=run, name="goodbot beside the loop", daemon=True).start()
    return answer
