"""Write a file atomically: it is replaced as a whole or not at all."""

import errno
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from goodbot.errors import StoreError, StoreFullError, StoreUnavailableError
from goodbot.files.filesystem import HERE

__all__ = ["atomic_file"]

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
OPEN_TO_ALL = 0o666


@contextmanager
def atomic_file(
    path: str | os.PathLike[str],
    *,
    follow: bool = True,
    waiting_in: Path | None = None,
    check: Callable[[], None] | None = None,
) -> Iterator[BinaryIO]:
    """Write a temporary file, and rename it to its final name once all of it is on disk.

    If anything fails, the previous file is left as it was and the temporary file is removed.

    Args:
        path: The file to write. An existing file is replaced at the end.
        follow: Whether to follow a symbolic link, and to write into a pipe or a device. Pass false
            if the user did not choose the name: whatever has that name is then replaced.
        waiting_in: The folder of the temporary file, on the same disk; by default that of the file.
        check: Called directly before the file gets its name; if it raises, nothing is replaced.

    Raises:
        StoreFullError: The disk is full.
        StoreUnavailableError: The file cannot be written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_file(f"{folder}/a.txt") as file:
    ...         _ = file.write(b"all")
    ...         before = os.path.exists(f"{folder}/a.txt")
    ...     before, Path(f"{folder}/a.txt").read_bytes(), os.listdir(folder)
    (False, b'all', ['a.txt'])
    """
    target = Path(path)
    if follow and HERE.is_device(target):
        with device(target) as file:
            yield file
        return
    try:
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if follow:
            target = target.resolve()  # keep the link, replace what it points to
        number, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=waiting_in or target.parent)
    except OSError as error:
        raise store_error(error, target) from error
    try:
        with open(number, "wb") as file:  # noqa: PTH123  a descriptor
            yield file
            file.flush()
            HERE.set_mode(number, mode_of(target, follow=follow))
            os.fsync(number)
        if check is not None:
            check()
        HERE.replace(name, target)
    except OSError as error:
        raise store_error(error, target) from error
    finally:
        with suppress(OSError):
            os.unlink(name)  # noqa: PTH108  already renamed if all went well


@contextmanager
def device(target: Path) -> Iterator[BinaryIO]:
    """Open a pipe or a device for writing; it is never replaced by a file."""
    try:
        with target.open("wb") as file:
            yield file
    except OSError as error:
        raise store_error(error, target) from error


def mode_of(target: Path, *, follow: bool) -> int:
    """Return the permissions of the file that is replaced, or those of a new file."""
    try:
        facts = target.stat() if follow else target.lstat()
    except FileNotFoundError:
        return OPEN_TO_ALL & ~umask()
    if stat.S_ISREG(facts.st_mode):
        return stat.S_IMODE(facts.st_mode)
    return OPEN_TO_ALL & ~umask()


def umask() -> int:
    """Return the umask of this process, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def store_error(error: OSError, target: Path) -> StoreError:
    """Return the error to raise; its message says how to fix it."""
    if error.errno in FULL:
        message = (
            f"the disk is full, so {target} was not written; make room, or name a file on another "
            "disk"
        )
        return StoreFullError(message)
    reason = error.strerror or type(error).__name__
    message = f"{target} cannot be written ({reason}); name a file in a folder you can write to"
    return StoreUnavailableError(message)
