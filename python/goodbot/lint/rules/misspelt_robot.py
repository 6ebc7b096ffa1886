"""The name of a robot that is probably misspelt."""

from collections.abc import Iterator
from functools import lru_cache

from goodbot.bots import every, known
from goodbot.lint.checked_file import CheckedFile
from goodbot.lint.lint_rule import LintProblem, LintRule
from goodbot.reasoning.robot_classes import EVERYONE_ELSE

__all__ = ["RULE"]

SHORTEST = 7
"""Shorter names are not compared: too many of them differ by a letter."""

LONGEST = 40


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report names that are nearly those of known robots."""
    for group in file.robots.groups:
        for agent, line in zip(group.agents, group.lines, strict=False):
            meant = nearly(agent)
            if meant is not None:
                message = (
                    f'No known robot is named "{agent}". If you mean {meant}, write {meant}: '
                    "a robot looks for its exact name."
                )
                yield LintProblem(line, message, robots=(agent,))


@lru_cache(maxsize=4_096)
def nearly(agent: str) -> str | None:
    """Return the token of a known robot that a name nearly is; `None` if there is none.

    >>> nearly("Google-bot"), nearly("Googelbot"), nearly("Googlebot"), nearly("ShopBot")
    ('Googlebot', 'Googlebot', None, None)
    """
    if agent == EVERYONE_ELSE or not SHORTEST <= len(agent) <= LONGEST or known(agent) is not None:
        return None
    name = plain(agent)
    tokens = known_tokens()
    if name in tokens:
        return tokens[name]
    return next((tokens[other] for other in variations(name) if other in tokens), None)


@lru_cache(maxsize=1)
def known_tokens() -> dict[str, str]:
    """Return the tokens of known robots by their letters and digits."""
    tokens = [token for robot in every() for token in robot.tokens]
    return {plain(token): token for token in tokens if len(token) >= SHORTEST}


def plain(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return "".join(filter(str.isalnum, name.casefold()))


def variations(name: str) -> Iterator[str]:
    """Yield what a name is with two letters exchanged, or with one letter more or less."""
    for place in range(len(name) + 1):
        before, after = name[:place], name[place:]
        yield before + after[1:]
        yield before + after[1:2] + after[:1] + after[2:]
        for letter in "abcdefghijklmnopqrstuvwxyz":
            yield before + letter + after


RULE = LintRule(
    code="misspelt-robot",
    severity="warning",
    finds="The name of a robot is nearly that of a known one.",
    why="A robot looks for its exact name, so a group with a misspelt name reaches nobody.",
    example="User-agent: Googelbot\nDisallow: /search\n",
    instead="User-agent: Googlebot\nDisallow: /search\n",
    source="RFC 9309 section 2.2.1; the product tokens in goodbot.bots",
    check=check,
)
