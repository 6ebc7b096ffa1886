"""The URLs that `--urls` names: a list, a log of a server, or a sitemap.

Scope: from bytes to URLs, in constant memory for lists and logs; a sitemap has a size limit. Any of
them may be compressed with gzip. What is not a URL is counted and skipped, or left to the verb.
"""

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, cast

import goodbot
from goodbot._core import parse_sitemap
from goodbot.cli.shared.input_files import BYTE_ORDER_MARK, LINE_LIMIT
from goodbot.files.file_input import NAME_OF_STANDARD_INPUT, STANDARD_INPUT, open_input

__all__ = ["UrlSource"]

GZIP_MAGIC = b"\x1f\x8b"
MOST_SITEMAP = 50 * 1024 * 1024
"""The largest sitemap (sitemaps.org, protocol, Sitemap files)."""
MOST_ENTRIES = 1_000_000
"""The most URLs of a sitemap that are read, more than the protocol allows."""
MOST_READ = 64 * 1024**3
"""The most bytes that are read, uncompressed."""
AT_ONCE = 8 * 1024
"""How many bytes of a sitemap are read at once: what comes before damage is not lost."""
DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile)
"""What shows that compressed data is cut or damaged."""
BEGINNING = 512
"""How many bytes show which form a file has."""

REQUEST = re.compile(rb'"[A-Z]{3,20} (/[^ "]*|https?://[^ "]*)(?: HTTP/[0-9.]+)?"')
"""The request in a line of the Common and the Combined Log Format."""
LOG_TIME = re.compile(rb"\[[0-9]{2}/[A-Za-z]{3}/[0-9]{4}:[0-9:]{8} [+-][0-9]{4}\]")
"""The time in a line of a log; such a line without a request has no URL."""
URL = re.compile(rb"(?:[Hh][Tt][Tt][Pp][Ss]?://|/)[^\s]*")


class UrlSource:
    """URLs from a file; iterate over it once."""

    def __init__(
        self,
        source: str,
        option: str = "--urls",
        *,
        keeps_odd: bool = False,
        may_be_faulty: bool = False,
    ) -> None:
        """Read from a file, or standard input for `-`.

        Args:
            source: The file.
            option: The option that names it, for messages.
            keeps_odd: Whether to yield a line of a list that is not a URL, instead of skipping it:
                anyone who checks URLs wants to know of each that is none.
            may_be_faulty: Whether a sitemap without a URL is no misuse if it has a problem.

        """
        self.source = source
        self.named = NAME_OF_STANDARD_INPUT if source == STANDARD_INPUT else f"{option} {source}"
        self.keeps_odd = keeps_odd
        self.may_be_faulty = may_be_faulty
        self.skipped = 0
        """How many lines have no URL."""
        self.form = ""
        """What the file is: `list`, `log` or `sitemap`; of lines, what the last one was."""
        self.problem = ""
        """What is wrong with a sitemap: where, why, and how many URLs were read; else empty."""
        self.is_faulty = False
        """Whether the sitemap is not well-formed, cut or none, and more than entries lack a URL."""

    def __iter__(self) -> Iterator[bytes]:
        """Yield the URLs, and paths that begin with `/`.

        Raises:
            MisuseError: It has no URL, is too large, or names other sitemaps instead of pages.
            OSError: It cannot be read.

        """
        count = 0
        with open_input(self.source) as stream:
            try:
                for url in self.urls(uncompressed(stream)):
                    count += 1
                    yield url
            except DAMAGE as error:
                message = f"{self.named} is damaged gzip; compress it again"
                raise goodbot.MisuseError(message) from error
        if not count and not (self.may_be_faulty and self.problem):
            why = f": {self.problem}" if self.problem else ""
            message = (
                f"{self.named} has no URLs{why}; name a file with a URL on each line, a log in "
                "the Common or Combined Log Format, or a sitemap"
            )
            raise goodbot.MisuseError(message)

    def urls(self, stream: io.BufferedReader) -> Iterator[bytes]:
        """Yield the URLs of a stream, after looking at its beginning."""
        try:
            first = stream.peek(BEGINNING)[:BEGINNING].removeprefix(BYTE_ORDER_MARK).lstrip()
        except DAMAGE:
            if not self.may_be_faulty:
                raise
            self.form = "sitemap"
            return self.of_sitemap(b"", is_damaged=True)
        if first.startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
            self.form = "sitemap"
            content, is_damaged = read_until_damage(stream, MOST_SITEMAP + 1)
            return self.of_sitemap(content, is_damaged=is_damaged)
        return self.of_lines(stream)

    def of_sitemap(self, content: bytes, *, is_damaged: bool) -> Iterator[bytes]:
        """Yield the URLs of a sitemap or a feed, as far as it can be read."""
        if len(content) > MOST_SITEMAP:
            message = f"{self.named} is larger than 50 MiB, the limit of sitemaps; split it"
            raise goodbot.MisuseError(message)
        from goodbot.page.encoding import text_of_xml  # noqa: PLC0415  as above
        from goodbot.page.finding_codes import Findings  # noqa: PLC0415  as above
        from goodbot.sitemaps.sitemap_faults import (  # noqa: PLC0415  only sitemaps need it
            amount_read,
            late_declaration,
            what_it_is,
            xml_fault,
        )

        body, _ = text_of_xml(content, None, Findings())
        found = parse_sitemap(body, MOST_ENTRIES)
        if found.form == "index":
            message = (
                f"{self.named} is an index of sitemaps; name one of the sitemaps that it lists"
            )
            raise goodbot.MisuseError(message)
        urls = [address for kind, address, *_ in found.entries if kind == "url"]
        fault = xml_fault(found, late_declaration(content))
        problem, is_minor = "", False
        if is_damaged:
            problem = "the compressed data is cut or damaged"
        elif found.form == "none" and fault is None:
            problem = f"it is no sitemap: {what_it_is(body)}"
        elif fault is not None:
            problem = f"line {fault[1]}: {fault[0]}"
        elif found.limit is not None:
            problem = f"line {found.limit[1]} exceeds a limit of {found.limit[0]}"
        elif len(found.entries) > MOST_ENTRIES:
            problem = f"it has more than {MOST_ENTRIES:,} entries, and the rest was not read"
        elif found.without_address is not None:
            number, line, _behind = found.without_address
            is_minor = True
            problem = (
                f"line {line}: {number:,} {'entry has' if number == 1 else 'entries have'} no URL"
            )
        self.problem = f"{problem}; {amount_read(len(urls))}" if problem else ""
        self.is_faulty = bool(problem) and not is_minor
        for address in urls[:MOST_ENTRIES]:
            yield address.encode("utf-8", "surrogatepass")

    def of_lines(self, stream: io.BufferedReader) -> Iterator[bytes]:
        """Yield the URLs of lines."""
        left = MOST_READ
        for line in self.lines(stream):
            left -= len(line)
            if left < 0:
                message = f"{self.named} is larger than 64 GiB; split it"
                raise goodbot.MisuseError(message)
            text = line.removeprefix(BYTE_ORDER_MARK).strip()
            if not text or text.startswith(b"#"):
                continue
            url = URL.fullmatch(text)
            request = None if url else REQUEST.search(text)
            if url:
                self.form = "list"
                yield text
            elif request:
                self.form = "log"
                yield request[1]
            elif self.keeps_odd and not LOG_TIME.search(text):
                self.form = "list"
                yield text
            else:
                self.skipped += 1

    def lines(self, stream: io.BufferedReader) -> Iterator[bytes]:
        """Yield the lines; one that is too long counts as a line without a URL.

        Raises:
            MisuseError: One is too long, and each line counts.

        """
        number = 0
        while line := stream.readline(LINE_LIMIT):
            number += 1
            whole = is_whole(line)
            if not whole and self.keeps_odd:
                message = f"line {number} of the URLs is longer than 1 MiB; write one URL per line"
                raise goodbot.MisuseError(message)
            yield line if whole else b"too long"
            while not whole and (line := stream.readline(LINE_LIMIT)):
                whole = is_whole(line)


def read_until_damage(stream: io.BufferedReader, most: int) -> tuple[bytes, bool]:
    """Return the content of a stream up to damaged gzip, and whether there is any."""
    pieces: list[bytes] = []
    try:
        while most > 0 and (piece := stream.read1(min(most, AT_ONCE))):
            pieces.append(piece)
            most -= len(piece)
    except DAMAGE:
        return b"".join(pieces), True
    return b"".join(pieces), False


def is_whole(line: bytes) -> bool:
    """Return whether a line was read to its end."""
    return line.endswith(b"\n") or len(line) < LINE_LIMIT


def uncompressed(stream: BinaryIO) -> io.BufferedReader:
    """Return a stream that is decompressed while it is read, if it is gzip."""
    buffered = (
        stream if isinstance(stream, io.BufferedReader) else cast("io.BufferedReader", stream)
    )
    if buffered.peek(len(GZIP_MAGIC))[: len(GZIP_MAGIC)] == GZIP_MAGIC:
        return io.BufferedReader(GzipPieces(buffered))
    return buffered


class GzipPieces(io.RawIOBase):
    """Decompresses gzip piece by piece: all that comes before damage is read before it raises."""

    def __init__(self, stream: io.BufferedReader) -> None:
        """Decompress a stream."""
        self._file = gzip.GzipFile(fileobj=stream)

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401  a writable buffer, by its base
        """Read some bytes; `GzipFile.read` would lose what comes before damage."""
        piece = self._file.read1(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)
