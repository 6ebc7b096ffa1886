"""Known robots that have some property, found by the names of groups.

Scope: a quick answer for the names of no such robot, of which a file may have a hundred thousand.
`goodbot.bots.known` decides which robot a name stands for.
"""

from collections.abc import Callable
from functools import cached_property

from goodbot.bots import KnownRobot, every, known
from goodbot.bots.user_agents import BROWSERS

__all__ = ["SoughtRobots"]


class SoughtRobots:
    """The known robots that have a property.

    Args:
        has_property: Whether a robot has it.

    >>> google = SoughtRobots(lambda robot: robot.operator == "Google")
    >>> google.named("googlebot").name, google.named("bingbot"), google.named("Googlebo")
    ('Googlebot', None, None)

    """

    def __init__(self, has_property: Callable[[KnownRobot], bool]) -> None:
        """Keep the property; the robots are read when the first name is asked for."""
        self._has_property = has_property

    def named(self, agent: str) -> KnownRobot | None:
        """Return the robot that a name or a User-Agent stands for, if it has the property."""
        if not agent.strip().casefold().startswith(self._beginnings):
            return None
        robot = known(agent)
        return robot if robot is not None and self._has_property(robot) else None

    @cached_property
    def _beginnings(self) -> tuple[str, ...]:
        """How every name begins that `known` takes for one of these robots."""
        robots = [robot for robot in every() if self._has_property(robot)]
        names = {
            name.casefold()
            for robot in robots
            for name in (robot.name, *robot.tokens, *robot.user_agents)
        }
        return (*BROWSERS, *sorted(names))
