"""The survey of WARC files: what is in them, before any capture is judged.

Scope: one pass over the records, noted in a temporary database on disk, so that memory use does not
grow with the files: which URLs were captured, every response for a robots.txt, and where the
originals of revisits are.

A capture is judged by the robots.txt of its time, which may come later in the file, or in another
one; so everything is read once before the first verdict.
"""

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from goodbot._core import robots_txt_url
from goodbot.history.captures import MOST_TIED
from goodbot.http.address import address_of
from goodbot.http.instants import instant, to_datetime
from goodbot.net.fetcher import Response
from goodbot.policy.inquiry import LIMIT
from goodbot.policy.redirects import leads_to
from goodbot.policy.robots_txt_answer import NOT_CAPTURED, RobotsTxtAnswer, answer_order
from goodbot.store.failures import store_error
from goodbot.tables.columns.fact_rows import pack_headers, unpack_headers
from goodbot.tables.columns.reckoning import deciding_fields
from goodbot.warc.captured_response import (
    Capture,
    capture_of,
    captured_response,
    without_body,
)
from goodbot.warc.foreign_records import ForeignRecord, foreign_records, record_at
from goodbot.warc.revisits import SUCCESS, has_other_content, names_original, not_modified
from goodbot.warc.warc_sources import UnreadPart, WarcSource, open_warcs

__all__ = ["UNAVAILABLE", "Survey"]

CREATE = """
    CREATE TABLE captured(url TEXT NOT NULL);
    CREATE TABLE sites(origin TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE responses(id INTEGER NOT NULL, dated INTEGER NOT NULL, digest INTEGER,
        success INTEGER, at INTEGER NOT NULL, file INTEGER NOT NULL, offset INTEGER NOT NULL);
    CREATE TABLE wanted(url TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE answers(url TEXT NOT NULL, at INTEGER NOT NULL, key BLOB NOT NULL,
        status INTEGER NOT NULL, headers TEXT NOT NULL, body BLOB NOT NULL,
        truncated INTEGER NOT NULL, since INTEGER NOT NULL, PRIMARY KEY(url, at, key))
        WITHOUT ROWID;
"""
CAPTURED = "INSERT INTO captured VALUES(?)"
AT_SITE = "INSERT OR IGNORE INTO sites VALUES(?)"
RESPONSE = "INSERT INTO responses VALUES(?, ?, ?, ?, ?, ?, ?)"
NOTED = (CAPTURED, AT_SITE, RESPONSE)
# Most files have no revisit, and not every import reads links: rows are only appended until
# somebody asks.
FIND_CAPTURED = "CREATE INDEX IF NOT EXISTS captured_at ON captured(url)"
FIND_ORIGINALS = """
    CREATE INDEX IF NOT EXISTS by_id ON responses(id);
    CREATE INDEX IF NOT EXISTS by_date ON responses(dated);
    CREATE INDEX IF NOT EXISTS by_digest ON responses(digest) WHERE digest IS NOT NULL;
    CREATE INDEX IF NOT EXISTS successes ON responses(success, at) WHERE success IS NOT NULL;
"""
ORIGINALS = {
    name: f"SELECT file, offset FROM responses WHERE {name} = ? ORDER BY rowid LIMIT 1"  # noqa: S608  our own words
    for name in ("id", "dated", "digest")
}
"""How the first response is found that has a key, by the kind of key."""
MOST_WAITING = 1_000
"""How many captures are noted together."""
ANSWERS = "SELECT at, status, headers, body, truncated, since FROM answers WHERE url = ?"
ANSWERS_FROM = (
    "SELECT at, status, headers, body, truncated, since FROM answers WHERE url = ?1 "
    "AND at = (SELECT min(at) FROM answers WHERE url = ?1 AND at >= ?2)"
)
TIED = "SELECT count(*) FROM answers WHERE url = ? AND at = ? AND key <> ?"
NEXT_ANSWER = "SELECT url FROM answers WHERE url > ? ORDER BY url LIMIT 1"
LAST_SUCCESS = (
    "SELECT file, offset FROM responses WHERE rowid = (SELECT min(rowid) FROM responses "
    "WHERE success = ?1 AND at = (SELECT max(at) FROM responses WHERE success = ?1 AND at <= ?2))"
)
TEMPORARY = "the temporary file of the import, in SQLITE_TMPDIR, TMPDIR or /var/tmp"
"""The name of the temporary database in messages; SQLite chooses its folder."""
MOST_ORIGINS = 10_000
"""How many sites are read from the files, and visited when a crawl goes on."""


REDIRECTS = range(300, 400)
NO_HTTP, NO_ORIGINAL = 0, -1
"""Stand for the status of a response that is not one of HTTP, and of a revisit whose original is
not in the files."""
FAILURE_OF = {NO_HTTP: "protocol-error", NO_ORIGINAL: NOT_CAPTURED}
UNAVAILABLE = 503
"""The status of a robots.txt that allows nothing."""


class Survey:
    """What is in some WARC files.

    Args:
        paths: The files: WARC or WACZ.

    Raises:
        MisuseError: One is a pipe, or a ZIP file but not a WACZ.
        OSError: A file cannot be read.

    """

    def __init__(self, paths: Sequence[Path]) -> None:
        """Open the files, and create an empty temporary database."""
        self._stack = ExitStack()
        self.sources: list[WarcSource] = []
        self.unread: list[UnreadPart] = []
        """What of WACZ files is not read."""
        try:
            for path in paths:
                found, unread = open_warcs(path, self._stack)
                self.sources += found
                self.unread += unread
        except BaseException:
            self._stack.close()
            raise
        self._notes = sqlite3.connect("", isolation_level=None)
        self._stack.callback(self._notes.close)
        self._notes.executescript(f"PRAGMA journal_mode = OFF; {CREATE}")
        self._notes.execute("BEGIN")
        self._waiting: dict[str, list[tuple[object, ...]]] = {one: [] for one in NOTED}
        """The values of statements that are executed together."""
        self._has_wanted = False
        """Whether a robots.txt redirects anywhere."""
        self._sites: set[str] = set()
        """Origins that were noted lately."""
        self._can_find: set[str] = set()
        """The statements that were executed so that something can be found."""

    def close(self) -> None:
        """Close the files, and remove the database."""
        self._stack.close()

    def read(self) -> None:
        """Read all files once.

        Raises:
            StoreError: The temporary database cannot be written, or its disk is full.

        """
        with told_apart():
            for number, source in enumerate(self.sources):
                for record in foreign_records(source.file):
                    if not record.is_damaged:
                        self._note(record, number)
                    if len(self._waiting[CAPTURED]) >= MOST_WAITING:
                        self._write()
            self._write()

    def _write(self) -> None:
        """Execute the statements that wait."""
        for statement, values in self._waiting.items():
            self._notes.executemany(statement, values)
            values.clear()

    def _note(self, record: ForeignRecord, file: int) -> None:
        """Note what a later pass needs to know of a record."""
        capture = capture_of(record)
        if capture is None or capture.kind not in {"response", "revisit"}:
            return
        waiting = self._waiting
        if capture.kind == "response" and record.offset >= 0:
            waiting[RESPONSE].append(row_of(record, capture, file))
        if self._is_wanted(capture):
            self._note_answer(record, capture)
        if not is_robots_txt(capture):
            waiting[CAPTURED].append((capture.url,))
            if capture.origin not in self._sites:
                if len(self._sites) >= MOST_ORIGINS:
                    self._sites.clear()
                self._sites.add(capture.origin)
                waiting[AT_SITE].append((capture.origin,))

    def _is_wanted(self, capture: Capture) -> bool:
        """Whether a capture is a robots.txt, or one that a robots.txt redirects to."""
        if is_robots_txt(capture):
            return True
        if not self._has_wanted:
            return False
        found = self._notes.execute("SELECT 1 FROM wanted WHERE url = ?", (capture.url,))
        return found.fetchone() is not None

    def _note_answer(self, record: ForeignRecord, capture: Capture) -> None:
        """Note a response on the way to a robots.txt."""
        answer = self.response_of(record, capture, only_whole=True)
        if answer is None:
            answer = without_body(record, capture)
            if capture.kind == "revisit" and self.original_of(record) is None:
                answer = replace(answer, status=NO_ORIGINAL)
        if answer.status in REDIRECTS:
            found, _ = leads_to(capture.url, answer.status, answer.headers, [capture.url], limit=1)
            if found is not None:
                self._notes.execute("INSERT OR IGNORE INTO wanted VALUES(?)", (found[1],))
                self._has_wanted = True
        is_cut = answer.truncated or len(answer.body) > LIMIT
        at, headers = instant(capture.at, "at"), pack_headers(answer.headers)
        fields = deciding_fields(unpack_headers(headers), capture.at)
        digest = digest_of(
            str(answer.status), repr(fields), str(is_cut), answer.body.decode("latin-1")
        )
        values = (answer.status, headers, answer.body[:LIMIT], is_cut)
        (tied,) = self._notes.execute(TIED, (capture.url, at, digest)).fetchone()
        if tied >= MOST_TIED:
            digest, values = b"", (UNAVAILABLE, "", b"", False)
        self._notes.execute(
            "INSERT OR REPLACE INTO answers VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
            (capture.url, at, digest, *values, instant(capture.since, "since")),
        )

    # After the pass.

    def is_captured(self, url: str) -> bool:
        """Whether a URL was captured, other than as a robots.txt."""
        self._prepare(FIND_CAPTURED)
        found = self._notes.execute("SELECT 1 FROM captured WHERE url = ?", (url,))
        return found.fetchone() is not None

    def origins(self) -> list[str]:
        """Return the origins of the captures, at most 10,000 of them."""
        rows = self._notes.execute("SELECT origin FROM sites ORDER BY 1 LIMIT ?", (MOST_ORIGINS,))
        return [origin for (origin,) in rows]

    def origins_with_robots_txt(self) -> Iterator[str]:
        """Yield the origins of which a robots.txt was captured."""
        last = ""
        while row := self._notes.execute(NEXT_ANSWER, (last,)).fetchone():
            (last,) = row
            if last == robots_txt_url(last):
                yield address_of(last)[0]

    def answers(self, url: str) -> list[RobotsTxtAnswer]:
        """Return the responses for a URL in order of their times; see `answer_order`.

        What is not one of HTTP is a failure, and a revisit without its original is not captured.
        """
        return answers_in(url, self._notes.execute(ANSWERS, (url,)))

    def answers_from(self, url: str, at: datetime) -> list[RobotsTxtAnswer]:
        """Return the first response for a URL from a time on, and those of the same time as it."""
        return answers_in(url, self._notes.execute(ANSWERS_FROM, (url, instant(at, "at"))))

    def response_of(
        self, record: ForeignRecord, capture: Capture, *, only_whole: bool = False
    ) -> Response | None:
        """Return the response in a record; for a revisit, with the content of its original.

        Args:
            record: The record.
            capture: What it is a capture of.
            only_whole: As `captured_response` has it, also for the original.

        Returns:
            The response; `None` if there is none that can be read, or its original is not in the
            files. A 304 is returned as it is; see `original_of`.

        """
        if capture.kind == "response":
            return captured_response(record, capture, only_whole=only_whole)
        unchanged = not_modified(record, capture)
        if unchanged is not None:
            return unchanged
        found = self.original_of(record, only_whole=only_whole)
        if found is None:
            return None
        if captured_response(record, capture) is None:  # a revisit may have no block at all
            return replace(found, url=capture.url, started=capture.at, ended=capture.at)
        return captured_response(record, capture, found, only_whole=only_whole)

    def original_of(self, record: ForeignRecord, *, only_whole: bool = False) -> Response | None:
        """Return the original of a revisit, which must be in the files, with the same digest."""
        if not has_other_content(record):
            return None
        return self._named_by(record, only_whole=only_whole)

    def confirmed_by(self, record: ForeignRecord, capture: Capture) -> Response | None:
        """Return the response that a 304 confirms, which must be in the files.

        Without a reference to it, which is optional, it is the last success of the same URL.
        """
        if names_original(record):
            return self._named_by(record)
        self._prepare(FIND_ORIGINALS)
        values = (key_of("success", capture.url), instant(capture.at, "at"))
        row = self._notes.execute(LAST_SUCCESS, values).fetchone()
        found = None if row is None else record_at(self.sources[row[0]].file, row[1])
        original = None if found is None else capture_of(found)
        if found is None or original is None or original.url != capture.url:
            return None
        return captured_response(found, original)

    def _named_by(self, record: ForeignRecord, *, only_whole: bool = False) -> Response | None:
        """Return the response that a revisit refers to, if it is in the files."""
        digest = record.fields.get("warc-payload-digest", "")
        self._write()
        self._prepare(FIND_ORIGINALS)
        for key in reference_keys(record):
            row = self._notes.execute(ORIGINALS[key[0]], (key_of(*key),)).fetchone()
            if row is None:
                continue
            found = record_at(self.sources[row[0]].file, row[1])
            capture = None if found is None else capture_of(found)
            if found is None or capture is None or capture.kind != "response":
                continue
            if key not in keys_of(found, capture):  # two keys have the same number
                continue
            if digest and found.fields.get("warc-payload-digest", digest) != digest:
                continue
            response = captured_response(found, capture, only_whole=only_whole)
            if response is not None:
                return response
        return None

    def _prepare(self, statements: str) -> None:
        """Execute what makes rows of a table easy to find, once."""
        if statements not in self._can_find:
            self._can_find.add(statements)
            with told_apart():
                for statement in filter(str.strip, statements.split(";")):
                    self._notes.execute(statement)


@contextmanager
def told_apart() -> Iterator[None]:
    """Write to the temporary database, whose errors would otherwise name that of the crawl.

    Raises:
        StoreError: It cannot be written, or its disk is full.

    """
    try:
        yield
    except sqlite3.Error as error:
        raise store_error(error, TEMPORARY) from error


def is_robots_txt(capture: Capture) -> bool:
    """Whether a capture is one of a robots.txt at its place."""
    return capture.url == robots_txt_url(capture.url)


def answers_in(
    url: str, rows: Iterable[tuple[int, int, str, bytes, int, int]]
) -> list[RobotsTxtAnswer]:
    """Return the responses for a URL from their rows, in order."""
    found = [answer_of(url, row) for row in rows]
    return sorted(found, key=lambda one: (one.answered, *answer_order(one)))


def answer_of(url: str, row: tuple[int, int, str, bytes, int, int]) -> RobotsTxtAnswer:
    """Return a response from its row."""
    at, status, headers, body, truncated, began = row
    time = to_datetime(at)
    assert time is not None  # noqa: S101  it was made from a time
    failure = FAILURE_OF.get(status)
    return RobotsTxtAnswer(
        url,
        time,
        status if failure is None else None,
        failure,
        unpack_headers(headers),
        body,
        bool(truncated),
        requested=to_datetime(began) if began < at else None,
    )


Key: TypeAlias = tuple[str, ...]
"""What a response is found by: the kind of the key, which is a column, and texts."""


def row_of(record: ForeignRecord, capture: Capture, file: int) -> tuple[object, ...]:
    """Return the row of a response."""
    numbers = {key[0]: key_of(*key) for key in keys_of(record, capture)}
    success = key_of("success", capture.url) if SUCCESS.match(record.block) else None
    at = instant(capture.at, "at")
    found = (numbers["id"], numbers["dated"], numbers.get("digest"))
    return (*found, success, at, file, record.offset)


def keys_of(record: ForeignRecord, capture: Capture) -> list[Key]:
    """Return the keys by which a revisit may name a record as its original."""
    fields = record.fields
    keys: list[Key] = [
        ("id", fields.get("warc-record-id", "")),
        ("dated", capture.url, fields.get("warc-date", "")[:19]),
    ]
    if fields.get("warc-payload-digest"):
        keys.append(("digest", fields["warc-payload-digest"]))
    return keys


def reference_keys(record: ForeignRecord) -> Iterator[Key]:
    """Yield the keys of the original that a revisit names, the surest first (WARC 1.1 6.7)."""
    fields = record.fields
    if fields.get("warc-refers-to"):
        yield "id", fields["warc-refers-to"]
    url, date = fields.get("warc-refers-to-target-uri"), fields.get("warc-refers-to-date")
    if url and date:
        named = capture_of(replace(record, fields={"warc-target-uri": url, "warc-date": date}))
        if named is not None:
            yield "dated", named.url, date[:19]
    if fields.get("warc-payload-digest"):
        yield "digest", fields["warc-payload-digest"]


def key_of(*key: str) -> int:
    """Return the number of a key, which holds only in this process."""
    return hash(key)


def digest_of(*parts: str) -> bytes:
    """Return a short digest of some texts."""
    text = "\0".join(parts).encode("utf-8", "replace")
    return hashlib.blake2b(text, digest_size=12).digest()
