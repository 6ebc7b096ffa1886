"""The documents' own cases on uses: each names its authority, as those on robots.txt do.

A case has `id`, `authority`, `why`, what `goodbot.uses` takes, and `expect`: the status for each
use that it is about. What else may be expected is in `CHECKS`.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest

import goodbot
from goodbot.content_use import (
    FINDING_CODES,
    REASONS,
    USE_WORDS,
    USES,
    Uses,
    UseSources,
    UseVerdict,
    read_license,
    read_tdm_policy,
    statements_of_page,
    unpack_statements,
)
from tests.support import conformance_cases as data

if TYPE_CHECKING:
    from collections.abc import Callable

URL = "https://example.com/a"
INPUTS = {
    "url", "html", "headers", "robots_txt", "tdmrep", "license", "licenses", "max_age", "fetched",
    "content_type", "tdm_policies", "now", "robot", "dialect", "status", "vocabulary",
}  # fmt: skip
CHECKS: dict[str, Callable[[UseVerdict], Any]] = {
    "terms": lambda verdict: str(verdict.terms),
    "forces": lambda verdict: verdict.force,
    "reasons": lambda verdict: verdict.reason,
    "declared": lambda verdict: verdict.declared,
    "places": lambda verdict: verdict.said and verdict.said.place,
    "losing": lambda verdict: [one.statement.place for one in verdict.conflicts],
    "by_choice": lambda verdict: all(one.by_choice for one in verdict.conflicts),
    "expires": lambda verdict: verdict.expires and verdict.expires.isoformat(),
}
"""What is compared for a use, and how it is read from the answer."""
OTHERS = {"level", "payment", "expect", "absent_terms", "findings", "reported", "access"}
CASES = data.cases("content_use")
FILES = data.texts("content_use")
"""Texts that several cases share."""


def licenses_of(case: data.Case) -> dict[str, Any]:
    """Return the licences of a case, by URL."""
    texts = {url: FILES.get(name, name) for url, name in case.get("licenses", {}).items()}
    if "license" in case:
        age = f" max-age='{case['max_age']}'" if "max_age" in case else ""
        start = f"<rsl xmlns='https://rslstandard.org/rsl'{age}>"
        texts["https://example.com/license.xml"] = f"{start}{case['license']}</rsl>"
    fetched = datetime.fromisoformat(case["fetched"]) if "fetched" in case else None
    return {url: read_license(text, fetched=fetched) for url, text in texts.items()}


def answer_of(case: data.Case) -> Uses:
    """Return the uses of a case."""
    page, arguments = arguments_of(case)
    return goodbot.uses(case.get("url", URL), page, **arguments)


def arguments_of(case: data.Case) -> tuple[goodbot.Page | None, dict[str, Any]]:
    """Return the page of a case, if it has one, and the other arguments."""
    url = case.get("url", URL)
    arguments: dict[str, Any] = {"licenses": licenses_of(case), "tdmrep": case.get("tdmrep")}
    policies = case.get("tdm_policies", {})
    arguments["tdm_policies"] = {url: read_tdm_policy(text) for url, text in policies.items()}
    if "robots_txt" in case:
        arguments["robots_txt"] = goodbot.RobotsTxt(case["robots_txt"])
    if "now" in case:
        arguments["now"] = datetime.fromisoformat(case["now"])
    if "html" in case or "headers" in case:
        return goodbot.Page(
            url,
            case.get("html", ""),
            headers=case.get("headers", ()),
            content_type=case.get("content_type", "text/html" if "html" in case else "text/plain"),
            robot=case.get("robot", "*"),
            dialect=case.get("dialect", "google"),
            status=case.get("status", 200),
            vocabulary=case.get("vocabulary", "aipref-08"),
        ), arguments
    if "robot" in case:
        arguments["robot"] = case["robot"]
    return None, arguments


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_case_holds(case: data.Case) -> None:
    """Each use has the answer that the document gives, for the reason and at the place it gives."""
    assert case.keys() - {"content"} <= INPUTS | CHECKS.keys() | OTHERS | {
        "id", "authority", "why",
    }, case["id"]  # fmt: skip
    answer = answer_of(case)
    found = {use: answer.verdicts[use].status for use in case["expect"]}
    assert found == case["expect"], f"{case['why']}\n{answer}"
    for name, read in CHECKS.items():
        for use, wanted in case.get(name, {}).items():
            verdict = answer.verdicts[use]
            assert read(verdict) == wanted, f"{case['why']}\n{verdict}"
    for use in case.get("absent_terms", []):
        assert answer.verdicts[use].terms is None, case["why"]
    codes = [finding.code for finding in answer.findings]
    assert codes == case.get("findings", []), case["why"]
    if "level" in case:
        assert str(answer.level or "") == case["level"], case["why"]
    if "payment" in case:
        assert str(answer.payment or "") == case["payment"], case["why"]
    for text in case.get("reported", []):
        assert any(text in one for one in answer.reported), case["why"]
    if "access" in case:
        assert answer.access is not None
        assert answer.access.allowed is case["access"], case["why"]


def test_ids_are_unique() -> None:
    """No two cases have the same id."""
    ids = [case["id"] for case in CASES]
    assert len(set(ids)) == len(ids)


def test_every_reason_and_every_finding_has_a_case() -> None:
    """What an answer can say is shown by a case."""
    answers = [answer_of(case) for case in CASES]
    codes = {finding.code for answer in answers for finding in answer.findings}
    assert codes == FINDING_CODES.keys()
    reasons = {one.reason for answer in answers for one in answer.verdicts.values()}
    # A bare robots.txt is never unreachable: see test_answers.
    assert reasons == REASONS.keys() - {"robots-txt-unreachable"}


def test_every_word_of_the_table_decides_some_case() -> None:
    """For each word of each specification, some case has it said about its use."""
    said = {
        (one.specification, one.use)
        for case in CASES
        for verdict in answer_of(case).verdicts.values()
        for one in [*filter(None, [verdict.said]), *verdict.agreeing]
    }
    assert {(row.specification, row.use) for row in USE_WORDS} <= said
    assert {use for _, use in said} == USES.keys()


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_the_record_of_a_page_leads_to_the_same_answers(case: data.Case) -> None:
    """What a crawl keeps of a page is enough to answer, in all but what must be fetched again."""
    page, arguments = arguments_of(case)
    if page is None:
        return
    said = statements_of_page(page, arguments.get("now"))
    record = json.loads(json.dumps(said.pack() or {}))
    sources = UseSources(
        page.url,
        page.robot,
        unpack_statements(record),
        arguments.get("robots_txt"),
        arguments["tdmrep"],
        arguments["licenses"],
        arguments.get("now"),
        case.get("vocabulary", "aipref-08"),
        tdm_policies=arguments["tdm_policies"],
    )
    expected = goodbot.uses(page.url, page, **arguments)
    assert statuses(sources.answer()) == statuses(expected)
    assert sources.answer().reported == expected.reported
    assert sources.answer().level == expected.level
    assert sources.answer().payment == expected.payment


def statuses(answer: Uses) -> dict[str, tuple[str, str, str]]:
    """Return what each answer says, and why."""
    return {
        use: (one.status, str(one.said), str(one.terms)) for use, one in answer.verdicts.items()
    }
