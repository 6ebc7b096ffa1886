"""The files of logs: which they are, in which order, and their bytes without compression.

Scope: it acts: it opens and reads files. A compressed file is decompressed in steps of bounded
size, so that a small file that stands for a huge one fills no memory; what is damaged ends the file
and is noted.

Source: RFC 1952 (gzip), RFC 8878 (zstd).
"""

import glob
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from stat import S_ISREG
from typing import Any

from goodbot.display import shown_value
from goodbot.errors import MisuseError, WrongTypeError, WrongValueError
from goodbot.net.missing import needs

__all__ = ["STANDARD_INPUT", "blocks_of", "files_in", "opened", "read"]

STANDARD_INPUT = "-"
GZIP, ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
"""How compressed files begin."""
COMPRESSED_BYTES = 256 * 1024
"""How much of a compressed file is read at once."""
LARGEST_WINDOW = 27
"""The largest window of zstd, as a power of two: 128 MiB, as `zstd -d` allows by default."""


def files_in(sources: Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return the files that paths, folders and patterns name, each once.

    Raises:
        MisuseError: One of them names no file.
        WrongTypeError: It is a single path instead of a list of them.
        WrongValueError: There are none.

    """
    if isinstance(sources, str | bytes | os.PathLike):
        message = 'sources must be a list of paths, such as ["access.log"], not a single one'
        raise WrongTypeError(message)
    found: list[str] = []
    for source in map(str, map(Path, sources)):
        if source == STANDARD_INPUT or Path(source).is_file() or is_stream(source):
            found.append(source)
            continue
        folder = Path(source)
        pattern = f"{glob.escape(source)}/*" if folder.is_dir() else source
        matches = glob.glob(pattern, recursive=True)  # noqa: PTH207  a whole path
        files = sorted(one for one in matches if Path(one).is_file())
        if not files:
            message = f"{source} names no file; name a log, a folder of logs, or a pattern"
            raise MisuseError(message)
        found += files
    if not found:
        message = (
            'no log was given; pass paths, such as ["access.log"], or ["-"] for standard input'
        )
        raise WrongValueError(message)
    return list(dict.fromkeys(found))


def is_stream(path: str) -> bool:
    """Whether a path is a pipe or a device, such as `/dev/stdin`."""
    return Path(path).exists() and not Path(path).is_dir()


def opened(path: str) -> io.FileIO:
    """Open a log.

    Raises:
        MisuseError: It cannot be opened.

    """
    try:
        if path == STANDARD_INPUT:
            return io.FileIO(sys.stdin.fileno(), closefd=False)
        return io.FileIO(path)
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: str, error: OSError) -> MisuseError:
    """Return the error for a file that cannot be read."""
    fault = error.strerror or type(error).__name__
    return MisuseError(f"{path} cannot be read: {fault}; check the path and its permissions")


def blocks_of(
    path: str, file: io.FileIO, size: int, damaged: Callable[[str], None]
) -> Iterator[bytes]:
    """Yield the bytes of a file in blocks, without compression.

    Args:
        path: Its path, for messages.
        file: The file.
        size: The most bytes of a block.
        damaged: Called if the rest of a compressed file cannot be read, with the fault.

    Raises:
        MisuseError: It cannot be read.
        MissingExtraError: It is compressed with zstd, and the extra `encodings` is not installed.

    """
    begin = read(path, file, len(ZSTD))
    while begin and len(begin) < len(ZSTD) and (more := read(path, file, len(ZSTD) - len(begin))):
        begin += more
    if begin.startswith(GZIP):
        yield from read_ahead(
            decompressed(raw_blocks(path, file, begin), size, damaged, GzipMembers())
        )
    elif begin.startswith(ZSTD):
        yield from read_ahead(
            decompressed(raw_blocks(path, file, begin), size, damaged, ZstdFrames())
        )
    else:
        yield begin + read(path, file, size - len(begin))
        # A pipe may keep a reader waiting, so nothing reads ahead of it.
        rest = iter(partial(read, path, file, size), b"")
        yield from read_ahead(rest) if S_ISREG(os.fstat(file.fileno()).st_mode) else rest


def read(path: str, file: io.FileIO, size: int) -> bytes:
    """Read what is there, at most so many bytes."""
    try:
        return file.read(size) or b""
    except OSError as error:
        raise unreadable(path, error) from error


def raw_blocks(path: str, file: io.FileIO, begin: bytes) -> Iterator[bytes]:
    """Yield the bytes of a compressed file."""
    yield begin
    while block := read(path, file, COMPRESSED_BYTES):
        yield block


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


class ZstdFrames:
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

    def rest(self, decoder: Any) -> bytes:  # noqa: ANN401  of the library
        """Return the input behind the frame: within it, the decoder keeps what it has."""
        rest: bytes = decoder.unused_data if decoder.eof else b""
        return rest


def decompressed(
    blocks: Iterable[bytes],
    size: int,
    damaged: Callable[[str], None],
    coding: GzipMembers | ZstdFrames,
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


def read_ahead(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the same blocks, of which the next one is read by another thread meanwhile."""
    with ThreadPoolExecutor(1, "goodbot-logs") as executor:
        upcoming = executor.submit(next, blocks, b"")
        while block := upcoming.result():
            upcoming = executor.submit(next, blocks, b"")
            yield block
