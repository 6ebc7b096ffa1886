"""The core reads plain records exactly as the reader in Python reads them."""

from __future__ import annotations

import gzip
import io
import random
from dataclasses import replace

import pytest

from goodbot.warc import file_pieces
from goodbot.warc import foreign_records as module
from goodbot.warc.foreign_records import ForeignRecord, PlainReader, RecordReader, foreign_records
from tests.support.crawls.foreign_warcs import record

URL = "https://a.example/"
RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n<p>lamps."
HEADS = [
    b"WARC/1.0\r\nWARC-Type: request\r\nContent-Length: 2",
    b"WARC/1.1\r\nwarc-type:resource\r\nCONTENT-LENGTH:\t2 ",
    b"WARC/1.1\r\nWARC-Concurrent-To: <a>\r\nWARC-Concurrent-To: <b>\r\nContent-Length: 2",
    b"WARC/1.1\r\nContent-Length: 2\r\nContent-Length: 2\r\nX: \r\nX: 1",
    b"WARC/1.1\r\nContent-Length: 2\r\nContent-Length: 3",
    b"WARC/1.1\r\nContent-Length: 2\r\nWARC-Target-URI: https://\xc3\xa4.example/",
    b"WARC/1.1\r\nContent-Length: 2\r\nA: 1\r\n 2",
    b"WARC/1.1\r\nContent-Length: 2\r\nA : 1",
    b"WARC/1.1\r\nContent-Length: 2\r\nno field",
    b"WARC/1.1\r\nContent-Length: 2\r\n: nameless",
    b"WARC/1.1\r\nContent-Length: 2\r\nA: \x0b1\x7f",
    b"WARC/1.1\nContent-Length: 2",
    b"WARC/1.1 \r\nContent-Length: 2",
    b"WARC/0.17\r\nContent-Length: 2",
    b"WARC/1.1\r\nContent-Length: +2",
    b"WARC/1.1\r\nContent-Length: 0000000000000002",
    b"WARC/1.1\r\nContent-Length: 002",
    b"WARC/1.1\r\nWARC-Type: metadata",
    b"WARC/1.1\r\n" + b"".join(b"A%d: 1\r\n" % one for one in range(70)) + b"Content-Length: 2",
    b"WARC/1.1\r\nA: " + b"x" * 40_000 + b"\r\nContent-Length: 2",
]
ENDS = [b"\r\n\r\n", b"\n\n", b"\r\n", b"", b"\r\n\r\n\r\n", b"ab\r\n\r\n"]


def slowly(content: bytes) -> list[ForeignRecord]:
    """Read a file by the reader in Python only."""
    reader = RecordReader(io.BytesIO(content))
    found: list[ForeignRecord] = []
    while (one := reader.read()) is not None:
        if one.is_damaged and found and found[-1].is_damaged:
            found[-1] = replace(found[-1], unread=found[-1].unread + one.unread)
        else:
            found.append(one)
    return found


def quickly(content: bytes) -> list[ForeignRecord]:
    """Read a file by both."""
    return list(foreign_records(io.BytesIO(content)))


def read_by_core(members: list[bytes]) -> int:
    """Return how many records the core reads behind the first one."""
    file = io.BytesIO(b"".join(members))
    reader = RecordReader(file)
    reader.read()
    return len(list(PlainReader(file).read_from(reader)))


def test_plain_records_are_read_by_the_core() -> None:
    """Otherwise nothing is compared here."""
    members = [gzip.compress(record("response", URL, RESPONSE))] * 9
    assert read_by_core(members) == 8
    assert read_by_core([members[0], gzip.compress(HEADS[11] + b"\n\nab\n\n"), *members]) == 0


@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("head", HEADS)
def test_every_head_is_read_alike(head: bytes, end: bytes) -> None:
    """Between two records that are plain, and twice in a row."""
    plain = gzip.compress(record("response", URL, RESPONSE))
    odd = gzip.compress(head + b"\r\n\r\nab" + end)
    for content in (plain + odd + plain, plain + odd + odd + plain + plain):
        assert quickly(content) == slowly(content)


@pytest.mark.parametrize("most", [8, 9, 10])
def test_a_long_block_is_cut_alike(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """At the length up to which blocks are returned."""
    monkeypatch.setattr(module, "MAX_BLOCK", most)
    content = gzip.compress(record("resource", URL, b"123456789")) * 3
    assert quickly(content) == slowly(content)
    assert [one.is_cut for one in quickly(content)] == [most < 9] * 3


@pytest.mark.parametrize("piece", [1, 100, 1_000, 1 << 22])
def test_changed_files_are_read_alike(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    """Whatever is changed, removed or added, and however much of a file is in memory."""
    monkeypatch.setattr(file_pieces, "PIECE", piece)
    chance = random.Random(piece)  # noqa: S311  the same each time
    heads = [record("response", URL, RESPONSE), *(one + b"\r\n\r\nab\r\n\r\n" for one in HEADS)]
    for _ in range(60):
        members = [gzip.compress(chance.choice(heads), 1) for _ in range(chance.randrange(2, 12))]
        content = gzip.compress(heads[0]) + b"".join(members)
        for _ in range(chance.randrange(3)):
            at, size = chance.randrange(len(content)), chance.randrange(20)
            content = content[:at] + chance.randbytes(chance.randrange(20)) + content[at + size :]
        assert quickly(content) == slowly(content)
