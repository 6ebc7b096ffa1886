"""The times at which a robot requests robots.txt and pages: the conformance cases, and more."""

import asyncio
from contextlib import suppress
from typing import Any

import pytest

from goodbot.pace import Manners
from goodbot.robot import Deferred
from goodbot.store import MemoryStore
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support import conformance_cases as data
from tests.support.robot_sites import OTHER, SITE, gaps, robot_at, run, site_with

CASES = data.cases("robot")


def sites_of(case: data.Case) -> FakeSite:
    """Build the two origins of a case."""
    sites: dict[str, Any] = case.get("sites", {})

    def said_by(visit: Any) -> Answer:  # noqa: ANN401
        said = sites.get(SITE if visit.url.startswith(SITE) else OTHER, {})
        if visit.path == "/robots.txt" and "moved" in said:
            return Answer(status=301, headers=[("Location", said["moved"])])
        headers = [("Cache-Control", f"max-age={said['max_age']}")] if "max_age" in said else []
        lines = ["User-agent: *", *said.get("lines", [])]
        return Answer(headers=headers, body="\n".join(lines).encode())

    def moved(visit: Any) -> Answer:  # noqa: ANN401
        leading = next(one for one in sites.values() if "moved" in one)
        lines = ["User-agent: *", *leading["lines"]]
        assert visit.url == leading["moved"]
        return Answer(body="\n".join(lines).encode())

    pages = {"/a": "A", "/b": "B"}
    return FakeSite({"/robots.txt": said_by, "/moved.txt": moved, **pages}, clock=FakeClock())


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_requests_come_at_their_turn(case: data.Case) -> None:
    """Each request of a case starts at its second, and there is no other."""
    site = sites_of(case)

    async def task(robot: Any, at: float, url: str) -> None:  # noqa: ANN401
        await site.clock.sleep(at)
        await robot.visit(url)

    async def main() -> None:
        async with robot_at(site) as robot:
            await asyncio.gather(*(task(robot, at, url) for at, url in case["tasks"]))

    run(main())
    made = [(visit.url, round(visit.monotonic, 3)) for visit in site.visits]
    expected = [
        (url, float(at)) for url, _, at in (one.partition(" @") for one in case["requests"])
    ]
    assert sorted(made) == sorted(expected)


def test_manners_longer_than_a_question_waits_are_kept_within_redirects() -> None:
    """A redirect of robots.txt is followed, however long the robot's own pause is."""
    site = FakeSite(
        {
            "/robots.txt": Answer(status=301, headers=[("Location", "/moved.txt")]),
            "/moved.txt": "User-agent: *\nDisallow: /b",
            "/a": "A",
        },
        clock=FakeClock(),
    )

    async def main() -> None:
        async with robot_at(site, manners=Manners(default=90.0), timeout=30) as robot:
            assert await robot.visit(f"{SITE}/a")

    run(main())
    assert [visit.path for visit in site.visits] == ["/robots.txt", "/moved.txt", "/a"]
    assert min(gaps(site.visits)) >= 90


def test_a_delay_longer_than_the_file_lives_does_not_lock_who_comes_late() -> None:
    """A robot that starts once a day reaches the page, although the file is a day old by then."""
    site = site_with("User-agent: *\nCrawl-delay: 108000")
    store = MemoryStore()

    async def main() -> None:
        for _ in range(4):
            async with robot_at(site, store=store) as robot:
                with suppress(Deferred):
                    await robot.visit(f"{SITE}/a", longest_wait=600)
            await site.clock.sleep(86_500)

    run(main())
    assert [visit.path for visit in site.visits][:2] == ["/robots.txt", "/a"]
    assert gaps(site.visits)[0] >= 108_000


def test_who_may_not_wait_is_told_when_robots_txt_may_be_requested() -> None:
    """A task that may wait longer gets a result even if another gives up."""
    old = Answer(headers=[("Cache-Control", "max-age=300")], body=b"User-agent: *\nCrawl-delay: 1")
    site = site_with(old)

    async def main() -> None:
        async with robot_at(site) as robot:
            await robot.may_fetch(f"{SITE}/a")
            await site.clock.sleep(299)
            await robot.visit(f"{SITE}/a")
            await site.clock.sleep(2)
            hasty = asyncio.ensure_future(robot.visit(f"{SITE}/a", longest_wait=0))
            patient = asyncio.ensure_future(robot.may_fetch(f"{SITE}/a"))
            with pytest.raises(Deferred) as caught:
                await hasty
            assert caught.value.reason == "manners"
            assert caught.value.until is not None
            assert (caught.value.until - site.clock.now()).total_seconds() == pytest.approx(8)
            assert await patient

    run(main())
    assert [visit.path for visit in site.visits] == ["/robots.txt", "/a", "/robots.txt"]
    assert gaps(site.visits)[1] >= 10
