"""The store of a worker: what it has in memory, what it writes, and what others may do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from goodbot.pace import History
from goodbot.policy import Hold
from goodbot.store import Later, Lease
from goodbot.testing import FakeClock
from goodbot.testing.store_suite import OTHER, RULES, SITE, START, StoreSuite, at
from tests.support.postgres import PostgresCluster, cluster

pytest.importorskip("psycopg_pool", reason="needs the extra postgres")

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from goodbot.crawl.fleet.fleet_store import FleetStore
    from goodbot.store import PostgresStore

__all__ = ["cluster"]

LEASE = 120.0


class Holder:
    """A worker that leases groups, without a queue."""

    def __init__(self, url: str, number: int = 1) -> None:
        """Open its stores."""
        from goodbot.crawl.fleet.fleet_store import FleetStore  # noqa: PLC0415  an extra
        from goodbot.store import PostgresStore  # noqa: PLC0415  as above

        self.clock, self.shared = FakeClock(START), PostgresStore(url)
        self.store: FleetStore = FleetStore(
            self.shared, self.clock, lease_seconds=LEASE, request_seconds=30, margin=30
        )
        self.store.begin(number)
        self.asked = 0
        run = self.shared.server.run

        def counted(work: Any) -> Any:  # noqa: ANN401  as the server has it
            self.asked += 1
            return run(work)

        self.shared.server.run = counted  # type: ignore[method-assign]

    def do(self, method: str, *values: object) -> None:
        """Call a method within a transaction, and what it returns afterwards."""

        def work(connection: Any) -> Any:  # noqa: ANN401  as the server has it
            with connection.transaction():
                return getattr(self.store, method)(connection, *values)

        done = self.shared.server.run(work)
        if done is not None:
            done()

    def carry(self, names: Sequence[str] = (SITE,)) -> FleetStore:
        """Carry the accounts of groups."""
        self.do("carry", names)
        self.asked = 0
        return self.store


@pytest.fixture
def holder(cluster: PostgresCluster) -> Iterator[Holder]:
    """Make a worker."""
    one = Holder(cluster.new_url())
    yield one
    one.shared.close()


@pytest.fixture
def other(holder: Holder) -> Iterator[PostgresStore]:
    """Open the store of another program."""
    from goodbot.store import PostgresStore  # noqa: PLC0415  an extra

    with PostgresStore(holder.store.url) as store:
        yield store


def lease_of(store: Any, seconds: float = 0, pause: float = 10.0) -> Lease:  # noqa: ANN401  a store
    """Request a lease that is free, as a robot does."""
    ask = getattr(store, "acquire_at_once", None)
    answer = ask and ask(SITE, at(seconds), 60, "one", pause=pause)
    answer = store.acquire(SITE, at(seconds), 60, "one", pause=pause) if answer is None else answer
    assert isinstance(answer, Lease)
    return answer


def release(store: Any, lease: Lease, ended: float, due: float, **more: Any) -> bool:  # noqa: ANN401  as above
    """Release a lease, as a robot does."""
    given: dict[str, Any] = {"ended": at(ended), "not_before": at(due), "reason": "pace", **more}
    answer = store.release_at_once(lease, **given)
    return bool(store.release(lease, **given) if answer is None else answer)


class TestFleetStore(StoreSuite):
    """A store that carries nothing is the one of all workers; one that carries answers alike."""

    @pytest.fixture(params=[False, True], ids=["in the database", "carried"])
    def store(self, holder: Holder, request: pytest.FixtureRequest) -> FleetStore:
        """Return it."""
        return holder.carry([SITE, "https://b.example"]) if request.param else holder.store


def test_visits_of_carried_sites_ask_nothing(holder: Holder) -> None:
    """As many as may be: the server hears of them when the leases are renewed."""
    store = holder.carry()
    for number in range(20):
        lease = lease_of(store, 20 * number)
        later = store.acquire_at_once(SITE, at(20 * number + 1), 60, "two")
        assert isinstance(later, Later)
        assert release(store, lease, 20 * number + 2, 20 * number + 12, history=History(took=1))
        assert store.visits(SITE) == History(took=1)
    assert holder.asked == 0
    holder.do("renew")
    holder.do("give", None)
    assert holder.shared.visits(SITE) == History(took=1)
    assert holder.shared.acquire(SITE, at(391), 60, "two") == Later(at(392), "pace")


def test_what_is_not_covered_is_written_first(holder: Holder) -> None:
    """A pause, a wait, a failure; so that a worker that inherits the site knows them."""
    store = holder.carry()
    lease = lease_of(store, 0, pause=90)
    assert holder.asked == 1
    assert release(store, lease, 1, 91)
    assert holder.asked == 1, "it is covered now"
    assert release(store, lease_of(store, 91, pause=90), 92, 5_000)
    assert holder.asked == 2
    failing = History(failures=1, row=1)
    assert release(store, lease_of(store, 5_000, pause=90), 5_001, 5_002, history=failing)
    assert holder.asked == 3
    holder.clock.advance(5_300)
    holder.do("inherit", {1: 200_000_000})  # the leases ended 200 seconds ago
    assert holder.shared.visits(SITE).failures == 1
    # At 5,100, and the cover of 112.5 seconds.
    assert holder.shared.acquire(SITE, at(5_212.4), 60, "two") == Later(at(5_212.5), "lost")
    assert holder.shared.acquire(SITE, at(5_212.5), 60, "two")


def test_a_site_that_passes_on_keeps_its_pace(holder: Holder) -> None:
    """What one worker gives back, another one carries on, with larger numbers of leases."""
    first = lease_of(holder.carry())
    assert release(holder.store, first, 1, 40)
    holder.do("give", [SITE])
    two = Holder(holder.store.url, 2)
    later = two.carry().acquire_at_once(SITE, at(39), 60, "two")
    assert later == Later(at(40), "pace")
    assert lease_of(two.store, 40).number > first.number
    assert not release(holder.store, first, 41, 99), "it has nothing any more"
    two.shared.close()


def test_another_program_gets_what_it_wants(holder: Holder, other: PostgresStore) -> None:
    """At the next renewal, for as long as a lease; as for a robots.txt that is elsewhere."""
    store = holder.carry()
    lease = lease_of(store)
    later = other.acquire(SITE, at(5), 60, "other")
    assert isinstance(later, Later)
    assert (later.reason, later.not_before) == ("leased", at(15))
    other.block(SITE, at(50), "busy")
    holder.do("renew")
    assert not other.acquire(SITE, at(20), 60, "other"), "a visit is under way"
    assert release(store, lease, 21, 31)
    assert store.acquire_at_once(SITE, at(40), 60, "one") == Later(at(50), "busy")
    holder.do("renew")
    assert store.acquire_at_once(SITE, at(60), 60, "one") is None
    mine = lease_of(other, 60)
    assert not store.acquire(SITE, at(61), 60, "one")
    assert other.release(mine, ended=at(62), not_before=at(70))
    holder.clock.advance(LEASE)
    again = store.acquire(SITE, at(70), 60, "one")
    assert isinstance(again, Lease)
    assert store.release_at_once(again, ended=at(71), not_before=at(72)), "it is carried again"


def test_a_worker_without_leases_has_nothing(holder: Holder, other: PostgresStore) -> None:
    """What it still does can only make others wait longer."""
    store = holder.carry()
    lease = lease_of(store)
    holder.do("inherit", {1: 0})
    store.begin(0)
    assert store.acquire_at_once(SITE, at(900), 60, "one") is None
    mine = lease_of(other, 900)
    assert not release(store, lease, 901, 2_000)
    assert other.release(mine, ended=at(902), not_before=at(903))
    assert other.acquire(SITE, at(1_999), 60, "other") == Later(at(2_000), "pace")


def test_robots_txt_that_nobody_has_is_known_at_the_lease(holder: Holder) -> None:
    """And one that is stored is found."""
    store = holder.carry([SITE, "https://b.example"])
    assert store.get(SITE) is None
    assert holder.asked == 0
    store.put(SITE, RULES, START)
    assert store.get(SITE) == RULES
    store.put_many([(SITE, OTHER)], at(1))
    assert [one.record for one in store.history(SITE)] == [RULES, OTHER]
    assert store.in_force(SITE, START) is not None
    store.begin(2)
    assert holder.carry(["https://b.example"]).get(SITE) == OTHER


def test_decisions_are_asked_for_once_by_many_visits(holder: Holder, other: PostgresStore) -> None:
    """And again soon: all workers obey within a second."""
    store = holder.carry()
    assert [*store.holds(), *store.holds()] == []
    assert holder.asked == 1
    other.keep_hold(Hold.of(SITE, "block", why="x", at=START))
    holder.clock.advance(0.3)
    assert [one.scope for one in store.holds()] == [SITE]
    assert store.lift_hold(SITE, "block")
    store.keep_hold(Hold.of(SITE, "pause", why="", at=START))
    assert [one.kind for one in other.holds()] == ["pause"]
    assert "carries 1" in repr(store)
