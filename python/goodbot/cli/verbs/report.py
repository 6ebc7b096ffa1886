"""`goodbot report`: one page on a crawl, to look at."""

import sys
from datetime import datetime, timezone
from pathlib import Path

import click

from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer

__all__ = ["report"]

NAME = "report.html"
STANDARD_OUTPUT = "-"


@click.command(no_args_is_help=True)
@click.argument("folder", metavar="DIR")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help=f"Where to write it: {NAME} in DIR without it; - for standard output.",
)
def report(folder: str, output: str | None) -> ExitStatus:
    """Write one page of HTML on the crawl in DIR: was it polite, and what became of each URL?

    The page has everything in itself, and no script: the pauses that were left against those that
    each site asked for, what became of the URLs and why, and what the pages let a robot do.

    \b
    Examples:
      goodbot report crawl
      goodbot report crawl -o report.html

    Exit status: 0 no request was early, 1 some request was, 2 there is no answer.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.folder.atomic_file import atomic_file  # noqa: PLC0415  as above
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415  slow to load, and seldom needed
    from goodbot.crawl.report.report import page_of, summary_of  # noqa: PLC0415  as above

    now = datetime.now(timezone.utc)
    with open_readonly(folder) as database:
        summary = summary_of(database, now)
        page = page_of(summary)
    status = ExitStatus.DISALLOWED if summary.early else ExitStatus.ALLOWED
    if output == STANDARD_OUTPUT:
        sys.stdout.write(page)
        return status
    path = output or str(Path(folder) / NAME)
    # In the folder, which may be somebody else's, no link is followed.
    with atomic_file(path, follow=output is not None) as file:
        file.write(page.encode())
    printer = Printer(sys.stdout)
    printer.prose(f"{path}: {summary.verdict}")
    return status
