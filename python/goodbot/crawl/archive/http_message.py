"""Responses as they are kept in the archive: as the bytes of an HTTP message.

Scope: converting a `Response` to bytes and back. No file is used.

Source: WARC 1.1 section 6.3 ("response": the block of an http record is the response as received,
headers included); RFC 9112 section 2.1 (what a message looks like).
"""

from functools import lru_cache
from http import HTTPStatus
from typing import NamedTuple

from goodbot._core import message_head
from goodbot.http.fields import values_named
from goodbot.http.head import read_head
from goodbot.net.decoding import DecodingError, decoder_of
from goodbot.net.fetcher import Response

__all__ = ["MessageBytes", "StoredMessage", "decoded_payload", "message_of", "read_message"]


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
    first = status_line(response.status, response.http_version)
    head = message_head(first, response.headers, len(payload), is_as_received)
    return MessageBytes(head, payload)


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
