"""The lock of a file that is written anew: one run at a time replaces it.

Scope: the lock. The system releases it when the process ends, however it ends. It is a file beside
the one that it is for, because that one is replaced, and it is removed in the end; the next run in
the folder removes what a killed one has left.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from goodbot.errors import StoreBusyError, StoreUnavailableError
from goodbot.files.filesystem import HERE
from goodbot.files.lock_attempt import HELD, lock_file

__all__ = ["writing_lock"]

PREFIX = ".goodbot-writing-"
FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
OPEN_TO_ALL = 0o666
DIGITS = 16


@contextmanager
def writing_lock(path: Path) -> Iterator[None]:
    """Hold the lock of a file.

    Args:
        path: The file, which need not exist; its folder must.

    Raises:
        StoreBusyError: Another run holds it.
        StoreUnavailableError: The folder cannot be written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a.txt"
    ...     with writing_lock(path):
    ...         try:
    ...             with writing_lock(path):
    ...                 pass
    ...         except StoreBusyError as error:
    ...             print(str(error).partition(" ")[2])
    ...     os.listdir(folder)
    is being written by another run; wait until that ends, and run the command again
    []
    """
    target = path.resolve()
    digest = hashlib.sha256(os.fsencode(target.name)).hexdigest()
    name = target.with_name(PREFIX + digest[:DIGITS])
    remove_left(target.parent)
    try:
        descriptor = locked(name)
    except OSError as error:
        if error.errno in HELD:
            message = (
                f"{path} is being written by another run; wait until that ends, and run the "
                "command again"
            )
            raise StoreBusyError(message) from error
        message = (
            f"{path} cannot be written: {name} cannot be locked ({error.strerror}); name a file in "
            "a folder you can write to"
        )
        raise StoreUnavailableError(message) from error
    try:
        yield
    finally:
        remove(name, descriptor)


def locked(name: Path) -> int:
    """Open a file for a lock and lock it; another run may remove it before that.

    Raises:
        OSError: Another run holds the lock, or the file cannot be opened.

    """
    while True:
        descriptor = os.open(name, FLAGS, OPEN_TO_ALL)
        try:
            lock_file(descriptor)
            if is_there(name, descriptor):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def remove(name: Path, descriptor: int) -> None:
    """Remove the file of a lock, and then release that."""
    with suppress(OSError):
        name.unlink()
    os.close(descriptor)
    if os.name == "nt":  # where a file that is open cannot be removed
        with suppress(OSError):
            name.unlink()


def remove_left(folder: Path) -> None:
    """Remove the files of locks that nobody holds."""
    for name in folder.glob(f"{PREFIX}*"):
        with suppress(OSError):
            descriptor = os.open(name, FLAGS & ~os.O_CREAT)
            try:
                HERE.lock(descriptor)
                is_left = is_there(name, descriptor)
            except OSError:
                is_left = False
            if is_left:
                remove(name, descriptor)
            else:
                os.close(descriptor)


def is_there(name: Path, descriptor: int) -> bool:
    """Return whether an open file still has its name, and no other run has removed it."""
    try:
        return os.path.samestat(os.fstat(descriptor), name.stat())
    except FileNotFoundError:
        return False
