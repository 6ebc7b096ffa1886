"""When a log begins and ends: neither single lines with wrong clocks nor their order matter."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from goodbot.history import PolicyTimeline
from goodbot.http.instants import DAY
from goodbot.site.audit import AuditOptions, judge_requests
from goodbot.site.audit.log_span import DayCount, LogSpan, log_span, merge_days
from tests.site.audit.test_table_judging import REQUESTS, ROBOTS, SITE, VERSIONS, table_of
from tests.support.audit.audit_week import START
from tests.support.examples import examples

if TYPE_CHECKING:
    import random

CLOSED = b"User-agent: *\nDisallow: /a"


def days_of(counts: dict[int, int]) -> dict[int, DayCount]:
    """Return days with so many requests each, at noon."""
    return {day: DayCount(count, day * DAY + DAY // 2, day * DAY + DAY // 2)
            for day, count in counts.items()}  # fmt: skip


def begin_of(counts: dict[int, int]) -> int:
    """Return the day on which a log begins."""
    found = log_span(days_of(counts))
    assert found is not None
    return found.begins // DAY


def test_times_far_from_most_do_not_count() -> None:
    """Those of 1970 and of the year 2100 are skipped, and counted."""
    counts = {0: 3, 20_000: 1, 20_018: 2, 47_482: 1}
    noon = DAY // 2
    assert log_span(days_of(counts)) == LogSpan(20_000 * DAY + noon, 20_018 * DAY + noon, 3, 4)
    assert log_span({}) is None
    assert log_span(days_of({5: 1})) == LogSpan(5 * DAY + noon, 5 * DAY + noon, 1, 0)


def test_of_two_as_large_logs_the_later_one_counts() -> None:
    """A later begin leaves more unknown."""
    assert begin_of({20_000: 4, 21_000: 4}) == 21_000
    assert begin_of({20_000: 5, 21_000: 4}) == 20_000


def test_few_requests_before_a_day_without_any_are_no_beginning() -> None:
    """Of many requests, one of last month is that of a wrong clock; of few, it may be the first."""
    assert begin_of({20_000: 1, 20_020: 999}) == 20_000
    assert begin_of({20_000: 1, 20_020: 9_999}) == 20_020
    assert begin_of({20_000: 4, 20_010: 5, 20_020: 9_991}) == 20_020
    # A site that grows slowly has requests each day.
    assert begin_of({day: 2 ** max(0, day - 20_010) for day in range(20_000, 20_030)}) == 20_000


@examples(200)
@given(
    st.dictionaries(st.integers(0, 400), st.integers(1, 200), min_size=1, max_size=30),
    st.randoms(use_true_random=False),
)
def test_neither_order_nor_parts_matter(counts: dict[int, int], mix: random.Random) -> None:
    """A log in parts has the span of the whole one, which has all requests within or outside."""
    days = days_of(counts)
    found = log_span(days)
    assert found is not None
    assert found.requests + found.outside == sum(counts.values())
    assert found.begins <= found.ends
    parts = [{day: DayCount(1, one.first, one.last)} for day, one in days.items()
             for _ in range(one.requests)]  # fmt: skip
    mix.shuffle(parts)
    assert log_span(merge_days(parts)) == found


@examples(100)
@given(REQUESTS, VERSIONS, st.sampled_from([1970, 2001, 2024, 2028, 2106]))
def test_a_line_with_a_wrong_clock_changes_nothing(
    requests: list[tuple[str, dt.datetime, str, int | None, str]],
    versions: list[tuple[dt.datetime, bytes | None]],
    year: int,
) -> None:
    """Every other line is judged as without it."""
    # So many lines of people that one of them is never the log.
    people = [(None, START + dt.timedelta(hours=hour), "/", 200, "203.0.113.1")
              for hour in range(0, 80 * 24, 12)]  # fmt: skip
    wrong = [(None, dt.datetime(year, 6, 1, tzinfo=dt.timezone.utc), "/", 200, "203.0.113.1")]
    history = PolicyTimeline.declared(SITE, versions)
    before = judge_requests(table_of([*requests, *people]), [history])
    after = judge_requests(table_of([*requests, *people, *wrong]), [history])
    assert after.table.equals(before.table)


def test_a_request_with_a_wrong_clock_is_unknown() -> None:
    """It is never a violation, whether its time is before the log or after it."""
    history = PolicyTimeline.declared(
        SITE, [(dt.datetime(1960, 1, 1, tzinfo=dt.timezone.utc), CLOSED)]
    )
    times = [START + dt.timedelta(days=day) for day in range(9)]
    times += [dt.datetime(year, 1, 1, tzinfo=dt.timezone.utc) for year in (1970, 2106)]
    rows = table_of([("ExampleBot", at, "/a", 200, "192.0.2.1") for at in times])
    result = judge_requests(rows, [history])
    reasons = [result.reasons[row] for row in range(len(times))]
    assert reasons == ["log-begins"] * 2 + ["no-request-seen"] * 7 + [
        "log-begins",
        "outside-the-log",
    ]
    assert [result.judgement(row).reason for row in range(len(times))] == reasons


@examples(200)
@given(
    REQUESTS, VERSIONS, st.lists(st.tuples(st.integers(0, 39), st.sampled_from([200, 404, 503])))
)
def test_an_unverified_request_for_robots_txt_convicts_no_verified_robot(
    requests: list[tuple[str, dt.datetime, str, int | None, str]],
    versions: list[tuple[dt.datetime, bytes | None]],
    more: list[tuple[int, int]],
) -> None:
    """Whatever it was answered with, a verified robot has no violation more than without it."""
    history = PolicyTimeline.declared(SITE, versions)
    options = AuditOptions(log_begins=START - dt.timedelta(days=3))
    address = "198.51.100.7"
    rows = [(robot, at, target, status, address) for robot, at, target, status, _ in requests]
    others = [(robot, START + dt.timedelta(days=2 * day), "/robots.txt", status, "10.0.0.1")
              for day, status in more for robot in ROBOTS]  # fmt: skip
    verified = {(robot, address): "verified" for robot in ROBOTS}
    before, after = (
        judge_requests(table_of([*rows, *extra]), [history], identities=verified, options=options)
        for extra in ([], others)
    )
    convicted = {
        "every-copy-disallows",
        "copy-expired",
        "no-request-seen",
        "robots-txt-unreachable",
    }
    for reason, then in zip(before.reasons, after.reasons, strict=False):
        assert reason in convicted or then not in convicted, (reason, then)


def test_what_somebody_else_received_replaces_no_copy() -> None:
    """A 404 to an unverified sender takes away no copy that a verified one may have kept."""
    address, second = "198.51.100.7", dt.timedelta(seconds=1)
    day_later = START + dt.timedelta(days=1) + second
    rows = [
        ("ExampleBot", START, "/robots.txt", 200, address),
        ("Googlebot", day_later, "/robots.txt", 429, address),
        ("Googlebot", day_later, "/a", 200, address),
    ]
    stranger = ("Googlebot", START, "/robots.txt", 404, "10.0.0.1")
    verified = {(robot, address): "verified" for robot in ROBOTS}
    options = AuditOptions(log_begins=START - dt.timedelta(days=3))
    history = PolicyTimeline.declared(SITE, [(START, None)])
    for extra in ([], [stranger]):
        table = table_of([*rows, *extra])
        found = judge_requests(table, [history], identities=verified, options=options)
        assert found.reasons[2] == "rules-allow"


def test_times_of_a_table_may_be_before_1970() -> None:
    """A day before 1970 is a day, too."""
    at = dt.datetime(1969, 12, 31, 23, 59, tzinfo=dt.timezone.utc)
    table = table_of([("ExampleBot", at, "/a", 200, "192.0.2.1")])
    assert isinstance(table, pa.Table)
    result = judge_requests(table, [PolicyTimeline((), origin=SITE)])
    assert result.logs[0].begins == at
