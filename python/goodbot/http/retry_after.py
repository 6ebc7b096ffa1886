"""Retry-After: seconds or a date."""

from datetime import datetime, timezone

from goodbot.http.cache_control import GREATEST_DELTA, delta_seconds
from goodbot.http.dates import http_date
from goodbot.http.instants import SECOND, instant, to_datetime

__all__ = ["LONGEST_RETRY_AFTER", "read_retry_after", "retry_instant"]

LONGEST_RETRY_AFTER = GREATEST_DELTA
"""The most seconds that a Retry-After means, in either form: 68 years (RFC 9111 section 1.2.2). The
pace accepts up to this value. How long a policy waits for robots.txt because of a Retry-After is a
separate choice of its dialect (`PolicyDialect.longest_retry_after`)."""

END_OF_TIME = datetime.max.replace(tzinfo=timezone.utc)


def read_retry_after(value: str | bytes | None, *, now: datetime) -> datetime | None:
    """Read the value of a Retry-After field.

    Args:
        value: The value, as it came; `None` if there was no such field.
        now: When the response came: an aware `datetime`. Seconds count from here.

    Returns:
        The time in UTC, which may be past and is at most `LONGEST_RETRY_AFTER` seconds ahead;
        `None` if the value is neither a number of seconds nor a date.

    Raises:
        WrongTypeError: `now` is not a `datetime`.
        WrongValueError: `now` is naive.

    >>> now = datetime(2025, 1, 1, tzinfo=timezone.utc)
    >>> str(read_retry_after("120", now=now))
    '2025-01-01 00:02:00+00:00'
    >>> str(read_retry_after("Wed, 01 Jan 2025 07:28:00 GMT", now=now))
    '2025-01-01 07:28:00+00:00'
    >>> read_retry_after("soon", now=now) is None
    True

    Source: RFC 9110 section 10.2.3.

    """
    at = retry_instant(value, instant(now, "now"))
    return None if at is None else to_datetime(at)


def retry_instant(value: str | bytes | None, now: int) -> int | None:
    """Return the same in microseconds since 1970, for `now` in microseconds."""
    text = value.decode("latin-1") if isinstance(value, bytes) else value or ""
    text = text.strip(" \t")
    if not text:
        return None
    seconds = delta_seconds(text)
    if seconds is not None:
        return now + seconds * SECOND
    date = http_date(text, now=to_datetime(now) or END_OF_TIME)
    return None if date is None else min(instant(date, "date"), now + LONGEST_RETRY_AFTER * SECOND)
