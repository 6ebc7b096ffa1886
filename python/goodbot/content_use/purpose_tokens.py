r"""Groups of robots.txt that are about a use, and not about a robot: purpose tokens.

Scope: from a robots.txt to statements. A group whose User-agent line names a purpose disallows that
use of the paths that its rules disallow. It is about the content, so it speaks to every robot.

Of the draft only the abstract was within reach: "ordinary robots.txt groups keyed by a per-purpose
policy token in the User-Agent line", with path language, longest match and group structure as they
are. The spelling of the token comes from one implementation. Until the draft was read, such a group
counts as a reservation where it is present, and never as permission: what its rules allow, and a
file without the group, say nothing.

>>> import goodbot
>>> file = goodbot.RobotsTxt("User-agent: __usage_ai-training\nDisallow: /a\nAllow: /a/open")
>>> goodbot.uses("https://example.com/a", robots_txt=file).train.status
'reserved'
>>> goodbot.uses("https://example.com/a/open", robots_txt=file).train.status
'unknown'

Source: draft-kelley-aipref-training-preference-signal-00, 30 October 2026, abstract.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from goodbot._core import Finding, RobotsTxt, Rules, agent_names, not_known
from goodbot.content_use.finding_codes import MOST_FINDINGS, finding
from goodbot.content_use.statement import UseStatement
from goodbot.content_use.use_words import UseWord, words_of
from goodbot.http.quoting import shortened

__all__ = [
    "PREFIX",
    "PURPOSES_READ_IN",
    "PurposeRules",
    "has_purpose_groups",
    "is_purpose",
    "of_purpose_tokens",
    "purpose_findings",
    "purpose_rules",
    "purposes_named",
]

TOKEN = re.compile(r"[a-z_-]+")
"""A product token in lower case (RFC 9309 section 2.2.1)."""
PREFIX = "__usage_"
"""How purpose tokens begin, as one implementation spells them."""

PURPOSES_READ_IN = "rfc9309"
"""The dialect of their groups, whatever the dialect of the robot that asks."""


def has_purpose_groups(file: RobotsTxt) -> bool:
    """Return whether a robots.txt may have groups for purposes; it is quick, and errs to `True`."""
    return PREFIX.encode() in file.content.lower()


def purposes_named(file: RobotsTxt) -> tuple[str, ...]:
    r"""Return the purposes that User-agent lines name, known or not, in alphabetical order.

    >>> purposes_named(RobotsTxt("User-agent: B\nUser-agent: __usage_ai-training\nDisallow: /\n"))
    ('__usage_ai-training',)
    """
    if not has_purpose_groups(file):
        return ()
    return tuple(
        sorted({product_of(name.lower()) for name in agent_names(file) if is_purpose(name)})
    )


def is_purpose(name: str) -> bool:
    """Return whether the name in a User-agent line is that of a purpose, not of a robot."""
    return name.lower().startswith(PREFIX)


class PurposeRules(NamedTuple):
    """The rules of the groups for one purpose."""

    word: UseWord
    """The token of the purpose."""
    rules: Rules
    """The rules."""


def purpose_rules(file: RobotsTxt) -> tuple[PurposeRules, ...]:
    """Return the rules of each purpose that has a group.

    They are read as RFC 9309 reads groups, whatever the dialect of the robot that asks.
    """
    if not has_purpose_groups(file):
        return ()
    read = RobotsTxt(file.content, dialect=PURPOSES_READ_IN)
    found = (PurposeRules(row, read.rules_for(row.word)) for row in words_of("purpose-token"))
    return tuple(one for one in found if one.rules.selection.how == "named")


def of_purpose_tokens(
    purposes: Iterable[PurposeRules], url: str, *, expires: datetime | None = None
) -> Iterator[UseStatement]:
    """Yield what the groups for purposes reserve of a URL."""
    for word, rules in purposes:
        verdict = rules.verdict(url)
        if not verdict.allowed and verdict.rule is not None:
            place = f"robots.txt, line {verdict.rule.line}"
            text = f"{verdict.rule.text} (for {word.word})"
            yield UseStatement(word.use, "reserved", "purpose-token", place, text, expires)


def product_of(token: str) -> str:
    """Return what is compared of a name: the part before all other characters.

    >>> product_of("__usage_ai-training/1.0")
    '__usage_ai-training'
    """
    found = TOKEN.match(token)
    return found[0] if found else ""


def purpose_findings(file: RobotsTxt) -> Iterator[Finding]:
    """Yield that groups for purposes are read without a verified document, and the unknown ones."""
    if not has_purpose_groups(file):
        return
    known = {row.word for row in words_of("purpose-token")}
    seen: set[str] = set()
    for line in file.lines:
        token = (line.value or b"").decode("utf-8", "replace").strip().lower()
        is_agent = (line.name or b"").strip().lower() == b"user-agent"
        if not is_agent or not is_purpose(token) or token in seen:
            continue
        seen.add(token)
        if len(seen) > MOST_FINDINGS:
            return
        shown, is_known = shortened(token, 60), product_of(token) in known
        message = (
            f"{shown} is read as a reservation where its group disallows, and never as "
            "permission; the draft that defines such tokens was not verified"
            if is_known
            else f"the purpose {not_known(shown)}; its group decides nothing"
        )
        code = "unverified-purpose-token" if is_known else "unknown-purpose-token"
        yield finding(code, message, line.number)
