"""Records of WARC files, converted to bytes and back.

Scope: the form of records, which the core packs and warcio reads. No file is used. Each record is
one gzip member, so that it can be read, copied and removed by itself (WARC 1.1 annex D.2).

Source: WARC 1.1, http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/.
"""

import hashlib
import json
import re
import zlib
from collections.abc import Mapping
from functools import lru_cache
from io import BytesIO
from os import urandom
from typing import Any, NamedTuple
from uuid import UUID

from goodbot._core import warc_digest, warc_record
from goodbot.crawl.archive.http_message import MessageBytes
from goodbot.errors import NotAStoreError
from goodbot.http.instants import SECOND, to_datetime
from goodbot.lazy_dataclass import dataclass
from goodbot.missing import needs

with needs("crawl"):
    import warcio  # noqa: F401  so that the message names it if it is missing
    from warcio.exceptions import ArchiveLoadFailed
    from warcio.recordloader import ArcWarcRecordLoader

__all__ = [
    "LEVEL",
    "Origin",
    "StoredRecord",
    "WarcRecord",
    "Writer",
    "digest_of",
    "protocol_of",
    "read_record",
    "written",
]

LEVEL = 6
"""The compression level; 1 takes half the time for a tenth more bytes, 9 gains next to nothing."""

HTTP = "application/http; msgtype=response"
"""The type of a block that is a response, or the head of one (WARC 1.1 section 6.3)."""

GZIP = 16
"""Added to the window bits of `zlib` for gzip format (`wbits`)."""

IDENTICAL = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
"""The profile of WARC 1.1 section 6.7.2."""

NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
"""The profile of WARC 1.1 section 6.7.3."""

MAX_RECORD = 64 * 1024 * 1024
"""How many bytes of a record are decompressed at most; crawls write no larger ones."""

PROTOCOLS = {
    "1.0": "http/1.0",
    "1.1": "http/1.1",
    "2": "h2",
    "2.0": "h2",
    "3": "h3",
    "3.0": "h3",
}
"""The versions of HTTP, as clients write them, and their identifiers in `WARC-Protocol`
(iipc/warc-specifications issue 42, a proposal that is in use)."""

NOT_IN_A_URI = re.compile("[\x00-\x20\x7f-\x9f<>]")
"""Characters that would end a field, or the URI in it."""

LOADER = ArcWarcRecordLoader(verify_http=False, arc2warc=False)

WarcFields = list[tuple[str, str]]


class WarcRecord(NamedTuple):
    """A record as written to a file."""

    id: bytes
    """Its UUID, 16 bytes."""
    content: bytes
    """The gzip member."""
    digest: bytes
    """The SHA-1 of its payload, or else of its block, 20 bytes."""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record as read from a file."""

    fields: Mapping[str, str]
    """Its header fields, by name in lower case."""
    block: bytes
    """Its block."""


class Origin(NamedTuple):
    """Where and when the content of a record was received."""

    url: str
    """The URL it was received from."""
    instant: int
    """When the request began, in microseconds since 1970."""
    address: str | None = None
    """The IP address of the server."""
    truncated: bool = False
    """Whether only the beginning of the response was received."""
    protocol: str | None = None
    """The protocol by which the response came, as in `WARC-Protocol`; `None`: not known."""

    def lines(self, *, is_received: bool = True) -> str:
        """Return the header fields with these facts, each with the end of its line.

        Args:
            is_received: Whether the record has the content as received; WARC 1.1 section 5.7 does
                not allow the address in a conversion.

        """
        lines = f"WARC-Target-URI: {uri(self.url)}\r\nWARC-Date: {date_of(self.instant)}\r\n"
        if is_received and self.address is not None:
            lines += f"WARC-IP-Address: {self.address.partition('%')[0]}\r\n"
        if is_received and self.protocol is not None:
            # The head of a message of HTTP/2 is written as HTTP/1.1, so this says what it was.
            lines += f"WARC-Protocol: {self.protocol}\r\n"
        if self.truncated:
            # WARC 1.1 section 5.13: it "exceeds configured max length".
            lines += "WARC-Truncated: length\r\n"
        return lines


class Writer:
    """Makes records; each has a unique identifier.

    Args:
        level: The compression level, from 0 to 9.

    """

    def __init__(self, level: int = LEVEL) -> None:
        """Store the level."""
        self._level = level

    def response(self, origin: Origin, message: MessageBytes) -> WarcRecord:
        """Make a `response` record: a response as received (WARC 1.1 section 6.3)."""
        return self._made("response", origin.lines(), HTTP, message.head, message.payload)

    def revisit(
        self,
        origin: Origin,
        head: bytes,
        before: Origin,
        record: bytes,
        digest: bytes,
        *,
        profile: str = IDENTICAL,
    ) -> WarcRecord:
        """Make a `revisit` record: the payload is the same as before, and is not stored again.

        Args:
            origin: The origin of this response.
            head: The head of this response.
            before: The origin of the response that is stored.
            record: The identifier of its record.
            digest: The digest of its payload.
            profile: How the payload is known to be the same: it was received again, or the server
                said so.

        Source: WARC 1.1 sections 6.7.2 and 6.7.3.

        """
        fields = [
            ("WARC-Profile", profile),
            ("WARC-Payload-Digest", written(digest)),
            ("WARC-Refers-To", named(record)),
            ("WARC-Refers-To-Target-URI", uri(before.url)),
            ("WARC-Refers-To-Date", date_of(before.instant)),
        ]
        lines = origin.lines() + lines_of(fields)
        return self._made("revisit", lines, HTTP, head)._replace(digest=digest)

    def conversion(self, origin: Origin, content: bytes, content_type: str) -> WarcRecord:
        """Make a `conversion` record: another form of a response (WARC 1.1 section 6.8)."""
        lines = origin.lines(is_received=False)
        return self._made("conversion", lines, content_type, content)

    def metadata(self, origin: Origin, values: Mapping[str, Any], record: bytes) -> WarcRecord:
        """Make a `metadata` record about another record (WARC 1.1 section 6.6)."""
        content = json.dumps(values, ensure_ascii=False).encode("utf-8", "replace")
        fields = [
            ("WARC-Target-URI", uri(origin.url)),
            ("WARC-Date", date_of(origin.instant)),
            ("WARC-Refers-To", named(record)),
        ]
        return self._made("metadata", lines_of(fields), "application/json", content)

    def warcinfo(self, name: str, instant: int, facts: WarcFields) -> WarcRecord:
        """Make the `warcinfo` record that begins a file (WARC 1.1 section 6.2)."""
        content = lines_of(facts).encode("utf-8", "replace")
        fields = [("WARC-Date", date_of(instant)), ("WARC-Filename", name)]
        return self._made("warcinfo", lines_of(fields), "application/warc-fields", content)

    def _made(
        self,
        kind: str,
        lines: str,
        content_type: str,
        block: bytes,
        payload: bytes | None = None,
    ) -> WarcRecord:
        """Make a record of any type; if its block has a payload, that comes last."""
        # Header fields may be in UTF-8 (WARC 1.1 section 4).
        above, below = lines.encode("utf-8", "replace"), content_type.encode("utf-8", "replace")
        made = warc_record(kind, urandom(16), above, below, (block, payload), self._level)
        return WarcRecord(*made)


def lines_of(fields: WarcFields) -> str:
    """Return header fields, each with the end of its line."""
    return "".join([f"{name}: {value}\r\n" for name, value in fields])


def read_record(member: bytes, place: str) -> StoredRecord:
    """Parse one record.

    Args:
        member: The gzip member.
        place: Where it was read from, for the message.

    Raises:
        NotAStoreError: There is no record, or it is damaged.

    """
    broken = NotAStoreError(f"there is no whole record at {place}; restore the file from a backup")
    stream = zlib.decompressobj(GZIP + 15)
    try:
        # `zlib` checks the checksum; the end must be there too.
        text = stream.decompress(member, MAX_RECORD)
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


def digest_of(content: bytes) -> bytes:
    """Return the SHA-1, which archives use to distinguish contents, not for security."""
    return hashlib.sha1(content, usedforsecurity=False).digest()


def written(digest: bytes) -> str:
    """Return a digest in the form that archives use (WARC 1.1 section 5.8).

    >>> written(digest_of(b""))
    'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ'
    """
    return warc_digest(digest)


def named(record: bytes) -> str:
    """Return the identifier of a record in the form that WARC files use."""
    return f"<{UUID(bytes=record).urn}>"


def date_of(instant: int) -> str:
    """Return a time in the form that WARC files use (WARC 1.1 section 5.4).

    >>> date_of(1)
    '1970-01-01T00:00:00.000001Z'
    """
    seconds, rest = divmod(instant, SECOND)
    text = second_of(seconds)
    return f"{text}.{rest:06}Z" if text else "9999-12-31T23:59:59.999999Z"


@lru_cache(maxsize=64)
def second_of(seconds: int) -> str:
    """Return a second in that form, without its end; empty after the year 9999."""
    time = to_datetime(seconds * SECOND)
    return "" if time is None else time.isoformat().removesuffix("+00:00")


def protocol_of(http_version: str | None) -> str | None:
    """Return the protocol of a response in the form of `WARC-Protocol`; `None` if it is not known.

    >>> protocol_of("1.1"), protocol_of("2"), protocol_of(None)
    ('http/1.1', 'h2', None)
    """
    return None if http_version is None else PROTOCOLS.get(http_version)


def uri(url: str) -> str:
    """Return a URL in a form that a field may have."""
    if NOT_IN_A_URI.search(url) is None:
        return url
    return NOT_IN_A_URI.sub(lambda found: f"%{ord(found[0]):02X}", url)
