"""The segments of a worker: cut out of its folder, put into object storage, and settled.

Scope: the order of the steps, and what a crash leaves.

1. **Cut.** What was recorded since the last segment is copied into a folder of its own below
   `segments`, and removed from the folder of the worker, which goes on.
2. **Put.** The segment is announced in the manifest, and its files are put into object storage
   under a name that was never used before.
3. **Settle.** One transaction of PostgreSQL settles the URLs and names the segment. Then its folder
   is removed.

A process that ends before step 3 leaves a folder, or rows in the folder of the worker. The next
worker in the same folder publishes that its visits took place, but not what they found: the URLs
are visited again. What was put is garbage.
"""

import gzip
import hashlib
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from goodbot.crawl.archive.place import store_error as file_error
from goodbot.crawl.archive.warc_archive import WarcArchive
from goodbot.crawl.fleet.manifest import Manifest, SweptSegment
from goodbot.crawl.fleet.object_storage import ObjectStorage
from goodbot.crawl.fleet.segment_parts import SegmentArchive
from goodbot.crawl.fleet.segment_tables import tables_of
from goodbot.crawl.fleet.segments import FileKind, SegmentFile, SegmentSummary
from goodbot.crawl.folder.database import FILE, MADE_WITH, Database
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.crawl.folder.own_files import WARC_NAME
from goodbot.crawl.folder.records import QueuedUrl
from goodbot.crawl.folder.segment_rows import (
    CUT,
    clear,
    copy_rows,
    drop_results,
    has_results,
    summarize,
)
from goodbot.crawl.frontier.postgres import PostgresFrontier, UnheldUrls
from goodbot.crawl.frontier.protocol import Outcome
from goodbot.errors import StoreUnavailableError
from goodbot.lazy_dataclass import dataclass
from goodbot.store.failures import store_error

__all__ = ["SegmentLimits", "SegmentPublisher"]

SEGMENTS = "segments"
"""The folder below that of the worker with segments that are not settled yet."""
NAMES = "names"
"""The file with the names under which a segment was announced."""
DATABASE_FILE = f"{FILE}.gz"
MOST_ATTEMPTS = 5
"""How often a segment is written again, because URLs lost their leases or it took too long."""


@dataclass(frozen=True, slots=True)
class SegmentLimits:
    """When a segment ends."""

    seconds: float = 60.0
    """The most seconds from its first outcome on."""
    urls: int = 5_000
    """The most URLs."""
    bytes: int = 64 * 1024 * 1024
    """From how many bytes of the archive on."""


@dataclass
class CutSegment:
    """A segment on this machine."""

    folder: Path
    settled: list[tuple[QueuedUrl, Outcome, datetime]]
    name: str = ""
    """Its name in object storage."""
    files: list[SegmentFile] = field(default_factory=list)
    summary: SegmentSummary = field(default_factory=SegmentSummary)


class SegmentPublisher:
    """Publishes what a worker records; see `goodbot.crawl.run.publishing.Publisher`.

    Args:
        manifest: The manifest of the fleet.
        storage: Its object storage.
        frontier: The queue of the worker.
        worker: The name of the worker, for people.
        now: Returns the time, an aware `datetime`.
        limits: When a segment ends.
        steady: Returns seconds that pass at all times.

    """

    def __init__(
        self,
        manifest: Manifest,
        storage: ObjectStorage,
        frontier: PostgresFrontier,
        *,
        worker: str,
        now: Callable[[], datetime],
        limits: SegmentLimits,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start without a folder."""
        self._manifest, self._storage, self._frontier = manifest, storage, frontier
        self._worker, self._now, self._limits, self._steady = worker, now, limits, steady
        self._settled: list[tuple[QueuedUrl, Outcome, datetime]] = []
        self._since = 0.0
        self._database: Database | None = None
        self._archive: SegmentArchive | None = None

    def open(self, database: Database, archive: SegmentArchive) -> None:
        """Use a folder, and publish what an earlier process left in it.

        Raises:
            StoreError: It cannot be published.

        """
        self._database, self._archive = database, archive
        self._settled.clear()
        last = database.setting(CUT)
        for folder in sorted(self._segments().glob("*")):
            if folder.name == last:
                self._publish_left(CutSegment(folder, []))
            shutil.rmtree(folder, ignore_errors=True)  # one that was never cut is still here
        left = self.cut()
        if left is not None:
            self._publish_left(left)
            shutil.rmtree(left.folder, ignore_errors=True)

    def _segments(self) -> Path:
        assert self._database is not None  # noqa: S101  `open` comes first
        return self._database.folder / SEGMENTS

    def _publish_left(self, left: CutSegment) -> None:
        """Publish that visits took place whose URLs this process does not hold."""
        names = left.folder / NAMES
        for name in names.read_text("utf-8").split() if names.exists() else ():
            if self._manifest.is_settled(name):
                return
            self._manifest.withdraw(name)
        drop(left.folder, None)
        self.put(left)
        self.settle(left)

    # The steps; see `Publisher`.

    def gather(self, settled: Sequence[tuple[QueuedUrl, Outcome, datetime]]) -> None:
        """Note outcomes for the next segment, and go on with their sites."""
        if not self._settled:
            self._since = self._steady()
        self._settled += settled
        self._frontier.gathered([one for one, _, _ in settled])

    def is_due(self) -> bool:
        """Return whether the segment is to end."""
        limits, size = self._limits, 0 if self._archive is None else self._archive.added
        is_full = len(self._settled) >= limits.urls or size >= limits.bytes
        is_old = self._steady() - self._since >= limits.seconds
        return is_full or (bool(self._settled) and (is_old or self._frontier.is_promising))

    def is_resting(self) -> bool:
        """Return whether nothing is left to do but to publish."""
        return bool(self._settled) and self._frontier.is_resting

    def cut(self) -> CutSegment | None:
        """Cut a segment out of the folder; `None` if there is nothing."""
        database, archive = self._database, self._archive
        assert database is not None  # noqa: S101  `open` comes first
        assert archive is not None  # noqa: S101
        database.commit()
        if not has_results(database) and not self._settled:
            return None
        segment = CutSegment(self._segments() / uuid4().hex, self._settled)
        archive.close()
        with using_disk(segment.folder):
            segment.folder.mkdir(parents=True)
            copy_rows(database.folder, segment.folder, archive.removals)
            files = [one for one in database.folder.iterdir() if WARC_NAME.fullmatch(one.name)]
            for file in files:
                link_or_copy(file, segment.folder / file.name)
        # From here on the segment counts, and before it the folder.
        clear(database, segment.folder.name)
        database.commit()
        with using_disk(database.folder):
            for file in files:
                file.unlink()
        archive.removals.clear()
        archive.added = 0
        self._settled = []
        return segment

    def put(self, segment: CutSegment) -> None:
        """Put a segment into object storage, under a new name."""
        with using_disk(segment.folder):
            self._put_all(segment)

    def _put_all(self, segment: CutSegment) -> None:
        """Put a segment into object storage."""
        now = self._now()
        name = f"{now:%Y-%m-%d}/{uuid4().hex}"
        with (segment.folder / NAMES).open("a", encoding="utf-8") as names:
            names.write(f"{name}\n")
        segment.name, segment.files = name, []
        with open_readonly(segment.folder) as database:
            segment.summary = SegmentSummary(*summarize(database))
            self._manifest.announce(name, self._worker, database.setting(MADE_WITH))
            for file in sorted(segment.folder.iterdir()):
                if WARC_NAME.fullmatch(file.name):
                    self._put(segment, file.name, "archive", file.read_bytes(), None)
            for kind, content, rows in tables_of(database, self._worker, now):
                self._put(segment, f"{kind}.parquet", kind, content, rows)
        packed = gzip.compress((segment.folder / FILE).read_bytes(), 6, mtime=0)
        self._put(segment, DATABASE_FILE, "folder", packed, None)

    def _put(
        self, segment: CutSegment, file: str, kind: FileKind, content: bytes, rows: int | None
    ) -> None:
        """Put a file of a segment."""
        self._storage.put_new(f"{segment.name}/{file}", content)
        digest = hashlib.sha256(content).hexdigest()
        segment.files.append(SegmentFile(file, kind, len(content), rows, digest))

    def settle(self, segment: CutSegment) -> None:
        """Settle the URLs of a segment and name it; without what URLs brought that are not held."""
        for _ in range(MOST_ATTEMPTS):
            try:
                if segment.settled:
                    self._frontier.settle_all(
                        segment.settled,
                        lambda one: self._manifest.settle(
                            one, segment.name, segment.summary, segment.files
                        ),
                    )
                else:
                    self._manifest.name(segment.name, segment.summary, segment.files)
            except UnheldUrls as unheld:
                gone = [one for one, _, _ in segment.settled if one.id in unheld.url_ids]
                self._frontier.release(gone)
                segment.settled = [one for one in segment.settled if one[0] not in gone]
                drop(segment.folder, unheld.url_ids)
            except SweptSegment:
                pass
            else:
                shutil.rmtree(segment.folder, ignore_errors=True)
                return
            self._manifest.withdraw(segment.name)
            self.put(segment)
        message = (
            f"the segment in {segment.folder} could not be settled in {MOST_ATTEMPTS} attempts; "
            "run the worker again, which publishes its evidence"
        )
        raise StoreUnavailableError(message)


def drop(folder: Path, url_ids: frozenset[int] | None) -> None:
    """Remove what visits found from a segment, also from its archive."""
    with Database(folder) as database:
        drop_results(database, url_ids)
        with WarcArchive(database) as archive:
            archive.compact()


@contextmanager
def using_disk(folder: Path) -> Iterator[None]:
    """Turn errors of the disk into those of a store.

    Raises:
        StoreFullError: The disk is full.
        StoreError: A file cannot be read or written.

    """
    try:
        yield
    except sqlite3.Error as error:
        raise store_error(error, str(folder)) from error
    except OSError as error:
        raise file_error(error, folder) from error


def link_or_copy(file: Path, to: Path) -> None:
    """Link a file to a second name; copy it where the file system has no such names."""
    with suppress(OSError, NotImplementedError):
        os.link(file, to)
        return
    shutil.copyfile(file, to)
