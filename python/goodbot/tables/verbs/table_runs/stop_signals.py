"""Signals that stop a verb which can go on later."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["sigterm_interrupts"]


@contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """Make SIGTERM do what Ctrl-C does.

    A signal that was ignored when the program started stays ignored.

    Raises:
        KeyboardInterrupt: The process received SIGTERM.

    """
    before = signal.getsignal(signal.SIGTERM)
    if before is signal.SIG_IGN:
        yield
        return
    try:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    except ValueError:  # not the main thread, which alone receives signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)
