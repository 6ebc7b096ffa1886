"""The comparisons of the rules of all cases, within bounds that they share.

Scope: each pair of what rules say is compared once, however many robots and dialects read it.
"""

from collections.abc import Sequence

from goodbot._core import Rule, Rules
from goodbot.site.reasoning.difference import (
    MOST_STATES,
    RulesComparison,
    counted_comparison,
    on_path,
)
from goodbot.site.reasoning.robot_cases import DecidedBy, RobotCase

__all__ = ["STATES_OF_FILES", "CaseComparisons"]

STATES_OF_FILES = 28_000
"""The most states that all comparisons of two files consider together. Hostile files then end
within a fifth of a second, and all but few real ones are decided. Where robots may fetch the same,
both files are then read in every dialect, which takes up to twice as long again."""

TURNS = ((400, 4), (5_000, 8), (MOST_STATES, None))
"""The most states of a comparison in each turn, and which part of all states is kept for the turns
after it. Nearly all comparisons need fewer than 400."""

FEWEST_STATES = 50
"""The fewest states of a comparison: with fewer, hardly any is decided."""

STATES_OF_A_START = 15
"""As how many states each comparison counts in any case."""

STATES_OF_VERDICTS = 5_000
"""The most states of the verdicts on paths that robots share with others."""

RULES_OF_A_STATE = 50
"""With how many rules a path is compared in the time that a state takes."""


class CaseComparisons:
    """What each case may fetch in both files.

    Args:
        cases: The cases; those of equal rules are compared once.
        most_states: The most states for all of them together.

    """

    def __init__(self, cases: Sequence[RobotCase], most_states: int) -> None:
        """Compare them."""
        self.first: dict[DecidedBy, RobotCase] = {}
        for case in cases:
            self.first.setdefault(case.decided_by, case)
        self.verdicts_left = STATES_OF_VERDICTS
        different = [key for key in self.first if key[0] != key[1]]
        self.found = {key: RulesComparison((), is_complete=key[0] == key[1]) for key in self.first}
        self.compare(different, most_states)

    def compare(self, keys: Sequence[DecidedBy], most_states: int) -> None:
        """Compare pairs of rules, those that need few states before those that need many."""
        spent: dict[DecidedBy, int] = {}
        left = most_states
        for most, part in TURNS:
            reserved = most_states // part if part else 0
            undecided = [key for key in keys if not self.found[key].is_complete]
            for turn, key in enumerate(undecided):
                # What one of them leaves is for those after it.
                fair = max(FEWEST_STATES, (left - reserved) // (len(undecided) - turn))
                share = most if most == TURNS[0][0] else min(most, fair)
                if spent.get(key, 0) < share <= left - reserved:
                    self.found[key], states = counted_comparison(*self.first[key].rules, share)
                    spent[key] = share
                    left -= states + STATES_OF_A_START

    def of(self, case: RobotCase) -> tuple[tuple[Rules, Rules], RulesComparison]:
        """Return what the robots of a case obey, and the differences with those lines."""
        first, found = self.first[case.decided_by], self.found[case.decided_by]
        if first is case:
            return case.rules, found
        rules = sum(map(len, case.rules))
        states = len(found.differences) * (1 + rules // RULES_OF_A_STATE)
        if states > self.verdicts_left:
            return first.rules, found
        self.verdicts_left -= states
        differences = (on_path(one.path, *case.rules) for one in found.differences)
        return case.rules, RulesComparison(tuple(differences), found.is_complete)

    def outcome_of(self, case: RobotCase) -> tuple[object, ...]:
        """Return what was found, as rules: two dialects differ if this does.

        Rules are compared by their text: robots of equal groups read it on other lines.
        """
        found = self.found[case.decided_by]
        rules = frozenset(
            (text_of(one.before.rule), text_of(one.after.rule), one.is_stricter)
            for one in found.differences
        )
        return found.effect, rules


def text_of(rule: Rule | None) -> str | None:
    """Return a rule as it is written; `None` if there is none."""
    return None if rule is None else rule.text
