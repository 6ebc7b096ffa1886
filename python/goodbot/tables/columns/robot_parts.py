"""What the core needs to know of a robot: its dialect and its family.

Scope: from a name to what `goodbot.bots` knows of it.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from goodbot._core import Dialect, RobotsTxt
from goodbot._core import dialect as dialect_named
from goodbot.bots.family import STAR, tokens_of
from goodbot.bots.known_robot import KnownRobot
from goodbot.bots.user_agents import known
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.fields import scalar

RobotParts: TypeAlias = tuple[str, Dialect, tuple[list[str], str | None] | None]
"""A name, a dialect, and for a known robot the names of its family and the name whose group it
obeys if no group names any of them; that is `None` if it ignores the group for `*`."""


def check_robots(robots: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of robots.

    Raises:
        RobotNameError: One is empty, or looks like a URL.
        WrongTypeError: They are something else.
        WrongValueError: There are none, one comes twice, or one cannot be the name of a column.

    """
    if not isinstance(robots, Iterable):
        message = f"robots must be a str or a sequence of str, not {type(robots).__name__}"
        raise WrongTypeError(message)
    names = (robots,) if isinstance(robots, str) else tuple(robots)
    for name in names:
        if not isinstance(name, str):
            message = f"robots must be a str or a sequence of str, not {type(name).__name__}"
            raise WrongTypeError(message)
        if scalar(name) != name:
            message = f"the robot {name!r} has a lone surrogate; no column can have that name"
            raise WrongValueError(message)
        if "\0" in name:
            message = f"the robot {name!r} has a null character; no column can have that name"
            raise WrongValueError(message)
    if not names or len(set(names)) < len(names):
        message = "robots must be one name or several different ones; each names a column"
        raise WrongValueError(message)
    for name in names:
        RobotsTxt(b"").rules_for(name)  # an engine would fail late, in its own words
    return names


def describe_robot(name: str, table_dialect: str) -> RobotParts:
    """Return what the core needs to know of a robot.

    Args:
        name: A product token or a whole User-Agent.
        table_dialect: The dialect of a robot whose own is not known.

    """
    one = known(name)
    dialect = dialect_named((None if one is None else one.dialect) or table_dialect)
    return name, dialect, None if one is None else find_family(one)


def find_family(robot: KnownRobot) -> tuple[list[str], str | None]:
    """Return the names that a known robot looks for, and whose group it obeys if there is none."""
    tokens = tokens_of(robot)
    default = tokens[0] if tokens else STAR
    return list(tokens), None if robot.ignores_star else default
