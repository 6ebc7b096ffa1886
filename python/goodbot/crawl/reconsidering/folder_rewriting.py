"""The folder of a crawl without pages that go: a new one beside it, or the old one itself.

Scope: carrying out what `folder_report` found. A page that goes leaves the index, the archive and
the links, and its texts the inventory, whose row says that it was removed; the evidence stays, and
gets a row `removed` with the statement. What was removed is not left in free pages of the database,
nor in the full-text index.

A new folder has its name once it is whole. In the old one, the rows change in one transaction; then
the files of the archive are rewritten one by one, each in one transaction, and then the database.
So a process may be killed at any moment: each file is the old one or the new one, nothing that goes
is shown, and the next run removes what is left.
"""

import os
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from goodbot.crawl.archive.place import FolderPlace, pieces_of
from goodbot.crawl.archive.warc_archive import WarcArchive
from goodbot.crawl.archive.warc_files import recorded_files
from goodbot.crawl.evidence import rows
from goodbot.crawl.folder.database import FILE, NOT_BEGUN, Database
from goodbot.crawl.folder.lock import FolderLock
from goodbot.crawl.folder.open_readonly import folders_of, reading_rows
from goodbot.crawl.folder.own_files import open_own
from goodbot.crawl.folder.readonly_database import ReadOnlyDatabase
from goodbot.crawl.index.sqlite import MERGE_WORDS
from goodbot.crawl.reconsidering.holdings import GoingPage
from goodbot.crawl.reconsidering.removal_log import RemovalLog, RemovedThing
from goodbot.crawl.run.recorder import Recorder
from goodbot.crawl.run.settings import CrawlSettings
from goodbot.errors import NoCrawlError, StoreUnavailableError
from goodbot.files.filesystem import HERE
from goodbot.files.overwriting import refuse_existing
from goodbot.files.temporary_folders import temporary_folder
from goodbot.http.instants import written
from goodbot.reconsidering import Reconsidered

__all__ = ["LOG_NAME", "RewrittenFolder", "remove_in_place", "write_folder"]

LOG_NAME = "removed.jsonl"
"""The name of the log in a new folder."""
PIECE = 1024 * 1024
REASON = "reconsidered"
"""The reason of a row `removed`."""
ENTRIES = 1_000
"""How many entries of the index are updated at once."""
PREFIX = ".goodbot-reconsidered-"
PURGE = (*MERGE_WORDS, "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)")


@dataclass(slots=True)
class RewrittenFolder:
    """What was removed."""

    pages: int = 0
    """The number of pages of which every copy is gone."""
    from_index: int = 0
    """The number of pages that are only out of the index."""
    bytes_removed: int = 0
    """How many bytes the files of the archive have less."""
    log: str = ""
    """The log; empty if nothing was removed."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self)


def write_folder(
    root: Path, new: Path, going: Sequence[GoingPage], log: RemovalLog | None, now: datetime,
    robot: str,
) -> RewrittenFolder:  # fmt: skip
    """Write a folder without the pages that go.

    Args:
        root: The folder of the crawl.
        new: The folder to write, which must not exist.
        going: The pages that go.
        log: The log; `None` for one in the new folder.
        now: The time, an aware `datetime`.
        robot: The robot that was asked about.

    Raises:
        MisuseError: There is something under the new name.
        StoreBusyError: The crawl is running.
        StoreError: A file cannot be read or written; there is no new folder.

    """
    refuse_existing(new, "folder")
    new.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(new.parent, PREFIX) as working:
        made = working / "crawl"
        parts = copied_parts(root, made)
        own = RemovalLog(made / LOG_NAME, now, robot) if log is None else log
        moved = [one_in(one, parts[one.folder]) for one in going]
        done = remove_pages(moved, [*parts.values()], own, now)
        if done.log and log is None:
            done.log = str(new / LOG_NAME)
        with suppress(OSError):
            new.rmdir()  # an empty one
        try:
            HERE.replace(made, new)
        except OSError as error:
            message = f"{new} cannot be written ({error.strerror}); name another folder"
            raise StoreUnavailableError(message) from error
        HERE.sync_folder(new.parent)
    return done


def one_in(page: GoingPage, folder: Path) -> GoingPage:
    """Return a page as one of another folder."""
    return GoingPage(folder, page.url_id, page.row, page.only_index)


def copied_parts(root: Path, made: Path) -> dict[Path, Path]:
    """Copy a crawl, with the parts of all its processes; return the copy of each part."""
    parts = [one for one in folders_of(root) if (one / FILE).exists()]
    found = {part: made / part.relative_to(root) for part in parts}
    for part in dict.fromkeys([root, *parts]):
        copy_part(part, made / part.relative_to(root))
    return found


def copy_part(part: Path, made: Path) -> None:
    """Copy the database of a folder as it is at one moment, and its archive.

    Raises:
        StoreBusyError: The crawl is running.
        StoreUnavailableError: A file cannot be read or written.

    """
    made.mkdir(parents=True)
    locked = [FolderLock(part)] if os.access(part, os.W_OK) else []
    try:
        with closing(ReadOnlyDatabase(part)) as database, reading_rows(database.path):
            with closing(sqlite3.connect(made / FILE)) as copy:
                database.connection.backup(copy)
            place = FolderPlace(part)
            for name, length in recorded_files(database.connection, place).items():
                if length and "/" not in name:
                    copy_file(place, name, length, made)
    finally:
        for one in locked:
            one.close()


def copy_file(place: FolderPlace, name: str, length: int, made: Path) -> None:
    """Copy the recorded bytes of a file of the archive."""
    descriptor = open_own(made, name, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with open(descriptor, "wb") as file:  # noqa: PTH123  a descriptor
        file.writelines(pieces_of(place, name, [(0, length)], PIECE))


def remove_in_place(
    root: Path, going: Sequence[GoingPage], log: RemovalLog, now: datetime
) -> RewrittenFolder:
    """Remove pages from the folder of a crawl itself.

    Args:
        root: The folder of the crawl.
        going: The pages that go.
        log: The log.
        now: The time, an aware `datetime`.

    Raises:
        StoreBusyError: The crawl is running.
        StoreError: A file cannot be written.

    """
    parts = [one for one in folders_of(root) if (one / FILE).exists()]
    return remove_pages(going, parts, log, now)


def remove_pages(
    going: Sequence[GoingPage], parts: Iterable[Path], log: RemovalLog, now: datetime
) -> RewrittenFolder:
    """Remove pages from the parts of a crawl."""
    done = RewrittenFolder()
    done.from_index = sum(one.only_index for one in going)
    done.pages = len(going) - done.from_index
    if going:
        log.add(map(removed_thing, going))
        done.log = str(log.path)
    for part in parts:
        mine = [one for one in going if one.folder == part]
        with FolderLock(part):
            remove_in(part, mine, now)
            done.bytes_removed += compact(part)
            purge(part)
    return done


def remove_in(part: Path, going: Sequence[GoingPage], now: datetime) -> None:
    """Remove pages from one folder, in one transaction."""
    with Database(part) as database, reading_rows(database.path):
        settings = CrawlSettings.read(database)
        if settings is None:
            if going:
                raise NoCrawlError(NOT_BEGUN.format(path=database.path))
            return
        agent = settings.identity.user_agent
        recorder = Recorder(database, settings.bounds, now, user_agent=agent)
        try:
            with database.changing():
                for one in going:
                    remove_page(recorder, one, now)
                # Entries of other pages with texts of links on them are made again at once.
                while recorder.index.refresh(ENTRIES):
                    pass
        finally:
            recorder.close()


def remove_page(recorder: Recorder, page: GoingPage, now: datetime) -> None:
    """Remove a page, and record by which statement."""
    if page.only_index:
        recorder.index.remove(page.url_id)
        recorder.inventory.withdraw(page.url_id, REASON)
    else:
        recorder.take_down(page.url_id)
    recorder.evidence.keep(page.url_id, rows.removed(now, REASON, sentence_of(page.row)))


def sentence_of(row: Reconsidered) -> str:
    """Return why a page was removed, as a sentence."""
    said = row.source or row.reason
    return f"Reconsidered: {row.use} is {row.now} now ({said})."


def compact(part: Path) -> int:
    """Remove the bytes of what is gone from the files of the archive; return how many."""
    with Database(part) as database, reading_rows(database.path), WarcArchive(database) as kept:
        return kept.compact().bytes_removed


def purge(part: Path) -> None:
    """Remove what is gone from the full-text index, and from free pages of the database."""
    with Database(part) as database, reading_rows(database.path):
        for statement in PURGE:
            database.connection.execute(statement)


def removed_thing(page: GoingPage) -> RemovedThing:
    """Return the line of the log for a page."""
    row = page.row
    return RemovedThing(
        row.file, None, row.kind, row.url, written(row.at) or "", "", row.do, row.use, row.now,
        row.reason, row.line, row.source,
    )  # fmt: skip
