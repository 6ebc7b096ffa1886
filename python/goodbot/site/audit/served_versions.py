r"""The robots.txt that a site may have served over time, as an audit looks it up.

Scope: from a `PolicyTimeline` to versions, each with the span in which it may have been served.
What reads files, repositories, stores and archives makes timelines; each robot reads the versions
in its own dialect (`robot_reading`).
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from functools import cached_property

from goodbot.display import short_repr
from goodbot.errors import WrongTypeError
from goodbot.history import LearnedPolicy, PolicyTimeline
from goodbot.http.fields import Fields
from goodbot.http.instants import checked_time, instant
from goodbot.lazy_dataclass import dataclass
from goodbot.policy import RobotsTxtAnswer
from goodbot.policy.answer_policies import answer_of

ABSENT = "absent"
LAST = 2**62
"""Later than any time."""


@dataclass(frozen=True, repr=False)
class RobotsVersion:
    r"""A robots.txt, and when it may have been served.

    >>> from datetime import datetime, timezone
    >>> new_year = datetime(2026, 1, 1, tzinfo=timezone.utc)
    >>> RobotsVersion(b"User-agent: *\nDisallow: /", new_year).digest
    'efdb5938a973'

    Raises:
        WrongTypeError: A time is not a `datetime`.
        WrongValueError: A time is naive.
    """

    content: bytes | None
    """Its bytes; `None` if there was no robots.txt: everything may be fetched (RFC 9309 section
    2.3.1.3)."""
    since: datetime
    """The earliest time at which it may have been served."""
    until: datetime | None = None
    """The time from which it was certainly no longer served; `None` if it still is."""
    headers: Fields = ()
    """The fields of the answer that state its lifetime, such as Cache-Control."""
    source: str = ""
    """Where it was read: the name of a file, a commit, an archive."""
    seen: datetime | None = None
    """When somebody received it first; `None` if `since` is known for certain. It may have been
    served before, since the version before it was last seen."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        checked_time(self.since, "since")
        if self.until is not None:
            checked_time(self.until, "until")

    @cached_property
    def digest(self) -> str:
        """The first twelve digits of the SHA-256 of its bytes; `absent` if there was no file."""
        return ABSENT if self.content is None else hashlib.sha256(self.content).hexdigest()[:12]

    @cached_property
    def begin(self) -> int:
        """`since`, in microseconds since 1970."""
        return instant(self.since, "since")

    @cached_property
    def end(self) -> int | None:
        """`until`, in microseconds since 1970."""
        return None if self.until is None else instant(self.until, "until")


@dataclass(frozen=True, repr=False)
class ServedVersions:
    """The versions of one site's robots.txt; `find_served_versions` makes it of a timeline."""

    site: str
    """The origin: scheme, host and port."""
    versions: tuple[RobotsVersion, ...]
    """Its versions, the earliest first. Where several may have been served at a time, the audit
    uses the one that is best for the robot."""
    known_from: datetime | None
    """Before this time, nothing is known."""
    known_until: datetime | None
    """After this time, nothing is known; `None` if the last version is still in force."""

    __repr__ = short_repr

    @cached_property
    def known_span(self) -> tuple[int, int] | None:
        """The first and the last microsecond of which something is known; `None` if there is none.

        It is also `None` if nothing but answers at an uncertain time is known.
        """
        if not self.versions or self.known_from is None:
            return None
        first = instant(self.known_from, "known_from")
        last = LAST if self.known_until is None else instant(self.known_until, "known_until")
        return (first, last) if first <= last else None


def find_served_versions(timeline: PolicyTimeline) -> ServedVersions:
    r"""Return the robots.txt that may have been served over time.

    Of a declared timeline, each version was served from its time until the next. Of any other, it
    is known what somebody received at certain times, and not when it changed in between: each
    version may have been served from the time at which the one before it was last seen until the
    time at which the next one was first seen, and after the last time nothing is known. Only
    answers with a file, and those that there is none (404 and 410), count: a failure of one request
    says nothing about those of others.

    Args:
        timeline: The policies of a site over time.

    Raises:
        WrongTypeError: It is something else.

    >>> from datetime import datetime, timezone
    >>> from goodbot.history import PolicyTimeline
    >>> def day(number):
    ...     return datetime(2026, 1, number, tzinfo=timezone.utc)
    >>> site = "https://example.com"
    >>> timeline = PolicyTimeline.declared(site, [(day(1), b""), (day(5), b"User-agent: *")])
    >>> found = find_served_versions(timeline)
    >>> [version.since.day for version in found.versions], found.known_until
    ([1, 5], None)

    """
    if not isinstance(timeline, PolicyTimeline):
        message = (
            f"the robots.txt of a site over time is a PolicyTimeline, not "
            f"{type(timeline).__name__}; make one with PolicyTimeline.declared"
        )
        raise WrongTypeError(message)
    found = [make_version(answer, learned.at) for learned in timeline.learned
             if (answer := answer_behind(learned)).is_statement]  # fmt: skip
    if not found:
        return ServedVersions(timeline.origin, (), None, None)
    if timeline.is_declared:
        return ServedVersions(timeline.origin, declare_versions(found), found[0].since, None)
    found.sort(key=lambda version: version.begin)
    known_from, known_until = min(map(latest, found)), found[-1].since
    versions = sorted(
        observe_versions(found), key=lambda version: (version.begin, version.content or b"")
    )
    return ServedVersions(timeline.origin, tuple(versions), known_from, known_until)


def answer_behind(one: LearnedPolicy) -> RobotsTxtAnswer:
    """Return the answer that a policy follows from."""
    return one.answer or answer_of(one.policy)


def make_version(answer: RobotsTxtAnswer, learned: datetime) -> RobotsVersion:
    """Return what an answer says."""
    # Of an answer whose time is only known to be within a span, both ends count.
    is_vague = answer.requested is not None
    return RobotsVersion(
        answer.stated,
        answer.requested or learned,
        headers=answer.headers,
        source=answer.source or "",
        seen=learned if is_vague else None,
    )


def declare_versions(found: Sequence[RobotsVersion]) -> tuple[RobotsVersion, ...]:
    """Return versions that were served until the next, in order of time."""
    ordered = sorted(found, key=lambda version: (version.begin, version.content or b""))
    times = [version.since for version in ordered]
    nexts = [next((other for other in times[at:] if other > time), None)
             for at, time in enumerate(times)]  # fmt: skip
    return tuple(
        RobotsVersion(one.content, one.since, until, one.headers, one.source)
        for one, until in zip(ordered, nexts, strict=True)
    )


def observe_versions(found: Sequence[RobotsVersion]) -> list[RobotsVersion]:
    """Return the versions that were received at certain times, in order of time.

    Of each, `since` is the time, or the beginning of the span in which it was, and `seen` its end.
    """
    spans: list[list[RobotsVersion]] = []
    for version in found:
        if spans and spans[-1][-1].content == version.content:
            spans[-1].append(version)
        else:
            spans.append([version])
    versions = []
    for place, span in enumerate(spans):
        first, last = span[0], span[-1]
        since = spans[place - 1][-1].since if place else first.since
        until = latest(spans[place + 1][0]) if place + 1 < len(spans) else None
        received = min(map(latest, span))
        versions.append(
            RobotsVersion(first.content, since, until, last.headers, first.source, received)
        )
    return versions


def latest(one: RobotsVersion) -> datetime:
    """Return the latest time at which something was received for the first time."""
    return one.since if one.seen is None else one.seen
