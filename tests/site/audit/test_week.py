"""A simulated week: the audit finds exactly what was put in, in any order and in any parts."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest

from goodbot.site.audit import AuditResult, check_pace, judge_requests, sum_robots
from tests.support.audit import audit_week as week

SCHEMA = pa.schema(
    {
        "line": pa.int64(), "time": pa.timestamp("us", "UTC"), "address": pa.string(),
        "host": pa.string(), "scheme": pa.string(), "method": pa.string(), "target": pa.string(),
        "status": pa.int16(), "bytes": pa.int64(), "robot": pa.dictionary(pa.int32(), pa.string()),
        "retry_after": pa.string(),
    }
)  # fmt: skip
WORST = ("violation", "late", "unknown", "unjudged", "unclaimed", "allowed")

CONFUSION = """\
                  allowed  late  violation  unknown  unclaimed  unjudged  crawl-delay  request-rate  visit-time  retry-after
allowed                 6     0          0        0          0         0            0             0           0            0
late                    0     3          0        0          0         0            0             0           0            0
violation               0     0          4        0          0         0            0             0           0            0
unknown                 0     0          0        2          0         0            0             0           0            0
unclaimed               0     0          0        0          1         0            0             0           0            0
unjudged                0     0          0        0          0         1            0             0           0            0
crawl-delay             0     0          0        0          0         0            2             0           0            0
request-rate            0     0          0        0          0         0            0             1           0            0
visit-time              0     0          0        0          0         0            0             0           1            0
retry-after             0     0          0        0          0         0            0             0           0            1
"""  # noqa: E501  a table
"""What was put in, by rows, and what the audit found, by columns: how many robots."""


def table_of(rows: list[dict[str, Any]]) -> pa.Table:
    """Return lines as a table."""
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def audited(*tables: pa.Table) -> AuditResult:
    """Return the audit of the parts of a log."""
    identities = {(one.name, one.address): one.identity for one in week.robots()}
    return judge_requests(list(tables), [week.history()], identities=identities)


def worst(result: AuditResult) -> dict[str, str]:
    """Return the worst that was found of each robot; spoofed requests are not judged."""
    found = {
        one.robot: next((name for name in WORST if one.outcomes.get(name)), "unjudged")
        for one in sum_robots(result)
    }
    for one in check_pace(result):
        if not one:
            assert found[one.robot] == "allowed"
            found[one.robot] = one.check
    return found


def confusion(found: dict[str, str]) -> str:
    """Return the table of what was put in and what was found."""
    names = [*("allowed", "late", "violation", "unknown", "unclaimed", "unjudged"),
             *("crawl-delay", "request-rate", "visit-time", "retry-after")]  # fmt: skip
    counts = Counter((one.finds, found[one.name]) for one in week.robots())
    widths = [len(name) for name in names]
    lines = ["  ".join([" " * 16, *names])]
    lines += [
        "  ".join(
            [
                name.ljust(16),
                *(
                    str(counts[name, other]).rjust(width)
                    for other, width in zip(names, widths, strict=True)
                ),
            ]
        )
        for name in names
    ]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def log() -> list[dict[str, Any]]:
    """Return the lines of the week."""
    return week.log_rows()


def test_the_audit_finds_what_was_put_in(log: list[dict[str, Any]]) -> None:
    """Of each robot, the audit finds its behaviour and nothing else."""
    assert len(week.robots()) >= 20
    assert confusion(worst(audited(table_of(log)))) == CONFUSION


def test_shuffled_and_split_logs_give_the_same(log: list[dict[str, Any]]) -> None:
    """The order of the lines and the parts of a log have no influence."""
    whole = audited(table_of(log))
    for seed in range(4):
        mixed = random.Random(seed).sample(log, len(log))  # noqa: S311  a seed
        cut = 1 + seed * len(log) // 5
        parts = audited(table_of(mixed[:cut]), table_of(mixed[cut:]))
        assert parts.table.equals(whole.table)
        assert sorted(check_pace(parts), key=repr) == sorted(check_pace(whole), key=repr)


def test_unrelated_lines_change_nothing(log: list[dict[str, Any]]) -> None:
    """People and other robots within the time of the log do not change a judgement."""
    alone = audited(table_of(log)).table.to_pylist()
    others = [
        row | {"robot": name, "line": row["line"] + 100_000, "address": "203.0.113.9"}
        for row in log
        for name in (None, "StrangerBot")
    ]
    mixed = audited(table_of(log + others)).table.to_pylist()
    assert [row for row in mixed if row["line"] < 100_000] == alone


def test_each_judgement_explains_itself(log: list[dict[str, Any]]) -> None:
    """The plain judgement of a row is the one of the table, and has the robot's copies."""
    result = audited(table_of(log))
    for row in range(0, len(result.reasons), 7):
        found = result.judgement(row)
        assert found.reason == result.reasons[row]
        assert (found.place.line if found.place else 0) == result.rule_lines[row]
