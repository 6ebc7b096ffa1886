"""`goodbot links`: which links of a crawl are broken, and where they are; and all other links."""

import sys
from datetime import datetime, timezone
from itertools import groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING

import click

from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer, Styled, cut_line
from goodbot.cli.shared.row_output import check_one_format, print_rows
from goodbot.crawl.verbs.crawl_folder import CrawlVerb, crawl_folder
from goodbot.crawl.verbs.history import place
from goodbot.crawl.verbs.queued_note import note_queued
from goodbot.http.amounts import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from goodbot.crawl.evidence.site_links import FoundLink, LinkedUrl, Ranked, SiteLinks
    from goodbot.crawl.folder.database import Database

__all__ = ["links"]

SHOWN = 100
"""How many URLs or links are printed as text unless --limit names a number."""
PAGES_SHOWN = 5
"""How many pages are printed for each URL."""
INDENT = " " * 6
FILTERS = ("broken", "redirects", "external", "nofollow")
NONE = {"broken": "No URL is broken.", "redirects": "No URL redirects."}
UNLINKED_SHOWN = 3
"""How many URLs are named to which nothing links."""
NOT_STORED = (
    "No links are stored in this folder: a page's links are stored when it is visited, since "
    "goodbot 0.2.0."
)


@click.command(cls=CrawlVerb)
@crawl_folder
@click.option("--broken", is_flag=True, help="Links to errors (4xx, 5xx), failures and loops.")
@click.option("--redirects", is_flag=True, help="Links to URLs that redirect.")
@click.option("--external", is_flag=True, help="Links to other origins.")
@click.option("--nofollow", is_flag=True, help="Links that must not be followed.")
@click.option("--to", "to", metavar="URL", help="Links to this URL.")
@click.option("--from", "page", metavar="URL", help="Links of this page or sitemap.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Print at most N links; as text N URLs or links, {SHOWN} by default.",
)
@options.row_formats("link")
def links(
    folder: str,
    to: str | None,
    page: str | None,
    limit: int | None,
    parquet: str | None,
    *,
    as_json: bool,
    as_csv: bool,
    **chosen: bool,
) -> ExitStatus:
    """List the links of a crawl: which are broken, and on which pages they are.

    \b
    Examples:
      goodbot links shop --broken
      goodbot links shop --to https://example.com/old-price-list
      goodbot links shop --external --nofollow --csv > links.csv

    A link has to pass all filters that are given. It is broken if its URL, or the one to which that
    redirects, answers with an error, does not answer, or redirects in a ring. Its text is shown if
    its page may be indexed. Links out of the crawl have a status only if the crawl checked them.
    As text, --broken and --redirects list URLs, each once, with the pages that link to it; all else
    lists links, of which a page may have several to one URL. A chain of redirects is listed once.

    Exit status: 0 the list is printed, 1 the URL of --to or --from is not in the crawl, 2 there is
    no result.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.evidence.site_links import SiteLinks  # noqa: PLC0415  slow to load, and seldom needed
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415  as above

    check_one_format(as_json=as_json, as_csv=as_csv, parquet=parquet)
    filters = [name for name in FILTERS if chosen[name]]
    printer = Printer(sys.stdout)
    with open_readonly(folder, reads=("links",)) as database:
        site = SiteLinks(database, datetime.now(timezone.utc))
        for url in filter(None, (to, page)):
            if not site.knows(url):
                return unknown(database, url, printer, quiet=as_json or as_csv)
        note_queued(database)
        found = site.find(filters, to=to, page=page)
        if as_json or as_csv or parquet is not None:
            write(islice(found, limit), parquet, printer, as_csv=as_csv)
        elif not site.are_stored:
            printer.prose(NOT_STORED)
        elif (to, page) == (None, None) and filters in (["broken"], ["redirects"]):
            print_targets(site, "broken" if chosen["broken"] else "redirects", limit, printer)
        else:
            print_pages(found, limit, printer)
    return ExitStatus.ALLOWED


def write(
    found: "Iterator[FoundLink]", parquet: str | None, printer: Printer, *, as_csv: bool
) -> None:
    """Write links as Parquet, or print them as CSV or JSON lines."""
    from goodbot.crawl.evidence.link_export import LINK_COLUMNS, export_links  # noqa: PLC0415  as above

    if parquet is not None:
        printer.line(f"{parquet}: {counted(export_links(found, parquet), 'link')}")
        return
    names = [one.name for one in LINK_COLUMNS]
    print_rows((one.as_dict() for one in found), names, printer, as_csv=as_csv)


def unknown(database: "Database", url: str, printer: Printer, *, quiet: bool) -> ExitStatus:
    """Report that the crawl does not know a URL."""
    from goodbot.crawl.evidence.history import near  # noqa: PLC0415  as above

    if not quiet:
        absent = Styled("is not in the crawl", "disallowed")
        printer.prose(f"{url} is not in the crawl: it was neither given nor found.", accent=absent)
        for one in near(database, url):
            printer.line("  similar: ", one)
    return ExitStatus.DISALLOWED


def print_targets(site: "SiteLinks", which: "Ranked", limit: int | None, printer: Printer) -> None:
    """Print the URLs that are broken, or redirect, with the pages that link to each."""
    ranked = site.ranked(which)
    if not ranked:
        printer.line(NONE[which])
        return
    linked = [one for one in ranked if one.places]
    if linked:
        printer.line(headline(which, len(linked)))
    shown = linked[: limit or SHOWN]
    for one in shown:
        printer.line()
        print_target(site.target(one.url_id), printer)
        for link in site.links_to(one.url_id, PAGES_SHOWN):
            printer.line(INDENT, *place(link))
        if one.places > PAGES_SHOWN:
            printer.line(INDENT, f"and in {counted(one.places - PAGES_SHOWN, 'more place')}")
    printer.line()
    if len(linked) > len(shown):
        more = suggest("--limit", str(len(linked)))
        printer.line(f"{len(linked) - len(shown):,} more: ", more)
    unlinked = [one.url_id for one in ranked if not one.places]
    print_unlinked(site, which, unlinked, "more URL" if linked else "URL", printer)
    if linked:
        printer.line("All links to a URL: ", suggest("--to", "URL", drop=("limit", *FILTERS)))


def print_unlinked(
    site: "SiteLinks", which: "Ranked", url_ids: "Sequence[int]", noun: str, printer: Printer
) -> None:
    """Print the URLs that are broken, or redirect, and to which nothing links."""
    if not url_ids:
        return
    count = len(url_ids)
    told = {"broken": "is broken" if count == 1 else "are broken"}
    told["redirects"] = "redirects" if count == 1 else "redirect"
    it = "it" if count == 1 else "them"
    printer.line(f"{counted(count, noun)} {told[which]}, but no page or sitemap links to {it}:")
    for url_id in url_ids[:UNLINKED_SHOWN]:
        one = site.target(url_id)
        printer.line(INDENT, f"{' > '.join(one.answers)}  {cut_line(one.record.url)}")
    if count > UNLINKED_SHOWN:
        command = suggest("--json", verb="inventory", keep=("folder",))
        printer.line(INDENT, f"and {count - UNLINKED_SHOWN:,} more; all URLs: ", command)
    printer.line()


def headline(which: "Ranked", count: int) -> str:
    """Return how many URLs with links there are."""
    if which == "broken":
        verb = "is" if count == 1 else "are"
        return f"Links lead to {counted(count, 'URL')} that {verb} broken:"
    return f"Links lead to {counted(count, 'URL')} that redirect{'s' if count == 1 else ''}:"


def print_target(linked: "LinkedUrl", printer: Printer) -> None:
    """Print a URL with its answer, and where it redirects to."""
    answers = " > ".join(linked.answers)
    style = "disallowed" if linked.is_broken else "warning"
    printer.line(
        Styled(f"{answers:<4}", style), "  ", Styled(cut_line(linked.record.url), "heading")
    )
    if linked.end is not linked.record:
        printer.line(INDENT, "redirects to ", cut_line(linked.end.url))


def print_pages(found: "Iterator[FoundLink]", limit: int | None, printer: Printer) -> None:
    """Print links page by page: the line, what became of the target, the target, and the text."""
    count = 0
    for page, of_page in groupby(islice(found, limit or SHOWN), attrgetter("page")):
        printer.line(Styled(cut_line(page), "heading"))
        for link in of_page:
            count += 1
            line = f"  {'' if link.line is None else link.line:>6}  "
            text = f"  {cut_line(link.text)}" if link.text else ""
            printer.line(Styled(line, "faint"), became(link), "  ", cut_line(link.url), text)
    if not count:
        printer.line("There is no such link.")
    elif next(found, None) is not None:
        printer.line("There are more links: ", suggest("--limit", str((limit or SHOWN) * 10)))


def became(link: "FoundLink") -> Styled:
    """Return what became of the target of a link: its status, or why it has none."""
    from goodbot.crawl.folder.states import STATES, style_of  # noqa: PLC0415  as above

    told = str(link.status or link.failure or link.why_not or STATES[link.state].label)
    style = "disallowed" if link.broken else style_of(link.state, link.status)
    return Styled(told, style)
