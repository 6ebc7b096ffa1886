"""A matrix as a page of HTML in one file.

Scope: what the page shows; its frame and its style are shared.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from goodbot import html_page
from goodbot.bots import known
from goodbot.cli.matrix_view.matrix_cells import Cell, MatrixTotals, Row
from goodbot.cli.matrix_view.text_forms import turn_table
from goodbot.cli.shared.printing import Printer, escaped
from goodbot.html_page import Tone
from goodbot.http.amounts import counted
from goodbot.knowledge import stamp

TONES: dict[str, Tone] = {"allowed": "good", "disallowed": "bad", "no answer": "odd"}


def print_html(
    rows: Iterable[Row], robots: Sequence[str], printer: Printer, *, source: str
) -> MatrixTotals:
    """Print the page.

    Args:
        rows: The rows of the matrix.
        robots: The robots.
        printer: Prints it.
        source: What was read: a file, or the sites.

    """
    totals, given = MatrixTotals(robots), iter(rows)
    cells = [(row.url, totals.add(row)) for row in islice(given, html_page.MOST_ROWS)]
    for row in given:
        totals.add(row)
    body = page_body(cells, totals)
    asked = f"{counted(len(robots), 'robot')}, {counted(totals.urls, 'URL')}"
    pieces = html_page.page(
        "What does robots.txt allow?",
        body,
        kicker="goodbot check",
        lede=f"{asked}. Read from {escaped(source)}.",
        foot=f"A robot that does not obey robots.txt is not kept out by it. Made with {stamp()}.",
    )
    for line in "".join(pieces).splitlines():
        printer.line(line)
    return totals


def page_body(cells: list[tuple[str, list[Cell]]], totals: MatrixTotals) -> Iterator[str]:
    """Yield the answer, the matrix, the lines that decided, and what is known of the robots."""
    is_good = not any(totals.disallowed) and not totals.unanswered
    yield html_page.verdict(summary(totals), "good" if is_good else "bad")
    yield from html_page.section("The matrix", matrix_table(cells, totals))
    if totals.lines:
        yield from html_page.section("The lines that decide", line_table(totals))
    yield from html_page.section("The robots", robot_table(totals))


def summary(totals: MatrixTotals) -> str:
    """Return the answer in a sentence or two."""
    count, every = sum(totals.disallowed), totals.urls * len(totals.robots)
    told = [f"Disallowed in {count:,} of {counted(every, 'case')}."] if count else []
    if totals.unanswered:
        told.append(f"No answer in {counted(totals.unanswered, 'case')}.")
    return " ".join(told) or "Every URL is allowed for every robot."


def matrix_table(cells: list[tuple[str, list[Cell]]], totals: MatrixTotals) -> Iterator[str]:
    """Yield the matrix."""
    heads, body = turn_table(cells, totals.robots)
    name = html_page.code if heads[0] == "URL" else html_page.shown
    rows = ([name(escaped(first)), *(render_cell(cell) for cell in line)] for first, line in body)
    count = totals.urls if heads[0] == "URL" else len(totals.robots)
    elsewhere = "<code>goodbot check --csv</code> prints all"
    names = [escaped(head) for head in heads]
    return html_page.table(names, rows, count=count, elsewhere=elsewhere)


def render_cell(cell: Cell) -> str:
    """Return a cell as HTML."""
    badge = html_page.badge(cell.word, TONES[cell.word])
    return (
        f'{badge} <span class="note">{html_page.shown(cell.where)}</span>' if cell.where else badge
    )


def line_table(totals: MatrixTotals) -> Iterator[str]:
    """Yield the lines that decide, in the order of the file."""
    rows = [
        [
            html_page.shown(f"{site} line {number}".strip()),
            html_page.code(escaped(text)),
            f"{totals.lines[site, number, text]:,}",
        ]
        for site, number, text in sorted(totals.lines)
    ]
    return html_page.table(["line", "rule", "cases"], rows, numbers=[2])


def robot_table(totals: MatrixTotals) -> Iterator[str]:
    """Yield what is known of the robots, and how many URLs each may not fetch."""
    heads = ["robot", "operator", "purposes", "groups it looks for", "dialect", "disallowed"]
    rows = [
        [html_page.shown(escaped(value)) for value in (*robot_row(name), f"{count:,}")]
        for name, count in zip(totals.robots, totals.disallowed, strict=True)
    ]
    return html_page.table(heads, rows, numbers=[5])


def robot_row(name: str) -> tuple[str, str, str, str, str]:
    """Return what is known of a robot, in words."""
    robot = known(name)
    if robot is None:
        return name, "not a known robot", "", "", ""
    purposes, tokens = ", ".join(robot.purposes), ", then ".join(robot.tokens)
    return name, robot.operator or "not known", purposes, tokens, robot.dialect or ""
