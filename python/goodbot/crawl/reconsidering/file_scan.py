"""One pass over web archives: every record with its place, its URL and what its page says.

Scope: from files to rows in a database on disk, so that memory use does not grow with them, and
several files are read at once. Nothing is judged here, and no content is noted.
"""

import json
import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from goodbot.content_use.page_reading import statements_of_page
from goodbot.content_use.page_statements import PageStatements, unpack_statements
from goodbot.crawl.imports.survey import Survey, is_robots_txt
from goodbot.errors import NoOriginError
from goodbot.http.address import address_of, spelling_of
from goodbot.http.instants import instant
from goodbot.page import Page
from goodbot.reconsidering.takedown import TakedownList
from goodbot.warc.capture_dates import moments_of
from goodbot.warc.captured_response import END_OF_HEAD, capture_of, captured_response
from goodbot.warc.foreign_records import ARC, ForeignRecord, foreign_records
from goodbot.warc.warc_sources import UnreadPart

__all__ = ["ARC_FILE", "SHARED", "ScanOptions", "scan_files", "statements"]

CREATE = """
    CREATE TABLE scanned(id INTEGER PRIMARY KEY, path TEXT NOT NULL, name TEXT NOT NULL,
        bytes INTEGER NOT NULL, packed INTEGER NOT NULL);
    CREATE TABLE unread(path TEXT NOT NULL, file TEXT NOT NULL, offset INTEGER NOT NULL,
        bytes INTEGER NOT NULL, why TEXT NOT NULL);
    CREATE TABLE records(id INTEGER PRIMARY KEY, file INTEGER NOT NULL, number INTEGER NOT NULL,
        start INTEGER NOT NULL, kind TEXT NOT NULL, url TEXT NOT NULL, spelling TEXT NOT NULL,
        origin TEXT NOT NULL, at INTEGER, date TEXT NOT NULL, name TEXT NOT NULL,
        digest TEXT NOT NULL, refers TEXT NOT NULL, refers_url TEXT NOT NULL,
        refers_date TEXT NOT NULL, is_robots_txt INTEGER NOT NULL, said TEXT,
        listed INTEGER, entry TEXT, others TEXT NOT NULL, do TEXT NOT NULL DEFAULT '',
        why TEXT NOT NULL DEFAULT '');
    CREATE TABLE refs(file INTEGER NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL);
    CREATE TABLE answers(url TEXT NOT NULL, at INTEGER NOT NULL, key BLOB NOT NULL,
        status INTEGER NOT NULL, headers TEXT NOT NULL, body BLOB NOT NULL,
        truncated INTEGER NOT NULL, since INTEGER NOT NULL, PRIMARY KEY(url, at, key))
        WITHOUT ROWID;
"""
"""The tables of a scan. `scanned`: `name` is that of a WARC file, also of one in a WACZ, and `path`
that of the file on disk; `packed` has the bits below. `records`: `start` is where its
member begins; `said` is what its page says of its uses, packed, NULL if it was not read; `others`
has further URLs, if its header has several; `do` is what becomes of it, empty if it stays. `refs`:
the records that a record names, by their IDs."""

SHARED, ARC_FILE = 1, 2
"""The bits of `packed`."""

INSERT = f"INSERT INTO records VALUES(NULL{', ?' * 21})"
WEB_URL = re.compile(r"https?://.*", re.IGNORECASE | re.DOTALL)
"""The URL in the name of what was made of it, as in `urn:text:https://example.com/`."""
OF_PAGES = {"response", "resource", "revisit"}
"""The types of records that have a page."""
REFERS = ("warc-refers-to", "warc-concurrent-to", "warc-segment-origin-id")
SAME = re.compile(r"[<> \t]")


class ScanOptions(NamedTuple):
    """What is wanted of each record."""

    robot: str
    """The robot that is asked about: pages speak to it."""
    page_dialect: str
    reads_pages: bool
    """Whether to read what pages say of their uses."""
    takedown: TakedownList | None = None
    """The takedown list, whose digests are compared with content."""


class FileScan(Survey):
    """A survey that also notes every record, for the files of one path.

    Args:
        path: The file: WARC, ARC or WACZ.
        options: What is wanted.

    """

    def __init__(self, path: Path, options: ScanOptions) -> None:
        """Open the file."""
        super().__init__([path])
        self._path, self._options = path, options
        for statement in CREATE.split(";")[:4]:  # a survey has the answers
            self._notes.execute(statement)

    def read(self) -> None:
        """Read the file once."""
        self._notes.executemany(
            "INSERT INTO unread VALUES(?, ?, ?, ?, ?)",
            [(str(self._path), *one) for one in self.unread],
        )
        for number, source in enumerate(self.sources):
            size, packed = source.file.seek(0, os.SEEK_END), 0
            for place, record in enumerate(foreign_records(source.file)):
                packed |= SHARED if record.offset < 0 or record.is_spread else 0
                packed |= ARC_FILE if record.form == ARC else 0
                if record.is_damaged:
                    unread = UnreadPart(
                        source.name, record.offset, record.unread, record.why or "it is damaged"
                    )
                    self._notes.execute(
                        "INSERT INTO unread VALUES(?, ?, ?, ?, ?)", (str(self._path), *unread)
                    )
                else:
                    self._place(record, number, place)
                    self._note(record, number)
            self._notes.execute(
                "INSERT INTO scanned VALUES(?, ?, ?, ?, ?)",
                (number, str(self._path), source.name, size, packed),
            )

    def _place(self, record: ForeignRecord, file: int, number: int) -> None:
        """Note a record."""
        fields = record.fields
        kind = fields.get("warc-type", "").lower()
        written = fields.get("warc-target-uri", "").strip("<> \t")
        found = WEB_URL.search(written)
        url, origin, spelling = place_of(written)
        others = [place_of(one) for name, one in record.repeated if name == "warc-target-uri"]
        others = [one for one in others if one[1] and one[0] != url]
        moments = moments_of(fields.get("warc-date", ""))
        capture = capture_of(record)
        is_file = capture is not None and found is not None and found[0] == written
        is_file = is_file and capture is not None and is_robots_txt(capture)
        said = None
        if url and kind in OF_PAGES and self._options.reads_pages and not is_file:
            said = self._said(record)
        listed = self._listed(record, found[0] if found else "", kind)
        refers = next((fields[name] for name in REFERS if fields.get(name)), "")
        self._notes.execute(
            INSERT,
            (
                file, number, record.offset, kind, url or written, spelling, origin,
                None if moments is None else instant(moments[1], "at"), fields.get("warc-date", ""),
                SAME.sub("", fields.get("warc-record-id", "")),
                fields.get("warc-payload-digest", ""), SAME.sub("", refers),
                normal(fields.get("warc-refers-to-target-uri", "")),
                fields.get("warc-refers-to-date", ""), is_file, said, *(listed or (None, None)),
                json.dumps(others) if others else "", "", "",
            ),
        )  # fmt: skip
        named = [*fields.items(), *record.repeated]
        self._notes.executemany(
            "INSERT INTO refs VALUES(?, ?, ?)",
            [(file, number, SAME.sub("", one)) for name, one in named if name in REFERS and one],
        )

    def _said(self, record: ForeignRecord) -> str | None:
        """Return what a page says of its uses, packed; `None` if it cannot be read."""
        capture = capture_of(record)
        response = None if capture is None else captured_response(record, capture)
        if capture is None or response is None or response.truncated:
            return None
        page = Page(
            capture.url,
            response.body,
            headers=response.headers,
            status=response.status,
            robot=self._options.robot,
            dialect=self._options.page_dialect,
        )
        return json.dumps(statements_of_page(page, capture.at).pack() or {})

    def _listed(self, record: ForeignRecord, url: str, kind: str) -> tuple[int, str] | None:
        """Return the entry of the takedown list that a record is on it by."""
        listed = self._options.takedown
        if listed is None:
            return None
        fields = record.fields
        stated = [fields.get(f"warc-{part}-digest", "") for part in ("payload", "block")]
        found = listed.entry_of(url, stated)
        if found is None and listed.algorithms and kind not in {"warcinfo", "request"}:
            return next(
                (one for part in contents_of(record) if (one := listed.entry_of_content(part))),
                None,
            )
        return found

    def save(self, path: Path) -> None:
        """Write the notes to a file."""
        self._notes.execute("COMMIT")
        self._notes.execute("VACUUM INTO ?", (str(path),))


def contents_of(record: ForeignRecord) -> Iterator[bytes]:
    """Yield what a digest of a record may be of: its block, its payload, and that decoded."""
    yield record.block
    end = END_OF_HEAD.search(record.block)
    if end is not None:
        yield record.block[end.end() :]
    capture = capture_of(record)
    response = None if capture is None else captured_response(record, capture)
    if response is not None:
        yield response.body
        if response.wire is not None:
            yield response.wire


def place_of(written: str) -> tuple[str, str, str]:
    """Return the URL in what a record says it is of, its origin and spelling; all may be empty."""
    found = WEB_URL.search(written.strip("<> \t"))
    if found is not None:
        try:
            origin, url = address_of(found[0])
        except NoOriginError:
            pass
        else:
            return url, origin, spelling_of(found[0])
    return "", "", ""


def normal(url: str) -> str:
    """Return a URL in its normal form; as it is if it has none."""
    try:
        return address_of(url.strip("<> \t"))[1]
    except NoOriginError:
        return url


def scan_files(
    paths: Sequence[Path], options: ScanOptions, folder: Path, workers: int | None = None
) -> sqlite3.Connection:
    """Scan files, several at a time; return a database with the rows of all of them.

    Args:
        paths: The files.
        options: What is wanted of each record.
        folder: A folder for the database.
        workers: How many processes read; by default one a core.

    Raises:
        MisuseError: A file is a ZIP file, but no WACZ.
        OSError: A file cannot be read.

    """
    scan = sqlite3.connect(folder / "scan.db", isolation_level=None, check_same_thread=False)
    scan.executescript(f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; {CREATE}")
    tasks = [(str(path), str(folder / f"file-{place}.db")) for place, path in enumerate(paths)]
    count = min(workers or os.cpu_count() or 1, len(tasks))
    work = partial(scan_one, options)
    if count <= 1:
        for path, target in tasks:
            work(path, target)
            merge(scan, Path(target))
    else:
        with ProcessPoolExecutor(count, get_context("spawn")) as pool:
            done = [pool.submit(work, *task) for task in tasks]
            for future, (_, target) in zip(done, tasks, strict=True):
                future.result()
                merge(scan, Path(target))
    scan.executescript(
        "CREATE INDEX by_name ON records(name); CREATE INDEX by_file ON records(file, number);"
        "CREATE INDEX by_place ON records(url, date); CREATE INDEX by_digest ON records(digest);"
        "CREATE INDEX by_reference ON refs(name); CREATE INDEX of_record ON refs(file, number)"
    )
    return scan


def scan_one(options: ScanOptions, path: str, target: str) -> None:
    """Scan one file, and write the rows to another."""
    with closing(FileScan(Path(path), options)) as scan:
        scan.read()
        scan.save(Path(target))


def merge(scan: sqlite3.Connection, path: Path) -> None:
    """Add the rows of one file."""
    (files,) = scan.execute("SELECT count(*) FROM scanned").fetchone()
    names = [row[1] for row in scan.execute("PRAGMA table_info(records)")]
    chosen = ", ".join("file + ?" if name == "file" else name for name in names if name != "id")
    scan.execute("ATTACH ? AS part", (str(path),))
    scan.execute("BEGIN")
    scan.execute(
        "INSERT INTO scanned SELECT id + ?, path, name, bytes, packed FROM part.scanned", (files,)
    )
    scan.execute("INSERT INTO unread SELECT * FROM part.unread")
    scan.execute(
        f"INSERT INTO records SELECT NULL, {chosen} FROM part.records ORDER BY id",  # noqa: S608
        (files,),
    )
    scan.execute("INSERT INTO refs SELECT file + ?, number, name FROM part.refs", (files,))
    scan.execute("INSERT OR IGNORE INTO answers SELECT * FROM part.answers")
    scan.execute("COMMIT")
    scan.execute("DETACH part")
    path.unlink()


def statements(packed: str | None) -> PageStatements | None:
    """Return what a page says from its packed form; `None` if it was not read."""
    plain: dict[str, Any] | None = None if packed is None else json.loads(packed)
    return None if plain is None else unpack_statements(plain)
