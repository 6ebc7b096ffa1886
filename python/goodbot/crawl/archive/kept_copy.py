"""Read the kept copy of a URL.

Scope: reading rows and files. It changes neither and waits for no lock, so a copy can be shown
while the crawl is running.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from goodbot.crawl.archive.http_message import decoded_payload, read_message
from goodbot.crawl.archive.place import FolderPlace, WarcPlace
from goodbot.crawl.archive.warc import MAX_RECORD, StoredRecord, read_record
from goodbot.crawl.archive.warc_files import MAX_FILE
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Kept, KeptKind
from goodbot.crawl.folder.times import stored_time
from goodbot.errors import NotAStoreError, StoreUnavailableError
from goodbot.http.fields import values_named
from goodbot.http.instants import to_datetime
from goodbot.lazy_dataclass import dataclass
from goodbot.store.failures import store_error

__all__ = ["KeptCopy", "KeptCut", "Listed", "kept_copy", "listed"]

MAX_COPY = 64 * 1024 * 1024
"""The maximum number of bytes of a copy that are shown."""

MAX_MEMBER = MAX_RECORD + 1024 * 1024
"""The maximum size of a record in its file, in bytes: incompressible content grows a little."""

REPAIR = "restore the folder from a backup, or crawl into a new folder"

MAIN = ("response", "conversion", "robots-txt")
"""The kinds of records with a copy; the others describe one."""

OF_URL = (
    "SELECT id, kind, at, until, file, offset, length, original, reason, source, address FROM kept "
    "WHERE address = ? ORDER BY url = 0, id"
)
EVERY = "SELECT kind, at, until, file, offset, length, address FROM kept ORDER BY id"


class KeptCut(NamedTuple):
    """A part that was cut from a copy."""

    line: int
    """The line of the document on which it begins."""
    bytes: int
    """The number of bytes of text that were cut; 0 for an image."""
    source: str
    """The statement that decided."""


@dataclass(frozen=True, slots=True)
class KeptCopy:
    """The kept copy of a URL."""

    url: str
    """The URL it was received from."""
    kind: KeptKind
    """`response`: as received; `conversion`: without parts that must not be kept; `robots-txt`."""
    received: datetime
    """When it was requested, in UTC."""
    confirmed: datetime | None
    """When the same content was last received again, in UTC; `None` if it never was."""
    until: datetime | None
    """When to stop showing it (`unavailable_after`); `None`: never."""
    status: int | None
    """The HTTP status."""
    headers: tuple[tuple[str, str], ...]
    """The HTTP header fields, one character a byte (ISO 8859-1)."""
    content_type: str
    """The type of `content`; empty if none was stated."""
    content: bytes
    """The copy, with its Content-Encoding decoded."""
    encoded: str
    """The Content-Encoding that could not be decoded here and that `content` still has; otherwise
    empty."""
    cuts: tuple[KeptCut, ...]
    """The parts that were cut."""
    not_read: tuple[str, ...]
    """Findings on parts of the document that could not be parsed and were therefore cut."""
    truncated: bool
    """Whether only the beginning of the response was received."""
    reason: str
    """The slug of the reason why it may be kept, from `goodbot.page.reasons()`; empty for a
    robots.txt."""
    source: str
    """The statement that decided; empty if nothing forbids a copy."""
    where: Kept
    """The record."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON, without the content, which may have any encoding."""
        return {
            "url": self.url,
            "kind": self.kind,
            "received": self.received.isoformat(),
            "confirmed": None if self.confirmed is None else self.confirmed.isoformat(),
            "until": None if self.until is None else self.until.isoformat(),
            "status": self.status,
            "headers": [list(field) for field in self.headers],
            "content_type": self.content_type,
            "bytes": len(self.content),
            "encoded": self.encoded,
            "cuts": [cut._asdict() for cut in self.cuts],
            "not_read": list(self.not_read),
            "truncated": self.truncated,
            "reason": self.reason,
            "source": self.source,
            "file": self.where.file,
            "offset": self.where.offset,
            "length": self.where.length,
        }


class Listed(NamedTuple):
    """A record of the archive, in a list."""

    url: str
    """The URL of the record."""
    at: datetime
    """When it was requested, in UTC."""
    until: datetime | None
    """When to stop showing it; `None`: never."""
    where: Kept
    """The record."""


class KeptRow(NamedTuple):
    """A row of `kept`."""

    id: int
    kind: KeptKind
    at: int
    until: int | None
    file: str
    offset: int
    length: int
    original: int | None
    reason: str
    source: str
    address: str

    @property
    def where(self) -> Kept:
        """The place of the record."""
        return Kept(self.kind, self.file, self.offset, self.length)


def kept_copy(database: Database, url: str, place: WarcPlace | None = None) -> KeptCopy | None:
    """Return the latest kept copy of a page or a robots.txt.

    Args:
        database: The database of the crawl.
        url: The URL, in its normal form (`goodbot.http.address.address_of`).
        place: Where the WARC files are; `None` for the folder of the crawl.

    Returns:
        The copy; `None` if none is kept.

    Raises:
        NotAStoreError: The record is not at its place.
        StoreUnavailableError: Its file cannot be read.

    """
    place = FolderPlace(database.folder) if place is None else place
    try:
        return current_copy(database, url, place)
    except (NotAStoreError, StoreUnavailableError):
        # A compaction may have moved the record after its row was read.
        return current_copy(database, url, place)


def found(database: Database, statement: str, *values: str | int) -> list[tuple[Any, ...]]:
    """Return the rows of a query; turn errors of SQLite into a `StoreError`."""
    try:
        return database.connection.execute(statement, values).fetchall()
    except sqlite3.Error as error:
        raise store_error(error, database.path) from error


def current_copy(database: Database, url: str, place: WarcPlace) -> KeptCopy | None:
    """Return the copy that the rows name now."""
    rows = [KeptRow(*row) for row in found(database, OF_URL, url)]
    row = newest(rows)
    if row is None:
        return None
    about = [one for one in rows if one.original == row.id]
    again = max((one.at for one in about if one.kind == "revisit"), default=None)
    stored = stored_record(place, row.where)
    of_copy = next((one for one in about if one.kind == "metadata"), None)
    metadata = {} if of_copy is None else metadata_of(stored_record(place, of_copy.where))
    if row.kind == "conversion":
        status, headers = metadata.get("status"), metadata.get("headers", [])
        content, encoded = stored.block, ""
        content_type = stored.fields.get("content-type", "")
    else:
        message = read_message(stored.block)
        status, headers = message.status, message.headers
        decoded = decoded_payload(message, MAX_COPY)
        content = message.payload if decoded is None else decoded
        encoded = first(headers, "content-encoding") if decoded is None else ""
        content_type = first(headers, "content-type")
    return KeptCopy(
        url=row.address,
        kind=row.kind,
        received=stored_time(row.at),
        confirmed=None if again is None else stored_time(again),
        until=None if row.until is None else to_datetime(row.until),
        status=status,
        headers=tuple((str(name), str(value)) for name, value in headers),
        content_type=content_type,
        content=content,
        encoded=encoded,
        cuts=tuple(
            KeptCut(cut["line"], cut["octets"], cut["source"]) for cut in metadata.get("cuts", ())
        ),
        not_read=tuple(metadata.get("not_read", ())),
        truncated="warc-truncated" in stored.fields,
        reason=row.reason,
        source=row.source,
        where=row.where,
    )


def newest(rows: Sequence[KeptRow]) -> KeptRow | None:
    """Return the row of the latest copy; a robots.txt may have gone back to an earlier content."""
    if not rows:
        return None
    last = rows[-1]
    wanted = last.id if last.original is None else last.original
    return next((row for row in rows if row.id == wanted and row.kind in MAIN), None)


def stored_record(place: WarcPlace, where: Kept) -> StoredRecord:
    """Read a record.

    Raises:
        NotAStoreError: There is no such record.
        StoreUnavailableError: The file cannot be read.

    """
    path = place.describe(where.file)
    numbers = (where.offset, where.length)
    if not all(isinstance(one, int) and 0 <= one <= MAX_FILE for one in numbers):
        message = f"the database names an impossible record in {path}; {REPAIR}"
        raise NotAStoreError(message)
    member = place.read(where.file, where.offset, min(where.length, MAX_MEMBER))
    return read_record(member, f"{path}, byte {where.offset:,}")


def metadata_of(stored: StoredRecord) -> dict[str, Any]:
    """Return the content of a metadata record.

    Raises:
        NotAStoreError: It is not one of ours.

    """
    try:
        metadata = json.loads(stored.block)
    except ValueError:
        metadata = None
    if not isinstance(metadata, dict):
        message = f"the metadata of a copy are damaged; {REPAIR}"
        raise NotAStoreError(message)
    return metadata


def listed(database: Database) -> Iterator[Listed]:
    """Yield every kept record, in the order in which it was written."""
    for kind, at, until, file, offset, length, url in found(database, EVERY):
        end = None if until is None else to_datetime(until)
        yield Listed(url, stored_time(at), end, Kept(kind, file, offset, length))


def first(headers: Sequence[tuple[str, str]], wanted: str) -> str:
    """Return the value of the first field with a name; empty if there is none."""
    return next(iter(values_named(headers, wanted)), "")
