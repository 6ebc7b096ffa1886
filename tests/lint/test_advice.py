"""The advice of lint can be followed: the file means the same afterwards."""

import pytest

from goodbot.lint import lint
from goodbot.lint.formats.junit import junit_xml
from goodbot.lint.formats.linted_source import LintedSource


def codes(text: str) -> set[str]:
    """Return the codes of the findings."""
    return {one.code for one in lint(text).findings}


@pytest.mark.parametrize(
    "named",
    [
        "User-agent: AdsBot-Google\nDisallow: /x\n",
        "User-agent: Googlebot\nDisallow: /\n\nUser-agent: Googlebot-News\nDisallow: /x\n",
    ],
    ids=["ignores *", "falls back"],
)
def test_a_group_is_kept_for_the_family_of_its_robot(named: str) -> None:
    """Without its group, the robot would not obey the group for `*`."""
    assert "same-as-default" not in codes(f"{named}\nUser-agent: *\nDisallow: /x\n")
    other = "User-agent: ExampleBot\nDisallow: /x\n"
    assert "same-as-default" in codes(f"{other}\nUser-agent: *\nDisallow: /x\n")


def test_a_line_that_one_robot_needs_is_no_repetition() -> None:
    """Another robot obeys the same line in two groups."""
    text = (
        "User-agent: a\nDisallow: /x\n\nUser-agent: a\nUser-agent: b\nDisallow: /x\nDisallow: /y\n"
    )
    assert "repeated-rule" not in codes(text)


def test_the_only_rule_of_a_group_is_not_to_be_removed() -> None:
    """Without it, the group would take the rules of the next one."""
    text = "User-agent: a\nDisallow: /x/../y\n\nUser-agent: *\nDisallow: /\n"
    message = next(one.message for one in lint(text).findings if one.code == "matches-nothing")
    assert message.endswith('write "Disallow:" without a path instead.')


def test_a_rule_that_the_dialect_of_its_robot_needs_is_kept() -> None:
    """Google reads escapes otherwise than RFC 9309."""
    lines = "Disallow: /%7Euser\nAllow: /~user\n"
    removable = {"never-decides", "redundant-rule"}
    assert not removable & codes(f"User-agent: Googlebot\n{lines}")
    assert removable & codes(f"User-agent: ExampleBot\n{lines}")


def test_findings_of_one_code_are_lines_of_junit() -> None:
    """A line that is printed cannot contain the end of a line."""
    content = b"User-agent: *\nfoo\nbar"
    found = list(junit_xml([LintedSource("robots.txt", lint(content), content)]))
    assert not any("\n" in line for line in found)
    assert sum("[line-without-field]" in line for line in found) == 2
