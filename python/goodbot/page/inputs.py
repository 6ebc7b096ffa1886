"""What is handed to a page: checked, and taken for what it is."""

import re
from collections.abc import Collection, Iterable
from datetime import timedelta
from typing import Any
from urllib.parse import SplitResult, urlsplit

from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.page.marks import MARKS

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

TYPE = re.compile(r"(?:^|,)\s*([\w.+*!#$&^-]+/[\w.+*!#$&^-]+)")
UNKNOWN_TYPES = {"unknown/unknown", "application/unknown"}
"""They say that nobody knows (WHATWG MIME Sniffing, section 7)."""

FREED_AT_ONCE = 10_000
"""Items of a list: a few milliseconds."""

LONGEST_NUMBER = 5
"""Some centuries of days."""

XML_NAMES = (".xml", ".xhtml", ".rss", ".atom", ".svg", ".xht", ".xsl", ".xslt", ".rdf", ".wml")

XML_TYPES = frozenset({
    # RFC 7303 section 9: entities, and DTDs.
    "text/xml-external-parsed-entity",
    "application/xml-external-parsed-entity",
    "application/xml-dtd",
    # XSLT as browsers know it (XSLT 1.0 itself says text/xml), and WML 1.3 and its kin.
    "text/xsl",
    "text/vnd.wap.wml",
    "text/vnd.wap.si",
    "text/vnd.wap.sl",
    # Names from before a registration, or without one.
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
"""Types of XML that end neither in `/xml` nor in `+xml`."""

LOOKED_AT = 64 * 1024
"""Bytes of a document without a type that are looked at."""

MISC = re.compile(r"\s+|<!--.*?-->|<\?.*?\?>", re.DOTALL)
"""What may stand before the document type or the root element (XML 1.0, production 27)."""

OPENING = re.compile(r"<(!DOCTYPE\s+)?([\w:][\w:.-]*)([^>]*)", re.IGNORECASE)
"""How a document type or the root element begins: which of them, the name, what follows."""

XML_ROOTS = frozenset({
    "rss", "feed", "rdf:rdf", "urlset", "sitemapindex", "svg", "wml", "opml",
    "xsl:stylesheet", "xsl:transform",
})  # fmt: skip
"""Root elements of XML, in lower case (WHATWG MIME Sniffing, section 7.4, and the like)."""


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


def checked_uris(uris: Iterable[str]) -> tuple[str, ...]:
    """Check the URIs by which documents name the Robot Exclusion Profile.

    Raises:
        WrongTypeError: It is one `str`, whose letters would be taken for URIs, or something in it
            is no `str`.

    """
    message = None
    if isinstance(uris, str | bytes):
        message = f"profile_uris is a list of URIs, not one {type(uris).__name__}; write [{uris!r}]"
    elif not isinstance(uris, Iterable):
        given = type(uris).__name__
        message = f"profile_uris must be a list of URIs such as ['http://...'], not {given}"
    if message is not None:
        raise WrongTypeError(message)
    found = tuple(uris)
    wrong = next((one for one in found if not isinstance(one, str)), None)
    if wrong is not None:
        message = f"profile_uris must hold str, and {wrong!r} is a {type(wrong).__name__}"
        raise WrongTypeError(message)
    return found


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


def is_xml(kind: str) -> bool:
    """Return whether a type is one of XML.

    >>> is_xml("application/xhtml+xml"), is_xml("text/xsl"), is_xml("text/html")
    (True, True, False)

    Source: RFC 7303, sections 4.2 and 9.
    """
    return kind.endswith(("/xml", "+xml")) or kind in XML_TYPES


def is_document_type(declared: str) -> bool:
    """Return whether what a `Content-Type` names can be read as a document, or names no type.

    >>> [is_document_type(one) for one in ("text/html", "application/rss+xml", "", "image/png")]
    [True, True, True, False]
    """
    kind = type_of(declared)
    return kind is None or kind.startswith("text/") or is_xml(kind)


def sniffed(url: str, octets: bytes) -> str:
    """Guess the type of a document whose type nobody states: by its beginning, then by its name.

    XML is what has an XML declaration or a robots processing instruction before its root element, a
    document type other than HTML's, or a root element, other than HTML's, that is known from XML or
    declares a namespace.

    >>> sniffed("https://a.example/", b"<!-- news --><rss version='2.0'>")
    'application/xml'
    >>> sniffed("https://a.example/", b"<!-- news --><html xmlns='http://www.w3.org/1999/xhtml'>")
    'text/html'
    """
    # UTF-16 has a zero beside each of these letters.
    start = octets[:LOOKED_AT].replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe")
    found = begins_as(start.decode("latin-1"))
    if found is None:
        parts = urlsplit_safely(url)
        is_named = parts is not None and parts.path.lower().endswith(XML_NAMES)
        found = is_named and not re.search(rb"<(?:!doctype )?html", start[:2048], re.IGNORECASE)
    return "application/xml" if found else "text/html"


def begins_as(text: str) -> bool | None:
    """Return whether a document begins as XML does; `None` if its beginning does not say."""
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
