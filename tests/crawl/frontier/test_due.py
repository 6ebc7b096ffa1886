"""When a URL is due again: the cases of the documents, and limits whatever a site says."""

import json
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.crawl.frontier.due import (
    BACK_OFF,
    MAX_ASKED_WAIT,
    MAX_WAIT,
    MIN_WAIT,
    REASONS,
    due_again,
)
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.fields import field_lines, first
from goodbot.http.status import STATUSES, answer_status
from goodbot.page import Page
from tests.support import conformance_cases as data

NOW = datetime(2025, 1, 1, tzinfo=timezone.utc)
CASES = [case for case in data.cases("crawl") if case["id"].startswith("due-")]
FIELDS = st.sampled_from(
    ["Cache-Control", "Expires", "Date", "Age", "Last-Modified", "Retry-After"]
)
VALUES = st.one_of(
    st.sampled_from(["max-age=5", "max-age=9999999999", "no-cache", "0", "-1", "junk", ""]),
    st.sampled_from(["Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT"]),
    st.integers(0, 10**12).map(str),
    st.text(max_size=20),
)
HEADERS = st.lists(st.tuples(FIELDS, VALUES), max_size=4)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_a_url_is_due_when_the_documents_say(case: data.Case) -> None:
    """The wait and the reason are those of the case."""
    page = Page("https://a.example/", case["html"].encode()) if "html" in case else None
    due = due_again(
        case["status"],
        [tuple(pair) for pair in case.get("headers", [])],
        now=NOW,
        page=page,
        failures=case.get("failures", 0),
    )
    expected = (NOW + timedelta(seconds=case["after"]), case["reason"])
    assert (due.at, due.reason) == expected, case["why"]


def test_every_reason_has_a_case() -> None:
    """The reasons in the cases are exactly those of the table."""
    assert {case["reason"] for case in CASES} == set(REASONS)


@given(st.integers(100, 999), HEADERS, st.integers(0, 10**6))
def test_whatever_a_site_says_the_time_is_within_bounds(
    status: int, headers: list[tuple[str, str]], failures: int
) -> None:
    """The wait is never endless, and at least a day after a success unless it has Expires."""
    due = due_again(status, headers, now=NOW, failures=failures)
    wait = (due.at - NOW).total_seconds()
    assert due.reason in REASONS
    fields = field_lines(headers)
    good = answer_status(status, fields).is_success
    least = 0 if first(fields, "expires") is not None else MIN_WAIT
    assert (least if good else 1) <= wait <= max(MAX_WAIT, 90 * 86_400)
    assert json.loads(json.dumps(due.as_dict()))["reason"] == due.reason


@given(st.integers(400, 599), st.integers(0, 100), HEADERS)
def test_what_fails_again_is_not_due_sooner(
    status: int, failures: int, headers: list[tuple[str, str]]
) -> None:
    """More failures in a row never shorten the wait."""
    waits = [due_again(status, headers, now=NOW, failures=failures + more).at for more in (0, 1)]
    assert waits[0] <= waits[1]


@given(st.integers(-400, 4000), st.integers(0, 99_999))
def test_a_page_is_due_when_it_must_not_be_shown_any_more(after: int, revisit: int) -> None:
    """If that time is in the future, the next visit is not later."""
    until = NOW + timedelta(days=after, minutes=1)
    body = (
        f"<meta name=robots content='unavailable_after: {until:%Y-%m-%dT%H:%M:%SZ}'>"
        f"<meta name=revisit-after content='{revisit} days'>"
    )
    due = due_again(200, now=NOW, page=Page("https://a.example/", body.encode()))
    assert NOW < due.at <= NOW + timedelta(seconds=MAX_ASKED_WAIT)
    if until > NOW:
        assert due.at <= until
    assert (due.reason == "unavailable-after") is (due.at == until)


def test_near_the_end_of_time_nothing_overflows() -> None:
    """Times beyond the year 9999 are cut to it."""
    late = datetime(9999, 12, 31, 23, tzinfo=timezone.utc)
    assert due_again(200, now=late).at.year == 9999
    assert due_again(404, now=late, failures=9).at.year == 9999


def test_the_table_has_every_status() -> None:
    """Every status other than a success has a back-off, and every back-off has a status."""
    due = {row.due for row in STATUSES.values() if not row.is_success}
    assert due == set(BACK_OFF)


def test_misuse_raises() -> None:
    """A naive time and invalid header fields raise."""
    with pytest.raises(WrongValueError, match="naive"):
        due_again(200, now=datetime(2025, 1, 1))  # noqa: DTZ001  that is what is refused
    with pytest.raises(WrongTypeError):
        due_again(200, 5, now=NOW)
