"""Ctrl-C as the end of a log that is read as it grows.

Scope: signals. What was read until then is audited.
"""

import signal
from types import FrameType
from typing import Any

from goodbot.cli.shared import warnings


class Interruption:
    """Whether the user has interrupted the reading; a second interrupt ends the program."""

    def __init__(self) -> None:
        self.has_come = False
        self.before: Any = None

    def watch(self) -> None:
        """Wait for the interrupt from now on, and say so."""
        self.before = signal.signal(signal.SIGINT, self.interrupt)
        warnings.note("the log is read as it grows; Ctrl-C ends that, and audits what was read")

    def interrupt(self, _number: int, _frame: FrameType | None) -> None:
        """Note that it came."""
        self.has_come = True
        self.restore()

    def restore(self) -> None:
        """Leave further interrupts to the handler of before."""
        if self.before is not None:
            signal.signal(signal.SIGINT, self.before)
            self.before = None
