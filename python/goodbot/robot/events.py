"""What a robot tells while it works: small records, for metrics and for its operator."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias, TypeVar

from goodbot.display import short_repr
from goodbot.net import Response
from goodbot.policy import Policy, PolicyVerdict

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
"""What a request is for: a page or a hop on the way there, or robots.txt, at any address."""

LOG = logging.getLogger("goodbot.robot")


@dataclass(frozen=True, slots=True)
class Asked:
    """A site was asked for its robots.txt."""

    url: str
    """The address of robots.txt."""
    at: datetime
    """When the answer was there, in UTC."""
    access: str
    """What it comes to: `rules`, `allow-all`, `disallow-all` or `defer`."""
    reason: str
    """Why, a slug of `goodbot.policy.reasons()`."""
    status: int | None
    """The status of the last answer; `None` if none came."""
    hops: int
    """How many redirects were followed."""
    policy: Policy = field(repr=False)
    """What the robot goes by from now on."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class Waited:
    """A visit waited for its turn."""

    url: str
    at: datetime
    """When the wait was over, in UTC."""
    seconds: float
    """How long it was."""
    reason: str
    """Why, a slug of `goodbot.pace.REASONS` or `goodbot.store.LATER_REASONS`."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer came: to a page, to a hop on the way there, or to robots.txt."""

    url: str
    at: datetime
    """When the answer was read, in UTC."""
    status: int
    bytes: int
    """Of content that came over the wire."""
    seconds: float
    """How long it took."""
    purpose: Purpose
    """What it was fetched for."""
    started: datetime
    """When it was asked for, in UTC."""
    response: Response = field(repr=False)
    """The answer."""
    steady: datetime | None = None
    """When it was asked for, in time that does not change when the clock is set."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class Failed:
    """No answer came."""

    url: str
    at: datetime
    """When it failed, in UTC."""
    kind: str
    """What failed, one of `goodbot.net.FAILURES`."""
    purpose: Purpose
    """What it was to be fetched for."""
    started: datetime
    """When it was asked for, in UTC."""
    steady: datetime | None = None
    """When it was asked for, in time that does not change when the clock is set."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class Refused:
    """A visit was not made, because the site forbids it."""

    url: str
    at: datetime
    """When, in UTC."""
    verdict: PolicyVerdict
    """Who forbids it."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class VisitDeferred:
    """A visit was not made, because it is not yet its time."""

    url: str
    at: datetime
    """When, in UTC."""
    until: datetime | None
    """When to ask again, in UTC; `None`: never."""
    reason: str
    """Why, a slug."""

    __repr__ = short_repr


Event: TypeAlias = Asked | Waited | Fetched | Failed | Refused | VisitDeferred
"""What `on_event` is given."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What a site wants a robot's operator to know.

    >>> print(Remark("https://example.com", "comment", "Please write to us."))
    https://example.com says: Please write to us.

    Source: Conner 1996, Comment (all of them go back to the author or user of the robot) and
    Visit-time (outside it, the robot notifies its author or user).
    """

    origin: str
    """Who says it."""
    kind: str
    """`comment`: a Comment line; `visit-time`: a visit has to wait for the hours of visit."""
    text: str
    """What it says."""

    __repr__ = short_repr

    def __str__(self) -> str:
        """Make it a line."""
        return f"{self.origin} says: {self.text}"


Message = TypeVar("Message")


def tell(callback: Callable[[Message], object] | None, told: Message) -> None:
    """Tell somebody. Who listens badly does not stop the work: the log has it."""
    if callback is None:
        return
    try:
        callback(told)
    except Exception:
        LOG.exception("%r could not be told of %r", callback, told)
