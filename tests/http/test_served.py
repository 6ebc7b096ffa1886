"""What an answer serves, in a word; what is declared and served agree or not."""

from __future__ import annotations

from typing import Any

import pytest

from goodbot.http.served import (
    ANSWERS,
    DECLARED,
    SERVED,
    answer_row,
    find_served,
    is_contrary,
    pairs,
    served_fields,
)
from tests.support.conformance_cases import read_table

CASES = read_table("http/served.toml")["case"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_each_answer_has_its_word(case: dict[str, Any]) -> None:
    """The table says what its sources say."""
    fields = tuple((name, value) for name, value in case.get("headers", []))
    for status in case.get("statuses", [None]):
        found = find_served(None) if status is None else served_fields(status, fields)
        assert found == case["served"], status


def test_each_row_of_the_table_has_a_case() -> None:
    """A new row needs a case that cites its authority."""
    known = {f"{status}" for case in CASES for status in case.get("statuses", [])}
    for row in ANSWERS:
        is_tested = row.answer in known or row.answer[1:] == "xx"
        assert is_tested or not row.answer.isdigit(), row.answer
        assert row.served in SERVED


@pytest.mark.parametrize("status", [*range(100, 600)])
def test_every_status_has_a_row(status: int) -> None:
    """A status without a row is read as its class; an informational one is no answer."""
    row = answer_row(f"{status}")
    expected = {f"{status}", f"{status // 100}xx"} if status >= 200 else {"no answer"}
    assert row.answer in expected


def test_only_what_is_withheld_or_given_away_is_contrary() -> None:
    """Of 18 pairs, five say that the site does otherwise than its robots.txt."""
    assert len(list(pairs())) == len(DECLARED) * len(SERVED) == 18
    assert {pair for pair in pairs() if is_contrary(*pair)} == {
        ("allowed", "refused"),
        ("allowed", "challenged"),
        ("allowed", "priced"),
        ("allowed", "limited"),
        ("disallowed", "served"),
    }
