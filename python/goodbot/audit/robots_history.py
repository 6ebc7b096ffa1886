r"""The robots.txt of a site over time, as far as it is known.

Scope: values. What reads files, repositories, stores and archives is in `goodbot.policy_tables`.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TypeAlias

from goodbot._core import origin
from goodbot.display import short_repr
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.fields import Fields, field_lines
from goodbot.http.instants import checked_time, instant

__all__ = ["RobotsHistory", "RobotsVersion", "TimedContent"]

TimedContent: TypeAlias = tuple[datetime, bytes | None]
"""A time, and the content of robots.txt; `None` if there was none."""

ABSENT = "absent"


@dataclass(frozen=True)
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
        """Check the times."""
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


def latest(one: RobotsVersion) -> datetime:
    """Return the latest time at which something was received for the first time."""
    return one.since if one.seen is None else one.seen


@dataclass(frozen=True)
class RobotsHistory:
    r"""The robots.txt of one site over time.

    >>> from datetime import datetime, timezone
    >>> def day(number):
    ...     return datetime(2026, 1, number, tzinfo=timezone.utc)
    >>> history = RobotsHistory.declared(
    ...     "https://example.com", [(day(1), b""), (day(5), b"User-agent: *\nDisallow: /")]
    ... )
    >>> [version.since.day for version in history.versions], history.known_until
    ([1, 5], None)

    Raises:
        NoOriginError: `site` has no origin.
        WrongTypeError: Something else than versions is passed.
    """

    site: str
    """The origin: scheme, host and port. Any URL of the site is accepted."""
    versions: tuple[RobotsVersion, ...]
    """Its versions, the earliest first; they are sorted when the history is made. Where several may
    have been served at a time, the audit uses the one that is best for the robot."""
    known_from: datetime | None = None
    """Before this time, nothing is known; by default, from the first version on."""
    known_until: datetime | None = None
    """After this time, nothing is known; `None` if the last version is still in force."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Sort the versions, and check them."""
        object.__setattr__(self, "site", origin(self.site))
        if not all(isinstance(one, RobotsVersion) for one in self.versions):
            message = "versions must be RobotsVersion; RobotsHistory.declared takes (time, bytes)"
            raise WrongTypeError(message)
        ordered = sorted(self.versions, key=lambda one: (one.begin, one.content or b""))
        object.__setattr__(self, "versions", tuple(ordered))
        if self.known_from is None and ordered:
            object.__setattr__(self, "known_from", ordered[0].since)
        for time in (self.known_from, self.known_until):
            if time is not None:
                checked_time(time, "known_from and known_until")

    @classmethod
    def declared(
        cls,
        site: str,
        contents: Iterable[TimedContent],
        *,
        headers: Mapping[str, str] | Sequence[tuple[str, str]] = (),
        source: str = "",
    ) -> "RobotsHistory":
        """Make a history of files, each of which was served from its time until the next.

        Args:
            site: Any URL of the site.
            contents: Pairs of an aware `datetime` and the bytes of the file, or `None` for none, in
                any order. Those of one time may all have been served.
            headers: The header fields that were sent with each, if they state a lifetime.
            source: Where they were read.

        Raises:
            NoOriginError: `site` has no origin.
            WrongTypeError: A time is not a `datetime`.
            WrongValueError: A time is naive.

        """
        fields = field_lines(headers)
        pairs = sorted(contents, key=lambda pair: instant(pair[0], "time"))
        times = [time for time, _ in pairs]
        nexts = [next((other for other in times[at:] if other > time), None)
                 for at, time in enumerate(times)]  # fmt: skip
        return cls(
            site,
            tuple(
                RobotsVersion(content, time, until, fields, source)
                for (time, content), until in zip(pairs, nexts, strict=True)
            ),
        )

    @classmethod
    def observed(cls, site: str, seen: Iterable[RobotsVersion]) -> "RobotsHistory":
        """Make a history of what somebody received at certain times.

        When it changed in between is not known: each version may have been served from the time at
        which the one before it was last seen until the time at which the next one was first seen.
        After the last time nothing is known.

        Args:
            site: Any URL of the site.
            seen: What was received, with `since` as the time; `until` is ignored. If the time is
                only known to be within a span, `since` is its beginning, and `seen` its end.

        Raises:
            NoOriginError: `site` has no origin.

        """
        ordered = sorted(seen, key=lambda one: one.begin)
        if not ordered:
            return cls(site, ())
        spans: list[list[RobotsVersion]] = []
        for one in ordered:
            if spans and spans[-1][-1].content == one.content:
                spans[-1].append(one)
            else:
                spans.append([one])
        versions = []
        for place, span in enumerate(spans):
            first, last = span[0], span[-1]
            since = spans[place - 1][-1].since if place else first.since
            until = latest(spans[place + 1][0]) if place + 1 < len(spans) else None
            received = min(map(latest, span))
            versions.append(
                RobotsVersion(first.content, since, until, last.headers, first.source, received)
            )
        return cls(site, tuple(versions), min(map(latest, ordered)), ordered[-1].since)

    @cached_property
    def known_span(self) -> tuple[int, int] | None:
        """The first and the last microsecond of which something is known; `None` if there is none.

        Raises:
            WrongValueError: `known_from` is after `known_until`.
        """
        if not self.versions or self.known_from is None:
            return None
        first = instant(self.known_from, "known_from")
        last = LAST if self.known_until is None else instant(self.known_until, "known_until")
        if first > last:
            message = "known_from must not be after known_until"
            raise WrongValueError(message)
        return first, last


LAST = 2**62
"""Later than any time."""
