"""From the values of options to those of settings.

Scope: one function for each kind of value. `option_rows` says which option has which.
"""

import os
import re
from collections.abc import Sequence

import goodbot
from goodbot.cli.advice.suggestion import suggest
from goodbot.cli.shared.input_files import as_utf_8
from goodbot.crawl.verbs.crawl_view.option_kinds import NONE
from goodbot.files.file_input import read_input
from goodbot.http.address import address_of, spelling_of

__all__ = [
    "is_none",
    "start_in",
    "to_bytes",
    "to_content",
    "to_origins",
    "to_traps",
    "to_types",
    "urls_in",
]

MEGABYTE = 1_000_000
"""Bytes in a megabyte."""
COMMENT = re.compile(r"(^|\s)#.*")
"""Within a line of a file with URLs."""


def is_none(flag: str, words: Sequence[str]) -> bool:
    """Return whether the values of an option are the word `none` alone.

    Raises:
        MisuseError: `none` is one of several values.

    """
    has_none = any(word.strip().casefold() == NONE for word in words)
    if has_none and len(words) > 1:
        message = f"{flag} {NONE} stands alone; omit it, or omit the other values of {flag}"
        raise goodbot.MisuseError(message)
    return has_none


def to_bytes(megabytes: float) -> int:
    """Convert megabytes to bytes, at least 1."""
    return max(int(megabytes * MEGABYTE), 1)


def to_content(path: str) -> bytes:
    """Return the content of a file.

    Raises:
        MisuseError: It is a directory, or too large.
        OSError: It cannot be read.

    """
    return read_input(path)


def to_origins(urls: Sequence[str]) -> list[str]:
    """Return the origins of URLs.

    Raises:
        MisuseError: One of them is not a URL; the message says what to write.

    """
    return [start_in(url)[0] for url in urls]


def to_traps(words: Sequence[str]) -> list[str]:
    """Return the traps that lists separated by commas name.

    >>> to_traps(["calendar, session-id"])
    ['calendar', 'session-id']

    Raises:
        WrongValueError: A trap does not exist.

    """
    from goodbot.crawl.frontier.traps import (  # noqa: PLC0415  slow to load, and seldom needed
        TRAPS,
        trap_names,
    )

    names = [name.strip() for word in words for name in word.split(",")]
    if names == ["all"]:
        return list(TRAPS)
    trap_names(names)
    return names


def to_types(words: Sequence[str]) -> list[str]:
    """Return the types that lists separated by commas name.

    >>> to_types(["html, pdf", "image/*"])
    ['html', 'pdf', 'image/*']

    Raises:
        WrongValueError: A type does not exist.

    """
    from goodbot.page.media_types import type_names  # noqa: PLC0415  slow to load, seldom needed

    return list(type_names(name for word in words for name in word.split(",")))


def urls_in(file: str) -> list[str]:
    """Return the lines of a file that are neither empty nor comments.

    A comment begins with `#` at the start of a line, or after a space: no URL has a space.

    Args:
        file: Its path; `-` is standard input.

    Raises:
        MisuseError: It has none, or is not UTF-8.

    """
    try:
        text = read_input(file).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"{file} is not UTF-8; save it as UTF-8, one URL a line"
        raise goodbot.MisuseError(message) from error
    lines = [line for one in text.splitlines() if (line := COMMENT.sub("", one).strip())]
    if not lines:
        message = f"{file} has no URL; write one a line"
        raise goodbot.MisuseError(message)
    return lines


def start_in(word: str) -> tuple[str, str]:
    """Return the origin and the URL of an argument.

    Raises:
        MisuseError: It is not a URL; the message says what to write.
        NoOriginError: It is a URL that no site can have.

    """
    word = as_utf_8(word)
    if "://" in word or word.lower().startswith(("http:", "https:")):
        return address_of(word)[0], spelling_of(word) or word
    if os.path.isfile(word):  # noqa: PTH113  it may be no valid path
        message = (
            f"{word} is a file, and a crawl starts at a URL such as https://example.com/. To read "
            f"a robots.txt file: {suggest(word, verb='rules', keep=('robot', 'dialect'))}"
        )
    elif word.startswith("/"):
        message = f"{word} is a path; write a whole URL such as https://example.com{word}"
    else:
        message = f"{word} has no scheme; write https://{word}"
    raise goodbot.MisuseError(message)
