"""Which robots need a group of their own in robots.txt, proven by reading the file back.

Scope: from rules to groups. A group is written for each robot that a rule selects; then every known
robot is asked which group it obeys. One that obeys a group whose rules are not its own, such as
Applebot that of Googlebot, or a robot whose name begins like another's, gets a group as well.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from goodbot._core import RobotsTxt, Rules
from goodbot.bots import KnownRobot, every
from goodbot.bots.family import obeyed_name, tokens_of
from goodbot.lazy_dataclass import dataclass
from goodbot.site.gate.gate_policy import GateRule
from goodbot.site.gate.group_rules import (
    EVERYONE,
    GroupRules,
    first_token,
    group_rules,
    precision,
)

__all__ = ["STAR", "GateGroup", "groups_of", "obeyed_by", "obeyed_group"]

STAR = "*"
MOST_ROUNDS = 8
"""How often groups are added and read back: a group that is added may be obeyed by others."""


@dataclass(frozen=True, slots=True)
class GateGroup:
    """A group of robots.txt."""

    tokens: tuple[str, ...]
    """The product tokens; `*` alone is the group of everyone."""
    rules: GroupRules
    """What holds for it."""


@lru_cache(maxsize=1)
def by_token() -> Mapping[str, tuple[KnownRobot, ...]]:
    """Return the known robots by their own product token, in lower case."""
    found: dict[str, list[KnownRobot]] = {}
    for robot in every():
        for token in tokens_of(robot)[:1]:
            found.setdefault(token.casefold(), []).append(robot)
    return {token: tuple(robots) for token, robots in found.items()}


def groups_of(rules: Sequence[GateRule]) -> tuple[GateGroup, ...]:
    """Return the groups of a robots.txt: those of named robots, and at last that of everyone.

    Args:
        rules: The rules that hold at the time and for the host.

    """
    rules = [part for rule in rules for part in parts_of_rule(rule)]
    held = HeldRules(rules)
    tokens = {token.casefold(): token for token in selected_tokens(rules)}
    for _ in range(MOST_ROUNDS):
        groups = merged(held, tokens)
        strays = misled(held, groups)
        if not strays:
            break
        tokens |= {token.casefold(): token for token in strays}
    return groups


def parts_of_rule(rule: GateRule) -> tuple[GateRule, ...]:
    """Return a rule, or its refusal apart from the rest: some robots are spared that alone."""
    if not rule.purposes or rule.fetch is not False or not (rule.uses or rule.delay):
        return (rule,)
    return replace(rule, uses={}, delay=None), replace(rule, fetch=None)


def selected_tokens(rules: Sequence[GateRule]) -> list[str]:
    """Return the product tokens of the robots that some rule is for, beside those for everyone."""
    named = [first_token(name) for rule in rules for name in rule.robots if name != STAR]
    for rule in rules:
        if rule.purposes or rule.operators:
            named += [
                tokens_of(robots[0])[0]
                for token, robots in by_token().items()
                if (precision(rule, token, robots) or EVERYONE) > EVERYONE
            ]
    return named


class HeldRules:
    """What holds for each product token; most robots are selected by the same rules."""

    def __init__(self, rules: Sequence[GateRule]) -> None:
        """Start with the rules that hold at the time and for the host."""
        self.rules = rules
        self.found: dict[tuple[int | None, ...], GroupRules] = {}

    def of(self, token: str) -> GroupRules:
        """Return what holds for a product token."""
        robots = by_token().get(token.casefold(), ())
        levels = tuple(precision(rule, token, robots) for rule in self.rules)
        if levels not in self.found:
            both = zip(levels, self.rules, strict=True)
            self.found[levels] = group_rules((n, rule) for n, rule in both if n is not None)
        return self.found[levels]


def merged(held: HeldRules, tokens: Mapping[str, str]) -> tuple[GateGroup, ...]:
    """Return groups, of which those with equal rules are one."""
    found: dict[GroupRules, list[str]] = {}
    for _, token in sorted(tokens.items()):
        found.setdefault(held.of(token), []).append(token)
    named = [GateGroup(tuple(names), rules) for rules, names in found.items()]
    return (*named, GateGroup((STAR,), held.of(STAR)))


def skeleton(groups: Sequence[GateGroup]) -> RobotsTxt:
    """Return a robots.txt with the names of groups alone, to ask who obeys which."""
    text = "\n".join(
        "".join(f"User-agent: {token}\n" for token in group.tokens) + "Disallow: /\n"
        for group in groups
    )
    return RobotsTxt(text.encode())


def misled(held: HeldRules, groups: Sequence[GateGroup]) -> list[str]:
    """Return the tokens of known robots that obey a group with other rules than their own."""
    file = skeleton(groups)
    in_dialect: dict[str | None, RobotsTxt] = {None: file}
    strays = []
    for token, robots in by_token().items():
        for robot in robots:
            name = robot.dialect
            if name not in in_dialect:
                in_dialect[name] = RobotsTxt(file.content, dialect=name or "rfc9309")
            obeyed = obeyed_group(in_dialect[name], groups, robot)
            if obeyed is not None and obeyed.rules != held.of(token):
                strays.append(tokens_of(robot)[0])
    return strays


def obeyed_group(
    file: RobotsTxt, groups: Sequence[GateGroup], robot: KnownRobot
) -> GateGroup | None:
    """Return the group that a known robot obeys; `None` if it ignores the one for everyone.

    Args:
        file: The robots.txt, in the dialect of the robot.
        groups: Its groups.
        robot: The robot.

    """
    name, _ = obeyed_name(file, robot)
    return None if name is None else obeyed_by(file.rules_for(name), groups)


def obeyed_by(rules: Rules, groups: Sequence[GateGroup]) -> GateGroup:
    """Return the group whose lines some rules were read from.

    Args:
        rules: What a robot obeys in the robots.txt that was written from the groups.
        groups: The groups, that for everyone last.

    """
    agents = {agent.casefold() for one in rules.selection.groups for agent in one.agents}
    named = (one for one in groups if agents & {token.casefold() for token in one.tokens})
    return next(named, groups[-1])
