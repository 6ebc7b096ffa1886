"""A byte in memory for each URL, by its number.

Scope: the bound; the core stores them. What a byte means is known to those who use it. A folder
numbers its URLs one after the other, from a first number on
(`goodbot.crawl.folder.shares.first_number`). The numbers of a queue that machines share are
anywhere below 2^63.
"""

from goodbot import _core

__all__ = ["UrlBytes"]

MOST_PIECES = 32_768
"""How many pieces of 256 URLs are held: 8 million URLs in a row, or 14 MiB if none are."""


class UrlBytes(_core.UrlBytes):
    """A byte for each URL, 0 unless it was set.

    A negative number is that of a URL of another process
    (`goodbot.crawl.frontier.handover`), of which nothing is here.

    If there is no room for another one, all are dropped, and `is_full` says that nothing is known
    of any URL.

    >>> known = UrlBytes()
    >>> known[1_099_511_627_777] = 2
    >>> known[1_099_511_627_777], known[7], known.is_full
    (2, 0, False)
    >>> known.unlike([-3, 6, 7, 1_099_511_627_777], 3, last=6)
    [6, 1099511627777]
    """

    __slots__ = ()

    def __new__(cls) -> "UrlBytes":  # noqa: PYI034  Python 3.10 has no `Self`
        """Set nothing."""
        return super().__new__(cls, MOST_PIECES)
