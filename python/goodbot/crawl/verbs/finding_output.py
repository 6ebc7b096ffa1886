"""Every finding of a crawl: counted by code, or one by one, as text, JSON lines or CSV."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.findings import STYLES, count_findings
from goodbot.cli.shared.printing import Printer, Styled, cut_line
from goodbot.cli.shared.row_output import print_rows
from goodbot.http.amounts import counted

if TYPE_CHECKING:
    from goodbot.crawl.evidence.odd_pages import CodeCount, OddPage
    from goodbot.crawl.evidence.trap_findings import TrapCount
    from goodbot.crawl.folder.database import Database

__all__ = ["print_crawl_findings"]


def print_crawl_findings(
    database: "Database", codes: Sequence[str], printer: Printer, *, as_json: bool, as_csv: bool
) -> ExitStatus:
    """Print the findings of a crawl; return 1 if none has one of the codes.

    Args:
        database: The database of the crawl.
        codes: Only findings with these codes, one by one; if empty, all of them, counted by code.
        printer: Prints them.
        as_json: Whether to print each as JSON.
        as_csv: Whether to print each as CSV.

    Raises:
        WrongValueError: A code is unknown.

    """
    from goodbot.crawl.evidence.crawl_findings import (  # noqa: PLC0415  slow to load, and seldom needed
        CrawlFinding,
        check_codes,
        crawl_findings,
    )

    check_codes(codes)
    now = datetime.now(timezone.utc)
    if as_csv or as_json:
        rows = (one.as_dict() for one in crawl_findings(database, now=now, codes=codes))
        count = print_rows(rows, [one.name for one in fields(CrawlFinding)], printer, as_csv=as_csv)
        return ExitStatus.ALLOWED if count or not codes else ExitStatus.DISALLOWED
    if codes:
        return print_findings(database, codes, now, printer)
    return print_table(database, now, printer)


def print_table(database: "Database", now: datetime, printer: Printer) -> ExitStatus:
    """Print each code and each trap with its numbers and an example."""
    from goodbot.crawl.evidence.crawl_findings import pages_with_findings  # noqa: PLC0415  as above
    from goodbot.crawl.evidence.odd_pages import count_codes  # noqa: PLC0415  as above
    from goodbot.crawl.evidence.trap_findings import counts_by_trap  # noqa: PLC0415  as above

    codes = count_codes(pages_with_findings(database, now=now))
    traps = counts_by_trap(database)
    if not codes and not traps:
        printer.line("There are no findings on the pages of this crawl.")
    print_codes(codes, printer)
    print_traps(traps, printer)
    counts: Counter[str] = Counter()
    for one in codes:
        counts[one.severity] += one.count
    told = [count_findings(counts[severity], severity) for severity in STYLES if counts[severity]]
    told += [counted(len(traps), "possible trap")] if traps else []
    if told:
        printer.line(Styled(f"Findings: {', '.join(told)}", "heading"))
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


def print_findings(
    database: "Database", codes: Sequence[str], now: datetime, printer: Printer
) -> ExitStatus:
    """Print the findings with these codes, page by page, then the traps."""
    from goodbot.crawl.evidence.crawl_findings import pages_with_findings  # noqa: PLC0415  as above
    from goodbot.crawl.evidence.trap_findings import (  # noqa: PLC0415  as above
        TRAP_SEVERITY,
        trap_findings,
    )

    has_pages = print_pages(pages_with_findings(database, now=now, codes=codes), printer)
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
