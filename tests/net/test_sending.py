"""What a fetch sends: byte for byte what aiohttp's own session would send."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from yarl import URL

import goodbot
from goodbot.net.failures import fetchable
from goodbot.net.sending import is_interim
from goodbot.testing.steps import http
from tests.support.fetching import ROBOT, here, run


@asynccontextmanager
async def recording(sent: list[bytes]) -> AsyncGenerator[str, None]:
    """Serve a site that answers each request; `sent` gets what came."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        sent.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(http(200, b"a", "Connection: close"))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


PATHS = ["", "/", "/a??", "/a?b?", "/%zz", "/caf\xe9?\xe9=+", "//a;b#c", "/a#?"]
FIELDS: list[list[tuple[str, str]]] = [
    [],
    [("Accept", "text/html"), ("X-A", "1"), ("X-A", "2")],
    [("host", "b.example"), ("X-A", "caf\xe9 \udc80\t")],
]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("more", FIELDS)
def test_what_is_sent_is_what_a_session_of_aiohttp_sends(
    path: str, more: list[tuple[str, str]]
) -> None:
    """The target, the fields that aiohttp adds, and their order are the same."""
    sent: list[bytes] = []

    async def main() -> None:
        async with recording(sent) as origin:
            async with here() as fetcher:
                await fetcher.fetch(f"{origin}{path}", headers=[*ROBOT, *more])
            fields = dict(line.split(": ", 1) for line in sent[0].decode().split("\r\n")[1:-2])
            coding = ("Accept-Encoding", fields["Accept-Encoding"])
            url = URL(fetchable(f"{origin}{path}")[1], encoded=True)
            async with aiohttp.ClientSession() as session:
                await session.get(url, headers=[*ROBOT, *more, coding])

    run(main())
    assert sent[0] == sent[1]


@pytest.mark.parametrize(("path", "target"), [("?", "/?"), ("/?", "/?"), ("/a?", "/a?")])
def test_an_empty_query_is_sent(path: str, target: str) -> None:
    """It is a part of the URL (RFC 3986 section 6.2.3), which rules may name (RFC 9309 2.2.2)."""
    sent: list[bytes] = []

    async def main() -> None:
        async with recording(sent) as origin, here() as fetcher:
            await fetcher.fetch(f"{origin}{path}", headers=ROBOT)

    run(main())
    assert sent[0].startswith(f"GET {target} HTTP/1.1\r\n".encode())


@pytest.mark.parametrize("character", ["\r", "\n", "\0", "\x01", "\x1f", "\x7f"])
def test_no_control_character_is_sent(character: str) -> None:
    """It could end a field, so that the rest of the value would be another one."""
    fields = [*ROBOT, ("X-A", f"a{character}b")]

    async def main() -> None:
        async with here() as fetcher:
            await fetcher.fetch("http://127.0.0.1/", headers=fields)

    with pytest.raises(goodbot.MisuseError, match="'X-A' cannot be sent"):
        run(main())


def test_which_headers_are_followed_by_another() -> None:
    """All of 1xx but that of a protocol that was not requested."""
    followed = [one for one in (100, 101, 102, 103, 199, 200, 404) if is_interim(one)]
    assert followed == [100, 102, 103, 199]
