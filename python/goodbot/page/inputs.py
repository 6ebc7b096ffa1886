"""What is handed to a page: checked, and taken for what it is."""

import re
from collections.abc import Collection
from datetime import timedelta
from typing import Any
from urllib.parse import SplitResult, urlsplit

from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.page.marks import MARKS

__all__ = [
    "checked",
    "checked_bytes",
    "days",
    "emptied",
    "evidently",
    "sniffed",
    "type_of",
    "urlsplit_safely",
]

ALL_MARKS = frozenset(mark.name for mark in MARKS)

BEGINNINGS = (
    (b"\x1f\x8b", "compressed by gzip: decode the body first (Content-Encoding)"),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd: decode the body first (Content-Encoding)"),
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG\r\n", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF8", "an image"),
    (b"PK\x03\x04", "a ZIP archive"),
)

TYPE = re.compile(r"(?:^|,)\s*([\w.+*!#$&^-]+/[\w.+*!#$&^-]+)")
UNKNOWN_TYPES = {"unknown/unknown", "application/unknown"}
"""They say that nobody knows (WHATWG MIME Sniffing, section 7)."""

FREED_AT_ONCE = 10_000
"""Items of a list: a few milliseconds."""

LONGEST_NUMBER = 5
"""Some centuries of days."""

XML_NAMES = (".xml", ".xhtml", ".rss", ".atom", ".svg", ".xht")


def checked(marks: Collection[str] | None) -> frozenset[str]:
    """Check the names of marks.

    Raises:
        WrongValueError: One is not in the table.

    """
    known = ALL_MARKS
    if marks is None:
        return known
    if isinstance(marks, str) or set(marks) - known:
        message = f"marks must be a collection of names; there are {', '.join(sorted(known))}"
        raise WrongValueError(message)
    return frozenset(marks)


def checked_bytes(body: object, what: str) -> bytes:
    """Take octets.

    Raises:
        WrongTypeError: There are none in it.

    """
    if isinstance(body, bytes):
        return body
    if isinstance(body, str):
        return body.encode("utf-8", "surrogatepass")
    try:
        return bytes(memoryview(body))  # type: ignore[arg-type]
    except TypeError:
        given = type(body).__name__
        message = (
            f"{what} must be bytes, str or a buffer, not {given}; "
            "read a file with open(path, 'rb').read()"
        )
        raise WrongTypeError(message) from None


def evidently(octets: bytes) -> str | None:
    r"""Say what octets are that are no text, if their beginning says it.

    >>> evidently(b"\x1f\x8b\x08 ...")
    'compressed by gzip: decode the body first (Content-Encoding)'
    """
    return next((what for start, what in BEGINNINGS if octets.startswith(start)), None)


def type_of(declared: str) -> str | None:
    """Give the type that a `Content-Type` names, the last that is one (Fetch standard, MIME types).

    >>> type_of("text/html, text/html charset=utf-8"), type_of("*/*"), type_of("unknown/unknown")
    ('text/html', None, None)
    """
    found = [one[1].lower() for one in TYPE.finditer(declared)]
    known = [one for one in found if "*" not in one and one not in UNKNOWN_TYPES]
    return known[-1] if known else None


def sniffed(url: str, octets: bytes) -> str:
    """Guess the type of a document whose type nobody states: by its beginning, then by its name."""
    # UTF-16 has a zero beside each of these letters.
    start = octets[:2048].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")
    if start.startswith((b"<?xml", b"<?robots")):
        return "application/xml"
    parts = urlsplit_safely(url)
    is_xml = parts is not None and parts.path.lower().endswith(XML_NAMES)
    is_html = b"<html" in start.lower() or b"<!doctype html" in start.lower()
    return "application/xml" if is_xml and not is_html else "text/html"


def urlsplit_safely(url: str) -> SplitResult | None:
    """Take a URL apart; `None` if it cannot be."""
    try:
        return urlsplit(url)
    except ValueError:
        return None


def days(text: str) -> timedelta | None:
    """Read `10 days`.

    Source: HTTP book, table 9-5, REVISIT-AFTER.

    >>> days("10 days"), days("soon")
    (datetime.timedelta(days=10), None)
    """
    number, _, unit = text.strip().partition(" ")
    is_number = number.isascii() and number.isdigit() and len(number) <= LONGEST_NUMBER
    if is_number and unit.strip().lower() in {"", "day", "days"}:
        return timedelta(days=int(number))
    return None


def emptied(*lists: list[Any]) -> None:
    """Empty long lists piece by piece: freed at once, a million items hold all other threads."""
    for one in lists:
        while one:
            del one[-FREED_AT_ONCE:]
