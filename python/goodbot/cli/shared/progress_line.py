"""The line that a terminal shows while a site is awaited; it is erased at the end."""

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TextIO

from goodbot.cli.shared.printing import Printer

__all__ = ["ProgressLine"]

BEAT = 0.2
"""Seconds between two updates; what takes less is not shown at all."""

Text = Callable[[float], str]
"""Returns the text to show, from the seconds that have passed."""


class ProgressLine:
    """Shows on a terminal what is awaited; elsewhere it shows nothing.

    Args:
        stream: Where to print; not the stream of the results.

    """

    def __init__(self, stream: TextIO | None) -> None:
        """Find out whether the stream is a terminal."""
        self.printer = Printer(stream) if stream is not None and stream.isatty() else None
        self.lock = threading.Lock()
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run, name="goodbot progress", daemon=True)
        self.text: Text | None = None
        self.since = 0.0
        self.url = ""

    def __enter__(self) -> "ProgressLine":  # noqa: PYI034  Self is of Python 3.11
        """Start the updates."""
        if self.printer is not None:
            self.thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End, and erase the line."""
        self.over.set()
        if self.printer is not None:
            self.thread.join()
        self.show(None)

    @contextlib.contextmanager
    def asking(self, url: str) -> Iterator[None]:
        """Show that a URL is requested until the block ends."""
        self.ask(url)
        try:
            yield
        finally:
            self.show(None)

    def ask(self, url: str) -> None:
        """Show that a URL is requested."""
        self.url = url
        self.show(lambda past: f"requesting {url} …" + (f" {past:.0f} s" if past >= 1 else ""))

    def wait(self, seconds: float, why: str) -> None:
        """Show that a wait has begun, how long it is, and why."""
        self.show(lambda past: f"waiting {math.ceil(max(seconds - past, 0))} s: {why} …")

    def show(self, text: Text | None) -> None:
        """Set what is shown from now on; `None` for nothing."""
        with self.lock:
            self.text, self.since = text, time.monotonic()
            if text is None:
                self.draw("")

    def run(self) -> None:
        """Update the line until it is over."""
        while not self.over.wait(BEAT):
            with self.lock:
                past = time.monotonic() - self.since
                if self.text is not None and past >= BEAT / 2:
                    self.draw(self.text(past))

    def draw(self, text: str) -> None:
        """Print a text over the last one."""
        if self.printer is not None:
            with contextlib.suppress(OSError, ValueError):
                self.printer.pass_by(text)
