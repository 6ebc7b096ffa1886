"""How a dialect compares paths with rules, whatever decides which rules a robot obeys.

Scope: the choices of dialects, divided into those that select lines and those that compare paths.
"""

from goodbot._core import Dialect

__all__ = ["PathReader", "path_reader"]

PathReader = tuple[tuple[str, str], ...]
"""Choices of a dialect, each with its value."""

OF_GROUPS = {
    "fields",
    "robot_name",
    "agent_match",
    "agent_version",
    "empty_agent",
    "star_agent",
    "agent_choice",
    "default_groups",
    "stand_ins",
    "group_end",
    "agents_per_line",
    "empty_disallow",
    "size_limit",
    "over_size",
    "line_limit",
    "rule_limit",
    "over_rules",
}
"""The choices of dialects that say which lines a robot obeys, and not what they mean."""


def path_reader(dialect: Dialect) -> PathReader:
    """Return the choices of a dialect by which it compares paths with rules.

    Equal rules decide alike in dialects that are equal in this.

    >>> import goodbot
    >>> path_reader(goodbot.dialect("bing")) == path_reader(goodbot.dialect("rfc9309"))
    True
    >>> path_reader(goodbot.dialect("google")) == path_reader(goodbot.dialect("rfc9309"))
    False
    """
    return tuple(one for one in dialect.choices.items() if one[0] not in OF_GROUPS)
