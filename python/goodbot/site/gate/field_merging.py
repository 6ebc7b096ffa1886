"""The header fields of an answer once the gate has added its own.

Scope: what the site's view set, and what the policy says, in the order in which readers obey both.
Every middleware asks this.
"""

from collections.abc import Iterable

from goodbot.site.gate.page_fields import GateFields

__all__ = ["join_fields", "merge_fields"]

FIRST = frozenset({"x-robots-tag"})
"""Fields whose values for everyone must come first: what stands behind a robot's name in a line,
or in lines that a proxy has joined (RFC 9110 section 5.3), is said to that robot alone (Google,
robots meta tag, X-Robots-Tag)."""
SINGLE = frozenset({"tdm-reservation", "tdm-policy"})
"""Fields that have one value (TDMRep, sections tdm-reservation and tdm-policy)."""
LABELS = {"content-usage": ("y", "n"), "content-signal": ("yes", "no")}
"""Lists of preferences, each with its words for what is allowed and what is not. Of members of
Content-Usage with one key the last counts (RFC 9651 section 3.2); no document orders those of
Content-Signal."""


def merge_fields(held: Iterable[tuple[str, str]], added: GateFields) -> list[tuple[str, str]]:
    """Return the fields of an answer, a line each: neither the site nor the policy is weakened.

    Args:
        held: The fields that the site has set, in their order.
        added: The fields that the policy says.

    >>> merge_fields([("X-Robots-Tag", "otherbot: nofollow")], (("X-Robots-Tag", "noindex"),))
    [('X-Robots-Tag', 'noindex'), ('X-Robots-Tag', 'otherbot: nofollow')]
    >>> merge_fields([("Content-Usage", "search=n")], (("Content-Usage", "ai-use=y, search=y"),))
    [('Content-Usage', 'search=n'), ('Content-Usage', 'ai-use=y')]

    """
    kept = list(held)
    reserves = ("tdm-reservation", "1") in {(name.lower(), value) for name, value in added}
    for name, value in added:
        key = name.lower()
        theirs = [one for its, one in kept if its.lower() == key]
        if key in FIRST:
            kept.insert(0, (name, value))
        elif key in LABELS:
            rest = without_weaker(value, theirs, *LABELS[key])
            kept += [(name, rest)] if rest else []
        elif key in SINGLE:
            if reserves or not theirs:
                kept = [pair for pair in kept if pair[0].lower() != key]
                kept.append((name, value))
        else:
            kept.append((name, value))
    return kept


def join_fields(held: Iterable[tuple[str, str]], added: GateFields) -> list[tuple[str, str]]:
    """Return the fields that the policy changes, a value each, for what keeps one value a name.

    Args:
        held: The fields that the site has set.
        added: The fields that the policy says.

    >>> join_fields([("X-Robots-Tag", "otherbot: nofollow")], (("X-Robots-Tag", "noindex"),))
    [('X-Robots-Tag', 'noindex, otherbot: nofollow')]

    """
    merged = merge_fields(held, added)
    return [
        (name, ", ".join(value for its, value in merged if its.lower() == name.lower()))
        for name, _ in added
    ]


def without_weaker(value: str, held: Iterable[str], allows: str, forbids: str) -> str:
    """Return the members of a value that do not allow what the site's own value forbids."""
    forbidden = {
        member.partition("=")[0].strip()
        for line in held
        for member in line.split(",")
        if member.partition("=")[2].strip().startswith(forbids)
    }
    pairs = [member.strip().partition("=") for member in value.split(",")]
    return ", ".join(
        f"{name}={answer}"
        for name, _, answer in pairs
        if not (answer == allows and name in forbidden)
    )
