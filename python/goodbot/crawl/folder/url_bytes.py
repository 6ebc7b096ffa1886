"""A byte in memory for each URL, by its number.

Scope: storing them, within a bound. What a byte means is known to those who use it. A folder
numbers its URLs one after the other, from a first number on
(`goodbot.crawl.folder.shares.first_number`). The numbers of a queue that machines share are
anywhere below 2^63.
"""

from collections.abc import Iterable

__all__ = ["UrlBytes"]

PIECE_BITS = 8
PIECE = 1 << PIECE_BITS
MOST_PIECES = 32_768
"""How many pieces of as many URLs are held: 8 million URLs in a row, or 14 MiB if none are."""


class UrlBytes:
    """A byte for each URL, 0 unless it was set.

    >>> known = UrlBytes()
    >>> known[1_099_511_627_777] = 2
    >>> known[1_099_511_627_777], known[7], known.is_full
    (2, 0, False)
    >>> known.of([7, 1_099_511_627_777])
    [0, 2]
    """

    __slots__ = ("_pieces", "is_full")

    is_full: bool
    """Whether bytes were not stored for lack of room, so that nothing is known of any URL."""

    def __init__(self) -> None:
        """Set nothing."""
        self._pieces: dict[int, bytearray] = {}
        self.is_full = False

    def __getitem__(self, url_id: int) -> int:
        """Return the byte of a URL."""
        piece = self._pieces.get(url_id >> PIECE_BITS)
        return 0 if piece is None else piece[url_id % PIECE]

    def of(self, url_ids: Iterable[int]) -> list[int]:
        """Return the bytes of several URLs."""
        pieces = self._pieces
        return [
            0 if (piece := pieces.get(one >> PIECE_BITS)) is None else piece[one % PIECE]
            for one in url_ids
        ]

    def __setitem__(self, url_id: int, value: int) -> None:
        """Set the byte of a URL."""
        number = url_id >> PIECE_BITS
        piece = self._pieces.get(number)
        if piece is None:
            if len(self._pieces) >= MOST_PIECES:
                self._pieces.clear()
                self.is_full = True
            if self.is_full:
                return
            piece = self._pieces[number] = bytearray(PIECE)
        piece[url_id % PIECE] = value

    def clear(self) -> None:
        """Set all bytes to 0."""
        self._pieces.clear()
        self.is_full = False
