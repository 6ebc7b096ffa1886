"""The store in PostgreSQL: the suites of all stores, and the faults that only a server can have."""

from __future__ import annotations

import itertools
import json
import multiprocessing
import re
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from goodbot.errors import MissingExtraError, WrongValueError
from goodbot.pace import History
from goodbot.policy import Hold
from goodbot.store import (
    Later,
    Lease,
    NotAStoreError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
    StoreVersionError,
    open_store,
)
from goodbot.store.opening import opened_store, store_name
from goodbot.store.packing import pack
from goodbot.testing.shared_store_suite import OpenStore, SharedStoreSuite
from goodbot.testing.store_suite import OTHER, RULES, SITE, START, StoreSuite, at
from tests.support.examples import share_of
from tests.support.lossy_proxy import LossyProxy
from tests.support.paths import ROOT
from tests.support.postgres import PostgresCluster, cluster, running_cluster
from tests.support.program import run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from goodbot.store.postgres import PostgresStore

psycopg = pytest.importorskip("psycopg", reason="needs the extra postgres")

__all__ = ["cluster"]

RESTARTS = share_of(8)
PAGE = ROOT / "docs" / "how-to" / "share-a-store-on-postgresql.md"


def opened(url: str, patience: float = 60.0) -> PostgresStore:
    """Open a store."""
    from goodbot.store import PostgresStore  # noqa: PLC0415  the module is skipped without it

    return PostgresStore(url, patience=patience)


def execute(
    cluster: PostgresCluster, statement: str, schema: str = "public", user: str = "robot"
) -> list[tuple[Any, ...]]:
    """Execute a statement as an administrator does, with a schema for `{s}`."""
    from goodbot.store.postgres_schema import in_schema  # noqa: PLC0415  as above

    with psycopg.connect(cluster.url(user=user), autocommit=True) as connection:
        done = connection.execute(in_schema(statement, schema))
        return done.fetchall() if done.description else []


def schema_of(url: str) -> str:
    """Return the schema in a URL."""
    return url.rpartition("schema=")[2]


@pytest.fixture
def store(cluster: PostgresCluster) -> Iterator[PostgresStore]:
    """Open a new store."""
    with opened(cluster.new_url()) as store:
        yield store


class TestPostgres(StoreSuite):
    """The store in PostgreSQL."""


class TestSharedPostgres(SharedStoreSuite):
    """The store, opened several times."""

    @pytest.fixture
    def open_store(self, cluster: PostgresCluster) -> OpenStore:
        """Open the same schema each time."""
        url = cluster.new_url()
        return lambda: open_store(url)


# Failures of the connection and of the server.


@pytest.fixture
def proxy(cluster: PostgresCluster) -> Iterator[LossyProxy]:
    """Put a proxy before the server."""
    with (
        tempfile.TemporaryDirectory(prefix="goodbot-px-") as folder,
        LossyProxy(cluster, Path(folder)) as proxy,
    ):
        yield proxy


def given_lease(store: PostgresStore) -> Lease:
    """Request a lease that is free."""
    lease = store.acquire(SITE, at(0), 60, "one", pause=30)
    assert isinstance(lease, Lease)
    return lease


def test_a_lease_whose_answer_was_lost_is_granted_once(proxy: LossyProxy) -> None:
    """The change took effect, and the call that is repeated returns that lease."""
    with opened(proxy.url("lost_grant")) as store:
        store.block("https://other.example", at(1))  # the connection is in use by now
        proxy.losing = b"INSERT"
        lease = given_lease(store)
        assert proxy.lost == 1
        assert lease.number == 1
        later = store.acquire(SITE, at(1), 60, "two")
        assert isinstance(later, Later)
        assert (later.reason, later.holder) == ("leased", "one")
        proxy.losing = b"UPDATE"
        assert store.release(lease, ended=at(2), not_before=at(9), history=History())
        assert proxy.lost == 2
        assert store.acquire(SITE, at(3), 60, "two") == Later(at(9), "released")


@pytest.mark.parametrize("part", [b"COMMIT", b"put = "])
def test_a_policy_whose_answer_was_lost_is_put_once(proxy: LossyProxy, part: bytes) -> None:
    """Whichever part of the change was answered last, and although another has put since."""
    with opened(proxy.url(f"lost_put_{part.hex()}")) as store:
        store.put(SITE, OTHER, at(0))
        proxy.losing = part
        store.put(SITE, RULES, at(10))
        assert proxy.lost == 1
        assert [one.record for one in store.history(SITE)] == [OTHER, RULES]


def test_what_was_put_is_known_by_its_number(store: PostgresStore) -> None:
    """Repeated after others have put, a change that took effect is not made again."""
    number, ready = uuid4(), [(SITE, pack(RULES))]
    for _ in range(2):
        store._server.run(lambda connection: store._put(connection, ready, 10**6, number))  # noqa: SLF001
        store.put(SITE, OTHER, at(20))
    assert [one.record for one in store.history(SITE)] == [RULES, OTHER]


def test_cut_connections_are_replaced(proxy: LossyProxy) -> None:
    """All of a pool at once; the call does not fail."""
    with opened(proxy.url("cut")) as store, ThreadPoolExecutor(4) as threads:
        for number in range(3):
            list(threads.map(lambda n: store.put(f"https://{n}.example", RULES, START), range(8)))
            proxy.cut()
            assert store.get(f"https://{number}.example") == RULES


def test_a_server_that_restarts_is_waited_for() -> None:
    """Workers that visit while it crashes again and again never overlap, and lose no visit."""
    visits: list[tuple[int, int]] = []
    errors: list[BaseException] = []
    done = threading.Event()

    def work(store: PostgresStore, name: str) -> None:
        try:
            with store:
                while not done.is_set():
                    number = next(counter)
                    lease = store.acquire(SITE, at(number), 0.5, name, pause=0)
                    if isinstance(lease, Lease):
                        visits.append((lease.number, number))
                        store.release(lease, ended=at(number), not_before=at(number))
        except BaseException as error:
            errors.append(error)
            raise

    counter = itertools.count()
    with running_cluster() as cluster:
        url = cluster.new_url()
        threads = [threading.Thread(target=work, args=(opened(url), f"{n}")) for n in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(RESTARTS):
            before = len(visits)
            cluster.restart("immediate")
            while len(visits) < before + 20 and not errors:
                done.wait(0.01)
        done.set()
        for thread in threads:
            thread.join()
        assert not errors
        numbers = [number for number, _ in visits]
        assert len(set(numbers)) == len(numbers), "one lease was granted twice"
        with opened(url) as store:
            last = store.acquire(SITE, at(10**9), 1, "last")
            assert isinstance(last, Lease)
            assert last.number > max(numbers)


def test_a_server_that_stays_away_is_never_permission() -> None:
    """Each call raises when patience is over; afterwards the same store works again."""
    with running_cluster() as cluster, opened(cluster.new_url(), patience=0.3) as store:
        store.put(SITE, RULES, START)
        lease = given_lease(store)
        cluster.stop("immediate")
        calls: list[Callable[[], object]] = [
            lambda: store.get(SITE),
            lambda: store.put(SITE, OTHER, START),
            lambda: store.acquire(SITE, at(100), 60, "two"),
            lambda: store.release(lease, ended=at(1), not_before=at(2)),
            store.holds,
        ]
        for call in calls:
            with pytest.raises(StoreUnavailableError, match="check its URL"):
                call()
        with pytest.raises(StoreUnavailableError, match="check its URL"):
            opened(store.url)
        cluster.start()
        assert store.get(SITE) == RULES


def test_a_server_without_room_says_so(cluster: PostgresCluster, store: PostgresStore) -> None:
    """It is waited for, and then the message says what to do; nothing is granted."""
    schema = schema_of(store.url)
    execute(
        cluster,
        "CREATE FUNCTION {s}.full() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'no space "
        "left on device' USING ERRCODE = '53100'; END $$ LANGUAGE plpgsql; "
        "CREATE TRIGGER full_disk BEFORE INSERT ON {s}.accounts EXECUTE FUNCTION {s}.full()",
        schema,
    )
    with opened(store.url, patience=0.2) as other:
        with pytest.raises(StoreFullError, match="make room"):
            other.acquire(SITE, START, 60, "one")
        execute(cluster, "DROP TRIGGER full_disk ON {s}.accounts", schema)
        assert other.acquire(SITE, START, 60, "one")


# What PostgreSQL does, and what follows for the store.


def test_prepared_statements_survive_a_change_of_the_tables(
    cluster: PostgresCluster, store: PostgresStore
) -> None:
    """A column that a newer goodbot adds, and a type that changes (SQLSTATE 0A000)."""
    schema = schema_of(store.url)
    store.put(SITE, RULES, START)
    for _ in range(12):  # psycopg prepares a statement that is used for the sixth time
        assert store.get(SITE) == RULES
    execute(cluster, "ALTER TABLE {s}.policies ADD COLUMN more text DEFAULT 'x'", schema)
    assert store.get(SITE) == RULES
    execute(cluster, "ALTER TABLE {s}.policies ALTER COLUMN record TYPE varchar", schema)
    for _ in range(12):
        assert store.get(SITE) == RULES


def test_no_call_leaves_anything_in_its_session(store: PostgresStore) -> None:
    """No setting, lock or channel, for the next user of the connection."""
    lease = given_lease(store)
    store.release(lease, ended=at(1), not_before=at(2))
    store.put_many([(SITE, RULES), ("https://b.example", OTHER)], START)
    store.keep_time("boot", START, timedelta(0))
    store.keep_hold(Hold.of(SITE, "block", why="x", at=START))
    state = store._server.run(  # noqa: SLF001  no method shows it
        lambda connection: (
            connection.execute("SELECT name FROM pg_settings WHERE source = 'session'").fetchall(),
            connection.execute(
                "SELECT locktype FROM pg_locks WHERE locktype = 'advisory'"
            ).fetchall(),
            connection.execute("SELECT * FROM pg_listening_channels()").fetchall(),
        )
    )
    assert state == ([], [], [])


def test_commits_are_durable_whatever_the_database_prefers(cluster: PostgresCluster) -> None:
    """Without it, an immediate restart loses leases that were granted."""
    execute(cluster, "CREATE ROLE hasty LOGIN SUPERUSER")
    execute(cluster, "ALTER ROLE hasty SET synchronous_commit = off")
    url = cluster.url("hasty", user="hasty")
    assert execute(cluster, "SHOW synchronous_commit", user="hasty") == [("off",)]
    for more in ("", "&options=-c%20work_mem%3D1MB"):
        with opened(url + more) as store:
            shown = store._server.run(  # noqa: SLF001  no method shows it
                lambda connection: connection.execute("SHOW synchronous_commit").fetchone()
            )
            assert shown == ("on",)


def test_time_is_that_of_the_server(cluster: PostgresCluster, store: PostgresStore) -> None:
    """Machines whose clocks are an hour apart count from the same time."""
    zeros = [
        store.keep_time(boot, START + timedelta(hours=hours), timedelta(seconds=100))
        for boot, hours in (("one", 0), ("two", 1), ("", -1))
    ]
    assert max(zeros) - min(zeros) < timedelta(seconds=60)
    ((now,),) = execute(cluster, "SELECT clock_timestamp()")
    assert timedelta(0) < now - zeros[0] - timedelta(seconds=100) < timedelta(seconds=60)
    with psycopg.connect(cluster.url()) as connection:  # why it does not ask `now()`
        ask = "SELECT now(), clock_timestamp() FROM pg_sleep(0.002)"
        one, two = connection.execute(ask).fetchall() + connection.execute(ask).fetchall()
        assert one[0] == two[0]
        assert one[1] < two[1]


def test_keys_and_texts_of_any_kind_are_kept(store: PostgresStore) -> None:
    """PostgreSQL has no NUL in text, and no index of long rows."""
    for name in (
        "group:a\0b",
        "group:\u2603",
        "group:" + "x" * 5000,
        f"https://{'a' * 4000}.example",
    ):
        assert store.acquire(name, START, 60, "one\0")
        assert not store.acquire(name, START, 60, "two")
        store.keep_time(name, START, timedelta(0))
    store.put(f"https://{'a' * 4000}.example", RULES, START)
    assert store.get(f"https://{'a' * 4000}.example") == RULES
    hold = Hold.of(f"{SITE}/{'a' * 3000}*", "block", why="\0 \ud800", by="\0", at=START)
    store.keep_hold(hold)
    assert store.holds() == [hold]
    assert store.lift_hold(f"{SITE}/{'a' * 3000}*", "block")


# Opening, versions, rights.


def test_many_may_open_a_new_store_at_once(cluster: PostgresCluster) -> None:
    """One makes the tables, the others find them."""
    url = cluster.new_url()
    with ThreadPoolExecutor(8) as threads:
        for store in threads.map(opened, [url] * 8):
            store.close()


def test_tables_of_a_newer_goodbot(cluster: PostgresCluster, store: PostgresStore) -> None:
    """They are refused, unless the newer one says that this one can use them."""
    schema = schema_of(store.url)
    execute(cluster, "UPDATE {s}.versions SET version = 2, readable_from = 1", schema)
    with opened(store.url) as other:
        assert other.get(SITE) is None
    execute(cluster, "UPDATE {s}.versions SET readable_from = 2", schema)
    with pytest.raises(StoreVersionError, match="upgrade goodbot"):
        opened(store.url)
    execute(cluster, "UPDATE {s}.versions SET version = -1", schema)
    with pytest.raises(NotAStoreError, match="no goodbot writes"):
        opened(store.url)


def test_a_step_that_fails_leaves_nothing_behind(cluster: PostgresCluster) -> None:
    """Tables are made completely or not at all."""
    url = cluster.new_url()
    schema = schema_of(url)
    execute(cluster, "CREATE SCHEMA {s}; CREATE TABLE {s}.zeros(other int)", schema)
    with pytest.raises(StoreUnavailableError, match="zeros"):
        opened(url)
    tables = execute(cluster, "SELECT schemaname, tablename FROM pg_tables")
    assert [table for one, table in tables if one == schema] == ["zeros"]


def test_the_rights_of_the_page_are_enough(cluster: PostgresCluster) -> None:
    """A role with them uses a store that its owner has opened, and can do nothing else."""
    blocks = re.findall(r"```sql\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    execute(cluster, "CREATE DATABASE robots")
    own = cluster.url(database="robots")
    with psycopg.connect(own, autocommit=True) as connection:
        connection.execute(blocks[0].encode())
        opened(cluster.url(user="goodbot_owner", database="robots")).close()
        url = cluster.url(user="goodbot_robot", database="robots")
        with pytest.raises(StoreUnavailableError, match="grant it, or open the store once"):
            opened(url)
        connection.execute(blocks[1].encode())
    with opened(url) as store:
        given_lease(store)
        store.put(SITE, RULES, START)
        store.keep_time("boot", START, timedelta(0))
        store.keep_hold(Hold.of(SITE, "block", why="x", at=START))
        assert store.lift_hold(SITE, "block")
        with pytest.raises(StoreUnavailableError, match="lacks a right"):
            store._server.run(  # noqa: SLF001  what the role must not do
                lambda connection: connection.execute("DROP TABLE goodbot.accounts")
            )


def test_damage_is_never_permission(cluster: PostgresCluster, store: PostgresStore) -> None:
    """An account, bytes or a decision that cannot be read."""
    schema = schema_of(store.url)
    given_lease(store)
    store.put(SITE, RULES, START)
    store.keep_hold(Hold.of(SITE, "block", why="x", at=START))
    execute(cluster, "UPDATE {s}.accounts SET account = '[]'", schema)
    execute(cluster, "DELETE FROM {s}.bodies", schema)
    execute(cluster, "UPDATE {s}.holds SET hold = '7'", schema)
    with pytest.raises(NotAStoreError, match="account of"):
        store.acquire(SITE, at(1000), 60, "two")
    with pytest.raises(NotAStoreError, match="bytes of a record are missing"):
        store.get(SITE)
    with pytest.raises(NotAStoreError, match="decision of the operator"):
        store.holds()
    execute(cluster, "DROP TABLE {s}.accounts", schema)
    with pytest.raises(NotAStoreError, match="lacks a part of the store"):
        store.visits(SITE)


def use_elsewhere(store: PostgresStore, pipe: Any) -> None:  # noqa: ANN401  a connection
    """Use a store in a process that did not open it."""
    try:
        store.get(SITE)
    except StoreError as error:
        pipe.send(str(error))
    pipe.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_another_process_opens_it_for_itself(store: PostgresStore) -> None:
    """Two processes on one connection would read each other's answers."""
    forking = multiprocessing.get_context("fork")
    here, there = forking.Pipe()
    process = forking.Process(target=use_elsewhere, args=(store, there))
    process.start()
    assert "open it in each process" in here.recv()
    process.join()
    assert store.get(SITE) is None


def test_a_closed_store_says_so(store: PostgresStore) -> None:
    """Whatever is asked."""
    store.close()
    store.close()
    with pytest.raises(StoreError, match="is closed; open it again"):
        store.get(SITE)


@pytest.mark.parametrize(
    "ending",
    ["?schema=", "?schema=a&schema=b", "?schema=pg_x", f"?schema={'x' * 64}", "?colour=blue", "?a"],
)
def test_a_url_that_means_no_database(ending: str) -> None:
    """The message names the form of a URL, and no password."""
    with pytest.raises(WrongValueError, match=r"\?schema=NAME") as caught:
        open_store(f"postgresql://robot:secret@db.example/crawls{ending}")
    assert "secret" not in str(caught.value)


def test_a_server_that_cannot_be_reached_is_named(tmp_path: Path) -> None:
    """Without user, password and options."""
    url = f"postgres://robot:secret@/crawls?host={tmp_path}"
    assert store_name(url) == "postgres:///crawls"
    with pytest.raises(StoreUnavailableError, match="check its URL") as caught:
        open_store(url)
    assert "secret" not in str(caught.value)


def test_a_missing_driver_is_told_with_the_cure() -> None:
    """By the URL, and by the name of the class."""
    program = (
        "import sys\nsys.modules['psycopg'] = None\nimport goodbot.store\n"
        "for ask in (lambda: goodbot.store.open_store('postgresql://db/x'), "
        "lambda: goodbot.store.PostgresStore):\n"
        "    try:\n        ask()\n    except goodbot.MissingExtraError as error:\n"
        "        print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)  # noqa: S603  ours
    assert done.stdout.count(b"pip install 'goodbot[postgres]'") == 2
    assert issubclass(MissingExtraError, ImportError)


def test_verbs_take_its_url(cluster: PostgresCluster) -> None:
    """What one process decides, another obeys."""
    url = cluster.new_url()
    run("robot", "block", "add", url, SITE, "--why", "they asked us")
    listed = run("robot", "block", "list", url, "--json")
    assert json.loads(listed.stdout)["scope"] == SITE
    with opened_store(url) as store:
        assert [hold.scope for hold in store.holds()] == [SITE]  # type: ignore[attr-defined]
