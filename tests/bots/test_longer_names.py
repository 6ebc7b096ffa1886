"""A name that only begins with a known robot's is another robot's, in every face that asks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import goodbot
from goodbot import bots
from goodbot.bots import rules_for
from goodbot.bots.robot_table import known_names
from goodbot.site.audit.robot_reading import RobotReading
from goodbot.site.gate.group_rules import first_token
from goodbot.tables.columns.robot_parts import describe_robot
from tests.support.examples import examples

CLOSED = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /\n")
URL = "https://example.com/a"
NAMES = sorted(
    {
        name
        for robot in bots.every()
        for name in (robot.name, *robot.tokens, *robot.user_agents)
        if name[-1].isalnum() and "://" not in name
    }
)
ENDINGS = st.from_regex(r"([-_.:@~]|[a-z0-9]| [a-z])[a-z]{1,6}", fullmatch=True)


@examples(300)
@given(name=st.sampled_from(NAMES), ending=ENDINGS)
def test_a_longer_name_has_no_exception(name: str, ending: str) -> None:
    """No face takes it for the known robot, so that it obeys what an unknown robot obeys."""
    longer = name + ending
    if longer.casefold() in known_names():
        return
    found = bots.known(longer)
    assert found is None or found.name.casefold() != name.casefold()
    if found is not None:
        return
    assert bots.of_user_agent(f"{longer}/1.0 (+https://example.com/bot)") is None
    assert not rules_for(CLOSED, longer).allows(URL)
    assert describe_robot(longer, "rfc9309")[2] is None
    reading = RobotReading(longer)
    assert (reading.known, reading.dialect) == (None, "rfc9309")
    assert first_token(longer) == longer


@pytest.mark.parametrize("ending", ["-clone", "_clone", "clone", "2", ".clone", " clone", "-"])
@pytest.mark.parametrize("robot", [one.name for one in bots.every() if one.ignores_star])
def test_who_ignores_star_is_not_imitated(robot: str, ending: str) -> None:
    """Only the robots themselves ignore the group for everyone."""
    assert rules_for(CLOSED, robot).allows(URL)
    for name in (robot + ending, f"{robot}{ending}/1.0", f"{robot.upper()}{ending} (compatible)"):
        assert not rules_for(CLOSED, name).allows(URL), name
