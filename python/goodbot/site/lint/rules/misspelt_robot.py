"""The name of a robot that is probably misspelt."""

import re
from collections.abc import Iterator
from functools import lru_cache

from goodbot._core import RobotsTxt, dialects
from goodbot.bots import every
from goodbot.bots.robot_table import known_names
from goodbot.site.lint.checked_file import CheckedFile, listed
from goodbot.site.lint.lint_rule import LintProblem, LintRule
from goodbot.site.reasoning.robot_classes import EVERYONE_ELSE

__all__ = ["RULE"]

SHORTEST = 7
"""Of shorter names only the order of letters is compared: too many of them differ by one."""

SHORTEST_IN_PARTS = 5
"""The fewest letters of a name that is compared apart from its hyphens: CC-Bot is CCBot."""

SHORTEST_REPLACED = 10
"""The fewest letters of a name that is compared with one letter replaced: Roverbot and rogerbot are
two robots."""

SHORTEST_PART = 4
"""Shorter last parts, such as BA in SemrushBot-BA, tell robots of one family apart."""

MOST_CUT = 3
"""The most letters that are missing at the end of a name of several parts: Google-Extend."""

LONGEST = 40

SAID = {"quoted-value", "user-agent-string", "several-agents", "invisible-character"}
"""Findings of the core that say what the name of a robot should be."""

NAME = re.compile(r"[\w-]+")
"""The beginning of a value that names a robot."""


def check(file: CheckedFile) -> Iterator[LintProblem]:
    """Report names that are nearly those of known robots."""
    # Of these lines the core says already what the name should be.
    said = {one.line for code in SAID for one in file.findings.get(code, ())}
    for group in file.groups:
        meant_by = {name: meant for name in group.names if (meant := nearly(name)) is not None}
        if not meant_by:
            continue
        for agent, line in zip(group.agents, group.lines, strict=False):
            meant = meant_by.get(agent)
            if meant is not None and line not in said:
                message = (
                    f'No known robot is named "{agent}". If you mean {meant}, write {meant}: '
                    f"{who_finds(agent, meant)}."
                )
                yield LintProblem(line, message, robots=(agent,))


@lru_cache(maxsize=1_024)
def who_finds(agent: str, meant: str) -> str:
    """Return in words in which dialects a robot obeys a group with a misspelt name.

    >>> who_finds("GTPBot", "GPTBot")
    'in no dialect does GPTBot obey this group'
    """
    content = f"User-agent: {agent}\nDisallow: /\n"
    files = ((one.name, RobotsTxt(content, dialect=one)) for one in dialects())
    finding = [name for name, file in files if file.rules_for(meant).selection.how == "named"]
    if not finding:
        return f"in no dialect does {meant} obey this group"
    return f"only in {listed(finding, len(finding))} does {meant} obey this group"


@lru_cache(maxsize=4_096)
def nearly(agent: str) -> str | None:
    """Return the token of a known robot that a name nearly is; `None` if there is none.

    >>> nearly("Google-bot"), nearly("Googelbot"), nearly("Googlebot"), nearly("ShopBot")
    ('Googlebot', 'Googlebot', None, None)
    >>> nearly("GPT-Bot"), nearly("Googlebot-Newz"), nearly("GPTBot/1.0")
    ('GPTBot', 'Googlebot-News', None)
    >>> nearly("GTPBot"), nearly("Google-Extend"), nearly("Google-Ext")
    ('GPTBot', 'Google-Extended', None)
    """
    if agent == EVERYONE_ELSE or len(agent) > LONGEST:
        return None
    name = plain(agent)
    tokens = known_tokens()
    # What is cheap comes first: a file may name thousands of robots that nobody knows.
    is_cut = agent.casefold() in cut_tokens()
    if name not in tokens and not is_cut and not may_be_near(name):
        return None
    if is_named(agent):
        return None
    if name in tokens:
        return tokens[name]
    if is_cut:
        return cut_tokens()[agent.casefold()]
    others = exchanged(name) if len(agent) < SHORTEST else variations(name)
    near = (tokens[other] for other in others if other in tokens)
    return next((token for token in near if is_alike(agent, token)), None)


def is_named(agent: str) -> bool:
    """Return whether a name is that of a known robot, or one of its User-Agents.

    A name that only begins like a known one, such as Googlebot-Newz, is not.
    """
    # What follows the name, such as a version or a star, is not compared.
    found = NAME.match(agent.casefold())
    names = {agent.casefold(), found[0] if found else ""}
    return bool(names & known_names().keys() or names & exact_tokens())


def is_alike(agent: str, token: str) -> bool:
    """Return whether two names that differ by a letter can be one: short last parts are equal."""
    ours, theirs = (name.casefold().rpartition("-")[2] for name in (agent, token))
    return ours == theirs or min(len(ours), len(theirs)) >= SHORTEST_PART


@lru_cache(maxsize=1)
def exact_tokens() -> frozenset[str]:
    """Return the tokens of known robots in lower case."""
    return frozenset(token.casefold() for robot in every() for token in robot.tokens)


@lru_cache(maxsize=1)
def known_tokens() -> dict[str, str]:
    """Return the tokens of known robots by their letters and digits."""
    tokens = [token for robot in every() for token in robot.tokens]
    return {plain(token): token for token in tokens if len(token) >= SHORTEST_IN_PARTS}


@lru_cache(maxsize=1)
def cut_tokens() -> dict[str, str]:
    """Return known tokens of several parts by what they are without their last letters.

    Enough of the last part is left to tell robots of one family apart.
    """
    return {
        token[:-cut].casefold(): token
        for robot in every()
        for token in robot.tokens
        for cut in range(2, MOST_CUT + 1)
        if "-" in token and len(token.rpartition("-")[2]) - cut > SHORTEST_PART
    }


def exchanged(name: str) -> Iterator[str]:
    """Yield what a name is with two letters next to each other exchanged."""
    for place in range(len(name) - 1):
        yield f"{name[:place]}{name[place + 1]}{name[place]}{name[place + 2 :]}"


def may_be_near(name: str) -> bool:
    """Return whether a name may differ from a known token by one letter, or the order of two.

    Either the first or the last half is then the same, which few names have in common with one.
    """
    half = (len(name) - 1) // 2
    firsts, lasts = halves(len(name))
    if name[:half] not in firsts and name[len(name) - half :] not in lasts:
        return False
    return not near_tokens().isdisjoint(with_a_letter_less(name))


@lru_cache(maxsize=LONGEST + 1)
def halves(length: int) -> tuple[frozenset[str], frozenset[str]]:
    """Return how known tokens begin and end that names of some length may be near."""
    half = (length - 1) // 2
    tokens = [token for token in known_tokens() if abs(len(token) - length) <= 1]
    lasts = frozenset(token[len(token) - half :] for token in tokens)
    return frozenset(token[:half] for token in tokens), lasts


@lru_cache(maxsize=1)
def near_tokens() -> frozenset[str]:
    """Return the known tokens as they are, and with a letter less.

    Names that differ by one letter, or by the order of two, have one of these in common. That rules
    nearly all names out at once: a file may have thousands.
    """
    return frozenset(near for token in known_tokens() for near in with_a_letter_less(token))


def with_a_letter_less(name: str) -> Iterator[str]:
    """Yield a name as it is, and without each of its letters."""
    yield name
    for place in range(len(name)):
        yield name[:place] + name[place + 1 :]


def plain(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    folded = name.casefold()
    return folded if folded.isalnum() else "".join(filter(str.isalnum, folded))


def variations(name: str) -> Iterator[str]:
    """Yield what a name is with two letters exchanged, or with one letter more or less.

    A long name also with one letter replaced.
    """
    for place in range(len(name) + 1):
        before, after = name[:place], name[place:]
        yield before + after[1:]
        yield before + after[1:2] + after[:1] + after[2:]
        for letter in "abcdefghijklmnopqrstuvwxyz":
            yield before + letter + after
            if len(name) >= SHORTEST_REPLACED:
                yield before + letter + after[1:]


RULE = LintRule(
    code="misspelt-robot",
    severity="warning",
    finds="The name of a robot is nearly that of a known one.",
    why=(
        "Most robots look for their exact name, so that a group with a misspelt name does not "
        "reach them."
    ),
    example="User-agent: Googelbot\nDisallow: /search\n",
    instead="User-agent: Googlebot\nDisallow: /search\n",
    source="RFC 9309 section 2.2.1; the product tokens in goodbot.bots",
    check=check,
)
