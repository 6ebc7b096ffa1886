"""Robots that stand for all robots: what holds for each of them holds for a robot of any name.

Scope: names, from what the User-agent lines of files say and how a dialect compares them.
"""

from bisect import bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, zip_longest
from string import ascii_lowercase, digits

from goodbot._core import Dialect, RobotsTxt, agent_names, compared_names
from goodbot.site.reasoning.robot_classes import EVERYONE_ELSE, OTHER_WORDS, leading_token

__all__ = ["MOST_PAIRS", "TooManyPairs", "names_compared", "names_of_two", "written_names"]

MOST_PAIRS = 2_000
"""The most robots of two names that are compared in a dialect."""

FIRST_LETTERS = "zqxjkvw" + digits + ascii_lowercase
"""Names of robots that few files name, even in part."""

BETWEEN = "~" + digits + "-_.|!" + ascii_lowercase
"""What may stand between two names, as far as no name has it."""

BY_ONE_NAME = {"token", "google-token", "record-is-prefix"}
"""The ways to compare names of which each robot has at most one that decides: the whole name, its
leading token, or the first of those with which it begins."""

BY_PARTS = "robot-contains-record"
"""The way to compare names in which a robot may have any number of them within its own."""

GroupNames = list[list[str]]
"""The names of each group, as they are compared."""

Contents = Callable[[str], tuple[object, object]]
"""What a robot of one name obeys in both files: equal values are equal rules."""


class TooManyPairs(Exception):  # noqa: N818  it is caught in this room and reported as undecided
    """The robots of a dialect are more than are compared, or cannot be listed."""


def written_names(*files: RobotsTxt) -> list[str]:
    r"""Return the names in the User-agent lines of files, `*` first, each once.

    >>> written_names(RobotsTxt("User-agent: B\nUser-agent: b\nDisallow: /\n"))
    ['*', 'B']
    """
    names = {EVERYONE_ELSE: EVERYONE_ELSE}
    for file in files:
        for agent in agent_names(file):
            names.setdefault(lowered(agent), agent)
    return list(names.values())


def lowered(name: str) -> str:
    """Return a name in lower case as the core compares names: letters of ASCII alone."""
    return name.encode().lower().decode()


def names_compared(dialect: Dialect, written: Sequence[str], known: Iterable[str]) -> list[str]:
    """Return a name for each way in which one of the written names can match a robot.

    A robot is matched by its whole name or by its leading token (RFC 9309 section 2.2.1), and then
    it matters whether more of the name follows, and whether that is a word of its own. The robots
    for which another one's group stands in are known by name. One robot has a name of which no
    written name is a part. Where a part of a name is enough, `names_of_two` has further robots.

    Args:
        dialect: How names are compared.
        written: The names in the file; `*` is one of them.
        known: The known robots that read this dialect.

    """
    names = dict.fromkeys((*written, *known))
    names[unheard(written)] = None
    of_token = defaultdict(list)
    for name in written:
        of_token[lowered(leading_token(name))].append(name)
    for token, several in of_token.items():
        # A group that alone has this token, and nothing else, is that of all of its robots.
        if token and [lowered(name) for name in several] != [token]:
            names.update(dict.fromkeys((token, *(token + rest for rest in OTHER_WORDS))))
    for pair in dialect.choices["stand_ins"].split():
        names[pair.partition("=")[0]] = None
    return list(names)


def unheard(written: Iterable[str]) -> str:
    """Return the name of a robot that no group names, also not in part.

    >>> unheard(["*", "z", "Quux"])
    'q'
    """
    taken = {lowered(name) for name in written}
    return next((letter for letter in FIRST_LETTERS if letter not in taken), "~")


def names_of_two(before: RobotsTxt, after: RobotsTxt, contents: Contents) -> Iterator[str]:
    """Yield robots with two of the names of files, for which both matter.

    A robot whose name contains several names obeys the first group that has one of them, or all
    that have a longest one. If two files differ for such a robot, and for no robot of one name
    alone, they differ for a robot of two: of the names that decide in the one file and the other.
    So it is enough to try those of which another one comes first, and those of joined groups.

    Args:
        before: The first file.
        after: The second file, in the same dialect.
        contents: What a robot of one name obeys in both files: equal values are equal rules.

    Raises:
        TooManyPairs: There are more than the bound.

    """
    choices = after.dialect.choices
    if choices["agent_match"] in BY_ONE_NAME:
        return
    if choices["agent_match"] != BY_PARTS:
        raise TooManyPairs
    sides = compared_names(before), compared_names(after)
    if choices["agent_choice"] == "first":
        pairs = pairs_in_other_order(*sides, contents)
    else:
        by_length = choices["agent_choice"] == "most-specific"
        pairs = pairs_that_are_joined(*sides, contents, by_length=by_length)
    between = separator(sides)
    seen = set[frozenset[str]]()
    for one, other in pairs:
        pair = frozenset((one, other))
        if pair in seen:
            continue
        if len(seen) >= MOST_PAIRS:
            raise TooManyPairs
        seen.add(pair)
        yield one + between + other


def separator(sides: Iterable[Iterable[GroupNames]]) -> str:
    """Return a letter that none of some names has.

    Raises:
        TooManyPairs: They have all of them.

    """
    taken = {letter for side in sides for name in names_in(side) for letter in name}
    found = next((letter for letter in BETWEEN if letter not in taken), None)
    if found is None:
        raise TooManyPairs
    return found


def pairs_in_other_order(
    before: list[GroupNames], after: list[GroupNames], contents: Contents
) -> Iterator[tuple[str, str]]:
    """Yield names of which one comes first in one file, and the other in the other file."""
    for old, new in readings_of(before, after):
        places = ranks(old), ranks(new)
        for one, other in inversions(*places):
            if contents(one) != contents(other):
                yield one, other
        for side, (here, there) in enumerate((places, places[::-1])):
            names_of = Counter(here.values())
            shared = (name for name, place in here.items() if names_of[place] > 1)
            yield from divided_pairs(here, there, {name: contents(name)[side] for name in shared})


def divided_pairs(
    here: dict[str, int], there: dict[str, int], content: dict[str, object]
) -> Iterator[tuple[str, str]]:
    """Yield names of one group in one file, of which one comes first in the other file.

    It matters where the fields of the group are divided: a robot of both names obeys those of both.

    >>> here, there = {"a": 0, "b": 0, "c": 0}, {"a": 0, "b": 1}
    >>> list(divided_pairs(here, there, {"a": 1, "b": 2, "c": 2}))
    [('a', 'b'), ('a', 'c')]
    """
    last = max(there.values(), default=0) + 1
    groups = defaultdict(list)
    for name in content:
        groups[here[name]].append(name)
    for names in groups.values():
        if len({content[name] for name in names}) > 1:
            names.sort(key=lambda name: there.get(name, last))
            for one, other in combinations(names, 2):
                is_apart = there.get(one, last) != there.get(other, last)
                if is_apart and content[one] != content[other]:
                    yield one, other


def ranks(groups: GroupNames) -> dict[str, int]:
    """Return the place of the first group of each name."""
    found: dict[str, int] = {}
    for place, group in enumerate(groups):
        for name in group:
            found.setdefault(name, place)
    return found


def inversions(old: dict[str, int], new: dict[str, int]) -> Iterator[tuple[str, str]]:
    """Yield names whose order differs; one that is missing comes after all others.

    >>> list(inversions({"a": 0, "b": 1, "c": 2}, {"b": 0, "c": 1}))
    [('a', 'b'), ('a', 'c')]
    """
    last = max((*old.values(), *new.values()), default=0) + 1
    places = [(old.get(name, last), new.get(name, last), name) for name in {**old, **new}]
    places.sort()
    before: list[tuple[int, str]] = []
    waiting: list[tuple[int, str]] = []
    at = -1
    for old_place, new_place, name in places:
        if old_place != at:
            for one in waiting:
                insort(before, one)
            waiting, at = [], old_place
        later = bisect_right(before, (new_place, "\U0010ffff"))
        for _, other in before[later : later + MOST_PAIRS + 1]:
            yield other, name
        waiting.append((new_place, name))


def pairs_that_are_joined(
    before: list[GroupNames], after: list[GroupNames], contents: Contents, *, by_length: bool
) -> Iterator[tuple[str, str]]:
    """Yield names whose groups are obeyed together, or of which one stands in for the other.

    A longer name decides before a shorter one, so that it matters if it is in one file only.
    """
    every = dict.fromkeys(name for side in (before, after) for name in names_in(side))
    changed = {name for name in every if len(set(contents(name))) > 1}
    together = defaultdict(list)
    for name in every:
        together[len(name.encode()) if by_length else 0].append(name)
    for several in together.values():
        for place, one in enumerate(several):
            for other in several[place + 1 :]:
                if one in changed or other in changed:
                    yield one, other
    for old, new in readings_of(before, after):
        for one in dict.fromkeys(names_in([old])).keys() ^ dict.fromkeys(names_in([new])).keys():
            for other in every:
                is_shorter = by_length and len(other.encode()) < len(one.encode())
                is_joined = not by_length or len(other.encode()) == len(one.encode())
                if other != one and (
                    is_joined or (is_shorter and contents(one) != contents(other))
                ):
                    yield one, other


def names_in(readings: Iterable[GroupNames]) -> Iterator[str]:
    """Yield the names of all groups."""
    for reading in readings:
        for group in reading:
            yield from group


def readings_of(
    before: list[GroupNames], after: list[GroupNames]
) -> Iterator[tuple[GroupNames, GroupNames]]:
    """Yield the groups of both files in each of their readings.

    A file without guesses has one reading, which is also that of its lines without them.
    """
    for one, other in zip_longest(before, after):
        yield one or before[0], other or after[0]
