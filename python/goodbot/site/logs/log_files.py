"""The files of logs: which they are, in which order, and their bytes without compression.

Scope: it acts: it opens and reads files.
"""

import codecs
import glob
import io
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO, TypeAlias

from goodbot.errors import GoodbotError, MisuseError, WrongTypeError, WrongValueError
from goodbot.site.logs.compression import CODINGS, LONGEST_MAGIC, decompressed

__all__ = [
    "STANDARD_INPUT",
    "GivenStream",
    "LogFile",
    "LogSource",
    "blocks_of",
    "files_in",
    "name_source",
    "name_streams",
    "opened",
    "read",
    "split_sources",
]

STANDARD_INPUT = "-"
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How files in UTF-16 begin, as PowerShell writes them."""
COMPRESSED_BYTES = 256 * 1024
"""How much of a compressed file is read at once."""
FIRST_BYTES = 1024 * 1024
"""How much of a plain file is read before anything is read ahead: its format is found there."""
LogSource: TypeAlias = str | os.PathLike[str] | BinaryIO
"""A path, a folder, a pattern, `-` for standard input, or a binary stream."""


class GivenStream:
    """A stream that the caller has opened, and closes."""

    def __init__(self, stream: BinaryIO) -> None:
        """Keep the stream."""
        self.stream = stream

    def read(self, size: int) -> bytes:
        """Return at most so many bytes.

        Raises:
            WrongTypeError: The stream is one of text.

        """
        block = self.stream.read(size)
        if isinstance(block, str):
            message = 'the stream of a log has text; open it with mode "rb"'
            raise WrongTypeError(message)
        return block

    def close(self) -> None:
        """Leave it to the caller."""


LogFile: TypeAlias = io.FileIO | GivenStream


def split_sources(
    sources: Iterable[LogSource],
) -> tuple[list[str | os.PathLike[str]], list[BinaryIO]]:
    """Return the paths of sources, and their streams.

    Raises:
        WrongTypeError: They are a single one instead of several.

    """
    if isinstance(sources, str | bytes | os.PathLike) or hasattr(sources, "read"):
        message = 'sources must be a list of paths, such as ["access.log"], not a single one'
        raise WrongTypeError(message)
    paths: list[str | os.PathLike[str]] = []
    streams: list[BinaryIO] = []
    for source in sources:
        if isinstance(source, str | os.PathLike):
            paths.append(source)
        elif hasattr(source, "read"):
            streams.append(source)
        else:
            message = f"a log must be a path or a binary stream, not {type(source).__name__}"
            raise WrongTypeError(message)
    return paths, streams


def name_streams(streams: Iterable[BinaryIO], taken: Collection[str]) -> dict[str, GivenStream]:
    """Return streams by their names, none of which is taken."""
    found: dict[str, GivenStream] = {}
    for stream in streams:
        name = name_source(stream)
        numbered = (f"{name} ({place})" for place in count(2))
        if name in found or name in taken:
            name = next(one for one in numbered if one not in found and one not in taken)
        found[name] = GivenStream(stream)
    return found


def name_source(source: LogSource) -> str:
    """Return what a source is called: its path, or the name of its stream."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "stream"


def files_in(sources: Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return the files that paths, folders and patterns name, each once.

    Raises:
        MisuseError: One of them names no file.
        WrongValueError: There are none.

    """
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


def opened(path: str, *, waits: bool = True) -> io.FileIO:
    """Open a log.

    Args:
        path: Its path, or `-`.
        waits: Whether a pipe waits for its writer. If not, reading it returns what is there.

    Raises:
        MisuseError: It cannot be opened.

    """
    try:
        if path == STANDARD_INPUT:
            return io.FileIO(sys.stdin.fileno(), closefd=False)
        return io.FileIO(path, opener=None if waits else open_without_waiting)
    except OSError as error:
        raise unreadable(path, error) from error


def open_without_waiting(path: str, flags: int) -> int:
    """Open a file so that a pipe without a writer keeps nobody waiting."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def unreadable(path: str, error: OSError) -> MisuseError:
    """Return the error for a file that cannot be read."""
    fault = error.strerror or type(error).__name__
    return MisuseError(f"{path} cannot be read: {fault}; check the path and its permissions")


class FileBlocks:
    """The bytes of a file in blocks; the next one can be read while one is used."""

    def __init__(self, blocks: Iterator[bytes], *, reads_ahead: bool) -> None:
        """Keep what reads the blocks; nothing is read ahead of a pipe, which may make one wait."""
        self._blocks = blocks
        self._reads_ahead = reads_ahead
        self._next: bytes | None = None
        self._error: GoodbotError | None = None

    def __iter__(self) -> Iterator[bytes]:
        """Yield each block."""
        while block := self._taken():
            yield block

    def read_ahead(self) -> None:
        """Read the next block now, in any thread, if there is none yet.

        If it cannot be read, that is raised when the block is asked for.
        """
        if not self._reads_ahead or self._next is not None:
            return
        try:
            self._next = next(self._blocks, b"")
        except GoodbotError as error:
            self._error = error

    def _taken(self) -> bytes:
        """Return the next block; none at the end.

        Raises:
            GoodbotError: It cannot be read.

        """
        if self._error is not None:
            raise self._error
        block, self._next = self._next, None
        return next(self._blocks, b"") if block is None else block


def blocks_of(path: str, file: LogFile, size: int, damaged: Callable[[str], None]) -> FileBlocks:
    """Return the bytes of a file in blocks, without compression.

    Args:
        path: Its path, for messages.
        file: The file.
        size: The most bytes of a block.
        damaged: Called if the rest of a compressed file cannot be read, with the fault.

    Raises:
        MisuseError: It cannot be read.
        MissingExtraError: It is compressed with zstd, and the extra `encodings` is not installed.

    """
    begin = read(path, file, LONGEST_MAGIC)
    while begin and len(begin) < LONGEST_MAGIC:
        more = read(path, file, LONGEST_MAGIC - len(begin))
        if not more:
            break
        begin += more
    coding = next((coding for magic, coding in CODINGS.items() if begin.startswith(magic)), None)
    if coding is None:
        is_file = not isinstance(file, GivenStream) and S_ISREG(os.fstat(file.fileno()).st_mode)
        return FileBlocks(in_utf_8(plain_blocks(path, file, begin, size)), reads_ahead=is_file)
    blocks = decompressed(raw_blocks(path, file, begin), size, damaged, coding())
    return FileBlocks(in_utf_8(blocks), reads_ahead=True)


def plain_blocks(path: str, file: LogFile, begin: bytes, size: int) -> Iterator[bytes]:
    """Yield the bytes of a file that is not compressed."""
    yield begin + read(path, file, min(size, FIRST_BYTES) - len(begin))
    yield from iter(partial(read, path, file, size), b"")


def in_utf_8(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the same bytes; a text in UTF-16, which says so at its beginning, as UTF-8."""
    first = next(blocks, b"")
    if not first.startswith(UTF_16):
        yield first
        yield from blocks
        return
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    yield decoder.decode(first).encode()
    for block in blocks:
        yield decoder.decode(block).encode()


def read(path: str, file: LogFile, size: int) -> bytes:
    """Read what is there, at most so many bytes."""
    try:
        return file.read(size) or b""
    except OSError as error:
        raise unreadable(path, error) from error


def raw_blocks(path: str, file: LogFile, begin: bytes) -> Iterator[bytes]:
    """Yield the bytes of a compressed file."""
    yield begin
    while block := read(path, file, COMPRESSED_BYTES):
        yield block
