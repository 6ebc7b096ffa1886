"""Each row of a column has the verdict that its policies, asked one at a time, have for its URL."""

from collections import Counter
from datetime import timedelta
from itertools import pairwise
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot._core import UrlRows
from goodbot.policy import RobotsTxtAnswer
from goodbot.tables.columns import PolicyTable, allows, verdicts
from goodbot.tables.columns.fact_rows import make_table as table_of_rows
from goodbot.tables.columns.fact_rows import pack_row
from goodbot.tables.columns.reckoning import Reckoner
from goodbot.tables.columns.verdicts import decide_columns
from tests.support.columns.random_policies import (
    DIALECTS,
    EVENTS,
    HOUR,
    ORIGINS,
    ROBOTS,
    ROWS,
    START,
    learned,
    one_by_one,
    table_of,
)

KNOWN = (
    "Googlebot", "Googlebot-News", "AdsBot-Google", "GPTBot", "Applebot", "YandexBot", "bingbot",
    "CCBot",
)  # fmt: skip


@given(
    events=EVENTS,
    rows=ROWS,
    dialect=st.sampled_from(DIALECTS),
    held=st.sampled_from((None, None, timedelta(hours=5))),
    chance=st.randoms(use_true_random=False),
)
def test_each_row_is_the_verdict_of_its_policies(
    events: list[Any],
    rows: list[tuple[str | None, int | None]],
    dialect: str,
    held: timedelta | None,
    chance: Random,
) -> None:
    """Whatever the policies, times, URLs, robots and the order of the table."""
    policies = learned(events, dialect)
    chance.shuffle(policies)
    # Of a table without facts, only the rules are read in the dialect of a known robot.
    robots = chance.choice([KNOWN, ROBOTS])
    urls = pa.array([url for url, _ in rows], pa.string())
    times = [None if hour is None else START + hour * HOUR for _, hour in rows]
    at = pa.array(times, pa.timestamp("us", "UTC"))
    table = PolicyTable(table_of(policies, dialect), held=held)
    found = verdicts(urls, table, robots, at, explain=True).to_pydict()
    plain = verdicts(urls, table, robots, at).to_pydict()
    for robot in robots:
        expected = [
            one_by_one(policies, url, robot, time, held)
            for (url, _), time in zip(rows, times, strict=True)
        ]
        columns = (found[f"{robot}{part}"] for part in ("", ":reason", ":line", ":policy"))
        assert list(zip(*columns, strict=True)) == expected
        assert plain[robot] == found[robot]
    explain = chance.random() < 1 / 2
    _, counts = decide_columns(urls, table, robots, at, explain=explain, count=True, threads=2)
    assert counts == Counter(
        (robot, verdict, reason or "")
        for robot in robots
        for verdict, reason in zip(found[robot], found[f"{robot}:reason"], strict=True)
    )


def test_ages_are_those_of_the_policies() -> None:
    """The age is the time since the policies were learned, for every robot the same."""
    policies = learned([(ORIGINS[0], 2, (200, {}, b""), ())], "rfc9309")
    table = table_of(policies, "rfc9309")
    urls = [f"{ORIGINS[0]}/a"] * 3
    at = [START + hours * HOUR for hours in (1, 2, 30)]
    assert verdicts(urls, table, "ExampleBot", at, explain=True)["age"].tolist() == [
        None,
        timedelta(0),
        timedelta(hours=28),
    ]


def test_without_times_the_newest_policy_decides_at_any_age() -> None:
    """It counts as current: how old it is, only the caller can know."""
    answers: list[Any] = [
        (200, {}, b"User-agent: *\nDisallow: /a"),
        (200, {}, b"User-agent: *\nDisallow: /b"),
    ]
    events: list[Any] = [(ORIGINS[0], hour, answer, ()) for hour, answer in enumerate(answers)]
    table = table_of(learned(events, "rfc9309"), "rfc9309")
    urls = [f"{ORIGINS[0]}/a", f"{ORIGINS[0]}/b", "https://unknown.example/", None]
    found = verdicts(urls, table, "ExampleBot", explain=True).to_pydict()
    assert found["ExampleBot"] == [True, False, None, None]
    assert found["ExampleBot:reason"] == ["no-rule-matches", "rule-disallows", "unknown", None]
    assert found["age"] == [None] * 4
    assert allows(urls, table, "ExampleBot").tolist() == found["ExampleBot"]


def test_a_known_robot_in_another_dialect_has_its_facts_reckoned_again() -> None:
    """Without the facts of the table, its rules are read in the robot's dialect only."""
    policies = learned([(ORIGINS[0], 0, (429, {}, b""), ())], "rfc9309")
    table = table_of(policies, "rfc9309")
    found = verdicts([f"{ORIGINS[0]}/a"], table, ["ExampleBot", "YandexBot"], START).to_pydict()
    assert found == {"ExampleBot": [False], "YandexBot": [False]}


def test_with_its_facts_a_table_is_reckoned_for_a_robot_of_another_dialect() -> None:
    """RFC 9309 forbids everything after 429 (Too Many Requests), and Yandex's robots go on."""
    facts = RobotsTxtAnswer(f"{ORIGINS[0]}/robots.txt", START, 429)
    table = table_of_rows([pack_row(facts, Reckoner().reckon([facts])[0])], "rfc9309")
    found = verdicts([f"{ORIGINS[0]}/a"], table, ["ExampleBot", "YandexBot"], START).to_pydict()
    assert found == {"ExampleBot": [False], "YandexBot": [True]}


@pytest.mark.parametrize("threads", [1, 3])
def test_rows_of_many_chunks_stay_in_order(threads: int) -> None:
    """Chunks of URLs and of times need not be alike."""
    bodies = [b"User-agent: *\nDisallow: /%d" % number for number in range(40)]
    events: list[Any] = [
        (f"https://h{n:02}.example", 0, (200, {}, body), ()) for n, body in enumerate(bodies)
    ]
    table = table_of(learned(events, "rfc9309"), "rfc9309")
    urls = [f"https://h{n % 40:02}.example/{n % 7}" for n in range(30_000)]
    expected = [n % 40 != n % 7 and not str(n % 7).startswith(str(n % 40)) for n in range(30_000)]
    chunked = pa.chunked_array([urls[:11_111], [], urls[11_111:20_000], urls[20_000:]])
    at = pa.chunked_array([[START] * 5, [START] * 29_995], pa.timestamp("ms", "UTC"))
    assert allows(chunked, table, "ExampleBot", at, threads=threads).tolist() == expected


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("cache_bytes", [1 << 12, 1 << 28])
def test_rows_in_no_order_are_decided_like_any_others(threads: int, cache_bytes: int) -> None:
    """Rows of several chunks are decided together, and what is kept of rules is asked again."""
    chance = Random(threads)  # noqa: S311  no secret
    hosts = 700
    bodies = [b"User-agent: *\nDisallow: /%d" % (number % 10) for number in range(hosts)]
    events: list[Any] = [
        (f"https://h{n:03}.example", 0, (200, {}, body), ()) for n, body in enumerate(bodies)
    ]
    policies = table_of(learned(events, "rfc9309"), "rfc9309")
    table = PolicyTable(policies, cache_bytes=cache_bytes)
    for rows in (20_000, 9_000):
        sites = [chance.randrange(hosts + 50) for _ in range(rows)]
        paths = [chance.randrange(10) for _ in range(rows)]
        urls = [f"https://h{n:03}.example/{path}" for n, path in zip(sites, paths, strict=True)]
        sizes = [1, 0, *(chance.randrange(2_000) for _ in range(200))]
        ends = [min(sum(sizes[:place]), rows) for place in range(len(sizes))] + [rows]
        chunks = [urls[a:b] for a, b in pairwise(ends)]
        expected = [
            None if site >= hosts else site % 10 != path
            for site, path in zip(sites, paths, strict=True)
        ]
        column = pa.chunked_array(chunks, pa.string())
        assert UrlRows(column).are_mixed()
        assert allows(column, table, "ExampleBot", START, threads=threads).tolist() == expected
        assert not UrlRows(pa.array(sorted(urls))).are_mixed()
        in_order = allows(sorted(urls), table, "ExampleBot", START, threads=threads).tolist()
        assert in_order == [answer for _, answer in sorted(zip(urls, expected, strict=True))]


def test_a_table_in_many_small_batches_is_one_table() -> None:
    """Each row is found in its batch, of whatever size."""
    events: list[Any] = [
        (f"https://h{n:04}.example", 0, (200, {}, b"User-agent: *\nDisallow: /%d" % n), ())
        for n in range(3_000)
    ]
    whole = table_of(learned(events, "rfc9309"), "rfc9309")
    chance = Random(1)  # noqa: S311  no secret
    batches: list[pa.Table] = []
    row = 0
    while row < len(whole):
        size = chance.choice([0, 1, 1, 1, 2, 40])
        batches += [whole.slice(row, size)]
        row += size
    table = PolicyTable(pa.concat_tables(batches))
    urls = [f"https://h{n:04}.example/{n}" for n in range(3_000)]
    found = verdicts(urls, table, "ExampleBot", START, explain=True).to_pydict()
    assert found["ExampleBot"] == [False] * 3_000
    assert found["ExampleBot:policy"] == list(range(3_000))


@pytest.mark.parametrize("order", [[0, 1, 2], [0, 2, 1]])
def test_what_states_nothing_does_not_hide_that_a_file_was_seen_again(order: list[int]) -> None:
    """Rows of one time may stand in any order."""
    body = b"User-agent: *\nDisallow: /b"
    later = START + timedelta(days=3)
    table = pa.table(
        {
            "origin": ["https://a.example"] * 3,
            "valid_from": [START, later, later],
            "valid_until": [START + timedelta(days=1), later, later + timedelta(days=1)],
            "access": ["rules", "unknown", "rules"],
            "reason": ["found", "not-captured", "found"],
            "stale": [False] * 3,
            "body": [body, None, body],
        }
    ).take(order)
    found = verdicts(["https://a.example/a"], table, "ExampleBot", START + timedelta(days=2))
    assert found["ExampleBot"].tolist() == [True]
