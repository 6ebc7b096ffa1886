"""What the gate serves as robots.txt is written as lint asks for."""

from datetime import datetime, timezone

import pytest
from hypothesis import given

import goodbot
from goodbot import finding_codes
from goodbot.site.gate import GatePolicy, GateRule, render
from goodbot.site.lint import lint
from tests.site.gate.policies import policies
from tests.support.examples import examples

NOW = datetime(2026, 12, 1, tzinfo=timezone.utc)

OF_ROBOTS = {"robot-does-not-obey", "crawl-delay-ignored", "misspelt-robot", "unused-ignore"}
"""What lint says of the robots that are named."""


def linted(policy: GatePolicy) -> list[str]:
    """Return the codes of the findings on the file that is served."""
    content = render(policy, now=NOW).files["/robots.txt"].body
    return [one.code for one in lint(content).findings]


@given(policies())
@examples(200)
def test_a_rendered_file_is_well_written(policy: GatePolicy) -> None:
    """Whatever the policy declares: no finding of the core, of any severity."""
    codes = {code for code, *_ in finding_codes()} | OF_ROBOTS
    assert not codes & set(linted(policy))


def test_an_ordinary_policy_has_no_finding_at_all() -> None:
    """Paths for all, robots that are kept out, one that may fetch everything, an odd name."""
    policy = GatePolicy(
        site="https://example.com",
        rules=(
            GateRule(paths=("/cart/", "/my documents/", "/caf\u00e9/"), fetch=False),
            GateRule(
                robots=("GPTBot", "CCBot", "Brightbot 1.0"), fetch=False, uses={"train": False}
            ),
            GateRule(robots=("bingbot",), paths=("/",), fetch=True),
            GateRule(delay=5),
        ),
    )
    assert linted(policy) == []


@pytest.mark.parametrize("purpose", ["ai-training", "ai-search", "search", "seo"])
def test_robots_of_a_purpose_are_refused_without_a_finding(purpose: str) -> None:
    """Some of them are said not to obey, ignore delays, or have odd names."""
    rules = (GateRule(purposes=(purpose,), fetch=False), GateRule(delay=5))
    assert linted(GatePolicy(site="https://example.com", rules=rules)) == []


def test_a_part_without_preferences_takes_a_permission_away() -> None:
    """By a line that a comment makes lint ignore; where nothing permits there is no such line."""
    rules = (
        GateRule(uses={"search": True, "preview": True}),
        GateRule(paths=("/a/",), uses={"preview": False}),
    )
    policy = GatePolicy(site="https://example.com", rules=rules)
    assert linted(policy) == []
    file = goodbot.RobotsTxt(render(policy, now=NOW).files["/robots.txt"].body)
    below = goodbot.uses("https://example.com/a/x", robots_txt=file)
    above = goodbot.uses("https://example.com/b", robots_txt=file)
    assert (below.preview.status, above.preview.status) == ("unknown", "allowed")
    alone = GatePolicy(site="https://example.com", rules=(GateRule(uses={"archive": False}),))
    assert linted(alone) == []
    assert b"Content-Usage" not in render(alone, now=NOW).files["/robots.txt"].body
