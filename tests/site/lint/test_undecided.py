"""What lint leaves out of files that are too large for it: it says so, and guesses nothing."""

import pytest

from goodbot.site.lint import MOST_OF_A_RULE, LintFinding, lint
from goodbot.site.lint.checked_file import LARGEST_REMOVAL, MOST_ROBOTS
from goodbot.site.lint.rules.blocks_styles_and_scripts import MOST_TRIED

PADDING = "# a comment of some length, of which there are many\n"


def findings(content: str, code: str) -> list[LintFinding]:
    """Return the findings with a code."""
    return [one for one in lint(content).findings if one.code == code]


def undecided(content: str) -> dict[str, LintFinding]:
    """Return what could not be decided, by the rule of lint."""
    found = findings(content, "undecided")
    return {one.message.split(", ")[1].split(" could")[0]: one for one in found}


def test_no_removal_is_proven_in_a_large_file() -> None:
    """A repetition is still found; that it may be removed is only said where it is proven."""
    small = "User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /a\nDisallow: /c\n"
    large = small + PADDING * (LARGEST_REMOVAL // len(PADDING) + 1)
    assert len(large) > LARGEST_REMOVAL
    (proven,), (left,) = (findings(one, "repeated-rule") for one in (small, large))
    assert (proven.line, proven.others) == (left.line, left.others) == (4, (2,))
    assert proven.message.endswith("Remove it.")
    assert left.message.endswith("If you change one of them, change the other, too.")


@pytest.mark.parametrize("more", [-1, 40])
def test_names_beyond_the_bound_are_undecided(more: int) -> None:
    """Rules that a robot loses by being named are looked for among the first names only."""
    groups = "".join(
        f"User-agent: bot-{number}\nDisallow: /p{number}\n" for number in range(MOST_ROBOTS + more)
    )
    content = f"User-agent: *\nDisallow: /private\n{groups}"
    assert ("default-rules-dropped" in undecided(content)) == (more > 0)
    assert findings(content, "default-rules-dropped")


@pytest.mark.parametrize("more", [0, 5])
def test_style_sheets_beyond_the_bound_are_undecided(more: int) -> None:
    """The first rules are tried, and the others are named."""
    rules = "".join(f"Disallow: /a{number}/x.css\n" for number in range(MOST_TRIED + more))
    content = f"User-agent: *\n{rules}"
    found = undecided(content).get("blocks-styles-and-scripts")
    assert len(findings(content, "blocks-styles-and-scripts")) == MOST_TRIED
    if more:
        assert found is not None
        assert (found.line, len(found.others)) == (MOST_TRIED + 2, more - 1)
    else:
        assert found is None


@pytest.mark.stress
def test_findings_beyond_the_bound_are_counted() -> None:
    """The last finding of a rule says how many are not listed."""
    content = "User-agent: *\n" + "Disallow: /a\n" * (MOST_OF_A_RULE + 500)
    found = findings(content, "repeated-rule")
    assert len(found) == MOST_OF_A_RULE + 1
    assert found[0].line == 0  # about the file as a whole
    assert found[0].message == "499 more findings repeated-rule are not listed."
    assert [one.line for one in found[1:]] == list(range(3, MOST_OF_A_RULE + 3))


def test_rules_that_nobody_could_examine_are_undecided() -> None:
    """Beyond the bound of rules, it is not known which of them decide."""
    rules = "".join(f"Disallow: /{number}\n" for number in range(3_000))
    content = f"User-agent: *\n{rules}Disallow: /1/below\n"
    assert not findings(content, "never-decides")
    found = undecided(content)["never-decides"]
    assert (found.line, found.others[-1]) == (2, 3_002)
    assert findings("User-agent: *\nDisallow: /1\nDisallow: /1/below\n", "redundant-rule")
