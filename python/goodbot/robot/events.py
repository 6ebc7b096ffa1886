"""Events and remarks: small records of a robot's work, for metrics and for its operator."""

import logging
from collections.abc import Callable
from dataclasses import field
from datetime import datetime
from typing import Literal, TypeAlias, TypeVar

from goodbot._core import Verdict
from goodbot.display import short_repr
from goodbot.lazy_dataclass import dataclass
from goodbot.net import Response
from goodbot.policy import Policy

__all__ = [
    "Asked",
    "Event",
    "Failed",
    "Fetched",
    "Purpose",
    "Refused",
    "Remark",
    "VisitDeferred",
    "Waited",
    "tell",
]

Purpose: TypeAlias = Literal["page", "robots-txt"]
"""The purpose of a request: a page (or a redirect on the way there), or robots.txt."""

LOG = logging.getLogger("goodbot.robot")


@dataclass(frozen=True, slots=True, repr=False)
class Asked:
    """A robots.txt was requested."""

    url: str
    """The URL of robots.txt."""
    at: datetime
    """The time at which the response was complete, in UTC."""
    access: str
    """The resulting access: `rules`, `allow-all`, `disallow-all` or `defer`."""
    reason: str
    """The reason, a slug of `goodbot.policy.reasons()`."""
    status: int | None
    """The status of the last response; `None` if there was none."""
    hops: int
    """The number of redirects that were followed."""
    policy: Policy = field(repr=False)
    """The policy that applies from now on."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class Waited:
    """A visit waited for its turn."""

    url: str
    at: datetime
    """The time at which the wait was over, in UTC."""
    seconds: float
    """The length of the wait, in seconds."""
    reason: str
    """The reason, a slug of `goodbot.pace.REASONS` or `goodbot.store.LATER_REASONS`."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class Fetched:
    """A URL was fetched: a page, a redirect on the way there, or robots.txt."""

    url: str
    at: datetime
    """The time at which the response was complete, in UTC."""
    status: int
    bytes: int
    """The number of bytes of content, as they were sent."""
    seconds: float
    """The time that the fetch took, in seconds."""
    purpose: Purpose
    """The purpose of the request."""
    started: datetime
    """The time of the request, in UTC."""
    response: Response = field(repr=False)
    """The response."""
    steady: datetime | None = None
    """The time of the request in steady time, which does not change when the clock is set."""
    signed_by: str | None = None
    """The thumbprint of the key by which the request was signed; `None` if it was not."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class Failed:
    """A request failed without a response."""

    url: str
    at: datetime
    """The time of the failure, in UTC."""
    kind: str
    """The kind of failure, one of `goodbot.net.FAILURES`."""
    purpose: Purpose
    """The purpose of the request."""
    started: datetime
    """The time of the request, in UTC."""
    steady: datetime | None = None
    """The time of the request in steady time, which does not change when the clock is set."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class Refused:
    """A visit was not made, because it is forbidden."""

    url: str
    at: datetime
    """The time of the decision, in UTC."""
    verdict: Verdict
    """The verdict that forbids it."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True, repr=False)
class VisitDeferred:
    """A visit was not made, because its time has not come yet."""

    url: str
    at: datetime
    """The time of the decision, in UTC."""
    until: datetime | None
    """The time to try again, in UTC; `None` if there is none."""
    reason: str
    """The reason, a slug."""

    __repr__ = short_repr


Event: TypeAlias = Asked | Waited | Fetched | Failed | Refused | VisitDeferred
"""The events with which `on_event` is called."""


@dataclass(frozen=True, slots=True, repr=False)
class Remark:
    """A message of a site to the operator of a robot.

    >>> print(Remark("https://example.com", "comment", "Please write to us."))
    https://example.com says: Please write to us.

    Source: Conner 1996, Comment (all of them go back to the author or user of the robot) and
    Visit-time (outside it, the robot notifies its author or user).
    """

    origin: str
    """The origin of the site."""
    kind: str
    """`comment` for a Comment line, `visit-time` if a visit must wait for the hours of visit, `cut`
    if the robot passes on no further messages of the site."""
    text: str
    """The message."""

    __repr__ = short_repr

    def __str__(self) -> str:
        """Return the origin and the message in one line."""
        says = "" if self.kind == "cut" else " says"
        return f"{self.origin}{says}: {self.text}"


Message = TypeVar("Message")


def tell(callback: Callable[[Message], object] | None, told: Message) -> None:
    """Call a listener; if it raises, log that and continue."""
    if callback is None:
        return
    try:
        callback(told)
    except Exception:
        LOG.exception("%r raised when it was called with %r", callback, told)
