"""The record of one visit, for callers that store it: its requests, and the policies it learned.

Scope: the record only; events (`goodbot.robot.events`) report the same to listeners.
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from goodbot.lazy_dataclass import dataclass
from goodbot.policy import Policy
from goodbot.robot.events import Failed, Fetched

__all__ = ["Learned", "VisitLog"]


@dataclass(frozen=True, slots=True)
class Learned:
    """A policy that was fetched from a site and is not stored yet."""

    policy: Policy
    record: Mapping[str, Any] | None
    """The record for the policy store; `None` if this policy must not be stored."""
    please_visit: Sequence[str] = ()
    """The URLs that the group of this robot asks it to visit (PleaseVisit), as written."""


@dataclass(slots=True)
class VisitLog:
    """The record of one visit so far. It is complete however the visit ends, even by cancellation.

    A visit with a log does not store policies itself: the owner of the log stores them together
    with the other results of the visit, or not at all.
    """

    requests: list[Fetched | Failed] = field(default_factory=list)
    """The requests that were made, in order, without those that failed before anything was sent
    (`goodbot.policy.inquiry.NOT_ASKED`)."""
    learned: list[Learned] = field(default_factory=list)
    """The policies that were learned from sites, in order."""
