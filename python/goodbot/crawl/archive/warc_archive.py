"""The archive in the folder of a crawl: copies of pages, and every robots.txt as received.

A record is appended to a WARC file, and its row is part of the transaction in which the caller
records everything else about the visit (see `warc_files` for what a crash leaves).

Scope: writing records and rows. `copies` decides what may be kept.

Source: WARC 1.1.
"""

import sqlite3
from datetime import datetime
from typing import NamedTuple
from uuid import uuid4

from goodbot.closing import Closing
from goodbot.crawl.archive import compaction
from goodbot.crawl.archive.checking import ArchiveFault, check_archive
from goodbot.crawl.archive.compaction import Compaction
from goodbot.crawl.archive.copies import CopyToKeep, PartialCopy
from goodbot.crawl.archive.http_message import MessageBytes, message_of
from goodbot.crawl.archive.kept_copy import KeptCopy, kept_copy
from goodbot.crawl.archive.place import FolderPlace, WarcPlace
from goodbot.crawl.archive.protocol import WholeCopy
from goodbot.crawl.archive.warc import (
    IDENTICAL,
    LEVEL,
    NOT_MODIFIED,
    Origin,
    WarcRecord,
    Writer,
    digest_of,
    protocol_of,
)
from goodbot.crawl.archive.warc_files import MOST_BYTES, PAGES, ROBOTS_TXT, WarcFiles
from goodbot.crawl.archive.warcinfo import MARK, USER_AGENT, warcinfo_fields
from goodbot.crawl.archive.whole_copy import packed_fields, whole_copy
from goodbot.crawl.folder.added_rows import AddedRows
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Kept, KeptKind
from goodbot.crawl.folder.url_rows import UrlRows
from goodbot.errors import NotAStoreError
from goodbot.http.instants import instant
from goodbot.http.validators import Validators
from goodbot.net.fetcher import Response
from goodbot.robot.beside import WORTH_A_THREAD

__all__ = ["WarcArchive"]

FAST_LEVEL = 1
"""The compression level for a large robots.txt. Its record is made on the event loop, in one change
with its policy: 1 MiB takes at most 20 ms, while it may take 90 at level 6."""

OF_URL = "SELECT id, kind, address, at, record, digest FROM kept WHERE url = ? AND original IS NULL"
# With `+url`, SQLite looks for the address: every robots.txt has 0 for its URL.
OF_ROBOTS_TXT = (
    "SELECT id, kind, address, at, record, digest FROM kept "
    "WHERE +url = 0 AND address = ? AND original IS NULL ORDER BY id DESC LIMIT 1"
)
SIZE = "SELECT coalesce(sum(length), 0) FROM files"
OF_ANSWER = (
    "SELECT kind, file, offset, length FROM kept "
    "WHERE +url = 0 AND address = ? AND at = ? AND digest = ? LIMIT 1"
)
NEWEST_VISIT = "SELECT visit FROM kept WHERE url = ? ORDER BY id DESC LIMIT 1"
LAST = "SELECT max(url) FROM kept"
OF_VISIT = "SELECT kind, file, offset, length FROM kept WHERE url = ? AND visit = ? ORDER BY id"
FORGET = "DELETE FROM kept WHERE url = ? AND visit <= ?"
NO_LIMIT = 2**63 - 1
"""More visits than any URL has."""
IS_KEPT = "SELECT 1 FROM kept WHERE url = ? LIMIT 1"
KEEP = (
    "INSERT INTO kept(url, address, kind, at, until, file, offset, length, record, digest, "
    "original, reason, source, visit, etag, modified) "
    "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
CONFIRM = (
    "UPDATE kept SET until = ?, reason = ?, source = ?, etag = ?, modified = ?, fields = ? "
    "WHERE id = ?"
)


class Before(NamedTuple):
    """A record that is stored already."""

    id: int
    kind: KeptKind
    address: str
    at: int
    record: bytes
    digest: bytes


WAITING = "SELECT file FROM kept WHERE file LIKE '%/%' GROUP BY file ORDER BY min(id)"
"""The files of other folders whose records have rows here (`WarcArchive.take_in`)."""

NO_VALIDATORS = Validators(None, None)


class PageToKeep(NamedTuple):
    """The values that the rows of one copy share."""

    url: int
    visit: int
    origin: Origin
    until: int | None
    reason: str
    source: str
    validators: Validators = NO_VALIDATORS


class WarcArchive(Closing):
    """The archive of a crawl in its folder; see `goodbot.crawl.archive.protocol.Archive`.

    Opening the archive cuts each WARC file back to its recorded length, because a killed process
    may have left more bytes.

    Args:
        database: The database of the crawl.
        user_agent: The User-Agent of the robot, for the first record of each file; if it is empty,
            the one given when the archive was last opened.
        most_bytes: The size at which a new WARC file begins.
        level: The compression level, from 0 to 9.
        repair: Whether to give up missing and damaged records. Without it, missing ones raise.
        place: Where the WARC files are; `None` for the folder of the crawl.

    Raises:
        MissingExtraError: warcio is not installed (when the module is imported).
        NotAStoreError: A file is missing, or belongs to another crawl.
        StoreError: A file cannot be read or written.

    """

    def __init__(
        self,
        database: Database,
        *,
        user_agent: str = "",
        most_bytes: int = MOST_BYTES,
        level: int = LEVEL,
        repair: bool = False,
        place: WarcPlace | None = None,
    ) -> None:
        """Open the archive."""
        self._database = database
        self._rows = AddedRows(database, KEEP)
        self._pages = UrlRows(database, LAST)
        self._writer = Writer(level)
        self._fast_writer = Writer(min(level, FAST_LEVEL))
        self._place = FolderPlace(database.folder) if place is None else place
        self._files = WarcFiles(self._place, self._beginning, most_bytes=most_bytes)
        self.faults: list[ArchiveFault] = []
        """The faults found by `repair`."""
        self.given_up = 0
        """The number of records given up: missing or damaged ones, and those that refer to them."""
        with database.changing() as connection:
            database.write_settings({MARK: uuid4().urn}, replace=False)
            if user_agent:
                database.write_settings({USER_AGENT: " ".join(user_agent.split())})
            self._mark = database.setting(MARK)
            if repair:
                self.faults = list(check_archive(database, place=self._place))
                broken = [fault.row for fault in self.faults if fault.row is not None]
                self.given_up = compaction.give_up(connection, self._place, broken)
            self.cut_off = self._files.recover(connection, self._mark.encode())
            """The number of unrecorded bytes, left by a killed process, that were removed."""
            compaction.record_checksums(connection, self._place, {one.file for one in self.faults})

    def close(self) -> None:
        """Close the files; closing again does nothing."""
        self._place.close()

    def keep(self, url_id: int, copy: CopyToKeep, visit: int = 0) -> list[Kept]:
        """Store a copy of a page, in place of the one stored before; see `Archive.keep`.

        Args:
            url_id: The number of the page's URL.
            copy: What to keep, as decided by `copy_to_keep`.
            visit: The visit that fetched it; 0: no visit.

        Returns:
            The records; none if a newer visit has stored something.

        Raises:
            StoreError: A file cannot be written; it is as before.

        """
        page = PageToKeep(
            url_id,
            visit,
            origin_of(copy.response, copy.url),
            None if copy.until is None else instant(copy.until, "until"),
            copy.reason,
            copy.source,
            copy.validators or NO_VALIDATORS,
        )
        with self._database.changing() as connection:
            self._rows.write_of(url_id)
            newest = None
            if self._pages.may_have(url_id):
                newest = connection.execute(NEWEST_VISIT, (url_id,)).fetchone()
            if visit and newest is not None:
                if newest[0] > visit:
                    return []
                if newest[0] == visit:
                    return [Kept(*row) for row in connection.execute(OF_VISIT, (url_id, visit))]
            if copy.parts is not None:
                return self._keep_parts(connection, page, copy.parts)
            return self._keep_whole(connection, page, copy, is_new=newest is None)

    def keep_robots_txt(self, response: Response) -> Kept:
        """Store the response to a request for robots.txt, or one hop on the way to it.

        If the content is the same as before, only a `revisit` is stored, so that a year of an
        unchanged file takes little space.

        Args:
            response: The response, with any status.

        Returns:
            The record.

        Raises:
            StoreError: A file cannot be written; it is as before.

        """
        page = PageToKeep(0, 0, origin_of(response, response.url), None, "", "")
        message = message_of(response)
        with self._database.changing() as connection:
            self._rows.write_of(page.url)
            again = (response.url, page.origin.instant, digest_of(message.payload))
            row = connection.execute(OF_ANSWER, again).fetchone()
            if row is not None:
                return Kept(*row)
            row = connection.execute(OF_ROBOTS_TXT, (response.url,)).fetchone()
            before = None if row is None else Before(*row)
            if before is not None and is_same(before, message):
                return self._keep_again(connection, page, message.head, before)
            is_large = len(message.payload) >= WORTH_A_THREAD
            writer = self._fast_writer if is_large else self._writer
            record = writer.response(page.origin, message)
            (kept,) = self._append(connection, page, [("robots-txt", record)])
            return kept

    def forget(self, url_id: int, visit: int | None = None) -> None:
        """Delete the copies of a page; the next compaction removes their bytes.

        Args:
            url_id: The number of the page's URL.
            visit: The visit that decided it: copies of newer visits stay. `None`: delete all.

        """
        with self._database.changing() as connection:
            self._rows.write_of(url_id)
            if self._pages.may_have(url_id):
                connection.execute(FORGET, (url_id, NO_LIMIT if visit is None else visit))

    def __contains__(self, url_id: int) -> bool:
        """Whether a copy of a page is kept."""
        self._rows.write_of(url_id)
        found = self._database.connection.execute(IS_KEPT, (url_id,))
        return found.fetchone() is not None

    def whole_copy(self, url_id: int) -> WholeCopy | None:
        """Return the copy of a page if a 304 may confirm it; see `Archive.whole_copy`."""
        self._rows.write_of(url_id)
        return whole_copy(self._database.connection, url_id, self._place)

    def disk_bytes(self) -> int:
        """Return the size of the files in bytes."""
        (size,) = self._database.connection.execute(SIZE).fetchone()
        return int(size)

    def show(self, url: str) -> KeptCopy | None:
        """Return the copy of a URL; see `kept_copy`."""
        return kept_copy(self._database, url, self._place)

    def compact(self, now: datetime | None = None) -> Compaction:
        """Rewrite the files without records that are no longer kept; see `compaction.compact`.

        Args:
            now: The current time, an aware `datetime`: copies that have expired by then are
                deleted too.

        """
        time = None if now is None else instant(now, "now")
        mark = self._mark.encode()
        return compaction.compact(self._database, self._files, self._beginning, mark, time)

    def waiting(self) -> list[str]:
        """Return the files whose records are to be taken in, in the order of their records."""
        return [name for (name,) in self._database.connection.execute(WAITING)]

    def take_in(self, file: str, content: bytes) -> int:
        """Copy the records of another file into the files of this archive, without decompressing.

        Args:
            file: The name by which rows know it, from `waiting`.
            content: All of its bytes.

        Returns:
            The number of records.

        Raises:
            NotAStoreError: It is shorter than its rows say.
            StoreError: A file cannot be written.

        """
        series = ROBOTS_TXT if f"/{ROBOTS_TXT}-" in file else PAGES
        with self._database.changing() as connection:
            self._database.at_end(self._files)
            rows = connection.execute(compaction.IN_FILE, (file,)).fetchall()
            for number, offset, length, at in rows:
                member = content[offset : offset + length]
                if len(member) < length:
                    message = f"{file} is shorter than recorded; restore it from a backup"
                    raise NotAStoreError(message)
                name, (place,) = self._files.append(connection, series, [member], at)
                connection.execute(compaction.MOVE, (name, place, number))
        return len(rows)

    def _keep_whole(
        self, connection: sqlite3.Connection, page: PageToKeep, copy: CopyToKeep, *, is_new: bool
    ) -> list[Kept]:
        """Store a response as received, or a revisit if it is the same as before."""
        row = None if is_new else connection.execute(OF_URL, (page.url,)).fetchone()
        before = None if row is None else Before(*row)
        latest = copy.response if copy.not_modified is None else copy.not_modified
        message = message_of(latest)
        is_again = before is not None and before.kind == "response"
        if before is not None and is_again and (copy.not_modified or is_same(before, message)):
            fields = packed_fields(copy.response.headers)
            said = (page.until, page.reason, page.source)
            valid = (page.validators.etag, page.validators.last_modified)
            connection.execute(CONFIRM, (*said, *valid, fields, before.id))
            profile = IDENTICAL if copy.not_modified is None else NOT_MODIFIED
            return [self._keep_again(connection, page, message.head, before, profile)]
        if copy.not_modified is not None:  # the copy that it confirms is gone
            return []
        if before is not None:
            connection.execute(FORGET, (page.url, NO_LIMIT))
        return self._append(
            connection, page, [("response", self._writer.response(page.origin, message))]
        )

    def _keep_again(
        self,
        connection: sqlite3.Connection,
        page: PageToKeep,
        head: bytes,
        before: Before,
        profile: str = IDENTICAL,
    ) -> Kept:
        """Store a revisit: the content is the same as before."""
        first = Origin(before.address, before.at)
        record = self._writer.revisit(
            page.origin, head, first, before.record, before.digest, profile=profile
        )
        (kept,) = self._append(connection, page, [("revisit", record)], before.id)
        return kept

    def _keep_parts(
        self, connection: sqlite3.Connection, page: PageToKeep, parts: PartialCopy
    ) -> list[Kept]:
        """Store a copy without the parts that must not be kept, and a description of them."""
        connection.execute(FORGET, (page.url, NO_LIMIT))
        converted = self._writer.conversion(page.origin, parts.content, parts.content_type)
        metadata = self._writer.metadata(page.origin, parts.metadata, converted.id)
        return self._append(connection, page, [("conversion", converted), ("metadata", metadata)])

    def _append(
        self,
        connection: sqlite3.Connection,
        page: PageToKeep,
        records: list[tuple[KeptKind, WarcRecord]],
        original: int | None = None,
    ) -> list[Kept]:
        """Write records with a row for each; a second record refers to the first."""
        self._database.at_end(self._files)
        self._pages.add(page.url)
        series = PAGES if page.url else ROBOTS_TXT
        members = [record.content for _, record in records]
        name, offsets = self._files.append(connection, series, members, page.origin.instant)
        found = []
        for (kind, record), offset in zip(records, offsets, strict=True):
            kept = Kept(kind, name, offset, len(record.content))
            row = row_of(page, kept, record, original)
            if original is None and len(records) == 1:
                self._rows.add(row)
            else:  # the number of the row is needed, and those before it come first
                self._rows.write()
                number = connection.execute(KEEP, row).lastrowid
                original = original or number
            found.append(kept)
        return found

    def _beginning(self, name: str, at: int) -> bytes:
        """Make the first record of a file (WARC 1.1 section 6.2)."""
        fields = warcinfo_fields(self._database.settings())
        return self._writer.warcinfo(name, at, fields).content


def row_of(
    page: PageToKeep, kept: Kept, record: WarcRecord, original: int | None
) -> tuple[object, ...]:
    """Return the row of a record."""
    valid = page.validators if kept.kind == "response" else NO_VALIDATORS
    return (
        page.url,
        page.origin.url,
        kept.kind,
        page.origin.instant,
        page.until,
        kept.file,
        kept.offset,
        kept.length,
        record.id,
        record.digest,
        original,
        page.reason,
        page.source,
        page.visit,
        valid.etag,
        valid.last_modified,
    )


def origin_of(response: Response, url: str) -> Origin:
    """Return the origin of a response."""
    started = instant(response.started, "response.started")
    return Origin(
        url, started, response.address, response.truncated, protocol_of(response.http_version)
    )


def is_same(before: Before, message: MessageBytes) -> bool:
    """Whether the content is the same as that of a record, and not empty."""
    return bool(message.payload) and digest_of(message.payload) == before.digest
