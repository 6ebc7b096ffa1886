"""Conversion of times to seconds since 1970."""

import math
from datetime import datetime

from goodbot.errors import WrongTypeError, WrongValueError

__all__ = ["seconds_of"]


def seconds_of(time: object) -> float:
    """Return a number or an aware `datetime` as seconds since 1970.

    Raises:
        WrongTypeError: `time` is neither.
        WrongValueError: The `datetime` is naive, or the number is not finite.

    >>> from datetime import timezone
    >>> seconds_of(datetime(1970, 1, 2, tzinfo=timezone.utc)), seconds_of(5)
    (86400.0, 5.0)
    """
    if isinstance(time, datetime):
        if time.utcoffset() is None:
            message = "the time is naive; pass an aware one, such as datetime.now(timezone.utc)"
            raise WrongValueError(message)
        return time.timestamp()
    if isinstance(time, bool) or not isinstance(time, (int, float)):
        message = f"a time must be seconds since 1970 or a datetime, not {type(time).__name__}"
        raise WrongTypeError(message)
    if not math.isfinite(time):
        message = f"a time must be a finite number of seconds, not {time}"
        raise WrongValueError(message)
    return float(time)
