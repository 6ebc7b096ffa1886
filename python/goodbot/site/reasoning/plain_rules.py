"""Rules that are the same for a reason that needs no search.

Scope: rules that are nothing but a Disallow of plain patterns, in dialects that read those alike.
"""

import re
from collections.abc import Set as AbstractSet

from goodbot._core import RobotsTxt, Rules
from goodbot.site.reasoning.difference import SITE
from goodbot.site.reasoning.path_reader import PathReader

__all__ = ["is_plainly_same"]

PREFIXES = (
    ("star", "wildcard"),
    ("dollar", "end"),
    ("extent", "prefix"),
    ("absolute_paths", "never-match"),
)
"""The choices with which a pattern matches all paths that begin as it says."""

PLAIN = re.compile(r"/[A-Za-z0-9_~!&-/:;=?@]*\$?")
"""A pattern of characters that every URL may have: it is compared as written. A `$` before the end
would become one at the end without the stars behind it."""

MOST_PLAIN = 2_000
"""The most rules that are compared without a search: some dialects drop what is beyond a limit."""

MOST_COVERINGS = 200_000
"""The most pairs of patterns that are compared without a search."""

NEEDLESS_END = re.compile(r"\*+\$?$")


def is_plainly_same(before: Rules, after: Rules, reader: PathReader) -> bool:
    """Return whether two sets of rules are the same for a reason that needs no search.

    If nothing but Disallow has an effect, a path is disallowed if any pattern matches it. So it is
    enough that each pattern of one side is covered by one of the other side.
    """
    if not set(PREFIXES) <= set(reader) or before.otherwise != after.otherwise:
        return False
    old, new = plain_patterns(before), plain_patterns(after)
    if old is None or new is None or len(old ^ new) * len(old | new) > MOST_COVERINGS:
        return False
    return are_covered(old - new, new) and are_covered(new - old, old)


def are_covered(patterns: AbstractSet[str], by: AbstractSet[str]) -> bool:
    """Return whether each pattern matches only what one of some other patterns matches.

    A pattern covers another one if it matches its text, in which stars stand for themselves:
    whatever replaces them there, the stars of the first one match it.
    """
    wholes = [f"Disallow: {one}\n" for one in by if not one.endswith("$")]
    covering = RobotsTxt("User-agent: *\n" + "".join(wholes)).rules_for("*")
    return not any(covering.allows_many([SITE + one for one in patterns]))


def plain_patterns(rules: Rules) -> frozenset[str] | None:
    """Return the patterns of rules that are nothing but a plain Disallow; `None` of others."""
    if len(rules) > MOST_PLAIN:
        return None
    if any(rule.field == "Allow" or not is_plain(rule.pattern) for rule in rules):
        return None
    return frozenset(plain_pattern(rule.pattern) for rule in rules)


def is_plain(pattern: str) -> bool:
    """Return whether a pattern is compared as written; clients resolve segments of dots."""
    return "/." not in pattern and PLAIN.fullmatch(pattern) is not None


def plain_pattern(pattern: str) -> str:
    """Return a pattern without stars that say nothing.

    >>> plain_pattern("/a**b*$"), plain_pattern("/a*b$"), plain_pattern("/*")
    ('/a*b', '/a*b$', '/')
    """
    return NEEDLESS_END.sub("", one_star(pattern))


def one_star(pattern: str) -> str:
    """Return a pattern in which stars that follow one another are one; there may be many."""
    while "**" in pattern:
        pattern = pattern.replace("**", "*")
    return pattern
