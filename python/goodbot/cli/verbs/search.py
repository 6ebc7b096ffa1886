"""`goodbot search`: which pages of a crawl have these words, and what may be shown of them?"""

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
from goodbot.errors import StoreError

if TYPE_CHECKING:
    from goodbot.crawl.searching import Hit, Results

__all__ = ["search"]

LIMIT = 10
INDENT = "   "
PATIENCE = 1.0
"""Seconds to wait for a crawl that writes just now; what is in the index is found without it."""
BATCH = 1_000
MOST_BATCHES = 200
"""How many entries are made before a search: what a crawl left that was cut off. One that goes on
makes some meanwhile."""


@click.command(no_args_is_help=True)
@click.argument("folder", metavar="DIR")
@click.argument("words", metavar="QUERY", nargs=-1)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 10_000),
    default=LIMIT,
    show_default=True,
    metavar="N",
    help="The most hits to print.",
)
@click.option(
    "--offset",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="How many hits to leave out before them.",
)
@options.as_json("one object, with the hits, their number in all, and findings")
def search(
    folder: str, words: tuple[str, ...], limit: int, offset: int, *, as_json: bool
) -> ExitStatus:
    """Find pages of the crawl in DIR: all that have every word of QUERY, the best first.

    \b
    Examples:
      goodbot search crawl lamp brass
      goodbot search crawl '"brass lamp" -shade title:attic'
      goodbot search crawl 'lam*' --limit 50 --json

    \b
    Queries:
      brass lamp       both words, wherever they stand on the page
      "brass lamp"     one behind the other: a phrase. It never goes across what its author left
                       out of the index, nor from one block, title or link to the next
      -shade           without it; also -"a phrase"; put -- before a QUERY that begins so
      title:lamp       in the title; also text: and anchor: (what links say of the page)
      lam*             words that begin so; three letters or more

    All else in a query is words. Case and accents do not count. Chinese, Japanese and Thai are
    searched by characters in a row.

    A quotation is made only of what may be indexed, archived and quoted; without one, nothing may
    be. It can be asked while a crawl goes on.

    Exit status: 0 something is found, 1 nothing is, 2 there is no answer.
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
    """Search, with the index brought up to date if that can be."""
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415  likewise
    from goodbot.crawl.index.sqlite import SQLiteIndex  # noqa: PLC0415  slow to load, and seldom needed
    from goodbot.crawl.searching import search as search_crawl  # noqa: PLC0415  likewise

    with open_readonly(folder) as database:
        if database.may_be_written and SQLiteIndex(database).left():
            bring_up_to_date(folder)
    with open_readonly(folder) as database:
        now = datetime.now(timezone.utc)
        return search_crawl(database, query, now=now, limit=limit, offset=offset)


def bring_up_to_date(folder: str) -> None:
    """Make entries that are missing; if that cannot be done, the search says so."""
    from goodbot.crawl.folder.database import Database  # noqa: PLC0415  slow to load, and seldom needed
    from goodbot.crawl.index.sqlite import SQLiteIndex  # noqa: PLC0415  likewise

    with suppress(StoreError), closing(Database(folder, patience=PATIENCE)) as database:
        index = SQLiteIndex(database)
        for _ in range(MOST_BATCHES):
            if not index.refresh(BATCH):
                return


def print_results(results: "Results", folder: str, offset: int, printer: Printer) -> None:
    """Print what is found, and on standard error what is odd."""
    for finding in results.findings:
        warnings.warn(finding.message)
    for number, hit in enumerate(results.hits, offset + 1):
        show(number, hit, results, folder, printer)
    printer.line(summary(results, offset))


def summary(results: "Results", offset: int) -> str:
    """Return how many there are, and which were printed."""
    query = cut_line(str(results.query))
    if not results.total:
        return f"nothing is found for {query}" if query else "nothing is found"
    pages = f"{results.total:,} page{'s' * (results.total != 1)} for {query}"
    first, last = offset + 1, offset + len(results.hits)
    if not results.hits:
        return f"{pages}; none behind number {offset:,}"
    if len(results.hits) < results.total:
        return f"{pages}; these are {first:,} to {last:,}"
    return pages


def show(number: int, hit: "Hit", results: "Results", folder: str, printer: Printer) -> None:
    """Print one hit: title, address, quotation, and what else there is."""
    printer.line(f"{number}. ", Styled(cut_line(hit.title) or "(without a title)", "heading"))
    printer.line(INDENT, hit.url)
    for line in broken(hit.snippet, printer):
        printer.line(INDENT, *marked(line, results))
    if hit.visited is not None:
        printer.line(INDENT, Styled(f"visited {hit.visited:%Y-%m-%d %H:%M} UTC", "faint"))
    if hit.has_copy:
        command = suggest(folder, hit.url, verb="show")
        printer.line(INDENT, Styled(f"[kept copy: {command}]", "faint"))
    printer.line()


def broken(text: str, printer: Printer) -> list[str]:
    """Break a text between words on a terminal, and nowhere else."""
    if printer.width is None:
        return [text] if text else []
    room = max(printer.width - len(INDENT), NARROWEST)
    return textwrap.wrap(escaped(text), room, break_on_hyphens=False)


def marked(text: str, results: "Results") -> list[str | Styled]:
    """Mark the words that were looked for."""
    parts = results.query.marked(text)
    return [Styled(part, "heading") if is_sought else part for part, is_sought in parts]
