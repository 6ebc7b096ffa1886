"""Questions over columns: many URLs at once, by the policy that held when each was fetched.

Scope: it decides; it opens no file and knows no clock.
"""

from goodbot._core import ArrowTable
from goodbot.tables.columns.exclusions import exclusions
from goodbot.tables.columns.origins import origins
from goodbot.tables.columns.policy_table import PolicyTable
from goodbot.tables.columns.use_verdicts import use_verdicts
from goodbot.tables.columns.verdicts import REASONS, allows, verdicts

__all__ = [
    "REASONS",
    "ArrowTable",
    "PolicyTable",
    "allows",
    "exclusions",
    "origins",
    "use_verdicts",
    "verdicts",
]
