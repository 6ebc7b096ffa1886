"""Resolving the addresses of a document, within bounds of the length of each and of all together.

A base of 100 KB costs a document 100 KB once, and each of its links eleven bytes: resolved, they
would be a hundred thousand times as long as they were sent.
"""

from typing import Literal, TypeAlias

from goodbot._core import LONGEST_URL, UrlBase

__all__ = ["LONGEST_URL", "Resolver", "Why", "join", "most_url_bytes"]

URL_FLOOR = 1024 * 1024
URL_FACTOR = 4

Why: TypeAlias = Literal["", "invalid", "too-long", "over-budget"]
"""Why an address was not resolved; empty if it was."""


def most_url_bytes(length: int) -> int:
    """Return how many bytes the URLs of all links of a document may take together.

    Args:
        length: The length of the document's text, in bytes of UTF-8.

    >>> most_url_bytes(1_000_000)
    5048576
    """
    return URL_FLOOR + URL_FACTOR * length


def join(base: str, url: str) -> str:
    """Resolve a URL (WHATWG URL); return it as it is if it cannot be resolved."""
    return UrlBase(base).resolve(url)[0] or url


class Resolver:
    """Resolves the addresses of one document until the room for them is used up.

    Args:
        room: How many bytes all of them may take together.

    >>> resolver = Resolver(40)
    >>> resolver.resolve("https://example.com/", "a")
    ('https://example.com/a', '')
    >>> resolver.resolve("https://example.com/", "b"), resolver.resolve("https://example.com/", "c")
    ((None, 'over-budget'), (None, 'over-budget'))
    """

    def __init__(self, room: int) -> None:
        """Begin with all the room."""
        self.room = room
        self._written = ""
        self._base = UrlBase("")

    def resolve(self, base: str, href: str) -> tuple[str | None, Why]:
        """Resolve an address: the URL, or why there is none.

        The first URL for which there is no room ends it: what cannot be kept is not worked out.
        """
        if not self.room:
            return None, "over-budget"
        if base != self._written:
            self._written, self._base = base, UrlBase(base)
        url, why = self._base.resolve(href)
        if url is None:
            return None, why
        # A resolved URL is in ASCII, but for a scheme that is none of the Web's.
        size = len(url) if url.isascii() else len(url.encode())
        if size > self.room:
            self.room = 0
            return None, "over-budget"
        self.room -= size
        return url, ""
