"""The compressions of WARC files: gzip and Zstandard, one member after another.

Scope: how a member is decompressed, and what a file begins with. A frame of Zstandard is called a
member here, too. `warc_stream` reads the file.

Source: WARC 1.1 annex D.2 (gzip); Zstandard Compression for WARC Files 1.0,
https://iipc.github.io/warc-specifications/specifications/warc-zstd/; RFC 8878 section 3.1.
"""

import struct
import zlib
from typing import Any, BinaryIO, Protocol

from goodbot.errors import MissingExtraError
from goodbot.net.decoding import ZSTD

__all__ = ["DamagedFileError", "Gzip", "StreamCoding", "StreamMember", "Zstandard", "coding_of"]

GZIP_MAGIC = b"\x1f\x8b\x08"
GZIP = 31
"""What `zlib` calls gzip (`wbits`)."""

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
DICTIONARY_MAGIC = b"\x5d\x2a\x4d\x18"
SKIPPED, SKIPPED_FIRST = b"\x2a\x4d\x18", 0x5
"""A frame to be skipped begins with 0x50 to 0x5F and these bytes (RFC 8878 section 3.1.2)."""
SKIPPED_HEAD = struct.Struct("<4sI")
"""The beginning of such a frame, and the length of the rest."""
MOST_DICTIONARY = 8 * 1024 * 1024
"""The largest dictionary, also compressed: as much as readers must accept."""
WINDOW_LOG = 27
"""Windows may have 128 MiB, as the command `zstd` reads by default; readers must accept 8 MiB."""
FRAME_HEAD = 18
"""The most bytes of the head of a frame (RFC 8878 section 3.1.1.1)."""


class DamagedFileError(Exception):
    """The file is damaged here. It never leaves the room.

    Args:
        why: Why it is not read, as a clause; empty if it is damaged.

    """

    def __init__(self, why: str = "") -> None:
        """Store the reason."""
        super().__init__(why)
        self.why = why


class StreamMember(Protocol):
    """What decompresses one member."""

    def decompress(self, data: bytes, most: int) -> bytes:
        """Return at most `most` further bytes."""
        ...

    @property
    def eof(self) -> bool:
        """Whether the member has ended."""
        ...

    @property
    def unused_data(self) -> bytes:
        """The bytes behind its end."""
        ...


class StreamCoding(Protocol):
    """How a file is compressed."""

    magic: bytes
    """What a member begins with."""
    start: int
    """Where the first member can begin: behind the dictionary, if there is one."""
    error: type[Exception]
    """What a damaged member raises."""

    def begin(self, head: bytes) -> StreamMember:
        """Return what decompresses the member that begins with these bytes.

        Raises:
            DamagedFileError: It cannot be read.

        """
        ...

    def skipped(self, head: bytes) -> int:
        """Return how many bytes to skip here, if it is a frame without content; else 0."""
        ...


class Gzip:
    """Members of gzip (RFC 1952)."""

    magic = GZIP_MAGIC
    start = 0
    error: type[Exception] = zlib.error

    def begin(self, head: bytes) -> StreamMember:
        """Return what decompresses a member."""
        del head
        return zlib.decompressobj(GZIP)

    def skipped(self, head: bytes) -> int:
        """Return 0: each member has content."""
        del head
        return 0


class Zstandard:
    """Frames of Zstandard, with the dictionary that the file begins with, if there is one.

    Args:
        file: The file.

    Raises:
        DamagedFileError: The dictionary cannot be read.
        MissingExtraError: No module for Zstandard is installed.

    """

    magic = ZSTD_MAGIC

    def __init__(self, file: BinaryIO) -> None:
        """Read the dictionary."""
        if ZSTD is None:
            message = "to read .zst files: pip install 'goodbot[encodings]'"
            raise MissingExtraError(message)
        self._module: Any = ZSTD
        self.error: type[Exception] = self._module.ZstdError
        self._options = {self._module.DecompressionParameter.window_log_max: WINDOW_LOG}
        file.seek(0)
        head = file.read(SKIPPED_HEAD.size)
        self.start, self._dictionary = 0, None
        if head.startswith(DICTIONARY_MAGIC):
            self.start = self.skipped(head)
            size = min(self.start - SKIPPED_HEAD.size, MOST_DICTIONARY + 1)
            self._dictionary = self._read(file.read(size))

    def _read(self, content: bytes) -> Any:  # noqa: ANN401  the type is one of the module's
        """Return the dictionary in a frame, which may be compressed.

        Raises:
            DamagedFileError: It is damaged or too large.

        """
        if len(content) > MOST_DICTIONARY:
            why = "its Zstandard dictionary is larger than 8 MiB"
            raise DamagedFileError(why)
        try:
            if content.startswith(ZSTD_MAGIC):
                stream = self._module.ZstdDecompressor(options=self._options)
                content = stream.decompress(content, MOST_DICTIONARY + 1)
                if not stream.eof or len(content) > MOST_DICTIONARY:
                    why = "its Zstandard dictionary is damaged, or larger than 8 MiB"
                    raise DamagedFileError(why)
            return self._module.ZstdDict(content)
        except (self.error, ValueError) as error:
            why = "its Zstandard dictionary is damaged"
            raise DamagedFileError(why) from error

    def begin(self, head: bytes) -> StreamMember:
        """Return what decompresses a frame."""
        try:
            number = self._module.get_frame_info(head[:FRAME_HEAD]).dictionary_id
        except self.error:
            number = 0
        if number and self._dictionary is None:
            why = (
                f"it is compressed with the Zstandard dictionary {number}, which is not in it; "
                "decompress it first: zstd -d -D DICTIONARY"
            )
            raise DamagedFileError(why)
        stream: StreamMember = self._module.ZstdDecompressor(self._dictionary, self._options)
        return stream

    def skipped(self, head: bytes) -> int:
        """Return how many bytes a frame has that is to be skipped; 0 if it is none."""
        is_skipped = head[1:4] == SKIPPED and head[0] >> 4 == SKIPPED_FIRST
        if not is_skipped or len(head) < SKIPPED_HEAD.size:
            return 0
        _, size = SKIPPED_HEAD.unpack_from(head)
        return SKIPPED_HEAD.size + int(size)


def coding_of(file: BinaryIO) -> StreamCoding | None:
    """Return how a file is compressed; `None` if it is not, or in a way that is not read.

    Raises:
        DamagedFileError: The dictionary at its beginning cannot be read.
        MissingExtraError: It needs a module that is not installed.

    """
    file.seek(0)
    head = file.read(len(ZSTD_MAGIC))
    if head.startswith(GZIP_MAGIC):
        return Gzip()
    if head == ZSTD_MAGIC or (head[1:4] == SKIPPED and head[0] >> 4 == SKIPPED_FIRST):
        return Zstandard(file)
    return None
