"""A list of addresses is fetched over a real connection, to loopback."""

import asyncio
from datetime import datetime, timezone
from pathlib import Path

from aiohttp import web

from goodbot.address_lists import ListFolder, Refreshed, refresh
from goodbot.bots import AddressList
from goodbot.net import AiohttpFetcher
from goodbot.testing import FakeClock

BODY = {"prefixes": [{"ipv4Prefix": "8.8.8.0/24"}, {"ipv6Prefix": "2600::/32"}]}


def test_a_list_comes_over_a_socket_and_is_then_confirmed(tmp_path: Path) -> None:
    """The fetcher that robots use fetches lists; a 304 of a real server confirms the copy."""
    asked: list[str | None] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.headers.get("If-None-Match"))
        if asked[-1] == '"a"':
            return web.Response(status=304)
        return web.json_response(BODY, headers={"ETag": '"a"', "Cache-Control": "max-age=3600"})

    async def both() -> list[Refreshed]:
        app = web.Application()
        app.router.add_get("/list", answer)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        published = AddressList(f"http://{host}:{port}/list")
        clock = FakeClock(datetime(2026, 11, 22, tzinfo=timezone.utc))
        folder = ListFolder(tmp_path)
        async with AiohttpFetcher(allow_networks=["127.0.0.0/8"]) as fetcher:
            first = await refresh(published, fetcher, folder, clock)
            clock = FakeClock(datetime(2026, 11, 23, tzinfo=timezone.utc))
            second = await refresh(published, fetcher, folder, clock)
        await runner.cleanup()
        return [first, second]

    first, second = asyncio.run(both())
    assert (first.outcome, second.outcome) == ("updated", "unchanged")
    assert first.copy is not None
    assert first.copy.prefixes == ("8.8.8.0/24", "2600::/32")
    assert asked == [None, '"a"']
