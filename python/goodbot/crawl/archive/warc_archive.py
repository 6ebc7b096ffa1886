"""The archive: what may be kept of pages, and each robots.txt as it was received.

It acts. A record is appended to a WARC file, and its row is part of the transaction in which the
caller notes everything else of the visit (see `warc_files` for what a crash leaves).

What may be kept is decided in `copies`.

Source: WARC 1.1.
"""

import sqlite3
from datetime import datetime
from types import TracebackType
from typing import NamedTuple
from uuid import uuid4

import goodbot
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
)
from goodbot.crawl.archive.warc_files import MOST_BYTES, PAGES, ROBOTS_TXT, WarcFiles
from goodbot.crawl.archive.whole_copy import packed_fields, whole_copy
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Kept, KeptKind
from goodbot.http.instants import instant
from goodbot.http.validators import Validators
from goodbot.net.fetcher import Response
from goodbot.robot.beside import WORTH_A_THREAD

__all__ = ["WarcArchive"]

MARK, USER_AGENT = "archive-mark", "archive-user-agent"
"""The settings with what all files of this crawl have in their beginning."""

CONFORMS_TO = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"

FAST_LEVEL = 1
"""How hard a large robots.txt is compressed: its record is made on the event loop, in one change
with its policy. 1 MiB takes at most 20 ms; at level 6 it may take 90."""

OF_URL = "SELECT id, kind, address, at, record, digest FROM kept WHERE url = ? AND original IS NULL"
OF_ROBOTS_TXT = (
    "SELECT id, kind, address, at, record, digest FROM kept "
    "WHERE url = 0 AND address = ? AND original IS NULL ORDER BY id DESC LIMIT 1"
)
SIZE = "SELECT coalesce(sum(length), 0) FROM files"
OF_ANSWER = (
    "SELECT kind, file, offset, length FROM kept "
    "WHERE url = 0 AND address = ? AND at = ? AND digest = ? LIMIT 1"
)
NEWEST_VISIT = "SELECT visit FROM kept WHERE url = ? ORDER BY id DESC LIMIT 1"
OF_VISIT = "SELECT kind, file, offset, length FROM kept WHERE url = ? AND visit = ? ORDER BY id"
FORGET = "DELETE FROM kept WHERE url = ? AND visit <= ?"
NO_LIMIT = 2**63 - 1
"""More visits than any URL has."""
IS_KEPT = "SELECT 1 FROM kept WHERE url = ? LIMIT 1"
KEEP = (
    "INSERT INTO kept(url, address, kind, at, until, file, offset, length, record, digest, "
    "original, reason, source, visit) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
CONFIRM = "UPDATE kept SET until = ?, reason = ?, source = ?, fields = ? WHERE id = ?"
VALIDATORS = "UPDATE kept SET etag = ?, modified = ? WHERE url = ? AND kind = 'response'"


class Before(NamedTuple):
    """What is kept already."""

    id: int
    kind: KeptKind
    address: str
    at: int
    record: bytes
    digest: bytes


class PageToKeep(NamedTuple):
    """What the rows of one copy have in common."""

    url: int
    visit: int
    origin: Origin
    until: int | None
    reason: str
    source: str


class WarcArchive:
    """The archive of a crawl in its folder; see `goodbot.crawl.archive.protocol.Archive`.

    On opening it puts right what a process left that was killed: each WARC file is cut back to the
    length that is recorded.

    Args:
        database: The crawl's.
        user_agent: How the robot names itself, for the beginning of each file; where it is empty,
            as was said when the archive was opened before.
        most_bytes: When the next WARC file begins.
        level: How hard to compress, from 0 to 9.
        repair: Whether to give up records that are missing or broken, instead of raising for those
            that are missing.
        place: Where the WARC files are; `None` for the folder of the crawl.

    Raises:
        MissingExtraError: warcio is not installed (when the module is imported).
        NotAStoreError: A file is missing, or is of another crawl.
        StoreError: A file cannot be read or written.

    """

    def __init__(  # noqa: PLR0913  each is documented above
        self,
        database: Database,
        *,
        user_agent: str = "",
        most_bytes: int = MOST_BYTES,
        level: int = LEVEL,
        repair: bool = False,
        place: WarcPlace | None = None,
    ) -> None:
        """Open it."""
        self._database = database
        self._writer = Writer(level)
        self._fast_writer = Writer(min(level, FAST_LEVEL))
        self._place = FolderPlace(database.folder) if place is None else place
        self._files = WarcFiles(self._place, self._beginning, most_bytes=most_bytes)
        self.faults: list[ArchiveFault] = []
        """What was wrong, with `repair`."""
        self.given_up = 0
        """How many records were given up: those that were missing or broken, and what was about
        them."""
        with database.changing() as connection:
            database.write_settings({MARK: uuid4().urn}, replace=False)
            if user_agent:
                database.write_settings({USER_AGENT: " ".join(user_agent.split())})
            self._mark, self._user_agent = database.setting(MARK), database.setting(USER_AGENT)
            if repair:
                self.faults = list(check_archive(database, place=self._place))
                broken = [fault.row for fault in self.faults if fault.row is not None]
                self.given_up = compaction.give_up(connection, self._place, broken)
            self.cut_off = self._files.recover(connection, self._mark.encode())
            compaction.sum_anew(connection, self._place, {one.file for one in self.faults})
            """How many bytes a killed process left behind the recorded ones; they are gone."""

    def __enter__(self) -> "WarcArchive":  # noqa: PYI034  Python 3.10 has no Self
        """Give the archive."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close its files. Closing again does nothing."""
        self._place.close()

    def keep(self, url_id: int, copy: CopyToKeep, visit: int = 0) -> list[Kept]:
        """Keep a copy of a page, in place of what was kept of it before; see `Archive.keep`.

        Args:
            url_id: The number of the page's URL.
            copy: What to keep, as `copy_to_keep` decides it.
            visit: The visit that it comes of; 0: of none.

        Returns:
            The records; none if a newer visit has kept something.

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
        )
        with self._database.changing() as connection:
            if visit:
                (newest,) = connection.execute(NEWEST_VISIT, (url_id,)).fetchone() or (0,)
                if newest > visit:
                    return []
                if newest == visit:
                    return [Kept(*row) for row in connection.execute(OF_VISIT, (url_id, visit))]
            if copy.parts is not None:
                return self._keep_parts(connection, page, copy.parts)
            kept = self._keep_whole(connection, page, copy)
            found = copy.validators or Validators(None, None)
            connection.execute(VALIDATORS, (found.etag, found.last_modified, url_id))
            return kept

    def keep_robots_txt(self, response: Response) -> Kept:
        """Keep the answer to the request for a robots.txt, or one hop on the way to it.

        The same content again is a `revisit`: a year of a file that does not change is small.

        Args:
            response: The answer, of whatever status.

        Returns:
            The record.

        Raises:
            StoreError: A file cannot be written; it is as before.

        """
        page = PageToKeep(0, 0, origin_of(response, response.url), None, "", "")
        message = message_of(response)
        with self._database.changing() as connection:
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
        """Keep nothing of a page any more; the bytes go with the next compaction.

        Args:
            url_id: The number of the page's URL.
            visit: The visit that says so: what a newer one kept stays. `None`: all goes.

        """
        with self._database.changing() as connection:
            connection.execute(FORGET, (url_id, NO_LIMIT if visit is None else visit))

    def __contains__(self, url_id: int) -> bool:
        """Whether a copy of a page is kept."""
        found = self._database.connection.execute(IS_KEPT, (url_id,))
        return found.fetchone() is not None

    def whole_copy(self, url_id: int) -> WholeCopy | None:
        """Return what is kept of a page, if a 304 may confirm it; see `Archive.whole_copy`."""
        return whole_copy(self._database.connection, url_id, self._place)

    def disk_bytes(self) -> int:
        """Return how many bytes its files take on the disk."""
        (size,) = self._database.connection.execute(SIZE).fetchone()
        return int(size)

    def show(self, url: str) -> KeptCopy | None:
        """Give what is kept of a URL; see `kept_copy`."""
        return kept_copy(self._database, url, self._place)

    def compact(self, now: datetime | None = None) -> Compaction:
        """Rewrite the files without the records that no row names; see `compaction.compact`.

        Args:
            now: When it is, aware: what asked to be forgotten by now goes too.

        """
        time = None if now is None else instant(now, "now")
        mark = self._mark.encode()
        return compaction.compact(self._database, self._files, self._beginning, mark, time)

    def _keep_whole(
        self, connection: sqlite3.Connection, page: PageToKeep, copy: CopyToKeep
    ) -> list[Kept]:
        """Keep an answer as received, or note that it is the same again."""
        row = connection.execute(OF_URL, (page.url,)).fetchone()
        before = None if row is None else Before(*row)
        answer = copy.response if copy.not_modified is None else copy.not_modified
        message = message_of(answer)
        is_again = before is not None and before.kind == "response"
        if before is not None and is_again and (copy.not_modified or is_same(before, message)):
            fields = packed_fields(copy.response.headers)
            connection.execute(CONFIRM, (page.until, page.reason, page.source, fields, before.id))
            profile = IDENTICAL if copy.not_modified is None else NOT_MODIFIED
            return [self._keep_again(connection, page, message.head, before, profile)]
        if copy.not_modified is not None:  # of what is not kept any more
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
        """Note that the content is the same again."""
        first = Origin(before.address, before.at)
        record = self._writer.revisit(
            page.origin, head, first, before.record, before.digest, profile=profile
        )
        (kept,) = self._append(connection, page, [("revisit", record)], before.id)
        return kept

    def _keep_parts(
        self, connection: sqlite3.Connection, page: PageToKeep, parts: PartialCopy
    ) -> list[Kept]:
        """Keep a copy without what may not be kept, and a description of what that is."""
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
        """Write records, and a row for each; a second one is about the first."""
        series = PAGES if page.url else ROBOTS_TXT
        octets = [record.content for _, record in records]
        name, offsets = self._files.append(connection, series, octets, page.origin.instant)
        found = []
        for (kind, record), offset in zip(records, offsets, strict=True):
            kept = Kept(kind, name, offset, len(record.content))
            row = connection.execute(
                KEEP,
                (
                    page.url,
                    page.origin.url,
                    kind,
                    page.origin.instant,
                    page.until,
                    name,
                    offset,
                    kept.length,
                    record.id,
                    record.digest,
                    original,
                    page.reason,
                    page.source,
                    page.visit,
                ),
            ).lastrowid
            original = original or row
            found.append(kept)
        return found

    def _beginning(self, name: str, at: int) -> bytes:
        """Make the record with which a file begins (WARC 1.1 section 6.2)."""
        told = [
            ("software", f"goodbot/{goodbot.__version__}"),
            ("format", "WARC File Format 1.1"),
            ("conformsTo", CONFORMS_TO),
            ("isPartOf", self._mark),
            # The word that archives use; what was obeyed stands in the robots-txt files.
            ("robots", "obey"),
        ]
        if self._user_agent:
            told.append(("http-header-user-agent", self._user_agent))
        return self._writer.warcinfo(name, at, told).content


def origin_of(response: Response, url: str) -> Origin:
    """Say whence an answer is."""
    started = instant(response.started, "response.started")
    return Origin(url, started, response.address, response.truncated)


def is_same(before: Before, message: MessageBytes) -> bool:
    """Whether a content is kept already; to note an empty one again would save nothing."""
    return bool(message.payload) and digest_of(message.payload) == before.digest
