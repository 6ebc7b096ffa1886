"""Freshness: how long a response may be used without another request, as in RFC 9111.

Scope: what HTTP says about any response. What dialects make of it for robots.txt is in
`goodbot.policy.lifetimes`. There is no clock: every time is passed.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from goodbot.display import short_repr
from goodbot.http.cache_control import CacheControl, cache_control, delta_seconds
from goodbot.http.dates import http_date
from goodbot.http.fields import Fields, field_lines, first, values_of
from goodbot.http.instants import checked_time, seconds_between
from goodbot.lazy_dataclass import dataclass

__all__ = [
    "Freshness",
    "current_age",
    "fields_named",
    "freshness",
]

HEURISTIC_PART = 0.1
"""A typical part of the time since the last change (RFC 9111 section 4.2.2)."""


@dataclass(frozen=True, slots=True, repr=False)
class Freshness:
    """What the header of a response says about how long it may be used.

    >>> from datetime import datetime, timezone
    >>> now = datetime(2025, 1, 1, tzinfo=timezone.utc)
    >>> told = freshness({"Cache-Control": "max-age=60", "Age": "20"}, now=now)
    >>> told.lifetime, told.source, told.age, told.is_fresh
    (60, 'max-age', 20.0, True)
    """

    lifetime: float | None
    """Seconds of freshness since the origin server made the response; `None` if the header says
    nothing and nothing can be guessed from it."""
    source: str
    """The source: `max-age`, `s-maxage`, `expires`, `heuristic`, `invalid` (freshness information
    that cannot be read counts as stale), or `none`."""
    age: float
    """Seconds since the origin server made or confirmed the response."""
    store: bool
    """Whether the response may be stored at all."""
    must_validate: bool
    """Whether each use needs a request to the site: `no-cache`, `Vary: *`."""
    stale_allowed: bool
    """Whether it may be used stale if the site is unreachable."""
    stale_if_error: int | None
    """Seconds of use beyond freshness if the server fails, if stated."""
    varies: tuple[str, ...]
    """The fields of the request on which the response depends, in lower case; `*` for any."""

    __repr__ = short_repr

    @property
    def is_fresh(self) -> bool:
        """Whether it may be used: fresh, and without revalidation (section 4.2)."""
        return not self.must_validate and (self.lifetime or 0) > self.age

    @property
    def remaining(self) -> float:
        """Seconds for which it may still be used without a request, 0 or more."""
        return 0.0 if self.must_validate else max(0.0, (self.lifetime or 0) - self.age)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        told = {name: getattr(self, name) for name in self.__slots__}
        return told | {"varies": list(self.varies), "is_fresh": self.is_fresh}


def freshness(
    headers: object,
    *,
    now: datetime,
    received: datetime | None = None,
    requested: datetime | None = None,
    shared: bool = False,
    heuristic: bool = True,
) -> Freshness:
    """Return how long a response may be used.

    Args:
        headers: Its fields: a mapping, or pairs; of `str` or `bytes`.
        now: The time, aware.
        received: When the response came; `now` by default.
        requested: When the request was sent; `received` by default.
        shared: Whether the cache serves many users. A robot has its own cache, so `s-maxage` and
            `private` do not apply to it.
        heuristic: Whether a lifetime may be guessed from Last-Modified if none is stated.

    Returns:
        A `Freshness`.

    Raises:
        WrongTypeError: `headers` are no fields, or a time is no `datetime`.
        WrongValueError: A time is naive.

    Source: RFC 9111 sections 4.2 and 5.2; RFC 5861 section 4.

    """
    now = checked_time(now, "now")
    received = now if received is None else checked_time(received, "received")
    requested = received if requested is None else checked_time(requested, "requested")
    fields = field_lines(headers)
    control = cache_control(values_of(fields, "cache-control"))
    lifetime, source = lifetime_of(fields, control, received, shared=shared, heuristic=heuristic)
    varies = fields_named(values_of(fields, "vary"))
    return Freshness(
        lifetime=lifetime,
        source=source,
        age=age_of(fields, now, received, requested),
        store=may_store(control, shared=shared),
        # `Vary: *` never matches a later request (RFC 9111 section 4.1).
        must_validate=control.no_cache or "*" in varies,
        stale_allowed=may_serve_stale(control, shared=shared),
        stale_if_error=control.stale_if_error,
        varies=varies,
    )


def lifetime_of(
    fields: Fields, control: CacheControl, received: datetime, *, shared: bool, heuristic: bool
) -> tuple[float | None, str]:
    """Return the seconds of freshness and their source: the first in section 4.2.1's list."""
    stated = [("s-maxage", control.s_maxage)] if shared else []
    for name, seconds in [*stated, ("max-age", control.max_age)]:
        if seconds is not None:
            return seconds, name
        # Freshness information that cannot be read counts as stale (section 4.2.1).
        if name in control.invalid:
            return 0, "invalid"
    date = first(fields, "date")
    made = (http_date(date, now=received) if date else None) or received
    expires = first(fields, "expires")
    if expires is not None:
        end = http_date(expires, now=received)
        # An invalid date, such as `0`, is a time in the past (section 5.3).
        return (0, "invalid") if end is None else (max(0.0, seconds_between(made, end)), "expires")
    changed = http_date(first(fields, "last-modified") or "", now=received)
    if heuristic and changed is not None:
        return max(0.0, seconds_between(changed, made)) * HEURISTIC_PART, "heuristic"
    return None, "none"


def current_age(
    headers: object,
    *,
    now: datetime,
    received: datetime | None = None,
    requested: datetime | None = None,
) -> float:
    """Return the age of a response, in seconds.

    Args:
        headers: Its fields.
        now: The time, aware.
        received: When it came; `now` by default.
        requested: When the request was sent; `received` by default.

    >>> from datetime import datetime, timedelta, timezone
    >>> came = datetime(1994, 11, 6, 8, 50, tzinfo=timezone.utc)
    >>> fields = {"Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Age": "5"}
    >>> current_age(fields, now=came + timedelta(seconds=10), received=came)
    33.0

    Source: RFC 9111 section 4.2.3.

    """
    now = checked_time(now, "now")
    received = now if received is None else checked_time(received, "received")
    requested = received if requested is None else checked_time(requested, "requested")
    return age_of(field_lines(headers), now, received, requested)


def age_of(fields: Fields, now: datetime, received: datetime, requested: datetime) -> float:
    """Return the age of a response, in seconds; see `current_age`."""
    date = http_date(first(fields, "date") or "", now=received)
    apparent = 0.0 if date is None else max(0.0, seconds_between(date, received))
    # The first value of a list applies (section 5.1).
    stated = delta_seconds((first(fields, "age") or "").partition(",")[0].strip()) or 0
    corrected = stated + max(0.0, seconds_between(requested, received))
    return max(apparent, corrected) + max(0.0, seconds_between(received, now))


def may_store(control: CacheControl, *, shared: bool) -> bool:
    """Return whether a response may be stored (RFC 9111 section 3)."""
    # With must-understand, no-store is ignored (section 5.2.2.3).
    forbidden = control.no_store and not control.must_understand
    return not forbidden and not (shared and control.private)


def may_serve_stale(control: CacheControl, *, shared: bool) -> bool:
    """Return whether a response may be used stale (RFC 9111 section 4.2.4)."""
    only_shared = control.proxy_revalidate or control.s_maxage is not None
    return not (
        control.must_revalidate or control.no_cache or control.no_store or (shared and only_shared)
    )


def fields_named(values: Iterable[str]) -> tuple[str, ...]:
    """Return the names in the lines of a field that lists names, in lower case, each once."""
    names = (name.strip().lower() for value in values for name in value.split(","))
    return tuple(dict.fromkeys(name for name in names if name))
