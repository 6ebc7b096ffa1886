"""The documents' own cases on pages: each names its authority, as those on robots.txt do.

A case has `id`, `authority`, `why`, one document (`html`, `xml`, `plain`, `body`, `hex`, `parts` or
`file`), what `Page` takes besides, and `expect`. What may stand in `expect` is the table `CHECKS`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timezone
from functools import cache
from typing import Any, get_args

import pytest

from goodbot.page import DIRECTIVES, MARKS, Page, PageVerdict, finding_codes, page_dialect
from goodbot.page.verdict import Act
from tests.support import conformance_cases as data
from tests.support.each import check_each

ADDRESS = "https://example.com/page"
TYPES = {"html": "text/html", "xml": "application/xml", "plain": "text/plain"}
"""How a document is written, and the type that it then has; a `body` has none."""

DOCUMENTS = {*TYPES, "body", "hex", "parts", "file"}
ARGUMENTS = {
    "headers", "robot", "status", "content_type", "marks", "profile_uris", "profile_links",
    "names_page", "lenient", "vocabulary",
}  # fmt: skip
KNOWN = DOCUMENTS | ARGUMENTS | {"id", "authority", "why", "url", "dialect", "options", "expect"}

Value = Any
Check = Callable[[Page, Value], None]


def content_of(case: data.Case) -> bytes:
    """Return the content of the document of a case."""
    if "hex" in case:
        return bytes.fromhex(case["hex"])
    for name in (*TYPES, "body"):
        if name in case:
            return str(case[name]).encode()
    return bytes(case["content"])


def page_of(case: data.Case, **instead: Value) -> Page:
    """Read the document of a case, with other arguments if any are passed."""
    arguments = {name: case[name] for name in ARGUMENTS if name in case}
    kind = next((TYPES[name] for name in TYPES if name in case), None)
    if kind:
        arguments.setdefault("content_type", kind)
    dialect = page_dialect(case.get("dialect", "google")).replace(**case.get("options", {}))
    return Page(
        case.get("url", ADDRESS), content_of(case), dialect=dialect, **(arguments | instead)
    )


def told(rows: list[Value], wanted: list[dict[str, Value]]) -> None:
    """Compare rows in order: as many as are expected, and in each row the named parts."""
    found = [row.as_dict() | {"resolved": getattr(row, "resolved", True)} for row in rows]
    for row, one in zip(rows, found, strict=True):
        one["vote"] = getattr(row, "vote", None) or ""
    shown = [{name: one[name] for name in names} for one, names in zip(found, wanted, strict=False)]
    assert len(found) == len(wanted), found
    assert shown == wanted


def verdict_of(page: Page, act: str) -> PageVerdict:
    """Return the verdict on an act, `embed` included."""
    return page.embed if act == "embed" else page.verdicts[act]


def allowed(act: str) -> Check:
    """Return the check of a verdict on the whole document."""

    def check(page: Page, value: Value) -> None:
        assert verdict_of(page, act).allowed is value, verdict_of(page, act)

    return check


def sources(page: Page, value: Value) -> None:
    """Check the source of each act that is named."""
    assert {act: verdict_of(page, act).source for act in value} == value


def reasons(page: Page, value: Value) -> None:
    """Check the reason of each act that is named."""
    assert {act: verdict_of(page, act).reason for act in value} == value


def limits(page: Page, value: Value) -> None:
    """Check the limits; dates are compared as instants."""
    assert {name: getattr(page.limits, name) for name in value} == value


def at_times(page: Page, value: Value) -> None:
    """Check whether it may be indexed, at each time of the pairs."""
    assert [[moment, page.index_at(moment).allowed] for moment, _ in value] == value


def texts_that_may_not(act: str) -> Check:
    """Return the check of the texts that are excluded from an act, stripped of white space."""

    def check(page: Page, value: Value) -> None:
        texts = [run.text.strip() for run in page.runs if not getattr(run, act)]
        assert [text for text in texts if text] == value, page.runs

    return check


def phrases(page: Page, value: Value) -> None:
    """Check whether a phrase query matches: pairs."""
    lines = [" ".join(line.split()) for line in page.text().splitlines()]
    assert [[phrase, any(phrase in line for line in lines)] for phrase, _ in value] == value, lines


def quotation(page: Page, value: Value) -> None:
    """Check the quotation for a query: all of it, or what it contains."""
    text = page.snippet_for(value["query"], value.get("width", 160))
    known(value, {"query", "width", "most", "is", "contains", "lacks"})
    assert text == value.get("is", text)
    holds(text, value)
    assert len(text) <= value.get("most", value.get("width", 160))


def copied(page: Page, value: Value) -> None:
    """Check the content of the copy that may be kept, and the number of cuts."""
    known(value, {"kept", "contains", "lacks", "cuts"})
    copy = page.archive_copy()
    assert bool(copy) is value.get("kept", True), copy
    holds(copy.html or "", value)
    if "cuts" in value:
        assert len(copy.cuts) == value["cuts"], copy


def holds(text: str, value: Value) -> None:
    """Check what a text contains and lacks."""
    assert [part for part in value.get("contains", []) if part not in text] == [], text
    assert [part for part in value.get("lacks", []) if part in text] == [], text


def found(page: Page, value: Value) -> None:
    """Check the findings that must be there: a code, or code, line and a part of the message."""
    for one in value:
        code, *more = [one] if isinstance(one, str) else one
        like = [finding for finding in page.findings if finding.code == code]
        if more:
            like = [finding for finding in like if finding.line == more[0]]
        for part in more[1:]:
            like = [finding for finding in like if part in finding.message]
        assert like, (one, page.findings)


def not_found(page: Page, value: Value) -> None:
    """Check the findings that must not be there; a star stands for any."""
    codes = {finding.code for finding in page.findings}
    assert not (codes if "*" in value else codes.intersection(value)), page.findings


def absent(page: Page, value: Value) -> None:
    """Check what is not stated: attributes that are `None`, with dots between their parts."""
    for path in value:
        one: Value = page
        for name in path.split("."):
            one = getattr(one, name)
        assert one is None, (path, one)


def use(page: Page, value: Value) -> None:
    """Check the statements on use; of labels only those that are named."""
    found = page.usage.as_dict()
    if "content_usage" in value:
        labels = value["content_usage"]
        found["content_usage"] = {one: found["content_usage"].get(one, "unknown") for one in labels}
    assert {name: found[name] for name in value} == value


def price(page: Page, value: Value) -> None:
    """Check the price of the document."""
    assert page.payment is not None
    assert page.payment.price == value


def plain(name: str) -> Check:
    """Return the check of a plain value."""

    def check(page: Page, value: Value) -> None:
        assert page.as_dict()[name] == value

    return check


def attribute(name: str) -> Check:
    """Return the check of an attribute that is not among the plain values."""

    def check(page: Page, value: Value) -> None:
        assert getattr(page, name) == value

    return check


def told_text(page: Page, value: Value) -> None:
    """Compare the text that may be indexed."""
    assert page.text() == value


def title_verdicts(page: Page, value: Value) -> None:
    """Compare the title as it is written, and its verdicts."""
    assert page.title_run is not None
    assert {name: page.title_run.as_dict()[name] for name in value} == value


CHECKS: dict[str, Check] = {
    **{act: allowed(act) for act in (*get_args(Act), "embed") if act != "anchor"},
    "source": sources,
    "reason": reasons,
    "limits": limits,
    "index_at": at_times,
    "links": lambda page, value: told(page.links, value),
    "last_link": lambda page, value: told(page.links[-1:], [value]),
    "runs": lambda page, value: told(page.runs, value),
    "unindexed": texts_that_may_not("index"),
    "unarchived": texts_that_may_not("archive"),
    "unquoted": texts_that_may_not("snippet"),
    "text": told_text,
    "phrases": phrases,
    "quote": quotation,
    "copy": copied,
    "findings": found,
    "no_findings": not_found,
    "absent": absent,
    "usage": use,
    "payment": price,
    **{
        name: plain(name)
        for name in (
            "content_type", "encoding", "title", "description", "keywords", "canonical",
            "revisit_after_days", "spider_by", "index_instead",
        )
    },
    "title_verdicts": title_verdicts,
    "names_url": attribute("names_url"),
    "names_needed": attribute("names_needed"),
    "base": attribute("base"),
}  # fmt: skip
"""The checks of everything that `expect` may contain."""


def known(value: dict[str, Value], names: set[str]) -> None:
    """Check that every entry of a table has a check."""
    assert set(value) <= names, f"unknown: {sorted(set(value) - names)}"


@cache
def all_cases() -> list[data.Case]:
    """Return every case on pages."""
    return data.cases("page")


@cache
def page_number(number: int) -> Page:
    """Return the page of a case, read once."""
    return page_of(all_cases()[number])


def pages() -> list[Page]:
    """Return the page of every case."""
    return [page_number(number) for number in range(len(all_cases()))]


def compare(case: data.Case, page: Page) -> None:
    """Compare a page with what is expected."""
    for name, value in case["expect"].items():
        CHECKS[name](page, value)


@pytest.mark.parametrize("number", range(len(all_cases())), ids=[one["id"] for one in all_cases()])
def test_page(number: int) -> None:
    """What a page may be used for is what its document states, part by part."""
    case = all_cases()[number]
    print(f"{case['authority']}: {case['why']}")  # noqa: T201  shown where it fails
    compare(case, page_number(number))


def test_form() -> None:
    """A case has an authority, a reason, at most one document, and no unknown entry."""
    check_each(all_cases(), check_form, lambda case: str(case["id"]))


def check_form(case: data.Case) -> None:
    """Check the form of one case."""
    known(case, KNOWN | {"content"})
    known(case["expect"], set(CHECKS))
    assert case["authority"]
    assert case["why"]
    assert case["expect"]
    assert len(DOCUMENTS.intersection(case)) <= 1


def test_ids_are_unique() -> None:
    """Every case has an id of its own."""
    ids = [case["id"] for case in all_cases()]
    assert sorted(ids) == sorted(set(ids))


def test_a_wrong_expectation_fails() -> None:
    """Every check can fail."""
    fields = [("X-Robots-Tag", "noarchive")]
    page = Page(ADDRESS, b"<p>a <a href='http://[oops'>b</a>", headers=fields)
    now = datetime(2026, 1, 1, tzinfo=timezone.utc)
    wrong: dict[str, Value] = {
        **{act: not verdict_of(page, act) for act in (*page.verdicts, "embed")},
        "source": {"archive": ""},
        "reason": {"archive": "nothing-said"},
        "limits": {"max_snippet": 1},
        "index_at": [[now, False]],
        "links": [{"follow": False}],
        "last_link": {"follow": False},
        "runs": [],
        "unindexed": ["a"],
        "unarchived": [],
        "unquoted": ["a"],
        "phrases": [["a b", False]],
        "quote": {"query": "b", "contains": ["c"]},
        "copy": {"kept": True},
        "findings": ["too-deep"],
        "no_findings": ["*"],
        "absent": ["archive"],
        "usage": {"tdm_reservation": 1},
    }
    for name, check in CHECKS.items():
        with pytest.raises(AssertionError):
            check(page, wrong.get(name, "never"))


def test_every_directive_has_a_case() -> None:
    """Every directive of the table has a case with it."""
    heard = {statement.directive for page in pages() for statement in page.statements}
    assert set(DIRECTIVES) - heard == set()


@pytest.mark.parametrize("mark", [mark.name for mark in MARKS])
def test_every_mark_decides_a_case(mark: str) -> None:
    """Every mark has a case that would fail without it."""
    everything = {one.name for one in MARKS}
    for case, page in zip(all_cases(), pages(), strict=True):
        said = [run.index.said for run in page.runs]
        said += [run.archive.said for run in page.runs]
        said += [run.snippet.said for run in page.runs]
        said += [verdict.said for link in page.links for verdict in (link.follow, link.anchor)]
        if mark not in {one.name for one in said if one is not None}:
            continue
        others = set(case.get("marks", everything)) - {mark}
        try:
            compare(case, page_of(case, marks=others))
        except AssertionError:
            return
    pytest.fail(f"no case fails without the mark {mark}")


def test_every_finding_has_a_case() -> None:
    """Every code of a finding has a case that expects it."""
    wanted = [one for case in all_cases() for one in case["expect"].get("findings", [])]
    codes = {one if isinstance(one, str) else one[0] for one in wanted}
    assert {code for code, _severity, _meaning in finding_codes()} - codes == set()
