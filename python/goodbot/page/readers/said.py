"""What a document says to all robots, found in what was read of it.

Scope: selecting. `goodbot.page.said_to_all` has the value.
"""

from collections.abc import Sequence

from goodbot.page.readers.arguments import Given
from goodbot.page.readers.spoken import meta_speaks
from goodbot.page.said_to_all import LinkRow, MetaRow, SaidToAll
from goodbot.page.statements import HEADERS

__all__ = ["MOST_BYTES", "find_said"]

MOST_BYTES = 4_000
"""The most bytes that are kept of a document; one that says more is not kept."""
FIELDS = {*HEADERS, "content-usage", "content-signal", "tdm-reservation", "tdm-policy", "link"}
"""The header fields that speak to robots, in lower case; Link does if it names a licence."""


def find_said(
    given: Given, metas: Sequence[MetaRow] = (), links: Sequence[LinkRow] = ()
) -> SaidToAll | None:
    """Return what a document says to all robots; `None` if that is too much to keep.

    Args:
        given: The arguments of the page, with the header fields.
        metas: The META elements.
        links: The LINK elements.

    """
    header: tuple[tuple[str, str], ...] = ()
    if not FIELDS.isdisjoint(given.names):
        header = tuple([field for field in given.fields if field_speaks(*field)])
    spoken = tuple([row for row in metas if meta_speaks(row[0], row[1])]) if metas else ()
    licences = tuple([row for row in links if link_counts(row)]) if links else ()
    if not (header or spoken or licences):
        return NOTHING
    size = sum([len(one) for row in (*header, *spoken, *licences) for one in row
                if isinstance(one, str)])  # fmt: skip
    return SaidToAll(header, spoken, licences) if size <= MOST_BYTES else None


NOTHING = SaidToAll()


def field_speaks(name: str, value: str) -> bool:
    """Return whether a header field speaks to robots."""
    return name in FIELDS and (name != "link" or "license" in value.lower())


def link_counts(row: LinkRow) -> bool:
    """Return whether a LINK element names a licence, or another page to index instead."""
    return "license" in row[0].lower().split() or row[3].lower() == "indexinstead"
