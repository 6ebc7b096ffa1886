r"""Which group a known robot obeys in a robots.txt, and what it makes an exception of.

Scope: the choice of the group among those of a family; the core reads the rules.
"""

from typing import NamedTuple

from goodbot._core import (
    Dialect,
    RobotsTxt,
    Rules,
    robot_product,
    selected_how,
)
from goodbot.bots.known_robot import KnownRobot
from goodbot.bots.user_agents import known
from goodbot.http.fields import scalar

__all__ = ["GroupChoice", "obeyed_by", "obeyed_name", "reread", "tokens_of"]

NAMED = {"named", "leading-token"}
"""The ways in which the core chooses a group that names the robot."""

STAR = "*"
"""The name of a robot that has no group of its own."""


class GroupChoice(NamedTuple):
    """What a robot obeys in one robots.txt."""

    rules: Rules | None
    """Its rules; `None` if no group names it and it ignores the one for `*`."""
    token: str | None
    """The product token whose group it obeys; `None` if no group names any of its tokens."""
    tried: tuple[str, ...]
    """The product tokens that it looked for, in this order."""


def obeyed_by(robots: RobotsTxt, robot: KnownRobot | None, name: str) -> GroupChoice:
    """Return what a robot obeys in a robots.txt.

    A known robot looks for its product tokens one by one, in the order that its operator states;
    the first that a group names decides. If none is named, the group for `*` applies, unless the
    robot ignores it. Any other robot obeys the group of its name, or else the one for `*`.

    Args:
        robots: The file, in the dialect in which the robot reads it.
        robot: The robot, if it is a known one.
        name: How it was asked for.

    Raises:
        RobotNameError: The name is empty, or looks like a URL.

    """
    if robot is None:
        rules = robots.rules_for(name)
        product = robot_product(scalar(name)) or name
        is_named = rules.selection.how in NAMED
        own = () if product == STAR else (product,)
        return GroupChoice(rules, product if is_named else None, own)
    tried = tokens_of(robot)
    chosen, is_named = obeyed_name(robots, robot)
    found = None if chosen is None else robots.rules_for(chosen)
    token = None
    if found is not None and chosen is not None and is_named:
        token = named_by(found, chosen, tried)
    return GroupChoice(found, token, tried)


def obeyed_name(robots: RobotsTxt, robot: KnownRobot) -> tuple[str | None, bool]:
    """Return the name whose rules a known robot obeys, and whether a group names it.

    The name is `None` if no group names the robot and it ignores the group for `*`. Nothing is
    compiled: a file may be large, and the known robots are many.

    Args:
        robots: A robots.txt, in the dialect in which the robot reads it.
        robot: The robot.

    """
    tried = tokens_of(robot)
    for token, how in zip(tried, selected_how(robots, list(tried)), strict=True):
        if how in NAMED:
            return token, True
    return None if robot.ignores_star else tried[0] if tried else STAR, False


def tokens_of(robot: KnownRobot) -> tuple[str, ...]:
    """Return the product tokens that a robot looks for, in this order.

    Where its operator names none, that is its name. A name of several words is no product token
    (RFC 9309 section 2.2.1): a group for `Apple` is not about `Apple Messages preview`.
    """
    return robot.tokens or (() if " " in robot.name else (robot.name,))


def named_by(rules: Rules, token: str, tried: tuple[str, ...]) -> str:
    """Return the token that the chosen group has.

    In a dialect that compares parts of names, `YandexImages` is also named by a group of `Yandex`.
    """
    agents = {agent.casefold() for group in rules.selection.groups for agent in group.agents}
    if token.casefold() in agents:
        return token
    return next((other for other in tried if other.casefold() in agents), token)


def reread(robots: RobotsTxt, dialect: str | Dialect) -> RobotsTxt:
    """Return a robots.txt in a dialect."""
    name = dialect if isinstance(dialect, str) else dialect.name
    if robots.dialect.name == name and (isinstance(dialect, str) or robots.dialect == dialect):
        return robots
    return RobotsTxt(robots.content, dialect=dialect)


def known_or_none(robot: KnownRobot | str) -> KnownRobot | None:
    """Return the known robot that was asked for; `None` if it is not a known one."""
    return robot if isinstance(robot, KnownRobot) else known(robot)
