"""Times: what is taken for now, and the dates of HTTP.

What may live here: reading and adding times. There is no clock: `now` is given by the caller.
"""

import re
from datetime import datetime, timedelta, timezone

from goodbot.errors import WrongTypeError, WrongValueError

__all__ = ["checked_time", "http_date", "later", "seconds_between", "written"]

LONGEST_DATE = 64
"""The longest form, RFC 850 with Wednesday, has 33 octets."""

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = "|".join(MONTHS)
DAY = "mon|tue|wed|thu|fri|sat|sun"
LONG_DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
TIME = r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})"

FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?:{DAY}), (?P<day>[0-9]{{2}}) (?P<month>{MONTH}) (?P<year>[0-9]{{4}}) {TIME} GMT",
        rf"{LONG_DAY}, (?P<day>[0-9]{{2}})-(?P<month>{MONTH})-(?P<year>[0-9]{{2}}) {TIME} GMT",
        rf"(?:{DAY}) (?P<month>{MONTH}) (?P<day>[0-9 ][0-9]) {TIME} (?P<year>[0-9]{{4}})",
    )
)
"""IMF-fixdate, RFC 850, asctime (RFC 9110 section 5.6.7), in either case (RFC 9111 section 4.2)."""

LEAP_SECOND = 60
TWO_DIGITS = 2
HALF_A_CENTURY = 50


def checked_time(value: object, name: str) -> datetime:
    """Take a time that the caller gives.

    Args:
        value: An aware `datetime`, of whatever zone.
        name: What the argument is called.

    Returns:
        The time in UTC.

    Raises:
        WrongTypeError: It is no `datetime`.
        WrongValueError: It is naive, or beyond what UTC can hold.

    """
    cure = "give an aware one, such as datetime.now(timezone.utc)"
    if not isinstance(value, datetime):
        message = f"{name} must be a datetime, not {type(value).__name__}; {cure}"
        raise WrongTypeError(message)
    if value.utcoffset() is None:
        message = f"{name} is a naive datetime, which may be of any zone; {cure}"
        raise WrongValueError(message)
    try:
        return value.astimezone(timezone.utc)
    except OverflowError:
        message = f"{name} is too near to the end of time to be told in UTC; {cure}"
        raise WrongValueError(message) from None


def later(time: datetime, seconds: float) -> datetime:
    """Add seconds; beyond the last year that there is, it is the last moment of that."""
    try:
        return time + timedelta(seconds=seconds)
    except OverflowError:
        return datetime.max.replace(tzinfo=timezone.utc)


def seconds_between(earlier: datetime, time: datetime) -> float:
    """Give the seconds from one time to another, negative if the other comes first."""
    return (time - earlier).total_seconds()


def written(time: datetime | None) -> str | None:
    """Write a time as ISO 8601, or nothing for nothing."""
    return None if time is None else time.isoformat()


def http_date(text: str, *, now: datetime) -> datetime | None:
    """Read a date of HTTP, in any of its three forms.

    Args:
        text: The value of a field such as `Expires`.
        now: The time, for the century of a year of two digits.

    Returns:
        The date in UTC; `None` for what is none, also for another zone than GMT.

    >>> now = datetime(2025, 1, 1, tzinfo=timezone.utc)
    >>> for text in (
    ...     "Sun, 06 Nov 1994 08:49:37 GMT",
    ...     "Sunday, 06-Nov-94 08:49:37 GMT",
    ...     "Sun Nov  6 08:49:37 1994",
    ... ):
    ...     print(http_date(text, now=now))
    1994-11-06 08:49:37+00:00
    1994-11-06 08:49:37+00:00
    1994-11-06 08:49:37+00:00
    >>> http_date("0", now=now) is None
    True

    Source: RFC 9110 section 5.6.7; RFC 9111 section 4.2 (letters of either case, no zone but GMT).

    """
    text = text.strip(" \t")
    if len(text) > LONGEST_DATE:
        return None
    for form in FORMS:
        if found := form.fullmatch(text):
            return of_parts(found.groupdict(), now)
    return None


def of_parts(parts: dict[str, str], now: datetime) -> datetime | None:
    """Put a date together; `None` if there is no such day or time."""
    year = int(parts["year"])
    if len(parts["year"]) == TWO_DIGITS:
        # More than fifty years ahead means the last century (RFC 9110 section 5.6.7).
        latest = now.year + HALF_A_CENTURY
        year += latest // 100 * 100
        year -= 100 if year > latest else 0
    second = int(parts["second"])
    try:
        return datetime(
            year,
            MONTHS.index(parts["month"].lower()) + 1,
            int(parts["day"]),
            int(parts["hour"]),
            int(parts["minute"]),
            # The grammar has a leap second; `datetime` has none.
            LEAP_SECOND - 1 if second == LEAP_SECOND else second,
            tzinfo=timezone.utc,
        )
    except ValueError:
        return None
