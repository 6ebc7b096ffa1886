"""Each rule is named with a path that it decides, or with the rules that hide it."""

import pytest
from hypothesis import given

import goodbot
from goodbot.site.reasoning import RuleReach, deciding_rules, is_same
from tests.site.reasoning.test_comparison import LINES, rules


def rows(found: tuple[RuleReach, ...]) -> list[tuple[object, ...]]:
    """Return the lines, the examples and the lines that hide them."""
    return [
        (one.rule.line, one.decides, one.example, one.matches, [by.line for by in one.hidden_by])
        for one in found
    ]


@pytest.mark.parametrize(
    ("dialect", "lines", "expected"),
    [
        # The longer rule decides wherever the shorter one matches.
        (
            "rfc9309",
            ["Disallow: /a", "Allow: /a*", "Disallow: /a**"],
            [
                (2, False, None, "/a", [4]),
                (3, False, None, "/a", [4]),
                (4, True, "/a", None, []),
            ],
        ),
        # Allow wins a tie, and the first of two equal lines is the one that is named.
        (
            "rfc9309",
            ["Disallow: /a", "Allow: /a", "Allow: /a"],
            [
                (2, False, None, "/a", [3]),
                (3, True, "/a", None, []),
                (4, False, None, "/a", [3]),
            ],
        ),
        # Several rules together hide one.
        (
            "rfc9309",
            ["Disallow: /*a$", "Allow: /a$***", "Allow: /*a$"],
            [
                (2, False, None, "/a", [3, 4]),
                (3, True, "/a$", None, []),
                (4, True, "/a", None, []),
            ],
        ),
        # The first match decides.
        (
            "draft1996",
            ["Disallow: /a", "Allow: /a/b", "Allow: /"],
            [
                (2, True, "/a", None, []),
                (3, False, None, "/a/b", [2]),
                (4, True, "/", None, []),
            ],
        ),
        # /robots.txt is always allowed, and two dots between slashes are never sent.
        (
            "rfc9309",
            ["Disallow: /robots.txt$", "Disallow: /a/../b"],
            [(2, False, None, "/robots.txt", []), (3, False, None, None, [])],
        ),
    ],
)
def test_a_rule_decides_or_is_hidden(
    dialect: str, lines: list[str], expected: list[tuple[object, ...]]
) -> None:
    """A rule has a shortest path that it decides, or others decide what it matches."""
    assert rows(deciding_rules(rules(*lines, dialect=dialect))) == expected


@given(LINES)
def test_a_rule_that_decides_nothing_can_go(lines: list[str]) -> None:
    """Without a rule that decides no path, every verdict stays; examples are what rules decide."""
    whole = rules(*lines)
    for one in deciding_rules(whole):
        assert one.decides is not None
        if one.example is not None:
            rule = whole.verdict(f"https://h{one.example}").rule
            assert rule is not None
            assert rule.line == one.rule.line
        else:
            rest = lines[: one.rule.line - 2] + lines[one.rule.line - 1 :]
            assert is_same(whole, rules(*rest))


def test_a_rule_that_counts_in_one_reading_decides() -> None:
    """A misspelt User-agent line is a guess; a rule that one of the readings needs is not idle."""
    text = "User-agent: *\nAllow: /p\nDisallow: /\nUser-agnet: b\nAllow: /q\n"
    found = deciding_rules(goodbot.RobotsTxt(text).rules_for("a"))
    assert [(one.rule.line, one.decides) for one in found][:2] == [(2, True), (3, True)]


def test_a_search_that_does_not_end_says_so() -> None:
    """Within too few steps, it is unknown whether a rule decides."""
    lines = [f"Disallow: /*{a}*{b}" for a in "abcd" for b in "efgh"]
    found = deciding_rules(rules(*lines), most_states=0)
    assert {one.decides for one in found} == {None}
