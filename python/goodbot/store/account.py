"""The account of one origin, and what asking and giving back make of it.

Scope: decisions. Backends load an account, ask here, and save what comes out, in one
transaction. So every backend grants alike.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import Any

from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.instants import SECOND, checked_seconds, duration, instant, to_datetime
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
"""Where times may be of several who go by the time of day, so much is no sign that the clock was
set back: one of them may have waited for the store meanwhile."""


@dataclass(frozen=True, slots=True)
class Account:
    """What is kept of an origin. Times are microseconds since 1970."""

    number: int = 0
    """The number of the last lease."""
    held: int = 0
    """1 if it was not given back yet."""
    holder: str = ""
    granted: int = 0
    expires: int = 0
    pause: int = 0
    """What to leave behind the lease if its holder vanishes."""
    due: int = -NEVER
    """When the next lease may be granted. While one is held: if its holder vanishes."""
    reason: str = ""
    block: int = -NEVER
    """Until when nothing is granted, whatever is given back."""
    blocked_by: str = ""
    history: History = field(default_factory=History)

    def columns(self) -> tuple[object, ...]:
        """Return the values without the history, in order."""
        return tuple(getattr(self, name) for name in self.__slots__[:-1])

    def as_dict(self) -> dict[str, Any]:
        """Return the account as plain values, which `json.dumps` can write."""
        plain = dict(zip(self.__slots__, self.columns(), strict=False))
        return plain | {"history": self.history.as_dict()}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "Account":
        """Return the account that `as_dict` described.

        Raises:
            WrongValueError: It is not a complete record of an account. A store then raises
                `NotAStoreError`: an account that cannot be read is no permission to visit.

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
        return replace(
            self,
            granted=self.granted + by,
            expires=bounded(self.expires, by),
            due=bounded(self.due, by),
            block=bounded(self.block, by),
            history=self.history.shifted(by),
        )

    def no_later_than(self, now: int, slack: int = 0) -> "Account":
        """Return the account as it would be had its clock not been ahead of `now`.

        What is known to be past cannot lie ahead. Where it does, the clock was set back since, and
        everything moves back with it: so nobody waits longer than the pause or the block, counted
        from now.

        Args:
            now: The time on the clock that holds, in microseconds.
            slack: Microseconds ahead that are no reason yet: others may have been here while `now`
                waited for them.

        """
        past = [*self.history.starts[:1]]
        past += [] if self.history.end is None else [self.history.end]
        past += [self.granted] if self.held else []
        ahead = max(past, default=now) - now
        return self.shifted(-ahead) if ahead > slack else self


@dataclass(frozen=True, slots=True)
class LeaseRequest:
    """What `acquire` is given, checked."""

    origin: str
    now: int
    seconds: int
    holder: str
    pause: int
    for_robots_txt: bool = False

    @classmethod
    def of(  # noqa: PLR0913, PLR0917  those of `Budget.acquire`
        cls,
        origin: str,
        now: datetime,
        lease_seconds: float,
        holder: str,
        pause: float,
        for_robots_txt: bool,  # noqa: FBT001
    ) -> "LeaseRequest":
        """Check what is given."""
        if not isinstance(holder, str):
            message = f"holder must be a name, not {type(holder).__name__}"
            raise WrongTypeError(message)
        seconds = duration(checked_seconds(lease_seconds, "lease_seconds"))
        wait = min(duration(checked_seconds(pause, "pause")), NEVER)
        return cls(origin, instant(now, "now"), seconds, holder, wait, bool(for_robots_txt))


@dataclass(frozen=True, slots=True)
class Release:
    """What `release` is given, checked."""

    due: int
    reason: str
    history: History | None

    @classmethod
    def of(
        cls, ended: datetime, not_before: datetime | None, reason: str, history: History | None
    ) -> "Release":
        """Check what is given."""
        if history is not None and not isinstance(history, History):
            message = f"history must be a History or None, not {type(history).__name__}"
            raise WrongTypeError(message)
        next_one = NEVER if not_before is None else instant(not_before, "not_before")
        return cls(max(instant(ended, "ended"), next_one), str(reason), history)


def bounded(instant: int, by: int) -> int:
    """Move an instant; what stands for never, or for always, stays."""
    return instant if abs(instant) >= NEVER else max(min(instant + by, NEVER), -NEVER)


def to_time(microseconds: int) -> datetime:
    """Return the time in UTC; beyond the calendar, the end of that."""
    return to_datetime(microseconds) or END_OF_TIME


def known(account: Account) -> History:
    """Return the history; a lease that is out counts as a visit until it expires."""
    history = account.history
    if not account.held:
        return history
    end = account.expires if history.end is None else max(history.end, account.expires)
    starts = tuple(sorted((account.granted, *history.starts), reverse=True)[:STARTS_KEPT])
    return replace(history, end=end, starts=starts)


def granted(account: Account, asked: LeaseRequest) -> tuple[Account | None, Lease | Later]:
    """Grant a lease, or say when to come back; the account is `None` if it stays as it is."""
    if account.held and asked.now < account.expires:
        # The visit ends now at the earliest, and the pause follows it.
        back = to_time(min(asked.now + max(account.pause, 1), account.due))
        return None, Later(back, "leased", account.holder)
    due = -NEVER if asked.for_robots_txt else account.due
    if asked.now < max(due, account.block):
        by_block = account.block >= due
        reason = account.blocked_by if by_block else account.reason
        return None, Later(to_time(max(due, account.block)), reason)
    history = known(account)
    expires = min(asked.now + asked.seconds, NEVER)
    changed = replace(
        account,
        number=account.number + 1,
        held=1,
        holder=asked.holder,
        granted=asked.now,
        expires=expires,
        pause=asked.pause,
        due=min(expires + asked.pause, NEVER),
        reason="lost",
        history=history,
    )
    return changed, lease_of(changed, asked.origin)


def lease_of(account: Account, origin: str) -> Lease:
    """Return the lease that an account tells of."""
    return Lease(
        origin,
        account.number,
        account.holder,
        to_time(account.granted),
        to_time(account.expires),
        account.history,
    )


def released(account: Account, lease: Lease, given: Release) -> tuple[Account, bool]:
    """Take a lease back. Who comes too late can only make others wait."""
    if not account.held or account.number != lease.number:
        return blocked(account, given.due, given.reason), False
    history = account.history if given.history is None else given.history
    changed = replace(account, held=0, due=given.due, reason=given.reason, history=history)
    return changed, True


def abandoned(account: Account, now: int) -> Account | None:
    """Take back a lease whose holder is known to be gone; `None` if none is out.

    The visit may have lasted until now; the pause that the holder named follows.
    """
    if not account.held:
        return None
    ended = max(account.granted, min(now, account.expires))
    history = known(replace(account, expires=ended))
    due = min(ended + account.pause, NEVER)
    return replace(account, held=0, due=due, reason="lost", history=history)


def lost(account: Account, began: int, pause: int, now: int) -> Account:
    """Make the account of an origin to which a visit was made of which nothing else is known.

    It is as if a lease were out, anyone who has one: the next visit is that much later.
    """
    if account.held and account.granted == began:
        return account
    # A lease that is out as well is as old: nobody has it any more.
    before = abandoned(account, now) or account
    return replace(
        before,
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
    return replace(account, block=until, blocked_by=reason)
