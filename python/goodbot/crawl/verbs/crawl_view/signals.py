"""Signals that end a crawl: Ctrl-C, SIGTERM, and a terminal that is closed.

Scope: which signal calls which function, within the running event loop.
"""

import asyncio
import os
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

__all__ = ["heeding", "leave_terminal"]


def leave_terminal() -> None:
    """Redirect output away from a terminal that was closed, because every write would fail."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            # A closed terminal is not a terminal any more, but still a character device.
            if stat.S_ISCHR(os.fstat(stream.fileno()).st_mode):
                os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


@contextmanager
def heeding(
    interrupt: Callable[[], None], terminate: Callable[[], None], hang_up: Callable[[], None]
) -> Iterator[None]:
    """Call functions on Ctrl-C, SIGTERM and SIGHUP, in the running loop.

    A signal that was ignored when the program started stays ignored, as `nohup` expects.
    """
    loop = asyncio.get_running_loop()
    wanted = {signal.SIGINT: interrupt, signal.SIGTERM: terminate}
    if hasattr(signal, "SIGHUP"):
        wanted[signal.SIGHUP] = hang_up
    signals = [one for one in wanted if signal.getsignal(one) is not signal.SIG_IGN]
    try:
        for one in signals:
            loop.add_signal_handler(one, wanted[one])
    except (NotImplementedError, RuntimeError):  # Windows; a thread that is not the main one
        with heeding_plainly(loop, interrupt):
            yield
        return
    try:
        yield
    finally:
        for one in signals:
            loop.remove_signal_handler(one)


@contextmanager
def heeding_plainly(
    loop: asyncio.AbstractEventLoop, interrupt: Callable[[], None]
) -> Iterator[None]:
    """Call a function on Ctrl-C if the event loop cannot handle signals."""

    def handler(_number: int, _frame: object) -> None:
        loop.call_soon_threadsafe(interrupt)

    try:
        before = signal.signal(signal.SIGINT, handler)
    except ValueError:  # not the main thread, which alone receives Ctrl-C
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
