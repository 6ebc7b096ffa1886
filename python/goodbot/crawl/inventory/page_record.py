"""The facts of one page, as they are stored: numbers, hashes, statuses and URLs of every page.

Scope: selecting and packing. No table is touched, so that a thread may do it. Titles, descriptions
and headings are among them only if the page may be indexed: what may be in no index is in no table.
"""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import NamedTuple

from goodbot.net import Response
from goodbot.page import Page

__all__ = [
    "NOT_READ",
    "OWN_SITE",
    "SHORT_LIVED",
    "PageRecord",
    "packed_urls",
    "record_of_header",
    "record_of_page",
    "record_of_response",
    "unpacked_urls",
]

MAX_TITLE = 500
MAX_DESCRIPTION = 1_000
MAX_SOURCE = 500
LONGEST_LENGTH = 15
"""The most characters of a title or heading, a description, a statement, and of the digits of a
length that are stored."""

NOT_READ = "not-read"
"""The reason if a response was not read because its type is not one that the crawl reads."""
OWN_SITE = "own-site"
"""The reason if robots.txt disallows a page and its owner had it fetched all the same; and the
setting of a crawl that had such a run, which names the proofs of ownership."""
INSTEAD = "index-instead"
"""The reason if the author of a page wants another one indexed in its place."""
SHORT_LIVED = "short-lived"
"""The reason if a page has expired when it comes, and the crawl keeps no such page."""


class PageRecord(NamedTuple):
    """The facts of one response; of those that are not a page, only the first four."""

    status: int
    """The status of the response."""
    bytes: int
    """The number of bytes of its content, decoded."""
    first_byte: float | None
    """The time to first byte in seconds; see `goodbot.net.Response`."""
    content_type: str
    """Its media type, without parameters."""
    indexable: bool | None = None
    """Whether the page may be indexed; `None` if the response is not a page."""
    reason: str = ""
    """The slug of the reason."""
    source: str = ""
    """The statement that decided; empty if none did."""
    until: datetime | None = None
    """When to stop showing the page (`unavailable_after`); `None`: never."""
    title: str | None = None
    description: str | None = None
    h1: str | None = None
    withheld: str = ""
    """The statements that forbid to store any of these texts; empty if there are none."""
    language: str | None = None
    canonical: str | None = None
    """The canonical URL that the page states."""
    h1_count: int = 0
    words: int | None = None
    simhash: int | None = None
    resources: str = ""
    """The resources that the page loads, packed by `packed_urls`."""
    alternates: str = ""
    """The page in other languages, packed in the same way."""
    more: int = 0
    """The number of resources and alternates that are not stored."""
    said: str | None = None
    """What the page says to all robots (`goodbot.page.said_to_all`), packed; `None` if that is not
    kept: it is no page, it says very much, or an older version stored it."""
    said_since: datetime | None = None
    """Since when the page is known to say that; `None` if it is not kept."""


def record_of_response(response: Response) -> PageRecord:
    """Return the facts of a response that is not a page."""
    kind = (response.field("Content-Type") or "").partition(";")[0].strip().lower()
    return PageRecord(
        response.status, len(response.body), response.first_byte, storable(kind, MAX_SOURCE)
    )


def record_of_header(response: Response, page: Page | None, at: datetime, doubt: str) -> PageRecord:
    """Return the facts of a page of which only the header was read.

    Args:
        response: The response.
        page: The page without its content; `None` if the response is not a page.
        at: When the header was read, an aware `datetime`.
        doubt: What was not read and may say more; empty if there is nothing.

    """
    record = record_of_response(response)._replace(bytes=stated_length(response))
    if page is None:
        return record
    index = page.index_at(at)
    said = None if doubt else packed_said(page)
    reason, source = index.reason, index.source
    if index.allowed and doubt:
        reason, source = NOT_READ, doubt
    return record._replace(
        indexable=index.allowed,
        reason=reason,
        source=storable(source, MAX_SOURCE),
        until=page.limits.unavailable_after,
        canonical=page.canonical and storable(page.canonical),
        said=said,
        said_since=None if said is None else at,
    )


def packed_said(page: Page) -> str | None:
    """Return what a page says to all robots as a text to store; `None` if it is not kept."""
    said = page.said_to_all
    return None if said is None else said.pack()


def stated_length(response: Response) -> int:
    """Return how many bytes a response has by its header; 0 if that does not say it."""
    stated = response.field("Content-Length") or ""
    is_plain = stated.isascii() and stated.isdigit() and not response.field("Content-Encoding")
    return int(stated) if is_plain and len(stated) <= LONGEST_LENGTH else 0


def record_of_page(
    page: Page,
    response: Response,
    origin: str,
    at: datetime,
    unwanted: tuple[str, str] | None = None,
) -> PageRecord:
    """Return the facts of a page.

    Args:
        page: The page.
        response: The response that it is in.
        origin: The origin of its URL.
        at: When it was read, an aware `datetime`.
        unwanted: The slug and the source of a reason not to index it that is no mark of the page;
            `None` if there is none.

    """
    facts, index, said = page.facts, page.index_at(at), packed_said(page)
    canonical = page.canonical
    allowed, reason = index.allowed, index.reason
    source = index.source
    if allowed and unwanted is not None:
        allowed, (reason, source) = False, unwanted
    withheld = facts.withheld if allowed else source or reason
    return PageRecord(
        status=response.status,
        bytes=len(response.body),
        first_byte=response.first_byte,
        content_type=storable(page.content_type, MAX_SOURCE),
        indexable=allowed,
        reason=reason,
        source=storable(source, MAX_SOURCE),
        until=page.limits.unavailable_after,
        title=line_of(facts.title, MAX_TITLE) if allowed else None,
        description=line_of(facts.description, MAX_DESCRIPTION) if allowed else None,
        h1=line_of(facts.h1, MAX_TITLE) if allowed else None,
        withheld=withheld and storable(withheld, MAX_SOURCE),
        language=facts.language if allowed else None,
        canonical=canonical and storable(canonical),
        h1_count=facts.h1_count,
        words=facts.words,
        simhash=facts.simhash if allowed else None,
        resources=packed_urls(facts.resources, origin),
        alternates=packed_urls(facts.alternates, origin),
        more=facts.more,
        said=said,
        said_since=None if said is None else at,
    )


def line_of(text: str | None, most: int) -> str | None:
    """Return a text as one line, or `None` if there is nothing in it."""
    return storable(" ".join(text.split()), most) or None if text else None


def storable(text: str, most: int | None = None) -> str:
    """Return a text that a database can store: a lone surrogate from a header becomes `?`."""
    text = text[:most]
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def packed_urls(pairs: Collection[tuple[str, str]], origin: str) -> str:
    r"""Pack names and URLs: a line for each; the origin is omitted where it is the page's own.

    >>> packed = packed_urls([("image", "https://a.example/x"), ("image", "https://b.example/")],
    ...                      "https://a.example")
    >>> packed
    'image /x\nimage https://b.example/'
    >>> list(unpacked_urls(packed, "https://a.example"))
    [('image', 'https://a.example/x'), ('image', 'https://b.example/')]
    """
    if not pairs:
        return ""
    own, length = f"{origin}/", len(origin)
    return "\n".join(
        [
            f"{name} {url[length:] if url.startswith(own) else url}"
            for name, url in pairs
            if url.isascii() and url.isprintable() and " " not in url
        ]
    )


def unpacked_urls(packed: str, origin: str) -> Iterator[tuple[str, str]]:
    """Yield packed names and URLs."""
    for line in packed.split("\n") if packed else ():
        name, _, url = line.partition(" ")
        yield name, origin + url if url.startswith("/") else url
