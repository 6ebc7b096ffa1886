"""The middleware for aiohttp, on loopback: one fetch of robots.txt, and a check of each hop."""

import asyncio
import gzip
from collections.abc import Coroutine, Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import aiohttp
import pytest

import goodbot
from goodbot.adapters.aiohttp import RefusedByRobotsError, RobotsMiddleware
from goodbot.testing import LoopbackSite, LoopbackVisit
from goodbot.testing.steps import Pause, ScriptStep, bomb, http
from tests.support.adapter_sites import answers, says

ROBOT = {"User-Agent": "ExampleBot/1.0"}
RULES = b"User-agent: *\nDisallow: /private/\n"
SHUT = b"User-agent: *\nDisallow: /\n"


def run(task: Coroutine[Any, Any, None]) -> None:
    """Run a task in a loop of its own."""
    asyncio.run(task)


def session(**options: Any) -> aiohttp.ClientSession:  # noqa: ANN401
    """Open a session with the middleware."""
    return aiohttp.ClientSession(middlewares=[RobotsMiddleware(**options)], headers=ROBOT)


async def refusal(asking: aiohttp.ClientSession, url: str) -> RefusedByRobotsError:
    """Return the exception for a URL that is refused."""
    with pytest.raises(aiohttp.ClientError) as caught:
        await asking.get(url)
    assert isinstance(caught.value, RefusedByRobotsError)
    assert isinstance(caught.value, goodbot.GoodbotError)
    return caught.value


def test_what_is_allowed_is_fetched_and_what_is_not_is_not_sent() -> None:
    """The exception carries the verdict, and is one of aiohttp's own."""

    async def main() -> None:
        async with LoopbackSite() as site, session() as asking:
            async with asking.get(f"{site.origin}/public") as answer:
                assert answer.status == 200
            error = await refusal(asking, f"{site.origin}/private/secret")
            assert error.verdict.rule is not None
            assert error.verdict.rule.line == 3
            assert str(error) == f"{error.verdict.url}: {error.verdict}"
            assert [v.target for v in site.visits] == ["/robots.txt", "/public"]
            assert all(v.field("User-Agent") == "ExampleBot/1.0" for v in site.visits)
            assert site.visits[0].field("Accept-Encoding") == "identity"

    run(main())


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("unavailable", "service-unavailable"),
        ("broken", "server-error"),
        ("too-many-requests", "too-many-requests"),
        ("dropped", "failure-reset"),
        ("utf-16", "unreadable"),
        ("slow-drip", "failure-timeout"),
        ("self-signed", "failure-tls"),
        ("plain-text-for-tls", "failure-tls"),
    ],
)
def test_a_failure_is_no_permission(behaviour: str, reason: str) -> None:
    """What the policy disallows stays disallowed, also with `raise_for_status`."""

    async def main() -> None:
        robots = RobotsMiddleware(seconds=0.5, robot="ExampleBot")
        async with (
            LoopbackSite(behaviour) as site,
            aiohttp.ClientSession(middlewares=[robots], raise_for_status=True) as asking,
        ):
            error = await refusal(asking, f"{site.origin}/public")
            assert error.verdict.policy_reason == reason
            assert not site.visits_to("/public")

    run(main())


def test_compressed_content_is_undone_within_a_bound() -> None:
    """Compression is decoded even if not requested, up to the limit; cut content is a failure."""
    encoded = "Content-Encoding: gzip"
    whole = gzip.compress(RULES)

    async def main() -> None:
        for body in (whole, bomb(RULES, 64 << 20)):
            async with LoopbackSite(says(200, body, encoded)) as site, session() as asking:
                async with asking.get(f"{site.origin}/public") as answer:
                    assert answer.status == 200
                error = await refusal(asking, f"{site.origin}/private/secret")
                assert error.verdict.reason == "rule-disallows"
        for body in (b"rubbish", whole[:-9], whole[:-1], whole[:12]):
            async with LoopbackSite(says(200, body, encoded)) as site, session() as asking:
                error = await refusal(asking, f"{site.origin}/public")
                assert error.verdict.reason == "failure-bad-encoding"
            async with (
                LoopbackSite(says(404, body, encoded)) as site,
                session() as asking,
                asking.get(f"{site.origin}/private/secret") as answer,
            ):
                assert answer.status == 200, "the status speaks alone"

    run(main())


def test_nobody_listening_is_a_failure() -> None:
    """A refused connection is not permission."""

    async def main() -> None:
        async with session() as asking:
            error = await refusal(asking, "http://127.0.0.1:1/")
            assert error.verdict.reason == "failure-refused"

    run(main())


def closed_elsewhere(visit: LoopbackVisit) -> Iterator[ScriptStep]:
    """Allow everything at the first origin, and nothing at the other."""
    yield http(200, RULES if visit.number == 1 else SHUT)


def test_each_hop_is_asked_about() -> None:
    """A redirect to a disallowed URL is not followed, at the same origin or at another."""

    def moved(_: LoopbackVisit) -> Iterator[ScriptStep]:
        yield http(302, b"", "Location: /private/secret")

    def away(visit: LoopbackVisit) -> Iterator[ScriptStep]:
        yield http(302, b"", f"Location: {visit.other_origin}/public")

    async def main() -> None:
        pages = {"/moved": moved, "/away": away}
        async with LoopbackSite(answers(closed_elsewhere), pages=pages) as site:
            async with session() as asking:
                error = await refusal(asking, f"{site.origin}/moved")
                assert error.verdict.url.endswith("/private/secret")
                error = await refusal(asking, f"{site.origin}/away")
                assert error.verdict.url == f"{site.other_origin}/public"
            assert not site.visits_to("/public")
            assert not site.visits_to("/private/secret")

    run(main())


def test_the_redirects_of_robots_txt_are_followed() -> None:
    """The rules at its target apply to the first origin."""

    async def main() -> None:
        async with LoopbackSite("moved-elsewhere") as site, session() as asking:
            await refusal(asking, f"{site.origin}/private/secret")

    run(main())


def slow(_: LoopbackVisit) -> Iterator[ScriptStep]:
    """Answer after a moment."""
    yield Pause(0.05)
    yield http(200, RULES)


def test_tasks_ask_once_and_a_cancelled_one_hands_over() -> None:
    """One of eight tasks fetches robots.txt; if it is cancelled, the next one does."""

    async def main() -> None:
        async with LoopbackSite(answers(slow)) as site, session() as asking:

            async def get() -> int:
                async with asking.get(f"{site.origin}/public") as answer:
                    return answer.status

            assert await asyncio.gather(*(get() for _ in range(8))) == [200] * 8
            assert len(site.visits_to("/robots.txt")) == 1
        async with LoopbackSite(answers(slow)) as site, session() as asking:
            tasks = [asyncio.create_task(get()) for _ in range(8)]
            while not site.visits_to("/robots.txt"):  # noqa: ASYNC110  a site tells nobody
                await asyncio.sleep(0)
            tasks[0].cancel()
            got = await asyncio.gather(*tasks, return_exceptions=True)
            assert isinstance(got[0], asyncio.CancelledError)
            assert got[1:] == [200] * 7
            assert len(site.visits_to("/robots.txt")) == 2

    run(main())


def test_robots_txt_is_asked_for_again_when_it_is_no_longer_fresh() -> None:
    """A changed robots.txt applies when the old one is no longer fresh, and not before."""
    at = [datetime(2026, 1, 1, tzinfo=timezone.utc)]

    async def main() -> None:
        async with LoopbackSite("changes") as site, session(clock=lambda: at[0]) as asking:
            for _ in range(2):
                async with asking.get(f"{site.origin}/public") as answer:
                    assert answer.status == 200
            at[0] += timedelta(days=2)
            await refusal(asking, f"{site.origin}/public")
            assert len(site.visits_to("/robots.txt")) == 2

    run(main())


def test_the_robot_is_the_one_that_is_named() -> None:
    """`robot` is its name, or else the User-Agent."""

    async def main() -> None:
        async with LoopbackSite("names-robot") as site:
            async with session() as asking, asking.get(f"{site.origin}/public") as answer:
                assert answer.status == 200
            async with session(robot="OtherBot") as asking:
                await refusal(asking, f"{site.origin}/public")

    run(main())


def test_misuse_is_told() -> None:
    """An unknown dialect raises."""
    with pytest.raises(goodbot.UnknownDialectError):
        RobotsMiddleware(dialect="no-such")
