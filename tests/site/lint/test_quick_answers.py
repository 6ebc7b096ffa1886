"""Quick answers for what most files do not have: the slow way gives the same."""

import random
import re

import pytest

from goodbot import RobotsTxt, Rules, dialects
from goodbot._core import is_spelt_alike, limits_exceeded
from goodbot.bots import every, known
from goodbot.site.lint.checked_file import ENGINES
from goodbot.site.lint.rules.crawl_delay_ignored import FIELD, IGNORING
from goodbot.site.lint.rules.engine_limit import may_be_exceeded
from goodbot.site.lint.rules.misspelt_robot import known_tokens, may_be_near, variations
from goodbot.site.lint.rules.robot_does_not_obey import NOT_OBEYING

LETTERS = "abegnortz-0 /"
PLAIN = re.compile(r"[A-Za-z0-9/_.~*$?=&+:;,!'()@-]*")


def written_names() -> list[str]:
    """Return every name and User-Agent of a known robot."""
    return [name for robot in every() for name in (robot.name, *robot.tokens, *robot.user_agents)]


def changed(name: str, chance: random.Random) -> str:
    """Return a name with some letters removed, added, replaced or exchanged."""
    letters = list(name)
    for _ in range(chance.randrange(3)):
        place = chance.randrange(len(letters) + 1)
        letters[place : place + chance.randrange(3)] = chance.choices(
            LETTERS, k=chance.randrange(3)
        )
    return "".join(letters)


@pytest.mark.parametrize("before", ["", " ", "Mozilla/5.0 (compatible; ", "x"])
def test_robots_with_a_property_are_those_of_known(before: str) -> None:
    """Whatever is before or behind a name."""
    chance = random.Random(before)  # noqa: S311  a seed for each case
    found = 0
    for name in written_names():
        for agent in (f"{before}{name}", f"{before}{changed(name, chance)}/1.0 ".upper()):
            robot = known(agent)
            obeys_not = robot if robot is not None and robot.obeys is False else None
            ignores = robot if robot is not None and FIELD in robot.ignores else None
            assert (NOT_OBEYING.named(agent), IGNORING.named(agent)) == (obeys_not, ignores), agent
            found += ignores is not None
    assert found > 50 or before == "x"


def test_no_near_name_is_ruled_out() -> None:
    """Every name that becomes a known token by one change may be near."""
    chance = random.Random(9309)  # noqa: S311  a seed
    tokens = known_tokens()
    near = 0
    for token in tokens:
        for _ in range(3):
            name = changed(token, chance)
            if any(other in tokens for other in variations(name)):
                near += 1
                assert may_be_near(name), name
    assert near > len(tokens)


@pytest.mark.parametrize(
    "content",
    [
        b"User-agent: *\n" + b"Disallow: /a\n" * 1_990,
        b"User-agent: *\n" + b"Disallow: /a\n" * 2_049,
        b"User-agent: *\r" + b"Disallow: /a\r" * 2_049,
        b"User-agent: *\nDisallow: /" + b"a" * 16_700,
        b"User-agent: *\nDisallow: /" + b"a" * 15_900 + b"\rAllow: /b\n# " + b"-" * 9_000,
        b"User-agent: *\nDisallow: /a\n" + b"#\n" * 249_000,
        b"User-agent: *\nDisallow: /a\n" + b"#\n" * 260_000,
        b"User-agent: *\nDisallow: /a\n" + b"#" * 600_000,
    ],
)
def test_no_exceeded_limit_is_ruled_out(content: bytes) -> None:
    """No engine that is skipped finds a limit exceeded."""
    asked = set(may_be_exceeded(content))
    exceeded = {name for name in ENGINES if limits_exceeded(RobotsTxt(content, dialect=name))}
    assert exceeded <= asked


def spelt_alike(one: Rules, other: Rules) -> bool:
    """Compare the groups, then the rules with patterns one by one."""
    groups = [[group.lines for group in rules.selection.groups] for rules in (one, other)]
    if groups[0] != groups[1] or one.otherwise != other.otherwise:
        return True
    own, others = (
        sorted((rule.line, rule.field, rule.pattern) for rule in rules if rule.pattern)
        for rules in (one, other)
    )
    plain = all(
        PLAIN.fullmatch(pattern) and "index.htm" not in pattern for _line, _field, pattern in own
    )
    return own == others and plain


def test_dialects_spell_rules_alike_as_a_plain_comparison_says() -> None:
    """In every pair of dialects, for random files of names, rules and odd lines."""
    chance = random.Random(2022)  # noqa: S311  a seed
    answers = set()
    values = ["/a", "/a b", "/%61", "/é", "/a*$", "/index.html", "a", "", "/x # y"]
    fields = ["Disallow", "Allow", "Disalow", "User-agent", "Crawl-delay", "allow"]
    for _ in range(300):
        lines = [
            f"{chance.choice(fields)}: {chance.choice(values[: chance.choice([2, 9])])}"
            for _ in range(chance.randrange(1, 6))
        ]
        text = "\n".join([chance.choice(["User-agent: *", "User-agent: a, b", ""]), *lines])
        pair = chance.choices(dialects(), k=2)
        one, other = (RobotsTxt(text.encode(), dialect=name).rules_for("a") for name in pair)
        answers.add(spelt_alike(one, other))
        assert is_spelt_alike(one, other) == spelt_alike(one, other), (text, pair)
    assert answers == {True, False}
