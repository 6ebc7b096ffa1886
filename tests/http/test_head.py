"""Heads of messages: read at once, they are what they are line by line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.http.head import read_head, read_lines, read_plain_head

PIECES = [
    b"HTTP/1.1 200 OK", b"HTTP/1.1 20", b"Content-Type: text/html", b"a:b", b"A :b", b"a: b \t",
    b":", b" folded", b"\tfolded", b"no field", b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r",
    b"\x0b", b"\xff: \xfe", b"",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join))
def test_a_plain_head_is_read_as_its_lines_are(block: bytes) -> None:
    """Whatever stands in it, and however its lines end."""
    assert read_head(block) == read_lines(block)


@pytest.mark.parametrize(
    ("block", "is_plain"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nDate: now", True),
        (b"WARC-Type: response\r\nContent-Length: 7\r\n", True),
        (b"", False),
        (b"HTTP/1.1 200 OK\r\nA: b\r\n c\r\n", False),
        (b"HTTP/1.1 200 OK\nA: b\n", False),
        (b"HTTP/1.1 200 OK\rA: b\r\n", False),
    ],
)
def test_which_heads_are_plain(block: bytes, is_plain: bool) -> None:  # noqa: FBT001  a row
    """Those that clients and writers of WARC write are."""
    assert (read_plain_head(block) is not None) == is_plain


LONG = 2_000_000


@pytest.mark.stress
@pytest.mark.parametrize(
    "block",
    [
        b"a" * LONG,
        b"a" * LONG + b":",
        b"a:" * LONG,
        b"HTTP/1.1 " + b" " * LONG,
        b"a:" + b"\r" * LONG,
    ],
)
def test_a_hostile_head_costs_what_it_weighs(block: bytes) -> None:
    """If a step were taken for each pair of bytes, no such head would be read within a day."""
    assert read_head(block).status is None
