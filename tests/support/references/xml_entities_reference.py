"""The reference for the entities that an XML document declares, from expat's events."""

import html.entities
import re
from contextlib import suppress
from xml.parsers import expat

from goodbot._core import LONGEST_ENTITY

__all__ = ["Prologue", "prologue_of", "without_bombs"]

BLANK = bytes(byte if byte in b"\r\n" else 0x20 for byte in range(256))


PREDEFINED = re.compile("&(?:lt|gt|amp|quot|apos);")


def is_bomb(value: str) -> bool:
    """Return whether an entity is long, or made of others."""
    return len(value) > LONGEST_ENTITY or bool(re.search("[&%]", PREDEFINED.sub("", value)))


class Root(Exception):  # noqa: N818  not an error: it ends the reading
    """The prologue has ended."""


class Prologue:
    """The entities that a document declares."""

    def __init__(self, parser: expat.XMLParserType) -> None:
        """Register for the events of a parser."""
        self.parser = parser
        self.bombs: list[int] = []
        """The places of values that are long, or made of others."""
        self.not_read: str | None = None
        """The first entity that is not read."""
        self.texts: dict[str, str | None] = {}
        """The text of each entity; `None` stands for a gap."""
        parser.EntityDeclHandler = self.entity
        parser.StartElementHandler = self.root

    def entity(
        self,
        name: str,
        is_parameter: bool,  # noqa: FBT001
        value: str | None,
        _base: str | None,
        _system: str | None,
        _public: str | None,
        notation: str | None,
    ) -> None:
        """Record an entity and the place of its value, which is where expat is now."""
        if value is None:
            if not is_parameter and notation is None:
                self.texts.setdefault(name, None)
            return
        if is_bomb(value):
            self.bombs.append(self.parser.CurrentByteIndex)
        if is_bomb(value) or (not is_parameter and "<" in value):
            self.not_read = self.not_read or name
            value = None
        if not is_parameter:
            text = value and PREDEFINED.sub(lambda found: html.unescape(found[0]), value)
            self.texts.setdefault(name, text)

    def read(self, written: str, gap: str) -> str:
        """Return the text of a reference, by the document or by the HTML standard."""
        name = written[1:-1]
        text = self.texts.get(name, html.entities.html5.get(written[1:], ""))
        if text is None:
            self.not_read = self.not_read or name
        return gap if text is None else text

    def root(self, *_: object) -> None:
        """Stop at the root element."""
        raise Root


def prologue_of(body: bytes) -> Prologue:
    """Return the entities that a document declares."""
    parser = expat.ParserCreate("utf-8")
    prologue = Prologue(parser)
    with suppress(Root, expat.ExpatError):
        parser.Parse(body, True)  # noqa: FBT003  the signature is expat's
    return prologue


def without_bombs(body: bytes) -> bytes:
    """Empty the entities that are long or made of others.

    Every other byte keeps its place. If all entities are harmless, the bytes are unchanged.
    """
    pieces, at = [], 0
    for start in prologue_of(body).bombs:
        end = body.find(body[start : start + 1], start + 1)
        if start < at or end < 0:
            continue
        quote = body[start : start + 1]
        pieces += [body[at:start], quote * 2, body[start + 1 : end].translate(BLANK)]
        at = end + 1
    return b"".join([*pieces, body[at:]])
