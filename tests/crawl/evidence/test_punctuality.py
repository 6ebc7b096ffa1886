"""The check finds early requests, and agrees with the code that makes the robot wait."""

import datetime as dt
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

import goodbot
from goodbot.crawl.evidence import punctuality
from goodbot.crawl.folder.database import Database
from goodbot.http.instants import SECOND, duration
from goodbot.pace import Manners, Pace
from tests.support.sample_crawl import (
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
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SampleCrawl]:
    """Yield the sample crawl, which no test changes."""
    made = sample(tmp_path_factory.mktemp("crawl"))
    yield made
    made.database.close()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Yield the database of a crawl that has not begun."""
    with closing(Database(tmp_path / "crawl", create=True)) as made:
        yield made


def test_the_sample_has_no_early_request(crawl: SampleCrawl) -> None:
    """The robot kept the required pauses at each origin."""
    found = [
        one
        for origin in (SHOP, NEWS, DOWN, BUSY)
        for one in punctuality.pauses(crawl.database, origin, "ExampleBot/1.0", crawl.manners)
    ]
    assert len(found) == len(crawl.site.visits)
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
