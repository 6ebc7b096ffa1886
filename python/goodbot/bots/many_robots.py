"""What many robots may fetch of many URLs: a matrix, a row of verdicts for each URL.

Scope: the verdicts. How they are printed is for the command line.
"""

from collections.abc import Iterable, Iterator, Sequence

from goodbot._core import Dialect, RobotsTxt, Verdict
from goodbot.bots.asking import ObeyedRules, rules_for
from goodbot.bots.family import known_or_none, reread
from goodbot.bots.known_robot import KnownRobot
from goodbot.errors import WrongTypeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from goodbot.policy import Policy

__all__ = ["matrix", "rules_of_all"]


def matrix(
    source: "RobotsTxt | Policy",
    robots: Sequence[KnownRobot | str],
    urls: Iterable[str],
    *,
    dialect: str | Dialect | None = None,
) -> Iterator[tuple[Verdict, ...]]:
    r"""Yield for each URL the verdict for each robot, in their order, as soon as it is asked for.

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
    >>> for verdicts in goodbot.bots.matrix(robots, ["GPTBot", "Googlebot"], ["/", "/a"]):
    ...     print(verdicts[0].url, [one.allowed for one in verdicts])
    / [False, True]
    /a [False, True]

    """
    if isinstance(robots, str | bytes):
        message = "robots must be a list of robots, such as ['GPTBot'], not one name"
        raise WrongTypeError(message)
    rules = rules_of_all(source, robots, dialect=dialect)
    return (tuple(one.verdict(url) for one in rules) for url in urls)


def rules_of_all(
    source: "RobotsTxt | Policy",
    robots: Iterable[KnownRobot | str],
    *,
    dialect: str | Dialect | None = None,
) -> list[ObeyedRules]:
    """Return what each robot obeys; a file is read once for each dialect.

    Raises:
        MisuseError: See `matrix`.

    """
    if not isinstance(source, RobotsTxt):
        return [rules_for(source, robot, dialect=dialect) for robot in robots]
    readings: dict[str, RobotsTxt] = {}
    found = []
    for robot in robots:
        known = known_or_none(robot)
        chosen = dialect or (None if known is None else known.dialect) or source.dialect
        name = chosen if isinstance(chosen, str) else chosen.name
        if name not in readings:
            readings[name] = reread(source, chosen)
        read = readings[name]
        found.append(rules_for(read, robot, dialect=read.dialect))
    return found
