"""Which robots.txt, and which name in it, speaks to a robot: families of known robots included.

Scope: the choice of the group; the statements are read by others.
"""

from datetime import datetime
from functools import cached_property

from goodbot._core import Finding, RobotsTxt, Verdict
from goodbot.bots import ObeyedRules, rules_for
from goodbot.bots.user_agents import known
from goodbot.content_use.purpose_tokens import PurposeRules, purpose_findings, purpose_rules
from goodbot.content_use.site_statements import StatedLines, stated_lines
from goodbot.display import short_repr
from goodbot.errors import WrongTypeError
from goodbot.lazy_dataclass import dataclass
from goodbot.policy import Policy

__all__ = ["ObeyedFile", "obeyed_file"]

STAR = "*"


@dataclass(frozen=True, repr=False)
class ObeyedFile:
    """What speaks to a robot, whatever URL it asks about; all of it is read once."""

    rules: RobotsTxt | None
    """The file, or what is left of it for the robot; `None` if there is none."""
    name: str
    """The name whose groups it obeys."""
    expires: datetime | None
    """When the file expires."""
    unread: str | None
    """Why there is no file, if that is not an answer."""
    obeyed: ObeyedRules | None
    """What says whether the robot may fetch a URL; `None` if nothing was passed."""
    whole: RobotsTxt | None = None
    """The whole file, also what does not speak to the robot; `None` if there is none."""

    __repr__ = short_repr

    @cached_property
    def stated(self) -> StatedLines | None:
        """The lines that state uses to the robot; `None` if there is no file."""
        return None if self.rules is None else stated_lines(self.rules, self.name)

    @cached_property
    def purposes(self) -> tuple[PurposeRules, ...]:
        """The rules of the groups for purposes, which speak to every robot."""
        return () if self.whole is None else purpose_rules(self.whole)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What is odd about the groups for purposes."""
        return () if self.whole is None else tuple(purpose_findings(self.whole))

    def access(self, url: str) -> Verdict | None:
        """Return whether the robot may fetch a URL; `None` if nothing was passed."""
        return None if self.obeyed is None else self.obeyed.verdict(url)


def obeyed_file(robots_txt: RobotsTxt | Policy | None, robot: str, *, families: bool) -> ObeyedFile:
    """Return what speaks to a robot.

    Args:
        robots_txt: The file, or the policy of the site.
        robot: A known robot, or a name.
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
    family = rules if families and known(robot) is not None else None
    if isinstance(robots_txt, Policy):
        return of_policy(robots_txt, robot, rules, family)
    if family is None:
        return ObeyedFile(robots_txt, robot, None, None, rules, robots_txt)
    read, name = of_family(robots_txt, family)
    return ObeyedFile(read, name, None, None, rules, robots_txt)


def of_policy(
    policy: Policy, robot: str, obeyed: ObeyedRules, family: ObeyedRules | None
) -> ObeyedFile:
    """Return what speaks to a robot by the policy of a site."""
    held = policy if family is None else policy.in_dialect(family.dialect)
    if held.access != "rules" or held.robots_txt is None:
        unread = None if held.access == "allow-all" else "robots-txt-unreachable"
        return ObeyedFile(None, robot, None, unread, obeyed)
    whole = file = policy.robots_txt or held.robots_txt
    name = robot
    if family is not None:
        file, name = of_family(file, family)
    return ObeyedFile(file, name, held.fresh_until, None, obeyed, whole)


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
