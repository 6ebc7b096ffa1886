"""What a fetch saw is reported in our words, and the exception of the library stays the cause."""

import asyncio
import re

import pytest

import goodbot
from tests.support.fetching import get, here, run

HEAD = b"HTTP/1.1 200 OK\r\n"
ANSWERS = {
    HEAD + b"Content-Length: 100\r\n\r\nabc": ("reset", "3 of 100 bytes came"),
    HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n": ("reset", "the last chunk did not"),
    HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n": ("protocol-error", "a chunk has no valid"),
    b"": ("reset", "there was no answer"),
    b"220 smtp ready\r\n": (
        "protocol-error",
        "begins with '220 smtp ready', which",
    ),
    HEAD + b"X: " + b"a" * 50_000 + b"\r\n\r\n": ("too-large", "has more than 32768 bytes"),
    HEAD + b"Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc": (
        "protocol-error",
        "it has Content-Length twice",
    ),
    HEAD + b"Content-Length: x\r\n\r\nabc": ("protocol-error", "Content-Length is not a number"),
    HEAD + b"foo bar\r\n\r\nabc": ("protocol-error", "a line of its header is not a field"),
    HEAD + b"X: a\r\n" * 3_000 + b"\r\n": ("protocol-error", "its header has too many fields"),
    HEAD + b"Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc": (
        "bad-encoding",
        "incorrect header check",
    ),
}
"""What a server sends, the failure, and what was seen."""

THEIRS = re.compile(r"<|Error|ssl:default|message=|\bb'|\n|Errno")
"""Words of libraries."""


@pytest.mark.parametrize("answer", ANSWERS, ids=[what for _, what in ANSWERS.values()])
def test_what_was_seen_is_told_in_plain_words(answer: bytes) -> None:
    """None of aiohttp, whose exception is the cause."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    async def main() -> goodbot.FetchError:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, here() as fetcher:
            with pytest.raises(goodbot.FetchError) as caught:
                await get(fetcher, f"http://127.0.0.1:{port}/")
        return caught.value

    error = run(main())
    kind, seen = ANSWERS[answer]
    assert error.kind == kind
    assert seen in error.what
    assert THEIRS.search(str(error)) is None
    assert error.__cause__ is not None


def test_a_refused_connection_needs_no_more_words() -> None:
    """Nobody listens at port 1."""

    async def main() -> str:
        async with here() as fetcher:
            with pytest.raises(goodbot.FetchError) as caught:
                await get(fetcher, "http://127.0.0.1:1/")
        return caught.value.what

    assert run(main()) == "http://127.0.0.1:1/: the connection was refused"
