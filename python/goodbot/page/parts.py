"""Parts of a document: runs of text and links, each with its verdicts; what a copy leaves out."""

from typing import NamedTuple

from goodbot._core import Link, Run
from goodbot.display import short_repr
from goodbot.page.verdict import PageVerdict

__all__ = ["Copy", "Cut", "Link", "Run"]


class Cut(NamedTuple):
    """A part that is left out of a copy."""

    verdict: PageVerdict
    """Why."""
    line: int
    """The number of the line on which it begins."""
    bytes: int
    """How many octets of text are left out; an image has none."""

    def __repr__(self) -> str:
        """Show the values, each cut where it is long."""
        return short_repr(self)


class Copy(NamedTuple):
    """The copy of a document that may be kept. It is true if one may be kept.

    Whatever encoding the document declares, this is a `str`: written as `utf-8-sig`, its mark
    counts before what an HTML document declares (HTML 13.2.3.2); that of XML is mended.
    """

    html: str | None
    """The document with a locution in the place of every cut; `None` if none may be kept, and of
    what is no text, such as an image: its octets are the copy then."""
    cuts: list[Cut]
    """What is left out."""
    verdict: PageVerdict
    """Whether a copy may be kept at all, and who says so."""

    def __repr__(self) -> str:
        """Show the values, each cut where it is long."""
        return short_repr(self)

    def __bool__(self) -> bool:
        """Whether a copy may be kept."""
        return self.verdict.allowed
