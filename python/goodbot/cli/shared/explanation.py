"""`goodbot check --explain`: the file, with the line that decided and those that lost."""

from typing import TYPE_CHECKING, TypeAlias

import goodbot
from goodbot.cli.shared.findings import print_findings
from goodbot.cli.shared.printing import Printer, Styled, cut_line, printable
from goodbot.cli.shared.verdict_output import print_verdict, robot_lines, style_of

if TYPE_CHECKING:
    from goodbot.bots import ObeyedRules

__all__ = ["Explanation"]

WHOLE_FILE = 24
"""A file with at most so many lines is shown whole; of a longer one, the lines for the robot."""

AROUND = 1
"""How many lines of context are shown in a longer file."""

UNKNOWN = ("unknown-field", "unknown-signal", "unknown-usage-label")
"""The codes of findings on words that no document known to goodbot defines: they decide nothing."""
MOST_UNKNOWN = 20
"""The most of these that are printed."""

Fate: TypeAlias = tuple[bool, str]
"""Whether a rule decided, and the reason."""

Fates: TypeAlias = dict[int, list[Fate]]
"""Number of a line -> the fates of its rules that matched."""


class Explanation:
    """Explains the verdicts for one robot."""

    def __init__(self, file: goodbot.RobotsTxt, obeyed: "ObeyedRules", printer: Printer) -> None:
        """Split the file into lines once for all verdicts."""
        self.obeyed_rules = obeyed
        self.rules = obeyed.rules
        self.printer = printer
        self.lines = [cut_line(printable(line.raw.rstrip(b"\r\n"))) for line in file.lines]
        selected = [] if self.rules is None else self.rules.selection.groups
        self.agents = {line for group in selected for line in group.lines}
        self.obeyed = self.agents | self.lines_of_groups(file)
        self.unknown = [one for one in file.findings if one.code in UNKNOWN]
        self.told = 0

    def lines_of_groups(self, file: goodbot.RobotsTxt) -> set[int]:
        """Return the lines of the robot's groups, without fields of other robots."""
        if self.rules is None:
            return set()
        groups = [group for group in file.groups if self.agents.intersection(group.lines)]
        lines = {rule.line for group in groups for rule in group.rules}
        lines |= {line for _name, _value, line in file.fields_for(self.rules.robot)}
        return lines | {rule.line for rule in self.rules}

    def explain(self, verdict: goodbot.Verdict) -> None:
        """Print the verdict, the group that applies, and the lines with each rule's result."""
        if self.told:
            self.printer.line()
        self.told += 1
        print_verdict(verdict, self.printer)
        self.show(verdict.rules)

    def show(self, verdict: goodbot.Verdict | None) -> None:
        """Print the group that applies, and the lines with each rule's result."""
        if self.rules is not None:
            self.printer.prose(str(self.rules.selection))
        for line in robot_lines(self.obeyed_rules):
            self.printer.prose(line)
        self.printer.line()
        fates = {} if verdict is None else fates_of(verdict)
        style = "faint" if verdict is None else style_of(verdict)
        self.print_lines(self.lines_to_show(set(fates)), fates, style)
        if self.unknown and self.told == 1:
            print_findings(self.unknown[:MOST_UNKNOWN], None, self.printer)

    def lines_to_show(self, considered: set[int]) -> list[int]:
        """Choose the lines: the whole file, the robot's groups, or only the rules that matter."""
        if len(self.lines) <= WHOLE_FILE:
            return list(range(1, len(self.lines) + 1))
        wanted = self.obeyed if len(self.obeyed) <= WHOLE_FILE else self.agents | considered
        around = range(-AROUND, AROUND + 1)
        near = {line + step for line in wanted | considered for step in around}
        return sorted(line for line in near if 1 <= line <= len(self.lines))

    def print_lines(self, numbers: list[int], fates: Fates, style: str) -> None:
        """Print these lines with their numbers, and `...` for omitted lines."""
        before = 0
        for number in numbers:
            if number != before + 1:
                self.printer.line(self.margin(""), " ...")
            before = number
            self.print_line(number, fates.get(number, []), style)
        if numbers and before < len(self.lines):
            self.printer.line(self.margin(""), " ...")

    def print_line(self, number: int, fates: list[Fate], style: str) -> None:
        """Print a line, and the result of its rules below it."""
        mark: str | Styled = " "
        if fates:
            mark = Styled(">", style) if decides(fates) else "-"
        text: str | Styled = self.lines[number - 1]
        if number not in self.obeyed and not fates:
            text = Styled(self.lines[number - 1], "faint")
        self.printer.line(mark, self.margin(str(number)), " | ", text)
        for decided, why in fates:
            fate, style_of_fate = ("decides", style) if decided else ("loses", "faint")
            below = Styled(f"  ^ {fate}: {why}", style_of_fate)
            self.printer.line(" ", self.margin(""), " | ", below)

    def margin(self, text: str) -> Styled:
        """Return a line number, or nothing, as wide as the largest number."""
        return Styled(f" {text:>{len(str(len(self.lines)))}}", "faint")


def decides(fates: list[Fate]) -> bool:
    """Return whether one of a line's rules decided."""
    return any(decided for decided, _why in fates)


def fates_of(verdict: goodbot.Verdict) -> Fates:
    """Return the result of each rule that matched, by line."""
    fates: Fates = {}
    for one in verdict.considered:
        fate = (one.decides, one.why)
        if fate not in fates.setdefault(one.rule.line, []):
            fates[one.rule.line].append(fate)
    return fates
