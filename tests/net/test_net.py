"""One guarded fetch: what is sent, what is returned, and what fails, by its name."""

import pickle
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
import goodbot.net
from goodbot.net import FAILURES, AiohttpFetcher, failure
from goodbot.net.failures import fetchable
from goodbot.testing import LoopbackSite, LoopbackVisit
from goodbot.testing.steps import CLOSE, ScriptStep, http
from tests.support.examples import examples
from tests.support.fetching import ROBOT, Names, get, here, kind_of, raw, run, settled

# What is answered.


def test_an_answer_has_all_that_came() -> None:
    """It has status, fields in order and byte by byte, content, times, address and version."""
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
        assert (answer.body, answer.wire_bytes, answer.truncated) == (b"content", 7, False)
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
                f"{site.origin}/", headers=[*ROBOT, ("Accept-Encoding", "compress"), ("X-A", "b")]
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
        assert sent.field("Accept-Encoding") == "gzip, deflate, br, zstd"

    run(main())


@pytest.mark.parametrize(
    ("headers", "cure"),
    [
        ([], "User-Agent"),
        ([("From", "a@b.example")], "User-Agent"),
        ([("User-Agent", " ")], "User-Agent"),
        ([("User-Agent", "a"), ("X", "a\r\nY: b")], "control characters"),
        ([("User-Agent", "a"), ("X\n", "a")], "control characters"),
        ([("User-Agent", "a"), ("X: b", "a")], "name of a field"),
        ([("User-Agent", "a"), ("", "a")], "name of a field"),
        ([("User-Agent", "a"), ("X", b"a")], "must be a str"),
        ([("User-Agent", "a"), ("content-length", "5")], "no content"),
        ([("User-Agent", "a"), ("Transfer-Encoding", "chunked")], "no content"),
    ],
)
def test_a_robot_says_who_it_is_and_no_field_brings_another(
    headers: list[tuple[str, Any]], cure: str
) -> None:
    """A request without a name fails (RFC 9309 section 2.2.1); a field cannot hold another one.

    Nor can it announce content, for which a server would take the next request.
    """

    async def main() -> None:
        async with LoopbackSite() as site, here() as fetcher:
            with pytest.raises(goodbot.MisuseError, match=cure):
                await fetcher.fetch(site.origin, headers=headers)
            assert not site.visits

    run(main())


@pytest.mark.parametrize("behaviour", ["moved", "moved-elsewhere", "redirect-loop"])
def test_no_redirect_is_followed(behaviour: str) -> None:
    """The redirect is the response; its target is not requested."""

    async def main() -> None:
        async with LoopbackSite(behaviour) as site, here() as fetcher:
            answer = await get(fetcher, f"{site.origin}/robots.txt")
            assert answer.status in {301, 302}
            assert "/moved/robots.txt" in (answer.field("Location") or "")
            assert [visit.target for visit in site.visits] == ["/robots.txt"]

    run(main())


def test_cookies_are_never_sent_back() -> None:
    """Cookies that a site sets are not sent to it later."""

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
    """No proxy is used; no password is sent, from .netrc or from a URL."""
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
    """Other schemes and malformed URLs fail before any connection."""

    async def main() -> None:
        async with AiohttpFetcher() as fetcher:
            assert await kind_of(get(fetcher, url)) == kind

    run(main())


@given(
    st.text()
    | st.text().map(lambda text: f"http://a.example/{text}")
    | st.from_regex(r"https?://[\w.@:\[\]]+/\S*")
)
@examples(500)
def test_a_url_is_read_in_one_way(url: str) -> None:
    """Any text fails by name, or is sent to the origin that the core reads in it, in ASCII."""
    try:
        origin, sent = fetchable(url)
    except goodbot.FetchError as error:
        assert error.kind in {"malformed-url", "unsupported-scheme"}  # noqa: PT017
        return
    assert origin == goodbot.origin(url) == goodbot.origin(sent)
    assert re.fullmatch(r"[\x21-\x7e]+", sent)
    assert "#" not in sent


def test_a_path_is_sent_in_its_normal_form() -> None:
    """As in browsers, dot segments are resolved, and forbidden characters are escaped."""
    paths = {
        "/%7Ea/%2f%2F": "/%7Ea/%2f%2F",
        "//c": "//c",
        "/?a=%41&b=+": "/?a=%41&b=+",
        "/a/../b": "/b",
        "/x/%2e%2E/private": "/private",
        "/a'()*!$;,:@[]|": "/a'()*!$;,:@[]|",
        '/`{}"<>': "/%60%7B%7D%22%3C%3E",
        "/é?ツ": "/%C3%A9?%E3%83%84",
        "": "/",
    }

    async def main() -> None:
        async with LoopbackSite() as site, here() as fetcher:
            for path in paths:
                await get(fetcher, site.origin + path)
            assert [visit.target for visit in site.visits] == list(paths.values())

    run(main())


# Failures.


HEAD = b"HTTP/1.1 200 OK\r\n"
MISBEHAVIOURS: dict[str, tuple[Callable[[LoopbackVisit], Iterator[ScriptStep]], str]] = {
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
    """Each fault of a site causes one failure, and no connection stays open."""
    script, kind = MISBEHAVIOURS[name]

    async def main() -> None:
        async with LoopbackSite(pages={"/": script}) as site, here() as fetcher:
            assert await kind_of(get(fetcher, f"{site.origin}/")) == kind
            assert len(site.visits) == 1  # and nothing is requested twice
            assert await settled(lambda: not site.open_connections)

    run(main())


def test_nobody_there_is_a_refusal() -> None:
    """A port without a listener refuses the connection."""

    async def main() -> None:
        async with LoopbackSite() as site:
            origin = site.origin
        async with here() as fetcher:
            assert await kind_of(get(fetcher, origin)) == "refused"

    run(main())


@pytest.mark.parametrize("host", ["a.example", "a" * 64 + ".example", "a..example", "xn--a"])
def test_a_name_that_is_none_is_a_failure_of_names(host: str) -> None:
    """The system's resolver reports it, or cannot even look it up."""

    async def main() -> None:
        names = Names(socket.gaierror(socket.EAI_NONAME, "Name or service not known"))
        async with here(resolver=names if host == "a.example" else None) as fetcher:
            kind = await kind_of(get(fetcher, f"http://{host}/"))
            assert kind in {"dns", "malformed-url"}

    run(main())


@given(octets=st.binary(max_size=80), has_head=st.booleans())
@examples(60, deadline=None)
def test_any_octets_are_an_answer_or_a_failure(octets: bytes, *, has_head: bool) -> None:
    """Nothing else is ever raised because of what a site sends."""
    script = raw((HEAD if has_head else b"") + octets + b"\r\n\r\n", CLOSE)

    async def main() -> None:
        async with LoopbackSite(pages={"/": script}) as site, here() as fetcher:
            try:
                assert (await get(fetcher, site.origin)).status
            except goodbot.FetchError as error:
                assert error.kind in FAILURES  # noqa: PT017

    run(main())


def test_a_failure_is_an_exception_of_the_tree_and_can_be_pickled() -> None:
    """It crosses processes with its kind, URL and message, and no byte can break the message."""
    error = failure("http://a.example/\x1b[31m" + "a" * 500, "dns", "detail\n")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert isinstance(again, goodbot.FetchError)
    assert isinstance(again, goodbot.GoodbotError)
    assert (again.kind, again.url, str(again)) == (error.kind, error.url, str(error))
    assert str(error).isprintable()
    assert len(str(error)) < 500


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
    """Only AiohttpFetcher needs aiohttp; without it, the message has the command to install it."""
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", WITHOUT_AIOHTTP], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("True aiohttp is not installed; run pip install 'goodbot[robot]'")


def test_every_name_is_there() -> None:
    """`__all__` is sorted, and all of it can be imported."""
    names = goodbot.net.__all__
    assert names == sorted(names, key=lambda name: (not name.isupper(), name))
    assert all(hasattr(goodbot.net, name) for name in names)
