"""The robot: what it requests, how it waits, and what it reports."""

import asyncio
import logging
import pickle
from typing import Any

import pytest

import goodbot
from goodbot.errors import MisuseError, WrongValueError
from goodbot.pace import Manners
from goodbot.robot import (
    Asked,
    Deferred,
    Disallowed,
    Event,
    Failed,
    Fetched,
    Refused,
    Remark,
    Visit,
    VisitDeferred,
    Waited,
)
from goodbot.store import MemoryStore, SQLiteStore
from goodbot.testing import Answer, FakeClock, FakeSite
from tests.support.robot_sites import OTHER, SITE, gaps, no_lease_is_out, robot_at, run, site_with

RULES = "User-agent: *\nCrawl-delay: 7\nDisallow: /private\n"


# Policies.


def test_many_who_ask_at_once_ask_the_site_once() -> None:
    """Single flight: one request for robots.txt per origin."""
    site = site_with(Answer(body=RULES.encode(), seconds=3))

    async def main() -> None:
        async with robot_at(site) as robot:
            urls = [f"{origin}/private/{n}" for n in range(50) for origin in (SITE, OTHER)]
            verdicts = await asyncio.gather(*(robot.may_fetch(url) for url in urls))
            assert not any(verdicts)
            turns = await asyncio.gather(*(robot.when(url) for url in urls))
            assert {turn.reason for turn in turns} == {"crawl-delay"}

    run(main())
    assert sorted(visit.url for visit in site.visits) == [
        f"{SITE}/robots.txt",
        f"{OTHER}/robots.txt",
    ]


def test_who_is_cancelled_disturbs_nobody() -> None:
    """The others get their result; when none waits any more, the request is cancelled."""
    site = site_with(Answer(body=RULES.encode(), seconds=10))
    store = MemoryStore()

    async def main() -> None:
        async with robot_at(site, store=store) as robot:
            tasks = [asyncio.ensure_future(robot.may_fetch(f"{SITE}/{n}")) for n in range(3)]
            await site.clock.sleep(2)
            tasks[0].cancel()
            done = await asyncio.gather(*tasks, return_exceptions=True)
            assert isinstance(done[0], asyncio.CancelledError)
            assert done[1]
            assert done[2]
            alone = asyncio.ensure_future(robot.policy(f"{OTHER}/"))
            await site.clock.sleep(2)
            alone.cancel()
            await asyncio.wait({alone})
            assert no_lease_is_out(store)
            assert (await robot.policy(f"{OTHER}/")).access == "rules"

    run(main())
    assert len(site.visits) == 3


def test_a_policy_is_used_while_fresh_and_then_asked_about_with_conditions() -> None:
    """One request a day, with If-None-Match; a 304 makes it fresh again (RFC 9111 section 4.3)."""

    def robots_txt(visit: Any) -> Answer:  # noqa: ANN401
        if ("If-None-Match", '"1"') in visit.headers:
            return Answer(status=304)
        return Answer(body=RULES.encode(), headers=[("ETag", '"1"')])

    site = site_with(robots_txt)

    async def main() -> None:
        async with robot_at(site) as robot:
            for hour in range(48):
                assert not await robot.may_fetch(f"{SITE}/private/{hour}")
                await site.clock.sleep(3600)

    run(main())
    assert len(site.visits) == 2
    assert gaps(site.visits) == [86400]


def test_policies_are_kept_in_the_store_for_the_next_robot() -> None:
    """A later robot uses the store first; a policy that must not be stored is not."""
    site = site_with(RULES)
    site.routes[f"{OTHER}/robots.txt"] = Answer(
        body=RULES.encode(), headers=[("Cache-Control", "no-store")]
    )
    store = MemoryStore()

    async def main() -> None:
        for _ in range(2):
            async with robot_at(site, store=store) as robot:
                assert not await robot.may_fetch(f"{SITE}/private")
                assert not await robot.may_fetch(f"{OTHER}/private")
        async with robot_at(site, store=store, dialect="google") as robot:
            assert (await robot.policy(SITE)).dialect.name == "google"

    run(main())
    assert len(site.visits_to(f"{SITE}/robots.txt")) == 2
    assert len(site.visits_to(f"{OTHER}/robots.txt")) == 2
    assert store.get(OTHER) is None


def test_a_record_that_cannot_be_read_is_asked_for_again() -> None:
    """A store of an older version does not stop the robot."""
    site, store = site_with(RULES), MemoryStore()

    async def main() -> None:
        async with robot_at(site, store=store) as robot:
            store.put(SITE, {"access": "allow-all"}, site.clock.now())
            assert not await robot.may_fetch(f"{SITE}/private")

    run(main())
    assert len(site.visits) == 1


def test_a_failure_is_no_permission_and_a_copy_holds_on() -> None:
    """RFC 9309 section 2.3.1.4: unreachable is disallowed, or what was known before."""
    site = site_with(Answer(failure="timeout"))

    async def main() -> None:
        async with robot_at(site) as robot:
            verdict = await robot.may_fetch(f"{SITE}/a")
            assert (verdict.allowed, verdict.reason) == (False, "failure-timeout")
            site.routes["/robots.txt"] = RULES
            await site.clock.sleep(301)
            assert await robot.may_fetch(f"{SITE}/a")
            site.routes["/robots.txt"] = 503
            await site.clock.sleep(86401)
            assert await robot.may_fetch(f"{SITE}/a")
            assert not await robot.may_fetch(f"{SITE}/private")
            assert (await robot.policy(SITE)).reason == "stale-copy"

    run(main())
    assert len(site.visits) == 3


def test_redirects_of_robots_txt_are_followed_to_other_origins() -> None:
    """Five at most; each is a visit to its own site, and the rules apply to the first one."""
    moved = Answer(status=301, headers=[("Location", f"{OTHER}/rules.txt")])
    site = FakeSite({f"{SITE}/robots.txt": moved, f"{OTHER}/rules.txt": RULES})
    store = MemoryStore()

    async def main() -> None:
        async with robot_at(site, store=store) as robot:
            assert not await robot.may_fetch(f"{SITE}/private")
            assert (await robot.policy(SITE)).hops == (f"{OTHER}/rules.txt",)

    run(main())
    assert len(site.visits) == 2
    assert store.visits(SITE).starts
    assert store.visits(OTHER).starts
    assert no_lease_is_out(store)


# Turns.


def test_visits_come_at_the_pace_of_the_site_in_order() -> None:
    """A fetch of robots.txt is a visit, too: the first page waits for the delay."""
    site = site_with(RULES, **{name: Answer(seconds=2) for name in "bcd"})
    told: list[Event] = []

    async def main() -> None:
        async with robot_at(site, on_event=told.append) as robot:
            turn = await robot.when(f"{SITE}/b")
            assert (turn.reason, turn.line, turn.wait) == ("crawl-delay", 2, 7.0)
            await asyncio.gather(*(robot.visit(f"{SITE}/{name}") for name in "bcd"))
            assert (await robot.when(f"{SITE}/b")).wait == 7.0

    run(main())
    assert [visit.path for visit in site.visits] == ["/robots.txt", "/b", "/c", "/d"]
    assert gaps(site.visits) == [pytest.approx(gap, abs=1e-4) for gap in (7, 9, 9)]
    assert min(gaps(site.visits)[1:]) >= 9
    assert [type(one) for one in told].count(Waited) == 3


def test_without_a_pace_manners_hold() -> None:
    """Twice the time of the last document or ten seconds, whichever is longer (Conner 1996)."""
    site = site_with(404, slow=Answer(seconds=20))

    async def main() -> None:
        async with robot_at(site) as robot:
            for name in ("a", "slow", "a"):
                await robot.visit(f"{SITE}/{name}")

    run(main())
    assert gaps(site.visits) == [pytest.approx(gap, abs=1e-4) for gap in (10, 10, 60)]


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_blocks_the_origin(status: int) -> None:
    """No visit comes sooner, for any page (RFC 9110 section 10.2.3)."""
    site = site_with(404, busy=Answer(status=status, headers=[("Retry-After", "3600")]))

    async def main() -> None:
        async with robot_at(site) as robot:
            assert (await robot.visit(f"{SITE}/busy")).response.status == status
            turn = await robot.when(f"{SITE}/a")
            assert (turn.reason, turn.wait) == ("retry-after", 3600)
            with pytest.raises(Deferred) as caught:
                await robot.visit(f"{SITE}/a", longest_wait=600)
            assert caught.value.until == turn.not_before
            await robot.visit(f"{SITE}/a")

    run(main())
    assert gaps(site.visits)[-1] >= 3600


def test_a_question_does_not_wait_for_hours() -> None:
    """During a block by the server, fetching an expired robots.txt is deferred."""
    fields = [("Cache-Control", "max-age=300")]
    site = site_with(Answer(headers=fields, body=b"User-agent: *\nCrawl-delay: 1"))
    site.routes["/busy"] = Answer(status=503, headers=[("Retry-After", "7200")])

    async def main() -> None:
        async with robot_at(site) as robot:
            await robot.visit(f"{SITE}/busy")
            await site.clock.sleep(400)
            with pytest.raises(Deferred) as caught:
                await robot.may_fetch(f"{SITE}/a")
            assert caught.value.reason == "retry-after"
            assert (await robot.visit(f"{SITE}/a")).response.status == 200

    run(main())
    assert [visit.path for visit in site.visits] == ["/robots.txt", "/busy", "/robots.txt", "/a"]
    assert gaps(site.visits)[1] >= 7200


def test_a_robots_txt_that_defers_puts_every_visit_off() -> None:
    """429 for robots.txt: the careful choice, with the time to try again."""
    site = site_with(Answer(status=429, headers=[("Retry-After", "900")]))
    told: list[Event] = []

    async def main() -> None:
        async with robot_at(site, on_event=told.append) as robot:
            with pytest.raises(Deferred, match="try again at 2026-01-01T00:15") as caught:
                await robot.visit(f"{SITE}/a")
            turn = await robot.when(f"{SITE}/a")
            assert turn.not_before == caught.value.until
            assert pickle.loads(pickle.dumps(caught.value)).until == turn.not_before  # noqa: S301

    run(main())
    assert [type(one) for one in told] == [Fetched, Asked, VisitDeferred]


def test_more_than_the_patience_is_not_visited() -> None:
    """The origin is not blocked for ever: robots.txt is fetched again when it is time."""
    site = site_with("User-agent: *\nCrawl-delay: 86400")

    async def main() -> None:
        async with robot_at(site, manners=Manners(patience=60)) as robot:
            with pytest.raises(Deferred) as caught:
                await robot.visit(f"{SITE}/a")
            assert (caught.value.until, caught.value.reason) == (None, "beyond-patience")
            site.routes["/robots.txt"] = "User-agent: *\nCrawl-delay: 1"
            await site.clock.sleep(86400)
            assert await robot.visit(f"{SITE}/a")

    run(main())


def test_the_visit_time_is_waited_for_and_told() -> None:
    """The operator gets that remark once, and every comment (Conner 1996)."""
    text = "User-agent: *\nVisit-time: 0600-0800\nComment: We are small.\nComment: Thank you.\n"
    site = site_with(text)
    remarks: list[Remark] = []

    async def main() -> None:
        async with robot_at(site, on_comment=remarks.append) as robot:
            for _ in range(2):
                await robot.visit(f"{SITE}/a")
            await site.clock.sleep(20 * 3600)
            await robot.visit(f"{SITE}/a")

    run(main())
    pages = site.visits_to("/a")
    assert [f"{visit.at:%H:%M:%S}" for visit in pages][:2] == ["06:00:00", "06:00:10"]
    assert all(6 <= visit.at.hour < 8 or f"{visit.at:%H%M}" == "0800" for visit in pages)
    assert [one.kind for one in remarks] == ["comment", "comment", "visit-time"]
    assert str(remarks[0]) == f"{SITE} says: We are small."


def test_remarks_are_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """Even without a callback."""

    async def main() -> None:
        async with robot_at(site_with("User-agent: *\nComment: Hello.")) as robot:
            await robot.policy(SITE)

    with caplog.at_level(logging.INFO, "goodbot.robot"):
        run(main())
    assert f"{SITE} says: Hello." in caplog.text


def test_that_comments_are_cut_is_said() -> None:
    """All comments go back up to a bound, and then one message says that there are more."""
    remarks: list[Remark] = []
    lines = "\n".join(f"Comment: number {at}" for at in range(150))

    async def main() -> None:
        site = site_with(f"User-agent: *\n{lines}")
        async with robot_at(site, on_comment=remarks.append) as robot:
            await robot.visit(f"{SITE}/a")
            await robot.visit(f"{SITE}/a")

    run(main())
    assert [one.text for one in remarks[:-1]] == [f"number {at}" for at in range(100)]
    assert remarks[-1].kind == "cut"
    assert str(remarks[-1]).startswith(f"{SITE}: more messages than the first 100")


def test_a_callback_that_fails_stops_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """The log reports it, and the visit continues."""

    def broken(_: object) -> None:
        raise RuntimeError

    site, store = site_with("User-agent: *\nComment: Hello."), MemoryStore()

    async def main() -> None:
        async with robot_at(site, store=store, on_event=broken, on_comment=broken) as robot:
            assert await robot.visit(f"{SITE}/a")

    run(main())
    assert no_lease_is_out(store)
    assert "raised when it was called with" in caplog.text


def test_robots_that_share_a_store_are_polite_together() -> None:
    """One visit at a time, at one pace, whichever robot makes it."""
    site, store = site_with(RULES), MemoryStore()

    async def main() -> None:
        async with robot_at(site, store=store) as one, robot_at(site, store=store) as other:
            await asyncio.gather(*(bot.visit(f"{SITE}/a") for bot in (one, other) * 5))

    run(main())
    assert len(site.visits_to("/a")) == 10
    assert min(gaps(site.visits_to("/a"))) >= 7


def test_a_store_in_a_file_serves_as_well(tmp_path: Any) -> None:  # noqa: ANN401
    """Policies and turns persist after the robot's end."""
    site = site_with(RULES)

    async def main() -> None:
        for _ in range(2):
            with SQLiteStore(tmp_path / "robot.db") as store:
                async with robot_at(site, store=store) as robot:
                    await asyncio.gather(*(robot.visit(f"{SITE}/a") for _ in range(3)))

    run(main())
    assert len(site.visits_to("/robots.txt")) == 1
    assert len(site.visits_to("/a")) == 6
    assert min(gaps(site.visits)) >= 7


# Visits.


def test_each_hop_is_asked_about_and_waits_its_turn() -> None:
    """Under the policy of its own origin."""
    site = site_with(RULES)
    site.routes["/go"] = Answer(status=302, headers=[("Location", "/on")])
    site.routes["/on"] = Answer(status=307, headers=[("Location", f"{OTHER}/b")])
    site.routes[f"{OTHER}/robots.txt"] = "User-agent: *\nCrawl-delay: 30"
    site.routes[f"{OTHER}/b"] = "<p>There"

    async def main() -> Visit:
        async with robot_at(site) as robot:
            return await robot.visit(f"{SITE}/go")

    visit = run(main())
    assert [hop.url for hop in visit.hops] == [f"{SITE}/go", f"{SITE}/on", f"{OTHER}/b"]
    assert (visit.outcome, visit.page.text(), bool(visit)) == ("answered", "There", True)
    assert [round(gap) for gap in gaps(site.visits)] == [7, 7, 0, 30]


def test_a_redirect_to_what_is_forbidden_is_not_followed() -> None:
    """Not even to another origin."""
    site = site_with(RULES)
    site.routes["/go"] = Answer(status=301, headers=[("Location", f"{OTHER}/x/../private")])
    told: list[Event] = []

    async def main() -> None:
        async with robot_at(site, on_event=told.append) as robot:
            with pytest.raises(Disallowed) as caught:
                await robot.visit(f"{SITE}/go")
            error = caught.value
            assert error.verdict.url == f"{OTHER}/private"
            assert [hop.url for hop in error.hops] == [f"{SITE}/go"]
            assert isinstance(error, goodbot.GoodbotError)
            assert str(error) == f"{error.verdict.url}: {error.verdict}"

    run(main())
    assert not site.visits_to(f"{OTHER}/private")
    assert isinstance(told[-1], Refused)


@pytest.mark.parametrize(
    ("location", "outcome", "hops"),
    [
        ("/go", "redirect-loop", 1),
        ("/x/../go", "redirect-loop", 1),
        ("/more?0", "redirects-too-many", 11),
        ("mailto:a@b.example", "redirect-to-other-scheme", 1),
        ("https://", "redirect-malformed", 1),
        (None, "redirect-without-location", 1),
    ],
)
def test_a_redirect_that_leads_nowhere_is_the_answer(
    location: str | None, outcome: str, hops: int
) -> None:
    """With the reason."""

    def more(visit: Any) -> Answer:  # noqa: ANN401
        return Answer(status=302, headers=[("Location", f"/more?{int(visit.path[6:]) + 1}")])

    fields = [] if location is None else [("Location", location)]
    site = site_with(404, go=Answer(status=301, headers=fields))
    site.routes |= {f"/more?{n}": more for n in range(20)}

    async def main() -> Visit:
        async with robot_at(site) as robot:
            return await robot.visit(f"{SITE}/go")

    visit = run(main())
    assert (visit.outcome, len(visit.hops), bool(visit)) == (outcome, hops, False)
    assert not visit.page.index


def test_a_fetch_that_fails_is_raised_and_recorded() -> None:
    """One failure concerns its URL; from the third URL in a row on the robot backs off."""
    site, store = site_with(404), MemoryStore()
    site.routes |= {f"/lost{number}": Answer(failure="reset") for number in range(3)}
    told: list[Event] = []

    async def main() -> None:
        async with robot_at(site, store=store, on_event=told.append) as robot:
            for number, reason in enumerate(["manners", "manners", "back-off"]):
                with pytest.raises(goodbot.FetchError) as caught:
                    await robot.visit(f"{SITE}/lost{number}")
                assert caught.value.kind == "reset"
                assert (await robot.when(f"{SITE}/a")).reason == reason
            await robot.visit(f"{SITE}/a")

    run(main())
    assert gaps(site.visits)[-1] >= 30
    assert max(gaps(site.visits)[:-1]) < 11
    assert no_lease_is_out(store)
    failed = next(one for one in told if isinstance(one, Failed))
    assert (failed.url, failed.kind) == (f"{SITE}/lost0", "reset")


def test_a_change_of_robots_txt_while_at_work_is_obeyed() -> None:
    """Even by visits that wait already: the policy must be fresh when the turn comes."""
    site = site_with(Answer(headers=[("Cache-Control", "max-age=600")], body=RULES.encode()))

    async def main() -> None:
        async with robot_at(site) as robot:
            visits = [robot.visit(f"{SITE}/a?{n}") for n in range(200)]

            async def change() -> None:
                await site.clock.sleep(300)
                site.routes["/robots.txt"] = "User-agent: *\nDisallow: /"

            *done, _ = await asyncio.gather(*visits, change(), return_exceptions=True)
            assert 80 < sum(isinstance(one, Visit) for one in done) < 90
            assert all(isinstance(one, (Visit, Disallowed)) for one in done)

    run(main())
    assert [visit.path for visit in site.visits].count("/robots.txt") == 2
    assert site.visits[-1].path == "/robots.txt"


@pytest.mark.parametrize(("delay", "life"), [(3600, 0), (400, 400), (401, 400), (300, 0)])
def test_a_pace_slower_than_robots_txt_lives_does_not_ask_for_ever(delay: int, life: int) -> None:
    """Fetching it takes a turn, so one policy serves the visit that it was fetched for."""
    body = f"User-agent: *\nCrawl-delay: {delay}".encode()
    site = site_with(Answer(headers=[("Cache-Control", f"max-age={life}")], body=body))

    async def main() -> None:
        async with robot_at(site) as robot:
            for _ in range(5):
                await robot.visit(f"{SITE}/a")

    run(main())
    assert [visit.path for visit in site.visits] == ["/robots.txt", "/a"] * 5
    assert min(gaps(site.visits)[::2]) >= delay


def test_nobody_waits_longer_than_it_may() -> None:
    """With 0 a page is visited now or not at all."""
    site = site_with(RULES, slow=Answer(seconds=5))

    async def main() -> None:
        async with robot_at(site) as robot:
            with pytest.raises(Deferred) as caught:
                await robot.visit(f"{SITE}/a", longest_wait=0)
            assert caught.value.reason == "crawl-delay"
            await site.clock.sleep(7)
            first = asyncio.ensure_future(robot.visit(f"{SITE}/slow", longest_wait=0))
            await site.clock.sleep(1)
            with pytest.raises(Deferred, match="come first"):
                await robot.visit(f"{SITE}/a", longest_wait=0)
            assert await first

    run(main())
    assert len(site.visits) == 2


def test_a_jitter_that_is_none_loses_no_lease() -> None:
    """The message says what to pass."""
    site, store = site_with(503), MemoryStore()

    async def main() -> None:
        async with robot_at(site, store=store, manners=Manners(jitter=lambda: 7.0)) as robot:
            with pytest.raises(WrongValueError, match="jitter"):
                await robot.may_fetch(f"{SITE}/a")

    run(main())
    assert no_lease_is_out(store)


def test_closing_breaks_off_what_is_under_way() -> None:
    """Waiting tasks get an exception that says that the robot is closed."""
    site, store = site_with(Answer(seconds=20)), MemoryStore()

    async def main() -> None:
        async with robot_at(site, store=store) as robot:
            asked = asyncio.ensure_future(robot.may_fetch(f"{SITE}/a"))
            await site.clock.sleep(1)
        with pytest.raises(MisuseError, match="closed"):
            await asked

    run(main())
    assert no_lease_is_out(store)


def test_a_site_that_was_never_asked_is_not_remembered() -> None:
    """The next robot may connect at once to a private address that this one must not."""
    site = FakeSite({"/robots.txt": Answer(failure="private-address")}, clock=FakeClock())
    store = MemoryStore()

    async def main() -> None:
        async with robot_at(site, store=store) as robot:
            assert not await robot.may_fetch(f"{SITE}/a")
        assert store.get(SITE) is None
        site.routes["/robots.txt"] = ""
        async with robot_at(site, store=store) as robot:
            assert await robot.may_fetch(f"{SITE}/a")

    run(main())
