"""Fetching a policy, and the cache of policies."""

import threading
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot.adapters.policy_cache import PolicyCache, ask, has_robots_txt, verdict_on
from goodbot.policy import FAILURES
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer
from tests.support.robots_txt_answers import answered

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


def told(
    cache: PolicyCache[Any], url: str, *replies: RobotsTxtAnswer
) -> tuple[goodbot.Policy, list[str]]:
    """Run an inquiry with these replies; return the policy and the URLs that were requested."""
    way = cache.ask(url)
    asked = [next(way).url]
    for reply in replies:
        try:
            asked.append(way.send(reply).url)
        except StopIteration as end:  # noqa: PERF203 - it marks the end
            return end.value, asked
    message = f"more is asked for: {asked}"
    raise AssertionError(message)


def test_either_spelling_of_a_url_forbids() -> None:
    """/%62 is sent as /b, and a dialect that decodes nothing distinguishes them."""
    cache = PolicyCache(threading.Lock, lambda: NOW, dialect="lwp")
    rules = answered(200, (), b"User-agent: *\nDisallow: /b\nDisallow: /%7efred\n")
    policy, _ = told(cache, "https://a.example/", rules)
    allowed = {
        path: verdict_on(policy, f"https://a.example{path}", "ExampleBot").allowed
        for path in ("/%62", "/%7efred", "/%63")
    }
    assert allowed == {"/%62": False, "/%7efred": False, "/%63": True}


def test_redirects_are_followed_as_far_as_the_policy_says() -> None:
    """After five redirects robots.txt counts as missing (RFC 9309 section 2.3.1.2)."""
    cache = PolicyCache(threading.Lock, lambda: NOW)
    moves = [answered(301, (("Location", f"/{n}"),), b"") for n in range(9)]
    policy, asked = told(cache, "https://a.example/b?c", *moves)
    assert len(asked) == 6
    assert asked[:2] == ["https://a.example/robots.txt", "https://a.example/0"]
    assert policy.outcome == "redirects-too-many"
    policy, _ = told(cache, "https://a.example/", moves[0], answered(200, (), b""))
    assert (policy.access, policy.hops) == ("rules", ("https://a.example/0",))


@given(st.sampled_from(FAILURES))
def test_every_failure_closes(kind: str) -> None:
    """No answer is not permission."""
    policy, _ = told(
        PolicyCache(threading.Lock, lambda: NOW), "http://a.example/", RobotsTxtAnswer(failure=kind)
    )
    assert not verdict_on(policy, "http://a.example/b", "ExampleBot").allowed


def test_policies_are_forgotten_one_by_one_and_expire() -> None:
    """The policy fetched longest ago is dropped first; a stale one is fetched again."""
    at = [NOW]
    cache = PolicyCache(threading.Lock, lambda: at[0], most=2)
    urls = [f"http://{name}.example/" for name in "abc"]
    for url in urls:
        with cache.lock(url):
            assert cache.fresh(url) is None
            told(cache, url, answered(404, (), b""))
    assert [cache.fresh(url) is None for url in urls] == [True, False, False]
    assert cache.lock(urls[1]) is cache.lock(urls[1])
    at[0] += timedelta(days=2)
    assert cache.fresh(urls[2]) is None


def test_misuse_is_told() -> None:
    """The mistake raises at once, not at the first request."""
    with pytest.raises(goodbot.WrongValueError):
        PolicyCache(threading.Lock, lambda: NOW, most=0)
    with pytest.raises(goodbot.UnknownDialectError):
        PolicyCache(threading.Lock, lambda: NOW, policy_dialect="no-such")
    policy, _ = told(
        PolicyCache(threading.Lock, lambda: NOW),
        "http://a.example/",
        RobotsTxtAnswer(failure="dns"),
    )
    with pytest.raises(goodbot.RobotNameError, match="User-Agent"):
        verdict_on(policy, "http://a.example/", None)
    with pytest.raises(goodbot.NoOriginError):
        next(ask("/a", clock=lambda: NOW))


def test_only_http_has_robots_txt_here() -> None:
    """The scheme may be in upper or lower case."""
    urls = ("HTTP://a.example/", "https://a.example/", "ftp://a.example/", "file:///a", "httpx://a")
    assert [has_robots_txt(url) for url in urls] == [True, True, False, False, False]
