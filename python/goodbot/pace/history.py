"""Past visits of a robot to an origin, as far as the pace depends on them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from goodbot.display import short_repr
from goodbot.errors import WrongTypeError, WrongValueError
from goodbot.http.instants import SECOND, instant, is_before, to_datetime
from goodbot.http.retry_after import retry_instant
from goodbot.http.status import status_of
from goodbot.lazy_dataclass import dataclass
from goodbot.pace.manners import Manners

__all__ = ["STARTS_KEPT", "History", "PastVisit"]

STARTS_KEPT = 100
"""How many starts of visits are remembered. A rate with more documents is kept by its interval
alone, which is enough unless a faster rate was in force before."""

FAILING_KEPT = 32
"""How many URLs that failed last are remembered."""
DIGEST_BYTES = 8

BROKEN_OFF = 0
OF_THE_DOCUMENT = {"bad-encoding", "too-large"}
"""Failures after the server responded: only the document at that URL is unusable."""
GOOD = (2, 3)
"""The classes of statuses whose time to answer says how fast the server is."""
BLOCKS = ("retry-after", "back-off")


@dataclass(frozen=True, slots=True, repr=False)
class PastVisit:
    """One request and its response.

    A fetch of robots.txt is one; so is each hop of a redirect, for the origin that it goes to.

    Raises:
        WrongTypeError: A time is no `datetime`, or the status no number.
        WrongValueError: A time is naive, or the end comes before the start.

    """

    started: datetime
    """When the request was sent: aware."""
    ended: datetime
    """When the last byte of the response came, or the robot gave up: aware."""
    status: int | None
    """The status of the response; `None` if there was none: refused, timed out, or closed by the
    site; 0 if the robot itself stopped."""
    retry_after: str | bytes | None = None
    """The value of its Retry-After field; `None` if it had none."""
    url: str = ""
    """The requested URL. Without it, each failure counts as one of a different URL."""
    failure: str = ""
    """What failed if there was no usable response: one of `goodbot.net.FAILURES`."""
    bytes: int = 0
    """How many bytes of content came over the wire, as far as known."""

    __repr__ = short_repr

    def __post_init__(self) -> None:
        """Check the values."""
        if is_before(self.ended, self.started, "ended", "started"):
            message = "ended is before started; use one clock that does not go back for both"
            raise WrongValueError(message)
        if isinstance(self.status, bool) or not isinstance(self.status, (int, type(None))):
            message = "status must be a number such as 200, or None for no answer"
            raise WrongTypeError(message)

    @property
    def failed(self) -> bool:
        """Whether there was no response, or one of overload or a server error.

        A document that cannot be decoded or is too large is not a failure of the server.

        Source: the table of `goodbot.http.status`; Common Crawl (backs off on 429 and 5xx).
        """
        if self.status is None:
            return not self.unusable
        row = status_of(self.status)
        return self.status != BROKEN_OFF and (row.is_overload or row.fault == "site")

    @property
    def overloaded(self) -> bool:
        """Whether the response asks for fewer requests to the whole site, as 429 and 503 do.

        Source: the table of `goodbot.http.status`.
        """
        return bool(self.status) and status_of(self.status or 0).is_overload

    @property
    def unusable(self) -> bool:
        """Whether the server sent a document that cannot be decoded or is too large."""
        return self.status is None and self.failure in OF_THE_DOCUMENT


@dataclass(frozen=True, slots=True, repr=False)
class History:
    """What the next turn depends on. It is immutable; `after` returns the next one.

    Times are whole microseconds since 1970, UTC; `last_ended` and `blocked_until` are for people.

    >>> from datetime import timedelta, timezone
    >>> start = datetime(2025, 1, 1, tzinfo=timezone.utc)
    >>> busy = PastVisit(start, start + timedelta(seconds=1), status=503, retry_after="120")
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
    """When the last visits began, newest first; at most `STARTS_KEPT`."""
    block: int | None = None
    """Until when the origin must not be visited at all; `None` if it may be."""
    blocked_by: str = ""
    """The reason of the block: `retry-after` or `back-off`; empty if there is none."""
    failures: int = 0
    """The step of the back-off: 0 for none, one more for each failure of the site, one less for
    each success."""
    row: int = 0
    """How many different URLs began to fail since the last success."""
    failing: tuple[str, ...] = ()
    """Digests of URLs whose last visit failed, newest first; at most `FAILING_KEPT`."""
    bytes: int = 0
    """How many bytes the last response had."""
    answer: int = 0
    """How long the server lately took to answer, in microseconds: as long as the last time, or the
    mean of that and of what it was before, whichever is longer. A failure shortens it never."""

    __repr__ = short_repr

    @property
    def last_ended(self) -> datetime | None:
        """When the last visit ended, in UTC."""
        return None if self.end is None else to_datetime(self.end)

    @property
    def blocked_until(self) -> datetime | None:
        """Until when the origin must not be visited at all, in UTC."""
        return None if self.block is None else to_datetime(self.block)

    @classmethod
    def of(
        cls,
        *,
        last_ended: datetime | None = None,
        took: float = 0.0,
        starts: Iterable[datetime] = (),
        blocked_until: datetime | None = None,
        blocked_by: str = "retry-after",
        failures: int = 0,
    ) -> "History":
        """Make a history from times that are known from elsewhere.

        Args:
            last_ended: When the last visit ended.
            took: Seconds that its document took.
            starts: When recent visits began, in any order.
            blocked_until: Until when there must be no visit at all.
            blocked_by: The reason: `retry-after` or `back-off`.
            failures: The step of the back-off.

        Raises:
            WrongTypeError: A time is no `datetime`.
            WrongValueError: A time is naive, a number negative, or there is no such block.

        """
        return cls.from_dict(
            {
                "answer": round(took * SECOND),
                "end": None if last_ended is None else instant(last_ended, "last_ended"),
                "took": round(took * SECOND),
                "starts": [instant(start, "starts") for start in starts],
                "block": None if blocked_until is None else instant(blocked_until, "blocked_until"),
                "blocked_by": "" if blocked_until is None else blocked_by,
                "failures": failures,
            }
        )

    def after(self, visit: PastVisit, manners: Manners) -> "History":
        """Return the history with one more visit.

        One failure concerns only its URL: the site may still be visited at its pace. The robot
        backs off, twice as long at each step, when the site is overloaded (429, 503) or when
        `Manners.back_off_after` different URLs have failed without a success in between. A URL that
        fails again says nothing new about the site, so it is not counted again, unless the site has
        not responded to any request since then. Refused connections, unresolved names and failed
        TLS handshakes count in the same way: one may be a restart, and three in a row cost the site
        next to nothing. A document that cannot be decoded or is too large is not counted: the
        server did respond.

        A success takes the back-off one step back, so that a recovering server does not get the
        full pace immediately. Any readable Retry-After is obeyed instead of the back-off, whatever
        the status (RFC 9110 section 10.2.3: "how long the user agent ought to wait before making a
        follow-up request").
        """
        start, end = instant(visit.started, "started"), instant(visit.ended, "ended")
        retry = retry_instant(visit.retry_after, end) if visit.retry_after else None
        known = self._with(visit, start, end)
        known = known.judged(visit, manners.back_off_after, told=retry is not None)
        if retry is not None:
            return known.blocked(retry, "retry-after")
        if not known.failures:
            return known
        return known.blocked(end + manners.keep_off(known.failures), "back-off")

    def visited(self, visit: PastVisit) -> "History":
        """Return the history with the times of one more visit, whatever its result."""
        return self._with(visit, instant(visit.started, "started"), instant(visit.ended, "ended"))

    def _with(self, visit: PastVisit, start: int, end: int) -> "History":
        """Return the history with the times of one more visit, in microseconds since 1970."""
        took = end - start
        # A failure that comes quickly does not show that the server is fast, as in AutoThrottle.
        is_good = visit.status is not None and visit.status // 100 in GOOD
        if self.starts and start < self.starts[0]:
            starts = tuple(sorted((start, *self.starts), reverse=True)[:STARTS_KEPT])
        else:
            starts = (start,) + self.starts[: STARTS_KEPT - 1]  # noqa: RUF005  one copy less
        return History(
            end if self.end is None else max(self.end, end),
            took,
            starts,
            self.block,
            self.blocked_by,
            self.failures,
            self.row,
            self.failing,
            visit.bytes,
            max(took, (self.answer + took) // 2 if is_good else self.answer),
        )

    def judged(self, visit: PastVisit, threshold: int, *, told: bool) -> "History":
        """Return the history with the step of the back-off after a visit.

        Args:
            visit: The visit.
            threshold: How many different URLs must fail in a row.
            told: Whether the server sent a Retry-After.

        """
        failed = visit.failed
        if not (failed or self.failures or self.row or self.failing) or visit.unusable:
            return self
        digest = digest_of(visit.url)
        if not failed:
            failing = tuple(one for one in self.failing if one != digest)
            return replace(self, failures=max(self.failures - 1, 0), row=0, failing=failing)
        is_known = bool(digest) and digest in self.failing
        row = self.row if is_known else self.row + 1
        failing = self.failing if is_known or not digest else (digest, *self.failing)
        is_of_the_site = told or visit.overloaded or row >= threshold
        return replace(
            self,
            failures=self.failures + is_of_the_site,
            row=row,
            failing=failing[:FAILING_KEPT],
        )

    def blocked(self, until: int, by: str) -> "History":
        """Return the history with a block; an earlier block that lasts longer stays."""
        if self.block is not None and self.block >= until:
            return self
        return replace(self, block=until, blocked_by=by)

    def shifted(self, by: int) -> "History":
        """Return the same history on a clock that is ahead of this one by so many microseconds."""
        if not by:
            return self
        return replace(
            self,
            end=None if self.end is None else self.end + by,
            starts=tuple(start + by for start in self.starts),
            block=None if self.block is None else self.block + by,
        )

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON and for stores; times are microseconds since 1970."""
        return {
            "end": self.end,
            "took": self.took,
            "starts": list(self.starts),
            "block": self.block,
            "blocked_by": self.blocked_by,
            "failures": self.failures,
            "row": self.row,
            "failing": list(self.failing),
            "bytes": self.bytes,
            "answer": self.answer,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> "History":
        """Return the history that `as_dict` described, also that of goodbot 0.1.0.

        Raises:
            WrongValueError: It is not a complete record of a history.

        """
        message = "this is not a complete record of a history; pass the result of History.as_dict()"
        try:
            starts = tuple(sorted(map(int, record["starts"]), reverse=True)[:STARTS_KEPT])
            made = cls(
                None if record["end"] is None else int(record["end"]),
                int(record["took"]),
                starts,
                None if record["block"] is None else int(record["block"]),
                str(record["blocked_by"]),
                int(record["failures"]),
                int(record.get("row", 0)),  # since 0.2.0, as are those below
                tuple(map(str, record.get("failing", ())))[:FAILING_KEPT],
                int(record.get("bytes", 0)),
                int(record.get("answer", 0)),
            )
        except (KeyError, TypeError, ValueError, OverflowError):
            raise WrongValueError(message) from None
        blocks = BLOCKS if made.block is not None else ("",)
        numbers = made.took, made.failures, made.row, made.bytes, made.answer
        if min(numbers) < 0 or made.blocked_by not in blocks:
            raise WrongValueError(message)
        return made


def digest_of(url: str) -> str:
    """Return a short digest of a URL, to recognise it; empty if there is no URL."""
    if not url:
        return ""
    from hashlib import blake2b  # noqa: PLC0415  loads OpenSSL, which most readers do not need

    return blake2b(url.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).hexdigest()
