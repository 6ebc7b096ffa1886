"""Files are replaced as a whole or not at all; links, pipes and devices stay what they are."""

import os
import stat
import threading
from pathlib import Path

import pytest

from goodbot.errors import StoreFullError, StoreUnavailableError
from goodbot.files.atomic_file import atomic_file
from tests.support.waiting import HANGS


def test_what_goes_wrong_leaves_what_was_there(tmp_path: Path) -> None:
    """An error leaves the old content, and no temporary file."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"before")
    with pytest.raises(ZeroDivisionError), atomic_file(path) as file:  # noqa: PT012
        file.write(b"after")
        raise ZeroDivisionError
    assert path.read_bytes() == b"before"
    assert [one.name for one in tmp_path.iterdir()] == ["a.txt"]


def test_who_may_read_it_stays_so(tmp_path: Path) -> None:
    """A file that others cannot read is replaced by one that they cannot read."""
    path = tmp_path / "a.txt"
    path.touch(0o600)
    with atomic_file(path) as file:
        file.write(b"after")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """The file that it points to is replaced."""
    target, link = tmp_path / "a.txt", tmp_path / "link.txt"
    target.write_bytes(b"before")
    link.symlink_to(target)
    with atomic_file(link) as file:
        file.write(b"after")
    assert link.is_symlink()
    assert target.read_bytes() == b"after"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    """It is written to, not replaced."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    with atomic_file(pipe) as file:
        file.write(b"all")
    reader.join(HANGS)
    assert read == [b"all"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="this system has no /dev/full")
def test_a_full_device_is_reported() -> None:
    """A device that is full raises an error, and is not replaced by a file."""
    with pytest.raises(StoreFullError), atomic_file("/dev/full") as file:
        file.write(b"all")
    assert Path("/dev/full").is_char_device()


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """Writing to a folder raises an error."""
    with pytest.raises(StoreUnavailableError), atomic_file(tmp_path):
        pass
