r"""How much of a site is disallowed to a robot: all of it, a part, or nothing.

Scope: it decides. Two URLs that are decided differently are proof of a part; that there are none is
proven by a search over all paths, within a bound.

>>> import goodbot
>>> def found(text):
...     rules = goodbot.RobotsTxt(f"User-agent: *\n{text}").rules_for("ExampleBot")
...     return how_much_is_disallowed(rules)
>>> found("Disallow: /*"), found("Disallow: /a\nAllow: /a"), found("Disallow: /*?")
('wholly', 'not-at-all', 'partly')
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Literal, TypeAlias

from goodbot._core import RobotsTxt, Rules, differing_paths
from goodbot.bots.asking import allow_many

__all__ = ["HOW_MUCH", "HowMuch", "how_much_is_disallowed"]

HowMuch: TypeAlias = Literal["wholly", "partly", "not-at-all", "undecided"]

HOW_MUCH: dict[HowMuch, str] = {
    "wholly": "The robot may fetch no URL of the site, except perhaps /robots.txt.",
    "partly": "The robot may fetch some URLs of the site, and must not fetch others.",
    "not-at-all": "The robot may fetch every URL of the site.",
    "undecided": "The search over all paths reached its bound.",
}
"""How much of a site is disallowed, each with its meaning."""

SITE = "https://example.com"
ROBOTS_TXT = "/robots.txt"
"""What no robot needs leave to fetch, so that it is no part of a site."""
MOST_STATES = 20_000
"""The most states that a search considers."""
MOST_TRIED = 64
"""Of how many rules a path is tried before the search."""
TRIED_AT_ONCE = 4
ALL, FIRST = 0, 1
"""How many differences a search looks for."""


def how_much_is_disallowed(rules: Rules, *, most_states: int = MOST_STATES) -> HowMuch:
    """Return how much of a site some rules disallow.

    Args:
        rules: What one robot must obey (`RobotsTxt.rules_for`, or `ObeyedRules.rules`).
        most_states: The most states of the search.

    """
    if not len(rules):
        return "not-at-all" if rules.otherwise[0] else "wholly"
    urls = paths_to_try(rules)
    is_open = allow_many(rules, [next(urls)])[0]
    while some := list(islice(urls, TRIED_AT_ONCE)):
        if any(answer is not is_open for answer in allow_many(rules, some)):
            return "partly"
    plain = plain_rules(rules.dialect, is_open=is_open)
    paths, is_complete, _ = differing_paths(rules, plain, FIRST, most_states)
    if paths and not differs(rules, paths, is_open=is_open):
        # The path is not sent as it is written, and shows nothing; others may.
        paths, is_complete, _ = differing_paths(rules, plain, ALL, most_states)
    if differs(rules, paths, is_open=is_open):
        return "partly"
    if not is_complete:
        return "undecided"
    return "not-at-all" if is_open else "wholly"


def differs(rules: Rules, paths: list[str], *, is_open: bool) -> bool:
    """Return whether one of some paths, as it is sent, is decided otherwise than all others."""
    shown = [one for one in paths if one != ROBOTS_TXT]
    urls = [SITE + one if one.startswith(("/", "?")) or not one else one for one in shown]
    return any(answer is not is_open for answer in allow_many(rules, urls))


def paths_to_try(rules: Rules) -> Iterator[str]:
    """Yield URLs that are probably decided differently: the home page, and one for each rule."""
    yield f"{SITE}/"
    yield f"{SITE}/zq"
    for number, rule in enumerate(rules):
        if number >= MOST_TRIED:
            return
        path = rule.pattern.removesuffix("$").replace("*", "")
        if path != ROBOTS_TXT:
            yield SITE + (path if path.startswith("/") else f"/{path}")


@lru_cache(maxsize=64)
def plain_rules(dialect: str, *, is_open: bool) -> Rules:
    """Return the rules that allow or disallow everything, in a dialect."""
    text = "User-agent: *\nDisallow:\n" if is_open else "User-agent: *\nDisallow: /\n"
    return RobotsTxt(text, dialect=dialect).rules_for("*")
