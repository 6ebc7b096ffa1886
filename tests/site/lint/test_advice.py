"""The advice of lint can be followed: the file means the same afterwards."""

import pytest

from goodbot.errors import WrongValueError
from goodbot.site.lint import LintSettings, lint
from goodbot.site.lint.formats.junit import junit_xml
from goodbot.site.lint.formats.linted_source import LintedSource


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


@pytest.mark.parametrize(
    ("text", "removable"),
    [
        ("User-agent: *\nDisallow: /x\nDisallow: /y\nDisallow: /x\n", True),
        # Without its only rule, the second group for a would take the rules of the next one.
        (
            "User-agent: a\nDisallow: /x\n" * 2 + "User-agent: *\nDisallow: /\n",
            False,
        ),
    ],
)
def test_a_repetition_is_to_be_removed_only_if_nothing_changes(text: str, removable: bool) -> None:  # noqa: FBT001  a parameter
    """The advice to remove a line is proven for the file as a whole."""
    message = next(one.message for one in lint(text).findings if one.code == "repeated-rule")
    assert message.endswith("Remove it." if removable else "change the other, too.")


@pytest.mark.parametrize(
    "text", ["", "# nothing yet\n", "Sitemap: https://example.com/s.xml\n", "Disallow: /\n"]
)
def test_a_file_without_rules_is_said_to_allow_everything(text: str) -> None:
    """An empty file is easily published by mistake; the note fails nothing."""
    found = [one for one in lint(text).findings if one.code == "no-rules"]
    assert len(found) == 1
    assert "may fetch everything" in found[0].message
    assert not lint("")


@pytest.mark.parametrize(
    "form",
    [
        "goodbot: ignore=repeated-rule",
        "goodbot:ignore = repeated-rule",
        "goodbot: ignore= repeated-rule, tied-rules",
        "GoodBot : Ignore =repeated-rule",
    ],
)
def test_spaces_in_a_comment_that_ignores_do_not_matter(form: str) -> None:
    """Each form ignores the finding on its line."""
    text = f"User-agent: *\nDisallow: /x\nDisallow: /x # {form}\n"
    assert "repeated-rule" not in codes(text)
    assert lint(text).ignored == 1


@pytest.mark.parametrize("form", ["goodbot: ignore", "goodbot: ignore=", "goodbot: ignore this"])
def test_a_comment_that_ignores_without_a_code_is_a_finding(form: str) -> None:
    """It ignores nothing, and is not skipped in silence."""
    text = f"User-agent: *\nDisallow: /x\nDisallow: /x # {form}\n"
    found = {one.code: one for one in lint(text).findings}
    assert found.keys() == {"repeated-rule", "unused-ignore"}
    assert "names no code" in found["unused-ignore"].message


@pytest.mark.parametrize(
    ("agent", "meant"),
    [
        ("GPT-Bot", "GPTBot"),
        ("CC-Bot", "CCBot"),
        ("Googlebot-Newz", "Googlebot-News"),
        ("Mediapartners-Google*", None),
        ("Googlebot/2.1", None),
        ("Roverbot", None),
        ("SemrushBot-BZ", None),
        ("SearchBot", None),
    ],
)
def test_misspelt_names_are_those_that_no_robot_has(agent: str, meant: str | None) -> None:
    """A name that differs by a hyphen, or that only begins like a known one, is found."""
    text = f"User-agent: {agent}\nDisallow: /x\n"
    messages = [one.message for one in lint(text).findings if one.code == "misspelt-robot"]
    assert len(messages) == (meant is not None)
    assert all(f"write {meant}:" in one for one in messages)


def test_a_finding_without_a_column_has_none_in_json() -> None:
    """A line or column of 0 would be read as a place."""
    report = lint("foo: 1\nSitemap: https://example.com/s.xml\n")
    first, second = (one.as_dict() for one in report.findings)
    assert (first["line"], first["column"]) == (None, None)
    assert (second["line"], second["column"]) == (1, 1)


def test_a_setting_with_an_underscore_is_said_to_have_a_hyphen() -> None:
    """The message names the key that is meant."""
    with pytest.raises(WrongValueError, match="write fail-on"):
        LintSettings.of_table({"fail_on": "error"})
