"""Times as they are stored: microseconds since 1970.

Scope: converting stored times to datetimes.
"""

from datetime import datetime

from goodbot.errors import NotAStoreError
from goodbot.http.instants import to_datetime

__all__ = ["stored_time"]


def stored_time(microseconds: int) -> datetime:
    """Return a stored time as a datetime in UTC.

    Raises:
        NotAStoreError: It is not within the years 1 to 9999, so goodbot did not write it.

    >>> stored_time(1_000_000).isoformat()
    '1970-01-01T00:00:01+00:00'
    """
    time = to_datetime(microseconds)
    if time is None:
        message = (
            f"a stored time is damaged ({microseconds}); restore the folder from a backup, or "
            "crawl into a new folder"
        )
        raise NotAStoreError(message)
    return time
