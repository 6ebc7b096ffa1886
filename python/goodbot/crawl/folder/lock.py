"""The lock that allows one crawl at a time in a folder.

Scope: the lock. The system releases it when the process ends, however it ends.
"""

import os
from contextlib import suppress
from pathlib import Path

from goodbot.closing import Closing
from goodbot.crawl.folder.own_files import open_own
from goodbot.errors import StoreBusyError, StoreFullError, StoreUnavailableError
from goodbot.files.filesystem import HERE
from goodbot.files.lock_attempt import HELD, lock_file

__all__ = ["FolderLock", "find_holder"]

FILE = "crawl.lock"
LONGEST_NUMBER = 20


class FolderLock(Closing):
    """A lock on a folder, held by one process.

    Raises:
        NotAStoreError: The lock file is a link.
        StoreBusyError: Another crawl is running in the folder.
        StoreFullError: The disk is full.
        StoreUnavailableError: The folder cannot be written.

    """

    def __init__(self, folder: Path) -> None:
        """Acquire the lock, or raise."""
        self._path = folder / FILE
        try:
            self._file = open_own(folder, FILE, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            message = f"{self._path} cannot be written ({error.strerror}); name another folder"
            raise StoreUnavailableError(message) from error
        try:
            lock_file(self._file)
        except OSError as error:
            self.close()
            message = f"another crawl is running in {folder}; wait until it ends, or stop it"
            raise StoreBusyError(message) from error
        try:
            os.ftruncate(self._file, 0)
            os.write(self._file, f"{os.getpid()}\n".encode("ascii"))
        except OSError as error:
            self.close()
            message = (
                f"there is no room for {self._path}; make room on its disk, and run the command "
                "again"
            )
            raise StoreFullError(message) from error

    def close(self) -> None:
        """Release the lock; closing it again does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def find_holder(folder: Path) -> tuple[bool, int | None]:
    """Return whether a crawl is running in a folder, and the number of its process.

    The number is the one that the process has where it runs, for example in its container; `None`
    if it is not known. Where the lock cannot be probed, no crawl counts as running.

    Raises:
        NotAStoreError: The lock file is a link.

    """
    try:
        descriptor = open_own(folder, FILE)
    except OSError:  # no crawl has begun there, or only its user may read it
        return False, None
    try:
        HERE.lock(descriptor)
    except OSError as error:
        if error.errno not in HELD:
            return False, None
        with suppress(OSError, ValueError):
            return True, int(os.read(descriptor, LONGEST_NUMBER))
        return True, None
    finally:
        os.close(descriptor)
    return False, None
