"""What the user sees of a running crawl: lines, JSON objects, or only the summary.

Scope: from events to output. The live table, which is not drawn by events, is in `table`.
"""

import json
import sys
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

from goodbot.cli.shared.options import network_args
from goodbot.cli.shared.printing import Printer, Styled, cut_line
from goodbot.cli.shared.time_format import future_time
from goodbot.crawl.evidence.trap_findings import TrapCount, counts_by_trap
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.folder.states import style_of
from goodbot.crawl.run.events import (
    Ended,
    FindingsReported,
    SiteAlert,
    Started,
    Summary,
    UrlSettled,
    WaitBegan,
)
from goodbot.crawl.verbs.crawl_view.figures import Figures
from goodbot.crawl.verbs.crawl_view.next_commands import NextPrinter, print_next
from goodbot.crawl.verbs.crawl_view.objects import object_of
from goodbot.crawl.verbs.crawl_view.option_rows import resume_command
from goodbot.crawl.verbs.crawl_view.summary import CURES, print_summary
from goodbot.crawl.verbs.held_back import held_back
from goodbot.errors import GoodbotError
from goodbot.http.amounts import counted
from goodbot.http.status import status_of
from goodbot.robot import Remark

if TYPE_CHECKING:
    from goodbot.crawl.frontier.bounds import Bounds
    from goodbot.crawl.run.crawl import Crawl, CrawlEvent

__all__ = ["Lines", "Objects", "Silence", "View"]

STATE_WIDTH = 10
SERVER_ERRORS = 500
"""The first status of a server error (RFC 9110 section 15.6)."""


class View:
    """Shows a crawl; for `async with`. This class shows only the summary.

    A closed pipe or a full disk does not cut a crawl off: the crawl is stopped in order, and then
    the error is raised.

    Args:
        stream: Where to print.
        folder: The folder of the crawl, as the user wrote it.
        figures: The numbers.

    """

    def __init__(self, stream: TextIO, folder: str, figures: Figures) -> None:
        """Store where to print."""
        self.printer = Printer(stream)
        self.stream = stream
        self.folder = folder
        self.figures = figures
        self.failure: OSError | None = None
        self.crawl: Crawl | None = None
        self.bounds: Bounds | None = None
        """The bounds of the crawl, by which its end can be foreseen."""
        self.listeners: list[Callable[[CrawlEvent], None]] = []
        """Functions that receive each event too."""
        self.then: NextPrinter = print_next
        """Prints the commands that come next."""
        self.resume: Callable[[str], str] = resume_command
        """Returns the command that resumes what was cut off, by the folder."""
        self._advised: set[str] = set()

    def follow(self, crawl: "Crawl") -> None:
        """Set the crawl that is shown, which is stopped if the output cannot be written."""
        self.crawl = crawl

    async def __aenter__(self) -> "View":  # noqa: PYI034  Self is of Python 3.11
        """Start."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End."""

    def hear(self, event: "CrawlEvent") -> None:
        """Count an event, and show it if this view shows such events."""
        self.figures.hear(event)
        self._try(self.show, event)
        if isinstance(event, SiteAlert) and event.kind != "message":  # that one is a remark, too
            self._try(self.show_alert, event)
        for listener in self.listeners:
            listener(event)
        if isinstance(event, Started) and event.removed:
            removed = counted(event.removed, "URL")
            message = f"Removed {removed} outside the bounds from the index and the archive."
            self._try(self.note, message)
        if isinstance(event, UrlSettled) and event.reason in CURES:
            self._advise(CURES[event.reason])

    def remark(self, remark: Remark) -> None:
        """Show a comment of a site for the operator."""
        self._try(self.show_remark, remark)

    def note(self, text: str) -> None:
        """Print a message about the program on standard error, apart from the results."""
        if sys.stderr is not None:
            Printer(sys.stderr).prose(text)
            sys.stderr.flush()

    def _advise(self, cure: str) -> None:
        """Print at once, and only once, how to fix a problem: the crawl may wait for long."""
        if cure not in self._advised:
            self._advised.add(cure)
            self._try(self.note, cure)

    def finish(self, summary: Summary) -> None:
        """Print the summary.

        Raises:
            OSError: The output could not be written, now or before.

        """
        if self.failure is not None:
            raise self.failure
        self.show_summary(summary)
        self.stream.flush()

    def show(self, event: "CrawlEvent") -> None:
        """Show an event."""

    def show_alert(self, alert: SiteAlert) -> None:
        """Show an alert for the operator."""

    def show_remark(self, remark: Remark) -> None:
        """Show a comment of a site."""
        self.note(cut_line(str(remark)))

    def show_summary(self, summary: Summary) -> None:
        """Show the summary."""
        sites = sum(site.pages > 0 for site in self.figures.sites.values())
        print_summary(
            summary,
            self.folder,
            sites,
            self.printer,
            allowed=self.allowed(),
            held=self.held(summary),
            traps=self.traps(summary),
            then=self.then,
        )

    def traps(self, summary: Summary) -> list[TrapCount]:
        """Return the traps that were found, with an example of each."""
        if not summary.traps:
            return []
        try:
            with open_readonly(self.folder) as database:
                return counts_by_trap(database)
        except GoodbotError:  # as below
            return []

    def held(self, summary: Summary) -> list[str]:
        """Return what the operator holds back, if URLs are still queued."""
        if summary.ended != "waiting":
            return []
        try:
            with open_readonly(self.folder) as database:
                return list(held_back(database, self.folder, summary.finished))
        except GoodbotError:  # the crawl has ended, and its summary must be printed
            return []

    def allowed(self) -> list[str]:
        """Return the options by which this crawl may visit addresses that are not public."""
        if self.crawl is None:
            return []
        private, networks = self.crawl.permissions
        return network_args(private=private, networks=networks)

    def _try(self, show: Callable[..., None], shown: object) -> None:
        """Show something, unless writing has failed before."""
        if self.failure is not None:
            return
        try:
            show(shown)
        except OSError as error:
            self.fail(error)

    def fail(self, error: OSError) -> None:
        """Stop the crawl, because its output cannot be written."""
        self.failure = error
        if self.crawl is not None:
            self.crawl.stop("output-closed")


class Silence(View):
    """Shows only the summary, and the comments of sites."""


class Lines(View):
    """Prints a line for each URL that reached a state."""

    def show(self, event: "CrawlEvent") -> None:
        """Print a line: the time, the status or state, the URL, and why it was not fetched."""
        if isinstance(event, FindingsReported):
            self._show_findings(event)
        if isinstance(event, WaitBegan):
            self._show_wait(event)
        if not isinstance(event, UrlSettled):
            return
        state = str(event.status) if event.status is not None else event.state
        time = f"{event.at:%Y-%m-%dT%H:%M:%SZ}"
        self.printer.line(
            time,
            " ",
            Styled(f"{state:<{STATE_WIDTH}}", style_of(event.state, event.status)),
            " ",
            event.url,
            why(event),
        )
        # The reader of a pipe should not have to wait until a buffer is full.
        self.stream.flush()

    def show_alert(self, alert: SiteAlert) -> None:
        """Print a line: the time, the site, and the alert."""
        word = Styled(f"{'alert':<{STATE_WIDTH}}", "warning")
        told = f" {alert.origin}  {alert.kind}: {cut_line(alert.text)}"
        self.printer.line(f"{alert.at:%Y-%m-%dT%H:%M:%SZ} ", word, told)
        self.stream.flush()

    def _show_wait(self, event: WaitBegan) -> None:
        """Print a line: until when nothing is visited."""
        queued = f"{counted(event.queued, 'URL')} {'is' if event.queued == 1 else 'are'} queued"
        self.printer.line(
            f"{event.at:%Y-%m-%dT%H:%M:%SZ} ",
            Styled(f"{'waiting':<{STATE_WIDTH}}", "faint"),
            f" until {future_time(event.until, event.at)}: {queued}, and "
            "none may be visited sooner",
        )
        self.stream.flush()

    def _show_findings(self, event: FindingsReported) -> None:
        """Print a line for each error on a page; other findings are counted in the summary."""
        for one in event.findings.listed:
            if one.severity == "error":
                self.printer.line(
                    f"{event.at:%Y-%m-%dT%H:%M:%SZ} ",
                    Styled(f"{'finding':<{STATE_WIDTH}}", "warning"),
                    f" {event.url}  {cut_line(str(one))}",
                )


def why(event: UrlSettled) -> str:
    """Return why a URL was not fetched, or its redirect; nothing if it was fetched.

    For a URL that is tried again it says when.
    """
    if event.state == "done" and event.reason in {"fetched", "sitemap"}:
        return ""
    reason = event.reason.replace("-", " ")
    if event.reason == "server-error" and event.status is not None and event.status < SERVER_ERRORS:
        reason = status_of(event.status).name.lower()  # such as 429, which is not a server error
    told = f"  {reason}: {cut_line(event.source)}" if event.source else f"  {reason}"
    if event.state != "queued" or event.due is None or event.due <= event.at:
        return told
    return f"{told}; next try not before {future_time(event.due, event.at)}"


class Objects(View):
    """Prints an object for each event, the summary last.

    Args:
        stream: Where to.
        folder: The folder of the crawl.
        figures: The numbers.
        every: Whether each event is printed, or only the last one.

    """

    def __init__(self, stream: TextIO, folder: str, figures: Figures, *, every: bool) -> None:
        """Store where to print."""
        super().__init__(stream, folder, figures)
        self.every = every

    def show(self, event: "CrawlEvent") -> None:
        """Print an event; `finish` prints the end when everything is closed."""
        if self.every and not isinstance(event, Ended):
            self._print(event)

    def show_remark(self, remark: Remark) -> None:
        """Print a comment of a site, however little else is shown."""
        self._print(remark)

    def show_summary(self, summary: Summary) -> None:
        """Print the summary."""
        self._print(Ended(summary.finished, summary))

    def _print(self, event: object) -> None:
        self.printer.line(json.dumps(object_of(event)))
        self.stream.flush()
