"""Sites of every behaviour behind the service, on loopback: no answer is laxer than the table."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any, cast

from goodbot.net import AiohttpFetcher
from goodbot.pace import Manners
from goodbot.robot import RobotsTxtReader
from goodbot.service import Service
from goodbot.store import MemoryStore
from goodbot.testing import BEHAVIOURS, LoopbackSite
from goodbot.testing.behaviours import ROBOTS_TXT
from goodbot.testing.judging import MAY_READ
from tests.support.robot_sites import no_lease_is_out, run
from tests.support.service_client import request

SLOW = "slow-drip"
PATHS = list(MAY_READ["allow-all"])
ASKERS = 20
QUICK = Manners(floor=0.01, default=0.01, factor=0)
"""A redirect of robots.txt is another visit."""
OF_ROBOTS_TXT = [one for one in BEHAVIOURS if one.path == ROBOTS_TXT]


async def open_sites(sites: AsyncExitStack) -> dict[str, LoopbackSite]:
    """Open a site of each behaviour of robots.txt, by its name."""
    found = {}
    for one in OF_ROBOTS_TXT:
        found[one.name] = await sites.enter_async_context(LoopbackSite(one.name))
    return found


def test_the_service_says_what_the_table_says() -> None:
    """Many askers at once, of all sites: each is asked once, and only for robots.txt."""

    async def ask(service: Service, urls: list[str], wait: float) -> list[dict[str, Any]]:
        content = {"urls": urls, "robots": ["ExampleBot"], "wait": wait}
        answer = await request(service, "POST", "/v1/verdicts", content)
        return cast("list[dict[str, Any]]", answer.json["verdicts"])

    async def main() -> None:
        store = MemoryStore()
        fetcher = AiohttpFetcher(allow_networks=["127.0.0.0/8"])
        reader = RobotsTxtReader(fetcher=fetcher, store=store, manners=QUICK)
        async with (
            AsyncExitStack() as stack,
            fetcher,
            Service(reader, name="ExampleBot") as service,
        ):
            sites = await open_sites(stack)
            slow = sites.pop(SLOW)
            dripping = asyncio.ensure_future(ask(service, [slow.origin + PATHS[0]], 1))
            urls = [site.origin + path for site in sites.values() for path in PATHS]
            answers = await asyncio.gather(*[ask(service, urls, 60) for _ in range(ASKERS)])
            assert all(rows == answers[0] for rows in answers)
            allowed = {row["url"] for row in answers[0] if row["allowed"]}
            for one in OF_ROBOTS_TXT:
                if one.name == SLOW:
                    continue
                origin = sites[one.name].origin
                found = [path for path in PATHS if origin + path in allowed]
                assert (one.name, found) == (one.name, list(MAY_READ[one.access]))
                asked = [visit.target for visit in sites[one.name].visits]
                assert all(target.endswith(ROBOTS_TXT) for target in asked)
                assert len(asked) == len(set(asked)) or one.name == "redirect-loop"
            [row] = await dripping
            assert (row["verdict"], row["allowed"]) == ("unknown", False)
        assert no_lease_is_out(store)

    run(main())
