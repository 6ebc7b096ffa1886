"""Gathering: an ordinary crawl folder of what a fleet has in object storage.

Scope: which segments are read, in which order, and what else the folder needs: the states of the
URLs from the queue, robots.txt over time and the decisions of the operator from the store. The
index is built here.
"""

import gzip
import hashlib
import os
import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from zlib import error as ZlibError  # noqa: N812  an exception

from goodbot.crawl.archive.warc_archive import WarcArchive
from goodbot.crawl.evidence.reading import request_totals
from goodbot.crawl.fleet.fleet import Fleet
from goodbot.crawl.fleet.object_storage import ObjectStorage
from goodbot.crawl.fleet.segments import Segment, SegmentFile
from goodbot.crawl.folder.database import FILE, GATHERED_FROM, MADE_WITH, Database
from goodbot.crawl.folder.lock import FolderLock
from goodbot.crawl.folder.orders import Order
from goodbot.crawl.folder.segment_rows import ChosenVisits, bring_in, order_requests
from goodbot.crawl.frontier.postgres_copy import copy_known, copy_queue
from goodbot.crawl.frontier.sqlite import SQLiteFrontier
from goodbot.crawl.index.sqlite import SQLiteIndex
from goodbot.crawl.run.ordering import lone_operator
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.display import short_repr
from goodbot.errors import MisuseError, NotAStoreError
from goodbot.http.instants import instant
from goodbot.knowledge import with_stamp
from goodbot.lazy_dataclass import dataclass
from goodbot.store import PostgresStore

__all__ = ["GatherSummary", "gather"]

LARGEST = 4 * 1024 * 1024 * 1024
"""The most bytes of the database of a segment, which is some MiB."""
PIECE = 1024 * 1024
ENTRIES = 1_000
"""How many entries of the index are made in one change."""


@dataclass(frozen=True, slots=True, repr=False)
class GatherSummary:
    """What was gathered."""

    segments: int
    visits: int
    records: int
    """The records of the archive."""
    urls: int

    __repr__ = short_repr

    def as_dict(self) -> dict[str, int]:
        """Return plain values, for JSON."""
        return asdict(self)


def gather(
    fleet: Fleet,
    folder: str | os.PathLike[str],
    *,
    origins: Collection[str] | None = None,
    since: datetime | None = None,
    before: datetime | None = None,
) -> GatherSummary:
    """Make a crawl folder of what a fleet has published; workers may go on meanwhile.

    Args:
        fleet: The fleet, whose results go to object storage.
        folder: The folder, which must not exist yet or be empty.
        origins: Only visits to these origins; `None` for all.
        since: Only visits at this time or later.
        before: Only visits before this time.

    Raises:
        MisuseError: The results of the fleet are in the folders of its workers, or the folder is
            not empty.
        MissingExtraError: obstore or warcio is not installed.
        NotAStoreError: An object is missing or damaged.
        StoreError: The database, the object storage or the folder cannot be read or written.

    """
    root, orders = Path(folder), fleet.publishing_orders()
    if root.exists() and any(root.iterdir()):
        message = f"{root} is not empty; name a folder that does not exist yet"
        raise MisuseError(message)
    storage = ObjectStorage(orders.objects)
    segments = fleet.manifest.find(origins, since, before)
    wanted = ChosenVisits(
        None if origins is None else frozenset(origins),
        None if since is None else instant(since, "since"),
        None if before is None else instant(before, "before"),
    )
    store = PostgresStore(fleet.url)
    try:
        root.mkdir(parents=True, exist_ok=True)
        with emptied_on_error(root), FolderLock(root), Database(root, create=True) as database:
            began = state_settings(database, orders.settings, segments, fleet.name)
            visits = sum(bring(database, storage, one, wanted) for one in segments)
            with database.changing() as connection:
                order_requests(connection)
            if since is None and before is None:
                copy_queue(fleet.server, database, origins, orders.group_of)
            copy_known(fleet.server, database, orders.group_of)
            for total in request_totals(database):
                with database.changing():
                    for seen in store.history(total.origin):
                        database.store.put(total.origin, seen.record, seen.first)
                        database.store.put(total.origin, seen.record, seen.last)
            records = take_in(database, storage, segments, orders.settings)
            build_index(database, began)
            urls = sum(SQLiteFrontier(database, began).how_many().values())
        obey(root, store)
    finally:
        store.close()
    return GatherSummary(len(segments), visits, records, urls)


@contextmanager
def emptied_on_error(folder: Path) -> Iterator[None]:
    """Remove what was written so far if gathering fails, so that it can be tried again."""
    try:
        yield
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def state_settings(
    database: Database, settings: CrawlSettings, segments: Collection[Segment], fleet: str
) -> datetime:
    """Write the settings of the fleet; return when its first segment was settled."""
    times = [one.first for one in segments if one.first is not None]
    now = datetime.now().astimezone()
    began = min(times, default=now)
    settings.write(database)
    database.write_settings(
        {
            "started": began.isoformat(),
            "latest_run": began.isoformat(),
            MADE_WITH: with_stamp(""),
            GATHERED_FROM: fleet,
        }
    )
    return began


def bring(
    database: Database, storage: ObjectStorage, segment: Segment, wanted: ChosenVisits
) -> int:
    """Add the rows of one segment; return how many URLs were visited."""
    with tempfile.TemporaryDirectory(prefix="goodbot-gather-") as place:
        for file in segment.files:
            if file.kind == "folder":
                packed = read_whole(storage, segment, file)
                Path(place, FILE).write_bytes(unpacked(packed, f"{segment.name}/{file.name}"))
                at = Path(place)
                return len(bring_in(database, at, wanted, segment.name, segment.worker))
    message = f"the segment {segment.name} has no rows; restore it, or gather other times"
    raise NotAStoreError(message)


def read_whole(storage: ObjectStorage, segment: Segment, file: SegmentFile) -> bytes:
    """Return a file of a segment, checked.

    Raises:
        NotAStoreError: It is missing, or not the one that was written.

    """
    name = f"{segment.name}/{file.name}"
    content = storage.read(name)
    if hashlib.sha256(content).hexdigest() != file.sha256:
        message = f"{storage.url}/{name} is not what the fleet wrote; restore it"
        raise NotAStoreError(message)
    return content


def unpacked(packed: bytes, name: str) -> bytes:
    """Return the content of a compressed database, of limited size."""
    try:
        with gzip.GzipFile(fileobj=BytesIO(packed)) as file:
            content = file.read(LARGEST + 1)
    except (OSError, EOFError, ZlibError) as error:
        message = f"{name} is damaged ({error}); restore it"
        raise NotAStoreError(message) from error
    if len(content) > LARGEST:
        message = f"{name} is larger than any segment of goodbot; restore it"
        raise NotAStoreError(message)
    return content


def take_in(
    database: Database,
    storage: ObjectStorage,
    segments: Collection[Segment],
    settings: CrawlSettings,
) -> int:
    """Copy the records of the archive; return how many."""
    files = {f"{one.name}/{file.name}": (one, file) for one in segments for file in one.files}
    count = 0
    with WarcArchive(database, user_agent=settings.identity.user_agent) as archive:
        for name in archive.waiting():
            if name not in files:
                message = f"the manifest does not name {storage.url}/{name}; restore the database"
                raise NotAStoreError(message)
            count += archive.take_in(name, read_whole(storage, *files[name]))
    return count


def build_index(database: Database, now: datetime) -> None:
    """Remove pages for which another one stands that is in the index, and enter all others."""
    index, frontier = SQLiteIndex(database), SQLiteFrontier(database, now)
    for url_id in index.among(frontier.leading()):
        end = frontier.end_of(url_id, 0)
        if end != url_id and end in index:
            index.remove(url_id)
    while index.refresh(ENTRIES):
        pass


def obey(folder: Path, store: Any) -> None:  # noqa: ANN401  a store with decisions
    """Carry out the decisions of the operator of the fleet."""
    holds = store.holds()
    if not holds:
        return
    with lone_operator(folder) as operator:
        for hold in holds:
            order = Order(hold.kind, hold.scope, hold.at, hold.why, hold.by)
            operator.carry_out(order, hold.at)
