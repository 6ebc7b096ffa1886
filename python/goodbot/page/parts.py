"""Parts of a document: runs of text and links, each with its verdicts; what a copy leaves out."""

from typing import NamedTuple

from goodbot._core import Link, Run
from goodbot.page.statement import PageVerdict

__all__ = ["Copy", "Cut", "Link", "Run"]


class Cut(NamedTuple):
    """A part that is left out of a copy."""

    verdict: PageVerdict
    """Why."""
    line: int
    """The number of the line on which it begins."""
    octets: int
    """How many octets of text are left out; an image has none."""


class Copy(NamedTuple):
    """The copy of a document that may be kept. It is true if there is one."""

    html: str | None
    """The document with a locution in the place of every cut; `None` if none may be kept."""
    cuts: list[Cut]
    """What is left out."""
    verdict: PageVerdict
    """Whether a copy may be kept at all, and who says so."""

    def __bool__(self) -> bool:
        """Whether there is a copy."""
        return self.html is not None
