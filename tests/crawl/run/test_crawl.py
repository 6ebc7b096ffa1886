"""The loop of a crawl obeys rules and paces, and ends correctly."""

import asyncio
import datetime as dt
import logging
from pathlib import Path
from typing import Any

import pytest

from goodbot.crawl import Bounds, Crawl, CrawlEvent, Database, Ended, Started, UrlSettled
from goodbot.crawl.run.recorder import Recorder
from goodbot.errors import StoreFullError
from goodbot.pace import Manners
from goodbot.robot import Fetched, VisitDeferred
from goodbot.testing import Answer, FakeClock, FakeSite, FakeVisit
from tests.support.crawls.memory_crawls import (
    OTHER,
    SITE,
    crawl,
    crawl_at,
    html,
    kept,
    numbered,
    pages_at,
    paths,
    rows,
    run,
    searched,
    site_of,
)
from tests.support.robot_sites import gaps

DAY = 86_400
BUSY = Answer(status=503)


# Rules.


def test_what_is_forbidden_is_not_fetched(tmp_path: Path) -> None:
    """It is recorded as disallowed, with the line that disallows it."""
    site = site_of("User-agent: *\nDisallow: /till", home=html("x", "/till", "/a"), a="A")
    done = crawl(tmp_path, site)
    assert pages_at(site.visits) == ["/", "/a"]
    row = rows(tmp_path)[f"{SITE}/till"]
    assert (row.state, row.reason, row.source) == (
        "disallowed",
        "rule-disallows",
        "robots.txt line 2",
    )
    assert done.summary.ended == "nothing-left"
    assert done.summary.urls == {"done": 2, "disallowed": 1}
    assert (done.summary.pages, done.summary.requests) == (2, 3)


def test_rules_may_change_under_way(tmp_path: Path) -> None:
    """A robots.txt that is fresh for 5 minutes is requested again; new rules apply at once."""
    clock = FakeClock()

    def robots_txt(_: FakeVisit) -> Answer:
        forbidden = "" if clock.monotonic() < 1000 else "/p"
        text = f"User-agent: *\nCrawl-delay: 100\nDisallow: {forbidden}"
        return Answer(body=text.encode(), headers=[("Cache-Control", "max-age=1")])

    site = FakeSite({**numbered(40), "/robots.txt": robots_txt}, clock=clock)
    crawl(tmp_path, site)
    asked = site.visits_to("/robots.txt")
    assert min(gaps(asked)) >= 300
    last = max(visit.monotonic for visit in site.visits if visit.path.startswith("/p"))
    assert 900 <= last < 1000 + 300 + 200
    fetched = len(site.visits) - len(asked)
    assert (len(paths(tmp_path, "done")), len(paths(tmp_path, "disallowed"))) == (
        fetched,
        41 - fetched,
    )


def test_an_earlier_copy_goes_when_it_is_forbidden(tmp_path: Path) -> None:
    """It is removed from the index and the archive when it is next due, without a request."""
    site = site_of("User-agent: *", home=html("x", "/a"), a=html("lamp"))
    crawl(tmp_path, site)
    assert searched(tmp_path, "lamp") == ["/a"]
    assert kept(tmp_path, f"{SITE}/a") is not None
    site.routes["/robots.txt"] = "User-agent: *\nDisallow: /a"
    site.clock.advance(8 * DAY)
    before = len(site.visits)
    crawl(tmp_path, site, again=True)
    assert pages_at(site.visits[before:]) == ["/"]
    assert searched(tmp_path, "lamp", site.clock.now()) == []
    assert kept(tmp_path, f"{SITE}/a") is None
    assert paths(tmp_path, "disallowed") == ["/a"]


# Paces.


@pytest.mark.parametrize(
    ("lines", "least"),
    [("Crawl-delay: 30", 30), ("Request-rate: 1/2m", 120), ("Request-rate: 3/60", 20), ("", 10)],
)
def test_the_pace_is_kept(lines: str, least: float, tmp_path: Path) -> None:
    """It is no slower than the site asks, either."""
    site = FakeSite({**numbered(12), "/robots.txt": f"User-agent: *\n{lines}"}, clock=FakeClock())
    done = crawl(tmp_path, site, manners=Manners())
    assert done.summary.pages == 13
    assert all(least - 1e-5 <= gap <= least + 2 for gap in gaps(site.visits))


def test_two_hundred_pages_take_days_of_a_fake_clock(tmp_path: Path) -> None:
    """All visits are within the visit time, none is early, and none is needlessly late."""
    text = "User-agent: *\nCrawl-delay: 600\nVisit-time: 0100-0500"
    site = FakeSite({**numbered(199), "/robots.txt": text}, clock=FakeClock())
    done = crawl(tmp_path, site, patience=DAY, manners=Manners())
    pages = [visit for visit in site.visits if visit.path != "/robots.txt"]
    assert (done.summary.ended, len(pages)) == ("nothing-left", 200)
    assert all(
        1 <= visit.at.hour < 5 or visit.at.hour * 60 + visit.at.minute == 300 for visit in pages
    )
    assert min(gaps(pages)) >= 600 - 1e-5
    # Four hours have room for 24 or 25 visits, one of which may be for robots.txt.
    assert site.clock.now() - FakeClock().now() < dt.timedelta(days=9, hours=6)


def test_few_workers_serve_many_origins(tmp_path: Path) -> None:
    """While one origin makes workers wait, others are visited without delay."""
    origins = [f"https://o{number}.example" for number in range(12)]
    routes = {**numbered(5), "/robots.txt": "User-agent: *\nCrawl-delay: 60"}
    site = FakeSite(routes, clock=FakeClock())
    done = crawl(tmp_path, site, *(f"{one}/" for one in origins), workers=2)
    assert done.summary.pages == 72
    for origin in origins:
        seen = [visit for visit in site.visits if visit.url.startswith(f"{origin}/")]
        assert all(60 - 1e-5 <= gap <= 61 for gap in gaps(seen))


def test_a_slow_answer_keeps_nobody_waiting(tmp_path: Path) -> None:
    """An alarm is set for the next turn, even if the last worker woken is busy."""
    site = FakeSite(
        {
            **{f"{OTHER}{path}": page for path, page in numbered(5).items()},
            f"{OTHER}/robots.txt": "User-agent: *\nCrawl-delay: 7",
            f"{SITE}/": html("x", "/slow", "/slower"),
            f"{SITE}/slow": Answer(seconds=25),
            f"{SITE}/slower": Answer(seconds=29),
            f"{SITE}/robots.txt": "User-agent: *\nCrawl-delay: 5",
        },
        clock=FakeClock(),
    )
    crawl(tmp_path, site, f"{OTHER}/", f"{SITE}/", workers=8, manners=Manners(factor=0))
    quick = [visit for visit in site.visits if visit.url.startswith(OTHER)]
    assert all(7 - 1e-5 <= gap <= 7.01 for gap in gaps(quick))


def test_a_robots_txt_that_lives_shorter_than_its_delay_starves_nobody(tmp_path: Path) -> None:
    """Each request for robots.txt costs a turn; after some, the visit itself goes ahead."""
    short = Answer(body=b"User-agent: *\nCrawl-delay: 900", headers=[("Cache-Control", "no-store")])
    site = FakeSite({**numbered(4), "/robots.txt": short}, clock=FakeClock())
    done = crawl(tmp_path, site, patience=None)
    assert (done.summary.ended, done.summary.pages) == ("nothing-left", 5)
    pages = [visit for visit in site.visits if visit.path != "/robots.txt"]
    assert min(gaps(pages)) >= 900 - 1e-5
    assert max(gaps(pages)) <= 5 * 900 + 1


def test_an_origin_that_wants_more_time_than_the_robot_bears_is_left(tmp_path: Path) -> None:
    """The crawl ends anyway, and reports that URLs wait."""
    site = FakeSite(
        {**numbered(2), "/robots.txt": "User-agent: *\nCrawl-delay: 500"}, clock=FakeClock()
    )
    done = crawl(tmp_path, site, manners=Manners(patience=60))
    assert done.summary.ended in {"waiting", "nothing-left"}
    assert len(pages_at(site.visits)) <= 1
    assert site.clock.monotonic() < 3600


def test_what_waits_longer_than_the_patience_is_left_for_another_run(tmp_path: Path) -> None:
    """The summary says when the next URL is due; the next run visits it then."""
    text = "User-agent: *\nVisit-time: 1300-1400"
    site = FakeSite({**numbered(2), "/robots.txt": text}, clock=FakeClock())
    done = crawl(tmp_path, site)
    assert (done.summary.ended, done.summary.pages) == ("waiting", 0)
    assert done.summary.earliest == FakeClock().now() + dt.timedelta(hours=13)
    site.clock.advance(13 * 3600)
    assert crawl(tmp_path, site).summary.pages == 3


# Trouble.


@pytest.mark.parametrize(
    ("trouble", "attempts", "least"),
    [
        (BUSY, 4, 600),
        (500, 3, 10),
        (Answer(failure="timeout"), 3, 10),
        (Answer(failure="reset"), 3, 10),
        (Answer(failure="bad-encoding"), 1, 0),  # it would come again
    ],
)
def test_what_fails_is_tried_again_and_then_given_up(
    trouble: Answer | int, attempts: int, least: float, tmp_path: Path
) -> None:
    """It is tried several times; other pages are fetched meanwhile."""
    site = site_of(home=html("x", "/bad", "/good"), bad=trouble, good="good")
    done = crawl(tmp_path, site, patience=None)
    assert len(site.visits_to("/bad")) == attempts
    assert paths(tmp_path, "failed") == ["/bad"]
    states = [state for state, _ in done.settled(f"{SITE}/bad")]
    assert states == [*["queued"] * (attempts - 1), "failed"]
    assert "/good" in paths(tmp_path, "done")
    assert all(gap >= least for gap in gaps(site.visits_to("/bad")))


RETRIES_LAST = 30
"""Seconds from the first failure of a URL to its last retry."""

TROUBLES: dict[str, Answer | int] = {
    "broken": 500,
    "dropped": Answer(failure="reset"),
    "br": Answer(failure="bad-encoding"),
    "zstd": Answer(failure="bad-encoding"),
    "slow": Answer(failure="timeout"),
}


@pytest.mark.parametrize("together", [True, False])
def test_what_fails_costs_its_site_no_time(together: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """Failing pages, together or far apart, do not slow down the others.

    No visit waits longer than the pace requires, except for the last attempt at the end.
    """
    names = [f"p{number}" for number in range(40)]
    for number, name in enumerate(["broken", "dropped", "br", "zstd"]):
        names.insert(5 + (number if together else 10 * number), name)
    pages: dict[str, Any] = {name: TROUBLES.get(name, html("x")) for name in names}
    links = html("x", *(f"/{name}" for name in names))
    site = site_of("User-agent: *\nCrawl-delay: 2", home=links, **pages)
    done = crawl(tmp_path, site)
    assert done.summary.ended == "nothing-left"
    assert (done.summary.urls["done"], done.summary.urls["failed"]) == (41, 4)
    requests = 2 + len(names) + 2 * 2  # what cannot be decoded is not tried again
    assert len(site.visits) == requests
    assert site.clock.monotonic() < 2.1 * requests + RETRIES_LAST
    first_time = [
        gap
        for gap, visit in zip(gaps(site.visits), site.visits[1:], strict=True)
        if visit.path[1:] not in TROUBLES
    ]
    assert max(first_time) < 2.1
    assert "back-off" not in {event.reason for event in done.of(VisitDeferred)}


def test_a_site_that_is_down_is_left_alone(tmp_path: Path) -> None:
    """Back-off begins at the third URL in a row; the number and the duration are options."""
    names = [f"p{number}" for number in range(9)]
    pages: dict[str, Any] = dict.fromkeys(names, 500)
    for after, first in ((3, 30), (5, 77)):
        site = site_of(home=html("x", *(f"/{name}" for name in names)), **pages)
        manners = Manners(default=1, back_off_after=after, back_off_first=first)
        crawl(tmp_path / str(after), site, manners=manners)
        waits = gaps(site.visits)[1:]
        assert max(waits[:after]) < 2, waits
        assert first <= waits[after] < first + 1, waits
        assert 2 * first <= waits[after + 1] < 2 * first + 1, waits


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_obeyed(status: int, tmp_path: Path) -> None:
    """The whole origin is left alone; afterwards the failed URL succeeds."""
    clock = FakeClock()
    fine = Answer(status=200, body=html("lamp").encode())

    def bad(visit: FakeVisit) -> Answer:
        busy = Answer(status=status, headers=[("Retry-After", "700")])
        return busy if len(site.visits_to(visit.path)) == 1 else fine

    site = site_of("User-agent: *", clock=clock, home=html("x", "/bad", "/good"), bad=bad, good="g")
    done = crawl(tmp_path, site, patience=None)
    assert done.settled(f"{SITE}/bad") == [("queued", "server-error"), ("done", "fetched")]
    first = site.visits_to("/bad")[0].monotonic
    later = [visit for visit in site.visits if visit.monotonic > first]
    assert min(visit.monotonic for visit in later) >= first + 700
    assert searched(tmp_path, "lamp", clock.now()) == ["/bad"]


@pytest.mark.parametrize(
    "trouble",
    [BUSY, Answer(failure="timeout"), Answer(status=429, headers=[("Retry-After", "5000")])],
)
def test_without_robots_txt_nothing_is_fetched(trouble: Answer, tmp_path: Path) -> None:
    """The crawl ends instead of waiting long; it continues when the file is available again."""
    site = site_of(trouble, home=html("x", "/a"), a="A")
    done = crawl(tmp_path, site)
    assert done.summary.ended == "waiting"
    assert pages_at(site.visits) == []
    assert done.settled(f"{SITE}/")[0][0] == "queued"
    site.routes["/robots.txt"] = "User-agent: *"
    site.clock.advance(2 * DAY)
    assert crawl(tmp_path, site).summary.pages == 2


def test_a_site_without_robots_txt_for_ever_is_given_up(tmp_path: Path) -> None:
    """The same holds with unlimited patience too, and no page of the site is requested."""
    site = site_of(BUSY, home="home")
    done = crawl(tmp_path, site, patience=None)
    assert (done.summary.ended, pages_at(site.visits)) == ("nothing-left", [])
    assert paths(tmp_path, "failed") == ["/"]


def test_a_retry_does_not_hold_up_what_is_found_anew(tmp_path: Path) -> None:
    """While an origin's only URL waits for another attempt, another URL is found and visited."""
    site = FakeSite(
        {
            f"{OTHER}/": Answer(failure="dns"),
            f"{OTHER}/new": "new",
            f"{SITE}/": html("x", f"{OTHER}/new"),
            f"{SITE}/robots.txt": "User-agent: *\nCrawl-delay: 40",
        },
        clock=FakeClock(),
    )
    crawl(tmp_path, site, f"{OTHER}/", f"{SITE}/", manners=Manners(default=0, back_off_first=0))
    new = site.visits_to(f"{OTHER}/new")[0]
    assert 40 <= new.monotonic < 41


# Bounds.


@pytest.mark.parametrize("workers", [1, 16])
def test_the_bounds_on_the_whole_are_kept(workers: int, tmp_path: Path) -> None:
    """The page limit is exact; the remaining URLs wait for another run."""
    origins = [SITE, OTHER, "https://c.example"]
    site = FakeSite(numbered(9), clock=FakeClock())
    start = [f"{origin}/" for origin in origins]
    done = crawl(tmp_path, site, *start, bounds=Bounds(pages=5), workers=workers)
    assert (done.summary.ended, len(pages_at(site.visits))) == ("page-limit", 5)
    more = crawl(tmp_path, site, *start, bounds=Bounds(), workers=workers)
    assert (more.summary.ended, more.summary.pages) == ("nothing-left", 25)
    assert len(set(pages_at(site.visits))) == len(pages_at(site.visits)) == 30


def test_bounds_of_octets_and_seconds(tmp_path: Path) -> None:
    """They end a crawl at most one page after they are reached."""
    pages = {**numbered(9), "/p1": html("x" * 10_000)}
    site = FakeSite({**pages, "/robots.txt": "User-agent: *\nCrawl-delay: 10"}, clock=FakeClock())
    done = crawl(tmp_path / "bytes", site, bounds=Bounds(bytes=5000))
    assert (done.summary.ended, done.summary.pages) == ("byte-limit", 3)
    site = FakeSite(site.routes, clock=FakeClock())
    done = crawl(tmp_path / "seconds", site, bounds=Bounds(seconds=35))
    assert (done.summary.ended, done.summary.pages) == ("time-limit", 3)
    assert 35 <= site.clock.monotonic() < 36


def test_bounds_of_urls(tmp_path: Path) -> None:
    """URLs outside are skipped with the reason, and never requested."""
    site = FakeSite(
        {
            "/": html("x", "/in/a", "/in/no", "/out", f"{OTHER}/", "/in/" + "l" * 3000),
            "/in/a": html("x", "/in/b"),
            "/in/b": html("x", "/in/c"),
        },
        clock=FakeClock(),
    )
    crawl(tmp_path, site, bounds=Bounds(depth=2, include=("/in/",), exclude=("/in/no",)))
    assert pages_at(site.visits) == ["/", "/in/a", "/in/b"]
    left = {url: row.reason for url, row in rows(tmp_path).items() if row.state == "skipped"}
    assert sorted(left.values()) == [
        *["excluded", "not-included", "other-origin", "too-deep", "url-too-long"],
    ]
    assert left[f"{SITE}/in/c"] == "too-deep"


def test_bounds_of_origins(tmp_path: Path) -> None:
    """The crawl visits the named origins, or any."""
    third = "https://c.example"
    routes = {f"{SITE}/": html("x", f"{OTHER}/", f"{third}/"), "/": "home"}
    site = FakeSite(routes, clock=FakeClock())
    crawl(tmp_path / "named", site, bounds=Bounds(origins=frozenset([SITE, OTHER])))
    assert pages_at(site.visits) == ["/", f"{OTHER}/"]
    site = FakeSite(routes, clock=FakeClock())
    crawl(tmp_path / "any", site, bounds=Bounds(any_origin=True))
    assert sorted(pages_at(site.visits)) == ["/", f"{OTHER}/", f"{third}/"]


def test_bounds_hold_when_a_crawl_goes_on(tmp_path: Path) -> None:
    """Without URLs and bounds a crawl continues within the stored bounds."""
    site = FakeSite(
        {
            "/": html("x", "/a"),
            "/a": html("x", "/b", f"{OTHER}/"),
            "/b": html("x", "/c", "/no"),
            "/c": "c",
        },
        clock=FakeClock(),
    )
    crawl(tmp_path, site, bounds=Bounds(pages=1, exclude=("/no",)))

    async def on() -> str:
        crawling = Crawl(tmp_path, resume=True, fetcher=site, clock=site.clock)
        return (await crawling.run()).ended

    assert run(on()) == "page-limit"
    assert pages_at(site.visits) == ["/", "/a"]
    assert run(on()) == run(on()) == "page-limit"
    assert pages_at(site.visits) == ["/", "/a", "/b", "/c"]
    assert rows(tmp_path)[f"{SITE}/no"].reason == "excluded"
    assert rows(tmp_path)[f"{OTHER}/"].reason == "other-origin"


# Going on and ending.


def test_a_crawl_goes_on_and_fetches_nothing_twice(tmp_path: Path) -> None:
    """It does not request a robots.txt that is still fresh, either."""
    site = FakeSite(numbered(20), clock=FakeClock())
    for most in (3, 4, 14):
        crawl(tmp_path, site, bounds=Bounds(pages=most))
    assert sorted(pages_at(site.visits)) == sorted(numbered(20))
    assert len(site.visits_to("/robots.txt")) == 1
    assert crawl(tmp_path, site).summary.pages == 0


def test_what_is_due_is_visited_again(tmp_path: Path) -> None:
    """A page is revisited when it is due, if requested; a page that is gone is removed."""
    stays = html("lamp", head="<meta name=revisit-after content='30 days'>")
    until = "<meta name=robots content='unavailable_after: 2026-01-03T00:00:00Z'>"
    site = FakeSite(
        {
            "/": html("x", *(f"/{name}" for name in ("stays", "noindex", "gone", "expired"))),
            "/stays": stays,
            "/noindex": html("lamp"),
            "/gone": html("lamp"),
            "/expired": html("lamp", head=until),
        },
        clock=FakeClock(),
    )
    crawl(tmp_path, site)
    assert searched(tmp_path, "lamp") == ["/expired", "/gone", "/noindex", "/stays"]
    site.routes["/noindex"] = html("lamp", head="<meta name=robots content='noindex,noarchive'>")
    site.routes["/gone"] = 404
    site.clock.advance(8 * DAY)
    before = len(site.visits)
    assert crawl(tmp_path, site).summary.pages == 0
    crawl(tmp_path, site, again=True)
    seen = pages_at(site.visits[before:])
    assert sorted(seen) == ["/", "/expired", "/gone", "/noindex"]
    assert searched(tmp_path, "lamp", site.clock.now()) == ["/stays"]
    for name in ("noindex", "gone", "expired"):
        assert kept(tmp_path, f"{SITE}/{name}") is None
    assert kept(tmp_path, f"{SITE}/stays") is not None


def stopping(tmp_path: Path, twice: float | None = None) -> tuple[FakeSite, str]:
    """Crawl slow pages, and stop once, or again after some seconds."""
    slow = {path: Answer(body=page.encode(), seconds=20) for path, page in numbered(6).items()}
    site = FakeSite({**slow, "/robots.txt": "User-agent: *"}, clock=FakeClock())

    async def main() -> str:
        crawling = crawl_at(tmp_path, site, f"{SITE}/", f"{OTHER}/")

        async def stop() -> None:
            await site.clock.sleep(30)
            crawling.stop()
            if twice is not None:
                await site.clock.sleep(twice)
                crawling.stop()

        stopper = asyncio.ensure_future(stop())
        summary = await crawling.run()
        await stopper
        return summary.ended

    return site, run(main())


def test_stop_lets_what_is_in_flight_finish(tmp_path: Path) -> None:
    """The page is recorded; the other URLs wait."""
    site, ended = stopping(tmp_path)
    assert (ended, len(pages_at(site.visits))) == ("stopped", 4)
    assert len(paths(tmp_path, "done")) == 4
    assert 40 <= site.clock.monotonic() < 41
    assert len(crawl(tmp_path, site, f"{SITE}/", f"{OTHER}/").of(Fetched)) == 10


def test_stop_twice_breaks_off(tmp_path: Path) -> None:
    """URLs of cancelled visits are back in their place."""
    site, ended = stopping(tmp_path, 1)
    assert (ended, len(pages_at(site.visits))) == ("stopped", 4)
    assert 31 <= site.clock.monotonic() < 32
    assert len(paths(tmp_path, "done")) == 2
    assert len(paths(tmp_path, "queued")) == 12
    assert paths(tmp_path, "leased") == []
    assert crawl(tmp_path, site, f"{SITE}/", f"{OTHER}/").summary.pages == 12


def test_stop_ends_waiting_at_once(tmp_path: Path) -> None:
    """The run does not wait for long pauses."""
    site = FakeSite(
        {**numbered(3), "/robots.txt": "User-agent: *\nCrawl-delay: 3600"}, clock=FakeClock()
    )
    crawling = crawl_at(tmp_path, site, patience=None)

    async def main() -> str:
        task = asyncio.ensure_future(crawling.run())
        await site.clock.sleep(4000)
        crawling.stop()
        return (await task).ended

    assert run(main()) == "stopped"
    assert 4000 <= site.clock.monotonic() < 4001


# Telling.


def test_everything_is_told(tmp_path: Path) -> None:
    """Events report the start, the result for each URL, and finally the end."""
    site = site_of("User-agent: *\nDisallow: /no", home=html("x", "/no", "/a"), a=html("a"))
    done = crawl(tmp_path, site)
    assert isinstance(done.events[0], Started)
    assert done.events[0].waiting == 1
    assert isinstance(done.events[-1], Ended)
    assert done.events[-1].summary == done.summary
    told = {one.url: (one.state, one.reason, one.status) for one in done.of(UrlSettled)}
    assert told == {
        f"{SITE}/": ("done", "fetched", 200),
        f"{SITE}/a": ("done", "fetched", 200),
        f"{SITE}/no": ("disallowed", "rule-disallows", None),
    }
    sizes = {one.url: one.bytes for one in done.of(UrlSettled)}
    assert sizes[f"{SITE}/a"] == len(html("a"))
    assert done.summary.reasons == {"fetched": 2, "rule-disallows": 1}
    assert done.summary.as_dict()["ended"] == "nothing-left"
    assert not done.of(VisitDeferred) or done.of(VisitDeferred)[0].reason


def test_who_listens_badly_disturbs_nobody(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The error is logged, and the crawl continues."""

    def listener(_: CrawlEvent) -> None:
        message = "no ears"
        raise RuntimeError(message)

    site = FakeSite(numbered(3), clock=FakeClock())
    with caplog.at_level(logging.CRITICAL):
        summary = run(crawl_at(tmp_path, site, on_event=listener).run())
    assert (summary.ended, summary.pages) == ("nothing-left", 4)


def test_stop_before_a_run_holds_for_that_run_alone(tmp_path: Path) -> None:
    """The run ends before the first visit; the next run continues."""
    site = FakeSite(numbered(3), clock=FakeClock())
    at_work = crawl_at(tmp_path, site)
    assert at_work.waiting() == 0
    at_work.stop("not-now")
    assert run(at_work.run()).ended == "not-now"
    assert not site.visits
    assert at_work.waiting() == 1
    assert run(at_work.run()).ended == "nothing-left"
    at_work.stop()
    assert at_work.waiting() == 0


def test_a_policy_lasts_only_with_its_request_and_its_sitemaps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All three are one change, so a fresh policy is never requested again."""
    site = site_of(f"Sitemap: {SITE}/map.xml", home="x")

    def full(*_given: Any) -> None:  # noqa: ANN401  whatever it is handed
        message = "the disk is full"
        raise StoreFullError(message)

    with monkeypatch.context() as changed:
        changed.setattr(Recorder, "sitemaps", full)
        with pytest.raises(StoreFullError):
            crawl(tmp_path, site)
    with Database(tmp_path) as database:
        assert database.store.get(SITE) is None
    crawl(tmp_path, site)
    assert len(site.visits_to("/robots.txt")) == 2
    assert f"{SITE}/map.xml" in rows(tmp_path)
