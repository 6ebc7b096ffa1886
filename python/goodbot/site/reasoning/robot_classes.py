r"""Classes of robots: those that obey the same groups in each of some files.

Scope: the names in files and the known robots, grouped; the core selects the groups.

>>> import goodbot
>>> from goodbot.site.reasoning import robot_classes
>>> before = goodbot.RobotsTxt(b"User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /")
>>> after = goodbot.RobotsTxt(b"User-agent: GPTBot\nDisallow: /")
>>> [one.names for one in robot_classes(before, after)]
[('*',), ('GPTBot',), ('CCBot',)]
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from goodbot import bots
from goodbot._core import (
    RobotsTxt,
    Rules,
    agent_names,
    group_sizes,
    obeyed_lines,
    rules_memory,
    selected_how,
)
from goodbot.bots import KnownRobot
from goodbot.bots.family import obeyed_name
from goodbot.display import short_repr
from goodbot.errors import WrongTypeError
from goodbot.lazy_dataclass import dataclass

__all__ = [
    "EVERYONE_ELSE",
    "MOST_MEMORY",
    "MOST_NAMES",
    "RobotClass",
    "RulesBudget",
    "robot_classes",
    "robot_names",
]

EVERYONE_ELSE = "*"
"""The name that stands for every robot that no group names."""

MOST_NAMES = 1_000
"""The most names that are classified."""

MOST_MATCHES = 5_000_000
"""How often a name is compared with a group, beyond which fewer names are classified."""

MOST_READ = 16 * 1024 * 1024
"""The most bytes of groups that are read for the names of files, on average, beyond which fewer
names are classified."""

MOST_MEMORY = 32 << 20
"""The most bytes that the rules of all classes take: each may have thousands of lines, and lists of
thousands of names. Classes beyond it have no rules and are omitted."""

FEWEST_NAMES = 10
"""How many names are classified in any case."""

NAMES_AT_ONCE = 4
"""For how many names the core lists the lines that they obey at once."""

OTHER_WORDS = (" x", "0x")
"""What may follow the leading token of a robot's name: a word of its own, or the rest of a word."""

Choice = tuple[object, ...]
"""What a robot obeys in each file: the lines of its groups and fields; `None` if it obeys no group,
not even that for `*`."""


@dataclass(frozen=True, slots=True, repr=False)
class RobotClass:
    """Robots that obey the same groups in each file."""

    names: tuple[str, ...]
    """The names as the files write them; `*` stands for every robot that no group names."""
    robots: tuple[str, ...]
    """Known robots that belong here because of their families, or because they ignore `*`."""
    rules: tuple[Rules | None, ...]
    """What they obey in each file; `None` if they obey no group, so that everything is allowed. The
    robot that the rules name is one of those that obey them, but it may be of another class."""

    __repr__ = short_repr

    @property
    def members(self) -> tuple[str, ...]:
        """All names of the class."""
        return self.names + self.robots


class RulesBudget:
    """How many bytes the rules of classes may take together.

    Args:
        most: How many.

    """

    def __init__(self, most: int = MOST_MEMORY) -> None:
        """Begin with all of them."""
        self.left = most
        self.omitted: list[str] = []
        """The members of the classes that are omitted."""

    def take(self, rules: Rules | None) -> None:
        """Subtract what some rules take."""
        self.left -= 0 if rules is None else rules_memory(rules)


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
        for agent in agent_names(checked(file)):
            names.setdefault(agent.casefold(), agent)
    return tuple(names.values())


def names_bound(*files: RobotsTxt) -> int:
    """Return how many names are classified: each is compared with all groups, its own is read."""
    sizes = [group_sizes(checked(file)) for file in files]
    groups, bytes_read = (sum(one[place] for one in sizes) for place in (0, 1))
    most = min(MOST_NAMES, MOST_MATCHES // max(groups, 1), MOST_READ // max(bytes_read, 1))
    return max(FEWEST_NAMES, most)


def robot_classes(
    *files: RobotsTxt,
    families: bool = True,
    most_names: int | None = None,
    budget: RulesBudget | None = None,
) -> tuple[RobotClass, ...]:
    r"""Return the classes of robots that obey the same groups in each of some files.

    A name is matched as the dialect of each file matches it: by its leading token, by a part of it,
    or as a whole. A known robot whose operator says that it tries several names, or that it ignores
    the group for `*`, is in the class into which it thus falls, in the dialect of the file.

    Args:
        files: The files, such as an old one and a new one.
        families: Whether to consider what `goodbot.bots` knows of robots. If not, only the names in
            the files count.
        most_names: The most names to classify; by default 1,000, and fewer in files of thousands of
            groups, or whose groups of many names are large. `robot_names` returns all names.
        budget: How many bytes the rules may take together; by default 32 MiB. It lists the members
            of the classes that are omitted.

    Returns:
        The classes; that of `*` is the first, the others follow in the order of their names in the
        files. Names that no robot can have, such as URLs, are in no class. A robot that no file
        names is in that of `*`, unless its dialect finds a part of its name in a file.

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
    most = names_bound(*files) if most_names is None else most_names
    asked = list(robot_names(*files)[:most])
    named = dict(zip(asked, choices(files, asked), strict=True))
    named |= by_token(files, named)
    moved = list(elsewhere(files, named)) if families else []
    known = {robot.name.casefold() for robot, _ in moved}
    members = [
        (name, choice)
        for name, choice in named.items()
        if choice is not None and name.casefold() not in known
    ]
    return grouped(files, members, moved, RulesBudget() if budget is None else budget)


def by_token(
    files: Sequence[RobotsTxt], named: Mapping[str, Choice | None]
) -> dict[str, Choice | None]:
    """Return what robots obey whose names only begin as written ones that nobody has.

    Where the leading token is compared (`google`), `Foo Bar` and `Foo*` name the robot Foo, and a
    robot `Foo Bar` would obey the group for `*`.
    """
    default = named.get(EVERYONE_ELSE)
    unused = [name for name, choice in named.items() if choice == default]
    tokens = dict.fromkeys(leading_token(name) for name in unused if leading_token(name) != name)
    written = {name.casefold() for name in named}
    asked = [
        variant
        for token in tokens
        if token
        for variant in (token, *(token + rest for rest in OTHER_WORDS))
        if variant.casefold() not in written
    ]
    known = set(named.values())
    found = zip(asked, choices(files, asked), strict=True)
    return {name: choice for name, choice in found if choice not in known}


def leading_token(name: str) -> str:
    """Return the product token at the beginning of a name.

    >>> leading_token("Foo-Bot/1.0"), leading_token("360Spider")
    ('Foo-Bot', '')
    """
    for place, letter in enumerate(name):
        if not (letter in "-_" or (letter.isascii() and letter.isalpha())):
            return name[:place]
    return name


def classes_of_known(
    files: Sequence[RobotsTxt], robots: Sequence[KnownRobot], budget: RulesBudget
) -> tuple[RobotClass, ...]:
    """Return the classes of known robots, by their families and exceptions.

    Args:
        files: The files, in the dialect in which the robots read them.
        robots: The robots.
        budget: How many bytes the rules may take.

    """
    plain = choices(files, [first_token(robot) for robot in robots])
    found = [
        (robot, known_choice(files, robot, choice))
        for robot, choice in zip(robots, plain, strict=True)
        if choice is not None
    ]
    return grouped(files, [], found, budget)


def grouped(
    files: Sequence[RobotsTxt],
    names: Iterable[tuple[str, Choice]],
    robots: Iterable[tuple[KnownRobot, Choice]],
    budget: RulesBudget,
) -> tuple[RobotClass, ...]:
    """Return names and known robots by what they have chosen.

    Classes with the same choice in one file share its rules: a file may have many robots, and many
    rules for all of them. The first class is always there.
    """
    found: dict[Choice, tuple[list[str], list[KnownRobot]]] = {}
    for name, choice in names:
        found.setdefault(choice, ([], []))[0].append(name)
    for robot, choice in robots:
        found.setdefault(choice, ([], []))[1].append(robot)
    shared: dict[tuple[int, object], Rules | None] = {}
    classes: list[RobotClass] = []
    for choice, (own, known) in found.items():
        names_known = tuple(one.name for one in known)
        if budget.left <= 0 and classes:
            budget.omitted += (*own, *names_known)
            continue
        for place, (file, part) in enumerate(zip(files, choice, strict=True)):
            if (place, part) not in shared:
                shared[place, part] = rules_of(file, own, known)
                budget.take(shared[place, part])
        rules = tuple(shared[place, part] for place, part in enumerate(choice))
        classes.append(RobotClass(tuple(own), names_known, rules))
    return tuple(classes)


def rules_of(file: RobotsTxt, names: list[str], robots: list[KnownRobot]) -> Rules | None:
    """Return what the members of a class obey in a file."""
    if names:
        return file.rules_for(names[0])
    name, _ = obeyed_name(file, robots[0])
    return None if name is None else file.rules_for(name)


def choices(files: Sequence[RobotsTxt], names: Sequence[str]) -> Iterator[Choice | None]:
    """Yield what each robot obeys in each file; `None` for what cannot be the name of a robot.

    Robots may all obey the same thousands of lines, so few are asked about at once, and equal
    answers are one object.
    """
    known: dict[Choice, Choice] = {}
    for start in range(0, len(names), NAMES_AT_ONCE):
        some = list(names[start : start + NAMES_AT_ONCE])
        for lines in zip(*(obeyed_lines(file, some) for file in files), strict=True):
            whole = tuple(as_key(one) for one in lines if one is not None)
            yield known.setdefault(whole, whole) if len(whole) == len(files) else None


def as_key(lines: list[list[int]]) -> tuple[tuple[int, ...], ...]:
    """Return the lines that a robot obeys as a value that can be a key."""
    return tuple(map(tuple, lines))


def elsewhere(
    files: Sequence[RobotsTxt], named: dict[str, Choice | None]
) -> Iterator[tuple[KnownRobot, Choice]]:
    """Yield the known robots that obey something else than their names would, with what it is."""
    for robot in (one for one in bots.every() if one.ignores_star or len(one.tokens) > 1):
        first = first_token(robot)
        plain = named[first] if first in named else next(choices(files, [first]))
        if plain is not None:
            choice = known_choice(files, robot, plain)
            if choice != plain:
                yield robot, choice


def first_token(robot: KnownRobot) -> str:
    """Return the name that a known robot looks for first."""
    return (robot.tokens or (robot.name,))[0]


def known_choice(files: Sequence[RobotsTxt], robot: KnownRobot, plain: Choice) -> Choice:
    """Return what a known robot obeys in each file.

    Args:
        files: The files.
        robot: The robot.
        plain: What a robot of the name that it looks for first obeys.

    """
    if not robot.ignores_star and len(robot.tokens) < 2:  # noqa: PLR2004  it looks for one name
        return plain
    return tuple(family_choice(file, robot, one) for file, one in zip(files, plain, strict=True))


def family_choice(file: RobotsTxt, robot: KnownRobot, plain: object) -> object:
    """Return what a known robot obeys in a file; `None` if it ignores the group that it has.

    Args:
        file: The file.
        robot: The robot.
        plain: What a robot of its name obeys.

    """
    name, _ = obeyed_name(file, robot)
    if name is None:
        (how,) = selected_how(file, [EVERYONE_ELSE])
        return plain if how == "none" else None
    (lines,) = obeyed_lines(file, [name])
    key = None if lines is None else as_key(lines)
    # Equal answers are one object: they may be lists of thousands of lines.
    return plain if key is None or key == plain else key


def checked(file: object) -> RobotsTxt:
    """Return an argument that must be a robots.txt."""
    if not isinstance(file, RobotsTxt):
        message = f"files must be RobotsTxt, not {type(file).__name__}"
        raise WrongTypeError(message)
    return file
