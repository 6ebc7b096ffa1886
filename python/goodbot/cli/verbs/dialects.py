"""`goodbot dialects`: the dialects of robots.txt and their choices."""

import json
import sys

import click

import goodbot
from goodbot.cli.shared import choices, options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer, Styled, print_table

__all__ = ["dialects"]


@click.command()
@click.argument("name", required=False)
@options.as_json("one object per line, for each dialect")
def dialects(name: str | None, *, as_json: bool) -> ExitStatus:
    """List the dialects of robots.txt, or describe one.

    \b
    Examples:
      goodbot dialects
      goodbot dialects google

    A dialect is how one document or one company reads robots.txt. With NAME, the output has each of
    its choices, what the choice means, and the sources.
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
    """Return a dialect as plain values."""
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
    print_table(("name", "description"), [(one.name, one.title) for one in shown], printer)


def print_one(dialect: goodbot.Dialect, printer: Printer) -> None:
    """Print the choices of a dialect with their meanings, and its sources."""
    printer.line(Styled(dialect.name, "heading"), f": {dialect.title}")
    default = goodbot.dialects()[0]
    if dialect != default:
        printer.line(f"* marks choices that differ from {default.name}.")
    printer.line()
    rows = []
    for name, value in dialect.choices.items():
        mark = " " if value == default.choices[name] else "*"
        answer = f"{choices.question(name)}: {choices.meaning(name, value)}"
        rows.append((f"{mark} {name}", f"{value or '(none)'}\n{answer}"))
    print_table(("choice", "value and meaning"), rows, printer)
    printer.line()
    print_table(("statement", "source"), list(dialect.sources), printer)
