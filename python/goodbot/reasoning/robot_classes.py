r"""Classes of robots: those that obey the same groups in each of some files.

Scope: the names in files and the known robots, grouped; the core selects the groups.

>>> import goodbot
>>> from goodbot.reasoning import robot_classes
>>> before = goodbot.RobotsTxt(b"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /")
>>> after = goodbot.RobotsTxt(b"User-agent: GPTBot\nDisallow: /")
>>> [one.names for one in robot_classes(before, after)]
[('*',), ('GPTBot',), ('CCBot',)]
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from goodbot import bots
from goodbot._core import RobotsTxt, Rules, obeyed_lines
from goodbot.bots import KnownRobot
from goodbot.display import short_repr
from goodbot.errors import WrongTypeError

__all__ = ["EVERYONE_ELSE", "MOST_NAMES", "RobotClass", "robot_classes", "robot_names"]

EVERYONE_ELSE = "*"
"""The name that stands for every robot that no group names."""

MOST_NAMES = 1_000
"""The most names that are classified: each is compared with every group of each file."""

Choice = tuple[object, ...]
"""What a robot obeys in each file: the lines of its groups and fields; `None` if it obeys no group,
not even that for `*`."""


@dataclass(frozen=True, slots=True)
class RobotClass:
    """Robots that obey the same groups in each file."""

    names: tuple[str, ...]
    """The names as the files write them; `*` stands for every robot that no group names."""
    robots: tuple[str, ...]
    """Known robots that belong here because of their families, or because they ignore `*`."""
    rules: tuple[Rules | None, ...]
    """What they obey in each file; `None` if they obey no group, so that everything is allowed."""

    __repr__ = short_repr

    @property
    def members(self) -> tuple[str, ...]:
        """All names of the class."""
        return self.names + self.robots


def robot_names(*files: RobotsTxt) -> tuple[str, ...]:
    r"""Return the names in the User-agent lines of files, `*` first, then in their order.

    Args:
        files: The files. Names that differ only in the case of letters are returned once.

    >>> import goodbot
    >>> robot_names(goodbot.RobotsTxt(b"User-agent: B\nUser-agent: a\nDisallow: /\nUser-agent: b"))
    ('*', 'B', 'a')

    """
    names = {EVERYONE_ELSE: EVERYONE_ELSE}
    for file in files:
        for group in checked(file).groups:
            for agent in group.agents:
                names.setdefault(agent.casefold(), agent)
    return tuple(names.values())


def robot_classes(
    *files: RobotsTxt,
    families: bool = True,
    most_names: int = MOST_NAMES,
) -> tuple[RobotClass, ...]:
    r"""Return the classes of robots that obey the same groups in each of some files.

    A name is matched as the dialect of each file matches it: by its leading token, by a part of it,
    or as a whole. A known robot whose operator says that it tries several names, or that it ignores
    the group for `*`, is in the class into which it thus falls, in the dialect of the file.

    Args:
        files: The files, such as an old one and a new one.
        families: Whether to consider what `goodbot.bots` knows of robots. If not, only the names in
            the files count.
        most_names: The most names to classify. `robot_names` tells you if there are more.

    Returns:
        The classes; that of `*` is the first, the others follow in the order of their names in the
        files. Names that no robot can have, such as URLs, are in no class.

    >>> import goodbot
    >>> text = b"User-agent: Googlebot\nDisallow: /a\nUser-agent: *\nDisallow: /"
    >>> found = robot_classes(goodbot.RobotsTxt(text))
    >>> [one.names for one in found], "Googlebot-News" in found[1].robots
    ([('*',), ('Googlebot',), ()], True)
    >>> found[2].rules, found[2].robots[0]
    ((None,), 'AdsBot-Google')

    Source: RFC 9309 section 2.2.1, or the documents of the dialect; for known robots, the pages of
    their operators (`goodbot.bots`).

    """
    asked = list(robot_names(*files)[:most_names])
    named = dict(zip(asked, choices(files, asked), strict=True))
    found: dict[Choice, tuple[list[str], list[KnownRobot]]] = {}
    moved = list(elsewhere(files, named)) if families else []
    known = {robot.name.casefold() for robot, _ in moved}
    for name, choice in named.items():
        if choice is not None and name.casefold() not in known:
            found.setdefault(choice, ([], []))[0].append(name)
    for robot, choice in moved:
        found.setdefault(choice, ([], []))[1].append(robot)
    return tuple(class_of(files, *members) for members in found.values())


def choices(files: Sequence[RobotsTxt], names: list[str]) -> Iterator[Choice | None]:
    """Yield what each robot obeys in each file; `None` for what cannot be the name of a robot."""
    for lines in zip(*(obeyed_lines(file, names) for file in files), strict=True):
        whole = tuple(as_key(one) for one in lines if one is not None)
        yield whole if len(whole) == len(files) else None


def as_key(lines: list[list[int]]) -> tuple[tuple[int, ...], ...]:
    """Return the lines that a robot obeys as a value that can be a key."""
    return tuple(map(tuple, lines))


def elsewhere(
    files: Sequence[RobotsTxt], named: dict[str, Choice | None]
) -> Iterator[tuple[KnownRobot, Choice]]:
    """Yield the known robots that obey something else than their names would, with what it is."""
    for robot in (one for one in bots.every() if one.ignores_star or len(one.tokens) > 1):
        first = (robot.tokens or (robot.name,))[0]
        plain = named[first] if first in named else next(choices(files, [first]))
        if plain is not None:
            pairs = zip(files, plain, strict=True)
            choice = tuple(family_choice(file, robot, default) for file, default in pairs)
            if choice != plain:
                yield robot, choice


def family_choice(file: RobotsTxt, robot: KnownRobot, plain: object) -> object:
    """Return what a known robot obeys in a file; `None` if it ignores the group that it has.

    Args:
        file: The file.
        robot: The robot.
        plain: What a robot of its name obeys.

    """
    family = bots.rules_for(file, robot, dialect=file.dialect)
    if family.rules is None:
        return None if file.rules_for(EVERYONE_ELSE).selection.groups else plain
    (lines,) = obeyed_lines(file, [family.rules.robot])
    return plain if lines is None else as_key(lines)


def class_of(files: Sequence[RobotsTxt], names: list[str], robots: list[KnownRobot]) -> RobotClass:
    """Return the class of robots that have made the same choice."""
    if names:
        rules: list[Rules | None] = [file.rules_for(names[0]) for file in files]
    else:
        of_family = [bots.rules_for(file, robots[0], dialect=file.dialect) for file in files]
        rules = [one.rules for one in of_family]
    return RobotClass(tuple(names), tuple(one.name for one in robots), tuple(rules))


def checked(file: object) -> RobotsTxt:
    """Return an argument that must be a robots.txt."""
    if not isinstance(file, RobotsTxt):
        message = f"files must be RobotsTxt, not {type(file).__name__}"
        raise WrongTypeError(message)
    return file
