"""The bytes of a WARC file by others: plain or decompressed, forward and within bounds.

Scope: decompression, and where members begin; `stream_coding` has the compressions. What the bytes
mean is in `foreign_records`.

A file may be compressed record by record (WARC 1.1 annex D.2), as a whole, or not at all. It is
read once, in pieces, so memory use does not depend on it. A member that is damaged, or that expands
beyond all measure, is reported as `DamagedFileError`.

Where a member ends is known only by decompressing it to its end (RFC 1952 section 2.3). The bytes
with which members begin are never searched for: a page or an image may contain them, and a whole
member, because content that does not compress is stored as it is (RFC 1951 section 3.2.4).
"""

import re
from typing import BinaryIO

from goodbot.warc.stream_coding import (
    DamagedFileError,
    Gzip,
    StreamCoding,
    StreamMember,
    coding_of,
)

__all__ = ["WarcStream"]

PIECE = 64 * 1024
HEAD = 18
"""How many bytes of the beginning of a member are considered."""
BLANK_LINES = re.compile(rb"(?:\n+|\r\n)+")
BEFORE_BLANK_LINE = re.compile(rb"\n\r?\n")

MOST_TIMES = 200
FREE = 64 * 1024 * 1024
"""A member may expand to this many times its size, and by this many bytes in any case. Pages
of text expand ten times; a bomb, a thousand times."""

MOST_SKIPPED = 1024 * 1024 * 1024
"""How many decompressed bytes of one file are dropped to find where its bombs end: a few seconds'
work."""


class WarcStream:
    """The bytes of a file, which are read forward.

    Args:
        file: The file, open for reading and able to seek.
        offset: Where to begin: the beginning of a member or of a record.

    Raises:
        MissingExtraError: It is compressed by Zstandard, and no module for that is installed.

    """

    def __init__(self, file: BinaryIO, offset: int = 0) -> None:
        """Find out whether the file is compressed."""
        self._file = file
        self._refused: DamagedFileError | None = None
        """Why nothing can be read; `None` if something can."""
        try:
            self._coding = coding_of(file)
        except DamagedFileError as error:
            self._coding, self._refused = None, error
        self.is_compressed = self._coding is not None
        self.is_gzip = isinstance(self._coding, Gzip)
        if self._coding is not None:
            offset = max(offset, self._coding.start)
        self.stays = False
        """Whether the file seems to end with the current member."""
        self._at = offset
        """Where the bytes in `_raw` begin in the file."""
        self._raw = b""
        """Bytes of the file that were read, and not used yet."""
        self._ready = b""
        """Decompressed bytes, of which those from `_used` on were not returned yet."""
        self._used = 0
        self._member: StreamMember | None = None
        self._expanded = 0
        self._skipped = 0
        """How many decompressed bytes were dropped by `skip_member`."""
        self.member_start = offset
        """Where the member begins from which the next bytes come; in a plain file, where these
        bytes are."""
        self.members = 0
        """The number of members that were begun."""

    def peek(self, size: int) -> bytes:
        """Return the next bytes without using them; fewer at the end of the file.

        Raises:
            DamagedFileError: The bytes are damaged here.

        """
        while len(self._ready) - self._used < size and self._more():
            pass
        return self._ready[self._used : self._used + size]

    def read(self, size: int) -> bytes:
        """Return the next bytes, at least one unless the file has ended, and at most `size`.

        Raises:
            DamagedFileError: The bytes are damaged here.

        """
        if self._used == len(self._ready):
            self._more()
        found = self._ready[self._used : self._used + size]
        self._used += len(found)
        if not self.is_compressed:
            self.member_start += len(found)
        return found

    def read_line(self, most: int) -> bytes:
        """Return the next line with its ending; only its beginning if it is longer than `most`.

        Raises:
            DamagedFileError: The bytes are damaged here.

        """
        line = b""
        while len(line) < most and self.peek(1):
            last = self._used + most - len(line)
            end = self._ready.find(b"\n", self._used, last) + 1
            line += self.read((end or last) - self._used)
            if end:
                break
        return line

    def read_ready_lines(self, most: int) -> bytes:
        """Return the lines before a blank one, and use that as well.

        Nothing is returned or used if these lines are not all ready, are none, or have more bytes
        than `most`: read them one by one then.
        """
        if BLANK_LINES.match(self._ready, self._used):
            return b""
        found = BEFORE_BLANK_LINE.search(self._ready, self._used, self._used + most)
        if found is None:
            return b""
        return self.read(found.end() - self._used)[: found.start() + 1 - found.end()]

    def skip_blank_lines(self) -> int:
        """Skip blank lines; return how many members were begun before the next byte was read.

        They are skipped at once: a member expands to very many of them.

        Raises:
            DamagedFileError: The bytes are damaged here.

        """
        while True:
            members = self.members
            if self.peek(1) == b"\r":
                self.peek(2)
            found = BLANK_LINES.match(self._ready, self._used)
            if found is None:
                return members
            self.read(found.end() - self._used)

    @property
    def next_member(self) -> int | None:
        """Where the next member begins; `None` within one, or in a plain file."""
        is_between = self._member is None and self._used == len(self._ready)
        return self._at if self.is_compressed and is_between else None

    def move_to(self, offset: int) -> None:
        """Go to a place of the file: the beginning of a member."""
        self._raw = self._raw[offset - self._at :] if offset >= self._at else b""
        self._at = self.member_start = offset
        self._ready, self._used, self._member, self._expanded = b"", 0, None, 0

    @property
    def position(self) -> int:
        """How far the file was read: in a compressed file, how far it was decompressed."""
        return self._at if self.is_compressed else self.member_start

    def skip_member(self) -> bool:
        """Go on behind the current member; `False` if it is not known where that ends."""
        self._used = len(self._ready)
        try:
            while self._member is not None:
                if self._is_waiting() and not self._fill():
                    return False
                self._skipped += len(self._expand(is_dropped=True))
                if self._skipped > MOST_SKIPPED:
                    return False
        except DamagedFileError:
            return False
        return True

    def _more(self) -> bool:
        """Make more bytes ready; return whether there were any."""
        if self._refused is not None:
            raise self._refused
        if not self.is_compressed:
            if not self._raw and not self._fill():
                return False
            self._add(self._raw)
            self._skip(len(self._raw))
            return True
        while True:
            if self._member is None and (self.stays or not self._begin()):
                return False
            piece = self._expand()
            if piece:
                self._add(piece)
                return True
            if self._member is not None and self._is_waiting() and not self._fill():
                raise DamagedFileError

    def _is_waiting(self) -> bool:
        """Return whether the current member needs more of the file."""
        # zlib returns what it did not reach; Zstandard keeps it.
        return not self._raw and getattr(self._member, "needs_input", True)

    def _add(self, piece: bytes) -> None:
        """Make a piece ready."""
        self._ready, self._used = self._ready[self._used :] + piece, 0

    def _begin(self) -> bool:
        """Begin the next member; `False` at the end of the file."""
        coding = self._coding
        if coding is None or not self._skip_frames(coding):
            return False
        self.member_start = self._at
        if not self._raw.startswith(coding.magic):
            if not self._raw.strip(b"\0") and not self._fill():
                self._skip(len(self._raw))  # padding, as tapes and some writers leave it
                return False
            raise DamagedFileError
        self._member, self._expanded = coding.begin(self._raw), 0
        self.members += 1
        return True

    def _skip_frames(self, coding: StreamCoding) -> bool:
        """Skip frames without content; return whether more of the file follows."""
        while True:
            while len(self._raw) < HEAD and self._fill():
                pass
            size = coding.skipped(self._raw) if self._raw else 0
            if not size:
                return bool(self._raw)
            if size > len(self._raw):
                self._raw, self._at = b"", self._at + size
            else:
                self._skip(size)

    def _expand(self, *, is_dropped: bool = False) -> bytes:
        """Decompress a piece of the current member; end the member with its last one.

        Args:
            is_dropped: The piece is not used, so the member may expand as far as it does.

        Raises:
            DamagedFileError: It is damaged, or expands beyond all measure.

        """
        member, coding = self._member, self._coding
        if member is None or coding is None:
            return b""
        try:
            piece = member.decompress(self._raw, PIECE)
        except coding.error as error:
            raise DamagedFileError from error
        rest = member.unused_data if member.eof else getattr(member, "unconsumed_tail", b"")
        # Of Zstandard, the rest may be longer than what it got last.
        self._at, self._raw = self._at + len(self._raw) - len(rest), rest
        self._expanded += len(piece)
        if member.eof:
            self._member = None
        if is_dropped:
            return piece
        if self._expanded > FREE + MOST_TIMES * (self._at - self.member_start):
            raise DamagedFileError
        return piece

    def _fill(self) -> bool:
        """Read a piece of the file; return whether there was one."""
        # Another stream may read the same file in between.
        self._file.seek(self._at + len(self._raw))
        piece = self._file.read(PIECE)
        self._raw += piece
        return bool(piece)

    def _skip(self, size: int) -> None:
        """Use up bytes of the file."""
        self._raw = self._raw[size:]
        self._at += size
