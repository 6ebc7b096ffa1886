"""What systems do differently with files: locks, names on disk, replacing what is open.

Scope: one class for POSIX and one for Windows, with the same methods. `HERE` is the one to use.
"""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path, PureWindowsPath
from types import ModuleType
from typing import Any

__all__ = ["HERE", "Posix", "Windows"]


class Posix:
    """Files on Linux, macOS and the like.

    Args:
        fcntl: The module of that name.
    """

    def __init__(self, fcntl: Any) -> None:  # noqa: ANN401  a module, or a fake of it
        """Keep the module."""
        self._fcntl = fcntl

    def lock(self, descriptor: int) -> None:
        """Lock an open file for this process, until it is closed.

        Raises:
            OSError: Another process holds the lock.

        """
        self._fcntl.flock(descriptor, self._fcntl.LOCK_EX | self._fcntl.LOCK_NB)

    def set_mode(self, descriptor: int, mode: int) -> None:
        """Set the permissions of an open file."""
        os.fchmod(descriptor, mode)

    def replace(self, source: str | Path, target: str | Path) -> None:
        """Rename a file; what has the name is replaced."""
        os.replace(source, target)  # noqa: PTH105  also for names

    def sync_folder(self, folder: Path) -> None:
        """Make new names in a folder survive a power cut, where the system can."""
        with suppress(OSError):  # some systems open no folder
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def is_device(self, path: Path) -> bool:
        """Whether a name is that of a pipe or a device, which no file can replace."""
        return path.exists() and not (path.is_file() or path.is_dir())


class Windows:
    """Files on Windows.

    Args:
        msvcrt: The module of that name.
        replace: `os.replace`.
        sleep: `time.sleep`.
    """

    LOCKED_BYTE = 0x7FFF_FFFE
    """The byte that is locked: far behind what is written, as a locked byte cannot be read."""
    TRIES = 10
    PAUSE = 0.05
    """Seconds between two tries. Virus scanners and indexers hold a new file for a moment."""
    RESERVED = frozenset(
        ["con", "prn", "aux", "nul", "conin$", "conout$"]
        + [f"{port}{number}" for port in ("com", "lpt") for number in (*range(1, 10), *"¹²³")]
    )
    """Names of devices, with any extension (Microsoft, Naming Files, Paths, and Namespaces)."""

    def __init__(
        self,
        msvcrt: Any,  # noqa: ANN401  a module, or a fake of it
        replace: Callable[[str | Path, str | Path], None] = os.replace,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Keep the functions of the system."""
        self._msvcrt, self._replace, self._sleep = msvcrt, replace, sleep

    def lock(self, descriptor: int) -> None:
        """Lock an open file for this process, until it is closed.

        Raises:
            OSError: Another process holds the lock.

        """
        os.lseek(descriptor, self.LOCKED_BYTE, os.SEEK_SET)
        try:
            self._msvcrt.locking(descriptor, self._msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)

    def set_mode(self, descriptor: int, mode: int) -> None:
        """Leave the permissions as they are: a new file has those of its folder."""

    def replace(self, source: str | Path, target: str | Path) -> None:
        """Rename a file; what has the name is replaced, once no one holds it open.

        Raises:
            OSError: It is still held open after half a second, or cannot be replaced at all.

        """
        for _ in range(self.TRIES - 1):
            with suppress(PermissionError):
                self._replace(source, target)
                return
            self._sleep(self.PAUSE)
        self._replace(source, target)

    def sync_folder(self, folder: Path) -> None:
        """Do nothing: NTFS keeps a journal of names, and folders cannot be opened."""

    def is_device(self, path: Path) -> bool:
        """Whether a name is reserved for a device: `NUL`, `com1.txt`, in any folder."""
        name = PureWindowsPath(path).name.partition(".")[0].rstrip(" ")
        return name.casefold() in self.RESERVED


class Unlocked(Posix):
    """Files on a system with neither module, which has one process."""

    def lock(self, descriptor: int) -> None:
        """Do nothing."""


def filesystem(name: str, load: Callable[[str], ModuleType]) -> Posix | Windows:
    """Return the class for a system.

    Args:
        name: `os.name` of the system.
        load: Loads a module by its name, as `importlib.import_module`.

    """
    if name == "nt":
        return Windows(load("msvcrt"))
    try:
        return Posix(load("fcntl"))
    except ImportError:
        return Unlocked(None)


HERE = filesystem(os.name, import_module)
"""The class for this system."""
