"""The records of a WARC or ARC file by others, one after the other, whatever state the file is in.

Scope: the form of records. Damaged content never raises. The block of a record is returned up to
`MAX_BLOCK`, and the rest of it is skipped.

A page can contain the text of WARC records, and of members with records in them. So behind
damage, reading goes on only where a record is proven to begin; otherwise, content of a site could
pass for a capture, even for the robots.txt of another site. Where records begin follows from the
lengths of all records before them, so damage to a plain file, or to one compressed as a whole, ends
the reading. In a file in which each record so far is a member of its own, of gzip or Zstandard, a
record begins with each member: if a member is whole and its record is not, reading goes on at the
next member. What was not read is reported. The first record decides whether all of them are WARC or
ARC.

Source: WARC 1.0 and 1.1, section 4 (file and record model) and annex D (compression); drafts of
WARC before 1.0, if their records have the same form; ARC 1.0 (`arc_records`).
"""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import BinaryIO

from goodbot._core import PlainRecords
from goodbot.http.head import read_head
from goodbot.lazy_dataclass import dataclass
from goodbot.warc.arc_records import arc_fields
from goodbot.warc.archive_forms import why_not_read
from goodbot.warc.file_pieces import FilePieces
from goodbot.warc.stream_coding import DamagedFileError
from goodbot.warc.warc_stream import WarcStream

__all__ = ["MAX_BLOCK", "ForeignRecord", "RecordReader", "foreign_records", "record_at"]

MAX_BLOCK = 16 * 1024 * 1024
"""How many bytes of a block are returned: as many as of the largest page, and its header."""

MAX_HEAD = 64 * 1024
"""The most bytes of the head of a record."""

VERSION = re.compile(rb"WARC/(?:0\.[0-9]{1,2}|1\.[0-9]{1,2})[ \t]*\r?\n")
LENGTH = re.compile(r"[0-9]{1,15}")
BLANK = {b"\r\n", b"\n"}
WARC, ARC = "warc", "arc"
EITHER = "either"
"""The form of a record that is read again: its first line says it."""
WARC_BEGINS = b"WARC/"
DESCRIPTION = b"filedesc:"
"""What an ARC file begins with."""

FREE_RECORDS = 10_000
LEAST_SIZE = 16
"""A file may have one record for so many of its bytes, and so many more. Each record has an ID of
its own (WARC 1.1 section 5.2), a random number that no compression shortens; without this limit,
14 KB of gzip could have 200,000 empty records."""

RecordFields = dict[str, str]
SPACED_NAME = re.compile(rb"[A-Za-z0-9-]+[ \t]+")


@dataclass(frozen=True, slots=True)
class ForeignRecord:
    """A record, or a place where there is none although one should be."""

    offset: int
    """Where the record can be read again: the beginning of its member, or of itself in a plain
    file; -1 if it is within a member that has several records. For a damaged place, where in the
    file it is."""
    fields: RecordFields
    """Its header fields, by name in lower case; of fields with the same name, the first."""
    block: bytes
    """The beginning of its block."""
    is_cut: bool = False
    """Whether the block is longer than `MAX_BLOCK`."""
    is_damaged: bool = False
    """Whether there is no whole record here."""
    unread: int = 0
    """The bytes of the file, from `offset` on, that are not read because of damage."""
    is_spread: bool = False
    """Whether it is in more than one member."""
    form: str = WARC
    """`warc` or `arc`; a record of ARC has the fields that one of WARC would have."""
    why: str = ""
    """Why it is not read, as a clause; empty if it is damaged."""
    repeated: tuple[tuple[str, str], ...] = ()
    """The header fields that are there again, with their further values."""


def damaged_at(offset: int, why: str = "") -> ForeignRecord:
    """Return what stands for a record that is not whole, or not read for another reason."""
    return ForeignRecord(offset, {}, b"", is_damaged=True, why=why)


def foreign_records(file: BinaryIO) -> Iterator[ForeignRecord]:
    """Yield the records of a file, and an item for each place that is damaged.

    The core reads plain records, each a gzip member of its own; `RecordReader` reads any other one,
    and then the core goes on. Both find the same.

    Args:
        file: The file, open for reading and able to seek.

    """
    reader = RecordReader(file)
    plain = PlainReader(file)
    damage: ForeignRecord | None = None
    while True:
        for record in plain.read_from(reader):
            if damage is not None:
                yield damage
            damage = None
            yield record
        found = reader.read()
        if found is None:
            break
        if not found.is_damaged:
            if damage is not None:
                yield damage
            damage = None
            yield found
        elif damage is None:
            damage = found
        else:  # one item for each damaged place, however long it is
            damage = replace(damage, unread=damage.unread + found.unread)
    if damage is not None:
        yield damage


class RecordReader:
    """Reads the records of a file.

    Args:
        file: The file, open for reading and able to seek.

    """

    def __init__(self, file: BinaryIO) -> None:
        """Start at the beginning of the file."""
        self._file = file
        self._size = file.seek(0, os.SEEK_END)
        self._stream = WarcStream(file)
        self.count = 0
        """How many records were read."""
        self._are_alone = self._stream.is_compressed
        """Whether each of them is a member of its own."""
        self._is_over = False
        self._form: str | None = None
        """The form of the records; `None` before the first one."""

    def read(self) -> ForeignRecord | None:
        """Return the next record, or what stands for one that is damaged; `None` at the end."""
        if self._is_over:
            return None
        stream, is_proven = self._stream, self._are_alone and self.count > 0
        before = stream.position
        record = next_record(stream, self._form, is_alone=is_proven)
        if record is None and not self.count:
            record = damaged_at(0)
        if record is None:
            return None
        if self.count >= FREE_RECORDS + stream.position // LEAST_SIZE:
            record = damaged_at(record.offset)
            is_proven = False
        self._are_alone &= record.offset >= 0 and not record.is_spread
        if not record.is_damaged:
            self.count += 1
            self._form = record.form
            return record
        if not self.count and not record.why:
            record = replace(record, why=why_not_read(self._file))
        start = record.offset if record.offset >= 0 else before
        self._is_over = not (is_proven and self._are_alone and stream.skip_member())
        end = self._size if self._is_over else stream.position
        return replace(record, offset=start, unread=max(end - start, 0))

    @property
    def position(self) -> int:
        """How far the file was read."""
        return self._stream.position

    @property
    def next_place(self) -> int | None:
        """Where the next record begins, if each so far is WARC in a member of gzip of its own."""
        is_plain = self._stream.is_gzip and self._form != ARC
        is_next = self._are_alone and is_plain and not self._is_over
        return self._stream.next_member if is_next else None

    def move_to(self, place: int, count: int) -> None:
        """Go on behind records that something else read from `next_place` on.

        Args:
            place: Where the next member begins.
            count: How many records are before it.

        """
        self._stream.move_to(place)
        self.count = count


class PlainReader:
    """Reads the plain records of a file by the core.

    Args:
        file: The file, open for reading and able to seek.

    """

    def __init__(self, file: BinaryIO) -> None:
        """Read nothing yet."""
        self._pieces = FilePieces(file)
        self._core = PlainRecords(MAX_BLOCK)

    def read_from(self, reader: RecordReader) -> Iterator[ForeignRecord]:
        """Yield the plain records that come next, and move a reader behind them."""
        place = reader.next_place
        if place is None:
            return
        pieces, core = self._pieces, self._core
        core.records = reader.count
        at, is_over = pieces.go_to(place), False
        while not is_over:
            found, at, stop = core.read(pieces.piece, at, pieces.start + at, pieces.is_end)
            for offset, fields, block, repeated in found:
                yield ForeignRecord(offset, fields, block, repeated=repeated)
            is_over = stop == "odd" or (stop == "more" and pieces.is_end)
            if stop == "more" and not is_over:
                pieces.fill(at)
                at = 0
        if core.records > reader.count:
            reader.move_to(pieces.start + at, core.records)


def record_at(file: BinaryIO, offset: int) -> ForeignRecord | None:
    """Read one record again; `None` if there is none at its place.

    Args:
        file: The file.
        offset: `ForeignRecord.offset`.

    """
    record = next_record(WarcStream(file, offset), EITHER)
    return None if record is None or record.is_damaged else record


def next_record(
    stream: WarcStream, form: str | None, *, is_alone: bool = False
) -> ForeignRecord | None:
    """Read the next record; `None` at the end of the file.

    Args:
        stream: The file.
        form: Its form; `None` for the first record of a file, which decides it.
        is_alone: Whether the record is a member of its own, and so ends with that.

    """
    offset = -1
    try:
        stream.stays = False
        members = stream.skip_blank_lines()
        if not stream.is_compressed or stream.members > members:
            offset = stream.member_start
        stream.stays = is_alone and offset >= 0
        line = stream.read_line(MAX_HEAD)
        return record_of(stream, line, offset, form) if line else None
    except DamagedFileError as error:
        return damaged_at(offset, error.why)


def record_of(stream: WarcStream, line: bytes, offset: int, form: str | None) -> ForeignRecord:
    """Read a record of which the first line was read.

    Raises:
        DamagedFileError: The file is damaged here.

    """
    members = stream.members
    if form == EITHER:
        form = WARC if line.startswith(WARC_BEGINS) else ARC
    form = form or (ARC if line.startswith(DESCRIPTION) else WARC)
    if form == WARC and not VERSION.fullmatch(line):
        return damaged_at(offset)
    repeated: list[tuple[str, str]] = []
    fields = read_fields(stream, repeated) if form == WARC else arc_fields(line)
    length = "" if fields is None else fields.get("content-length", "")
    if fields is None or not LENGTH.fullmatch(length):
        return damaged_at(offset)
    block = read_block(stream, int(length))
    is_spread = stream.members > members
    # Writers of ARC do not agree whether the blank line is part of the description of the file.
    is_ended = line.startswith(DESCRIPTION) and block is not None and block.endswith(b"\n")
    if block is None or not (is_end(stream) or is_ended):
        return damaged_at(offset)
    # To the end of its member, if nothing else is in that: there its checksum is.
    stream.stays = True
    stream.skip_blank_lines()
    return ForeignRecord(
        offset,
        fields,
        block,
        is_cut=int(length) > len(block),
        is_spread=is_spread,
        form=form,
        repeated=tuple(repeated),
    )


def read_fields(stream: WarcStream, repeated: list[tuple[str, str]]) -> RecordFields | None:
    """Read the fields of a record; `None` if they do not end.

    Args:
        stream: The file, behind the version of the record.
        repeated: What gets the fields that are there again.

    """
    lines = stream.read_ready_lines(MAX_HEAD) or read_lines(stream)
    if lines is None:
        return None
    fields: RecordFields = {}
    head = read_head(lines)
    for name, value in [*head.fields, *spaced_fields(head.odd)]:
        key, text = name.decode("ascii").lower(), value.decode("utf-8", "replace")
        if fields.setdefault(key, text) != text:
            repeated.append((key, text))
    return fields


def spaced_fields(odd: Iterable[tuple[int, bytes]]) -> Iterator[tuple[bytes, bytes]]:
    """Yield lines that are fields but for white space before the colon: others read them so."""
    for _, line in odd:
        name, colon, value = line.partition(b":")
        if colon and SPACED_NAME.fullmatch(name):
            yield name.rstrip(), value.strip()


def read_lines(stream: WarcStream) -> bytes | None:
    """Read the lines before a blank one, one by one; `None` if there is none, or too late."""
    lines, size = [], 0
    while (line := stream.read_line(MAX_HEAD)) not in BLANK:
        size += len(line)
        if not line or size > MAX_HEAD:
            return None
        lines.append(line)
    return b"".join(lines)


def read_block(stream: WarcStream, length: int) -> bytes | None:
    """Read a block; `None` if the file ends before it does."""
    pieces, left, kept = [], length, 0
    while left:
        piece = stream.read(left)
        if not piece:
            return None
        left -= len(piece)
        if kept < MAX_BLOCK:
            pieces.append(piece[: MAX_BLOCK - kept])
            kept += len(pieces[-1])
    return b"".join(pieces)


def is_end(stream: WarcStream) -> bool:
    """Whether a record ends here: with a line end, or with the file or its member.

    A length that is too small leaves bytes, which could look like a record.
    """
    members = stream.members
    return stream.peek(1) in {b"", b"\r", b"\n"} or stream.members > members
