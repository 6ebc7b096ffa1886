"""What robots.txt declared to the crawl's own robot of a URL, and what the site served to it.

Scope: decisions on what the queue stores of a URL. The words and what each answer means are in
`goodbot.http.served`.
"""

from goodbot.crawl.frontier.reading import BriefUrl, UrlRecord
from goodbot.http.payment import PRICED
from goodbot.http.served import Declared, Served, find_served
from goodbot.net import FAILURES
from goodbot.policy import reasons
from goodbot.policy.holds import HOLD_REASONS

__all__ = ["CHALLENGED", "declared_for", "declared_to", "served_to"]

CHALLENGED = "challenge"
"""The reason of a URL that a firewall answered with a challenge in place of a page."""
NO_RULES = frozenset(name for name, _ in reasons())
"""The reasons of verdicts that no line of robots.txt decided."""


def declared_for(*, allowed: bool | None, reason: str) -> Declared:
    """Return what a verdict on fetching shows of what robots.txt declares.

    Args:
        allowed: Whether the URL may be fetched; `None` without a verdict.
        reason: The reason, a slug.

    >>> declared_for(allowed=False, reason="rule-disallows")
    'disallowed'
    >>> declared_for(allowed=False, reason="server-error")
    'unknown'
    """
    if allowed is None or reason in HOLD_REASONS:
        return "unknown"
    if allowed:
        return "allowed"
    return "unknown" if reason in NO_RULES else "disallowed"


def declared_to(entry: UrlRecord | BriefUrl, *, overruled: bool = False) -> Declared:
    """Return what robots.txt declared of a URL to the robot of the crawl.

    Args:
        entry: The URL.
        overruled: Whether robots.txt disallows it, and the owner of the site had it requested all
            the same (`ResourceRules.overruled`).

    """
    if entry.state == "disallowed":
        return declared_for(allowed=False, reason=entry.reason)
    if not was_requested(entry):
        return "unknown"
    return "disallowed" if overruled else "allowed"


def served_to(entry: UrlRecord | BriefUrl) -> Served | None:
    """Return what the site served to the robot of the crawl; `None` if it was not requested."""
    if not was_requested(entry):
        return None
    if entry.reason == PRICED:
        return "priced"
    return find_served(entry.status, challenged=entry.reason == CHALLENGED)


def was_requested(entry: UrlRecord | BriefUrl) -> bool:
    """Return whether the URL was requested when it was last taken out of the queue.

    The crawl requests only what robots.txt allows, or what the owner of the site permits.
    """
    if entry.state == "disallowed":
        return False
    return entry.status is not None or entry.reason in FAILURES
