"""Plain values that the rooms of a crawl pass to one another.

Scope: records without behaviour. The rooms share these and do not import one another.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from goodbot import _core
from goodbot.lazy_dataclass import dataclass

__all__ = [
    "Anchor",
    "Discovery",
    "Document",
    "How",
    "Kept",
    "KeptKind",
    "QueuedUrl",
    "StoredManners",
    "anchors_from",
]

How = Literal[
    "start",
    "link",
    "redirect",
    "canonical",
    "index-instead",
    "sitemap",
    "sitemap-file",
    "please-visit",
    "capture",
]
"""How a URL was found. A `sitemap-file` is the URL of a sitemap itself; `please-visit` is the field
of robots.txt that asks for visits; a `capture` is in a WARC file that was imported."""

KeptKind = Literal["response", "conversion", "metadata", "revisit", "robots-txt"]
"""What a record of the archive is.

`response`: a response as received. `conversion`: a copy without the parts that must not be kept.
`metadata`: a list of these parts. `revisit`: a response whose content is kept already.
`robots-txt`: the response to a request for robots.txt, as received.
"""


class QueuedUrl(NamedTuple):
    """A URL that was taken from the queue under a lease."""

    id: int
    """The number of the URL in the crawl."""
    url: str
    """The URL in its normal form (`goodbot.http.address.address_of`)."""
    origin: str
    """The origin of the URL."""
    depth: int
    """The number of links between a start URL and this one."""
    hops: int
    """The number of consecutive redirects that led to it."""
    attempts: int
    """The number of failed attempts so far."""
    how: How
    """How it was found."""
    source: str = ""
    """The source of the latest statement on it; for a sitemap, the origin that names it."""
    visit: int = 1
    """How often it has been leased, including this time; with `id` it identifies the visit."""
    spelling: str = ""
    """The URL as first found, if its escapes differ; rules may match either spelling."""


class Discovery(NamedTuple):
    """A URL that was found on a page, in a sitemap or in a redirect."""

    url: str
    """The absolute URL."""
    how: How
    """How it was found."""
    follow: bool = True
    """Whether the robot is allowed to follow it."""
    source: str = ""
    """If not: the statement that forbids it, such as `nofollow, line 2`."""


class Anchor(NamedTuple):
    """The text of a link that may describe its target."""

    target: int
    """The number of the URL that it leads to."""
    text: str
    """The text of the link."""


def anchors_from(pairs: Sequence[tuple[int, str]], url_ids: Sequence[int]) -> list[Anchor]:
    """Return the texts of links that lead to stored URLs.

    Args:
        pairs: The place of the target of each, and its text.
        url_ids: The numbers of the targets; 0 for a URL that is not stored.

    >>> anchors_from([(0, "Chairs"), (1, "Lamps")], [0, 7])
    [Anchor(target=7, text='Lamps')]
    """
    return _core.anchors_from(pairs, url_ids, Anchor)


@dataclass(frozen=True, slots=True)
class Document:
    """The parts of a page that the index stores: only those that may be indexed."""

    title: str
    """The title; empty if it must not be indexed."""
    text: str
    """The result of `Page.text()`: one line a block, with `…` for omitted parts of a block. Of what
    must not be archived it has only words, sorted, a line for each."""
    quotable: str
    """The text that may also be quoted; empty if quoting is not allowed."""
    longest_quote: int | None
    """The maximum length of a quotation in characters (`max-snippet`); `None`: no limit."""
    until: datetime | None
    """When to stop showing the page (`unavailable_after`); `None`: never."""
    marks: tuple[str, ...] = ()
    """Marks of the phrases of a text that must not be archived; see `phrase_marks`."""
    described: tuple[str, ...] = ()
    """META description and each of the META keywords: they can be found, and are not quoted."""
    abstract: str = ""
    """META description if it may be shown with a result; empty if there is none."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A record of the archive and its place."""

    kind: KeptKind
    """What the record is."""
    file: str
    """The name of the WARC file within the folder of the crawl."""
    offset: int
    """Where the record begins in the file, in bytes."""
    length: int
    """The length of the record in the file, in bytes."""


class StoredManners(NamedTuple):
    """The robot's own settings of the pace, from one request on."""

    after: int
    """The number of the last request before."""
    stated: str
    """The settings as JSON: fields of `goodbot.pace.Manners`."""
    is_known: bool
    """Whether they held at the time; if not, an older version of goodbot made the requests, and
    these are the newest of its settings."""
