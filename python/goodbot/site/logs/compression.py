"""The bytes of compressed logs: gzip, zstd, xz and bzip2.

Scope: from blocks to blocks. They are decompressed in steps of bounded size, so that a small file
that stands for a huge one fills no memory; what is damaged ends the file and is noted.

Source: RFC 1952 (gzip), RFC 8878 (zstd), the .xz file format (tukaani.org), bzip2.
"""

import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, TypeAlias

from goodbot.display import shown_value
from goodbot.errors import MisuseError
from goodbot.missing import needs

__all__ = ["CODINGS", "LONGEST_MAGIC", "decompressed"]

LARGEST_WINDOW = 27
"""The largest window of zstd and dictionary of xz, as a power of two: 128 MiB, as `zstd -d` allows
by default."""


class GzipMembers:
    """Decompresses the members of a gzip file (RFC 1952 section 2.2)."""

    faults: tuple[type[Exception], ...] = (zlib.error,)

    def new(self) -> Any:  # noqa: ANN401  of zlib
        """Return what decompresses one member."""
        return zlib.decompressobj(zlib.MAX_WBITS | 16)

    def rest(self, decoder: Any) -> bytes:  # noqa: ANN401  of zlib
        """Return the input that the decoder did not yet use."""
        rest: bytes = decoder.unused_data if decoder.eof else decoder.unconsumed_tail
        return rest.lstrip(b"\0") if decoder.eof else rest


class Behind:
    """What decoders have in common that keep the input of a stream that has not ended."""

    def rest(self, decoder: Any) -> bytes:  # noqa: ANN401  of the library
        """Return the input behind the stream: within it, the decoder keeps what it has."""
        rest: bytes = decoder.unused_data if decoder.eof else b""
        return rest


class ZstdFrames(Behind):
    """Decompresses the frames of a zstd file (RFC 8878 section 3.1).

    The standard library has it from Python 3.14 on; the extra `encodings` brings the same module
    for earlier versions.
    """

    def __init__(self) -> None:
        """Import the library."""
        name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
        with needs("encodings"):
            self.library = import_module(name)
        self.faults: tuple[type[Exception], ...] = (self.library.ZstdError,)

    def new(self) -> Any:  # noqa: ANN401  of the library
        """Return what decompresses one frame."""
        options = {self.library.DecompressionParameter.window_log_max: LARGEST_WINDOW}
        return self.library.ZstdDecompressor(options=options)


class XzStreams(Behind):
    """Decompresses the streams of an xz file, in bounded memory."""

    def __init__(self) -> None:
        """Import the library."""
        self.library = library("lzma", "xz")
        self.faults: tuple[type[Exception], ...] = (self.library.LZMAError,)

    def new(self) -> Any:  # noqa: ANN401  of the library
        """Return what decompresses one stream."""
        return self.library.LZMADecompressor(memlimit=1 << LARGEST_WINDOW)

    def rest(self, decoder: Any) -> bytes:  # noqa: ANN401  of the library
        """Return the input behind the stream, without the NULs that pad it."""
        return super().rest(decoder).lstrip(b"\0")


class Bzip2Streams(Behind):
    """Decompresses the streams of a bzip2 file."""

    faults: tuple[type[Exception], ...] = (OSError,)

    def __init__(self) -> None:
        """Import the library."""
        self.library = library("bz2", "bzip2")

    def new(self) -> Any:  # noqa: ANN401  of the library
        """Return what decompresses one stream."""
        return self.library.BZ2Decompressor()


def library(name: str, compression: str) -> Any:  # noqa: ANN401  a module
    """Import a module that a Python may have been built without.

    Raises:
        MisuseError: It was.

    """
    try:
        return import_module(name)
    except ImportError as error:
        message = f"this Python cannot read {compression}; decompress the logs first"
        raise MisuseError(message) from error


Coding: TypeAlias = GzipMembers | ZstdFrames | XzStreams | Bzip2Streams

CODINGS: dict[bytes, Callable[[], Coding]] = {
    b"\x1f\x8b": GzipMembers,
    b"\x28\xb5\x2f\xfd": ZstdFrames,
    b"\xfd7zXZ\0": XzStreams,
    **{b"BZh%d1AY&SY" % level: Bzip2Streams for level in range(1, 10)},
}
"""How compressed files begin, and what reads them."""
LONGEST_MAGIC = max(map(len, CODINGS))


def decompressed(
    blocks: Iterable[bytes],
    size: int,
    damaged: Callable[[str], None],
    coding: Coding,
) -> Iterator[bytes]:
    """Yield the bytes of compressed blocks, at most `size` at once."""
    decoder, is_open = coding.new(), False
    for block in blocks:
        data = block
        while True:
            if decoder.eof:
                if not data:
                    break
                decoder = coding.new()
            try:
                out = decoder.decompress(data, size)
            except coding.faults as error:
                damaged(f"compressed data is damaged: {shown_value(str(error))}")
                return
            if out:
                yield out
            is_open = not decoder.eof
            data = coding.rest(decoder)
            if not data and (decoder.eof or not out or getattr(decoder, "needs_input", False)):
                break
    if is_open:
        damaged("the file ends within compressed data")
