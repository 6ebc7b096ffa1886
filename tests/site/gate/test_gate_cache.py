"""A host is rendered once when a date changes it, and what it said before is served meanwhile."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from threading import Barrier, Event

import pytest

from goodbot.site.gate import GatePolicy, GateRule, gate_cache
from goodbot.site.gate.gate_cache import RETRY, GateCache
from goodbot.site.gate.rendered import Rendered, render

NOW = datetime(2026, 12, 1, tzinfo=timezone.utc)
LATER = datetime(2027, 1, 2, tzinfo=timezone.utc)
POLICY = GatePolicy(
    site="https://example.com",
    rules=(GateRule(fetch=False, ends=datetime(2027, 1, 1, tzinfo=timezone.utc)),),
)
THREADS = 8


def test_one_thread_renders_and_the_others_serve_what_held(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """While it renders, nobody waits; afterwards everybody has the new files."""
    cache, calls, begun, goes_on = GateCache(POLICY), [], Event(), Event()
    before = cache.at(None, NOW)

    def slow(policy: GatePolicy, *, now: datetime, host: str | None = None) -> Rendered:
        calls.append(now)
        begun.set()
        assert goes_on.wait(60)
        return render(policy, now=now, host=host)

    monkeypatch.setattr(gate_cache, "render", slow)
    with ThreadPoolExecutor(THREADS) as threads:
        first = threads.submit(cache.at, None, LATER)
        assert begun.wait(60)
        asked = [threads.submit(cache.at, None, LATER) for _ in range(100)]
        assert all(one.result() is before for one in asked)
        goes_on.set()
        after = first.result()
    assert after is not before
    assert cache.at(None, LATER) is after
    assert len(calls) == 1


def test_many_threads_render_a_new_host_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was said before: who comes second waits, and renders nothing."""
    cache, calls, together = GateCache(POLICY), [], Barrier(THREADS)

    def counted(policy: GatePolicy, *, now: datetime, host: str | None = None) -> Rendered:
        calls.append(now)
        return render(policy, now=now, host=host)

    monkeypatch.setattr(gate_cache, "render", counted)

    def ask() -> Rendered:
        together.wait(60)
        return cache.at(None, NOW)

    with ThreadPoolExecutor(THREADS) as threads:
        found = {id(one.result()) for one in [threads.submit(ask) for _ in range(THREADS)]}
    assert (len(found), len(calls)) == (1, 1)


def test_a_failure_is_tried_again_a_minute_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not with each request."""
    cache, calls = GateCache(POLICY), []
    before = cache.at(None, NOW)

    def failing(policy: GatePolicy, *, now: datetime, host: str | None = None) -> Rendered:
        calls.append((policy, now, host))
        raise ValueError

    monkeypatch.setattr(gate_cache, "render", failing)
    assert all(cache.at(None, LATER) is before for _ in range(50))
    assert len(calls) == 1
    monkeypatch.setattr(gate_cache, "render", render)
    assert cache.at(None, LATER + RETRY - timedelta(seconds=1)) is before
    assert cache.at(None, LATER + RETRY) is not before
