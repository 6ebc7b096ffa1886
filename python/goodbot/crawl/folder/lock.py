"""The lock that allows one crawl at a time in a folder.

Scope: the lock. The system releases it when the process ends, however it ends.
"""

import os
from pathlib import Path
from types import TracebackType

from goodbot.crawl.folder.own_files import open_own
from goodbot.errors import StoreBusyError, StoreFullError, StoreUnavailableError
from goodbot.files.filesystem import HERE

__all__ = ["FolderLock"]

FILE = "crawl.lock"


class FolderLock:
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
            HERE.lock(self._file)
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

    def __enter__(self) -> "FolderLock":  # noqa: PYI034  Python 3.10 has no Self
        """Return the lock."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Release the lock."""
        self.close()
