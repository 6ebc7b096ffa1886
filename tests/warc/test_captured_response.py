"""A record is read as the response that was received, however its crawler wrote it."""

from __future__ import annotations

import gzip
import io
import re
import tracemalloc
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.crawl.imports.warc_import import size_of
from goodbot.net.fetcher import DEFAULT_LIMITS, Response
from goodbot.warc.captured_response import (
    MOST_FIELDS,
    capture_of,
    captured_response,
    unchunked,
    without_body,
)
from goodbot.warc.foreign_records import foreign_records
from tests.support.crawls.foreign_warcs import NOON, http, record

if TYPE_CHECKING:
    from collections.abc import Callable

URL = "https://a.example/page"
BODY = b"<title>A</title><p>text"
CHUNKS = b"5\r\n<titl\r\n12;x=y\r\ne>A</title><p>text\r\n0\r\n\r\n"
ZIPPED = gzip.compress(BODY, mtime=0)


def read(block: bytes, url: str = URL, **fields: Any) -> Response | None:  # noqa: ANN401
    """Return the response in a record."""
    (one,) = foreign_records(io.BytesIO(record("response", url, block, **fields)))
    capture = capture_of(one)
    assert capture is not None
    return captured_response(one, capture)


@pytest.mark.parametrize(
    ("fields", "wire"),
    [
        ({}, BODY),
        ({"Transfer-Encoding": "chunked"}, CHUNKS),
        (
            {"Transfer-Encoding": "Chunked"},
            CHUNKS.removesuffix(b"\r\n") + b"X-Checked: yes\r\n\r\n",
        ),
        ({"Transfer-Encoding": "chunked"}, BODY),  # the chunks are removed, the field is kept
        ({"Content-Encoding": "gzip"}, ZIPPED),
        ({"Content-Encoding": "gzip"}, BODY),  # decoded, and the field is kept
        ({"Content-Encoding": "br"}, BODY),
        (
            {"Content-Encoding": "gzip", "Transfer-Encoding": "Chunked"},
            b"%x\r\n%b\r\n0\r\n\r\n" % (len(ZIPPED), ZIPPED),
        ),
    ],
)
def test_content_is_decoded(fields: dict[str, str], wire: bytes) -> None:
    """Whether the crawler removed the codings or not."""
    found = read(http(wire, fields=fields))
    assert found is not None
    assert (found.status, found.body, found.truncated) == (200, BODY, False)
    assert (found.url, found.started, found.http_version) == (URL, NOON, "1.1")


@pytest.mark.parametrize("spelled", [bytes.lower, bytes.upper, bytes.title])
def test_names_of_fields_have_no_case(spelled: Callable[[bytes], bytes]) -> None:
    """Libraries for HTTP write Warc-Type (WARC 1.1 section 4)."""
    usual = record("response", URL, http(BODY))
    version, line_end, fields = usual.partition(b"\r\n")
    head, blank, block = fields.partition(b"\r\n\r\n")
    head = re.sub(rb"(?m)^[A-Za-z-]+(?=:)", lambda name: spelled(name[0]), head)
    (one,) = foreign_records(io.BytesIO(version + line_end + head + blank + block))
    capture = capture_of(one)
    assert capture is not None
    assert captured_response(one, capture) == read(http(BODY))


@pytest.mark.parametrize(
    "block",
    [b"", b"not http", b"HTTP/1.1 x\r\n\r\n", http(b"\0\1", fields={"Content-Encoding": "gzip"})],
)
def test_what_is_no_response_is_none(block: bytes) -> None:
    """No status line, or content that cannot be decoded."""
    assert read(block) is None


HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


@pytest.mark.parametrize("before", [CONTINUE, HINTS, CONTINUE + HINTS * 2])
def test_interim_responses_are_passed_over(before: bytes) -> None:
    """The final response is the one that was received (RFC 9110 section 15.2)."""
    assert read(before + http(BODY)) == read(http(BODY))


@pytest.mark.parametrize(
    "block", [CONTINUE, HINTS + b"text", b"HTTP/1.1 101 a\r\n\r\n" + http(BODY)]
)
def test_an_interim_response_alone_is_no_final_one(block: bytes) -> None:
    """Nothing follows that is a response, or what follows is in another protocol."""
    found = read(block)
    assert found is not None
    assert found.status in {100, 101, 103}


def test_facts_of_the_record_are_kept() -> None:
    """Address, protocol, and whether the crawler cut the content."""
    found = read(
        http(BODY), WARC_IP_Address="192.0.2.1", WARC_Protocol="h2", WARC_Truncated="length"
    )
    assert found is not None
    assert (found.address, found.http_version, found.truncated) == ("192.0.2.1", "2", True)


def test_large_content_is_cut() -> None:
    """As a crawl does, and a small record may expand to much."""
    large = b"a" * (DEFAULT_LIMITS.bytes + 9)
    for block in (http(large), http(gzip.compress(large), fields={"Content-Encoding": "gzip"})):
        found = read(block)
        assert found is not None
        assert (len(found.body), found.truncated) == (DEFAULT_LIMITS.bytes, True)


@pytest.mark.parametrize(
    ("content", "expected", "is_whole"),
    [
        (b"3\r\nabc\r\n0\r\n\r\n", b"abc", True),
        (b"3\nabc\n0\n\n", b"abc", True),
        (b"3\r\nabc\r\n2\r\nde", b"abcde", False),  # the connection ended
        (b"3\r\nabc\r\n", b"abc", False),
        (b"5\r\nabc", b"abc", False),
        (b"5", b"5", False),
        (b"5\r", b"5\r", False),
        (b"5\r\n", b"", False),
        (b"", b"", False),
        (b"<p>a", b"<p>a", True),
        (b"3\r\nabcdef", b"3\r\nabcdef", False),
        (b"0\r\n\r\n", b"", True),
        (b"a" * 100_000, b"a" * 100_000, False),
    ],
)
def test_chunks(content: bytes, expected: bytes, *, is_whole: bool) -> None:
    """Every chunk with its length, or none; without the last one it is not whole."""
    assert unchunked(content) == (expected, is_whole)


def test_an_empty_page_in_chunks_is_empty() -> None:
    """Its last chunk is no content."""
    found = read(http(b"0\r\n\r\n", fields={"Transfer-Encoding": "chunked"}))
    assert found is not None
    assert found.body == b""


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"WARC_Date": "2024-05-01T12:00:00Z"}, NOON),
        ({"WARC_Date": "2024-05-01T12:00:00.123456789Z"}, NOON.replace(microsecond=123456)),
        ({"WARC_Date": "2024-05-01T14:00:00+02:00"}, NOON),
        ({"WARC_Date": "2024-05-01T12:00:00"}, None),
        ({"WARC_Date": "2024-13"}, None),
        ({"WARC_Date": "2024-02-31T12:00:00Z"}, None),
        ({"WARC_Date": "99999-05-01T12:00:00Z"}, None),
        ({"WARC_Date": ""}, None),
        ({"WARC_Target_URI": "<https://a.example/page>"}, NOON),
        ({"WARC_Target_URI": "dns:a.example"}, None),
        ({"WARC_Target_URI": "https://"}, None),
        ({"WARC_Target_URI": "urn:x"}, None),
    ],
)
def test_captures_have_a_url_and_a_time(fields: dict[str, Any], expected: datetime | None) -> None:
    """Angle brackets, of wget, are removed; other schemes and impossible times are no captures."""
    (one,) = foreign_records(io.BytesIO(record("response", URL, http(), **fields)))
    capture = capture_of(one)
    if expected is None:
        assert capture is None
    else:
        assert capture is not None
        assert (capture.url, capture.at) == (URL, expected)
        assert capture.at.tzinfo is timezone.utc


@pytest.mark.stress
@pytest.mark.parametrize("line", [b"a:\n", b" a\n", b"a\n", b"abcdefgh: ijklmnop\n"])
def test_a_header_has_a_bound_in_memory(line: bytes) -> None:
    """16 MiB of fields compress to 16 KB, and took a gigabyte: they are no response."""
    block = b"HTTP/1.1 200 OK\nx: y\n" + line * (8 * 1024 * 1024 // len(line))
    written = io.BytesIO(record("response", f"{URL}/robots.txt", block))
    (one,) = foreign_records(written)
    capture = capture_of(one)
    assert capture is not None
    tracemalloc.start()
    assert captured_response(one, capture) is None
    kept = without_body(one, capture)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (kept.status, kept.truncated) == (200, True)
    assert peak < 24 * 1024 * 1024
    small = record("response", URL, b"HTTP/1.1 200 OK\n" + b"a: b\n" * MOST_FIELDS + b"\nx")
    (whole,) = foreign_records(io.BytesIO(small))
    found = captured_response(whole, capture)
    assert found is not None
    assert len(found.headers) == MOST_FIELDS


def test_a_batch_is_weighed_with_its_headers() -> None:
    """64 responses of 4,096 fields each would take 50 MB at once."""
    block = b"HTTP/1.1 200 OK\n" + b"a: b\n" * MOST_FIELDS + b"\n"
    response = read(block)
    assert response is not None
    assert size_of(response) > 150 * MOST_FIELDS
