"""The URLs that `--urls` names: a list, a log of a server, or a sitemap.

Scope: from bytes to URLs, in constant memory for lists and logs; a sitemap has a size limit. Any of
them may be compressed with gzip. What is not a URL is counted and skipped, or left to the verb.
"""

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from typing import BinaryIO, cast

import goodbot
from goodbot._core import parse_sitemap
from goodbot.cli.shared.input_files import (
    BYTE_ORDER_MARK,
    LINE_LIMIT,
    NAME_OF_STANDARD_INPUT,
    STANDARD_INPUT,
    opened,
)

__all__ = ["UrlSource"]

GZIP_MAGIC = b"\x1f\x8b"
MOST_SITEMAP = 50 * 1024 * 1024
"""The largest sitemap (sitemaps.org, protocol, Sitemap files)."""
MOST_ENTRIES = 1_000_000
"""The most URLs of a sitemap that are read, more than the protocol allows."""
MOST_READ = 64 * 1024**3
"""The most bytes that are read, uncompressed."""
BEGINNING = 512
"""How many bytes show which form a file has."""

REQUEST = re.compile(rb'"[A-Z]{3,20} (/[^ "]*|https?://[^ "]*)(?: HTTP/[0-9.]+)?"')
"""The request in a line of the Common and the Combined Log Format."""
LOG_TIME = re.compile(rb"\[[0-9]{2}/[A-Za-z]{3}/[0-9]{4}:[0-9:]{8} [+-][0-9]{4}\]")
"""The time in a line of a log; such a line without a request has no URL."""
URL = re.compile(rb"(?:[Hh][Tt][Tt][Pp][Ss]?://|/)[^\s]*")


class UrlSource:
    """URLs from a file; iterate over it once."""

    def __init__(self, source: str, option: str = "--urls", *, keeps_odd: bool = False) -> None:
        """Read from a file, or standard input for `-`.

        Args:
            source: The file.
            option: The option that names it, for messages.
            keeps_odd: Whether to yield a line of a list that is not a URL, instead of skipping it:
                anyone who checks URLs wants to know of each that is none.

        """
        self.source = source
        self.named = NAME_OF_STANDARD_INPUT if source == STANDARD_INPUT else f"{option} {source}"
        self.keeps_odd = keeps_odd
        self.skipped = 0
        """How many lines have no URL."""
        self.form = ""
        """What the file is: `list`, `log` or `sitemap`; of lines, what the last one was."""
        self.problem = ""
        """Why a sitemap was not read to its end."""

    def __iter__(self) -> Iterator[bytes]:
        """Yield the URLs, and paths that begin with `/`.

        Raises:
            MisuseError: It has no URL, is too large, or names other sitemaps instead of pages.
            OSError: It cannot be read.

        """
        count = 0
        with opened(self.source) as stream:
            try:
                for url in self.urls(uncompressed(stream)):
                    count += 1
                    yield url
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                message = f"{self.named} is damaged gzip; compress it again"
                raise goodbot.MisuseError(message) from error
        if not count:
            message = (
                f"{self.named} has no URLs; name a file with a URL on each line, a log in "
                "the Common or Combined Log Format, or a sitemap"
            )
            raise goodbot.MisuseError(message)

    def urls(self, stream: io.BufferedReader) -> Iterator[bytes]:
        """Yield the URLs of a stream, after looking at its beginning."""
        first = stream.peek(BEGINNING)[:BEGINNING].removeprefix(BYTE_ORDER_MARK).lstrip()
        if first.startswith((b"<", b"\xff\xfe", b"\xfe\xff")):
            self.form = "sitemap"
            return self.of_sitemap(stream.read(MOST_SITEMAP + 1))
        return self.of_lines(stream)

    def of_sitemap(self, content: bytes) -> Iterator[bytes]:
        """Yield the URLs of a sitemap or a feed."""
        if len(content) > MOST_SITEMAP:
            message = f"{self.named} is larger than 50 MiB, the limit of sitemaps; split it"
            raise goodbot.MisuseError(message)
        from goodbot.page.encoding import text_of_xml  # noqa: PLC0415  only sitemaps need it
        from goodbot.page.finding_codes import Findings  # noqa: PLC0415  as above

        body, _ = text_of_xml(content, None, Findings())
        found = parse_sitemap(body, MOST_ENTRIES)
        if found.form == "index":
            message = (
                f"{self.named} is an index of sitemaps; name one of the sitemaps that it lists"
            )
            raise goodbot.MisuseError(message)
        if found.fault is not None:
            self.problem = f"it is not well-formed from line {found.fault[1]} on"
        elif found.limit is not None:
            self.problem = f"line {found.limit[1]} exceeds a limit of {found.limit[0]}"
        for kind, address, *_ in found.entries:
            if kind == "url":
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


def is_whole(line: bytes) -> bool:
    """Return whether a line was read to its end."""
    return line.endswith(b"\n") or len(line) < LINE_LIMIT


def uncompressed(stream: BinaryIO) -> io.BufferedReader:
    """Return a stream that is decompressed while it is read, if it is gzip."""
    buffered = (
        stream if isinstance(stream, io.BufferedReader) else cast("io.BufferedReader", stream)
    )
    if buffered.peek(len(GZIP_MAGIC))[: len(GZIP_MAGIC)] == GZIP_MAGIC:
        return io.BufferedReader(gzip.GzipFile(fileobj=buffered))
    return buffered
