"""The queue in PostgreSQL: the suite of all queues, and what several workers rely on."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from goodbot.crawl.folder.database import Database
from goodbot.crawl.frontier.folder_mirror import FolderMirror
from goodbot.crawl.frontier.protocol import MOST_CRASHES, Outcome
from goodbot.crawl.testing import FrontierSuite
from goodbot.crawl.testing.frontier_suite import (
    DONE,
    OTHER,
    SITE,
    START,
    add,
    at,
    candidate,
    taken,
    visit,
)
from goodbot.errors import StoreUnavailableError, WrongValueError
from goodbot.store.postgres_schema import in_schema
from tests.support.lossy_proxy import LossyProxy
from tests.support.paths import ROOT
from tests.support.postgres import PostgresCluster, cluster
from tests.support.waiting import wait_until

psycopg = pytest.importorskip("psycopg", reason="needs the extra postgres")

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from goodbot.crawl.folder.records import QueuedUrl
    from goodbot.crawl.frontier.postgres import PostgresFrontier
    from goodbot.crawl.testing.frontier_suite import OpenFrontier

__all__ = ["cluster"]

WORKERS, GROUPS, URLS = 3, 40, 4
HOLDER = """
import sys
from datetime import datetime, timezone
from goodbot.crawl.frontier.postgres import PostgresFrontier
from goodbot.crawl.frontier.protocol import Outcome

now = datetime(2026, 1, 1, tzinfo=timezone.utc)
frontier = PostgresFrontier(sys.argv[1], lease_seconds=1.5, margin=0.5)
taken = frontier.take(now)
print(taken.visit, frontier.may_visit(taken.origin), flush=True)
sys.stdin.readline()
print(frontier.may_visit(taken.origin), flush=True)
print(frontier.settle(taken, Outcome("done", "fetched"), now), flush=True)
print(frontier.may_visit(taken.origin), flush=True)
"""
"""A worker that takes a URL, is stopped, and goes on."""


OPENED: list[PostgresFrontier] = []
"""The queues of the test that runs."""


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """Close what a test has opened; closing again does nothing."""
    yield
    while OPENED:
        OPENED.pop().close()


def opened(url: str, **options: Any) -> PostgresFrontier:  # noqa: ANN401  as it takes them
    """Open a queue."""
    from goodbot.crawl.frontier.postgres import PostgresFrontier  # noqa: PLC0415  needs the extra

    OPENED.append(PostgresFrontier(url, **options))
    return OPENED[-1]


def execute(cluster: PostgresCluster, url: str, statement: str) -> list[tuple[Any, ...]]:
    """Execute a statement about the tables of a queue."""
    with psycopg.connect(cluster.url(), autocommit=True) as connection:
        done = connection.execute(in_schema(statement, url.rpartition("schema=")[2]))
        rows: list[tuple[Any, ...]] = done.fetchall() if done.description else []
        return rows


def end_leases(cluster: PostgresCluster, url: str) -> None:
    """End the leases of all workers."""
    execute(cluster, url, "UPDATE {s}.workers SET ends = 0")


class TestPostgresFrontier(FrontierSuite):
    """The queue in PostgreSQL."""

    @pytest.fixture
    def open_frontier(self, cluster: PostgresCluster) -> Iterator[OpenFrontier]:
        """Open one queue; the leases of the worker that opened it before have ended."""
        url = cluster.new_queue_url()
        frontiers: list[PostgresFrontier] = []

        def open_at(now: datetime) -> PostgresFrontier:  # noqa: ARG001  the suite passes it
            if frontiers:
                end_leases(cluster, url)
            frontiers.append(opened(url))
            return frontiers[-1]

        yield open_at
        for one in frontiers:
            one.close()


class TestNotedInAFolder(FrontierSuite):
    """The same, with its URLs noted in a folder that has numbers of its own."""

    @pytest.fixture
    def open_frontier(self, cluster: PostgresCluster, tmp_path: Path) -> Iterator[OpenFrontier]:
        """Open the queue and the folder again, as another process does."""
        url = cluster.new_queue_url()
        databases: list[Database] = []

        def open_at(now: datetime) -> FolderMirror:  # noqa: ARG001  the suite passes it
            if databases:
                end_leases(cluster, url)
            databases.append(Database(tmp_path, create=True))
            return noted(opened(url), databases[-1])

        yield open_at
        while OPENED:
            OPENED.pop().close()
        for one in databases:
            one.close()


def noted(frontier: PostgresFrontier, database: Database) -> FolderMirror:
    """Return a queue whose URLs are noted in a folder."""
    return FolderMirror(frontier, database, number_of=frontier.number_of)


def add_groups(frontier: PostgresFrontier, groups: int = GROUPS, urls: int = URLS) -> None:
    """Queue URLs of several groups."""
    found = [
        candidate(f"/{path}", f"https://{name}.example")
        for name in range(groups)
        for path in range(urls)
    ]
    frontier.add(found, START)


# Few questions.


def test_sites_without_a_pause_cost_few_statements(
    cluster: PostgresCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is read ahead of a site is marked and settled together."""
    frontier, asked, execute = (
        opened(cluster.new_queue_url()),
        Counter[str](),
        psycopg.Connection.execute,
    )

    def counting(self: Any, statement: bytes, *values: Any, **options: Any) -> Any:  # noqa: ANN401  as it is
        asked["mark" if b"SET state = 'leased'" in statement else statement[:14].decode()] += 1
        return execute(self, statement, *values, **options)

    monkeypatch.setattr(psycopg.Connection, "execute", counting)
    add_groups(frontier, 8, 16)
    seen = []
    while found := frontier.take(START):
        seen.append(found.url)
        frontier.settle_soon([(found, DONE, START)], is_durable)
        frontier.free(found, None)
    assert len(seen) == len({*seen}) == 128
    assert asked["mark"] <= 8 + 128 // 8
    assert asked["SELECT one.id,"] <= 8
    frontier.close()


def is_durable() -> bool:
    """Return that everything is on the disk that must be."""
    return True


# In a folder.


def test_a_folder_numbers_urls_in_the_order_in_which_they_come(
    cluster: PostgresCluster, tmp_path: Path
) -> None:
    """Rows that are written together are together in its file; the queue has numbers of its own."""
    url = cluster.new_queue_url()
    with Database(tmp_path, create=True) as database:
        frontier = opened(url)
        mirror = noted(frontier, database)
        assert add(mirror, "/a", "/b", "/c") == [1, 2, 3]
        assert add(mirror, "/d", "/b") == [4, 2]
        found = taken(mirror, START)
        assert mirror.settle(found, Outcome("done", "redirect", target=4), START)
        assert mirror.end_of(found.id, 0) == 4
        wanted = "SELECT target FROM {s}.urls WHERE target IS NOT NULL"
        assert execute(cluster, url, wanted) == [(frontier.number_of(f"{SITE}/d"),)]
    with Database(tmp_path) as database:
        mirror = noted(opened(url), database)
        assert add(mirror, "/e", "/c") == [5, 3]
        assert dict(mirror.urls_at(SITE)) == {n: f"{SITE}/{'abcde'[n - 1]}" for n in range(1, 6)}


def test_bounds_apply_to_urls_that_a_folder_lacks(cluster: PostgresCluster, tmp_path: Path) -> None:
    """Another worker may have found them; those that the folder has are known by its numbers."""
    url = cluster.new_queue_url()
    with Database(tmp_path, create=True) as database:
        add(opened(url), "/elsewhere")
        frontier = opened(url)
        mirror = noted(frontier, database)
        (here,) = add(mirror, "/here")
        outside = mirror.outside(lambda *_: "depth")
        assert dict(outside) == {here: "depth", frontier.number_of(f"{SITE}/elsewhere"): "depth"}
        mirror.skip(outside, START)
        assert mirror.how_many() == {"skipped": 2}


# Several workers.


def test_workers_share_groups_and_visit_each_url_once(cluster: PostgresCluster) -> None:
    """No group is at two workers at once, whatever they find for one another."""
    url = cluster.new_queue_url()
    visits: list[tuple[str, int]] = []
    under_way: Counter[str] = Counter()
    overlaps: list[str] = []
    errors: list[BaseException] = []

    def work(frontier: PostgresFrontier, name: int) -> None:
        try:
            with_nothing = 0
            while with_nothing < 20:
                found = frontier.take(at(10))
                if found is None:
                    with_nothing += 1
                    threading.Event().wait(0.05)
                    continue
                under_way[found.origin] += 1
                overlaps.extend([found.origin] if under_way[found.origin] > 1 else [])
                visits.append((found.url, name))
                assert frontier.may_visit(found.origin)
                page = [candidate("/found", f"https://{n}.example") for n in range(GROUPS)]
                frontier.add(page, at(10))
                under_way[found.origin] -= 1
                assert frontier.settle(found, DONE, at(10))
                frontier.free(found, None)
        except BaseException as error:
            errors.append(error)
            raise

    frontiers = [opened(url, most_groups=5) for _ in range(WORKERS)]
    add_groups(frontiers[0])
    threads = [
        threading.Thread(target=work, args=(frontier, name))
        for name, frontier in enumerate(frontiers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (errors, overlaps) == ([], [])
    assert len({one for one, _ in visits}) == len(visits) == GROUPS * (URLS + 1)
    assert len({name for _, name in visits}) == WORKERS, "each had something to do"
    assert frontiers[0].how_many() == {"done": GROUPS * (URLS + 1)}
    for frontier in frontiers:
        frontier.close()


def test_no_more_groups_are_leased_than_wanted(cluster: PostgresCluster) -> None:
    """A limit in a subquery of an UPDATE could be applied more than once."""
    url = cluster.new_queue_url()
    one, two = opened(url, most_groups=7), opened(url, most_groups=1_000)
    add_groups(one)
    assert taken(one, START)
    assert one.held == 7
    assert taken(two, START)
    assert two.held == GROUPS - 7
    statement = "SELECT count(*), count(DISTINCT holder) FROM {s}.groups WHERE holder IS NOT NULL"
    assert execute(cluster, url, statement) == [(GROUPS, 2)]
    for frontier in (one, two):
        frontier.close()
    assert execute(cluster, url, statement) == [(0, 0)]


def test_who_has_much_gives_to_who_has_nothing(cluster: PostgresCluster) -> None:
    """A second worker that joins gets half of the groups."""
    url = cluster.new_queue_url()
    one, two = opened(url), opened(url)
    add_groups(one, groups=20)
    assert taken(one, START)
    assert two.take(START) is None
    assert two.earliest is not None, "others may leave something for it"
    assert two.renew()
    assert one.renew()
    for _ in range(20):
        found = one.take(START)
        if found is None:
            break
        one.settle(found, DONE, START)
        one.free(found, None)
    wait_until(lambda: two.take(START) is not None, "a group for the second worker")
    assert two.held >= 5
    for frontier in (one, two):
        frontier.close()


def test_workers_that_have_nothing_do_not_wait_for_each_other(cluster: PostgresCluster) -> None:
    """A worker with nothing to give leases what is free."""
    url = cluster.new_queue_url()
    one, two = opened(url), opened(url)
    for _ in range(2):
        for frontier in (one, two):
            assert frontier.take(START) is None
            assert frontier.renew()
    add(one, "/")
    assert taken(one, START).url == f"{SITE}/"
    for frontier in (one, two):
        frontier.close()


def test_a_worker_that_leaves_gives_everything_back(cluster: PostgresCluster) -> None:
    """At once, with the pause of each group."""
    url = cluster.new_queue_url()
    one, two = opened(url), opened(url)
    add(one, "/1", "/2")
    first = visit(one, START)
    one.free(first, at(30))
    add(one, "/", origin=OTHER)
    under_way = taken(one, START)
    assert under_way.origin == OTHER
    one.close()
    assert two.take(at(29)) is not None, "what was under way is visited again"
    assert two.take(at(29)) is None
    assert taken(two, at(30)).url == f"{SITE}/2"
    two.close()


# Leases.


def test_a_lease_ends_by_time_that_always_passes(cluster: PostgresCluster) -> None:
    """Less a margin; a renewal in time makes it longer, and one after its end may be too late."""
    url, clock = cluster.new_queue_url(), [1_000.0]
    one = opened(url, lease_seconds=60, margin=15, steady=lambda: clock[0])
    refused = pytest.raises(StoreUnavailableError, match="nothing was sent")
    two = opened(url)
    add(one, "/")
    add(one, "/", origin=OTHER)
    first = taken(one, START)
    assert one.may_visit(SITE)
    assert not one.may_visit("https://c.example"), "a group of which it has no lease"
    one.check_lease("https://c.example")  # a robots.txt to which another one leads
    clock[0] += 44
    assert one.may_visit(SITE)
    clock[0] += 1
    assert not one.may_visit(SITE)
    for origin in (SITE, "https://c.example"):
        with refused:
            one.check_lease(origin)
    assert one.renew(), "nobody else has come"
    assert one.may_visit(SITE)
    clock[0] += 45
    end_leases(cluster, url)
    again = taken(two, START)
    assert not one.may_visit(first.origin)
    assert not one.renew()
    assert not one.may_visit(first.origin)
    assert not one.holds(first)
    assert not one.settle(first, DONE, START)
    assert two.holds(again)
    add(one, "/", origin="https://c.example")
    assert taken(one, START).origin != first.origin, "it has begun anew"
    with refused:
        one.check_lease(first.origin)
    one.check_lease("https://c.example")
    for frontier in (one, two):
        frontier.close()


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="Windows has no SIGSTOP")
def test_a_process_that_was_stopped_sends_nothing_afterwards(cluster: PostgresCluster) -> None:
    """Its sites are with another one by then."""
    url = cluster.new_queue_url()
    other = opened(url)
    add(other, "/")
    with subprocess.Popen(  # noqa: S603  ours
        [sys.executable, "-c", HOLDER, url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as worker:
        assert worker.stdout is not None
        assert worker.stdin is not None
        number, may_visit = worker.stdout.readline().split()
        assert may_visit == "True"
        os.kill(worker.pid, signal.SIGSTOP)
        found: list[Any] = []

        def inherits() -> bool:
            found.append(other.take(START))
            return found[-1] is not None

        wait_until(inherits)
        os.kill(worker.pid, signal.SIGCONT)
        worker.stdin.write("\n")
        answers = [worker.stdout.readline().strip() for _ in range(3)]
        assert answers == ["False", "False", "False"]
        worker.stdin.close()
    assert found[-1].visit > int(number)
    assert other.settle(found[-1], DONE, START)
    assert other.how_many() == {"done": 1}
    other.close()


def test_visits_have_numbers_that_are_never_used_twice(cluster: PostgresCluster) -> None:
    """However often workers vanish in the midst of a visit, or give it back."""
    url, numbers = cluster.new_queue_url(), []
    for crash in range(4):
        frontier = opened(url)
        add(frontier, "/")
        for _ in range(3):
            found = taken(frontier, at(crash))
            numbers.append(found.visit)
            assert frontier.give_back(found)
            frontier.free(found, None)
        numbers.append(taken(frontier, at(crash)).visit)
        end_leases(cluster, url)
    assert len(numbers) == 16
    assert numbers == sorted(set(numbers))


def test_only_what_was_visited_is_given_up(cluster: PostgresCluster) -> None:
    """However often workers vanish during one visit, other URLs that were due are visited."""
    url, others = cluster.new_queue_url(), [f"https://{n}.example" for n in range(5)]
    frontier = opened(url)
    add(frontier, "/")
    for origin in others:
        add(frontier, "/", origin=origin)
    for crash in range(MOST_CRASHES + 2):
        found = frontier.take(at(crash))
        while found is not None and found.origin != SITE:  # these are given back in order
            frontier.give_back(found)
            found = frontier.take(at(crash))
        end_leases(cluster, url)
        frontier = opened(url)
    states = execute(cluster, url, "SELECT state, count(*) FROM {s}.urls GROUP BY state")
    assert dict(states).get("failed", 0) <= 1
    wanted = "SELECT max(crashes) FROM {s}.urls WHERE origin <> 'https://a.example'"
    crashes = execute(cluster, url, wanted)
    assert crashes[0][0] <= 2


def test_a_worker_that_lost_its_leases_asks_again(cluster: PostgresCluster) -> None:
    """Otherwise it would end as if nothing were left, because all that it knows of is gone."""
    url = cluster.new_queue_url()
    frontier, other = opened(url), opened(url)
    add(frontier, "/", "/next")
    first = taken(frontier, at(0))
    assert frontier.settle(first, DONE, at(0))
    frontier.free(first, at(5))
    assert frontier.take(at(1)) is None
    end_leases(cluster, url)
    assert other.take(at(1)) is None or other.held
    other.close()
    assert not frontier.renew()
    assert frontier.earliest is not None
    assert taken(frontier, at(9)).url == f"{SITE}/next"


def test_a_worker_that_was_buried_leases_nothing(cluster: PostgresCluster) -> None:
    """Nobody would free what a worker has leased that is not registered any more."""
    url, seconds = cluster.new_queue_url(), [0.0]
    frontier, other = opened(url, steady=lambda: seconds[0]), opened(url)
    assert frontier.take(at(0)) is None
    end_leases(cluster, url)
    assert other.take(at(0)) is None
    other.close()
    third = opened(url)
    add(third, "/")
    seconds[0] = 60.0  # long enough to ask again, and within its lease by its own clock
    assert frontier.take(at(1)) is None
    assert taken(third, at(9)).url == f"{SITE}/"


def test_a_worker_that_is_late_itself_does_not_bury_itself(cluster: PostgresCluster) -> None:
    """It may have waited for the server longer than for its lease, and then leases sites."""
    url, seconds = cluster.new_queue_url(), [0.0]
    frontier = opened(url, steady=lambda: seconds[0])
    assert frontier.take(at(0)) is None
    add(opened(url), "/")
    end_leases(cluster, url)
    seconds[0] = 60.0
    assert taken(frontier, at(9)).url == f"{SITE}/"
    held = "SELECT count(*) FROM {s}.groups JOIN {s}.workers ON holder = workers.id"
    assert execute(cluster, url, held) == [(1,)]


def test_a_worker_that_leaves_frees_what_it_does_not_know_of(cluster: PostgresCluster) -> None:
    """The answer to a lease may be lost, and then the server be away for too long."""
    url = cluster.new_queue_url()
    frontier = opened(url)
    assert frontier.take(at(0)) is None
    other = opened(url)
    add(other, "/")
    execute(cluster, url, "UPDATE {s}.groups SET holder = (SELECT min(id) FROM {s}.workers)")
    frontier.close()
    assert taken(other, at(9)).url == f"{SITE}/"


def test_a_visit_that_could_not_be_recorded_counts_as_ended(cluster: PostgresCluster) -> None:
    """Such as on a full disk; a URL that was given back, or is in a batch, was not."""
    url = cluster.new_queue_url()
    frontier = opened(url)
    for origin in (SITE, "https://b.example", "https://c.example"):
        add(frontier, "/", origin=origin)
    _, back, gathered = (taken(frontier, at(0)) for _ in range(3))
    frontier.give_back(back)
    frontier.gathered([gathered])
    frontier.close()
    wanted = "SELECT origin, state, crashes FROM {s}.urls ORDER BY origin"
    assert execute(cluster, url, wanted) == [
        (SITE, "queued", 1),
        ("https://b.example", "queued", 0),
        ("https://c.example", "queued", 0),
    ]


def test_a_url_that_may_have_crashed_a_worker_keeps_no_other_waiting(
    cluster: PostgresCluster,
) -> None:
    """Although it is due before them; it is visited once nothing else is about to be."""
    url, others = cluster.new_queue_url(), [f"https://{n}.example" for n in range(3)]
    frontier = opened(url)
    add(frontier, "/")
    assert taken(frontier, at(0)).origin == SITE
    end_leases(cluster, url)
    frontier = opened(url)
    for origin in others:
        add(frontier, "/", "/next", origin=origin, now=at(0))
    for _ in others:
        found = taken(frontier, at(1))
        assert frontier.settle(found, DONE, at(1))
        frontier.free(found, at(5))
    order = [taken(frontier, at(9)).origin for _ in range(4)]
    assert sorted(order[:3]) == others
    assert order[3] == SITE
    assert execute(cluster, url, "SELECT count(*) FROM {s}.urls WHERE crashes > 0") == [(1,)]


def test_the_rights_of_the_page_are_enough(cluster: PostgresCluster) -> None:
    """A role with them takes part in a crawl whose tables another one has made."""
    page = (ROOT / "docs" / "how-to" / "crawl-on-several-machines.md").read_text("utf-8")
    (block,) = re.findall(r"```sql\n(.*?)```", page, re.DOTALL)
    with psycopg.connect(cluster.url(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE robots")
    own = cluster.url("shops", database="robots")
    opened(own).close()
    with psycopg.connect(cluster.url(database="robots"), autocommit=True) as connection:
        connection.execute(
            "CREATE ROLE goodbot_robot LOGIN; REVOKE TEMPORARY ON DATABASE robots FROM PUBLIC; "
            "GRANT USAGE ON SCHEMA shops TO goodbot_robot; "
            "GRANT SELECT ON shops.versions TO goodbot_robot; "
            "CREATE TABLE shops.fleet(settings text)"
        )
        connection.execute(block.encode())
    frontier = opened(cluster.url("shops", user="goodbot_robot", database="robots"))
    add(frontier, "/1", "/2")
    visit(frontier, START)
    assert frontier.again(at(9)) == 0
    assert frontier.how_many() == {"done": 1, "queued": 1}
    frontier.close()


def test_settings_that_make_no_sense_are_refused(cluster: PostgresCluster) -> None:
    """A margin as long as the lease would never permit a visit."""
    with pytest.raises(WrongValueError, match="margin must be less than lease_seconds, 10"):
        opened(cluster.new_queue_url(), lease_seconds=10, margin=10)


# Failures.


def test_whatever_answer_is_lost_nothing_is_lost_or_done_twice(cluster: PostgresCluster) -> None:
    """Each answer of the server in turn, while a small crawl is made to its end."""
    parts = [b"COMMIT", b"INSERT", b"UPDATE", b"SELECT", b"COPY", b"DELETE"]
    with (
        tempfile.TemporaryDirectory(prefix="goodbot-px-") as folder,
        LossyProxy(cluster, Path(folder)) as proxy,
    ):
        frontier = opened(proxy.url("lossy"))
        add_groups(frontier, groups=6, urls=3)
        visited: list[str] = []
        for step in range(200):
            proxy.losing = parts[step % len(parts)]
            found = frontier.take(START)
            if found is None:
                break
            visited.append(found.url)
            proxy.losing = parts[(step + step // 6) % len(parts)]
            frontier.add([candidate("/more", found.origin)], START)
            assert frontier.settle(found, DONE, START)
            frontier.free(found, None)
        proxy.losing = None
        assert proxy.lost > 15
        assert len(set(visited)) == len(visited) == 24
        assert frontier.how_many() == {"done": 24}
        assert frontier.held == 0
        frontier.close()
    left = "SELECT count(*) FROM {s}.groups WHERE holder IS NOT NULL OR due IS NOT NULL"
    assert execute(cluster, cluster.url("lossy"), left) == [(0,)]


def test_a_restart_of_the_server_is_waited_for(cluster: PostgresCluster) -> None:
    """What was settled stays so."""
    frontier = opened(cluster.new_queue_url())
    add(frontier, "/1", "/2", "/3")
    for path in ("/1", "/2", "/3"):
        found = taken(frontier, START)
        assert found.url == SITE + path
        cluster.restart("immediate")
        assert frontier.settle(found, DONE, START)
        frontier.free(found, None)
    assert frontier.waits > 0
    assert frontier.how_many() == {"done": 3}
    frontier.close()


def test_texts_of_any_kind_are_stored(cluster: PostgresCluster) -> None:
    """COPY has marks of its own, and PostgreSQL's text has no NUL."""
    frontier = opened(cluster.new_queue_url())
    found, entry = candidate("/a", how="sitemap-file")
    texts = ["\\N", "a\tb\nc\\d", "\0", "\ud800", "☃🤖", "x" * 5_000]
    for number, text in enumerate(texts):
        url = f"{SITE}/{number}"
        pair = found._replace(url=url), entry._replace(url=url, source=text, spelling=text)
        frontier.add([pair], START)
    sources = [visit(frontier, START).source for _ in texts]
    assert sources == ["\\N", "a\tb\nc\\d", "\ufffd", "?", "☃🤖", "x" * 5_000]
    frontier.close()


def test_never_is_null_and_no_column_knows_infinity(cluster: PostgresCluster) -> None:
    """PostgreSQL has infinite times and intervals, and Python has not."""
    url = cluster.new_queue_url()
    frontier = opened(url)
    add(frontier, "/")
    visit(frontier, START, Outcome("done", "fetched", due=None))
    assert execute(cluster, url, "SELECT due FROM {s}.urls") == [(None,)]
    with pytest.raises(psycopg.errors.CheckViolation):
        execute(cluster, url, "UPDATE {s}.urls SET state = 'queued'")
    kinds = execute(cluster, url, "SELECT table_schema, data_type FROM information_schema.columns")
    ours = {kind for schema, kind in kinds if schema == url.rpartition("schema=")[2]}
    assert ours <= {"bigint", "integer", "text", "uuid", "boolean"}
    frontier.close()


def test_urls_are_in_partitions_by_group(cluster: PostgresCluster) -> None:
    """All URLs of a group in one."""
    url = cluster.new_url()
    frontier = opened(url)
    add_groups(frontier)
    rows = execute(cluster, url, "SELECT tableoid::regclass::text, group_id FROM {s}.urls")
    assert len({group for _, group in rows}) == len(set(rows)) == GROUPS
    assert len({part for part, _ in rows}) > 8
    frontier.close()


def test_time_of_day_of_workers_does_not_matter_to_leases(cluster: PostgresCluster) -> None:
    """They end by the clock of the server."""
    url = cluster.new_queue_url()
    late = START - timedelta(days=400)
    one = opened(url)
    add(one, "/", now=late)
    assert one.take(late)
    (ends,) = execute(cluster, url, "SELECT ends FROM {s}.workers")[0]
    left = ends / 1e6 - datetime.now(timezone.utc).timestamp()
    assert 100 < left <= 121
    one.close()


# Batches.


def test_a_site_goes_on_while_its_urls_wait_for_a_batch(cluster: PostgresCluster) -> None:
    """They stay leased until all are settled in one transaction, with what names the batch."""
    url = cluster.new_queue_url()
    frontier = opened(url)
    add(frontier, "/1", "/2", "/3")
    visits = []
    for number in range(3):
        visits.append(taken(frontier, at(number)))
        if number == 0:
            frontier.add([candidate("/found", SITE)], at(number))
        assert not frontier.is_resting
        frontier.gathered(visits[-1:])
        frontier.free(visits[-1], None)
    assert frontier.how_many() == {"queued": 1, "leased": 3}
    visits.append(taken(frontier, at(9)))
    assert visits[-1].url.endswith("/found")
    frontier.gathered(visits)  # again changes nothing
    frontier.free(visits[-1], None)
    assert frontier.take(at(10)) is None
    assert frontier.is_resting
    named: list[int] = []

    def name(connection: Any) -> bool:  # noqa: ANN401  a connection
        named.append(connection.info.transaction_status)
        return True

    frontier.settle_all([(one, DONE, at(11)) for one in visits], name)
    assert len(named) == 1
    assert frontier.how_many() == {"done": 4}
    assert not frontier.holds(visits[0])
    assert frontier.take(at(12)) is None
    assert frontier.held == 0, "its site was given back"


def gather_first(frontier: PostgresFrontier, origins: Sequence[str]) -> list[QueuedUrl]:
    """Add three URLs of each site, and visit the first, whose outcomes wait for the batch."""
    for origin in origins:
        add(frontier, "/1", "/2", "/3", origin=origin)
    batch = [taken(frontier, at(0)) for _ in origins]
    frontier.gathered(batch)
    for each in batch:
        frontier.free(each, None)
    return batch


def ask_for_groups(hungry: PostgresFrontier, other: PostgresFrontier) -> None:
    """Find nothing to do for one worker, of which the other hears when both renew their leases."""
    assert hungry.take(at(0)) is None
    assert hungry.renew()
    assert other.renew()


def test_a_site_in_a_batch_passes_on_when_the_batch_is_settled(cluster: PostgresCluster) -> None:
    """While it is visited, its next outcome always comes before the batch ends.

    So nothing more of it is taken, and the batch may be settled at once.
    """
    url, origins = cluster.new_queue_url(), [f"https://{n}.example" for n in range(4)]
    seconds = [0.0]
    one, two = (opened(url, steady=lambda: seconds[0]) for _ in range(2))
    batch = gather_first(one, origins)
    ask_for_groups(two, one)
    seconds[0] = 1.5
    assert not one.is_promising
    next_ones = [one.take(at(1)) for _ in origins]
    assert [found is not None for found in next_ones] == [True, True, False, False]
    assert one.is_promising
    assert not one.is_resting
    assert two.take(at(1)) is None, "nothing is given before it is settled"
    one.settle_all([(each, DONE, at(1)) for each in batch], lambda _: True)
    assert one.take(at(1)) is None, "what it gives is not leased again"
    assert not one.is_promising
    assert one.held == 2
    seconds[0] = 3.0
    given = {taken(two, at(2)).origin, taken(two, at(2)).origin}
    assert given == {*origins} - {found.origin for found in next_ones if found is not None}
    for frontier in (one, two):
        frontier.close()


def test_a_site_is_taken_back_if_the_batch_cannot_be_settled(cluster: PostgresCluster) -> None:
    """Such as when there is no room for it: the sites stand still for a moment only."""
    url, origins = cluster.new_queue_url(), [f"https://{n}.example" for n in range(2)]
    seconds = [0.0]
    one, two = (opened(url, steady=lambda: seconds[0]) for _ in range(2))
    batch = gather_first(one, origins)
    ask_for_groups(two, one)
    seconds[0] = 1.5
    batch.append(taken(one, at(1)))
    assert one.take(at(1)) is None
    assert one.is_promising
    seconds[0] = 11.5
    assert two.renew()
    assert one.renew()
    batch.append(taken(one, at(1)))
    assert not one.is_promising
    one.gathered(batch)
    for each in batch[2:]:
        one.free(each, None)
    batch += [taken(one, at(2)), taken(one, at(2))]
    assert {each.url[-1] for each in batch[4:]} == {"3"}
    one.settle_all([(each, DONE, at(2)) for each in batch], lambda _: True)
    for each in batch[4:]:
        one.free(each, None)
    for origin in origins:
        add(one, "/4", "/5", origin=origin)
    one.gathered([taken(one, at(3))])
    assert two.renew()
    assert one.renew()
    assert one.take(at(3)) is None, "the other is given at once"
    seconds[0] = 13.0
    assert two.take(at(4)) is not None
    for frontier in (one, two):
        frontier.close()


def test_a_worker_whose_sites_are_all_visited_gives_half_when_visits_end(
    cluster: PostgresCluster,
) -> None:
    """It marks no further URLs until then."""
    url, origins = cluster.new_queue_url(), [f"https://{n}.example" for n in range(4)]
    seconds = [0.0]
    one, two = (opened(url, steady=lambda: seconds[0]) for _ in range(2))
    for origin in origins:
        add(one, "/1", "/2", origin=origin)
    visits = [taken(one, at(0)) for _ in origins]
    ask_for_groups(two, one)
    assert one.take(at(0)) is None
    assert one.held == 4
    for each in visits:
        assert one.settle(each, DONE, at(1))
        one.free(each, None)
    assert one.take(at(1)) is not None
    assert one.held == 2
    seconds[0] = 1.5
    assert taken(two, at(2)).origin in origins
    for frontier in (one, two):
        frontier.close()


def test_a_batch_is_settled_as_a_whole_or_not_at_all(cluster: PostgresCluster) -> None:
    """A URL that another decided, or an error while the batch is named, leaves all as they were."""
    from goodbot.crawl.frontier.postgres import UnheldUrls  # noqa: PLC0415  needs the extra

    url = cluster.new_queue_url()
    frontier = opened(url)
    add(frontier, "/1", "/2")
    visits = []
    for number in range(2):
        visits.append(taken(frontier, at(number)))
        frontier.gathered(visits[-1:])
        frontier.free(visits[-1], None)
    batch = [(one, DONE, at(3)) for one in visits]

    def fail(_: object) -> bool:
        message = "no name"
        raise ValueError(message)

    with pytest.raises(ValueError, match="no name"):
        frontier.settle_all(batch, fail)
    execute(cluster, url, "UPDATE {s}.urls SET state = 'skipped' WHERE url LIKE '%/1'")
    with pytest.raises(UnheldUrls) as unheld:
        frontier.settle_all(batch, lambda _: True)
    assert unheld.value.url_ids == {visits[0].id}
    assert frontier.how_many() == {"leased": 1, "skipped": 1}
    frontier.release(visits[:1])
    frontier.settle_all(batch[1:], lambda _: True)
    assert frontier.how_many() == {"done": 1, "skipped": 1}
    with pytest.raises(UnheldUrls):
        frontier.settle_all(batch, lambda _: True)


def test_an_answer_to_a_batch_that_is_lost_is_found_again(cluster: PostgresCluster) -> None:
    """The transaction took effect; the second attempt finds the name, and settles nothing."""
    url = cluster.new_queue_url()
    with (
        tempfile.TemporaryDirectory(prefix="goodbot-") as folder,
        LossyProxy(cluster, Path(folder)) as proxy,
    ):
        frontier = opened(proxy.url(url.rpartition("schema=")[2]))
        add(frontier, "/1")
        one = taken(frontier, START)
        frontier.gathered([one])
        execute(cluster, url, "CREATE TABLE {s}.names(name text PRIMARY KEY)")
        insert = in_schema(
            "INSERT INTO {s}.names VALUES('a') ON CONFLICT DO NOTHING RETURNING name",
            url.rpartition("schema=")[2],
        )
        proxy.losing = b"COMMIT"
        frontier.settle_all(
            [(one, DONE, START)], lambda connection: bool(connection.execute(insert).fetchall())
        )
        assert proxy.lost == 1
        assert frontier.how_many() == {"done": 1}
        frontier.close()


def test_a_queue_that_is_closed_gives_back_a_batch(cluster: PostgresCluster) -> None:
    """Its URLs are visited again, by anyone: also several of one site."""
    url = cluster.new_queue_url()
    frontier = opened(url)
    add(frontier, "/1", "/2", "/3")
    for number in range(3):
        one = taken(frontier, at(number))
        frontier.gathered([one])
        frontier.free(one, None)
    frontier.close()
    assert opened(url).how_many() == {"queued": 3}
