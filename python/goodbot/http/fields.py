"""Header fields, read in one place."""

import re
from collections.abc import Iterable
from functools import lru_cache
from operator import itemgetter
from typing import TypeAlias, TypeGuard

from goodbot.errors import WrongTypeError

__all__ = [
    "SPACE",
    "Fields",
    "field_lines",
    "first",
    "is_unicode",
    "name_of",
    "scalar",
    "values_named",
    "values_of",
    "wire_bytes",
]

Fields: TypeAlias = tuple[tuple[str, str], ...]
"""Pairs of a name in lower case and a value, one for each field line."""

MOST_CACHED = 64
"""The most fields of a header that is cached."""

name_of = itemgetter(0)
"""The name of a field line."""

SURROGATE = re.compile("[\ud800-\udfff]")

SPACE = " \t\r\n"
"""White space around a value, and what some clients leave of the end of its line; other characters
that Python takes for white space are a part of the value (RFC 9110 sections 5.5 and 5.6.3)."""

PAIR = 2

WRONG = (
    "headers must be a mapping or pairs of name and value, each str or bytes, "
    "such as {'Cache-Control': 'max-age=3600'}"
)


def field_lines(headers: object) -> Fields:
    """Return the field lines of a header, one pair for each line.

    Args:
        headers: A mapping, or pairs; of `str` or `bytes`; a value may be a list of several. `None`
            means no fields. If a client joins the lines of a field but has a method `multi_items`
            that does not, that method is used.

    Returns:
        Pairs of the name in lower case and the value, without white space around it. Bytes are ISO
        8859-1; a lone surrogate, which no encoding has, becomes U+FFFD.

    Raises:
        WrongTypeError: It is something else.

    >>> field_lines({"ETag": '"a"', b"vary": [b"Accept", "Host "]})
    (('etag', '"a"'), ('vary', 'Accept'), ('vary', 'Host'))

    Source: RFC 9110 sections 5.2 and 5.5; WHATWG Infra, "scalar value".

    """
    if headers is None:
        return ()
    if type(headers) is tuple and len(headers) <= MOST_CACHED:
        try:
            return lines_of_tuple(headers)
        except TypeError:  # a pair is a list, which has no hash
            pass
    return read_lines(headers)


@lru_cache(maxsize=256)
def lines_of_tuple(headers: tuple[object, ...]) -> Fields:
    """Return the field lines of pairs, from a cache: each response is asked several times.

    It has room for the responses that a crawl reads at a time, each as it came and as field lines.
    """
    return read_lines(headers)


def read_lines(headers: object) -> Fields:
    """Return the field lines of a header; see `field_lines`."""
    several = getattr(headers, "multi_items", None) or getattr(headers, "items", None)
    if callable(several):
        headers = several()
    if isinstance(headers, (str, bytes)) or not isinstance(headers, Iterable):
        raise WrongTypeError(WRONG)
    lines: list[tuple[str, str]] = []
    for pair in headers:
        if type(pair) is tuple and len(pair) == PAIR and type(pair[0]) is type(pair[1]) is str:
            lines.append((text_of(pair[0]).lower(), text_of(pair[1])))  # as nearly all are
        else:
            lines += lines_of(pair)
    return tuple(lines)


def lines_of(pair: object) -> list[tuple[str, str]]:
    """Return the lines of one pair, whose value may be several."""
    if isinstance(pair, (str, bytes)):
        raise WrongTypeError(WRONG)
    try:
        name, values = pair  # type: ignore[misc]
    except (TypeError, ValueError):
        raise WrongTypeError(WRONG) from None
    name = field_text(name).lower()  # type: ignore[has-type]
    several = values if isinstance(values, (list, tuple)) else [values]  # type: ignore[has-type]
    return [(name, field_text(value)) for value in several]


def field_text(value: object) -> str:
    """Return the text of a name or value; bytes are ISO 8859-1 (RFC 9110 section 5.5)."""
    if isinstance(value, str):
        return text_of(value)
    if isinstance(value, bytes):
        return value.decode("latin-1").strip(SPACE)
    raise WrongTypeError(WRONG)


def text_of(text: str) -> str:
    """Return a name or value without white space around it, and without lone surrogates."""
    return scalar(text).strip(SPACE)


def scalar(text: str) -> str:
    """Return a text without lone surrogates, which no encoding has (WHATWG Infra)."""
    return text if text.isascii() else SURROGATE.sub("\ufffd", text)


def is_unicode(value: object) -> TypeGuard[str]:
    """Return whether a value of JSON is a text that can be written in UTF-8.

    JSON can escape half of a surrogate pair (RFC 8259 section 8.2), which no URL contains.

    >>> is_unicode("/a"), is_unicode("/" + chr(0xD800)), is_unicode(1)
    (True, False, False)
    """
    return isinstance(value, str) and (value.isascii() or not SURROGATE.search(value))


def values_of(fields: Fields, name: str) -> list[str]:
    """Return the values of all lines of one field, in their order."""
    return [value for field, value in fields if field == name]


def values_named(headers: Iterable[tuple[str, str]], name: str) -> list[str]:
    """Return the values of a field, in order; its name may be in any case.

    >>> values_named([("Vary", "a"), ("ETag", "b"), ("vary", "c")], "VARY")
    ['a', 'c']
    """
    wanted = name.lower()
    size = len(wanted)  # hardly any other field has a name of the same length
    return [value for other, value in headers if len(other) == size and other.lower() == wanted]


def first(fields: Fields, name: str) -> str | None:
    """Return the value of the first line of a field, or `None`.

    If a field with one value has several lines, the first applies (RFC 9111 section 4.2.1).
    """
    for field, value in fields:
        if field == name:
            return value
    return None


def wire_bytes(value: str) -> bytes:
    r"""Return the bytes of a value as they came over the wire.

    Some senders mean bytes beyond ASCII as UTF-8 and others as ISO 8859-1; unchanged bytes are
    right for both. A client that did not decode them as ISO 8859-1 decoded them as UTF-8.

    >>> wire_bytes("/caf\u00e9"), wire_bytes("/\u30c4")
    (b'/caf\xe9', b'/\xe3\x83\x84')

    Source: RFC 9110 section 5.5.
    """
    try:
        return value.encode("latin-1")
    except UnicodeEncodeError:
        return value.encode("utf-8", "replace")
