"""Times as they are stored: microseconds since 1970.

What may live here: reading them back.
"""

from datetime import datetime

from goodbot.errors import NotAStoreError
from goodbot.http.instants import to_datetime

__all__ = ["stored_time"]


def stored_time(microseconds: int) -> datetime:
    """Return a time of a row, in UTC.

    Raises:
        NotAStoreError: It lies beyond the year 9999: no goodbot wrote it.

    >>> stored_time(1_000_000).isoformat()
    '1970-01-01T00:00:01+00:00'
    """
    time = to_datetime(microseconds)
    if time is None:
        message = (
            f"a time of the crawl is damaged ({microseconds}); restore the crawl from a copy, or "
            "crawl anew"
        )
        raise NotAStoreError(message)
    return time
