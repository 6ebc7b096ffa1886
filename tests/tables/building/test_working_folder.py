"""What a killed run has left is removed by the next one; what others have stays."""

import os
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

import pytest

from goodbot.files.temporary_folders import temporary_folder
from goodbot.tables.building.robots_timelines import timelines_in
from goodbot.tables.building.working_folder import beside
from tests.support.waiting import HANGS, wait_until
from tests.tables.building.warc_text import response, write_warc

NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
LEFT = ".p.parquet.goodbot-"
KILLED = """
from goodbot.files.temporary_folders import temporary_folder
with temporary_folder() as folder:
    (folder / "policies.arrow").touch()
    print(folder, flush=True)
    input()
"""


def test_only_what_killed_runs_left_is_removed(tmp_path: Path) -> None:
    """A folder without a lock, or one that is a link, is not of a run."""
    for name in ("empty", "killed", "other"):
        (tmp_path / f"{LEFT}{name}").mkdir()
    (tmp_path / f"{LEFT}killed" / "lock").touch()
    (tmp_path / f"{LEFT}killed" / "answers-0.arrow").touch()
    (tmp_path / f"{LEFT}other" / "text").touch()
    (tmp_path / f"{LEFT}link").symlink_to(tmp_path / f"{LEFT}other")
    with beside(tmp_path / "p.parquet") as first, beside(tmp_path / "p.parquet") as second:
        assert sorted(first.iterdir()) == [first / "lock"]
        assert sorted(second.iterdir()) == [second / "lock"]
    assert {one.name for one in tmp_path.iterdir()} == {f"{LEFT}link", f"{LEFT}other"}
    assert (tmp_path / f"{LEFT}other" / "text").exists()


def test_a_killed_audit_leaves_no_folder_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of a run that lives stays; so does what is not of a run."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with subprocess.Popen(  # noqa: S603  our own program
        [sys.executable, "-c", KILLED], env={**os.environ, "TMPDIR": str(tmp_path)},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as killed:  # fmt: skip
        assert killed.stdout is not None
        left = Path(killed.stdout.readline().strip())
        (tmp_path / "goodbot-run-other").mkdir()
        (tmp_path / "goodbot-run-other" / "text").touch()
        with temporary_folder() as own:
            assert left.is_dir()
            assert own.parent == left.parent == tmp_path
        killed.kill()
    assert left.is_dir()
    assert timelines_in(policies_folder(tmp_path / "v"))
    assert {one.name for one in tmp_path.iterdir()} == {"goodbot-run-other", "v"}


def policies_folder(folder: Path) -> Path:
    """Make a folder of dated files, and return it."""
    folder.mkdir()
    (folder / "a.example").mkdir()
    (folder / "a.example" / "2026-01-01.txt").write_text("User-agent: *", encoding="utf-8")
    return folder


@pytest.mark.stress
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are counted in /proc")
@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_killed_build_leaves_no_process(tmp_path: Path, count: int) -> None:
    """However early it is killed, while processes are begun."""
    for number in range(6):
        site = f"https://{number}.example/robots.txt"
        write_warc(tmp_path / f"{number}.warc.gz", [response(site, NOON, 200, b"User-agent: *")])
    words = [sys.executable, "-m", "goodbot", "tables", "build", str(tmp_path), "-o"]
    with subprocess.Popen(  # noqa: S603  our own program
        [*words, str(tmp_path / "p.parquet")], start_new_session=True, stderr=subprocess.DEVNULL
    ) as build:
        while len(in_session(build.pid)) < count:
            assert build.poll() is None
            time.sleep(0.001)
        build.kill()
        build.wait(HANGS)
        wait_until(lambda: not in_session(build.pid), "the end of its processes")


def in_session(number: int) -> list[int]:
    """Return the processes of a session that are not dead."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        if int(fields[3]) == number and fields[0] not in "ZX":
            found.append(int(path.parent.name))
    return found
