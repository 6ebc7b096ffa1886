"""The core's reader of WARC files has the answers that the one in Python has, row by row."""

import gzip
import os
import random
import tempfile
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot._core import CaptureReader
from goodbot.tables.building.packed_answer import unpack_table
from goodbot.tables.building.sorted_runs import rows_between
from goodbot.tables.building.warc_answers import FileReader
from goodbot.tables.building.warc_runs import read_warc
from goodbot.warc import file_pieces
from tests.support.examples import examples
from tests.support.references.warc_answers_reference import PlainAnswers, plain_answers
from tests.tables.building.warc_text import record, response, write_warc

NOON = datetime(2025, 6, 2, 12, tzinfo=timezone.utc)
A, B = "https://a.example", "http://b.example:8080"
OPEN, CLOSED = b"User-agent: *\nDisallow:\n", b"User-agent: *\nDisallow: /\n"
SPAN = "CC-MAIN-20250602110000-20250602140000-00000.warc.gz"


def by_core(path: Path) -> PlainAnswers:
    """Read a file as `goodbot tables build` does."""
    with tempfile.TemporaryDirectory() as folder:
        done = read_warc(os.fspath(path), folder, "x", 5, lambda _: None)
        answers, redirects = (
            list(unpack_table(rows_between(runs, None, None)))
            for runs in (done.answers, done.redirects)
        )
        assert done.found == len(answers)
    return PlainAnswers(answers, redirects, done.records, done.undated, done.unread)


def agree(content: bytes, name: str = "x.warc.gz") -> PlainAnswers:
    """Read a file in both ways, which must agree."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_warc(Path(folder, name), [content])
        found = by_core(path)
        assert found == plain_answers(path)
    return found


def plain(body: bytes = OPEN) -> bytes:
    """Return a record that the core reads."""
    return response(f"{A}/robots.txt", NOON, 200, body, [("Content-Length", str(len(body)))])


def test_plain_records_are_never_read_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers, redirects, other URLs, and records that are no responses."""

    def fail(*_: object) -> None:
        pytest.fail("a plain record was read in Python")

    monkeypatch.setattr(FileReader, "read", fail)
    content = b"".join(
        [
            record(f"{A}/", NOON, b"software: x\r\n", kind="warcinfo"),
            record(f"{A}/robots.txt", NOON, b"GET / HTTP/1.1\r\n\r\n", kind="request"),
            plain(),
            response(f"{B}/robots.txt", NOON, 301, headers=[("Location", f"{A}/r.txt")]),
            response(f"{A}/r.txt", NOON, 404, b"<html>"),
            response(f"{A}/page", NOON, 200, b"<html>"),
        ]
    )
    with tempfile.TemporaryDirectory() as folder:
        found = by_core(write_warc(Path(folder, "x.warc.gz"), [content]))
    assert [(one.key, one.status) for one in found.answers] == [
        (B, 301), (A, 200), (f"{A}/r.txt", 404)
    ]  # fmt: skip
    assert [(one.key, one.wanted_by) for one in found.redirects] == [(f"{A}/r.txt", B)]
    assert (found.records, found.unread) == (6, 0)


HEADS = [
    b"HTTP/1.1 200 OK", b"HTTP/2 200", b"HTTP/1.0 404 Not Found", b"HTTP/1.1 301 Moved",
    b"HTTP/1.1 304 Not Modified", b"HTTP/1.1 204", b"HTTP/1.1 503 Busy", b"HTTP/1.1  200  x: y",
    b"HTTP/1.1 100 Continue", b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK",
    b"HTTP/1.1 20 x", b"HTTP/1.1 2000", b"200 OK", b"", b"HTTP/1.1 999 x", b"HTTP/1.12 200 x",
]  # fmt: skip
LINES = [
    b"Content-Length: 24", b"Content-Length: 9999", b"content-length: 24, 24", b"Content-Length: ",
    b'ETag: "a"', b"Cache-Control:max-age=60", b" continued", b"\tcontinued", b"no colon",
    b"Bad Name: x", b"Location: https://b.example/r.txt", b"LOCATION:  /r.txt ", b"Location: //[",
    b"Transfer-Encoding: chunked", b"Content-Encoding: gzip", b"Content-Encoding: identity",
    b"ETag: \xff", b"ETag: a\x0bb", b"ETag: a\x00b", b"Retry-After: 5", b"HTTP/1.1 301 Found",
    b"Date: Mon, 02 Jun 2025 12:00:00 GMT", b"Date: Sun, 02 Jun 2024 12:00:00 GMT", b"Age: 1\rx",
    b"X: y", b": z", b"Expires : 0",
]  # fmt: skip
ENDS = [b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r"]
BODIES = [
    OPEN, CLOSED, b"", b"<html>", b"3\r\nabc\r\n0\r\n\r\n", gzip.compress(OPEN), b"\r\n\r\nx",
    b"#" * 2_000_000, b"x" * 1_048_576,
]  # fmt: skip
FIELDS = [
    "", "", "", "WARC-Truncated: length\r\n", "WARC-Truncated: disconnect\r\n", "X: \x00\r\n",
    "WARC-Payload-Digest: sha1:A\r\n", "WARC-Payload-Digest: sha1:B\r\n", " y\r\n", "odd\r\n",
    "WARC-Date: 2020-01-01T00:00:00Z\r\n", "Caf\u00e9: x\r\n", "X: caf\u00e9\r\n", "Y: a\rb\r\n",
]  # fmt: skip
URLS = [
    f"{A}/robots.txt", f"{B}/robots.txt", "https://b.example/r.txt", f"{A}/r.txt", f"{A}/page",
    f"<{A}/robots.txt>", "HTTPS://A.example:443/x/../robots.txt", "https://a.example/robots.txt?x",
    "dns:a.example", "", "https://caf\u00e9.example/robots.txt", f"{A}/robots%2Etxt", f"{A}/%7ex",
]  # fmt: skip
KINDS = ["response"] * 6 + ["revisit", "request", "metadata", "Response", "warcinfo"]

BLOCKS = st.builds(
    lambda head, lines, ends, body: b"".join(
        line + end for line, end in zip([head, *lines, b""], ends, strict=False)
    ) + body,
    st.sampled_from(HEADS[:6] * 3 + HEADS), st.lists(st.sampled_from(LINES), max_size=4),
    st.one_of(st.just([b"\r\n"] * 6), st.lists(st.sampled_from(ENDS), min_size=6, max_size=6)),
    st.sampled_from(BODIES[:4] * 3 + BODIES),
)  # fmt: skip
TIMES = st.builds(lambda hours: NOON + timedelta(hours=hours), st.integers(-5, 5))
RECORDS = st.builds(
    lambda url, at, block, kind, fields: record(url, at, block, kind=kind, fields=fields),
    st.sampled_from(URLS[:5] * 2 + URLS), TIMES, BLOCKS, st.sampled_from(KINDS),
    st.sampled_from(FIELDS),
)  # fmt: skip
NAMES = st.sampled_from(["x.warc.gz", f"robotstxt/{SPAN}", SPAN, "robotstxt/x.warc.gz"])


@examples(300)
@given(st.lists(RECORDS, max_size=6), NAMES)
def test_both_agree_on_odd_records(records: list[bytes], name: str) -> None:
    """With odd heads, fields, bodies, URLs and kinds."""
    agree(b"".join(records), name)


def damaged(member: bytes, how: int, at: int) -> bytes:
    """Return a member with some damage."""
    place = at % len(member)
    content = gzip.decompress(member)
    cut = at % len(content)
    return [
        lambda: member[:place],
        lambda: member[:place] + bytes([member[place] ^ (1 + at % 255)]) + member[place + 1 :],
        lambda: member + b"\0" * (at % 40),
        lambda: gzip.compress(content[:cut]) + gzip.compress(content[cut:]),
        lambda: gzip.compress(content + content),
        lambda: gzip.compress(content[:cut]),
        lambda: gzip.compress(content + b"\r\n" * (at % 5)),
        lambda: gzip.compress(content[:-4]),
        lambda: gzip.compress(content + b"x"),
        lambda: gzip.compress(b"\r\n" + content),
        lambda: gzip.compress(b""),
        lambda: content,
        lambda: member[:3] + b"\x08" + member[4:10] + b"name\0" + member[10:],
        lambda: member[:3] + b"\x02" + member[4:10] + b"\1\2" + member[10:],
        lambda: gzip.compress(content.replace(b"WARC/1.1", b"WARC/1.0 ")),
        lambda: gzip.compress(content.replace(b"Z\r\n", b".5Z\r\n")),
        lambda: gzip.compress(content.replace(b"Z\r\n", b".123456789Z\r\n")),
        lambda: gzip.compress(content.replace(b"Z\r\n", b".1234567890Z\r\n")),
        lambda: gzip.compress(content.replace(b"Z\r\n", b".Z\r\n")),
        lambda: gzip.compress(content.replace(b"T12:", b"T25:")),
        lambda: gzip.compress(content.replace(b"\r\n", b"\n")),
    ][how]()


@pytest.mark.stress
@examples(300)
@given(
    st.lists(st.tuples(RECORDS, st.integers(-30, 20), st.integers(0, 10_000)), max_size=7),
    st.sampled_from([1, 40, 700, 4_000_000]),
)
def test_both_agree_on_damaged_files(parts: list[Any], piece: int) -> None:
    """Behind damage both go on at the same place, or end; however the pieces of the file fall."""
    content = b"".join(one if how < 0 else damaged(one, how, at) for one, how, at in parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_pieces, "PIECE", piece)
        agree(content)


@examples(60)
@given(st.lists(RECORDS, max_size=4))
def test_both_agree_on_other_forms(records: list[bytes]) -> None:
    """A plain file, and one that is compressed as a whole."""
    content = b"".join(map(gzip.decompress, records))
    agree(content, "x.warc")
    agree(gzip.compress(content))


def test_a_revisit_has_the_content_of_a_record_that_the_core_read() -> None:
    """The place of the original is remembered by its digest."""
    digest = "WARC-Payload-Digest: sha1:A\r\n"
    first = response(f"{A}/robots.txt", NOON, 200, CLOSED, fields=digest)
    again = record(
        f"{B}/robots.txt", NOON, b"HTTP/1.1 200 OK\r\n\r\n", kind="revisit", fields=digest
    )
    found = agree(plain() + first + again)
    assert [(one.key, one.body) for one in found.answers] == [(B, CLOSED), (A, OPEN), (A, CLOSED)]


def test_a_file_of_many_records_is_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some larger than a piece; order within a URL and a time is that of the file."""
    monkeypatch.setattr(file_pieces, "PIECE", 5_000)
    random_ = random.Random(7)  # noqa: S311  no secret
    bodies = [random_.randbytes(random_.choice([0, 10, 900, 40_000])) for _ in range(400)]
    found = agree(b"".join(map(plain, bodies)))
    assert [one.body for one in found.answers] == bodies


def test_a_member_that_expands_far_is_left_to_the_bounded_reader() -> None:
    """Its content is cut at the bound of all readers."""
    block = b"HTTP/1.1 200 OK\r\n\r\n" + b"\n" * 40_000_000
    found = agree(plain() + record(f"{B}/robots.txt", NOON, block) + plain(CLOSED))
    assert [len(one.body) for one in found.answers] == [1_048_576, len(OPEN), len(CLOSED)]


def test_the_reader_never_fails_on_bytes_that_are_no_records() -> None:
    """Any piece, at any place: rows, a place and a reason."""
    reader = CaptureReader(100, [], (10, 300, 10_000))
    for piece in (b"", b"\x1f", b"\x1f\x8b\x08", b"\x1f\x8b\x08\0" * 9, os.urandom(99)):
        for start in (0, 2, 500):
            for is_end in (False, True):
                rows, bodies, at, stop = reader.read(piece, start, start, is_end)
                assert (len(rows), bodies, at) == (0, 0, start)
                assert stop in {"more", "odd"}
