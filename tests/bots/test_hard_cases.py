"""One question has one answer, whichever face is asked: conformance/bots/hard_cases.toml."""

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import goodbot
from goodbot import bots
from goodbot.adapters.policy_cache import verdict_on
from goodbot.audit.robot_reading import RobotReading
from goodbot.columns import verdicts
from goodbot.content_use import uses
from goodbot.expectations import Expectation, ExpectationFile, check_expectations
from goodbot.indexability.robot_columns import fetch_verdict
from goodbot.policy import Policy, PolicyTimeline
from tests.support.conformance_cases import cases
from tests.support.program import run

SITE = "https://a.example"
NOON = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
CASES = [case for case in cases("bots") if "operator" in case]

Case = dict[str, Any]


def file_of(case: Case) -> goodbot.RobotsTxt:
    """Return the file of a case."""
    return goodbot.RobotsTxt(case["content"], dialect=case.get("dialect", "rfc9309"))


def policy_of(case: Case) -> Policy:
    """Return the policy of a site with the file of a case."""
    dialect = case.get("dialect", "rfc9309")
    return Policy.from_response(
        f"{SITE}/robots.txt", 200, {}, case["content"], now=NOON, dialect=dialect
    )


def url_of(case: Case) -> str:
    """Return the URL of a case."""
    return SITE + str(case["path"])


def ask_expectation(case: Case) -> bool:
    """Return the answer of an expectation, as `goodbot test` compares it."""
    wish = Expectation(case["robot"], url_of(case), allow=True)
    (result,) = check_expectations(file_of(case), ExpectationFile((wish,)))
    return result.verdict.allowed


def ask_column(case: Case) -> bool:
    """Return the answer of a column."""
    body, dialect = case["content"], case.get("dialect", "rfc9309")
    table = pa.table(
        {
            "origin": [SITE], "valid_from": [NOON], "valid_until": [NOON + timedelta(days=1)],
            "access": ["rules"], "reason": ["found"], "stale": [False], "body": [body],
            "dialect": [dialect],
        }
    )  # fmt: skip
    ((answer,),) = verdicts([url_of(case)], table, [case["robot"]], NOON).to_pydict().values()
    return bool(answer)


def ask_audit(case: Case) -> bool:
    """Return the answer of an audit."""
    reading = RobotReading(case["robot"], case.get("dialect", "rfc9309"))
    return reading.rules(case["content"]).verdict(url_of(case)).allowed


def ask_command(case: Case, folder: Path, *options: str) -> bool:
    """Return the answer of `goodbot check`."""
    path = folder / "robots.txt"
    path.write_bytes(case["content"])
    dialect = case.get("dialect")
    chosen = ["--dialect", dialect] if dialect else []
    arguments = ["check", "-r", case["robot"], *chosen, *options, "--robots-txt", str(path)]
    done = run(*arguments, url_of(case))
    assert done.returncode in {0, 1}, done.stderr
    return done.returncode == 0


FACES: dict[str, Callable[[Case], bool]] = {
    "file": lambda case: bool(goodbot.verdict(file_of(case), url_of(case), case["robot"])),
    "bytes": lambda case: bool(
        goodbot.verdict(file_of(case), url_of(case).encode(), case["robot"])
    ),
    "policy": lambda case: bool(goodbot.verdict(policy_of(case), url_of(case), case["robot"])),
    "policy method": lambda case: policy_of(case).allows(url_of(case), case["robot"]),
    "policy at a time": lambda case: bool(
        goodbot.verdict(policy_of(case), url_of(case), case["robot"], NOON + timedelta(hours=1))
    ),
    "timeline": lambda case: bool(
        goodbot.verdict(PolicyTimeline.of([policy_of(case)]), url_of(case), case["robot"], NOON)
    ),
    "rules": lambda case: bots.rules_for(file_of(case), case["robot"]).allows(url_of(case)),
    "matrix": lambda case: bool(
        next(bots.matrix(policy_of(case), [case["robot"]], [url_of(case)]))[0]
    ),
    "expectation": ask_expectation,
    "column": ask_column,
    "audit": ask_audit,
    "indexability": lambda case: bool(fetch_verdict(url_of(case), policy_of(case), case["robot"])),
    "uses": lambda case: bool(
        uses(url_of(case), robots_txt=policy_of(case), robot=case["robot"], now=NOON).access
    ),
}
"""Every face that names other people's robots."""


@pytest.mark.parametrize("face", FACES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_every_face_gives_one_answer(case: Case, face: str) -> None:
    """The robot is read as its operator says, and the URL as it is sent."""
    assert FACES[face](case) is case["operator"], case["why"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_command_gives_the_same_answer(case: Case, tmp_path: Path) -> None:
    """`goodbot check`, alone and as a matrix."""
    if "dialect" not in case:
        assert ask_command(case, tmp_path) is case["operator"]
    assert ask_command(case, tmp_path, "--csv") is case["operator"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_engine_is_literal(case: Case) -> None:
    """`RobotsTxt` and `Rules` know the names in the file and the text that they get."""
    file = file_of(case)
    assert file.allows(url_of(case), case["robot"]) is case["literal"]
    assert file.rules_for(case["robot"]).verdict(url_of(case)).allowed is case["literal"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_who_fetches_is_never_laxer_than_the_literal_reading(case: Case) -> None:
    """A robot of one's own inherits no exception."""
    policy = policy_of(case)
    found = policy.may_fetch(url_of(case), case["robot"])
    assert found.allowed is case["fetching"]
    assert not (found.allowed and not case["literal"])
    assert verdict_on(policy, url_of(case), case["robot"]).allowed is case["fetching"]


def test_the_cases_are_hard() -> None:
    """In a good part of them the readings differ, so that a face that asks otherwise is found."""
    assert len(CASES) >= 12
    assert sum(case["operator"] is not case["literal"] for case in CASES) >= 6
    assert sum(case["operator"] is not case["fetching"] for case in CASES) >= 2
