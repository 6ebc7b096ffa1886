"""The archive: what may be kept of pages, and each robots.txt as it was received.

It acts. A record is appended to a WARC file, and its row is part of the transaction in which the
caller notes everything else of the visit (see `warc_files` for what a crash leaves).

| what the page says | what is kept |
|---|---|
| nothing against a copy | `response`: the answer as received |
| some parts may not be kept | `conversion`: the copy without; `metadata`: the list of the cuts |
| part of it was not understood | the same: what nobody read is not kept |
| no copy is to be kept, or it asked to be forgotten by now | nothing, and what was kept goes |

Source: WARC 1.1; Google, robots meta tag (noarchive, unavailable_after); Robot Exclusion Profile.
"""

import json
import re
import sqlite3
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, NamedTuple
from uuid import uuid4

import goodbot
from goodbot.crawl.archive import compaction
from goodbot.crawl.archive.checking import Fault, check_archive
from goodbot.crawl.archive.compaction import Compaction
from goodbot.crawl.archive.http_message import Message, message_of
from goodbot.crawl.archive.kept_copy import KeptCopy, kept_copy
from goodbot.crawl.archive.warc import LEVEL, Origin, Record, Writer, digest_of
from goodbot.crawl.archive.warc_files import MOST_OCTETS, PAGES, ROBOTS_TXT, WarcFiles
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Kept, KeptKind
from goodbot.http.fields import field_lines
from goodbot.http.instants import instant
from goodbot.http.status import answer_status
from goodbot.net.fetcher import Response
from goodbot.page import Copy, Page
from goodbot.page.finding_codes import NOT_READ
from goodbot.robot.beside import WORTH_A_THREAD

__all__ = ["Archive"]

DOUBTFUL = NOT_READ | {"findings-cut"}
"""What must not be found for a page to be kept as received: whoever did not read all of it, or
lists only some findings, may have missed what forbids."""

TYPE = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+")
"""RFC 6838 section 4.2."""

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
FORGET = "DELETE FROM kept WHERE url = ?"
KEEP = (
    "INSERT INTO kept(url, address, kind, at, until, file, offset, length, record, digest, "
    "original, reason, source) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
CONFIRM = "UPDATE kept SET until = ?, reason = ?, source = ? WHERE id = ?"


class Before(NamedTuple):
    """What is kept already."""

    id: int
    kind: KeptKind
    address: str
    at: int
    record: bytes
    digest: bytes


class Told(NamedTuple):
    """What the rows of one copy have in common."""

    url: int
    origin: Origin
    until: int | None
    reason: str
    source: str


class Archive:
    """The archive of a crawl.

    On opening it puts right what a process left that was killed: each WARC file is cut back to the
    length that is recorded.

    Args:
        database: The crawl's.
        user_agent: How the robot names itself, for the beginning of each file; where it is empty,
            as was said when the archive was opened before.
        most_octets: When the next WARC file begins.
        level: How hard to compress, from 0 to 9.
        repair: Whether to give up records that are missing or broken, instead of raising for those
            that are missing.

    Raises:
        MissingExtraError: warcio is not installed (when the module is imported).
        NotAStoreError: A file is missing, or is of another crawl.
        StoreError: A file cannot be read or written.

    """

    def __init__(
        self,
        database: Database,
        *,
        user_agent: str = "",
        most_octets: int = MOST_OCTETS,
        level: int = LEVEL,
        repair: bool = False,
    ) -> None:
        """Open it."""
        self._database = database
        self._writer = Writer(level)
        self._fast_writer = Writer(min(level, FAST_LEVEL))
        self._files = WarcFiles(database.folder, self._beginning, most_octets=most_octets)
        self.faults: list[Fault] = []
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
                self.faults = list(check_archive(database))
                broken = [fault.row for fault in self.faults if fault.row is not None]
                self.given_up = compaction.give_up(connection, database.folder, broken)
            self.cut_off = self._files.recover(connection, self._mark.encode())
            compaction.sum_anew(connection, database.folder, {one.file for one in self.faults})
            """How many bytes a killed process left behind the recorded ones; they are gone."""

    def __enter__(self) -> "Archive":  # noqa: PYI034  Python 3.10 has no Self
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
        self._files.close()

    def keep(  # noqa: PLR0913  each is documented below
        self,
        number: int,
        visit_url: str,
        response: Response,
        page: Page,
        at: datetime,
        *,
        copy: Copy | Literal["unknown"] | None = "unknown",
    ) -> list[Kept]:
        """Keep what may be kept of an answer, in place of what was kept of the URL.

        Args:
            number: The number of the URL.
            visit_url: The URL that answered, of which the record is.
            response: The answer; with `Limits.keep_wire`, as it came.
            page: The same as a page: it says what may be kept.
            at: When it is now, aware.
            copy: The copy that `partial_copy` makes of the page, if that is known already.

        Returns:
            The records; none if nothing may be kept. An answer that says nothing of the page
            (`goodbot.http.status`) leaves what was kept.

        Raises:
            StoreError: A file cannot be written; it is as before.

        """
        with self._database.changing() as connection:
            fields = field_lines(response.headers)
            row = answer_status(response.status, fields, len(response.body))
            until = page.limits.unavailable_after
            is_expired = until is not None and at >= until
            if not row.is_success or not page.archive or is_expired:
                if row.speaks_of_page:
                    connection.execute(FORGET, (number,))
                return []
            told = Told(
                number,
                origin_of(response, visit_url),
                None if until is None else instant(until, "until"),
                page.archive.reason,
                page.archive.source,
            )
            if copy == "unknown":
                copy = partial_copy(page)
            if copy is None:
                return [self._keep_whole(connection, told, message_of(response))]
            return self._keep_parts(connection, told, response, page, copy)

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
        told = Told(0, origin_of(response, response.url), None, "", "")
        message = message_of(response)
        with self._database.changing() as connection:
            row = connection.execute(OF_ROBOTS_TXT, (response.url,)).fetchone()
            before = None if row is None else Before(*row)
            if before is not None and is_same(before, message):
                return self._keep_again(connection, told, message, before)
            is_large = len(message.payload) >= WORTH_A_THREAD
            writer = self._fast_writer if is_large else self._writer
            record = writer.response(told.origin, message)
            (kept,) = self._append(connection, told, [("robots-txt", record)])
            return kept

    def forget(self, number: int) -> None:
        """Keep nothing of a URL any more; the octets go with the next compaction."""
        with self._database.changing() as connection:
            connection.execute(FORGET, (number,))

    def disk_bytes(self) -> int:
        """Return how many bytes its files take on the disk."""
        (size,) = self._database.connection.execute(SIZE).fetchone()
        return int(size)

    def show(self, url: str) -> KeptCopy | None:
        """Give what is kept of a URL; see `kept_copy`."""
        return kept_copy(self._database, url)

    def compact(self, now: datetime | None = None) -> Compaction:
        """Rewrite the files without the records that no row names; see `compaction.compact`.

        Args:
            now: When it is, aware: what asked to be forgotten by now goes too.

        """
        time = None if now is None else instant(now, "now")
        mark = self._mark.encode()
        return compaction.compact(self._database, self._files, self._beginning, mark, time)

    def _keep_whole(self, connection: sqlite3.Connection, told: Told, message: Message) -> Kept:
        """Keep an answer as received, or note that it is the same again."""
        row = connection.execute(OF_URL, (told.url,)).fetchone()
        if row is not None:
            before = Before(*row)
            if before.kind == "response" and is_same(before, message):
                connection.execute(CONFIRM, (told.until, told.reason, told.source, before.id))
                return self._keep_again(connection, told, message, before)
            connection.execute(FORGET, (told.url,))
        record = self._writer.response(told.origin, message)
        (kept,) = self._append(connection, told, [("response", record)])
        return kept

    def _keep_again(
        self, connection: sqlite3.Connection, told: Told, message: Message, before: Before
    ) -> Kept:
        """Note that the content is the same again."""
        first = Origin(before.address, before.at)
        record = self._writer.revisit(told.origin, message, first, before.record)
        (kept,) = self._append(connection, told, [("revisit", record)], before.id)
        return kept

    def _keep_parts(
        self,
        connection: sqlite3.Connection,
        told: Told,
        response: Response,
        page: Page,
        copy: Copy,
    ) -> list[Kept]:
        """Keep a copy without what may not be kept, and say what that is."""
        connection.execute(FORGET, (told.url,))
        kind = page.content_type if TYPE.fullmatch(page.content_type) else "application/xml"
        # The mark of utf-8-sig counts before what the document declares (HTML 13.2.3.2).
        content = (copy.html or "").encode("utf-8-sig", "replace")
        converted = self._writer.conversion(told.origin, content, f"{kind}; charset=utf-8")
        metadata = self._writer.metadata(told.origin, described(response, page, copy), converted.id)
        return self._append(connection, told, [("conversion", converted), ("metadata", metadata)])

    def _append(
        self,
        connection: sqlite3.Connection,
        told: Told,
        records: list[tuple[KeptKind, Record]],
        original: int | None = None,
    ) -> list[Kept]:
        """Write records, and a row for each; a second one is about the first."""
        series = PAGES if told.url else ROBOTS_TXT
        octets = [record.octets for _, record in records]
        name, offsets = self._files.append(connection, series, octets, told.origin.instant)
        found = []
        for (kind, record), offset in zip(records, offsets, strict=True):
            kept = Kept(kind, name, offset, len(record.octets))
            row = connection.execute(
                KEEP,
                (
                    told.url,
                    told.origin.url,
                    kind,
                    told.origin.instant,
                    told.until,
                    name,
                    offset,
                    kept.length,
                    record.id,
                    record.digest,
                    original,
                    told.reason,
                    told.source,
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
        return self._writer.warcinfo(name, at, told).octets


def origin_of(response: Response, url: str) -> Origin:
    """Say whence an answer is."""
    started = instant(response.started, "response.started")
    return Origin(url, started, response.address, response.truncated)


def is_same(before: Before, message: Message) -> bool:
    """Whether a content is kept already; to note an empty one again would save nothing."""
    return bool(message.payload) and digest_of(message.payload) == before.digest


def partial_copy(page: Page) -> Copy | None:
    """Give the copy that is to be kept in place of the answer; `None` if all of it may be kept."""
    not_read = any(finding.code in DOUBTFUL for finding in page.findings)
    if not (not_read or page.may_have_cuts):
        return None
    copy = page.archive_copy()
    # What is no text, such as an image, has none: its octets are the copy.
    return copy if copy.html is not None and (copy.cuts or not_read) else None


def described(response: Response, page: Page, copy: Copy) -> dict[str, Any]:
    """Say what a copy is of, and what is left out of it."""
    not_read = [str(finding) for finding in page.findings if finding.code in DOUBTFUL]
    told = {
        "status": response.status,
        "headers": [list(field) for field in response.headers],
        "encoding": page.encoding,
        "verdict": page.archive.as_dict(),
        "cuts": [
            {"line": cut.line, "octets": cut.octets, "source": cut.verdict.source}
            for cut in copy.cuts
        ],
        "not_read": not_read,
    }
    # As it will be read: a field may have half a pair of surrogates from another client.
    return dict(json.loads(json.dumps(told)))
