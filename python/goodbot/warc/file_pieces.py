"""A file in pieces, from which the core reads whole members one after the other.

Scope: which bytes of the file are in memory.
"""

from typing import BinaryIO

__all__ = ["FilePieces"]

PIECE = 4 * 1024 * 1024
"""How much of a file is read at once."""


class FilePieces:
    """A piece of a file, and where it is.

    Args:
        file: The file, open for reading and able to seek; others may seek in it meanwhile.

    >>> from io import BytesIO
    >>> pieces = FilePieces(BytesIO(b"abcdef"))
    >>> at = pieces.go_to(2)
    >>> pieces.fill(at)
    >>> pieces.piece, pieces.start, pieces.is_end
    (b'cdef', 2, False)
    >>> pieces.fill(pieces.go_to(5))
    >>> pieces.piece, pieces.start, pieces.is_end
    (b'f', 5, True)
    """

    def __init__(self, file: BinaryIO) -> None:
        """Start without any bytes."""
        self._file = file
        self.piece = b""
        self.start = 0
        """Where the piece begins in the file."""
        self.is_end = False
        """Whether the file ends with it."""

    def go_to(self, place: int) -> int:
        """Return where a place is in the piece; begin another piece if it is not in this one."""
        at = place - self.start
        if not 0 <= at <= len(self.piece):
            self.piece, self.start, self.is_end, at = b"", place, False, 0
        return at

    def fill(self, at: int) -> None:
        """Drop the piece before a place in it, and read more behind its rest."""
        self._file.seek(self.start + len(self.piece))
        more = self._file.read(PIECE)
        self.piece, self.start = self.piece[at:] + more, self.start + at
        self.is_end = not more
