"""HTTP facts: what `goodbot.http` reads, by its examples and by the cases."""

import datetime as dt
import email.utils
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.http.dates import http_date
from goodbot.http.fields import field_lines
from goodbot.http.status import CHALLENGE, OTHER, STATUSES, answer_status, status_of
from goodbot.pace import History, Manners, PastVisit, read_retry_after
from goodbot.page import Page
from goodbot.policy import Policy
from goodbot.testing import Answer
from tests.support import conformance_cases as data
from tests.support.crawls.memory_crawls import SITE, crawl, html, kept, rows, searched, site_of
from tests.support.examples import some_of, thorough

NOON = dt.datetime(2025, 1, 1, tzinfo=dt.timezone.utc)
LONGEST_DEFERRAL = 30 * 86_400
RETRIES = [case for case in data.cases("http") if case["id"].startswith("retry-")]
PAIRS: list[tuple[int, data.Case]] = [
    (status, case)
    for case in data.cases("http")
    if case["id"].startswith("status-")
    for status in case.get("statuses", [case.get("status")])
]
CASES = [pytest.param(*pair, id=f"{pair[1]['id']}-{pair[0]}") for pair in PAIRS]


def fields(case: data.Case) -> list[tuple[str, str]]:
    """Return the header of a case."""
    return [(name, value) for name, value in case.get("headers", [])]


@pytest.mark.parametrize(("status", "case"), CASES)
def test_a_status_has_the_row_that_the_documents_give(status: int, case: data.Case) -> None:
    """The row states what the status means for the page, who is to blame, and when to retry."""
    row = answer_status(status, field_lines(fields(case)))
    told = (row.is_transient, row.is_overload, row.fault)
    expected = (case.get("transient", False), case.get("overload", False), case["fault"])
    assert told == expected, case["why"]
    assert row.is_success is (case["kept"] == "replaced")
    leads = row.is_redirect and "Location" in dict(fields(case))
    assert (row.speaks_of_page or leads) is (case["kept"] != "stays"), case["why"]


@pytest.mark.parametrize(("status", "case"), CASES)
def test_what_is_no_page_allows_nothing(status: int, case: data.Case) -> None:
    """A page is read only from a success, and never from what is sent in its place."""
    body = case.get("body", "<p>x").encode()
    page = Page("https://a.example/", body, headers=fields(case), status=status)
    assert bool(page.index) is bool(page.archive) is (case["kept"] == "replaced")
    assert bool(page.index) or page.index.reason == "no-document"


@thorough
@pytest.mark.parametrize(("status", "case"), some_of(CASES, one_of=4))
def test_index_and_archive_follow_the_same_row(
    status: int, case: data.Case, tmp_path: Path
) -> None:
    """A stored page is fetched again: the case states the result for both."""
    body = case.get("body", "<title>t</title>new")
    site = site_of(home=html("old"))
    crawl(tmp_path, site)
    assert searched(tmp_path, "old") == ["/"]
    site.routes["/"] = Answer(status=status, headers=fields(case), body=body.encode())
    site.routes["/elsewhere"] = "else"
    site.clock.advance(40 * 86_400)
    crawl(tmp_path, site, again=True)
    copy = {"replaced": body.encode(), "stays": html("old").encode(), "goes": None}[case["kept"]]
    assert kept(tmp_path, f"{SITE}/") == copy, case["why"]
    at = site.clock.now()
    assert searched(tmp_path, "old", at) == (["/"] if case["kept"] == "stays" else [])
    assert searched(tmp_path, "new", at) == (["/"] if case["kept"] == "replaced" else [])
    row = rows(tmp_path)[f"{SITE}/"]
    assert row.state != ("done" if case.get("transient") else "queued")


def test_every_row_has_a_case() -> None:
    """Every status in the table has a case."""
    shown = {answer_status(status, field_lines(fields(case))) for status, case in PAIRS}
    assert set(STATUSES.values()) - shown == {STATUSES["1xx"]}


def test_every_number_has_a_row() -> None:
    """The class decides if a status has no row of its own; an invalid status counts as a 5xx."""
    for number in range(-1, 1100):
        row = status_of(number)
        assert row.code in {str(number), f"{number // 100}xx", "others"}
        assert (row is OTHER) is not (100 <= number <= 599)
        assert row is not CHALLENGE


@pytest.mark.parametrize("case", RETRIES, ids=lambda case: str(case["id"]))
def test_everybody_reads_the_same_of_retry_after(case: data.Case) -> None:
    """The pace waits that long; so does a policy, from its first retry up to 30 days."""
    after = None if case["after"] == "none" else dt.timedelta(seconds=case["after"])
    told = read_retry_after(case["value"], now=NOON)
    assert told == (None if after is None else NOON + after), case["why"]
    visit = PastVisit(NOON, NOON, 200, case["value"])
    assert History().after(visit, Manners()).blocked_until == told
    headers = {"Retry-After": case["value"]}
    policy = Policy.from_response("https://a.example/robots.txt", 429, headers, b"", now=NOON)
    least = 300 if after is None else min(max(after.total_seconds(), 300), LONGEST_DEFERRAL)
    assert policy.retry_at == NOON + dt.timedelta(seconds=least)


@given(st.datetimes())
def test_what_the_library_writes_is_read(when: dt.datetime) -> None:
    """`email.utils` writes IMF-fixdate, `ctime` the form of asctime."""
    date = when.replace(microsecond=0, tzinfo=dt.timezone.utc)
    if date.year >= 1000:  # the year has four digits
        assert http_date(email.utils.format_datetime(date, usegmt=True), now=NOON) == date
        assert http_date(date.ctime(), now=NOON) == date


@given(st.integers(1900, 2199), st.integers(0, 365 * 86_400), st.integers(0, 99))
def test_two_digits_are_within_fifty_years_ahead(year: int, seconds: int, digits: int) -> None:
    """It is the last year with these digits that is at most fifty years ahead."""
    here = dt.datetime(year, 1, 1, tzinfo=dt.timezone.utc) + dt.timedelta(seconds=seconds)
    text = f"Monday, 15-Jun-{digits:02d} 12:00:00 GMT"
    ends = [year for year in range(1800, 2300) if year % 100 == digits]
    limit = (here.year + 50, here.month, here.day, here.hour, here.minute, here.second)
    wanted = max(year for year in ends if (year, 6, 15, 12, 0, 0) <= limit)
    assert http_date(text, now=here) == dt.datetime(wanted, 6, 15, 12, tzinfo=dt.timezone.utc)


@given(st.text(max_size=70))
def test_any_text_is_a_date_or_none(text: str) -> None:
    """Nothing that a server sends raises."""
    date = http_date(text, now=NOON)
    assert date is None or date.tzinfo is dt.timezone.utc


@given(st.lists(st.tuples(st.text(), st.text())))
def test_fields_are_read_alike_whether_they_are_pairs_or_lists(
    fields: list[tuple[str, str]],
) -> None:
    """Pairs of texts, which nearly all are, are read without asking what else they may be."""
    assert field_lines(fields) == field_lines([list(pair) for pair in fields])
    assert field_lines(fields) == field_lines([(name, [value]) for name, value in fields])
