"""Arguments that name files or live sites, and lines of input, which have at most 1 MiB.

Scope: `goodbot.files.file_input` reads the files.
"""

import os
import re
import sys

from goodbot.errors import MisuseError
from goodbot.files.file_input import read_input

__all__ = [
    "BYTE_ORDER_MARK",
    "LINE_LIMIT",
    "as_utf_8",
    "document_in",
    "is_url",
    "standard_input_is_terminal",
]

LINE_LIMIT = 1024 * 1024
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def standard_input_is_terminal() -> bool:
    """Return whether a person would have to type; also true if standard input is closed."""
    return sys.stdin is None or sys.stdin.isatty()


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


def document_in(argument: str, option: str) -> tuple[str, bytes]:
    """Return the URL and the content of a document that an option names.

    Raises:
        MisuseError: It is not written as URL=FILE.
        OSError: The file cannot be read.

    """
    url, _, file = argument.rpartition("=")
    if "://" not in url or not file:
        message = f"write --{option} as URL=FILE, not {argument}"
        raise MisuseError(message)
    return url, read_input(file)
