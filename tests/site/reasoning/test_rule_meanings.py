"""What each rule means, in words."""

import pytest

import goodbot
from goodbot.site.reasoning import explain_rules
from goodbot.site.reasoning.rule_meanings import describe_rule

PREFIX = "disallowed: paths that begin with /robots.txt"


@pytest.mark.parametrize(
    ("line", "dialect", "meaning"),
    [
        ("Disallow: /", "rfc9309", "disallowed: everything"),
        ("Allow: /a", "rfc9309", "allowed: paths that begin with /a"),
        ("Disallow: /a$", "rfc9309", "disallowed: only /a"),
        ("Disallow: /*.gif$", "rfc9309", "disallowed: paths that end with .gif"),
        ("Disallow: /*/x", "rfc9309", "disallowed: paths that begin with / and then contain /x"),
        (
            "Disallow: /a*b*c$",
            "google",
            "disallowed: paths that begin with /a, then contain b and end with c",
        ),
        ("Disallow: /*", "rfc9309", "disallowed: everything"),
        ("Disallow: *", "rfc9309", "disallowed: everything"),
        ("Disallow: /a*$", "lwp", "disallowed: paths that begin with /a*$"),
        ("Disallow:", "lwp", "allowed: everything"),
        ("Disallow: /a", "conner1996", "disallowed: only /a"),
        (
            "Disallow: /robots.txt",
            "draft1996",
            f"{PREFIX}, except",
        ),
        (
            "Disallow: /%72obots.txt*",
            "rfc9309",
            "disallowed: paths that begin with /%72obots.txt",
        ),
        ("Disallow: /robots.txt$", "rfc9309", "no effect: /robots.txt itself is always allowed"),
        ("Allow: /robots.txt", "conner1996", "no effect: /robots.txt itself is always allowed"),
        ("Disallow: /robots.txt$", "google", "disallowed: only /robots.txt"),
    ],
)
def test_meaning_of_a_rule(line: str, dialect: str, meaning: str) -> None:
    """A rule is put in words as its dialect reads it."""
    version = "Robot-version: 2.0.0\n" if dialect == "conner1996" else ""
    robots = goodbot.RobotsTxt(f"User-agent: a\n{version}{line}\n", dialect=dialect)
    [rule] = robots.groups[0].rules
    assert describe_rule(rule, robots.dialect.choices).startswith(meaning)


def test_rules_stand_in_the_order_of_the_file_with_those_without_effect() -> None:
    """Groups are merged; a rule that does nothing says why."""
    content = b"User-agent: a\nDisallow: /long/path\nDisallow:\n\nUser-agent: a\nAllow: /b\n"
    robots = goodbot.RobotsTxt(content)
    assert [
        (one.rule.line, one.meaning) for one in explain_rules(robots, robots.rules_for("a"))
    ] == [
        (2, "disallowed: paths that begin with /long/path"),
        (3, "no effect: it has no path"),
        (6, "allowed: paths that begin with /b"),
    ]
    assert explain_rules(robots, robots.rules_for("b")) == ()


def test_a_dialect_without_allow_says_so() -> None:
    """The line is there, and has no effect."""
    robots = goodbot.RobotsTxt(b"User-agent: a\nAllow: /b\n", dialect="koster1994")
    [found] = explain_rules(robots, robots.rules_for("a"))
    assert found.meaning == "no effect: this dialect has no Allow"
