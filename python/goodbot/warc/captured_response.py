"""A record of a WARC file by others as the response that it is a capture of.

Scope: reading a block as an HTTP message. Nothing raises: what cannot be read is `None`.

Source: WARC 1.1 sections 5 and 6; RFC 9112 sections 6 and 7.1 (chunks).
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from goodbot.errors import NoOriginError
from goodbot.http.address import address_of, spelling_of
from goodbot.http.fields import values_named
from goodbot.http.head import read_head
from goodbot.net.decoding import DecodingError, decoder_of
from goodbot.net.fetcher import DEFAULT_LIMITS, Response
from goodbot.warc.capture_dates import moments_of
from goodbot.warc.foreign_records import ForeignRecord

__all__ = [
    "Capture",
    "capture_of",
    "captured_response",
    "final_message",
    "undated_capture",
    "without_body",
]

END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
INTERIM = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+1(?!01)\d\d(?![^ \t\r\n])")
"""The status line of an interim response. What follows a 101 is in another protocol."""
BEGINS_RESPONSE = b"HTTP/"
MAX_RESPONSE_HEAD = 128 * 1024
"""The most bytes of the header of a response, as many as a crawl reads itself: a record can have 16
MiB of fields, which compress to 16 KB and take a gigabyte as values."""
MOST_FIELDS = 4_096
"""The most fields of the header of a response."""
CHUNK_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]*)?\r?\n")
BEGINS_CHUNK = re.compile(rb"[ \t]*[0-9A-Fa-f]+[ \t]*(?:;[^\r\n]*)?(?:\r?\n|\r?\Z)|\Z")
"""What begins with a chunk, or is cut before the end of its first line."""
NO_CONTENT = {204, 304}
"""The statuses whose responses have none, whatever length they state (RFC 9110 section 8.6)."""
MAGIC = {"gzip": b"\x1f\x8b", "x-gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}
"""How content begins that has these codings (RFC 1952 section 2.3.1, RFC 8878 section 3.1.1)."""
LENGTH = re.compile(r"[0-9]{1,15}")
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
    since: datetime
    """The earliest moment at which it may have been captured, in UTC."""
    at: datetime
    """The latest one: the same, if its date has seconds."""

    @property
    def is_vague(self) -> bool:
        """Whether its date has less precision than seconds."""
        return self.since < self.at


def capture_of(record: ForeignRecord) -> Capture | None:
    """Return what a record is a capture of; `None` if it has no URL of the web, or no time."""
    fields = record.fields
    # Some versions of wget write the URL in angle brackets.
    written = fields.get("warc-target-uri", "").strip("<> \t")
    moments = moments_of(fields.get("warc-date", ""))
    try:
        origin, url = address_of(written)
    except NoOriginError:
        return None
    if moments is None:
        return None
    kind = fields.get("warc-type", "").lower()
    return Capture(kind, origin, url, spelling_of(written), *moments)


def undated_capture(record: ForeignRecord) -> Capture | None:
    """Return the capture that a record would be, at an unknown time, if it lacks only that."""
    if record.fields.get("warc-type", "").lower() not in {"response", "revisit"}:
        return None
    dated = {**record.fields, "warc-date": "1970-01-01T00:00:00Z"}
    return (
        None
        if moments_of(record.fields.get("warc-date", ""))
        else capture_of(replace(record, fields=dated))
    )


def captured_response(
    record: ForeignRecord,
    capture: Capture,
    original: Response | None = None,
    *,
    only_whole: bool = False,
) -> Response | None:
    """Return the response in a record; `None` if there is none that can be read.

    A robots.txt whose transfer failed would permit what its missing rules forbid, so it is no
    response (`only_whole`); `without_body` stands for it. One that the crawler cut at a limit of
    its own is a response.

    Args:
        record: The record.
        capture: What it is a capture of.
        original: The response that has the content, for a revisit, which has only the head.
        only_whole: Return `None` if the connection ended before the content did.

    """
    block = final_message(record.block)
    end = END_OF_HEAD.search(block, 0, MAX_RESPONSE_HEAD)
    head_bytes = block[: MAX_RESPONSE_HEAD if end is None else end.start()]
    if end is None and len(block) > MAX_RESPONSE_HEAD:
        return None
    head = read_head(head_bytes)
    if head.status is None or len(head.fields) > MOST_FIELDS:
        return None
    headers = tuple(
        (name.decode("latin-1"), value.decode("latin-1")) for name, value in head.fields
    )
    if original is None:
        wire, is_whole = transferred(headers, b"" if end is None else block[end.end() :])
        is_whole = end is not None and (is_whole or head.status in NO_CONTENT)
    else:
        wire, is_whole = original.wire or original.body, True
    most = DEFAULT_LIMITS.bytes
    content = decoded(headers, wire, most + 1)
    if content is None:
        return None
    body, is_decoded = content
    reason = reason_of_cut(record, original)
    is_cut = record.is_cut or reason is not None or len(body) > most
    is_cut = is_cut or (original is not None and original.truncated)
    has_failed = not (is_whole and is_decoded) and not is_cut
    if only_whole and (has_failed or reason not in {None, "length"}):
        return None
    return Response(
        capture.url, head.status, headers, body[:most], capture.at, capture.at,
        address=record.fields.get("warc-ip-address") or None,
        http_version=version_of(record, head_bytes), truncated=is_cut, wire_bytes=len(wire),
        wire=None if is_cut else wire,
    )  # fmt: skip


def final_message(block: bytes) -> bytes:
    r"""Return a response without the interim ones before it.

    warcio, which records what a connection of Python receives, writes them into the same record.

    >>> final_message(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\ntext")
    b'HTTP/1.1 200 OK\r\n\r\ntext'

    Source: RFC 9110 section 15.2; RFC 9112 section 9.2.

    """
    start = 0
    while INTERIM.match(block, start):
        end = END_OF_HEAD.search(block, start, MAX_RESPONSE_HEAD)
        if end is None or not block.startswith(BEGINS_RESPONSE, end.end()):
            break
        start = end.end()
    return block[start:]


def reason_of_cut(record: ForeignRecord, original: Response | None) -> str | None:
    """Return why the content of a record was cut; `None` if it was not.

    With the reason `length`, a revisit says that its content is in another record (section 6.7.2).
    """
    reason = record.fields.get("warc-truncated")
    return None if original is not None and reason == "length" else reason


def without_body(record: ForeignRecord, capture: Capture) -> Response:
    """Return a response whose content cannot be read, as one that was cut before its first line.

    Its status counts, unless that cannot be read either: then it is 0. What its rules forbid is not
    known, so a success permits nothing, whatever was known before (outcome `cut-short`).
    """
    block = final_message(record.block)
    end = END_OF_HEAD.search(block, 0, MAX_RESPONSE_HEAD)
    head = read_head(block[: MAX_RESPONSE_HEAD if end is None else end.start()])
    headers = tuple(
        (name.decode("latin-1"), value.decode("latin-1"))
        for name, value in head.fields[:MOST_FIELDS]
    )
    return Response(
        capture.url, head.status or 0, headers, b"", capture.at, capture.at, truncated=True
    )


def version_of(record: ForeignRecord, head: bytes) -> str | None:
    """Return the version of HTTP: as `WARC-Protocol` states it, or else the head."""
    stated = H2.search(record.fields.get("warc-protocol", ""))
    found = VERSION.match(head)
    if stated is not None:
        return stated[1]
    return None if found is None else found[1].decode("ascii")


def transferred(headers: tuple[tuple[str, str], ...], wire: bytes) -> tuple[bytes, bool]:
    """Return content without its chunks, and whether it has the length that its header states."""
    if "chunked" in " ".join(values_named(headers, "transfer-encoding")).lower():
        return unchunked(wire)
    stated = LENGTH.findall(",".join(values_named(headers, "content-length")))
    return wire, len(wire) >= max(map(int, stated), default=0)


def unchunked(content: bytes) -> tuple[bytes, bool]:
    r"""Return content without its chunks, and whether it is whole.

    Some crawlers keep the field, and write the content without its chunks: that is returned as it
    is.

    >>> unchunked(b"3\r\nabc\r\n0\r\n\r\n"), unchunked(b"5\r\nabc"), unchunked(b"<p>a")
    ((b'abc', True), (b'abc', False), (b'<p>a', True))
    """
    pieces: list[bytes] = []
    at = 0
    while found := CHUNK_SIZE.match(content, at):
        size = int(found[1], 16)
        if not size:
            return b"".join(pieces), True
        piece = content[found.end() : found.end() + size]
        pieces.append(piece)
        at = found.end() + size
        if content[at : at + 2] == b"\r\n":
            at += 2
        elif content[at : at + 1] == b"\n":
            at += 1
        elif at < len(content):
            return content, False
    if pieces:
        return b"".join(pieces), False
    return content, BEGINS_CHUNK.match(content) is None


def decoded(
    headers: tuple[tuple[str, str], ...], wire: bytes, most: int
) -> tuple[bytes, bool] | None:
    """Decode the Content-Encoding; return the content, and whether the coding came to its end.

    Some crawlers keep the field, and write the content decoded: text that does not begin as the
    coding does is returned as it is. `None` if the content cannot be decoded.
    """
    codings = values_named(headers, "content-encoding")
    if not wire:
        return b"", True
    try:
        decoder = decoder_of(codings)
        return decoder.feed(wire, most), decoder.is_complete()
    except DecodingError:
        is_plain = wire.lstrip()[:1] == b"<" or is_not_coded(codings, wire)
        return (wire[:most], True) if is_plain else None


def is_not_coded(codings: Sequence[str], wire: bytes) -> bool:
    """Return whether content is text instead of what its header states, by its first bytes."""
    named = [one for one in codings if one.strip().lower() != "identity"]
    begins = MAGIC.get(named[0].strip().lower()) if len(named) == 1 else None
    return begins is not None and not wire.startswith(begins) and b"\0" not in wire
