"""Entities that a document of XML declares: those that could make much of little are taken away."""

from contextlib import suppress
from xml.parsers import expat

from goodbot._core import LONGEST_ENTITY
from goodbot.page.finding_codes import Findings

__all__ = ["without_bombs"]

BLANK = bytes(octet if octet in b"\r\n" else 0x20 for octet in range(256))


class Root(Exception):  # noqa: N818  no error: it ends the reading
    """The prologue has ended."""


class Prologue:
    """Where entities are declared that are long, or made of others."""

    def __init__(self, parser: expat.XMLParserType) -> None:
        """Listen to a parser."""
        self.parser = parser
        self.unsafe: list[tuple[str, int]] = []
        parser.EntityDeclHandler = self.entity
        parser.StartElementHandler = self.root

    def entity(self, name: str, _is_parameter: bool, value: str | None, *_: object) -> None:  # noqa: FBT001  as expat calls it
        """Note an entity, and where its value stands: that is what expat has come to."""
        if value is not None and (len(value) > LONGEST_ENTITY or "&" in value or "%" in value):
            self.unsafe.append((name, self.parser.CurrentByteIndex))

    def root(self, *_: object) -> None:
        """Stop at the root element."""
        raise Root


def without_bombs(body: bytes, findings: Findings) -> bytes:
    """Empty the entities that are long or made of others.

    Every other octet keeps its place. Where entities are harmless the octets are as they were.

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
    shown = prologue.unsafe[0][0][:60]
    message = f"the entity {shown!r} is long or made of others; such are read as if they were empty"
    findings.add("unsafe-entity", message)
    pieces, at = [], 0
    for _name, start in prologue.unsafe:
        end = body.find(body[start : start + 1], start + 1)
        if start < at or end < 0:
            continue
        quote = body[start : start + 1]
        pieces += [body[at:start], quote * 2, body[start + 1 : end].translate(BLANK)]
        at = end + 1
    return b"".join([*pieces, body[at:]])
