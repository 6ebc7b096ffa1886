"""New files in place of web archives: without the records that go, and with indexes that fit.

Scope: which files are written, each all or nothing, and the log. `warc_rewriting`,
`capture_indexes` and `wacz_rewriting` know what is in them; `archive_report` has noted in the scan
which records go.

A record that goes takes along what describes it. A revisit of another URL that has its content
keeps it: it becomes a response.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from goodbot.crawl.reconsidering.capture_indexes import MovedRecord, rewrite_index
from goodbot.crawl.reconsidering.file_scan import ARC_FILE, SHARED, normal
from goodbot.crawl.reconsidering.holdings import ArchiveHoldings
from goodbot.crawl.reconsidering.removal_log import RemovalLog, RemovedThing, why_of
from goodbot.crawl.reconsidering.wacz_rewriting import rewrite_wacz
from goodbot.crawl.reconsidering.warc_rewriting import (
    BECOME,
    GO,
    PlacedRecord,
    PlannedRecord,
    Tombstone,
    made_by,
    rewrite_warc,
)
from goodbot.crawl.wacz.package import Member
from goodbot.errors import MisuseError
from goodbot.files.atomic_file import atomic_file
from goodbot.files.overwriting import refuse_existing, refuse_overwriting
from goodbot.files.temporary_folders import temporary_folder
from goodbot.files.writing_lock import writing_lock
from goodbot.http.head import read_head
from goodbot.warc.captured_response import END_OF_HEAD, final_message
from goodbot.warc.foreign_records import ForeignRecord, foreign_records, record_at
from goodbot.warc.revisits import has_other_content
from goodbot.warc.warc_sources import open_warcs
from goodbot.warc.zip_members import ZIP_MAGIC

__all__ = ["RewrittenArchives", "archive_targets", "rewrite_archives"]

PLACED = (
    "CREATE TABLE IF NOT EXISTS placed(file INTEGER NOT NULL, number INTEGER NOT NULL, "
    "offset INTEGER NOT NULL, length INTEGER NOT NULL, mime TEXT NOT NULL, "
    "PRIMARY KEY(file, number)) WITHOUT ROWID"
)
ORIGINAL_BLOCKS = (
    "CREATE TABLE IF NOT EXISTS originals(file INTEGER NOT NULL, number INTEGER NOT NULL, "
    "block BLOB NOT NULL, PRIMARY KEY(file, number))"
)
"""The blocks of records whose content revisits keep, which are not read from replaced files."""
AS_THEY_ARE = (
    "INSERT OR REPLACE INTO placed SELECT file, number, start, lead(start, 1, "
    "(SELECT bytes FROM scanned WHERE id = file)) OVER (PARTITION BY file ORDER BY number) "
    "- start, '' FROM records"
)
OF_FILE = (
    "SELECT id, number, start, kind, url, date, name, digest, refers, refers_url, refers_date, do, "
    "why FROM records WHERE file = ? ORDER BY number"
)
ORIGINAL = "SELECT file, number, start, do FROM records WHERE kind = 'response' AND"
ORIGINALS = (
    f"{ORIGINAL} name = ? AND name <> '' ORDER BY do LIMIT 1",
    f"{ORIGINAL} url = ? AND date = ? AND date <> '' ORDER BY do LIMIT 1",
    f"{ORIGINAL} digest = ? AND digest <> '' ORDER BY do LIMIT 1",
)
"""How the record is found whose content a revisit has, the surest way first; one that stays comes
before one that goes."""
GOING = (
    "SELECT scanned.name, records.start, kind, url, date, records.name, do, why FROM records "
    "JOIN scanned ON scanned.id = records.file WHERE do <> '' ORDER BY records.id"
)
BY_PLACE = (
    "SELECT offset, length, mime FROM records JOIN placed USING (file, number) "
    "WHERE file = ? AND start = ? AND url = ?"
)
BY_TIME = (
    "SELECT offset, length, mime FROM records JOIN placed USING (file, number) WHERE file = ? "
    "AND url = ? AND replace(replace(replace(substr(date, 1, 19), '-', ''), 'T', ''), ':', '') = ? "
    "AND kind IN ('response', 'revisit', 'resource', 'conversion') ORDER BY length DESC LIMIT 1"
)
PAGE = (
    "SELECT do, substr(date, 1, 19) = ? FROM records JOIN scanned ON scanned.id = records.file "
    "WHERE scanned.path = ? AND url = ? AND kind IN ('response', 'revisit', 'resource')"
)
PIECE = 1024 * 1024
PREFIX = ".goodbot-rewritten-"
"""How the folders begin in which new files wait."""
MOST_LOCKED = 200
"""How many files are locked as long as a run rewrites; others are while each of them is written."""
ENDINGS = (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz", ".wacz", ".parquet")


@dataclass(slots=True)
class RewrittenArchives:
    """What was written."""

    files: int = 0
    """The number of archives and indexes written anew."""
    copied: int = 0
    """The number of files in which nothing was to be removed."""
    removed: int = 0
    """The number of records that are gone, with what described them."""
    became: int = 0
    """The number of revisits that became responses, because the record goes whose content they
    have."""
    log: str = ""
    """The log; empty if nothing was removed."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return asdict(self)


class FileRow(NamedTuple):
    """A WARC file of a scan."""

    id: int
    name: str
    packed: int


def archive_targets(files: Sequence[Path], root: Path | None, new: Path | None) -> dict[Path, Path]:
    """Return the file to write for each.

    Args:
        files: The old files.
        root: The folder that has all of them, if one was named.
        new: The new file or folder; `None` to replace the old ones.

    Raises:
        MisuseError: Two files would have the same name, a new file is an old one, or there is
            something under the new name.

    """
    if new is None:
        return {one: one for one in files}
    is_file = len(files) == 1 and root is None and new.name.lower().endswith(ENDINGS)
    if is_file:
        targets = {files[0]: new}
    else:
        targets = {one: new / (one.relative_to(root) if root else one.name) for one in files}
    if len(set(targets.values())) < len(targets):
        message = f"two files would have the same name in {new}; name a folder that has both"
        raise MisuseError(message)
    for target in targets.values():
        refuse_overwriting(target, files)
    refuse_existing(new, "file" if is_file else "folder")
    return targets


def rewrite_archives(
    held: ArchiveHoldings,
    new: Path | None,
    log: RemovalLog,
    now: datetime,
    *,
    tombstones: bool = False,
    threads: int | None = None,
) -> RewrittenArchives:
    """Write archives and their indexes without the records that go.

    Each file is replaced as a whole or not at all, and only if nobody has changed it since it was
    read. The log is on disk before the first one is replaced.

    Args:
        held: The archives, after all rows of the report were read.
        new: The new file or folder; `None` to replace the old files.
        log: The log.
        now: The time, an aware `datetime`.
        tombstones: Whether a record that goes leaves one that says by what it was removed.
        threads: How many files are written at once; by default one a core.

    Raises:
        MisuseError: A part of a file could not be read, or there is something under the new name.
        StoreBusyError: Another program changed a file, or rewrites it; it is as that leaves it.
        StoreError: A file cannot be written; it is as before.

    """
    unread = held.unread()
    if unread:
        message = (
            f"{unread[0].file} has {unread[0].bytes:,} bytes that were not read ({unread[0].why}), "
            "which may hold what must go; repair the file or leave it out"
        )
        raise MisuseError(message)
    targets = archive_targets((*held.found.files, *held.found.indexes), held.found.root, new)
    held.read.check_all()
    work = ArchiveWork(held, now, targets, tombstones=tombstones)
    work.plan_becoming()
    done = RewrittenArchives(became=len(work.becoming))
    paths = [path for path in held.found.files if work.is_changed(path)]
    with ExitStack() as locks:
        if new is None:
            for path in paths[:MOST_LOCKED]:
                locks.enter_context(writing_lock(path))
                work.locked.add(path)
        held.read.check_all()
        rewrite_files(work, paths, log, done, threads or os.cpu_count() or 1)
    return done


def rewrite_files(
    work: "ArchiveWork",
    paths: Sequence[Path],
    log: RemovalLog,
    done: RewrittenArchives,
    threads: int,
) -> None:
    """Write the log and then all files; see `rewrite_archives`."""
    found = work.held.found
    done.removed = log.add(work.removed()) if work.has_removed() else 0
    done.log = str(log.path) if done.removed else ""
    for path in found.files:
        if path not in paths:
            done.copied += work.copy_file(path)
    keeping = [path for path in paths if work.has_becoming(path)]
    with ThreadPoolExecutor(threads) as pool:
        # What keeps the content of a record that goes is on disk before that record goes.
        for some in (keeping, [path for path in paths if path not in keeping]):
            tasks = [work.task(path) for path in some if not is_package(path)]
            for task, placed in zip(tasks, pool.map(write_warc, tasks), strict=True):
                work.note(task.files[0], placed)
            for path in some:
                if is_package(path):
                    work.write_package(path)
    done.files = len(paths)
    for path in found.indexes:
        work.write_index(path)
        done.files += 1


@contextmanager
def whole_file(target: Path, check: Callable[[], None], *, is_locked: bool) -> Iterator[BinaryIO]:
    """Write a file that has its name once it is whole; the next run removes what a kill leaves.

    Args:
        target: The file.
        check: Checks that what is read and what is replaced are as they were.
        is_locked: Whether this run has locked the file already.

    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with nullcontext() if is_locked else writing_lock(target):
        check()
        with (
            temporary_folder(target.parent, PREFIX) as working,
            atomic_file(target, waiting_in=working, check=check) as file,
        ):
            yield file


def is_package(path: Path) -> bool:
    """Return whether a file is a WACZ file."""
    with path.open("rb") as file:
        return file.read(len(ZIP_MAGIC)) == ZIP_MAGIC


class WarcTask(NamedTuple):
    """A WARC file to write anew."""

    path: Path
    new_file: Callable[[], AbstractContextManager[BinaryIO]]
    """Opens the new file."""
    files: list[FileRow]
    plan: list[PlannedRecord]


def write_warc(task: WarcTask) -> list[PlacedRecord]:
    """Write a WARC file; return where its records are now."""
    packed = bool(task.files[0].packed & SHARED)
    with task.new_file() as target, task.path.open("rb") as file:
        return rewrite_warc(file, target, task.plan, packed=packed)


class ArchiveWork:
    """What all steps use.

    Args:
        held: The archives.
        now: The time.
        targets: The file to write for each.
        tombstones: Whether a record that goes leaves one that says so.

    """

    def __init__(
        self, held: ArchiveHoldings, now: datetime, targets: dict[Path, Path], *, tombstones: bool
    ) -> None:
        """Note where all records are."""
        self.held, self.scan, self._tombstones = held, held.scan, tombstones
        self._targets = targets
        self.locked: set[Path] = set()
        """The files that are locked until all are written."""
        moment = now.astimezone(timezone.utc).replace(tzinfo=None)
        self._at = f"{moment.isoformat(timespec='seconds')}Z"
        self.becoming: dict[tuple[int, int], OriginalRecord] = {}
        """The revisits that become responses, by file and number, with their originals."""
        self.scan.execute(PLACED)
        self.scan.execute(ORIGINAL_BLOCKS)
        self.scan.execute(AS_THEY_ARE)

    def files_of(self, path: Path) -> list[FileRow]:
        """Return the WARC files of a path: itself, or those in a package."""
        rows = self.scan.execute(
            "SELECT id, name, packed FROM scanned WHERE path = ? ORDER BY id", (str(path),)
        )
        return [FileRow(*row) for row in rows]

    def is_changed(self, path: Path) -> bool:
        """Return whether anything goes from a file, or becomes something else in it."""
        ids = {one.id for one in self.files_of(path)}
        found = self.scan.execute(
            "SELECT 1 FROM records JOIN scanned ON scanned.id = records.file "
            "WHERE do <> '' AND path = ? LIMIT 1",
            (str(path),),
        ).fetchone()
        return found is not None or any(file in ids for file, _ in self.becoming)

    def has_becoming(self, path: Path) -> bool:
        """Return whether a revisit in a file becomes a response."""
        ids = {one.id for one in self.files_of(path)}
        return any(file in ids for file, _ in self.becoming)

    def check(self, path: Path) -> None:
        """Check that a file is as it was read, and that nothing else has the name of the new one.

        Raises:
            MisuseError: Something has that name.
            StoreBusyError: The file was changed.

        """
        self.held.read.check(path)
        if self._targets[path] != path:
            refuse_existing(self._targets[path])

    def whole_file(self, path: Path) -> AbstractContextManager[BinaryIO]:
        """Open the new file for a file; see `whole_file`."""
        is_locked = path in self.locked
        return whole_file(self._targets[path], partial(self.check, path), is_locked=is_locked)

    def copy_file(self, path: Path) -> int:
        """Copy a file in which nothing is to be removed; return 1 if there is a copy to make."""
        if path == self._targets[path]:
            return 0
        with self.whole_file(path) as copy, path.open("rb") as file:
            shutil.copyfileobj(file, copy, PIECE)
        return 1

    def plan_becoming(self) -> None:
        """Find the revisits that stay, and whose original goes."""
        rows = self.scan.execute(
            "SELECT file, number, start, refers, refers_url, refers_date, digest, id, name, why "
            "FROM records WHERE kind = 'revisit' AND do = '' AND EXISTS "
            "(SELECT 1 FROM records WHERE do <> '')"
        ).fetchall()
        for file, number, start, refers, url, date, digest, row, *_ in rows:
            original = self._original((refers, url, date, digest))
            if original is None or not original.do:
                continue
            revisit = self.read_record(OriginalRecord(file, number, start, ""))
            source = self.read_record(original)
            is_own = revisit is not None and has_other_content(revisit)
            if is_own and source is not None and not source.is_cut:
                self.becoming[file, number] = original
                self.scan.execute(
                    "INSERT OR IGNORE INTO originals VALUES(?, ?, ?)",
                    (original.file, original.number, source.block),
                )
            else:  # it says nothing without the record that goes
                why = self.scan.execute(
                    "SELECT why FROM records WHERE file = ? AND number = ?",
                    (original.file, original.number),
                ).fetchone()[0]
                self.scan.execute(
                    "UPDATE records SET do = 'along', why = ? WHERE id = ?", (why, row)
                )

    def _original(self, keys: tuple[str, str, str, str]) -> "OriginalRecord | None":
        """Return the record whose content a revisit has."""
        refers, url, date, digest = keys
        for statement, values in zip(ORIGINALS, ((refers,), (url, date), (digest,)), strict=True):
            found = self.scan.execute(statement, values).fetchone()
            if found is not None:
                return OriginalRecord(*found)
        return None

    def read_record(self, place: "OriginalRecord") -> ForeignRecord | None:
        """Read a record of any of the files again."""
        path, name, packed = self.scan.execute(
            "SELECT path, name, packed FROM scanned WHERE id = ?", (place.file,)
        ).fetchone()
        with ExitStack() as stack:
            sources, _ = open_warcs(Path(path), stack)
            file = next(one.file for one in sources if one.name == name)
            if not packed & SHARED:
                return record_at(file, place.start)
            whole = (one for one in foreign_records(file) if not one.is_damaged)
            return next((one for place_, one in enumerate(whole) if place_ == place.number), None)

    def original(self, place: "OriginalRecord") -> ForeignRecord:
        """Return the block of a record whose content a revisit has; its file may be replaced."""
        (block,) = self.scan.execute(
            "SELECT block FROM originals WHERE file = ? AND number = ?", (place.file, place.number)
        ).fetchone()
        return ForeignRecord(place.start, {}, block)

    def task(self, path: Path) -> WarcTask:
        """Return what is to be done with a WARC file."""
        files = self.files_of(path)
        return WarcTask(path, partial(self.whole_file, path), files, self.plan(files[0]))

    def plan(self, file: FileRow) -> list[PlannedRecord]:
        """Return what becomes of each record of a WARC file."""
        found = []
        for row in self.scan.execute(OF_FILE, (file.id,)):
            _, number, start, kind, url, date, name, *_, do, why = row
            original = self.becoming.get((file.id, number))
            if original is not None:
                read = partial(self.original, original)
                found.append(PlannedRecord(start, BECOME, original=read))
            elif do:
                stone = None
                if self._tombstones and kind in LEAVING and not file.packed & ARC_FILE:
                    stone = Tombstone(url, date, name, kind, facts_of(why), self._at)
                found.append(PlannedRecord(start, GO, stone))
            else:
                found.append(PlannedRecord(start))
        return found

    def note(self, file: FileRow, placed: Sequence[PlacedRecord]) -> None:
        """Note where the records of a file are now."""
        rows = []
        for number, one in enumerate(placed):
            original = self.becoming.get((file.id, number))
            mime = "" if original is None else mime_of(self.original(original))
            rows.append((file.id, number, one.offset, one.length, mime))
        self.scan.execute("BEGIN")
        self.scan.executemany("INSERT OR REPLACE INTO placed VALUES(?, ?, ?, ?, ?)", rows)
        self.scan.execute("COMMIT")

    def has_removed(self) -> bool:
        """Return whether anything goes."""
        found = self.scan.execute("SELECT 1 FROM records WHERE do <> '' LIMIT 1")
        return found.fetchone() is not None

    def removed(self) -> Iterator[RemovedThing]:
        """Yield what goes, for the log."""
        for name, start, kind, url, date, record, do, why in self.scan.execute(GOING):
            facts = why_of(why)
            yield RemovedThing(
                name, None if start < 0 else start, kind, url, date, record, do, **facts
            )

    # Packages and indexes.

    def write_package(self, path: Path) -> None:
        """Write a WACZ file anew."""
        files = {one.name: one for one in self.files_of(path)}
        with ExitStack() as stack:
            new = stack.enter_context(self.whole_file(path))
            sources, _ = open_warcs(path, stack)
            opened = {one.name: one.file for one in sources}

            def rewrite(name: str, sink: Member) -> bool:
                file = files.get(name)
                if file is None:
                    return False
                plan = self.plan(file)
                if not any(one.becomes for one in plan):
                    return False
                packed = bool(file.packed & SHARED)
                self.note(file, rewrite_warc(opened[name], sink, plan, packed=packed))
                return True

            old = stack.enter_context(path.open("rb"))
            rewrite_wacz(
                old,
                new,
                str(path),
                rewrite,
                partial(self.find, list(files.values())),
                partial(self.is_gone, path),
                modified=self._at,
            )

    def write_index(self, path: Path) -> None:
        """Write a plain index anew, if a line of it changes."""
        rows = self.scan.execute("SELECT id, name, packed FROM scanned ORDER BY id").fetchall()
        find = partial(self.find, [FileRow(*row) for row in rows])
        with self.whole_file(path) as new, path.open("rb") as old:
            new.writelines(rewrite_index(old, find))

    def find(
        self, files: Sequence[FileRow], name: str, offset: int | None, url: str, time: str
    ) -> MovedRecord | None:
        """Return where a record of an index is now; see `capture_indexes`."""
        wanted = name.rpartition("/")[2]
        mine = [one for one in files if one.name.rpartition("/")[2] == wanted]
        if not mine:
            return None
        address = normal(url) if url else ""
        for file in mine:
            found = self.scan.execute(BY_PLACE, (file.id, offset, address)).fetchone()
            found = found or self.scan.execute(BY_TIME, (file.id, address, time[:14])).fetchone()
            if found is not None:
                return MovedRecord(*found)
        return MovedRecord(0, 0)

    def is_gone(self, path: Path, url: str, time: str) -> bool:
        """Return whether a page of a package is gone."""
        rows = self.scan.execute(PAGE, (time[:19], str(path), normal(url))).fetchall()
        same = [do for do, is_same in rows if is_same] or [do for do, _ in rows]
        return bool(same) and all(same)


class OriginalRecord(NamedTuple):
    """The place of a record."""

    file: int
    number: int
    start: int
    do: str
    """What becomes of it; empty if it stays."""


LEAVING = {"response", "revisit", "resource", "conversion"}
"""The types of records that leave a tombstone."""


def facts_of(why: str) -> tuple[tuple[str, str], ...]:
    """Return by what a record was removed, for its tombstone."""
    facts = why_of(why)
    named = (("use", "use"), ("reason", "reason"), ("statement", "source"))
    return (*((name, str(facts[key])) for name, key in named), ("software", made_by()))


def mime_of(record: ForeignRecord) -> str:
    """Return the type of the content of a response."""
    block = final_message(record.block)
    end = END_OF_HEAD.search(block)
    if end is None:
        return "unk"
    fields = read_head(block[: end.start()]).fields
    found = next((value for name, value in fields if name.lower() == b"content-type"), b"unk")
    return found.partition(b";")[0].strip().lower().decode("latin-1") or "unk"
