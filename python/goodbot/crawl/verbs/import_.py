"""`goodbot archive import`: WARC, ARC and WACZ files by others, with the verdicts of today."""

import json
import sys
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import click

from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.options import OneRobotOption
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.progress_line import ProgressLine
from goodbot.errors import MisuseError
from goodbot.http.amounts import counted, format_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from goodbot.crawl.imports.warc_import import ImportSummary

__all__ = ["import_"]

PARTS_SHOWN = 10
STOPPED = "stopped. Nothing is lost: the same command imports the rest"


@click.command("import", no_args_is_help=True)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--out", "folder", metavar="DIR", required=True, help="The folder of the import.")
@click.option(
    "-r",
    "--robot",
    cls=OneRobotOption,
    metavar="NAME",
    required=True,
    help="The robot for which the verdicts are.",
)
@click.option(
    "--dialect",
    metavar="NAME",
    default="rfc9309",
    show_default=True,
    help="The dialect in which robots.txt is read.",
)
@click.option(
    "--page-dialect",
    metavar="NAME",
    default="google",
    show_default=True,
    help="The dialect in which pages are read.",
)
@click.option(
    "--types",
    metavar="NAMES",
    default="html,xml,text",
    show_default=True,
    help="The types of responses to read and keep, separated by commas; see goodbot crawl.",
)
@click.option(
    "--assume-allowed",
    is_flag=True,
    help="Treat captures as allowed if no robots.txt of their time is in the files; you answer "
    "for it.",
)
@click.option(
    "--no-copies", is_flag=True, help="Store no copies of pages, only index and verdicts."
)
@options.as_json("one object with the numbers")
def import_(
    files: tuple[str, ...],
    folder: str,
    robot: str,
    dialect: str,
    page_dialect: str,
    types: str,
    *,
    assume_allowed: bool,
    no_copies: bool,
    as_json: bool,
) -> ExitStatus:
    """Import web archives (WARC, ARC, WACZ): index, links and verdicts.

    \b
    Examples:
      goodbot archive import crawl-00000.warc.gz crawl-00001.warc.gz --out shop --robot ExampleBot
      goodbot archive import shop.wacz --out shop --robot ExampleBot
      goodbot search shop "brass lamp"

    Nothing is requested. Each capture is judged by the robots.txt of its time, which must be in the
    same files, at most 24 hours older, and by what the page says of itself, as of today. Without
    such a robots.txt it is unknown whether the capture was allowed, and nothing of it is indexed or
    kept, unless you pass --assume-allowed. What is disallowed is never indexed.

    The files are read twice. Importing them again changes nothing, so an interrupted import can be
    repeated. Of several captures of a URL, the latest one counts.

    Behind damage, a file is read on only where a record is proven to begin, because a page could
    contain the text of one. Of a WACZ or multi-WACZ file, only WARC files with the right digest are
    read. Files by Zstandard (.warc.zst) require pip install 'goodbot[encodings]'. What was not read
    is printed, with the reason.

    Exit status: 0 the files were imported, 2 they could not be, or not all of them.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.imports.warc_import import import_warcs  # noqa: PLC0415  slow to load, and for this only

    if not folder or "" in files:
        message = "an argument is empty; write a file or a folder, and check its variable"
        raise MisuseError(message)
    try:
        with ProgressLine(sys.stderr) as line:
            done = import_warcs(
                folder,
                files,
                robot,
                now=datetime.now(timezone.utc),
                dialect=dialect,
                page_dialect=page_dialect,
                types=types.split(","),
                assume_allowed=assume_allowed,
                copies=not no_copies,
                on_progress=show_progress(line, len(files)),
            )
    except KeyboardInterrupt:
        warnings.note(STOPPED)
        raise
    print_summary(done, folder, Printer(sys.stdout), as_json=as_json)
    return ExitStatus.MISUSE if done.damaged else ExitStatus.ALLOWED


def show_progress(line: ProgressLine, files: int) -> "Callable[[ImportSummary], None]":
    """Show that files are read; return what shows how many records an import has come to."""
    reading, records = f"reading {counted(files, 'file')} …", 0

    def note(done: "ImportSummary") -> None:
        nonlocal records
        records = done.records

    # Shown once, with the latest number: batches come faster than the line is drawn.
    line.show(lambda _: f"importing: {counted(records, 'record')} …" if records else reading)
    return note


def print_summary(done: "ImportSummary", folder: str, printer: Printer, *, as_json: bool) -> None:
    """Print what was imported."""
    if as_json:
        printer.line(json.dumps(done.as_dict()))
        return
    printer.line(
        f"{counted(done.records, 'record')} in {counted(done.files, 'file')}, "
        f"{counted(done.robots_txt, 'robots.txt file')}"
    )
    printer.line(f"  allowed     {done.allowed:,}")
    if done.assumed:
        printer.line(f"  assumed     {done.assumed:,} (--assume-allowed)")
    printer.line(f"  disallowed  {done.disallowed:,}")
    printer.line(f"  unknown     {done.unknown:,}")
    if done.known:
        printer.line(
            f"  known       {done.known:,}: recorded before, or older than the recorded one"
        )
    if done.unreadable:
        printer.line(f"  unreadable  {done.unreadable:,}")
    others = ", ".join(f"{count:,} {kind}" for kind, count in sorted(done.other.items()))
    if others:
        printer.line(f"Other records: {others}")
    if done.damaged:
        print_unread(done, printer)
    if done.unknown:
        print_unknown(done, printer)
    if done.records:
        printer.line("Next: ", suggest(folder, "WORDS", verb="search", keep=()))


def print_unknown(done: "ImportSummary", printer: Printer) -> None:
    """Print what to do about captures of which no robots.txt is known."""
    printer.prose(
        f"Of {counted(done.unknown, 'capture')} no robots.txt of the time is in the files: "
        "nothing of them was indexed or kept. Import the files that have it as well or, if you "
        "answer for it, pass --assume-allowed."
    )
    if done.before_robots_txt:
        were = "was" if done.before_robots_txt == 1 else "were"
        printer.prose(
            f"{done.before_robots_txt:,} of them {were} captured before the first robots.txt of "
            "the site, as the start page of wget -r is. What robots.txt said later does not count "
            "for what was requested before."
        )


def print_unread(done: "ImportSummary", printer: Printer) -> None:
    """Print what was not read, and why."""
    amount = format_bytes(done.unread)
    printer.prose(f"Not read, in {counted(done.damaged, 'place')}: {amount}.")
    for part in done.unread_parts[:PARTS_SHOWN]:
        place = f", from byte {part.offset:,} on" if part.offset else ""
        printer.line(f"  {part.file}{place}: {counted(part.bytes, 'byte')}; {part.why}")
    if done.damaged > PARTS_SHOWN:
        printer.line(f"  and in {counted(done.damaged - PARTS_SHOWN, 'more place')}")
