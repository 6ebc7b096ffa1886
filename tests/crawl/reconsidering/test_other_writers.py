"""Web archives that another program writes while they are reconsidered: nothing of that is lost."""

import gzip
import os
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from goodbot.crawl.reconsidering import archive_rewriting, warc_rewriting
from goodbot.crawl.reconsidering.archive_rewriting import rewrite_archives
from goodbot.crawl.reconsidering.removal_log import RemovalLog, RemovedThing
from goodbot.errors import MisuseError, StoreBusyError
from goodbot.files.writing_lock import writing_lock
from tests.crawl.reconsidering.test_archive_report import NOW, SITE
from tests.crawl.reconsidering.test_archive_rewriting import (
    GONE,
    PAGE,
    judged,
    members_of,
    package,
    rewrite,
)
from tests.support.crawls.foreign_warcs import response, write_warc

CLOSED_OPEN = b"User-agent: *\nDisallow: /private\nDisallow: /open\n"
"""What also closes what a run by `CLOSED` keeps."""
RECORDS = [response(GONE, PAGE), response(f"{SITE}/open", "<p>brass"), response(f"{SITE}/b", "<p>")]


def log_of(folder: Path) -> RemovalLog:
    """Return the log of a test."""
    return RemovalLog(folder / "removed.jsonl", NOW, "ExampleBot")


def source(folder: Path, kind: str) -> tuple[Path, Path]:
    """Write what is reconsidered: what is named, and the file that is rewritten."""
    if kind == "wacz":
        (folder / "parts").mkdir()
        return (folder / "a.wacz", package(folder / "a.wacz", members_of(folder / "parts")))
    (folder / "old").mkdir()
    file = write_warc(folder / "old" / "a.warc.gz", RECORDS)
    return (folder / "old" if kind == "folder" else file, file)


@pytest.mark.parametrize("kind", ["file", "folder", "wacz"])
@pytest.mark.parametrize("in_place", [False, True])
def test_a_run_that_read_a_file_before_another_replaced_it_is_refused(
    tmp_path: Path,
    kind: str,
    in_place: bool,  # noqa: FBT001  a parameter
) -> None:
    """Its places are those of the old file; what the other run left stays as it is."""
    named, file = source(tmp_path, kind)
    new = None if in_place else tmp_path / "new"
    with judged(named) as held:
        rewrite(named, new=None, says=CLOSED_OPEN)
        left = file.read_bytes()
        with pytest.raises(StoreBusyError, match="was changed by another program after it was"):
            rewrite_archives(held, new, log_of(tmp_path / "mine"), NOW, threads=1)
    assert file.read_bytes() == left
    assert not (tmp_path / "mine").exists()
    assert not (tmp_path / "new").exists()
    rewrite(named, new=None)


def append(file: Path) -> None:
    """Write a record at the end, as a crawler does."""
    with file.open("ab") as opened:
        opened.write(gzip.compress(RECORDS[2], mtime=0))


def overwrite(file: Path) -> None:
    """Write as many bytes in place, and hide that."""
    before = file.stat()
    with file.open("r+b") as opened:
        opened.write(file.read_bytes())
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("write", [append, overwrite, Path.unlink])
@pytest.mark.parametrize("when", ["before", "while"])
@pytest.mark.parametrize("in_place", [False, True])
def test_any_other_writer_is_found_out(
    tmp_path: Path,
    write: Callable[[Path], None],
    when: str,
    in_place: bool,  # noqa: FBT001  a parameter
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also one that writes while the new file is being written, directly before it has its name."""
    _, file = source(tmp_path, "file")
    new = None if in_place else tmp_path / "new.warc.gz"
    before = file.read_bytes()
    real = warc_rewriting.rewrite_warc

    def writing(*given: object, packed: bool) -> object:
        done = real(*given, packed=packed)  # type: ignore[arg-type]
        write(file)
        return done

    with judged(file) as held:
        if when == "before":
            write(file)
        else:
            monkeypatch.setattr(archive_rewriting, "rewrite_warc", writing)
        with pytest.raises(StoreBusyError, match="run the command again"):
            rewrite_archives(held, new, log_of(tmp_path), NOW, threads=1)
    if write is Path.unlink:
        assert not file.exists()
    else:
        assert file.read_bytes() == before + (
            gzip.compress(RECORDS[2], mtime=0) if write is append else b""
        )
    assert {one.name for one in file.parent.iterdir()} <= {file.name}
    assert not (tmp_path / "new.warc.gz").exists()


def test_a_file_that_another_run_writes_is_refused(tmp_path: Path) -> None:
    """Before anything is replaced or logged, also of the other files."""
    folder = tmp_path / "old"
    folder.mkdir()
    files = [write_warc(folder / f"{number}.warc.gz", RECORDS) for number in range(2)]
    before = [one.read_bytes() for one in files]
    with (
        judged(folder) as held,
        writing_lock(files[1]),
        pytest.raises(StoreBusyError, match="is being written by another run; wait until"),
    ):
        rewrite_archives(held, None, log_of(tmp_path), NOW, threads=1)
    assert [one.read_bytes() for one in files] == before
    assert not (tmp_path / "removed.jsonl").exists()
    assert rewrite(folder, new=None).removed == 2
    assert {one.name for one in folder.iterdir()} == {"0.warc.gz", "1.warc.gz"}


def test_nothing_is_logged_that_another_run_prevents(tmp_path: Path) -> None:
    """The file is locked before the log says that something is removed from it."""
    _, file = source(tmp_path, "file")

    class WatchedLog(RemovalLog):
        def add(self, things: Iterable[RemovedThing]) -> int:
            with pytest.raises(StoreBusyError), writing_lock(file):
                pass
            return super().add(things)

    with judged(file) as held:
        log = WatchedLog(tmp_path / "removed.jsonl", NOW, "ExampleBot")
        assert rewrite_archives(held, None, log, NOW, threads=1).removed == 1
    with writing_lock(file):
        pass


@pytest.mark.parametrize("name", ["new", "new.warc.gz"])
def test_what_exists_is_not_overwritten(tmp_path: Path, name: str) -> None:
    """Neither a folder with files, nor a file; also one that appears meanwhile."""
    _, file = source(tmp_path, "file")
    new = tmp_path / name
    there = new / "a.warc.gz" if name == "new" else new
    there.parent.mkdir(exist_ok=True)
    there.write_bytes(b"of another crawl")
    with pytest.raises(MisuseError, match=f"{name} exists; name a fi?o?l"):
        rewrite(file, new=new)
    assert there.read_bytes() == b"of another crawl"


def test_an_empty_folder_is_written_to(tmp_path: Path) -> None:
    """As by a crawl as source."""
    _, file = source(tmp_path, "file")
    (tmp_path / "new").mkdir()
    assert rewrite(file, new=tmp_path / "new").removed == 1


@pytest.mark.parametrize("name", ["new", "new.warc.gz"])
def test_what_appears_meanwhile_is_not_overwritten(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two runs may name the same new file."""
    _, file = source(tmp_path, "file")
    there = tmp_path / name / "a.warc.gz" if name == "new" else tmp_path / name
    real = warc_rewriting.rewrite_warc

    def writing(*given: object, packed: bool) -> object:
        there.write_bytes(b"of another run")
        return real(*given, packed=packed)  # type: ignore[arg-type]

    monkeypatch.setattr(archive_rewriting, "rewrite_warc", writing)
    with pytest.raises(MisuseError, match="exists; name a file that does not"):
        rewrite(file, new=tmp_path / name)
    assert there.read_bytes() == b"of another run"
