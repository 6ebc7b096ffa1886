r"""What a change of robots.txt changes, and for which robots.

Scope: two files compared for every class of robots, within bounds that do not depend on a clock.

>>> import goodbot
>>> from goodbot.reasoning import compare_files
>>> before = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /private")
>>> after = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /private\nUser-agent: GPTBot\nAllow: /a")
>>> found = compare_files(before, after)
>>> [(one.names, one.effect) for one in found.robots if one.effect != "same"]
[(('GPTBot',), 'laxer')]
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from goodbot import bots
from goodbot._core import RobotsTxt, Rules, rules_content
from goodbot.bots import KnownRobot
from goodbot.display import short_repr
from goodbot.reasoning.difference import (
    MOST_STATES,
    Difference,
    Effect,
    RulesComparison,
    counted_comparison,
)
from goodbot.reasoning.other_changes import FieldChange, changed_fields, changed_file
from goodbot.reasoning.robot_classes import (
    EVERYONE_ELSE,
    RobotClass,
    classes_of_known,
    names_bound,
    robot_classes,
    robot_names,
)

__all__ = ["STATES_OF_FILES", "FileComparison", "RobotComparison", "compare_files"]

STATES_OF_FILES = 3 * MOST_STATES
"""The most states that all comparisons of two files consider together. Nearly all hostile files
then end within a third of a second, and all but few real ones are decided."""

MOST_GROUPS_IN_DIALECTS = 2_000
"""The most groups of two files in which known robots are compared in their own dialects: each of
those reads both files, and each robot may obey all groups."""

FIRST_SHARE = 5_000
"""The most states of a comparison before all have had a turn: nearly all need fewer."""

FEWEST_STATES = 50
"""The fewest states of a comparison: with fewer, hardly any is decided."""

STATES_OF_A_START = 15
"""As how many states each comparison counts in any case."""

Files = tuple[RobotsTxt, RobotsTxt]
Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class RobotComparison:
    """What a change means for robots that read the same rules in both files."""

    names: tuple[str, ...]
    """The names as the files write them; `*` stands for every robot that no group names."""
    known: tuple[str, ...]
    """Known robots that belong here because of their families, exceptions or dialects."""
    dialect: str
    """The name of the dialect in which they read the new file."""
    rules: tuple[Rules, Rules]
    """What the first of them obeys in each file; its lines are those of the differences."""
    access: RulesComparison
    """The differences in what they may fetch."""
    changes: tuple[FieldChange, ...]
    """What has changed for them beside that."""

    __repr__ = short_repr

    @property
    def members(self) -> tuple[str, ...]:
        """All names."""
        return self.names + self.known

    @property
    def effect(self) -> Effect:
        """What the change does to what they may fetch."""
        return self.access.effect

    @property
    def differences(self) -> tuple[Difference, ...]:
        """One difference for each pair of lines that decide differently."""
        return self.access.differences


@dataclass(frozen=True, slots=True)
class FileComparison:
    """What a change of robots.txt changes.

    It is true if there is a difference: in what a robot may fetch, or in what it is asked.
    """

    robots: tuple[RobotComparison, ...]
    """The comparison for each group of robots, also where nothing changes; `*` first."""
    changes: tuple[FieldChange, ...]
    """What has changed for every robot: sitemaps, and what is odd about the file."""
    unexamined: tuple[str, ...]
    """Names that were not compared, because the files have more names or groups than the bounds.
    Known robots among them were not compared in their own dialects."""

    __repr__ = short_repr

    def __bool__(self) -> bool:
        """Return whether there are differences. Findings alone are none."""
        asked = any(one.changes or one.differences for one in self.robots)
        return asked or any(one.field != "findings" for one in self.changes)

    @property
    def is_complete(self) -> bool:
        """Whether every path was considered for every robot."""
        return not self.unexamined and all(one.access.is_complete for one in self.robots)

    @property
    def effect(self) -> Effect:
        """What the change does to what robots may fetch, for all of them together."""
        stricter, laxer = self.may_be("stricter"), self.may_be("laxer")
        if stricter and laxer:
            return "both"
        if not self.is_complete:
            return "unknown"
        if stricter or laxer:
            return "stricter" if stricter else "laxer"
        return "same"

    def may_be(self, effect: Effect) -> bool | None:
        """Return whether the change is stricter, or laxer, for some robot.

        Args:
            effect: `stricter` or `laxer`.

        Returns:
            Whether it is; `None` if no such path was found, but not all were considered.

        """
        found = (one.is_stricter for each in self.robots for one in each.differences)
        if any(one == (effect == "stricter") for one in found):
            return True
        return False if self.is_complete else None


@dataclass(slots=True)
class Case:
    """Robots that read the same rules in both files."""

    names: list[str]
    known: list[str]
    rules: tuple[Rules, Rules]
    changes: tuple[FieldChange, ...]
    key: Key


class Cases:
    """Makes cases, with a number for what rules say: rules of one number decide alike."""

    def __init__(self) -> None:
        """Begin with no numbers."""
        self.contents: dict[Key, int] = {}
        self.numbers: dict[int, tuple[Rules, int]] = {}

    def of(self, files: Files, classes: Iterable[RobotClass]) -> list[Case]:
        """Return the cases of classes of robots in two files."""
        empty = [RobotsTxt(b"", dialect=file.dialect).rules_for(EVERYONE_ELSE) for file in files]
        found: dict[Key, Case] = {}
        for one in classes:
            before, after = (obeyed or none for obeyed, none in zip(one.rules, empty, strict=True))
            changes = changed_fields(*files, one.rules)
            key = self.number(files[0], before), self.number(files[1], after), changes
            case = found.setdefault(key, Case([], [], (before, after), changes, key))
            case.names += one.names
            case.known += one.robots
        return list(found.values())

    def number(self, file: RobotsTxt, rules: Rules) -> int:
        """Return the number of the rules of a file."""
        if id(rules) not in self.numbers:
            content = file.dialect, rules_content(rules)
            number = self.contents.setdefault(content, len(self.contents))
            self.numbers[id(rules)] = rules, number
        return self.numbers[id(rules)][1]


def compare_files(
    before: RobotsTxt,
    after: RobotsTxt,
    *,
    own_dialects: bool = True,
    most_names: int | None = None,
    most_states: int = STATES_OF_FILES,
) -> FileComparison:
    r"""Compare two robots.txt files for every robot, on every path.

    Robots that read the same rules in both files are compared once. A known robot is compared in
    its own dialect; it is reported apart only where that makes a difference. A robot that no group
    concerns may fetch everything.

    Args:
        before: The first file.
        after: The second file. The two may have different dialects.
        own_dialects: Whether to compare known robots in their own dialects, too.
        most_names: The most names in the files to compare; the others are `unexamined`. By default
            1,000, and fewer in files of thousands of groups. If there are more than 2,000 groups,
            known robots with dialects of their own are `unexamined`, too.
        most_states: The most states to consider for all comparisons together.

    Returns:
        The comparisons.

    Raises:
        WrongTypeError: `before` or `after` is not a `RobotsTxt`.

    >>> import goodbot
    >>> text = b"User-agent: *\nDisallow: /a\nCrawl-delay: "
    >>> found = compare_files(goodbot.RobotsTxt(text + b"5"), goodbot.RobotsTxt(text + b"9"))
    >>> found.effect, bool(found), found.robots[0].changes
    ('same', True, (FieldChange(field='Crawl-delay', before=('5',), after=('9',)),))

    Source: RFC 9309 sections 2.2.1 to 2.2.3, or the documents of the dialect; section 2.3.1.3: a
    site without a robots.txt allows everything, as an empty file does.

    """
    files = before, after
    names = robot_names(*files)
    most = names_bound(*files) if most_names is None else most_names
    cases = Cases()
    own = cases.of(files, robot_classes(*files, most_names=most))
    others, omitted = in_own_dialects(cases, files) if own_dialects else ([], ())
    every = [*own, *others]
    compared = dict(zip((case.key for case in every), comparisons(every, most_states), strict=True))
    robots = [*(result_of(case, compared[case.key]) for case in own), *apart(others, own, compared)]
    unexamined = tuple(dict.fromkeys((*names[most:], *omitted)))
    return FileComparison(tuple(robots), changed_file(before, after), unexamined)


def in_own_dialects(cases: Cases, files: Files) -> tuple[list[Case], tuple[str, ...]]:
    """Return the cases of known robots in their own dialects, and the robots that have none."""
    before, after = files
    # Equal files say the same in every dialect.
    if (before.content, before.dialect) == (after.content, after.dialect):
        return [], ()
    if sum(len(file.groups) for file in files) <= MOST_GROUPS_IN_DIALECTS:
        return list(cases_of_dialects(cases, files)), ()
    return [], tuple(robot.name for each in dialects_apart(files).values() for robot in each)


def dialects_apart(files: Files) -> dict[str, list[KnownRobot]]:
    """Return the known robots that read files in another dialect than they were read in."""
    usual = {file.dialect.name for file in files}
    dialects: dict[str, list[KnownRobot]] = {}
    for robot in bots.every():
        if robot.dialect is not None and usual != {robot.dialect}:
            dialects.setdefault(robot.dialect, []).append(robot)
    return dialects


def cases_of_dialects(cases: Cases, files: Files) -> Iterator[Case]:
    """Yield the cases of known robots that read a file in another dialect than it was read in."""
    for dialect, robots in dialects_apart(files).items():
        before, after = (RobotsTxt(file.content, dialect=dialect) for file in files)
        yield from cases.of((before, after), classes_of_known((before, after), robots))


def comparisons(cases: Sequence[Case], most_states: int) -> list[RulesComparison]:
    """Compare the rules of each case, within the bounds.

    Half of the states are for a first turn of all; those that need more share the other half.
    """
    found = [RulesComparison((), is_complete=case.key[0] == case.key[1]) for case in cases]
    spent: dict[int, int] = {}
    left = most_states
    for most, reserved in ((FIRST_SHARE, most_states // 2), (MOST_STATES, 0)):
        undecided = [place for place, one in enumerate(found) if not one.is_complete]
        for turn, place in enumerate(undecided):
            # What one of them leaves is for those after it.
            share = max(FEWEST_STATES, (left - reserved) // (len(undecided) - turn))
            share = min(most, share)
            if spent.get(place, 0) < share <= left - reserved:
                found[place], states = counted_comparison(*cases[place].rules, share)
                spent[place] = share
                left -= states + STATES_OF_A_START
    return found


def result_of(case: Case, access: RulesComparison) -> RobotComparison:
    """Return the result of a case."""
    return RobotComparison(
        tuple(case.names),
        tuple(case.known),
        case.rules[1].dialect,
        case.rules,
        access,
        case.changes,
    )


def apart(
    others: Sequence[Case], own: Sequence[Case], compared: dict[Key, RulesComparison]
) -> Iterator[RobotComparison]:
    """Yield the results of known robots for which their own dialects make a difference."""
    usual = {
        name.casefold(): outcome_of(compared[case.key])
        for case in own
        for name in (*case.names, *case.known)
    }
    for case in others:
        access = compared[case.key]
        outcome = outcome_of(access)
        robots = [bots.get(name) for name in case.known]
        case.known = [
            robot.name
            for robot in robots
            if outcome != usual.get(called(robot, usual), usual.get(EVERYONE_ELSE))
        ]
        if case.known:
            yield result_of(case, access)


def called(robot: KnownRobot, names: Iterable[str]) -> str:
    """Return the name by which a robot is among others: its own, or the first that it looks for."""
    own = robot.name.casefold()
    return own if own in names or not robot.tokens else robot.tokens[0].casefold()


def outcome_of(access: RulesComparison) -> Key:
    """Return what a comparison found, as lines: two dialects differ if this does."""
    lines = frozenset(
        (line_of(one.before.rule), line_of(one.after.rule), one.is_stricter)
        for one in access.differences
    )
    return access.effect, lines


def line_of(rule: object) -> int | None:
    """Return the line of a rule; `None` if there is none."""
    return getattr(rule, "line", None)
