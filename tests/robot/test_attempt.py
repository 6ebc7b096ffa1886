"""A visit that is made step by step has a log of everything it did, however it ends."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

import goodbot
from goodbot.errors import MisuseError
from goodbot.pace import Manners
from goodbot.robot import Deferred, Disallowed, Event, Failed, Fetched
from goodbot.robot.visit_log import VisitLog
from goodbot.store import MemoryStore, SQLiteStore
from goodbot.testing import Answer, FakeSite
from tests.support.robot_sites import OTHER, SITE, robot_at, run, site_with

QUICK = Manners(default=0.0, factor=0.0)
RULES = "User-agent: *\nCrawl-delay: 60\nDisallow: /private"


def made(log: VisitLog) -> list[tuple[str, str]]:
    """Return the purpose and the result of each request."""
    return [
        (one.purpose, str(one.status) if isinstance(one, Fetched) else one.kind)
        for one in log.requests
    ]


def attempted(site: FakeSite, url: str, **options: Any) -> tuple[VisitLog, Any]:  # noqa: ANN401
    """Make one attempt; return its log and its result."""

    async def main() -> tuple[VisitLog, Any]:
        async with robot_at(site, manners=QUICK, **options) as robot:
            attempt = robot.attempt(url, longest_wait=0.0)
            try:
                await attempt.ask()
                return attempt.log, await attempt.fetch()
            except goodbot.GoodbotError as error:
                return attempt.log, error

    return run(main())


def test_a_visit_has_its_requests_and_the_policy_that_was_learned() -> None:
    """The robot does not store the policy: the owner of the log does."""
    store = MemoryStore()
    heard: list[Event] = []
    site = site_with("")
    log, visit = attempted(site, f"{SITE}/a", store=store, on_event=heard.append)
    assert visit.response.status == 200
    assert made(log) == [("robots-txt", "200"), ("page", "200")]
    (learned,) = log.learned
    assert (learned.policy.origin, learned.policy.access) == (SITE, "rules")
    assert learned.record == learned.policy.as_record()
    assert store.get(SITE) is None
    assert [one for one in heard if isinstance(one, Fetched | Failed)] == log.requests


def test_a_policy_that_is_known_is_not_learned_again() -> None:
    """Neither in memory nor in the store."""
    site = site_with("")

    async def main() -> list[VisitLog]:
        store = MemoryStore()
        async with robot_at(site, store=store) as robot:
            await robot.policy(SITE)
        logs = []
        async with robot_at(site, store=store) as robot:
            for path in ("/", "/a"):
                site.clock.advance(60)
                attempt = robot.attempt(SITE + path, longest_wait=0.0)
                await attempt.ask()
                await attempt.fetch()
                logs.append(attempt.log)
        return logs

    for log in run(main()):
        assert made(log) == [("page", "200")]
        assert not log.learned


@pytest.mark.parametrize(
    ("robots_txt", "page", "error", "requests"),
    [
        (RULES, "private", Disallowed, [("robots-txt", "200")]),
        (RULES, "a", Deferred, [("robots-txt", "200")]),
        ("", "broken", goodbot.FetchError, [("robots-txt", "200"), ("page", "timeout")]),
        (Answer(failure="timeout"), "a", Disallowed, [("robots-txt", "timeout")]),
    ],
)
def test_a_visit_that_raises_has_a_log_as_well(
    robots_txt: Any,  # noqa: ANN401  what a site answers
    page: str,
    error: type[Exception],
    requests: list[tuple[str, str]],
) -> None:
    """Whatever it raises, the log has what was done."""
    site = site_with(robots_txt, broken=Answer(failure="timeout"))
    log, raised = attempted(site, f"{SITE}/{page}")
    assert isinstance(raised, error)
    assert made(log) == requests
    assert len(log.learned) == 1


def test_what_was_never_asked_is_no_request() -> None:
    """A failure before anything is sent adds no line to the log."""
    site = site_with(Answer(failure="private-address"))
    log, raised = attempted(site, f"{SITE}/a")
    assert isinstance(raised, Disallowed)
    assert not log.requests
    (learned,) = log.learned
    assert learned.record is None


def test_a_redirect_of_robots_txt_belongs_to_the_visit_that_asked() -> None:
    """Even to another origin."""
    moved = Answer(status=301, headers=[("Location", f"{OTHER}/rules.txt")])
    site = FakeSite({f"{SITE}/robots.txt": moved, f"{OTHER}/rules.txt": "", "/a": "A"})
    log, _ = attempted(site, f"{SITE}/a")
    assert made(log) == [("robots-txt", "301"), ("robots-txt", "200"), ("page", "200")]
    assert [one.policy.origin for one in log.learned] == [SITE]


def test_a_visit_that_is_cancelled_has_its_requests() -> None:
    """Also the one during which it was cancelled, because the site may have received it."""
    site = site_with("", slow=Answer(body=b"x", seconds=1_000))

    async def main() -> VisitLog:
        async with robot_at(site, manners=QUICK) as robot:
            attempt = robot.attempt(f"{SITE}/slow")
            await attempt.ask()
            fetching = asyncio.ensure_future(attempt.fetch())
            await asyncio.sleep(0)
            fetching.cancel()
            await asyncio.wait({fetching})
            return attempt.log

    log = run(main())
    assert made(log) == [("robots-txt", "200"), ("page", "cancelled")]
    assert len(log.learned) == 1


def test_a_visit_that_is_cancelled_at_its_end_has_its_requests(tmp_path: Path) -> None:
    """When the answer is here, and the store still records that the site was visited."""
    site = site_with("")

    async def main() -> VisitLog:
        with CancellingStore(tmp_path / "robot.db") as store:
            async with robot_at(site, store=store, manners=QUICK) as robot:
                attempt = robot.attempt(f"{SITE}/a")
                await attempt.ask()
                store.visit = asyncio.ensure_future(attempt.fetch())
                await asyncio.wait({store.visit})
                assert store.visit.cancelled()
                return attempt.log

    assert made(run(main())) == [("robots-txt", "200"), ("page", "200")]


class CancellingStore(SQLiteStore):
    """Cancels a visit while its lease is given back."""

    visit: asyncio.Task[Any] | None = None

    def release(self, *args: Any, **options: Any) -> bool:  # noqa: ANN401  as it is
        """Release a lease, once the visit is cancelled."""
        if self.visit is not None:
            done = threading.Event()

            def cancel(visit: asyncio.Task[Any]) -> None:
                visit.cancel()
                done.set()

            self.visit.get_loop().call_soon_threadsafe(cancel, self.visit)
            assert done.wait(10)
        return super().release(*args, **options)


def test_an_attempt_needs_an_open_robot() -> None:
    """Like any other visit."""
    with pytest.raises(MisuseError, match="not open"):
        robot_at(site_with()).attempt(SITE)
