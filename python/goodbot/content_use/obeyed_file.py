"""Which robots.txt, and which name in it, speaks to a robot: families of known robots included.

Scope: the choice of the group; the statements are read by others.
"""

from dataclasses import dataclass
from datetime import datetime

from goodbot._core import RobotsTxt, Verdict
from goodbot.bots import ObeyedRules, rules_for
from goodbot.bots.user_agents import known
from goodbot.display import short_repr
from goodbot.errors import WrongTypeError
from goodbot.policy import Policy

__all__ = ["ObeyedFile", "obeyed_file"]

STAR = "*"


@dataclass(frozen=True, slots=True)
class ObeyedFile:
    """What speaks to a robot."""

    rules: RobotsTxt | None
    """The file, or what is left of it for the robot; `None` if there is none."""
    name: str
    """The name whose groups it obeys."""
    expires: datetime | None
    """When the file expires."""
    unread: str | None
    """Why there is no file, if that is not an answer."""
    access: Verdict | None
    """Whether the robot may fetch the URL; `None` if nothing was passed."""
    whole: RobotsTxt | None = None
    """The whole file, also what does not speak to the robot; `None` if there is none."""

    __repr__ = short_repr


def obeyed_file(
    robots_txt: RobotsTxt | Policy | None, robot: str, url: str, *, families: bool
) -> ObeyedFile:
    """Return what speaks to a robot.

    Args:
        robots_txt: The file, or the policy of the site.
        robot: A known robot, or a name.
        url: The URL that it asks about.
        families: Whether a known robot brings its family, its dialect and its exceptions.

    Raises:
        WrongTypeError: `robots_txt` is something else.
        RobotNameError: The robot is empty, or looks like a URL.

    """
    if robots_txt is None:
        return ObeyedFile(None, robot, None, None, None)
    if not isinstance(robots_txt, RobotsTxt | Policy):
        given = type(robots_txt).__name__
        message = f"robots_txt must be a goodbot.RobotsTxt or a goodbot.Policy, not {given}"
        raise WrongTypeError(message)
    # Who asks under a name of its own fetches under it, and inherits no exception.
    rules = rules_for(robots_txt, robot, fetching=not families)
    access = rules.verdict(url)
    family = rules if families and known(robot) is not None else None
    if isinstance(robots_txt, Policy):
        return of_policy(robots_txt, robot, access, family)
    if family is None:
        return ObeyedFile(robots_txt, robot, None, None, access, robots_txt)
    read, name = of_family(robots_txt, family)
    return ObeyedFile(read, name, None, None, access, robots_txt)


def of_policy(
    policy: Policy, robot: str, access: Verdict, family: ObeyedRules | None
) -> ObeyedFile:
    """Return what speaks to a robot by the policy of a site."""
    held = policy if family is None else policy.in_dialect(family.dialect)
    if held.access != "rules" or held.robots_txt is None:
        unread = None if held.access == "allow-all" else "robots-txt-unreachable"
        return ObeyedFile(None, robot, None, unread, access)
    whole = file = policy.robots_txt or held.robots_txt
    name = robot
    if family is not None:
        file, name = of_family(file, family)
    return ObeyedFile(file, name, held.fresh_until, None, access, whole)


def of_family(file: RobotsTxt, family: ObeyedRules) -> tuple[RobotsTxt, str]:
    """Return what is left of a file for a robot, and the name whose groups it obeys.

    Statements are read as the file is: an owner who writes Content-Usage has stated it, also to a
    robot whose operator does not read the field. For a robot that ignores the group for everyone,
    only what comes before all groups is left: that is about the site.
    """
    if family.rules is not None:
        return file, family.token or STAR
    first = min((group.lines[0] for group in file.groups if group.lines), default=None)
    if first is None:
        return file, STAR
    head = b"\n".join(file.content.splitlines()[: first - 1])
    return RobotsTxt(head, dialect=file.dialect), STAR
