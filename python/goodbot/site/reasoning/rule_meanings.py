r"""What each rule for a robot means, in words: which paths it is about, or why it has no effect.

Scope: sentences, in the order of the file. Which rules there are, the core decides.

>>> import goodbot
>>> from goodbot.site.reasoning import explain_rules
>>> robots = goodbot.RobotsTxt("User-agent: *\nDisallow: /*.gif$\nDisallow:\n")
>>> for one in explain_rules(robots, robots.rules_for("ExampleBot")):
...     print(one.rule.line, one.meaning)
2 disallowed: paths that end with .gif
3 no effect: it has no path
"""

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote

from goodbot._core import RobotsTxt, Rule, Rules, dialect
from goodbot.display import short_repr

__all__ = ["RuleMeaning", "describe_rule", "explain_rules"]

ROBOTS_TXT = "/robots.txt"


class RuleMeaning(NamedTuple):
    """A rule, and what it means."""

    rule: Rule
    """The rule."""
    meaning: str
    """Its effect in words, as the example above has them. It contains text of the site."""

    def __repr__(self) -> str:
        """Return it as code, short."""
        return short_repr(self)


def explain_rules(file: RobotsTxt, rules: Rules) -> tuple[RuleMeaning, ...]:
    """Return what each rule of the groups that a robot obeys means, in the order of the file.

    Args:
        file: The robots.txt.
        rules: The rules for a robot, from `file.rules_for`, or from `goodbot.bots.rules_for`. Of
            rules that are of another file, those without effect are not found.

    """
    # Conner's version 1 records are read in another dialect.
    is_own = rules.read_as == rules.dialect
    choices = (file.dialect if is_own else dialect(rules.read_as)).choices
    obeyed = [tuple(group.lines) for group in rules.selection.groups]
    groups = [group for group in file.groups if tuple(group.lines) in obeyed]
    effective = list(rules)
    lines = {rule.line for rule in effective}
    written = [rule for group in groups for rule in group.rules]
    found = [RuleMeaning(rule, describe_rule(rule, choices)) for rule in effective]
    found += [
        RuleMeaning(rule, describe_idle(rule, choices))
        for rule in written
        if rule.line not in lines
    ]
    return tuple(sorted(found, key=lambda one: one.rule.line))


def describe_idle(rule: Rule, choices: Mapping[str, str]) -> str:
    """Return why a rule of the robot's group has no effect."""
    if rule.field == "Allow" and choices["allow_lines"] == "ignored":
        return "no effect: this dialect has no Allow"
    return describe_rule(rule, choices) if not rule.pattern else "no effect"


def describe_rule(rule: Rule, choices: Mapping[str, str]) -> str:
    """Return the effect of a rule in words.

    Args:
        rule: The rule.
        choices: The choices of the dialect that it is read in.

    Returns:
        Such as `disallowed: paths that begin with /private`. It contains text of the site.

    """
    if not rule.pattern:
        empty = choices["empty_allow" if rule.field == "Allow" else "empty_disallow"]
        return "allowed: everything" if empty == "allows-all" else "no effect: it has no path"
    paths = describe_pattern(rule.pattern, choices)
    is_allow = rule.field == "Allow"
    sentence = f"{'allowed' if is_allow else 'disallowed'}: {paths}"
    if choices["robots_txt_itself"] == "always-allowed":
        if unquote(paths) == f"only {ROBOTS_TXT}":
            return f"no effect: {ROBOTS_TXT} itself is always allowed"
        if unquote(paths) == f"paths that begin with {ROBOTS_TXT}" and not is_allow:
            return f"{sentence}, except {ROBOTS_TXT} itself, which is always allowed"
    return sentence


def describe_pattern(pattern: str, choices: Mapping[str, str]) -> str:
    """Return the paths that a pattern matches, in words."""
    if choices["star"] == "shell":
        return f"paths that match the shell pattern {pattern}"
    to_the_end = choices["extent"] == "whole"
    if choices["dollar"] == "end" and pattern.endswith("$"):
        to_the_end, pattern = True, pattern[:-1]
    parts = pattern.split("*") if choices["star"] == "wildcard" else [pattern]
    if len(parts) == 1 and to_the_end:
        return f"only {pattern}"
    clauses = list_clauses(parts, to_the_end=to_the_end)
    if not clauses or clauses == ["begin with /"]:
        return "everything"
    *most, last = clauses
    return f"paths that {', '.join(most)} and {last}" if most else f"paths that {last}"


def list_clauses(parts: list[str], *, to_the_end: bool) -> list[str]:
    """Return the text before, between and after the wildcards of a pattern, in words."""
    first, *behind = parts
    last = behind.pop() if behind and to_the_end else ""
    clauses = [f"begin with {first}"] if first else []
    clauses += [f"then contain {part}" for part in behind if part]
    clauses += [f"end with {last}"] if last else []
    # Every path begins with a slash; to say so helps only if the next part needs another one.
    if first == "/" and len(clauses) > 1 and "/" not in "".join(parts[1:])[:1]:
        clauses = [clause.removeprefix("then ") for clause in clauses[1:]]
    return clauses
