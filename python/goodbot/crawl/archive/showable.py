"""The records of the archive that may be shown at a time, file by file, for an export.

Scope: reading rows and the heads of records. Nothing is changed. What must not be kept has no row;
what has expired by then (`unavailable_after`), and what refers to it, is omitted here.
"""

import zlib
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import NamedTuple
from uuid import UUID

from goodbot.crawl.archive.kept_copy import REPAIR
from goodbot.crawl.archive.place import FolderPlace, WarcPlace
from goodbot.crawl.archive.warc import GZIP
from goodbot.crawl.archive.warc_files import MAX_BEGINNING, first_member, recorded_files
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import KeptKind
from goodbot.errors import NotAStoreError
from goodbot.http.head import read_head

__all__ = ["RecordHead", "ShowableFile", "ShowableRecord", "head_of", "showable_files"]

MAX_HEAD = 256 * 1024
"""The most bytes of a record that are decompressed to read its head."""

END_OF_HEAD = b"\r\n\r\n"

SHOWABLE = """FROM kept AS one LEFT JOIN kept AS first ON first.id = one.original
    WHERE one.file = :file AND (one.until IS NULL OR one.until > :now) AND (one.original IS NULL
    OR (first.id IS NOT NULL AND (first.until IS NULL OR first.until > :now)))"""
RECORDS = (
    "SELECT one.url, one.address, one.kind, one.at, one.offset, one.length, one.record, one.digest "
    f"{SHOWABLE} ORDER BY one.offset"
)
SUMS = f"SELECT count(*), coalesce(sum(one.length), 0) {SHOWABLE}"
ALL = "SELECT count(*) FROM kept WHERE file = ?"


class ShowableRecord(NamedTuple):
    """A record that may be shown."""

    url_id: int
    """The number of its URL; 0 for a robots.txt."""
    url: str
    """The URL it was received from."""
    kind: KeptKind
    at: int
    """When it was requested, in microseconds since 1970."""
    offset: int
    length: int
    record: bytes
    """The UUID of the record."""
    digest: bytes
    """The SHA-1 of its payload."""

    @property
    def name(self) -> str:
        """The UUID of the record as text."""
        return str(UUID(bytes=self.record))


class ShowableFile(NamedTuple):
    """A WARC file of the archive, with what may be shown of it."""

    name: str
    beginning: int
    """The length of its first record (warcinfo)."""
    records: int
    """The number of records that may be shown."""
    bytes: int
    """The length of these records and the first one."""
    omitted: int
    """The number of records that must not be shown any more."""
    length: int
    """The recorded length of the file."""

    def each(self, database: Database, now: int) -> Iterator[ShowableRecord]:
        """Yield the records in their order.

        Raises:
            NotAStoreError: A row names an impossible place.

        """
        values = {"file": self.name, "now": now}
        rows = map(ShowableRecord._make, database.connection.execute(RECORDS, values))
        first = ShowableRecord(0, "", "response", 0, 0, self.beginning, b"", b"")
        for before, last in pairwise(chain([first], rows)):
            end = before.offset + before.length
            if not (last.length > 0 and end <= last.offset <= self.length - last.length):
                message = (
                    f"the database names impossible records in {database.folder / self.name}; "
                    f"{REPAIR}"
                )
                raise NotAStoreError(message)
            yield last


class RecordHead(NamedTuple):
    """The head of a record, as far as an index needs it."""

    record: str
    """Its identifier, a UUID as text; empty if it has another form."""
    content_type: str
    """The type of its content: for a response, that of the HTTP message."""
    status: int | None
    """The status of the HTTP message; `None` if there is none."""


def showable_files(
    database: Database, now: int, place: WarcPlace | None = None
) -> Iterator[ShowableFile]:
    """Yield the WARC files of a crawl that have records which may be shown.

    Args:
        database: The database of the crawl.
        now: The time, in microseconds since 1970.
        place: Where the WARC files are; `None` for the folder of the crawl.

    Raises:
        NotAStoreError: A file is not as recorded.
        StoreUnavailableError: A file cannot be read.

    """
    place = FolderPlace(database.folder) if place is None else place
    connection = database.connection
    for name, length in recorded_files(connection, place).items():
        records, size = connection.execute(SUMS, {"file": name, "now": now}).fetchone()
        (every,) = connection.execute(ALL, (name,)).fetchone()
        beginning = 0
        if records:
            _, beginning = first_member(place.read(name, 0, min(MAX_BEGINNING, length)))
        yield ShowableFile(name, beginning, records, beginning + size, every - records, length)


def head_of(beginning: bytes, place: str) -> RecordHead:
    """Parse the head of a record, and that of the HTTP message in it.

    Args:
        beginning: The first bytes of the gzip member.
        place: Where they were read from, for the message.

    Raises:
        NotAStoreError: It is not a record.

    """
    try:
        text = zlib.decompressobj(GZIP + 15).decompress(beginning, MAX_HEAD)
    except zlib.error:
        text = b""
    head, end, block = text.partition(END_OF_HEAD)
    if not (end and head.startswith(b"WARC/")):
        message = f"there is no whole record at {place}; restore the file from a backup"
        raise NotAStoreError(message)
    fields = {name.lower(): value.decode("latin-1") for name, value in read_head(head).fields}
    record = fields.get(b"warc-record-id", "").removeprefix("<urn:uuid:").removesuffix(">")
    content_type = fields.get(b"content-type", "")
    if not content_type.startswith("application/http"):
        return RecordHead(record, content_type, None)
    message_head = read_head(block.partition(END_OF_HEAD)[0])
    stated = {name.lower(): value for name, value in reversed(message_head.fields)}
    return RecordHead(
        record, stated.get(b"content-type", b"").decode("latin-1"), message_head.status
    )
