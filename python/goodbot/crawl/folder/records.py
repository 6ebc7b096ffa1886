"""What goes from one part of a crawl to another: plain values.

What may live here: records without behaviour. Each part knows these, and not the other parts.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

__all__ = ["Anchor", "Discovery", "Document", "How", "Kept", "KeptKind", "QueuedUrl"]

How = Literal[
    "start",
    "link",
    "redirect",
    "canonical",
    "index-instead",
    "sitemap",
    "sitemap-file",
    "please-visit",
]
"""How a URL was found; a `sitemap-file` is a sitemap itself, and `please-visit` is the field of
robots.txt that asks for visits."""

KeptKind = Literal["response", "conversion", "metadata", "revisit", "robots-txt"]
"""What a record of the archive is: an answer as received; a copy without what may not be kept, and
the metadata that say what that is; an answer whose content is kept already; an answer to the
request for a robots.txt, as received."""


@dataclass(frozen=True, slots=True)
class QueuedUrl:
    """A URL that was taken out of the queue, under a lease."""

    id: int
    """Its number in the crawl."""
    url: str
    """The URL in its normal form (`goodbot.http.address.address_of`)."""
    origin: str
    """Its origin."""
    depth: int
    """How many links lie between it and where the crawl began."""
    hops: int
    """How many redirects led to it in a row."""
    attempts: int
    """How often it was tried before."""
    how: How
    """How it was found."""
    source: str = ""
    """Who said what about it last; of a sitemap always the origin that names it."""
    visit: int = 1
    """How often it has been leased, this time included: with `id` it names the visit."""
    spelling: str = ""
    """The URL as it was found first, where its escapes are other ones; either may be forbidden."""


@dataclass(frozen=True, slots=True)
class Discovery:
    """A URL that was found on a page, in a sitemap, or behind a redirect."""

    url: str
    """The URL, absolute."""
    how: How
    follow: bool = True
    """Whether it may be followed."""
    source: str = ""
    """If it may not: who says so, such as `nofollow, line 2`."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """The text of a link that may describe its target."""

    target: int
    """The number of the URL to which it leads."""
    text: str


@dataclass(frozen=True, slots=True)
class Document:
    """What the index takes of a page: only what may be indexed."""

    title: str
    """Empty if it may not be indexed."""
    text: str
    """What `Page.text()` gives: a line a block, `…` where something within one is left out."""
    quotable: str
    """The text that may be quoted as well; empty if nothing may be."""
    longest_quote: int | None
    """The most characters that may be quoted (`max-snippet`); `None`: any number."""
    until: datetime | None
    """From when on it is not to be shown (`unavailable_after`); `None`: for ever."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A record of the archive, and where it is."""

    kind: KeptKind
    file: str
    """The name of the WARC file within the folder of the crawl."""
    offset: int
    """Where the record begins in it, in octets."""
    length: int
    """How long it is there, in octets."""
