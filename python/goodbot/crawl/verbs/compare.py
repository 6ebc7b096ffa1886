"""`goodbot report compare`: what differs between two crawls, or between two times of one."""

import json
import sys
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import click

import goodbot
from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer, Styled, cut_line
from goodbot.cli.shared.time_option import TIME, in_utc
from goodbot.crawl.verbs.crawl_folder import CrawlVerb, crawl_folder
from goodbot.crawl.verbs.queued_note import note_queued

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from goodbot.crawl.evidence.crawl_changes import CrawlChange

__all__ = ["compare"]

KINDS = ("new", "gone", "status", "robots", "title", "indexability", "robots.txt")
ANY = "any"
SHOWN = 20
"""How many changes of a kind are printed unless --limit names a number."""
STYLES = {"new": "allowed", "gone": "disallowed"}
NO_TITLES = "titles are not compared: a crawl stores only the last title of each page"
SOME_TITLES = (
    "a crawl stores only the last title of each page; titles of pages that were visited again "
    "after --since or --at are not compared"
)


@click.command(cls=CrawlVerb)
@crawl_folder
@click.argument("later", metavar="[DIR2]", required=False)
@click.option("--since", type=TIME, metavar="TIME", help="Compare DIR as it was then (UTC).")
@click.option("--at", "until", type=TIME, metavar="TIME", help="Compare to this time, not the end.")
@click.option(
    "--fail-on",
    "fail_on",
    type=click.Choice((*KINDS, ANY)),
    multiple=True,
    help="Exit with 1 if there is such a change. Repeatable.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=SHOWN,
    metavar="N",
    help=f"Print at most N changes of each kind as text; {SHOWN} by default.",
)
@options.as_json("one object per line, for each change")
def compare(
    folder: str,
    later: str | None,
    since: datetime | None,
    until: datetime | None,
    *,
    fail_on: tuple[str, ...],
    limit: int,
    as_json: bool,
) -> ExitStatus:
    """List what differs between two crawls, or between two times of one.

    \b
    Examples:
      goodbot report compare shop-before shop-after
      goodbot report compare shop --since 2026-11-01
      goodbot report compare shop-before shop-after --json --fail-on gone --fail-on robots

    The list has new URLs, those that are gone (not found, or not in the later crawl), changed
    statuses, titles, whether a page may be indexed and fetched, and the changed lines of each
    robots.txt. Only the last title of a page is stored; so with --since or --at, titles of pages
    that were visited again after that time are not compared.

    Exit status: 0 the list is printed, 1 there is a change that --fail-on names, 2 there is no
    result.
    """  # noqa: D301  click looks for the character that \b is
    from goodbot.crawl.evidence import crawl_changes  # noqa: PLC0415  slow to load, and seldom needed
    from goodbot.crawl.folder.open_readonly import open_readonly  # noqa: PLC0415  as above

    if later is None and since is None:
        message = "name two folders, or one and --since TIME, such as --since 2026-11-01"
        raise goodbot.MisuseError(message)
    before_at, after_at = in_utc(since), in_utc(until)
    if later is None and before_at and after_at and before_at >= after_at:
        message = "--since is not before --at, so there is nothing in between; swap the two times"
        raise goodbot.MisuseError(message)
    printer = Printer(sys.stdout)
    note_titles(before_at, after_at, is_one=later is None)
    reads = ("evidence", "inventory")
    with (
        open_readonly(folder, reads=reads) as before,
        open_readonly(later or folder, reads=reads) as after,
    ):
        note_queued(after, "so what only they lead to counts as gone")
        changes = crawl_changes.compare(
            before,
            after,
            now=datetime.now(timezone.utc),
            before_at=before_at,
            after_at=after_at,
        )
        kinds = print_objects(changes, printer) if as_json else print_text(changes, limit, printer)
    failing = kinds if ANY in fail_on else kinds.intersection(fail_on)
    return ExitStatus.DISALLOWED if failing else ExitStatus.ALLOWED


def note_titles(before_at: datetime | None, after_at: datetime | None, *, is_one: bool) -> None:
    """Note on standard error which titles are not compared."""
    if before_at or after_at:
        Printer(sys.stderr).note(NO_TITLES if is_one else SOME_TITLES)


def print_objects(changes: "Iterable[CrawlChange]", printer: Printer) -> set[str]:
    """Print an object for each change; return the kinds of changes."""
    kinds: set[str] = set()
    for one in changes:
        kinds.add(one.change)
        printer.line(json.dumps(one.as_dict()))
    return kinds


def print_text(changes: "Iterable[CrawlChange]", limit: int, printer: Printer) -> set[str]:
    """Print the changes kind by kind; return the kinds."""
    from goodbot.crawl.evidence.crawl_changes import CHANGE_KINDS  # noqa: PLC0415  as above

    found: dict[str, list[CrawlChange]] = {}
    counts: dict[str, int] = {}
    for one in changes:
        counts[one.change] = counts.get(one.change, 0) + 1
        if counts[one.change] <= limit:
            found.setdefault(one.change, []).append(one)
    if not found:
        printer.line("Nothing differs.")
    for kind, heading in CHANGE_KINDS.items():
        if kind in found:
            print_kind(heading, found[kind], counts[kind], printer)
    return set(found)


def print_kind(
    heading: str, changes: "Sequence[CrawlChange]", count: int, printer: Printer
) -> None:
    """Print the changes of one kind."""
    printer.line(Styled(f"{heading}: {count:,}", "heading"))
    for one in changes:
        print_change(one, printer)
    if count > len(changes):
        printer.line(f"  and {count - len(changes):,} more (--limit)")
    printer.line()


def print_change(one: "CrawlChange", printer: Printer) -> None:
    """Print one change, with the lines of a robots.txt that differ."""
    style = STYLES.get(one.change, "warning")
    was, is_now = (cut_line(value or "") for value in (one.before, one.after))
    if one.change == "robots.txt":
        printer.line("  ", one.url)
        for sign, lines, style in (("-", one.removed, "disallowed"), ("+", one.added, "allowed")):
            for line in lines:
                printer.line("    ", Styled(f"{sign} {line}", style))
        return
    told = " > ".join(filter(None, (was, is_now))) if one.change != "new" else is_now
    source = f"  ({cut_line(one.source)})" if one.source else ""
    if one.change == "gone" and one.after is None:
        told, source = "gone", f"  (was {was})"
    printer.line("  ", Styled(told, style), "  ", one.url, source)
