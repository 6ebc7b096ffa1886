"""Times and durations as whole microseconds.

Scope: from aware times and seconds to integers, and back. Whole numbers are used because a sum of
floats can be slightly too early, and early is impolite.
"""

import math
from datetime import datetime, timedelta, timezone
from functools import lru_cache

from goodbot.errors import WrongTypeError, WrongValueError

__all__ = [
    "DAY",
    "MINUTE",
    "SECOND",
    "UTC",
    "aware",
    "checked_duration",
    "checked_seconds",
    "checked_time",
    "duration",
    "format_time",
    "in_seconds",
    "instant",
    "is_before",
    "later",
    "seconds_between",
    "spoken",
    "to_datetime",
    "written",
]

SECOND = 1_000_000
MINUTE = 60 * SECOND
DAY = 24 * 60 * MINUTE
UTC = timezone.utc
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
HINT = "pass an aware datetime, such as datetime.now(timezone.utc)"
MOST_SPOKEN = 1_000_000 * DAY
UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"))


def instant(time: object, name: str) -> int:
    """Return microseconds since 1970.

    Args:
        time: An aware `datetime` in any zone.
        name: The name of the argument, for the message.

    Raises:
        WrongTypeError: It is not a `datetime`.
        WrongValueError: It is naive.

    >>> instant(datetime(1970, 1, 1, 0, 0, 1, tzinfo=timezone.utc), "now")
    1000000

    """
    last, converted = LAST[0]
    if time is last:
        return converted
    # Nearly all times are in UTC, and then there is nothing more to check.
    if not (isinstance(time, datetime) and time.tzinfo is UTC):
        time = aware(time, name)
    since = time - EPOCH
    converted = since.days * DAY + since.seconds * SECOND + since.microseconds
    LAST[0] = time, converted
    return converted


LAST = [(EPOCH, 0)]
"""The last time that was converted: one reading of a clock is passed on to several functions."""


def is_before(time: object, other: object, name: str, other_name: str) -> bool:
    """Return whether a time is before another one; see `instant` for the arguments.

    >>> noon = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
    >>> is_before(noon - MICROSECOND, noon, "start", "end"), is_before(noon, noon, "start", "end")
    (True, False)
    """
    # As in `instant`.
    if isinstance(time, datetime) and time.tzinfo is UTC:  # noqa: SIM102  one line is too long
        if isinstance(other, datetime) and other.tzinfo is UTC:
            return time < other
    return instant(time, name) < instant(other, other_name)


def aware(value: object, name: str) -> datetime:
    """Return an aware time, in any zone; see `instant`."""
    if not isinstance(value, datetime):
        message = f"{name} must be a datetime, not {type(value).__name__}; {HINT}"
        raise WrongTypeError(message)
    if value.utcoffset() is None:
        message = f"{name} is a naive datetime, without a time zone; {HINT}"
        raise WrongValueError(message)
    return value


def to_datetime(microseconds: int) -> datetime | None:
    """Return the time in UTC; `None` after the year 9999."""
    try:
        return EPOCH + microseconds * MICROSECOND
    except OverflowError:
        return None


def checked_time(value: object, name: str) -> datetime:
    """Check a time that the caller passes.

    Args:
        value: An aware `datetime` in any zone.
        name: The name of the argument, for the message.

    Returns:
        The time in UTC.

    Raises:
        WrongTypeError: It is not a `datetime`.
        WrongValueError: It is naive, or beyond what UTC can hold.

    """
    if isinstance(value, datetime) and value.tzinfo is UTC:
        return value
    try:
        return aware(value, name).astimezone(UTC)
    except OverflowError:
        message = f"{name} is too close to the first or last year for UTC; {HINT}"
        raise WrongValueError(message) from None


def later(time: datetime, seconds: float) -> datetime:
    """Add seconds; beyond the year 9999, return its last moment."""
    try:
        return time + timedelta(seconds=seconds)
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC)


def seconds_between(earlier: datetime, time: datetime) -> float:
    """Return the seconds from one time to another, negative if the other comes first."""
    return (time - earlier).total_seconds()


def written(time: datetime | None) -> str | None:
    """Write a time as ISO 8601; return `None` for `None`."""
    return None if time is None else time.isoformat()


def format_time(time: datetime) -> str:
    """Format a time in UTC, to the second.

    >>> format_time(datetime(2025, 1, 1, 12, 30, tzinfo=timezone.utc))
    '2025-01-01 12:30:00 UTC'
    """
    return f"{time.isoformat(' ', 'seconds')[:19]} UTC"


def in_seconds(time: datetime) -> str:
    """Return a time in UTC for people, rounded up to the second, so that it is never too early.

    >>> in_seconds(datetime(2025, 1, 1, 12, 30, 1, 10, tzinfo=timezone.utc))
    '2025-01-01 12:30:02 UTC'
    """
    rounded = later(time, 1.0).replace(microsecond=0) if time.microsecond else time
    return format_time(rounded if rounded.tzinfo is UTC else rounded.astimezone(UTC))


def duration(seconds: float) -> int:
    """Return seconds as microseconds, rounded up.

    >>> duration(1.1), duration(0.0000001)
    (1100000, 1)
    """
    whole = int(seconds)
    return whole * SECOND if whole == seconds else of_fraction(float(seconds))


@lru_cache(maxsize=1024)
def of_fraction(seconds: float) -> int:
    """Return the microseconds of the decimal as written, not of the nearest binary fraction."""
    from fractions import Fraction  # noqa: PLC0415  slow to load, and seldom needed

    return math.ceil(Fraction(repr(seconds)) * SECOND)


def checked_seconds(seconds: object, name: str) -> float:
    """Check a number of seconds.

    Raises:
        WrongTypeError: It is not a number.
        WrongValueError: It is negative or not finite.

    """
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
        message = f"{name} must be a number of seconds, not {type(seconds).__name__}"
        raise WrongTypeError(message)
    if not 0 <= seconds < math.inf:
        message = f"{name} must be a finite number of seconds, 0 or more, not {seconds!r}"
        raise WrongValueError(message)
    return seconds


def checked_duration(seconds: object, name: str) -> int:
    """Check a number of seconds as `checked_seconds` does, and return it as `duration` does.

    >>> checked_duration(1.1, "pause"), checked_duration(3, "pause")
    (1100000, 3000000)
    """
    # Nearly all are whole numbers of seconds, and then there is nothing more to check.
    if type(seconds) is float and 0 <= seconds < math.inf:
        whole = int(seconds)
        if whole == seconds:
            return whole * SECOND
    return duration(checked_seconds(seconds, name))


def spoken(microseconds: int) -> str:
    """Return a duration in words.

    >>> spoken(SECOND), spoken(2_500_000), spoken(600 * SECOND), spoken(90 * SECOND)
    ('1 second', '2.5 seconds', '10 minutes', '90 seconds')
    """
    if microseconds > MOST_SPOKEN:
        return "more than a million days"
    seconds, rest = divmod(microseconds, SECOND)
    if rest:
        return f"{seconds}.{rest:06d}".rstrip("0") + " seconds"
    count, unit = next(
        ((seconds // size, unit) for size, unit in UNITS if seconds and seconds % size == 0),
        (seconds, "second"),
    )
    return f"{count} {unit}{'' if count == 1 else 's'}"
