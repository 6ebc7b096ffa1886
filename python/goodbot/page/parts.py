"""Parts of a document: runs of text and links, each with its verdicts."""

from typing import Any, NamedTuple

from goodbot.page.statement import PageVerdict

__all__ = ["Copy", "Cut", "Link", "Run"]


class Run(NamedTuple):
    """A run of visible text within one block, all of which may be treated alike.

    A run without text that may not be indexed is a gap: the words around it are no phrase.
    """

    text: str
    """The text, each run of white space one space."""
    index: PageVerdict  # type: ignore[assignment]  # not the method of tuples
    """Whether it may be indexed."""
    archive: PageVerdict
    """Whether it may be kept in a copy."""
    snippet: PageVerdict
    """Whether it may be quoted."""
    block: bool
    """Whether a new block begins with it."""
    line: int
    """The number of the line on which it begins."""

    def as_dict(self) -> dict[str, Any]:
        """Give plain values, for JSON."""
        return {
            "text": self.text,
            "index": self.index.allowed,
            "archive": self.archive.allowed,
            "snippet": self.snippet.allowed,
            "block": self.block,
            "line": self.line,
        }


class Link(NamedTuple):
    """A link."""

    url: str
    """Where it leads, resolved against the base of the document."""
    text: str
    """Its text, each run of white space one space; images stand for their `alt`."""
    rel: str
    """Its relations, as written."""
    rev: str
    """Its reverse relations, as written: `vote-for`, `vote-abstain`, `vote-against` are votes."""
    follow: PageVerdict
    """Whether it may be followed."""
    anchor: PageVerdict
    """Whether its text may describe the target."""
    resolved: bool
    """Whether the address could be resolved; else `url` is as written."""
    line: int
    """The number of the line on which it stands."""

    @property
    def vote(self) -> str | None:
        """The vote that its author casts: `for`, `abstain`, `against`, or `None`.

        Source: vote-links microformat.
        """
        words = self.rev.lower().split()
        votes = (word.removeprefix("vote-") for word in words if word.startswith("vote-"))
        return next((vote for vote in votes if vote in {"for", "abstain", "against"}), None)

    def as_dict(self) -> dict[str, Any]:
        """Give plain values, for JSON."""
        return {
            "url": self.url,
            "text": self.text,
            "rel": self.rel,
            "rev": self.rev,
            "follow": self.follow.allowed,
            "follow_source": self.follow.source,
            "anchor": self.anchor.allowed,
            "line": self.line,
        }


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
