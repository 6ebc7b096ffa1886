"""What a rule of lint is: its code, its explanation, and the check itself.

Scope: the records. The rules are in `goodbot.site.lint.rules`, one file each.
"""

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from goodbot._core import Finding
    from goodbot.site.lint.checked_file import CheckedFile

__all__ = ["MOST_OF_A_RULE", "SEVERITIES", "LintProblem", "LintRule", "LintSeverity", "unlisted"]

LintSeverity: TypeAlias = Literal["note", "warning", "error"]

MOST_OF_A_RULE = 1_000
"""How many findings of one rule are listed; the others are counted."""

MOST_SHOWN, MOST_LINES = 2_000, 20
"""How many characters and lines of an example are shown."""

SEVERITIES: dict[LintSeverity, str] = {
    "note": "Good to know.",
    "warning": "Probably not what the author meant.",
    "error": "The text has no effect, or not the one that it states.",
}
"""The severities with their meaning, the least severe first."""


@dataclass(frozen=True, slots=True)
class LintProblem:
    """Something that a check has found."""

    line: int
    """The line, from 1; 0 if it is about the file as a whole."""
    message: str
    """What is wrong, then what to do."""
    column: int = 0
    """The column in bytes, from 1; 0 if it is about the line as a whole."""
    path: str | None = None
    """A path on which it matters, as it is written in a URL."""
    others: tuple[int, ...] = ()
    """The other lines that it is about."""
    robots: tuple[str, ...] = ()
    """The robots that it concerns, `*` for all that no group names; empty if it is all of them."""
    count: int = 1
    """For how many findings it stands; more than one only beyond `MOST_OF_A_RULE`."""


def unlisted(number: int) -> "Iterator[LintProblem]":
    """Yield one problem for all those of a rule that are not listed.

    Args:
        number: How many problems there are.

    """
    if number > MOST_OF_A_RULE:
        yield LintProblem(0, "", count=number - MOST_OF_A_RULE)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LintRule:
    """A rule of lint, with its explanation."""

    code: str
    """The stable code."""
    severity: LintSeverity
    """How much a finding of this rule matters."""
    finds: str
    """What it finds, as a sentence."""
    why: str
    """Why that matters."""
    example: str
    """A robots.txt with exactly this finding. Bytes that are not UTF-8 are surrogate escapes."""
    instead: str
    """The same robots.txt, as it should be written."""
    source: str
    """The document that says so."""
    sitemap: tuple[str, ...] = ()
    """The URLs in the sitemap of the example."""
    answer: "tuple[Finding, ...]" = ()
    """What is odd about the answer that brings the example."""
    sitemap_problems: tuple[str, ...] = ()
    """The problems of the sitemap of the example, which `instead` does not have."""
    check: "Callable[[CheckedFile], Iterator[LintProblem]]"
    """The check: from a file to what is wrong with it."""

    __repr__ = short_repr

    def shown(self, text: str) -> str:
        """Return an example as it is shown: with escapes, and cut if it is long.

        Args:
            text: `example` or `instead`.

        """
        lines = text[:MOST_SHOWN].splitlines()
        cut = [*lines[:MOST_LINES], "..."] if len(lines) > MOST_LINES else lines
        if cut == lines and len(text) > MOST_SHOWN:
            cut.append("...")
        return "".join(f"{escaped(line)}\n" for line in cut)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        names = ("code", "severity", "finds", "why", "source")
        shown = {name: self.shown(getattr(self, name)) for name in ("example", "instead")}
        return {name: getattr(self, name) for name in names} | shown


def escaped(text: str) -> str:
    r"""Return a text in which characters that cannot be printed are escapes of Python.

    >>> escaped("caf\udce9")
    'caf\\xe9'
    """
    return "".join(one if one.isprintable() else escape(one) for one in text)


def escape(character: str) -> str:
    """Return the escape of a character; of one that stands for an undecodable byte, that byte."""
    byte = ord(character) - 0xDC00
    # PEP 383: U+DC80..U+DCFF are the bytes 80..FF.
    return f"\\x{byte:02x}" if 0x80 <= byte <= 0xFF else ascii(character)[1:-1]  # noqa: PLR2004
