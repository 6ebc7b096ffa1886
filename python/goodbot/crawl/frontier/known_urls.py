"""The numbers in memory of the URLs that links led to lately, so that most links cost no query.

Scope: the bound; the core stores them. What has been dropped is still in the tables.
"""

from goodbot import _core

__all__ = ["KnownUrls"]

MOST_KNOWN = 7 << 15
"""How many of the URLs that were met last are known, and at most twice as many. A table of the core
has 2^18 places of 25 bytes, of which seven in eight are used: two tables take 13 MiB."""


class KnownUrls(_core.KnownUrls):
    """The numbers of URLs, of which those that were met longest ago are dropped to make room.

    A URL is known by 128 bits of two keyed hashes (SipHash) whose keys are drawn for each object,
    so that a site cannot choose two URLs that share them.

    >>> known = KnownUrls()
    >>> known["https://a.example/"] = 7
    >>> known.get("https://a.example/"), known.get("https://b.example/")
    (7, None)
    """

    __slots__ = ()

    def __new__(cls) -> "KnownUrls":  # noqa: PYI034  Python 3.10 has no `Self`
        """Know no URL yet."""
        return super().__new__(cls, MOST_KNOWN)
