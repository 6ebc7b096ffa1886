"""Many calls in one transaction: each with its own result, none done before the disk has it."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from goodbot.errors import StoreError, WrongValueError
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
