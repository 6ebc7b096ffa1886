"""The core's records of WARC files, compared with the standard library."""

import hashlib
import zlib
from base64 import b32encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot._core import warc_digest, warc_record
from tests.support.examples import examples

HEAD = b"WARC/1.1\r\nWARC-Type: response\r\n"


def written(content: bytes) -> str:
    """Return a digest as archives write it, by the standard library."""
    digest = hashlib.sha1(content, usedforsecurity=False).digest()
    return f"sha1:{b32encode(digest).decode()}"


def expected(kind: bytes, block: bytes) -> bytes:
    """Return the bytes of a record, as WARC 1.1 section 4 has them."""
    digest, length = written(block).encode(), len(block)
    lines = b"WARC-Block-Digest: %b\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n"
    return HEAD + lines % (digest, kind, length) + block + b"\r\n\r\n"


@given(st.binary(max_size=400), st.binary(), st.integers(1, 2_000), st.integers(0, 9))
@examples(200)
def test_a_record_is_one_whole_member(head: bytes, piece: bytes, times: int, level: int) -> None:
    """Each record unpacks to its head and its block, whatever was packed before it."""
    payload = piece * times
    member = warc_record(HEAD, b"text/plain", head, payload, level)
    stream = zlib.decompressobj(31)
    assert stream.decompress(member) == expected(b"text/plain", head + payload)
    assert stream.eof
    assert not stream.unused_data


def test_a_member_is_no_larger_than_that_of_zlib() -> None:
    """The level means the same as elsewhere, within a tenth."""
    block = b"".join(b"<li><a href=/lamp/%d>Lamp %d</a>" % (one, one * 7) for one in range(4_000))
    usual = len(zlib.compress(expected(b"text/html", block), 6))
    assert len(warc_record(HEAD, b"text/html", b"", block, 6)) < usual * 1.1


@given(st.binary())
@examples(50)
def test_a_digest_is_written_in_base32(content: bytes) -> None:
    """It is written as the standard library writes it."""
    assert warc_digest(hashlib.sha1(content, usedforsecurity=False).digest()) == written(content)


def test_only_a_sha1_is_a_digest() -> None:
    """Another length is a mistake of the caller."""
    with pytest.raises(ValueError, match="20 bytes"):
        warc_digest(b"short")
