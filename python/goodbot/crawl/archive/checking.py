"""Whether the files of the archive are as they were written: every byte of every record.

It reads rows and files, changes neither, and goes on where something is broken. A record is one
gzip member with a checksum (RFC 1952 section 2.3.1); it names the digest of its block, and mostly
of its payload (WARC 1.1 sections 5.8 and 5.9), and the database has that, too.

What may live here: finding what is wrong. What is done about it is `compaction.give_up_records`.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from goodbot.crawl.archive.http_message import read_message
from goodbot.crawl.archive.kept_copy import MAX_MEMBER
from goodbot.crawl.archive.place import FolderPlace, WarcPlace
from goodbot.crawl.archive.warc import (
    MAX_RECORD,
    StoredRecord,
    digest_of,
    named,
    read_record,
    written,
)
from goodbot.crawl.archive.warc_files import CHECKSUM, checksum_of_file, recorded_files
from goodbot.crawl.folder.database import Database
from goodbot.errors import NotAStoreError

__all__ = ["FAULTS", "ArchiveFault", "Checked", "FaultCode", "check_archive"]

FaultCode = Literal[
    "missing-file", "short-file", "broken-record", "broken-rest", "other-record", "changed-bytes"
]

FAULTS: dict[FaultCode, str] = {
    "missing-file": "the file is not there",
    "short-file": "the file ends before this record does",
    "broken-record": "the bytes of the record were changed",
    "broken-rest": "bytes that are in no kept record were changed",
    "other-record": "there is another record than the database names",
    "changed-bytes": "bytes of the file were changed, and every record reads as before",
}
"""What can be wrong with a file of the archive."""

IN_FILE = """SELECT id, kind, offset, length, record, digest, address FROM kept
    WHERE file = ? ORDER BY offset, id"""

SIZES = (64 * 1024, 4 * 1024 * 1024, MAX_MEMBER)
"""How much is read of a record of unknown length."""
HEAD = 10
"""Bytes at the beginning of a gzip member, the same in all of a file."""
PLAIN_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00"
"""How it begins without flags and without a time."""
TRAILER = 8
"""Bytes behind the compressed ones: checksum and length."""


@dataclass(frozen=True, slots=True)
class ArchiveFault:
    """Something that is wrong."""

    code: FaultCode
    file: str
    offset: int
    length: int
    url: str
    """Of the record; empty if no kept record is concerned."""
    row: int | None
    """The number of the record in the database."""

    def __str__(self) -> str:
        """Write it as a line."""
        about = f" ({self.url})" if self.url else ""
        return f"{self.file}, byte {self.offset:,}: {FAULTS[self.code]}{about}"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        names = ("code", "file", "offset", "length", "url")
        return {name: getattr(self, name) for name in names}


@dataclass(slots=True)
class Checked:
    """How much was checked so far."""

    files: int = 0
    records: int = 0
    bytes: int = 0
    faults: int = 0

    def as_dict(self) -> dict[str, int]:
        """Return plain values, for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


class CheckedRow(NamedTuple):
    """A row of `kept`."""

    id: int
    kind: str
    offset: int
    length: int
    record: bytes
    digest: bytes
    url: str

    def fault(self, code: FaultCode, file: str) -> ArchiveFault:
        """Make a fault of its record."""
        return ArchiveFault(code, file, self.offset, self.length, self.url, self.id)


def check_archive(
    database: Database, checked: Checked | None = None, *, place: WarcPlace | None = None
) -> Iterator[ArchiveFault]:
    """Compare every file of the archive with its checksums, its digests and the database.

    Args:
        database: The crawl's; a `goodbot.crawl.folder.open_readonly.ReadOnlyDatabase` will do.
        checked: Is counted up as it goes on.
        place: Where the WARC files are; `None` for the folder of the crawl.

    Yields:
        What is wrong, file by file, in the order of the bytes. Bytes behind the recorded end of a
        file, as a killed process leaves them, are not in the archive and are passed over.

    Raises:
        NotAStoreError: The database names files or records that cannot be.
        StoreError: A file cannot be read.

    """
    place = FolderPlace(database.folder) if place is None else place
    counts = Checked() if checked is None else checked
    connection = database.connection
    for name, length in recorded_files(connection, place).items():
        if not length:
            continue
        counts.files += 1
        rows = [CheckedRow(*row) for row in connection.execute(IN_FILE, (name,))]
        counts.records += len(rows)
        counts.bytes += length
        is_as_written = True
        for fault in faults_in_file(place, name, length, rows):
            is_as_written = False
            counts.faults += 1
            yield fault
        if is_as_written and is_changed(database, place, name, length):
            counts.faults += 1
            yield ArchiveFault("changed-bytes", name, 0, length, "", None)


def faults_in_file(
    place: WarcPlace, name: str, length: int, rows: list[CheckedRow]
) -> Iterator[ArchiveFault]:
    """Check one file."""
    refuse_impossible(rows, name)
    size = place.size(name)
    if size is None:
        faults = [row.fault("missing-file", name) for row in rows]
        yield from faults or [ArchiveFault("missing-file", name, 0, length, "", None)]
        return
    head = place.read(name, 0, HEAD)
    at = 0
    for row in rows:
        yield from faults_between(place, name, at, min(row.offset, size), head)
        code: FaultCode | None = "short-file"
        if row.offset < at:
            code = "other-record"  # it would be in the midst of another one
        elif row.offset + row.length <= size:
            code = fault_of(place, name, row, head)
        if code is not None:
            yield row.fault(code, name)
        at = max(at, row.offset + row.length)
    yield from faults_between(place, name, at, min(length, size), head)
    if size < length and not any(row.offset + row.length > size for row in rows):
        yield ArchiveFault("short-file", name, size, length - size, "", None)


def is_changed(database: Database, place: WarcPlace, name: str, length: int) -> bool:
    """Whether the checksum of a file's recorded bytes is known, and another one.

    Compressed data can be written in several ways: a changed distance may lead to another place
    where the same text stands (RFC 1951 section 3.2.5), and no checksum of the content tells it.
    """
    (checksum,) = database.connection.execute(CHECKSUM, (name,)).fetchone()
    if checksum is None:
        return False
    return bool(checksum_of_file(place, name, length) != checksum)


def refuse_impossible(rows: list[CheckedRow], name: str) -> None:
    """Refuse rows whose numbers are none.

    Raises:
        NotAStoreError: One is not where a record could be.

    """
    for row in rows:
        numbers = (row.offset, row.length)
        if not all(isinstance(one, int) for one in numbers) or row.offset < 0 or row.length < 1:
            message = f"the database names a record in {name} that cannot be there; crawl anew"
            raise NotAStoreError(message)


def fault_of(place: WarcPlace, name: str, row: CheckedRow, head: bytes) -> FaultCode | None:
    """Check one record that the database names."""
    if row.length > MAX_MEMBER:
        return "other-record"
    octets = place.read(name, row.offset, row.length)
    if not is_sound(octets, head):
        return "broken-record"
    try:
        stored = read_record(octets, "")
    except NotAStoreError:
        return "broken-record"
    return None if is_named(stored, row) else "other-record"


def is_named(stored: StoredRecord, row: CheckedRow) -> bool:
    """Whether a record is the one of a row: by its identifier and its digests."""
    fields = stored.fields
    payload = stored.block
    if row.kind in {"response", "robots-txt"}:
        payload = read_message(stored.block).payload
    # The record of a revisit has the head alone, and names the digest of what came before.
    digests = {fields.get("warc-payload-digest"), written(digest_of(payload))}
    return (
        isinstance(row.record, bytes)
        and len(row.record) == 16  # noqa: PLR2004  a UUID
        and fields.get("warc-record-id") == named(row.record)
        and fields.get("warc-block-digest") == written(digest_of(stored.block))
        and isinstance(row.digest, bytes)
        and written(row.digest) in digests
        and (row.kind == "revisit" or digests <= {None, written(row.digest)})
    )


def faults_between(
    place: WarcPlace, name: str, start: int, end: int, head: bytes
) -> Iterator[ArchiveFault]:
    """Check what no row names: the beginning of a file, and records that are not kept any more."""
    at = start
    while at < end:
        octets, length = b"", 0
        for size in SIZES:
            octets = place.read(name, at, min(end - at, size))
            length = length_of_member(octets)
            if length or len(octets) < size:
                break
        if not length or not is_sound(octets[:length], head):
            yield ArchiveFault("broken-rest", name, at, end - at, "", None)
            return
        at += length


def length_of_member(octets: bytes) -> int:
    """Measure the gzip member at the beginning of some bytes; 0 if there is no whole one."""
    stream = zlib.decompressobj(31)
    try:
        stream.decompress(octets, MAX_RECORD)
    except zlib.error:
        return 0
    return len(octets) - len(stream.unused_data) if stream.eof else 0


def is_sound(member: bytes, head: bytes) -> bool:
    """Whether some bytes are one gzip member, and none of its bits was changed.

    The checksum covers the content. The head does not count there, but is the same in all records
    of a file; and the unused bits behind the compressed data are zeros (RFC 1951 section 3.1.1).
    """
    if member[:HEAD] != head or not member.startswith(PLAIN_HEAD):
        return False
    if length_of_member(member) != len(member):
        return False
    last = member[-TRAILER - 1]
    if not last:
        return True
    changed = bytearray(member)
    # If the highest bit that is set means nothing, it was set by something else than a compressor.
    changed[-TRAILER - 1] = last & ~(1 << (last.bit_length() - 1))
    return length_of_member(bytes(changed)) != len(member)
