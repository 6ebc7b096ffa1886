"""Tests for a store that several processes share; they need pytest.

Scope: tests of `PolicyStore`, `Budget` and `Timekeeper` with two or more connections to one store.
`store_suite` has the tests with one connection.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import datetime, timedelta
from typing import TypeVar

import pytest

from goodbot.pace import History, Manners, PastVisit
from goodbot.store import Later, Lease, Timekeeper
from goodbot.testing.store_suite import OTHER, RULES, SITE, START, BothProtocols, at

__all__ = ["OpenStore", "SharedStoreSuite"]

OpenStore = Callable[[], BothProtocols]
"""Opens the store; called again, it opens the same store as another process would."""

OPENINGS = 4
ROUNDS = 25
Answer = TypeVar("Answer")


class SharedStoreSuite:
    """Tests for a store that several processes share: derive from it, define `open_store`.

    The pytest fixture `open_store` returns a function that opens the store, which is empty at
    first. Called again within a test, it opens the same store once more, with a connection of its
    own. What has a method `close` is closed at the end.

    For example::

        class TestMySharedStore(SharedStoreSuite):
            @pytest.fixture
            def open_store(self, tmp_path):
                return lambda: MyStore(tmp_path / "store")
    """

    @pytest.fixture
    def opened(self, open_store: OpenStore) -> Iterator[OpenStore]:
        """Open the store as often as a test needs, and close all connections afterwards."""
        with ExitStack() as stack:

            def open_another() -> BothProtocols:
                store = open_store()
                stack.callback(close, store)
                return store

            yield open_another

    # One after the other.

    def test_what_one_puts_the_other_gets(self, opened: OpenStore) -> None:
        """At once, with its history, whichever was opened first."""
        one, two = opened(), opened()
        one.put(SITE, RULES, at(0))
        assert two.get(SITE) == RULES
        two.put(SITE, RULES | {"status": 304}, at(10))
        one.put(SITE, OTHER, at(20))
        for store in (one, two, opened()):
            assert store.get(SITE) == OTHER
            seen = store.history(SITE)
            assert [(one.first, one.last) for one in seen] == [(at(0), at(10)), (at(20), at(20))]
            first = store.in_force(SITE, at(15))
            assert first is not None
            assert first.record["status"] == 304

    def test_one_visit_at_a_time_among_all(self, opened: OpenStore) -> None:
        """A lease, its release, its history and a block are known to everybody."""
        one, two = opened(), opened()
        lease = one.acquire(SITE, at(0), 60, "one", pause=30)
        assert isinstance(lease, Lease)
        later = two.acquire(SITE, at(1), 60, "two")
        assert isinstance(later, Later)
        assert (later.reason, later.holder) == ("leased", "one")
        history = lease.history.after(PastVisit(at(0), at(2), 503, "60"), Manners())
        assert one.release(lease, ended=at(2), not_before=at(32), reason="x", history=history)
        assert two.visits(SITE) == history
        assert two.acquire(SITE, at(31), 60, "two") == Later(at(32), "x")
        two.block(SITE, at(100), "retry-after")
        assert one.acquire(SITE, at(99), 60, "one") == Later(at(100), "retry-after")
        again = one.acquire(SITE, at(100), 60, "one")
        assert isinstance(again, Lease)
        assert again.number > lease.number

    def test_a_lease_may_be_released_where_it_was_not_granted(self, opened: OpenStore) -> None:
        """It is a plain value, which may pass from one process to another."""
        one, two = opened(), opened()
        lease = one.acquire(SITE, at(0), 60, "one")
        assert isinstance(lease, Lease)
        assert two.release(lease, ended=at(1), not_before=at(5), reason="manners")
        assert not one.release(lease, ended=at(1), not_before=at(1))
        assert one.acquire(SITE, at(4), 60, "one") == Later(at(5), "manners")

    def test_who_vanished_is_waited_for_by_the_others(self, opened: OpenStore) -> None:
        """Until the lease expires, and for the pause; then its visit is in the history."""
        gone = opened()
        assert gone.acquire(SITE, at(0), 60, "gone", pause=30)
        close(gone)
        heir = opened()
        assert not heir.acquire(SITE, at(59), 60, "heir")
        assert heir.acquire(SITE, at(89), 60, "heir") == Later(at(90), "lost")
        lease = heir.acquire(SITE, at(90), 60, "heir")
        assert isinstance(lease, Lease)
        assert lease.history == History.of(last_ended=at(60), starts=[at(0)])

    def test_everything_outlives_the_last_opening(self, opened: OpenStore) -> None:
        """Policies, blocks and the history of visits."""
        store = opened()
        store.put(SITE, RULES, at(0))
        lease = store.acquire(SITE, at(0), 60, "one")
        assert isinstance(lease, Lease)
        history = History.of(last_ended=at(1), starts=[at(0)])
        store.release(lease, ended=at(1), not_before=at(2), history=history)
        store.block(SITE, at(500), "retry-after")
        close(store)
        store = opened()
        assert store.get(SITE) == RULES
        assert store.visits(SITE) == history
        assert store.acquire(SITE, at(499), 60, "two") == Later(at(500), "retry-after")

    def test_one_start_of_a_machine_is_one_for_all(self, opened: OpenStore) -> None:
        """Processes of one machine get the same zero, and count their pauses from it.

        A store that is no `Timekeeper` has no such method, and nothing to hold.
        """
        one, two = opened(), opened()
        if not (isinstance(one, Timekeeper) and isinstance(two, Timekeeper)):
            return
        zero = one.keep_time("boot 1", at(0), timedelta(seconds=100))
        # The other one's clock was set an hour ahead; what has passed since the start counts.
        assert two.keep_time("boot 1", at(3600), timedelta(seconds=100)) == zero
        now = zero + timedelta(seconds=100)
        lease = one.acquire(SITE, now, 60, "one")
        assert isinstance(lease, Lease)
        one.release(lease, ended=now, not_before=now + timedelta(seconds=30), reason="manners")
        soon = two.acquire(SITE, now + timedelta(seconds=29), 60, "two")
        assert soon == Later(now + timedelta(seconds=30), "manners")
        assert two.acquire(SITE, now + timedelta(seconds=30), 60, "two")

    # All at the same time.

    def test_one_of_many_is_granted(self, opened: OpenStore) -> None:
        """However many ask at the same moment; the numbers of the leases grow."""
        numbers = []
        with ThreadPoolExecutor(OPENINGS) as threads:
            stores = [opened() for _ in range(OPENINGS)]
            for number in range(ROUNDS):
                now = at(number * 100)
                answers = at_once(threads, [acquiring(store, now) for store in stores])
                granted = [one for one in answers if isinstance(one, Lease)]
                assert len(granted) == 1, "two visits at the same time"
                assert all(one or one.reason == "leased" for one in answers)
                numbers.append(granted[0].number)
                assert stores[0].release(granted[0], ended=now, not_before=now)
        assert numbers == sorted(set(numbers))

    def test_nothing_that_is_put_is_lost(self, opened: OpenStore) -> None:
        """Entries that differ all stand in the history, one behind the other."""

        def putting(store: BothProtocols, name: int) -> Callable[[], None]:
            def put() -> None:
                for number in range(ROUNDS):
                    record = {"access": "rules", "body": f"{name} {number}".encode()}
                    store.put(SITE, record, START)

            return put

        with ThreadPoolExecutor(OPENINGS) as threads:
            at_once(threads, [putting(opened(), name) for name in range(OPENINGS)])
        history = opened().history(SITE)
        bodies = [one.record["body"] for one in history]
        wanted = {
            f"{name} {number}".encode() for name in range(OPENINGS) for number in range(ROUNDS)
        }
        assert (len(bodies), set(bodies)) == (len(wanted), wanted)
        firsts = [one.first for one in history]
        assert firsts == sorted(set(firsts))

    def test_many_are_put_in_any_order(self, opened: OpenStore) -> None:
        """Two changes of the same origins in opposite orders both come to an end."""
        origins = [f"https://{number}.example" for number in range(10)]

        def putting(store: BothProtocols, order: list[str]) -> Callable[[], None]:
            def put() -> None:
                for number in range(ROUNDS):
                    store.put_many([(one, RULES | {"status": number}) for one in order], START)

            return put

        with ThreadPoolExecutor(2) as threads:
            at_once(threads, [putting(opened(), origins), putting(opened(), origins[::-1])])
        store = opened()
        assert all(len(store.history(one)) == 1 for one in origins)
        assert all(store.get(one) == RULES | {"status": ROUNDS - 1} for one in origins)


def close(store: object) -> None:
    """Close a store, if it has to be closed."""
    ends = getattr(store, "close", None)
    if ends is not None:
        ends()


def acquiring(store: BothProtocols, now: datetime) -> Callable[[], Lease | Later]:
    """Return what asks a store for a lease."""
    return lambda: store.acquire(SITE, now, 60, "one of many", pause=0)


def at_once(threads: ThreadPoolExecutor, calls: list[Callable[[], Answer]]) -> list[Answer]:
    """Make calls at the same moment, each in a thread; return their answers."""
    gate = threading.Barrier(len(calls))

    def made(call: Callable[[], Answer]) -> Answer:
        gate.wait(60)
        return call()

    return list(threads.map(made, calls))
