"""A robot is judged by the URL that it sends: the cases of conformance/bots."""

from datetime import datetime, timedelta, timezone
from typing import Any

import pyarrow as pa
import pytest

import goodbot
from goodbot.bots import rules_for
from goodbot.bots.user_agents import known
from goodbot.expectations import Expectation, ExpectationFile, check_expectations
from goodbot.history import PolicyTimeline
from goodbot.policy import Policy
from goodbot.tables.columns import verdicts
from tests.support.conformance_cases import cases
from tests.support.program import run

SITE = "https://a.example"
NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
CASES = [case for case in cases("bots") if "urls" in case]


def policy_of(case: dict[str, Any]) -> Policy:
    """Return the policy of a case."""
    url, dialect = f"{SITE}/robots.txt", case["dialect"]
    return Policy.from_response(url, 200, {}, case["content"], now=NOON, dialect=dialect)


def test_there_are_cases() -> None:
    """The cases of the file are those of these tests."""
    assert len(CASES) >= 4
    assert all(case["robots"] and case["urls"] for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_one_url_at_a_time(case: dict[str, Any]) -> None:
    """`Policy`, `PolicyTimeline` and the families of known robots agree."""
    policy = policy_of(case)
    then = PolicyTimeline.of([policy]).at(NOON + timedelta(hours=1))
    file = goodbot.RobotsTxt(case["content"], dialect=case["dialect"])
    for robot in case["robots"]:
        for path, allowed in case["urls"]:
            url = SITE + path
            found = [
                policy.verdict(url, robot).allowed,
                goodbot.verdict(policy, url, robot).allowed,
                rules_for(file, robot).verdict(url).allowed,
                bool(then.may_fetch(url, robot)),
            ]
            assert found == [allowed] * 4, (robot, url)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_in_columns(case: dict[str, Any]) -> None:
    """All URLs and robots at once, in one table that states its dialect."""
    table = pa.table(
        {
            "origin": [SITE], "valid_from": [NOON], "valid_until": [NOON + timedelta(days=1)],
            "access": ["rules"], "reason": ["found"], "stale": [False], "body": [case["content"]],
            "dialect": [case["dialect"]],
        }
    )  # fmt: skip
    urls = [SITE + path for path, _ in case["urls"]]
    expected = [allowed for _, allowed in case["urls"]]
    for at in (None, NOON):
        found = verdicts(urls, table, case["robots"], at).to_pydict()
        assert found == dict.fromkeys(case["robots"], expected)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_expectations_and_the_command_line(case: dict[str, Any], tmp_path: Any) -> None:  # noqa: ANN401
    """`goodbot check` and `goodbot test` say the same."""
    file = goodbot.RobotsTxt(case["content"], dialect=case["dialect"])
    wishes = [
        Expectation(robot, SITE + path, allow=allowed)
        for robot in case["robots"]
        for path, allowed in case["urls"]
    ]
    assert all(check_expectations(file, ExpectationFile(tuple(wishes))))
    path = tmp_path / "robots.txt"
    path.write_bytes(case["content"])
    for robot in case["robots"]:
        one = known(robot)
        dialect = (one.dialect if one else None) or case["dialect"]
        for rest, allowed in case["urls"]:
            if "\0" in rest:  # no argument of a program has a NUL
                continue
            options = ["check", "-f", str(path), "-r", robot, "--dialect", dialect]
            done = run(*options, SITE + rest)
            assert done.returncode == (0 if allowed else 1), (robot, rest, done.stdout)


def test_a_path_and_other_texts() -> None:
    """A path is compared as it would be sent; what is no URL of http stays as it is."""
    file = goodbot.RobotsTxt("User-agent: *\nDisallow: /ü\nDisallow: /x".encode(), dialect="google")
    rules = rules_for(file, "Googlebot")
    found = {url: rules.verdict(url) for url in ("/ü", "/a/../x", "//h/x", "/y", b"/\xff")}
    assert [one.allowed for one in found.values()] == [False, False, False, True, True]
    assert [one.url for one in found.values()] == ["/ü", "/a/../x", "//h/x", "/y", "/%FF"]
    assert not rules_for(file, "ExampleBot").verdict("ftp://h/x")
