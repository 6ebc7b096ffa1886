"""How far a run is, as a line with a bar; and how to go on if it is stopped."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from goodbot.cli.shared import warnings
from goodbot.cli.shared.progress_line import ProgressLine
from goodbot.cli.shared.time_format import span
from goodbot.errors import StoreError
from goodbot.http.amounts import counted
from goodbot.tables.writing import VerdictProgress

__all__ = ["ShownProgress", "progress_text"]

BAR = 24
"""How many characters the progress bar has."""


class ShownProgress:
    """The progress of a run, as a line with a bar."""

    def __init__(self, line: ProgressLine) -> None:
        """Begin to measure."""
        self._line = line
        self._began = time.monotonic()
        self._last = VerdictProgress(0, 0, 0)
        line.show(lambda _: "reading what the files have …")

    def show(self, progress: VerdictProgress) -> None:
        """Show how far the run is."""
        self._last = progress
        text = progress_text(progress, time.monotonic() - self._began)
        self._line.show(lambda _: text)

    @contextmanager
    def advice_if_stopped(self, output: str | None) -> Iterator[None]:
        """Run something; if it is stopped, say how to go on.

        Args:
            output: What is written, if anything.

        Raises:
            KeyboardInterrupt: It was stopped by Ctrl-C.
            StoreError: The output cannot be written. The advice follows its message, so that what
                stopped the run is read first.

        """
        try:
            yield
        except KeyboardInterrupt:
            if advice := self.how_to_go_on(output):
                warnings.note(advice)
            raise
        except StoreError as error:
            if advice := self.how_to_go_on(output):
                message = f"{error}\nnote: {advice}"
                raise type(error)(message) from error
            raise

    def how_to_go_on(self, output: str | None) -> str:
        """Remove the line; return what is done and how to go on, if a run ends early.

        Args:
            output: What is written; without it, or before the first part, there is nothing to say.

        """
        self._line.show(None)
        done, total, _ = self._last
        if output is None or not done:
            return ""
        return (
            f"stopped after {done:,} of {counted(total, 'URL')}. Nothing is lost: the same command "
            f"continues there. {output} is written once all are done"
        )


def progress_text(progress: VerdictProgress, seconds: float) -> str:
    """Return a line that shows how far a run is, how fast, and how long it will take.

    >>> progress_text(VerdictProgress(1_500_000, 6_000_000, 500_000), 2.0)
    '[######------------------] 25 %: 1,500,000 of 6,000,000 URLs, 500,000 a second, 9 seconds left'
    """
    done, total, resumed = progress
    share = done / total if total else 1.0
    bar = "#" * int(share * BAR)
    text = f"[{bar:-<{BAR}}] {share:.0%}".replace("%", " %")
    text += f": {done:,} of {counted(total, 'URL')}"
    answered = done - resumed
    if not answered or seconds <= 0:
        return text
    rate = answered / seconds
    return f"{text}, {rate:,.0f} a second, {span((total - done) / rate)} left"
