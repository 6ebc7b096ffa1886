"""The number of partitions of the queue of a fleet, and a server without room for their locks."""

from __future__ import annotations

import asyncio
import threading
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.crawl.run.settings import GivenSettings
from goodbot.crawl.testing.frontier_suite import START, candidate
from goodbot.errors import MisuseError, StoreUnavailableError, WrongTypeError, WrongValueError
from goodbot.testing import LoopbackSite
from goodbot.testing.steps import always
from tests.support.live_sites import behaviour_of
from tests.support.postgres import PostgresCluster, cluster, running_cluster
from tests.support.program import run

psycopg = pytest.importorskip("psycopg", reason="needs the extra postgres")
pytest.importorskip("psycopg_pool", reason="needs the extra postgres")

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from goodbot.crawl.fleet.fleet import Fleet

__all__ = ["cluster"]

ROBOT: dict[str, Any] = {
    "robot": "ExampleBot/1.0",
    "info_url": "https://example.com/bot",
    "contact": "bot@example.com",
}
WORDS = ("-r", "ExampleBot/1.0", "--info-url", ROBOT["info_url"], "--contact", ROBOT["contact"])
SITES, PAGES = 6, 3
MANY = 40
"""Partitions whose locks the server with little room has room for, if nobody else needs it."""


def opened(url: str) -> Fleet:
    """Open a fleet."""
    from goodbot.crawl.fleet.fleet import Fleet  # noqa: PLC0415  needs the extra

    return Fleet(url)


def made(url: str, partitions: int) -> Fleet:
    """Make a fleet."""
    fleet = opened(url)
    settings = GivenSettings(**ROBOT, manners={"floor": 0.0, "default": 0.0})
    fleet.make(settings, partitions=partitions)
    return fleet


def site() -> LoopbackSite:
    """Return a site whose pages link to one another."""
    links = "".join(f"<a href=/{page}>x</a>" for page in range(PAGES)).encode()
    pages: dict[str, Any] = {
        f"/{page}": always(200, links, "Content-Type: text/html") for page in ("", *range(PAGES))
    }
    return LoopbackSite(behaviour_of(always(200, b"User-agent: *\nDisallow: /2\n")), pages=pages)


def crawled(cluster: PostgresCluster, folder: Path, partitions: int) -> tuple[object, ...]:
    """Crawl some sites by one worker after the other; return how it ended, without the names."""
    from goodbot.crawl.fleet import fleet as module  # noqa: PLC0415  needs the extra
    from goodbot.crawl.fleet.fleet_worker import FleetWorker  # noqa: PLC0415  as above

    url = cluster.new_url()

    async def main() -> tuple[object, ...]:
        async with AsyncExitStack() as stack:
            sites = [await stack.enter_async_context(site()) for _ in range(SITES)]
            with made(url, partitions) as fleet:
                assert fleet.partitions == partitions
                start = [(one.origin, f"{one.origin}/") for one in sites]
                assert await asyncio.to_thread(fleet.add, start) == SITES
                ended = []
                for name in ("a", "b"):
                    worker = FleetWorker(url, folder / f"{partitions}-{name}", allow_private=True)
                    summary = await worker.run()
                    ended.append((summary.ended, summary.pages))
                status = fleet.status()
                visits = [sorted(visit.target for visit in one.visits) for one in sites]
                return ended, dict(status.urls), dict(status.sites), visits

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "DELAY", 0.0)
        return asyncio.run(main())


@pytest.mark.parametrize("partitions", [1, 3, 64])
def test_a_fleet_ends_the_same_with_any_number(
    cluster: PostgresCluster, tmp_path: Path, partitions: int
) -> None:
    """As with the number that is the default."""
    expected = crawled(cluster, tmp_path, 16)
    assert expected[1] == {"done": SITES * PAGES, "disallowed": SITES}
    assert crawled(cluster, tmp_path, partitions) == expected


@pytest.mark.parametrize(
    ("partitions", "failure", "message"),
    [
        (0, WrongValueError, "from 1 to 512; it is 0"),
        (513, WrongValueError, "from 1 to 512; it is 513"),
        (16.0, WrongTypeError, "a whole number such as 16, not 16.0"),
        (True, WrongTypeError, "a whole number"),
    ],
)
def test_a_number_that_makes_no_sense_is_refused(
    cluster: PostgresCluster, partitions: int, failure: type[Exception], message: str
) -> None:
    """Before anything is made."""
    with opened(cluster.new_url()) as fleet:
        with pytest.raises(failure, match=message):
            fleet.make(GivenSettings(**ROBOT), partitions=partitions)
        assert fleet.partitions == 0


def test_the_number_of_a_queue_stays(cluster: PostgresCluster) -> None:
    """What was asked for before the fleet was made does not decide it; a queue does."""
    from goodbot.crawl.frontier.postgres import PostgresFrontier  # noqa: PLC0415  needs the extra

    url = cluster.new_url()
    assert run("fleet", "status", url).returncode == 2
    assert b"1<=x<=512" in run("fleet", "init", url, *WORDS, "--partitions", "0").stderr
    assert run("fleet", "init", url, *WORDS, "--partitions", "3").returncode == 0
    with opened(url) as fleet:
        assert fleet.partitions == 3
    again = run("fleet", "init", url, *WORDS)
    assert again.returncode == 2
    assert b"already, whose queue has 3 partitions; name another schema" in again.stderr
    url = cluster.new_url()
    PostgresFrontier(url).close()
    with opened(url) as fleet:
        assert fleet.partitions == 16
        with pytest.raises(MisuseError, match="make the fleet with 16, or name another"):
            fleet.make(GivenSettings(**ROBOT), partitions=64)
        fleet.make(GivenSettings(**ROBOT))


def test_a_queue_of_an_older_version_is_upgraded(cluster: PostgresCluster) -> None:
    """Also if it has another number of partitions than new ones."""
    from goodbot.store.postgres_schema import in_schema  # noqa: PLC0415  needs the extra

    url = cluster.new_url()
    made(url, 3).close()
    with psycopg.connect(cluster.url(), autocommit=True) as connection:
        for one in (
            "ALTER TABLE {s}.workers DROP COLUMN seen",
            "UPDATE {s}.versions SET version = 1 WHERE name = 'queue'",
        ):
            connection.execute(in_schema(one, url.rpartition("schema=")[2]))
    with opened(url) as fleet:
        assert fleet.status().workers == []
        assert fleet.partitions == 3


# Locks.


@pytest.fixture(scope="module")
def small() -> Iterator[PostgresCluster]:
    """Run a server with little room for locks."""
    with running_cluster() as server:
        with (server.data / "postgresql.conf").open("a", encoding="utf-8") as settings:
            settings.write("max_locks_per_transaction = 10\nmax_connections = 15\n")
        server.restart()
        yield server


def test_a_fleet_whose_locks_have_no_room_is_not_made(small: PostgresCluster) -> None:
    """The message says what to do, and nothing is left."""
    with opened(small.new_url()) as fleet:
        with pytest.raises(StoreUnavailableError, match="raise max_locks_per_transaction in its"):
            fleet.make(GivenSettings(**ROBOT), partitions=512)
        assert fleet.partitions == 0
        fleet.make(GivenSettings(**ROBOT), partitions=16)


def test_found_urls_wait_for_room_for_their_locks(small: PostgresCluster) -> None:
    """If there is none in time, a message says what to do, and they are written with the next."""
    from goodbot.crawl.frontier.postgres import PostgresFrontier  # noqa: PLC0415  needs the extra

    url = small.new_url()
    made(url, MANY).close()
    frontier = PostgresFrontier(url, patience=1.0)
    found = [candidate(f"/{n}", f"https://{n}.example") for n in range(500)]
    with psycopg.connect(small.url(), autocommit=True) as connection:
        hold_locks(connection)
        with pytest.raises(StoreUnavailableError, match="raise max_locks_per_transaction in its"):
            frontier.add(found, START)
        waits = frontier.waits
        assert waits > 0
        threading.Timer(0.3, give_locks_back, (connection,)).start()
        assert frontier.how_many() == {"queued": 500}
        assert frontier.waits > waits
    frontier.close()


def hold_locks(connection: Any) -> None:  # noqa: ANN401  a connection
    """Hold so many locks that the server has no room for many others."""
    with pytest.raises(psycopg.errors.OutOfMemory):
        connection.execute("SELECT pg_advisory_lock(n) FROM generate_series(1, 1000000) AS n")
    # Enough for a small statement.
    connection.execute("SELECT pg_advisory_unlock(n) FROM generate_series(1, 100) AS n")


def give_locks_back(connection: Any) -> None:  # noqa: ANN401  a connection
    """Make room again."""
    connection.execute("SELECT pg_advisory_unlock_all()")
