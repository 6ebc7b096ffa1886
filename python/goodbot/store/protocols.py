"""What a store can do, whatever keeps it: four protocols, and the values that they speak in.

A new backend implements these, with what `goodbot.store.backend` has, and is tested by
`goodbot.testing.StoreSuite`, and by `SharedStoreSuite` if processes share it;
docs/how-to/stores.md shows one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from goodbot.display import short_repr
from goodbot.pace import History
from goodbot.policy.holds import Hold, HoldKind

__all__ = [
    "LATER_REASONS",
    "Budget",
    "HoldKeeper",
    "Later",
    "Lease",
    "PolicyStore",
    "Record",
    "Seen",
    "Timekeeper",
]

Record: TypeAlias = Mapping[str, Any]
"""A policy as plain values: `str`, `int`, `float`, `bool`, `None`, `bytes`, and lists and
dictionaries of those with `str` for keys, such as `goodbot.Policy.as_record()` gives.

It is nested 64 levels deep at most, and no key begins with NUL: a store may keep something of its
own there, as goodbot's keep bytes under "\\0octets"."""

LATER_REASONS: dict[str, str] = {
    "leased": "Another visit is under way.",
    "lost": "The holder of the last lease did not come back: its visit is taken to have lasted as "
    "long as the lease.",
    "blocked": "The origin is blocked until then.",
    "released": "The last visit was released without a reason.",
}
"""The reasons of a store's own; others are handed to it, such as `goodbot.pace.REASONS`."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A policy, and how long it was seen."""

    first: datetime
    """When it was seen first, in UTC."""
    last: datetime
    """When it was seen last without another between, in UTC."""
    sha256: str | None
    """The SHA-256, in hexadecimal, of the first `bytes` in the record, in the order of its keys:
    for a `goodbot.Policy`, of the body of robots.txt. `None` if it has no `bytes`."""
    record: dict[str, Any]
    """The record as it was put last."""

    __repr__ = short_repr


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to make one visit. Finish before `expires`, and release it."""

    origin: str
    """The origin."""
    number: int
    """The number of the grant: larger than that of any earlier lease of the origin."""
    holder: str
    """Who has it."""
    granted: datetime
    """From when, in UTC."""
    expires: datetime
    """Until when, in UTC: anyone who has not come back then is taken to have vanished."""
    history: History = field(compare=False)
    """What has happened with the origin: what `goodbot.pace.Pace.turn` wants."""

    __repr__ = short_repr

    def __bool__(self) -> Literal[True]:
        """Whether it is one: always."""
        return True


@dataclass(frozen=True, slots=True)
class Later:
    """No lease: when to come back, and why. It is falsy."""

    not_before: datetime
    """When to ask again, in UTC; earlier is in vain."""
    reason: str
    """Why: one of `LATER_REASONS`, or what was given when the last visit was released."""
    holder: str = ""
    """Who is visiting; empty unless the reason is `leased`."""

    __repr__ = short_repr

    def __bool__(self) -> Literal[False]:
        """Whether it is a lease: never."""
        return False

    def __str__(self) -> str:
        """Return it as a sentence."""
        why = f"{self.holder or 'another'} is visiting" if self.reason == "leased" else self.reason
        return f"Not before {self.not_before}: {why}."


@runtime_checkable
class PolicyStore(Protocol):
    """Keeps policies by origin, and every one that it has ever seen.

    In each method `origin` is an origin or any URL of it. Times are aware. What a method is given
    wrongly raises, before anything is kept:

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

    The functions of `goodbot.store.backend` raise these. What cannot be read or written raises
    `StoreError` or an exception derived from it.
    """

    def get(self, origin: str) -> dict[str, Any] | None:
        """Return the record that was put last; `None` if there is none."""

    def put(self, origin: str, record: Record, now: datetime) -> None:
        """Keep a record.

        If all its `bytes` and its `access` are those of the record before, that one is seen longer,
        and the new values take its place. Else a new entry of the history begins. Times do not go
        back: a record that is put earlier than the last one is taken to be right after it.
        """

    def put_many(self, records: Iterable[tuple[str, Record]], now: datetime) -> None:
        """Keep many records: all of them or, if one raises, none."""

    def history(self, origin: str) -> list[Seen]:
        """List every policy ever seen, the oldest first. One that came back is there twice."""

    def in_force(self, origin: str, at: datetime) -> Seen | None:
        """Return the policy that was in force at a time; `None` if there was none yet."""


@runtime_checkable
class Budget(Protocol):
    """Grants visits to an origin: one at a time, and none too early.

    Between processes, too, if the store is shared. In each method `origin` is an origin or any URL
    of it; misuse and failures are those of `PolicyStore`. Holders and reasons are any text, NUL and
    other scripts included. A time beyond the calendar is its last moment, in the year 9999.

    Where times go by the time of day, a clock may have been set back since. It was if a start or an
    end in the history, or the grant of a lease that is out, lies more than five seconds ahead of
    `now` in `acquire`. Then the whole account moves back by as much, so that nobody waits longer
    than the pause or the block, counted from now.

    A robot reads two attributes, which a store need not have: `at_once`, which is true if no call
    ever waits, so that the robot calls without a thread; and, only if that is true, `lent`, the
    `asyncio.Future` that is done when a thread that has the store for a while gives it back, or
    `None`. Otherwise the robot calls in threads, several at a time.
    """

    def acquire(  # noqa: PLR0913  each is documented below
        self,
        origin: str,
        now: datetime,
        lease_seconds: float,
        holder: str,
        *,
        pause: float = 10.0,
        for_robots_txt: bool = False,
    ) -> Lease | Later:
        """Ask for the right to make one visit.

        Args:
            origin: Where to.
            now: The time: an aware `datetime`.
            lease_seconds: How long the visit may take at most.
            holder: Who asks; for people.
            pause: Seconds to leave behind the lease if its holder vanishes, as only the holder
                knows the pace of the origin (`goodbot.pace.Pace.interval`).
            for_robots_txt: Grant it before the time that was set when the last visit was released:
                what robots.txt says of the pace does not bear on asking whether it still says so.
                Anyone who asks so counts from `Lease.history` what does bear on it. A visit that is
                under way and a block are waited for all the same.

        Returns:
            A lease, or when to come back and why. While another visit is under way, that is `now`
            and the pause, but no later than the end of its lease and the pause. If a block ends at
            the time for which the last visit was released, the reason is that of the block.

            A visit whose holder vanished is in the history of the next lease from its grant to its
            expiry; how long its document took is not known, and `History.took` stays as it was.

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
        """Return a lease back.

        Args:
            lease: The lease.
            ended: When the visit ended.
            not_before: When the next may be (`goodbot.pace.Turn.not_before`); never earlier than
                `ended`. `None`: never.
            reason: Why then (`goodbot.pace.Turn.reason`).
            history: The history with this visit; `None` if there was none, and it stays as it was.

        Returns:
            Whether the lease still held: it is the last one granted, and was not released before.
            One that has expired holds as long as nobody else has a later one. Otherwise no
            visit comes earlier than `not_before` either, and the history stays as it is.

        """

    def block(self, origin: str, until: datetime, reason: str = "blocked") -> None:
        """Grant nothing before a time; an earlier block that lasts longer stays."""

    def visits(self, origin: str) -> History:
        """Return the history of visits; `History()` if there was none."""


@runtime_checkable
class Timekeeper(Protocol):
    """A budget whose pauses do not depend on the time of day, which may be set forward or back.

    A `Budget` may do this as well. Then robots tell it what their clocks show, and count the times
    in its other methods from what it answers. A budget without it is given the time of day as each
    robot knew it when it began, and the seconds since.
    """

    def keep_time(self, boot: str, wall: datetime, counted: timedelta) -> datetime:
        """Note what a clock shows; return from when its count is to be counted.

        All who count from the same point get the same answer, so that their times can be compared
        whatever the time of day does. What others wrote, before a restart of the machine say, is
        compared by the time of day, with care: who set the clock back makes nobody wait longer than
        the pause, counted from now.

        Args:
            boot: Names the point from which `counted` counts; empty if nobody knows.
            wall: The time of day: aware.
            counted: What has passed since that point.

        Returns:
            The point from which to count: aware. The first answer for a `boot` stays, whatever
            `wall` and `counted` show later.

        Raises:
            StoreError: The store cannot be read or written.
            WrongTypeError: `wall` is not a `datetime`.
            WrongValueError: `wall` is naive.

        """


@runtime_checkable
class HoldKeeper(Protocol):
    """Keeps what the operator has decided: which sites and URLs the robots of a store leave alone.

    A store may do this as well. Robots that use it obey within a second, anyone who writes it down.
    """

    def holds(self) -> Sequence[Hold]:
        """Return every decision that holds, by scope and kind.

        Raises:
            StoreError: The store cannot be read.

        """

    def keep_hold(self, hold: Hold) -> None:
        """Keep a decision, in place of an earlier one of its kind about the same scope.

        Raises:
            StoreError: The store cannot be written.

        """

    def lift_hold(self, place: str, kind: HoldKind) -> bool:
        """Take a decision back.

        Args:
            place: The origin or the URL that it is about, in any spelling (`Hold.of`).
            kind: `block` or `pause`.

        Returns:
            Whether there was one.

        Raises:
            NoOriginError: The place is no absolute URL of http or https.
            StoreError: The store cannot be written.

        """
