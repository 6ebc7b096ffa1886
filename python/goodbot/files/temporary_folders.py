"""Folders of temporary files that are not left behind, also by a run that was killed.

Scope: whose a folder is. A run holds a lock in its folder as long as it lives, so that the next run
with the same beginning of its folders' names removes what a killed one has left, and nothing else.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from goodbot.files.filesystem import HERE

__all__ = ["temporary_folder"]

LOCK = "lock"
"""The file in a folder that its run has locked."""
OF_A_RUN = "goodbot-run-"
"""How the names of the folders begin in the system's folder of temporary files."""
TRIES = 10
NOT_FOLLOWED = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@contextmanager
def temporary_folder(parent: Path | None = None, prefix: str = OF_A_RUN) -> Iterator[Path]:
    """Make a folder for this run, and remove those of runs that were killed.

    Args:
        parent: The folder in which it is made; by default that of the system's temporary files.
        prefix: How its name begins. Others with this beginning are of the same kind of run.

    Raises:
        OSError: It cannot be made.

    >>> with temporary_folder() as folder:
    ...     folder.name.startswith(OF_A_RUN), os.listdir(folder)
    (True, ['lock'])
    >>> folder.exists()
    False
    """
    parent = Path(tempfile.gettempdir()) if parent is None else parent
    remove_left(parent, prefix)
    folder, lock = new_folder(parent, prefix)
    try:
        yield folder
    finally:
        remove(folder, lock)


def remove(folder: Path, lock: IO[bytes]) -> None:
    """Remove a folder, and then release its lock."""
    shutil.rmtree(folder, ignore_errors=True)
    lock.close()
    with suppress(OSError):  # where a file that is open cannot be removed
        shutil.rmtree(folder)


def new_folder(parent: Path, prefix: str) -> tuple[Path, IO[bytes]]:
    """Make a folder that no other has, and lock it; another run may remove it before that.

    Raises:
        OSError: It cannot be made.

    """
    for _ in range(TRIES - 1):
        with suppress(FileNotFoundError, BlockingIOError, PermissionError):
            return locked_folder(parent, prefix)
    return locked_folder(parent, prefix)


def locked_folder(parent: Path, prefix: str) -> tuple[Path, IO[bytes]]:
    """Make a folder and lock it.

    Raises:
        OSError: It cannot be made, or another run removes it.

    """
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    lock = (folder / LOCK).open("xb")
    try:
        HERE.lock(lock.fileno())
        (folder / LOCK).stat()
    except OSError:
        lock.close()
        raise
    return folder, lock


def remove_left(parent: Path, prefix: str) -> None:
    """Remove the folders of runs that were killed, by how their names begin; others stay."""
    if not parent.is_dir():
        return
    for folder in parent.iterdir():
        if folder.name.startswith(prefix) and is_own_folder(folder):
            with suppress(OSError):
                remove_if_left(folder)


def is_own_folder(path: Path) -> bool:
    """Return whether a name is that of a folder of this user, and not of a link to one."""
    try:
        facts = path.lstat()
    except OSError:
        return False
    is_mine = not hasattr(os, "geteuid") or facts.st_uid == os.geteuid()
    return stat.S_ISDIR(facts.st_mode) and is_mine


def remove_if_left(folder: Path) -> None:
    """Remove a folder whose run has ended.

    Raises:
        OSError: It goes on, or the folder cannot be removed.

    """
    try:
        descriptor = os.open(folder / LOCK, os.O_RDWR | NOT_FOLLOWED)
    except FileNotFoundError:
        folder.rmdir()  # a run was killed before it had a lock; what has other files is not ours
        return
    try:
        HERE.lock(descriptor)
        shutil.rmtree(folder, ignore_errors=os.name == "posix")
    finally:
        os.close(descriptor)
