"""`goodbot evidence`: everything that a crawl knows about one URL, or all of its evidence."""

import json
import sys
from typing import TYPE_CHECKING, Any

import click

import goodbot
from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.history import print_history, print_requests
from goodbot.cli.shared.printing import Printer, Styled

if TYPE_CHECKING:
    from goodbot.crawl.evidence.history import Request
    from goodbot.crawl.folder.database import Database

__all__ = ["evidence"]

STANDARD_OUTPUT = "-"


@click.command(no_args_is_help=True)
@click.argument("folder", metavar="DIR")
@click.argument("url", metavar="URL", required=False)
@click.option(
    "--export",
    "exported",
    metavar="FILE",
    help="Write all evidence, a row for each URL and act: FILE.parquet (needs pyarrow), "
    "FILE.jsonl, or - for JSON lines on standard output.",
)
@options.as_json("a line with one object")
def evidence(folder: str, url: str | None, exported: str | None, *, as_json: bool) -> ExitStatus:
    """Show what the crawl in DIR did with URL, who allowed or disallowed it, and on which line.

    How the URL was found, each time it was asked about, the robots.txt in force then with the line
    that decided, what header and page say of each act, what is indexed and kept, and when it is
    due again. The lines are quoted from the octets that were obeyed, and asked once more.

    \b
    Examples:
      goodbot evidence crawl https://example.com/private/page
      goodbot evidence crawl https://example.com/ --json
      goodbot evidence crawl --export evidence.parquet

    Exit status: 0 it is told, 1 the crawl does not know the URL, 2 there is no answer.
    """  # noqa: D301  click looks for the character that \b is
    if (url is None) == (exported is None):
        command = suggest(folder, "https://example.com/page", drop=("folder", "url", "exported"))
        message = f"name one URL, or write all evidence with --export FILE, for example: {command}"
        raise goodbot.MisuseError(message)
    if exported is not None and as_json:
        message = "--json is for one URL; --export FILE.jsonl writes JSON lines"
        raise goodbot.MisuseError(message)
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415  slow to load, and seldom needed

    with open_readonly(folder) as database:
        if exported is not None:
            return write(database, exported)
        return answer(database, folder, url or "", as_json=as_json)


def write(database: "Database", path: str) -> ExitStatus:
    """Write all of the evidence."""
    from goodbot.crawl.evidence import export  # noqa: PLC0415  as above

    if path == STANDARD_OUTPUT:
        printer = Printer(sys.stdout)
        for row in export.rows(database):
            printer.line(export.json_line(row))
        return ExitStatus.ALLOWED
    count = export.export(database, path)
    plural = "" if count == 1 else "s"
    Printer(sys.stdout).line(f"{path}: {count} row{plural}")
    return ExitStatus.ALLOWED


def answer(database: "Database", folder: str, url: str, *, as_json: bool) -> ExitStatus:
    """Print the history of one URL."""
    from goodbot.crawl.evidence.history import (  # noqa: PLC0415  as above
        history_of,
        near,
        requests_for_robots_txt,
    )

    printer = Printer(sys.stdout)
    history = history_of(database, url)
    if history is not None:
        if as_json:
            printer.line(json.dumps(history.as_dict()))
        else:
            print_history(history, printer)
        return ExitStatus.ALLOWED
    requests = requests_for_robots_txt(database, url)
    if requests:
        return print_robots_txt_requests(folder, url, requests, printer, as_json=as_json)
    likely = near(database, url)
    if as_json:
        unknown: dict[str, Any] = {"url": url, "known": False, "near": likely}
        printer.line(json.dumps(unknown))
        return ExitStatus.DISALLOWED
    printer.prose(
        f"The crawl does not know {url}: it was neither given nor found.",
        accent=Styled("does not know", "disallowed"),
    )
    for one in likely:
        printer.line("  it knows ", one)
    return ExitStatus.DISALLOWED


def print_robots_txt_requests(
    folder: str, url: str, requests: "list[Request]", printer: Printer, *, as_json: bool
) -> ExitStatus:
    """Return which requests were made for a robots.txt, which is never queued as a page."""
    if as_json:
        made = [one.as_dict() for one in requests]
        printer.line(json.dumps({"url": url, "known": True, "requests": made}))
        return ExitStatus.ALLOWED
    printer.prose(f"{url} was requested as the robots.txt of its site, and not as a page.")
    print_requests(requests, printer)
    printer.line("To see the file: ", suggest(folder, url, verb="show"))
    return ExitStatus.ALLOWED
