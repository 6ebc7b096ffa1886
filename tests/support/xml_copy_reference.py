"""The reference for the copy of XML: what may not be kept is replaced by a visible locution.

Source: Robot Exclusion Profile, Examples, for XHTML; other XML has no marks but comments.
"""

from collections.abc import Iterable
from itertools import chain, pairwise

from goodbot.page.plan import Plan
from tests.support.page_walk_reference import ARCHIVE, Cause, Event, Walk, Walker

__all__ = ["XmlCut", "copy_xml"]

SHORT = b"[\xe2\x80\xa6]"
"""What stands for a part: an ellipsis, as the Profile suggests for small ones."""

XmlCut = tuple[Cause, int, int]
"""What forbids it, the octet at which it begins, how many octets of text are left out."""


def copy_xml(
    body: bytes, events: Iterable[Event], plan: Plan, end: int
) -> tuple[bytes, list[XmlCut]]:
    """Copy a document without what may not be kept.

    Args:
        body: The document, in UTF-8.
        events: What stands in it, with the octet at which each begins.
        plan: What its marks mean.
        end: The octet at which the reading ended; what stands behind it is not copied.

    Returns:
        The copy, well-formed if the document is, and its cuts.

    """
    copier = Copier(body, plan)
    for event, behind in pairwise(chain(events, [("other", end)])):
        # What is told of a declaration that is broken off stands behind the end.
        copier.take(event, min(place_of(behind), end))
    return b"".join(copier.kept), copier.cuts


def place_of(event: Event) -> int:
    """Give the octet at which an event begins."""
    kind, *parts = event
    place: int = parts[{"start": 2, "end": 1, "text": 1, "comment": 1}.get(kind, 0)]
    return place


class Copier:
    """Writes what may be kept."""

    def __init__(self, body: bytes, plan: Plan) -> None:
        """Begin before the document."""
        self.body = body
        self.walker = Walker(Walk(plan, ""), xml=True)
        self.kept: list[bytes] = []
        self.cuts: list[XmlCut] = []
        self.is_left_out = False
        # Of each open element, whether its tags are kept.
        self.tags: list[bool] = []
        # What stands before the first event, such as a declaration, is kept with it.
        self.at = 0

    def take(self, event: Event, end: int) -> None:
        """Take up what stands between one event and the next."""
        kind, *parts = event
        start = self.at
        self.at = max(end, start)
        source = self.body[start : self.at]
        if kind == "start":
            self.walker.start(parts)
            cause = self.forbids(start)
            # A document has one element that holds all: its tags are kept, without what they say.
            self.tags.append(cause is None or not self.tags)
            if cause is not None:
                self.leave_out(cause, start, 0)
                source = b"" if len(self.tags) > 1 else bare(source)
            self.keep(source)
        elif kind == "end":
            self.walker.end(parts[0])
            if self.tags and self.tags.pop():
                self.keep(source)
        elif kind != "left out":
            cause = self.forbids(start)
            if cause is None:
                self.keep(source)
            elif kind == "text" and source.strip():
                self.leave_out(cause, start, len(source))

    def forbids(self, place: int) -> Cause | None:
        """Find what forbids to keep what stands at a place."""
        cause = self.walker.found.cause(ARCHIVE, place, self.walker.states[-1])
        return None if cause is None or cause[1] else cause

    def keep(self, source: bytes) -> None:
        """Keep a piece of the source."""
        self.is_left_out &= not source.strip()
        self.kept.append(source)

    def leave_out(self, cause: Cause, place: int, octets: int) -> None:
        """Leave a piece out; what stands behind another that is left out is one cut with it."""
        if self.is_left_out:
            before, at, size = self.cuts[-1]
            self.cuts[-1] = (before, at, size + octets)
            return
        if self.tags[:-1] or octets:
            self.kept.append(SHORT)
        self.cuts.append((cause, place, octets))
        self.is_left_out = True


def bare(tag: bytes) -> bytes:
    """Give a tag without its attributes."""
    name = tag.strip(b"<>/ \t\r\n").split(None, 1)[:1]
    return b"<" + b"".join(name) + (b"/>" if tag.rstrip().endswith(b"/>") else b">")
