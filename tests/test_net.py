"""One guarded fetch: each guard is shown to bite, against real servers on loopback."""

import asyncio
import doctest
import gzip
import importlib
import ipaddress
import pickle
import pkgutil
import re
import socket
import ssl
import subprocess
import sys
import tracemalloc
import zlib
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import brotli  # type: ignore[import-untyped]
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult
from hypothesis import given, settings
from hypothesis import strategies as st

import goodbot
import goodbot.net
from goodbot.net import FAILURES, AddressGuard, AiohttpFetcher, Limits, Response, failure
from goodbot.net.decoding import DECODERS, MOST_MEMBERS, DecodingError, Inflater, decoder_of
from goodbot.net.failures import quoted
from goodbot.net.target import request_url
from goodbot.testing import LoopbackSite, LoopbackVisit
from goodbot.testing.steps import CLOSE, Pause, Step, http

LOOPBACK = ["127.0.0.0/8"]
ROBOT = [("User-Agent", "ExampleBot/1.0"), ("From", "bot@example.com")]
Answering = TypeVar("Answering")


def run(task: Coroutine[Any, Any, Answering]) -> Answering:
    """Run a task in a loop of its own, which shows what is never awaited or closed."""
    return asyncio.run(task, debug=False)


def here(**options: Any) -> AiohttpFetcher:  # noqa: ANN401 - options of many types
    """Make a fetcher that may ask this machine."""
    return AiohttpFetcher(**{"private_networks": LOOPBACK, **options})


async def get(fetcher: AiohttpFetcher, url: str, **limits: Any) -> Response:  # noqa: ANN401
    """Fetch in the name of a robot."""
    return await fetcher.fetch(url, headers=ROBOT, limits=Limits(**{"seconds": 5.0, **limits}))


async def kind_of(fetching: Awaitable[Response]) -> str:
    """Give what fails."""
    with pytest.raises(goodbot.FetchError) as caught:
        await fetching
    assert str(caught.value).startswith(quoted(caught.value.url))
    assert FAILURES[caught.value.kind][1] in str(caught.value)
    return caught.value.kind


async def kind_at(manner: str, **options: Any) -> str:  # noqa: ANN401
    """Give what fails when the robots.txt of a site of some manner is asked for."""
    async with LoopbackSite(manner) as site, here() as fetcher:
        return await kind_of(get(fetcher, f"{site.origin}/robots.txt", **options))


async def settled(condition: Callable[[], bool]) -> bool:
    """Wait for what the kernel still has to bring about, for a second at most."""
    for _ in range(200):
        if condition():
            return True
        await asyncio.sleep(0.005)
    return False


class Names(AbstractResolver):
    """Resolves every name, to one list of addresses after the other."""

    def __init__(self, *answers: list[str] | OSError) -> None:
        """Take the answers; the last one stays."""
        self.answers = list(answers)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Give the next answer."""
        del family
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, OSError):
            raise answer
        return [
            ResolveResult(
                hostname=host,
                host=one,
                port=port,
                family=socket.AF_INET6 if ":" in one else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for one in answer
        ]

    async def close(self) -> None:
        """Close nothing."""


# What is answered.


def test_an_answer_has_all_that_came() -> None:
    """Status, fields in order and octet by octet, content, times, address, version."""
    fields = ("X-A: caf\xe9", "x-b: 1", "X-A: 2")

    async def main() -> None:
        script = {"/a?b": lambda _: iter([http(203, b"content", *fields)])}
        async with LoopbackSite(pages=script) as site, here() as fetcher:
            answer = await get(fetcher, f"{site.origin}/a?b#c")
        assert (answer.url, answer.status) == (f"{site.origin}/a?b#c", 203)
        assert answer.headers == (
            ("X-A", "caf\xe9"),
            ("x-b", "1"),
            ("X-A", "2"),
            ("Content-Length", "7"),
        )
        assert answer.field_values("x-a") == ["caf\xe9", "2"]
        assert (answer.body, answer.wire_octets, answer.truncated) == (b"content", 7, False)
        assert (answer.address, answer.http_version) == ("127.0.0.1", "1.1")
        assert answer.started <= answer.ended
        assert answer.started.tzinfo is not None
        assert 0 <= answer.elapsed < 5

    run(main())


def test_what_is_sent_is_what_the_caller_says_and_little_else() -> None:
    """User-Agent and From are the caller's; Accept-Encoding names only what is bounded."""

    async def main() -> None:
        async with LoopbackSite() as site, here() as fetcher:
            await fetcher.fetch(
                f"{site.origin}/", headers=[*ROBOT, ("Accept-Encoding", "zstd"), ("X-A", "b")]
            )
            sent = site.visits[0]
        assert sent.method == "GET"
        assert {name.lower() for name, _ in sent.headers} == {
            "host",
            "user-agent",
            "from",
            "accept",
            "accept-encoding",
            "x-a",
        }
        assert sent.field("User-Agent") == "ExampleBot/1.0"
        assert sent.field("Accept-Encoding") == "gzip, deflate, br"

    run(main())


@pytest.mark.parametrize(
    ("headers", "cure"),
    [
        ([], "User-Agent"),
        ([("From", "a@b.example")], "User-Agent"),
        ([("User-Agent", " ")], "User-Agent"),
        ([("User-Agent", "a"), ("X", "a\r\nY: b")], "control characters"),
        ([("User-Agent", "a"), ("X\n", "a")], "control characters"),
    ],
)
def test_a_robot_says_who_it_is_and_no_field_brings_another(
    headers: list[tuple[str, str]], cure: str
) -> None:
    """Nobody asks without a name (RFC 9309 section 2.2.1); a field ends where it ends."""

    async def main() -> None:
        async with LoopbackSite() as site, here() as fetcher:
            with pytest.raises(goodbot.WrongValueError, match=cure):
                await fetcher.fetch(site.origin, headers=headers)
            assert not site.visits

    run(main())


@pytest.mark.parametrize("manner", ["moved", "moved-elsewhere", "redirect-loop"])
def test_no_redirect_is_followed(manner: str) -> None:
    """The hop is the answer; where it leads, nobody was asked."""

    async def main() -> None:
        async with LoopbackSite(manner) as site, here() as fetcher:
            answer = await get(fetcher, f"{site.origin}/robots.txt")
            assert answer.status in {301, 302}
            assert "/moved/robots.txt" in (answer.field("Location") or "")
            assert [visit.target for visit in site.visits] == ["/robots.txt"]

    run(main())


def test_cookies_are_never_sent_back() -> None:
    """A site that sets one sees a stranger again."""

    async def main() -> None:
        script = {"/": lambda _: iter([http(200, b"", "Set-Cookie: a=b; Path=/")])}
        async with LoopbackSite(pages=script) as site, here() as fetcher:
            for _ in range(2):
                answer = await get(fetcher, f"{site.origin}/")
                assert answer.field("Set-Cookie") == "a=b; Path=/"
            assert [visit.field("Cookie") for visit in site.visits] == [None, None]

    run(main())


def test_proxies_and_passwords_of_the_environment_are_not_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No proxy is asked; no password is sent, from .netrc or from a URL."""
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login a password b\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))

    async def main() -> None:
        async with LoopbackSite() as proxy, LoopbackSite() as site, here() as fetcher:
            for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
                monkeypatch.setenv(name, proxy.origin)
            await get(fetcher, site.origin.replace("//", "//user:secret@") + "/public")
            assert not proxy.visits
            (visit,) = site.visits
            assert visit.target == "/public"
            assert visit.field("Authorization") is None

    run(main())


# Addresses.

PRIVATE = [
    "127.0.0.1",
    "127.8.9.1",
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "169.254.169.254",
    "172.31.255.255",
    "192.168.1.1",
    "192.0.0.1",
    "198.18.0.1",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.255",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "64:ff9b::10.0.0.1",
    "64:ff9b:1::8.8.8.8",
    "2002:7f00:1::1",
    "2002:c0a8:101::",
    "2001::1",
    "2001:db8::1",
    "3fff::1",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "fc00::1",
    "fd12:3456::1",
    "ff02::1",
    "100::1",
    "5f00::1",
    "localhost",
    "",
]
PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "172.32.0.1",
    "100.128.0.1",
    "192.0.1.1",
    "2606:4700:4700::1111",
    "64:ff9b::8.8.8.8",
    "2002:808:808::1",
    "::ffff:8.8.8.8",
]


@pytest.mark.parametrize("address", PRIVATE)
def test_what_is_not_public_is_not_asked(address: str) -> None:
    """Every special-purpose block, in every form that carries it; and what is no address."""
    assert not AddressGuard().allows(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_what_is_public_may_be_asked(address: str) -> None:
    """The blocks end where they end."""
    assert AddressGuard().allows(address)


ADDRESSES = st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6))


@given(ADDRESSES)
@settings(max_examples=500)
def test_what_python_holds_for_private_is_never_asked(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    """The standard library's registry is a second reading; ours is at least as strict."""
    carries = isinstance(address, ipaddress.IPv6Address) and (
        address.sixtofour or address.ipv4_mapped or address in ipaddress.ip_network("64:ff9b::/96")
    )
    if AddressGuard().allows(str(address)) and not carries:
        assert address.is_global
        assert not address.is_multicast


def test_networks_that_are_named_may_be_asked() -> None:
    """As networks or as single addresses, also where another address carries one of them."""
    guard = AddressGuard(["10.1.0.0/16", "::1", "192.168.1.7"])
    asked = ["10.1.2.3", "::1", "192.168.1.7", "::ffff:10.1.2.3", "10.2.0.1", "192.168.1.8", "::2"]
    assert [guard.allows(one) for one in asked] == [True, True, True, True, False, False, False]
    with pytest.raises(goodbot.WrongValueError, match=re.escape("127.0.0.0/8")):
        AddressGuard(["localhost"])


FORMS = [
    "127.0.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "0177.0.0.01",
    "１２７.0.0.1",
    "127。0。0。1",
    "127.0.0.1.",
    "user@127.0.0.1",
    "public.example@127.0.0.1",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::1]",
    "0.0.0.0",
    "0",
    "[::]",
    "[::1]",
    "localhost",
]


@pytest.mark.parametrize("host", FORMS)
def test_no_form_of_a_local_address_gets_through(host: str) -> None:
    """By name, by literal in any notation, mapped, translated: nobody is connected to."""

    async def main() -> None:
        async with LoopbackSite() as site, AiohttpFetcher() as fetcher:
            port = site.origin.rpartition(":")[2]
            assert await kind_of(get(fetcher, f"http://{host}:{port}/")) == "private-address"
            await asyncio.sleep(0)
            assert (site.visits, site.open_connections) == ([], 0)

    run(main())


def test_the_same_forms_work_where_the_network_is_named() -> None:
    """So the test above fails for the address, and not for the form."""

    async def main() -> None:
        async with LoopbackSite() as site, here() as fetcher:
            port = site.origin.rpartition(":")[2]
            for host in ("2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "localhost"):
                answer = await get(fetcher, f"http://{host}:{port}/public")
                assert (answer.status, host) == (200, host)

    run(main())


def test_a_name_that_turns_local_is_refused() -> None:
    """DNS rebinding: the name was allowed a moment ago, and now leads to this machine."""

    async def main() -> None:
        names = Names(["127.0.0.1"], ["127.0.0.2"])
        fetcher = AiohttpFetcher(private_networks=["127.0.0.1/32"], resolver=names)
        async with LoopbackSite() as site, fetcher:
            port = site.origin.rpartition(":")[2]
            assert (await get(fetcher, f"http://a.example:{port}/")).status == 200
            assert await kind_of(get(fetcher, "http://a.example:9/")) == "private-address"

    run(main())


def test_only_the_public_addresses_of_a_name_are_tried() -> None:
    """A name that leads to both kinds must not lead to the other when the first fails."""

    async def main() -> None:
        names = Names(["127.0.0.1", "127.0.0.2"])
        fetcher = AiohttpFetcher(private_networks=["127.0.0.2/32"], resolver=names)
        async with LoopbackSite() as site, fetcher:
            port = site.origin.rpartition(":")[2]
            assert await kind_of(get(fetcher, f"http://a.example:{port}/")) == "refused"
            assert (site.visits, site.open_connections) == ([], 0)

    run(main())


class Changing(AddressGuard):
    """Judges otherwise after so many questions."""

    def __init__(self, answers: list[bool]) -> None:
        """Take the answers, one after the other."""
        super().__init__()
        self.allows = lambda _: answers.pop(0)  # type: ignore[assignment, method-assign]


@pytest.mark.parametrize(
    ("host", "answers"),
    [
        ("a.example", [False]),  # what the name resolves to
        ("a.example", [True, False]),  # what a socket is made for
        ("a.example", [True, True, False]),  # whom the socket is connected to
        ("127.0.0.1", [False]),
        ("127.0.0.1", [True, False]),
    ],
)
def test_each_look_at_the_address_is_enough(host: str, answers: list[bool]) -> None:
    """Three looks, and any of them keeps the request from being sent."""

    async def main() -> None:
        fetcher = here(resolver=Names(["127.0.0.1"]))
        fetcher._guard = Changing(answers)  # noqa: SLF001 - one look at a time
        async with LoopbackSite() as site, fetcher:
            port = site.origin.rpartition(":")[2]
            assert await kind_of(get(fetcher, f"http://{host}:{port}/")) == "private-address"
            assert not answers
            assert not site.visits
            assert await settled(lambda: not site.open_connections)

    run(main())


# URLs.


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("ftp://example.com/", "unsupported-scheme"),
        ("file:///etc/passwd", "unsupported-scheme"),
        ("gopher://example.com:70/", "unsupported-scheme"),
        ("javascript:alert(1)", "unsupported-scheme"),
        ("/robots.txt", "malformed-url"),
        ("", "malformed-url"),
        ("http://", "malformed-url"),
        ("http:/a.example/", "malformed-url"),
        ("http://a.example:99999/", "malformed-url"),
        ("http://[::1/", "malformed-url"),
        ("http://a.example\\@b.example/", "malformed-url"),
        ("http://a.example/a b", "malformed-url"),
        ("http://a.example/a\r\nX: y", "malformed-url"),
        ("http://a.example/" + "\n" * 100_000, "malformed-url"),
    ],
)
def test_what_two_readers_could_read_differently_is_not_fetched(url: str, kind: str) -> None:
    """Other schemes and malformed URLs fail before anybody is asked."""

    async def main() -> None:
        async with AiohttpFetcher() as fetcher:
            assert await kind_of(get(fetcher, url)) == kind

    run(main())


@given(st.text() | st.text().map(lambda text: f"http://a.example/{text}") | st.from_regex(r"https?://[\w.@:\[\]]+/\S*"))
@settings(max_examples=500)
def test_a_url_is_read_in_one_way(url: str) -> None:
    """Any text fails by name, or is sent to the origin that the core reads in it, in ASCII."""
    try:
        origin, sent = request_url(url)
    except goodbot.FetchError as error:
        assert error.kind in {"malformed-url", "unsupported-scheme"}
        return
    assert origin == goodbot.origin(url) == goodbot.origin(sent)
    assert re.fullmatch(r"[\x21-\x7e]+", sent)
    assert "#" not in sent


def test_a_path_is_sent_as_it_is() -> None:
    """Escapes, dots and odd characters are the site's; only what is not ASCII is escaped."""
    paths = ["/%7Ea/%2f%2F", "/a/../b", "//c", "/?a=%41&b=+", "/a'()*!$;,:@[]|^`{}\"<>"]

    async def main() -> None:
        async with LoopbackSite() as site, here() as fetcher:
            for path in paths:
                await get(fetcher, site.origin + path)
            await get(fetcher, f"{site.origin}/é?ツ")
            await get(fetcher, site.origin)
            targets = [visit.target for visit in site.visits]
            assert targets == [*paths, "/%C3%A9?%E3%83%84", "/"]

    run(main())


# Limits.


def test_a_bomb_is_not_unpacked() -> None:
    """64 MiB behind 64 KiB: what is kept is the limit, and memory stays near it."""

    async def main() -> None:
        async with LoopbackSite("gzip-bomb") as site, here() as fetcher:
            url = f"{site.origin}/robots.txt"
            await get(fetcher, url, octets=1_000)  # what aiohttp loads once
            tracemalloc.start()
            answer = await get(fetcher, url, octets=512_000)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            assert (answer.truncated, len(answer.body)) == (True, 512_000)
            assert answer.wire_octets < 100_000
            assert peak < 4_000_000
            larger = get(fetcher, url, octets=512_000, when_larger="fail")
            assert await kind_of(larger) == "too-large"

    run(main())


CODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": lambda data: gzip.compress(data[:100]) + gzip.compress(data[100:]),
    "deflate": zlib.compress,
    "Deflate": lambda data: zlib.compress(data)[2:-4],  # without its frame, as many servers do
    "br": brotli.compress,
    "identity": bytes,
}


@pytest.mark.parametrize("coding", CODERS)
def test_each_coding_is_undone_within_the_limits(coding: str) -> None:
    """Whole where it fits, cut where it does not, and a failure where that is wanted."""
    content = b"".join(b"Disallow: /%d\n" % number for number in range(20_000))
    octets = CODERS[coding](content)

    async def main() -> None:
        script = {"/": lambda _: iter([http(200, octets, f"Content-Encoding: {coding}")])}
        async with LoopbackSite(pages=script) as site, here() as fetcher:
            whole = await get(fetcher, site.origin)
            assert (whole.body, whole.truncated) == (content, False)
            assert whole.wire_octets == len(octets)
            exact = await get(fetcher, site.origin, octets=len(content), wire_octets=len(octets))
            assert (exact.body, exact.truncated) == (content, False)
            for limits in ({"octets": 1_000}, {"wire_octets": 1_000}):
                cut = await get(fetcher, site.origin, **limits)
                assert cut.truncated
                assert content.startswith(cut.body)
                assert len(cut.body) <= limits.get("octets", 70_000)
                failing = get(fetcher, site.origin, when_larger="fail", **limits)
                assert await kind_of(failing) == "too-large"

    run(main())


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br"])
def test_the_octets_of_a_bomb_are_as_many_as_there_is_room_for(coding: str) -> None:
    """Straight from the decoder, whatever the ratio."""
    octets = CODERS[coding](bytes(32 * 1024 * 1024))
    tracemalloc.start()
    piece = decoder_of([coding]).feed(octets, 1_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(piece) == 1_000
    assert peak < 1_000_000


BROKEN = {
    "cut": gzip.compress(bytes(5_000))[:-3],
    "rubbish": b"<html>no gzip</html>",
    "one octet": b"\x1f",
    "checksum": gzip.compress(b"a")[:-8] + bytes(8),
    "members": gzip.compress(b"") * (MOST_MEMBERS + 1),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_stream_is_no_answer(name: str) -> None:
    """Half a robots.txt could lack the half that forbids."""

    async def main() -> None:
        script = {"/": lambda _: iter([http(200, BROKEN[name], "Content-Encoding: gzip")])}
        async with LoopbackSite(pages=script) as site, here() as fetcher:
            assert await kind_of(get(fetcher, site.origin)) == "bad-encoding"

    run(main())


@pytest.mark.parametrize("coding", ["gzip, gzip", "zstd", "compress", "utf-8"])
def test_codings_for_which_nobody_asked_are_no_answer(coding: str) -> None:
    """What cannot be undone within a bound is not undone, and not taken for the content."""

    async def main() -> None:
        script = {"/": lambda _: iter([http(200, b"a", f"Content-Encoding: {coding}")])}
        async with LoopbackSite(pages=script) as site, here() as fetcher:
            assert await kind_of(get(fetcher, site.origin)) == "bad-encoding"

    run(main())


def test_what_stands_behind_the_stream_is_left_alone() -> None:
    """Padding after the last member, and no content where a coding is named: as browsers have it."""

    async def main() -> None:
        answers = iter([gzip.compress(b"a") + bytes(300), b""])
        script = {"/": lambda _: iter([http(200, next(answers), "Content-Encoding: gzip")])}
        async with LoopbackSite(pages=script) as site, here() as fetcher:
            assert (await get(fetcher, site.origin)).body == b"a"
            assert (await get(fetcher, site.origin)).body == b""

    run(main())


@given(
    st.lists(st.binary(max_size=300), min_size=1, max_size=4),
    st.sampled_from(["gzip", "deflate"]),
    st.binary(max_size=3).filter(lambda tail: not tail.startswith(b"\x1f")),
    st.lists(st.integers(1, 40), min_size=1),
    st.integers(1, 2_000),
)
@settings(max_examples=300)
def test_pieces_give_what_the_whole_gives(
    contents: list[bytes], coding: str, tail: bytes, sizes: list[int], room: int
) -> None:
    """The decoder, fed in pieces, against `gzip` and `zlib` at once."""
    if coding == "deflate":
        contents = contents[:1]
    octets = b"".join(CODERS[coding](content) for content in contents)
    expected = b"".join(contents)
    inflater, got, at = Inflater(coding), b"", 0
    data = octets + tail
    while at < len(data) and len(got) < room:
        size = sizes[at % len(sizes)]
        got += inflater.feed(data[at : at + size], room - len(got))
        at += size
    assert got == expected[:room]
    if len(got) < room:
        assert inflater.is_complete()


@given(st.sampled_from(sorted(DECODERS)), st.binary(max_size=200))
@settings(max_examples=300)
def test_any_octets_are_decoded_or_refused(coding: str, data: bytes) -> None:
    """Foreign content raises nothing but the exception that becomes `bad-encoding`."""
    try:
        assert len(decoder_of([coding]).feed(data, 100)) <= 100
    except DecodingError as error:
        assert str(error)


def test_a_slow_drip_ends_at_the_deadline() -> None:
    """An octet now and then keeps no connection alive beyond it."""

    async def main() -> None:
        loop = asyncio.get_running_loop()
        async with LoopbackSite("slow-drip") as site, here() as fetcher:
            since = loop.time()
            fetching = get(fetcher, f"{site.origin}/robots.txt", seconds=0.06)
            assert await kind_of(fetching) == "timeout"
            assert 0.05 < loop.time() - since < 1
            assert await settled(lambda: not site.open_connections)

    run(main())


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_deadline_is_for_every_stage(scheme: str) -> None:
    """Who accepts and says nothing, before TLS or before the header, ends there, too."""

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
    """A resolver that does not come back is not waited for."""

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
        ("octets", -1, goodbot.WrongValueError),
        ("octets", 1.5, goodbot.WrongTypeError),
        ("wire_octets", True, goodbot.WrongTypeError),
        ("seconds", "5", goodbot.WrongTypeError),
        ("when_larger", "drop", goodbot.WrongValueError),
    ],
)
def test_limits_are_limits(option: str, value: Any, error: type[Exception]) -> None:  # noqa: ANN401
    """What bounds nothing is refused."""
    with pytest.raises(error, match=option):
        Limits(**{option: value})


# TLS.


@pytest.mark.parametrize("manner", ["plain-text-for-tls", "self-signed"])
def test_tls_is_verified(manner: str) -> None:
    """Plain text, or a certificate that nobody vouches for, is no answer."""
    assert run(kind_at(manner)) == "tls"


def test_a_private_authority_can_be_named() -> None:
    """With a context that knows it the site answers, under its own name only."""

    async def main() -> None:
        async with LoopbackSite("self-signed") as site:
            options = {"ssl_context": site.client_context, "resolver": Names(["127.0.0.1"])}
            async with here(**options) as fetcher:
                assert (await get(fetcher, f"{site.origin}/robots.txt")).status == 200
                port = site.origin.rpartition(":")[2]
                other = get(fetcher, f"https://other.example:{port}/robots.txt")
                assert await kind_of(other) == "tls"
                assert len(site.visits) == 1

    run(main())


def test_a_context_that_does_not_verify_is_refused() -> None:
    """There is no way to switch verification off by mistake."""
    careless = ssl.create_default_context()
    careless.check_hostname = False
    with pytest.raises(goodbot.WrongValueError, match="cafile"):
        AiohttpFetcher(ssl_context=careless)
    with pytest.raises(goodbot.WrongTypeError, match="SSLContext"):
        AiohttpFetcher(ssl_context=False)  # type: ignore[arg-type]


# Failures.


def raw(*steps: Step) -> Callable[[LoopbackVisit], Iterator[Step]]:
    """Give a script that sends just this."""
    return lambda _: iter(steps)


HEAD = b"HTTP/1.1 200 OK\r\n"
MISBEHAVIOURS: dict[str, tuple[Callable[[LoopbackVisit], Iterator[Step]], str]] = {
    "nothing": (raw(CLOSE), "reset"),
    "half a header": (raw(HEAD + b"X: ", CLOSE), "reset"),
    "half a body": (raw(HEAD + b"Content-Length: 9\r\n\r\nabc", CLOSE), "reset"),
    "half a chunk": (raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nab", CLOSE), "reset"),
    "no chunk": (raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", CLOSE), "protocol-error"),
    "no http": (raw(b"SSH-2.0-OpenSSH_9.6\r\n\r\n", CLOSE), "protocol-error"),
    "odd status": (raw(b"HTTP/1.1 xyz OK\r\n\r\n", CLOSE), "protocol-error"),
    "two lengths": (
        raw(HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", CLOSE),
        "protocol-error",
    ),
    "upgrade": (
        raw(b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: a\r\n\r\n"),
        "protocol-error",
    ),
    "long field": (raw(HEAD + b"X: " + b"a" * 40_000 + b"\r\n\r\n", CLOSE), "too-large"),
    "many fields": (raw(HEAD + b"X: a\r\n" * 5_000 + b"\r\n", CLOSE), "protocol-error"),
}


@pytest.mark.parametrize("name", MISBEHAVIOURS)
def test_every_misbehaviour_has_a_name(name: str) -> None:
    """Whatever a site does wrong, there is one failure for it, and no connection stays."""
    script, kind = MISBEHAVIOURS[name]

    async def main() -> None:
        async with LoopbackSite(pages={"/": script}) as site, here() as fetcher:
            assert await kind_of(get(fetcher, f"{site.origin}/")) == kind
            assert len(site.visits) == 1  # and nobody is asked twice
            assert await settled(lambda: not site.open_connections)

    run(main())


def test_nobody_there_is_a_refusal() -> None:
    """A port on which nobody listens."""

    async def main() -> None:
        async with LoopbackSite() as site:
            origin = site.origin
        async with here() as fetcher:
            assert await kind_of(get(fetcher, origin)) == "refused"

    run(main())


@pytest.mark.parametrize("host", ["a.example", "a" * 64 + ".example", "a..example", "xn--a"])
def test_a_name_that_is_none_is_a_failure_of_names(host: str) -> None:
    """The system's resolver says so, or cannot even be asked."""

    async def main() -> None:
        names = Names(socket.gaierror(socket.EAI_NONAME, "Name or service not known"))
        async with here(resolver=names if host == "a.example" else None) as fetcher:
            kind = await kind_of(get(fetcher, f"http://{host}/"))
            assert kind in {"dns", "malformed-url"}

    run(main())


@given(octets=st.binary(max_size=80), has_head=st.booleans())
@settings(max_examples=60, deadline=None)
def test_any_octets_are_an_answer_or_a_failure(octets: bytes, *, has_head: bool) -> None:
    """Nothing else is ever raised for the sake of what a site sends."""
    script = raw((HEAD if has_head else b"") + octets + b"\r\n\r\n", CLOSE)

    async def main() -> None:
        async with LoopbackSite(pages={"/": script}) as site, here() as fetcher:
            try:
                assert (await get(fetcher, site.origin)).status
            except goodbot.FetchError as error:
                assert error.kind in FAILURES

    run(main())


def test_a_failure_is_an_exception_of_the_tree_and_can_be_pickled() -> None:
    """It crosses processes with its kind, its URL and its words, which no octet can steer."""
    error = failure("dns", "http://a.example/\x1b[31m" + "a" * 500, "detail\n")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own octets
    assert isinstance(again, goodbot.GoodbotError)
    assert (again.kind, again.url, str(again)) == (error.kind, error.url, str(error))
    assert str(error).isprintable()
    assert len(str(error)) < 500


# The pool.


def counting(most: list[int], site_of: Callable[[], LoopbackSite]) -> Callable[..., Iterator[Step]]:
    """Give a script that takes its time, and notes how many connections there are."""

    def script(_: LoopbackVisit) -> Iterator[Step]:
        most.append(site_of().open_connections)
        yield Pause(0.005)
        yield http(200, b"")

    return script


@pytest.mark.parametrize(("total", "per_origin"), [(3, 8), (8, 3), (1, 1)])
def test_the_pool_is_bounded(total: int, per_origin: int) -> None:
    """However many fetches there are, so many connections there are, in all and per origin."""

    async def main() -> None:
        most: list[int] = []
        site = LoopbackSite(pages={"/": counting(most, lambda: site)})
        fetcher = here(connections=total, connections_per_origin=per_origin)
        async with site, fetcher:
            await asyncio.gather(*(get(fetcher, f"{site.origin}/") for _ in range(20)))
            assert max(most) == min(total, per_origin)
            assert len(most) == 20

    run(main())


def test_waiting_for_a_connection_is_not_the_sites_fault() -> None:
    """The deadline begins when there is a connection to be had."""

    async def main() -> None:
        pages = {"/": raw(Pause(0.02), http(200))}
        async with LoopbackSite(pages=pages) as site, here(connections=1) as fetcher:
            several = (get(fetcher, f"{site.origin}/", seconds=0.06) for _ in range(8))
            answers = await asyncio.gather(*several)
            assert [answer.status for answer in answers] == [200] * 8

    run(main())


def test_a_slow_site_takes_no_turns_from_the_others() -> None:
    """Whoever waits for one origin holds no place in the pool."""

    async def main() -> None:
        pages = {"/": raw(Pause(60.0))}
        fetcher = here(connections=2, connections_per_origin=1)
        async with LoopbackSite(pages=pages) as slow, LoopbackSite() as site, fetcher:
            stuck = [asyncio.create_task(get(fetcher, f"{slow.origin}/")) for _ in range(5)]
            await settled(lambda: bool(slow.visits))
            assert (await get(fetcher, f"{site.origin}/public", seconds=1)).status == 200
            for task in stuck:
                task.cancel()
            await asyncio.gather(*stuck, return_exceptions=True)
            assert not fetcher._turns.origins  # noqa: SLF001 - nothing is kept of them

    run(main())


def test_idle_connections_are_bounded_as_well() -> None:
    """A robot goes to many hosts; those it left do not stay open."""

    async def main() -> None:
        sites = [LoopbackSite() for _ in range(6)]
        async with here(connections=2) as fetcher:
            for site in sites:
                await site.__aenter__()
                await get(fetcher, site.origin)
            assert await settled(lambda: sum(site.open_connections for site in sites) == 2)
            assert [site.open_connections for site in sites] == [0, 0, 0, 0, 1, 1]
            await get(fetcher, sites[5].origin)
            assert sites[5].open_connections == 1  # used again
        for site in sites:
            assert await settled(lambda site=site: not site.open_connections)  # type: ignore[misc]
            await site.__aexit__(None, None, None)

    run(main())


def test_a_connection_that_was_closed_while_it_idled_is_no_failure() -> None:
    """It is asked once more over a fresh one (RFC 9112 section 9.3.1); a fresh one is not."""
    connections: list[int] = []

    async def main() -> None:
        async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connections.append(0)
            for _ in range(2):
                await reader.readuntil(b"\r\n\r\n")
                connections[-1] += 1
                if connections[-1] == 1:
                    writer.write(http(200, b"a"))
            writer.close()

        server = await asyncio.start_server(once, "127.0.0.1", 0)
        origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with server, here() as fetcher:
            for _ in range(2):
                assert (await get(fetcher, origin)).body == b"a"

    run(main())
    assert connections == [2, 1]


@pytest.mark.parametrize("manner", ["polite", "slow-drip", "dropped", "large", "self-signed"])
def test_a_cancelled_fetch_leaves_nothing_behind(manner: str) -> None:
    """Cancelled at any step, it gives back its place, and its connection is used again or closed."""

    async def cancelled(fetcher: AiohttpFetcher, url: str, steps: int) -> bool:
        task = asyncio.create_task(get(fetcher, url, seconds=0.5))
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            return True
        except goodbot.FetchError:
            return False
        return False

    async def main() -> None:
        async with LoopbackSite(manner) as site:
            fetcher = here(connections=1, ssl_context=site.client_context)
            async with fetcher:
                url = f"{site.origin}/robots.txt"
                each = [await cancelled(fetcher, url, steps) for steps in range(40)]
                assert any(each)
                assert not fetcher._turns.origins  # noqa: SLF001 - every place was given back
                # With one place only, a place or a connection that leaked would be felt here.
                answer = await get(fetcher, f"{site.origin}/public", seconds=2)
                assert answer.status == 200
                assert await settled(lambda: site.open_connections <= 1)
            assert await settled(lambda: not site.open_connections)

    run(main())


def test_closing_closes() -> None:
    """No connection stays; whoever fetches afterwards is told what to do."""

    async def main() -> None:
        async with LoopbackSite() as site:
            fetcher = here()
            await get(fetcher, site.origin)
            assert site.open_connections == 1
            await fetcher.close()
            await fetcher.close()
            assert await settled(lambda: not site.open_connections)
            with pytest.raises(goodbot.MisuseError, match="make another"):
                await get(fetcher, site.origin)

    run(main())


@pytest.mark.parametrize("option", ["connections", "connections_per_origin"])
def test_a_pool_has_room_for_one(option: str) -> None:
    """None would wait for ever."""
    with pytest.raises(goodbot.WrongValueError, match=option):
        here(**{option: 0})


# What is not installed, and what is written.

WITHOUT_AIOHTTP = """
import sys
sys.modules["aiohttp"] = None
import goodbot.net, goodbot.testing
try:
    goodbot.net.AiohttpFetcher
except goodbot.MissingExtraError as error:
    print(isinstance(error, ImportError), error)
"""


def test_without_the_extra_the_contract_is_there_and_the_cure_is_told() -> None:
    """Who brings another client needs no aiohttp; who asks for ours is told the command."""
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", WITHOUT_AIOHTTP], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("True aiohttp is not installed; pip install 'goodbot[robot]'")


def names_of_modules(package: str) -> list[str]:
    """Give the modules of a package."""
    found = importlib.import_module(package)
    return [package, *(one.name for one in pkgutil.iter_modules(found.__path__, f"{package}."))]


@pytest.mark.parametrize("name", names_of_modules("goodbot.net"))
def test_the_examples_run(name: str) -> None:
    """What the docstrings show is what happens."""
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0


def test_every_name_is_there() -> None:
    """`__all__` is sorted, and all of it can be imported."""
    names = goodbot.net.__all__
    assert names == sorted(names, key=lambda name: (not name.isupper(), name))
    assert all(hasattr(goodbot.net, name) for name in names)
