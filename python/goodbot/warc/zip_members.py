"""Members of a ZIP file as files that can be read at any place.

Scope: opening one member. A stored one is read where it is; a compressed one is unpacked to a
temporary file, within bounds.

Source: APPNOTE 6.3.10, section 4.3.7 (local file header).
"""

import io
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

__all__ = ["UNREADABLE", "ZIP_MAGIC", "Copies", "FilePart", "pieces_of", "stored_in"]

ZIP_MAGIC = b"PK\x03\x04"
LOCAL_HEADER = struct.Struct("<4s22xHH")
"""The signature of a member, and the lengths of its name and of its extra field."""
PIECE = 1024 * 1024
ENCRYPTED = 1
"""The bit of a member that says so."""

UNREADABLE = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError,
    struct.error, KeyError, OverflowError,
)  # fmt: skip
"""What `zipfile` raises because of a damaged file."""


def stored_in(file: BinaryIO, member: zipfile.ZipInfo) -> BinaryIO | None:
    """Open a member that is not compressed; `None` if it cannot be read."""
    file.seek(member.header_offset)
    head = file.read(LOCAL_HEADER.size)
    if member.flag_bits & ENCRYPTED or len(head) < LOCAL_HEADER.size:
        return None
    signature, name, extra = LOCAL_HEADER.unpack(head)
    start = member.header_offset + LOCAL_HEADER.size + name + extra
    part = FilePart(file, start, member.file_size)
    return io.BufferedReader(part) if signature == ZIP_MAGIC else None


class Copies:
    """Decompressed members of a ZIP file, in one temporary file.

    Args:
        package: The ZIP file.
        file: The temporary file, which is empty.
        left: How many bytes it may take.

    """

    def __init__(self, package: zipfile.ZipFile, file: BinaryIO, left: int) -> None:
        """Start with none."""
        self._package, self._file, self._left, self._end = package, file, left, 0

    def of(self, member: zipfile.ZipInfo) -> BinaryIO | None:
        """Decompress a member; `None` if it cannot be read, or there is no room for it."""
        start = self._end
        if member.flag_bits & ENCRYPTED or member.file_size > self._left:
            return None
        self._left -= member.file_size  # of a member, `zipfile` returns no more
        self._file.seek(start)
        try:
            with self._package.open(member) as content:
                for piece in pieces_of(content):
                    self._end += self._file.write(piece)
        except UNREADABLE:
            return None
        return io.BufferedReader(FilePart(self._file, start, self._end - start))


def pieces_of(file: Any) -> Iterator[bytes]:  # noqa: ANN401  whatever has `read`
    """Yield the rest of a file in pieces."""
    while piece := file.read(PIECE):
        yield piece


class FilePart(io.RawIOBase):
    """A part of a file, as a file.

    Args:
        file: The file, which others may read meanwhile.
        start: Where the part begins.
        size: The number of its bytes.

    """

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        """Start at its beginning."""
        super().__init__()
        self._file, self._start, self._size, self._at = file, start, size, 0

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def seekable(self) -> bool:
        """Return that it has places."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place, and return it."""
        origin = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = max(origin + offset, 0)
        return self._at

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Read some bytes; return how many."""
        view = memoryview(buffer)
        self._file.seek(self._start + self._at)
        piece = self._file.read(min(len(view), max(self._size - self._at, 0)))
        view[: len(piece)] = piece
        self._at += len(piece)
        return len(piece)
