"""Ctrl-Z: while the face of a crawl is suspended, its processes make no requests.

Scope: the signal, and the clock of a process that is held. The processes are not in the terminal's
process group, so that it reaches the face only. They receive an order, and are not stopped by a
signal themselves, because a stopped process would not notice that the face was killed.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from goodbot.net import Clock

__all__ = ["HeldClock", "suspending"]


class HeldClock:
    """A clock on which no wait ends while its process is held.

    A worker that waited for its turn would make its request otherwise. Afterwards it looks again
    whether its turn has come.

    Args:
        clock: The clock.
        may_go_on: Set unless the process is held.

    """

    def __init__(self, clock: Clock, may_go_on: asyncio.Event) -> None:
        """Store the parts."""
        self._clock, self._may_go_on = clock, may_go_on
        # A page reads each clock many times, so there is no function of ours in between.
        self.now = clock.now
        self.monotonic = clock.monotonic

    async def sleep(self, seconds: float) -> None:
        """Sleep for this many seconds, and until the process may go on."""
        await self._clock.sleep(seconds)
        await self._may_go_on.wait()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  of any type
        """Return what the clock has as well, such as `boot`."""
        return getattr(self._clock, name)


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
