"""One crawl at a time in one folder.

What may live here: the lock, which ends with the process, however that ends.
"""

import os
from pathlib import Path
from types import TracebackType
from typing import IO

from goodbot.errors import StoreBusyError, StoreUnavailableError

try:
    import fcntl
except ImportError:  # pragma: no cover  Windows: a file that is open cannot be removed there
    fcntl = None  # type: ignore[assignment]

__all__ = ["FolderLock"]

FILE = "crawl.lock"


class FolderLock:
    """Holds a folder for one process.

    Raises:
        StoreBusyError: Another process crawls in the folder.
        StoreUnavailableError: The folder cannot be written.

    """

    def __init__(self, folder: Path) -> None:
        """Take the lock, or raise."""
        self._path = folder / FILE
        try:
            self._file: IO[str] = self._path.open("a+", encoding="ascii")
        except OSError as error:
            message = f"{self._path} cannot be written ({error.strerror}); name another folder"
            raise StoreUnavailableError(message) from error
        try:
            if fcntl is not None:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            message = f"another crawl is at work in {folder}; wait for its end, or end it"
            raise StoreBusyError(message) from error
        self._file.truncate(0)
        self._file.write(f"{os.getpid()}\n")
        self._file.flush()

    def close(self) -> None:
        """Let go."""
        self._file.close()

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
