"""The check finds early requests, and agrees with the code that makes the robot wait."""

import datetime as dt
import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

import goodbot
from goodbot.crawl.evidence import punctuality
from goodbot.crawl.folder.database import Database
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.errors import NotAStoreError
from goodbot.http.instants import SECOND, duration
from goodbot.pace import Manners, Pace
from goodbot.testing import FakeClock, FakeSite
from tests.support import paths
from tests.support.crawls.memory_crawls import SITE, crawl, html, site_of
from tests.support.crawls.process_crawls import crawl_in_parts
from tests.support.crawls.sample_crawl import (
    BUSY,
    DOWN,
    NEWS,
    NOON,
    SHOP,
    SampleCrawl,
    add_requests,
    put_policy,
    sample,
)


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SampleCrawl]:
    """Yield the sample crawl, which no test changes."""
    made = sample(tmp_path_factory.mktemp("crawl"))
    yield made
    made.database.close()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Yield the database of a crawl that has not begun."""
    with closing(Database(tmp_path / "crawl", create=True)) as made:
        yield made


def test_the_sample_has_no_early_request(sampled: SampleCrawl) -> None:
    """The robot kept the required pauses at each origin."""
    found = [
        one
        for origin in (SHOP, NEWS, DOWN, BUSY)
        for one in punctuality.pauses(sampled.database, origin, "ExampleBot/1.0", sampled.manners)
    ]
    assert len(found) == len(sampled.site.visits)
    assert not [one for one in found if one.early]
    asked = {one.url: (one.asked, one.source) for one in found}
    assert asked[f"{SHOP}/secret"] == (5 * SECOND, "Crawl-delay")
    assert asked[f"{NEWS}/archive"] == (20 * SECOND, "Request-rate 1/20")
    assert asked[f"{BUSY}/a"] == (10 * SECOND, "the robot's own pace")


@pytest.mark.parametrize(
    ("rules", "pause", "why"),
    [
        ("Crawl-delay: 5", 4.999999, "Crawl-delay requires 5 seconds"),
        ("Request-rate: 1/10", 9.9, "Request-rate 1/10 requires 10 seconds"),
        ("Disallow: /x", 9.0, "the robot's own pace requires 10 seconds"),
        ("Crawl-delay: 5\nVisit-time: 0100-0200", 5.0, "outside Visit-time"),
        ("Request-rate: 2/10", 5.0, ""),
        ("Crawl-delay: 5", 5.0, ""),
        ("Crawl-delay: 0", 9.0, "the robot's own pace requires 10 seconds"),
        ("Request-rate: 1000/1", 9.0, "the robot's own pace requires 10 seconds"),
        ("Crawl-delay: 0\nRequest-rate: 1/5", 5.0, ""),
    ],
)
def test_an_early_request_is_found(database: Database, rules: str, pause: float, why: str) -> None:
    """A request one microsecond too early is early; one exactly on time is not."""
    put_policy(database, f"User-agent: *\nRobot-version: 2.0.0\n{rules}", NOON)
    add_requests(database, [0.0, pause])
    second = list(punctuality.pauses(database, SHOP, "ExampleBot", Manners()))[1]
    assert why in second.early
    assert bool(second.early) is bool(why)


def test_a_rate_of_several_documents_counts_them(database: Database) -> None:
    """When a faster rate ends, requests within the period of the slower rate count."""
    rules = "User-agent: *\nRequest-rate: 10/1m 0000-1159\nRequest-rate: 3/60s 1200-2359\n"
    put_policy(database, rules, NOON - dt.timedelta(hours=1))
    add_requests(database, [-18.0, -12.0, -6.0, 14.0, 48.0])
    found = list(punctuality.pauses(database, SHOP, "ExampleBot", Manners()))
    assert "at most 3 requests in 60 seconds" in found[3].early
    assert [bool(one.early) for one in found] == [False, False, False, True, False]


def test_nobody_comes_within_retry_after(database: Database) -> None:
    """Retry-After binds pages and robots.txt; a request that was never sent does not count."""
    put_policy(database, "User-agent: *\nCrawl-delay: 1", NOON)
    add_requests(database, [0.0, 50.0, 61.0])
    with database.changing() as connection:
        connection.execute("UPDATE requests SET not_before = ended + 60000000 WHERE id = 1")
        connection.execute("UPDATE requests SET purpose = 'robots-txt' WHERE id = 2")
        connection.execute(
            "INSERT INTO requests(origin, url, purpose, started, ended, failure) "
            "SELECT origin, url, purpose, started, started, 'private-address' FROM requests"
        )
    found = list(punctuality.pauses(database, SHOP, "ExampleBot", Manners()))
    assert [bool(one.early) for one in found] == [False, True, False]


WINDOWS = some.sampled_from(["", " 0000-1159", " 1100-1400", " 2300-0100", " at night"])
RATES = some.tuples(some.integers(1, 20), some.integers(1, 600), WINDOWS)


@given(
    some.one_of(some.none(), some.integers(0, 100), some.sampled_from([0.05, 0.1, 0.2])),
    some.lists(RATES, max_size=3),
    some.floats(0, 20),
    some.floats(0, 30),
    some.integers(0, 24 * 3600 - 1),
)
def test_the_plain_reading_of_the_pace_is_that_of_the_robot(
    delay: float | None,
    rates: list[tuple[int, int, str]],
    floor: float,
    took: float,
    seconds: int,
) -> None:
    """The check requires the same pause as `goodbot.pace.Pace`."""
    lines = ["User-agent: *", *(f"Request-rate: {n}/{s}s{w}" for n, s, w in rates)]
    lines += [] if delay is None else [f"Crawl-delay: {delay}"]
    rules = goodbot.RobotsTxt("\n".join(lines)).rules_for("ExampleBot")
    manners = Manners(floor=floor)
    at = NOON.replace(hour=0) + dt.timedelta(seconds=seconds)
    pause, _ = punctuality.PlainPace(rules, manners).pause(at, duration(took))
    wanted = Pace(rules, manners=manners).interval(at, took=duration(took) / SECOND)
    assert pause == duration(wanted)


def asked_for(folder: Path, origin: str) -> list[tuple[float, str, bool]]:
    """Return what each page of a crawl had to wait for, and whether it is known to be so."""
    with open_readonly(folder) as database:
        found = punctuality.pauses(database, origin, "ExampleBot", Manners(default=99.0))
        return [
            (one.asked / SECOND, one.early, one.is_of_its_time)
            for one in found
            if one.purpose == "page"
        ]


def test_each_request_is_judged_by_the_settings_of_its_time(tmp_path: Path) -> None:
    """Neither a longer nor a shorter pause in a later run changes what an earlier run had to do."""
    site = site_of(home=html("x", "/a"), a="x", clock=FakeClock())
    pauses = (2.0, 0.0, 5.0, 5.0)
    for pause in pauses:
        manners = Manners(default=pause, factor=0.0)
        crawl(tmp_path, site, manners=manners, again=True, early=True)
    found = asked_for(tmp_path, SITE)
    assert [asked for asked, _, _ in found] == [pause for pause in pauses for _ in range(2)]
    assert {(early, known) for _, early, known in found} == {("", True)}
    with open_readonly(tmp_path) as database:
        by_time = punctuality.manners_by_time(database)
    assert [json.loads(one.stated)["default"] for one in by_time] == [2.0, 0.0, 5.0]
    assert [one.since for one in by_time] == sorted(one.since for one in by_time)


def test_each_process_knows_the_settings_of_its_time(tmp_path: Path) -> None:
    """The requests of a crawl in several processes are judged in the same way."""
    site = FakeSite({}, clock=FakeClock())
    origins = [f"http://{name}.example" for name in "abc"]
    for origin in origins:
        site.routes |= {f"{origin}/robots.txt": 404, f"{origin}/": html("x", "/a")}
        site.routes[f"{origin}/a"] = html("x")
    start = tuple(f"{origin}/" for origin in origins)
    for pause in (3.0, 0.0):
        manners = Manners(default=pause, factor=0.0)
        crawl_in_parts(tmp_path, site, *start, manners=manners, again=True, early=True)
    for origin in origins:
        found = asked_for(tmp_path, origin)
        assert [asked for asked, _, _ in found] == [3.0, 3.0, 0.0, 0.0]
        assert {(early, known) for _, early, known in found} == {("", True)}


def test_a_folder_of_an_older_version_has_its_newest_settings(tmp_path: Path) -> None:
    """Its requests are judged by these, and it is known that they may be others."""
    folder = shutil.copytree(paths.FIXTURES / "0.1.0" / "crawl", tmp_path / "crawl")
    with open_readonly(folder) as database:
        (stored,) = database.manners_at(SITE)
        assert (stored.after, stored.is_known) == (0, False)
        assert punctuality.read_manners(stored.stated).default == 1.0


@pytest.mark.parametrize("stated", ["", "[]", "{", '{"floor": -1}', '{"pace": 1}', "null"])
def test_damaged_settings_are_refused(stated: str) -> None:
    """The message says what to do."""
    with pytest.raises(NotAStoreError, match="restore the crawl"):
        punctuality.read_manners(stated)
