"""The transports for HTTPX, on loopback: sync and async, one fetch of robots.txt, each hop."""

import asyncio
import gzip
import pickle
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from typing import Any

import httpx
import pytest

import goodbot
from goodbot.adapters.httpx import AsyncRobotsTransport, RefusedByRobotsError, RobotsTransport
from goodbot.testing import LoopbackSite, LoopbackVisit
from goodbot.testing.steps import Pause, ScriptStep, bomb, http
from tests.support.adapter_sites import answers, says, serving

ROBOT = {"User-Agent": "ExampleBot/1.0"}
SHUT = b"User-agent: *\nDisallow: /\n"
RULES = b"User-agent: *\nDisallow: /private/\n"

Get = Callable[..., httpx.Response]


def get_sync(url: str, **options: Any) -> httpx.Response:  # noqa: ANN401
    """Get with a client of its own."""
    with httpx.Client(transport=RobotsTransport(**options), headers=ROBOT) as client:
        return client.get(url, follow_redirects=True)


def get_async(url: str, **options: Any) -> httpx.Response:  # noqa: ANN401
    """Get with an asynchronous client of its own."""

    async def main() -> httpx.Response:
        transport = AsyncRobotsTransport(**options)
        async with httpx.AsyncClient(transport=transport, headers=ROBOT) as client:
            return await client.get(url, follow_redirects=True)

    return asyncio.run(main())


both = pytest.mark.parametrize("get", [get_sync, get_async])


@both
def test_what_is_allowed_is_fetched_and_what_is_not_is_not_sent(get: Get) -> None:
    """The exception carries the verdict, and is one of HTTPX's own."""
    with serving() as site:
        assert get(f"{site.origin}/public").status_code == 200
        with pytest.raises(httpx.RequestError) as caught:
            get(f"{site.origin}/private/secret")
        assert not site.visits_to("/private/secret")
        assert all(v.field("User-Agent") == "ExampleBot/1.0" for v in site.visits)
    error = caught.value
    assert isinstance(error, RefusedByRobotsError)
    assert isinstance(error, goodbot.GoodbotError)
    assert error.verdict.reason == "rule-disallows"
    assert error.verdict.rule is not None
    assert error.verdict.rule.line == 3
    assert error.request.url.path == "/private/secret"
    assert str(error) == f"{error.verdict.url}: {error.verdict}"


@both
@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("unavailable", "service-unavailable"),
        ("broken", "server-error"),
        ("too-many-requests", "too-many-requests"),
        ("dropped", "failure-protocol-error"),
        ("utf-16", "unreadable"),
    ],
)
def test_a_failure_is_no_permission(get: Get, behaviour: str, reason: str) -> None:
    """What the policy disallows stays disallowed."""
    with serving(behaviour) as site:
        with pytest.raises(RefusedByRobotsError) as caught:
            get(f"{site.origin}/public")
        assert not site.visits_to("/public")
    assert caught.value.verdict.policy_reason == reason


@both
def test_nobody_listening_and_a_slow_file_are_failures(get: Get) -> None:
    """A refused connection, a file without an end, and the beginning of a gzip bomb."""
    with pytest.raises(RefusedByRobotsError) as caught:
        get("http://127.0.0.1:1/")
    assert caught.value.verdict.reason == "failure-refused"
    with serving("slow-drip") as site, pytest.raises(RefusedByRobotsError) as caught:
        get(f"{site.origin}/public", seconds=0.2)
    assert caught.value.verdict.reason == "failure-timeout"


@both
def test_compressed_content_is_undone_within_a_bound(get: Get) -> None:
    """Compression is decoded even if not requested, up to the limit; garbage is a failure."""
    encoded = "Content-Encoding: gzip"
    for body, allowed in ((gzip.compress(RULES), True), (bomb(RULES, 64 << 20), True)):
        with serving(says(200, body, encoded)) as site:
            assert get(f"{site.origin}/public").is_success is allowed
            with pytest.raises(RefusedByRobotsError) as caught:
                get(f"{site.origin}/private/secret")
            assert caught.value.verdict.reason == "rule-disallows"
            assert site.visits[0].field("Accept-Encoding") == "identity"
    for body in (b"rubbish", gzip.compress(RULES)[:-9], gzip.compress(RULES)[:12]):
        with (
            serving(says(200, body, encoded)) as site,
            pytest.raises(RefusedByRobotsError) as caught,
        ):
            get(f"{site.origin}/public")
        assert caught.value.verdict.reason == "failure-bad-encoding"
    for body in (b"rubbish", gzip.compress(RULES)[:-9], gzip.compress(RULES)[:12]):
        for coding in (encoded, "Content-Encoding: compress"):
            with serving(says(404, body, coding)) as site:
                assert get(f"{site.origin}/private/secret").is_success, "the status speaks alone"


@both
def test_each_hop_is_asked_about(get: Get) -> None:
    """A redirect to a disallowed URL is not followed, at the same origin or at another."""
    moved = lambda _: iter([http(302, b"", "Location: /private/secret")])  # noqa: E731
    away = lambda visit: iter([http(302, b"", f"Location: {visit.other_origin}/public")])  # noqa: E731
    with serving(answers(closed_elsewhere), pages={"/moved": moved, "/away": away}) as site:
        with pytest.raises(RefusedByRobotsError) as caught:
            get(f"{site.origin}/moved")
        assert caught.value.verdict.url.endswith("/private/secret")
    with serving(answers(closed_elsewhere), pages={"/moved": moved, "/away": away}) as site:
        with pytest.raises(RefusedByRobotsError) as caught:
            get(f"{site.origin}/away")
        assert caught.value.verdict.url.startswith(site.other_origin)
        assert not site.visits_to("/public")
        assert not site.visits_to("/private/secret")


def closed_elsewhere(visit: LoopbackVisit) -> Iterator[ScriptStep]:
    """Allow everything at the first origin, and nothing at the other."""
    is_first = visit.number == 1
    yield http(200, RULES if is_first else SHUT)


@both
def test_the_redirects_of_robots_txt_are_followed(get: Get) -> None:
    """The rules at its target apply to the first origin."""
    with serving("moved-elsewhere") as site, pytest.raises(RefusedByRobotsError):
        get(f"{site.origin}/private/secret")


def slow(_: LoopbackVisit) -> Iterator[ScriptStep]:
    """Answer after a moment."""
    yield Pause(0.05)
    yield http(200, RULES)


def test_threads_ask_once() -> None:
    """One of eight threads fetches robots.txt, and the others wait for it."""
    with serving(answers(slow)) as site:
        transport = RobotsTransport()
        with (
            httpx.Client(transport=transport, headers=ROBOT) as client,
            ThreadPoolExecutor(8) as pool,
        ):
            got = list(pool.map(lambda _: client.get(f"{site.origin}/public"), range(8)))
        assert [answer.status_code for answer in got] == [200] * 8
        assert len(site.visits_to("/robots.txt")) == 1


def test_tasks_ask_once_and_a_cancelled_one_hands_over() -> None:
    """One of eight tasks fetches robots.txt; if it is cancelled, the next one does."""

    async def main() -> None:
        async with LoopbackSite(answers(slow)) as site:
            transport = AsyncRobotsTransport()
            async with httpx.AsyncClient(transport=transport, headers=ROBOT) as client:
                url = f"{site.origin}/public"
                tasks = [asyncio.create_task(client.get(url)) for _ in range(8)]
                while not site.visits_to("/robots.txt"):  # noqa: ASYNC110  a site tells nobody
                    await asyncio.sleep(0)
                tasks[0].cancel()
                got = await asyncio.gather(*tasks, return_exceptions=True)
                assert isinstance(got[0], asyncio.CancelledError)
                assert all(isinstance(one, httpx.Response) for one in got[1:])
            assert len(site.visits_to("/robots.txt")) == 2

    asyncio.run(main())


def test_robots_txt_is_asked_for_again_when_it_is_no_longer_fresh() -> None:
    """A day later the site disallows everything; while it fails, its last file is used."""
    at = [datetime(2026, 1, 1, tzinfo=timezone.utc)]
    replies = [
        httpx.Response(200, content=RULES),
        httpx.Response(503),
        httpx.Response(200, content=SHUT),
    ]
    asked: list[str] = []

    def site(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return replies.pop(0) if request.url.path == "/robots.txt" else httpx.Response(200)

    transport = RobotsTransport(httpx.MockTransport(site), clock=lambda: at[0])
    with httpx.Client(transport=transport, headers=ROBOT) as client:
        assert client.get("https://a.example/").is_success
        assert client.get("https://a.example/").is_success
        at[0] += timedelta(days=2)
        assert client.get("https://a.example/").is_success
        at[0] += timedelta(days=1)
        with pytest.raises(RefusedByRobotsError):
            client.get("https://a.example/")
    assert asked.count("/robots.txt") == 3


def test_the_robot_is_the_one_that_is_named() -> None:
    """`robot` is its name, or else the User-Agent; without either, the request raises."""
    text = b"User-agent: OtherBot\nDisallow: /\n"
    site = httpx.MockTransport(lambda _: httpx.Response(200, content=text))
    assert httpx.Client(transport=RobotsTransport(site), headers=ROBOT).get("http://a.example/")
    with pytest.raises(RefusedByRobotsError):
        httpx.Client(transport=RobotsTransport(site, robot="OtherBot")).get("http://a.example/")
    client = httpx.Client(transport=RobotsTransport(site))
    del client.headers["User-Agent"]
    with pytest.raises(goodbot.RobotNameError, match="robot='ExampleBot'"):
        client.get("http://a.example/")
    with pytest.raises(goodbot.UnknownDialectError):
        RobotsTransport(site, dialect="no-such")


def test_a_mistake_of_the_transport_is_not_taken_for_the_sites() -> None:
    """An exception that is not a failure of the network or the site is not caught."""

    def broken(_: httpx.Request) -> httpx.Response:
        message = "a bug"
        raise LookupError(message)

    client = httpx.Client(transport=RobotsTransport(httpx.MockTransport(broken)), headers=ROBOT)
    with pytest.raises(LookupError, match="a bug"):
        client.get("http://a.example/")


def test_the_refusal_can_be_sent_to_another_process() -> None:
    """It can be pickled with its verdict."""
    site = httpx.MockTransport(lambda _: httpx.Response(503))
    with pytest.raises(RefusedByRobotsError) as caught:
        httpx.Client(transport=RobotsTransport(site), headers=ROBOT).get("http://a.example/")
    again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own bytes
    assert again.verdict == caught.value.verdict
    assert str(again) == str(caught.value)
