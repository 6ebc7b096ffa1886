"""The judgement of one request: the cases of the documents, and what must always hold."""

from __future__ import annotations

import json
from typing import Any

import pytest

from goodbot.site.audit import OUTCOMES, REASONS, judge
from tests.support.audit import audit_cases

CASES = audit_cases.CASES


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_judgement(case: dict[str, Any]) -> None:
    """The outcome, the reason and the line are those of the case; the judgement explains itself."""
    found = judge(
        audit_cases.request_of(case),
        audit_cases.history_of(case),
        audit_cases.fetches_of(case),
        log_begins=audit_cases.BEGINS,
        options=audit_cases.options_of(case),
    )
    assert (found.outcome, found.reason) == (case["outcome"], case["reason"]), str(found)
    assert bool(found) is (case["outcome"] != "violation")
    if "line" in case:
        assert found.place is not None
        assert found.place.line == case["line"]
    assert json.loads(json.dumps(found.as_dict()))["sentence"] == str(found)
    assert found.reason in str(found)


def test_every_reason_has_a_case() -> None:
    """Every reason but that of a line without a site has a case, and ids are unique."""
    assert {case["reason"] for case in CASES} == set(REASONS) - {"no-site"}
    assert len({case["id"] for case in CASES}) == len(CASES) > 60
    assert {one.outcome for one in REASONS.values()} == set(OUTCOMES)


def test_an_unknown_site_is_not_judged() -> None:
    """Without a history of the site there is no judgement."""
    request = audit_cases.request_of(CASES[0])
    found = judge(request, None, [], log_begins=audit_cases.BEGINS)
    assert (found.outcome, found.reason) == ("unjudged", "no-site")
