"""Times and durations as text for people."""

from datetime import datetime, timedelta, timezone

from goodbot.http.instants import in_seconds

__all__ = ["future_time", "span"]

UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def future_time(then: datetime, now: datetime) -> str:
    """Format a time to come in UTC, to the second, and how far away it is; say if it is tomorrow.

    >>> from datetime import timezone
    >>> noon = datetime(2025, 1, 1, 12, tzinfo=timezone.utc)
    >>> future_time(noon + timedelta(hours=20), noon)
    'tomorrow, 2025-01-02 08:00:00 UTC, in 20 hours'
    >>> future_time(noon + timedelta(minutes=5), noon)
    '2025-01-01 12:05:00 UTC, in 5 minutes'

    """
    days = then.astimezone(timezone.utc).date() - now.astimezone(timezone.utc).date()
    is_far = then - now >= timedelta(hours=1)  # minutes tell more than the day
    day = "tomorrow, " if is_far and days == timedelta(days=1) else ""
    return f"{day}{in_seconds(then)}, in {span((then - now).total_seconds())}"


def span(seconds: float) -> str:
    """Format a duration in the largest unit of which there are at least two.

    >>> [span(seconds) for seconds in (0.2, 1, 90, 300, 86_400, 172_800)]
    ['less than a second', '1 second', '90 seconds', '5 minutes', '24 hours', '2 days']
    """
    if seconds < 1:
        return "less than a second"
    for size, unit in UNITS:
        # A day that is a few microseconds short is still shown as 24 hours.
        if seconds + 0.5 >= 2 * size:
            return f"{round(seconds / size)} {unit}s"
    whole = round(seconds)
    return f"{whole} second{'' if whole == 1 else 's'}"
