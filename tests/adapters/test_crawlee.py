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
from goodbot.testing import Answer, FakeClock, FakeSite, LoopbackSite
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


def client_of(robot: goodbot.Robot, **options: Any) -> "RobotHttpClient":  # noqa: ANN401
    """Return the client that fetches by a robot."""
    from goodbot.adapters.crawlee import RobotHttpClient  # noqa: PLC0415  see above

    return RobotHttpClient(robot, **options)


async def crawled(
    robot: goodbot.Robot, *paths: str, client: "RobotHttpClient | None" = None
) -> tuple[dict[str, bytes], dict[str, Any], Any]:
    """Crawl pages of a site by Crawlee; return the bodies, the errors by path, and statistics."""
    from crawlee import ConcurrencySettings  # noqa: PLC0415  see above
    from crawlee.configuration import Configuration  # noqa: PLC0415  see above
    from crawlee.crawlers import BasicCrawlingContext, HttpCrawler, HttpCrawlingContext  # noqa: PLC0415  see above
    from crawlee.events import LocalEventManager  # noqa: PLC0415  see above
    from crawlee.storage_clients import MemoryStorageClient  # noqa: PLC0415  see above

    found: dict[str, bytes] = {}
    failed: dict[str, Any] = {}
    crawler = HttpCrawler(
        http_client=client or client_of(robot),
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

    statistics = await crawler.run([HERE + path for path in paths])
    return found, failed, statistics


def test_a_crawler_of_crawlee_obeys() -> None:
    """Pauses are kept; what is not allowed is not requested, and is skipped without a failure."""
    site = shop()
    skipped: list[tuple[str, str]] = []

    async def note(url: str, reason: str) -> None:
        skipped.append((url, reason))

    async def main() -> None:
        async with robot_at(site) as robot:
            client = client_of(robot, on_skipped_request=note)
            paths = ("/a", "/b", "/private", "/moved")
            found, failed, statistics = await crawled(robot, *paths, client=client)
        assert found == {"/a": b"A", "/b": b"B"}
        assert not failed
        assert (statistics.requests_finished, statistics.requests_failed) == (2, 0)
        assert sorted(skipped) == [
            (f"{HERE}/moved", "robots_txt"),
            (f"{HERE}/private", "robots_txt"),
        ]
        assert [verdict.rule.line for verdict in client.skipped if verdict.rule] == [2, 2]

    run(main())
    asked = [visit.path for visit in site.visits]
    assert sorted(asked) == ["/a", "/b", "/moved", "/robots.txt"]
    assert min(gaps(site.visits)) >= 5.0


def test_skipping_is_as_quiet_as_by_crawlees_own_option() -> None:
    """Both end with the same statistics and the same calls, at a real server."""
    from crawlee import ConcurrencySettings  # noqa: PLC0415  see above
    from crawlee.configuration import Configuration  # noqa: PLC0415  see above
    from crawlee.crawlers import HttpCrawler, HttpCrawlingContext  # noqa: PLC0415  see above
    from crawlee.events import LocalEventManager  # noqa: PLC0415  see above
    from crawlee.storage_clients import MemoryStorageClient  # noqa: PLC0415  see above

    async def outcome(site: LoopbackSite, robot: goodbot.Robot | None) -> tuple[Any, ...]:
        called: list[tuple[str, str]] = []

        async def note(url: str, reason: str) -> None:
            called.append((url.removeprefix(site.origin), reason))

        own: dict[str, Any] = (
            {"http_client": client_of(robot, on_skipped_request=note)} if robot else {}
        )
        crawler = HttpCrawler(
            **own,
            respect_robots_txt_file=robot is None,
            storage_client=MemoryStorageClient(),
            configuration=Configuration(log_level="CRITICAL"),
            event_manager=LocalEventManager(),
            configure_logging=False,
            concurrency_settings=ConcurrencySettings(desired_concurrency=1, max_concurrency=1),
            request_handler_timeout=timedelta(minutes=5),
        )
        crawler.log.setLevel(logging.CRITICAL)
        crawler.on_skipped_request(note)
        failed: list[str] = []

        @crawler.router.default_handler
        async def keep(_: HttpCrawlingContext) -> None:
            return

        @crawler.failed_request_handler
        async def fail(context: Any, error: Exception) -> None:  # noqa: ANN401, ARG001
            failed.append(context.request.url)

        ended = await crawler.run([f"{site.origin}/public", f"{site.origin}/private/secret"])
        return called, failed, ended.requests_failed, ended.retry_histogram

    async def main() -> None:
        async with LoopbackSite() as site:
            theirs = await outcome(site, None)
        me = {"info_url": "https://example.com/bot", "contact": "bot@example.com"}
        async with (
            LoopbackSite() as site,
            goodbot.Robot("ExampleBot", allow_private=True, **me) as robot,  # type: ignore[arg-type]
        ):
            ours = await outcome(site, robot)
        assert ours == theirs == ([("/private/secret", "robots_txt")], [], 0, [1])

    asyncio.run(main())


def test_a_robots_txt_that_fails_is_a_failure() -> None:
    """It is not skipped, and not tried again: someone has to know."""
    site = FakeSite({"/robots.txt": Answer(status=503), "/new": "A"}, clock=FakeClock())

    async def main() -> None:
        async with robot_at(site) as robot:
            client = client_of(robot)
            found, failed, statistics = await crawled(robot, "/new", client=client)
        assert not found
        assert isinstance(failed["/new"], Disallowed)
        assert failed["/new"].verdict.policy_reason == "service-unavailable"
        assert (statistics.requests_failed, statistics.retry_histogram) == (1, [1])
        assert not client.skipped

    run(main())


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
