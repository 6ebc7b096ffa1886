"""The kept copy of a URL, as it is shown; to look only.

It reads rows and files, changes neither, and waits for nobody: a copy can be shown while the crawl
goes on.
"""

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
from goodbot.store.failures import store_error

__all__ = ["KeptCopy", "KeptCut", "Listed", "kept_copy", "listed"]

MAX_COPY = 64 * 1024 * 1024
"""The most octets of a copy that are shown."""

MAX_MEMBER = MAX_RECORD + 1024 * 1024
"""The most bytes of a record in its file: what cannot be compressed grows a little."""

REPAIR = "restore the folder from a copy, or crawl anew"

MAIN = ("response", "conversion", "robots-txt")
"""The kinds that hold a copy; the others are about one."""

OF_URL = (
    "SELECT id, kind, at, until, file, offset, length, original, reason, source, address FROM kept "
    "WHERE address = ? ORDER BY url = 0, id"
)
EVERY = "SELECT kind, at, until, file, offset, length, address FROM kept ORDER BY id"


class KeptCut(NamedTuple):
    """A part that is left out of a copy."""

    line: int
    """The number of the line of the document on which it begins."""
    bytes: int
    """How many bytes of text are left out; an image has none."""
    source: str
    """Who says so."""


@dataclass(frozen=True, slots=True)
class KeptCopy:
    """What is kept of a URL, and what is known of it."""

    url: str
    """Where it was received from."""
    kind: KeptKind
    """`response`: as received; `conversion`: without what may not be kept; `robots-txt`."""
    received: datetime
    """When it was asked for, in UTC."""
    confirmed: datetime | None
    """When its content was last received again and was the same; `None` if it was not."""
    until: datetime | None
    """From when on it is not to be shown (`unavailable_after`); `None`: for ever."""
    status: int | None
    """The HTTP status."""
    headers: tuple[tuple[str, str], ...]
    """The fields of the HTTP header, each character an octet (ISO 8859-1)."""
    content_type: str
    """The type of `content`; empty if none was stated."""
    content: bytes
    """The copy, decoded as its Content-Encoding says."""
    encoded: str
    """The Content-Encoding that could not be undone here, and that `content` still has; else
    empty."""
    cuts: tuple[KeptCut, ...]
    """What is left out."""
    not_read: tuple[str, ...]
    """What of the document was not understood, and is left out for that."""
    truncated: bool
    """Whether it is only the beginning of what there was."""
    reason: str
    """Why it may be kept, a slug of `goodbot.page.reasons()`; empty for a robots.txt."""
    source: str
    """Who says so; empty if nothing forbids it."""
    where: Kept
    """The record."""

    def as_dict(self) -> dict[str, Any]:
        """Give plain values, for JSON; without the octets, which may be of any encoding."""
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
    at: datetime
    until: datetime | None
    where: Kept


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
        """Give the place of the record."""
        return Kept(self.kind, self.file, self.offset, self.length)


def kept_copy(database: Database, url: str, place: WarcPlace | None = None) -> KeptCopy | None:
    """Give the copy of a page, or of a robots.txt, that was kept last.

    Args:
        database: The crawl's.
        url: The URL, in its normal form (`goodbot.http.address.address_of`).
        place: Where the WARC files are; `None` for the folder of the crawl.

    Returns:
        The copy; `None` if none is kept.

    Raises:
        NotAStoreError: The record is not where it should be.
        StoreUnavailableError: Its file cannot be read.

    """
    place = FolderPlace(database.folder) if place is None else place
    try:
        return look(database, url, place)
    except (NotAStoreError, StoreUnavailableError):
        # A compaction may have come between row and file; then the row leads elsewhere now.
        return look(database, url, place)


def found(database: Database, statement: str, *values: str | int) -> list[tuple[Any, ...]]:
    """Look something up; what SQLite complains of becomes ours."""
    try:
        return database.connection.execute(statement, values).fetchall()
    except sqlite3.Error as error:
        raise store_error(error, database.path) from error


def look(database: Database, url: str, place: WarcPlace) -> KeptCopy | None:
    """Give the copy, by the rows as they are now."""
    rows = [KeptRow(*row) for row in found(database, OF_URL, url)]
    row = newest(rows)
    if row is None:
        return None
    about = [one for one in rows if one.original == row.id]
    again = max((one.at for one in about if one.kind == "revisit"), default=None)
    stored = stored_record(place, row.where)
    of_copy = next((one for one in about if one.kind == "metadata"), None)
    said = {} if of_copy is None else said_of(stored_record(place, of_copy.where))
    if row.kind == "conversion":
        status, headers = said.get("status"), said.get("headers", [])
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
            KeptCut(cut["line"], cut["octets"], cut["source"]) for cut in said.get("cuts", ())
        ),
        not_read=tuple(said.get("not_read", ())),
        truncated="warc-truncated" in stored.fields,
        reason=row.reason,
        source=row.source,
        where=row.where,
    )


def newest(rows: Sequence[KeptRow]) -> KeptRow | None:
    """Give the row of the copy that was received last; a robots.txt may have become as before."""
    if not rows:
        return None
    last = rows[-1]
    wanted = last.id if last.original is None else last.original
    return next((row for row in rows if row.id == wanted and row.kind in MAIN), None)


def stored_record(place: WarcPlace, where: Kept) -> StoredRecord:
    """Read a record.

    Raises:
        NotAStoreError: It is not there.
        StoreUnavailableError: The file cannot be read.

    """
    path = place.describe(where.file)
    numbers = (where.offset, where.length)
    if not all(isinstance(one, int) and 0 <= one <= MAX_FILE for one in numbers):
        message = f"the database names a record in {path} that cannot be there; {REPAIR}"
        raise NotAStoreError(message)
    octets = place.read(where.file, where.offset, min(where.length, MAX_MEMBER))
    return read_record(octets, f"{path}, byte {where.offset}")


def said_of(stored: StoredRecord) -> dict[str, Any]:
    """Give what a metadata record says.

    Raises:
        NotAStoreError: It is none of ours.

    """
    try:
        said = json.loads(stored.block)
    except ValueError:
        said = None
    if not isinstance(said, dict):
        message = "the metadata of a copy are broken; restore the file from a copy"
        raise NotAStoreError(message)
    return said


def listed(database: Database) -> Iterator[Listed]:
    """Give every record that is kept, in the order in which they were written."""
    for kind, at, until, file, offset, length, url in found(database, EVERY):
        end = None if until is None else to_datetime(until)
        yield Listed(url, stored_time(at), end, Kept(kind, file, offset, length))


def first(headers: Sequence[tuple[str, str]], wanted: str) -> str:
    """Return the value of the first field of a name, or nothing."""
    return next(iter(values_named(headers, wanted)), "")
