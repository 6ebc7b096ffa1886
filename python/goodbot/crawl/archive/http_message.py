"""Responses as they are kept in the archive: as the bytes of an HTTP message.

Scope: converting a `Response` to bytes and back. No file is used.

Source: WARC 1.1 section 6.3 ("response": the block of an http record is the response as received,
headers included); RFC 9112 section 2.1 (what a message looks like).
"""

import re
from functools import lru_cache
from http import HTTPStatus
from typing import NamedTuple

from goodbot.http.fields import values_named
from goodbot.http.head import read_head
from goodbot.net.decoding import DecodingError, decoder_of
from goodbot.net.fetcher import Response

__all__ = ["MessageBytes", "StoredMessage", "decoded_payload", "message_of", "read_message"]

ORIGINAL = "X-Archive-Orig-"
"""The prefix that archives put before the name of a field that does not apply to the kept bytes."""

TRANSFER = frozenset({"transfer-encoding"})
ENCODINGS = TRANSFER | {"content-encoding"}
"""The fields that do not apply to content that was decoded."""

NOT_IN_A_VALUE = re.compile("[\r\n\0]+")
"""Characters that no field value can have (RFC 9110 section 5.5); another client may pass them."""

NOT_IN_A_NAME = re.compile("[^!#$%&'*+.^_`|~0-9A-Za-z-]")
"""Characters that no field name can have (RFC 9110 section 5.6.2, token)."""


class MessageBytes(NamedTuple):
    """The bytes of a response."""

    head: bytes
    """The status line, the header fields, and the empty line."""
    payload: bytes
    """The content."""


class StoredMessage(NamedTuple):
    """A response as read from the archive."""

    status: int | None
    """The status."""
    headers: tuple[tuple[str, str], ...]
    """The header fields, one character a byte (ISO 8859-1)."""
    payload: bytes
    """The content."""


def message_of(response: Response) -> MessageBytes:
    r"""Return a response as it was received.

    Transfer-Encoding is always decoded, because clients do not pass it on. Content-Encoding is
    decoded if the bytes as received are not available (`Limits.keep_wire`) or incomplete; then only
    what was decoded is kept, because the rest was not read. A field that does not apply any more
    gets a name that says so. The reason phrase is the standard one, because clients ignore the one
    received (RFC 9112 section 4).

    >>> from datetime import datetime, timezone
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
    >>> fields = (("Content-Encoding", "gzip"), ("Content-Length", "21"), ("ETag", "a"))
    >>> message = message_of(Response("https://a.example/", 200, fields, b"a", noon, noon))
    >>> message.head.split(b"\r\n")[1:4]
    [b'X-Archive-Orig-Content-Encoding: gzip', b'X-Archive-Orig-Content-Length: 21', b'ETag: a']
    >>> message.head.split(b"\r\n")[4:], message.payload
    ([b'Content-Length: 1', b'', b''], b'a')

    """
    is_as_received = response.wire is not None and not response.truncated
    payload = response.wire if is_as_received and response.wire is not None else response.body
    decoded = TRANSFER if is_as_received else ENCODINGS
    size = str(len(payload))
    fields: list[tuple[str, str]] = []
    is_measured = True
    for name, value in response.headers:
        lowered = name.lower()
        if lowered in decoded and value.strip().lower() not in {"", "identity"}:
            name = ORIGINAL + name  # noqa: PLW2901  a new name
        elif lowered == "content-length" and value.strip() != size:
            name, is_measured = ORIGINAL + name, False  # noqa: PLW2901
        fields.append((name, value))
    lines = [status_line(response.status, response.http_version), *map(": ".join, stored(fields))]
    if not is_measured:
        lines.append(f"Content-Length: {size}")
    head = "\r\n".join([*lines, "", ""])
    return MessageBytes(head.encode("latin-1", "replace"), payload)


def stored(fields: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return fields whose names and values a message can have."""
    names, values = [name for name, _ in fields], "".join([value for _, value in fields])
    is_odd = "\r" in values or "\n" in values or "\0" in values
    if all(names) and not is_odd and NOT_IN_A_NAME.search("".join(names)) is None:
        return fields
    return [
        (NOT_IN_A_NAME.sub("-", name) or "-", NOT_IN_A_VALUE.sub(" ", value))
        for name, value in fields
    ]


@lru_cache(maxsize=64)
def status_line(status: int, version: str | None) -> str:
    """Return the status line."""
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = ""
    # Messages of HTTP/2 and later have another form; archives write them as 1.1.
    return f"HTTP/{version if version in {'1.0', '1.1'} else '1.1'} {status} {phrase}"


def read_message(block: bytes) -> StoredMessage:
    r"""Parse a message.

    >>> read_message(b"HTTP/1.1 404 Not Found\r\nETag: a\r\n\r\ngone")
    StoredMessage(status=404, headers=(('ETag', 'a'),), payload=b'gone')
    """
    block, _, payload = block.partition(b"\r\n\r\n")
    head = read_head(block)
    fields = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in head.fields)
    return StoredMessage(head.status, tuple(fields), payload)


def decoded_payload(message: StoredMessage, most: int) -> bytes | None:
    """Decode the Content-Encoding of a kept message.

    Args:
        message: The message.
        most: The maximum number of bytes to return; longer content is cut.

    Returns:
        The content; `None` if it cannot be decoded here, such as `br` without brotli.

    """
    codings = values_named(message.headers, "content-encoding")
    if not message.payload:
        return b""
    try:
        return decoder_of(codings).feed(message.payload, most)[:most]
    except DecodingError:
        return None
