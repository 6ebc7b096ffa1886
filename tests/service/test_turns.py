"""Turns for workers that make their requests themselves: as polite as a robot of ours."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from goodbot.errors import StoreUnavailableError
from goodbot.service import Service
from goodbot.service.turns import LEASE_SECONDS
from goodbot.store import MemoryStore, SQLiteStore
from goodbot.testing import FakeSite
from tests.support.live_sites import assert_nothing_held
from tests.support.robot_sites import OTHER, SITE, is_free, no_lease_is_out, run, site_with
from tests.support.service_client import Answered, open_service, request

RULES = (
    "User-agent: *\nDisallow: /private\nCrawl-delay: 5\n\nUser-agent: SlowBot\nCrawl-delay: 60\n"
)


def told(site: FakeSite, steps: Callable[[Service], Awaitable[Any]], **options: Any) -> Any:  # noqa: ANN401  of many types
    """Return what some steps return, of a service with some options."""

    async def main() -> Any:  # noqa: ANN401  as above
        async with open_service(site, **options) as service:
            return await steps(service)

    return run(main())


async def begin(service: Service, url: str = f"{SITE}/a", **more: Any) -> Answered:  # noqa: ANN401  as JSON has it
    """Request a turn."""
    return await request(service, "POST", "/v1/turns", {"url": url, **more})


async def end(service: Service, begun: Answered, **said: Any) -> Answered:  # noqa: ANN401  as JSON has it
    """End a turn."""
    return await request(service, "POST", f"/v1/turns/{begun.json['id']}", said)


def test_a_turn_has_a_lease_and_its_end_the_next_visit() -> None:
    """By the rule of the site."""
    site, store = site_with(RULES), MemoryStore()

    async def steps(service: Service) -> None:
        begun = await begin(service, robot="ExampleBot", wait=10)
        assert begun.status == 201
        turn = begun.json
        assert begun.headers["location"] == f"/v1/turns/{turn['id']}"
        assert (turn["turn"], turn["send"], turn["robot"]) == ("granted", f"{SITE}/a", "ExampleBot")
        lasts = datetime.fromisoformat(turn["lease_until"]) - datetime.fromisoformat(
            turn["granted"]
        )
        assert lasts.total_seconds() == LEASE_SECONDS
        ended = await end(service, begun, status=200, seconds=0.5, bytes=1_000)
        assert ended.status == 200
        after = ended.json["next_visit"]
        assert (after["wait"], after["reason"], after["line"]) == (5.0, "crawl-delay", 3)
        assert no_lease_is_out(store)

    told(site, steps, store=store)


def test_the_first_turn_waits_for_the_pace_behind_robots_txt() -> None:
    """Its fetch is a visit, too: a turn that comes later says when, and by which rule."""
    site = site_with(RULES)

    async def steps(service: Service) -> None:
        await request(service, "POST", "/v1/verdicts", {"urls": [SITE]})
        early = await begin(service)
        assert early.status == 200
        assert early.json["turn"] == "later"
        assert early.json["reason"] == "crawl-delay"
        assert "robots.txt line 3 asks for 5 seconds between visits" in early.json["sentence"]
        then = datetime.fromisoformat(early.json["not_before"])
        assert then == site.clock.now() + timedelta(seconds=5)
        queued = await begin(service, wait=10)
        assert (queued.json["turn"], queued.json["waited_for"]) == ("granted", "crawl-delay")
        assert site.clock.now() >= then

    told(site, steps)


def test_no_turn_is_early_whoever_asks() -> None:
    """A hundred workers of two robots keep the pace of each, one at a time."""
    site = site_with(RULES)

    async def steps(service: Service) -> list[tuple[str, float, float]]:
        done: list[tuple[str, float, float]] = []

        async def work(robot: str) -> None:
            for _ in range(5):
                while (begun := await begin(service, robot=robot, wait=60)).json[
                    "turn"
                ] != "granted":
                    await site.clock.sleep(1)
                start = site.clock.monotonic()
                await site.clock.sleep(0.25)
                await end(service, begun, status=200, seconds=0.25)
                done.append((robot, start, site.clock.monotonic()))

        await asyncio.gather(*[work("ExampleBot") for _ in range(6)], work("SlowBot"))
        return done

    done = sorted(told(site, steps), key=lambda one: one[1])
    assert len(done) == 35
    for before, after in pairwise(done):
        assert after[1] - before[2] >= (60 if after[0] == "SlowBot" else 5)


def test_what_may_not_be_fetched_gets_no_turn() -> None:
    """Nor does what the operator has blocked, or paused."""

    async def steps(service: Service) -> None:
        refused = (await begin(service, f"{SITE}/private")).json
        assert (refused["turn"], refused["verdict"]) == ("refused", "disallowed")
        assert (refused["reason"], refused["line"]) == ("rule-disallows", 2)
        await service._robot.block(f"{SITE}/b", "theirs")  # noqa: SLF001  as another process would
        await service._robot.pause(OTHER)  # noqa: SLF001  as above
        assert (await begin(service, f"{SITE}/b")).json["reason"] == "operator-block"
        paused = (await begin(service, f"{OTHER}/a", wait=5)).json
        assert (paused["turn"], paused["reason"]) == ("later", "operator-pause")

    told(site_with(RULES), steps)


def test_a_robot_that_fetches_is_never_laxer_than_the_literal_reading() -> None:
    """AdsBot-Google ignores the group for *; a worker that uses its name does not."""

    async def steps(service: Service) -> None:
        refused = (await begin(service, robot="AdsBot-Google")).json
        assert refused["turn"] == "refused"

    told(site_with("User-agent: *\nDisallow: /"), steps)


@pytest.mark.parametrize(
    ("said", "reason", "wait"),
    [
        ({"status": 429, "retry_after": "120"}, "retry-after", 120),
        ({"status": 503, "retry_after": "Thu, 01 Jan 2026 01:00:00 GMT"}, "retry-after", 3_400),
        ({"status": 503}, "back-off", 5),
        ({"status": 200}, "crawl-delay", 5),
        ({"status": None, "failure": "timeout"}, "crawl-delay", 5),
        ({"status": None, "failure": "cancelled"}, "crawl-delay", 5),
    ],
)
def test_what_came_decides_the_next_turn(said: dict[str, Any], reason: str, wait: float) -> None:
    """Retry-After and overload count as they do for a robot of ours."""

    async def steps(service: Service) -> Any:  # noqa: ANN401  as JSON has it
        begun = await begin(service, wait=10)
        return (await end(service, begun, seconds=0.1, **said)).json["next_visit"]

    after = told(site_with(RULES), steps)
    assert after["reason"] == reason
    assert after["wait"] >= wait


@pytest.mark.parametrize(("failure", "failing"), [("timeout", 1), ("cancelled", 0)])
def test_what_a_worker_cancelled_is_no_failure_of_the_site(failure: str, failing: int) -> None:
    """It says nothing about the server."""

    async def steps(service: Service) -> int:
        begun = await begin(service, wait=10)
        await end(service, begun, status=None, failure=failure)
        return len(service._robot._context.store.visits(SITE).failing)  # noqa: SLF001  it shows there

    assert told(site_with(RULES), steps) == failing


def test_a_slow_answer_makes_the_next_turn_later() -> None:
    """Manners depend on the seconds that the worker reports."""

    async def steps(service: Service) -> list[float]:
        waits = []
        for seconds in (0.0, 8.0):
            begun = await begin(service, wait=60)
            await service._robot._clock.sleep(8)  # noqa: SLF001  the clock of the test
            ended = await end(service, begun, status=200, seconds=seconds)
            waits.append(ended.json["next_visit"]["wait"])
        return waits

    quick, slow = told(site_with(""), steps)
    assert slow > quick


def test_a_turn_that_was_not_used_is_no_visit() -> None:
    """The next one is not later for it."""

    async def steps(service: Service) -> None:
        begun = await begin(service, wait=10)
        ended = await end(service, begun, unused=True)
        assert ended.json["next_visit"]["now"]
        assert (await begin(service)).json["turn"] == "granted"

    told(site_with(RULES), steps)


def test_a_lease_that_expires_counts_as_a_visit_as_long() -> None:
    """A worker that dies keeps nobody away for longer, and makes nobody early."""
    site = site_with(RULES)

    async def steps(service: Service) -> None:
        lost = await begin(service, wait=10)
        assert (await begin(service)).json["reason"] == "leased"
        await site.clock.sleep(LEASE_SECONDS)
        early = (await begin(service)).json
        assert (early["turn"], early["reason"]) == ("later", "lost")
        await site.clock.sleep(5)
        now = await begin(service)
        assert now.json["turn"] == "granted"
        # The one that came late is heard: nobody visits earlier than it was told.
        late = await end(service, lost, status=429, retry_after="3600")
        assert late.status == 200
        await end(service, now, status=200)
        asked = (await begin(service, wait=60)).json
        assert asked["turn"] == "later"
        then = datetime.fromisoformat(asked["not_before"])
        assert then > site.clock.now() + timedelta(seconds=3_500)

    told(site, steps)


def test_an_unknown_turn_is_404() -> None:
    """Each ends once."""

    async def steps(service: Service) -> None:
        begun = await begin(service, wait=10)
        assert (await end(service, begun, status=200)).status == 200
        again = await end(service, begun, status=200)
        assert (again.status, again.json["type"]) == (404, "/v1/problems/unknown-turn")
        assert (await request(service, "GET", "/v1/turns/x")).status == 405

    told(site_with(RULES), steps)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({}, "'status' is missing"),
        ({"status": "200"}, "an integer"),
        ({"status": True}, "an integer"),
        ({"status": 99}, "from 100 to 999"),
        ({"status": 200, "seconds": -1}, "from 0 to"),
        ({"status": 200, "bytes": -1}, "from 0 to"),
        ({"status": None, "failure": "nothing"}, "must be one of"),
        ({"status": 429, "retry_after": "1" * 300}, "256 characters"),
        ({"status": 200, "unused": True}, "alone"),
        ({"status": 200, "state": "done"}, "the keys are status"),
    ],
)
def test_a_wrong_end_leaves_the_turn_as_it_was(said: dict[str, Any], words: str) -> None:
    """It can be ended again, correctly."""

    async def steps(service: Service) -> None:
        begun = await begin(service, wait=10)
        wrong = await end(service, begun, **said)
        assert wrong.status == 400
        assert words in wrong.json["detail"]
        assert (await end(service, begun, status=200)).status == 200

    told(site_with(RULES), steps)


@pytest.mark.parametrize(
    "content",
    [{}, {"url": "nonsense"}, {"url": SITE, "robot": ""}, {"url": SITE, "wait": 61}, {"url": 1}],
)
def test_a_wrong_question_gets_no_turn(content: object) -> None:
    """Nothing is requested."""
    site = site_with(RULES)

    async def steps(service: Service) -> Answered:
        return await request(service, "POST", "/v1/turns", content)

    assert told(site, steps).status == 400
    assert site.visits == []


def test_clients_that_leave_leak_no_lease() -> None:
    """While they wait in the queue, and just as the turn is theirs."""
    site, store = site_with(RULES), MemoryStore()
    asked = 0

    def leaves() -> bool:
        nonlocal asked
        asked += 1
        return asked % 3 == 0

    async def steps(service: Service) -> None:
        await request(service, "POST", "/v1/verdicts", {"urls": [SITE]})
        content = {"url": f"{SITE}/a", "wait": 60}
        for _ in range(10):
            await asyncio.gather(
                *[request(service, "POST", "/v1/turns", content, leaves=leaves) for _ in range(50)]
            )
        await service._turns.give_back(("", {}))  # type: ignore[union-attr] # noqa: SLF001  none: nothing
        for number in list(service._turns._out):  # type: ignore[union-attr] # noqa: SLF001  those that were told
            await request(service, "POST", f"/v1/turns/{number}", {"unused": True})
        assert no_lease_is_out(store)
        await site.clock.sleep(60)
        assert is_free(store, site.clock.now())

    told(site, steps, store=store)


class LostStore(MemoryStore):
    """A store whose disk is gone from some time on."""

    is_lost = False

    def release(self, *given: Any, **more: Any) -> bool:  # noqa: ANN401  as MemoryStore has it
        """Fail once it is lost."""
        self.refuse()
        return super().release(*given, **more)

    def acquire(self, *given: Any, **more: Any) -> Any:  # noqa: ANN401  as above
        """Fail once it is lost."""
        self.refuse()
        return super().acquire(*given, **more)

    def refuse(self) -> None:
        """Fail once it is lost."""
        if self.is_lost:
            message = "robots.db cannot be written; check its disk"
            raise StoreUnavailableError(message)


def test_no_turn_without_a_store_and_an_end_can_be_sent_again() -> None:
    """503: never permission."""
    store = LostStore()

    async def steps(service: Service) -> None:
        begun = await begin(service, wait=10)
        store.is_lost = True
        assert (await end(service, begun, status=200)).status == 503
        assert (await begin(service, f"{OTHER}/a", wait=10)).status == 503
        store.is_lost = False
        assert (await end(service, begun, status=200)).status == 200

    told(site_with(RULES), steps, store=store)


def test_too_many_turns_are_429(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until some end."""
    monkeypatch.setattr("goodbot.service.turns.MOST_TURNS", 2)

    async def steps(service: Service) -> None:
        first = await begin(service, "https://1.example/", wait=20)
        await begin(service, "https://2.example/", wait=20)
        assert (await begin(service, "https://3.example/", wait=20)).status == 429
        await end(service, first, status=200)
        assert (await begin(service, "https://3.example/", wait=20)).status == 201

    told(site_with(RULES), steps)


def test_a_shared_file_keeps_one_pace_for_two_services(tmp_path: Path) -> None:
    """Each has a store of its own in one file."""
    path = tmp_path / "robots.db"
    site = site_with(RULES)

    async def main() -> None:
        with SQLiteStore(path) as one, SQLiteStore(path) as other:
            async with (
                open_service(site, store=one) as first,
                open_service(site, store=other) as second,
            ):
                begun = await begin(first, wait=10)
                assert (await begin(second)).json["reason"] == "leased"
                await end(first, begun, status=200)
                assert (await begin(second)).json["reason"] == "crawl-delay"
                begun = await begin(second, wait=10)
                await end(second, begun, unused=True)

    run(main())
    assert len(site.visits) == 1
    assert_nothing_held(path)
