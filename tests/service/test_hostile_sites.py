"""Sites of every behaviour behind the service, on loopback: no answer is laxer than the table."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any, cast

import pytest

from goodbot.net import AiohttpFetcher
from goodbot.pace import Manners
from goodbot.robot import RobotsTxtReader
from goodbot.service import Service
from goodbot.store import MemoryStore
from goodbot.testing import BEHAVIOURS, LoopbackSite
from goodbot.testing.behaviours import ROBOTS_TXT
from goodbot.testing.judging import MAY_READ
from goodbot.testing.steps import LoopbackVisit, ScriptStep, always
from tests.support.fetching import Names
from tests.support.live_sites import behaviour_of
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


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("http://127.0.0.2:{port}/robots.txt", "failure-private-address"),
        ("http://rebound.example:{port}/robots.txt", "failure-private-address"),
        ("http://169.254.169.254/latest/meta-data", "failure-private-address"),
        ("http://[::ffff:127.0.0.2]:{port}/robots.txt", "failure-private-address"),
        ("http://public.example:25/robots.txt", "failure-blocked-port"),
        ("http://public.example:6379@127.0.0.2/", "failure-private-address"),
        ("file:///etc/passwd", "redirect-to-other-scheme"),
        ("gopher://127.0.0.1:{port}/_x", "redirect-to-other-scheme"),
    ],
)
@pytest.mark.parametrize("by", ["redirect", "question"])
def test_the_service_cannot_be_made_to_ask_elsewhere(by: str, target: str, reason: str) -> None:
    """By a redirect of robots.txt or by the question: nothing is sent, and nothing is revealed."""

    async def main() -> None:
        names = Names(["127.0.0.2"])
        fetcher = AiohttpFetcher(allow_networks=["127.0.0.1/32"], resolver=names)
        reader = RobotsTxtReader(fetcher=fetcher, manners=QUICK)
        where: list[str] = []

        def moved(visit: LoopbackVisit) -> Iterator[ScriptStep]:
            return always(302, b"", f"Location: {where[0]}")(visit)

        site = LoopbackSite(behaviour_of(moved))
        async with site, fetcher, Service(reader) as service:
            where.append(target.format(port=site.origin.rpartition(":")[2]))
            url = f"{site.origin}/a" if by == "redirect" else where[0]
            answer = await request(service, "POST", "/v1/verdicts", {"urls": [url]})
            [row] = answer.json["verdicts"]
            assert (row["verdict"], row["allowed"]) == ("unknown", False)
            is_url = by == "redirect" or reason.startswith("failure")
            assert row["reason"] == (reason if is_url else "no-origin")
            turn = await request(service, "POST", "/v1/turns", {"url": url})
            assert turn.status == 400 or turn.json["turn"] == "refused"
            assert all(visit.target == ROBOTS_TXT for visit in site.visits)
            assert len(site.visits) == (by == "redirect")
            if "127.0.0.2" not in where[0]:
                assert b"127.0.0.2" not in answer.body

    run(main())
