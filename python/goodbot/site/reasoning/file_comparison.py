r"""What a change of robots.txt changes, and for which robots.

Scope: two files compared for every class of robots, within bounds that do not depend on a clock.

>>> import goodbot
>>> from goodbot.site.reasoning import compare_files
>>> before = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /private")
>>> after = goodbot.RobotsTxt(b"User-agent: *\nDisallow: /private\nUser-agent: GPTBot\nAllow: /a")
>>> found = compare_files(before, after)
>>> [(one.names, one.effect) for one in found.robots if one.effect != "same"]
[(('GPTBot',), 'laxer')]
"""

from collections.abc import Iterable, Iterator, Sequence

from goodbot import bots
from goodbot._core import Dialect, RobotsTxt, Rules, group_sizes
from goodbot._core import dialects as every_dialect
from goodbot.bots import KnownRobot
from goodbot.display import short_repr
from goodbot.garbage import no_collections
from goodbot.lazy_dataclass import dataclass
from goodbot.site.reasoning.case_comparisons import STATES_OF_FILES, CaseComparisons
from goodbot.site.reasoning.dialect_proof import DialectAnswer, FilesProof, TooMuch
from goodbot.site.reasoning.difference import Difference, Effect, RulesComparison, effect_of
from goodbot.site.reasoning.other_changes import FieldChange, changed_file
from goodbot.site.reasoning.robot_cases import CasesOfFiles, Files, Numbers, RobotCase
from goodbot.site.reasoning.robot_classes import (
    EVERYONE_ELSE,
    RobotClass,
    RulesBudget,
    classes_of_known,
    names_bound,
    robot_classes,
    robot_names,
)

__all__ = ["STATES_OF_FILES", "FileComparison", "RobotComparison", "compare_files"]

MOST_GROUPS_IN_DIALECTS = 2_000
"""The most groups of two files in which known robots are compared in their own dialects: each of
those reads both files, and each robot may obey all groups."""


STATES_OF_DIALECTS = 20_000
"""The most states of the comparisons in all dialects together."""


@dataclass(frozen=True, slots=True, repr=False)
class RobotComparison:
    """What a change means for robots that read the same rules in both files."""

    names: tuple[str, ...]
    """The names as the files write them; `*` stands for every robot that no group names."""
    known: tuple[str, ...]
    """Known robots that belong here because of their families, exceptions or dialects."""
    dialect: str
    """The name of the dialect in which they read the new file."""
    rules: tuple[Rules, Rules]
    """What the first of them obeys in each file; its lines are those of the differences. In files
    with thousands of differences, it may be equal rules of other robots."""
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


@dataclass(frozen=True, slots=True, repr=False)
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
    dialects: tuple[DialectAnswer, ...] = ()
    """Whether robots of any name that read a dialect may fetch the same, for each dialect. Empty
    if that was not asked, because `robots` are stricter and laxer already."""

    __repr__ = short_repr

    def __bool__(self) -> bool:
        """Return whether there are differences. Findings alone are none."""
        asked = any(one.changes or one.differences for one in self.robots)
        in_dialects = any(one.is_same is False for one in self.dialects)
        return asked or in_dialects or any(one.field != "findings" for one in self.changes)

    @property
    def is_complete(self) -> bool:
        """Whether every path was considered for every robot.

        Where `robots` may fetch the same, in every dialect.
        """
        if self.unexamined or not all(one.access.is_complete for one in self.robots):
            return False
        is_decided = any(one.differences for one in self.robots)
        return is_decided or all(one.is_complete for one in self.dialects)

    @property
    def effect(self) -> Effect:
        """What the change does to what robots may fetch, for all of them together.

        Where nothing changes for `robots`, it is what changes in the dialects.
        """
        own = [one for each in self.robots for one in each.differences]
        return effect_of(own or self.in_dialects, is_complete=self.is_complete)

    @property
    def in_dialects(self) -> list[Difference]:
        """The examples of all dialects."""
        return [one for each in self.dialects for one in each.differences]

    def may_be(self, effect: Effect) -> bool | None:
        """Return whether the change is stricter, or laxer, for some robot in some dialect.

        Args:
            effect: `stricter` or `laxer`.

        Returns:
            Whether it is; `None` if no such path was found, but not all were considered.

        """
        own = [one for each in self.robots for one in each.differences]
        if any(one.is_stricter == (effect == "stricter") for one in (*own, *self.in_dialects)):
            return True
        return False if self.is_complete else None


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
    concerns may fetch everything. Then the files are compared in every dialect, for a robot of any
    name, so that `same` is true in all of them.

    Args:
        before: The first file.
        after: The second file. The two may have different dialects.
        own_dialects: Whether to compare known robots in their own dialects, too, and all robots in
            every dialect; if not, in that of the files alone.
        most_names: The most names in the files to compare; the others are `unexamined`. By default
            1,000, and fewer in files of thousands of groups, or whose groups of many names are
            large. If there are more than 2,000 groups, known robots with dialects of their own are
            `unexamined`, too.
        most_states: The most states to consider for all comparisons together; further ones, no more
            and at most 20,000, are considered in the dialects.

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
    with no_collections():
        robots, unexamined = compare_robots(
            files, most_names, most_states, own_dialects=own_dialects
        )
        sides = {one.is_stricter for each in robots for one in each.differences}
        answers = in_dialects(files, most_states, own_dialects=own_dialects)
        dialects = () if len(sides) > 1 else tuple(answers)
        return FileComparison(robots, changed_file(before, after), unexamined, dialects)


def compare_robots(
    files: Files, most_names: int | None, most_states: int, *, own_dialects: bool
) -> tuple[tuple[RobotComparison, ...], tuple[str, ...]]:
    """Return the comparison for each group of robots, and which were not compared."""
    names = robot_names(*files)
    most = names_bound(*files) if most_names is None else most_names
    numbers, budget = Numbers(), RulesBudget()
    classes = robot_classes(*files, most_names=most, budget=budget)
    own = CasesOfFiles(files, numbers).of(classes)
    others, omitted = in_own_dialects(files, own, numbers, budget) if own_dialects else ([], ())
    compared = CaseComparisons([*own, *others], most_states)
    robots = (*(result_of(case, compared) for case in own), *apart(others, own, compared))
    return robots, tuple(dict.fromkeys((*names[most:], *omitted, *budget.omitted)))


def in_dialects(files: Files, most_states: int, *, own_dialects: bool) -> Iterator[DialectAnswer]:
    """Yield the comparison in every dialect, or in that of the files alone.

    Files that are read in two dialects are compared as they were read only.
    """
    before, after = files
    if before.dialect != after.dialect:
        return
    usual = before.dialect
    others = [one for one in every_dialect() if one.name != usual.name] if own_dialects else []
    every = [usual, *others]
    if before.content == after.content:
        yield from (DialectAnswer(one.name, "", (), "", is_complete=True) for one in every)
        return
    proof = files_proof(files, every)
    if proof is None:
        yield from (DialectAnswer(one.name, "", (), "", is_complete=False) for one in every)
        return
    proof.limit_states(min(STATES_OF_DIALECTS, most_states))
    yield from proof.answers(after.content)


def files_proof(files: Files, dialects: Sequence[Dialect]) -> FilesProof | None:
    """Return the proof for files in dialects; `None` if they have more groups than the bound."""
    if sum(group_sizes(file)[0] for file in files) > MOST_GROUPS_IN_DIALECTS:
        return None
    before, after = files
    try:
        return FilesProof(before.content, dialects, after.content)
    except TooMuch:
        return None


def in_own_dialects(
    files: Files, own: Sequence[RobotCase], numbers: Numbers, budget: RulesBudget
) -> tuple[list[RobotCase], tuple[str, ...]]:
    """Return the cases of known robots in their own dialects, and the robots that have none.

    Robots whose own dialects can make no difference are in no case.
    """
    before, after = files
    # Equal files say the same in every dialect.
    if (before.content, before.dialect) == (after.content, after.dialect):
        return [], ()
    if sum(group_sizes(file)[0] for file in files) <= MOST_GROUPS_IN_DIALECTS:
        return list(cases_of_dialects(files, own, numbers, budget)), ()
    return [], tuple(robot.name for each in dialects_apart(files).values() for robot in each)


def dialects_apart(files: Files) -> dict[str, list[KnownRobot]]:
    """Return the known robots that read files in another dialect than they were read in."""
    usual = {file.dialect.name for file in files}
    dialects: dict[str, list[KnownRobot]] = {}
    for robot in bots.every():
        if robot.dialect is not None and usual != {robot.dialect}:
            dialects.setdefault(robot.dialect, []).append(robot)
    return dialects


def cases_of_dialects(
    files: Files, own: Sequence[RobotCase], numbers: Numbers, budget: RulesBudget
) -> Iterator[RobotCase]:
    """Yield the cases of known robots that read a file in another dialect than it was read in."""
    usual = UsualCases(own)
    for dialect, robots in dialects_apart(files).items():
        before, after = (RobotsTxt(file.content, dialect=dialect) for file in files)
        read = before, after
        cases = CasesOfFiles(read, numbers)
        yield from cases.of(
            RobotClass((), known, one.rules)
            for one in classes_of_known(read, robots, budget)
            if (known := usual.others(one.robots, cases.decided_by(one.rules)))
        )


class UsualCases:
    """What known robots would read if they had no dialects of their own.

    Args:
        own: The cases of the files in the dialects in which they were read.

    """

    def __init__(self, own: Iterable[RobotCase]) -> None:
        """Find the case of each name."""
        self.cases = {name.casefold(): case for case in own for name in (*case.names, *case.known)}

    def of(self, name: str) -> RobotCase | None:
        """Return the case of a known robot: of its own name, or of the first that it looks for."""
        robot = bots.get(name)
        own = name.casefold()
        if own not in self.cases and robot.tokens:
            own = robot.tokens[0].casefold()
        return self.cases.get(own, self.cases.get(EVERYONE_ELSE))

    def others(self, names: Iterable[str], decided_by: tuple[int, int]) -> tuple[str, ...]:
        """Return the robots whose rules in their dialect are not those of their usual case."""
        cases = ((name, self.of(name)) for name in names)
        return tuple(name for name, case in cases if case is None or case.decided_by != decided_by)


def result_of(case: RobotCase, compared: CaseComparisons) -> RobotComparison:
    """Return the result of a case."""
    rules, access = compared.of(case)
    return RobotComparison(
        tuple(case.names), tuple(case.known), case.dialect, rules, access, case.changes
    )


def apart(
    others: Sequence[RobotCase], own: Sequence[RobotCase], compared: CaseComparisons
) -> Iterator[RobotComparison]:
    """Yield the results of known robots for which their own dialects make a difference."""
    usual = UsualCases(own)
    for case in others:
        outcome = compared.outcome_of(case)
        cases = ((name, usual.of(name)) for name in case.known)
        case.known = [
            name for name, one in cases if one is None or compared.outcome_of(one) != outcome
        ]
        if case.known:
            yield result_of(case, compared)
