"""Check that the files of the archive are unchanged: every byte of every record.

A check reads rows and files, changes neither, and continues after a fault. A record is one gzip
member with a checksum (RFC 1952 section 2.3.1). It has the digest of its block and usually of its
payload (WARC 1.1 sections 5.8 and 5.9), which the database has too.

Scope: finding faults. `compaction.give_up` removes the records that have one.
"""

import zlib
from collections.abc import Iterator
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
from goodbot.display import short_repr
from goodbot.errors import NotAStoreError
from goodbot.lazy_dataclass import dataclass

__all__ = ["FAULTS", "ArchiveFault", "Checked", "FaultCode", "check_archive"]

FaultCode = Literal[
    "missing-file", "short-file", "broken-record", "broken-rest", "other-record", "changed-bytes"
]

FAULTS: dict[FaultCode, str] = {
    "missing-file": "the file is missing",
    "short-file": "the file ends before the end of this record",
    "broken-record": "bytes of this record were changed",
    "broken-rest": "bytes outside the kept records were changed",
    "other-record": "this is not the record that the database names",
    "changed-bytes": "bytes of the file were changed, but every record reads as before",
}
"""What can be wrong with a file of the archive."""

IN_FILE = """SELECT id, kind, offset, length, record, digest, address FROM kept
    WHERE file = ? ORDER BY offset, id"""

SIZES = (64 * 1024, 4 * 1024 * 1024, MAX_MEMBER)
"""How many bytes are read of a record of unknown length, in successive attempts."""
HEAD = 10
"""The length of the head of a gzip member in bytes; all members of a file have the same head."""
PLAIN_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00"
"""The beginning of a head without flags and without a time."""
TRAILER = 8
"""The number of bytes after the compressed data: checksum and length."""


@dataclass(frozen=True, slots=True, repr=False)
class ArchiveFault:
    """A fault in a file of the archive."""

    code: FaultCode
    """The code of the fault; see `FAULTS`."""
    file: str
    """The name of the file."""
    offset: int
    """Where the faulty bytes begin in the file."""
    length: int
    """The number of faulty bytes."""
    url: str
    """The URL of the record; empty if no kept record is affected."""
    row: int | None
    """The number of the record in the database; `None` if no kept record is affected."""

    __repr__ = short_repr

    def __str__(self) -> str:
        """Return the fault as one line."""
        about = f" ({self.url})" if self.url else ""
        return f"{self.file}, byte {self.offset:,}: {FAULTS[self.code]}{about}"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        names = ("code", "file", "offset", "length", "url")
        return {name: getattr(self, name) for name in names}


@dataclass(slots=True)
class Checked:
    """How much has been checked so far."""

    files: int = 0
    """The number of files."""
    records: int = 0
    """The number of records."""
    bytes: int = 0
    """The number of bytes."""
    faults: int = 0
    """The number of faults found."""

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
        """Return a fault of this record."""
        return ArchiveFault(code, file, self.offset, self.length, self.url, self.id)


def check_archive(
    database: Database, checked: Checked | None = None, *, place: WarcPlace | None = None
) -> Iterator[ArchiveFault]:
    """Compare every file of the archive with its checksums, its digests and the database.

    Args:
        database: The database of the crawl; it may be a
            `goodbot.crawl.folder.readonly_database.ReadOnlyDatabase`.
        checked: Counts, which are updated during the check.
        place: Where the WARC files are; `None` for the folder of the crawl.

    Yields:
        The faults, file by file, in the order of the bytes. Bytes after the recorded end of a file,
        which a killed process leaves behind, do not belong to the archive and are ignored.

    Raises:
        NotAStoreError: The database names impossible files or records.
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
            code = "other-record"  # it would begin within another one
        elif row.offset + row.length <= size:
            code = fault_of(place, name, row, head)
        if code is not None:
            yield row.fault(code, name)
        at = max(at, row.offset + row.length)
    yield from faults_between(place, name, at, min(length, size), head)
    if size < length and not any(row.offset + row.length > size for row in rows):
        yield ArchiveFault("short-file", name, size, length - size, "", None)


def is_changed(database: Database, place: WarcPlace, name: str, length: int) -> bool:
    """Whether the checksum of a file's recorded bytes is known and differs.

    The same content can be compressed in several ways: a changed distance may point to another
    occurrence of the same text (RFC 1951 section 3.2.5), which no checksum of the content detects.
    """
    (checksum,) = database.connection.execute(CHECKSUM, (name,)).fetchone()
    if checksum is None:
        return False
    return bool(checksum_of_file(place, name, length) != checksum)


def refuse_impossible(rows: list[CheckedRow], name: str) -> None:
    """Refuse rows with impossible numbers.

    Raises:
        NotAStoreError: A row names a place where no record can be.

    """
    for row in rows:
        numbers = (row.offset, row.length)
        if not all(isinstance(one, int) for one in numbers) or row.offset < 0 or row.length < 1:
            message = (
                f"the database names an impossible record in {name}; restore the folder from a "
                "backup, or crawl into a new folder"
            )
            raise NotAStoreError(message)


def fault_of(place: WarcPlace, name: str, row: CheckedRow, head: bytes) -> FaultCode | None:
    """Check one record that the database names."""
    if row.length > MAX_MEMBER:
        return "other-record"
    member = place.read(name, row.offset, row.length)
    if not is_sound(member, head):
        return "broken-record"
    try:
        stored = read_record(member, "")
    except NotAStoreError:
        return "broken-record"
    return None if is_named(stored, row) else "other-record"


def is_named(stored: StoredRecord, row: CheckedRow) -> bool:
    """Whether a record is that of a row, by its identifier and its digests."""
    fields = stored.fields
    payload = stored.block
    if row.kind in {"response", "robots-txt"}:
        payload = read_message(stored.block).payload
    # A revisit has only the head of the message, and the digest of the earlier payload.
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
    """Check bytes that no row names: the beginning of a file, and records no longer kept."""
    at = start
    while at < end:
        content, length = b"", 0
        for size in SIZES:
            content = place.read(name, at, min(end - at, size))
            length = length_of_member(content)
            if length or len(content) < size:
                break
        if not length or not is_sound(content[:length], head):
            yield ArchiveFault("broken-rest", name, at, end - at, "", None)
            return
        at += length


def length_of_member(content: bytes) -> int:
    """Return the length of the gzip member that begins some bytes; 0 if there is no whole one."""
    stream = zlib.decompressobj(31)
    try:
        stream.decompress(content, MAX_RECORD)
    except zlib.error:
        return 0
    return len(content) - len(stream.unused_data) if stream.eof else 0


def is_sound(member: bytes, head: bytes) -> bool:
    """Whether some bytes are one gzip member without a changed bit.

    The checksum covers the content. It does not cover the head, which is the same in all records of
    a file, nor the unused bits after the compressed data, which are zeros (RFC 1951 section 3.1.1).
    """
    if member[:HEAD] != head or not member.startswith(PLAIN_HEAD):
        return False
    if length_of_member(member) != len(member):
        return False
    last = member[-TRAILER - 1]
    if not last:
        return True
    changed = bytearray(member)
    # If the highest set bit has no effect, the compressor did not set it.
    changed[-TRAILER - 1] = last & ~(1 << (last.bit_length() - 1))
    return length_of_member(bytes(changed)) != len(member)
