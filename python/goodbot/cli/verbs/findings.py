"""`goodbot findings`: the problems that a crawl found on pages, and the traps."""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

import goodbot
from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.findings import STYLES
from goodbot.cli.shared.printing import Printer, Styled, cut_line
from goodbot.cli.table_view.row_output import print_rows
from goodbot.http.amounts import counted

if TYPE_CHECKING:
    from goodbot.crawl.evidence.odd_pages import CodeCount, OddPage
    from goodbot.crawl.evidence.trap_findings import TrapCount
    from goodbot.crawl.folder.database import Database
    from goodbot.crawl.frontier.trap_memory import TrapMet

__all__ = ["findings"]

FIELDS = ("url", "at", "code", "severity", "line", "message", "count")
"""The columns of CSV and the keys of JSON. Findings that are only counted have no line.
The count of a trap is the number of links into it; it has neither a time nor a line."""


@click.command(no_args_is_help=True)
@click.argument("folder", metavar="DIR")
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
    """List the problems that a crawl found on pages, and the traps.

    \b
    Examples:
      goodbot findings shop
      goodbot findings shop --code illegal-robots-pi
      goodbot findings shop --code session-id
      goodbot findings shop --csv > findings.csv

    Without options, it lists the codes with their number of pages and an example. The last response
    of each page counts. At most 100 findings of a page are listed, the most severe first, and
    100,000 of a crawl; the others are counted. The code of a trap is its name in 'goodbot crawl
    --traps'; its links are counted by site, with the first one as an example.

    Exit status: 0 the list is printed, 1 no finding has this code, 2 there is no result.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415  slow to load, and seldom needed

    if as_json and as_csv:
        message = "--json and --csv are two formats; use one of them"
        raise goodbot.MisuseError(message)
    refuse_unknown(codes)
    printer = Printer(sys.stdout)
    with open_readonly(folder) as database:
        if as_csv or as_json:
            count = print_rows(rows_in(database, codes), FIELDS, printer, as_csv=as_csv)
            return ExitStatus.ALLOWED if count or not codes else ExitStatus.DISALLOWED
        if codes:
            return print_findings(database, codes, printer)
        return print_table(database, printer)


def refuse_unknown(codes: Sequence[str]) -> None:
    """Refuse a code that no finding and no trap has.

    Raises:
        MisuseError: A code is unknown.

    """
    from goodbot.crawl.frontier.traps import TRAPS  # noqa: PLC0415  slow to load, and seldom needed
    from goodbot.page import finding_codes  # noqa: PLC0415  as above

    known = [*TRAPS, *(code for code, _, _ in finding_codes())]
    unknown = [code for code in codes if code not in known]
    if unknown:
        message = f"there is no code {unknown[0]!r}; the codes are {', '.join(sorted(known))}"
        raise goodbot.MisuseError(message)


def print_table(database: "Database", printer: Printer) -> ExitStatus:
    """Print each code and each trap with its numbers and an example."""
    from goodbot.crawl.evidence.odd_pages import counts_by_code  # noqa: PLC0415  as above
    from goodbot.crawl.evidence.trap_findings import counts_by_trap  # noqa: PLC0415  as above

    codes, traps = counts_by_code(database), counts_by_trap(database)
    if not codes and not traps:
        printer.line("There are no findings on the pages of this crawl.")
    print_codes(codes, printer)
    print_traps(traps, printer)
    return ExitStatus.ALLOWED


def print_traps(counts: "Sequence[TrapCount]", printer: Printer) -> None:
    """Print each trap with its number of links and sites, and an example."""
    from goodbot.crawl.evidence.trap_findings import TRAP_SEVERITY  # noqa: PLC0415  as above

    for one in counts:
        noun = "link" if one.links == 1 else "links"
        told = f"  {one.links:>7,}  {noun} at {counted(one.sites, 'site')}: "
        printer.line(told, Styled(TRAP_SEVERITY, STYLES[TRAP_SEVERITY]), f" {one.code}")
        printer.line(" " * 11, "for example ", cut_line(one.url))
        printer.prose(cut_line(f"possible trap: {one.why}"), " " * 11)


def print_codes(counts: "Sequence[CodeCount]", printer: Printer) -> None:
    """Print each code with its number of pages and findings, and an example."""
    for one in counts:
        pages = f"{one.pages:,} page{'' if one.pages == 1 else 's'}"
        told = f"  {one.count:>7,}  on {pages}: "
        printer.line(told, Styled(one.severity, STYLES[one.severity]), f" {one.code}")
        printer.line(" " * 11, "for example ", cut_line(one.url))
        if one.example is not None:
            printer.prose(cut_line(str(one.example)), " " * 11)


def print_findings(database: "Database", codes: Sequence[str], printer: Printer) -> ExitStatus:
    """Print the findings with these codes, page by page, then the traps."""
    from goodbot.crawl.evidence.odd_pages import odd_pages  # noqa: PLC0415  as above
    from goodbot.crawl.evidence.trap_findings import (  # noqa: PLC0415  as above
        TRAP_SEVERITY,
        trap_findings,
    )

    has_pages = print_pages(odd_pages(database, codes), printer)
    traps = trap_findings(database, codes)
    for met in traps:
        severity = Styled(TRAP_SEVERITY, STYLES[TRAP_SEVERITY])
        links = counted(met.links, "link")
        printer.line(met.example, "  ", severity, cut_line(f" {met.trap}, {links}: {met.why}"))
    if has_pages or traps:
        return ExitStatus.ALLOWED
    printer.line("No page has this finding, and no link leads into this trap.")
    return ExitStatus.DISALLOWED


def print_pages(pages: "Iterator[OddPage]", printer: Printer) -> bool:
    """Print the findings of each page, one per line; return whether there are any."""
    has_pages = False
    for page in pages:
        has_pages = True
        for one in page.findings.listed:
            severity = Styled(one.severity, STYLES[one.severity])
            printer.line(page.url, "  ", severity, f" {cut_line(str(one))}")
        for code, count in page.findings.more.items():
            printer.line(page.url, f"  {count:,} more {code}")
    return has_pages


def rows_in(database: "Database", codes: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a crawl: the findings of its pages, then the traps that it met."""
    from goodbot.crawl.evidence.odd_pages import odd_pages  # noqa: PLC0415  as above
    from goodbot.crawl.evidence.trap_findings import trap_findings  # noqa: PLC0415  as above

    for page in odd_pages(database, codes):
        yield from rows_of(page)
    for met in trap_findings(database, codes):
        yield row_of_trap(met)


def row_of_trap(met: "TrapMet") -> dict[str, Any]:
    """Return a trap with the names of `FIELDS`."""
    from goodbot.crawl.evidence.trap_findings import TRAP_SEVERITY  # noqa: PLC0415  as above

    message = f"links into a possible trap: {met.why}"
    row = (met.example, None, met.trap, TRAP_SEVERITY, None, message, met.links)
    return dict(zip(FIELDS, row, strict=True))


def rows_of(page: "OddPage") -> Iterator[dict[str, Any]]:
    """Yield the findings of a page with the names of `FIELDS`."""
    from goodbot.crawl.evidence.page_findings import severity_of  # noqa: PLC0415  as above

    at = page.at.isoformat()
    for one in page.findings.listed:
        row = (page.url, at, one.code, one.severity, one.line, one.message, 1)
        yield dict(zip(FIELDS, row, strict=True))
    for code, count in page.findings.more.items():
        row = (page.url, at, code, severity_of(code), None, "not listed", count)
        yield dict(zip(FIELDS, row, strict=True))
