"""Roughly how much memory a policy takes, for caches that limit their total."""

from goodbot.policy.policy import Policy

__all__ = ["BESIDE", "MOST_BYTES", "size_of"]

MOST_BYTES = 64 * 1024 * 1024
"""How many bytes policies may take in memory together, by default."""

BESIDE = 8 * 1024
"""How many bytes a policy and its origin take without the robots.txt."""

FACTOR = 3
"""How many bytes of memory each byte of robots.txt takes: the file, its lines and its rules."""


def size_of(policy: Policy | None, beside: int = BESIDE) -> int:
    """Return roughly how many bytes of memory a policy and the data of its origin take.

    Args:
        policy: The policy; `None` if there is none yet.
        beside: How many bytes they take without the robots.txt.

    >>> size_of(None)
    8192
    """
    robots_txt = None if policy is None else policy.robots_txt
    return beside + (0 if robots_txt is None else FACTOR * len(robots_txt.content))
