"""The policies of an origin over time: which one held at a time, and whether it was still current.

Scope: it decides about the past, from policies and the times at which they were learned. Where they
come from (WARC files, a store, a table) is the caller's.

Several policies may have been learned at the same time, since many crawlers write times to the
second (WARC 1.0 section 5.4). Which one came last is then unknown, and what is unknown never
permits: all of them must allow a URL.

Source: RFC 9309 section 2.4.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from goodbot._core import Dialect, JudgesByTime, Verdict, origin, robots_txt_url
from goodbot.display import short_repr
from goodbot.errors import OtherOriginError, WrongTypeError
from goodbot.history.values_by_time import ValuesByTime
from goodbot.http.fields import field_lines
from goodbot.http.instants import checked_time, instant
from goodbot.lazy_dataclass import dataclass
from goodbot.policy.answer_policies import policies_of_answers
from goodbot.policy.policy import Policy
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer, answer_order

__all__ = ["LearnedPolicy", "PoliciesThen", "PolicyTimeline", "TimedContent"]

learned_at = attrgetter("at")
MOMENT = timedelta(microseconds=1)
FOUND, ABSENT = 200, 404
UNTIL_THE_NEXT = timedelta.max
"""For how long a policy holds that is declared to: until the next one was learned."""
TimedContent: TypeAlias = tuple[datetime, bytes | None]
"""A time, and the content of robots.txt; `None` if there was none."""
MOST_KEPT = 16 * 1024 * 1024
"""How many bytes are kept of what robots obey that were asked about, for all intervals."""
MOST_CHANGES = 1_000
"""How many changes of a span are considered; with more, nothing is known of it."""


class LearnedPolicy(NamedTuple):
    """A policy, and when it was learned."""

    at: datetime
    """The time from which on it held: that of its last answer, or of its first one, if redirects
    followed that may have led elsewhere."""
    policy: Policy
    """The policy."""
    since: datetime | None = None
    """The earliest time at which it may have been learned, if the time is only known to be within a
    span that ends at `at`: from then on counts how long it permits anything."""
    answer: RobotsTxtAnswer | None = None
    """The answer that it follows from, if the timeline was made of answers."""


@dataclass(frozen=True, slots=True, repr=False)
class PoliciesThen:
    """The policies that held at a time: what a `PolicyTimeline` answers about one moment.

    It is truthy if any is known. Several may be of the same second, so it is no single `Policy`.
    """

    policies: tuple[Policy, ...]
    """Those that were learned last before the time: one, or several of the same time; none if none
    was known then."""
    age: timedelta | None
    """The time since they were learned, or since nothing is known; `None` before the first."""
    is_current: bool
    """Whether they can permit anything: they were still fresh, or the same robots.txt was seen
    again later."""

    __repr__ = short_repr

    def __bool__(self) -> bool:
        """Return whether any is known."""
        return bool(self.policies)

    def may_fetch(self, url: str, robot: str) -> Verdict | None:
        """Return the verdict for a robot of your own; see `Policy.may_fetch`.

        What is forbidden counts at any age; what is permitted counts only while it is current.

        Args:
            url: An absolute URL of this origin.
            robot: A product token or a whole User-Agent string.

        Returns:
            The verdict; `None` if it is unknown, which is not permission.

        Raises:
            MisuseError: See `Policy.may_fetch`.

        """
        return self.decide(one.may_fetch(url, robot) for one in self.policies)

    def decide(self, verdicts: Iterable[Verdict]) -> Verdict | None:
        """Return the verdict that follows from those of the policies; `None` if it is unknown.

        Args:
            verdicts: The verdict of each policy on one URL, in their order.

        """
        found = list(verdicts)
        refused = next((one for one in found if not one.allowed), None)
        if refused is not None:
            return refused
        return found[0] if found and self.is_current else None


@dataclass(frozen=True, slots=True, repr=False)
class PolicyTimeline:
    r"""The policies of one origin, in the order in which they were learned.

    Raises:
        WrongTypeError: What is passed is not a tuple of `LearnedPolicy`.
        WrongValueError: A time is naive.
        OtherOriginError: They are of several origins.

    >>> from datetime import datetime, timedelta, timezone
    >>> from goodbot.history import PolicyTimeline
    >>> from goodbot.policy import Policy
    >>> noon = datetime(2025, 1, 1, 12, tzinfo=timezone.utc)
    >>> address = "https://example.com/robots.txt"
    >>> open_ = Policy.from_response(address, 200, {}, b"", now=noon)
    >>> closed = Policy.from_response(
    ...     address, 200, {}, b"User-agent: *\nDisallow: /", now=noon + timedelta(days=2)
    ... )
    >>> timeline = PolicyTimeline.of([open_, closed])
    >>> def allowed(hours: float) -> bool | None:
    ...     then = timeline.at(noon + timedelta(hours=hours))
    ...     found = then.may_fetch("https://example.com/a", "ExampleBot")
    ...     return None if found is None else found.allowed
    >>> allowed(-1), allowed(1), allowed(30), allowed(48)
    (None, True, None, False)

    Source: RFC 9309 section 2.4: a robots.txt should not be used for more than 24 hours.

    """

    learned: tuple[LearnedPolicy, ...]
    """All policies, the earliest first; they are sorted when the timeline is made. Of those of one
    time, the first one is quoted if all allow."""
    held: timedelta | None = None
    """How long a policy permits anything after it was learned; `None` as long as it is fresh, which
    its `fresh_until` states."""
    unknown_from: tuple[datetime, ...] = ()
    """Times from which on nothing is known, until the next policy was learned: robots.txt led to an
    answer that nobody has. They are sorted when the timeline is made."""
    origin: str = ""
    """The origin that it is of, or any URL of it; needed only if there is no policy."""

    _steps: ValuesByTime[datetime, tuple[LearnedPolicy, ...]] = field(
        init=False, repr=False, compare=False, default=ValuesByTime((), ())
    )
    """The policies that were learned at each time at which anything changed."""
    _judges_by_time: JudgesByTime = field(
        init=False, repr=False, compare=False, default_factory=lambda: JudgesByTime([], 0)
    )
    """What robots obey that were asked about, which `goodbot.bots.asking` keeps here."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check the policies, and sort them."""
        ordered = tuple(sorted(map(checked, self.learned), key=learned_at))
        object.__setattr__(self, "learned", ordered)
        ends = sorted(checked_time(one, "unknown_from") for one in self.unknown_from)
        object.__setattr__(self, "unknown_from", tuple(ends))
        given = {origin(self.origin)} if self.origin else set()
        origins = sorted({one.policy.origin for one in ordered} | given)
        object.__setattr__(self, "origin", origins[0] if origins else "")
        if len(origins) > 1:
            message = (
                f"the policies are of several origins: {', '.join(origins[:3])}; make a timeline "
                "for each origin"
            )
            raise OtherOriginError(message)
        steps = {at: tuple(group) for at, group in groupby(ordered, key=learned_at)}
        unknown = dict.fromkeys(ends, tuple[LearnedPolicy, ...]())
        object.__setattr__(self, "_steps", ValuesByTime.of((unknown | steps).items()))
        moments = [instant(one, "time") for one in self._moments()]
        object.__setattr__(self, "_judges_by_time", JudgesByTime(moments, MOST_KEPT))

    @classmethod
    def of(cls, policies: Iterable[Policy], *, held: timedelta | None = None) -> "PolicyTimeline":
        """Make a timeline of policies that were learned when their last answers came.

        Args:
            policies: The policies of one origin, in any order.
            held: See the class.

        Raises:
            WrongTypeError: One of them is not a policy.
            OtherOriginError: They are of several origins.

        """
        return cls(tuple(map(when_answered, policies)), held)

    @classmethod
    def of_answers(
        cls,
        answers: Iterable[RobotsTxtAnswer],
        *,
        dialect: str | Dialect = "rfc9309",
        held: timedelta | None = None,
    ) -> "PolicyTimeline":
        r"""Make a timeline of answers for one robots.txt, wherever they come from.

        Args:
            answers: Answers of one origin, in any order; those of one time are put in the order of
                `answer_order`. From one that is not captured on, nothing is known.
            dialect: The name of a dialect, or a `Dialect`.
            held: See the class.

        Raises:
            OtherOriginError: They are of several origins.
            UnknownDialectError: There is no dialect of this name.

        >>> from datetime import datetime, timezone
        >>> from goodbot.history import PolicyTimeline
        >>> from goodbot.policy import RobotsTxtAnswer
        >>> noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
        >>> url = "https://example.com/robots.txt"
        >>> file = RobotsTxtAnswer(url, noon, 200, body=b"User-agent: *\nDisallow: /a")
        >>> timeline = PolicyTimeline.of_answers([RobotsTxtAnswer(url, noon, 503), file])
        >>> [one.policy.status for one in timeline.learned]
        [503, 200]

        """
        bodies: dict[bytes, bytes] = {}
        shared = (one._replace(body=bodies.setdefault(one.body, one.body)) for one in answers)
        ordered = sorted(shared, key=lambda one: (one.learned, *answer_order(one)))
        learned, unknown = [], []
        for answer, policy in zip(ordered, policies_of_answers(ordered, dialect), strict=True):
            if policy is None:
                unknown.append(answer.learned)
            else:
                learned.append(LearnedPolicy(answer.learned, policy, answer=answer))
        return cls(tuple(learned), held, tuple(unknown), ordered[0].url if ordered else "")

    @classmethod
    def declared(
        cls,
        site: str,
        contents: Iterable[TimedContent],
        *,
        headers: Mapping[str, str] | Sequence[tuple[str, str]] = (),
        source: str | None = None,
    ) -> "PolicyTimeline":
        r"""Make a timeline of files, each of which was served from its time until the next.

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

        >>> from datetime import datetime, timezone
        >>> from goodbot.history import PolicyTimeline
        >>> def day(number):
        ...     return datetime(2026, 1, number, tzinfo=timezone.utc)
        >>> site = "https://example.com"
        >>> closed = b"User-agent: *\nDisallow: /"
        >>> timeline = PolicyTimeline.declared(site, [(day(1), None), (day(5), closed)])
        >>> [timeline.at(day(at)).may_fetch(f"{site}/a", "ExampleBot").allowed for at in (4, 9)]
        [True, False]

        """
        fields, url = field_lines(headers), robots_txt_url(site)
        answers = [
            RobotsTxtAnswer(
                url,
                checked_time(time, "time"),
                ABSENT if content is None else FOUND,
                headers=fields,
                body=content or b"",
                source=source,
            )
            for time, content in contents
        ]
        found = cls.of_answers(answers, held=UNTIL_THE_NEXT)
        return found if found.learned else cls((), UNTIL_THE_NEXT, origin=site)

    @property
    def is_declared(self) -> bool:
        """Whether each policy held until the next one was learned, for certain."""
        return self.held == UNTIL_THE_NEXT

    def at(self, time: datetime) -> PoliciesThen:
        """Return the policies that held at a time.

        Args:
            time: An aware `datetime`.

        Raises:
            WrongTypeError: It is not a `datetime`.
            WrongValueError: It is naive.

        """
        time = checked_time(time, "time")
        steps = self._steps
        count = steps.count(time)
        if not count:
            return PoliciesThen((), None, is_current=False)
        latest, then = steps.times[count - 1], steps.values[count - 1]
        is_current = bool(then) and not self._has_ended(latest)
        if is_current and not all(self._holds(one, time) for one in then):
            # Until the same robots.txt was seen again, it held, too.
            following = steps.values[count : count + 1]
            is_current = any(
                all(same_file(one.policy, again[0].policy) for one in then)
                for again in following
                if again
            )
        policies = tuple(one.policy for one in then)
        return PoliciesThen(policies, time - latest, is_current=is_current)

    def between(self, first: datetime, last: datetime) -> list[PoliciesThen]:
        """Return the policies that held at each time of a span, one after the other.

        What is to be said of all the span must follow from each of them.

        Args:
            first: The beginning of the span; an aware `datetime`.
            last: Its end, which is part of it.

        Returns:
            The policies at the beginning, at each change and before it, and at the end. In a span
            with more than 1,000 changes nothing is known.

        Raises:
            WrongTypeError: A time is not a `datetime`.
            WrongValueError: A time is naive.

        """
        steps = self._steps
        changes = steps.times[steps.count(first) : steps.count(last)]
        if len(changes) > MOST_CHANGES:
            return [PoliciesThen((), None, is_current=False)]
        # A policy may cease to permit anything before the next one was learned.
        moments = {first, last, *changes, *(one - MOMENT for one in changes)}
        return [self.at(one) for one in sorted(moments) if one >= first]

    def _moments(self) -> Iterator[datetime]:
        """Yield all times from which on `at` may find something else than before but for the age.

        The policies change at a step; they may cease to be current when one of them ends.
        """
        yield from self._steps.times
        for one in self.learned:
            if self.held is None:
                yield one.policy.fresh_until
                continue
            # Beyond what Python has there is no time to ask about.
            with suppress(OverflowError):
                yield (one.since or one.at) + self.held + MOMENT

    def _has_ended(self, time: datetime) -> bool:
        """Return whether nothing is known from a time on."""
        place = bisect_left(self.unknown_from, time)
        return self.unknown_from[place : place + 1] == (time,)

    def _holds(self, one: LearnedPolicy, time: datetime) -> bool:
        """Return whether a policy is still current at a time."""
        if self.held is None:
            return one.policy.is_fresh(time)
        return time - (one.since or one.at) <= self.held


def when_answered(policy: object) -> LearnedPolicy:
    """Return a policy with the time of its last answer.

    Raises:
        WrongTypeError: It is something else.

    """
    if not isinstance(policy, Policy):
        message = f"a timeline is made of policies, not of {type(policy).__name__}"
        raise WrongTypeError(message)
    return LearnedPolicy(policy.fetched_at, policy)


def checked(one: LearnedPolicy) -> LearnedPolicy:
    """Return a policy with its time as the timeline compares it.

    Raises:
        WrongTypeError: It is something else.
        WrongValueError: The time is naive.

    """
    if not isinstance(one, LearnedPolicy) or not isinstance(one.policy, Policy):
        message = (
            f"a timeline is made of LearnedPolicy(at, policy), not of {type(one).__name__}; "
            "PolicyTimeline.of takes policies"
        )
        raise WrongTypeError(message)
    since = None if one.since is None else checked_time(one.since, "since")
    return one._replace(at=checked_time(one.at, "at"), since=since)


def same_file(one: Policy, other: Policy) -> bool:
    """Return whether the same robots.txt was seen again.

    A stored copy that a failed request leaves in force was not seen.
    """
    if one.robots_txt is None or other.robots_txt is None or other.failing_since is not None:
        return False
    return one.robots_txt.content == other.robots_txt.content
