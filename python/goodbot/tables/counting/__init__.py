"""Counts over a table of policies: what sites say to robots, exactly, with the definitions.

Scope: `count_policies` reads a table that `goodbot tables build` made. What a file says is decided
by the parser and the rules, never by regular expressions.

Requires `pip install 'goodbot[columns]'`.
"""

from goodbot.tables.counting.counting import count_policies
from goodbot.tables.counting.disallowing import HOW_MUCH, how_much_is_disallowed
from goodbot.tables.counting.policy_counts import (
    COUNT_COLUMNS,
    DEFINITIONS,
    PolicyCounts,
    RobotCounts,
    SizeCounts,
)

__all__ = [
    "COUNT_COLUMNS",
    "DEFINITIONS",
    "HOW_MUCH",
    "PolicyCounts",
    "RobotCounts",
    "SizeCounts",
    "count_policies",
    "how_much_is_disallowed",
]
