"""Write a crawl as a WACZ file: what may be shown of its archive, with an index and its pages.

Scope: what goes into the file. `goodbot.crawl.archive.showable` decides which records may be shown
at a time, `package` writes the file, and `cdxj` its index. Nothing in the folder is changed.

Source: WACZ 1.1.1, https://specs.webrecorder.net/wacz/1.1.1/.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict
from datetime import datetime, timezone
from functools import partial
from itertools import islice
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO

import goodbot
from goodbot.crawl.archive.place import FolderPlace, WarcPlace, pieces_of
from goodbot.crawl.archive.reading import copied
from goodbot.crawl.archive.showable import ShowableFile, ShowableRecord, head_of, showable_files
from goodbot.crawl.archive.warc import written
from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.failing import records_of
from goodbot.crawl.index.reading import title_to_show
from goodbot.crawl.inventory.indexability import has_page
from goodbot.crawl.inventory.page_record import NOT_READ
from goodbot.crawl.inventory.reading import stored_facts
from goodbot.crawl.wacz.cdxj import CaptureIndex, capture_line
from goodbot.crawl.wacz.package import WaczPackage, digest_text
from goodbot.crawl.wacz.signing import PackageSigner
from goodbot.crawl.wacz.url_key import url_keys
from goodbot.errors import MisuseError, NotAStoreError
from goodbot.files.atomic_file import atomic_file
from goodbot.http.instants import instant, to_datetime
from goodbot.http.status import NOT_MODIFIED
from goodbot.lazy_dataclass import dataclass

__all__ = ["WaczSummary", "export_wacz", "write_wacz"]

ENDING = ".wacz"
PIECE = 1024 * 1024
BATCH = 1_000
"""How many pages are looked up together."""
IN_MEMORY = 8 * 1024 * 1024
"""How many bytes of the list of pages are held in memory."""

PAGE_TYPES = {"text/html", "application/xhtml+xml"}
"""The types of pages that a browser shows as such; the same as py-wacz detects."""

UNKNOWN = "unk"
"""The type of a response that states none, as indexes write it."""

NOT_INDEXED = {"metadata"}
"""The kinds of records that describe others; nobody looks them up by URL."""


@dataclass(frozen=True, slots=True)
class WaczSummary:
    """What was exported."""

    pages: int
    """The number of pages in the list of pages."""
    records: int
    """The number of records, without the first one of each file."""
    files: int
    """The number of WARC files."""
    bytes: int
    """The length of the WARC files."""
    omitted: int
    """The number of records that must not be shown any more."""
    without_copy: int
    """The number of pages that were fetched, and of which the archive has no copy: they forbid it,
    or have expired."""

    def as_dict(self) -> dict[str, int]:
        """Return plain values, for JSON."""
        return asdict(self)


class Totals:
    """The numbers of an export, counted while it is written."""

    def __init__(self) -> None:
        """Start at 0."""
        self.pages = self.records = self.files = self.bytes = self.omitted = 0
        self.first: dict[str, str] = {}
        """The page that comes first in the list."""

    def summary(self, without_copy: int) -> WaczSummary:
        """Return the numbers, with that of the pages of which there is no copy."""
        written_here = (self.pages, self.records, self.files, self.bytes, self.omitted)
        return WaczSummary(*written_here, without_copy)


@dataclass(frozen=True, slots=True)
class Export:
    """What all steps of an export use."""

    database: Database
    place: WarcPlace
    now: int
    index: CaptureIndex
    pages: Any
    """The list of pages so far: a temporary file."""
    totals: Totals


def export_wacz(
    database: Database,
    path: str | os.PathLike[str],
    now: datetime,
    *,
    title: str = "",
    description: str = "",
    signer: PackageSigner | None = None,
    clock: Callable[[], datetime] | None = None,
) -> WaczSummary:
    """Write a crawl to a WACZ file; if that fails, no partial file remains.

    Copies that have expired by then (`unavailable_after`) are omitted. What must not be kept is
    not in the archive of a crawl, and neither are pages that were removed or forgotten.

    Args:
        database: The database of the crawl, as opened by `open_readonly`.
        path: The file to write; its name must end in `.wacz`.
        now: The current time; an aware `datetime`.
        title: The title of the collection.
        description: What the collection is, as Markdown.
        signer: What signs the file, such as `goodbot.crawl.wacz.signing.KeySigner`.
        clock: Returns the time at which the file is complete; see `write_wacz`.

    Returns:
        What was exported.

    Raises:
        FetchError: An authority for time stamps does not answer.
        MisuseError: The name of the file has another ending.
        NotAStoreError: The archive is damaged, or has nothing that may be shown.
        StoreFullError: The disk is full.
        StoreError: A file cannot be read or written.

    """
    if not os.fspath(path).lower().endswith(ENDING):
        message = f"a WACZ file must end in {ENDING}; name it {os.fspath(path)}{ENDING}"
        raise MisuseError(message)
    with atomic_file(path) as file:
        return write_wacz(
            database,
            file,
            now,
            title=title,
            description=description,
            signer=signer,
            clock=clock,
        )


def write_wacz(
    database: Database,
    file: BinaryIO,
    now: datetime,
    *,
    title: str = "",
    description: str = "",
    streamed: bool = False,
    place: WarcPlace | None = None,
    signer: PackageSigner | None = None,
    clock: Callable[[], datetime] | None = None,
) -> WaczSummary:
    """Write a crawl as WACZ to an open file or a pipe.

    Args:
        database: The database of the crawl, as opened by `open_readonly`.
        file: Where to write.
        now: The current time; an aware `datetime`.
        title: The title of the collection.
        description: What the collection is, as Markdown.
        streamed: Whether `file` is a pipe or another stream that is only written forward.
        place: Where the WARC files are; `None` for the folder of the crawl.
        signer: What signs the file; `None` for a file without a signature.
        clock: Returns the time at which the file is complete; `None` for `now`. A time stamp must
            not be more than ten minutes later than that, and a large file takes longer.

    Returns:
        What was exported.

    Raises:
        NotAStoreError: The archive is damaged, or has nothing that may be shown.
        OSError: The file cannot be written.
        StoreError: A file of the archive cannot be read.

    """
    place = FolderPlace(database.folder) if place is None else place
    with (
        WaczPackage(file, now, streamed=streamed) as package,
        closing(CaptureIndex()) as index,
        SpooledTemporaryFile(IN_MEMORY) as pages,
    ):
        export = Export(database, place, instant(now, "now"), index, pages, Totals())
        for found in showable_files(database, export.now, place):
            export.totals.omitted += found.omitted
            if found.records:
                write_file(export, package, found)
        if not export.totals.files:
            message = f"{nothing_to_show(export.totals)}: crawl first, or name another folder"
            raise NotAStoreError(message)
        write_index(export, package)
        write_pages(export, package)
        totals = export.totals
        created = now if clock is None else clock()
        facts = described(totals, created, title, description)
        sign = None if signer is None else partial(signer.sign, created=facts["created"])
        package.finish(facts, sign)
    return totals.summary(pages_without_copy(database))


def pages_without_copy(database: Database) -> int:
    """Count the pages that were read, and of which the archive has no copy."""
    pages = (one.url_id for one in stored_facts(database) if one.record.indexable is not None)
    count = 0
    while batch := list(islice(pages, BATCH)):
        read = {
            record.url_id
            for record in records_of(database, batch)
            if has_page(record.status) and record.reason != NOT_READ
        }
        count += len(read - copied(database, read))
    return count


def nothing_to_show(totals: Totals) -> str:
    """Return why a crawl has nothing to export."""
    if totals.omitted:
        return "every copy in the archive has expired (unavailable_after)"
    return "the archive is empty"


def write_file(export: Export, package: WaczPackage, found: ShowableFile) -> None:
    """Write one WARC file: its first record, and those that may be shown."""
    totals, name = export.totals, member_name(found.name)
    with package.member(f"archive/{name}", size=found.bytes) as member:
        for piece in pieces_of(export.place, found.name, [(0, found.beginning)], PIECE):
            member.write(piece)
        for record in found.each(export.database, export.now):
            offset, digest, beginning = member.bytes, hashlib.sha256(), b""
            ranges = [(record.offset, record.length)]
            for piece in pieces_of(export.place, found.name, ranges, PIECE):
                beginning = beginning or piece
                digest.update(piece)
                member.write(piece)
            add_record(export, found.name, record, offset, digest.digest(), beginning)
    totals.files += 1
    totals.records += found.records
    totals.bytes += member.bytes


def member_name(file: str) -> str:
    """Return the name of a WARC file in `archive`, which has no folders.

    >>> member_name("part-1/pages-00001.warc.gz")
    'part-1-pages-00001.warc.gz'
    """
    return file.replace("/", "-")


def add_record(
    export: Export, file: str, record: ShowableRecord, offset: int, digest: bytes, beginning: bytes
) -> None:
    """Add a record to the index, and to the pages if it is one.

    Raises:
        NotAStoreError: The record at its place is another one.

    """
    head = head_of(beginning, f"{export.place.describe(file)}, byte {record.offset:,}")
    if head.record != record.name:
        message = (
            f"{export.place.describe(file)} has another record at byte {record.offset:,}; restore "
            "the folder from a backup"
        )
        raise NotAStoreError(message)
    # pywb would replay a 304 as one, without the page that it confirms.
    if record.kind in NOT_INDEXED or head.status == NOT_MODIFIED:
        return
    kind = head.content_type.partition(";")[0].strip().lower() or UNKNOWN
    is_again = record.kind == "revisit"
    facts = {"url": record.url, "mime": "warc/revisit" if is_again else kind}
    if head.status is not None:
        facts["status"] = str(head.status)
    facts |= {
        "digest": written(record.digest),
        "length": str(record.length),
        "offset": str(offset),
        "recordDigest": digest_text(digest),
        "filename": member_name(file),
    }
    for key in url_keys(record.url):
        export.index.add(capture_line(key, record.at, facts))
    if record.url_id and not is_again:
        add_page(export, record, kind)


def add_page(export: Export, record: ShowableRecord, kind: str) -> None:
    """Add a document to the list if it is a page, with its title where it may be indexed."""
    title = title_to_show(export.database, record.url_id, export.now)
    if not (kind in PAGE_TYPES or (kind == UNKNOWN and title)):
        return
    time = to_datetime(record.at)
    page = {
        "id": record.record.hex(),
        "url": record.url,
        "ts": "" if time is None else rfc3339(time),
    }
    if title:
        page["title"] = title
    export.totals.pages += 1
    export.totals.first = export.totals.first or page
    export.pages.write(json.dumps(page).encode() + b"\n")


def write_index(export: Export, package: WaczPackage) -> None:
    """Write the index of all captures."""
    with package.member("indexes/index.cdx.gz", size=export.index.bytes) as member:
        blocks = export.index.write(member)
    with package.member("indexes/index.idx", deflated=True) as member:
        member.write(blocks)


def write_pages(export: Export, package: WaczPackage) -> None:
    """Write the list of pages."""
    size = export.pages.tell()
    export.pages.seek(0)
    first = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}
    with package.member("pages/pages.jsonl", size=size, deflated=True) as member:
        member.write(json.dumps(first).encode() + b"\n")
        for piece in pieces(export.pages):
            member.write(piece)


def pieces(file: Any) -> Iterator[bytes]:  # noqa: ANN401  a temporary file
    """Yield the rest of a file."""
    while piece := file.read(PIECE):
        yield piece


def described(totals: Totals, now: datetime, title: str, description: str) -> dict[str, str]:
    """Return what the list of members says of the whole."""
    facts = {
        "title": title,
        "description": description,
        "created": rfc3339(now),
        "modified": rfc3339(now),
        "software": f"goodbot/{goodbot.__version__}",
        "mainPageUrl": totals.first.get("url", ""),
        "mainPageDate": totals.first.get("ts", ""),
    }
    return {name: value for name, value in facts.items() if value}


def rfc3339(time: datetime) -> str:
    """Return a time in UTC, to the second, as RFC 3339 writes it."""
    whole = time.astimezone(timezone.utc).replace(microsecond=0, tzinfo=None)
    return f"{whole.isoformat()}Z"
