"""What is handed to a page: checked, and taken for what it is."""

from bisect import bisect_left
from collections.abc import Collection
from datetime import timedelta
from urllib.parse import SplitResult, urlsplit

from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.page.marks import MARKS

__all__ = [
    "checked",
    "days",
    "line_ends",
    "line_of",
    "octets_of",
    "sniffed",
    "urlsplit_safely",
]

LONGEST_NUMBER = 5
"""Some centuries of days."""

XML_NAMES = (".xml", ".xhtml", ".rss", ".atom", ".svg", ".xht")


def checked(marks: Collection[str] | None) -> frozenset[str]:
    """Check the names of marks.

    Raises:
        WrongValueError: One is not in the table.

    """
    known = frozenset(mark.name for mark in MARKS)
    if marks is None:
        return known
    if isinstance(marks, str) or set(marks) - known:
        message = f"marks must be a collection of names; there are {', '.join(sorted(known))}"
        raise WrongValueError(message)
    return frozenset(marks)


def octets_of(body: object, what: str) -> bytes:
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


def sniffed(url: str, octets: bytes) -> str:
    """Guess the type of a document whose type nobody states: by its beginning, then by its name."""
    start = octets[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
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


def line_ends(body: bytes) -> list[int]:
    """Find where lines end."""
    ends, at = [], body.find(b"\n")
    while at >= 0:
        ends.append(at)
        at = body.find(b"\n", at + 1)
    return ends


def line_of(ends: list[int], place: int) -> int:
    """Give the number of the line that an octet stands in."""
    return bisect_left(ends, place) + 1
