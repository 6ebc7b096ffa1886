"""The index of a WACZ file: a line for each capture, sorted by the key of its URL and by time.

Scope: the lines, their order, and the compressed file with its own small index, by which a reader
finds a line without reading all of them.

Source: CDXJ, https://specs.webrecorder.net/cdxj/0.1.0/; WACZ 1.1.1.
"""

import gzip
import hashlib
import json
import sqlite3
from collections.abc import Iterator
from itertools import islice
from typing import Protocol

from goodbot.crawl.wacz.package import digest_text
from goodbot.http.instants import to_datetime

__all__ = ["CaptureIndex", "capture_line", "timestamp"]

LINES = 1024
"""The lines of a block, which is compressed by itself; py-wacz uses the same number."""

CREATE = "CREATE TABLE lines(line BLOB NOT NULL)"
SORTED = "SELECT line FROM lines ORDER BY line"


class Writable(Protocol):
    """What a part of the index is written to."""

    def write(self, content: bytes, /) -> int:
        """Write some bytes."""


class CaptureIndex:
    """The lines of an index, which are sorted on disk, so that memory use does not grow."""

    def __init__(self) -> None:
        """Create an empty temporary database, which SQLite removes when it is closed."""
        self._lines = sqlite3.connect("", isolation_level=None)
        self._lines.execute("PRAGMA journal_mode = OFF")
        self._lines.execute(CREATE)
        self._lines.execute("BEGIN")
        self.bytes = 0
        """The length of all lines."""

    def add(self, line: bytes) -> None:
        """Add a line."""
        self._lines.execute("INSERT INTO lines VALUES(?)", (line,))
        self.bytes += len(line)

    def __iter__(self) -> Iterator[bytes]:
        """Yield the lines in order of their bytes."""
        for (line,) in self._lines.execute(SORTED):
            yield line

    def write(self, file: Writable) -> bytes:
        """Write the lines, compressed block by block; return the index of the blocks."""
        first = {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}
        blocks = [b"!meta 0 " + json.dumps(first).encode()]
        lines, offset = iter(self), 0
        while block := list(islice(lines, LINES)):
            member = gzip.compress(b"".join(block), mtime=0)
            key, time, _ = block[0].split(b" ", 2)
            place = {
                "offset": offset,
                "length": len(member),
                "digest": digest_text(hashlib.sha256(member).digest()),
                "filename": "index.cdx.gz",
            }
            blocks.append(b" ".join((key, time, json.dumps(place).encode())))
            file.write(member)
            offset += len(member)
        return b"\n".join([*blocks, b""])

    def close(self) -> None:
        """Remove the database."""
        self._lines.close()


def capture_line(key: str, at: int, facts: dict[str, str]) -> bytes:
    """Return the line of a capture.

    Args:
        key: The key of its URL.
        at: The time of the capture, in microseconds since 1970.
        facts: What the line says, as text.

    """
    return f"{key} {timestamp(at)} {json.dumps(facts)}\n".encode()


def timestamp(at: int) -> str:
    """Return a time in the form of an index: 14 digits.

    >>> timestamp(0)
    '19700101000000'
    """
    time = to_datetime(at)
    return "99991231235959" if time is None else time.strftime("%Y%m%d%H%M%S")
