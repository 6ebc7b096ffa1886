"""Entities that a document of XML declares: those that could make much of little are taken away."""

from contextlib import suppress
from xml.parsers import expat

from goodbot.page.finding_codes import Findings

__all__ = ["without_bombs"]

LONGEST = 64
"""An entity may stand for this many characters. A reference has three octets at least, so that the
attributes of a document grow to some twenty times its size at most."""

BLANK = bytes(octet if octet in b"\r\n" else 0x20 for octet in range(256))


class Root(Exception):  # noqa: N818  no error: it ends the reading
    """The prologue has ended."""


class Prologue:
    """What the document type declaration declares, and where it stands."""

    def __init__(self, parser: expat.XMLParserType) -> None:
        """Listen to a parser."""
        self.parser = parser
        self.start = self.end = 0
        self.unsafe = ""
        parser.StartDoctypeDeclHandler = self.begin
        parser.EndDoctypeDeclHandler = self.finish
        parser.EntityDeclHandler = self.entity
        parser.StartElementHandler = self.root

    def begin(self, *_: object) -> None:
        """Note where it begins."""
        self.start = self.parser.CurrentByteIndex

    def finish(self) -> None:
        """Note where it ends."""
        self.end = self.parser.CurrentByteIndex

    def entity(self, name: str, _is_parameter: bool, value: str | None, *_: object) -> None:  # noqa: FBT001  as expat calls it
        """Note an entity that is long, or made of others."""
        if value is not None and (len(value) > LONGEST or "&" in value or "%" in value):
            self.unsafe = self.unsafe or name

    def root(self, *_: object) -> None:
        """Stop at the root element."""
        raise Root


def without_bombs(body: bytes, findings: Findings) -> bytes:
    """Blank out the subset of a document that declares entities which are long or nested.

    Every octet behind it keeps its place. Where entities are harmless the octets are as they were.

    Args:
        body: The document, in UTF-8.
        findings: Where it is told.

    """
    if b"<!ENTITY" not in body:
        return body
    parser = expat.ParserCreate("utf-8")
    prologue = Prologue(parser)
    with suppress(Root, expat.ExpatError):
        parser.Parse(body, True)  # noqa: FBT003  the signature is expat's
    if not prologue.unsafe:
        return body
    shown = prologue.unsafe[:60]
    message = f"the entity {shown!r} is long or made of others; no declared entity is expanded"
    findings.add("unsafe-entity", message)
    # expat comes to the `[` first, and to the `>` last.
    start = body.find(b"[", prologue.start) + 1
    end = max(body.rfind(b"]", start, prologue.end), start) if prologue.end else len(body)
    return body[:start] + body[start:end].translate(BLANK) + body[end:]
