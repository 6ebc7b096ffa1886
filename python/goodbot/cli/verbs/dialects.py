"""`goodbot dialects`: the dialects of robots.txt, their choices, and every document behind them."""

import json
import sys

import click

import goodbot
from goodbot.cli.shared import choices, options
from goodbot.cli.shared.exit_status import ExitStatus
from goodbot.cli.shared.printing import Printer, Styled, print_table
from goodbot.knowledge import (
    KNOWLEDGE_KINDS,
    KNOWN_AS_OF,
    KnownDocument,
    known_documents,
    stamp,
)

__all__ = ["dialects"]


@click.command()
@click.argument("name", required=False)
@click.option(
    "--knowledge",
    is_flag=True,
    help="List every document that goodbot implements, with its version and dates.",
)
@options.as_json("one object per line, for each dialect or document")
def dialects(name: str | None, *, knowledge: bool, as_json: bool) -> ExitStatus:
    """List the dialects of robots.txt, or describe one.

    \b
    Examples:
      goodbot dialects
      goodbot dialects google
      goodbot dialects --knowledge
      goodbot dialects --knowledge rsl

    A dialect is how one document or one company reads robots.txt. With NAME, the output has each of
    its choices, what the choice means, and the sources.

    With --knowledge, the output has the documents instead: every specification, draft, page of an
    operator and list of addresses that goodbot implements, and the day on which each was read. NAME
    is then the key of one, or a word of its title; the output says what of it is implemented.
    """  # noqa: D301  click looks for the character that \b is
    printer = Printer(sys.stdout)
    if knowledge:
        print_documents(name, printer, as_json=as_json)
        return ExitStatus.ALLOWED
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


def print_documents(name: str | None, printer: Printer, *, as_json: bool) -> None:
    """Print the table of knowledge, or what is known of some documents."""
    rows = known_documents() if name is None else named_documents(name)
    if as_json:
        for row in rows:
            printer.line(json.dumps(row.as_dict()))
    elif name is None:
        print_table(
            ("document", "version", "dated", "read", "key"),
            [(row.title, row.version, row.date, row.read, row.key) for row in rows],
            printer,
        )
        printer.line()
        printer.line(f"{stamp()}: {len(rows)} documents.")
    else:
        for row in rows:
            print_document(row, printer)


def named_documents(name: str) -> list[KnownDocument]:
    """Return the document with a key, or else those whose titles have a word.

    Raises:
        WrongValueError: There is none.

    """
    rows = known_documents()
    found = [row for row in rows if row.key == name]
    if not found:
        found = [row for row in rows if name.casefold() in f"{row.key} {row.title}".casefold()]
    if not found:
        message = (
            f"no document {name[:60]!r} is known as of {KNOWN_AS_OF}; "
            "'goodbot dialects --knowledge' lists them all"
        )
        raise goodbot.WrongValueError(message)
    return found


def print_document(row: KnownDocument, printer: Printer) -> None:
    """Print what is known of a document."""
    printer.line(Styled(row.key, "heading"), f": {row}")
    printer.line(f"  {KNOWLEDGE_KINDS[row.kind]}")
    printer.line(f"  {row.url}" + (f" (read as {row.copy})" if row.copy else ""))
    printer.line(f"  Implemented: {row.implements}")
    if row.departs:
        printer.line(f"  Departures and gaps: {row.departs}")
    printer.line(f"  Vectors: {', '.join(row.vectors)}")
