"""About how much memory a policy takes: what keeps many of them bounds their sum by it."""

from goodbot.policy.policy import Policy

__all__ = ["MOST_BYTES", "size_of"]

MOST_BYTES = 64 * 1024 * 1024
"""Bytes that policies may take in memory together, where nothing else is said."""

BESIDE = 8 * 1024
"""What a policy and its origin take beside the robots.txt."""

FACTOR = 3
"""Bytes of memory for each of a robots.txt: itself, its lines, and its rules."""


def size_of(policy: Policy | None) -> int:
    """Return about how many bytes of memory a policy takes, with what is kept of its origin.

    Args:
        policy: The policy; `None` where there is none yet.

    >>> size_of(None)
    8192
    """
    robots_txt = None if policy is None else policy.robots_txt
    return BESIDE + (0 if robots_txt is None else FACTOR * len(robots_txt.content))
