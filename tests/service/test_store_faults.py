"""A real service whose store is killed, locked, full or gone: 503, and what to do."""

import os
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from goodbot.store import Lease, PostgresStore
from goodbot.testing.steps import always
from tests.cli.test_serve import send
from tests.support.live_sites import assert_nothing_held, assert_whole, open_site
from tests.support.postgres import PostgresCluster, cluster
from tests.support.service_process import running_service
from tests.support.small_disk import LARGE, mount, small_disk
from tests.support.waiting import wait_until

__all__ = ["cluster"]

RULES = always(200, b"User-agent: *\nDisallow: /private\nCrawl-delay: 1\n")


@pytest.fixture
def site() -> Iterator[str]:
    """Yield the origin of a site."""
    with open_site(RULES) as site:
        yield site.origin


def ask_all(base: str, origin: str, begun: dict[str, Any]) -> list[tuple[int, Any]]:
    """Send at once: questions for a verdict in both ways and for a turn, an end, and holds."""
    url = f"{origin}/a"
    questions: list[tuple[str, object]] = [
        (f"/v1/verdicts?url={quote(url)}", None),
        ("/v1/verdicts", {"urls": [url], "wait": 1}),
        ("/v1/turns", {"url": f"{origin}/b"}),
        (f"/v1/turns/{begun['id']}", {"status": 200}),
        ("/v1/block/list", None),
        ("/v1/block/add", {"place": origin, "why": "theirs"}),
    ]
    with ThreadPoolExecutor(len(questions)) as threads:
        return list(threads.map(lambda one: send(base + one[0], one[1]), questions))


def assert_no_store(answers: list[tuple[int, Any]], cure: str) -> None:
    """Check that each answer is a problem that says what to do."""
    assert [status for status, _ in answers] == [503] * len(answers)
    for _, problem in answers:
        assert problem["type"] == "/v1/problems/store-unavailable"
        assert cure in problem["detail"]


def assert_goes_on(base: str, origin: str, begun: dict[str, Any]) -> None:
    """Check that a turn that was out can be ended, and that the next is granted and ended."""
    wait_until(lambda: send(f"{base}/ready")[0] == 200, "the store")
    status, ended = send(f"{base}/v1/turns/{begun['id']}", {"status": 200})
    assert (status, ended["turn"]) == (200, "ended")
    again = send(f"{base}/v1/turns", {"url": f"{origin}/c", "wait": 60})[1]
    assert again["turn"] == "granted"
    assert send(f"{base}/v1/turns/{again['id']}", {"status": 200})[0] == 200


def begin(base: str, origin: str) -> dict[str, Any]:
    """Begin a turn."""
    turn: dict[str, Any] = send(f"{base}/v1/turns", {"url": f"{origin}/a", "wait": 60})[1]
    assert turn["turn"] == "granted"
    return turn


@pytest.mark.stress
def test_a_server_of_postgresql_that_crashes_and_comes_back(
    cluster: PostgresCluster,
    site: str,
) -> None:
    """While it is gone nothing is allowed; afterwards the turn that was out can be ended."""
    url = cluster.new_url()
    with running_service("--allow-private", "--store", url) as base:
        begun = begin(base, site)
        cluster.stop("immediate")
        try:
            wait_until(lambda: send(f"{base}/ready")[0] == 503, "the end of the store")
            assert_no_store(ask_all(base, site, begun), "check its URL, and that its server runs")
        finally:
            cluster.start()
        assert_goes_on(base, site, begun)
    with PostgresStore(url) as store:
        soon = datetime.now(timezone.utc) + timedelta(seconds=10)
        assert isinstance(store.acquire(site, soon, 1, "test", pause=0), Lease)


@pytest.mark.stress
def test_a_file_that_another_process_locks(tmp_path: Path, site: str) -> None:
    """As long as it is locked, and for no longer."""
    path = tmp_path / "robots.db"
    with running_service("--allow-private", "--store", path) as base:
        begun = begin(base, site)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            wait_until(lambda: send(f"{base}/ready")[0] == 503, "the lock")
            assert_no_store(ask_all(base, site, begun), "end that process")
            other.execute("ROLLBACK")
        assert_goes_on(base, site, begun)
    assert_whole(path)


@pytest.mark.stress
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a file system")
def test_a_disk_that_is_full(tmp_path: Path, site: str) -> None:
    """A turn needs room, and its end is sent again once there is some."""
    with small_disk(tmp_path / "disk") as disk:
        path = disk / "robots.db"
        with running_service("--allow-private", "--store", path) as base:
            begun = begin(base, site)
            filler = disk / "filler"
            with suppress(OSError), filler.open("wb", 0) as file:
                while file.write(b"x" * 4_096):
                    pass
            ended = send(f"{base}/v1/turns/{begun['id']}", {"status": 200})
            other = send(f"{base}/v1/turns", {"url": f"{site}/b"})[1]
            mount(disk, f"remount,{LARGE}")
            filler.unlink()
            assert_no_store([ended], "make room on its disk")
            assert (other["turn"], other["reason"]) == ("later", "leased")
            assert_goes_on(base, site, begun)
        assert_whole(path)


@pytest.mark.stress
@pytest.mark.parametrize("comes_back", [True, False])
def test_a_file_that_is_removed(tmp_path: Path, site: str, *, comes_back: bool) -> None:
    """Others would keep another pace in a new file; so there are no answers from the old one."""
    path, elsewhere = tmp_path / "robots.db", tmp_path / "elsewhere.db"
    with running_service("--allow-private", "--store", path) as base:
        begun = begin(base, site)
        path.rename(elsewhere)
        if not comes_back:
            path.write_bytes(b"")
        wait_until(lambda: send(f"{base}/ready")[0] == 503, "the loss of the file")
        assert_no_store(ask_all(base, site, begun), "put it back")
        elsewhere.replace(path)
        assert_goes_on(base, site, begun)
    assert_nothing_held(path)
