"""`goodbot report findings`: every problem that a crawl found: on pages, sites, and the traps."""

import sys

import click

import goodbot
from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer
from goodbot.crawl.verbs.crawl_folder import CrawlVerb, crawl_folder
from goodbot.crawl.verbs.finding_output import print_crawl_findings
from goodbot.crawl.verbs.queued_note import note_queued

__all__ = ["findings"]


@click.command(cls=CrawlVerb)
@crawl_folder
@click.option(
    "--code",
    "codes",
    multiple=True,
    metavar="CODE",
    help="List the findings with this code, or the links into this trap. Repeatable.",
)
@options.as_json("one object per line, for each finding")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV: a header, and a row per finding.")
def findings(folder: str, codes: tuple[str, ...], *, as_json: bool, as_csv: bool) -> ExitStatus:
    """List the problems that a crawl found: on pages, on the whole site, and the traps.

    \b
    Examples:
      goodbot report findings shop
      goodbot report findings shop --code page-missing --code title-duplicate
      goodbot report findings shop --code session-id
      goodbot report findings shop --csv > findings.csv

    Without options, it lists the codes with their number of pages and an example. The last response
    of each page counts. At most 100 findings of a page are listed, the most severe first, and
    100,000 of a crawl; the others are counted. The code of a trap is its name in 'goodbot crawl
    --traps'; its links are counted by site, with the first one as an example. What the codes mean
    is in docs/reference/inventory.md and docs/reference/pages.md. To use them in a CI, see
    'goodbot inventory --fail-on'.

    Exit status: 0 the list is printed, 1 no finding has this code, 2 there is no result.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415  slow to load, and seldom needed

    if as_json and as_csv:
        message = "--json and --csv are two formats; use one of them"
        raise goodbot.MisuseError(message)
    printer = Printer(sys.stdout)
    with open_readonly(folder, reads=("evidence", "links", "inventory")) as database:
        note_queued(database)
        return print_crawl_findings(database, codes, printer, as_json=as_json, as_csv=as_csv)
