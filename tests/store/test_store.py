"""The stores: one suite for all, and the faults that only SQLite can have."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

import goodbot
from goodbot.pace import History
from goodbot.store import (
    MemoryStore,
    NotAStoreError,
    SQLiteStore,
    StoreBusyError,
    StoreError,
    StoreFullError,
    StoreUnavailableError,
    StoreVersionError,
)
from goodbot.store.failures import store_error
from goodbot.testing.shared_store_suite import OpenStore, SharedStoreSuite
from goodbot.testing.store_suite import OTHER, RULES, SITE, START, StoreSuite, at
from tests.support.examples import some_of, thorough
from tests.support.paths import FIXTURES, SUPPORT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WORKER = SUPPORT / "store_worker.py"
WORKERS = 8
KILLS = 12


class TestMemory(StoreSuite):
    """The store in memory."""

    @pytest.fixture
    def store(self) -> MemoryStore:
        """Return an empty store."""
        return MemoryStore()


class TestSQLite(StoreSuite):
    """The store in a file."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[SQLiteStore]:
        """Yield an empty store."""
        with SQLiteStore(tmp_path / "store.db", durable=False) as store:
            yield store


class TestSharedSQLite(SharedStoreSuite):
    """One file, opened several times."""

    @pytest.fixture
    def open_store(self, tmp_path: Path) -> OpenStore:
        """Return a function that opens the file."""
        return lambda: SQLiteStore(tmp_path / "store.db", durable=False, patience=60)


# Several processes.


def start(job: str, path: Path, seed: int) -> subprocess.Popen[str]:
    """Start a worker."""
    command = [sys.executable, str(WORKER), job, str(path), str(seed)]
    return subprocess.Popen(  # noqa: S603  our own file
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.stress
def test_eight_processes_never_come_too_early(tmp_path: Path) -> None:
    """No two visits of an origin overlap, and none comes before what the last one agreed on.

    The eight open a new file at once, visit three origins, and some disappear with their lease.
    """
    path = tmp_path / "store.db"
    workers = [start("visit", path, seed) for seed in range(WORKERS)]
    visits = defaultdict(list)
    for worker in workers:
        printed, errors = worker.communicate()
        assert worker.returncode == 0, errors
        for line in printed.splitlines():
            origin, *times = line.split()
            visits[origin].append(tuple(map(float, times)))
    assert sum(map(len, visits.values())) == WORKERS * 25
    for made in visits.values():
        made.sort()
        assert sum(ended > started for started, ended, _ in made) > len(made) / 2, "most were made"
        for (_, ended, due), (started, _, _) in itertools.pairwise(made):
            assert started >= ended, "two visits overlap"
            assert started >= due, "a visit came too early"
    with SQLiteStore(path) as store:
        for origin, made in visits.items():
            lease = store.acquire(origin, at(10**9), 1, "end")
            assert lease
            assert lease.number == len(made) + 1


@thorough
def test_a_killed_process_leaves_the_file_whole(tmp_path: Path) -> None:
    """After a kill at any step, what was reported is stored, and no change is half done."""
    path = tmp_path / "store.db"
    chance = random.Random(11)  # noqa: S311  the same each time
    for kill in some_of(range(KILLS)):
        with start("churn", path, kill) as worker:
            assert worker.stdout is not None
            told = [worker.stdout.readline()]
            time.sleep(chance.uniform(0, 0.12))
            worker.send_signal(signal.SIGKILL)
            told += worker.stdout.readlines()
        assert worker.returncode == -signal.SIGKILL
        check_whole(path, [line.split() for line in told if line.endswith("\n")])


def check_whole(path: Path, told: list[list[str]]) -> None:
    """Check the store that a killed worker has left."""
    with contextlib.closing(sqlite3.connect(path)) as plain:
        assert plain.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        origins = [row[0] for row in plain.execute("SELECT DISTINCT origin FROM policies")]
        missing = "SELECT count(*) FROM policies WHERE octets NOT IN (SELECT id FROM octets)"
        assert plain.execute(missing).fetchone() == (0,)
    puts = {words[1]: int(words[2]) for words in told if words[0] == "put"}
    leases = {words[1]: int(words[2]) for words in told if words[0] == "lease"}
    with SQLiteStore(path) as store:
        for origin in origins:
            history = store.history(origin)
            for before, after in itertools.pairwise(history):
                assert before.first <= before.last < after.first
            kept = store.get(origin)
            assert kept is not None
            assert kept == history[-1].record
            assert kept["number"] >= puts.get(origin, 0)
        for origin, number in leases.items():
            lease = store.acquire(origin, at(10**9), 0, "check", pause=0)
            assert lease
            assert lease.number > number
            store.release(lease, ended=START, not_before=START)


def test_threads_share_a_store(tmp_path: Path) -> None:
    """One origin, eight threads, a fake clock: each visit follows the one before."""
    granted: list[int] = []
    ticks = iter(range(100_000))
    lock = threading.Lock()

    def work(store: SQLiteStore) -> None:
        for _ in range(200):
            with lock:
                now = at(next(ticks))
            lease = store.acquire(SITE, now, 5, "thread", pause=1)
            if lease:
                granted.append(lease.number)
                store.release(lease, ended=now, not_before=now)

    with SQLiteStore(tmp_path / "store.db", durable=False) as store:
        threads = [threading.Thread(target=work, args=(store,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(granted) == list(range(1, len(granted) + 1))
    assert len(granted) > 10


# What is kept.


def test_what_is_kept_outlives_the_process(tmp_path: Path) -> None:
    """A store that is opened again has everything, with and without `durable`."""
    path = tmp_path / "store.db"
    for durable in (True, False):
        with SQLiteStore(path, durable=durable) as store:
            store.put(SITE, RULES, START)
            store.put(SITE, OTHER, at(10))
            store.block(SITE, at(99))
        with SQLiteStore(str(path)) as store:
            assert store.get(SITE) == OTHER
            assert not store.acquire(SITE, at(98), 1, "a")


def test_octets_that_many_origins_share_are_kept_once(tmp_path: Path) -> None:
    """A thousand origins with the same robots.txt of 100,000 bytes need no 100 MB."""
    body = b"Disallow: /\n" * 8_500
    with SQLiteStore(tmp_path / "store.db") as store:
        store.put_many(
            [(f"https://{number}.example", {"body": body}) for number in range(1000)], START
        )
        assert store.get("https://999.example") == {"body": body}
    assert (tmp_path / "store.db").stat().st_size < 1_000_000


# Failures, each with its cure.


def refused(path: Path, error: type[StoreError], cure: str) -> None:
    """Check that opening fails, says what to do, and leaves the file unchanged."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(error, match=cure) as caught:
        SQLiteStore(path, patience=0.05)
    assert type(caught.value) is error
    assert isinstance(caught.value, goodbot.GoodbotError)
    assert (path.read_bytes() if path.is_file() else None) == before


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    """A text file is not overwritten."""
    path = tmp_path / "robots.txt"
    path.write_bytes(b"User-agent: *\nDisallow: /\n" * 100)
    refused(path, NotAStoreError, "does not exist yet")


def test_another_database_is_refused(tmp_path: Path) -> None:
    """Tables are not added to another program's database."""
    path = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(path)) as plain:
        plain.execute("CREATE TABLE mine(a)")
        plain.commit()
    refused(path, NotAStoreError, "another file")


def test_a_newer_form_is_refused(tmp_path: Path) -> None:
    """A file made by a newer goodbot is not misread."""
    path = tmp_path / "store.db"
    SQLiteStore(path).close()
    with contextlib.closing(sqlite3.connect(path)) as plain:
        plain.execute("PRAGMA user_version = 99")
        plain.execute("PRAGMA journal_mode = DELETE")
    refused(path, StoreVersionError, "store format is 99, .* upgrade goodbot")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    """A missing folder is not created; and a folder is not a file."""
    refused(tmp_path / "no" / "store.db", StoreUnavailableError, "folder exists")
    refused(tmp_path, StoreUnavailableError, "folder exists")


def test_a_locked_store_is_waited_for_and_given_up(tmp_path: Path) -> None:
    """While another process changes the store, a call waits, then raises; later calls succeed."""
    path = tmp_path / "store.db"
    with (
        SQLiteStore(path, patience=0.05) as store,
        contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other,
    ):
        store.put(SITE, RULES, START)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusyError, match="patience="):
            store.acquire(SITE, START, 1, "a")
        assert store.get(SITE) == RULES, "reading does not wait for a lock"
        other.execute("ROLLBACK")
        assert store.acquire(SITE, START, 1, "a")


def test_a_full_disk_undoes_the_step_and_no_more(tmp_path: Path) -> None:
    """What does not fit is not stored at all; what was stored before stays."""
    with SQLiteStore(tmp_path / "store.db") as store:
        store.put(SITE, RULES, START)
        store._connection.execute("PRAGMA max_page_count = 12")  # noqa: SLF001  a small disk
        large = {"access": "rules", "body": random.Random(1).randbytes(100_000)}  # noqa: S311
        with pytest.raises(StoreFullError, match="make room"):
            store.put_many([("https://small.example", OTHER), (SITE, large)], at(10))
        assert store.get(SITE) == RULES
        assert store.get("https://small.example") is None
        store._connection.execute("PRAGMA max_page_count = 1000")  # noqa: SLF001  room again
        store.put(SITE, large, at(10))
        assert store.get(SITE) == large


@pytest.mark.parametrize(
    ("said", "error", "cure"),
    [
        ("database or disk is full", StoreFullError, "make room"),
        ("database is locked", StoreBusyError, "patience="),
        ("database table is locked: policies", StoreBusyError, "patience="),
        ("file is not a database", NotAStoreError, "does not exist yet"),
        ("database disk image is malformed", NotAStoreError, "restore"),
        ("Cannot operate on a closed database.", StoreError, "open it again"),
        ("attempt to write a readonly database", StoreUnavailableError, "allow writing"),
        ("unable to open database file", StoreUnavailableError, "folder exists"),
        ("disk I/O error", StoreUnavailableError, "check its disk"),
    ],
)
def test_what_sqlite_says_is_told_with_the_cure(
    said: str, error: type[StoreError], cure: str
) -> None:
    """Whatever it is, the error belongs to the tree, names the file, and says what to do."""
    failure = store_error(sqlite3.OperationalError(said), "robots.db")
    assert type(failure) is error
    assert "robots.db" in str(failure)
    assert cure in str(failure)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE octets SET octets = x'00'",
        "DELETE FROM octets",
        "UPDATE policies SET record = '{'",
        'UPDATE policies SET record = \'{"a":{"\\u0000octets":7}}\'',
        "UPDATE policies SET octets = ''",
    ],
)
def test_a_damaged_policy_is_no_permission(tmp_path: Path, damage: str) -> None:
    """Bytes that differ from the stored ones are not returned."""
    path = tmp_path / "store.db"
    with SQLiteStore(path) as store:
        store.put(SITE, RULES, START)
    with contextlib.closing(sqlite3.connect(path)) as plain:
        plain.execute(damage)
        plain.commit()
    with SQLiteStore(path) as store:
        for ask in (
            lambda: store.get(SITE),
            lambda: store.history(SITE),
            lambda: store.in_force(SITE, START),
        ):
            with pytest.raises(NotAStoreError, match="restore"):
                ask()


@pytest.mark.parametrize("history", ["{", "{}", "[]", '{"end":"x"}'])
def test_a_damaged_account_grants_nothing(tmp_path: Path, history: str) -> None:
    """An unreadable account does not allow an immediate visit."""
    path = tmp_path / "store.db"
    with SQLiteStore(path) as store:
        store.block(SITE, START)
    with contextlib.closing(sqlite3.connect(path)) as plain:
        plain.execute("UPDATE accounts SET history = ?", (history,))
        plain.commit()
    with SQLiteStore(path) as store, pytest.raises(NotAStoreError, match="restore"):
        store.acquire(SITE, at(100), 1, "a")


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    """Overwritten pages raise goodbot's exception, not SQLite's."""
    path = tmp_path / "store.db"
    with SQLiteStore(path) as store:
        store.put_many([(f"https://{number}.example", RULES) for number in range(500)], START)
    octets = bytearray(path.read_bytes())
    octets[4096 : 4096 * 8] = b"\xff" * (4096 * 7)
    path.write_bytes(octets)

    def read_all() -> None:
        with SQLiteStore(path) as store:
            for number in range(500):
                store.get(f"https://{number}.example")

    with pytest.raises(NotAStoreError, match="restore"):
        read_all()


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    """Closing twice has no effect; using a closed store is misuse."""
    store = SQLiteStore(tmp_path / "store.db")
    store.close()
    store.close()
    with pytest.raises(StoreError, match="open it again"):
        store.get(SITE)
    with pytest.raises(StoreError, match="open it again"):
        store.put(SITE, RULES, START)


def test_a_store_does_not_cross_a_fork(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite forbids it; the message says what to do instead."""
    with SQLiteStore(tmp_path / "store.db") as store:
        monkeypatch.setattr(os, "getpid", lambda: -1)
        with pytest.raises(StoreError, match="in each process"):
            store.get(SITE)
        monkeypatch.undo()
        assert store.get(SITE) is None


def test_memory_is_not_a_file() -> None:
    """A store in memory has a class of its own."""
    for path in (":memory:", ""):
        with pytest.raises(goodbot.WrongValueError, match="MemoryStore"):
            SQLiteStore(path)


def test_the_lease_of_a_process_that_is_gone_is_taken_back(tmp_path: Path) -> None:
    """Its visit may have lasted until now; the pause that it requested follows, and no more."""
    path, other = tmp_path / "store.db", "https://other.example"
    with SQLiteStore(path) as store:
        assert store.acquire(SITE, at(0), 600, "gone", pause=30)
        assert store.acquire(other, at(0), 5, "gone", pause=1)
    with SQLiteStore(path) as store:
        assert sorted(store.abandon(at(100))) == sorted([SITE, other])
        assert store.abandon(at(100)) == []
        later = store.acquire(SITE, at(129), 60, "heir")
        assert (later.not_before, later.reason) == (at(130), "lost")  # type: ignore[union-attr]
        lease = store.acquire(SITE, at(130), 60, "heir")
        assert lease
        assert lease.history == History.of(last_ended=at(100), starts=[at(0)])
        assert store.visits(other) == History.of(last_ended=at(5), starts=[at(0)])


def test_the_histories_of_0_1_0_are_read(tmp_path: Path) -> None:
    """They do not list failing URLs: there is no row of failures, and the step is unchanged."""
    path = tmp_path / "store.db"
    shutil.copyfile(FIXTURES / "0.1.0" / "store.db", path)
    with SQLiteStore(path) as store, contextlib.closing(sqlite3.connect(path)) as plain:
        written = plain.execute("SELECT origin, history FROM accounts").fetchall()
        assert len(written) > 3
        for origin, text in written:
            before, history = json.loads(text), store.visits(origin)
            assert (history.row, history.failing) == (0, ())
            assert (history.failures, history.end) == (before["failures"], before["end"])
        assert any(json.loads(text)["failures"] for _, text in written)
