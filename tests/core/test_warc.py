"""The core's records of WARC files, compared with the standard library."""

import hashlib
import zlib
from base64 import b32encode
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot._core import warc_digest, warc_record
from tests.support.examples import examples

FIELDS = b"WARC-Target-URI: https://example.com/\r\n"
RANDOM = bytes(range(16))


def written(content: bytes) -> str:
    """Return a digest as archives write it, by the standard library."""
    digest = hashlib.sha1(content, usedforsecurity=False).digest()
    return f"sha1:{b32encode(digest).decode()}"


def expected(random: bytes, kind: bytes, head: bytes, payload: bytes | None) -> bytes:
    """Return the bytes of a response, as WARC 1.1 section 4 has them."""
    block = head + (payload or b"")
    lines = [
        "WARC/1.1",
        "WARC-Type: response",
        f"WARC-Record-ID: <{UUID(bytes=random, version=4).urn}>",
        FIELDS.decode().rstrip(),
        *([] if payload is None else [f"WARC-Payload-Digest: {written(payload)}"]),
        f"WARC-Block-Digest: {written(block)}",
        f"Content-Type: {kind.decode()}",
        f"Content-Length: {len(block)}",
    ]
    return "\r\n".join([*lines, "", ""]).encode() + block + b"\r\n\r\n"


@given(
    st.binary(min_size=16, max_size=16),
    st.binary(max_size=400),
    st.none() | st.builds(lambda piece, times: piece * times, st.binary(), st.integers(1, 2_000)),
    st.integers(0, 9),
)
@examples(200)
def test_a_record_is_one_whole_member(
    random: bytes, head: bytes, payload: bytes | None, level: int
) -> None:
    """Each record unpacks to its fields and its block, whatever was packed before it."""
    made = warc_record("response", random, FIELDS, b"text/plain", (head, payload), level)
    identifier, member, digest = made
    stream = zlib.decompressobj(31)
    assert stream.decompress(member) == expected(random, b"text/plain", head, payload)
    assert stream.eof
    assert not stream.unused_data
    assert identifier == UUID(bytes=random, version=4).bytes
    assert warc_digest(digest) == written(head if payload is None else payload)


def test_a_member_is_no_larger_than_that_of_zlib() -> None:
    """The level means the same as elsewhere, within a tenth."""
    block = b"".join(b"<li><a href=/lamp/%d>Lamp %d</a>" % (one, one * 7) for one in range(4_000))
    usual = len(zlib.compress(expected(RANDOM, b"text/html", b"", block), 6))
    _, member, _ = warc_record("response", RANDOM, FIELDS, b"text/html", (b"", block), 6)
    assert len(member) < usual * 1.1


@given(st.binary())
@examples(50)
def test_a_digest_is_written_in_base32(content: bytes) -> None:
    """It is written as the standard library writes it."""
    assert warc_digest(hashlib.sha1(content, usedforsecurity=False).digest()) == written(content)


def test_only_a_sha1_is_a_digest() -> None:
    """Another length is a mistake of the caller."""
    with pytest.raises(ValueError, match="20 bytes"):
        warc_digest(b"short")
