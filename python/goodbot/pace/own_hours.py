"""The hours in which a robot makes visits, in UT.

Scope: from the text of a setting to minutes of the day.
"""

import re
from datetime import datetime, timedelta, timezone
from itertools import chain

from goodbot.errors import WrongTypeError, WrongValueError

__all__ = ["own_hours_begin", "own_minutes"]

WINDOW = r"([01]?[0-9]|2[0-3]):([0-5][0-9])-(?:([01]?[0-9]|2[0-3]):([0-5][0-9])|24:00)"
MINUTES = 24 * 60


def own_minutes(hours: str) -> list[tuple[int, int]]:
    """Return the runs of minutes of a day that hours name, without the end of each.

    Args:
        hours: Windows such as `22:00-06:00`, separated by commas; past midnight if the end comes
            before the beginning. Empty: the whole day.

    Raises:
        WrongTypeError: It is not a `str`.
        WrongValueError: There is no window in it, or an empty one.

    >>> own_minutes("12:00-13:00, 22:00-06:00")
    [(720, 780), (1320, 1440), (0, 360)]

    """
    if not isinstance(hours, str):
        message = f"hours must be a str such as '22:00-06:00', not {type(hours).__name__}"
        raise WrongTypeError(message)
    if not hours:
        return [(0, MINUTES)]
    return list(chain.from_iterable(window(part.strip()) for part in hours.split(",")))


def own_hours_begin(hours: str, now: datetime) -> datetime | None:
    """Return when the hours begin next, in UTC; `None` if they have begun.

    Args:
        hours: See `own_minutes`.
        now: The time: an aware `datetime`.

    >>> own_hours_begin("22:00-06:00", datetime(2026, 1, 1, 12, 30, tzinfo=timezone.utc))
    datetime.datetime(2026, 1, 1, 22, 0, tzinfo=datetime.timezone.utc)
    >>> own_hours_begin("22:00-06:00", datetime(2026, 1, 1, 23, 30, tzinfo=timezone.utc)) is None
    True

    """
    at = now.astimezone(timezone.utc)
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    minute, runs = at.hour * 60 + at.minute, own_minutes(hours)
    if any(first <= minute < end for first, end in runs):
        return None
    wait = min((first - minute) % MINUTES for first, _ in runs)
    return midnight + timedelta(minutes=minute + wait)


def window(text: str) -> list[tuple[int, int]]:
    """Return the one or two runs of minutes of a window."""
    found = re.fullmatch(WINDOW, text)
    if found is None:
        message = (
            f"{{manners.hours}} must be windows in UT such as '22:00-06:00', not {text[:60]!r}"
        )
        raise WrongValueError(message, {"manners.hours": "hours"})
    hour, minute, to_hour, to_minute = found.groups()
    first = int(hour) * 60 + int(minute)
    end = MINUTES if to_hour is None else int(to_hour) * 60 + int(to_minute)
    if first == end:
        message = f"the hours {text} are empty; omit them for the whole day"
        raise WrongValueError(message)
    runs = [(first, end)] if first < end else [(first, MINUTES), (0, end)]
    return [(start, stop) for start, stop in runs if start < stop]
