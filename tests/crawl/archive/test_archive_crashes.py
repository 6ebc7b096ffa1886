"""After any crash or disk error, the recorded copies are there, and nothing else is."""

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from goodbot.crawl.archive import compaction
from goodbot.crawl.archive import place as place_module
from goodbot.crawl.archive import warc_files as files_module
from goodbot.errors import NotAStoreError, StoreError, StoreFullError, StoreUnavailableError
from tests.support.crawls.archive_worker import KILLED
from tests.support.crawls.archived_crawls import (
    LAMP,
    PARTS,
    Crawl,
    all_records,
    answer,
    everything,
    later,
    warc_files,
)
from tests.support.examples import examples, some_of, thorough
from tests.support.paths import ROOT

pytestmark = pytest.mark.stress

NO_ROOM = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def copies(crawl: Crawl, numbers: range) -> dict[int, bytes]:
    """Return the kept copies, by the number of the page."""
    found = {number: crawl.archive.show(f"{LAMP}/{number}") for number in numbers}
    return {number: copy.content for number, copy in found.items() if copy is not None}


def filled(folder: Path) -> dict[int, bytes]:
    """Make a crawl with copies, some of them replaced or deleted; return the kept ones."""
    with Crawl(folder, most_bytes=3_000) as crawl:
        for number in range(12):
            crawl.keep(answer(f"<p>first-{number}-", f"{LAMP}/{number}"))
        for number in range(0, 12, 3):
            crawl.keep(answer(f"<p>second-{number}-", f"{LAMP}/{number}", started=later(days=1)))
        for number in range(1, 12, 3):
            crawl.archive.forget(crawl.number(f"{LAMP}/{number}"))
        return copies(crawl, range(12))


# Killed.


def events(folder: Path, deed: str, at: int) -> int:
    """Run the worker until a line event; return how many there are, or `KILLED`."""
    command = [
        sys.executable,
        "-m",
        "tests.support.crawls.archive_worker",
        str(folder),
        deed,
        str(at),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)  # noqa: S603
    assert done.returncode == (KILLED if at else 0), done.stderr
    return KILLED if at else int(done.stdout)


@thorough
@pytest.mark.parametrize("deed", ["keep", "compact"])
def test_a_process_may_be_killed_at_any_line(deed: str, tmp_path: Path) -> None:
    """After reopening, every recorded copy is there and whole, and there is nothing else."""
    model = filled(tmp_path / "model")
    shutil.copytree(tmp_path / "model", tmp_path / "whole")
    total = events(tmp_path / "whole", deed, 0)
    assert total > 50
    steps = 16
    for step in some_of(range(1, steps + 1)):
        folder = tmp_path / str(step)
        shutil.copytree(tmp_path / "model", folder)
        events(folder, deed, max(1, total * step // steps - step % 3))
        with Crawl(folder) as crawl:
            found = copies(crawl, range(40))
            new = {number: content for number, content in found.items() if b"killed" in content}
            assert list(new) == ([], [30], [30, 31], [0, 30, 31], [0, 30, 31, 32])[len(new)]
            assert found == {**model, **new}
            check_files(crawl, folder)
            crawl.archive.compact()
            assert copies(crawl, range(40)) == found
            check_files(crawl, folder)
            left = everything(folder)
            stays = [number for number in range(12) if b"first-%d-" % number in left]
            assert stays == [2, 5, 8, 11]


def check_files(crawl: Crawl, folder: Path) -> None:
    """Assert that the files are those recorded, with their recorded lengths, and whole."""
    rows = crawl.database.connection.execute("SELECT name, length FROM files WHERE length > 0")
    assert dict(rows) == {path.name: path.stat().st_size for path in warc_files(folder)}
    found = {record.fields["warc-record-id"] for record in all_records(folder)}
    ids = crawl.database.connection.execute("SELECT record FROM kept")
    assert {f"<{UUID(bytes=one).urn}>" for (one,) in ids} <= found


# Undone.


class UndoneError(Exception):
    """Undoes a change."""


def test_what_is_undone_leaves_nothing(tmp_path: Path) -> None:
    """The next record takes the place of the undone one."""
    with Crawl(tmp_path) as crawl:
        (first,) = crawl.keep(answer("<p>1", f"{LAMP}/1"))
        for _ in range(3):
            undo(crawl, f"{LAMP}/2", "<p>undone")
        assert crawl.archive.show(f"{LAMP}/2") is None
        (third,) = crawl.keep(answer("<p>3", f"{LAMP}/3"))
        assert third.offset == first.offset + first.length
        assert b"undone" not in everything(tmp_path)
        check_files(crawl, tmp_path)


def test_a_file_that_began_in_an_undone_change_begins_anew(tmp_path: Path) -> None:
    """It does so even if another process has recovered the folder meanwhile."""
    with Crawl(tmp_path) as crawl:
        undo(crawl, LAMP, "<p>undone")
        assert warc_files(tmp_path)
        with Crawl(tmp_path):
            assert not warc_files(tmp_path)
        crawl.keep(answer("<p>kept"))
        check_files(crawl, tmp_path)
        assert [record.kind for record in all_records(tmp_path)] == ["warcinfo", "response"]


def undo(crawl: Crawl, url: str, body: str) -> None:
    """Keep a page in a change that is undone after its record was written."""
    with suppress(UndoneError), crawl.database.changing():
        crawl.keep(answer(body, url))
        crawl.database.at_end(Failing())


class Failing:
    """A part of a change that fails, after all others were written."""

    def complete(self, _connection: sqlite3.Connection) -> None:
        """Fail."""
        raise UndoneError

    def drop(self) -> None:
        """Drop nothing."""


# A full disk.


class FullFile(FileIO):
    """A file on a disk with room for a number of bytes."""

    room = 0

    def write(self, content: Any) -> int:  # noqa: ANN401 - any buffer
        """Write as much as there is room for, as a disk does, and then nothing."""
        if not FullFile.room:
            raise NO_ROOM
        taken = super().write(memoryview(content)[: FullFile.room])
        FullFile.room -= taken
        return taken


@pytest.mark.parametrize("room", [0, 1, 200, 450])
def test_a_full_disk_is_reported_and_the_file_is_whole(
    room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No part of the record stays; with room again, the crawl continues."""
    with Crawl(tmp_path) as crawl:
        crawl.keep(answer("<p>1", f"{LAMP}/1"))
        size = warc_files(tmp_path)[0].stat().st_size
        crawl.archive.close()
        monkeypatch.setattr(place_module, "FileIO", FullFile)
        FullFile.room = room
        body = bytes(os.urandom(500))
        with pytest.raises(StoreFullError, match="make room on its disk"):
            crawl.keep(answer(body, f"{LAMP}/2", headers=[("Content-Type", "image/png")]))
        assert warc_files(tmp_path)[0].stat().st_size == size
        check_files(crawl, tmp_path)
        FullFile.room = 10_000
        crawl.keep(answer("<p>2", f"{LAMP}/2"))
        assert copies(crawl, range(3)) == {1: b"<p>1", 2: b"<p>2"}


def test_a_full_disk_where_a_file_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The new file does not exist or is empty, and does no harm."""
    monkeypatch.setattr(place_module, "FileIO", FullFile)
    FullFile.room = 100
    with Crawl(tmp_path) as crawl:
        with pytest.raises(StoreFullError):
            crawl.keep(answer("<p>1"))
        assert not any(path.stat().st_size for path in warc_files(tmp_path))
        FullFile.room = 10_000
        crawl.keep(answer("<p>1"))
        check_files(crawl, tmp_path)


def test_no_room_for_a_compaction_leaves_all_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The incomplete copy is gone."""
    model = filled(tmp_path)
    before = {path: path.read_bytes() for path in warc_files(tmp_path)}

    def full(*_: object) -> Iterator[bytes]:
        yield b"as much as there is room for"
        raise NO_ROOM

    monkeypatch.setattr(compaction, "pieces_of", full)
    with Crawl(tmp_path) as crawl:
        with pytest.raises(StoreFullError, match="make room"):
            crawl.archive.compact()
        assert {path: path.read_bytes() for path in warc_files(tmp_path)} == before
        assert copies(crawl, range(12)) == model
        (level,) = crawl.database.connection.execute("PRAGMA synchronous").fetchone()
        assert level == 1


# Files that are not as they were.


def test_a_missing_or_shorter_file_is_reported_and_can_be_given_up(tmp_path: Path) -> None:
    """Losses after a power cut are not ignored silently; the rest can be shown."""
    model = filled(tmp_path)
    first, second, *_ = warc_files(tmp_path)
    with second.open("r+b") as file:
        file.truncate(second.stat().st_size - 1)
    with pytest.raises(NotAStoreError, match="goodbot archive repair"):
        Crawl(tmp_path)
    first.rename(tmp_path / "elsewhere")
    with pytest.raises(NotAStoreError, match="is missing; restore it"):
        Crawl(tmp_path)
    with Crawl(tmp_path, repair=True) as crawl:
        assert crawl.archive.given_up > 1
        found = copies(crawl, range(12))
        assert found
        assert found.items() < model.items()
        check_files(crawl, tmp_path)
        crawl.keep(answer("<p>new"))
    with Crawl(tmp_path) as crawl:
        assert copies(crawl, range(12)) == found


def test_a_file_that_shrinks_meanwhile_is_reported(tmp_path: Path) -> None:
    """An error is raised before anything is written to it."""
    with Crawl(tmp_path) as crawl:
        crawl.keep(answer("<p>1"))
        (path,) = warc_files(tmp_path)
        os.truncate(path, 10)
        with pytest.raises(NotAStoreError, match="goodbot archive repair"):
            crawl.keep(answer("<p>2"))
        with pytest.raises(NotAStoreError, match="there is no whole record"):
            crawl.archive.show(LAMP)
        path.unlink()
        with pytest.raises(StoreUnavailableError, match="restore it"):
            crawl.archive.show(LAMP)
        with pytest.raises(NotAStoreError, match="is missing"):
            crawl.keep(answer("<p>2"))


def test_files_of_another_crawl_are_not_touched(tmp_path: Path) -> None:
    """If a database is gone, its files are not mistaken for leftovers."""
    filled(tmp_path)
    for path in tmp_path.glob("crawl.db*"):
        path.unlink()
    before = {path: path.read_bytes() for path in warc_files(tmp_path)}
    with pytest.raises(NotAStoreError, match="does not belong to this crawl; move it elsewhere"):
        Crawl(tmp_path)
    assert {path: path.read_bytes() for path in warc_files(tmp_path)} == before


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b\x08", None, b"no gzip at all"])
def test_leftovers_are_removed(content: bytes | None, tmp_path: Path) -> None:
    """A file that was begun but never recorded is removed; files that are not ours stay."""
    with Crawl(tmp_path) as crawl:
        crawl.keep(answer("<p>1"))
    (path,) = warc_files(tmp_path)
    leftover = path.read_bytes() if content is None else content
    for name in ("pages-00002.warc.gz", "pages-00002.warc.gz.part"):
        (tmp_path / name).write_bytes(leftover)
    (tmp_path / "pages-mine.warc.gz").write_bytes(b"of somebody")
    if content == b"no gzip at all":
        with pytest.raises(NotAStoreError, match="does not belong to this crawl"):
            Crawl(tmp_path)
        return
    with Crawl(tmp_path):
        assert [one.name for one in warc_files(tmp_path)] == [
            "pages-00001.warc.gz",
            "pages-mine.warc.gz",
        ]


def test_a_file_that_cannot_be_opened_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says to check its permissions."""

    def refused(*_: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), "pages")

    monkeypatch.setattr(place_module, "FileIO", refused)
    with (
        Crawl(tmp_path) as crawl,
        pytest.raises(StoreUnavailableError, match="check its permissions"),
    ):
        crawl.keep(answer("<p>1"))


# At random.

BODIES = {"whole": "<p>{}", "parts": PARTS.replace("open", "open {}"), "no": None}


class Archiving(RuleBasedStateMachine):
    """Keeps, forgets, compacts and crashes; compared with a dictionary."""

    folder: Path

    def __init__(self) -> None:
        """Start in an empty folder."""
        super().__init__()
        self.place = tempfile.TemporaryDirectory()
        self.folder = Path(self.place.name)
        self.crawl = Crawl(self.folder, most_bytes=2_500)
        self.model: dict[int, tuple[str, str]] = {}
        self.marks: set[str] = set()
        self.day = 0

    def teardown(self) -> None:
        """Close the crawl."""
        self.crawl.__exit__()
        self.place.cleanup()

    def kept(self, number: int, kind: str, mark: str) -> None:
        """Keep a page, or one that forbids it."""
        self.day += 1
        text = BODIES[kind]
        url = f"{LAMP}/{number}"
        body = "<meta name=robots content=noarchive>" if text is None else text.format(mark)
        self.crawl.keep(answer(body, url, started=later(days=self.day)))

    @rule(number=st.integers(0, 5), kind=st.sampled_from(sorted(BODIES)), again=st.booleans())
    def keep(self, number: int, kind: str, again: bool) -> None:  # noqa: FBT001
        """Keep something new, or the same again."""
        before = self.model.get(number)
        mark = before[1] if again and before and before[0] == kind else f"mark{self.day}x"
        self.kept(number, kind, mark)
        self.marks.add(mark)
        self.model[number] = (kind, mark)
        if kind == "no":
            del self.model[number]

    @rule(
        number=st.integers(0, 5),
        kind=st.sampled_from(sorted(BODIES)),
        count=st.integers(1, 3),
        is_late=st.booleans(),
    )
    def undo(self, number: int, kind: str, count: int, *, is_late: bool) -> None:
        """Keep something in a change that is undone, before or after the records are written."""
        with suppress(UndoneError), self.crawl.database.changing():
            for _ in range(count):
                self.kept(number, kind, f"mark{self.day}u")
                self.marks.add(f"mark{self.day - 1}u")
            if is_late:
                self.crawl.database.at_end(Failing())
            else:
                raise UndoneError

    @rule(number=st.integers(0, 5))
    def forget(self, number: int) -> None:
        """Forget a page."""
        self.crawl.archive.forget(self.crawl.number(f"{LAMP}/{number}"))
        self.model.pop(number, None)

    @rule(text=st.sampled_from(["a", "b"]))
    def keep_robots_txt(self, text: str) -> None:
        """Keep a robots.txt."""
        self.day += 1
        url = "https://shop.example/robots.txt"
        response = answer(text, url, headers=[], started=later(days=self.day))
        self.crawl.archive.keep_robots_txt(response)

    @rule()
    def compact(self) -> None:
        """Compact; check that only kept copies are left."""
        self.crawl.archive.compact()
        left = everything(self.folder).decode("latin-1")
        wanted = {mark for _, mark in self.model.values()}
        assert {mark for mark in self.marks if mark in left} == wanted

    @rule(tail=st.binary(max_size=40), begun=st.booleans())
    def crash(self, tail: bytes, begun: bool) -> None:  # noqa: FBT001
        """Reopen without closing, in the middle of a write, as after a crash."""
        abandoned = self.crawl
        for path in warc_files(self.folder):
            with path.open("ab") as file:
                file.write(tail)
        (newest,) = self.crawl.database.connection.execute(
            "SELECT coalesce(max(name), 'pages-00000.warc.gz') FROM files WHERE name < 'q'"
        ).fetchone()
        following = files_module.following("pages", newest)
        if begun:
            (self.folder / f"{following}.part").write_bytes(tail[:1] and b"\x1f\x8b" + b"\x08")
        self.crawl = Crawl(self.folder, most_bytes=2_500)
        abandoned.__exit__()

    @invariant()
    def every_copy_is_there(self) -> None:
        """Exactly the kept pages have a copy, each with its own content."""
        found = copies(self.crawl, range(6))
        assert found.keys() == self.model.keys()
        for number, (kind, mark) in self.model.items():
            assert mark.encode() in found[number]
            assert b"hidden" not in found[number]
            copy = self.crawl.archive.show(f"{LAMP}/{number}")
            assert copy is not None
            assert (copy.kind == "conversion") == (kind == "parts")

    @precondition(lambda self: self.day)
    @rule()
    def files_are_whole(self) -> None:
        """After reopening, another reader can read every record of every file."""
        self.crawl.__exit__()
        self.crawl = Crawl(self.folder, most_bytes=2_500)
        check_files(self.crawl, self.folder)


TestArchiving = Archiving.TestCase
TestArchiving.settings = examples(
    60, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)


def test_every_failure_is_a_store_error() -> None:
    """A caller needs only one `except`."""
    assert issubclass(StoreFullError, StoreError)
    assert isinstance(place_module.store_error(NO_ROOM, Path("a")), StoreFullError)
    assert isinstance(place_module.store_error(OSError(), Path("a")), StoreUnavailableError)
