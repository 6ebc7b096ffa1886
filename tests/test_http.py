"""The facts of the web: what `goodbot.http` reads, by its examples and by the cases."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import conformance_cases as data
import goodbot.http
from crawl_sites import SITE, crawl, html, kept, rows, searched, site_of
from goodbot.http.fields import field_lines
from goodbot.http.status import CHALLENGE, OTHER, STATUSES, answer_status, status_of
from goodbot.page import Page
from goodbot.testing import Answer

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


def test_the_examples_of_the_modules_run() -> None:
    """Each docstring of the room gives what it says."""
    tried = 0
    for module in pkgutil.iter_modules(goodbot.http.__path__, "goodbot.http."):
        done = doctest.testmod(importlib.import_module(module.name))
        assert done.failed == 0, module.name
        tried += done.attempted
    assert tried > 20


@pytest.mark.parametrize(("status", "case"), CASES)
def test_a_status_has_the_row_that_the_documents_give(status: int, case: data.Case) -> None:
    """What it says of the page, whom it blames, and whether to come back soon."""
    row = answer_status(status, field_lines(fields(case)))
    told = (row.is_transient, row.is_overload, row.fault)
    expected = (case.get("transient", False), case.get("overload", False), case["fault"])
    assert told == expected, case["why"]
    assert row.is_success is (case["kept"] == "replaced")
    leads = row.is_redirect and "Location" in dict(fields(case))
    assert (row.speaks_of_page or leads) is (case["kept"] != "stays"), case["why"]


@pytest.mark.parametrize(("status", "case"), CASES)
def test_what_is_no_page_allows_nothing(status: int, case: data.Case) -> None:
    """A page is read from a success alone, and from nothing that stands in its place."""
    page = Page("https://a.example/", b"<p>x", headers=fields(case), status=status)
    assert bool(page.index) is bool(page.archive) is (case["kept"] == "replaced")
    assert bool(page.index) or page.index.reason == "no-document"


@pytest.mark.parametrize(("status", "case"), CASES)
def test_index_and_archive_follow_the_same_row(
    status: int, case: data.Case, tmp_path: Path
) -> None:
    """A page that was kept is fetched again: what becomes of it, the case says for both."""
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
    assert (row.state == "queued") is case.get("transient", False)


def test_every_row_has_a_case() -> None:
    """No status is in the table that no case shows."""
    shown = {answer_status(status, field_lines(fields(case))) for status, case in PAIRS}
    assert set(STATUSES.values()) - shown == {STATUSES["1xx"]}


def test_every_number_has_a_row() -> None:
    """The class decides where a status has no row of its own; what is no status is as a 5xx."""
    for number in range(-1, 1100):
        row = status_of(number)
        assert row.code in {str(number), f"{number // 100}xx", "others"}
        assert (row is OTHER) is not (100 <= number <= 599)
        assert row is not CHALLENGE
