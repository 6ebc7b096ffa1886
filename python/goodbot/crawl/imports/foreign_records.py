"""The records of a WARC file by others, one after the other, whatever state the file is in.

Scope: the form of records. What a record is damaged by is counted, and reading goes on at the next
one that can be found: damaged content never raises. The block of a record is returned up to
`MAX_BLOCK`, and the rest of it is skipped.

Source: WARC 1.0 and 1.1, section 4 (file and record model) and annex D (compression).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from goodbot.crawl.imports.warc_stream import DamagedFileError, WarcStream
from goodbot.http.head import read_head

__all__ = ["MAX_BLOCK", "ForeignRecord", "foreign_records", "record_at"]

MAX_BLOCK = 16 * 1024 * 1024
"""How many bytes of a block are returned: as many as of the largest page, and its header."""

MAX_HEAD = 64 * 1024
"""The most bytes of the head of a record."""

VERSION = re.compile(rb"WARC/1\.[0-9]{1,2}[ \t]*\r?\n")
BEGINS = b"WARC/1."
LENGTH = re.compile(r"[0-9]{1,15}")
BLANK = {b"\r\n", b"\n"}

RecordFields = dict[str, str]


@dataclass(frozen=True, slots=True)
class ForeignRecord:
    """A record, or a place where there is none although one should be."""

    offset: int
    """Where the record can be read again: the beginning of its gzip member, or of itself in a plain
    file; -1 if it is within a member that has several records."""
    fields: RecordFields
    """Its header fields, by name in lower case; of fields with the same name, the first."""
    block: bytes
    """The beginning of its block."""
    is_cut: bool = False
    """Whether the block is longer than `MAX_BLOCK`."""
    is_damaged: bool = False
    """Whether there is no whole record here; the other values then mean nothing."""


DAMAGED = ForeignRecord(-1, {}, b"", is_damaged=True)


def foreign_records(file: BinaryIO) -> Iterator[ForeignRecord]:
    """Yield the records of a file, and an item for each place that is damaged.

    Args:
        file: The file, open for reading and able to seek.

    """
    stream = WarcStream(file)
    is_whole, start = True, -1
    while True:
        try:
            if not is_whole and not find_next(stream, start):
                return
            start = stream.member_start
            record = next_record(stream)
        except DamagedFileError:
            record = DAMAGED
        if record is None:
            return
        # One item for each damaged place, however long it is.
        if is_whole or not record.is_damaged:
            yield record
        is_whole = not record.is_damaged


def record_at(file: BinaryIO, offset: int) -> ForeignRecord | None:
    """Read one record again; `None` if there is none at its place.

    Args:
        file: The file.
        offset: `ForeignRecord.offset`.

    """
    try:
        record = next_record(WarcStream(file, offset))
    except DamagedFileError:
        return None
    return None if record is None or record.is_damaged else record


def find_next(stream: WarcStream, damaged: int) -> bool:
    """Go on where a record may begin; `False` at the end of the file."""
    if stream.is_compressed:
        return stream.resume(damaged)
    while stream.peek(len(BEGINS)) != BEGINS:
        if not stream.read_line(MAX_HEAD):
            return False
    return True


def next_record(stream: WarcStream) -> ForeignRecord | None:
    """Read the next record; `None` at the end of the file.

    Raises:
        DamagedFileError: The file is damaged here.

    """
    members = stream.skip_blank_lines()
    line = stream.read_line(MAX_HEAD)
    if not line:
        return None
    offset = stream.member_start if stream.is_compressed else stream.member_start - len(line)
    if stream.is_compressed and stream.members == members:
        offset = -1
    if not VERSION.fullmatch(line):
        return DAMAGED
    fields = read_fields(stream)
    length = "" if fields is None else fields.get("content-length", "")
    if fields is None or not LENGTH.fullmatch(length):
        return DAMAGED
    block = read_block(stream, int(length))
    if block is None:
        return DAMAGED
    return ForeignRecord(offset, fields, block, int(length) > len(block))


def read_fields(stream: WarcStream) -> RecordFields | None:
    """Read the fields of a record; `None` if they do not end."""
    lines, size = [], 0
    while (line := stream.read_line(MAX_HEAD)) not in BLANK:
        size += len(line)
        if not line or size > MAX_HEAD:
            return None
        lines.append(line)
    fields: RecordFields = {}
    for name, value in read_head(b"".join(lines)).fields:
        fields.setdefault(name.decode("ascii").lower(), value.decode("utf-8", "replace"))
    return fields


def read_block(stream: WarcStream, length: int) -> bytes | None:
    """Read a block, and check that it ends where it should; `None` if it does not.

    A length that is too large would run into the next record, and one that is too small would leave
    bytes, which could look like a record.
    """
    pieces, left, kept = [], length, 0
    while left:
        members = stream.members
        is_next = stream.peek(1) == BEGINS[:1] and stream.members > members
        if is_next and stream.peek(len(BEGINS)) == BEGINS:
            return None
        piece = stream.read(left)
        if not piece:
            return None
        left -= len(piece)
        if kept < MAX_BLOCK:
            pieces.append(piece[: MAX_BLOCK - kept])
            kept += len(pieces[-1])
    return b"".join(pieces) if is_end(stream) else None


def is_end(stream: WarcStream) -> bool:
    """Whether a record ends here: with a line end, or with the file or its gzip member."""
    members = stream.members
    return stream.peek(1) in {b"", b"\r", b"\n"} or stream.members > members
