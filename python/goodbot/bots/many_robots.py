"""What many robots may fetch of many URLs: a matrix, a row for each URL.

Scope: the verdicts. How they are printed is for the command line.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from goodbot._core import Dialect, RobotsTxt
from goodbot.bots.family import FamilyRules, FamilyVerdict, any_rules_for, reread
from goodbot.bots.family_policy import SiteRules
from goodbot.bots.known_robot import KnownRobot
from goodbot.bots.user_agents import known
from goodbot.display import short_repr
from goodbot.errors import WrongTypeError
from goodbot.policy import Policy, PolicyVerdict

__all__ = ["CellVerdict", "MatrixRow", "matrix", "rules_of_all"]

CellVerdict: TypeAlias = FamilyVerdict | PolicyVerdict
"""A verdict from a file, or from the policy of a site."""


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """The verdicts on one URL."""

    url: str
    """The URL, as it was passed."""
    verdicts: tuple[CellVerdict, ...]
    """The verdict for each robot, in the order of the robots."""

    __repr__ = short_repr

    def __bool__(self) -> bool:
        """Return whether every robot may fetch the URL."""
        return all(one.allowed for one in self.verdicts)


def matrix(
    source: RobotsTxt | Policy,
    robots: Sequence[KnownRobot | str],
    urls: Iterable[str],
    *,
    dialect: str | Dialect | None = None,
) -> Iterator[MatrixRow]:
    r"""Yield for each URL what each robot may do, as soon as it is asked for.

    A known robot brings its family, its dialect and its exceptions; any other name is looked up as
    it is. Each URL is checked as it is written and as it is sent: both must be allowed.

    Args:
        source: A robots.txt, or the policy of a site.
        robots: The robots: known ones, such as those of `by_purpose`, or names of any robots.
        urls: The URLs; with a robots.txt, paths that begin with `/` are accepted too.
        dialect: The dialect to read the file in, for all robots. By default that of each robot; if
            it is not known, the one of `source`.

    Raises:
        WrongTypeError: `source` or a robot is something else, or `robots` is one name.
        RobotNameError: A robot is empty, or looks like a URL.
        UnknownDialectError: There is no dialect of this name.
        NoOriginError: With a policy, a URL is not absolute.
        OtherOriginError: With a policy, a URL is of another site.

    >>> import goodbot
    >>> robots = goodbot.RobotsTxt(b"User-agent: GPTBot\nDisallow: /\n\nUser-agent: *\nAllow: /")
    >>> for row in goodbot.bots.matrix(robots, ["GPTBot", "Googlebot"], ["/", "/a"]):
    ...     print(row.url, [one.allowed for one in row.verdicts])
    / [False, True]
    /a [False, True]

    """
    if isinstance(robots, str | bytes):
        message = "robots must be a list of robots, such as ['GPTBot'], not one name"
        raise WrongTypeError(message)
    if isinstance(source, Policy):
        sites = [SiteRules(source, one, dialect=dialect) for one in robots]
        return (MatrixRow(url, tuple(one.verdict(url) for one in sites)) for url in urls)
    if not isinstance(source, RobotsTxt):
        message = f"source must be a RobotsTxt or a Policy, not {type(source).__name__}"
        raise WrongTypeError(message)
    rules = [family for family, _read in rules_of_all(source, robots, dialect=dialect)]
    return (MatrixRow(url, tuple(one.verdict_as_sent(url) for one in rules)) for url in urls)


def rules_of_all(
    file: RobotsTxt, robots: Iterable[KnownRobot | str], *, dialect: str | Dialect | None = None
) -> list[tuple[FamilyRules, RobotsTxt]]:
    """Return what each robot obeys, and the file as it reads it; once for each dialect.

    Raises:
        MisuseError: See `matrix`.

    """
    readings: dict[str, RobotsTxt] = {}
    found = []
    for robot in robots:
        one = robot if isinstance(robot, KnownRobot) else known(robot)
        own = None if one is None else one.dialect
        chosen = dialect or own or file.dialect
        name = chosen if isinstance(chosen, str) else chosen.name
        if name not in readings:
            readings[name] = reread(file, chosen)
        read = readings[name]
        found.append((any_rules_for(read, robot, dialect=read.dialect), read))
    return found
