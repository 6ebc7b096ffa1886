"""Retry-After: seconds or a date."""

import re
from datetime import MAXYEAR, datetime, timedelta, timezone

from goodbot.http.instants import SECOND, instant, to_datetime

__all__ = ["read_retry_after", "retry_instant"]

LONGEST = 64
"""No date has more octets; what is longer is none."""
MOST_SECONDS = 2**31
"""What a number that is too large stands for (RFC 9111 section 1.2.2): 68 years."""
MOST_DIGITS = 10
LEAP_SECOND = 60
TWO_DIGITS = 2
HALF_A_CENTURY = 50

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = "(?P<month>" + "|".join(MONTHS) + ")"
NAME = "(?:mon|tue|wed|thu|fri|sat|sun)"
LONG_NAME = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
TIME = "(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})"
FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{NAME}, (?P<day>[0-9]{{2}}) {MONTH} (?P<year>[0-9]{{4}}) {TIME} GMT",
        rf"{LONG_NAME}, (?P<day>[0-9]{{2}})-{MONTH}-(?P<year>[0-9]{{2}}) {TIME} GMT",
        rf"{NAME} {MONTH} (?P<day>[0-9 ][0-9]) {TIME} (?P<year>[0-9]{{4}})",
    )
)
"""IMF-fixdate, and the two obsolete forms that are still to be read (RFC 9110 section 5.6.7)."""


def read_retry_after(value: str | bytes | None, *, now: datetime) -> datetime | None:
    """Read the value of a Retry-After field.

    Args:
        value: The value, as it came; `None` if there was no such field.
        now: When the answer came: an aware `datetime`. Seconds count from here.

    Returns:
        The instant in UTC, also one that is past; `None` for what is neither a number of seconds
        nor a date. More than 2**31 seconds count as that many (RFC 9111 section 1.2.2).

    Raises:
        WrongTypeError: `now` is no `datetime`.
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
    """Give the instant in microseconds; `None` for what says nothing."""
    text = value.decode("latin-1") if isinstance(value, bytes) else value or ""
    text = text.strip(" \t")
    if text.isascii() and text.isdigit():
        digits = text.lstrip("0")
        many = len(digits) > MOST_DIGITS
        seconds = MOST_SECONDS if many else min(int(digits or "0"), MOST_SECONDS)
        return now + seconds * SECOND
    if len(text) <= LONGEST:
        for form in FORMS:
            if found := form.fullmatch(text):
                return date_of(found.groupdict(), now)
    return None


def date_of(parts: dict[str, str], now: int) -> int | None:
    """Put a date together; `None` if there is no such day or time."""
    year = int(parts["year"])
    if len(parts["year"]) == TWO_DIGITS:
        # More than fifty years ahead means the last century (RFC 9110 section 5.6.7).
        today = to_datetime(now)
        latest = (MAXYEAR if today is None else today.year) + HALF_A_CENTURY
        year += latest // 100 * 100
        year -= 100 if year > latest else 0
    second = int(parts["second"])
    leap = second == LEAP_SECOND  # the grammar has one, `datetime` has none: the next minute
    clock = (int(parts["hour"]), int(parts["minute"]), LEAP_SECOND - 1 if leap else second)
    month = MONTHS.index(parts["month"].lower()) + 1
    try:
        date = datetime(year, month, int(parts["day"]), *clock, tzinfo=timezone.utc)
        return instant(date + timedelta(seconds=leap), "date")
    except (ValueError, OverflowError):
        return None
