"""The lock of a file that is written anew."""

import multiprocessing
import os
from pathlib import Path

import pytest

from goodbot.errors import StoreBusyError, StoreUnavailableError
from goodbot.files.writing_lock import PREFIX, writing_lock


def hold(path: Path) -> None:
    """Hold a lock, and end as if killed."""
    with writing_lock(path):
        os._exit(0)


def test_each_file_has_a_lock_of_its_own(tmp_path: Path) -> None:
    """By whatever name or link; nothing is left in the end."""
    (tmp_path / "a").write_text("")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with writing_lock(tmp_path / "a"), writing_lock(tmp_path / "b"):
        with pytest.raises(StoreBusyError), writing_lock(tmp_path / "link"):
            pass
        assert len([*tmp_path.glob(f"{PREFIX}*")]) == 2
    assert {one.name for one in tmp_path.iterdir()} == {"a", "link"}


def test_what_a_killed_run_left_is_removed(tmp_path: Path) -> None:
    """By the next run in the folder, whichever file it writes."""
    process = multiprocessing.get_context("fork").Process(target=hold, args=(tmp_path / "a",))
    process.start()
    process.join()
    assert len([*tmp_path.iterdir()]) == 1
    with writing_lock(tmp_path / "b"):
        assert len([*tmp_path.iterdir()]) == 1
    assert [*tmp_path.iterdir()] == []


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    """The message says what to do."""
    with (
        pytest.raises(StoreUnavailableError, match="name a file in a folder you can write to"),
        writing_lock(tmp_path / "missing" / "a"),
    ):
        pass
