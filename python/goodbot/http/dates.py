"""Dates as HTTP writes them.

Scope: the grammar of HTTP's dates. There is no clock: `now` is passed.
"""

import re
from datetime import datetime, timedelta, timezone
from functools import lru_cache

__all__ = ["MONTHS", "http_date"]

LONGEST_DATE = 64
"""The longest form, RFC 850 with Wednesday, has 33 bytes."""

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH = "|".join(MONTHS)
DAY = "mon|tue|wed|thu|fri|sat|sun"
LONG_DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
TIME = r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})"

FORMS = (
    rf"(?:{DAY}), (?P<day>[0-9]{{2}}) (?P<month>{MONTH}) (?P<year>[0-9]{{4}}) {TIME} GMT",
    rf"{LONG_DAY}, (?P<day>[0-9]{{2}})-(?P<month>{MONTH})-(?P<year>[0-9]{{2}}) {TIME} GMT",
    rf"(?:{DAY}) (?P<month>{MONTH}) (?P<day>[0-9 ][0-9]) {TIME} (?P<year>[0-9]{{4}})",
)
"""IMF-fixdate, RFC 850, asctime (RFC 9110 section 5.6.7), in either case (RFC 9111 section 4.2)."""

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
LEAP_SECOND = 60
TWO_DIGITS = 2
HALF_A_CENTURY = 50


def http_date(text: str, *, now: datetime) -> datetime | None:
    """Read a date of HTTP, in any of its three forms.

    Args:
        text: The value of a field such as `Expires`.
        now: The time, for the century of a year of two digits.

    Returns:
        The date in UTC; `None` for anything else, including dates in zones other than GMT. Letters
        may be in either case, and the name of the day may be wrong; everything else is strict. A
        leap second is the first second of the next minute, so that no request is early.

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
    if not 0 < len(text) <= LONGEST_DATE:
        return None
    date = date_of(text)
    return of_parts(date, now) if isinstance(date, dict) else date


@lru_cache(maxsize=256)
def date_of(text: str) -> datetime | dict[str, str] | None:
    """Return a date, or its parts if its year has two digits.

    It is cached, because each response is asked for its dates several times.
    """
    # `re` compiles a form when a date is first read, and remembers it.
    matches = (re.fullmatch(form, text, re.IGNORECASE) for form in FORMS)
    found = next(filter(None, matches), None)
    if found is None:
        return None
    parts = found.groupdict()
    return parts if len(parts["year"]) == TWO_DIGITS else of_parts(parts, EPOCH)


def of_parts(parts: dict[str, str], now: datetime) -> datetime | None:
    """Build a date; return `None` if there is no such day or time.

    Args:
        parts: Its parts, as written.
        now: The time, for the century of a year of two digits.

    """
    month, day = MONTHS.index(parts["month"].lower()) + 1, int(parts["day"])
    hour, minute, second = int(parts["hour"]), int(parts["minute"]), int(parts["second"])
    year = int(parts["year"])
    if len(parts["year"]) == TWO_DIGITS:
        year = full_year(year, (month, day, hour, minute, second), now)
    is_leap = second == LEAP_SECOND  # the grammar has one, `datetime` has none
    try:
        date = datetime(year, month, day, hour, minute, second - is_leap, tzinfo=timezone.utc)
        return date + timedelta(seconds=is_leap)
    except (ValueError, OverflowError):
        return None


def full_year(digits: int, rest: tuple[int, ...], now: datetime) -> int:
    """Return the year for two digits: the last one that is at most fifty years ahead of `now`.

    Args:
        digits: The last two digits of the year.
        rest: Month, day, hour, minute and second of the date.
        now: The time.

    Source: RFC 9110 section 5.6.7.

    """
    latest = now.astimezone(timezone.utc)
    year = (latest.year + HALF_A_CENTURY) // 100 * 100 + digits
    here = (latest.year + HALF_A_CENTURY, *latest.timetuple()[1:6])
    return year - 100 if (year, *rest) > here else year
