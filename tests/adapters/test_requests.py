"""The adapter for requests, on loopback: one fetch of robots.txt, each hop, failures."""

import gzip
import pickle
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from typing import Any, cast

import pytest
import requests
from requests.adapters import BaseAdapter

import goodbot
from goodbot.adapters.requests import RefusedByRobotsError, RobotsAdapter
from goodbot.testing import LoopbackVisit
from goodbot.testing.steps import CLOSE, Pause, ScriptStep, bomb, http
from tests.support.adapter_sites import answers, says, serving

SHUT = b"User-agent: *\nDisallow: /\n"
RULES = b"User-agent: *\nDisallow: /private/\n"


def session_with(adapter: BaseAdapter) -> requests.Session:
    """Return a session that sends everything through an adapter."""
    session = requests.Session()
    session.headers["User-Agent"] = "ExampleBot/1.0"
    session.trust_env = False
    session.mount("http://", adapter)
    return session


def get(url: str, **options: Any) -> requests.Response:  # noqa: ANN401
    """Get with a session of its own."""
    with session_with(RobotsAdapter(**options)) as session:
        return session.get(url)


def test_what_is_allowed_is_fetched_and_what_is_not_is_not_sent() -> None:
    """The exception carries the verdict, and is one of requests' own."""
    with serving() as site:
        assert get(f"{site.origin}/public").status_code == 200
        with pytest.raises(requests.RequestException) as caught:
            get(f"{site.origin}/private/secret")
        assert not site.visits_to("/private/secret")
        assert all(visit.field("User-Agent") == "ExampleBot/1.0" for visit in site.visits)
    error = caught.value
    assert isinstance(error, RefusedByRobotsError)
    assert isinstance(error, goodbot.GoodbotError)
    assert error.verdict.reason == "rule-disallows"
    assert error.request is not None
    assert str(error.request.url).endswith("/private/secret")
    assert str(error) == f"{error.verdict.url}: {error.verdict}"
    again = pickle.loads(pickle.dumps(error))  # noqa: S301  our own bytes
    assert (again.verdict, str(again)) == (error.verdict, str(error))


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        ("unavailable", "service-unavailable"),
        ("broken", "server-error"),
        ("too-many-requests", "too-many-requests"),
        ("dropped", "failure-refused"),
        ("utf-16", "unreadable"),
    ],
)
def test_a_failure_is_no_permission(behaviour: str, reason: str) -> None:
    """What the policy disallows stays disallowed."""
    with serving(behaviour) as site:
        with pytest.raises(RefusedByRobotsError) as caught:
            get(f"{site.origin}/public")
        assert not site.visits_to("/public")
    assert caught.value.verdict.policy_reason == reason


def test_nobody_listening_and_a_slow_file_are_failures() -> None:
    """A refused connection, and a file without an end."""
    with pytest.raises(RefusedByRobotsError) as caught:
        get("http://127.0.0.1:1/")
    assert caught.value.verdict.reason == "failure-refused"
    with serving("slow-drip") as site, pytest.raises(RefusedByRobotsError) as caught:
        get(f"{site.origin}/public", seconds=0.2)
    assert caught.value.verdict.reason == "failure-timeout"


def test_compressed_content_is_undone_within_a_bound() -> None:
    """Compression is decoded even if not requested, up to the limit; garbage is a failure."""
    encoded = "Content-Encoding: gzip"
    for body in (gzip.compress(RULES), bomb(RULES, 64 << 20)):
        with serving(says(200, body, encoded)) as site:
            assert get(f"{site.origin}/public").ok
            with pytest.raises(RefusedByRobotsError, match="/private/"):
                get(f"{site.origin}/private/secret")
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
                assert get(f"{site.origin}/private/secret").ok, "the status speaks alone"


def elsewhere(visit: LoopbackVisit) -> Iterator[ScriptStep]:
    """Allow everything at the first origin, and nothing at the other."""
    yield http(200, RULES if visit.number == 1 else SHUT)


@pytest.mark.parametrize("path", ["/moved", "/away"])
def test_each_hop_is_checked(path: str) -> None:
    """A redirect to a disallowed URL is not followed, at the same origin or at another."""
    moved = lambda _: iter([http(302, b"", "Location: /private/secret")])  # noqa: E731
    away = lambda visit: iter([http(302, b"", f"Location: {visit.other_origin}/public")])  # noqa: E731
    with serving(answers(elsewhere), pages={"/moved": moved, "/away": away}) as site:
        with pytest.raises(RefusedByRobotsError):
            get(f"{site.origin}{path}")
        assert not site.visits_to("/private/secret")
        assert not site.visits_to("/public")


def test_the_redirects_of_robots_txt_are_followed() -> None:
    """The rules at its target apply to the first origin."""
    with serving("moved-elsewhere") as site, pytest.raises(RefusedByRobotsError):
        get(f"{site.origin}/private/secret")


def slow(_: LoopbackVisit) -> Iterator[ScriptStep]:
    """Answer after a moment."""
    yield Pause(0.05)
    yield http(200, RULES)


def test_threads_fetch_it_once() -> None:
    """One of eight threads fetches robots.txt, and the others wait for it."""
    with serving(answers(slow)) as site:
        adapter = RobotsAdapter()
        with session_with(adapter) as session, ThreadPoolExecutor(8) as pool:
            got = list(pool.map(lambda _: session.get(f"{site.origin}/public"), range(8)))
        assert [answer.status_code for answer in got] == [200] * 8
        assert len(site.visits_to("/robots.txt")) == 1


def test_it_is_fetched_again_when_it_is_no_longer_fresh() -> None:
    """A day later the site disallows everything."""
    at = [datetime(2026, 1, 1, tzinfo=timezone.utc)]

    def changing(visit: LoopbackVisit) -> Iterator[ScriptStep]:
        yield http(200, RULES if visit.number == 1 else SHUT)

    with (
        serving(answers(changing)) as site,
        session_with(RobotsAdapter(clock=lambda: at[0])) as session,
    ):
        assert session.get(f"{site.origin}/public").ok
        assert session.get(f"{site.origin}/public").ok
        at[0] += timedelta(days=2)
        with pytest.raises(RefusedByRobotsError):
            session.get(f"{site.origin}/public")
        assert len(site.visits_to("/robots.txt")) == 2


def test_the_robot_is_the_one_that_is_named() -> None:
    """`robot` is its name, or else the User-Agent; without either, the request raises."""
    with serving(says(200, b"User-agent: OtherBot\nDisallow: /\n")) as site:
        assert get(f"{site.origin}/public").ok
        with pytest.raises(RefusedByRobotsError):
            get(f"{site.origin}/public", robot="OtherBot")
        with session_with(RobotsAdapter()) as session:
            session.headers.update({"User-Agent": cast("str", None)})  # requests then sends none
            with pytest.raises(goodbot.RobotNameError, match="robot='ExampleBot'"):
                session.get(f"{site.origin}/public")
    with pytest.raises(goodbot.UnknownDialectError):
        RobotsAdapter(dialect="no-such")


def test_a_mistake_of_the_adapter_is_not_taken_for_the_sites() -> None:
    """An exception that is not a failure of the network or the site is not caught."""

    class Broken(BaseAdapter):
        """An adapter with a bug."""

        def send(self, *_: Any, **__: Any) -> requests.Response:  # noqa: ANN401
            message = "a bug"
            raise LookupError(message)

        def close(self) -> None:
            """Close nothing."""

    with session_with(RobotsAdapter(Broken())) as session, pytest.raises(LookupError):
        session.get("http://127.0.0.1:1/")


def test_a_chunked_file_is_read_whole() -> None:
    """Chunks are joined, and an incomplete one is a failure."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"
    whole = head + b"".join(
        b"%x\r\n%s\r\n" % (len(one), one) for one in RULES.splitlines(keepends=True)
    )
    with serving(answers(lambda _: iter([whole + b"0\r\n\r\n"]))) as site:
        assert get(f"{site.origin}/public").ok
        with pytest.raises(RefusedByRobotsError, match="/private/"):
            get(f"{site.origin}/private/secret")
    with (
        serving(answers(lambda _: iter([whole, CLOSE]))) as site,
        pytest.raises(RefusedByRobotsError) as caught,
    ):
        get(f"{site.origin}/public")
    assert caught.value.verdict.reason == "failure-reset"
