"""Answers to requests for robots.txt, in few words."""

from goodbot.policy import RobotsTxtAnswer

__all__ = ["answered"]


def answered(
    status: int, headers: tuple[tuple[str, str], ...], body: bytes, *, truncated: bool = False
) -> RobotsTxtAnswer:
    """Return a reply, as a client has it before its place and time are stated."""
    return RobotsTxtAnswer(status=status, headers=headers, body=body, truncated=truncated)
