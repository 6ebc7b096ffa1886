"""A matrix as JSON, CSV or Markdown, for other programs and for reviews.

Scope: the forms. Everything from outside is escaped for the form that it stands in.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice

from goodbot import Verdict
from goodbot.cli.matrix_view.matrix_cells import Cell, MatrixTotals, Row
from goodbot.cli.shared.printing import Printer, escaped
from goodbot.cli.shared.row_output import csv_line

MOST_COLUMNS = 12
"""With more robots than this, and not more URLs, the robots are the rows."""

MARKUP = re.compile(r"([\\`*_\[\]<>#!|~@&:])")
"""Characters that can begin markup, a mention or a link in Markdown."""


def print_json(
    rows: Iterable[Row],
    robots: Sequence[str],
    printer: Printer,
    as_object: Callable[[Verdict, Row], str],
) -> MatrixTotals:
    """Print an object for each URL and robot."""
    totals = MatrixTotals(robots)
    for row in rows:
        totals.add(row)
        for verdict in row.verdicts:
            printer.line(as_object(verdict, row))
    return totals


def print_csv(rows: Iterable[Row], robots: Sequence[str], printer: Printer) -> MatrixTotals:
    """Print a row for each URL, with a column for each robot."""
    totals = MatrixTotals(robots)
    printer.line(csv_line(["url", *robots]))
    for row in rows:
        printer.line(csv_line([row.url, *(cell.word for cell in totals.add(row))]))
    return totals


def print_markdown(rows: Iterable[Row], robots: Sequence[str], printer: Printer) -> MatrixTotals:
    """Print a table, and below it the lines that decided."""
    totals = MatrixTotals(robots)
    heads, body = turn_table(((row.url, totals.add(row)) for row in rows), robots)
    above, before = (in_text, in_code) if heads[0] == "URL" else (in_code, in_text)
    printer.line(markdown_row([heads[0], *map(above, heads[1:])]))
    printer.line(markdown_row(["---"] * len(heads)))
    for first, cells in body:
        printer.line(markdown_row([before(first), *(in_text(str(cell)) for cell in cells)]))
    if totals.lines:
        printer.line()
    for site, number, text in sorted(totals.lines):
        where = f"{in_code(site)} line {number}" if site else f"line {number}"
        printer.line(f"- {where}: {in_code(text)}")
    return totals


def turn_table(
    rows: Iterable[tuple[str, list[Cell]]], robots: Sequence[str]
) -> tuple[list[str], Iterable[tuple[str, Sequence[Cell]]]]:
    """Return the heads and the rows of a table that is not too wide, if one of its sides is short.

    There is a row for each URL; if there are many robots and few URLs, one for each robot.
    """
    given = iter(rows)
    if len(robots) <= MOST_COLUMNS:
        return ["URL", *robots], given
    first = list(islice(given, MOST_COLUMNS + 1))
    if len(first) > MOST_COLUMNS:
        return ["URL", *robots], chain(first, given)
    columns = zip(*(cells for _url, cells in first), strict=True)
    return ["robot", *(url for url, _cells in first)], zip(robots, columns, strict=True)


def markdown_row(cells: Iterable[str]) -> str:
    """Return a row of a table in Markdown; its cells are Markdown already."""
    return f"| {' | '.join(cells)} |"


def in_text(text: str) -> str:
    r"""Return a text in which nothing is markup.

    >>> in_text("a|b @you <b> [x](y)")
    'a\\|b \\@you \\<b\\> \\[x\\](y)'
    """
    return MARKUP.sub(r"\\\1", escaped(text))


def in_code(text: str) -> str:
    r"""Return a text as a code span, also within a table.

    >>> in_code("/a|b"), in_code("/`x`")
    ('`/a\\|b`', '`` /`x` ``')
    """
    shown = escaped(text)
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence, pad = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{pad}{shown}{pad}{fence}".replace("|", "\\|")
