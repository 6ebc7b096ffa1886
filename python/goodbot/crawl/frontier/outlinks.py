"""Where a page leads: its links, the page that it stands for, and who forbids to go there.

What may live here: decisions on what a page says. Nothing is visited, and nothing is kept.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, fields
from functools import lru_cache
from operator import attrgetter

from goodbot.crawl.folder.records import Discovery, How, QueuedUrl
from goodbot.crawl.frontier.protocol import Candidate, QueueEntry, ScopeFilter
from goodbot.errors import NoOriginError
from goodbot.http.address import address_of, spelling_of
from goodbot.page import Page

__all__ = ["NOWHERE", "Candidates", "Outlinks", "outlinks_of", "to_candidate"]

NOFOLLOW = "nofollow"


OF_FOUND = attrgetter(*(field.name for field in fields(Discovery)))
OF_ENTRY = attrgetter(*(field.name for field in fields(QueueEntry)))


class Candidates(Collection[Candidate]):
    """Many candidates, kept as plain values and made when they are asked for.

    Garbage collection passes over rows of texts and numbers. Over 150,000 objects, which is what a
    sitemap can list, it takes 0.1 s and more, and no thread runs meanwhile.

    >>> pair = to_candidate(Discovery("https://a.example/", "sitemap"), 1, lambda *_: None)
    >>> list(Candidates([pair])) == [pair]
    True
    """

    __slots__ = ("_rows",)

    def __init__(self, candidates: Iterable[Candidate]) -> None:
        """Keep what candidates say."""
        self._rows = [(*OF_FOUND(found), *OF_ENTRY(entry)) for found, entry in candidates]

    def __iter__(self) -> Iterator[Candidate]:
        """Yield each candidate."""
        parts = len(fields(Discovery))
        return ((Discovery(*row[:parts]), QueueEntry(*row[parts:])) for row in self._rows)

    def __len__(self) -> int:
        """Return how many candidates there are."""
        return len(self._rows)

    def __contains__(self, one: object) -> bool:
        """Whether a candidate is among them."""
        return any(one == other for other in self)


@dataclass(frozen=True, slots=True)
class Outlinks:
    """Where a page leads."""

    links: list[Candidate]
    """Every address that it names, each once."""
    forms: dict[str, str]
    """The normal form of each address, by how a link has it, such as with a fragment."""
    stands_for: Candidate | None
    """The page to index in its place (canonical, INDEXINSTEAD), if it may be visited."""
    instead: str = ""
    """The URL that its author wants indexed instead of it (META URL, INDEXINSTEAD), whether it may
    be visited or not; empty if there is none."""


NOWHERE = Outlinks([], {}, None)
"""Where that leads which is no page."""


MAX_KNOWN = 512
known_address_of = lru_cache(maxsize=20_000)(address_of)
"""A site links to few addresses many times; of long ones nothing is remembered, as that would take
memory without bound."""


def outlinks_of(page: Page, taken: QueuedUrl, refuses: ScopeFilter) -> Outlinks:
    """Tell where a page leads.

    Args:
        page: The page.
        taken: The URL at which it is.
        refuses: The bounds of the crawl.

    Source: Robots META tag, 1996, and Robot Exclusion Profile (nofollow); RFC 6596 section 3
    (canonical: the target is to be preferred); Spidering BOF report, 1996 (INDEXINSTEAD).
    """
    instead = instead_of(page, taken.url)
    if refuses(taken.url, taken.origin, taken.depth) is not None:
        return Outlinks([], {}, None, instead)  # it was kept before, and leads nowhere any more
    links: dict[str, Candidate] = {}
    forms: dict[str, str] = {}
    for link in page.links:
        if not link.resolved:
            continue
        verdict = link.follow
        source = "" if verdict.allowed else str(verdict.source or verdict.reason)
        found = Discovery(link.url, "link", verdict.allowed, source)
        pair = to_candidate(found, taken.depth + 1, refuses)
        if pair is None:
            continue
        url = forms[link.url] = pair[1].url
        known = links.get(url)
        if known is None or (known[1].skip_reason and not pair[1].skip_reason):
            links[url] = pair
    stands_for = preferred(page, taken, refuses)
    return Outlinks(list(links.values()), forms, stands_for, instead)


def instead_of(page: Page, url: str) -> str:
    """Return the other URL that the author of a page wants indexed instead; empty if none.

    The page is then in no index, also where the other one lies outside the crawl or cannot be
    fetched: the author wants this one left out. A canonical page excludes nothing.

    Source: Kollar in Koster's reply of 4 June 1996 ("tell all spiders not to index this url, but to
    index the CONTENT url instead").
    """
    other = page.index_instead
    if other is None or "://" not in other:
        return ""
    try:
        return "" if address_of(other)[1] == url else other
    except NoOriginError:  # such as of ftp
        return other


def preferred(page: Page, taken: QueuedUrl, refuses: ScopeFilter) -> Candidate | None:
    """Give the page to index in place of this one, if it is another that may be visited.

    A page that may not be followed from is indexed itself: who cannot go on would lose it.
    """
    if not page.follow:
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
    """Give a URL its place in the crawl; `None` if it is no address of the web."""
    try:
        resolve = known_address_of if len(found.url) <= MAX_KNOWN else address_of
        origin, url = resolve(found.url)
    except NoOriginError:
        return None
    skip_reason = "" if found.follow else NOFOLLOW
    skip_reason = skip_reason or refuses(url, origin, depth) or ""
    spelling = spelling_of(found.url)
    return found, QueueEntry(url, origin, depth, hops, skip_reason, found.source, spelling)
