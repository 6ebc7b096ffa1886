"""A request as a log shows it, and what it asks for.

Scope: values.
"""

from datetime import datetime
from typing import Protocol

from goodbot.display import short_repr
from goodbot.errors import WrongTypeError
from goodbot.http.instants import checked_time
from goodbot.lazy_dataclass import dataclass

ROBOTS_TXT = "/robots.txt"
GET = "GET"
SCHEMES = ("http://", "https://")


class HasOutcome(Protocol):
    """What is known of who sent a request."""

    @property
    def outcome(self) -> str:
        """`verified`, `spoofed`, `invalid` or `unverifiable`."""


@dataclass(frozen=True, slots=True, repr=False)
class RobotRequest:
    """A request of a robot, as a log shows it.

    >>> from datetime import datetime, timezone
    >>> at = datetime(2026, 1, 1, tzinfo=timezone.utc)
    >>> RobotRequest("ExampleBot", "/a?b=1", at).method
    'GET'

    Raises:
        WrongTypeError: `robot` or `target` is not a `str`, or the time not a `datetime`.
        WrongValueError: The time is naive.
    """

    robot: str
    """The robot that it names."""
    target: str
    """What it asks for, as it was sent: a path with its query."""
    time: datetime
    """When, as the log has it."""
    line: int = 0
    """The line of the log; 0 if unknown."""
    method: str = GET
    """The method."""
    status: int | None = None
    """The status of the answer; `None` if unknown."""
    address: str = ""
    """The address that it came from."""
    identity: str = "unverifiable"
    """Whether it came from the robot's operator: `verified`, `spoofed`, `invalid` or
    `unverifiable`."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        if not isinstance(self.robot, str) or not isinstance(self.target, str):
            message = "robot and target must be str, as the log has them"
            raise WrongTypeError(message)
        checked_time(self.time, "time")


def target_path(target: str) -> str | None:
    """Return the path and query that a request asks for; `None` if it asks for none.

    >>> target_path("/a?b"), target_path("http://example.com")
    ('/a?b', '/')
    >>> target_path("*"), target_path("example.com:443")
    (None, None)

    Source: RFC 9112 section 3.2: the forms of a target.

    """
    if target.startswith("/"):
        return target
    if not target[:8].lower().startswith(SCHEMES):
        return None
    rest = target.partition("://")[2]
    ends = [at for at in (rest.find("/"), rest.find("?")) if at >= 0]
    path = rest[min(ends) :] if ends else ""
    return path if path.startswith("/") else f"/{path}"


CUT = "\u2026"
"""What stands before the beginning of a target that was too long to be kept."""


def why_not_a_path(target: str) -> str:
    """Return why a target has no path: `target-too-long` or `not-a-path`.

    >>> why_not_a_path("*"), why_not_a_path("\u2026/aaaa")
    ('not-a-path', 'target-too-long')
    """
    return "target-too-long" if target.startswith(CUT) else "not-a-path"


def is_robots_fetch(method: str | None, path: str | None) -> bool:
    """Return whether a request fetches robots.txt; a HEAD shows no content."""
    return path == ROBOTS_TXT and method == GET
