"""Each row of a column has the verdict that its policies, asked one at a time, have for its URL."""

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot.bots.family_policy import SiteRules
from goodbot.columns import PolicyTable, allows, verdicts
from goodbot.columns.fact_rows import PolicyFacts, row_of
from goodbot.columns.fact_rows import table_of as table_of_rows
from goodbot.columns.reckoning import Reckoner
from goodbot.http.address import address_of
from goodbot.policy import LearnedPolicy, Policy, PolicyTimeline

START = datetime(2026, 1, 1, tzinfo=timezone.utc)
HOUR = timedelta(hours=1)
ORIGINS = ("https://a.example", "http://b.example:8080", "https://xn--caf-dma.example")
ROBOTS = ("ExampleBot", "OtherBot/1.0", "*")
KNOWN = ("Googlebot-News", "AdsBot-Google", "GPTBot", "Applebot", "YandexBot")
DIALECTS = [one.name for one in goodbot.dialects()]

Learned = tuple[datetime, Policy]


def table_of(policies: Sequence[Learned], dialect: str) -> pa.Table:
    """Return the columns that a verdict needs, reckoned by the policies themselves."""
    rows = [
        {
            "origin": policy.origin,
            "valid_from": at,
            "valid_until": policy.fresh_until,
            "access": policy.access,
            "reason": policy.reason,
            "stale": policy.robots_txt is not None and policy.failing_since is not None,
            "body": None if policy.robots_txt is None else policy.robots_txt.content,
        }
        for at, policy in policies
    ]
    schema = pa.schema(
        {
            "origin": pa.string(),
            "valid_from": pa.timestamp("us", "UTC"),
            "valid_until": pa.timestamp("us", "UTC"),
            "access": pa.dictionary(pa.int8(), pa.string()),
            "reason": pa.string(),
            "stale": pa.bool_(),
            "body": pa.binary(),
        },
        metadata={b"goodbot.dialect": dialect.encode()},
    )
    return pa.Table.from_pylist(rows, schema=schema)


# The slow twin: one policy, one URL, one robot at a time.

Row = tuple[bool | None, str | None, int | None, int | None]


def one_by_one(
    policies: Sequence[Learned],
    url: str | None,
    robot: str,
    at: datetime | None,
    held: timedelta | None,
) -> Row:
    """Return the verdict on one row, its reason, line and row of the table."""
    if url is None:
        return None, None, None, None
    try:
        origin = address_of(url)[0]
    except goodbot.NoOriginError:
        return None, "no-origin", None, None
    if at is None:
        return None, "no-time", None, None
    own = [(place, one) for place, one in enumerate(policies) if one[1].origin == origin]
    own.sort(key=lambda row: row[1][0])
    timeline = PolicyTimeline(tuple(LearnedPolicy(*one) for _, one in own), held)
    then = timeline.at(at)
    if not then:
        return None, "unknown", None, None
    latest = max(time for _, (time, _) in own if time <= at)
    standing = [(place, policy) for place, (time, policy) in own if time == latest]
    found = [
        (place, SiteRules(policy, robot, dialect=policy.dialect).verdict(url))
        for place, policy in standing
    ]
    plain = then.verdict(url, robot)
    if goodbot.bots.user_agents.known(robot) is None:
        kept = next((one for _, one in found if not one), found[0][1] if then.is_current else None)
        assert (None if plain is None else plain.as_dict()) == (
            None if kept is None else kept.as_dict()
        )
    place, verdict = next(((place, one) for place, one in found if not one), found[0])
    if verdict.allowed and not then.is_current:
        return None, "expired", None, place
    line = None if verdict.rules is None or verdict.rules.rule is None else verdict.rules.rule.line
    return verdict.allowed, verdict.reason, line, place


# What may be in a table and in a column.

BODIES = st.sampled_from(
    (
        b"User-agent: *\nDisallow: /b\nAllow: /b/c",
        b"User-agent: ExampleBot\nDisallow: /\n\nUser-agent: *\nDisallow: /*.gif$",
        b"User-agent: OtherBot\nUser-agent: Googlebot\nDisallow: /caf%C3%A9\nDisallow: /%7e",
        b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /a b\nDisallow: /a%20b",
        b"Disallow: /b\nUser-agent: Yandex\nDisallow: /~\nUser-agent: *\nAllow: /\n",
        b"",
        b"<html>",
    )
)
RESPONSES = st.tuples(
    st.sampled_from((200, 200, 200, 404, 403, 429, 500, 503, 301, 304)),
    st.sampled_from(({}, {}, {"Cache-Control": "max-age=7200"}, {"Cache-Control": "no-store"})),
    BODIES,
)
EVENTS = st.lists(
    st.tuples(
        st.sampled_from(ORIGINS),
        st.integers(0, 60),
        st.one_of(RESPONSES, st.sampled_from(("dns", "timeout"))),
        st.sampled_from(((), (), ("https://other.example/robots.txt",))),
    ),
    max_size=12,
)
PATHS = st.sampled_from(
    (
        "/a", "/b", "/b/c", "/b/cd?e", "/x.gif", "/x/../b", "/%62", "/%7efred", "/~fred",
        "/caf%c3%a9", "/café", "/a b", "/a%20b", "", "?q", "/robots.txt", "/%72obots.txt",
        "/robots.txt?a", "/b#c", "\\b", "/./b", "/.well-known", "/b%", "/b%2", "/%2e%2e/b", "/a;b",
        "/a|b", "/a'b?'", '/a"', "//b",
    )
)  # fmt: skip
URLS = st.one_of(
    st.none(),
    st.sampled_from(("", "/b", "ftp://a.example/b", "http:/b", "mailto:a@b", "https://", "https://[/")),
    st.builds(
        str.__add__,
        st.sampled_from(
            (*ORIGINS, "HTTPS://A.Example", "https://a.example:443", "https://u:p@a.example",
             " https://a.example", "https://café.example", "http://c.example")
        ),
        PATHS,
    ),
)  # fmt: skip
ROWS = st.lists(st.tuples(URLS, st.one_of(st.none(), st.integers(-5, 100))), max_size=25)


def learned(events: list[Any], dialect: str) -> list[Learned]:
    """Return the policies that follow from what sites answered, each origin's in order of time."""
    found: list[Learned] = []
    last: dict[str, Policy] = {}
    for origin, hour, result, hops in sorted(events, key=lambda event: event[1]):
        address, now = f"{origin}/robots.txt", START + hour * HOUR
        more = {"now": now, "dialect": dialect, "previous": last.get(origin), "hops": hops}
        if isinstance(result, str):
            policy = Policy.from_failure(address, result, **more)
        else:
            policy = Policy.from_response(address, *result, **more)
        last[origin] = policy
        found.append((now, policy))
    return found


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
    # A known robot has its own dialect; a table without facts is used as it is.
    known = tuple(one for one in KNOWN if own_dialect(one) in {None, dialect})
    robots = chance.choice([known or ROBOTS, ROBOTS])
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


def own_dialect(robot: str) -> str | None:
    """Return the dialect of a known robot."""
    one = goodbot.bots.get(robot)
    return one.dialect


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
    facts = PolicyFacts(
        origin=ORIGINS[0], learned=START, answered=START, status=429, failure=None, headers=(),
        body=b"", truncated=False, hops=(), asked=None, confirmed=None, kept=None,
        failing_since=None, source=None,
    )  # fmt: skip
    table = table_of_rows([row_of(facts, Reckoner().reckon([facts])[0])], "rfc9309")
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
