"""Fields of a group that do not affect access, as in the founding documents."""

import pytest

import goodbot


@pytest.mark.parametrize("dialect", ["rfc9309", "koster1994"])
def test_please_visit_may_be_absolute_or_relative(dialect: str) -> None:
    """Koster's reply of 4 June 1996: "with either an absolute or relative URL"."""
    text = "User-agent: *\nPleaseVisit: http://example.com/new\nPleaseVisit: /news\nDisallow: /a\n"
    rules = goodbot.RobotsTxt(text, dialect=dialect).rules_for("ExampleBot")
    assert rules.please_visit == ["http://example.com/new", "/news"]
    assert (rules.allows("/news"), rules.allows("/a")) == (True, False)


def test_comments_are_those_of_the_rule_set() -> None:
    """Conner 1996, Comment: all comments of a rule set, in records of either version."""
    text = (
        "User-agent: ExampleBot\nRobot-version: 2.0.0\nComment: We are small.\n"
        "Disallow: /x\nComment: Thank you.\n\nUser-agent: *\nComment: Hello.\nDisallow: /\n"
    )
    robots = goodbot.RobotsTxt(text, dialect="conner1996")
    assert robots.rules_for("ExampleBot").comments == ["We are small.", "Thank you."]
    assert robots.rules_for("OtherBot").comments == ["Hello."]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "License: /a\n# only\n",
        "License: /a\n\nUser-agent: *\nLicense: /b\nUser-agent: b\n",
        "\ufeffLicense: /a\r\nUser-agent: a\rDisallow: /x",
        "Disallow: /x\nUser-agent:\nLicense: /a\nUser-agent: b\nAllow: /\n",
        "User-agent: ,\nAllow: /a\nUser-agent: b\nAllow: /b\n",
        "User agent: a\nAllow: /a\nUser-agent b\nAllow: /b\n",
    ],
)
@pytest.mark.parametrize("dialect", goodbot.dialects())
def test_lines_before_groups_are_those_before_the_first_line_of_any_group(
    content: str, dialect: goodbot.Dialect
) -> None:
    """The twin finds the first line in all groups, and the lines before it among all lines."""
    robots = goodbot.RobotsTxt(content, dialect=dialect)
    first = min((group.lines[0] for group in robots.groups if group.lines), default=None)
    expected = [one.raw for one in robots.lines if first is None or one.number < first]
    assert [one.raw for one in robots.lines_before_groups] == expected
    named = [(one.name or b"", one.value, one.number) for one in robots.lines_before_groups]
    assert robots.fields_before_groups("License") == [
        (value.decode(), line)
        for name, value, line in named
        if value and name.lower() == b"license"
    ]
