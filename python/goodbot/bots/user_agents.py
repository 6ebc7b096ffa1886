"""From a User-Agent to the robot that it names.

Scope: what a request claims. Whether it is true is for addresses, host names and keys to say.
"""

from functools import lru_cache

from goodbot._core import UserAgentNames
from goodbot.bots.known_robot import KnownRobot
from goodbot.bots.robot_table import checked, known_names, table

__all__ = ["known", "of_user_agent"]

MOST_REMEMBERED = 4_096
"""How many User-Agents the answers are remembered for: a log repeats some hundred."""
BROWSERS = ("mozilla/", "opera/")
"""How a User-Agent begins whose first product is not the robot's own."""
LONGEST_REMEMBERED = 512
"""The most characters of a User-Agent that is remembered, so that no log fills the memory."""


def of_user_agent(user_agent: str) -> KnownRobot | None:
    """Return the robot that a User-Agent names; `None` if it names none that is known.

    If it contains several names, the longest counts, which is the most specific. A name behind
    the word `like` does not count. Anyone can send any User-Agent: it is a claim, not a proof.

    Args:
        user_agent: The value of the field; at most 8,192 bytes of it are read.

    Raises:
        WrongTypeError: It is not a `str`.

    >>> of_user_agent("Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)").name
    'bingbot'
    >>> of_user_agent("FreshRSS/1.11.2 (Linux; https://freshrss.org) like Googlebot").name
    'FreshRSS'
    >>> of_user_agent("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0")

    """
    if len(checked(user_agent, "user_agent")) <= LONGEST_REMEMBERED:
        return remembered(user_agent)
    return found_in(user_agent)


def found_in(user_agent: str) -> KnownRobot | None:
    """Return the robot that a User-Agent names."""
    names, places = finder()
    found = names.longest(user_agent)
    return None if found is None else table().robot(places[found])


remembered = lru_cache(maxsize=MOST_REMEMBERED)(found_in)


@lru_cache(maxsize=1)
def finder() -> tuple[UserAgentNames, list[int]]:
    """Return what finds names, and the place of the robot of each name in the table."""
    rows = [
        (name, place)
        for place, row in enumerate(table().rows)
        for name in row.get("user_agents", ())
    ]
    return UserAgentNames([name for name, _ in rows]), [place for _, place in rows]


def known(robot: str) -> KnownRobot | None:
    """Return the known robot that a name or a User-Agent stands for; `None` if there is none.

    A User-Agent that begins with a name of its own is that robot's, whatever else it contains: a
    robot built with Scrapy is not Scrapy. `of_user_agent` finds names anywhere.

    >>> known("Googlebot-News").name, known("Mozilla/5.0 (compatible; GPTBot/1.3)").name
    ('Googlebot-News', 'GPTBot')
    >>> known("ExampleBot/1.0 (Scrapy/2.11)")

    """
    text = checked(robot, "robot").strip().casefold()
    if text == "*":  # every robot that no group names: no need to load the table
        return None
    place = known_names().get(text)
    if place is not None:
        return table().robot(place)
    found = of_user_agent(robot)
    if found is None or text.startswith(BROWSERS):
        return found
    names = (found.name, *found.tokens, *found.user_agents)
    return found if text.startswith(tuple(name.casefold() for name in names)) else None
