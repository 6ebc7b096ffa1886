"""Answers to requests for robots.txt, in few words."""

from datetime import datetime

from goodbot.policy import RobotsTxtAnswer

__all__ = ["answer_at", "answered"]


def answered(
    status: int, headers: tuple[tuple[str, str], ...], body: bytes, *, truncated: bool = False
) -> RobotsTxtAnswer:
    """Return a reply, as a client has it before its place and time are stated."""
    return RobotsTxtAnswer(status=status, headers=headers, body=body, truncated=truncated)


def answer_at(time: datetime, status: int | None) -> RobotsTxtAnswer:
    """Return an answer as a log shows it."""
    return RobotsTxtAnswer("https://example.com/robots.txt", time, status)
