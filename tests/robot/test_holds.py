"""Decisions of the operator: a robot leaves blocked places alone, and requests nothing there."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

import goodbot
from goodbot import blocking
from goodbot.policy.holds import Hold, HoldKind
from goodbot.robot import Deferred, Disallowed, Refused
from goodbot.store import MemoryStore, SQLiteStore
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.robot_sites import ME, OTHER, SITE, robot_at, run, site_with


def test_nobody_is_asked_at_a_blocked_site() -> None:
    """Not even robots.txt; the verdict says who decided, when and why."""
    site = site_with("User-agent: *")
    told: list[Any] = []

    async def main() -> None:
        async with robot_at(site, on_event=told.append) as robot:
            await robot.block(f"{SITE}/", "they asked us to", by="ada")
            verdict = await robot.may_fetch(f"{SITE}/a")
            assert (verdict.allowed, verdict.reason) == (False, "operator-block")
            assert verdict.source == f"{SITE} was blocked on 2026-01-01 by ada: they asked us to"
            assert str(verdict) == (f"Disallowed: {verdict.source} (operator-block).")
            for ask in (robot.visit, robot.policy, robot.when):
                with pytest.raises(Disallowed, match="they asked us to"):
                    await ask(f"{SITE}/a")
            assert await robot.visit(f"{OTHER}/a")
            assert await robot.unblock(SITE)
            assert not await robot.unblock(SITE)
            assert await robot.may_fetch(f"{SITE}/a")

    run(main())
    assert [visit.url for visit in site.visits][:2] == [f"{OTHER}/robots.txt", f"{OTHER}/a"]
    assert [one.verdict.reason for one in told if isinstance(one, Refused)] == ["operator-block"]


@pytest.mark.parametrize(
    ("place", "blocked"),
    [
        (f"{SITE}/a", ["/a"]),
        (f"{SITE}/a*", ["/a", "/a/b", "/ab"]),
        (f"{SITE}/x/../a/*", ["/a/b"]),
        ("HTTPS://A.example:443", ["/", "/a", "/a/b", "/ab"]),
    ],
)
def test_a_block_is_of_a_site_or_of_urls(place: str, blocked: list[str]) -> None:
    """A whole site, one URL, or all URLs that begin with it, in any spelling."""
    site = site_with()

    async def main() -> list[str]:
        async with robot_at(site) as robot:
            await robot.block(place, "a test")
            paths = ["/", "/a", "/a/b", "/ab"]
            return [path for path in paths if not await robot.may_fetch(SITE + path)]

    assert run(main()) == blocked


def test_a_redirect_into_a_blocked_place_is_not_followed() -> None:
    """Of a page, and of robots.txt, whose policy then forbids everything."""
    moved = Answer(status=302, headers=[("Location", f"{OTHER}/a")])
    site = FakeSite({f"{SITE}/robots.txt": 404, "/go": moved, "/a": "A"}, clock=FakeClock())

    async def main() -> None:
        async with robot_at(site) as robot:
            await robot.block(OTHER, "a test")
            with pytest.raises(Disallowed) as caught:
                await robot.visit(f"{SITE}/go")
            assert [hop.url for hop in caught.value.hops] == [f"{SITE}/go"]
            site.routes[f"{SITE}/robots.txt"] = Answer(
                status=302, headers=[("Location", f"{OTHER}/robots.txt")]
            )
            await site.clock.sleep(90_000)
            assert not await robot.may_fetch(f"{SITE}/go")

    run(main())
    assert not [visit for visit in site.visits if visit.url.startswith(OTHER)]


def test_a_block_that_comes_while_a_visit_waits_holds() -> None:
    """The decisions are checked again when the turn comes."""
    site = site_with("User-agent: *\nCrawl-delay: 100")

    async def main() -> None:
        async with robot_at(site) as robot:
            await robot.may_fetch(f"{SITE}/a")
            visiting = asyncio.ensure_future(robot.visit(f"{SITE}/a"))
            await site.clock.sleep(50)
            await robot.block(SITE, "a test")
            with pytest.raises(Disallowed):
                await visiting

    run(main())
    assert [visit.path for visit in site.visits] == ["/robots.txt"]


def test_a_paused_site_is_visited_later() -> None:
    """Each visit is deferred until the site is resumed."""
    site = site_with()

    async def main() -> None:
        async with robot_at(site) as robot:
            await robot.pause(SITE, "their sale is today", by="ada")
            for ask in (robot.visit, robot.may_fetch):
                with pytest.raises(Deferred) as caught:
                    await ask(f"{SITE}/a")
                assert (caught.value.reason, caught.value.until) == ("operator-pause", None)
                assert "sale" in str(caught.value)
            assert site.visits == []
            assert await robot.resume(SITE)
            assert await robot.visit(f"{SITE}/a")

    run(main())


def test_what_another_process_decides_holds_within_a_second(tmp_path: Path) -> None:
    """For all robots that share the store, even after their end."""
    site = site_with()

    async def main() -> None:
        with SQLiteStore(tmp_path / "s.db") as ours, SQLiteStore(tmp_path / "s.db") as theirs:
            async with robot_at(site, store=ours) as robot:
                assert await robot.may_fetch(f"{SITE}/a")
                at = site.clock.now()
                theirs.keep_hold(Hold.of(SITE, "block", why="a test", at=at))
                await site.clock.sleep(1)
                assert not await robot.may_fetch(f"{SITE}/a")

    run(main())
    with (
        SQLiteStore(tmp_path / "s.db") as store,
        blocking.Robot("ExampleBot", **ME, store=store, fetcher=site, clock=site.clock) as robot,
    ):
        assert not robot.may_fetch(f"{SITE}/a")
        assert robot.unblock(SITE)
        assert robot.may_fetch(f"{SITE}/a")
        assert robot.block(SITE, "again").scope == SITE
        assert robot.pause(OTHER).kind == "pause"
        assert robot.resume(OTHER)


def test_a_store_without_decisions_says_so() -> None:
    """A robot works with such a store; only a decision raises."""
    store = MemoryStore()

    class Bare:
        """The methods of a store without decisions."""

        at_once = True

        def __init__(self) -> None:
            for name in ("get", "put", "put_many", "history", "in_force", "acquire", "release"):
                setattr(self, name, getattr(store, name))
            self.block, self.visits = store.block, store.visits

    async def main() -> None:
        site = site_with()
        async with robot_at(site, store=Bare()) as robot:
            assert await robot.may_fetch(f"{SITE}/a")
            with pytest.raises(goodbot.MisuseError, match="HoldKeeper"):
                await robot.block(SITE, "a test")

    run(main())


@pytest.mark.parametrize(
    ("place", "kind", "why", "cure"),
    [
        (SITE, "block", " ", "a block needs a reason"),
        (f"{SITE}/a", "pause", "", f"pause {SITE}"),
        ("/a", "block", "x", "absolute"),
    ],
)
def test_what_is_no_decision_is_refused(place: str, kind: HoldKind, why: str, cure: str) -> None:
    """The message says how to fix it."""
    with pytest.raises(goodbot.MisuseError, match=cure):
        Hold.of(place, kind, why=why, at=FakeClock().now())
