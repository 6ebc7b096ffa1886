"""What reaches the screen: escaped, in colour only where that is wanted.

Rule 1: nothing is printed but through a `Printer`, which escapes every part of a line. So no octet
of a robots.txt file or of a URL can steer a terminal.
Rule 2: nobody else asks whether there is colour.
"""

import os
import re
import shutil
import textwrap
from typing import TYPE_CHECKING, NamedTuple, TextIO

import click

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["NARROWEST", "Printer", "Styled", "cut_line", "escaped", "printable"]

STEERING = re.compile(
    # Control characters; lone surrogates, which no encoding takes; what turns the direction of
    # writing or breaks a line, and so makes a line read otherwise than it is.
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
"""So narrow a terminal breaks lines itself."""

LONGEST_LINE = 200
"""How many characters of a foreign line are shown."""


class Styled(NamedTuple):
    """A part of a line with a style, one of `STYLES`."""

    text: str
    style: str


def escaped(text: str) -> str:
    r"""Show what would steer a terminal as Python writes it, such as `\x1b`."""
    if text.isprintable():
        return text
    return STEERING.sub(lambda found: escape(found[0]), text)


def escape(character: str) -> str:
    """Write one character as an escape; one that stands for an odd octet, as that octet."""
    octet = ord(character) - 0xDC00
    if 0x80 <= octet <= 0xFF:  # noqa: PLR2004  PEP 383: U+DC80..U+DCFF are the octets 80..FF
        return f"\\x{octet:02x}"
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def printable(octets: bytes) -> str:
    r"""Octets of a file as text; those that are not UTF-8 as `\xff`, and tabs as spaces."""
    return octets.decode("utf-8", "backslashreplace").expandtabs()


def wants_colour(stream: TextIO) -> bool:
    """Whether a stream gets colour: as no-color.org and force-color.org ask, and as Python does."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


class Printer:
    """Prints lines to a stream."""

    def __init__(self, stream: TextIO) -> None:
        """Look at the stream once; a million lines may follow."""
        self.stream = stream
        self.colour = wants_colour(stream)
        # Python 3.10 gives 0 for a terminal that does not know its size.
        self.columns = shutil.get_terminal_size().columns or 80
        self.width = self.columns if stream.isatty() else None
        self.passing = 0

    def line(self, *parts: str | Styled) -> None:
        """Print the parts, one behind the other, as one line."""
        texts = [
            escaped(part) if isinstance(part, str) else self.painted(part.text, part.style)
            for part in parts
        ]
        self.stream.write("".join(texts) + "\n")

    def pass_by(self, text: str) -> None:
        """Print a text in the place of the last one that passed by, without going to a new line.

        Args:
            text: What to print, cut to the width of the stream's own terminal, for a line that is
                broken could not be taken back; nothing erases what is there.

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
        """Print a text, broken between words on a terminal, and nowhere else.

        Args:
            text: The text.
            indent: What goes before each line.
            accent: Words of the first line that have a style.
            hanging: How much further in the lines behind the first stand, 2 or more.

        """
        text = escaped(text)
        lines = [text]
        if self.width is not None:
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
        """Escape a text, and colour it if that is wanted."""
        return click.style(escaped(text), **STYLES[style]) if self.colour else escaped(text)  # type: ignore[arg-type]

    def table(self, table: "Table") -> None:
        """Print a table whose cells are `cell`s, as wide as the terminal."""
        from rich.console import Console  # noqa: PLC0415  slow to load; few need it

        console = Console(
            file=self.stream,
            width=self.columns,
            force_terminal=self.colour,
            no_color=not self.colour,
            color_system="standard" if self.colour else None,
        )
        # Rich would answer a closed pipe in its own way: it only draws, and we print.
        with console.capture() as drawn:
            console.print(table)
        for line in drawn.get().splitlines():
            self.stream.write(line.rstrip() + "\n")


def cut_line(text: str) -> str:
    """Cut a text that would fill the screen, and say so."""
    if len(text) <= LONGEST_LINE:
        return text
    return f"{text[:LONGEST_LINE]}... ({len(text) - LONGEST_LINE} more characters)"
