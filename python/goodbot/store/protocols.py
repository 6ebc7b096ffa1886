"""What a store can do, with any backend: four protocols and their values.

A new backend implements these with the help of `goodbot.store.backend`, and is tested by
`goodbot.testing.StoreSuite`, and by `SharedStoreSuite` if processes share it. See
docs/how-to/stores.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from goodbot.display import short_repr
from goodbot.http.instants import in_seconds
from goodbot.lazy_dataclass import dataclass
from goodbot.pace import History
from goodbot.policy.answer_policies import answers_of_record
from goodbot.policy.holds import Hold, HoldKind
from goodbot.policy.robots_txt_answer import RobotsTxtAnswer

__all__ = [
    "LATER_REASONS",
    "Budget",
    "HoldKeeper",
    "Later",
    "Lease",
    "PolicyStore",
    "Record",
    "Store",
    "StoredPolicy",
    "Timekeeper",
]

Record: TypeAlias = Mapping[str, Any]
"""A policy as plain values: `str`, `int`, `float`, `bool`, `None`, `bytes`, and lists and
dictionaries of those with `str` for keys, such as `goodbot.Policy.as_record()` gives.

It is nested at most 64 levels deep, and no key begins with NUL: a store may use such keys itself,
as goodbot's stores do for bytes."""

LATER_REASONS: dict[str, str] = {
    "leased": "Another visit is under way.",
    "lost": "The holder of the last lease did not release it: its visit counts as having lasted as "
    "long as the lease.",
    "blocked": "The origin is blocked until then.",
    "released": "The last visit was released without a reason.",
    "server-group": "Another host of the same server group is being visited, or was visited too "
    "recently.",
}
"""The reasons of stores; other reasons are passed to them, such as `goodbot.pace.REASONS`."""


@dataclass(frozen=True, slots=True, repr=False)
class StoredPolicy:
    """A policy in the history of a store, and the time for which it was seen."""

    first: datetime
    """When it was seen first, in UTC."""
    last: datetime
    """When it was last seen without another in between, in UTC."""
    sha256: str | None
    """The SHA-256, in hexadecimal, of the first `bytes` in the record, in the order of its keys:
    for a `goodbot.Policy`, of the body of robots.txt. `None` if it has no `bytes`."""
    record: dict[str, Any]
    """The record as it was put last."""

    __repr__ = short_repr

    @property
    def answers(self) -> tuple[RobotsTxtAnswer, ...]:
        """The answers to requests for robots.txt of which it has a record, in order.

        They are the file when it was found, and the last answer; none if the record is not that of
        a `goodbot.Policy`.
        """
        return tuple(answers_of_record(self.record, self.first))


@dataclass(frozen=True, slots=True, repr=False)
class Lease:
    """The right to make one visit. Finish before `expires`, then release it."""

    origin: str
    """The origin."""
    number: int
    """The number of the grant: larger than that of any earlier lease of the origin."""
    holder: str
    """The name of its holder."""
    granted: datetime
    """When it was granted, in UTC."""
    expires: datetime
    """When it ends, in UTC: a holder that has not released it by then counts as vanished."""
    history: History = field(compare=False)
    """The past visits to the origin, for `goodbot.pace.Pace.turn`."""

    __repr__ = short_repr

    def __bool__(self) -> Literal[True]:
        """Return `True`: it is a lease."""
        return True


@dataclass(frozen=True, slots=True, repr=False)
class Later:
    """No lease: when to try again, and why. It is falsy."""

    not_before: datetime
    """When to try again, in UTC; trying earlier does not help."""
    reason: str
    """The reason: one of `LATER_REASONS`, or the one passed when the last lease was released."""
    holder: str = ""
    """The holder of the current lease if the reason is `leased`; the group if it is `server-group`;
    else empty."""

    __repr__ = short_repr

    def __bool__(self) -> Literal[False]:
        """Return `False`: it is not a lease."""
        return False

    def __str__(self) -> str:
        """Return it as a sentence."""
        return f"Not before {in_seconds(self.not_before)}: {self.because}."

    @property
    def because(self) -> str:
        """The end of the sentence."""
        if self.reason == "leased":
            return f"{self.holder or 'another'} is visiting"
        if self.reason == "server-group":
            return f"the hosts of the server group {self.holder} are visited one at a time"
        return self.reason


@runtime_checkable
class PolicyStore(Protocol):
    """Stores policies by origin, including every one that it has ever seen.

    In each method `origin` is an origin or any URL of it. Times are aware. Invalid arguments raise
    before anything is stored:

    | given | raises | the message names |
    |---|---|---|
    | a naive time | `WrongValueError` | `timezone.utc` |
    | a URL without an origin | `NoOriginError` | |
    | a record with other than plain values | `WrongTypeError` | `as_record` |
    | a number in it that is not finite | `WrongValueError` | `as_record` |
    | a key in it that begins with NUL | `WrongValueError` | `NUL` |
    | one nested deeper than 64 levels | `WrongValueError` | `deeper` |
    | `lease_seconds` or `pause` below 0 | `WrongValueError` | `0 or more` |
    | a holder that is no `str` | `WrongTypeError` | `a name` |
    | a history that is no `History` | `WrongTypeError` | `History` |

    The functions of `goodbot.store.backend` raise these. If the store cannot be read or written, it
    raises `StoreError` or an exception derived from it.
    """

    def get(self, origin: str) -> dict[str, Any] | None:
        """Return the record that was put last; `None` if there is none."""

    def put(self, origin: str, record: Record, now: datetime) -> None:
        """Store a record.

        If its `bytes` and its `access` equal those of the previous record, that entry is extended
        and gets the new values. Otherwise a new entry of the history begins. Times do not go back:
        a record with an earlier time than the last one counts as directly after it.
        """

    def put_many(self, records: Iterable[tuple[str, Record]], now: datetime) -> None:
        """Store many records: all of them or, if one raises, none."""

    def history(self, origin: str) -> list[StoredPolicy]:
        """Return every policy ever seen, oldest first. One that came back is there twice."""

    def in_force(self, origin: str, at: datetime) -> StoredPolicy | None:
        """Return the policy that was in force at a time; `None` if there was none yet."""


@runtime_checkable
class Budget(Protocol):
    """Grants visits to an origin: one at a time, and none too early.

    This holds between processes too if the store is shared. In each method `origin` is an origin or
    any URL of it, or `group:` and the name of a server group (`goodbot.pace.Manners.groups`), which
    has an account of its own; exceptions are those of `PolicyStore`. Holders and reasons may be any
    text. A time after the year 9999 becomes its last moment.

    If times are those of the time of day, a clock may have been set back. That is assumed if a
    start or an end in the history, or the grant of a lease in use, is more than five seconds ahead
    of `now` in `acquire`. Then the whole account moves back by as much, so that no wait is longer
    than the pause or the block, counted from now.

    A robot reads two optional attributes of a store: `at_once`, which is true if no call ever
    blocks, so that the robot calls without a thread; and, only if that is true, `lent`, the
    `asyncio.Future` that is done when a thread that uses the store for a while returns it, or
    `None`. Otherwise the robot calls in threads, several at a time.

    A store that has some accounts in memory may have two further methods, which the robot calls
    first, without a thread: `acquire_at_once` and `release_at_once` have the arguments of `acquire`
    and `release`, and return `None` if those must be called.
    """

    def acquire(
        self,
        origin: str,
        now: datetime,
        lease_seconds: float,
        holder: str,
        *,
        pause: float = 10.0,
        for_robots_txt: bool = False,
    ) -> Lease | Later:
        """Request a lease, the right to make one visit.

        Args:
            origin: The origin to visit.
            now: The time: an aware `datetime`.
            lease_seconds: The longest time that the visit may take.
            holder: The name of the caller, for people.
            pause: Seconds to wait after the lease if its holder vanishes; only the holder knows the
                pace of the origin (`goodbot.pace.Pace.interval`).
            for_robots_txt: Grant it before the time that was set when the last lease was released:
                the pace in robots.txt does not apply to the request that checks whether it changed.
                The caller computes what does apply from `Lease.history`. A visit that is under way
                and a block still apply.

        Returns:
            A lease, or when to try again and why. While another visit is under way, that is `now`
            plus the pause, but no later than the end of its lease plus the pause. If a block ends
            at the time for which the last lease was released, the reason is that of the block.

            A visit whose holder vanished is in the history of the next lease, from its grant to its
            expiry; how long its document took is unknown, and `History.took` stays as it was.

        """

    def release(
        self,
        lease: Lease,
        *,
        ended: datetime,
        not_before: datetime | None,
        reason: str = "released",
        history: History | None = None,
    ) -> bool:
        """Release a lease; return whether it was still valid.

        Args:
            lease: The lease.
            ended: When the visit ended.
            not_before: When the next may begin (`goodbot.pace.Turn.not_before`); never earlier than
                `ended`. `None`: never.
            reason: The reason for that (`goodbot.pace.Turn.reason`).
            history: The history with this visit; `None` if there was no visit.

        Returns:
            Whether the lease was still valid: it is the last one granted, and was not released
            before. An expired lease is valid until a later one is granted. If it was not valid, no
            visit begins earlier than `not_before` either, and the history stays as it is.

        """

    def block(self, origin: str, until: datetime, reason: str = "blocked") -> None:
        """Grant nothing before a time; an earlier block that lasts longer stays."""

    def visits(self, origin: str) -> History:
        """Return the history of visits; `History()` if there was none."""


@runtime_checkable
class Store(PolicyStore, Budget, Protocol):
    """A store of both policies and budgets: `MemoryStore`, `SQLiteStore`, or your own."""


@runtime_checkable
class Timekeeper(Protocol):
    """A budget whose pauses do not depend on the time of day, which may be set forward or back.

    A `Budget` may implement this as well. Then robots pass it the time of their clocks, and count
    the times in its other methods from its answer. A budget without it gets the time of day at
    which each robot began, plus the seconds since.
    """

    def keep_time(self, boot: str, wall: datetime, counted: timedelta) -> datetime:
        """Record the time of a clock; return the point from which to count its time.

        All callers with the same `boot` get the same answer, so that their times can be compared
        even if the time of day changes. Times from others, such as those before a restart of the
        machine, are compared by the time of day: if the clock was set back, no wait is longer than
        the pause, counted from now.

        Args:
            boot: A name for the point from which `counted` counts; empty if unknown.
            wall: The time of day: aware.
            counted: The time since that point.

        Returns:
            The point from which to count: aware. The first answer for a `boot` stays, whatever
            `wall` and `counted` are later.

        Raises:
            StoreError: The store cannot be read or written.
            WrongTypeError: `wall` is not a `datetime`.
            WrongValueError: `wall` is naive.

        """


@runtime_checkable
class HoldKeeper(Protocol):
    """Stores the operator's decisions: which sites and URLs the robots of a store must not visit.

    A store may implement this as well. Robots that use it obey a decision within a second,
    whichever process stores it.
    """

    def holds(self) -> Sequence[Hold]:
        """Return every current decision, by scope and kind.

        Raises:
            StoreError: The store cannot be read.

        """

    def keep_hold(self, hold: Hold) -> None:
        """Store a decision; it replaces an earlier one of its kind with the same scope.

        Raises:
            StoreError: The store cannot be written.

        """

    def lift_hold(self, place: str, kind: HoldKind) -> bool:
        """Remove a decision.

        Args:
            place: The origin or the URL that it is about, in any spelling (`Hold.of`).
            kind: `block` or `pause`.

        Returns:
            Whether there was one.

        Raises:
            NoOriginError: The place is no absolute URL of http or https.
            StoreError: The store cannot be written.

        """
