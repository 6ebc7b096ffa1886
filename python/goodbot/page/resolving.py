"""Resolving the addresses of a document, with bounds on each URL and on all of them together.

Without a bound, a document with a base URL of 100 KB and links of eleven bytes each would expand to
nearly ten thousand times its size.
"""

from typing import Literal, TypeAlias

from goodbot._core import LONGEST_URL, UrlBase

__all__ = ["LONGEST_URL", "Resolver", "Why", "join", "most_url_bytes"]

URL_FLOOR = 1024 * 1024
URL_FACTOR = 4

Why: TypeAlias = Literal["", "invalid", "too-long", "over-budget"]
"""The reason why an address was not resolved; empty if it was."""


def most_url_bytes(length: int) -> int:
    """Return how many bytes the URLs of all links of a document may have together.

    Args:
        length: The length of the document's text, in bytes of UTF-8.

    >>> most_url_bytes(1_000_000)
    5048576
    """
    return URL_FLOOR + URL_FACTOR * length


def join(base: str, url: str) -> str:
    """Resolve a URL (WHATWG URL); return it unchanged if it cannot be resolved."""
    return UrlBase(base).resolve(url)[0] or url


class Resolver:
    """A resolver of one document's addresses, with a bound on their total length.

    Args:
        room: The most bytes that all resolved URLs may have together.

    >>> resolver = Resolver(40)
    >>> resolver.resolve("https://example.com/", "a")
    ('https://example.com/a', '')
    >>> resolver.resolve("https://example.com/", "b"), resolver.resolve("https://example.com/", "c")
    ((None, 'over-budget'), (None, 'over-budget'))
    """

    def __init__(self, room: int) -> None:
        """Start with all of the room."""
        self.room = room
        self._written = ""
        self._base = UrlBase("")

    def resolve(self, base: str, href: str) -> tuple[str | None, Why]:
        """Resolve an address; return the URL, or `None` and the reason.

        After the first URL that does not fit, no further ones are resolved.
        """
        if not self.room:
            return None, "over-budget"
        if base != self._written:
            self._written, self._base = base, UrlBase(base)
        url, why = self._base.resolve(href)
        if url is None:
            return None, why
        # A resolved URL is ASCII, except with a scheme that browsers do not know.
        size = len(url) if url.isascii() else len(url.encode())
        if size > self.room:
            self.room = 0
            return None, "over-budget"
        self.room -= size
        return url, ""
