"""What holds for one group of robots.txt, of all the rules of a policy.

Scope: rules in, one decided record out. Rules add up; of two about the same path the one for fewer
robots counts. So naming a robot never takes a rule of everyone from it.

1. All rules that are about a robot count together, and the longest path decides (RFC 9309 section
   2.2.2).
2. Of rules with the same path, the one for fewer robots decides: a name before a family, a family
   before a purpose or an operator, those before everyone. Between equals, what forbids counts.
3. A rule that refuses robots by a purpose leaves those in that search too, unless it is for search.
4. A permission for more robots ends where a prohibition for fewer robots begins: `GPTBot` that may
   fetch nothing may not fetch what everyone may.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

from goodbot.bots import KnownRobot
from goodbot.bots.family import tokens_of
from goodbot.bots.user_agents import known
from goodbot.content_use.statement import USES, Use
from goodbot.lazy_dataclass import dataclass
from goodbot.site.gate.gate_policy import GateRule
from goodbot.site.gate.path_patterns import covering
from goodbot.site.gate.use_statements import sayable

__all__ = [
    "SEARCH",
    "GroupRules",
    "SitePart",
    "first_token",
    "group_rules",
    "is_spared",
    "precision",
]

EVERYONE, KIND, FAMILY, NAME = range(4)
"""How few robots a rule is for: everyone, a purpose or operator, a family, a name."""

MOST_REMEMBERED = 4_096
"""How many names and families of robots are remembered."""

SEARCH = "search"
"""The purpose that a rule for another one does not refuse."""

WHOLE = "/"
"""The path of a rule without paths."""

Answers = Mapping[Use, bool]
Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class SitePart:
    """A part of the site, and the uses that are answered there."""

    path: str
    """Its path pattern."""
    answers: tuple[tuple[Use, bool], ...]
    """The answers, in the order of `USES`; also those of parts that contain it."""


UsesBeside = tuple[frozenset[Use], bool]
"""What parts of one length refuse, and whether their paths have wildcards."""


@dataclass(frozen=True, slots=True)
class GroupRules:
    """What holds for one group."""

    fetch: tuple[tuple[str, bool], ...]
    """Path patterns, each with whether it may be fetched; the longest first."""
    delay: float | None
    """The seconds between two requests."""
    parts: tuple[SitePart, ...]
    """The parts with answers on uses; the longest path first."""


@lru_cache(maxsize=MOST_REMEMBERED)
def first_token(name: str) -> str:
    """Return the product token under which robots.txt names a robot: its own group.

    >>> first_token("googlebot-news"), first_token("MyBot")
    ('Googlebot-News', 'MyBot')
    """
    one = known(name)
    own = tokens_of(one) if one is not None else (name,)
    return own[0] if own else name


def precision(rule: GateRule, token: str, robots: Iterable[KnownRobot]) -> int | None:
    """Return how few robots a rule is for, if it is for those of a group; else `None`.

    Args:
        rule: The rule.
        token: The product token of the group.
        robots: The known robots whose own group this is.

    """
    named = names_of(rule.robots)
    if token.casefold() in named:
        return NAME
    for robot in robots:
        if named & family_of(robot):
            return FAMILY
        is_of = is_of_operator(rule, robot)
        if is_of or (set(rule.purposes) & set(robot.purposes) and not is_spared(rule, robot)):
            return KIND
    return EVERYONE if rule.is_for_everyone else None


def is_of_operator(rule: GateRule, robot: KnownRobot) -> bool:
    """Return whether a rule names the operator of a robot."""
    return (robot.operator or "").casefold() in {one.casefold() for one in rule.operators}


def is_spared(rule: GateRule, robot: KnownRobot) -> bool:
    """Return whether a rule for purposes leaves a robot in, because it searches too.

    A robot has one name for all that it does: to refuse it is to leave the search of its operator,
    which a rule against training does not say.
    """
    refuses = rule.fetch is False and bool(set(rule.purposes) & set(robot.purposes))
    return refuses and SEARCH in robot.purposes and SEARCH not in rule.purposes


@lru_cache(maxsize=MOST_REMEMBERED)
def names_of(robots: tuple[str, ...]) -> frozenset[str]:
    """Return the product tokens of some robots, in lower case."""
    return frozenset(first_token(name).casefold() for name in robots)


@lru_cache(maxsize=MOST_REMEMBERED)
def family_of(robot: KnownRobot) -> frozenset[str]:
    """Return the other tokens that a robot obeys, of its own operator.

    Applebot also obeys the group of Googlebot, but is none of its family: a rule for Googlebot is
    not meant for it.
    """
    others = tokens_of(robot)[1:]
    return frozenset(one.casefold() for one in others if operator_of(one) == robot.operator)


def operator_of(token: str) -> str | None:
    """Return the operator of a product token; a token of a whole family is its operator's."""
    one = known(token)
    if one is not None:
        return one.operator
    return token


def group_rules(about: Iterable[tuple[int, GateRule]]) -> GroupRules:
    """Return what holds for one group.

    Args:
        about: The rules that are for its robots, each with how few robots it is for (`precision`).

    """
    about = list(about)
    delays = [(level, rule.delay) for level, rule in about if rule.delay is not None]
    fetch = decided(
        (path, level, rule.fetch)
        for level, rule in about if rule.fetch is not None for path in rule.paths or (WHOLE,)
    )  # fmt: skip
    return GroupRules(
        fetch=written_order(path_answers(fetch)),
        delay=max(delays)[1] if delays else None,
        parts=parts_of(about),
    )


def decided(said: Iterable[tuple[Key, int, bool]]) -> dict[Key, tuple[int, bool]]:
    """Return for each key the answer for the fewest robots; between equals, what forbids."""
    found: dict[Key, tuple[int, bool]] = {}
    for key, level, answer in said:
        held = found.get(key)
        if held is None or (level, not answer) > (held[0], not held[1]):
            found[key] = (level, answer)
    return found


def path_answers(said: Mapping[str, tuple[int, bool]]) -> dict[str, bool]:
    """Return the answers by path, without permissions that a narrower prohibition ends."""
    bans = {path: level for path, (level, answer) in said.items() if not answer}
    return {
        path: answer
        for path, (level, answer) in said.items()
        if not (answer and any(bans[ban] > level for ban in covering(path, bans)))
    }


def written_order(said: Mapping[str, bool]) -> tuple[tuple[str, bool], ...]:
    """Return path answers as a file has them: the longest first, for readers that stop at one.

    Permissions alone are omitted: they except nothing. Between equal lengths a permission comes
    first (RFC 9309 section 2.2.2: "the least restrictive rule SHOULD be used").
    """
    if all(said.values()):
        return ()
    return tuple(sorted(said.items(), key=lambda one: (-len(one[0]), not one[1], one[0])))


def parts_of(about: Sequence[tuple[int, GateRule]]) -> tuple[SitePart, ...]:
    """Return the parts of a group: each with its own answers, and those of parts around it."""
    of_use: dict[Use, dict[str, bool]] = {}
    for use in USES:
        stated = ((path, level, rule.uses[use]) for level, rule in about if use in rule.uses
                for path in rule.paths or (WHOLE,))  # fmt: skip
        of_use[use] = path_answers(decided(stated))
    paths = sorted({path for said in of_use.values() for path in said}, key=longest_first)
    parts = [SitePart(path, answers_at(path, of_use)) for path in paths]
    beside: dict[int, dict[UsesBeside, None]] = {}
    for part in parts:
        refused = frozenset(use for use, answer in part.answers if not answer)
        beside.setdefault(len(part.path), {})[refused, is_wild(part.path)] = None
    said = (sayable_beside(part, beside[len(part.path)]) for part in parts)
    return tuple(part for part in said if part.answers)


def sayable_beside(part: SitePart, beside: Iterable[UsesBeside]) -> SitePart:
    """Return a part without what it cannot say where an equally long one matches as well.

    Of equal lengths all lines of robots.txt count (draft-ietf-aipref-attach-05 section 3.1). Two
    different paths without wildcards never match the same URL.

    Args:
        part: The part.
        beside: What the parts of its length refuse, each once, and whether their paths are wild:
            a policy may have many thousands of parts, which refuse one of a few sets of uses.

    """
    answers = dict(part.answers)
    for refused, with_wildcard in beside:
        if with_wildcard or is_wild(part.path):
            both = answers | dict.fromkeys(refused, False)
            answers = {use: one for use, one in answers.items() if use in sayable(both)}
    return SitePart(part.path, tuple(answers.items()))


def is_wild(path: str) -> bool:
    """Return whether a path pattern is more than the beginning of paths."""
    return "*" in path or path.endswith("$")


def longest_first(path: str) -> tuple[int, str]:
    """Return the key by which the longest path comes first."""
    return -len(path), path


def answers_at(path: str, of_use: Mapping[Use, Mapping[str, bool]]) -> tuple[tuple[Use, bool], ...]:
    """Return the answers at a path: of each use, that of the longest path that contains it."""
    found = ((use, nearest(path, said)) for use, said in of_use.items())
    return tuple(sayable({use: one for use, one in found if one is not None}).items())


def nearest(path: str, said: Mapping[str, bool]) -> bool | None:
    """Return the answer of a path, or of the longest one that surely contains it."""
    if path in said:
        return said[path]
    around = next(covering(path, said), None)
    return None if around is None else said[around]
