"""A date without seconds is a span: what is said must hold at its earliest and latest moment."""

import random
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from goodbot.crawl import import_warcs
from goodbot.crawl.folder.open_readonly import open_readonly
from goodbot.tables.building import build_policies, policy_timeline
from goodbot.warc.capture_dates import moments_of, moments_of_any
from tests.support.crawls.foreign_warcs import http, record, write_warc

NOW = datetime(2026, 1, 1, tzinfo=timezone.utc)
A = "https://a.example"
RULES = "User-agent: *\nDisallow: /till\n"
OPEN = "User-agent: *\nDisallow:\n"


def moment(text: str) -> datetime:
    """Return a time in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("date", "first", "behind"),
    [
        ("2024", "2024-01-01", "2025-01-01"),
        ("2024-02", "2024-02-01", "2024-03-01"),
        ("2024-12", "2024-12-01", "2025-01-01"),
        ("2024-02-29", "2024-02-29", "2024-03-01"),
        ("2024-12-31T23Z", "2024-12-31T23:00", "2025-01-01"),
        ("2024-05-01T12:00Z", "2024-05-01T12:00", "2024-05-01T12:01"),
        ("2024-05-01T12:00+02:00", "2024-05-01T10:00", "2024-05-01T10:01"),
        ("2024-05-01T00:30-01:30", "2024-05-01T02:00", "2024-05-01T02:01"),
    ],
)
def test_a_date_without_seconds_is_a_span(date: str, first: str, behind: str) -> None:
    """It ends just before the next one of its precision begins."""
    last = moment(behind) - timedelta(microseconds=1)
    assert moments_of(date) == (moment(first), last)


def test_a_precise_date_is_one_moment() -> None:
    """Of a second, or of a fraction of one."""
    for date in (
        "2024-05-01T12:00:00Z",
        "2024-05-01T12:00:00.1Z",
        "2024-05-01T12:00:00.123456789Z",
    ):
        first, last = moments_of(date) or (None, NOW)
        assert first == last


def test_usual_dates_are_read_as_any_date_is() -> None:
    """Also those that are on no calendar or clock, and at its ends."""
    draw = random.Random(7)  # noqa: S311  the same each time
    years, months, days = ["0000", "0001", "2024", "2023", "9999"], range(15), range(34)
    for _ in range(5_000):
        day = f"{draw.choice(years)}-{draw.choice(months):02}-{draw.choice(days):02}"
        time = ":".join(f"{draw.choice([0, 9, 23, 24, 59, 60]):02}" for _ in range(3))
        fraction = "." + "".join(draw.choices("0159", k=draw.randrange(1, 12)))
        date = f"{day}T{time}{draw.choice(['', fraction])}{draw.choice('ZZZz')}"
        assert moments_of(date) == moments_of_any(date)


def test_what_is_no_date_is_none() -> None:
    """Also at the ends of the calendar."""
    odd = (
        "", "20240501", "2024-5-1", "2024-05-01T12:00", "2024-00", "0000", "2024-05-01T24Z",
        "2024Z",        "2024-05-01T12:60Z", "0001-01-01T00:00+01:00", "9999-12-31T23:59-01:00",
    )  # fmt: skip
    assert [date for date in odd if moments_of(date) is not None] == []
    assert moments_of("9999") == (moment("9999-01-01"), moment("9999-12-31T23:59:59.999999"))


def captured(path: str, date: str, body: str = "<title>T</title>lamp", **fields: Any) -> bytes:  # noqa: ANN401
    """Return a response with a date."""
    kind = "text/plain" if path == "robots.txt" else "text/html"
    block = http(body.encode(), fields={"Content-Type": kind})
    return record("response", f"{A}/{path}", block, WARC_Date=date, **fields)


def decided(folder: Path, *records: bytes, **options: Any) -> tuple[int, int, int]:  # noqa: ANN401
    """Import records; return how many captures are allowed, disallowed and unknown."""
    write_warc(folder / "a.warc.gz", records)
    files = [folder / "a.warc.gz"]
    done = import_warcs(folder / "out", files, "ExampleBot", now=NOW, **options)
    return done.allowed, done.disallowed, done.unknown


DAY, NOON = "2024-05-01", "2024-05-01T12:00:00Z"


@pytest.mark.parametrize(
    ("rules", "page", "open_page", "closed_page"),
    [
        # robots.txt of a day, or of a minute: it is known behind its latest moment, and permits for
        # 24 hours from its earliest one.
        (DAY, NOON, "unknown", "unknown"),
        (DAY, "2024-05-02T00:00:00Z", "allowed", "disallowed"),
        (DAY, "2024-05-02T00:00:01Z", "unknown", "disallowed"),
        ("2024-05-01T12:00Z", "2024-05-01T12:00:30Z", "unknown", "unknown"),
        ("2024-05-01T12:00Z", "2024-05-02T12:00:00Z", "allowed", "disallowed"),
        ("2024-05-01T12:00Z", "2024-05-02T12:00:59Z", "unknown", "disallowed"),
        ("2024", "2025-01-01T00:00:00Z", "unknown", "disallowed"),
        # A page of a day: each moment of it counts.
        (NOON, DAY, "unknown", "unknown"),
        ("2024-04-30T23:59:59Z", DAY, "unknown", "disallowed"),
        ("2024-04-30T23:59:59.999999Z", DAY, "allowed", "disallowed"),
        ("2024-04-30T12:00:00Z", DAY, "unknown", "disallowed"),
        (NOON, "2024-05-01T12:00Z", "allowed", "disallowed"),
        (NOON, "2024-05-01T11:59Z", "unknown", "unknown"),
        # Both.
        (DAY, DAY, "unknown", "unknown"),
        ("2024-05-01T12:00Z", "2024-05-01T13:00Z", "allowed", "disallowed"),
    ],
)
def test_what_follows_holds_at_each_moment(
    tmp_path: Path, rules: str, page: str, open_page: str, closed_page: str
) -> None:
    """Neither permission nor prohibition is said of what may have been otherwise."""
    names = ("allowed", "disallowed", "unknown")
    for path, expected in (("lamps", open_page), ("till", closed_page)):
        folder = tmp_path / path
        folder.mkdir()
        found = decided(folder, captured("robots.txt", rules, RULES), captured(path, page))
        assert dict(zip(names, found, strict=True))[expected] == 1, (path, found)


def test_an_older_file_is_not_known_to_hold_meanwhile(tmp_path: Path) -> None:
    """Nor is a newer one, if the vague one may have come behind it."""
    older = captured("robots.txt", "2024-04-30T20:00:00Z", OPEN)
    newer = captured("robots.txt", "2024-05-01T06:00:00Z", OPEN)
    vague = captured("robots.txt", DAY, RULES)
    for number, records in enumerate(((older, vague), (older, newer, vague), (vague, newer))):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert decided(folder, *records, captured("till", NOON)) == (0, 0, 1)


def test_what_may_have_been_disallowed_is_not_assumed(tmp_path: Path) -> None:
    """The page of a day on which robots.txt changed."""
    first = captured("robots.txt", "2024-04-30T20:00:00Z", OPEN)
    second = captured("robots.txt", NOON, RULES)
    page = captured("till", DAY)
    assert decided(tmp_path, first, second, page) == (0, 0, 1)
    with open_readonly(tmp_path / "out") as database:
        ((said,),) = database.connection.execute(
            "SELECT source FROM urls WHERE url LIKE '%till'"
        ).fetchall()
    assert "has no seconds" in said
    again = tmp_path / "again"
    again.mkdir()
    assert decided(again, first, second, page, assume_allowed=True) == (0, 1, 0)


def test_a_capture_without_a_date_is_unreadable(tmp_path: Path) -> None:
    """It is a response, and not another record."""
    write_warc(tmp_path / "a.warc.gz", [captured("lamps", "20240501120000")])
    done = import_warcs(tmp_path / "out", [tmp_path / "a.warc.gz"], "ExampleBot", now=NOW)
    assert (done.unreadable, done.other) == (1, {})


def test_a_table_says_the_same(tmp_path: Path) -> None:
    """As an import, of random files: it never permits what that does not, nor forbids it."""
    chance = random.Random(1)  # noqa: S311  the same each time
    dates = ["2024-05-01T%02dZ", "2024-05-01T%02d:00Z", "2024-05-01T%02d:00:00Z"]
    for number in range(12):
        folder = tmp_path / str(number)
        folder.mkdir()
        hours = sorted(chance.sample(range(24), 3))
        rules = [
            captured("robots.txt", chance.choice(dates) % hour, chance.choice((RULES, OPEN)))
            for hour in hours
        ]
        pages = {f"till?{hour}": f"2024-05-01T{hour:02}:30:00Z" for hour in range(24)}
        decided(folder, *rules, *(captured(path, date) for path, date in pages.items()))
        build_policies([folder / "a.warc.gz"], folder / "t.parquet")
        timeline = policy_timeline(folder / "t.parquet", A, held=timedelta(hours=24))
        with open_readonly(folder / "out") as database:
            states = dict(database.connection.execute("SELECT url, state FROM urls"))
        for path, date in pages.items():
            verdict = timeline.at(moment(date[:-1])).may_fetch(f"{A}/{path}", "ExampleBot")
            said = "skipped" if verdict is None else "done" if verdict.allowed else "disallowed"
            assert states[f"{A}/{path}"] == said, (hours, path)
