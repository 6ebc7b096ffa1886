"""Output to a terminal, a file or a pipe: escaped, and in colour only if that is wanted.

Rule 1: everything is printed by a `Printer`, which escapes every part of a line. So no byte of a
robots.txt file or of a URL can control a terminal.
Rule 2: no other module decides whether there is colour.
"""

import os
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TextIO

import click

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["NARROWEST", "Printer", "Styled", "cut_line", "escaped", "print_table", "printable"]

STEERING = (
    # Control characters; lone surrogates, which cannot be encoded; characters that change the
    # direction of writing or break a line, and so make a line look different from what it is.
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
)

STYLES: dict[str, dict[str, bool | str]] = {
    "allowed": {"fg": "green"},
    "disallowed": {"fg": "red"},
    "warning": {"fg": "yellow"},
    "heading": {"bold": True},
    "faint": {"dim": True},
}


NARROWEST = 20
"""On a narrower terminal, lines are not wrapped here."""

LONGEST_LINE = 200
"""How many characters of a line from outside are shown."""


class Styled(NamedTuple):
    """A part of a line with a style: a key of `STYLES`."""

    text: str
    style: str


def escaped(text: str) -> str:
    r"""Escape characters that would control a terminal as Python writes them, such as `\x1b`."""
    if text.isprintable():
        return text
    return re.sub(STEERING, lambda found: escape(found[0]), text)


def escape(character: str) -> str:
    """Return the escape of a character; of one that stands for an undecodable byte, that byte."""
    byte = ord(character) - 0xDC00
    if 0x80 <= byte <= 0xFF:  # noqa: PLR2004  PEP 383: U+DC80..U+DCFF are the bytes 80..FF
        return f"\\x{byte:02x}"
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def printable(content: bytes) -> str:
    r"""Decode UTF-8; other bytes become escapes such as `\xff`, and tabs become spaces."""
    return content.decode("utf-8", "backslashreplace").expandtabs()


def wants_colour(stream: TextIO) -> bool:
    """Return whether a stream gets colour, as no-color.org and force-color.org define it."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


class Printer:
    """Prints lines to a stream."""

    def __init__(self, stream: TextIO) -> None:
        """Inspect the stream once, because a million lines may follow."""
        self.stream = stream
        self.colour = wants_colour(stream)
        self.width = self.columns if stream.isatty() else None
        self.passing = 0

    @cached_property
    def columns(self) -> int:
        """The width of the terminal; 80 if there is none."""
        import shutil  # noqa: PLC0415  slow to load, and for terminals only

        # Python 3.10 returns 0 for a terminal that does not know its size.
        return shutil.get_terminal_size().columns or 80

    def line(self, *parts: str | Styled) -> None:
        """Print the parts, one after the other, as one line."""
        texts = [
            escaped(part) if isinstance(part, str) else self.painted(part.text, part.style)
            for part in parts
        ]
        self.stream.write("".join(texts) + "\n")

    def pass_by(self, text: str) -> None:
        """Print a text over the last one that this method printed, without a new line.

        Args:
            text: The text, cut to the width of the terminal, because a wrapped line could not be
                overwritten. An empty text erases the last one.

        """
        try:
            columns = os.get_terminal_size(self.stream.fileno()).columns or self.columns
        except (OSError, ValueError):
            columns = self.columns
        shown = escaped(text)[: columns - 1]
        if shown or self.passing:
            blank = " " * max(self.passing - len(shown), 0)
            self.stream.write(f"\r{shown}{blank}" + ("" if shown else "\r"))
            self.stream.flush()
        self.passing = len(shown)

    def prose(
        self, text: str, indent: str = "", accent: Styled | None = None, *, hanging: int = 2
    ) -> None:
        """Print a text, wrapped between words on a terminal, and on one line elsewhere.

        Args:
            text: The text.
            indent: The text before each line.
            accent: Words of the first line with a style.
            hanging: The additional indent of the lines after the first, 2 or more.

        """
        text = escaped(text)
        lines = [text]
        if self.width is not None:
            import textwrap  # noqa: PLC0415  slow to load, and for terminals only

            room = max(self.width - len(indent) - 2, NARROWEST)
            further = " " * (hanging - 2)
            lines = textwrap.wrap(
                text,
                room,
                subsequent_indent=further,
                break_long_words=False,
                break_on_hyphens=False,
            ) or [""]
        words, style = accent or ("", "heading")
        before, found, behind = lines[0].partition(words) if words else (lines[0], "", "")
        self.line(indent, before, Styled(found, style) if found else "", behind)
        for line in lines[1:]:
            self.line(indent, "  ", line)

    def warning(self, message: str) -> None:
        """Print a line that begins with `warning:`."""
        self.prose(f"warning: {message}", accent=Styled("warning:", "warning"))

    def note(self, message: str) -> None:
        """Print a line that begins with `note:`."""
        self.prose(f"note: {message}", accent=Styled("note:", "faint"))

    def painted(self, text: str, style: str) -> str:
        """Return a text escaped, and coloured if that is wanted."""
        return click.style(escaped(text), **STYLES[style]) if self.colour else escaped(text)  # type: ignore[arg-type]

    def table(self, table: "Table") -> None:
        """Print a table as wide as the terminal; its cells must be escaped."""
        from rich.console import Console  # noqa: PLC0415  slow to load, and rarely needed

        console = Console(
            file=self.stream,
            width=self.columns,
            force_terminal=self.colour,
            no_color=not self.colour,
            color_system="standard" if self.colour else None,
        )
        # Rich handles a closed pipe in its own way; so it only draws, and this class prints.
        with console.capture() as drawn:
            console.print(table)
        for line in drawn.get().splitlines():
            self.stream.write(line.rstrip() + "\n")


def cut_line(text: str) -> str:
    """Cut a text that would fill the screen, and append how much is missing."""
    if len(text) <= LONGEST_LINE:
        return text
    return f"{text[:LONGEST_LINE]}... ({len(text) - LONGEST_LINE} more characters)"


def print_table(heads: Sequence[str], rows: Iterable[Sequence[str]], printer: Printer) -> None:
    """Print a table; a cell may have several lines."""
    from rich import box  # noqa: PLC0415  slow to load, and only tables need it
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head in heads:
        table.add_column(head, overflow="fold")
    for row in rows:
        table.add_row(*(Text("\n".join(map(escaped, cell.split("\n")))) for cell in row))
    printer.table(table)
