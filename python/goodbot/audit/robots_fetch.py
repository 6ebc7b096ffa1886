"""Requests for robots.txt, as a log shows them, and what each status means to a robot.

Scope: from a status to a meaning, always the most that a document permits: an audit lays nothing
on a robot that a document lets it do.
"""

from datetime import datetime
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from goodbot.display import short_repr
from goodbot.http.instants import instant
from goodbot.policy import policy_dialect
from goodbot.policy.outcomes import status_outcome

__all__ = ["TOO_MANY", "VERIFIED", "AnswerMeaning", "RobotsFetch", "meaning_of"]

AnswerMeaning: TypeAlias = Literal["file", "free", "unreachable", "unclear"]
"""`file`: the robots.txt of the site. `free`: there is none, and everything may be fetched.
`unreachable`: the server failed. `unclear`: what the robot got is not in the log."""

OK, NO_CONTENT, RESET, NOT_MODIFIED, TOO_MANY = 200, 204, 205, 304, 429
CLIENT_ERROR, SERVER_ERROR = 4, 5
GOOGLE = "google"
VERIFIED = "verified"
UNSENT = frozenset({444, 460, 499})
"""Statuses that only a log has, as no answer was sent: the client had left (nginx: 499; load
balancers of AWS: 460), or the server closed the connection (nginx: 444)."""


class RobotsFetch(NamedTuple):
    """A request for robots.txt by a robot's operator."""

    time: datetime
    """When, as the log has it."""
    status: int | None
    """The status of the answer; `None` if the log does not show it."""
    is_own: bool = True
    """Whether it names the robot itself, and not another program of its operator, or none."""
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
        """`time`, in microseconds since 1970."""
        return instant(self.time, "time")


@lru_cache(maxsize=4_096)
def meaning_of(status: int | None, dialect: str = "rfc9309") -> AnswerMeaning:
    """Return what the answer to a request for robots.txt means to a robot.

    Where only goodbot's own care forbids more than a document does, the document counts: a 429 is
    one of the statuses 400 to 499, after which a robot may access everything. To Google it is a
    server error. A status that is not one of an answer says nothing: what the robot got is unclear.

    Args:
        status: The status; `None` if the log does not show it.
        dialect: The dialect of the robot.

    >>> [meaning_of(status) for status in (200, 304, 301, 404, 429, 503)]
    ['file', 'file', 'unclear', 'free', 'free', 'unreachable']
    >>> meaning_of(429, "google"), meaning_of(499), meaning_of(999)
    ('unreachable', 'unclear', 'unclear')

    Source: RFC 9309 sections 2.3.1.1 to 2.3.1.4, or the documents of the dialect; RFC 9110 section
    15 (statuses are three digits, the first of them 1 to 5); nginx and AWS for `UNSENT`.

    """
    if status in {OK, NOT_MODIFIED}:
        return "file"
    if status in {NO_CONTENT, RESET}:
        return "free"
    if status is None or status in UNSENT or status // 100 not in {CLIENT_ERROR, SERVER_ERROR}:
        # A 206 is a part, a 202 and 1xx are no answer yet, and a redirect leads elsewhere.
        return "unclear"
    if status // 100 == CLIENT_ERROR and not (status == TOO_MANY and dialect == GOOGLE):
        return "free"
    treatment = policy_dialect(dialect).outcomes[status_outcome(status)].treatment
    return "free" if treatment == "allow-all" else "unreachable"
