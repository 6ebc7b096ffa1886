"""The proofs of one file, within one budget.

Scope: how many states are spent. The searches are those of `goodbot.site.reasoning`.
"""

from goodbot._core import Rules
from goodbot.site.reasoning import Difference, RuleReach
from goodbot.site.reasoning.deciding import counted_reach
from goodbot.site.reasoning.difference import counted_comparison, counted_first

__all__ = ["MOST_STATES_A_FILE", "MOST_STATES_A_PROOF", "ProofBudget", "Undecided"]

MOST_STATES_A_FILE = 20_000
"""The most states of all proofs about one file; from 100 to 500 KB they sink to a fifth."""

MOST_STATES_A_PROOF = 10_000
"""The most states that one proof considers."""

LINES_OF_A_STATE = 20
"""How many lines are read in the time that a state takes."""

MOST_RULES = 2_000
"""The most rules of a robot about which something is proven."""


LARGE_FILE = 100_000
"""A file of more bytes has fewer states: every rule of lint reads all of it."""

BYTES_OF_A_STATE = 25
"""How many bytes beyond that are read by all of them in the time that a state takes."""


def states_for(size: int) -> int:
    """Return the most states that all proofs about a file of so many bytes consider.

    >>> states_for(100_000), states_for(300_000), states_for(5_000_000)
    (20000, 12000, 4000)
    """
    spent = max(0, size - LARGE_FILE) // BYTES_OF_A_STATE
    return MOST_STATES_A_FILE - min(spent, MOST_STATES_A_FILE * 4 // 5)


class Undecided(Exception):  # noqa: N818  it is an answer, and never leaves this room
    """The bounds were reached before the answer was known."""


class ProofBudget:
    """Searches over all paths, until the states of the file are spent.

    The order of the searches is fixed, so the same file has the same findings everywhere.
    """

    def __init__(self, states: int = MOST_STATES_A_FILE) -> None:
        """Begin with so many states."""
        self.left = states

    @property
    def is_spent(self) -> bool:
        """Whether there are no states left, so that nothing more is proven about the file."""
        return self.left <= 0

    def difference(self, before: Rules, after: Rules) -> Difference | None:
        """Return a shortest path on which two sets of rules differ; `None` if there is none.

        Raises:
            Undecided: The bounds were reached before that was known.

        """
        found, is_certain, states = counted_first(before, after, self.most(before, after))
        self.left -= states
        if found is None and not is_certain:
            raise Undecided
        return found

    def differences(self, before: Rules, after: Rules) -> tuple[Difference, ...]:
        """Return a path for each pair of lines that decide differently.

        Raises:
            Undecided: The bounds were reached, and no difference was found.

        """
        found, states = counted_comparison(before, after, self.most(before, after))
        self.left -= states
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
        found, states = counted_reach(rules, self.most(rules))
        self.left -= states
        return found

    def read(self, lines: int) -> None:
        """Subtract what it costs to read some lines again.

        Raises:
            Undecided: There are no states left.

        """
        if self.is_spent:
            raise Undecided
        self.left -= lines // LINES_OF_A_STATE + 1

    def most(self, *sides: Rules) -> int:
        """Return how many states the next search may consider."""
        if self.is_spent or any(len(rules) > MOST_RULES for rules in sides):
            raise Undecided
        return min(self.left, MOST_STATES_A_PROOF)
