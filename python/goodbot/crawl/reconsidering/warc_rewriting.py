"""A WARC file without some of its records: every other record stays byte for byte.

Scope: one file, from its bytes to those of the new one. A record that is a member of its own, or
stands in a plain file, is copied as it is, without being decompressed. Where several records share
a member, each becomes a member of its own, with the same content.

A revisit has the content of another record. If that one goes and the revisit stays, because it is
of another URL, the revisit becomes a response with that content, which is its own, too.

Source: WARC 1.1 sections 5, 6.3, 6.6 and 6.7, annex D.2.
"""

import base64
import hashlib
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from tempfile import TemporaryFile
from typing import BinaryIO, NamedTuple
from uuid import NAMESPACE_URL, uuid5

import goodbot
from goodbot.crawl.wacz.cdxj import Writable
from goodbot.net.decoding import ZSTD
from goodbot.warc.captured_response import END_OF_HEAD, final_message
from goodbot.warc.foreign_records import ForeignRecord, foreign_records, record_at
from goodbot.warc.stream_coding import Gzip, Zstandard, coding_of
from goodbot.warc.warc_stream import WarcStream

__all__ = ["KEEP", "PlacedRecord", "PlannedRecord", "Tombstone", "rewrite_warc"]

PIECE = 1024 * 1024
LEVEL = 6
KEEP, GO, BECOME = "", "go", "become"
"""What becomes of a record: it stays, it goes, or it becomes a response."""
END = b"\r\n\r\n"
DROPPED = re.compile(
    rb"(?:WARC-Type|WARC-Profile|WARC-Refers-To(?:-Target-URI|-Date)?|WARC-Block-Digest|"
    rb"WARC-Truncated|Content-Length|Content-Type)[ \t]*:",
    re.IGNORECASE,
)
"""The fields of a revisit that a response has not, or of its own."""
OF_TRANSFER = re.compile(
    rb"(?:Content-Length|Content-Encoding|Transfer-Encoding)[ \t]*:", re.IGNORECASE
)
"""The fields of a response that say how its content is written."""


class Tombstone(NamedTuple):
    """What a record leaves that says that it was removed: no content, but by which statement."""

    url: str
    date: str
    """When it was captured, as its record had it."""
    record: str
    """The identifier of the record."""
    kind: str
    facts: tuple[tuple[str, str], ...]
    """By what it was removed, as names and values."""
    at: str
    """When it was removed, as WARC files write it."""

    def written(self) -> bytes:
        """Return it as a metadata record about the one that is gone."""
        lines = [("removed", self.kind), ("captured", self.date), *self.facts]
        text = "".join(f"{name}: {' '.join(value.split())}\r\n" for name, value in lines if value)
        block = text.encode("utf-8", "replace")
        head = [
            ("WARC-Type", "metadata"),
            ("WARC-Record-ID", f"<{uuid5(NAMESPACE_URL, f'removed:{self.record}').urn}>"),
            ("WARC-Date", self.at),
            ("WARC-Target-URI", self.url),
            ("WARC-Refers-To", f"<{self.record}>" if self.record else ""),
            ("WARC-Block-Digest", sha1(block)),
            ("Content-Type", "application/warc-fields"),
            ("Content-Length", str(len(block))),
        ]
        fields = "".join(f"{name}: {value}\r\n" for name, value in head if value)
        return b"WARC/1.1\r\n" + fields.encode("utf-8", "replace") + b"\r\n" + block + END


class PlannedRecord(NamedTuple):
    """A record of the old file, and what becomes of it."""

    start: int
    """Where it begins; of no meaning if records share members."""
    becomes: str = KEEP
    """`KEEP`, `GO` or `BECOME`."""
    tombstone: Tombstone | None = None
    """What it leaves if it goes; `None` for nothing."""
    original: Callable[[], ForeignRecord | None] | None = None
    """Reads the record whose content it has, if it becomes a response."""


class PlacedRecord(NamedTuple):
    """Where a record is in the new file."""

    offset: int
    length: int
    """0 if it is gone."""


def rewrite_warc(
    file: BinaryIO, target: Writable, plan: Sequence[PlannedRecord], *, packed: bool
) -> list[PlacedRecord]:
    """Write a WARC file without the records that go.

    Args:
        file: The old file, open for reading and able to seek.
        target: The new one.
        plan: What becomes of each record, in the order of the file.
        packed: Whether records share members, so that each must be written anew.

    Returns:
        For each record where it is now.

    """
    if packed:
        return rewrite_packed(file, target, plan)
    size = file.seek(0, 2)
    encode = encoder_of(file)
    starts = [one.start for one in plan]
    ends = [*starts[1:], size]
    at = copy_range(file, target, 0, starts[0] if starts else size)
    placed = []
    for one, end in zip(plan, ends, strict=True):
        length = 0
        if one.becomes == KEEP:
            length = copy_range(file, target, one.start, end)
        elif one.becomes == BECOME:
            length = write_all(target, encode(response_of(file, one)))
        elif one.tombstone is not None:
            write_all(target, content := encode(one.tombstone.written()))
            placed.append(PlacedRecord(at, 0))
            at += len(content)
            continue
        placed.append(PlacedRecord(at, length))
        at += length
    return placed


def rewrite_packed(
    file: BinaryIO, target: Writable, plan: Sequence[PlannedRecord]
) -> list[PlacedRecord]:
    """Write a file whose records share members; see `rewrite_warc`."""
    encode = encoder_of(file)
    placed: list[PlacedRecord] = []
    at = 0
    with TemporaryFile() as plain:
        stream = WarcStream(file)
        while piece := stream.read(PIECE):
            plain.write(piece)
        starts = [one.offset for one in foreign_records(plain) if not one.is_damaged]
        ends = [*starts[1:], plain.seek(0, 2)]
        for one, start, end in zip(plan, starts, ends, strict=True):
            content = b""
            if one.becomes == KEEP:
                plain.seek(start)
                content = encode(plain.read(end - start))
            elif one.becomes == BECOME:
                content = encode(response_of(plain, one._replace(start=start)))
            elif one.tombstone is not None:
                content = encode(one.tombstone.written())
            target.write(content)
            placed.append(PlacedRecord(at, 0 if one.becomes == GO else len(content)))
            at += len(content)
    return placed


def encoder_of(file: BinaryIO) -> Callable[[bytes], bytes]:
    """Return what writes a record as the file has its records: compressed, or as it is."""
    coding = coding_of(file)
    if isinstance(coding, Gzip):
        return gzip_member
    if isinstance(coding, Zstandard) and ZSTD is not None:
        compress: Callable[[bytes], bytes] = ZSTD.compress
        return compress
    return bytes


def gzip_member(content: bytes) -> bytes:
    """Return content as a member of gzip, without a time."""
    packer = zlib.compressobj(LEVEL, wbits=31)
    return packer.compress(content) + packer.flush()


def copy_range(file: BinaryIO, target: Writable, start: int, end: int) -> int:
    """Copy a part of a file, in pieces; return its length."""
    file.seek(start)
    left = end - start
    while left > 0 and (piece := file.read(min(left, PIECE))):
        target.write(piece)
        left -= len(piece)
    return end - start


def write_all(target: Writable, content: bytes) -> int:
    """Write some bytes; return how many."""
    target.write(content)
    return len(content)


# A revisit that becomes a response.


def response_of(file: BinaryIO, one: PlannedRecord) -> bytes:
    """Return a revisit as a response with the content that it refers to.

    Its own head says what the server answered; how the content is written, the original says.
    """
    revisit = record_at(file, one.start)
    original = None if one.original is None else one.original()
    assert revisit is not None  # noqa: S101  it was read before
    assert original is not None  # noqa: S101  as it was
    block = joined(final_message(revisit.block), final_message(original.block))
    lines = [line for line in head_lines(file, one.start) if not DROPPED.match(line)]
    version, *fields = lines
    fields += [
        b"WARC-Type: response",
        b"WARC-Block-Digest: " + sha1(block).encode(),
        b"Content-Type: application/http; msgtype=response",
        b"Content-Length: %d" % len(block),
    ]
    return b"\r\n".join([version, *fields]) + END + block + END


def joined(own: bytes, original: bytes) -> bytes:
    """Return a message with the head of one response and the content of another."""
    end = END_OF_HEAD.search(original)
    if end is None:
        return original
    mine = END_OF_HEAD.search(own)
    if mine is None:
        return original
    mine_head = own[: mine.start()].split(b"\r\n")
    theirs = original[: end.start()].split(b"\r\n")
    head = [line for line in mine_head if not OF_TRANSFER.match(line)]
    head += [line for line in theirs if OF_TRANSFER.match(line)]
    return b"\r\n".join(head) + END + original[end.end() :]


def head_lines(file: BinaryIO, start: int) -> Iterator[bytes]:
    """Yield the lines of the head of a record, as they are written."""
    stream = WarcStream(file, start)
    stream.skip_blank_lines()
    while (line := stream.read_line(1 << 16).rstrip(b"\r\n")) != b"":
        yield line


def sha1(content: bytes) -> str:
    """Return a digest as WARC files write it (WARC 1.1 section 5.8)."""
    digest = hashlib.sha1(content, usedforsecurity=False).digest()
    return f"sha1:{base64.b32encode(digest).decode()}"


def made_by() -> str:
    """Return what removed a record."""
    return f"goodbot/{goodbot.__version__}"
