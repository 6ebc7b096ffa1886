"""What one sees of a crawl while it works: plain lines, objects, or nothing.

What may live here: what becomes of an event on its way to the screen. The live table, which is
drawn by itself and not by events, is in `crawl_table`.
"""

import json
import sys
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from goodbot.cli.crawl_view.figures import Figures
from goodbot.cli.crawl_view.objects import object_of
from goodbot.cli.crawl_view.summary import CURES, print_summary
from goodbot.cli.shared.held_back import held_back
from goodbot.cli.shared.options import network_args
from goodbot.cli.shared.printing import Printer, Styled, cut_line
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.folder.states import STATES
from goodbot.crawl.run.events import (
    Ended,
    FindingsReported,
    SiteAlert,
    Started,
    Summary,
    UrlSettled,
)
from goodbot.errors import GoodbotError
from goodbot.http.amounts import counted
from goodbot.http.status import status_of
from goodbot.robot import Remark

if TYPE_CHECKING:
    from goodbot.crawl.run.crawl import Crawl, CrawlEvent

__all__ = ["Lines", "Objects", "Silence", "View"]

STATE_WIDTH = 10
SERVER_ERRORS = 500
"""The first status of a server error (RFC 9110 section 15.6)."""


class View:
    """Shows a crawl; for `async with`. It shows nothing but the summary.

    A reader who goes away and a full disk are no reason to break a crawl off in the midst: the
    crawl is asked to end, and then it is told.

    Args:
        stream: Where to.
        folder: The folder of the crawl, as the user has it.
        figures: What is counted.

    """

    def __init__(self, stream: TextIO, folder: str, figures: Figures) -> None:
        """Take where to."""
        self.printer = Printer(stream)
        self.stream = stream
        self.folder = folder
        self.figures = figures
        self.failure: OSError | None = None
        self.crawl: Crawl | None = None
        self.listeners: list[Callable[[CrawlEvent], None]] = []
        """Who hears each event, too."""
        self._advised: set[str] = set()

    def follow(self, crawl: "Crawl") -> None:
        """Take the crawl that is shown: it is asked to end if the output takes no more."""
        self.crawl = crawl

    async def __aenter__(self) -> "View":  # noqa: PYI034  Self is of Python 3.11
        """Begin."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End."""

    def hear(self, event: "CrawlEvent") -> None:
        """Take an event: count it and, if need be, show it."""
        self.figures.hear(event)
        self._try(self.show, event)
        if isinstance(event, SiteAlert) and event.kind != "message":  # that one is a remark, too
            self._try(self.show_alert, event)
        for listener in self.listeners:
            listener(event)
        if isinstance(event, Started) and event.removed:
            removed = counted(event.removed, "URL")
            self._try(self.note, f"Removed {removed} outside the bounds from index and archive.")
        if isinstance(event, UrlSettled) and event.reason in CURES:
            self._advise(CURES[event.reason])

    def remark(self, remark: Remark) -> None:
        """Take what a site wants the operator to know."""
        self._try(self.show_remark, remark)

    def note(self, text: str) -> None:
        """Tell the user something about the program itself; never among answers."""
        if sys.stderr is not None:
            Printer(sys.stderr).prose(text)
            sys.stderr.flush()

    def _advise(self, cure: str) -> None:
        """Tell at once, and once, what can be done: the crawl may wait for long."""
        if cure not in self._advised:
            self._advised.add(cure)
            self._try(self.note, cure)

    def finish(self, summary: Summary) -> None:
        """Tell what it came to.

        Raises:
            OSError: Something could not be written, now or before.

        """
        if self.failure is not None:
            raise self.failure
        self.show_summary(summary)
        self.stream.flush()

    def show(self, event: "CrawlEvent") -> None:
        """Show an event."""

    def show_alert(self, alert: SiteAlert) -> None:
        """Show what the operator should look at."""

    def show_remark(self, remark: Remark) -> None:
        """Show a remark."""
        self.note(cut_line(str(remark)))

    def show_summary(self, summary: Summary) -> None:
        """Show what it came to."""
        sites = sum(site.pages > 0 for site in self.figures.sites.values())
        print_summary(
            summary,
            self.folder,
            sites,
            self.printer,
            allowed=self.allowed(),
            held=self.held(summary),
        )

    def held(self, summary: Summary) -> list[str]:
        """Return what the operator holds back, if that is why something waits."""
        if summary.ended != "waiting":
            return []
        try:
            with open_readonly(self.folder) as database:
                return list(held_back(database, self.folder, summary.finished))
        except GoodbotError:  # the crawl has come to its end, and its summary is printed
            return []

    def allowed(self) -> list[str]:
        """Return the words that allow this crawl what it may do beyond public addresses."""
        if self.crawl is None:
            return []
        private, networks = self.crawl.permissions
        return network_args(private=private, networks=networks)

    def _try(self, show: Callable[..., None], shown: object) -> None:
        """Show something, unless the output takes no more."""
        if self.failure is not None:
            return
        try:
            show(shown)
        except OSError as error:
            self.fail(error)

    def fail(self, error: OSError) -> None:
        """Ask the crawl to end: nobody sees it any more."""
        self.failure = error
        if self.crawl is not None:
            self.crawl.stop("output-closed")


class Silence(View):
    """Shows the summary alone, and what sites want the operator to know."""


class Lines(View):
    """Prints a line for each URL of which it was settled what has become."""

    def show(self, event: "CrawlEvent") -> None:
        """Print a line: when, what, which URL, and why if it was not fetched."""
        if isinstance(event, FindingsReported):
            self._show_findings(event)
        if not isinstance(event, UrlSettled):
            return
        state = str(event.status) if event.status is not None else event.state
        time = f"{event.at:%Y-%m-%dT%H:%M:%SZ}"
        self.printer.line(
            time,
            " ",
            Styled(f"{state:<{STATE_WIDTH}}", STATES[event.state].style),
            " ",
            event.url,
            why(event),
        )
        # Who watches a pipe does not wait until a buffer is full.
        self.stream.flush()

    def show_alert(self, alert: SiteAlert) -> None:
        """Print a line: when, which site, and what it is about."""
        word = Styled(f"{'alert':<{STATE_WIDTH}}", "warning")
        told = f" {alert.origin}  {alert.kind}: {cut_line(alert.text)}"
        self.printer.line(f"{alert.at:%Y-%m-%dT%H:%M:%SZ} ", word, told)
        self.stream.flush()

    def _show_findings(self, event: FindingsReported) -> None:
        """Print a line for each error of a page; the others are counted at the end."""
        for one in event.findings.listed:
            if one.severity == "error":
                self.printer.line(
                    f"{event.at:%Y-%m-%dT%H:%M:%SZ} ",
                    Styled(f"{'finding':<{STATE_WIDTH}}", "warning"),
                    f" {event.url}  {cut_line(str(one))}",
                )


def why(event: UrlSettled) -> str:
    """Say why a URL was not fetched, or where it leads; nothing if it was."""
    if event.state == "done" and event.reason in {"fetched", "sitemap"}:
        return ""
    reason = event.reason.replace("-", " ")
    if event.reason == "server-error" and event.status is not None and event.status < SERVER_ERRORS:
        reason = status_of(event.status).name.lower()  # such as 429, which is no server error
    return f"  {reason}: {cut_line(event.source)}" if event.source else f"  {reason}"


class Objects(View):
    """Prints an object for each event, the summary last.

    Args:
        stream: Where to.
        folder: The folder of the crawl.
        figures: What is counted.
        every: Whether each event is printed, or the last one alone.

    """

    def __init__(self, stream: TextIO, folder: str, figures: Figures, *, every: bool) -> None:
        """Take where to."""
        super().__init__(stream, folder, figures)
        self.every = every

    def show(self, event: "CrawlEvent") -> None:
        """Print an event; the end is told by `finish`, when everything is closed."""
        if self.every and not isinstance(event, Ended):
            self._print(event)

    def show_remark(self, remark: Remark) -> None:
        """Print a remark: it reaches the operator however little else is to be shown."""
        self._print(remark)

    def show_summary(self, summary: Summary) -> None:
        """Print what it came to."""
        self._print(Ended(summary.finished, summary))

    def _print(self, event: object) -> None:
        self.printer.line(json.dumps(object_of(event)))
        self.stream.flush()
