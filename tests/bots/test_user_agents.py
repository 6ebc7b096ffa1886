"""From a User-Agent to the robot that it names, also when the User-Agent is meant to cost much."""

import json
from pathlib import Path

import pytest

from goodbot import _core, bots
from goodbot.bots import user_agents
from goodbot.errors import WrongTypeError

SAMPLES = Path(__file__).with_name("user_agents.json")
"""A sample of monperrus/crawler-user-agents, with its licence."""


def samples() -> list[tuple[str, str | None]]:
    """Return User-Agents, each with the robot that it names; `None` if that is not known."""
    content = json.loads(SAMPLES.read_text(encoding="utf-8"))
    return [(agent, name) for name, agent in content["robots"]] + [
        (agent, None) for agent in content["others"]
    ]


def test_the_robots_of_real_user_agents() -> None:
    """Each names the robot that the sample says, or none."""
    wrong = [(agent, name) for agent, name in samples() if name_of(agent) != name]
    assert wrong == []


def test_every_robot_that_fetches_is_found_by_its_own_texts() -> None:
    """No text of one robot is found as part of another's, in any case of letters."""
    for robot in bots.every():
        for text in robot.user_agents:
            agent = f"Mozilla/5.0 (compatible; {text}/1.0)"
            assert bots.of_user_agent(agent) is robot
            assert bots.of_user_agent(agent.upper()) is robot


def test_the_most_specific_name_counts() -> None:
    """The longest name wins, wherever it stands."""
    assert name_of("Googlebot Googlebot-News") == "Googlebot-News"
    assert name_of("adidxbot/2.0 (+http://search.msn.com/msnbot.htm)") == "adidxbot"
    messages = "Mozilla/5.0 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0"
    assert name_of(messages) == "Apple Messages preview"


def test_who_resembles_a_robot_is_not_that_robot() -> None:
    """Names behind `like ` and behind a hyphen belong to others."""
    assert name_of("treat me like Googlebot") is None
    assert name_of("Fake-Googlebot/2.1") is None
    assert name_of("notGooglebot/2.1") is None
    assert name_of("Googlebotany/2.1") is None


@pytest.mark.parametrize(
    "user_agent",
    [
        "a" * 1_000_000,
        "\0" * 1_000_000,
        "Googlebot" * 100_000,
        "like " * 200_000,
        "(" * 1_000_000,
        "\ud800" * 1_000,
        "Mozilla/5.0 (compatible; " + "ä" * 500_000,
    ],
    ids=lambda agent: repr(agent[:9]),
)
def test_hostile_user_agents_are_read_up_to_a_bound_and_not_remembered(user_agent: str) -> None:
    """They name nobody, cost one pass over the first bytes, and take no memory."""
    before = user_agents.remembered.cache_info().currsize
    assert bots.of_user_agent(user_agent) is None
    assert user_agents.remembered.cache_info().currsize == before


def test_what_is_behind_the_bound_is_not_read() -> None:
    """A name within the first 8,192 bytes is found, one behind them is not."""
    room = " " * (_core.LONGEST_USER_AGENT - len("GPTBot"))
    assert name_of(f"{room}GPTBot") == "GPTBot"
    assert name_of(f"{room} GPTBot") is None


def test_answers_are_remembered_within_bounds() -> None:
    """A User-Agent that comes again is not searched again; the number remembered is bounded."""
    bots.of_user_agent("GPTBot/1.3")
    hits = user_agents.remembered.cache_info().hits
    bots.of_user_agent("GPTBot/1.3")
    assert user_agents.remembered.cache_info().hits == hits + 1
    assert user_agents.remembered.cache_info().maxsize == user_agents.MOST_REMEMBERED


def test_a_robot_may_be_named_in_either_way() -> None:
    """`known` takes a name or a User-Agent, and knows when it does not know."""
    assert bots.known(" googlebot-news ") is bots.get("Googlebot-News")
    assert bots.known("Googlebot/2.1 (+http://www.google.com/bot.html)") is bots.get("Googlebot")
    assert bots.known("Google-Extended") is bots.get("Google-Extended")
    assert bots.known("ExampleBot/1.0") is None
    assert bots.known("") is None


def test_what_is_no_text_is_refused() -> None:
    """The argument must be a `str`."""
    with pytest.raises(WrongTypeError, match="user_agent must be a str"):
        bots.of_user_agent(b"GPTBot")  # type: ignore[arg-type]


def name_of(user_agent: str) -> str | None:
    """Return the name of the robot of a User-Agent."""
    robot = bots.of_user_agent(user_agent)
    return robot.name if robot else None


@pytest.mark.parametrize(
    ("robot", "name"),
    [
        ("Googlebot-News", "Googlebot-News"),
        ("googlebot/2.1 (+http://www.google.com/bot.html)", "Googlebot"),
        ("Mozilla/5.0 (compatible; GPTBot/1.3)", "GPTBot"),
        ("Better Uptime Bot/1.0", "Better Stack"),
        ("ExampleBot/1.0 (Scrapy/2.11)", None),
        ("ExampleBot/1.0 (compatible; Googlebot/2.1)", None),
        ("Googlebotany", None),
        ("*", None),
    ],
)
def test_a_robot_with_a_name_of_its_own_is_no_other(robot: str, name: str | None) -> None:
    """A question about a robot is about the name that its User-Agent begins with."""
    found = bots.known(robot)
    assert (None if found is None else found.name) == name
