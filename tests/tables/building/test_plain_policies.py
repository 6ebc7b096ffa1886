"""Answers that are decided by kind have the rows that deciding one after another gives."""

import random
from datetime import datetime, timedelta, timezone
from itertools import groupby, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.http.instants import instant
from goodbot.policy.outcome_tables import policy_dialect
from goodbot.tables.building import reckoned_tables
from goodbot.tables.building.packed_answer import PackedAnswer, pack_table, unpack_table
from goodbot.tables.building.reckoned_tables import TableReckoner, reckoned_rows
from goodbot.tables.building.redirected import ask_target
from goodbot.tables.columns.fact_rows import make_plain_table
from goodbot.tables.columns.reckoning import LATEST, Reckoner
from tests.support.examples import examples, share_of, some_of, thorough

NOON = datetime(2025, 6, 2, 12, tzinfo=timezone.utc)
START = instant(NOON, "NOON")
HOUR = 3_600_000_000
DIALECTS = ["rfc9309", "google", "bing", "koster1994", "conner1996", "lwp"]

KEYS = [
    "https://a.example", "http://b.example:8080", "https://c.example", "https://d.example",
    "https://a.example/r.txt", "http://a.example",
]  # fmt: skip
PLAIN_STATUSES = [200, 200, 200, 204, 206, 299, 404, 403, 401, 410, 418]
ODD_STATUSES = [None, 199, 301, 302, 304, 399, 429, 500, 503, 600]
BODIES = [
    b"User-agent: *\nDisallow:\n", b"User-agent: *\nDisallow: /\n", b"User-agent: *\nDisallow: /",
    b"", b"<html>", b"\xef\xbb\xbfUser-agent: *\nDisallow: /x\n", b"\0\xff", b"#" * 600_000,
    b"User-agent: *\nDisallow: /a\n" + b"#" * 520_000 + b"\nDisallow: /b\n", b"Disallow: /\n",
    b"Disallow:\n", b"Disallow:",
]  # fmt: skip
LINES = [
    'etag:"a"', "age:5", "age:-1", "content-type:text/plain", "content-type:text/html", "age:",
    "cache-control:max-age=60", "cache-control:no-store", "cache-control:max-age=x, private",
    "date:Mon, 02 Jun 2025 12:00:00 GMT", "date:Mon, 02 Jun 2025 11:00:00 GMT", "date:soon",
    "expires:Mon, 02 Jun 2025 18:00:00 GMT", "expires:0", "last-modified:Mon, 02 Jun 2025 GMT",
    "content-range:bytes 0-9/10", "content-range:bytes 5-9/10", "cf-mitigated:challenge",
    "retry-after:60", "location:https://b.example:8080/robots.txt", "content-type:a: b:c",
    "content-type:caf\u00e9\u2028x", "etag:",
]  # fmt: skip


def answers(statuses: list[int | None]) -> st.SearchStrategy[PackedAnswer]:
    """Return answers with some statuses; most agree in some parts, so that they are of a kind."""
    return st.builds(
        lambda key, hours, status, lines, body, cut, asked: PackedAnswer(
            key, START + hours * HOUR, START + hours * HOUR, status,
            "timeout" if status is None else None, "\n".join(lines), body, cut,
            None if asked is None else START + (hours - asked) * HOUR, source="x.warc.gz",
        ),
        st.sampled_from(KEYS), st.integers(-3, 40), st.sampled_from(statuses),
        st.lists(st.sampled_from(LINES), max_size=3), st.sampled_from(BODIES),
        st.sampled_from([False, False, True]), st.sampled_from([None, None, 0, 3]),
    )  # fmt: skip


MIXED = st.lists(
    st.one_of(answers(list(PLAIN_STATUSES)), answers([*PLAIN_STATUSES, *ODD_STATUSES])), max_size=12
)
ODD_FACTS: list[dict[str, Any]] = [
    {"hops": "https://z.example/r.txt"}, {"kept": BODIES[1]}, {"confirmed": BODIES[1]},
    {"failing_since": START - HOUR}, {"failure": "timeout"}, {"source": None},
]  # fmt: skip


def sorted_table(found: list[PackedAnswer]) -> Any:  # noqa: ANN401  a pyarrow.Table
    """Return answers as they are read back from the disk."""
    return pack_table(found).sort_by([("key", "ascending"), ("at", "ascending")])


def one_by_one(table: Any, dialect: str) -> tuple[Any, int]:  # noqa: ANN401  a pyarrow.Table
    """Decide all answers one after another: the slow twin."""
    reckoner, limit = Reckoner(dialect), policy_dialect(dialect).redirect_limit
    found = [
        reckoned_rows(group, reckoner, limit)
        for _, group in groupby(unpack_table(table), key=lambda one: one.key)
    ]
    rows = [row for group in found for row in group]
    return make_plain_table(rows, dialect), sum(bool(group) for group in found)


def agree(tables: list[Any], dialect: str) -> None:
    """Decide some ranges in both ways; decisions are remembered from one range to the next."""
    reckoner = TableReckoner(dialect)
    for table in tables:
        expected, count = one_by_one(table, dialect)
        for one in (table, marked(table, dialect)):
            rows, origins = reckoner.reckon(one)
            assert rows.to_pylist() == expected.to_pylist()
            assert rows.schema.equals(expected.schema, check_metadata=True)
            assert origins == count


def marked(table: Any, dialect: str) -> Any:  # noqa: ANN401  a pyarrow.Table
    """Return answers with a mark on the redirects that are followed, as readers leave it."""
    limit = policy_dialect(dialect).redirect_limit
    return pack_table(
        [
            one._replace(leads=one.hops is None and ask_target(one, limit) is not None)
            for one in unpack_table(table)
        ]
    )


@examples(200)
@given(st.lists(MIXED, min_size=1, max_size=3), st.sampled_from(DIALECTS))
def test_both_ways_have_the_same_rows(ranges: list[list[PackedAnswer]], dialect: str) -> None:
    """With failures, redirects, ties, cut contents and dates among them."""
    agree([sorted_table(found) for found in ranges], dialect)


KINDS_OF_FIELDS = [
    [], ['etag:"a"'], ["cache-control:max-age=90000"], ["cache-control:max-age=90000", "age:80000"],
    ["cache-control:max-age=90000", "age:5"], ["content-type:text/html"], ["expires:0"],
    ["content-type:text/plain", "cache-control:max-age=60"], ["cache-control:no-store"],
    ["date:Mon, 02 Jun 2025 12:00:00 GMT", "expires:Mon, 02 Jun 2025 18:00:00 GMT"],
    ["expires:Mon, 02 Jun 2025 18:00:00 GMT"], ["date:Mon, 02 Jun 2025 12:00:00 GMT"],
    ["etag:x", "cache-control:max-age=7200", "date:Mon, 02 Jun 2025 11:30:00 GMT"],
    ["content-range:bytes 0-9/10"], ["content-range:bytes 5-9/10"], ["cf-mitigated:challenge"],
]  # fmt: skip


@thorough
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("seed", some_of(range(4)))
def test_answers_that_differ_in_one_part_are_of_two_kinds(dialect: str, seed: int) -> None:
    """Few values of each part, in all combinations, each answer of an origin of its own."""
    random_ = random.Random(seed)  # noqa: S311  no secret
    small = [one for one in BODIES if len(one) < 1_000]
    parts = list(product(
        [200, 206, 404, 403, 401], small, [False, True], KINDS_OF_FIELDS, [None, 0, 1], [0, 1, 5],
    ))  # fmt: skip
    found = []
    for number, part in enumerate(random_.sample(parts, share_of(3_000))):
        status, body, is_cut, lines, asked, hours = part
        at = START + hours * HOUR
        found.append(PackedAnswer(
            f"https://s{number}.example", at, at, status, None, "\n".join(lines), body, is_cut,
            None if asked is None else at - asked * HOUR,
        ))  # fmt: skip
    agree([sorted_table(found[::2]), sorted_table(found[1::2])], dialect)


@examples(60)
@given(st.lists(st.tuples(answers(list(PLAIN_STATUSES)), st.sampled_from(ODD_FACTS)), max_size=6))
def test_facts_of_a_store_are_kept(found: list[tuple[PackedAnswer, dict[str, Any]]]) -> None:
    """Also those that rows of a table state about what is not in it."""
    agree([sorted_table([one._replace(**more) for one, more in found])], "rfc9309")


def test_a_failure_after_the_head_is_no_answer_that_is_remembered() -> None:
    """It has the status of a success, and the content of one that was decided before."""
    whole = PackedAnswer(KEYS[0], START, START, 200, None, "", BODIES[0], hops=KEYS[2])
    broken = whole._replace(key=KEYS[3], failure="timeout", hops=None)
    table = sorted_table([whole, broken])
    agree([table], "rfc9309")
    rows, _ = TableReckoner("rfc9309").reckon(table)
    assert rows["access"].to_pylist() == ["rules", "disallow-all"]


LAST = instant(datetime(9999, 12, 31, 23, tzinfo=timezone.utc), "LAST")


LATE = instant(LATEST, "LATEST")


@pytest.mark.parametrize("answered", [-HOUR, 0, LATE, LATE + HOUR, LAST])
def test_times_at_the_ends_of_the_calendar(answered: int) -> None:
    """A lifetime that the calendar cuts is not that of other answers of the kind."""
    one = PackedAnswer(KEYS[0], answered, answered, 200, None, "", BODIES[0])
    usual = one._replace(key=KEYS[2], at=START, answered=START)
    agree([sorted_table([one, one._replace(key=KEYS[1]), usual])], "rfc9309")


def test_decisions_may_be_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then they are made again."""
    monkeypatch.setattr("goodbot.tables.building.plain_policies.MOST_REMEMBERED", 2)
    found = [
        PackedAnswer(f"https://s{number:02}.example", START, START, 400 + number, None)
        for number in [*range(20), *range(20, 0, -1)]
    ]
    agree([sorted_table(found)] * 2, "rfc9309")


def test_plain_answers_are_never_decided_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of other origins are, and each kind is decided once."""
    seen: list[str] = []
    decided: list[int | None] = []
    real, lasting = reckoned_tables.reckoned_rows, Reckoner.lasting

    def slow(found: list[PackedAnswer], *more: Any) -> Any:  # noqa: ANN401  rows
        seen.extend(one.key for one in found)
        return real(found, *more)

    def once(self: Reckoner, facts: Any) -> Any:  # noqa: ANN401  a decision
        decided.append(facts.status)
        return lasting(self, facts)

    monkeypatch.setattr(reckoned_tables, "reckoned_rows", slow)
    monkeypatch.setattr(Reckoner, "lasting", once)
    plain = [
        PackedAnswer(
            f"https://s{number:03}.example", START + number, START + number,
            200 if number % 3 else 404, None, f'etag:"{number}"\ndate:soon{number}', BODIES[0],
        )
        for number in range(300)
    ]  # fmt: skip
    outage = PackedAnswer("https://odd.example", START, START, 503)
    late = timedelta(days=1) // timedelta(microseconds=1)
    again = outage._replace(at=START + late, answered=START + late, status=200, body=BODIES[1])
    rows, origins = TableReckoner("rfc9309").reckon(sorted_table([*plain, outage, again]))
    assert (rows.num_rows, origins) == (302, 301)
    assert set(seen) == {"https://odd.example"}
    assert sorted(one or 0 for one in decided) == [200, 404, 503]
