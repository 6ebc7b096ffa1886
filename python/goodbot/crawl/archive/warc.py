"""Records of a WARC file: made as octets, and read from octets.

What may live here: the form of records, by warcio. It decides, and touches no file. Each record is
one gzip member, so that it can be read, copied and left out by itself (WARC 1.1 annex D.2).

Source: WARC 1.1, http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/.
"""

import hashlib
import json
import re
import zlib
from base64 import b32encode
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from goodbot.crawl.archive.http_message import MessageBytes
from goodbot.errors import NotAStoreError
from goodbot.http.instants import to_datetime
from goodbot.net.missing import needs

with needs("crawl"):
    import warcio  # noqa: F401  named alone where it is missing
    from warcio.exceptions import ArchiveLoadFailed
    from warcio.recordloader import ArcWarcRecord, ArcWarcRecordLoader
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

__all__ = ["LEVEL", "Origin", "StoredRecord", "WarcRecord", "Writer", "digest_of", "read_record"]

VERSION = "WARC/1.1"
LEVEL = 6
"""How hard to compress; 1 takes half the time for a tenth more octets, 9 gains next to nothing."""

GZIP = 16
"""What `zlib` adds to the bits of the window for the frame of gzip (`wbits`)."""

WINDOWS = ((12, 5), (13, 6), (14, 7))
"""Bits of a window, and the level of memory that goes with it: what is not larger than its window
is compressed as well as in the largest, and a quarter of a megabyte need not be laid out for it."""

IDENTICAL = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
"""The profile of WARC 1.1 section 6.7.2."""

NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
"""The profile of WARC 1.1 section 6.7.3."""

MAX_RECORD = 64 * 1024 * 1024
"""The most octets of a record that are unpacked; none that a crawl writes is larger."""

NOT_IN_A_URI = re.compile("[\x00-\x20\x7f-\x9f<>]")
"""What would end a field, or the URI in it."""

LOADER = ArcWarcRecordLoader(verify_http=False, arc2warc=False)

WarcFields = list[tuple[str, str]]


class WarcRecord(NamedTuple):
    """A record as it stands in a file."""

    id: bytes
    """The 16 octets of its UUID."""
    content: bytes
    """The gzip member."""
    digest: bytes
    """The SHA-1 of its payload, 20 octets."""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record as it was read."""

    fields: Mapping[str, str]
    """Its fields, by name in lower case."""
    block: bytes


@dataclass(frozen=True, slots=True)
class Origin:
    """Whence a record is, and since when."""

    url: str
    instant: int
    """When asking began, in microseconds since 1970."""
    address: str | None = None
    """The address that answered."""
    truncated: bool = False
    """Whether it is only the beginning of what there was."""

    def fields(self, *, is_received: bool = True) -> WarcFields:
        """Give the fields that say so.

        Args:
            is_received: Whether the record has what the address gave; WARC 1.1 section 5.7 does not
                let a conversion name it.

        """
        fields = [("WARC-Target-URI", uri(self.url)), ("WARC-Date", date_of(self.instant))]
        if is_received and self.address is not None:
            fields.append(("WARC-IP-Address", self.address.partition("%")[0]))
        if self.truncated:
            # WARC 1.1 section 5.13: it "exceeds configured max length".
            fields.append(("WARC-Truncated", "length"))
        return fields


class Writer:
    """Makes records; every one has an identifier of its own.

    Args:
        level: How hard to compress, from 0 to 9.

    """

    def __init__(self, level: int = LEVEL) -> None:
        """Keep one buffer for all."""
        self._level = level
        self._buffer = BytesIO()
        self._writer = WARCWriter(self._buffer, gzip=False, warc_version=VERSION)

    def response(self, origin: Origin, message: MessageBytes) -> WarcRecord:
        """Make a `response`: an answer as received (WARC 1.1 section 6.3)."""
        digest = digest_of(message.payload)
        fields = [*origin.fields(), ("WARC-Payload-Digest", written(digest))]
        kind = "application/http; msgtype=response"
        return self._made("response", fields, kind, message.head + message.payload, digest)

    def revisit(  # noqa: PLR0913  each is documented below
        self,
        origin: Origin,
        head: bytes,
        before: Origin,
        record: bytes,
        digest: bytes,
        *,
        profile: str = IDENTICAL,
    ) -> WarcRecord:
        """Make a `revisit`: the payload is the same again, and is not kept twice.

        Args:
            origin: Of this answer.
            head: The head of this answer.
            before: Of the answer that is kept.
            record: The identifier of its record.
            digest: Of its payload.
            profile: How it is known to be the same: it came again, or the server says so.

        Source: WARC 1.1 sections 6.7.2 and 6.7.3.

        """
        fields = [
            *origin.fields(),
            ("WARC-Profile", profile),
            ("WARC-Payload-Digest", written(digest)),
            ("WARC-Refers-To", named(record)),
            ("WARC-Refers-To-Target-URI", uri(before.url)),
            ("WARC-Refers-To-Date", date_of(before.instant)),
        ]
        return self._made("revisit", fields, "application/http; msgtype=response", head, digest)

    def conversion(self, origin: Origin, content: bytes, content_type: str) -> WarcRecord:
        """Make a `conversion`: another form of what was received (WARC 1.1 section 6.8)."""
        fields = origin.fields(is_received=False)
        return self._made("conversion", fields, content_type, content, digest_of(content))

    def metadata(self, origin: Origin, told: Mapping[str, Any], record: bytes) -> WarcRecord:
        """Make a `metadata` record on another (WARC 1.1 section 6.6)."""
        content = json.dumps(told, ensure_ascii=False).encode("utf-8", "replace")
        fields = [
            ("WARC-Target-URI", uri(origin.url)),
            ("WARC-Date", date_of(origin.instant)),
            ("WARC-Refers-To", named(record)),
        ]
        return self._made("metadata", fields, "application/json", content, digest_of(content))

    def warcinfo(self, name: str, instant: int, told: WarcFields) -> WarcRecord:
        """Make the `warcinfo` with which a file begins (WARC 1.1 section 6.2)."""
        content = "".join(f"{name}: {value}\r\n" for name, value in told).encode("utf-8", "replace")
        fields = [("WARC-Date", date_of(instant)), ("WARC-Filename", name)]
        return self._made("warcinfo", fields, "application/warc-fields", content, b"")

    def _made(
        self, kind: str, fields: WarcFields, content_type: str, block: bytes, digest: bytes
    ) -> WarcRecord:
        """Make the octets of a record."""
        identifier = uuid4()
        all_fields = [
            ("WARC-Type", kind),
            ("WARC-Record-ID", f"<{identifier.urn}>"),
            *fields,
            ("WARC-Block-Digest", written(digest_of(block))),
            ("Content-Type", content_type),
        ]
        # With `http_headers` warcio would write them in its own way; so they are part of the block,
        # and it is given the digests, which it would take of the whole.
        record = ArcWarcRecord(
            "warc",
            # Else it would leave out the block.
            "resource" if kind == "revisit" else kind,
            StatusAndHeaders("", all_fields, protocol=VERSION),
            BytesIO(block),
            None,
            content_type,
            len(block),
        )
        self._buffer.seek(0)
        self._buffer.truncate()
        self._writer.write_record(record)
        octets = packed(self._buffer.getvalue(), self._level)
        return WarcRecord(identifier.bytes, octets, digest)


def read_record(octets: bytes, place: str) -> StoredRecord:
    """Read one record.

    Args:
        octets: The gzip member.
        place: Where it stands, for the message.

    Raises:
        NotAStoreError: There is no record, or it is broken.

    """
    broken = NotAStoreError(f"there is no whole record at {place}; restore the file from a copy")
    stream = zlib.decompressobj(GZIP + 15)
    try:
        # Its checksum, and its end, tell that it is whole.
        text = stream.decompress(octets, MAX_RECORD)
        if not stream.eof or stream.unused_data:
            raise broken
        record = LOADER.parse_record_stream(BytesIO(text), None, "warc", no_record_parse=True)
    except (ArchiveLoadFailed, EOFError, zlib.error, ValueError) as error:
        raise broken from error
    fields = {name.lower(): value for name, value in record.rec_headers.headers}
    end = len(text) - len(b"\r\n\r\n")
    if not record.length or end < record.length:
        return StoredRecord(fields, b"")
    return StoredRecord(fields, text[end - record.length : end])


def packed(octets: bytes, level: int) -> bytes:
    """Make a gzip member.

    >>> zlib.decompress(packed(b"a" * 10, 6), 31)
    b'aaaaaaaaaa'
    """
    bits, memory = next((one for one in WINDOWS if len(octets) <= 1 << one[0]), (15, 8))
    packer = zlib.compressobj(level, zlib.DEFLATED, GZIP + bits, memory)
    return packer.compress(octets) + packer.flush()


def digest_of(octets: bytes) -> bytes:
    """Give the SHA-1, as all archives have it: to tell contents apart, not to prove anything."""
    return hashlib.sha1(octets, usedforsecurity=False).digest()


def written(digest: bytes) -> str:
    """Write a digest as archives do (WARC 1.1 section 5.8).

    >>> written(digest_of(b""))
    'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ'
    """
    return f"sha1:{b32encode(digest).decode('ascii')}"


def named(record: bytes) -> str:
    """Write the identifier of a record."""
    return f"<{UUID(bytes=record).urn}>"


def date_of(instant: int) -> str:
    """Write a time (WARC 1.1 section 5.4).

    >>> date_of(1)
    '1970-01-01T00:00:00.000001Z'
    """
    time = to_datetime(instant)
    if time is None:
        return "9999-12-31T23:59:59.999999Z"
    return f"{time.replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def uri(url: str) -> str:
    """Give a URL as it may stand in a field."""
    return NOT_IN_A_URI.sub(lambda found: f"%{ord(found[0]):02X}", url)
