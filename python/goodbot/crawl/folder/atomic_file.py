"""A file that is there whole or not at all."""

import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from goodbot.errors import StoreError, StoreFullError, StoreUnavailableError

__all__ = ["atomic_file"]

FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
OPEN_TO_ALL = 0o666


@contextmanager
def atomic_file(path: str | os.PathLike[str], *, follow: bool = True) -> Iterator[BinaryIO]:
    """Write a file under another name, and give it its own when all of it is on the disk.

    Whatever happens meanwhile, what stood there before is left as it was, and no half of a file is
    left anywhere.

    Args:
        path: The file; one that is there is replaced at the end.
        follow: Whether a link is followed, and a pipe or a device is written to. Where the name was
            not chosen by the user, it is replaced instead.

    Raises:
        StoreFullError: There is no room.
        StoreUnavailableError: It cannot be written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_file(f"{folder}/a.txt") as file:
    ...         _ = file.write(b"all")
    ...         before = os.path.exists(f"{folder}/a.txt")
    ...     before, Path(f"{folder}/a.txt").read_bytes(), os.listdir(folder)
    (False, b'all', ['a.txt'])
    """
    target = Path(path)
    if follow and target.exists() and not (target.is_file() or target.is_dir()):
        with device(target) as file:
            yield file
        return
    try:
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if follow:
            target = target.resolve()  # a link stays one
        number, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise told(error, target) from error
    try:
        with open(number, "wb") as file:  # noqa: PTH123  it is open already
            yield file
            file.flush()
            os.fchmod(number, rights_of(target, follow=follow))
            os.fsync(number)
        os.replace(name, target)  # noqa: PTH105  a name, not a path
    except OSError as error:
        raise told(error, target) from error
    finally:
        with suppress(OSError):
            os.unlink(name)  # noqa: PTH108  it is gone, if all went well


@contextmanager
def device(target: Path) -> Iterator[BinaryIO]:
    """Write to a pipe or a device, which is never replaced by a file."""
    try:
        with target.open("wb") as file:
            yield file
    except OSError as error:
        raise told(error, target) from error


def rights_of(target: Path, *, follow: bool) -> int:
    """Give the rights of the file that is replaced, or those that a new one has."""
    try:
        facts = target.stat() if follow else target.lstat()
    except FileNotFoundError:
        return OPEN_TO_ALL & ~umask()
    if stat.S_ISREG(facts.st_mode):
        return stat.S_IMODE(facts.st_mode)
    return OPEN_TO_ALL & ~umask()


def umask() -> int:
    """Give the mask of this process, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def told(error: OSError, target: Path) -> StoreError:
    """Say what went wrong, and what to do about it."""
    if error.errno in FULL:
        message = (
            f"there is no room left for {target}; make room, or name a file on another disk. "
            "Nothing of it was kept"
        )
        return StoreFullError(message)
    reason = error.strerror or type(error).__name__
    message = f"{target} cannot be written ({reason}); name a file in a folder that may be written"
    return StoreUnavailableError(message)
