"""What sites say now, and what follows for what is held."""

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goodbot.content_use import read_license, read_tdmrep, statements_of_page
from goodbot.page import Page
from goodbot.policy import Policy
from goodbot.reconsidering import (
    ACTIONS,
    HELD_STATUSES,
    HELD_USES,
    HeldUse,
    SiteJudge,
    SiteStatements,
    what_to_do,
)
from tests.support import conformance_cases

NOW = datetime(2026, 7, 1, 12, tzinfo=timezone.utc)
SITE = "https://example.com"
USES: tuple[HeldUse, ...] = tuple(one for one in HELD_USES if one != "takedown")
CASES = [one for one in conformance_cases.cases("reconsidering") if "expect" in one]


def statements(case: dict[str, Any]) -> SiteStatements:
    """Return what a site says in a case."""
    policies: tuple[Policy, ...] = ()
    learned = NOW - timedelta(days=case.get("days", 0))
    if "robots_txt" in case or "status" in case:
        body = case.get("robots_txt", "").encode()
        address = f"{SITE}/robots.txt"
        policies = (Policy.from_response(address, case.get("status", 200), {}, body, now=learned),)
    return SiteStatements(
        policies,
        NOW,
        is_current=all(one.is_fresh(NOW) for one in policies),
        tdmrep=read_tdmrep(case["tdmrep"]) if "tdmrep" in case else None,
        licenses={f"{SITE}/license.xml": read_license(case["licence"], fetched=NOW)}
        if "licence" in case
        else {},
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_each_case_has_its_answer(case: dict[str, Any]) -> None:
    """The answer of now, what to do, the reason, the line."""
    robot, url = case.get("robot", "ExampleBot"), case.get("url", f"{SITE}/a")
    page = None
    if "html" in case:
        page = statements_of_page(Page(url, case["html"].encode(), robot=robot), NOW)
    answers = SiteJudge(statements(case), robot, USES).answers(url, page)
    unknown = case.get("unknown", "keep")
    found = {
        use: [one.status, what_to_do(use, one.status, unknown)] for use, one in answers.items()
    }
    assert {use: found[use] for use in case["expect"]} == case["expect"]
    for name in ("lines", "reasons"):
        said = {use: getattr(answers[use], name[:-1]) for use in case.get(name, {})}
        assert said == case.get(name, {})


def test_every_answer_and_action_is_in_the_tables() -> None:
    """So that the tables, from which pages are printed, are whole."""
    for use in HELD_USES:
        for status in HELD_STATUSES:
            assert what_to_do(use, status) in ACTIONS
            assert what_to_do(use, "unknown", "withhold") == "withhold"


FILES = st.lists(
    st.sampled_from(
        [
            b"User-agent: *", b"User-agent: ExampleBot", b"Disallow: /a", b"Allow: /a/b",
            b"Content-Signal: ai-train=no", b"Content-Usage: /a search=n, train-ai=y",
            b"Disallow: /", b"",
        ]
    ),
    max_size=8,
)  # fmt: skip
PATHS = st.lists(st.sampled_from(["/", "/a", "/a/b", "/c", "/%61"]), min_size=1, max_size=8)


@given(lines=FILES, paths=PATHS)
def test_a_judge_that_remembers_says_what_a_new_one_says(
    lines: list[bytes], paths: list[str]
) -> None:
    """Answers on uses that are the same for all URLs are remembered; the twin asks each time."""
    policy = Policy.from_response(f"{SITE}/robots.txt", 200, {}, b"\n".join(lines), now=NOW)
    site = SiteStatements((policy,), NOW, tdmrep=read_tdmrep(b"[]"))
    judge = SiteJudge(site, "ExampleBot", USES)
    for path in paths:
        page = statements_of_page(Page(f"{SITE}{path}", b"<p>", robot="ExampleBot"), NOW)
        assert judge.answers(f"{SITE}{path}", page) == SiteJudge(site, "ExampleBot", USES).answers(
            f"{SITE}{path}", page
        )


def test_of_several_policies_of_one_time_all_must_allow() -> None:
    """What is unknown never permits: either may have been served."""
    bodies = (b"", b"User-agent: *\nContent-Signal: ai-train=no\nDisallow: /")
    policies = tuple(
        Policy.from_response(f"{SITE}/robots.txt", 200, {}, body, now=NOW) for body in bodies
    )
    found = SiteJudge(SiteStatements(policies, NOW), "ExampleBot", USES).answers(f"{SITE}/a")
    assert (found["fetch"].status, found["train"].status) == ("disallowed", "reserved")
