"""`goodbot findings`: what is odd about the pages that a crawl has read."""

import csv
import io
import json
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

import goodbot
from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.findings import STYLES
from goodbot.cli.shared.printing import Printer, Styled, cut_line

if TYPE_CHECKING:
    from goodbot.crawl.evidence.odd_pages import CodeCount, OddPage

__all__ = ["findings"]

FORMULA = ("=", "+", "-", "@", "\t")
"""What a cell begins with that a spreadsheet would compute."""
FIELDS = ("url", "at", "code", "severity", "line", "message", "count")
"""The columns of CSV and the fields of JSON; one that is not listed has a count, and no line."""


@click.command(no_args_is_help=True)
@click.argument("folder", metavar="DIR")
@click.option(
    "--code",
    "codes",
    multiple=True,
    metavar="CODE",
    help="List the findings with this code, each with its page; as often as there are some.",
)
@options.as_json("a line with one object for each finding")
@click.option("--csv", "as_csv", is_flag=True, help="Print a row for each finding, below a head.")
def findings(folder: str, codes: tuple[str, ...], *, as_json: bool, as_csv: bool) -> ExitStatus:
    """List what is odd about the pages that the crawl in DIR has read, each by its last answer.

    Without options: a table of codes, with the number of pages and an example. Of a page
    100 findings are listed, the most severe first, and of a crawl 100,000; others are counted.

    \b
    Examples:
      goodbot findings crawl
      goodbot findings crawl --code illegal-robots-pi
      goodbot findings crawl --csv > findings.csv

    Exit status: 0 it is told, 1 no page has a finding with this code, 2 there is no answer.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.evidence.odd_pages import counts_by_code, odd_pages  # noqa: PLC0415  slow to load, and seldom needed
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415  as above

    if as_json and as_csv:
        message = "--json and --csv are two forms; give one of them"
        raise goodbot.MisuseError(message)
    refuse_unknown(codes)
    printer = Printer(sys.stdout)
    with open_readonly(folder) as database:
        if as_csv or as_json:
            count = print_rows(odd_pages(database, codes), printer, as_csv=as_csv)
            return ExitStatus.ALLOWED if count or not codes else ExitStatus.DISALLOWED
        if codes:
            return print_pages(odd_pages(database, codes), printer)
        return print_codes(counts_by_code(database), printer)


def refuse_unknown(codes: Sequence[str]) -> None:
    """Refuse a code that no finding has.

    Raises:
        MisuseError: There is one.

    """
    from goodbot.page import finding_codes  # noqa: PLC0415  slow to load, and seldom needed

    known = [code for code, _, _ in finding_codes()]
    unknown = [code for code in codes if code not in known]
    if unknown:
        message = f"no finding has the code {unknown[0]!r}; there are {', '.join(sorted(known))}"
        raise goodbot.MisuseError(message)


def print_codes(counts: "Sequence[CodeCount]", printer: Printer) -> ExitStatus:
    """Print each code with its number of pages and findings, and an example."""
    if not counts:
        printer.line("Nothing is odd about the pages of this crawl.")
    for one in counts:
        pages = f"{one.pages:,} page{'' if one.pages == 1 else 's'}"
        told = f"  {one.count:>7,}  on {pages}: "
        printer.line(told, Styled(one.severity, STYLES[one.severity]), f" {one.code}")
        printer.line(" " * 11, "such as ", cut_line(one.url))
        if one.example is not None:
            printer.prose(cut_line(str(one.example)), " " * 11)
    return ExitStatus.ALLOWED


def print_pages(pages: "Iterator[OddPage]", printer: Printer) -> ExitStatus:
    """Print the findings of each page, a line each."""
    status = ExitStatus.DISALLOWED
    for page in pages:
        status = ExitStatus.ALLOWED
        for one in page.findings.listed:
            severity = Styled(one.severity, STYLES[one.severity])
            printer.line(page.url, "  ", severity, f" {cut_line(str(one))}")
        for code, count in page.findings.more.items():
            printer.line(page.url, f"  {count:,} more {code}")
    if status is ExitStatus.DISALLOWED:
        printer.line("No page has such a finding.")
    return status


def print_rows(pages: "Iterator[OddPage]", printer: Printer, *, as_csv: bool) -> int:
    """Print a row for each finding, as JSON or as CSV; return how many there are."""
    count = 0
    if as_csv:
        printer.line(csv_line(FIELDS))
    for page in pages:
        for row in rows_of(page):
            count += 1
            printer.line(csv_line(list(row.values())) if as_csv else json.dumps(row))
    return count


def rows_of(page: "OddPage") -> Iterator[dict[str, Any]]:
    """Yield the findings of a page with the names of `FIELDS`."""
    at = page.at.isoformat()
    for one in page.findings.listed:
        row = (page.url, at, one.code, one.severity, one.line, one.message, 1)
        yield dict(zip(FIELDS, row, strict=True))
    for code, count in page.findings.more.items():
        row = (page.url, at, code, page.severity_of(code), None, "not listed", count)
        yield dict(zip(FIELDS, row, strict=True))


def csv_line(cells: Sequence[object]) -> str:
    """Return a row of CSV; a cell that a spreadsheet would compute has a quote before it."""
    texts = ["" if one is None else str(one) for one in cells]
    line = io.StringIO()
    safe = [f"'{text}" if text.startswith(FORMULA) else text for text in texts]
    csv.writer(line, lineterminator="").writerow(safe)
    return line.getvalue()
