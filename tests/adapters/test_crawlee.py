"""The client for Crawlee, with its real crawler and sites in memory.

The library is loaded by the tests: every worker that collects them would wait for it otherwise.
"""

import asyncio
import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

import goodbot
from goodbot.errors import Disallowed, MisuseError
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.robot_sites import gaps, robot_at, run

if TYPE_CHECKING:
    from goodbot.adapters.crawlee import RobotHttpClient

HERE = "https://a.example"
RULES = "User-agent: *\nDisallow: /private\nCrawl-delay: 5"


def shop() -> FakeSite:
    """Return a site that asks for pauses and disallows a part."""
    routes: dict[str, Any] = {
        "/robots.txt": RULES,
        "/a": Answer(body=b"A", headers=[("Vary", "a"), ("Vary", "b")]),
        "/b": "B",
        "/private": "P",
        "/moved": Answer(status=301, headers=[("Location", "/private")]),
    }
    return FakeSite(routes, clock=FakeClock())


def client_of(robot: goodbot.Robot) -> "RobotHttpClient":
    """Return the client that fetches by a robot."""
    from goodbot.adapters.crawlee import RobotHttpClient  # noqa: PLC0415  see above

    return RobotHttpClient(robot)


async def crawled(robot: goodbot.Robot, *paths: str) -> tuple[dict[str, bytes], dict[str, Any]]:
    """Crawl pages of a site by Crawlee; return the bodies and the errors by path."""
    from crawlee import ConcurrencySettings  # noqa: PLC0415  see above
    from crawlee.configuration import Configuration  # noqa: PLC0415  see above
    from crawlee.crawlers import BasicCrawlingContext, HttpCrawler, HttpCrawlingContext  # noqa: PLC0415  see above
    from crawlee.events import LocalEventManager  # noqa: PLC0415  see above
    from crawlee.storage_clients import MemoryStorageClient  # noqa: PLC0415  see above

    found: dict[str, bytes] = {}
    failed: dict[str, Any] = {}
    crawler = HttpCrawler(
        http_client=client_of(robot),
        storage_client=MemoryStorageClient(),
        configuration=Configuration(log_level="CRITICAL"),
        event_manager=LocalEventManager(),
        configure_logging=False,
        concurrency_settings=ConcurrencySettings(desired_concurrency=1, max_concurrency=1),
        request_handler_timeout=timedelta(minutes=5),
    )
    crawler.log.setLevel(logging.CRITICAL)

    @crawler.router.default_handler
    async def keep(context: HttpCrawlingContext) -> None:
        found[context.request.url.removeprefix(HERE)] = await context.http_response.read()

    @crawler.failed_request_handler
    async def note(context: BasicCrawlingContext, error: Exception) -> None:
        failed[context.request.url.removeprefix(HERE)] = error

    await crawler.run([HERE + path for path in paths])
    return found, failed


def test_a_crawler_of_crawlee_obeys() -> None:
    """Pauses are kept, what is not allowed is not requested, and it is not tried again."""
    site = shop()

    async def main() -> None:
        async with robot_at(site) as robot:
            found, failed = await crawled(robot, "/a", "/b", "/private", "/moved")
        assert found == {"/a": b"A", "/b": b"B"}
        assert set(failed) == {"/private", "/moved"}
        assert all(isinstance(error, Disallowed) for error in failed.values())
        assert failed["/moved"].verdict.rule.line == 2

    run(main())
    asked = [visit.path for visit in site.visits]
    assert sorted(asked) == ["/a", "/b", "/moved", "/robots.txt"]
    assert min(gaps(site.visits)) >= 5.0


def test_a_response_is_as_crawlee_reads_it() -> None:
    """Repeated fields are joined, and the content may be read in pieces."""

    async def main() -> None:
        async with robot_at(shop()) as robot, client_of(robot) as client:
            got = await client.send_request(f"{HERE}/a")
            assert (got.status_code, got.http_version) == (200, "HTTP/1.1")
            assert got.headers["vary"] == "a, b"
            async with client.stream(f"{HERE}/b") as streamed:
                assert [piece async for piece in streamed.read_stream()] == [b"B"]

    run(main())


@pytest.mark.parametrize(
    ("options", "why"), [({"method": "POST"}, "GET only"), ({"proxy_info": object()}, "proxies")]
)
def test_what_a_robot_does_not_do_is_refused(options: dict[str, Any], why: str) -> None:
    """Other methods and proxies; the message says what to do."""

    async def main() -> None:
        async with robot_at(shop()) as robot:
            await client_of(robot).send_request(f"{HERE}/a", **options)

    with pytest.raises(MisuseError, match=why):
        asyncio.run(main())
