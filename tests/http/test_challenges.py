"""The table of challenges: each row is shown by a case of the documents, and names its source."""

import re

import pytest

from goodbot.http.challenges import CHALLENGES, Challenge, challenge_of
from tests.support import conformance_cases as data

CASES = [case for case in data.cases("status") if case["id"].startswith("challenge-")]


def named(row: Challenge) -> str:
    """Return a short name of a row."""
    return f"{row.vendor}: {row.field or row.mark.decode()}"


def is_shown(row: Challenge, case: data.Case) -> bool:
    """Return whether a case has a response that a row alone makes a challenge."""
    fields = tuple((name.lower(), value) for name, value in case.get("headers", {}).items())
    content = case.get("body", "").encode()
    html = content if content.startswith(b"<") else b""
    statuses = case.get("statuses", [])
    return bool(statuses) and all(
        row.shows_in(status, fields, html) is not None
        and challenge_of(status, fields, content) is not None
        for status in statuses
    )


@pytest.mark.parametrize("row", CHALLENGES, ids=map(named, CHALLENGES))
def test_every_row_has_a_case_and_a_source(row: Challenge) -> None:
    """A row that nobody has seen, or that no case shows, is not in the table."""
    assert any(is_shown(row, case) for case in CASES)
    assert re.search("[a-z].*: https://[^ ]+$", row.source)


@pytest.mark.parametrize("row", [row for row in CHALLENGES if row.statuses], ids=named)
def test_a_field_that_other_responses_have_counts_with_a_refusal_only(row: Challenge) -> None:
    """The same field with 200 or 404 is no challenge."""
    for status in (200, 301, 404):
        assert challenge_of(status, ((row.field, "1"),)) is None


@pytest.mark.parametrize("row", [row for row in CHALLENGES if row.mark], ids=named)
def test_a_mark_in_a_file_of_text_is_none(row: Challenge) -> None:
    """A robots.txt may speak of a challenge; only HTML can be one."""
    text = b"User-agent: *\nDisallow: /" + row.mark
    assert challenge_of(200, (), text) is None
    assert challenge_of(200, (), b"\n<html>" + row.mark) is not None
