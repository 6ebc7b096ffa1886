"""The note on a known robot that is asked about in a dialect which its operator does not use.

Scope: the sentence. What is known of robots is in `goodbot.bots`.
"""

from goodbot import bots

__all__ = ["dialect_note"]


def dialect_note(robot: str, dialect: str) -> str:
    """Return which dialect was used and which one the robot's operator uses; empty if the same.

    They differ only if the user chose the dialect: a known robot brings its own.
    """
    known = bots.known(robot)
    if known is None or known.dialect in {None, dialect}:
        return ""
    return (
        f"robots.txt is read as {dialect}, which --dialect chose; {known.operator or known.name} "
        f"reads it as {known.dialect}"
    )
