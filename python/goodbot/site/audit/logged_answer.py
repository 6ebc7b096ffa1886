"""Answers to requests for robots.txt, as a log shows them.

Scope: values. What a status means is in `goodbot.policy.outcome_tables`.
"""

from typing import NamedTuple

from goodbot.display import short_repr
from goodbot.http.instants import instant
from goodbot.policy import RobotsTxtAnswer

VERIFIED = "verified"


class LoggedAnswer(NamedTuple):
    """An answer to a request for robots.txt by a robot's operator: the answer, and who asked.

    It has a `RobotsTxtAnswer`; only a log says who asked, which decides whom a failure binds.
    """

    answer: RobotsTxtAnswer
    """The answer. A log has its time and its status, or `None` for one that it does not show."""
    is_own: bool = True
    """Whether the request names the robot itself, and not another program of its operator, or
    none."""
    identity: str = "unverifiable"
    """Whether it came from the robot's operator: `verified` or `unverifiable`."""

    def __repr__(self) -> str:
        """Return it as code, short."""
        return short_repr(self)

    def binds(self, identity: str) -> bool:
        """Return whether a failure of it forbids something to a request.

        What somebody else may have been refused forbids nothing, although what somebody else
        received may help.

        Args:
            identity: That of the request: the failure of an unverified sender does not bind a
                verified one.

        """
        return self.is_own and (identity != VERIFIED or self.identity == VERIFIED)

    @property
    def at(self) -> int:
        """When the answer came, in microseconds since 1970."""
        return instant(self.answer.answered, "answered")

    @property
    def status(self) -> int | None:
        """The status of the answer; `None` if the log does not show it."""
        return self.answer.status
