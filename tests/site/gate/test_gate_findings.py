"""What a policy cannot bring about: each finding where it belongs, and not where it does not."""

from datetime import UTC, datetime

import pytest

from goodbot import bots
from goodbot.bots import by_purpose, every
from goodbot.site.gate import CHECK_CODES, GatePolicy, GateRule, check_gate, render

NOW = datetime(2026, 12, 1, tzinfo=UTC)
NO_TRAINING = GateRule(purposes=("ai-training",), fetch=False)
SEARCH_AND_TRAIN = [one.name for one in by_purpose("ai-training") if "search" in one.purposes]


def found(code: str, *rules: GateRule) -> list[str]:
    """Return the messages of one code."""
    assert code in CHECK_CODES
    policy = GatePolicy(site="https://example.com", rules=rules)
    return [one.message for one in check_gate(policy, now=NOW) if one.code == code]


def test_robots_that_search_and_train_are_named() -> None:
    """A rule against training leaves them in, for to refuse them would also end their search."""
    (message,) = found("also-searches", NO_TRAINING)
    assert SEARCH_AND_TRAIN
    assert all(name in message for name in SEARCH_AND_TRAIN)


@pytest.mark.parametrize(
    "rules",
    [
        (GateRule(purposes=("ai-training", "search"), fetch=False),),
        (NO_TRAINING, GateRule(robots=tuple(SEARCH_AND_TRAIN), fetch=True)),
        (NO_TRAINING, GateRule(robots=tuple(SEARCH_AND_TRAIN), fetch=False)),
        (NO_TRAINING, GateRule(robots=tuple(SEARCH_AND_TRAIN), paths=("/open/",), fetch=True)),
        (GateRule(purposes=("ai-training",), uses={"train": False}),),
        (GateRule(purposes=("archive",), fetch=False),),
    ],
)
def test_a_decision_that_was_made_is_not_questioned(rules: tuple[GateRule, ...]) -> None:
    """Search is meant, the robots are named, or nothing is disallowed to them."""
    assert not found("also-searches", *rules)


def test_others_remain_named() -> None:
    """A rule that names one of them decides for that one alone."""
    first, *others = SEARCH_AND_TRAIN
    (message,) = found("also-searches", NO_TRAINING, GateRule(robots=(first,), fetch=True))
    assert first not in message
    assert all(name in message for name in others)


@pytest.mark.parametrize("name", SEARCH_AND_TRAIN)
def test_a_rule_against_training_leaves_search_engines_in(name: str) -> None:
    """What else the rule says holds for them; a rule for search, or with a name, refuses them."""
    page = "https://example.com/a"

    def may_fetch(*rules: GateRule) -> bool:
        said = render(GatePolicy(site="https://example.com", rules=rules), now=NOW)
        return said.rules_for(name).allows(page)

    both = GateRule(purposes=("ai-training",), fetch=False, uses={"train": False})
    assert may_fetch(NO_TRAINING)
    assert may_fetch(both)
    assert not may_fetch(GateRule(purposes=("ai-training", "search"), fetch=False))
    assert not may_fetch(NO_TRAINING, GateRule(robots=(name,), fetch=False))
    said = render(GatePolicy(site="https://example.com", rules=(both,)), now=NOW)
    assert said.group_of(bots.get(name)).rules.parts
    assert not said.rules_for("GPTBot").allows(page)


def test_robots_with_another_purpose_are_told() -> None:
    """One name serves both purposes, so that who refuses one refuses both."""
    (message,) = found("two-purposes", NO_TRAINING)
    assert "Google-Extended (ai-search)" in message
    assert "meta-externalagent (ai-search)" in message
    assert "GPTBot" not in message
    kept = GateRule(robots=("Google-Extended",), fetch=True)
    (message,) = found("two-purposes", NO_TRAINING, kept)
    assert "Google-Extended" not in message
    both = GateRule(purposes=("ai-search",), fetch=False)
    assert not any("Google-Extended" in one for one in found("two-purposes", NO_TRAINING, both))


def test_a_disobedient_robot_has_a_cure_that_exists() -> None:
    """Enforcement knows a robot by its operator's addresses only."""
    defiant = [one for one in every() if one.obeys is False and one.tokens]
    assert defiant
    for one in defiant:
        messages = found("does-not-obey", GateRule(robots=(one.name,), fetch=False))
        (message,) = [text for text in messages if text.startswith(f"{one.name} ")]
        assert ("enforce.access refuses it" in message) == bool(one.addresses)


def test_those_who_ignore_everyones_group_are_all_named() -> None:
    """Until a rule names them."""
    (message,) = found("ignores-star", GateRule(paths=("/private/",), fetch=False))
    left = [one.name for one in every() if one.ignores_star and one.tokens]
    assert left
    assert all(name in message for name in left)
    named = GateRule(robots=("*", *left), paths=("/private/",), fetch=False)
    assert not found("ignores-star", named)


def test_dates_names_delays() -> None:
    """A day that has passed, a name that nobody has, a delay that nobody reads."""
    ended = GateRule(paths=("/a",), fetch=False, ends=datetime(2026, 12, 1, tzinfo=UTC))
    later = GateRule(paths=("/a",), fetch=False, ends=datetime(2026, 12, 2, tzinfo=UTC))
    assert found("ends-later", ended) == ["Rule 1 ended on 2026-12-01; remove it"]
    assert not found("ends-later", later)
    assert "GPT-Bot" in found("unknown-robot", GateRule(robots=("GPT-Bot",), fetch=False))[0]
    assert not found("unknown-robot", GateRule(robots=("GPTBot",), fetch=False))
    assert "Googlebot" in found("delay-not-read", GateRule(robots=("Googlebot",), delay=5))[0]
    assert not found("delay-not-read", GateRule(robots=("bingbot",), delay=5))


def test_a_dialect_that_reads_otherwise_is_shown_a_path() -> None:
    """A star within a path means nothing in the dialects without patterns."""
    messages = found("dialect-differs", GateRule(paths=("/a*b",), fetch=False))
    assert messages
    assert not found("dialect-differs", GateRule(paths=("/a",), fetch=False))


def test_every_host_is_checked_unless_one_is_named() -> None:
    """A rule for another host than that of the site is found, each finding once."""
    rule = GateRule(robots=("Bytespider",), fetch=False, hosts=("shop.example.com",))
    policy = GatePolicy(site="https://example.com", rules=(rule,))
    codes = [one.code for one in check_gate(policy, now=NOW)]
    assert codes.count("does-not-obey") == 1
    own = check_gate(policy, now=NOW, host="example.com")
    assert "does-not-obey" not in [one.code for one in own]
