"""`goodbot report`: a crawl as one HTML page."""

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
    help=f"Write the report to FILE; - is standard output. By default, to {NAME} in DIR.",
)
def report(folder: str, output: str | None) -> ExitStatus:
    """Write an HTML report on a crawl.

    \b
    Examples:
      goodbot report crawl
      goodbot report crawl -o report.html

    The report is one file without scripts: whether every request kept the pause that its site asked
    for, what happened to the URLs and why, and what may be done with the pages.

    Exit status: 0 every request kept its pause, 1 a request was early, 2 it failed.
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
    # The folder may belong to another user, so symbolic links in it are not followed.
    with atomic_file(path, follow=output is not None) as file:
        file.write(page.encode())
    printer = Printer(sys.stdout)
    printer.prose(f"{path}: {summary.verdict}")
    return status
