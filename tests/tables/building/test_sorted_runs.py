"""Answers that are sorted on disk are those that sorting all of them in memory gives."""

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from goodbot.tables.building import sorted_runs
from goodbot.tables.building.packed_answer import PackedAnswer, unpack_table
from goodbot.tables.building.sorted_runs import RunWriter, choose_ranges, rows_between


def some_answers(random_: random.Random) -> list[PackedAnswer]:
    """Return answers of few keys and times; some of their columns have no value at all."""
    names = ["status", "failure", "asked", "hops", "wanted_by", "confirmed", "failing_since"]
    used = random_.sample(names, random_.randint(0, 4))
    values: dict[str, list[Any]] = {
        "status": [200, 301, None], "failure": ["timeout", None], "asked": [5, None],
        "hops": ["https://a.example/x", None], "wanted_by": ["https://b.example", None],
        "confirmed": [b"x", None], "failing_since": [7, None],
    }  # fmt: skip
    return [
        PackedAnswer(
            f"https://{random_.choice('abcdef')}.example", random_.randint(0, 5), number,
            body=bytes(random_.randint(0, 400)), leads=random_.random() < 0.2,
        )._replace(**{name: random_.choice(values[name]) for name in used})
        for number in range(random_.randint(0, 60))
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_ranges_have_all_rows_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Whatever columns each run has, and wherever it is divided."""
    monkeypatch.setattr(sorted_runs, "RUN_BYTES", 8_000)
    monkeypatch.setattr(sorted_runs, "BATCH_BYTES", 1_500)
    monkeypatch.setattr(sorted_runs, "RANGE_BATCHES", 3)
    random_ = random.Random(seed)  # noqa: S311  no secret
    runs, given = [], []
    for number in range(3):
        writer = RunWriter(tmp_path, str(number))
        found = some_answers(random_)
        for answer in found:
            writer.add(answer)
        writer.finish()
        runs += writer.runs
        given += found
    expected = sorted(given, key=lambda one: (one.key, one.at))
    assert list(unpack_table(rows_between(runs, None, None))) == expected
    bounds = [None, *choose_ranges(runs), None]
    parts = [rows_between(runs, first, end) for first, end in pairwise(bounds)]
    assert [one for part in parts for one in unpack_table(part)] == expected
    keys = {"https://b.example", "https://e.example"}
    chosen = list(unpack_table(rows_between(runs, None, None, keys)))
    assert chosen == [one for one in expected if one.key in keys]
