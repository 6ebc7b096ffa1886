"""Input: files, as bytes; whether an argument names a file or a live site.

Every input is bounded: a file by 64 MiB, a line by 1 MiB.
"""

import errno
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

__all__ = [
    "BYTE_ORDER_MARK",
    "FILE_LIMIT",
    "LINE_LIMIT",
    "NAME_OF_STANDARD_INPUT",
    "STANDARD_INPUT",
    "as_utf_8",
    "is_url",
    "opened",
    "read_input",
    "standard_input_is_terminal",
]

STANDARD_INPUT = "-"
NAME_OF_STANDARD_INPUT = "standard input"
FILE_LIMIT = 64 * 1024 * 1024
LINE_LIMIT = 1024 * 1024
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def standard_input_is_terminal() -> bool:
    """Return whether a person would have to type; also true if standard input is closed."""
    return sys.stdin is None or sys.stdin.isatty()


@contextmanager
def opened(source: str) -> Iterator[BinaryIO]:
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
    with opened(source) as stream:
        content = stream.read(FILE_LIMIT + 1)
        if len(content) > FILE_LIMIT:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return content


def as_utf_8(url: str) -> str:
    """Decode an argument as UTF-8; other bytes are percent-encoded."""
    text = os.fsencode(url).decode("utf-8", "surrogateescape")
    return re.sub("[\udc80-\udcff]", lambda found: f"%{ord(found[0]) - 0xDC00:02X}", text)


def is_url(argument: str) -> bool:
    """Return whether an argument is a URL of http or https, and no file has this name.

    >>> is_url("https://example.com/"), is_url("robots.txt")
    (True, False)
    """
    scheme = argument.partition("://")[0].lower()
    return scheme in {"http", "https"} and scheme != argument and not os.path.exists(argument)  # noqa: PTH110  a URL is no path
