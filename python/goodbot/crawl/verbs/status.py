"""`goodbot status`: how far a crawl has come that runs elsewhere."""

import json
import sys
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import click

from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer
from goodbot.crawl.verbs.crawl_folder import CrawlVerb, crawl_folder
from goodbot.crawl.verbs.status_output import a_minute, live, print_left, print_urls, show
from goodbot.http.amounts import format_bytes
from goodbot.http.instants import format_time

if TYPE_CHECKING:
    from goodbot.crawl.status.crawl_status import CrawlStatus

__all__ = ["status"]


@click.command(cls=CrawlVerb)
@crawl_folder
@live
@options.as_json("one object")
def status(folder: str, *, every: float | None, as_json: bool) -> ExitStatus:
    """Show how far a crawl has come, and how long it will still take.

    \b
    Examples:
      goodbot status shop
      goodbot status shop --live
      goodbot status shop --json | jq .ends

    The crawl may run in another terminal or as a service; DIR is only read. Workers of a fleet have
    one status, which 'goodbot fleet status' shows. The time left is that of the slowest site, by
    its latest pauses or else by what its robots.txt asks, and at least that of all queued URLs at
    the rate of the last ten minutes. It does not count URLs that are still to be found, nor limits
    such as --max-pages.

    Exit status: 0 the crawl is running, 1 it is not, 2 there is no result.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.status.crawl_status import crawl_status  # noqa: PLC0415  slow to load

    state = crawl_status(folder, datetime.now(timezone.utc))

    def read() -> "CrawlStatus | None":
        nonlocal state
        if not state.is_running:
            return None
        state = crawl_status(folder, datetime.now(timezone.utc))
        return state

    def write(state: "CrawlStatus", printer: Printer) -> None:
        if as_json:
            printer.line(json.dumps(state.as_dict()))
        else:
            print_status(state, printer)

    show(state, read, write, every, is_redrawn=not as_json, stream=sys.stdout)
    return ExitStatus.ALLOWED if state.is_running else ExitStatus.DISALLOWED


def print_status(state: "CrawlStatus", printer: Printer) -> None:
    """Print the state of a crawl as lines."""
    if state.is_running:
        process = "" if state.process is None else f" (process {state.process})"
        running = f"running{process}"
    else:
        running = "not running"
    printer.line(f"{state.robot or 'No robot yet'}, {running}, {format_time(state.at)}")
    print_urls(state.urls, state.sites, printer)
    if state.last_request is not None:
        lately = "" if state.rate is None else f"{a_minute(state.rate)} a minute lately; "
        printer.line(f"Requests: {lately}the last one at {format_time(state.last_request)}")
    free = "" if state.disk_free is None else f", {format_bytes(state.disk_free)} free"
    printer.line(f"Disk: {format_bytes(state.disk_bytes)}{free}")
    print_left(state.left, state.at, state.failing, printer)
