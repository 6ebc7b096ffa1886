"""Who sends the requests of adapters: one name, for the check, the page and its robots.txt."""

import asyncio
import logging
from collections.abc import Iterator
from typing import Any

import aiohttp
import httpx
import pytest
import requests

import goodbot
from goodbot.adapters.aiohttp import RobotsMiddleware
from goodbot.adapters.httpx import AsyncRobotsTransport, RobotsTransport
from goodbot.adapters.requests import RobotsAdapter
from goodbot.adapters.robotparser import RobotFileParser
from goodbot.adapters.sender import note_missing_from
from goodbot.testing import LoopbackVisit
from tests.support.adapter_sites import says, serving

OPEN = says(200, b"User-agent: *\nAllow: /\n")

Fields = dict[str, str]


def by_aiohttp(url: str, fields: Fields, **who: Any) -> None:  # noqa: ANN401
    """Get a page with aiohttp."""

    async def main() -> None:
        middlewares = [RobotsMiddleware(**who)]
        async with aiohttp.ClientSession(middlewares=middlewares, headers=fields) as session:
            await session.get(url)

    asyncio.run(main())


def by_httpx(url: str, fields: Fields, **who: Any) -> None:  # noqa: ANN401
    """Get a page with HTTPX."""
    with httpx.Client(transport=RobotsTransport(**who), headers=fields) as client:
        client.get(url)


def by_httpx_async(url: str, fields: Fields, **who: Any) -> None:  # noqa: ANN401
    """Get a page with HTTPX's asynchronous client."""

    async def main() -> None:
        transport = AsyncRobotsTransport(**who)
        async with httpx.AsyncClient(transport=transport, headers=fields) as client:
            await client.get(url)

    asyncio.run(main())


def by_requests(url: str, fields: Fields, **who: Any) -> None:  # noqa: ANN401
    """Get a page with requests."""
    with requests.Session() as session:
        session.trust_env = False
        session.mount("http://", RobotsAdapter(**who))
        session.headers.update(fields)
        session.get(url)


CLIENTS = [by_aiohttp, by_httpx, by_httpx_async, by_requests]


def sent(visits: list[LoopbackVisit], field: str) -> list[str | None]:
    """Return what each request has in a field."""
    return [visit.field(field) for visit in visits]


@pytest.fixture(autouse=True)
def _nothing_was_noted() -> Iterator[None]:
    """Log the note on a missing From again in each test."""
    note_missing_from.cache_clear()
    yield
    note_missing_from.cache_clear()


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    ("robot", "fields", "name"),
    [
        ("ExampleBot/1.0", {}, "ExampleBot/1.0"),
        ("ExampleBot", {"User-Agent": "OtherBot/2"}, "ExampleBot"),
        ("ExampleBot", {"User-Agent": "NotExampleBot/2"}, "ExampleBot"),
        ("examplebot", {"User-Agent": "ExampleBot/1.0 (+x)"}, "ExampleBot/1.0 (+x)"),
        (None, {"User-Agent": "ExampleBot/1.0"}, "ExampleBot/1.0"),
    ],
)
def test_the_name_that_is_judged_is_sent(
    client: Any,  # noqa: ANN401
    robot: str | None,
    fields: Fields,
    name: str,
) -> None:
    """With the page and with its robots.txt; a User-Agent that contains the name stays."""
    with serving(OPEN) as site:
        client(f"{site.origin}/public", fields, robot=robot)
        assert [visit.target for visit in site.visits] == ["/robots.txt", "/public"]
        assert sent(site.visits, "User-Agent") == [name, name]


@pytest.mark.parametrize("client", CLIENTS)
def test_the_address_is_sent_with_robots_txt_too(client: Any) -> None:  # noqa: ANN401
    """From is that of the request, or else the adapter's contact."""
    for fields, who, address in (
        ({"From": "me@example.com"}, {}, "me@example.com"),
        ({}, {"contact": "bot@example.com"}, "bot@example.com"),
        ({"From": "me@example.com"}, {"contact": "bot@example.com"}, "me@example.com"),
    ):
        with serving(OPEN) as site:
            client(f"{site.origin}/public", fields, robot="ExampleBot", **who)
            assert sent(site.visits, "From") == [address, address]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_missing_address_is_reported_once(
    client: Any,  # noqa: ANN401
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The log says what is missing and how to set it."""
    caplog.set_level(logging.WARNING, "goodbot.adapters")
    with serving(OPEN) as site:
        for path in ("/public", "/a"):
            client(f"{site.origin}{path}", {}, robot="ExampleBot")
    (record,) = caplog.records
    assert "without From" in record.getMessage()
    assert "contact='you@example.com'" in record.getMessage()


@pytest.mark.parametrize("client", CLIENTS)
def test_an_address_that_is_none_raises(client: Any) -> None:  # noqa: ANN401
    """Before anything is requested."""
    with serving(OPEN) as site:
        with pytest.raises(goodbot.WrongValueError, match="not an email address"):
            client(site.origin, {}, contact="nobody")
        assert not site.visits


@pytest.mark.parametrize("client", CLIENTS)
def test_without_a_name_nothing_is_requested(client: Any) -> None:  # noqa: ANN401
    """Not even robots.txt, which would be asked under the name of a library."""
    with serving(OPEN) as site:
        with pytest.raises(goodbot.RobotNameError, match="robot='ExampleBot'"):
            client(f"{site.origin}/public", {"User-Agent": ""})
        assert not site.visits


def test_robotparser_says_who_reads(caplog: pytest.LogCaptureFixture) -> None:
    """`read` sends the robot and the contact; without them goodbot's name, and a note."""
    caplog.set_level(logging.WARNING, "goodbot.adapters")
    with serving(OPEN) as site:
        url = f"{site.origin}/robots.txt"
        RobotFileParser(url, robot="ExampleBot/1.0", contact="bot@example.com").read()
        assert not caplog.records
        RobotFileParser(url).read()
        assert sent(site.visits, "User-Agent") == [
            "ExampleBot/1.0",
            f"goodbot/{goodbot.__version__}",
        ]
        assert sent(site.visits, "From") == ["bot@example.com", None]
    (record,) = caplog.records
    assert "robot='ExampleBot/1.0' and contact='you@example.com'" in record.getMessage()
    with pytest.raises(goodbot.WrongValueError, match="not an email address"):
        RobotFileParser(contact="nobody")
