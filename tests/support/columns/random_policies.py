"""Columns of URLs and tables of policies by chance, and their verdicts one row at a time.

The verdict of a row is that of its policies, asked by themselves: the slow twin of
`goodbot.tables.columns.verdicts` and of every engine that calls it.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta, timezone
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

import goodbot
from goodbot.bots.user_agents import known
from goodbot.history import LearnedPolicy, PolicyTimeline
from goodbot.http.address import address_of, spelling_of
from goodbot.policy import Policy

START = datetime(2026, 1, 1, tzinfo=timezone.utc)
HOUR = timedelta(hours=1)
ORIGINS = ("https://a.example", "http://b.example:8080", "https://xn--caf-dma.example")
ROBOTS = ("ExampleBot", "OtherBot/1.0", "*")
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
Answer = tuple[bool, str, int | None]


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
    found = [(place, answer_of(policy, url, robot)) for place, policy in standing]
    plain = then.may_fetch(url, robot)
    if known(robot) is None:
        kept = next((one for _, one in found if not one[0]), None)
        kept = found[0][1] if kept is None and then.is_current else kept
        assert (None if plain is None else (plain.allowed, plain.reason)) == (
            None if kept is None else kept[:2]
        )
    place, answer = next(((place, one) for place, one in found if not one[0]), found[0])
    if answer[0] and not then.is_current:
        return None, "expired", None, place
    return *answer, place


def answer_of(policy: Policy, url: str, robot: str) -> Answer:
    """Return what one policy says of a URL: as it is sent, and then as it is written."""
    robots_txt = policy.robots_txt
    one = known(robot)
    dialect = None if one is None else one.dialect
    if one is None or (dialect is None and robots_txt is None):
        return parts_of(policy.verdict(url, robot))
    chosen = dialect or policy.dialect.name
    if dialect in {None, policy.dialect.name}:
        site = parts_of(goodbot.verdict(policy, url, robot, dialect=chosen))
        assert site[:2] == family_answer(policy, url, robot, chosen)[:2]
    return family_answer(policy, url, robot, chosen)


def family_answer(policy: Policy, url: str, robot: str, dialect: str) -> Answer:
    """Return what one policy says to a known robot that reads its rules in a dialect."""
    spellings = [one for one in (address_of(url)[1], spelling_of(url)) if one]
    found: Answer = (True, "", None)
    for spelling in spellings:
        if policy.robots_txt is not None:
            found = parts_of(goodbot.verdict(policy.robots_txt, spelling, robot, dialect=dialect))
        else:
            empty = goodbot.RobotsTxt(b"", dialect=dialect).verdict(spelling, robot)
            is_itself = empty.reason == "robots-txt-itself"
            allowed, reason = policy.access == "allow-all", policy.reason
            found = (True, empty.reason, None) if is_itself else (allowed, reason, None)
        if not found[0]:
            break
    return found


def parts_of(verdict: goodbot.Verdict) -> Answer:
    """Return what columns have of a verdict."""
    rule = None if verdict.rules is None else verdict.rules.rule
    return verdict.allowed, verdict.reason, None if rule is None else rule.line


# What may be in a table and in a column.

BODIES = st.sampled_from(
    (
        b"User-agent: *\nDisallow: /b\nAllow: /b/c",
        b"User-agent: ExampleBot\nDisallow: /\n\nUser-agent: *\nDisallow: /*.gif$",
        b"User-agent: OtherBot\nUser-agent: Googlebot\nDisallow: /caf%C3%A9\nDisallow: /%7e",
        b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nDisallow: /a b\nDisallow: /a%20b",
        b"Disallow: /b\nUser-agent: Yandex\nDisallow: /~\nUser-agent: *\nAllow: /\n",
        "User-agent: *\nDisallow: /ü\nDisallow: /a*b$\nDisallow: /?\nAllow: /caf".encode(),
        b"User-agent: *\nDisallow: /",
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
        "/a|b", "/a'b?'", '/a"', "//b", "/ü", "/%C3%BC", "/%c3%bc", "/a\0b", "/a%00b", "/a\tb",
        "#f", "?q=1", ";p", "/b\u2028", "/\ufffd", "/b\\c", "/a b ",
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
