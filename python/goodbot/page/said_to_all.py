"""What a document says to all robots, kept so that it can be read for any of them later.

Scope: the header fields, META and LINK elements that speak to robots, whichever they address, and
a document of nothing else. Marks on parts are not among them.

>>> import goodbot
>>> body = "<title>Sea</title><meta name=googlebot content=noindex><meta name=robots content=noai>"
>>> said = goodbot.Page("https://example.com/a", body, robot="bingbot").said_to_all
>>> said.pack()
'{"m":[["googlebot","noindex",0,1,1],["robots","noai",0,1,1]]}'
>>> SaidToAll.unpack(said.pack()) == said
True
"""

import json
from collections.abc import Iterable, Iterator
from functools import lru_cache
from html import escape
from typing import Any

from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass

__all__ = ["LinkRow", "MetaRow", "SaidToAll"]

ENCODER = json.JSONEncoder(separators=(",", ":"))
MOST_LINES = 20_000
"""The last line that a statement keeps; one further down is said to stand there."""
META, LINK = "m", "l"

MetaRow = tuple[str, str, bool, bool, int]
"""A META element: name, content, whether it is an http-equiv, whether in the HEAD, line."""
LinkRow = tuple[str, str, str, str, str, bool, int]
"""A LINK element: rel, href, type, name, content, whether in the HEAD, line."""


@dataclass(frozen=True, slots=True, repr=False)
class SaidToAll:
    """What a document says to all robots."""

    header: tuple[tuple[str, str], ...] = ()
    """The header fields: names in lower case, and values."""
    metas: tuple[MetaRow, ...] = ()
    """The META elements."""
    links: tuple[LinkRow, ...] = ()
    """The LINK elements that name a licence, or another page to index instead."""

    __repr__ = short_repr

    def __bool__(self) -> bool:
        """Return whether it says anything."""
        return bool(self.header or self.metas or self.links)

    def pack(self) -> str:
        """Return it as a text to store; empty if the document says nothing to robots."""
        return packed_said(self.header, self.metas, self.links) if self else ""

    @classmethod
    def unpack(cls, text: str) -> "SaidToAll":
        """Read what `pack` returned.

        Raises:
            ValueError: It is damaged.

        """
        if not text:
            return cls()
        try:
            plain = json.loads(text)
            return cls(
                tuple((str(name), str(value)) for name, value in plain.get("h", ())),
                tuple(
                    (str(name), str(content), bool(pragma), bool(head), int(line))
                    for name, content, pragma, head, line in plain.get(META, ())
                ),
                tuple(
                    (str(rel), str(href), str(kind), str(name), str(content), bool(head), int(line))
                    for rel, href, kind, name, content, head, line in plain.get(LINK, ())
                ),
            )
        except (TypeError, KeyError, AttributeError, RecursionError) as error:
            message = "what a page says to robots is damaged"
            raise ValueError(message) from error

    def document(self) -> tuple[str, list[tuple[str, str]]]:
        """Return a document of these statements alone: its content, and its header fields."""
        header = [*self.header, ("content-type", "text/html; charset=utf-8")]
        return "".join(self._markup()), header

    def _markup(self) -> Iterator[str]:
        """Yield the elements, each in its line."""
        rows: list[tuple[int, bool, str]] = [
            (row[-1], row[-2], meta_tag(row)) for row in self.metas
        ] + [(row[-1], row[-2], link_tag(row)) for row in self.links]
        at, is_head = 1, True
        yield "<!DOCTYPE html><html><head>"
        # Those of the HEAD come first, whatever their lines are.
        for line, in_head, tag in sorted(rows, key=lambda row: (not row[1], row[0])):
            wanted = min(line, MOST_LINES)
            if wanted > at:
                yield "\n" * (wanted - at)
                at = wanted
            if is_head and not in_head:
                yield "</head><body>"
                is_head = False
            yield tag


@lru_cache(maxsize=256)
def packed_said(
    header: tuple[tuple[str, str], ...], metas: tuple[MetaRow, ...], links: tuple[LinkRow, ...]
) -> str:
    """Return what a document says as a text, from a cache: the pages of a site say the same."""
    plain: dict[str, Any] = {}
    if header:
        plain["h"] = [list(field) for field in header]
    if metas:
        plain[META] = [compact(row) for row in metas]
    if links:
        plain[LINK] = [compact(row) for row in links]
    return ENCODER.encode(plain)


def compact(row: Iterable[Any]) -> list[Any]:
    """Return a row with numbers instead of truth values."""
    return [int(one) if isinstance(one, bool) else one for one in row]


def meta_tag(row: MetaRow) -> str:
    """Return a META element."""
    name, content, is_pragma, _, _ = row
    key = "http-equiv" if is_pragma else "name"
    return f'<meta {key}="{attribute(name)}" content="{attribute(content)}">'


def link_tag(row: LinkRow) -> str:
    """Return a LINK element."""
    rel, href, kind, name, content, _, _ = row
    pairs = (("rel", rel), ("href", href), ("type", kind), ("name", name), ("content", content))
    said = "".join(f' {key}="{attribute(value)}"' for key, value in pairs if value)
    return f"<link{said}>"


def attribute(text: str) -> str:
    """Return a text as the value of an attribute, in one line."""
    return escape(text).replace("\n", "&#10;").replace("\r", "&#13;")
