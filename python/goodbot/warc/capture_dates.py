"""The date of a capture, as the moments between which it was.

A WARC-Date may have less precision than seconds: `2025-01` is any moment of that month. Whatever
follows from it must hold for the earliest and the latest moment. A date to the second, or more
precise, is one moment, as other programs read it.

Source: WARC 1.1 section 5.4, and W3C "Date and Time Formats", https://www.w3.org/TR/NOTE-datetime.
"""

import re
from datetime import datetime, timedelta, timezone

__all__ = ["moments_of"]

DATE = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?"
    r"(?:Z|([+-]\d\d):?(\d\d)))?)?)?",
    re.ASCII,
)
USUAL = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d{1,9}))?Z", re.ASCII)
"""A date to the second or more precise, in UTC, as nearly all are."""
TO_SECOND = len("0000-00-00T00:00:00")
LATEST = datetime.max.replace(tzinfo=timezone.utc)
MOMENT = timedelta(microseconds=1)
UNITS = (timedelta(days=1), timedelta(hours=1), timedelta(minutes=1))
"""How long a date is true that has a day, an hour or a minute."""
FIRST = (1, 1, 1, 0, 0, 0)
"""What stands for the parts that a date does not have: its first moment."""
YEAR, MONTH, DAY, MINUTE, SECOND = 1, 2, 3, 5, 6
"""How many parts a date of each precision has."""


def moments_of(date: str) -> tuple[datetime, datetime] | None:
    """Return the earliest and the latest moment of a date, in UTC; `None` if it is none.

    >>> [one.isoformat() for one in moments_of("2024-02") or ()]
    ['2024-02-01T00:00:00+00:00', '2024-02-29T23:59:59.999999+00:00']
    >>> [one.isoformat() for one in moments_of("2026-01-01T00:00:00.5Z") or ()]
    ['2026-01-01T00:00:00.500000+00:00', '2026-01-01T00:00:00.500000+00:00']
    >>> moments_of("2026-02-30T00:00:00Z"), moments_of("2026-01-01T00:00:00")
    (None, None)

    """
    usual = USUAL.fullmatch(date)
    if usual is None:
        return moments_of_any(date)
    try:
        second = datetime.fromisoformat(date[:TO_SECOND])
    except ValueError:
        return None
    at = second.replace(microsecond=microseconds_of(usual[1]), tzinfo=timezone.utc)
    return at, at


def moments_of_any(date: str) -> tuple[datetime, datetime] | None:
    """Return the same of a date of any precision, part by part."""
    found = DATE.fullmatch(date)
    if found is None:
        return None
    *numbers, fraction, hours, minutes = found.groups()
    parts = [int(one) for one in numbers if one is not None]
    try:
        first = datetime(*parts, *FIRST[len(parts) :], tzinfo=timezone.utc)  # type: ignore[arg-type,misc]
        last = last_moment(first, len(parts))
        if hours is not None:
            ahead = timedelta(hours=int(hours), minutes=int(hours[0] + minutes))
            first, last = first - ahead, last - ahead
    except (ValueError, OverflowError):
        return None
    more = timedelta(microseconds=microseconds_of(fraction))
    return first + more, last + more


def microseconds_of(fraction: str | None) -> int:
    """Return the microseconds of the digits behind a second."""
    return int((fraction or "0")[:6].ljust(6, "0"))


def last_moment(first: datetime, parts: int) -> datetime:
    """Return the last moment of a date of so many parts.

    Raises:
        OverflowError: It is beyond the calendar.

    """
    if parts == SECOND:
        return first
    if parts >= DAY:
        return first + UNITS[parts - DAY] - MOMENT
    if first.year == LATEST.year and (parts == YEAR or first.month == 12):  # noqa: PLR2004
        return LATEST
    month = first.month % 12 + 1 if parts == MONTH else 1
    year = first.year + (parts == YEAR or month == 1)
    return first.replace(year=year, month=month) - MOMENT
