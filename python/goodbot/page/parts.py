"""Parts of a document: runs of text and links, each with its verdicts, and cuts of a copy."""

from typing import NamedTuple

from goodbot._core import Link, Run
from goodbot.display import short_repr
from goodbot.page.verdict import PageVerdict

__all__ = ["Copy", "Cut", "Link", "Run"]


class Cut(NamedTuple):
    """A part that a copy omits."""

    verdict: PageVerdict
    """The verdict that forbids to keep it."""
    line: int
    """The number of the line on which the part begins, from 1."""
    bytes: int
    """The number of bytes of text that are omitted; 0 for an image."""

    def __repr__(self) -> str:
        """Show the values, each cut where it is long."""
        return short_repr(self)


class Copy(NamedTuple):
    """The copy of a document that may be kept. It is true if one may be kept.

    The copy is a `str`, whatever encoding the document declares. Write it to a file as
    `utf-8-sig`: the byte order mark overrides the declaration in HTML (HTML 13.2.3.2), and the
    declaration in XML is changed to UTF-8.
    """

    html: str | None
    """The document with visible words in place of every cut. It is `None` if no copy may be kept,
    and for content that is not text, such as an image, whose bytes are the copy."""
    cuts: list[Cut]
    """The parts that the copy omits."""
    verdict: PageVerdict
    """Whether a copy may be kept at all, with the source of that answer."""

    def __repr__(self) -> str:
        """Show the values, each cut where it is long."""
        return short_repr(self)

    def __bool__(self) -> bool:
        """Return whether a copy may be kept."""
        return self.verdict.allowed
