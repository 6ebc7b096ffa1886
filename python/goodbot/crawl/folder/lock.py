"""One crawl at a time in one folder.

What may live here: the lock, which ends with the process, however that ends.
"""

import os
from pathlib import Path
from types import TracebackType

from goodbot.crawl.folder.own_files import open_own
from goodbot.errors import StoreBusyError, StoreFullError, StoreUnavailableError

try:
    import fcntl
except ImportError:  # pragma: no cover  Windows: a file that is open cannot be removed there
    fcntl = None  # type: ignore[assignment]

__all__ = ["FolderLock"]

FILE = "crawl.lock"


class FolderLock:
    """Holds a folder for one process.

    Raises:
        NotAStoreError: The file of the lock is a link.
        StoreBusyError: Another process crawls in the folder.
        StoreFullError: There is no room.
        StoreUnavailableError: The folder cannot be written.

    """

    def __init__(self, folder: Path) -> None:
        """Take the lock, or raise."""
        self._path = folder / FILE
        try:
            self._file = open_own(folder, FILE, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            message = f"{self._path} cannot be written ({error.strerror}); name another folder"
            raise StoreUnavailableError(message) from error
        try:
            if fcntl is not None:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self.close()
            message = f"another crawl is at work in {folder}; wait for its end, or end it"
            raise StoreBusyError(message) from error
        try:
            os.ftruncate(self._file, 0)
            os.write(self._file, f"{os.getpid()}\n".encode("ascii"))
        except OSError as error:
            self.close()
            message = f"there is no room for {self._path}; make room on its disk, and run it again"
            raise StoreFullError(message) from error

    def close(self) -> None:
        """Let go. Closing again does nothing."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> "FolderLock":  # noqa: PYI034  Python 3.10 has no Self
        """Give itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Let go."""
        self.close()
