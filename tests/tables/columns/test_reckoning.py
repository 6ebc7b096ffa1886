"""Facts are reckoned as `Policy` reckons them one at a time, whatever is remembered."""

from datetime import datetime, timedelta, timezone

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot import MisuseError, Policy
from goodbot.history import PolicyTimeline
from goodbot.policy import RobotsTxtAnswer
from goodbot.tables.columns import verdicts
from goodbot.tables.columns.fact_rows import make_table, pack_row
from goodbot.tables.columns.reckoning import Reckoner, reckon, reckon_columns
from goodbot.tables.columns.schema import (
    COLUMNS,
    VERSION_KEY,
    arrow_schema,
    check_version,
    read_dialect,
)
from tests.support.examples import examples

NOON = datetime(2025, 6, 2, 12, tzinfo=timezone.utc)
NOT_MODIFIED = 304
ORIGIN = "https://example.com"
ADDRESS = f"{ORIGIN}/robots.txt"
BODIES = [
    b"",
    b"User-agent: *\nDisallow: /a",
    b"User-agent: *\nDisallow: /",
    b"<html>no",
    b"\xff\xfeU\0",
    b"Allow: /\n" * 3,
    b"User-agent: *\nDisallow: /" + b"x" * 600_000 + b"\nDisallow: /b",
]
FIELDS = [
    ("etag", '"a"'),
    ("etag", '"b"'),
    ("cache-control", "max-age=60"),
    ("cache-control", "no-store"),
    ("date", "Mon, 02 Jun 2025 12:00:00 GMT"),
    ("expires", "Tue, 03 Jun 2025 12:00:00 GMT"),
    ("expires", "0"),
    ("age", "600"),
    ("retry-after", "7200"),
    ("cf-mitigated", "challenge"),
    ("content-type", "text/html"),
    ("content-range", "bytes 0-9/10"),
    ("location", "/elsewhere"),
    ("last-modified", "Mon, 02 Jun 2025 10:00:00 GMT"),
]
STATUSES = [200, 200, 200, 304, 304, 404, 503, 503, 202, 206, 403, 429, 301, 100, 999, None]
FACTS = st.builds(
    lambda minutes, status, headers, body, cut, hop: RobotsTxtAnswer(
        url=ADDRESS,
        answered=NOON + timedelta(minutes=minutes, seconds=3 if hop else 0),
        began=NOON + timedelta(minutes=minutes) if hop else None,
        status=status,
        failure="timeout" if status is None else None,
        headers=tuple(headers) if status is not None else (),
        body=body if status is not None else b"",
        truncated=cut and status is not None,
        hops=("https://other.example/robots.txt",) if hop else (),
    ),
    st.integers(0, 60 * 24 * 40),
    st.sampled_from(STATUSES),
    st.lists(st.sampled_from(FIELDS), max_size=3),
    st.sampled_from(BODIES),
    st.booleans(),
    st.booleans(),
)
TIMELINES = st.lists(FACTS, max_size=6, unique_by=lambda one: one.learned).map(
    lambda found: sorted(found, key=lambda one: one.learned)
)
NAMES = [one.name for one in goodbot.dialects()]


def one_at_a_time(facts: list[RobotsTxtAnswer], dialect: str) -> list[Policy]:
    """Return the policies as a robot makes them, each with the one before it.

    It is another robot, whose copy had what a condition needs if a 304 came.
    """
    found: list[Policy] = []
    for one in facts:
        previous = found[-1] if found else None
        if one.status == 304 and previous is not None and not previous.validators:
            copy, address = previous.copy_content, one.hops[-1] if one.hops else ADDRESS
            if copy is not None and previous.copy_url == address:
                fields = (*one.headers, ("etag", '"its own"'))
                asked = Policy.from_response(
                    ADDRESS, 200, fields, copy, now=one.answered, dialect=dialect, hops=one.hops
                )
                previous = asked if asked.policy_dialect.revalidates else previous
        if one.status is None:
            policy = Policy.from_failure(
                ADDRESS, str(one.failure), now=one.answered, dialect=dialect, previous=previous,
                hops=one.hops,
            )  # fmt: skip
        else:
            policy = Policy.from_response(
                ADDRESS, one.status, one.headers, one.body, truncated=one.truncated,
                now=one.answered, dialect=dialect, previous=previous, hops=one.hops,
            )  # fmt: skip
        found.append(policy)
    return found


@examples(400)
@given(TIMELINES, st.sampled_from(NAMES))
def test_facts_are_reckoned_as_policies_one_at_a_time(
    facts: list[RobotsTxtAnswer], dialect: str
) -> None:
    """The second time, too, when decisions are remembered; also a day later."""
    reckoner = Reckoner(dialect)
    expected = [reckon_columns(one) for one in one_at_a_time(facts, dialect)]
    assert reckoner.reckon(facts) == expected
    assert reckoner.reckon(facts) == expected
    moved = [
        one._replace(
            answered=one.answered + timedelta(days=1, seconds=5),
            began=None if one.began is None else one.began + timedelta(days=1, seconds=5),
        )
        for one in facts
    ]
    assert reckoner.reckon(moved) == [reckon_columns(one) for one in one_at_a_time(moved, dialect)]


def as_table(facts: list[RobotsTxtAnswer], dialect: str) -> pa.Table:
    """Return the table of one origin."""
    found = Reckoner(dialect).reckon(facts)
    return make_table([pack_row(*pair) for pair in zip(facts, found, strict=True)], dialect)


def without_304(facts: list[RobotsTxtAnswer]) -> list[RobotsTxtAnswer]:
    """Return facts that no earlier request of the same robot decides."""
    return [one for one in facts if one.status != NOT_MODIFIED]


@examples(200)
@given(TIMELINES.map(without_304), st.sampled_from(NAMES), st.sampled_from(NAMES))
def test_a_table_is_reckoned_again_in_another_dialect(
    facts: list[RobotsTxtAnswer], first: str, second: str
) -> None:
    """All that the second dialect needs is in the table of the first one; 304s are tested below."""
    again = reckon(as_table(facts, first), second)
    assert read_dialect(again.schema.metadata) == second
    names = ["valid_until", "access", "reason", "stale", "failing_since", "body"]
    rows = [tuple(row[name] for name in names) for row in again.to_pylist()]
    assert rows == [reckon_columns(one) for one in one_at_a_time(facts, second)]


@examples(200)
@given(TIMELINES, st.sampled_from(NAMES))
def test_a_table_is_reckoned_again_in_its_own_dialect(
    facts: list[RobotsTxtAnswer], dialect: str
) -> None:
    """With 304s, too: each confirms the copy that its row has."""
    again = reckon(as_table(facts, dialect), dialect)
    names = ["valid_until", "access", "reason", "stale", "failing_since", "body"]
    rows = [tuple(row[name] for name in names) for row in again.to_pylist()]
    assert rows == [reckon_columns(one) for one in one_at_a_time(facts, dialect)]


def test_a_column_and_a_verdict_have_one_reason() -> None:
    """Before anything was known, while it holds, and when it is too old to permit anything."""
    facts = [RobotsTxtAnswer(ADDRESS, NOON, 200, body=b"User-agent: *\nDisallow: /a\n")]
    timeline, table = PolicyTimeline.of_answers(facts), as_table(facts, "rfc9309")
    found = []
    for hours in (-1, 1, 99):
        at = NOON + timedelta(hours=hours)
        for url in (f"{ORIGIN}/a", f"{ORIGIN}/b"):
            row = verdicts([url], table, ["ExampleBot"], at, explain=True).to_pydict()
            verdict = goodbot.verdict(timeline, url, "ExampleBot", at)
            assert row["ExampleBot:reason"] == [verdict.reason]
            found.append(verdict.reason)
    known = ["rule-disallows", "no-rule-matches", "rule-disallows", "expired"]
    assert found == ["unknown", "unknown", *known]


@pytest.mark.parametrize("dialect", ["rfc9309", "bing"])
def test_a_304_confirms_a_copy_that_did_not_hold(dialect: str) -> None:
    """After 429 nothing may be fetched, but the copy stays, with its lifetime."""
    headers = (("cache-control", "max-age=3600"), ("etag", '"a"'))
    times = [NOON + timedelta(hours=hour) for hour in (0, 2, 3)]
    facts = [
        RobotsTxtAnswer(ADDRESS, times[0], 200, headers=headers, body=BODIES[1]),
        RobotsTxtAnswer(ADDRESS, times[1], 429),
        RobotsTxtAnswer(ADDRESS, times[2], 304),
    ]
    again = reckon(as_table(facts, "rfc9309"), dialect).to_pylist()
    assert again[2]["valid_until"] == NOON + timedelta(hours=4)


def test_a_304_confirms_the_same_copy_in_another_dialect() -> None:
    """In lwp the content of a 202 counts, and the answer was that it had not changed."""
    times = [NOON + timedelta(minutes=minute) for minute in range(3)]
    tag = (("etag", '"a"'),)
    facts = [
        RobotsTxtAnswer(ADDRESS, times[0], 200, body=b""),
        RobotsTxtAnswer(ADDRESS, times[1], 202, headers=tag, body=BODIES[1]),
        RobotsTxtAnswer(ADDRESS, times[2], 304, headers=tag),
    ]
    again = reckon(as_table(facts, "lwp"), "rfc9309").to_pylist()
    assert [(row["reason"], row["body"]) for row in again] == [
        ("empty", b""),
        ("stale-copy", b""),
        ("not-modified", BODIES[1]),
    ]


def test_rows_keep_their_places_when_a_table_is_reckoned_again() -> None:
    """The number of a row means the same row, although the rows are reckoned in order."""
    facts = [
        RobotsTxtAnswer(ADDRESS, NOON, 200, body=BODIES[1]),
        RobotsTxtAnswer(ADDRESS, NOON + timedelta(days=1), 503),
        RobotsTxtAnswer("https://b.example/robots.txt", NOON, 404),
    ]
    rows = [pack_row(one, Reckoner().reckon([one])[0]) for one in reversed(facts)]
    again = reckon(make_table(rows, "rfc9309"), "rfc9309").to_pylist()
    assert [row["origin"] for row in again] == ["https://b.example", ORIGIN, ORIGIN]
    assert [row["reason"] for row in again] == ["not-found", "stale-copy", "found"]


def test_answers_of_one_time_may_be_in_any_order() -> None:
    """The next answer follows the one that comes first in the one order of such answers."""
    later = NOON + timedelta(hours=1)
    tied = [
        RobotsTxtAnswer(ADDRESS, NOON, 200, body=b"User-agent: *\nDisallow: /"),
        RobotsTxtAnswer(ADDRESS, NOON, 404),
    ]
    failure = RobotsTxtAnswer(ADDRESS, later, 503)
    table = as_table([*tied, failure], "google")
    swapped = table.take([1, 0, 2])
    found = [reckon(one, "rfc9309").to_pylist()[-1] for one in (table, swapped)]
    assert found[0] == found[1]
    assert (found[0]["access"], found[0]["stale"]) == ("rules", True)
    policies = PolicyTimeline.of_answers([tied[1], failure, tied[0]]).learned
    assert policies[-1].policy.access == found[0]["access"]


def test_a_304_is_about_the_copy_of_the_one_who_asked() -> None:
    """Between the copy and its confirmation another source had seen no robots.txt."""
    copied = RobotsTxtAnswer(ADDRESS, NOON, 200, headers=(("etag", '"a"'),), body=BODIES[1])
    later, last = NOON + timedelta(days=1), NOON + timedelta(days=2)
    confirmed = RobotsTxtAnswer(ADDRESS, last, 304, confirmed=BODIES[1])
    gone = RobotsTxtAnswer(ADDRESS, later, 404)
    found = Reckoner().reckon([copied, gone, confirmed])
    assert [(one.access, one.body) for one in found] == [
        ("rules", BODIES[1]),
        ("allow-all", None),
        ("rules", BODIES[1]),
    ]


def test_an_outage_is_as_old_as_its_row_says() -> None:
    """A store does not keep each failure: the first one of an outage is a fact of its row."""
    long_ago = NOON - timedelta(days=40)
    facts = RobotsTxtAnswer(ADDRESS, NOON, 503, failing_since=long_ago)
    first = Policy.from_response(ADDRESS, 503, {}, b"", now=long_ago)
    expected = Policy.from_response(ADDRESS, 503, {}, b"", now=NOON, previous=first)
    assert Reckoner().reckon([facts]) == [reckon_columns(expected)]


@pytest.mark.parametrize(
    ("metadata", "cure"),
    [
        ({VERSION_KEY: b"2"}, "install a newer goodbot"),
        ({}, "goodbot tables build"),
        (None, "goodbot tables build"),
    ],
)
def test_a_table_of_another_version_is_refused(
    metadata: dict[bytes, bytes] | None, cure: str
) -> None:
    """The message says how to fix it."""
    check_version(arrow_schema().metadata)
    with pytest.raises(MisuseError, match=cure):
        check_version(metadata)


def test_a_table_without_facts_is_not_reckoned_again() -> None:
    """Only the columns that lookups need are there."""
    facts = RobotsTxtAnswer(ADDRESS, NOON, 200, body=BODIES[1])
    small = as_table([facts], "rfc9309").select(["origin", "valid_from", "access", "body"])
    with pytest.raises(MisuseError, match="goodbot tables build"):
        reckon(small, "google")


def test_the_schema_has_the_columns_in_order() -> None:
    """One list of them: the schema follows from it."""
    assert arrow_schema().names == [one.name for one in COLUMNS]
