"""Times and durations as text for people."""

from datetime import datetime

__all__ = ["format_time", "span"]

UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def format_time(time: datetime) -> str:
    """Format a time in UTC, to the second.

    >>> from datetime import timezone
    >>> format_time(datetime(2025, 1, 1, 12, 30, tzinfo=timezone.utc))
    '2025-01-01 12:30:00 UTC'
    """
    return f"{time:%Y-%m-%d %H:%M:%S} UTC"


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
