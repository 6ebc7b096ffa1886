"""Dates in every format that the documents on `unavailable_after` name.

These are RFC 822, RFC 850 and ISO 8601 (Google, robots meta tag), and the forms of their examples:
`25 Jun 2010 15:00:00 PST`, `31-Dec-2007 24:00:00 GMT`. `goodbot.http.dates` reads the dates of
HTTP; this module reads the others.
"""

import re
from datetime import datetime, timedelta, timezone

from goodbot.http.dates import MONTHS, http_date

__all__ = ["DAY_NAMES", "parse_date"]

DAY_NAMES = frozenset(
    [
        "mon",
        "tue",
        "wed",
        "thu",
        "fri",
        "sat",
        "sun",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ]
)
ZONES = {
    "": 0, "z": 0, "ut": 0, "utc": 0, "gmt": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5,
    "mst": -7, "mdt": -6, "pst": -8, "pdt": -7,
}  # fmt: skip
"""The zones of RFC 822 section 5, in hours."""

MILITARY = frozenset("abcdefghiklmnopqrstuvwxy")
"""Military zones, read as UTC: RFC 822 gives them the wrong signs (RFC 5322 section 4.3)."""

TIME = r"(?:(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?)"
ZONE = r"(?P<zone>[a-z]{1,3}|[+-]\d{2}:?\d{2})?"
DAY_FIRST = re.compile(
    rf"(?:[a-z]+,?\s+)?(?P<day>\d{{1,2}})[\s-](?P<month>[a-z]{{3}})[a-z]*[\s-](?P<year>\d{{2}}|\d{{4}})"
    rf"(?:\s+{TIME}\s*{ZONE})?",
    re.IGNORECASE,
)
ISO_TIME = (
    r"(?P<hour>\d{2})(?::?(?P<minute>\d{2})(?::?(?P<second>\d{2})(?:[.,]\d+)?)?)?"
    r"\s*(?P<zone>[a-z]{1,3}|[+-]\d{2}(?::?\d{2})?)?"
)
ISO = re.compile(
    r"(?P<year>\d{4})-?(?:(?P<month>\d{2})-?(?P<day>\d{2})|(?P<ordinal>\d{3})"
    rf"|w(?P<week>\d{{2}})-?(?P<weekday>\d))(?:[t\s]{ISO_TIME})?",
    re.IGNORECASE,
)
"""Calendar, ordinal and week dates, basic and extended (ISO 8601)."""

CENTURY_TURNS = 70
"""The first two-digit year of RFC 850 that belongs to the 20th century."""

ERA = datetime(1999 + CENTURY_TURNS - 50, 12, 31, 23, 59, 59, tzinfo=timezone.utc)
"""A fixed present for two-digit years. HTTP reads a year more than 50 years ahead as one of the
last century; with a moving present, the same page would mean another date ten years later."""


def parse_date(text: str) -> datetime | None:
    """Parse a date.

    Args:
        text: The date. Without a zone it is in UTC; without a time it means midnight.

    Returns:
        An aware `datetime` in UTC; `None` if the text is not a date.

    >>> parse_date("25 Jun 2010 15:00:00 PST").isoformat()
    '2010-06-25T23:00:00+00:00'
    >>> parse_date("Wednesday, 03-Dec-25 13:09:53 GMT").isoformat()
    '2025-12-03T13:09:53+00:00'
    >>> parse_date("31-Dec-2007 24:00:00 GMT").isoformat()
    '2008-01-01T00:00:00+00:00'
    >>> parse_date("someday") is None
    True

    Source: RFC 822 section 5, RFC 850, ISO 8601; hour 24 as in Google's announcement of 2007.

    """
    date = http_date(text, now=ERA)
    if date is not None:
        return date
    text = " ".join(text.split())
    for pattern in (DAY_FIRST, ISO):
        if found := pattern.fullmatch(text):
            try:
                return of_parts(found.groupdict())
            except (ValueError, OverflowError):
                return None
    return None


def of_parts(parts: dict[str, str | None]) -> datetime | None:
    """Build a date from its parts; return `None` if its zone is not known.

    Raises:
        ValueError: There is no such day or time.
        OverflowError: The date is beyond the year 9999.

    """
    offset = offset_of((parts["zone"] or "").lower())
    if offset is None:
        return None
    hour, minute, second = (int(parts[name] or 0) for name in ("hour", "minute", "second"))
    late = hour == 24 and not minute and not second  # noqa: PLR2004  the end of the day
    time = timedelta(hours=24) if late else clock(hour, minute, second)
    return day_of(parts) + time - offset


def day_of(parts: dict[str, str | None]) -> datetime:
    """Return the beginning of a day.

    Raises:
        ValueError: There is no such day.

    """
    year = int(parts["year"] or 0)
    if len(parts["year"] or "") == 2:  # noqa: PLR2004  two digits
        year += 1900 if year >= CENTURY_TURNS else 2000
    if ordinal := parts.get("ordinal"):
        return datetime.strptime(f"{year:04} {ordinal} +0000", "%Y %j %z")
    if week := parts.get("week"):
        day = datetime.fromisocalendar(year, int(week), int(parts["weekday"] or 0))
        return day.replace(tzinfo=timezone.utc)
    month = parts["month"] or ""
    number = int(month) if month.isdigit() else month_of(month.lower())
    return datetime(year, number, int(parts["day"] or 0), tzinfo=timezone.utc)


def month_of(name: str) -> int:
    """Return the number of a month; 0 if there is no month of this name."""
    return MONTHS.index(name) + 1 if name in MONTHS else 0


def clock(hour: int, minute: int, second: int) -> timedelta:
    """Return the time since midnight; a leap second counts as the first of the next minute.

    Raises:
        ValueError: There is no such time.

    """
    if hour > 23 or minute > 59 or second > 60:  # noqa: PLR2004  as on clocks
        message = "no such time"
        raise ValueError(message)
    return timedelta(hours=hour, minutes=minute, seconds=second)


def offset_of(zone: str) -> timedelta | None:
    """Return how far a zone is ahead of UTC; `None` if there is no such zone."""
    if zone[:1] in {"+", "-"}:
        digits = zone[1:].replace(":", "").ljust(4, "0")
        size = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
        return size if zone[0] == "+" else -size
    hours = ZONES.get(zone)
    if hours is None and zone in MILITARY:
        hours = 0
    return None if hours is None else timedelta(hours=hours)
