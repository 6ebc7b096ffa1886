"""What lint says of rules, confirmed by removing them and by trying every short path."""

import itertools
import random

import pytest

from goodbot import RobotsTxt
from goodbot.site.lint import lint
from goodbot.site.lint.ignore_comments import ignore_comments
from goodbot.site.reasoning import is_same
from tests.support.examples import share_of

PATHS = [
    f"/{''.join(letters)}" for size in range(6) for letters in itertools.product("ab", repeat=size)
]
WITHOUT_EFFECT = ["never-decides", "matches-nothing", "repeated-rule", "redundant-rule"]


def random_file(seed: int) -> list[str]:
    """Return the lines of a file with some rules of few letters."""
    chance = random.Random(seed)  # noqa: S311  a seed for each case
    rules = [
        f"{chance.choice(['Allow', 'Disallow'])}: /"
        + "".join(chance.choice("aabb*") for _ in range(chance.randint(1, 4)))
        + chance.choice(["", "", "$"])
        for _ in range(chance.randint(2, 6))
    ]
    return ["User-agent: *", *rules]


@pytest.mark.parametrize("seed", range(share_of(400)))
def test_a_rule_without_effect_can_be_removed(seed: int) -> None:
    """Without the line, every short path has the same answer, and the proof says so of all."""
    lines = random_file(seed)
    before = RobotsTxt("\n".join(lines)).rules_for("*")
    for finding in lint("\n".join(lines)).findings:
        if finding.code in WITHOUT_EFFECT:
            rest = lines[: finding.line - 1] + lines[finding.line :]
            after = RobotsTxt("\n".join(rest)).rules_for("*")
            assert is_same(before, after), finding
            for path in PATHS:
                assert before.allows(path) == after.allows(path), (finding, path)


@pytest.mark.parametrize("seed", range(share_of(200)))
def test_a_rule_that_decides_is_not_reported(seed: int) -> None:
    """A line that decides a short path is not said to decide nothing."""
    lines = random_file(seed)
    rules = RobotsTxt("\n".join(lines)).rules_for("*")
    deciding = {verdict.rule.line for path in PATHS if (verdict := rules.verdict(path)).rule}
    idle = {one.line for one in lint("\n".join(lines)).findings if one.code in WITHOUT_EFFECT[:3]}
    assert not deciding & idle


@pytest.mark.parametrize(
    "content",
    [
        b"User-agent: *\n" + b"".join(b"Disallow: /%06d*a*b$\n" % n for n in range(20_000)),
        b"".join(
            b"User-agent: r%d\nDisallow: /%d\nAllow: /*%d\n" % (n, n, n) for n in range(9_000)
        ),
        b"User-agent: *\n" + b"".join(b"Disallow: /*%d*%d*\n" % (n, n + 7) for n in range(32)),
        b"Disallow\n" * 50_000,
        bytes(range(256)) * 2_000,
    ],
    ids=["rules", "groups", "stars", "lines", "bytes"],
)
def test_a_hostile_file_ends_with_findings(content: bytes) -> None:
    """500 KiB of anything ends, with a bounded number of findings."""
    assert len(lint(content).findings) < 60_000


def test_a_comment_belongs_to_its_line_or_the_next() -> None:
    """A comment on a line is for it; those that stand alone are for the next line with content."""
    text = (
        "# goodbot: ignore=a,b\n\n# why\nUser-agent: * # goodbot: ignore=c\nDisallow: /\n"
        "# see goodbot: ignore=d because\n"
    )
    found = [(one.line, one.codes, one.applies_to) for one in ignore_comments(RobotsTxt(text))]
    assert found == [(1, ("a", "b"), 4), (4, ("c",), 4), (6, ("d",), 0)]


def test_an_unused_comment_is_a_finding() -> None:
    """So is a code that does not exist; a code that was not asked for is not."""
    text = "User-agent: *\nDisallow: /a # goodbot: ignore=never-decides, nonsense\n"
    assert [one.code for one in lint(text).findings] == ["unused-ignore"] * 2
