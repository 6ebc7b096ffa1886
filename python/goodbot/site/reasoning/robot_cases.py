"""Robots that read the same rules in both files of a comparison.

Scope: classes of robots, grouped by what their rules say and by what else changes for them.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from goodbot._core import RobotsTxt, Rules, rules_content
from goodbot.site.reasoning.other_changes import FieldChange, FieldValues
from goodbot.site.reasoning.path_reader import path_reader
from goodbot.site.reasoning.robot_classes import EVERYONE_ELSE, RobotClass

__all__ = ["CasesOfFiles", "Files", "Numbers", "RobotCase"]

Files = tuple[RobotsTxt, RobotsTxt]
DecidedBy = tuple[int, int]


@dataclass(slots=True)
class RobotCase:
    """Robots that read the same rules in both files."""

    names: list[str]
    """The names as the files write them."""
    known: list[str]
    """Known robots among them."""
    dialect: str
    """The name of the dialect in which they read the new file."""
    rules: tuple[Rules, Rules]
    """What the first of them obeys in each file."""
    decided_by: DecidedBy
    """The numbers of their rules: cases with equal numbers differ on the same paths."""
    changes: tuple[FieldChange, ...]
    """What changes for them beside what they may fetch."""


class Numbers:
    """Numbers for what rules say, and one copy of equal changes.

    Rules of one number decide alike on every path, also in two dialects.
    """

    def __init__(self) -> None:
        """Begin with no numbers."""
        self.contents: dict[object, int] = {}
        self.changes: dict[tuple[FieldChange, ...], tuple[FieldChange, ...]] = {}

    def number(self, file: RobotsTxt, rules: Rules) -> int:
        """Return the number of the rules of a file."""
        content = path_reader(file.dialect), rules_content(rules)
        return self.contents.setdefault(content, len(self.contents))

    def shared(self, changes: tuple[FieldChange, ...]) -> tuple[FieldChange, ...]:
        """Return changes that are equal to some: a file may have thousands of lines of them."""
        return self.changes.setdefault(changes, changes)


class CasesOfFiles:
    """Makes the cases of two files.

    Args:
        files: The files, each in a dialect.
        numbers: The numbers of what rules say in all dialects.

    """

    def __init__(self, files: Files, numbers: Numbers) -> None:
        """Begin with what robots obey that no group concerns."""
        self.files = files
        self.numbers = numbers
        before, after = (
            RobotsTxt(b"", dialect=file.dialect).rules_for(EVERYONE_ELSE) for file in files
        )
        self.empty = before, after
        self.known: dict[int, tuple[Rules, int]] = {}
        self.values = FieldValues(files)

    def of(self, classes: Iterable[RobotClass]) -> list[RobotCase]:
        """Return the cases of classes of robots."""
        found: dict[object, RobotCase] = {}
        for one in classes:
            decided_by = self.decided_by(one.rules)
            changes = self.numbers.shared(self.values.changes(one.rules))
            case = RobotCase(
                [], [], self.files[1].dialect.name, self.obeyed(one.rules), decided_by, changes
            )
            case = found.setdefault((decided_by, changes), case)
            case.names += one.names
            case.known += one.robots
        return list(found.values())

    def decided_by(self, rules: tuple[Rules | None, ...]) -> DecidedBy:
        """Return the numbers of what robots obey in both files."""
        before, after = map(self.number, self.files, self.obeyed(rules))
        return before, after

    def obeyed(self, rules: tuple[Rules | None, ...]) -> tuple[Rules, Rules]:
        """Return what robots obey in both files; without a group, rules that allow everything."""
        before, after = (own or none for own, none in zip(rules, self.empty, strict=True))
        return before, after

    def number(self, file: RobotsTxt, rules: Rules) -> int:
        """Return the number of the rules of a file."""
        if id(rules) not in self.known:
            self.known[id(rules)] = rules, self.numbers.number(file, rules)
        return self.known[id(rules)][1]
