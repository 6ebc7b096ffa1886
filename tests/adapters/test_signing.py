"""Adapters sign alike: the request that is sent, and not what a redirect takes along."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import aiohttp
import httpx
import pytest
import requests

from goodbot.adapters.aiohttp import RobotsMiddleware
from goodbot.adapters.httpx import AsyncRobotsTransport, RobotsTransport
from goodbot.adapters.requests import RobotsAdapter
from goodbot.robot.signing_identity import SigningIdentity
from goodbot.signatures import KeySet, KeySets, SignedRequest, judge_signatures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

URL = "https://bot.example/keys.json"
MINE = SigningIdentity.new(URL, datetime.now(timezone.utc))
KEYS = KeySets([KeySet.of(MINE.published(), URL)])


Lines = list[tuple[str, str]]
NONCE = "bm90IGEgc2VjcmV0IG9mIGFueW9uZSwganVzdCBhIG5vbmNl"
ASKS = f'want=("@authority" "@path" "@query" "user-agent");nonce="{NONCE}";tag="web-bot-auth"'
"""A signature that robots do not give unasked."""


class Site(BaseHTTPRequestHandler):
    """Answers, and remembers what came; /away leads to the same port by another name.

    A request that its signature does not cover as `asks` says gets 403, for every path.
    """

    seen: list[tuple[str, Lines]]
    asks = ""
    always = False
    """Whether the site asks again and again, whatever it gets."""

    def do_GET(self) -> None:
        """Answer."""
        host = str(self.headers["Host"])
        self.seen.append((f"http://{host}{self.path}", list(self.headers.items())))
        other = host.replace("127.0.0.1", "localhost")
        signed = str(self.headers["Signature-Input"])
        if self.asks and (self.always or NONCE not in signed or "@query" not in signed):
            self.send_response(403)
            self.send_header("Accept-Signature", self.asks)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(302 if self.path == "/away" else 200)
        if self.path == "/away":
            self.send_header("Location", f"http://{other}/b")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_HEAD = do_POST = do_GET  # noqa: N815  as the class has them

    def log_message(self, *_words: object) -> None:
        """Write nothing."""


@pytest.fixture
def site(request: pytest.FixtureRequest) -> Iterator[tuple[str, list[tuple[str, Lines]]]]:
    """Return a site on loopback, and what came to it."""
    seen: list[tuple[str, Lines]] = []
    handler = type("Seen", (Site,), {"seen": seen, **getattr(request, "param", {})})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", seen
    server.shutdown()
    thread.join()
    server.server_close()


def by_httpx(url: str) -> None:
    """Fetch by httpx."""
    transport = RobotsTransport(robot="ExampleBot", identity=MINE)
    with httpx.Client(transport=transport, follow_redirects=True) as client:
        client.get(url)


def by_async_httpx(url: str) -> None:
    """Fetch by httpx, with `async`."""

    async def main() -> None:
        transport = AsyncRobotsTransport(robot="ExampleBot", identity=MINE)
        async with httpx.AsyncClient(transport=transport, follow_redirects=True) as client:
            await client.get(url)

    asyncio.run(main())


def by_requests(url: str) -> None:
    """Fetch by requests."""
    with requests.Session() as session:
        session.mount("http://", RobotsAdapter(robot="ExampleBot", identity=MINE))
        session.get(url)


def by_requests_on_one_host(url: str) -> None:
    """Fetch by requests, with the adapter for one host alone."""
    with requests.Session() as session:
        session.mount("http://127.0.0.1", RobotsAdapter(robot="ExampleBot", identity=MINE))
        session.get(url)


def by_aiohttp(url: str) -> None:
    """Fetch by aiohttp."""

    async def main() -> None:
        middleware = RobotsMiddleware(robot="ExampleBot", identity=MINE)
        async with aiohttp.ClientSession(middlewares=(middleware,)) as session:
            await session.get(url)

    asyncio.run(main())


CLIENTS = [by_httpx, by_async_httpx, by_requests, by_aiohttp]


@pytest.mark.parametrize("fetch", CLIENTS)
def test_each_request_is_signed_for_its_own_url(fetch, site) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """Robots.txt of both sites, the page that leads away, and its target."""
    origin, seen = site
    fetch(origin + "/away")
    assert len(seen) == 4
    for url, lines in seen:
        request = SignedRequest.to_url(url, lines=lines)
        found = judge_signatures(request, datetime.now(timezone.utc), KEYS.find)
        assert [(one.reason, one.url) for one in found] == [("signature-valid", URL)], url


def test_scrapy_signs_alike(site, tmp_path) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """By the folder in its settings; a redirect to another host gets a signature of its own."""
    from tests.adapters.test_scrapy import crawl  # noqa: PLC0415  it starts a program

    origin, seen = site
    MINE.write(tmp_path / "me")
    crawl("ours", f"{origin}/away", GOODBOT_IDENTITY=str(tmp_path / "me"), GOODBOT_PACE=False)
    assert len(seen) == 4
    for url, lines in seen:
        request = SignedRequest.to_url(url, lines=lines)
        found = judge_signatures(request, datetime.now(timezone.utc), KEYS.find)
        assert [(one.reason, one.url) for one in found] == [("signature-valid", URL)], url


def test_no_redirect_takes_a_signature_to_another_site(site) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """Where the adapter does not send the next request, nothing is signed."""
    origin, seen = site
    by_requests_on_one_host(origin + "/away")
    last_url, last_lines = seen[-1]
    assert last_url.startswith("http://localhost")
    assert not [name for name, _ in last_lines if name.lower().startswith("signature")]


def by_scrapy(url: str, folder: Path) -> None:
    """Fetch by Scrapy."""
    from tests.adapters.test_scrapy import crawl  # noqa: PLC0415  it starts a program

    MINE.write(folder / "me")
    crawl("ours", url, GOODBOT_IDENTITY=str(folder / "me"), GOODBOT_PACE=False)


def check_answers(seen: list[tuple[str, Lines]]) -> None:
    """Each URL was requested twice, by a valid signature each time; the second is as asked."""
    assert set(Counter(url for url, _ in seen).values()) == {2}
    asked = set()
    for url, lines in seen:
        request = SignedRequest.to_url(url, lines=lines)
        (found,) = judge_signatures(request, datetime.now(timezone.utc), KEYS.find)
        assert (found.reason, found.url) == ("signature-valid", URL)
        signed = dict(lines)["Signature-Input"]
        assert (f'nonce="{NONCE}"' in signed) == (url in asked)
        assert signed.startswith("want=") == (url in asked)
        asked.add(url)


@pytest.mark.parametrize("site", [{"asks": ASKS}], indirect=True)
@pytest.mark.parametrize("fetch", CLIENTS)
def test_a_signature_that_is_asked_for_is_given(
    fetch: Callable[[str], None], site: tuple[str, list[tuple[str, Lines]]]
) -> None:
    """For robots.txt, the page that leads away, and both at the other site, each for itself."""
    origin, seen = site
    fetch(origin + "/away")
    assert len(seen) == 8
    check_answers(seen)


@pytest.mark.parametrize("site", [{"asks": ASKS}], indirect=True)
def test_scrapy_gives_it_alike(site: tuple[str, list[tuple[str, Lines]]], tmp_path: Path) -> None:
    """In its turn: the request goes through the scheduler once more."""
    origin, seen = site
    by_scrapy(origin + "/away", tmp_path)
    assert len(seen) == 8
    check_answers(seen)


ALWAYS = {"asks": ASKS, "always": True}


@pytest.mark.parametrize("site", [ALWAYS], indirect=True)
@pytest.mark.parametrize("fetch", CLIENTS)
def test_it_is_given_once(
    fetch: Callable[[str], None], site: tuple[str, list[tuple[str, Lines]]]
) -> None:
    """A site that asks again gets no more."""
    origin, seen = site
    fetch(origin + "/b")
    assert Counter(url for url, _ in seen) == {f"{origin}/robots.txt": 2, f"{origin}/b": 2}


@pytest.mark.parametrize("site", [ALWAYS], indirect=True)
def test_scrapy_gives_it_once(site: tuple[str, list[tuple[str, Lines]]], tmp_path: Path) -> None:
    """A site that asks again gets no more."""
    origin, seen = site
    by_scrapy(origin + "/b", tmp_path)
    assert Counter(url for url, _ in seen) == {f"{origin}/robots.txt": 2, f"{origin}/b": 2}


NEVER = [
    'a=("@authority" "cookie");tag="web-bot-auth"',
    'a=("authorization");tag="web-bot-auth"',
    'a=("x-anything");tag="web-bot-auth"',
    'a=("@authority");tag="payment"',
    'a=("@authority");keyid="another";tag="web-bot-auth"',
    "not a dictionary at all;;",
]


@pytest.mark.parametrize("site", [{"asks": asks} for asks in NEVER], indirect=True)
@pytest.mark.parametrize("fetch", CLIENTS)
def test_what_a_site_may_not_ask_for_is_not_signed(
    fetch: Callable[[str], None], site: tuple[str, list[tuple[str, Lines]]]
) -> None:
    """Nor is the request made again."""
    origin, seen = site
    fetch(origin + "/b")
    assert Counter(url for url, _ in seen) == {f"{origin}/robots.txt": 1, f"{origin}/b": 1}


@pytest.mark.parametrize("site", [{"asks": ASKS}], indirect=True)
def test_a_request_that_changes_something_is_made_once(
    site: tuple[str, list[tuple[str, Lines]]],
) -> None:
    """A POST, and whatever else has content."""
    origin, seen = site
    transport = RobotsTransport(robot="ExampleBot", identity=MINE)
    with httpx.Client(transport=transport) as client:
        assert client.post(origin + "/b", content=b"x").status_code == 403
        assert client.request("GET", origin + "/c", content=b"x").status_code == 403
        assert client.head(origin + "/d").status_code == 200
    counts = Counter(url for url, _ in seen)
    assert [counts[origin + path] for path in ("/b", "/c", "/d")] == [1, 1, 2]


def test_playwright_gives_it_alike() -> None:
    """For the page and for each hop that a script's request is led to."""
    pytest.importorskip("playwright", reason="needs the extra playwright")
    import goodbot  # noqa: PLC0415  with the other imports of this test
    from goodbot.adapters.playwright import RobotsRoutes  # noqa: PLC0415  needs the extra
    from goodbot.testing import FakeSite  # noqa: PLC0415  as above

    sent: list[tuple[str, dict[str, str]]] = []

    class Fetching:
        """A route, as far as the handler makes requests by it."""

        async def fetch(self, *, url: str, headers: dict[str, str], max_redirects: int) -> Any:  # noqa: ANN401
            sent.append((url, headers))
            assert max_redirects == 0
            is_asked = NONCE in headers["signature-input"]
            fields = [] if is_asked else [{"name": "accept-signature", "value": ASKS}]

            async def dispose() -> None:
                """Do nothing."""

            status = 200 if is_asked else 401
            return SimpleNamespace(status=status, headers_array=fields, dispose=dispose)

    async def main() -> None:
        async with goodbot.Robot(
            "ExampleBot/1.0",
            info_url="https://example.com/bot",
            contact="bot@example.com",
            fetcher=FakeSite({}),
            identity=MINE,
        ) as robot:
            fields = {"user-agent": "ExampleBot/1.0", "signature": "a=:AAAA:", "cookie": "a=b"}
            routes = RobotsRoutes(robot)
            url = "https://a.example/b?c"
            made = routes._fetch(Fetching(), url, "GET", fields)  # noqa: SLF001
            assert (await made).status == 200

    asyncio.run(main())
    check_answers(
        [(url, [(name.title(), value) for name, value in one.items()]) for url, one in sent]
    )
