"""The fields of a response's header, as they came."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from goodbot.errors import WrongTypeError

__all__ = ["Fields", "field_lines", "first", "values_of"]

Fields: TypeAlias = tuple[tuple[str, str], ...]
"""Pairs of a name in lower case and a value, one for each field line."""

WRONG = (
    "headers must be a mapping or pairs of name and value, each str or bytes, "
    "such as {'Cache-Control': 'max-age=3600'}"
)


def field_lines(headers: object) -> Fields:
    """Take the fields of a header.

    Args:
        headers: A mapping, or pairs; of `str` or `bytes`; a value may be a list of several. `None`
            is no field.

    Returns:
        Pairs of the name in lower case and the value, without white space around it.

    Raises:
        WrongTypeError: It is something else.

    >>> field_lines({"ETag": '"a"', b"vary": [b"Accept", "Host "]})
    (('etag', '"a"'), ('vary', 'Accept'), ('vary', 'Host'))

    Source: RFC 9110 section 5.

    """
    if isinstance(headers, Mapping):
        headers = headers.items()
    if headers is None:
        return ()
    if isinstance(headers, (str, bytes)) or not isinstance(headers, Iterable):
        raise WrongTypeError(WRONG)
    return tuple(line for pair in headers for line in lines_of(pair))


def lines_of(pair: object) -> Iterator[tuple[str, str]]:
    """Yield the lines of one pair, whose value may be several."""
    if isinstance(pair, (str, bytes)):
        raise WrongTypeError(WRONG)
    try:
        name, values = pair  # type: ignore[misc]
    except (TypeError, ValueError):
        raise WrongTypeError(WRONG) from None
    for value in values if isinstance(values, (list, tuple)) else [values]:  # type: ignore[has-type]
        yield text_of(name).lower(), text_of(value)  # type: ignore[has-type]


def text_of(value: object) -> str:
    """Take the text of a name or value; octets are ISO 8859-1 (RFC 9110 section 5.5)."""
    if isinstance(value, bytes):
        return value.decode("latin-1").strip()
    if isinstance(value, str):
        return value.strip()
    raise WrongTypeError(WRONG)


def values_of(fields: Fields, name: str) -> list[str]:
    """Give the values of all lines of one field, in their order."""
    return [value for field, value in fields if field == name]


def first(fields: Fields, name: str) -> str | None:
    """Give the value of the first line of a field, or `None`.

    Of several lines of a field that has one value, the first holds (RFC 9111 section 4.2.1).
    """
    return next((value for field, value in fields if field == name), None)
