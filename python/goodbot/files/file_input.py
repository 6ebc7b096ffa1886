"""Files that a user names, read as bytes within a bound, and standard input for `-`.

Scope: it acts: it opens and reads.
"""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

__all__ = ["FILE_LIMIT", "NAME_OF_STANDARD_INPUT", "STANDARD_INPUT", "open_input", "read_input"]

STANDARD_INPUT = "-"
NAME_OF_STANDARD_INPUT = "standard input"
FILE_LIMIT = 64 * 1024 * 1024
"""The most bytes of a file that is read as a whole."""


@contextmanager
def open_input(source: str) -> Iterator[BinaryIO]:
    """Open a file, or standard input for `-`.

    Nothing is written while it is open, so every error is an error of reading.

    Raises:
        OSError: It cannot be opened or read. Its `filename` is set, unlike in errors of writing.

    """
    name = NAME_OF_STANDARD_INPUT if source == STANDARD_INPUT else source
    try:
        if source != STANDARD_INPUT:
            with open(source, "rb") as file:  # noqa: PTH123  pathlib changes "a//b" and ""
                yield file
        elif sys.stdin is None:
            raise OSError(errno.EBADF, "it is closed")  # noqa: TRY301  it gets its name below
        else:
            yield sys.stdin.buffer
    except OSError as error:
        if error.filename is None:
            raise OSError(error.errno, error.strerror, name) from error
        raise


def read_input(source: str) -> bytes:
    """Read a whole file, or all of standard input.

    Raises:
        OSError: It cannot be read, or is larger than the limit.

    """
    with open_input(source) as stream:
        content = stream.read(FILE_LIMIT + 1)
        if len(content) > FILE_LIMIT:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return content
