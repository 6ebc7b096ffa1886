"""The folder of temporary files beside a table that is written.

Scope: its name and its errors. `goodbot.files.temporary_folders` removes what killed runs have
left.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from goodbot.files.atomic_file import store_error
from goodbot.files.filesystem import HERE
from goodbot.files.temporary_folders import temporary_folder


@contextmanager
def beside(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Make a temporary folder beside a file, and remove those of runs that were killed.

    A failure to write in it is one of the file's disk.

    Raises:
        StoreFullError: The disk is full.
        StoreUnavailableError: It cannot be written.

    """
    target = Path(path)
    target = target if HERE.is_device(target) else target.resolve()
    folder = ""
    try:
        with temporary_folder(target.parent, f".{target.name}.goodbot-") as made:
            folder = str(made)
            yield made
    except OSError as error:
        if folder and error.filename is not None and not str(error.filename).startswith(folder):
            raise
        raise store_error(error, Path(path)) from error
