"""Helpers for the tests of the archive: answers, crawls that keep them, and another WARC reader."""

import gzip
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecordType
from typing_extensions import Self

from goodbot import Page
from goodbot.crawl.archive.copies import copy_to_keep, partial_copy
from goodbot.crawl.archive.warc_archive import WarcArchive
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.records import Kept
from goodbot.http.instants import instant
from goodbot.net import HeaderFields, Response

NOON = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
HTML = (("Content-Type", "text/html; charset=utf-8"),)
PROFILE = '<head profile="http://example.org/xmdp/robots-profile#"><title>a</title></head>'
PARTS = f"<html>{PROFILE}<body><p>open <b class=robots-noarchive>hidden</b> end</p></body></html>"
LAMP = "https://shop.example/lamp"


class Read(NamedTuple):
    """A record as another WARC reader sees it."""

    kind: str
    fields: dict[str, str]
    status: int | None
    headers: list[tuple[str, str]]
    payload: bytes


def answer(
    body: bytes | str,
    url: str = LAMP,
    *,
    headers: HeaderFields = HTML,
    **changed: Any,  # noqa: ANN401
) -> Response:
    """Return a response."""
    content = body.encode() if isinstance(body, str) else body
    given = {"status": 200, "started": NOON, "http_version": "1.1", **changed}
    given.setdefault("ended", given["started"])
    return Response(url=url, headers=tuple(headers), body=content, **given)


def page_of(response: Response) -> Page:
    """Read a response as a crawl does."""
    return Page(response.url, response.body, headers=response.headers, status=response.status)


class Crawl:
    """A crawl of which only the archive runs."""

    def __init__(self, folder: Path, **options: Any) -> None:  # noqa: ANN401
        """Open the crawl; create it if there is none."""
        self.database = Database(folder, create=True)
        newest = "SELECT coalesce(max(visit), 0) FROM kept"
        (self.visits,) = self.database.connection.execute(newest).fetchone()
        try:
            self.archive = WarcArchive(self.database, **options)
        except BaseException:
            self.database.close()
            raise

    def __enter__(self) -> Self:
        """Return the crawl itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        self.archive.close()
        self.database.close()

    def number(self, url: str) -> int:
        """Return the number of a URL, adding the URL if it is new."""
        insert = (
            "INSERT OR IGNORE INTO urls(url, origin, depth, hops, how, state) "
            "VALUES(?, 1, 0, 0, 'start', 'done')"
        )
        with self.database.changing() as connection:
            connection.execute("INSERT OR IGNORE INTO origins VALUES(1, 'https://shop.example')")
            connection.execute(insert, (url,))
            row = connection.execute("SELECT id FROM urls WHERE url = ?", (url,)).fetchone()
        return int(row[0])

    def keep(self, response: Response, at: datetime | None = None) -> list[Kept]:
        """Keep a response."""
        number, page = self.number(response.url), page_of(response)
        time = at or response.started
        copy = copy_to_keep(response.url, response, page, time, copy=partial_copy(page))
        self.visits += 1
        if copy == "forget":
            self.archive.forget(number, self.visits)
        if copy is None or copy == "forget":
            return []
        return self.archive.keep(number, copy, self.visits)

    def rows(self) -> list[tuple[str, int, str]]:
        """Return the kind, URL and address of each row."""
        return self.database.connection.execute(
            "SELECT kind, url, address FROM kept ORDER BY id"
        ).fetchall()


def warc_files(folder: Path) -> list[Path]:
    """Return the WARC files, in order."""
    return sorted(folder.glob("*.warc.gz*"))


def records(path: Path) -> Iterator[Read]:
    """Read every record with another WARC reader, and check the digests."""
    with path.open("rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.any_type, parse_http=False):
            fields = {name.lower(): value for name, value in record.headers}
            assert record.verify_block_digest()
            status, headers = None, []
            if record.is_http:
                record.parse_http(auto_decode="none")
                assert record.http_headers is not None
                status = record.http_headers.status_code
                headers = list(record.http_headers)
                if fields["warc-type"] == "response":
                    assert record.verify_payload_digest()
            payload = record.reader.read()
            yield Read(fields["warc-type"], fields, status, headers, payload)


def all_records(folder: Path) -> list[Read]:
    """Read every record of every file."""
    return [record for path in warc_files(folder) for record in records(path)]


def everything(folder: Path) -> bytes:
    """Return the whole content of the files, decompressed."""
    return b"".join(gzip.decompress(path.read_bytes()) for path in warc_files(folder))


def later(**time: float) -> datetime:
    """Return a time after noon."""
    return NOON + timedelta(**time)


def microseconds(time: datetime) -> int:
    """Return a time as the tables store it."""
    return instant(time, "time")
