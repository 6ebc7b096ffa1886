"""Escapes of unreserved characters: a URL is sent in one spelling, and checked in both."""

import asyncio

import pytest

import goodbot
from goodbot.errors import Disallowed
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.robot_sites import ME, SITE

AS_WRITTEN = goodbot.dialect("rfc9309").replace(escapes=goodbot.dialect("lwp").choices["escapes"])
"""A dialect in which an escape differs from the character that it stands for."""


@pytest.mark.parametrize("rule", ["/b", "/%62"])
def test_either_spelling_forbids(rule: str) -> None:
    """RFC 3986 section 6.2.2.2: both are one URL, whichever one a rule has."""
    moved = Answer(status=301, headers=[("Location", "/%62")])
    rules = f"User-agent: *\nDisallow: {rule}"
    site = FakeSite({"/robots.txt": rules, "/b": "b", "/r": moved}, clock=FakeClock())

    async def ask() -> None:
        robot = goodbot.Robot(
            "ExampleBot/1.0", **ME, fetcher=site, clock=site.clock, dialect=AS_WRITTEN
        )
        async with robot:
            assert not await robot.may_fetch(f"{SITE}/%62")
            assert bool(await robot.may_fetch(f"{SITE}/b")) is (rule != "/b")
            for path in ("/%62", "/r"):
                with pytest.raises(Disallowed):
                    await robot.visit(SITE + path)

    asyncio.run(ask())
    assert site.visits_to(f"{SITE}/b") == []


def test_one_spelling_is_sent() -> None:
    """The normal form; an escaped slash stays escaped."""
    site = FakeSite({"/~a%2Fb": "x"}, clock=FakeClock())

    async def visit() -> str:
        async with goodbot.Robot("ExampleBot/1.0", **ME, fetcher=site, clock=site.clock) as robot:
            return (await robot.visit(f"{SITE}/%7ea%2fb")).url

    assert asyncio.run(visit()) == f"{SITE}/~a%2Fb"
