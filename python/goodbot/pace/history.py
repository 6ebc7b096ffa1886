"""What has happened between a robot and an origin, as far as the pace depends on it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.instants import SECOND, instant, to_datetime
from goodbot.http.retry_after import retry_instant
from goodbot.http.status import status_of
from goodbot.pace.manners import Manners

__all__ = ["STARTS_KEPT", "History", "Visit"]

STARTS_KEPT = 100
"""Starts of visits that are remembered. A rate of more documents than that is kept by its interval,
which keeps it too as long as no faster rate was in force before."""

BROKEN_OFF = 0
BLOCKS = ("retry-after", "back-off")


@dataclass(frozen=True, slots=True)
class Visit:
    """One request and its answer.

    A fetch of robots.txt is one, and each hop of a redirect is one, of the origin that it goes to.

    Raises:
        WrongTypeError: A time is no `datetime`, or the status no number.
        WrongValueError: A time is naive, or the end comes before the start.

    """

    started: datetime
    """When the request was sent: aware."""
    ended: datetime
    """When the last octet of the answer had come, or the robot had given up: aware."""
    status: int | None
    """The status of the answer; `None` if there was none: refused, timed out, broken off by the
    site; 0 if the robot itself broke off."""
    retry_after: str | bytes | None = None
    """The value of its Retry-After field; `None` if it had none."""

    def __post_init__(self) -> None:
        """Check the values."""
        if instant(self.ended, "ended") < instant(self.started, "started"):
            message = "ended lies before started; take both from one clock that does not go back"
            raise WrongValueError(message)
        if isinstance(self.status, bool) or not isinstance(self.status, (int, type(None))):
            message = "status must be a number such as 200, or None for no answer"
            raise WrongTypeError(message)

    @property
    def failed(self) -> bool:
        """Whether the site should be left alone: no answer, an overload, or an error of its own.

        Source: the table of `goodbot.http.status`; Common Crawl (backs off on 429 and 5xx).
        """
        if self.status is None or self.status == BROKEN_OFF:
            return self.status is None
        row = status_of(self.status)
        return row.is_overload or row.fault == "site"


@dataclass(frozen=True, slots=True)
class History:
    """What the next turn depends on; it does not change, `after` gives the next one.

    Times are whole microseconds since 1970, UTC: `last_ended` and `as_dict` are for people.

    >>> from datetime import timedelta, timezone
    >>> start = datetime(2025, 1, 1, tzinfo=timezone.utc)
    >>> busy = Visit(start, start + timedelta(seconds=1), status=503, retry_after="120")
    >>> history = History().after(busy, Manners())
    >>> str(history.blocked_until), history.blocked_by, history.failures
    ('2025-01-01 00:02:01+00:00', 'retry-after', 1)
    >>> History.from_dict(history.as_dict()) == history
    True

    """

    end: int | None = None
    """When the last visit ended; `None` if there was none."""
    took: int = 0
    """How long its document took, in microseconds."""
    starts: tuple[int, ...] = ()
    """When the last visits began, the newest first; at most `STARTS_KEPT`."""
    block: int | None = None
    """Until when the origin is not to be visited at all; `None` if it may be."""
    blocked_by: str = ""
    """The reason of the block: `retry-after` or `back-off`; empty if there is none."""
    failures: int = 0
    """Failures in a row, less one for each success since."""

    @property
    def last_ended(self) -> datetime | None:
        """When the last visit ended, in UTC."""
        return None if self.end is None else to_datetime(self.end)

    @property
    def blocked_until(self) -> datetime | None:
        """Until when the origin is not to be visited at all, in UTC."""
        return None if self.block is None else to_datetime(self.block)

    @classmethod
    def of(  # noqa: PLR0913  each is documented below
        cls,
        *,
        last_ended: datetime | None = None,
        took: float = 0.0,
        starts: Iterable[datetime] = (),
        blocked_until: datetime | None = None,
        blocked_by: str = "retry-after",
        failures: int = 0,
    ) -> "History":
        """Make a history of times that are known from elsewhere.

        Args:
            last_ended: When the last visit ended.
            took: Seconds that its document took.
            starts: When recent visits began, in any order.
            blocked_until: Until when not to come at all.
            blocked_by: Why: `retry-after` or `back-off`.
            failures: Failures in a row.

        Raises:
            WrongTypeError: A time is no `datetime`.
            WrongValueError: A time is naive, a number negative, or there is no such block.

        """
        return cls.from_dict(
            {
                "end": None if last_ended is None else instant(last_ended, "last_ended"),
                "took": round(took * SECOND),
                "starts": [instant(start, "starts") for start in starts],
                "block": None if blocked_until is None else instant(blocked_until, "blocked_until"),
                "blocked_by": "" if blocked_until is None else blocked_by,
                "failures": failures,
            }
        )

    def after(self, visit: Visit, manners: Manners) -> "History":
        """Give the history with one visit more.

        A Retry-After is obeyed with whatever status it comes (RFC 9110 section 10.2.3: "how long
        the user agent ought to wait before making a follow-up request"). Without one, a failure
        makes the robot keep off for a time that doubles with each; a success halves it, until none
        is left. So a server that recovers is not met by the full pace at once.
        """
        start, end = instant(visit.started, "started"), instant(visit.ended, "ended")
        failures = self.failures + 1 if visit.failed else max(self.failures - 1, 0)
        known = replace(
            self,
            end=end if self.end is None else max(self.end, end),
            took=end - start,
            starts=tuple(sorted((start, *self.starts), reverse=True)[:STARTS_KEPT]),
            failures=failures,
        )
        retry = retry_instant(visit.retry_after, end)
        if retry is not None:
            return known.blocked(retry, "retry-after")
        return known.blocked(end + manners.keep_off(failures), "back-off") if failures else known

    def blocked(self, until: int, by: str) -> "History":
        """Give the history with a block; an earlier one that lasts longer stays."""
        if self.block is not None and self.block >= until:
            return self
        return replace(self, block=until, blocked_by=by)

    def as_dict(self) -> dict[str, Any]:
        """Give plain values, for JSON and for stores; times are microseconds since 1970."""
        return {
            "end": self.end,
            "took": self.took,
            "starts": list(self.starts),
            "block": self.block,
            "blocked_by": self.blocked_by,
            "failures": self.failures,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "History":
        """Give a history from what `as_dict` gave.

        Raises:
            WrongValueError: It is no whole record of a history.

        """
        message = "this is no whole record of a history; give one that History.as_dict() gave"
        try:
            starts = tuple(sorted(map(int, record["starts"]), reverse=True)[:STARTS_KEPT])
            made = cls(
                None if record["end"] is None else int(record["end"]),
                int(record["took"]),
                starts,
                None if record["block"] is None else int(record["block"]),
                str(record["blocked_by"]),
                int(record["failures"]),
            )
        except (KeyError, TypeError, ValueError, OverflowError):
            raise WrongValueError(message) from None
        blocks = BLOCKS if made.block is not None else ("",)
        if made.took < 0 or made.failures < 0 or made.blocked_by not in blocks:
            raise WrongValueError(message)
        return made
