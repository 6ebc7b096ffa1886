"""A matrix on a terminal: a table with a column for each robot if that fits, else for each URL.

If neither fits, because there are many robots and many URLs, it is a list of URLs with the robots
of each answer.

Scope: the layout. Each row is printed as soon as it is known, except if URLs are columns.
"""

import textwrap
from collections.abc import Iterable, Sequence
from itertools import chain, islice

from goodbot.cli.matrix_view.matrix_cells import Cell, MatrixTotals, Row
from goodbot.cli.shared.printing import Printer, Styled, cut_line, escaped
from goodbot.http.amounts import counted

LEAST_CELL = len("disallowed, line 99")
"""The width of a column at least."""
LEAST_URL = 28
"""The width of the column of URLs at least; otherwise the matrix is a list."""
LEAST_NAMES = 30
"""The width of the column of names at least, if URLs are the columns."""
GAP = "  "
NAMED = 10
"""How many of the robots that are allowed a list names, after its first URL."""
LISTED = 20
"""How many lines that decide are listed below a table."""

STYLES = {"allowed": "allowed", "disallowed": "disallowed", "no answer": "warning"}
WORDS = max(map(len, STYLES))
ORDER = {"disallowed": 0, "no answer": 1, "allowed": 2}
"""In a list, what the owner of a site should look at comes first."""


def print_matrix(rows: Iterable[Row], robots: Sequence[str], printer: Printer) -> MatrixTotals:
    """Print the matrix, the lines that decided, and how many URLs each robot may not fetch."""
    totals = MatrixTotals(robots)
    widths = [max(len(escaped(name)), LEAST_CELL) for name in robots]
    room = printer.columns - sum(widths) - len(GAP) * len(widths)
    is_table = room >= LEAST_URL
    if not is_table and len(robots) > NAMED:
        rows = iter(rows)
        first = list(islice(rows, most_columns(printer.columns) + 1))
        if 1 < len(first) <= most_columns(printer.columns):
            print_by_robots([(row.url, totals.add(row)) for row in first], robots, printer)
            print_lines(totals, printer)
            return totals
        rows = chain(first, rows)
    for row in rows:
        cells = totals.add(row)
        if not is_table:
            # The first block names every robot, and so do the totals.
            print_block(row, cells, printer, NAMED if totals.urls > 1 else len(robots))
            continue
        if totals.urls == 1:
            print_cells("URL", [Styled(name, "heading") for name in robots], widths, room, printer)
        styled = [Styled(str(cell), STYLES[cell.word]) for cell in cells]
        print_cells(row.url, styled, widths, room, printer)
    if is_table:
        print_lines(totals, printer)
    if totals.urls > 1:
        print_totals(totals, printer)
    return totals


def most_columns(width: int) -> int:
    """Return how many URLs may be columns of a table."""
    return max((width - LEAST_NAMES) // (WORDS + len(GAP)), 0)


def print_by_robots(
    columns: Sequence[tuple[str, Sequence[Cell]]], robots: Sequence[str], printer: Printer
) -> None:
    """Print a table with a column for each URL, and a row for all robots with the same answers.

    Args:
        columns: The URLs, each with the cell of every robot.
        robots: The robots.
        printer: Prints them.

    """
    for number, (url, cells) in enumerate(columns, 1):
        blocked = sum(cell.word == "disallowed" for cell in cells)
        told = f": {blocked:,} of {counted(len(cells), 'robot')} blocked by robots.txt"
        printer.line(f"{number}  ", Styled(url, "heading"), told)
    groups: dict[tuple[Cell, ...], list[str]] = {}
    for robot, *cells in zip(robots, *(cells for _, cells in columns), strict=True):
        groups.setdefault(tuple(cells), []).append(robot)
    widths = [max(len(str(cells[place])) for cells in groups) for place in range(len(columns))]
    is_short = sum(widths) + len(GAP) * len(widths) + LEAST_NAMES > printer.columns
    widths = [WORDS] * len(columns) if is_short else widths
    printer.line()
    heads = [str(number).ljust(width) for number, width in enumerate(widths, 1)]
    printer.line(Styled(GAP.join([*heads, "robots"]), "heading"))
    room = printer.columns - sum(widths) - len(GAP) * len(widths)
    for cells, named in sorted(
        groups.items(), key=lambda group: [ORDER[cell.word] for cell in group[0]]
    ):
        shown: list[str | Styled] = []
        for cell, width in zip(cells, widths, strict=True):
            text = cell.word if is_short else str(cell)
            shown += [Styled(text, STYLES[cell.word]), " " * (width - len(text)), GAP]
        names = escaped(", ".join(named))
        lines = textwrap.wrap(names, room, break_on_hyphens=False) if printer.width else [names]
        printer.line(*shown, lines[0])
        for line in lines[1:]:
            printer.line(" " * (printer.columns - room), line)


def print_cells(
    url: str, cells: Sequence[Styled], widths: Sequence[int], room: int, printer: Printer
) -> None:
    """Print a row of the table; a URL that is too long has a line of its own."""
    first = escaped(url)
    if len(first) > room:
        printer.line(first)
        first = ""
    parts: list[str | Styled] = [first.ljust(room)]
    for cell, width in zip(cells, widths, strict=True):
        parts += [GAP, cell, " " * (width - len(escaped(cell.text)))]
    parts[-1] = ""
    printer.line(*parts)


def print_block(row: Row, cells: Sequence[Cell], printer: Printer, named: int) -> None:
    """Print a URL, how many robots are blocked, and each answer with its robots and its line.

    Args:
        row: The URL and its answers.
        cells: The cells of the row.
        printer: Prints them.
        named: How many of the robots that are allowed are named; the rest is counted.

    """
    blocked = sum(cell.word == "disallowed" for cell in cells)
    of_all = f": {blocked:,} of {counted(len(cells), 'robot')} blocked by robots.txt"
    of_all = of_all if len(cells) > NAMED else ""  # of a few, the names are short enough
    printer.line(Styled(row.url, "heading"), of_all)
    groups: dict[tuple[Cell, str], list[str]] = {}
    for cell, verdict in zip(cells, row.verdicts, strict=True):
        rule = verdict.rule
        key = (cell, "" if rule is None else rule.text)
        groups.setdefault(key, []).append(verdict.robot)
    for (cell, line), robots in sorted(groups.items(), key=lambda group: ORDER[group[0][0].word]):
        most = named if cell.word == "allowed" else len(robots)
        more = f" and {len(robots) - most:,} more" if len(robots) > most else ""
        where = f"{cell.where}, {cut_line(line)}" if line else cell.where
        why = f" ({where})" if where else ""
        names = f"{', '.join(robots[:most])}{more}"
        text = f"{cell.word:<{WORDS}}  {names}{why}"
        if len(robots) > NAMED:  # the line first: it would be lost behind so many names
            text = f"{cell.word:<{WORDS}}  {counted(len(robots), 'robot')}{why}: {names}"
        accent = Styled(cell.word, STYLES[cell.word])
        printer.prose(text, GAP, accent, hanging=WORDS + len(GAP))


def print_lines(totals: MatrixTotals, printer: Printer) -> None:
    """Print the lines that decided, below the table."""
    if totals.lines:
        printer.line()
    for site, number, text in sorted(totals.lines)[:LISTED]:
        where = f"{site} line {number}" if site else f"line {number}"
        printer.line(Styled(f"{where}: ", "faint"), cut_line(text))
    if len(totals.lines) > LISTED:
        printer.line(f"and {len(totals.lines) - LISTED:,} more lines that decide")


def print_totals(totals: MatrixTotals, printer: Printer) -> None:
    """Print how many URLs are disallowed for which robots."""
    printer.line()
    of_all = counted(totals.urls, "URL")
    for count, robots in totals.by_count():
        told = f"{count:,} of {of_all} disallowed" if count else "no URL is disallowed"
        style = "disallowed" if count else "allowed"
        printer.prose(f"{told}: {', '.join(robots)}", "", Styled(told, style))
    if totals.unanswered:
        printer.line(f"no answer in {counted(totals.unanswered, 'case')}")
