"""Quick answers for names of no known robot: the slow way gives the same."""

import random

import pytest

from goodbot.bots import every, known
from goodbot.lint.rules.crawl_delay_ignored import FIELD, IGNORING
from goodbot.lint.rules.misspelt_robot import known_tokens, may_be_near, variations
from goodbot.lint.rules.robot_does_not_obey import NOT_OBEYING

LETTERS = "abegnortz-0 /"


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
