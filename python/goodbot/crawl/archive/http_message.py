"""An answer as it is kept in the archive: the octets of an HTTP message, and back.

What may live here: from a `Response` to octets and back. It decides, and touches no file.

Source: WARC 1.1 section 6.3 ("response": the block of an http record is the response as received,
headers included); RFC 9112 section 2.1 (what a message looks like).
"""

import re
from http import HTTPStatus
from typing import NamedTuple

from goodbot.http.fields import values_named
from goodbot.http.head import read_head
from goodbot.net.decoding import DecodingError, decoder_of
from goodbot.net.fetcher import Response

__all__ = ["MessageBytes", "StoredMessage", "decoded_payload", "message_of", "read_message"]

ORIGINAL = "X-Archive-Orig-"
"""What archives put before the name of a field that no longer holds for what is kept."""

NOT_IN_A_VALUE = re.compile("[\r\n\0]+")
"""Another client than ours could hand over what no field can have (RFC 9110 section 5.5)."""

NOT_IN_A_NAME = re.compile("[^!#$%&'*+.^_`|~0-9A-Za-z-]")
"""What no name of a field has (RFC 9110 section 5.6.2, token)."""


class MessageBytes(NamedTuple):
    """The octets of an answer."""

    head: bytes
    """The status line, the fields, and the empty line."""
    payload: bytes
    """The content."""


class StoredMessage(NamedTuple):
    """An answer as it was read from the archive."""

    status: int | None
    headers: tuple[tuple[str, str], ...]
    """The fields, each character an octet (ISO 8859-1)."""
    payload: bytes


def message_of(response: Response) -> MessageBytes:
    r"""Give an answer as it was received.

    Transfer-Encoding is always undone, since no client hands it on; so is Content-Encoding where
    the octets as they came are not there (`Limits.keep_wire`), or are only a beginning: then no
    more is kept than what was decoded, for nobody read the rest. A field that does not hold any
    more gets a name that says so. The reason phrase is the usual one: a client ignores what came
    (RFC 9112 section 4).

    >>> from datetime import datetime, timezone
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
    >>> fields = (("Content-Encoding", "gzip"), ("Content-Length", "21"), ("ETag", "a"))
    >>> message = message_of(Response("https://a.example/", 200, fields, b"a", noon, noon))
    >>> message.head.split(b"\r\n")[1:4]
    [b'X-Archive-Orig-Content-Encoding: gzip', b'X-Archive-Orig-Content-Length: 21', b'ETag: a']
    >>> message.head.split(b"\r\n")[4:], message.payload
    ([b'Content-Length: 1', b'', b''], b'a')

    """
    is_as_it_came = response.wire is not None and not response.truncated
    payload = response.wire if is_as_it_came and response.wire is not None else response.body
    undone = {"transfer-encoding"} | (set() if is_as_it_came else {"content-encoding"})
    size = str(len(payload))
    lines = [status_line(response)]
    is_measured = True
    for name, value in response.headers:
        lowered = name.lower()
        if lowered in undone and value.strip().lower() not in {"", "identity"}:
            name = ORIGINAL + name  # noqa: PLW2901  it is another field now
        elif lowered == "content-length" and value.strip() != size:
            name, is_measured = ORIGINAL + name, False  # noqa: PLW2901
        lines.append(f"{NOT_IN_A_NAME.sub('-', name) or '-'}: {NOT_IN_A_VALUE.sub(' ', value)}")
    if not is_measured:
        lines.append(f"Content-Length: {size}")
    head = "\r\n".join([*lines, "", ""])
    return MessageBytes(head.encode("latin-1", "replace"), payload)


def status_line(response: Response) -> str:
    """Write the status line."""
    try:
        phrase = HTTPStatus(response.status).phrase
    except ValueError:
        phrase = ""
    # The form of the messages of HTTP/2 and later is another; archives write them as 1.1.
    version = response.http_version if response.http_version in {"1.0", "1.1"} else "1.1"
    return f"HTTP/{version} {response.status} {phrase}"


def read_message(block: bytes) -> StoredMessage:
    r"""Take a message apart.

    >>> read_message(b"HTTP/1.1 404 Not Found\r\nETag: a\r\n\r\ngone")
    StoredMessage(status=404, headers=(('ETag', 'a'),), payload=b'gone')
    """
    block, _, payload = block.partition(b"\r\n\r\n")
    head = read_head(block)
    fields = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in head.fields)
    return StoredMessage(head.status, tuple(fields), payload)


def decoded_payload(message: StoredMessage, most: int) -> bytes | None:
    """Undo the Content-Encoding of what is kept.

    Args:
        message: The message.
        most: The most octets to give; of more, the beginning is given.

    Returns:
        The content; `None` if it cannot be decoded here, as `br` without brotli.

    """
    codings = values_named(message.headers, "content-encoding")
    if not message.payload:
        return b""
    try:
        return decoder_of(codings).feed(message.payload, most)[:most]
    except DecodingError:
        return None
