"""What a policy declares, worked out rule by rule and path by path: the slow twin of the gate."""

import re
from collections.abc import Iterable

from goodbot.bots import KnownRobot
from goodbot.bots.family import tokens_of
from goodbot.content_use.statement import Use
from goodbot.site.gate import GateRule


def matches(pattern: str, path: str) -> bool:
    """Return whether a path pattern matches a path."""
    end = "$" if pattern.endswith("$") else ""
    parts = pattern.removesuffix("$").split("*")
    return re.match(".*".join(map(re.escape, parts)) + end, path, re.DOTALL) is not None


def level_of(
    rule: GateRule, robot: KnownRobot | None, name: str, *, refuses: bool = False
) -> int | None:
    """Return how few robots a rule is for, from 3 for a name; `None` if not for this one.

    What refuses robots by a purpose leaves those in that search too, unless it is for search.
    """
    names = {one.casefold() for one in rule.robots}
    own = tokens_of(robot)[0] if robot else name
    if own.casefold() in names or name.casefold() in names:
        return 3
    if robot is not None:
        family = set(tokens_of(robot)[1:]) if robot.operator != "Apple" else set()
        if {one.casefold() for one in family} & names:
            return 2
        is_spared = refuses and "search" in robot.purposes and "search" not in rule.purposes
        shares = bool(set(robot.purposes) & set(rule.purposes)) and not is_spared
        if robot.operator in rule.operators or shares:
            return 1
    everyone = "*" in names or not (rule.robots or rule.operators or rule.purposes)
    return 0 if everyone else None


def decide(said: Iterable[tuple[str, int, bool]], path: str) -> bool | None:
    """Return the answer of the longest path that matches; `None` if none does.

    A permission for more robots does not count below a prohibition for fewer.
    """
    said = list(said)
    best: tuple[int, bool] | None = None
    for pattern in {one for one, _, _ in said if matches(one, path)}:
        level, answer = own_answer(said, pattern)
        plain = [
            (one, more) for one, more, a in said if not a and "*" not in one and "$" not in one
        ]
        if answer and any(
            pattern.startswith(one) and more > level and own_answer(said, one) == (more, False)
            for one, more in plain
        ):
            continue
        if best is None or len(pattern) > best[0] or (len(pattern) == best[0] and answer):
            best = (len(pattern), answer)
    return None if best is None else best[1]


def own_answer(said: list[tuple[str, int, bool]], pattern: str) -> tuple[int, bool]:
    """Return what the rules with one path say: that for the fewest robots, then what forbids."""
    level = max(level for one, level, _ in said if one == pattern)
    answers = [answer for one, own, answer in said if (one, own) == (pattern, level)]
    return level, all(answers)


def may_fetch(rules: Iterable[GateRule], robot: KnownRobot | None, name: str, path: str) -> bool:
    """Return whether a policy lets a robot fetch a path."""
    said = [
        (pattern, level, rule.fetch)
        for rule in rules
        if rule.fetch is not None
        if (level := level_of(rule, robot, name, refuses=not rule.fetch)) is not None
        for pattern in rule.paths or ("/",)
    ]
    return decide(said, path) is not False


def declared_use(
    rules: Iterable[GateRule], robot: KnownRobot | None, name: str, path: str, use: Use
) -> bool | None:
    """Return the answer on a use, where all paths are plain; `None` if none is declared."""
    said = [
        (pattern, level, rule.uses[use])
        for rule in rules
        if use in rule.uses and (level := level_of(rule, robot, name)) is not None
        for pattern in rule.paths or ("/",)
    ]
    return decide(said, path)
