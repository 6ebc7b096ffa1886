"""`goodbot audit suggest`: what would a line of robots.txt have kept away, by a server's log?"""

import json
import sys
from typing import Any

import click

from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer
from goodbot.cli.shared.progress_line import ProgressLine

__all__ = ["suggest"]


@click.command(no_args_is_help=True)
@click.argument("logs", metavar="LOG...", nargs=-1, required=True)
@click.option(
    "--site",
    metavar="URL",
    required=True,
    help="The site that the log is of. Requests of other hosts are ignored.",
)
@click.option(
    "-f",
    "--robots-txt",
    metavar="SOURCE",
    required=True,
    help="The present robots.txt: a file, or the URL of a site.",
)
@click.option(
    "--change",
    metavar="FILE",
    help="A changed robots.txt: show what it would have kept away, instead of suggestions.",
)
@click.option(
    "--log-format",
    metavar="FORMAT",
    help="The format of the log: a name such as combined, a log_format of nginx, a LogFormat of "
    'Apache, or JSON such as \'{"ts": "time"}\'. By default it is detected.',
)
@click.option(
    "--top",
    "most",
    metavar="N",
    type=click.IntRange(min=1, max=100),
    default=5,
    show_default=True,
    help="The most suggestions to show.",
)
@options.site_options
@options.as_json("one object")
def suggest(
    logs: tuple[str, ...],
    site: str,
    robots_txt: str,
    change: str | None,
    *,
    log_format: str | None,
    most: int,
    as_json: bool,
    **others: Any,  # noqa: ANN401  those of `options.site_options`
) -> ExitStatus:
    """Show what a change of robots.txt would have kept away, by a server's log.

    \b
    Examples:
      goodbot audit suggest access.log --site https://example.com -f robots.txt
      goodbot audit suggest access.log* --site https://example.com -f https://example.com/
      goodbot audit suggest access.log --site https://example.com -f robots.txt --change new.txt

    LOG is a file, a folder, a pattern, or - for standard input. Without --change, lines are
    suggested for the known robots of each purpose: directories and queries whose requests had the
    most bytes, each with everything else that the lines change. 'Disallow: /' is never suggested if
    a search engine obeys it.

    Only robots that obey robots.txt are counted: those whose operators say so, and those of which
    nothing is said and that requested nothing disallowed. Who sent a request is not checked;
    'goodbot audit' does. Requires pip install 'goodbot[audit]'.

    Exit status: 0 the log was read, 2 there is no result.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.site.verbs.suggest_view.suggest_result import SuggestArgs, read_result  # noqa: PLC0415  slow to load
    from goodbot.site.verbs.suggest_view.suggest_text import print_result  # noqa: PLC0415  as above

    args = SuggestArgs(logs, site, robots_txt, change, log_format, most)
    with ProgressLine(sys.stderr) as line:
        result = read_result(args, options.SiteOptions(**others), line)
    printer = Printer(sys.stdout)
    if as_json:
        printer.line(json.dumps(result.as_object()))
    else:
        print_result(result, printer)
    return ExitStatus.ALLOWED
