"""Adapters sign alike: the request that is sent, and not what a redirect takes along."""

from __future__ import annotations

import asyncio
import threading
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

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
    from collections.abc import Iterator

URL = "https://bot.example/keys.json"
MINE = SigningIdentity.new(URL, datetime.now(timezone.utc))
KEYS = KeySets([KeySet.of(MINE.published(), URL)])


class Site(BaseHTTPRequestHandler):
    """Answers, and remembers what came; /away leads to the same port by another name."""

    seen: list[tuple[str, list[tuple[str, str]]]]

    def do_GET(self) -> None:
        """Answer."""
        host = str(self.headers["Host"])
        self.seen.append((f"http://{host}{self.path}", list(self.headers.items())))
        other = host.replace("127.0.0.1", "localhost")
        self.send_response(302 if self.path == "/away" else 200)
        if self.path == "/away":
            self.send_header("Location", f"http://{other}/b")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_words: object) -> None:
        """Write nothing."""


@pytest.fixture
def site() -> Iterator[tuple[str, list[tuple[str, list[tuple[str, str]]]]]]:
    """Return a site on loopback, and what came to it."""
    seen: list[tuple[str, list[tuple[str, str]]]] = []
    handler = type("Seen", (Site,), {"seen": seen})
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


@pytest.mark.parametrize("fetch", [by_httpx, by_async_httpx, by_requests, by_aiohttp])
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
