"""`goodbot inventory`: what each page of a crawl is like, and what is wrong with the site."""

import sys
from collections import Counter
from datetime import datetime, timezone
from itertools import islice
from typing import TYPE_CHECKING

import click

import goodbot
from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer, Styled, cut_line
from goodbot.cli.shared.row_output import check_one_format, print_rows
from goodbot.crawl.verbs.crawl_folder import CrawlVerb, crawl_folder
from goodbot.crawl.verbs.finding_output import print_crawl_findings
from goodbot.crawl.verbs.queued_note import note_queued
from goodbot.http.amounts import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from goodbot.crawl.folder.database import Database
    from goodbot.crawl.inventory.inventory_row import InventoryRow

__all__ = ["inventory"]

SHOWN = 100
"""How many pages are printed as text unless --limit names a number."""
HEADS = "status  indexable  depth  links   words   bytes     ms  URL"
KINDS = {
    "indexable": "indexable",
    "unindexed": "not to be indexed",
    "removed": "removed from the crawl or its index",
    "redirects": "redirecting",
    "broken": "with an error or no answer",
    "disallowed": "not to be fetched",
    "unread": "not read, and indexable as far as the header says",
}
"""What a URL is, in words after a number of them; each is one of these."""
ANY = "any"
"""The value of --fail-on for all codes."""


@click.command(cls=CrawlVerb)
@crawl_folder
@click.option(
    "--findings", is_flag=True, help="List the problems, as 'goodbot report findings' does."
)
@click.option(
    "--for",
    "robots",
    metavar="ROBOTS",
    multiple=True,
    help="List what these robots may do with each page, who says so and since when: names and sets "
    "such as Googlebot,bingbot,GPTBot or ai,search, or a file with one name per line. Repeatable.",
)
@click.option(
    "--fail-on",
    metavar="CODES",
    help="Exit with 1 if a finding has one of these codes (CODE,CODE or any).",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Print at most N pages; {SHOWN} by default as text, otherwise all.",
)
@options.row_formats("page")
def inventory(
    folder: str,
    robots: tuple[str, ...],
    fail_on: str | None,
    limit: int | None,
    parquet: str | None,
    *,
    findings: bool,
    as_json: bool,
    as_csv: bool,
) -> ExitStatus:
    """List the pages of a crawl: status, title, words, speed, links, and who forbids to index them.

    \b
    Examples:
      goodbot inventory shop
      goodbot inventory shop --csv > pages.csv
      goodbot inventory shop --for GPTBot
      goodbot inventory shop --findings
      goodbot inventory shop --findings --fail-on page-missing,title-missing,mixed-content

    CSV, JSON and Parquet have 43 columns: also what robots.txt declares and the site served,
    description, canonical URL, language, headings, pages with the same title or nearly the same
    text, orphans, redirects, mixed content, hreflang, and resources that robots.txt blocks. Texts
    are listed only if the page may be indexed; otherwise the statement that forbids it.
    docs/reference/inventory.md has all columns and codes.

    --for lists the pages that a robot may not fetch or not index, each with the statement and since
    when; as CSV, JSON and Parquet every page, also whether it may be quoted, or used to train AI.

    Exit status: 0 the list is printed, 1 there is a finding of --fail-on, 2 there is no result.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415  slow to load, and seldom needed

    check_one_format(as_json=as_json, as_csv=as_csv, parquet=parquet)
    if findings and (parquet is not None or limit is not None):
        message = "--findings is printed whole, as text, --json or --csv; drop the other option"
        raise goodbot.MisuseError(message)
    if findings and robots:
        message = "--findings is about the site, and --for about robots; use one of them"
        raise goodbot.MisuseError(message)
    codes = codes_of(fail_on)
    printer = Printer(sys.stdout)
    with open_readonly(folder, reads=("inventory", "links")) as database:
        note_queued(database)
        if findings:
            print_crawl_findings(database, (), printer, as_json=as_json, as_csv=as_csv)
        elif robots:
            from goodbot.crawl.verbs.access_output import print_access  # noqa: PLC0415  as above

            print_access(database, robots, limit, parquet, printer, as_json=as_json, as_csv=as_csv)
        else:
            print_inventory(database, limit, parquet, printer, as_json=as_json, as_csv=as_csv)
        return failed_on(database, codes, printer, quiet=as_json or as_csv)


def codes_of(fail_on: str | None) -> "Sequence[str] | None":
    """Return the codes of --fail-on: `None` if it is not given, none of them for any.

    Raises:
        MisuseError: There is no such code.

    """
    from goodbot.crawl.evidence.crawl_findings import check_codes  # noqa: PLC0415  as above

    if fail_on is None:
        return None
    codes = [code.strip() for code in fail_on.split(",") if code.strip()]
    if not codes:
        message = f"--fail-on names no code; write codes such as page-missing, or {ANY}"
        raise goodbot.MisuseError(message)
    if codes == [ANY]:
        return ()
    check_codes(codes)
    return codes


def failed_on(
    database: "Database", codes: "Sequence[str] | None", printer: Printer, *, quiet: bool
) -> ExitStatus:
    """Return whether a finding has one of the codes of --fail-on, and name those that there are."""
    from goodbot.crawl.evidence.crawl_findings import found_codes  # noqa: PLC0415  as above

    if codes is None:
        return ExitStatus.ALLOWED
    found = found_codes(database, now=datetime.now(timezone.utc), codes=codes)
    if not found:
        return ExitStatus.ALLOWED
    if not quiet:
        printer.line()
        failed = Styled("Failed", "disallowed")
        printer.prose(f"Failed: there are findings of {', '.join(sorted(found))}.", accent=failed)
    return ExitStatus.DISALLOWED


def print_inventory(
    database: "Database",
    limit: int | None,
    parquet: str | None,
    printer: Printer,
    *,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Print the rows, or write them to a Parquet file."""
    from goodbot.crawl.inventory.inventory_export import export_inventory  # noqa: PLC0415  as above
    from goodbot.crawl.inventory.inventory_row import COLUMNS  # noqa: PLC0415  as above
    from goodbot.crawl.inventory.row_building import inventory_rows  # noqa: PLC0415  as above

    rows = inventory_rows(database, datetime.now(timezone.utc))
    if parquet is not None:
        count = export_inventory(islice(rows, limit), parquet)
        printer.line(f"{parquet}: {counted(count, 'page')}")
    elif as_json or as_csv:
        chosen = islice(rows, limit)
        plain = (one.as_cells() if as_csv else one.as_dict() for one in chosen)
        print_rows(plain, [one.name for one in COLUMNS], printer, as_csv=as_csv)
    else:
        print_text(rows, limit or SHOWN, printer)


def print_text(rows: "Iterator[InventoryRow]", limit: int, printer: Printer) -> None:
    """Print the most important columns of the first rows, and how many there are of each kind."""
    counts: Counter[str] = Counter()
    for row in rows:
        count = counts.total()
        counts[kind_of(row)] += 1
        if not count:
            printer.line(Styled(HEADS, "heading"))
        if count < limit:
            print_row(row, printer)
    total = counts.total()
    if not total:
        printer.line("No page was visited yet.")
        return
    printer.line()
    if total > limit:
        printer.line(f"{total - limit:,} more: ", suggest("--limit", str(total)))
    told = ", ".join(f"{counts[kind]:,} {words}" for kind, words in KINDS.items() if counts[kind])
    printer.prose(f"{counted(total, 'URL')}: {told}.")
    printer.line("What is wrong: ", suggest("--findings", drop=("limit",)))


def kind_of(row: "InventoryRow") -> str:
    """Return which of `KINDS` a row is."""
    from goodbot.crawl.inventory.indexability import WITHDRAWN  # noqa: PLC0415  as above
    from goodbot.http.status import status_of  # noqa: PLC0415  as above

    if row.indexable:
        return "indexable" if row.words is not None else "unread"
    if row.indexable_reason in WITHDRAWN:
        return "removed"
    if row.status is not None and status_of(row.status).is_redirect:
        return "redirects"
    if row.broken or row.state == "failed":
        return "broken"
    if row.state == "disallowed":
        return "disallowed"
    return "unindexed"


def print_row(row: "InventoryRow", printer: Printer) -> None:
    """Print one page: its numbers and its URL, and below them its title or why there is none."""
    status = str(row.status or row.failure or row.state)
    from goodbot.crawl.inventory.site_findings import said  # noqa: PLC0415  as above

    style = "allowed" if row.indexable else "warning" if row.redirects else "disallowed"
    may = "yes" if row.indexable else "no"
    numbers = (
        f"  {row.depth:>5}  {cell(row.inlinks):>5}  {cell(row.words):>6}  {cell(row.bytes):>6}"
        f"  {cell(row.first_byte_ms):>5}  "
    )
    printer.line(f"{status:<6}  ", Styled(f"{may:<9}", style), numbers, cut_line(row.url))
    unread = f"not read: {row.content_type}" if row.words is None else None
    below = (row.title or unread) if row.indexable else said(row)
    if below:
        printer.line(" " * len(HEADS.removesuffix("URL")), Styled(cut_line(below), "faint"))


def cell(number: int | None) -> str:
    """Return a number of a table; a dash if it is unknown, and a short form if it is long."""
    if number is None:
        return "-"
    return str(number) if number < 1_000_000 else f"{number // 1_000_000}M"  # noqa: PLR2004  a million
