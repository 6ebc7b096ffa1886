"""The account of one origin, and how requests and releases of leases change it.

Scope: decisions. Backends load an account, call a function of this module, and save the result, in
one transaction. So every backend grants leases in the same way.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any, NamedTuple

from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.instants import EPOCH, MICROSECOND, SECOND, checked_duration, instant
from goodbot.pace import History
from goodbot.pace.history import STARTS_KEPT
from goodbot.store.protocols import Later, Lease

__all__ = [
    "SLACK",
    "Account",
    "LeaseRequest",
    "Release",
    "abandoned",
    "blocked",
    "due_of",
    "granted",
    "known",
    "lease_of",
    "lost",
    "released",
    "to_time",
]

END_OF_TIME = datetime.max.replace(tzinfo=timezone.utc)
NEVER = instant(END_OF_TIME, "never")


SLACK = 5 * SECOND
"""How far ahead a time may be without being a sign that the clock was set back, if several
processes use the time of day: one of them may have waited for the store."""


class Account(NamedTuple):
    """The stored state of an origin. Times are microseconds since 1970."""

    number: int = 0
    """The number of the last lease."""
    held: int = 0
    """1 if it has not been released yet."""
    holder: str = ""
    granted: int = 0
    expires: int = 0
    pause: int = 0
    """The pause after the lease if its holder vanishes."""
    due: int = -NEVER
    """When the next lease may be granted. While one is held: if its holder vanishes."""
    reason: str = ""
    block: int = -NEVER
    """Until when nothing is granted, even if a lease is released."""
    blocked_by: str = ""
    history: History = History()

    def columns(self) -> tuple[object, ...]:
        """Return the values without the history, in order."""
        return self[:-1]

    def as_dict(self) -> dict[str, Any]:
        """Return the account as plain values, which `json.dumps` can write."""
        plain = dict(zip(self._fields, self.columns(), strict=False))
        return plain | {"history": self.history.as_dict()}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Account":
        """Return the account that `as_dict` described.

        Raises:
            WrongValueError: It is not a complete record of an account. A store then raises
                `NotAStoreError`: an unreadable account is not permission to visit.

        """
        kinds = {name: type(value) for name, value in Account().as_dict().items()}
        if {name: type(value) for name, value in record.items()} != kinds:
            message = (
                "this is not a complete record of an account; pass the result of Account.as_dict()"
            )
            raise WrongValueError(message)
        return cls(**{**record, "history": History.from_dict(record["history"])})

    def shifted(self, by: int) -> "Account":
        """Return the same account on a clock that is ahead of this one by so many microseconds."""
        if not by:
            return self
        return self._replace(
            granted=self.granted + by,
            expires=bounded(self.expires, by),
            due=bounded(self.due, by),
            block=bounded(self.block, by),
            history=self.history.shifted(by),
        )

    def no_later_than(self, now: int, slack: int = 0) -> "Account":
        """Return the account as if its clock had not been ahead of `now`.

        Past events cannot be in the future. If they are, the clock was set back, and everything
        moves back with it, so that no wait is longer than the pause or the block, counted from now.

        Args:
            now: The time of the current clock, in microseconds.
            slack: Microseconds ahead that are tolerated: other processes may have used the store
                while `now` waited for them.

        """
        past = [*self.history.starts[:1]]
        past += [] if self.history.end is None else [self.history.end]
        past += [self.granted] if self.held else []
        ahead = max(past, default=now) - now
        return self.shifted(-ahead) if ahead > slack else self


class LeaseRequest(NamedTuple):
    """The arguments of `acquire`, checked."""

    origin: str
    now: int
    seconds: int
    holder: str
    pause: int
    for_robots_txt: bool = False

    @classmethod
    def of(
        cls,
        origin: str,
        now: datetime,
        lease_seconds: float,
        holder: str,
        pause: float,
        for_robots_txt: bool,  # noqa: FBT001
    ) -> "LeaseRequest":
        """Check the arguments."""
        if not isinstance(holder, str):
            message = f"holder must be a name, not {type(holder).__name__}"
            raise WrongTypeError(message)
        seconds = checked_duration(lease_seconds, "lease_seconds")
        wait = min(checked_duration(pause, "pause"), NEVER)
        return cls(origin, instant(now, "now"), seconds, holder, wait, bool(for_robots_txt))


class Release(NamedTuple):
    """The arguments of `release`, checked."""

    due: int
    reason: str
    history: History | None

    @classmethod
    def of(
        cls, ended: datetime, not_before: datetime | None, reason: str, history: History | None
    ) -> "Release":
        """Check the arguments."""
        if history is not None and not isinstance(history, History):
            message = f"history must be a History or None, not {type(history).__name__}"
            raise WrongTypeError(message)
        next_one = NEVER if not_before is None else instant(not_before, "not_before")
        return cls(max(instant(ended, "ended"), next_one), str(reason), history)


def bounded(instant: int, by: int) -> int:
    """Move a time; the values for never and always stay."""
    return instant if abs(instant) >= NEVER else max(min(instant + by, NEVER), -NEVER)


def to_time(microseconds: int) -> datetime:
    """Return the time in UTC; beyond the year 9999, its last moment."""
    try:
        return EPOCH + microseconds * MICROSECOND
    except OverflowError:
        return END_OF_TIME


def due_of(account: Account) -> datetime | None:
    """Return when the next lease may be granted; `None`: never, as `Budget.release` has it."""
    return None if account.due >= NEVER else to_time(account.due)


def known(account: Account) -> History:
    """Return the history; a lease in use counts as a visit until it expires."""
    history = account.history
    if not account.held:
        return history
    end = account.expires if history.end is None else max(history.end, account.expires)
    starts = tuple(sorted((account.granted, *history.starts), reverse=True)[:STARTS_KEPT])
    return replace(history, end=end, starts=starts)


def granted(account: Account, asked: LeaseRequest) -> tuple[Account | None, Lease | Later]:
    """Grant a lease, or return when to try again; the account is `None` if it is unchanged."""
    if account.held and asked.now < account.expires:
        # The visit ends now at the earliest, and the pause follows it.
        back = to_time(min(asked.now + max(account.pause, 1), account.due))
        return None, Later(back, "leased", account.holder)
    due = -NEVER if asked.for_robots_txt else account.due
    if asked.now < max(due, account.block):
        by_block = account.block >= due
        reason = account.blocked_by if by_block else account.reason
        return None, Later(to_time(max(due, account.block)), reason)
    history = known(account) if account.held else account.history
    expires = min(asked.now + asked.seconds, NEVER)
    # Not by `replace`, which takes four times as long: this is called for each visit.
    changed = Account(
        account.number + 1,
        1,
        asked.holder,
        asked.now,
        expires,
        asked.pause,
        min(expires + asked.pause, NEVER),
        "lost",
        account.block,
        account.blocked_by,
        history,
    )
    return changed, lease_of(changed, asked.origin)


def lease_of(account: Account, origin: str) -> Lease:
    """Return the lease in an account."""
    return Lease(
        origin,
        account.number,
        account.holder,
        to_time(account.granted),
        to_time(account.expires),
        account.history,
    )


def released(account: Account, lease: Lease, given: Release) -> tuple[Account, bool]:
    """Release a lease. A late release can only make others wait longer."""
    if not account.held or account.number != lease.number:
        return blocked(account, given.due, given.reason), False
    history = account.history if given.history is None else given.history
    changed = Account(
        account.number,
        0,
        account.holder,
        account.granted,
        account.expires,
        account.pause,
        given.due,
        given.reason,
        account.block,
        account.blocked_by,
        history,
    )
    return changed, True


def abandoned(account: Account, now: int) -> Account | None:
    """End a lease whose holder is known to be gone; return `None` if there is none.

    The visit may have lasted until now; the pause that the holder named follows.
    """
    if not account.held:
        return None
    ended = max(account.granted, min(now, account.expires))
    history = known(account._replace(expires=ended))
    due = min(ended + account.pause, NEVER)
    return account._replace(held=0, due=due, reason="lost", history=history)


def lost(account: Account, began: int, pause: int, now: int) -> Account:
    """Return the account of an origin after a visit of which only the start is known.

    It counts as a lease in use, so the next visit is that much later.
    """
    if account.held and account.granted == began:
        return account
    # A lease in use is as old, so no one holds it any more.
    before = abandoned(account, now) or account
    return before._replace(
        number=account.number + 1,
        held=1,
        granted=began,
        expires=max(now, began),
        pause=max(pause, account.pause if account.held else 0),
    )


def blocked(account: Account, until: int, reason: str) -> Account:
    """Block until a time; an earlier block that lasts longer stays."""
    if account.block >= until:
        return account
    return account._replace(block=until, blocked_by=reason)
