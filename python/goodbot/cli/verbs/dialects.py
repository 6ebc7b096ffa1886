"""`goodbot dialects`: the ways in which robots.txt is read."""

import json
import sys

import click

import goodbot
from goodbot.cli.shared import choices, options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer, Styled, escaped

__all__ = ["dialects"]


@click.command()
@click.argument("name", required=False)
@options.as_json("a line with an object for each dialect")
def dialects(name: str | None, *, as_json: bool) -> ExitStatus:
    """List the dialects, or what one of them chooses and why.

    \b
    Examples:
      goodbot dialects
      goodbot dialects google
    """  # noqa: D301  click looks for the character that \b is
    printer = Printer(sys.stdout)
    shown = goodbot.dialects() if name is None else [goodbot.dialect(name)]
    if as_json:
        for dialect in shown:
            printer.line(json.dumps(as_object(dialect)))
    elif name is None:
        print_list(shown, printer)
    else:
        print_one(shown[0], printer)
    return ExitStatus.ALLOWED


def as_object(dialect: goodbot.Dialect) -> dict[str, object]:
    """Describe a dialect in plain values."""
    return {
        "name": dialect.name,
        "title": dialect.title,
        "choices": {
            name: {"value": value, "meaning": choices.meaning(name, value)}
            for name, value in dialect.choices.items()
        },
        "sources": [{"states": what, "document": where} for what, where in dialect.sources],
    }


def print_list(shown: list[goodbot.Dialect], printer: Printer) -> None:
    """Print a table of names and titles."""
    print_table(("name", "what it is"), [(one.name, one.title) for one in shown], printer)


def print_one(dialect: goodbot.Dialect, printer: Printer) -> None:
    """Print the choices of a dialect with their meanings, and its sources."""
    printer.line(Styled(dialect.name, "heading"), f": {dialect.title}")
    default = goodbot.dialects()[0]
    if dialect != default:
        printer.line(f"* marks what {default.name} chooses otherwise.")
    printer.line()
    rows = []
    for name, value in dialect.choices.items():
        mark = " " if value == default.choices[name] else "*"
        answer = f"{choices.question(name)}: {choices.meaning(name, value)}"
        rows.append((f"{mark} {name}", f"{value or '(none)'}\n{answer}"))
    print_table(("choice", "value and meaning"), rows, printer)
    printer.line()
    print_table(("what is stated", "where"), list(dialect.sources), printer)


def print_table(heads: tuple[str, str], rows: list[tuple[str, str]], printer: Printer) -> None:
    """Print a table of two columns, the first of which is not broken."""
    from rich import box  # noqa: PLC0415  slow to load; only tables need it
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(*(Text("\n".join(map(escaped, cell.split("\n")))) for cell in row))
    printer.table(table)
