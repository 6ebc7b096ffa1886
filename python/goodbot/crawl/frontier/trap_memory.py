"""The memory for recognising traps: what is stored about the pages of a crawl.

Scope: the protocol, which `goodbot.testing.TrapSuite` tests, and a simple memory without a file.
`sqlite_traps` stores the same in the folder of a crawl.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

from goodbot.crawl.frontier.quota import kept_form

__all__ = ["MOST_LEARNED", "PlainTrapMemory", "TrapMemory", "TrapMet"]

MOST_LEARNED = 100_000
"""How many URLs that differ only in a parameter, and how many counts, are stored of a crawl. After
that, nothing new is learned."""


class TrapMet(NamedTuple):
    """A trap that was recognised on an origin."""

    origin: str
    """The origin."""
    trap: str
    """The slug of the trap; see `goodbot.crawl.frontier.traps.TRAPS`."""
    links: int
    """The number of links that led into it, counted on each page that has them."""
    example: str
    """The URL of the first such link; if it is the page with the links that makes them a trap, the
    URL of that page."""
    why: str
    """The evidence for the trap at this URL."""


@runtime_checkable
class TrapMemory(Protocol):
    """The contents of pages, and what was learned by comparing them.

    If it is in the same folder as the `Frontier`, both are changed in one transaction. Writing the
    same again changes nothing but the counts, which count links each time they are found.
    """

    def keep(self, url: str, origin: str, content: bytes) -> bool:
        """Store the content of a page; return whether the page is new."""

    def content_of(self, url: str) -> bytes | None:
        """Return the content of a page; `None` if it was not fetched."""

    def is_waiting(self, url: str) -> bool:
        """Whether a URL is queued or leased."""

    def same_content(self, url: str, origin: str, content: bytes) -> str:
        """Return the first other page of an origin with the same content; empty if none."""

    def alike(self, key: str) -> tuple[str, bytes]:
        """Return the URL and the content that represent a key; both empty if there are none."""

    def keep_alike(self, key: str, url: str, content: bytes) -> None:
        """Store the URL that represents a key."""

    def counts(self, key: str) -> tuple[int, int]:
        """Return the numbers of equal and of differing pages."""

    def count(self, key: str, *, is_equal: bool) -> None:
        """Count a page that is equal to another one, or differs from it."""

    def tell(self, origin: str, trap: str, url: str, why: str) -> None:
        """Count a link into a trap; the first one is the example."""

    def met(self) -> list[TrapMet]:
        """Return the traps that were recognised, by origin and trap."""


class PlainTrapMemory:
    """A trap memory that lasts as long as the process; see `TrapMemory`.

    Args:
        is_waiting: Returns whether a URL is queued; by default no URL is.

    """

    def __init__(self, is_waiting: Callable[[str], bool] = lambda _url: False) -> None:
        """Start empty."""
        self._is_waiting = is_waiting
        self._pages: dict[str, tuple[str, bytes]] = {}
        self._alike: dict[str, tuple[str, bytes]] = {}
        self._counts: dict[str, tuple[int, int]] = {}
        self._met: dict[tuple[str, str], TrapMet] = {}

    def keep(self, url: str, origin: str, content: bytes) -> bool:
        """Store the content of a page; see `TrapMemory.keep`."""
        is_new = url not in self._pages
        self._pages[url] = origin, content
        return is_new

    def content_of(self, url: str) -> bytes | None:
        """Return the content of a page."""
        found = self._pages.get(url)
        return None if found is None else found[1]

    def is_waiting(self, url: str) -> bool:
        """Whether a URL is queued or leased."""
        return self._is_waiting(url)

    def same_content(self, url: str, origin: str, content: bytes) -> str:
        """Return another page of an origin with the same content."""
        same = (one for one, known in self._pages.items() if known == (origin, content))
        return next((one for one in same if one != url), "")

    def alike(self, key: str) -> tuple[str, bytes]:
        """Return the URL and the content that represent a key."""
        return self._alike.get(key, ("", b""))

    def keep_alike(self, key: str, url: str, content: bytes) -> None:
        """Store the URL that represents a key."""
        if key in self._alike or len(self._alike) < MOST_LEARNED:
            self._alike[key] = kept_form(url), content

    def counts(self, key: str) -> tuple[int, int]:
        """Return the numbers of equal and of differing pages."""
        return self._counts.get(key, (0, 0))

    def count(self, key: str, *, is_equal: bool) -> None:
        """Count a page that is equal to another one, or differs from it."""
        if key in self._counts or len(self._counts) < MOST_LEARNED:
            equal, differing = self.counts(key)
            self._counts[key] = equal + is_equal, differing + (not is_equal)

    def tell(self, origin: str, trap: str, url: str, why: str) -> None:
        """Count a link into a trap."""
        new = TrapMet(origin, trap, 0, kept_form(url), why)
        met = self._met.get((origin, trap), new)
        self._met[origin, trap] = met._replace(links=met.links + 1)

    def met(self) -> list[TrapMet]:
        """Return the traps that were recognised."""
        return sorted(self._met.values())
