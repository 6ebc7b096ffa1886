"""A record of a WARC file by others as the response that it is a capture of.

Scope: reading a block as an HTTP message. Nothing raises: what cannot be read is `None`.

Source: WARC 1.1 sections 5 and 6; RFC 9112 sections 6 and 7.1 (chunks).
"""

import re
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

from goodbot.crawl.imports.foreign_records import ForeignRecord
from goodbot.errors import NoOriginError
from goodbot.http.address import address_of, spelling_of
from goodbot.http.fields import values_named
from goodbot.http.head import read_head
from goodbot.net.decoding import DecodingError, decoder_of
from goodbot.net.fetcher import DEFAULT_LIMITS, Response

__all__ = ["Capture", "capture_of", "captured_response", "time_of"]

DATE = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|\+00:00)", re.ASCII
)
"""WARC 1.1 section 5.4; a date of less precision cannot be compared with that of a robots.txt."""

END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
CHUNK_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")
VERSION = re.compile(rb"HTTP/(\d(?:\.\d)?)")
H2 = re.compile(r"h([23])")


class Capture(NamedTuple):
    """What a record is a capture of."""

    kind: str
    """The type of the record: `response`, `revisit` or another."""
    origin: str
    url: str
    """The URL in its normal form."""
    spelling: str
    """The URL as the record has it, if its escapes differ; else empty."""
    at: datetime
    """When it was captured, in UTC."""


def capture_of(record: ForeignRecord) -> Capture | None:
    """Return what a record is a capture of; `None` if it has no URL of the web, or no time."""
    fields = record.fields
    # Some versions of wget write the URL in angle brackets.
    written = fields.get("warc-target-uri", "").strip("<> \t")
    at = time_of(fields.get("warc-date", ""))
    try:
        origin, url = address_of(written)
    except NoOriginError:
        return None
    if at is None:
        return None
    return Capture(fields.get("warc-type", "").lower(), origin, url, spelling_of(written), at)


def time_of(date: str) -> datetime | None:
    """Return the time of a record; `None` if it has none.

    >>> time_of("2026-01-01T00:00:00.5Z").isoformat(), time_of("2026-02-30T00:00:00Z")
    ('2026-01-01T00:00:00.500000+00:00', None)
    """
    found = DATE.fullmatch(date)
    if found is None:
        return None
    *numbers, fraction = found.groups()
    try:
        whole = datetime(*map(int, numbers), tzinfo=timezone.utc)  # type: ignore[arg-type,misc]
    except ValueError:
        return None
    return whole + timedelta(microseconds=int((fraction or "0")[:6].ljust(6, "0")))


def captured_response(
    record: ForeignRecord, capture: Capture, payload: bytes | None = None
) -> Response | None:
    """Return the response in a record; `None` if there is none that can be read.

    Args:
        record: The record.
        capture: What it is a capture of.
        payload: The content, for a revisit, which has only the head.

    """
    end = END_OF_HEAD.search(record.block)
    head_bytes = record.block if end is None else record.block[: end.start()]
    head = read_head(head_bytes)
    if head.status is None:
        return None
    headers = tuple(
        (name.decode("latin-1"), value.decode("latin-1")) for name, value in head.fields
    )
    wire = b"" if end is None else record.block[end.end() :]
    if payload is not None:
        wire = payload
    elif "chunked" in " ".join(values_named(headers, "transfer-encoding")).lower():
        # Some crawlers keep the field, and write the content without its chunks.
        wire = unchunked(wire) or wire
    most = DEFAULT_LIMITS.bytes
    body = decoded(headers, wire, most + 1)
    if body is None:
        return None
    is_cut = record.is_cut or "warc-truncated" in record.fields or len(body) > most
    return Response(
        capture.url, head.status, headers, body[:most], capture.at, capture.at,
        address=record.fields.get("warc-ip-address") or None,
        http_version=version_of(record, head_bytes), truncated=is_cut, wire_bytes=len(wire),
        wire=None if is_cut else wire,
    )  # fmt: skip


def version_of(record: ForeignRecord, head: bytes) -> str | None:
    """Return the version of HTTP: as `WARC-Protocol` states it, or else the head."""
    stated = H2.search(record.fields.get("warc-protocol", ""))
    found = VERSION.match(head)
    if stated is not None:
        return stated[1]
    return None if found is None else found[1].decode("ascii")


def unchunked(content: bytes) -> bytes | None:
    r"""Return content without its chunks; `None` if it has none. A last chunk may be missing.

    >>> unchunked(b"3\r\nabc\r\n0\r\n\r\n"), unchunked(b"<p>a")
    (b'abc', None)
    """
    pieces: list[bytes] = []
    at = 0
    while found := CHUNK_SIZE.match(content, at):
        size = int(found[1], 16)
        if not size:
            return b"".join(pieces)
        piece = content[found.end() : found.end() + size]
        pieces.append(piece)
        at = found.end() + size
        if content[at : at + 2] == b"\r\n":
            at += 2
        elif content[at : at + 1] == b"\n":
            at += 1
        elif at < len(content):
            return None
    return b"".join(pieces) if pieces else None


def decoded(headers: tuple[tuple[str, str], ...], wire: bytes, most: int) -> bytes | None:
    """Decode the Content-Encoding; `None` if that cannot be done.

    Some crawlers keep the field, and write the content decoded: text that is not compressed is
    returned as it is.
    """
    codings = values_named(headers, "content-encoding")
    if not wire:
        return b""
    try:
        return decoder_of(codings).feed(wire, most)
    except DecodingError:
        return wire[:most] if wire.lstrip()[:1] == b"<" else None
