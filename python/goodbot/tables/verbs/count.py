"""`goodbot tables count`: what the sites of a table of policies say to robots, in figures."""

import json
import sys
from collections.abc import Iterable, Mapping

import click

from goodbot.cli.shared import options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer, Styled, print_table
from goodbot.cli.shared.robots.robot_choice import note_near_misses
from goodbot.cli.shared.row_output import check_one_format, print_rows
from goodbot.http.amounts import counted
from goodbot.knowledge import stamp
from goodbot.tables.counting import COUNT_COLUMNS, DEFINITIONS, PolicyCounts, count_policies
from goodbot.tables.counting.counting import BY, CountPeriod
from goodbot.tables.counting.writing import write_counts
from goodbot.tables.verbs.tables import check_is_there

__all__ = ["count"]

MOST_SHOWN = 20
"""The most names, robots, statements and fields that are printed as text."""


@click.command(no_args_is_help=True)
@click.argument("table", metavar="TABLE")
@click.option(
    "-r",
    "--robot",
    "robots",
    metavar="NAME",
    multiple=True,
    help="A known robot, a product token, or * for any robot that is not named. Repeatable. By "
    "default *, and the known robots that collect content for training.",
)
@click.option(
    "--by",
    type=click.Choice(tuple(BY)),
    help="Count for each year, or for each file that the rows are from.",
)
@click.option("--parquet", metavar="FILE", help="Write a Parquet file with a row for each figure.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV: a header, and a row a figure.")
@options.as_json("one object per year or file, or one for the whole table")
def count(
    table: str,
    robots: tuple[str, ...],
    *,
    by: CountPeriod | None,
    parquet: str | None,
    as_csv: bool,
    as_json: bool,
) -> ExitStatus:
    """Count what sites say to robots: names, how much is disallowed, signals, sizes, statuses.

    \b
    Examples:
      goodbot tables count policies.parquet
      goodbot tables count policies.parquet --by year -r GPTBot -r CCBot --csv
      goodbot tables count policies.parquet --by crawl --parquet counts.parquet

    TABLE is what 'goodbot tables build' writes. Each site counts once in a period, by its last row.
    What a robot may not fetch is decided by the parser and the rules, for the group that it obeys,
    and proven over all paths. The definition of each figure is printed with the figures.

    Exit status: 0 the figures were printed or written, 2 they were not.
    """  # noqa: D301  click looks for the character that \b is
    check_one_format(as_json=as_json, as_csv=as_csv, parquet=parquet)
    check_is_there(table)
    note_near_misses(robots)
    found = count_policies(table, robots=robots or None, by=by)
    printer = Printer(sys.stdout)
    if parquet is not None:
        number = write_counts(found, parquet)
        printer.line(f"{parquet}: {number:,} rows")
    elif as_csv:
        rows = (row for counts in found for row in counts.rows())
        print_rows(rows, list(COUNT_COLUMNS), printer, as_csv=True)
    elif as_json:
        for counts in found:
            shown = counts.as_dict() | {"definitions": DEFINITIONS, "made_with": stamp()}
            printer.line(json.dumps(shown))
    else:
        print_counts(found, printer)
    return ExitStatus.ALLOWED


def print_counts(found: Iterable[PolicyCounts], printer: Printer) -> None:
    """Print the counts of each period, and what they count."""
    for counts in found:
        print_period(counts, printer)
        printer.line()
    printer.line(Styled("What is counted", "heading"))
    for name, meaning in DEFINITIONS.items():
        printer.prose(f"{name}: {meaning}")
    printer.line()
    printer.line(f"Made with {stamp()}.")


def print_period(counts: PolicyCounts, printer: Printer) -> None:
    """Print the counts of one period."""
    title = f"{counts.period}: " if counts.period else ""
    printer.line(Styled(title + counted(counts.sites, "site"), "heading"))
    sizes = counts.sizes
    printer.prose(f"Access: {in_words(counts.access)}.")
    printer.prose(f"Status: {in_words(counts.statuses)}.")
    printer.prose(
        f"Size: {counted(sizes.files, 'file')} of {sizes.least:,} to {sizes.most:,} bytes; median "
        f"{sizes.median:,}, mean {sizes.mean:,}, 90 % at most {sizes.p90:,}."
    )
    printer.line()
    heads = ("robot", "named", "wholly", "partly", "not at all", "undecided", "unknown")
    ordered = sorted(counts.robots, key=lambda one: one.robot != "*")
    shown = sorted(ordered[1:], key=lambda one: -one.named) if len(ordered) > MOST_SHOWN else []
    rows = [*ordered[:1], *shown[: MOST_SHOWN - 1]] if shown else list(counts.robots)
    print_table(heads, [tuple(map(shown_cell, one.as_dict().values())) for one in rows], printer)
    if len(rows) < len(counts.robots):
        printer.note(f"{len(counts.robots) - len(rows):,} more robots; --json has all")
    for head, some in (
        ("name", counts.names), ("signal", counts.signals), ("field", counts.fields),
        ("unknown-field", counts.unknown_fields),
    ):  # fmt: skip
        if some:
            printer.line()
            first = list(some.items())[:MOST_SHOWN]
            print_table((head, "sites"), [(name, f"{number:,}") for name, number in first], printer)
            if len(first) < len(some):
                printer.note(f"{len(some) - len(first):,} more; --json has all")


def shown_cell(value: object) -> str:
    """Return a cell of a table."""
    return f"{value:,}" if isinstance(value, int) else str(value)


def in_words(counts: Mapping[str, int]) -> str:
    """Return counts in a line."""
    return ", ".join(f"{name} {number:,}" for name, number in counts.items()) or "none"
