"""What is remembered of the pages of a crawl, so that traps are recognised.

What may live here: the protocol, and a plain memory without a file. `sqlite_traps` keeps the same
in the folder of a crawl.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

from goodbot.crawl.frontier.quota import kept_form

__all__ = ["MOST_LEARNED", "PlainTrapMemory", "TrapMemory", "TrapMet"]

MOST_LEARNED = 100_000
"""URLs that differ in a parameter alone, and counts, that are remembered of a crawl. When there are
as many, nothing new is learned."""


class TrapMet(NamedTuple):
    """A trap that was recognised at an origin."""

    origin: str
    trap: str
    """Its slug, see `goodbot.crawl.frontier.traps.TRAPS`."""
    links: int
    """How many links led into it, each as often as it was found."""
    example: str
    """The first of them."""
    why: str
    """What shows it, of this one."""


@runtime_checkable
class TrapMemory(Protocol):
    """What is remembered of pages: their contents, and what was learned from comparing them.

    The parts of `Frontier` are one transaction with it where both are in one folder. Writing the
    same again changes nothing but counts, which are of links as they are found.
    """

    def keep(self, url: str, origin: str, content: bytes) -> bool:
        """Remember the content of a page; return whether the page is new."""

    def content_of(self, url: str) -> bytes | None:
        """Return the content of a page; `None` if it was not fetched."""

    def is_waiting(self, url: str) -> bool:
        """Whether a URL is in the queue, and was not left out."""

    def same_content(self, url: str, origin: str, content: bytes) -> str:
        """Return another page of an origin with the same content, the first; empty if none."""

    def alike(self, key: str) -> tuple[str, bytes]:
        """Return the URL and the content that stand for a key; two empty ones if none do."""

    def keep_alike(self, key: str, url: str, content: bytes) -> None:
        """Remember which URL stands for a key."""

    def counts(self, key: str) -> tuple[int, int]:
        """Return how many pages were equal, and how many differed."""

    def count(self, key: str, *, is_equal: bool) -> None:
        """Count a page that is equal to another, or differs from it."""

    def tell(self, origin: str, trap: str, url: str, why: str) -> None:
        """Count a link into a trap; the first is the example."""

    def met(self) -> list[TrapMet]:
        """Return the traps that were recognised, by origin and trap."""


class PlainTrapMemory:
    """Remembers for as long as the process lives; see `TrapMemory`.

    Args:
        is_waiting: Whether a URL is in the queue; without it none is known to be.

    """

    def __init__(self, is_waiting: Callable[[str], bool] = lambda _url: False) -> None:
        """Begin with nothing."""
        self._is_waiting = is_waiting
        self._pages: dict[str, tuple[str, bytes]] = {}
        self._alike: dict[str, tuple[str, bytes]] = {}
        self._counts: dict[str, tuple[int, int]] = {}
        self._met: dict[tuple[str, str], TrapMet] = {}

    def keep(self, url: str, origin: str, content: bytes) -> bool:
        """Remember the content of a page; see `TrapMemory.keep`."""
        is_new = url not in self._pages
        self._pages[url] = origin, content
        return is_new

    def content_of(self, url: str) -> bytes | None:
        """Return the content of a page."""
        found = self._pages.get(url)
        return None if found is None else found[1]

    def is_waiting(self, url: str) -> bool:
        """Whether a URL is in the queue, and was not left out."""
        return self._is_waiting(url)

    def same_content(self, url: str, origin: str, content: bytes) -> str:
        """Return another page of an origin with the same content."""
        same = (one for one, known in self._pages.items() if known == (origin, content))
        return next((one for one in same if one != url), "")

    def alike(self, key: str) -> tuple[str, bytes]:
        """Return the URL and the content that stand for a key."""
        return self._alike.get(key, ("", b""))

    def keep_alike(self, key: str, url: str, content: bytes) -> None:
        """Remember which URL stands for a key."""
        if key in self._alike or len(self._alike) < MOST_LEARNED:
            self._alike[key] = kept_form(url), content

    def counts(self, key: str) -> tuple[int, int]:
        """Return how many pages were equal, and how many differed."""
        return self._counts.get(key, (0, 0))

    def count(self, key: str, *, is_equal: bool) -> None:
        """Count a page that is equal to another, or differs from it."""
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
