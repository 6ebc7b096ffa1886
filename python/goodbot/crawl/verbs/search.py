"""`goodbot search`: the pages of a crawl that match a query, and what may be shown of them."""

import json
import sys
import textwrap
from contextlib import closing, suppress
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import click

import goodbot
from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared import options, warnings
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import NARROWEST, Printer, Styled, cut_line, escaped
from goodbot.crawl.verbs.crawl_folder import CrawlVerb, crawl_folder
from goodbot.errors import StoreError

if TYPE_CHECKING:
    from goodbot.crawl.searching import Hit, Results

__all__ = ["search"]

LIMIT = 10
INDENT = "   "
PATIENCE = 1.0
"""Seconds to wait for a crawl that is writing; pages already in the index are found anyway."""
BATCH = 1_000
MOST_BATCHES = 200
"""The most batches of entries that are added before a search, after a crawl that was killed. A
running crawl adds entries at the same time."""


@click.command(cls=CrawlVerb, behind="words")
@crawl_folder
@click.argument("words", metavar="QUERY", nargs=-1)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 10_000),
    default=LIMIT,
    show_default=True,
    metavar="N",
    help="The most results to print.",
)
@click.option(
    "--offset",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="The number of results to skip first.",
)
@options.as_json("one object with the results, their total, and findings")
def search(
    folder: str, words: tuple[str, ...], limit: int, offset: int, *, as_json: bool
) -> ExitStatus:
    """Search the pages of a crawl.

    \b
    Examples:
      goodbot search shop lamp brass
      goodbot search shop '"brass lamp" -shade title:attic'
      goodbot search shop 'lam*' --limit 50 --json

    \b
    Queries:
      brass lamp       both words, anywhere on the page
      "brass lamp"     the phrase, within one block, title or link, and not across text that is
                       excluded from the index
      -shade           without this word; also -"a phrase". Write -- before a QUERY that begins
                       with a minus
      title:lamp       in the title; also text: and anchor: (the text of links to the page)
      lam*             words that begin with these letters, at least three

    Pages that have every word are listed, the best match first. Case and accents are ignored.
    Chinese, Japanese and Thai are searched as sequences of characters.

    META description and keywords are searched with the text, and the description is shown as the
    abstract of a result. Text is shown only if it may be indexed, archived and quoted. A crawl can
    be searched while it runs.

    Exit status: 0 pages were found, 1 none was found, 2 there is no result.
    """  # noqa: D301  click looks for the character that \b is
    query = " ".join(words)
    if not query.strip():
        command = suggest(folder, "lamp", drop=("folder", "words"))
        message = f"write what to search for, for example: {command}"
        raise goodbot.MisuseError(message)
    results = asked(folder, query, limit, offset)
    printer = Printer(sys.stdout)
    if as_json:
        printer.line(json.dumps(results.as_dict()))
    else:
        print_results(results, folder, offset, printer)
    return ExitStatus.ALLOWED if results else ExitStatus.DISALLOWED


def asked(folder: str, query: str, limit: int, offset: int) -> "Results":
    """Search, after bringing the index up to date if possible."""
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415  likewise
    from goodbot.crawl.index.sqlite import SQLiteIndex  # noqa: PLC0415  slow to load, and seldom needed
    from goodbot.crawl.searching import search as search_crawl  # noqa: PLC0415  likewise

    with open_readonly(folder, reads=("index",)) as database:
        if database.may_be_written and SQLiteIndex(database).left():
            bring_up_to_date(folder)
    with open_readonly(folder) as database:
        now = datetime.now(timezone.utc)
        return search_crawl(database, query, now=now, limit=limit, offset=offset)


def bring_up_to_date(folder: str) -> None:
    """Add missing entries to the index; if that fails, a finding of the search says so."""
    from goodbot.crawl.folder.database import Database  # noqa: PLC0415  slow to load, and seldom needed
    from goodbot.crawl.folder.open_readonly import folders_of  # noqa: PLC0415  likewise
    from goodbot.crawl.index.sqlite import SQLiteIndex  # noqa: PLC0415  likewise

    for part in folders_of(folder):
        with suppress(StoreError), closing(Database(part, patience=PATIENCE)) as database:
            index = SQLiteIndex(database)
            for _ in range(MOST_BATCHES):
                if not index.refresh(BATCH):
                    break


def print_results(results: "Results", folder: str, offset: int, printer: Printer) -> None:
    """Print the results, and findings on standard error."""
    for finding in results.findings:
        warnings.warn(finding.message)
    for number, hit in enumerate(results.hits, offset + 1):
        show(number, hit, results, folder, printer)
    printer.line(summary(results, offset))


def summary(results: "Results", offset: int) -> str:
    """Return how many results there are, and which were printed."""
    query = cut_line(str(results.query))
    if not results.total:
        return f"no pages found for {query}" if query else "no pages found"
    pages = f"{results.total:,} page{'s' * (results.total != 1)} for {query}"
    first, last = offset + 1, offset + len(results.hits)
    if not results.hits:
        return f"{pages}, but none after number {offset:,}"
    if len(results.hits) < results.total:
        return f"{pages}; shown: {first:,} to {last:,}"
    return pages


def show(number: int, hit: "Hit", results: "Results", folder: str, printer: Printer) -> None:
    """Print one result: title, URL, abstract, quotation, the visit, and how to show the copy."""
    printer.line(f"{number}. ", Styled(cut_line(hit.title) or "(no title)", "heading"))
    printer.line(INDENT, hit.url)
    for text in (hit.abstract, hit.snippet):
        for line in broken(text, printer):
            printer.line(INDENT, *marked(line, results))
    if hit.visited is not None:
        printer.line(INDENT, Styled(f"visited {hit.visited:%Y-%m-%d %H:%M} UTC", "faint"))
    if hit.has_copy:
        command = suggest(folder, hit.url, verb="archive show")
        printer.line(INDENT, Styled(f"[copy: {command}]", "faint"))
    printer.line()


def broken(text: str, printer: Printer) -> list[str]:
    """Wrap a text between words on a terminal, and keep it on one line elsewhere."""
    if printer.width is None:
        return [text] if text else []
    room = max(printer.width - len(INDENT), NARROWEST)
    return textwrap.wrap(escaped(text), room, break_on_hyphens=False)


def marked(text: str, results: "Results") -> list[str | Styled]:
    """Highlight the words of the query."""
    parts = results.query.marked(text)
    return [Styled(part, "heading") if is_sought else part for part, is_sought in parts]
