"""Every fetch has bounds: of time, of bytes on the wire, of bytes unpacked."""

import asyncio
import gzip
import socket
import tracemalloc
import zlib
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any
from unittest import mock

import aiohttp
import brotli  # type: ignore[import-untyped]
import pytest
from aiohttp.abc import ResolveResult
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict

import goodbot
import goodbot.net
from goodbot.errors import FetchError
from goodbot.net import Limits, aiohttp_fetcher
from goodbot.net.aiohttp_fetcher import LARGEST_HEADER, STEP, Content, read_within
from goodbot.net.decoding import DECODERS, MOST_MEMBERS, ZSTD, DecodingError, decoder_of
from goodbot.testing import LoopbackSite
from goodbot.testing.steps import http
from tests.support.examples import examples
from tests.support.fetching import Names, get, here, kind_of, run, settled
from tests.support.waiting import HANGS


def test_a_bomb_is_not_unpacked() -> None:
    """64 MiB come as 64 KiB: only the limit is kept, and memory stays near it."""

    async def main() -> None:
        async with LoopbackSite("gzip-bomb") as site, here() as fetcher:
            url = f"{site.origin}/robots.txt"
            await get(fetcher, url, bytes=1_000)  # loads modules of aiohttp
            tracemalloc.start()
            answer = await get(fetcher, url, bytes=512_000)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert (answer.truncated, len(answer.body)) == (True, 512_000)
            assert answer.wire_bytes < 100_000
            assert peak < 4_000_000
            larger = get(fetcher, url, bytes=512_000, when_larger="fail")
            assert await kind_of(larger) == "too-large"

    run(main())


assert ZSTD is not None, "install the development dependencies"
zstd: Any = ZSTD
SKIPPED = b"\x5a\x2a\x4d\x18\x03\0\0\0abc"
"""A skippable frame of zstd, which adds nothing to the content."""

CODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": lambda data: gzip.compress(data[:100]) + gzip.compress(data[100:]),
    "deflate": zlib.compress,
    "Deflate": lambda data: zlib.compress(data)[2:-4],  # without its frame, as many servers do
    "br": brotli.compress,
    "zstd": zstd.compress,
    "ZSTD": lambda data: zstd.compress(data[:100]) + SKIPPED + zstd.compress(data[100:]),
    "identity": bytes,
}


@pytest.mark.parametrize("coding", CODERS)
def test_each_coding_is_undone_within_the_limits(coding: str) -> None:
    """The content is whole if it fits, cut if it does not, or a failure if that is requested."""
    content = b"".join(b"Disallow: /%d\n" % number for number in range(20_000))
    octets = CODERS[coding](content)

    async def main() -> None:
        script = {"/": lambda _: iter([http(200, octets, f"Content-Encoding: {coding}")])}
        async with LoopbackSite(pages=script) as site, here() as fetcher:
            whole = await get(fetcher, site.origin)
            assert (whole.body, whole.truncated) == (content, False)
            assert whole.wire_bytes == len(octets)
            exact = await get(fetcher, site.origin, bytes=len(content), wire_bytes=len(octets))
            assert (exact.body, exact.truncated) == (content, False)
            for limits in ({"bytes": 1_000}, {"wire_bytes": 1_000}):
                cut = await get(fetcher, site.origin, **limits)
                assert cut.truncated
                assert content.startswith(cut.body)
                assert len(cut.body) <= limits.get("bytes", 70_000)
                failing = get(fetcher, site.origin, when_larger="fail", **limits)
                assert await kind_of(failing) == "too-large"

    run(main())


def test_a_header_is_bounded_as_a_whole() -> None:
    """Many fields, each within the limits, exceed them together."""

    async def main() -> None:
        field = f"X-Robots-Tag: {'noindex,' * 2_000}"
        scripts = {
            "/few": lambda _: iter([http(200, b"a", *[field] * 8)]),
            "/many": lambda _: iter([http(200, b"a", *[field] * 9)]),
        }
        async with LoopbackSite(pages=scripts) as site, here() as fetcher:
            assert 8 * len(field) < LARGEST_HEADER < 9 * len(field)
            assert len((await get(fetcher, f"{site.origin}/few")).field_values("x-robots-tag")) == 8
            assert await kind_of(get(fetcher, f"{site.origin}/many")) == "too-large"

    run(main())


@pytest.mark.stress
@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_the_octets_of_a_bomb_are_as_many_as_there_is_room_for(coding: str) -> None:
    """The decoder returns as many bytes as there is room for, whatever the ratio."""
    octets = CODERS[coding](bytes(32 * 1024 * 1024))
    tracemalloc.start()
    piece = decoder_of([coding]).feed(octets, 1_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(piece) == 1_000
    assert peak < 1_000_000


class OneChunk:
    """A response of aiohttp whose whole content is available, so that reading never waits."""

    def __init__(self, coding: str, data: bytes) -> None:
        """Store the received bytes."""
        self.headers = CIMultiDict([("Content-Encoding", coding)])
        self.content = self
        self._data = data

    def at_eof(self) -> bool:
        """Whether all was read."""
        return not self._data

    async def readany(self) -> bytes:
        """Return all of it."""
        data, self._data = self._data, b""
        return data


def turns_of(reading: Coroutine[Any, Any, Content]) -> tuple[int, Content]:
    """Run a reader of an answer; count how often it yields to other tasks."""
    turns = 0
    while True:
        try:
            assert reading.send(None) is None
        except StopIteration as end:
            return turns, end.value
        turns += 1


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_one_chunk_of_a_bomb_does_not_hold_the_loop(coding: str) -> None:
    """It is decoded in steps of bounded size, and other tasks run between them."""
    content = b"Disallow: /\n" * (8 * 1024 * 1024 // 12)
    octets = CODERS[coding](content)
    assert len(octets) < 64 * 1024
    steps: list[int] = []
    kind = DECODERS[coding]

    class Counted(kind):  # type: ignore[misc, valid-type]
        def feed(self, data: bytes, room: int) -> bytes:
            piece: bytes = super().feed(data, room)
            steps.append(len(piece))
            return piece

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(DECODERS, coding, Counted)
        turns, read = turns_of(read_within(OneChunk(coding, octets), Limits(bytes=len(content))))  # type: ignore[arg-type]
        assert (read.body, read.truncated) == (content, False)
        assert max(steps) == STEP
        assert turns == len(steps) - 1 >= len(content) // STEP
        steps.clear()
        cut = turns_of(read_within(OneChunk(coding, octets), Limits(bytes=3 * STEP)))[1]  # type: ignore[arg-type]
        assert (cut.body, cut.truncated) == (content[: 3 * STEP], True)
        assert sum(steps) == 3 * STEP + 1


@pytest.mark.parametrize("coding", CODERS)
def test_a_small_page_is_decoded_without_a_turn_of_the_loop(coding: str) -> None:
    """One step is enough."""
    content = b"Disallow: /\n" * 5_000
    answer: Any = OneChunk(coding, CODERS[coding](content))
    turns, read = turns_of(read_within(answer, Limits()))
    assert (turns, read.body) == (0, content)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_fetch_can_be_broken_off_between_two_steps(coding: str) -> None:
    """A cancellation, and therefore a deadline, does not wait until everything is decoded."""
    octets = CODERS[coding](bytes(8 * 1024 * 1024))

    async def main() -> None:
        reading = asyncio.ensure_future(
            read_within(OneChunk(coding, octets), Limits(bytes=16 * 1024 * 1024))  # type: ignore[arg-type]
        )
        await asyncio.sleep(0)
        assert not reading.done()
        reading.cancel()
        await asyncio.wait([reading])
        assert reading.cancelled()

    run(main())


@given(
    st.lists(st.binary(max_size=60).map(lambda part: part * 50), min_size=1, max_size=3),
    st.sampled_from(sorted(DECODERS)),
    st.lists(st.integers(1, 700), min_size=1),
)
@examples(300)
def test_steps_give_what_the_whole_gives(
    contents: list[bytes], coding: str, rooms: list[int]
) -> None:
    """However little room each step has, nothing is lost and the end is found."""
    if coding in {"deflate", "br"}:  # they have one stream
        contents = [b"".join(contents)]
    coder = gzip.compress if coding == "x-gzip" else CODERS[coding]
    data = b"".join(coder(content) for content in contents)
    decoder = decoder_of([coding])
    got = decoder.feed(data, rooms[0])
    for number in range(1, 100_000):
        if not decoder.has_more:
            break
        room = rooms[number % len(rooms)]
        piece = decoder.feed(b"", room)
        assert len(piece) <= room
        got += piece
    assert got == b"".join(contents)
    assert decoder.is_complete()
    assert not decoder.has_more


@pytest.mark.parametrize("coding", CODERS)
def test_the_octets_as_they_came_are_kept_if_they_are_wanted(coding: str) -> None:
    """They are kept up to the limit of bytes on the wire; without encoding they are the content."""
    content = b"".join(b"Disallow: /%d\n" % number for number in range(20_000))
    octets = CODERS[coding](content)

    async def main() -> None:
        script = {"/": lambda _: iter([http(200, octets, f"Content-Encoding: {coding}")])}
        async with LoopbackSite(pages=script) as site, here() as fetcher:
            assert (await get(fetcher, site.origin)).wire is None
            whole = await get(fetcher, site.origin, keep_wire=True)
            assert (whole.wire, whole.body) == (octets, content)
            assert (whole.wire is whole.body) == (coding == "identity")
            cut = await get(fetcher, site.origin, keep_wire=True, wire_bytes=1_000)
            assert (cut.wire, cut.truncated) == (octets[:1_000], True)

    run(main())


@pytest.mark.parametrize("size", [0, 1, 999, 1_000, 1_001, 5_000])
def test_content_that_came_with_the_header_is_read_as_any_other(size: int) -> None:
    """Without Content-Encoding, it is kept as it came if it is within the limits."""
    octets = bytes(range(1, 251)) * 20

    async def main() -> None:
        script = {
            "/": lambda _: iter([http(200, octets[:size])]),
            "/general": lambda _: iter([http(200, octets[:size], "Content-Encoding: identity")]),
        }
        async with LoopbackSite(pages=script) as site, here() as fetcher:
            for limits in ({}, {"bytes": 1_000}, {"wire_bytes": 1_000}, {"keep_wire": True}):
                same = [
                    await get(fetcher, site.origin + path, **limits) for path in ("/", "/general")
                ]
                one, other = ((a.body, a.wire, a.wire_bytes, a.truncated, a.unread) for a in same)
                assert one == other

    run(main())


BROKEN = {
    "cut": gzip.compress(bytes(5_000))[:-3],
    "rubbish": b"<html>no gzip</html>",
    "one byte": b"\x1f",
    "checksum": gzip.compress(b"a")[:-8] + bytes(8),
    "members": gzip.compress(b"") * (MOST_MEMBERS + 1),
    "cut br": brotli.compress(bytes(5_000))[:-2],
    "rubbish br": b"<html>no br</html>",
    "cut zstd": zstd.compress(bytes(5_000))[:-2],
    "rubbish zstd": b"<html>no zstd</html>",
    "frames zstd": zstd.compress(b"") * (MOST_MEMBERS + 1),
    "skipped zstd": SKIPPED * (MOST_MEMBERS + 1),
    "window zstd": zstd.compress(
        bytes(1 << 25), options={zstd.CompressionParameter.window_log: 24}
    ),
}
"""The coding is the one named last; gzip otherwise."""


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_stream_is_no_answer(name: str) -> None:
    """Half a robots.txt could lack the rules that forbid."""
    coding = name.rsplit(maxsplit=1)[-1] if name.endswith((" br", " zstd")) else "gzip"

    async def main() -> None:
        script = {"/": lambda _: iter([http(200, BROKEN[name], f"Content-Encoding: {coding}")])}
        async with LoopbackSite(pages=script) as site, here() as fetcher:
            assert await kind_of(get(fetcher, site.origin)) == "bad-encoding"

    run(main())


@pytest.mark.parametrize("status", [301, 403, 404, 503])
@pytest.mark.parametrize("coding", ["gzip", "br", "compress"])
def test_the_status_of_an_error_stands_without_its_content(status: int, coding: str) -> None:
    """What a redirect or an error means does not depend on content that cannot be decoded."""

    async def main() -> None:
        octets = b"<html>Forbidden</html>"
        script = {"/": lambda _: iter([http(status, octets, f"Content-Encoding: {coding}")])}
        async with LoopbackSite(pages=script) as site, here() as fetcher:
            answer = await get(fetcher, site.origin)
            assert (answer.status, answer.body, answer.unread) == (status, b"", False)

    run(main())


@pytest.mark.parametrize("coding", ["gzip, gzip", "gzip, zstd", "compress", "utf-8"])
def test_codings_for_which_nobody_asked_are_no_answer(coding: str) -> None:
    """A coding that cannot be decoded within a bound is a failure; its bytes are no content."""
    octets = gzip.compress(gzip.compress(b"a"))

    async def main() -> None:
        script = {"/": lambda _: iter([http(200, octets, f"Content-Encoding: {coding}")])}
        async with LoopbackSite(pages=script) as site, here() as fetcher:
            assert await kind_of(get(fetcher, site.origin)) == "bad-encoding"

    run(main())


def test_what_stands_behind_the_stream_is_left_alone() -> None:
    """As in browsers, padding after the last member is ignored, and empty bodies are accepted."""

    async def main() -> None:
        answers = iter([gzip.compress(b"a") + bytes(300), b""])
        script = {"/": lambda _: iter([http(200, next(answers), "Content-Encoding: gzip")])}
        async with LoopbackSite(pages=script) as site, here() as fetcher:
            assert (await get(fetcher, site.origin)).body == b"a"
            assert (await get(fetcher, site.origin)).body == b""

    run(main())


@given(
    st.lists(st.binary(max_size=300), min_size=1, max_size=4),
    st.sampled_from(["gzip", "deflate", "zstd"]),
    st.binary(max_size=3).filter(lambda tail: not tail.startswith(b"\x1f")),
    st.lists(st.integers(1, 40), min_size=1),
    st.integers(1, 2_000),
)
@examples(300)
def test_pieces_give_what_the_whole_gives(
    contents: list[bytes], coding: str, tail: bytes, sizes: list[int], room: int
) -> None:
    """The decoder, fed in pieces, restores what was compressed."""
    if coding == "deflate":
        contents = contents[:1]
    octets = b"".join(CODERS[coding](content) for content in contents)
    expected = b"".join(contents)
    inflater, got, at = decoder_of([coding]), b"", 0
    data = octets + tail
    while at < len(data) and len(got) < room:
        size = sizes[at % len(sizes)]
        got += inflater.feed(data[at : at + size], room - len(got))
        at += size
    assert got == expected[:room]
    if len(got) < room:
        assert inflater.is_complete()


@given(st.sampled_from(sorted(DECODERS)), st.binary(max_size=200))
@examples(300)
def test_any_octets_are_decoded_or_refused(coding: str, data: bytes) -> None:
    """Foreign content raises only the exception that becomes `bad-encoding`."""
    try:
        assert len(decoder_of([coding]).feed(data, 100)) <= 100
    except DecodingError as error:
        assert str(error)  # noqa: PT017


def test_a_slow_drip_ends_at_the_deadline() -> None:
    """A byte now and then does not keep a connection open beyond the deadline."""

    async def main() -> None:
        loop = asyncio.get_running_loop()
        async with LoopbackSite("slow-drip") as site, here() as fetcher:
            since = loop.time()
            fetching = get(fetcher, f"{site.origin}/robots.txt", seconds=0.06)
            assert await kind_of(fetching) == "timeout"
            assert 0.05 < loop.time() - since < 1
            assert await settled(lambda: not site.open_connections)

    run(main())


def test_content_that_comes_too_slowly_ends_before_the_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A byte now and then holds a connection no longer than the first check of the rate."""
    monkeypatch.setattr(aiohttp_fetcher, "RATE_AFTER", 0.1)

    async def main() -> None:
        async with LoopbackSite("slow-drip") as site, here() as fetcher:
            with pytest.raises(FetchError, match="less than 10000 bytes a second came") as found:
                await get(fetcher, f"{site.origin}/robots.txt", seconds=HANGS, min_rate=10_000)
            assert found.value.kind == "timeout"
            assert await settled(lambda: not site.open_connections)
        async with LoopbackSite("polite") as site, here() as fetcher:
            found_all = await get(fetcher, f"{site.origin}/robots.txt", min_rate=10_000)
            assert found_all.status == 200

    run(main())


def test_a_rate_is_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Content that came quickly at first, and then slowly, ends too; one that is quick does not."""

    async def main() -> None:
        content = aiohttp.StreamReader(mock.Mock(), 2**16, loop=asyncio.get_running_loop())
        monkeypatch.setattr(aiohttp_fetcher, "RATE_AFTER", 0.0)
        monkeypatch.setattr(aiohttp_fetcher, "RATE_EVERY", 0.0)
        content.total_bytes = 10**9
        with aiohttp_fetcher.RateWatch(content, 1):
            for _ in range(100):
                await asyncio.sleep(0)
            assert content.exception() is None
            content.total_bytes = 0
            assert await settled(lambda: content.exception() is not None)
        assert isinstance(content.exception(), TimeoutError)

    run(main())


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_deadline_is_for_every_stage(scheme: str) -> None:
    """A server that accepts and sends nothing, before TLS or before the header, ends there, too."""

    async def main() -> None:
        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with suppress(asyncio.CancelledError):
                await reader.read()
            writer.close()

        server = await asyncio.start_server(silent, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server, here() as fetcher:
            fetching = get(fetcher, f"{scheme}://127.0.0.1:{port}/", seconds=0.05)
            assert await kind_of(fetching) == "timeout"

    run(main())


def test_the_deadline_is_for_names_as_well() -> None:
    """A resolver that does not return is not waited for."""

    class Slow(Names):
        async def resolve(
            self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
        ) -> list[ResolveResult]:
            await asyncio.sleep(3_600)
            return await super().resolve(host, port, family)

    async def main() -> None:
        async with here(resolver=Slow([])) as fetcher:
            assert await kind_of(get(fetcher, "http://a.example/", seconds=0.03)) == "timeout"

    run(main())


@pytest.mark.parametrize(
    ("option", "value", "error"),
    [
        ("seconds", 0, goodbot.WrongValueError),
        ("seconds", float("nan"), goodbot.WrongValueError),
        ("seconds", float("inf"), goodbot.WrongValueError),
        ("bytes", -1, goodbot.WrongValueError),
        ("bytes", 1.5, goodbot.WrongTypeError),
        ("wire_bytes", True, goodbot.WrongTypeError),
        ("seconds", "5", goodbot.WrongTypeError),
        ("when_larger", "drop", goodbot.WrongValueError),
    ],
)
def test_limits_are_limits(option: str, value: Any, error: type[Exception]) -> None:  # noqa: ANN401
    """A limit that bounds nothing is refused."""
    with pytest.raises(error, match=option):
        Limits(**{option: value})
