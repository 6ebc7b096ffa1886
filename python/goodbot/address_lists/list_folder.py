"""The copies of lists of addresses on disk, in the cache of the user.

Scope: where the cache is, and one small file for each list. A file that cannot be read is no copy.
"""

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from goodbot.bots.list_copy import ListCopy
from goodbot.errors import StoreUnavailableError, WrongValueError
from goodbot.files.filesystem import HERE
from goodbot.files.user_folders import cache_folder

__all__ = ["ListFolder"]

LARGEST_FILE = 16 * 1024 * 1024
"""The most bytes of a file that is read: a list has at most 8 MiB."""


class ListFolder:
    """The copies of lists of addresses in a folder.

    Args:
        folder: The folder; by default `address-lists` in `cache_folder()`. It is made when the
            first copy is written.

    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        """Keep the name of the folder."""
        self.folder = cache_folder() / "address-lists" if folder is None else Path(folder)

    def path_of(self, url: str) -> Path:
        """Return the file of a list."""
        return self.folder / f"{hashlib.sha256(url.encode()).hexdigest()[:32]}.json"

    def read(self, url: str) -> ListCopy | None:
        """Return the copy of a list; `None` if there is none that can be read.

        Args:
            url: The address of the list.

        """
        try:
            with self.path_of(url).open("rb") as file:
                content = file.read(LARGEST_FILE)
            copy = ListCopy.from_record(json.loads(content))
        except (OSError, ValueError, RecursionError, WrongValueError):
            return None
        return copy if copy.url == url else None

    def write(self, copy: ListCopy) -> None:
        """Write the copy of a list: all of it, or nothing.

        Raises:
            StoreUnavailableError: The folder cannot be made or written; the message names it.

        """
        content = json.dumps(copy.as_record()).encode()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=self.folder, suffix=".new", delete=False) as file:
                file.write(content)
            HERE.replace(file.name, self.path_of(copy.url))
        except OSError as error:
            with suppress(OSError, UnboundLocalError):
                Path(file.name).unlink()
            message = (
                f"the cache {self.folder} cannot be written ({error.strerror}); "
                "make it writable, or name another folder with XDG_CACHE_HOME"
            )
            raise StoreUnavailableError(message) from error
