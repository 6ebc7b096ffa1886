r"""Exact reasoning about rules: whether two sets of rules mean the same, and where they differ.

>>> import goodbot
>>> from goodbot.site.reasoning import compare
>>> before = goodbot.RobotsTxt("User-agent: *\nDisallow: /private").rules_for("ExampleBot")
>>> after = goodbot.RobotsTxt("User-agent: *\nDisallow: /private/").rules_for("ExampleBot")
>>> comparison = compare(before, after)
>>> comparison.effect
'laxer'
>>> [(one.path, one.before.allowed, one.after.allowed) for one in comparison.differences]
[('/private', False, True)]

Every path is considered, not a sample of them: patterns with `*` and `$` are a decidable language.
The work is bounded by a number of states, so the same rules give the same answer on every
machine; beyond the bound, the answer is that it is unknown.

It decides and does not act: no clock, no socket, no disk.
"""

from goodbot.site.reasoning.deciding import RuleReach, deciding_rules
from goodbot.site.reasoning.dialect_proof import DialectAnswer
from goodbot.site.reasoning.difference import (
    MOST_STATES,
    Difference,
    Effect,
    RulesComparison,
    compare,
    first_difference,
    is_same,
)
from goodbot.site.reasoning.file_comparison import (
    STATES_OF_FILES,
    FileComparison,
    RobotComparison,
    compare_files,
)
from goodbot.site.reasoning.other_changes import FieldChange
from goodbot.site.reasoning.robot_classes import MOST_NAMES, RobotClass, robot_classes, robot_names
from goodbot.site.reasoning.rule_meanings import RuleMeaning, explain_rules
from goodbot.site.reasoning.simplification import (
    WEB_DIALECTS,
    Simplification,
    SimplifiedPart,
    simplify,
)
from goodbot.site.reasoning.url_changes import UrlChanges, UrlCounts, count_url_changes

__all__ = [
    "MOST_NAMES",
    "MOST_STATES",
    "STATES_OF_FILES",
    "WEB_DIALECTS",
    "DialectAnswer",
    "Difference",
    "Effect",
    "FieldChange",
    "FileComparison",
    "RobotClass",
    "RobotComparison",
    "RuleMeaning",
    "RuleReach",
    "RulesComparison",
    "Simplification",
    "SimplifiedPart",
    "UrlChanges",
    "UrlCounts",
    "compare",
    "compare_files",
    "count_url_changes",
    "deciding_rules",
    "explain_rules",
    "first_difference",
    "is_same",
    "robot_classes",
    "robot_names",
    "simplify",
]
