"""Server groups: hosts that share a server are visited one at a time, as one site is."""

import asyncio
from typing import Any
from unittest.mock import patch

import pytest

from goodbot.errors import Deferred, MisuseError, StoreFullError
from goodbot.pace import Manners
from goodbot.robot import Waited, leases
from goodbot.robot.leases import AT_ONCE
from goodbot.store import Later, Lease, MemoryStore, SQLiteStore
from goodbot.store.backend import OF_A_GROUP
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.robot_sites import gaps, no_lease_is_out, robot_at, run

HOSTS = [f"{name}.shops.example" for name in "abcde"]
ADDRESSES = {host: f"192.0.2.{number}" for number, host in enumerate(HOSTS, 1)}
GROUPED = Manners(default=10.0, groups=["*.shops.example"])


def shops(**options: Any) -> FakeSite:  # noqa: ANN401  of many types
    """Return several hosts that ask for a short pause."""
    routes: dict[str, Any] = {
        "/robots.txt": "User-agent: *\nCrawl-delay: 1",
        "/": Answer(body=b"A", seconds=1.0),
    }
    return FakeSite(routes, clock=FakeClock(), addresses=ADDRESSES, **options)


async def visit_all(site: FakeSite, hosts: list[str], **options: Any) -> None:  # noqa: ANN401
    """Visit the first page of hosts at the same time."""
    async with robot_at(site, **options) as robot:
        await asyncio.gather(*(robot.visit(f"http://{host}/") for host in hosts))


@pytest.mark.parametrize("groups", [["*.shops.example"], ["network"], ["192.0.2.0/28"]])
def test_hosts_of_one_group_share_a_pace(groups: list[str]) -> None:
    """Requests for robots.txt count as well, and none comes before the pause of the group."""
    site, store = shops(), MemoryStore()
    manners = Manners(default=10.0, groups=groups)
    run(visit_all(site, HOSTS, manners=manners, store=store))
    assert len(site.visits) == 2 * len(HOSTS)
    assert min(gaps(site.visits)) >= 10.0
    assert no_lease_is_out(store, *(f"http://{host}" for host in HOSTS))
    assert not any(account.held for account in store._accounts.values())  # noqa: SLF001


def test_by_default_each_host_has_a_pace_of_its_own() -> None:
    """Many sites share the addresses of one CDN."""
    site = shops()
    run(visit_all(site, HOSTS))
    assert gaps(site.visits)[: len(HOSTS) - 1] == [0.0] * (len(HOSTS) - 1)


def test_hosts_at_different_addresses_are_not_one_group() -> None:
    """Each address is a group of its own."""
    site = shops()
    run(visit_all(site, HOSTS[:2], manners=Manners(groups=["address"])))
    assert gaps(site.visits)[0] == 0.0


def test_the_pace_of_each_site_holds_beside_that_of_the_group() -> None:
    """A short pause of the group does not shorten what a site asks for."""
    site = FakeSite({"/robots.txt": "User-agent: *\nCrawl-delay: 60"}, clock=FakeClock())

    async def main() -> None:
        manners = Manners(groups=["*.shops.example"], group_pause=2.0)
        async with robot_at(site, manners=manners) as robot:
            for path in ("a", "b"):
                await asyncio.gather(*(robot.visit(f"http://{host}/{path}") for host in HOSTS))

    run(main())
    assert min(gaps(site.visits)) >= 2.0
    for host in HOSTS:
        assert min(gaps([one for one in site.visits if host in one.url])[1:]) >= 60.0


def test_a_wait_says_that_the_group_is_the_reason() -> None:
    """In the event, and in the exception of a visit that may not wait so long."""
    site, waits = shops(), []

    async def main() -> None:
        def note(event: object) -> None:
            if isinstance(event, Waited):
                waits.append(event.reason)

        async with robot_at(site, manners=GROUPED, on_event=note) as robot:
            await asyncio.gather(*(robot.visit(f"http://{host}/") for host in HOSTS[:2]))
            with pytest.raises(Deferred, match=r"server group \*\.shops\.example") as caught:
                await robot.visit(f"http://{HOSTS[0]}/", longest_wait=2.0)
            assert caught.value.reason == "server-group"

    run(main())
    assert "server-group" in waits


class ImmediateStore(SQLiteStore):
    """A store whose calls need no thread: the fake clock would move on while a thread works."""

    at_once = True


@pytest.mark.parametrize("store", ["memory", "file"])
def test_robots_that_share_a_store_share_the_group(store: str, tmp_path: Any) -> None:  # noqa: ANN401
    """Two robots at two hosts of a group keep the pause between them."""
    site = shops()
    kept = MemoryStore() if store == "memory" else ImmediateStore(tmp_path / "store.sqlite")

    async def main() -> None:
        await asyncio.gather(
            *(visit_all(site, [host], manners=GROUPED, store=kept) for host in HOSTS[:2])
        )

    run(main())
    assert len(site.visits) == 4
    assert min(gaps(site.visits)) >= 10.0


def test_thousands_of_hosts_do_not_all_ask_at_each_turn() -> None:
    """Of those that wait, some ask at the next turn, and the others at later ones."""
    store, clock = MemoryStore(), FakeClock()
    site = FakeSite({"/robots.txt": Answer(seconds=1.0)}, clock=clock)
    many = [f"h{number}.shops.example" for number in range(20 * AT_ONCE)]

    async def main() -> list[Any]:
        async with robot_at(site, manners=GROUPED, store=store) as robot:
            visits = (robot.visit(f"http://{host}/", longest_wait=0.0) for host in many)
            return await asyncio.gather(*visits, return_exceptions=True)

    asked = [one.until for one in run(main()) if isinstance(one, Deferred)]
    assert len(asked) > 19 * AT_ONCE
    assert all(asked.count(then) <= AT_ONCE for then in set(asked))


@pytest.mark.parametrize("hosts", [HOSTS[:1], HOSTS])
def test_a_host_that_asks_often_does_not_go_to_the_end_of_the_line(hosts: list[str]) -> None:
    """While another program visits the group, the number of hosts counts, not how often they ask.

    Anyone who asks again keeps its place; otherwise a lone site would wait longer each time.
    """
    site, store = shops(), MemoryStore()
    store.acquire(f"{OF_A_GROUP}*.shops.example", site.clock.now(), 3600.0, "another")

    async def main() -> set[Any]:
        untils = set()
        async with robot_at(site, manners=GROUPED, store=store) as robot:
            for host in hosts * 3 * AT_ONCE:
                with pytest.raises(Deferred) as caught:
                    await robot.visit(f"http://{host}/", longest_wait=0.0)
                untils.add(caught.value.until)
        return untils

    assert len(run(main())) == 1, "each time is the next turn of the group"


def test_the_number_of_hosts_that_are_counted_is_bounded() -> None:
    """All others try again with the last one that is counted."""
    site, store = shops(), MemoryStore()
    store.acquire(f"{OF_A_GROUP}*.shops.example", site.clock.now(), 3600.0, "another")

    async def main() -> int:
        async with robot_at(site, manners=GROUPED, store=store) as robot:
            for host in HOSTS:
                with pytest.raises(Deferred):
                    await robot.visit(f"http://{host}/", longest_wait=0.0)
            return sum(map(len, robot._context.leases._askers.values()))  # noqa: SLF001  no other sight

    with patch.object(leases, "MOST_ASKERS", 3):
        assert run(main()) == 3


def test_a_store_that_fails_for_a_site_gives_the_group_back() -> None:
    """Otherwise no host of the group could be visited before that lease expires."""

    class Failing(MemoryStore):
        """A store that grants groups only."""

        def acquire(self, origin: str, *args: Any, **options: Any) -> Lease | Later:  # noqa: ANN401
            if not origin.startswith(OF_A_GROUP):
                message = "the disk is full"
                raise StoreFullError(message)
            return super().acquire(origin, *args, **options)

    site, store = shops(), Failing()
    with pytest.raises(StoreFullError):
        run(visit_all(site, HOSTS[:1], manners=GROUPED, store=store))
    assert store._accounts  # noqa: SLF001  the group's
    assert not any(account.held for account in store._accounts.values())  # noqa: SLF001


def test_a_fetcher_without_addresses_is_refused() -> None:
    """The message says which method is missing."""

    class Plain:
        """A fetcher that looks nothing up."""

        fetch = FakeSite.fetch

    with pytest.raises(MisuseError, match="find_address"):
        robot_at(shops(), fetcher=Plain(), manners=Manners(groups=["address"]))


def test_an_address_that_cannot_be_found_makes_no_group() -> None:
    """The fetch itself then says what is wrong, and the next visit looks again."""
    site = shops()
    site.addresses.clear()
    run(visit_all(site, HOSTS[:2], manners=Manners(groups=["address"])))
    assert gaps(site.visits)[0] == 0.0


def test_a_cancelled_visit_gives_the_group_back() -> None:
    """Whenever it is cancelled."""
    for seconds in (0.0, 0.5, 1.0, 1.5, 11.5, 12.5):
        site, store = shops(), MemoryStore()

        async def main(
            site: FakeSite = site, store: MemoryStore = store, at: float = seconds
        ) -> None:
            async with robot_at(site, manners=GROUPED, store=store) as robot:
                visit = asyncio.ensure_future(robot.visit(f"http://{HOSTS[0]}/"))
                await site.clock.sleep(at)
                visit.cancel()
                await asyncio.gather(visit, return_exceptions=True)

        run(main())
        assert not any(account.held for account in store._accounts.values())  # noqa: SLF001
