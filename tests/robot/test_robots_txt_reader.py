"""A robot that names no operator: it reads robots.txt, and visits nothing."""

import pytest

import goodbot
from goodbot.errors import MisuseError
from goodbot.robot.robot import RobotsTxtReader
from goodbot.testing import FakeClock, FakeSite
from tests.support.robot_sites import SITE, run


def test_it_reads_robots_txt_as_goodbot_alone() -> None:
    """Its one request has no From, and its User-Agent has neither a page nor an address."""
    clock = FakeClock()
    site = FakeSite({"/robots.txt": "User-agent: *\nDisallow: /private"}, clock=clock)

    async def main() -> None:
        async with RobotsTxtReader(fetcher=site, clock=clock) as reader:
            assert not await reader.may_fetch(f"{SITE}/private")
            assert (await reader.policy(SITE)).is_answer
            with pytest.raises(MisuseError, match="make a Robot with info_url= and contact="):
                await reader.visit(f"{SITE}/a")
            with pytest.raises(MisuseError, match="make a Robot with info_url= and contact="):
                reader.attempt(f"{SITE}/a")

    run(main())
    (visit,) = site.visits
    sent = dict(visit.headers)
    assert sent["User-Agent"] == f"goodbot/{goodbot.__version__}"
    assert "From" not in sent
