"""The robot visits sites of every behaviour, in memory and on loopback, also when cancelled."""

import asyncio
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot import blocking
from goodbot.net import Limits  # noqa: TC001  beside what runs
from goodbot.pace import Manners
from goodbot.robot import Deferred, Disallowed, Visit
from goodbot.store import MemoryStore, SQLiteStore
from goodbot.testing import BEHAVIOURS, Answer, Behaviour, FakeSite, LoopbackSite, judged
from goodbot.testing.behaviours import ROBOTS_TXT
from goodbot.testing.judging import MAY_READ
from tests.support.examples import examples
from tests.support.robot_sites import (
    ME,
    SITE,
    gaps,
    no_lease_is_out,
    robot_at,
    run,
    site_behaving_as,
    site_with,
)
from tests.support.waiting import HANGS

OF_ROBOTS_TXT = [one for one in BEHAVIOURS if one.path == ROBOTS_TXT]
PAGES = list(MAY_READ["allow-all"])


async def tried(robot: goodbot.Robot, path: str, origin: str = SITE) -> bool:
    """Return whether a page was visited, refused or deferred."""
    try:
        return bool(await robot.visit(origin + path))
    except (Disallowed, Deferred):
        return False


@pytest.mark.parametrize("one", OF_ROBOTS_TXT, ids=lambda one: one.name)
def test_the_robot_does_what_the_table_says(one: Behaviour) -> None:
    """It fetches what it may and nothing else, whatever robots.txt is like."""
    site, store = site_behaving_as(one.name), MemoryStore()

    async def main() -> None:
        async with robot_at(site, store=store) as robot:
            policy = await robot.policy(SITE)
            assert policy.access == one.access
            read = [path for path in PAGES if await tried(robot, path)]
            assert read == list(MAY_READ[one.access])
            for path in PAGES:
                assert bool(await robot.may_fetch(SITE + path)) == (path in read)

    run(main())
    pages = [visit.path for visit in site.visits if not visit.path.endswith(ROBOTS_TXT)]
    assert pages == list(MAY_READ[one.access])
    assert no_lease_is_out(store)
    assert all(gap >= one.crawl_delay for gap in gaps(site.visits)[len(site.visits) - 2 :])


@pytest.mark.parametrize(
    ("name", "seconds"), [("unavailable", 300), ("broken", 300), ("too-many-requests", 300)]
)
def test_what_is_shut_is_asked_again_later(name: str, seconds: int) -> None:
    """Not before the time that the policy states, and then only once."""
    site = site_behaving_as(name)

    async def main() -> None:
        async with robot_at(site) as robot:
            for _ in range(10):
                assert not await tried(robot, "/public")
            assert len(site.visits) == 1
            policy = await robot.policy(SITE)
            assert (policy.fresh_until - site.clock.now()).total_seconds() >= seconds
            await site.clock.sleep((policy.fresh_until - site.clock.now()).total_seconds() + 1)
            assert not await tried(robot, "/public")

    run(main())
    assert len(site.visits) == 2


def test_a_site_that_changes_is_asked_again_and_obeyed() -> None:
    """The behaviour `changes`: forbidden from the second response on."""
    site = site_behaving_as("changes")

    async def main() -> None:
        async with robot_at(site) as robot:
            assert await tried(robot, "/public")
            await site.clock.sleep(300)
            assert not await tried(robot, "/public")

    run(main())
    assert [visit.path for visit in site.visits] == [ROBOTS_TXT, "/public", ROBOTS_TXT]


def test_a_large_file_counts_up_to_the_limit() -> None:
    """The behaviour `large`: the end is not read, and half a line is not a rule."""
    site = site_behaving_as("large")

    async def main() -> None:
        async with robot_at(site) as robot:
            assert await robot.may_fetch(f"{SITE}/behind-the-limit/")
            assert not await robot.may_fetch(f"{SITE}/private/")

    run(main())


def test_a_file_that_is_cut_has_whole_lines() -> None:
    """`Allow: /private/open` cut to `Allow: /private` would be another rule."""
    head = b"User-agent: *\nDisallow: /private/\n"
    tail = b"Allow: /private/open/door\n"
    for room in range(len(tail)):
        body = head + b"#" * (1024 * 1024 - len(head) - room - 1) + b"\n" + tail
        site = site_with(body)

        async def main(site: FakeSite = site) -> None:
            async with robot_at(site) as robot:
                assert not await robot.may_fetch(f"{SITE}/private/x")

        run(main())


def test_a_busy_page_is_left_alone_for_as_long_as_it_says() -> None:
    """The behaviour `busy-page`."""
    site = site_behaving_as("busy-page")

    async def main() -> None:
        async with robot_at(site) as robot:
            assert (await robot.visit(f"{SITE}/busy")).response.status == 429
            assert (await robot.visit(f"{SITE}/busy")).response.status == 200

    run(main())
    assert gaps(site.visits)[-1] >= 5


@pytest.mark.parametrize("name", ["meta-nofollow", "header-nofollow"])
def test_links_that_are_not_to_be_followed_say_so(name: str) -> None:
    """The behaviours of pages: the visit has the page, and the page its verdict."""
    site = site_behaving_as(name)

    async def main() -> Visit:
        async with robot_at(site) as robot:
            return await robot.visit(f"{SITE}/{name}")

    visit = run(main())
    assert visit.page.links
    assert not visit.page.follow
    assert not any(link.follow for link in visit.page.links)
    assert visit.page is visit.page


# Cancelled.


@examples(80, deadline=None)
@given(
    rounds=st.integers(0, 60),
    seconds=st.sampled_from([0.0, 0.0, 1.0, 7.5, 9.0, 12.0]),
    tasks=st.integers(1, 4),
)
def test_a_cancellation_at_any_await_loses_no_lease(
    rounds: int, seconds: float, tasks: int
) -> None:
    """After any number of rounds of the loop; then another visit works as if nothing happened."""
    moved = Answer(status=302, headers=[("Location", "/slow")])
    site = site_with(Answer(body=b"User-agent: *\nCrawl-delay: 7", seconds=1), go=moved)
    site.routes["/slow"] = Answer(seconds=3)
    store = MemoryStore()

    async def main() -> None:
        async with robot_at(site, store=store) as robot:
            visits = [asyncio.ensure_future(robot.visit(f"{SITE}/go")) for _ in range(tasks)]
            if seconds:
                await site.clock.sleep(seconds)
            for _ in range(rounds):
                await asyncio.sleep(0)
            for visit in visits:
                visit.cancel()
            await asyncio.wait(visits)
            assert no_lease_is_out(store)
            assert await robot.visit(f"{SITE}/a")
        assert no_lease_is_out(store)

    run(main())
    starts = [visit.monotonic for visit in site.visits if visit.path != ROBOTS_TXT]
    assert all(after - before >= 7 for before, after in pairwise(starts))


def test_a_fetch_that_is_cancelled_was_a_visit() -> None:
    """The next visit waits for the pace, but no failure is counted."""
    site = site_with("User-agent: *\nCrawl-delay: 7", slow=Answer(seconds=20))
    store = MemoryStore()

    async def main() -> None:
        async with robot_at(site, store=store) as robot:
            visit = asyncio.ensure_future(robot.visit(f"{SITE}/slow"))
            await site.clock.sleep(10)
            assert len(site.visits) == 2
            visit.cancel()
            await asyncio.wait({visit})
            turn = await robot.when(f"{SITE}/a")
            assert (turn.reason, turn.wait) == ("crawl-delay", 7)
            assert store.visits(SITE).failures == 0

    run(main())


@pytest.mark.parametrize("rounds", range(0, 40, 3))
def test_a_store_in_a_file_loses_no_lease_either(tmp_path: Any, rounds: int) -> None:  # noqa: ANN401
    """The calls of the store are made in threads, and completed."""
    site = site_with("User-agent: *\nCrawl-delay: 0")

    async def main() -> None:
        with SQLiteStore(tmp_path / "robot.db") as store:
            async with robot_at(site, store=store) as robot:
                visit = asyncio.ensure_future(robot.visit(f"{SITE}/a"))
                for _ in range(rounds):
                    await asyncio.sleep(0.0005)
                visit.cancel()
                await asyncio.wait({visit})
                lease = store.acquire(SITE, site.clock.now(), 60, "another")
                assert lease or lease.reason != "leased"

    run(main())


# On loopback.


@pytest.mark.parametrize("one", OF_ROBOTS_TXT, ids=lambda one: one.name)
def test_real_sites_are_visited_as_the_table_says(one: Behaviour) -> None:
    """With sockets: aiohttp, and private addresses only with permission."""
    manners = Manners(default=0.0, factor=0.0, back_off_first=0.0)
    timeout = 0.5 if one.name == "slow-drip" else HANGS

    async def main() -> None:
        async with LoopbackSite(one.name) as site:
            robot = goodbot.Robot(
                "ExampleBot/1.0", **ME, manners=manners, allow_private=True, timeout=timeout
            )
            async with robot:
                assert (await robot.policy(site.origin)).access == one.access
                assert not await tried(robot, "/private/secret", site.origin) or (
                    one.access == "allow-all"
                )
            assert all(visit.field("from") == ME["contact"] for visit in site.visits)
            assert bool(site.visits_to("/private/secret")) == (one.access == "allow-all")
            judgement = judged(replace(one, crawl_delay=0.0), site.visits)
            assert not judgement
            assert not judgement.open

    run(main())


def test_private_addresses_are_not_asked_without_leave() -> None:
    """And a robots.txt that was not fetched allows nothing."""

    async def main() -> None:
        async with LoopbackSite() as site:
            async with goodbot.Robot("ExampleBot/1.0", **ME) as robot:
                verdict = await robot.may_fetch(f"{site.origin}/public")
                assert (verdict.allowed, verdict.reason) == (False, "failure-private-address")
            assert not site.visits

    run(main())


def test_a_blocking_robot_visits_a_real_site() -> None:
    """The same responses and exceptions, from another thread."""

    def work(origin: str) -> None:
        manners = Manners(default=0.0, factor=0.0)
        with blocking.Robot("ExampleBot/1.0", **ME, allow_private=True, manners=manners) as robot:
            assert robot.may_fetch(f"{origin}/public")
            assert robot.policy(origin).access == "rules"
            assert robot.when(f"{origin}/public").reason in ("crawl-delay", "nothing")
            with pytest.raises(Disallowed):
                robot.visit(f"{origin}/private/secret")
            with pytest.raises(Deferred):
                robot.visit(f"{origin}/public", longest_wait=0)
            assert robot.identity.product in repr(robot)
        with pytest.raises(goodbot.MisuseError, match="with Robot"):
            robot.may_fetch(f"{origin}/public")
        with pytest.raises(goodbot.MisuseError, match="once"), robot:
            pass

    async def main() -> None:
        async with LoopbackSite() as site:
            await asyncio.to_thread(work, site.origin)
            assert len(site.visits) == 1

    run(main())


def test_a_blocking_robot_that_is_closed_gives_leases_back() -> None:
    """Even while another thread waits for a response."""
    import threading  # noqa: PLC0415

    started, store, told = threading.Event(), MemoryStore(), []

    async def hang(_: Any) -> str:  # noqa: ANN401
        started.set()
        await asyncio.sleep(3600)
        return ""

    site = FakeSite({"/robots.txt": hang})
    robot = blocking.Robot("ExampleBot/1.0", **ME, fetcher=site, store=store)

    def ask() -> None:
        try:
            robot.may_fetch(f"{SITE}/a")
        except goodbot.MisuseError as error:
            told.append(str(error))

    with robot:
        thread = threading.Thread(target=ask)
        thread.start()
        assert started.wait(HANGS)
    thread.join(HANGS)
    assert "closed" in told[0]
    assert no_lease_is_out(store)


def test_limits_of_a_robot_are_those_of_each_request() -> None:
    """A page that takes longer fails; robots.txt may have 1 MB."""
    seen: list[Limits] = []

    class Noting(FakeSite):
        async def fetch(self, url: str, **options: Any) -> Any:  # noqa: ANN401
            seen.append(options["limits"])
            return await super().fetch(url, **options)

    site = Noting({"/a": Answer(seconds=6)})

    async def main() -> None:
        async with robot_at(site, timeout=5) as robot:
            with pytest.raises(goodbot.FetchError, match="timed out"):
                await robot.visit(f"{SITE}/a")

    run(main())
    assert [(one.seconds, one.bytes) for one in seen] == [(5, 1024**2), (5, 8 * 1024**2)]
