"""Ctrl-Z: while the face of a crawl is suspended, its processes make no requests.

Scope: the signal. The processes are not in the terminal's process group, so that it reaches the
face only. They receive an order, and are not stopped by a signal themselves, because a stopped
process would not notice that the face was killed.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["suspending"]


@contextmanager
def suspending(hold: Callable[[], object], go_on: Callable[[], object]) -> Iterator[None]:
    """Call functions before this process is suspended from its terminal, and afterwards.

    A program that has its own handler for the signal, or ignores it, keeps it.

    Args:
        hold: Called before the process is suspended.
        go_on: Called when it continues.

    """
    if sys.platform == "win32" or signal.getsignal(signal.SIGTSTP) is not signal.SIG_DFL:
        yield
        return

    def suspend() -> None:
        hold()
        os.kill(os.getpid(), signal.SIGSTOP)  # returns when the process continues
        go_on()

    loop = asyncio.get_running_loop()
    try:
        loop.add_signal_handler(signal.SIGTSTP, suspend)
    except (NotImplementedError, RuntimeError, ValueError):  # a thread that is not the main one
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGTSTP)
