"""The links of one page, packed for the database: where they lead, how, and with which words.

Scope: selecting and packing. No table is touched, so that a thread may do it. The words of a link
are stored only where its page may be indexed; otherwise the reason is stored in their place.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import chain
from typing import Any, Literal, NamedTuple

from goodbot._core import LinkTable
from goodbot.crawl.links.compact_rows import DAMAGED, MOST_BYTES, no_rows, unpacked_rows
from goodbot.errors import NotAStoreError

__all__ = [
    "EXTERNAL",
    "FOLLOWED",
    "KINDS",
    "LISTED",
    "NOFOLLOW",
    "NO_LINKS",
    "RESOURCE",
    "LinkKind",
    "PageLinks",
    "PageRow",
    "StoredLink",
    "listed_links",
    "page_links",
    "stored_links",
    "with_resources",
]

FOLLOWED = 1
"""The page has a link to the target that may be followed."""
NOFOLLOW = 2
"""The page has a link to the target that must not be followed."""
LISTED = 4
"""The page is a sitemap that lists the target."""
RESOURCE = 8
"""The page loads the target, and does not link to it."""
EXTERNAL = 16
"""The target is on another origin than the page."""

LinkKind = Literal["link", "html-refresh", "header-refresh", "sitemap", "resource"]
KINDS: tuple[LinkKind, ...] = (
    "link",
    "html-refresh",
    "header-refresh",
    "sitemap",
    "resource",
)
"""The kinds of links; the numbers that are stored are places in this list."""

MOST_LINKS = 10_000
"""How many links of one page are stored with their details."""
MAX_TEXT = 200
"""How many characters of the text of a link are stored."""
MAX_REL = 60
"""How many characters of the relations of a link are stored."""
RELATIONS = (
    # HTML, 4.6.7 Link types
    "alternate author bookmark canonical compression-dictionary dns-prefetch expect external help "
    "icon license manifest me modulepreload next nofollow noopener noreferrer opener pingback "
    "preconnect prefetch preload prev privacy-policy search stylesheet tag terms-of-service "
    # Google, qualify outbound links
    "sponsored ugc "
    # HTML 4.01, 6.12 Link types
    "appendix chapter contents copyright glossary index section start subsection "
    # IANA, link relations
    "about archives collection describedby first last payment previous related self shortlink "
    "type up via"
)
KNOWN_RELATIONS = frozenset(RELATIONS.split())
"""The relations that are stored of a link without its text: any other may be words of the page."""
COLUMNS = 7
"""How many values are stored for each link."""
KNOWN_PAGES = 4
"""Of how many pages the links are remembered, since one link after the other is asked for."""


class StoredLink(NamedTuple):
    """One link, at one place of a page."""

    page: int
    """The number of the page's URL."""
    target: int
    """The number of the URL that it leads to."""
    kind: LinkKind
    """Its kind."""
    rel: str
    """Its relations, as written; only known ones if it has no text because that is withheld."""
    text: str | None
    """Its text; `None` if it must not be stored or shown."""
    withheld: str
    """Why there is no text; empty if there is."""
    line: int
    """The number of its line in the page, from 1; 0 for a header field and in a sitemap."""
    nofollow: str
    """The statement that forbids to follow it; empty if it may be followed."""
    is_external: bool
    """Whether it leads to another origin."""


class PageRow(NamedTuple):
    """What is stored of the links of a page."""

    page: int
    """The number of the page's URL."""
    targets: Sequence[int]
    """The numbers of the URLs to which it links, each once; not above 0 for one that is not
    stored, such as one that another part of the crawl has not received yet."""
    kinds: bytes
    """How it links to each."""
    details: bytes | None
    """Its links one by one, as `PageLinks.details` has them; `None` for a sitemap."""
    withheld: str
    """Why none of their texts is stored or shown; empty if they are."""


class PageLinks(NamedTuple):
    """The links of one page, packed."""

    kinds: bytes
    """For each target, how the page links to it: the sum of `FOLLOWED`, `EXTERNAL` and so on."""
    details: bytes | None = None
    """The links one by one; see `stored_links`. `None` for a sitemap, whose entries have none."""
    omitted: int = 0
    """How many more links the page has, whose details are not stored."""
    withheld: str = ""
    """Why no text is stored: the statement that forbids to index the page; empty if texts are."""
    until: datetime | None = None
    """When to stop showing the texts (`unavailable_after`); `None`: never."""


NO_LINKS = PageLinks(b"")
"""The links of a page that has none."""


def page_links(
    table: LinkTable,
    origin: str,
    withheld: str,
    until: datetime | None = None,
    most_bytes: int = MOST_BYTES,
) -> PageLinks:
    """Pack the links of a page.

    Args:
        table: The links. The numbers of its targets are passed to `LinkWriter.record` in order.
        origin: The origin of the page.
        withheld: Why the page must not be indexed; empty if it may be.
        until: When to stop showing the texts; `None`: never.
        most_bytes: How many bytes the links may take before they are compressed.

    """
    limits = (MOST_LINKS, MAX_REL, MAX_TEXT, most_bytes)
    kinds, details, omitted = table.packed(origin, bool(withheld), known_relations, limits)
    return PageLinks(kinds, details, omitted, withheld, until) if kinds else NO_LINKS


def known_relations(rel: str) -> str:
    """Return the relations of a link without those that may be words of its page.

    >>> known_relations("NoFollow brass-lamps ugc")
    'NoFollow ugc'
    """
    return " ".join(one for one in rel.split() if one.lower() in KNOWN_RELATIONS)


def listed_links(external: Sequence[bool]) -> PageLinks:
    """Pack the entries of a sitemap.

    Args:
        external: For each of them, whether it is on another origin than the sitemap.

    >>> listed_links([False, True]).kinds == bytes([LISTED, LISTED | EXTERNAL])
    True
    """
    return PageLinks(bytes(LISTED | EXTERNAL if other else LISTED for other in external))


def stored_links(row: PageRow, target: int | None = None) -> Iterator[StoredLink]:
    """Yield the links of a page one by one, in the order in which they are written.

    Args:
        row: What is stored of them.
        target: Only links to this URL, by its number; `None` for all.

    Raises:
        NotAStoreError: They are damaged.

    >>> from goodbot.page import Page
    >>> body = b"<a href=/a>one</a> <a href=/b rel=nofollow>two</a>"
    >>> page = Page("https://a.example/", body)
    >>> links = page_links(LinkTable(page.links), "https://a.example", "")
    >>> row = PageRow(7, [8, 9], links.kinds, links.details, "")
    >>> [(one.target, one.text, one.line, one.nofollow) for one in stored_links(row)]
    [(8, 'one', 1, ''), (9, 'two', 1, 'nofollow, line 1')]
    """
    if target is not None and target not in row.targets:
        return
    only = None if target is None else row.targets.index(target)
    try:
        links = entries_of(row, only) if row.details is None else unpacked(row, row.details, only)
        found = chain(links, resources_of(row, only))
        yield from (one for one in found if one.target > 0)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise NotAStoreError(DAMAGED) from error


def with_resources(links: PageLinks, external: Sequence[bool]) -> PageLinks:
    """Add what a page loads behind its links.

    Args:
        links: The links.
        external: For each resource, whether it is on another origin than the page.

    >>> with_resources(NO_LINKS, [False]).kinds == bytes([RESOURCE])
    True
    """
    if not external:
        return links
    kinds = bytes(RESOURCE | EXTERNAL if other else RESOURCE for other in external)
    details = no_rows(COLUMNS) if links.details is None else links.details
    return links._replace(kinds=links.kinds + kinds, details=details)


def resources_of(row: PageRow, only: int | None) -> Iterator[StoredLink]:
    """Yield what a page loads, or one of it; it has neither text nor line."""
    for number in range(len(row.kinds)) if only is None else (only,):
        kind = row.kinds[number]
        if kind & RESOURCE:
            target, is_external = row.targets[number], bool(kind & EXTERNAL)
            yield StoredLink(row.page, target, "resource", "", None, "", 0, "", is_external)


def entries_of(row: PageRow, only: int | None) -> Iterator[StoredLink]:
    """Yield the entries of a sitemap, or one of them; they have neither text nor line."""
    for number in range(len(row.kinds)) if only is None else (only,):
        is_external = bool(row.kinds[number] & EXTERNAL)
        yield StoredLink(row.page, row.targets[number], "sitemap", "", None, "", 0, "", is_external)


@lru_cache(KNOWN_PAGES)
def rows_by_target(details: bytes) -> tuple[dict[int, list[tuple[Any, ...]]], list[Any]]:
    """Return the links of a page by the places of their targets; see `unpacked_rows`."""
    rows, sources = unpacked_rows(details, COLUMNS)
    found: dict[int, list[tuple[Any, ...]]] = {}
    for row in rows:
        found.setdefault(row[0], []).append(row)
    return found, sources


def unpacked(row: PageRow, details: bytes, only: int | None) -> Iterator[StoredLink]:
    """Yield the links of a page, or those to one of its targets, by its place among them."""
    rows: Iterable[tuple[Any, ...]]
    if only is None:
        rows, sources = unpacked_rows(details, COLUMNS)
    else:
        by_target, sources = rows_by_target(details)
        rows = by_target.get(only, ())
    for number, line, kind, rel, forbids, text, barred in rows:
        why = row.withheld or sources[barred]
        yield StoredLink(
            row.page,
            row.targets[number],
            KINDS[kind],
            known_relations(rel or "") if why else rel or "",
            None if why else text or "",
            why,
            line,
            sources[forbids],
            bool(row.kinds[number] & EXTERNAL),
        )
