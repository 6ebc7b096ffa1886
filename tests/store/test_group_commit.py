"""Many calls in one transaction: each with its own result, none done before the disk has it."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from goodbot.errors import StoreError, WrongValueError
from goodbot.robot.store_executor import StoreExecutor
from goodbot.store import Lease, SQLiteStore
from goodbot.store.group_commit import GroupCommit
from tests.support.waiting import wait_until

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SQLiteStore]:
    """Yield a store whose calls come in groups."""
    with SQLiteStore(tmp_path / "robots.db", patience=0.05) as store:
        with GroupCommit(store):
            yield store
        assert store.executor is None


@contextmanager
def held_back(store: SQLiteStore) -> Iterator[GroupCommit]:
    """Keep the thread from its next transaction, so that the calls within come as one group."""
    commits = store.executor
    assert isinstance(commits, GroupCommit)
    with store._lock:  # noqa: SLF001  as another thread that uses the store
        commits.submit(int)
        wait_until(commits._calls.empty)  # noqa: SLF001  the thread has that call alone
        yield commits


def acquire(store: SQLiteStore, name: str) -> Any:  # noqa: ANN401  a lease, or a later time
    """Request a lease."""
    return store.acquire(f"https://{name}.example", NOW, 60, "test", pause=1)


def commits_of(store: SQLiteStore) -> list[str]:
    """Count the transactions from now on."""
    found: list[str] = []
    store._connection.set_trace_callback(  # noqa: SLF001  what is counted is work
        lambda statement: found.append(statement) if statement == "COMMIT" else None
    )
    return found


def test_a_group_is_one_transaction(store: SQLiteStore) -> None:
    """However many calls came meanwhile."""
    made = commits_of(store)
    with held_back(store) as commits:
        calls = [commits.submit(acquire, store, str(number)) for number in range(100)]
    assert all(isinstance(one.result(), Lease) for one in calls)
    assert len(made) == 2


def test_one_that_fails_is_undone_alone(store: SQLiteStore) -> None:
    """The others are made."""

    def half() -> None:
        with store._writing() as connection:  # noqa: SLF001  as a method would
            connection.execute("DELETE FROM accounts")
            message = "in the middle"
            raise WrongValueError(message)

    with held_back(store) as commits:
        first = commits.submit(acquire, store, "a")
        broken = commits.submit(half)
        second = commits.submit(acquire, store, "a")
    assert isinstance(first.result(), Lease)
    with pytest.raises(WrongValueError, match="in the middle"):
        broken.result()
    assert second.result().reason == "leased"
    assert store.accounts() == ["https://a.example"]


def test_if_the_file_is_locked_every_caller_hears_of_it(store: SQLiteStore) -> None:
    """And nothing was granted."""
    other = sqlite3.connect(store.path, isolation_level=None)
    with held_back(store) as commits:
        calls = [commits.submit(acquire, store, str(number)) for number in range(3)]
        other.execute("BEGIN IMMEDIATE")
    for one in calls:
        with pytest.raises(StoreError, match="locked"):
            one.result()
    other.execute("ROLLBACK")
    other.close()
    assert store.accounts() == []


def test_a_call_that_nobody_wants_any_more_is_not_made(store: SQLiteStore) -> None:
    """It was cancelled while it was queued."""
    with held_back(store) as commits:
        call = commits.submit(acquire, store, "a")
        assert call.cancel()
    commits.submit(int).result()
    assert store.accounts() == []


def test_a_loop_is_woken_once_for_a_group(store: SQLiteStore) -> None:
    """Whether its calls succeed or fail; each has its own result."""

    def broken() -> None:
        message = "of one call"
        raise WrongValueError(message)

    async def main() -> tuple[list[Any], int]:
        loop, woken = asyncio.get_running_loop(), 0
        wake = loop.call_soon_threadsafe

        def count(*given: Any) -> asyncio.Handle:  # noqa: ANN401  as the loop has it
            nonlocal woken
            woken += 1
            return wake(*given)

        with patch.object(loop, "call_soon_threadsafe", count):
            with held_back(store) as commits:
                calls = [commits.call(partial(acquire, store, str(one))) for one in range(50)]
                calls.append(commits.call(broken))
            return await asyncio.gather(*calls, return_exceptions=True), woken

    results, woken = asyncio.run(main())
    assert all(isinstance(one, Lease) for one in results[:-1])
    assert isinstance(results[-1], WrongValueError)
    assert woken == 1


def test_a_call_of_a_loop_that_has_ended_is_made(store: SQLiteStore) -> None:
    """A lease that was to be given back is; nobody learns of the result."""

    async def main() -> None:
        executor.call(partial(acquire, store, "a"))

    with held_back(store) as executor:
        asyncio.run(main())
    executor.submit(int).result()
    assert store.accounts() == ["https://a.example"]


# Accounts in memory, while calls come in groups.


@pytest.fixture
def timed(store: SQLiteStore) -> SQLiteStore:
    """Return the store with a clock of its own: by the time of day, accounts are read each time."""
    store.keep_time("boot", NOW, timedelta(hours=1))
    return store


def visit(store: SQLiteStore, name: str) -> bool:
    """Acquire a lease and release it; return whether there was one."""
    lease = acquire(store, name)
    return isinstance(lease, Lease) and store.release(lease, ended=NOW, not_before=NOW)


def test_an_account_is_read_once_and_written_once_a_group(timed: SQLiteStore) -> None:
    """However often it changes meanwhile."""
    made: list[str] = []
    timed._connection.set_trace_callback(made.append)  # noqa: SLF001  what is counted is work
    for _ in range(3):
        with held_back(timed) as commits:
            calls = [commits.submit(visit, timed, name) for name in "ababab"]
        assert [one.result() for one in calls] == [True] * 6
    timed._connection.set_trace_callback(None)  # noqa: SLF001  as above
    assert sum(one.startswith("SELECT number, held") for one in made) == 2
    assert sum(one.startswith("INSERT OR REPLACE INTO accounts") for one in made) == 6
    with SQLiteStore(timed.path) as other:
        other.keep_time("boot", NOW, timedelta(hours=1))
        assert isinstance(acquire(other, "a"), Lease)
        with other._reading() as connection:  # noqa: SLF001  the tables are what is tested
            rows = connection.execute("SELECT number FROM accounts ORDER BY origin").fetchall()
    assert rows == [(10,), (9,)]


def test_what_another_process_changes_is_seen(timed: SQLiteStore) -> None:
    """A lease that it has, and a block: never is a visit granted by what was in memory."""
    assert timed.executor is not None
    assert timed.executor.submit(visit, timed, "a").result()
    assert timed.executor.submit(visit, timed, "b").result()
    with SQLiteStore(timed.path) as other:
        other.keep_time("boot", NOW, timedelta(hours=1))
        assert isinstance(acquire(other, "a"), Lease)
        other.block("https://b.example", NOW + timedelta(seconds=9))
        for name, reason in (("a", "leased"), ("b", "blocked")):
            later = timed.executor.submit(acquire, timed, name).result()
            assert not isinstance(later, Lease)
            assert later.reason == reason


def test_other_calls_of_a_group_see_what_was_changed(timed: SQLiteStore) -> None:
    """Blocks, histories and lists of accounts, which are read from the tables."""
    later = NOW + timedelta(seconds=9)
    with held_back(timed) as commits:
        commits.submit(visit, timed, "a")
        names = commits.submit(timed.accounts)
        commits.submit(timed.block, "https://a.example", later)
        blocked = commits.submit(acquire, timed, "a")
        lease = commits.submit(acquire, timed, "b")
        held = commits.submit(timed.abandon, NOW)
        again = commits.submit(acquire, timed, "b")
    assert names.result() == ["https://a.example"]
    assert blocked.result().not_before == later
    assert isinstance(lease.result(), Lease)
    assert held.result() == ["https://b.example"]
    assert again.result().reason == "lost"


def test_a_call_that_is_undone_undoes_no_other(timed: SQLiteStore) -> None:
    """What the calls before it have changed is in the file, and in memory."""

    def half() -> None:
        with timed._writing() as connection:  # noqa: SLF001  as a method would
            connection.execute("DELETE FROM accounts")
            message = "in the middle"
            raise WrongValueError(message)

    with held_back(timed) as commits:
        first = commits.submit(acquire, timed, "a")
        broken = commits.submit(half)
    assert isinstance(first.result(), Lease)
    assert isinstance(broken.exception(), WrongValueError)
    with SQLiteStore(timed.path) as other:
        other.keep_time("boot", NOW, timedelta(hours=1))
        assert acquire(other, "a").reason == "leased"


def test_after_a_group_that_failed_nothing_is_known(timed: SQLiteStore) -> None:
    """The file is read again: the lease was not granted, and the next call gets it."""

    def failing() -> None:
        raise sqlite3.OperationalError("database or disk is full")  # noqa: EM101, TRY003  as SQLite

    assert timed.executor is not None
    with patch.object(timed, "_write_changed", side_effect=lambda _: failing()):
        lost = timed.executor.submit(acquire, timed, "a")
        assert isinstance(lost.exception(), StoreError)
    granted = timed.executor.submit(acquire, timed, "a").result()
    assert (isinstance(granted, Lease), granted.number) == (True, 1)


def test_a_new_clock_forgets_what_was_in_memory(timed: SQLiteStore) -> None:
    """Its times are those of the clock before."""
    assert timed.executor is not None
    timed.executor.submit(acquire, timed, "a").result()
    timed.executor.submit(timed.keep_time, "another boot", NOW, timedelta()).result()
    assert not timed._accounts  # noqa: SLF001  what is tested
    assert timed.executor.submit(acquire, timed, "a").result().reason == "leased"


async def cancelled_meanwhile(store: SQLiteStore, undone: list[Any]) -> Any:  # noqa: ANN401  a lease
    """Cancel a task that waits for a lease, which it gets all the same."""
    executor = StoreExecutor(store)
    with held_back(store):
        task = asyncio.ensure_future(executor.call(partial(acquire, store, "a"), undone.append))
        await asyncio.sleep(0)
        task.cancel()
        task.cancel()
        await asyncio.sleep(0)
        assert not task.done()
    with pytest.raises(asyncio.CancelledError):
        await task
    return await executor.call(partial(acquire, store, "b"))


def test_a_cancelled_task_waits_for_its_call(store: SQLiteStore) -> None:
    """Then it is undone, and only then is the task over."""
    undone: list[Any] = []
    assert isinstance(asyncio.run(cancelled_meanwhile(store, undone)), Lease)
    assert [one.origin for one in undone] == ["https://a.example"]
