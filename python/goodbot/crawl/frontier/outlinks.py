"""The outlinks of a page: its links, its preferred page, and which of them may be followed.

Scope: decisions based on what a page says. Nothing is visited or stored.
"""

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from goodbot._core import LinkTable
from goodbot.crawl.folder.records import Discovery, How, QueuedUrl
from goodbot.crawl.frontier.protocol import Candidate, QueueEntry, ScopeFilter
from goodbot.errors import NoOriginError
from goodbot.http.address import address_of, spelling_of
from goodbot.page import Page
from goodbot.page.document import link_table

__all__ = ["NOWHERE", "Outlinks", "outlinks_of", "to_candidate"]

NOFOLLOW = "nofollow"


class Outlinks(NamedTuple):
    """The outlinks of a page."""

    links: Collection[Candidate]
    """Every URL that the page links to, each once; behind them what it loads, if that is wanted."""
    table: LinkTable
    """The links to them, in the same order, without what it loads."""
    stands_for: Candidate | None
    """The page to index in its place (canonical, INDEXINSTEAD), if it may be visited."""
    instead: str = ""
    """The URL that its author wants indexed instead (META URL, INDEXINSTEAD), whether or not it may
    be visited; empty if there is none."""


NOWHERE = Outlinks([], LinkTable([]), None)
"""The outlinks of a response that is not a page."""


MAX_KNOWN = 512
known_address_of = lru_cache(maxsize=20_000)(address_of)
"""A site links to a few URLs many times. Long URLs are not cached, to limit the memory used."""


def outlinks_of(
    page: Page, taken: QueuedUrl, refuses: ScopeFilter, resources: Collection[str] = ()
) -> Outlinks:
    """Return the outlinks of a page.

    Args:
        page: The page.
        taken: The URL it was fetched from.
        refuses: The bounds of the crawl.
        resources: The kinds of resources to visit as well (`goodbot.page.media_types`).

    Source: Robots META tag, 1996, and Robot Exclusion Profile (nofollow); RFC 6596 section 3
    (canonical: the target is to be preferred); Spidering BOF report, 1996 (INDEXINSTEAD).
    """
    instead = instead_of(page)
    if refuses(taken.url, taken.origin, taken.depth) is not None:
        return Outlinks(
            [], NOWHERE.table, None, instead
        )  # now out of bounds: revisited, not followed
    table = link_table(page)
    depth = taken.depth + 1
    links: Collection[Candidate] = table.candidates(depth, refuses, Discovery, QueueEntry)
    if resources and page.follow:
        linked = list(links)
        known = {entry.url for _, entry in linked}
        loaded = resources_of(page, depth, refuses, resources)
        links = [*linked, *(one for one in loaded if one[1].url not in known)]
    stands_for = preferred(page, taken, refuses)
    return Outlinks(links, table, stands_for, instead)


def resources_of(
    page: Page, depth: int, refuses: ScopeFilter, kinds: Collection[str]
) -> Iterator[Candidate]:
    """Yield what a page loads, as far as it belongs to the crawl, each URL once."""
    seen: set[str] = set()
    for kind, url in page.facts.resources:
        found = to_candidate(Discovery(url, "link"), depth, refuses) if kind in kinds else None
        if found is not None and not found[1].skip_reason and found[1].url not in seen:
            seen.add(found[1].url)
            yield found


def instead_of(page: Page) -> str:
    """Return the URL that the author of a page wants indexed instead; empty if there is none."""
    is_dropped = page.index.reason == "index-instead"
    return (page.index_instead or "") if is_dropped else ""


def preferred(page: Page, taken: QueuedUrl, refuses: ScopeFilter) -> Candidate | None:
    """Return the page to index in place of this one, if there is one that may be visited.

    If links of the page must not be followed, the page itself is indexed: otherwise neither would
    be.
    """
    if (page.index_instead is None and page.canonical is None) or not page.follow:
        return None
    choices: tuple[tuple[How, str | None], ...] = (
        ("index-instead", page.index_instead),
        ("canonical", page.canonical),
    )
    for how, url in choices:
        if url is None:
            continue
        pair = to_candidate(Discovery(url, how), taken.depth, refuses)
        if pair is not None and not pair[1].skip_reason and pair[1].url != taken.url:
            return pair
    return None


def to_candidate(
    found: Discovery, depth: int, refuses: ScopeFilter, hops: int = 0
) -> Candidate | None:
    """Return a URL with its queue entry; `None` if it is not an HTTP or HTTPS URL."""
    try:
        resolve = known_address_of if len(found.url) <= MAX_KNOWN else address_of
        origin, url = resolve(found.url)
    except NoOriginError:
        return None
    skip_reason = "" if found.follow else NOFOLLOW
    skip_reason = skip_reason or refuses(url, origin, depth) or ""
    spelling = spelling_of(found.url)
    return found, QueueEntry(url, origin, depth, hops, skip_reason, found.source, spelling)
