"""Checks and conversions of the arguments of a page, and the type of its content."""

import re
from collections.abc import Collection, Iterable
from datetime import timedelta
from functools import lru_cache
from typing import Any
from urllib.parse import SplitResult, urlsplit

from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.argument_checks import list_of_str
from goodbot.page.marks import MARKS, PROFILE_URIS

__all__ = [
    "checked",
    "checked_bytes",
    "checked_uris",
    "days",
    "emptied",
    "evidently",
    "is_xml",
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
ALL_BEGINNINGS = tuple(start for start, _ in BEGINNINGS)

TYPE = re.compile(r"(?:^|,)\s*([\w.+*!#$&^-]+/[\w.+*!#$&^-]+)")
UNKNOWN_TYPES = {"unknown/unknown", "application/unknown"}
"""Types that a server sends when it does not know the type (WHATWG MIME Sniffing, section 7)."""

FREED_AT_ONCE = 10_000
"""The most items of a list that are freed in one step, which takes a few milliseconds."""

LONGEST_NUMBER = 5
"""The most digits of a number of days: enough for some centuries."""

XML_NAMES = (".xml", ".xhtml", ".rss", ".atom", ".svg", ".xht", ".xsl", ".xslt", ".rdf", ".wml")

XML_TYPES = frozenset({
    # RFC 7303 section 9: entities, and DTDs.
    "text/xml-external-parsed-entity",
    "application/xml-external-parsed-entity",
    "application/xml-dtd",
    # XSLT as browsers label it (XSLT 1.0 itself says text/xml), and the WML 1.3 family.
    "text/xsl",
    "text/vnd.wap.wml",
    "text/vnd.wap.si",
    "text/vnd.wap.sl",
    # Names that were used before a registration, or that were never registered.
    "text/x-xml",
    "application/x-xml",
    "text/rss",
    "application/rss",
    "text/atom",
    "application/atom",
    "text/rdf",
    "application/rdf",
    "application/x-rss",
    "application/xslt",
    "image/svg",
    "image/svg-xml",
})  # fmt: skip
"""XML types that end neither in `/xml` nor in `+xml`."""

LOOKED_AT = 64 * 1024
"""The number of bytes that are read to guess the type of a document."""

MISC = re.compile(r"\s+|<!--.*?-->|<\?.*?\?>", re.DOTALL)
"""White space, comment or instruction before the root element (XML 1.0, production 27)."""

OPENING = re.compile(r"<(!DOCTYPE\s+)?([\w:][\w:.-]*)([^>]*)", re.IGNORECASE)
"""The start of a document type or root element: which of the two, its name, its attributes."""

XML_ROOTS = frozenset({
    "rss", "feed", "rdf:rdf", "urlset", "sitemapindex", "svg", "wml", "opml",
    "xsl:stylesheet", "xsl:transform",
})  # fmt: skip
"""Root elements known from XML, in lower case (WHATWG MIME Sniffing, section 7.4, and similar)."""


def checked(marks: Collection[str] | None) -> frozenset[str]:
    """Check the names of marks; `None` stands for all of them.

    Raises:
        WrongTypeError: `marks` is not a list of `str`.
        WrongValueError: There is no mark of one of these names.

    """
    if marks is None:
        return ALL_MARKS
    found = list_of_str("marks", marks, such_as="['nofollow', 'ugc']")
    unknown = next((name for name in found if name not in ALL_MARKS), None)
    if unknown is not None:
        names = ", ".join(sorted(ALL_MARKS))
        message = f"there is no mark {unknown[:60]!r}; choose from {names}"
        raise WrongValueError(message)
    return frozenset(found)


def checked_uris(uris: Iterable[str]) -> tuple[str, ...]:
    """Check the URIs by which documents name the Robot Exclusion Profile.

    Raises:
        WrongTypeError: `uris` is not a list of `str`.

    """
    if uris is PROFILE_URIS:  # the default, with which nearly all pages are read
        return PROFILE_URIS
    return list_of_str("profile_uris", uris, such_as="['http://example.org/profile#']")


def checked_bytes(body: object, what: str) -> bytes:
    """Return the bytes of a `str`, encoded as UTF-8, or of any buffer.

    Raises:
        WrongTypeError: `body` is neither a `str` nor a buffer.

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


def evidently(content: bytes) -> str | None:
    r"""Return what content is, if its first bytes show that it is not text; else `None`.

    >>> evidently(b"\x1f\x8b\x08 ...")
    'compressed by gzip: decode the body first (Content-Encoding)'
    """
    if not content.startswith(ALL_BEGINNINGS):
        return None
    return next(what for start, what in BEGINNINGS if content.startswith(start))


@lru_cache(maxsize=64)
def type_of(declared: str) -> str | None:
    """Return the last valid type in a `Content-Type` value (Fetch standard, MIME types).

    >>> type_of("text/html, text/html charset=utf-8"), type_of("*/*"), type_of("unknown/unknown")
    ('text/html', None, None)
    """
    found = [one[1].lower() for one in TYPE.finditer(declared)]
    known = [one for one in found if "*" not in one and one not in UNKNOWN_TYPES]
    return known[-1] if known else None


def is_xml(kind: str) -> bool:
    """Return whether a type is an XML type.

    >>> is_xml("application/xhtml+xml"), is_xml("text/xsl"), is_xml("text/html")
    (True, True, False)

    Source: RFC 7303, sections 4.2 and 9.
    """
    return kind.endswith(("/xml", "+xml")) or kind in XML_TYPES


def sniffed(url: str, content: bytes) -> str:
    """Guess the type of a document from its first bytes, or else from the name in its URL.

    A document is read as XML if it has an XML declaration or a robots processing instruction before
    its root element, a document type other than HTML's, or a root element other than HTML's that is
    known from XML or that declares a namespace.

    >>> sniffed("https://a.example/", b"<!-- news --><rss version='2.0'>")
    'application/xml'
    >>> sniffed("https://a.example/", b"<!-- news --><html xmlns='http://www.w3.org/1999/xhtml'>")
    'text/html'
    """
    # In UTF-16 there is a zero byte next to each of these letters.
    start = content[:LOOKED_AT].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe")
    found = begins_as(start.decode("latin-1"))
    if found is None:
        parts = urlsplit_safely(url)
        is_named = parts is not None and parts.path.lower().endswith(XML_NAMES)
        found = is_named and not re.search(rb"<(?:!doctype )?html", start[:2048], re.IGNORECASE)
    return "application/xml" if found else "text/html"


def begins_as(text: str) -> bool | None:
    """Return whether a document begins as XML does; `None` if its beginning does not show it."""
    at = 0
    while (misc := MISC.match(text, at)) is not None:
        if misc[0].startswith(("<?xml", "<?robots")):
            return True
        at = misc.end()
    opening = OPENING.match(text, at)
    if opening is None:
        return None
    is_type, name, behind = opening[1] is not None, opening[2].lower(), opening[3]
    if is_type or name == "html":
        return name != "html"
    return True if name in XML_ROOTS or "xmlns" in behind else None


def urlsplit_safely(url: str) -> SplitResult | None:
    """Split a URL; return `None` if it is malformed."""
    try:
        return urlsplit(url)
    except ValueError:
        return None


def days(text: str) -> timedelta | None:
    """Parse a number of days such as `10 days`; return `None` for anything else.

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
    """Empty long lists piece by piece: freeing a million items at once blocks all other threads."""
    for one in lists:
        while one:
            del one[-FREED_AT_ONCE:]
