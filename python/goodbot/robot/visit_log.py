"""What one visit did, for whoever records it: its requests, and the policies that were learned.

What may live here: the record. Events (`goodbot.robot.events`) report the same to those who watch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from goodbot.policy import Policy
from goodbot.robot.events import Failed, Fetched

__all__ = ["Learned", "VisitLog"]


@dataclass(frozen=True, slots=True)
class Learned:
    """A policy that a site was asked for, and that is in no store yet."""

    policy: Policy
    record: Mapping[str, Any] | None
    """What to put into the policy store; `None` if this policy is not to be stored."""
    please_visit: Sequence[str] = ()
    """The URLs that the group of this robot asks it to visit (PleaseVisit), as written."""


@dataclass(slots=True)
class VisitLog:
    """What one visit did so far. It is complete however the visit ends, also if it is cancelled.

    A visit with a log leaves policies to whoever has the log: they are stored together with what
    else came of the visit, or not at all.
    """

    requests: list[Fetched | Failed] = field(default_factory=list)
    """The requests that were made, in order; those that failed before anybody was asked are no
    requests (`goodbot.policy.inquiry.NOT_ASKED`)."""
    learned: list[Learned] = field(default_factory=list)
    """The policies that were learned from sites, in order."""
