"""The audit of whole logs: it finds what the plain judgement of each request finds."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot.history import PolicyTimeline
from goodbot.site.audit import (
    AuditOptions,
    LoggedAnswer,
    check_pace,
    judge_requests,
)
from goodbot.site.audit.request_table import COLUMNS
from tests.support.audit import audit_cases
from tests.support.audit.audit_week import START, row_of
from tests.support.examples import examples
from tests.support.robots_txt_answers import answer_at

if TYPE_CHECKING:
    import random

SITE = "https://example.com"
ROBOTS = ("ExampleBot", "Googlebot", "Googlebot-News", "Bytespider", "bingbot")
CONTENTS = (None, b"", b"User-agent: *\nDisallow: /a", b"User-agent: Googlebot\nDisallow: /",
            b"User-agent: *\nDisallow: /\nAllow: /b")  # fmt: skip
HOURS = st.integers(0, 80 * 24).map(lambda half: dt.timedelta(minutes=30 * half))
SECONDS = st.integers(-2, 2).map(lambda one: dt.timedelta(seconds=one))
TIMES = st.builds(lambda hours, seconds: START + hours + seconds, HOURS, SECONDS)
AGES = st.sampled_from([{}, {"Cache-Control": "max-age=3600"}, {"Cache-Control": "max-age=200000"}])
VERSIONS = st.lists(st.tuples(TIMES, st.sampled_from(CONTENTS)), max_size=5)
STATUSES = st.sampled_from([200, 200, 304, 301, 404, 429, 499, 500, 503, 503, None])
REQUESTS = st.lists(
    st.tuples(
        st.sampled_from(ROBOTS),
        TIMES,
        st.sampled_from(["/robots.txt", "/robots.txt", "/a", "/b", "/a/1?x", "*", "http://x/b"]),
        STATUSES,
        st.sampled_from(["192.0.2.1", "2001:db8::1", "192.0.2.66", "198.51.100.7"]),
    ),
    max_size=40,
)


def table_of(requests: list[Any]) -> pa.Table:
    """Return requests as a table."""
    rows = [
        row_of(robot, address, target, status) | {"time": at, "line": line}
        for line, (robot, at, target, status, address) in enumerate(requests, 1)
    ]
    kinds = {"line": pa.int64(), "time": pa.timestamp("us", "UTC"), "status": pa.int16(),
             "bytes": pa.int64()}  # fmt: skip
    names = [*COLUMNS, "retry_after"]
    schema = pa.schema({name: kinds.get(name, pa.string()) for name in names})
    return pa.Table.from_pylist(rows, schema=schema)


@examples(300)
@given(REQUESTS, VERSIONS, AGES, st.booleans(), st.booleans(), st.sampled_from([0, 1, 60]))
def test_a_log_is_judged_as_each_request_is(
    requests: list[Any],
    versions: list[Any],
    headers: dict[str, str],
    is_observed: bool,  # noqa: FBT001
    behind_cdn: bool,  # noqa: FBT001
    resolution: int,
) -> None:
    """Reason and line of each row are those of the plain judgement, whatever the log says."""
    history = PolicyTimeline.declared(SITE, versions, headers=headers)
    if is_observed:
        seen = [
            answer_at(at, 404 if content is None else 200)._replace(body=content or b"")
            for at, content in versions
        ]
        history = PolicyTimeline.of_answers(seen)
    options = AuditOptions(
        behind_cdn=behind_cdn,
        clock_resolution=dt.timedelta(seconds=resolution),
        log_begins=START - dt.timedelta(days=3),
    )
    identities = {(robot, "192.0.2.66"): "spoofed" for robot in ROBOTS}
    identities |= {(robot, "198.51.100.7"): "verified" for robot in ROBOTS}
    result = judge_requests(table_of(requests), [history], identities=identities, options=options)
    for row, reason in enumerate(result.reasons):
        found = result.judgement(row)
        assert (found.reason, found.place.line if found.place else 0) == (
            reason, result.rule_lines[row],
        ), str(found)  # fmt: skip
    check_pace(result)


@pytest.mark.parametrize("case", audit_cases.CASES, ids=lambda case: str(case["id"]))
def test_cases_hold_for_logs(case: dict[str, Any]) -> None:
    """The cases of one request hold when it is a line of a log."""
    request = audit_cases.request_of(case)
    requests: list[Any] = [
        (request.robot, one.answer.answered, "/robots.txt", one.status, "192.0.2.1")
        for one in audit_cases.fetches_of(case | {"other_fetches": []})
    ]
    requests += audit_cases.other_fetches_of(case)
    requests.append((request.robot, request.time, request.target, 200, "192.0.2.2"))
    senders = dict.fromkeys(map(tuple, case.get("verified", [])), "verified")
    spoofed = {(name, address): "spoofed" for name, _, _, _, address in
               audit_cases.other_fetches_of(case) if name}  # fmt: skip
    result = judge_requests(
        table_of(requests),
        [audit_cases.history_of(case)],
        identities=spoofed | senders | {(request.robot, "192.0.2.2"): request.identity},
        options=audit_cases.options_of(case),
    )
    [found] = [row for row in result.table.to_pylist() if row["line"] == len(requests)]
    assert (found["outcome"], found["reason"]) == (case["outcome"], case["reason"])
    if "line" in case:
        assert found["rule_line"] == case["line"]


OPERATORS = {
    "ExampleBot": "ExampleBot", "Googlebot": "Google", "Googlebot-News": "Google",
    "Bytespider": "ByteDance", "bingbot": "Microsoft",
}  # fmt: skip
"""Whose robot each is; an unknown one is its own."""
OTHERS = st.lists(
    st.tuples(
        st.sampled_from([None, *ROBOTS]), TIMES, st.just("/robots.txt"), STATUSES,
        st.sampled_from(["192.0.2.66", "198.51.100.1", "198.51.100.2"]),
    ),
    max_size=8,
)  # fmt: skip
VERIFIED = {("Googlebot", "198.51.100.1"): "verified", ("ExampleBot", "198.51.100.2"): "verified",
            ("bingbot", "198.51.100.2"): "verified"}  # fmt: skip


@examples(200)
@given(REQUESTS, OTHERS, VERSIONS, st.randoms(use_true_random=False), st.integers(0, 48))
def test_requests_from_addresses_of_an_operator_serve_its_robots(
    requests: list[Any], others: list[Any], versions: list[Any], mix: random.Random, cut: int
) -> None:
    """They count whatever they name, as a slow way finds; a log may be mixed and split."""
    history = PolicyTimeline.declared(SITE, versions)
    options = AuditOptions(log_begins=START - dt.timedelta(days=3))
    spoofed = {(robot, "192.0.2.66"): "spoofed" for robot in ROBOTS}
    known_senders = spoofed | VERIFIED
    rows = requests + others
    result = judge_requests(table_of(rows), [history], identities=known_senders, options=options)
    for log in result.logs:
        expected = slow_fetches(rows, known_senders, log.group.robot)
        # Those of one time are in any order.
        assert len(log.fetches) == len(expected)
        assert all(log.fetches.count(fetch) == expected.count(fetch) for fetch in expected)
    for row, reason in enumerate(result.reasons):
        assert result.judgement(row).reason == reason
    lines = table_of(rows)
    mixed = lines.take(pa.array(mix.sample(range(len(rows)), len(rows)), pa.int64()))
    parts = [mixed.slice(0, cut), mixed.slice(cut)]
    again = judge_requests(parts, [history], identities=known_senders, options=options)
    assert again.table.equals(result.table)


def slow_fetches(
    rows: list[Any], known_senders: dict[tuple[str, str], str], robot: str
) -> list[LoggedAnswer]:
    """Return the requests for robots.txt that serve a robot, each looked at for itself."""
    found = []
    for name, time, target, status, address in rows:
        if target != "/robots.txt":
            continue
        is_operators = any(
            said == "verified" and where == address and OPERATORS[whose] == OPERATORS[robot]
            for (whose, where), said in known_senders.items()
        )
        said = known_senders.get((name, address), "unverifiable")
        if name is not None and OPERATORS[name] == OPERATORS[robot] and said != "spoofed":
            found.append(LoggedAnswer(answer_at(time, status), is_own=name == robot, identity=said))
        elif is_operators:
            found.append(LoggedAnswer(answer_at(time, status), is_own=False, identity="verified"))
    return found


def test_requests_of_people_from_other_addresses_change_nothing() -> None:
    """Who fetches robots.txt from an address that is not verified serves no robot."""
    history = PolicyTimeline.declared(
        SITE, [(START, b""), (START + dt.timedelta(days=4), CONTENTS[2])]
    )
    at = START + dt.timedelta(days=4)
    request = ("Googlebot", at + dt.timedelta(hours=2), "/a", 200, "192.0.2.1")
    fetch = (None, at - dt.timedelta(hours=2), "/robots.txt", 200, "198.51.100.1")
    options = AuditOptions(log_begins=START)
    for identities, reason in ((None, "no-request-seen"), (VERIFIED, "held-copy-allows")):
        result = judge_requests(
            table_of([fetch, request]), [history], identities=identities, options=options
        )
        assert result.reasons == [reason]


def test_lines_without_a_site() -> None:
    """Lines without a host are about the site that the options name, or else not judged."""
    closed = PolicyTimeline.declared(SITE, [(START, b"User-agent: *\nDisallow: /")])
    at = START + dt.timedelta(days=3)
    rows = table_of([("ExampleBot", at, "/a", 200, "192.0.2.1")])
    bare = rows.set_column(3, "host", pa.nulls(1, pa.string()))
    bare = bare.set_column(4, "scheme", pa.nulls(1, pa.string()))
    options = AuditOptions(site=SITE, log_begins=START)
    assert judge_requests(bare, [closed], options=options).reasons == ["no-request-seen"]
    assert judge_requests(bare, [closed], options=AuditOptions(log_begins=START)).reasons == [
        "no-site"
    ]


def test_misuse_names_the_cure() -> None:
    """A table without a column, no table, and a site with two timelines are refused."""
    table = table_of([])
    with pytest.raises(goodbot.MisuseError, match="no column 'robot'"):
        judge_requests(table.drop_columns(["robot"]), [])
    with pytest.raises(goodbot.MisuseError, match="must be a table"):
        judge_requests([1], [])
    with pytest.raises(goodbot.MisuseError, match="two timelines"):
        judge_requests(table, [PolicyTimeline((), origin=SITE), PolicyTimeline((), origin=SITE)])
    with pytest.raises(goodbot.MisuseError, match="'time' is bool"):
        judge_requests(table.set_column(1, "time", pa.array([], pa.bool_())), [])


def test_a_row_may_say_who_sent_it_and_which_file_has_its_line() -> None:
    """Evidence may change while an address stays: then the row counts, and not its sender."""
    history = PolicyTimeline.declared(SITE, [(START, b"User-agent: *\nDisallow: /a")])
    at = START + dt.timedelta(days=3)
    table = table_of([("ExampleBot", at, "/a", 200, "192.0.2.1")] * 3)
    assert judge_requests(table, [history]).rows.sources is None
    table = table.append_column("identity", pa.array(["spoofed", "verified", None]))
    table = table.append_column("source", pa.array(["old.log", "old.log", "new.log"]))
    options = AuditOptions(log_begins=START)
    known = {("ExampleBot", "192.0.2.1"): "spoofed"}
    result = judge_requests(table, [history], identities=known, options=options)
    assert result.rows.identities == ["spoofed", "verified", "spoofed"]
    assert result.reasons == ["spoofed", "no-request-seen", "spoofed"]
    assert result.rows.sources == ["old.log", "old.log", "new.log"]
