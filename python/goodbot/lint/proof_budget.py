"""The proofs of one file, within one budget.

Scope: how many states are spent. The searches are those of `goodbot.reasoning`.
"""

import re
from collections.abc import Sequence

from goodbot._core import Rules, differing_paths
from goodbot.reasoning import Difference, RuleReach, compare, deciding_rules
from goodbot.reasoning.difference import on_path

__all__ = ["MOST_STATES_A_FILE", "MOST_STATES_A_PROOF", "ProofBudget", "Undecided"]

MOST_STATES_A_FILE = 100_000
"""The most states that all proofs about one file consider."""

MOST_STATES_A_PROOF = 10_000
"""The most states that one proof considers."""

MOST_RULES = 2_000
"""The most rules of a robot about which something is proven."""

WITHIN = re.compile(r"\*(?!\$?$)")
"""A wildcard before the end of a pattern: it makes a search longer than the pattern."""


class Undecided(Exception):  # noqa: N818  it is an answer, and never leaves this room
    """The bounds were reached before the answer was known."""


class ProofBudget:
    """Searches over all paths, until the states of the file are spent.

    The order of the searches is fixed, so the same file has the same findings everywhere.
    """

    def __init__(self, states: int = MOST_STATES_A_FILE) -> None:
        """Begin with so many states."""
        self.left = states

    def difference(self, before: Rules, after: Rules) -> Difference | None:
        """Return a shortest path on which two sets of rules differ; `None` if there is none.

        Raises:
            Undecided: The bounds were reached before that was known.

        """
        most = self.most(before, after)
        paths, is_certain, _ = differing_paths(before, after, 1, most)
        self.spend(most, (before, after), is_complete=is_certain)
        if paths:
            return on_path(paths[0], before, after)
        if not is_certain:
            raise Undecided
        return None

    def differences(self, before: Rules, after: Rules) -> tuple[Difference, ...]:
        """Return a path for each pair of lines that decide differently.

        Raises:
            Undecided: The bounds were reached, and no difference was found.

        """
        most = self.most(before, after)
        found = compare(before, after, most_states=most)
        self.spend(most, (before, after), is_complete=found.is_complete)
        if not found.is_complete and not found.differences:
            raise Undecided
        return found.differences

    def is_same(self, before: Rules, after: Rules) -> bool:
        """Return whether two sets of rules decide alike on every path.

        Raises:
            Undecided: The bounds were reached before that was known.

        """
        return self.difference(before, after) is None

    def reach(self, rules: Rules) -> tuple[RuleReach, ...]:
        """Return which rules decide some path; `decides` is `None` where that is unknown.

        Raises:
            Undecided: There are no states left.

        """
        most = self.most(rules)
        found = deciding_rules(rules, most_states=most)
        is_complete = all(one.decides is not None for one in found)
        self.spend(most, (rules,), is_complete=is_complete)
        return found

    def most(self, *sides: Rules) -> int:
        """Return how many states the next search may consider."""
        if self.left <= 0 or any(len(rules) > MOST_RULES for rules in sides):
            raise Undecided
        return min(self.left, MOST_STATES_A_PROOF)

    def spend(self, most: int, sides: Sequence[Rules], *, is_complete: bool) -> None:
        """Subtract what a search has cost.

        A pattern has a state for each of its bytes, and wildcards multiply them.
        """
        patterns = [rule.pattern for rules in sides for rule in rules]
        known = len(patterns) + sum(map(len, patterns))
        if any(map(WITHIN.search, patterns)):
            known = max(known, MOST_STATES_A_PROOF // 20)
        self.left -= known if is_complete else max(most, known)
