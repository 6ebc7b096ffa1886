"""Who visits live sites: an open `goodbot.blocking.Robot`, or what has some of its methods."""

from typing import Protocol

from goodbot.pace import Turn
from goodbot.policy import Policy
from goodbot.robot import Identity, Visit
from goodbot.robot.visiting import MOST_REDIRECTS

__all__ = ["Visitor"]


class Visitor(Protocol):
    """The methods of a robot that answers about live sites need."""

    @property
    def identity(self) -> Identity:
        """The name and addresses of the robot."""

    def policy(self, url: str) -> Policy:
        """Return the policy of the origin of a URL."""

    def when(self, url: str) -> Turn:
        """Return when the URL may be visited and why not earlier."""

    def visit(
        self, url: str, *, longest_wait: float | None = None, redirects: int = MOST_REDIRECTS
    ) -> Visit:
        """Visit a URL as soon as the pace allows it."""
